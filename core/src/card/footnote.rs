//! Evidence as footnotes: one definition for each set of messages, linking to the dialog record.
//!
//! Existing definitions are kept and reused; numbers never change. Called by `render` and `statement`.

use crate::link;
use crate::message::Msg;
use crate::workspace::RelPath;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use pulldown_cmark::{Event, Options, Parser, Tag};
use std::ops::Range;

const KEPT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// One definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Definition {
    pub label: String,
    /// The message ids, decoded, in the order of its links.
    pub ids: Vec<String>,
}

/// The definitions of a body, and those that are new.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Footnotes {
    known: Vec<Definition>,
    fresh: Vec<Definition>,
    /// Where the last definition of the body ends.
    pub end: Option<usize>,
    /// Where the first one starts.
    pub start: Option<usize>,
}

pub(super) const MARKDOWN: Options = Options::ENABLE_TABLES.union(Options::ENABLE_FOOTNOTES);

impl Footnotes {
    /// The definitions of a body.
    pub fn read(body: &str) -> Footnotes {
        let mut notes = Footnotes::default();
        for (event, span) in Parser::new_ext(body, MARKDOWN).into_offset_iter() {
            if let Event::Start(Tag::FootnoteDefinition(label)) = event {
                let source = body.get(span.clone()).unwrap_or_default();
                let ids = link::find(source)
                    .into_iter()
                    .filter_map(|link| link.anchor)
                    .map(|id| decode(&id))
                    .collect();
                notes.known.push(Definition { label: label.to_string(), ids });
                notes.start.get_or_insert(span.start);
                notes.end = Some(span.start + source.trim_end().len());
            }
        }
        notes
    }

    /// Whether the body has evidence at all, and so comes from us.
    pub fn any(&self) -> bool {
        self.known.iter().any(|note| !note.ids.is_empty())
    }

    /// The messages behind the references in a piece of Markdown.
    pub fn ids_of(&self, source: &str) -> Vec<String> {
        let mut ids: Vec<String> = Vec::new();
        for (_, label) in references(source) {
            let definition = self.known.iter().find(|note| note.label == label);
            ids.extend(definition.map(|note| note.ids.clone()).unwrap_or_default());
        }
        ids
    }

    /// The reference to a set of messages, defined now if it is not yet.
    pub fn reference(&mut self, ids: &[String]) -> String {
        if ids.is_empty() {
            return String::new();
        }
        let mut all = self.known.iter().chain(&self.fresh);
        if let Some(same) = all.find(|note| is_same_set(&note.ids, ids)) {
            return format!("[^{}]", same.label);
        }
        let used =
            self.known.iter().chain(&self.fresh).filter_map(|note| note.label.parse::<usize>().ok()).max();
        let label = (used.unwrap_or(0) + 1).to_string();
        let reference = format!("[^{label}]");
        self.fresh.push(Definition { label, ids: ids.to_vec() });
        reference
    }

    /// The new definitions, a line each.
    pub fn fresh_lines(&self, record: &RelPath) -> Vec<String> {
        self.fresh
            .iter()
            .map(|note| {
                let links: Vec<String> = note
                    .ids
                    .iter()
                    .map(|id| format!("[[{record}#{}]]", utf8_percent_encode(id, KEPT)))
                    .collect();
                format!("[^{}]: {}", note.label, links.join(" "))
            })
            .collect()
    }
}

fn is_same_set(a: &[String], b: &[String]) -> bool {
    a.iter().all(|id| b.contains(id)) && b.iter().all(|id| a.contains(id))
}

fn decode(anchor: &str) -> String {
    percent_decode_str(anchor).decode_utf8_lossy().into_owned()
}

/// The ids of messages by their 1-based numbers, in the order of the record, each once.
pub(super) fn ids_by_number(messages: &[Msg], numbers: &[usize]) -> Vec<String> {
    let mut numbers: Vec<usize> = numbers.to_vec();
    numbers.sort_unstable();
    numbers.dedup();
    let message = |number: &usize| number.checked_sub(1).and_then(|index| messages.get(index));
    numbers.iter().filter_map(message).filter_map(|message| message.id.clone()).collect()
}

/// The footnote references in a piece of Markdown: their bytes and labels.
pub(super) fn references(source: &str) -> Vec<(Range<usize>, &str)> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(at) = source.get(from..).and_then(|rest| rest.find("[^")) {
        let start = from + at;
        let label = source.get(start + 2..).and_then(|rest| rest.split_once(']')).map(|(label, _)| label);
        let label = label.filter(|label| !label.is_empty() && !label.contains(char::is_whitespace));
        let is_escaped = source.get(..start).is_some_and(|before| before.ends_with('\\'));
        from = start + 2;
        if let Some(label) = label.filter(|_| !is_escaped) {
            from = start + 2 + label.len() + 1;
            found.push((start..from, label));
        }
    }
    found
}
