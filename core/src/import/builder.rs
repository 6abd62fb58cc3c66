//! One conversation while it is read: messages in order, what was skipped, what was noticed.
//!
//! Owns the rules that hold for every format: text is cleaned, a message without words or attachments is
//! skipped with its reason, an id counts once, pictures are checked. Called by the format files.

use super::notes::Notes;
use super::{Conversation, Skipped, common, content, image_check};
use crate::message::time::{self, TimeField};
use crate::message::{Block, BlockKind, Msg};
use std::collections::HashMap;

/// A conversation being read.
#[derive(Default)]
pub(super) struct Builder {
    conversation: Conversation,
    notes: Notes,
    /// The text that each id came with first.
    seen: HashMap<String, String>,
    missing_ids: usize,
}

impl Builder {
    /// An empty conversation with what the source says about it.
    pub fn new(session_id: Option<String>, title: Option<String>) -> Self {
        Builder {
            conversation: Conversation { session_id, title, ..Conversation::default() },
            ..Builder::default()
        }
    }

    /// Notes a warning.
    pub fn note(&mut self, code: &'static str, place: impl Into<String>) {
        self.notes.add(code, place);
    }

    /// Records a source item that gives no message.
    pub fn skip(&mut self, reference: impl Into<String>, reason: impl Into<String>) {
        self.conversation.skipped.push(Skipped { reference: reference.into(), reason: reason.into() });
    }

    /// The time of the item at `reference` in ISO spelling, with a warning where it is none.
    pub fn time(&mut self, reference: &str, field: TimeField) -> Option<String> {
        match field {
            TimeField::At(text) => Some(time::normal(&text).unwrap_or(text)),
            TimeField::Absent => None,
            TimeField::Invalid(text) => {
                let shown: String = text.chars().take(40).collect();
                self.note("invalid_timestamp", format!("{reference} (`{shown}`)"));
                None
            }
        }
    }

    /// Adds a message, unless nothing of it is worth recording; says whether it was added.
    pub fn push(&mut self, reference: &str, mut message: Msg) -> bool {
        content::clean(&mut message.content);
        if let Some(reason) = nothing_said(&message) {
            self.skip(reference, reason);
            return false;
        }
        if let Some(id) = &message.id {
            let text = message.text();
            match self.seen.get(id) {
                Some(known) if *known == text => {
                    self.note("duplicate_id", id.clone());
                    return false;
                }
                Some(_) => {
                    self.note("duplicate_id", id.clone());
                    message.id = None;
                }
                None => {
                    self.seen.insert(id.clone(), text);
                }
            }
        }
        self.missing_ids += usize::from(message.id.is_none());
        for block in message.content.iter().filter(|block| block.is_image()) {
            if let Some(fault) = image_check::fault(block) {
                let place = block.str("id").unwrap_or(reference);
                self.notes.add("invalid_image", format!("{place} ({fault})"));
            }
        }
        self.conversation.messages.push(message);
        true
    }

    /// Takes back the message with this id, in favour of one that says more.
    pub fn take_back(&mut self, id: &str) {
        // What is taken back was said a moment ago, so it stands near the end.
        let messages = &mut self.conversation.messages;
        if let Some(at) = messages.iter().rposition(|message| message.id.as_deref() == Some(id)) {
            messages.remove(at);
        }
        self.seen.remove(id);
    }

    /// Whether no message was added so far.
    pub fn is_empty(&self) -> bool {
        self.conversation.messages.is_empty()
    }

    /// The finished conversation.
    pub fn finish(mut self) -> Conversation {
        let messages = &self.conversation.messages;
        if let Some(id) = self.conversation.session_id.as_deref().filter(|id| !common::can_name_a_file(id)) {
            self.notes.add("unsafe_session_id", id.escape_debug().to_string());
        }
        if self.missing_ids > 0 {
            self.notes.add("missing_id", format!("{} messages", self.missing_ids));
        }
        let timeless = messages.iter().all(|message| message.created_at.is_none());
        if timeless && !messages.is_empty() && !self.notes.contains("time_without_date") {
            self.notes.add("no_timestamps", "");
        }
        self.conversation.warnings = self.notes.into_warnings();
        self.conversation
    }
}

/// Why a message gives no record, or `None` if it says or shows something.
fn nothing_said(message: &Msg) -> Option<String> {
    let shows = |block: &Block| match block.kind() {
        BlockKind::Text => block.as_text().is_some_and(|text| !text.trim().is_empty()),
        BlockKind::Data => true,
        _ => content::placeholder(block).is_some() || block.str("type") == Some("attachment"),
    };
    if message.content.iter().any(shows) {
        return None;
    }
    let mut kinds: Vec<&str> = Vec::new();
    for block in &message.content {
        let kind = block.str("type").unwrap_or("unknown");
        if kind != "text" && !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    Some(if kinds.is_empty() { "empty".to_owned() } else { format!("only {}", kinds.join(" and ")) })
}
