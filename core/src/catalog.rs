//! The catalogue: an in-memory picture of the workspace, shared as snapshots and patched by changed paths.
//!
//! A snapshot is first listed (names only, at once), then filled in parallel, then patched. It never writes.
//! Called by the interface, the command line and `watch`.

use crate::card::Fault;
use crate::workspace::{RelPath, Workspace};
use chrono::NaiveDate;
use std::sync::Arc;

/// The workspace as it was at one moment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Snapshot {
    /// The days that have a page or a card, newest first.
    pub days: Vec<Arc<Day>>,
    /// The dialog records, by session id.
    pub sessions: Vec<SessionEntry>,
    /// Whether every card has been read.
    pub complete: bool,
    /// What could not be listed or read, for a person.
    pub warnings: Vec<String>,
}

/// One day.
#[derive(Clone, Debug, PartialEq)]
pub struct Day {
    /// Which.
    pub date: NaiveDate,
    /// The page's path, where there is one.
    pub page: Option<RelPath>,
    /// The cards, in file-name order.
    pub cards: Vec<CardEntry>,
}

/// One card, as lists show it.
#[derive(Clone, Debug, PartialEq)]
pub struct CardEntry {
    /// The file.
    pub path: RelPath,
    /// What its frontmatter says; `None` until it has been read.
    pub facts: Option<CardFacts>,
}

/// What lists and links need of a card.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CardFacts {
    /// `name`, else the file's stem.
    pub name: String,
    /// `description`.
    pub description: String,
    /// `session_id`, as text.
    pub session_id: Option<String>,
    /// The target of `source_conversation`.
    pub source: Option<String>,
    /// The tags.
    pub tags: Vec<String>,
    /// What the card links to, each target once.
    pub links: Vec<String>,
    /// The picture links: `source_images`, embeds of pictures, Markdown pictures; each once, in order.
    pub images: Vec<String>,
    /// What is wrong with its frontmatter.
    pub fault: Option<Fault>,
    /// Whether it holds merge conflict markers.
    pub conflicted: bool,
}

/// One dialog record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionEntry {
    /// The session id.
    pub id: String,
    /// The file.
    pub path: RelPath,
    /// Its size in bytes.
    pub size: u64,
}

impl Snapshot {
    /// Lists names only: days, cards and records. Fast enough for a first frame.
    pub fn list(_workspace: &Workspace) -> Snapshot {
        unimplemented!()
    }

    /// Reads every card that has not been read, in parallel, newest days first; `publish` gets a snapshot after
    /// each batch, and the complete one last.
    pub fn fill(self, _workspace: &Workspace, _publish: &(dyn Fn(Arc<Snapshot>) + Sync)) {
        unimplemented!()
    }

    /// The snapshot after these paths changed: they are read again, everything else is shared.
    pub fn patch(&self, _workspace: &Workspace, _changed: &[RelPath]) -> Snapshot {
        unimplemented!()
    }

    /// The tags of all cards with their counts, most used first.
    pub fn tags(&self) -> Vec<(String, usize)> {
        unimplemented!()
    }

    /// The files that link to this one.
    pub fn inbound(&self, _path: &RelPath) -> Vec<RelPath> {
        unimplemented!()
    }
}
