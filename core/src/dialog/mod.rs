//! The dialog record: one JSON line per message, merged without losing a byte.
//!
//! Owns how a record's line is spelt, what is left out of it, how a submission is merged into what is stored,
//! and how damaged lines are read. Plans changes; only `store` writes them. Called by `memorize`, `catalog`
//! and the interface.

use crate::message::Msg;
use crate::store::{Change, Edit};
use std::collections::HashMap;

mod append;
mod line;
mod merge;
mod order;
mod read;

pub use append::{Appended, append};
pub use merge::merge;

/// A record as it was read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Record {
    /// The lines of the file, in order; without those that a later line with the same id replaces.
    pub lines: Vec<Line>,
}

/// One line of a record.
#[derive(Clone, Debug, PartialEq)]
#[expect(
    clippy::large_enum_variant,
    reason = "nearly every line is a message; a box would cost each of them"
)]
pub enum Line {
    /// A whole message.
    Message(Msg),
    /// Bytes that hold no whole record; kept as they are.
    Damaged(Vec<u8>),
}

impl Record {
    /// Reads a record's bytes; never fails.
    pub fn parse(bytes: &[u8]) -> Record {
        let pieces = read::pieces(bytes);
        let mut last: HashMap<String, usize> = HashMap::new();
        for (index, piece) in pieces.iter().enumerate() {
            if let Some(id) = piece.message.as_ref().and_then(|message| message.id.clone()) {
                last.insert(id, index);
            }
        }
        let lines = pieces.into_iter().enumerate().filter_map(|(index, piece)| match piece.message {
            None => Some(Line::Damaged(piece.raw.to_vec())),
            Some(message) => {
                let replaced = message.id.as_ref().is_some_and(|id| last.get(id) != Some(&index));
                (!replaced).then_some(Line::Message(message))
            }
        });
        Record { lines: lines.collect() }
    }

    /// The messages, in order.
    pub fn messages(&self) -> impl Iterator<Item = &Msg> {
        self.lines.iter().filter_map(|line| match line {
            Line::Message(message) => Some(message),
            Line::Damaged(_) => None,
        })
    }

    /// How many lines could not be read.
    pub fn damaged(&self) -> usize {
        self.lines.iter().filter(|line| matches!(line, Line::Damaged(_))).count()
    }
}

/// How far a record was read, and a sum over its bytes up to there, by which it is known again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mark {
    /// How many bytes.
    pub len: u64,
    /// Their CRC-32.
    pub sum: u32,
}

impl Mark {
    /// The mark at the end of these bytes.
    pub fn of(bytes: &[u8]) -> Mark {
        Mark::default().extended(bytes)
    }

    /// The mark once these bytes follow.
    #[must_use]
    pub fn extended(self, bytes: &[u8]) -> Mark {
        let mut sum = crc32fast::Hasher::new_with_initial_len(self.sum, self.len);
        sum.update(bytes);
        Mark { len: self.len + bytes.len() as u64, sum: sum.finalize() }
    }

    /// The mark at the end of the record once it was edited like this.
    #[must_use]
    pub fn after(self, edit: &Edit) -> Mark {
        match edit {
            Edit::Write(bytes) => Mark::of(bytes),
            Edit::Append { bytes, .. } => self.extended(bytes),
            Edit::Delete => Mark::default(),
        }
    }
}

/// What a submission does to a record.
#[derive(Clone, Debug, PartialEq)]
pub struct Merge {
    /// Every message of the record after the merge, in order, as the record has it.
    pub messages: Vec<Msg>,
    /// For each of them, whether this submission brought it or changed it.
    pub fresh: Vec<bool>,
    /// The derived ids of submitted messages that the record has under other ids, and those.
    pub known_as: HashMap<String, String>,
    /// How many lines of the record could not be read; they stay as they are.
    pub damaged: usize,
    /// The change of the file; `None`: nothing changes.
    pub change: Option<Change>,
}

#[cfg(test)]
mod tests;
