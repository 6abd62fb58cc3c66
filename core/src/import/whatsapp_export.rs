//! WhatsApp's "export chat", as iOS and Android write it.
//!
//! Owns the time in front of each message, whose order of day and month only the whole file can tell, and the
//! notices that nobody said. Called through the registry.

use super::builder::Builder;
use super::registry::{Format, Input};
use super::{ImportError, Reading, content};
use crate::message::{Block, Msg, Role};

const LABEL: &str = "whatsapp_export";

pub(super) const FORMAT: Format = Format { label: LABEL, detect, parse };

/// One message or notice with its following lines.
struct Entry<'a> {
    line: usize,
    date: [u32; 3],
    /// Whether the date is written as phones in the United States do.
    american: bool,
    clock: String,
    rest: &'a str,
    more: Vec<&'a str>,
}

fn entries(text: &str) -> Vec<Entry<'_>> {
    let mut found: Vec<Entry<'_>> = Vec::new();
    for (index, line) in text.lines().enumerate() {
        match entry(line, index + 1) {
            Some(entry) => found.push(entry),
            None => {
                if let Some(last) = found.last_mut() {
                    last.more.push(line);
                }
            }
        }
    }
    found
}

/// `[05/01/2024, 10:31:22] …` or `1/5/24, 10:31 AM - …`.
fn entry(line: &str, number: usize) -> Option<Entry<'_>> {
    let text = line.trim_start_matches(['\u{200e}', '\u{200f}', '\u{feff}']);
    let (stamp, rest) = match text.strip_prefix('[') {
        Some(body) => body.split_once("] ")?,
        None => text.split_once(" - ")?,
    };
    let (written, clock) = stamp.split_once(", ").or_else(|| stamp.split_once(' '))?;
    let parts: Vec<&str> = written.split(['/', '.', '-']).collect();
    let [a, b, c] = parts.as_slice() else { return None };
    let number_of = |part: &str| part.parse::<u32>().ok().filter(|_| part.len() <= 4);
    let date = [number_of(a)?, number_of(b)?, number_of(c)?];
    let clock = clock_24(clock)?;
    let american = c.len() == 2 && !a.starts_with('0') && stamp.ends_with(['M', 'm']);
    Some(Entry { line: number, date, american, clock, rest, more: Vec::new() })
}

/// `9:02:05 PM` as `21:02:05`.
fn clock_24(written: &str) -> Option<String> {
    let plain = written.replace(['\u{202f}', '\u{a0}'], " ");
    let lower = plain.trim().to_lowercase().replace('.', "");
    let (digits, afternoon) = match (lower.strip_suffix("am"), lower.strip_suffix("pm")) {
        (Some(digits), _) => (digits.trim(), Some(false)),
        (_, Some(digits)) => (digits.trim(), Some(true)),
        _ => (lower.as_str(), None),
    };
    let mut parts = digits.split(':').map(|part| part.parse::<u32>().ok().filter(|_| part.len() <= 2));
    let (hour, minute, second) = (parts.next()??, parts.next()??, parts.next().unwrap_or(Some(0))?);
    let hour = match afternoon {
        Some(true) => hour % 12 + 12,
        Some(false) => hour % 12,
        None => hour,
    };
    (parts.next().is_none() && hour < 24 && minute < 60 && second < 60)
        .then(|| format!("{hour:02}:{minute:02}:{second:02}"))
}

fn spoken(rest: &str) -> Option<(&str, &str)> {
    rest.split_once(": ").or_else(|| Some((rest.strip_suffix(':')?, "")))
}

fn detect(input: &Input<'_>) -> bool {
    let Some(text) = input.text() else { return false };
    let first = text.lines().find(|line| !line.trim().is_empty());
    if first.and_then(|line| entry(line, 1)).is_none() {
        return false;
    }
    let found = entries(text);
    found.len() > 1 && found.iter().any(|entry| spoken(entry.rest).is_some())
}

/// Which of the numbers of a date is what.
#[derive(Clone, Copy, PartialEq)]
enum Order {
    DayMonth,
    MonthDay,
    YearFirst,
}

/// The order that the file proves, or the likelier one and `false`.
fn order(entries: &[Entry<'_>]) -> (Order, bool) {
    let any = |place: usize, limit: u32| {
        entries.iter().any(|entry| entry.date.get(place).is_some_and(|number| *number > limit))
    };
    if any(0, 31) {
        (Order::YearFirst, true)
    } else if any(0, 12) {
        (Order::DayMonth, true)
    } else if any(1, 12) {
        (Order::MonthDay, true)
    } else if entries.iter().any(|entry| entry.american) {
        (Order::MonthDay, false)
    } else {
        (Order::DayMonth, false)
    }
}

fn iso(date: [u32; 3], order: Order, clock: &str) -> String {
    let [a, b, c] = date;
    let (year, month, day) = match order {
        Order::YearFirst => (a, b, c),
        Order::DayMonth => (c, b, a),
        Order::MonthDay => (c, a, b),
    };
    let year = if year < 100 { year + 2000 } else { year };
    format!("{year:04}-{month:02}-{day:02}T{clock}")
}

fn parse(input: &Input<'_>) -> Result<Reading, ImportError> {
    let found = entries(input.text().unwrap_or(""));
    let (order, proven) = order(&found);
    let mut builder = Builder::default();
    if !proven {
        let read_as = if order == Order::MonthDay { "month/day" } else { "day/month" };
        builder.note("ambiguous_date_order", format!("read as {read_as}"));
    }
    for entry in found {
        read_entry(&entry, order, &mut builder);
    }
    Ok(Reading { format: LABEL, sessions: vec![builder.finish()], warnings: Vec::new() })
}

fn read_entry(entry: &Entry<'_>, order: Order, builder: &mut Builder) {
    let reference = format!("line {}", entry.line);
    let Some((name, said)) = spoken(entry.rest) else {
        return builder.skip(reference, "event without a speaker");
    };
    let mut content = Vec::new();
    // An invisible mark precedes what the program wrote in a person's place.
    match said.strip_prefix('\u{200e}').map(|notice| (notice, omitted(notice))) {
        Some((_, Some(media_type))) => {
            content.push(Block::text(entry.more.join("\n")));
            content.push(content::mention(media_type));
        }
        Some((notice, None)) => {
            let start: String = notice.chars().take(40).collect();
            return builder.skip(reference, format!("notice: {start}"));
        }
        None => {
            let lines: Vec<&str> = std::iter::once(said).chain(entry.more.iter().copied()).collect();
            content.push(Block::text(lines.join("\n")));
        }
    }
    let written = iso(entry.date, order, &entry.clock);
    let created_at = builder.time(&reference, crate::message::time::field(&written.into()));
    let name = Some(name.trim_matches(|c: char| c.is_whitespace() || c == '\u{200e}' || c == '~').to_owned());
    builder.push(&reference, Msg { name, content, created_at, ..Msg::text_message(Role::User, "") });
}

/// The kind of attachment that an export without media leaves out.
fn omitted(notice: &str) -> Option<&'static str> {
    match notice.trim().to_lowercase().strip_suffix(" omitted")? {
        "image" | "gif" | "sticker" => Some("image/*"),
        "video" => Some("video/*"),
        "audio" => Some("audio/*"),
        _ => Some("application/octet-stream"),
    }
}
