//! WhatsApp's "export chat", as iOS and Android write it.
//!
//! Owns the notices that nobody said and the mentions of what was left out. Called through the registry.

use super::builder::Builder;
use super::labels::{Side, Vocabulary, stamped_label};
use super::phone_stamp::{Order, PhoneStamp};
use super::registry::{Format, Input};
use super::{ImportError, Reading, content};
use crate::message::{Block, Msg, Role};

const LABEL: &str = "whatsapp_export";

pub(super) const FORMAT: Format = Format { label: LABEL, detect, parse };

/// One message or notice with its following lines.
struct Entry<'a> {
    line: usize,
    whole: &'a str,
    stamp: PhoneStamp,
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
    Some(Entry { line: number, whole: line, stamp: PhoneStamp::read(stamp)?, rest, more: Vec::new() })
}

fn spoken(rest: &str) -> Option<(&str, &str)> {
    rest.split_once(": ").or_else(|| Some((rest.strip_suffix(':')?, "")))
}

/// Whether nobody speaks but roles. Nobody's telephone book calls people so: that is a log of another program.
fn roles_alone(found: &[Entry<'_>]) -> bool {
    let label = |entry: &Entry<'_>| stamped_label(entry.whole, Vocabulary::All).map(|label| label.side);
    let tells = |entry: &Entry<'_>| {
        label(entry) == Some(Side::Speaks(Role::Assistant))
            || stamped_label(entry.whole, Vocabulary::Strong).is_some()
    };
    found.iter().all(|entry| label(entry).is_some() || spoken(entry.rest).is_none())
        && found.iter().any(tells)
}

fn detect(input: &Input<'_>) -> bool {
    let Some(text) = input.text() else { return false };
    let first = text.lines().find(|line| !line.trim().is_empty());
    if first.and_then(|line| entry(line, 1)).is_none() {
        return false;
    }
    let found = entries(text);
    let speaks = |entry: &Entry<'_>| spoken(entry.rest).is_some();
    found.len() > 1 && found.iter().any(speaks) && !roles_alone(&found)
}

fn parse(input: &Input<'_>) -> Result<Reading, ImportError> {
    let found = entries(input.text().unwrap_or(""));
    let mut builder = Builder::default();
    let order = Order::of(found.iter().map(|entry| &entry.stamp), &mut builder);
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
    let written = entry.stamp.iso(order);
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
