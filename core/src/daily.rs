//! The day page: an index of the day's cards between two markers; the rest of the page is the person's.
//!
//! Called by `memorize` and by whoever rebuilds a page. Pure: text in, text out.

use crate::card::{self, Card, FieldValue};
use crate::workspace::RelPath;
use chrono::NaiveDate;
use std::ops::Range;

const OPEN: &str = "<!-- notes:auto -->";
const CLOSE: &str = "<!-- /notes:auto -->";

/// Keys that no list needs.
const UNLISTED: [&str; 3] = ["schema_version", "session_id", "source_conversation"];

/// A rebuilt page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// The whole file; equal to the present one when nothing changed.
    pub text: String,
    /// Markers that were not used, for a person.
    pub warnings: Vec<String>,
}

/// The page of `day`, from the present file and the day's cards.
pub fn rebuild(day: NaiveDate, present: Option<&str>, cards: &[(RelPath, Card)]) -> Page {
    let mut cards: Vec<&(RelPath, Card)> = cards.iter().collect();
    cards.sort_by(|(a, _), (b, _)| a.file_name().cmp(b.file_name()));
    let present = present.unwrap_or_default();
    let mut page = Card::parse(present);
    if let Some(fault) = page.fault() {
        let warning = format!("the day page was left as it is: {fault}. Repair it, then rebuild the page");
        return Page { text: present.to_owned(), warnings: vec![warning] };
    }
    let description = if cards.is_empty() {
        "No notes today.".to_owned()
    } else {
        format!("{} note(s) today.", cards.len())
    };
    let eol = if present.contains("\r\n") { "\r\n" } else { "\n" };
    if card::body_start(present) == 0 {
        page = Card::parse(with_frontmatter(day, &description, present, eol));
    } else {
        page.set("description", FieldValue::Text(description));
        if page.get("name").is_none() {
            page.set("name", FieldValue::Text(day.to_string()));
        }
    }
    let lines: String = cards.iter().map(|(path, card)| format!("{}{eol}", row(path, card))).collect();
    let (text, warnings) = with_block(page.text(), &lines, eol);
    // A page that lacks nothing but its last line end is not worth a write.
    let text = if text.strip_suffix(eol) == Some(present) { present.to_owned() } else { text };
    Page { text, warnings }
}

fn with_frontmatter(day: NaiveDate, description: &str, present: &str, eol: &str) -> String {
    let (bom, rest) = match present.strip_prefix('\u{feff}') {
        Some(rest) => ("\u{feff}", rest),
        None => ("", present),
    };
    let gap = if rest.is_empty() { "" } else { eol };
    format!("{bom}---{eol}name: '{day}'{eol}description: {description}{eol}---{eol}{gap}{rest}")
}

/// One line for a card; one that cannot be read is listed by its path.
fn row(path: &RelPath, card: &Card) -> String {
    let fields = card.fields();
    let first = ["name", "description"];
    let named = first.iter().filter_map(|key| fields.iter().find(|field| field.key == *key));
    let others = fields
        .iter()
        .filter(|field| !first.contains(&field.key.as_str()) && !UNLISTED.contains(&field.key.as_str()));
    let mut row = format!("- [[{path}]]");
    for field in named.chain(others) {
        let value = one_line(&field.listed());
        if !value.is_empty() {
            row.push_str(&format!(" {}: {value}", one_line(&field.key)));
        }
    }
    row
}

/// The text without line breaks of any kind.
fn one_line(text: &str) -> String {
    const BREAKS: [char; 7] = ['\n', '\r', '\u{b}', '\u{c}', '\u{85}', '\u{2028}', '\u{2029}'];
    let parts: Vec<&str> = text.split(BREAKS).map(str::trim).filter(|part| !part.is_empty()).collect();
    parts.join(" ")
}

/// The page with its block replaced, or appended where no pair of markers stands; markers that are not used
/// are reported.
fn with_block(page: &str, lines: &str, eol: &str) -> (String, Vec<String>) {
    let markers = markers(page);
    let pair = markers.windows(2).find_map(|pair| match pair {
        [open, close] if open.kind == Kind::Open && close.kind == Kind::Close => Some((open, close)),
        _ => None,
    });
    let is_used = |marker: &Marker| {
        pair.is_some_and(|(open, close)| {
            marker.span.start >= open.span.start && marker.span.start <= close.span.start
        })
    };
    let warnings = markers
        .iter()
        .filter(|marker| !is_used(marker))
        .map(|marker| {
            format!("day page, line {}: a notes marker that is not used; it was left as it is", marker.line)
        })
        .collect();
    let text = match pair {
        Some((open, close)) => {
            let before = page.get(..open.span.end).unwrap_or_default();
            let after = page.get(close.span.start..).unwrap_or_default();
            format!("{before}{lines}{after}")
        }
        None => {
            let end = if page.ends_with('\n') { "" } else { eol };
            format!("{page}{end}{eol}{OPEN}{eol}{lines}{CLOSE}{eol}")
        }
    };
    (if text.ends_with('\n') { text } else { text + eol }, warnings)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Open,
    Close,
}

struct Marker {
    kind: Kind,
    /// The bytes of its line, line end included.
    span: Range<usize>,
    line: usize,
}

/// The markers that are whole lines, below the frontmatter.
fn markers(page: &str) -> Vec<Marker> {
    let body = card::body_start(page);
    let mut start = 0;
    let mut found = Vec::new();
    for (number, line) in page.split_inclusive('\n').enumerate() {
        let kind = match line.trim_end() {
            OPEN => Some(Kind::Open),
            CLOSE => Some(Kind::Close),
            _ => None,
        };
        let span = start..start + line.len();
        start = span.end;
        if let Some(kind) = kind.filter(|_| span.start >= body) {
            found.push(Marker { kind, span, line: number + 1 });
        }
    }
    found
}

#[cfg(test)]
mod tests;
