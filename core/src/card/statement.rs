//! Statements of a card's body: list items and paragraphs, with their section and their evidence.
//!
//! Finds and compares; [`super::merge`] changes. Called by `merge` and by whoever shows evidence.

use super::footnote::{Footnotes, MARKDOWN, references};
use crate::distill::Kind;
use pulldown_cmark::{Event, Parser, Tag, TagEnd};
use serde::Deserialize;
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::LazyLock;
use unicode_normalization::UnicodeNormalization;
use unicode_segmentation::UnicodeSegmentation;

/// A heading and what follows it up to the next one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CardSection {
    /// The heading's text; empty above the first heading.
    pub heading: String,
    /// What its statements are, by the table of headings.
    pub kind: Kind,
    /// Its bytes in the body, heading included.
    pub span: Range<usize>,
}

/// One statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// Its text on one line, without references.
    pub text: String,
    /// The ids of the messages that it rests on.
    pub evidence: Vec<String>,
    /// The index of its section.
    pub section: usize,
    /// Whether it is a list item; else it is a paragraph.
    pub is_item: bool,
    /// The bytes of its words in the body, references included.
    pub span: Range<usize>,
    /// The bytes of its lines: of the whole list item, of the paragraph.
    pub lines: Range<usize>,
    /// Whether its list item holds more than words and statements: code, a table, a quotation.
    pub holds_more: bool,
}

/// What was found in a body.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statements {
    /// The sections, in order.
    pub sections: Vec<CardSection>,
    /// The statements, in order.
    pub statements: Vec<Statement>,
    /// Whether there is nothing but headings, list items and footnotes.
    pub only_lists: bool,
}

/// The sections and statements of a body.
pub fn find(body: &str) -> Statements {
    let mut finder = Finder { body, notes: Footnotes::read(body), ..Finder::new(body) };
    for (event, span) in Parser::new_ext(body, MARKDOWN).into_offset_iter() {
        finder.event(&event, span);
    }
    finder.finish()
}

/// A body without its evidence, as search and models are given it.
pub fn without_evidence(body: &str) -> String {
    let mut plain = String::with_capacity(body.len());
    let mut from = 0;
    for (event, span) in Parser::new_ext(body, MARKDOWN).into_offset_iter() {
        let is_evidence =
            matches!(event, Event::FootnoteReference(_) | Event::Start(Tag::FootnoteDefinition(_)));
        if is_evidence && span.start >= from {
            let before = body.get(from..span.start).unwrap_or_default();
            plain.push_str(before.strip_suffix(' ').unwrap_or(before));
            from = span.end;
        }
    }
    plain.push_str(body.get(from..).unwrap_or_default());
    plain.truncate(plain.trim_end().len());
    plain
}

struct Finder<'a> {
    body: &'a str,
    notes: Footnotes,
    found: Statements,
    /// The open containers that matter.
    open: Vec<Open>,
}

enum Open {
    Heading(Range<usize>),
    Item {
        index: usize,
    },
    Paragraph,
    /// A block whose words are no statements.
    Closed,
}

impl<'a> Finder<'a> {
    fn new(body: &'a str) -> Finder<'a> {
        let first = CardSection { heading: String::new(), kind: Kind::Other, span: 0..body.len() };
        let found = Statements { sections: vec![first], statements: Vec::new(), only_lists: true };
        Finder { body, notes: Footnotes::default(), found, open: Vec::new() }
    }

    fn event(&mut self, event: &Event<'_>, span: Range<usize>) {
        match event {
            Event::Start(Tag::Heading { .. }) => self.open.push(Open::Heading(span)),
            Event::Start(Tag::Item) => self.start_item(span),
            Event::Start(Tag::Paragraph) => self.start_paragraph(span),
            Event::Start(Tag::CodeBlock(_) | Tag::Table(_) | Tag::BlockQuote(_) | Tag::HtmlBlock) => {
                self.mark_item();
                self.found.only_lists = false;
                self.open.push(Open::Closed);
            }
            Event::Start(Tag::FootnoteDefinition(_)) => self.open.push(Open::Closed),
            Event::End(TagEnd::Heading(_)) => {
                if let Some(Open::Heading(span)) = self.open.pop() {
                    self.start_section(span);
                }
            }
            Event::End(
                TagEnd::Item
                | TagEnd::Paragraph
                | TagEnd::CodeBlock
                | TagEnd::Table
                | TagEnd::BlockQuote(_)
                | TagEnd::HtmlBlock
                | TagEnd::FootnoteDefinition,
            ) => {
                self.open.pop();
            }
            Event::Rule => self.found.only_lists = false,
            Event::Start(_) | Event::End(_) => {}
            _ => self.words(&span),
        }
    }

    fn in_closed(&self) -> bool {
        self.open.iter().any(|open| matches!(open, Open::Closed))
    }

    /// The innermost open item.
    fn item(&mut self) -> Option<&mut Statement> {
        let index = self.open.iter().rev().find_map(|open| match open {
            Open::Item { index } => Some(*index),
            _ => None,
        })?;
        self.found.statements.get_mut(index)
    }

    fn mark_item(&mut self) {
        if let Some(item) = self.item() {
            item.holds_more = true;
        }
    }

    fn start_item(&mut self, span: Range<usize>) {
        if self.in_closed() {
            self.open.push(Open::Closed);
            return;
        }
        self.push_statement(true, span);
        self.open.push(Open::Item { index: self.found.statements.len() - 1 });
    }

    fn start_paragraph(&mut self, span: Range<usize>) {
        if self.in_closed() {
            self.open.push(Open::Closed);
            return;
        }
        match self.item() {
            // Only the first paragraph of an item is the statement.
            Some(item) if !item.span.is_empty() => {
                item.holds_more = true;
                self.found.only_lists = false;
                self.open.push(Open::Closed);
            }
            Some(_) => self.open.push(Open::Paragraph),
            None => {
                self.found.only_lists = false;
                self.push_statement(false, span);
                self.open.push(Open::Item { index: self.found.statements.len() - 1 });
            }
        }
    }

    fn push_statement(&mut self, is_item: bool, lines: Range<usize>) {
        self.found.statements.push(Statement {
            text: String::new(),
            evidence: Vec::new(),
            section: self.found.sections.len() - 1,
            is_item,
            span: lines.start..lines.start,
            lines,
            holds_more: false,
        });
    }

    /// Words belong to the statement that is open, unless a block inside it has begun.
    fn words(&mut self, span: &Range<usize>) {
        if self.in_closed() || self.open.iter().any(|open| matches!(open, Open::Heading(_))) {
            return;
        }
        if let Some(item) = self.item() {
            if item.span.is_empty() {
                item.span = span.clone();
            } else {
                item.span.end = item.span.end.max(span.end);
            }
        }
    }

    fn start_section(&mut self, span: Range<usize>) {
        let source = self.body.get(span.clone()).unwrap_or_default();
        let heading = source.lines().next().unwrap_or_default().trim();
        let heading = heading.trim_start_matches('#').trim_end_matches('#').trim().to_owned();
        if let Some(last) = self.found.sections.last_mut() {
            last.span.end = span.start;
        }
        let kind = kind_of(&heading);
        self.found.sections.push(CardSection { heading, kind, span: span.start..self.body.len() });
    }

    fn finish(mut self) -> Statements {
        for statement in &mut self.found.statements {
            let widened = with_markup(self.body, statement);
            let source = self.body.get(widened.clone()).unwrap_or_default();
            statement.span = widened;
            statement.evidence = self.notes.ids_of(source);
            statement.text = without_references(source);
        }
        self.found.statements.retain(|statement| !statement.text.is_empty());
        self.found
    }
}

/// The words with the emphasis marks, brackets and references around them, which the parser reports apart.
fn with_markup(body: &str, statement: &Statement) -> Range<usize> {
    let (words, lines) = (&statement.span, &statement.lines);
    if words.is_empty() {
        return words.clone();
    }
    let line_start = body.get(..words.start).and_then(|before| before.rfind('\n')).map_or(0, |at| at + 1);
    let from = line_start.max(lines.start);
    let line = body.get(from..).and_then(|rest| rest.split('\n').next()).unwrap_or_default();
    let has_marker = statement.is_item && from == lines.start;
    let lead = if has_marker { marker_length(line) } else { line.len() - line.trim_start().len() };
    let rest = body.get(words.end..lines.end.max(words.end)).unwrap_or_default();
    let tail = rest.split('\n').next().unwrap_or_default().trim_end();
    from + lead..words.end + tail.len()
}

/// The length of a list marker with its blanks and task box.
pub(super) fn marker_length(line: &str) -> usize {
    let indent = line.len() - line.trim_start_matches([' ', '\t']).len();
    let rest = line.get(indent..).unwrap_or_default();
    let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let mark = match rest.get(digits..).and_then(|mark| mark.chars().next()) {
        Some('-' | '*' | '+') if digits == 0 => 1,
        Some('.' | ')') if digits > 0 => digits + 1,
        _ => return indent,
    };
    let behind = rest.get(mark..).unwrap_or_default();
    let blanks = behind.len() - behind.trim_start_matches([' ', '\t']).len();
    if blanks == 0 && !behind.is_empty() {
        return indent;
    }
    let boxed = behind.get(blanks..).unwrap_or_default();
    let task =
        ["[ ] ", "[x] ", "[X] "].iter().find(|mark| boxed.starts_with(**mark)).map_or(0, |mark| mark.len());
    indent + mark + blanks + task
}

fn without_references(source: &str) -> String {
    let mut text = String::with_capacity(source.len());
    let mut from = 0;
    for (span, _) in references(source) {
        text.push_str(source.get(from..span.start).unwrap_or_default());
        from = span.end;
    }
    text.push_str(source.get(from..).unwrap_or_default());
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The table of headings.
#[derive(Default, Deserialize)]
struct Headings {
    kinds: HashMap<Kind, Vec<String>>,
    history: Vec<String>,
}

static HEADINGS: LazyLock<Headings> =
    LazyLock::new(|| serde_yaml::from_str(include_str!("../../assets/headings.yaml")).unwrap_or_default());

static KINDS: LazyLock<HashMap<String, Kind>> = LazyLock::new(|| {
    let names =
        HEADINGS.kinds.iter().flat_map(|(kind, names)| names.iter().map(|name| (heading_key(name), *kind)));
    names.collect()
});

static FUNCTION_WORDS: LazyLock<HashSet<String>> = LazyLock::new(|| {
    serde_yaml::from_str(include_str!("../../assets/function-words.yaml")).unwrap_or_default()
});

/// What a section with this heading holds, by the table of headings.
pub fn kind_of(heading: &str) -> Kind {
    KINDS.get(&heading_key(heading)).copied().unwrap_or_default()
}

/// Whether entries under this heading are only added to.
pub(super) fn is_history(heading: &str) -> bool {
    HEADINGS.history.contains(&heading_key(heading))
}

/// A heading for comparison: no case, punctuation, numbering or emoji.
pub(super) fn heading_key(heading: &str) -> String {
    let words: Vec<String> = heading
        .nfkc()
        .collect::<String>()
        .to_lowercase()
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty() && !word.chars().all(|c| c.is_ascii_digit()))
        .map(str::to_owned)
        .collect();
    words.join(" ")
}

/// A statement's text for equality: case, blanks and the full stop at its end do not matter.
pub(super) fn normal(text: &str) -> String {
    let text: String = text.nfc().collect::<String>().to_lowercase();
    text.trim_end_matches(['.', '。', '!', '！']).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The words that carry a statement.
pub(super) fn content_words(text: &str) -> HashSet<String> {
    let text: String = text.nfkc().collect::<String>().to_lowercase();
    text.unicode_words().filter(|word| !FUNCTION_WORDS.contains(*word)).map(str::to_owned).collect()
}

/// The share of the old statement's content words that the new one has.
pub(super) fn share(old: &HashSet<String>, new: &HashSet<String>) -> f64 {
    if old.is_empty() {
        return 0.0;
    }
    let common = old.intersection(new).count();
    // Counts of words are far below the range where this loses anything.
    f64::from(u32::try_from(common).unwrap_or(u32::MAX))
        / f64::from(u32::try_from(old.len()).unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests;
