//! Edits of a card's text: one key or the body, everything else to the byte.
//!
//! Never rewrites a block that could not be read. Part of [`Card`]'s interface.

use super::scalar::{self, Place, Style};
use super::value::{Layout, ListItem, Node};
use super::{Card, Field, FieldValue};
use std::ops::Range;

/// The keys of a new card, in order.
pub(super) const KEY_ORDER: [&str; 6] =
    ["name", "description", "session_id", "source_conversation", "source_images", "memory_tags"];

impl Card {
    /// Sets one key, changing only its lines; a new key goes to its place in the order of new cards. A block
    /// that could not be read is left alone: `false`.
    pub fn set(&mut self, key: &str, value: FieldValue) -> bool {
        if self.fault.is_some() {
            return false;
        }
        let edit = match self.field(key) {
            Some(field) => self.change(field, &value),
            None => Some(self.insertion(key, &value)),
        };
        if let Some((range, replacement)) = edit {
            self.replace(range, &replacement);
        }
        true
    }

    /// Removes one key with its lines; `false` when the block could not be read.
    pub fn remove(&mut self, key: &str) -> bool {
        if self.fault.is_some() {
            return false;
        }
        if let Some(span) = self.field(key).map(|field| field.span.clone()) {
            self.replace(span, "");
        }
        true
    }

    /// Replaces the body; the file ends with one newline, in the line ends that it had. The same body changes
    /// nothing.
    pub fn set_body(&mut self, body: &str) {
        let eol = self.eol();
        let body = trim_blank_lines(body);
        if body == trim_blank_lines(self.body()) {
            return;
        }
        let body =
            if eol == "\r\n" && !has_lone_line_feed(&self.text) { to_crlf(body) } else { body.to_owned() };
        let head = self.text.get(..self.body.start).unwrap_or_default();
        let mut text = head.to_owned();
        if self.has_closed_block() && !text.ends_with('\n') {
            text.push_str(eol);
        }
        if !body.is_empty() {
            if self.has_closed_block() {
                text.push_str(eol);
            }
            text.push_str(&body);
            text.push_str(eol);
        }
        *self = Card::parse(text);
    }

    fn replace(&mut self, range: Range<usize>, replacement: &str) {
        let before = self.text.get(..range.start).unwrap_or_default();
        let after = self.text.get(range.end..).unwrap_or_default();
        *self = Card::parse(format!("{before}{replacement}{after}"));
    }

    fn eol(&self) -> &'static str {
        let first = self.text.find('\n').and_then(|at| self.text.get(..at)).unwrap_or_default();
        if first.ends_with('\r') { "\r\n" } else { "\n" }
    }

    /// The bytes to replace, and by what, so that an existing key gets another value.
    fn change(&self, field: &Field, value: &FieldValue) -> Option<(Range<usize>, String)> {
        match (value, &field.node) {
            _ if field.value == *value => None,
            (FieldValue::List(items), Node::Scalar(scalar)) if *items == [scalar.text.clone()] => None,
            (FieldValue::Text(text), Node::Scalar(old)) if self.starts_on_key_line(field) => {
                let like = Some(old.style).filter(|style| *style != Style::Block);
                Some((field.source.clone(), scalar::write(text, like, Place::Block)))
            }
            (FieldValue::Text(text), Node::Null) => {
                let written = scalar::write(text, None, Place::Block);
                let lead = if field.source.is_empty() { " " } else { "" };
                Some((field.source.clone(), format!("{lead}{written}")))
            }
            (FieldValue::List(items), Node::List { items: old, layout: Layout::Flow }) => {
                Some((field.source.clone(), self.flow_list(items, old)))
            }
            (FieldValue::List(items), Node::List { items: old, layout: Layout::Block { indent } })
                if !items.is_empty() =>
            {
                let first = old.first().map_or(field.span.end, |item| item.span.start);
                Some((first..field.span.end, self.block_list(items, old, *indent)))
            }
            (FieldValue::List(items), Node::Null) if !items.is_empty() && field.source.is_empty() => {
                Some((field.span.end..field.span.end, self.block_list(items, &[], 0)))
            }
            _ => {
                let key = self.text.get(field.span.start..field.value_at).unwrap_or_default();
                Some((field.span.clone(), format!("{key}{}", self.value_lines(value))))
            }
        }
    }

    fn starts_on_key_line(&self, field: &Field) -> bool {
        self.text.get(field.value_at..field.source.start).is_some_and(|gap| !gap.contains('\n'))
    }

    /// What follows `key:`, with the line ends.
    fn value_lines(&self, value: &FieldValue) -> String {
        let eol = self.eol();
        match value {
            FieldValue::Empty => eol.to_owned(),
            FieldValue::Text(text) => format!(" {}{eol}", scalar::write(text, None, Place::Block)),
            FieldValue::List(items) if items.is_empty() => format!(" []{eol}"),
            FieldValue::List(items) => format!("{eol}{}", self.block_list(items, &[], 0)),
            FieldValue::Raw(source) => format!("{source}{eol}"),
        }
    }

    /// Item lines; an item that was there keeps its lines and the comments above it.
    fn block_list(&self, items: &[String], old: &[ListItem], indent: usize) -> String {
        let mut from = old.first().map_or(0, |item| item.span.start);
        let mut known: Vec<Option<(&ListItem, Range<usize>)>> = Vec::new();
        for item in old {
            known.push(Some((item, from..item.span.end)));
            from = item.span.end;
        }
        let mut written = String::new();
        for item in items {
            let kept =
                known.iter_mut().find(|slot| slot.as_ref().is_some_and(|(old, _)| old.scalar.text == *item));
            if let Some((_, span)) = kept.and_then(Option::take) {
                written.push_str(self.text.get(span).unwrap_or_default());
            } else {
                let blanks = " ".repeat(indent);
                written.push_str(&format!(
                    "{blanks}- {}{}",
                    scalar::write(item, None, Place::Block),
                    self.eol()
                ));
            }
        }
        written
    }

    fn flow_list(&self, items: &[String], old: &[ListItem]) -> String {
        let written: Vec<String> = items
            .iter()
            .map(|item| match old.iter().find(|old| old.scalar.text == *item) {
                Some(old) => self.text.get(old.span.clone()).unwrap_or_default().to_owned(),
                None => scalar::write(item, None, Place::Flow),
            })
            .collect();
        format!("[{}]", written.join(", "))
    }

    fn insertion(&self, key: &str, value: &FieldValue) -> (Range<usize>, String) {
        let eol = self.eol();
        let line = format!("{}:{}", scalar::write(key, None, Place::Block), self.value_lines(value));
        match &self.block {
            Some(block) => {
                let at = self.place_of(key).unwrap_or(block.end);
                (at..at, line)
            }
            None => {
                let at = self.body.start;
                let gap = if self.body().is_empty() { "" } else { eol };
                (at..at, format!("---{eol}{line}---{eol}{gap}"))
            }
        }
    }

    /// Where a new key goes: behind all keys that come before it in new cards, else before the nearest one that
    /// comes after it.
    fn place_of(&self, key: &str) -> Option<usize> {
        let rank = KEY_ORDER.iter().position(|known| *known == key)?;
        let (before, after) = KEY_ORDER.split_at(rank);
        let behind = before.iter().filter_map(|key| self.field(key)).map(|field| field.span.end).max();
        behind.or_else(|| after.iter().find_map(|key| self.field(key)).map(|field| field.span.start))
    }
}

/// The text without blank lines before it and blanks behind it; blanks that indent its first line stay, because
/// they may mean code.
pub(super) fn trim_blank_lines(text: &str) -> &str {
    let text = text.trim_end();
    let blank = text.len() - text.trim_start().len();
    let start = text.get(..blank).and_then(|blank| blank.rfind('\n')).map_or(0, |at| at + 1);
    text.get(start..).unwrap_or_default()
}

fn has_lone_line_feed(text: &str) -> bool {
    text.replace("\r\n", "").contains('\n')
}

fn to_crlf(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\n', "\r\n")
}
