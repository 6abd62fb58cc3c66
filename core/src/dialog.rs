//! The dialog record: one JSON line per message, merged without losing a byte.
//!
//! Owns how a record's line is spelt, what is left out of it, how a submission is merged into what is stored,
//! and how damaged lines are read. Plans changes; only `store` writes them. Called by `memorize`, `catalog`
//! and the interface.

use crate::message::{Msg, time::Zone};
use crate::store::Change;
use crate::workspace::RelPath;
use chrono::{DateTime, Utc};

/// A record as it was read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Record {
    /// The lines of the file, in order.
    pub lines: Vec<Line>,
}

/// One line of a record.
#[derive(Clone, Debug, PartialEq)]
pub enum Line {
    /// A whole message.
    Message(Msg),
    /// Bytes that hold no whole record; kept as they are.
    Damaged(Vec<u8>),
}

impl Record {
    /// Reads a record's bytes; never fails.
    pub fn parse(_bytes: &[u8]) -> Record {
        unimplemented!()
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

/// What a submission does to a record.
#[derive(Clone, Debug, PartialEq)]
pub struct Merge {
    /// Every message of the record after the merge, in order.
    pub messages: Vec<Msg>,
    /// For each of them, whether this submission brought it or changed it.
    pub fresh: Vec<bool>,
    /// The change of the file; `None`: nothing changes.
    pub change: Option<Change>,
}

/// Plans the merge of a submission into the record at `path`, whose present bytes are `stored`.
/// Ids have been derived; `now` stamps messages that have no time.
pub fn merge(
    _path: &RelPath,
    _stored: Option<&[u8]>,
    _submitted: &[Msg],
    _zone: Zone,
    _now: DateTime<Utc>,
) -> Merge {
    unimplemented!()
}
