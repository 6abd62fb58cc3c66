//! A card: frontmatter and body of one Markdown file, as text that is edited in place.
//!
//! Parsing never fails and changes nothing; an edit changes only the lines of what it names. Called by
//! `memorize`, `daily`, `catalog` and `link`.

use std::ops::Range;

mod edit;
mod footnote;
pub mod frontmatter;
mod inert;
pub mod merge;
mod python;
pub mod render;
mod scalar;
pub mod statement;
mod value;

pub use frontmatter::{Fault, Field, FieldValue};
use frontmatter::{FaultAt, Located, locate};
use scalar::{Scalar, Style};
use value::{ListItem, Node};

/// One Markdown file with its frontmatter read.
#[derive(Clone, Debug, PartialEq)]
pub struct Card {
    text: String,
    fields: Vec<Field>,
    /// The lines between the fences; of an unclosed block, everything behind the first fence.
    block: Option<Range<usize>>,
    body: Range<usize>,
    fault: Option<Fault>,
    warnings: Vec<String>,
}

impl Card {
    /// Reads a file's text; a broken block leaves `fault` set and the body readable.
    pub fn parse(text: impl Into<String>) -> Card {
        let text = text.into();
        let bom = text.len() - text.trim_start_matches('\u{feff}').len();
        let mut card = Card {
            body: bom..text.len(),
            text,
            fields: Vec::new(),
            block: None,
            fault: None,
            warnings: Vec::new(),
        };
        match locate(&card.text) {
            Located::Absent => {}
            Located::Unclosed { inner } => {
                let message =
                    "the frontmatter opens with `---` and never closes; add a line `---` behind its keys";
                card.fault = Some(FaultAt::new(inner.start.saturating_sub(1), message).locate(&card.text));
                card.fault.iter_mut().for_each(|fault| fault.column = 1);
                card.block = Some(inner);
            }
            Located::Closed { inner, body } => {
                card.body = body..card.text.len();
                match frontmatter::read(&card.text, inner.clone()) {
                    Ok(read) => (card.fields, card.warnings) = (read.fields, read.warnings),
                    Err(fault) => card.fault = Some(fault.locate(&card.text)),
                }
                card.block = Some(inner);
            }
        }
        card
    }

    /// The whole file.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The body below the frontmatter, untrimmed.
    pub fn body(&self) -> &str {
        self.text.get(self.body.clone()).unwrap_or_default()
    }

    /// The keys in the order of the file (of duplicate keys, the last).
    pub fn fields(&self) -> &[Field] {
        &self.fields
    }

    /// What is wrong with the block, if anything.
    pub fn fault(&self) -> Option<&Fault> {
        self.fault.as_ref()
    }

    /// What was read with a doubt, for a person: repeated keys, items that a comment swallowed.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// A scalar's source text, unquoted; a lone `[[x]]` is read as the link.
    pub fn get(&self, key: &str) -> Option<&str> {
        match &self.field(key)?.value {
            FieldValue::Text(text) => Some(text),
            _ => None,
        }
    }

    /// A list's items as text; a string is a list of one.
    pub fn list(&self, key: &str) -> Vec<String> {
        match self.field(key).map(|field| &field.value) {
            Some(FieldValue::Text(text)) => vec![text.clone()],
            Some(FieldValue::List(items)) => items.clone(),
            _ => Vec::new(),
        }
    }

    /// Whether a block stands above the body.
    fn has_closed_block(&self) -> bool {
        self.block.as_ref().is_some_and(|block| block.end < self.body.start)
    }

    fn field(&self, key: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.key == key)
    }

    /// The scalars of the block that are spelt in quotes or over several lines: their bytes and their text. A
    /// search for a text in the file may miss what they say.
    pub(crate) fn spelt_scalars(&self) -> Vec<SpeltScalar<'_>> {
        let mut found = Vec::new();
        for field in &self.fields {
            match &field.node {
                Node::Scalar(scalar) => found.push(SpeltScalar { source: field.source.clone(), scalar }),
                Node::List { items, .. } => {
                    found.extend(items.iter().map(SpeltScalar::of_item));
                }
                Node::Null | Node::Deep => {}
            }
        }
        found.retain(|one| match one.scalar.style {
            Style::Single | Style::Double => true,
            Style::Plain => self.text.get(one.source.clone()).is_some_and(|source| source.contains('\n')),
            Style::Block => false,
        });
        found
    }

    /// Whether this is the card of a session: its `session_id` is that text, else its `source_conversation` is
    /// `source_link`. Of a block that cannot be read, its lines are looked through, so that no second card
    /// is made beside it.
    pub fn claims_session(&self, session_id: &str, source_link: &str) -> bool {
        if self.fault.is_none() {
            return self.get("session_id") == Some(session_id)
                || self.get("source_conversation").map(str::trim) == Some(source_link);
        }
        let block = self.block.clone().and_then(|block| self.text.get(block)).unwrap_or_default();
        // Where an unclosed block ends is a guess: at the first blank line.
        let is_closed = self.has_closed_block();
        block.lines().take_while(|line| is_closed || !line.trim().is_empty()).any(|line| {
            scanned(line, "session_id") == Some(session_id)
                || scanned(line, "source_conversation") == Some(source_link)
        })
    }
}

/// A scalar whose source is not its text.
pub(crate) struct SpeltScalar<'a> {
    pub source: Range<usize>,
    scalar: &'a Scalar,
}

impl<'a> SpeltScalar<'a> {
    fn of_item(item: &'a ListItem) -> SpeltScalar<'a> {
        SpeltScalar { source: item.source.clone(), scalar: &item.scalar }
    }

    /// What it says.
    pub fn text(&self) -> &str {
        &self.scalar.text
    }

    /// Another text in the same spelling.
    pub fn respell(&self, text: &str) -> String {
        scalar::write(text, Some(self.scalar.style), scalar::Place::Flow)
    }
}

/// The value of a `key: value` line, by sight.
fn scanned<'a>(line: &'a str, key: &str) -> Option<&'a str> {
    let rest = line.strip_prefix(key)?.trim_start().strip_prefix(':')?;
    let value = rest.split(" #").next().unwrap_or(rest).trim();
    let unquoted = ['"', '\''].iter().find_map(|quote| value.strip_prefix(*quote)?.strip_suffix(*quote));
    Some(unquoted.unwrap_or(value))
}

/// Where the text below the frontmatter starts.
pub(crate) fn body_start(text: &str) -> usize {
    match locate(text) {
        Located::Closed { body, .. } => body,
        Located::Absent | Located::Unclosed { .. } => 0,
    }
}

#[cfg(test)]
mod tests;
