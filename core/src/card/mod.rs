//! A card: frontmatter and body of one Markdown file, as text that is edited in place.
//!
//! Parsing never fails and changes nothing; an edit changes only the lines of what it names. Called by
//! `memorize`, `daily`, `catalog` and `link`.

use std::ops::Range;

pub mod frontmatter;
pub mod render;
pub mod statement;

pub use frontmatter::{Fault, Field, FieldValue};

/// One Markdown file with its frontmatter read.
#[derive(Clone, Debug, PartialEq)]
pub struct Card {
    text: String,
    fields: Vec<Field>,
    body: Range<usize>,
    fault: Option<Fault>,
}

impl Card {
    /// Reads a file's text; a broken block leaves `fault` set and the body readable.
    pub fn parse(_text: impl Into<String>) -> Card {
        unimplemented!()
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

    /// A scalar's source text, unquoted; a lone `[[x]]` is read as the link.
    pub fn get(&self, _key: &str) -> Option<&str> {
        unimplemented!()
    }

    /// A list's items as text; a string is a list of one.
    pub fn list(&self, _key: &str) -> Vec<String> {
        unimplemented!()
    }

    /// Sets one key, changing only its lines; a new key goes to its place in the order of new cards.
    pub fn set(&mut self, _key: &str, _value: FieldValue) {
        unimplemented!()
    }

    /// Replaces the body; the file ends with one newline, in the line ends that it had.
    pub fn set_body(&mut self, _body: &str) {
        unimplemented!()
    }
}
