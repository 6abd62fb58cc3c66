//! The main job: a submission is recorded, distilled, planned and, once accepted, committed.
//!
//! `record` writes the dialog record before any distiller is asked; `plan` has no effect, it reads the
//! workspace and returns a [`Proposal`]; `accept` commits exactly what the proposal shows. Called by the
//! command line, the interface and the service.

use crate::distill::{DistillError, Distiller, Draft, Progress};
use crate::import::Warning;
use crate::link::LinkEdit;
use crate::message::Msg;
use crate::store::{ChangeSet, Receipt, Store, StoreError};
use crate::workspace::{PathError, RelPath, Workspace};
use chrono::NaiveDate;

/// A conversation that is to be remembered.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Submission {
    /// The session; a safe path component.
    pub session_id: String,
    /// Its messages, all or only the new ones.
    pub messages: Vec<Msg>,
    /// The day of the card; `None`: the latest valid message time, else today.
    pub date: Option<NaiveDate>,
    /// A line of guidance for the distiller.
    pub hint: Option<String>,
    /// Memorize again what was covered before.
    pub force: bool,
}

/// A submission whose dialog record is on disk.
#[derive(Clone, Debug, PartialEq)]
pub struct Recorded {
    /// The session.
    pub session_id: String,
    /// The day of the card.
    pub day: NaiveDate,
    /// The record.
    pub record: RelPath,
    /// Every message of the record, in order; evidence numbers count from 1 in this list.
    pub messages: Vec<Msg>,
    /// For each of them, whether no accepted, skipped or rejected memory covers it.
    pub news: Vec<bool>,
    /// How many messages the submission had.
    pub submitted: usize,
    /// How many lines the record gained or changed.
    pub added: usize,
    /// The person's guidance.
    pub hint: Option<String>,
    /// What a person should know.
    pub warnings: Vec<Warning>,
}

impl Recorded {
    /// Whether there is anything to memorize.
    pub fn has_news(&self) -> bool {
        self.news.contains(&true)
    }
}

/// What a person may change about a proposal before accepting it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choices {
    /// The card's name; another one than the present card's renames it.
    pub name: String,
    /// The tags.
    pub tags: Vec<String>,
    /// The body, edited by hand; `None`: as proposed.
    pub body: Option<String>,
    /// Whether links of other files follow a rename.
    pub retarget: bool,
}

/// The session's card of that day, as it is on disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Present {
    /// The file.
    pub path: RelPath,
    /// Its text.
    pub text: String,
}

/// What would change, and why. Nothing of it is on disk.
#[derive(Clone, Debug, PartialEq)]
pub struct Proposal {
    /// The session.
    pub session_id: String,
    /// The day.
    pub day: NaiveDate,
    /// What the distiller returned.
    pub draft: Draft,
    /// The messages that evidence numbers point to.
    pub messages: Vec<Msg>,
    /// The card on disk, if there is one.
    pub present: Option<Present>,
    /// What holds at the moment.
    pub choices: Choices,
    /// Where the card will be.
    pub path: RelPath,
    /// The card as it will be, the whole file.
    pub text: String,
    /// Every inbound link that the rename touches.
    pub links: Vec<LinkEdit>,
    /// What a person should know: a taken name, statements put back.
    pub notes: Vec<String>,
    /// What a commit will do.
    pub changes: ChangeSet,
}

/// What came of distilling and planning.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// A card is proposed.
    Proposed(Box<Proposal>),
    /// Nothing is worth a card; the messages count as covered.
    Skipped {
        /// Why.
        reason: String,
    },
}

/// Why a memory could not be made; the record, once saved, stays.
#[derive(Debug, thiserror::Error)]
pub enum MemorizeError {
    /// A name or path was refused.
    #[error(transparent)]
    Path(#[from] PathError),
    /// A write failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The distiller failed.
    #[error(transparent)]
    Distill(#[from] DistillError),
    /// A file of the workspace could not be read.
    #[error("cannot read {path}: {source}")]
    Read {
        /// The file.
        path: String,
        /// The system's own error.
        source: std::io::Error,
    },
}

/// Saves the dialog record and finds out what is news.
pub fn record(_store: &Store, _submission: Submission) -> Result<Recorded, MemorizeError> {
    unimplemented!()
}

/// Asks the distiller and plans what its draft would change.
pub fn propose(
    _store: &Store,
    _recorded: &Recorded,
    _distiller: &dyn Distiller,
    _progress: &dyn Progress,
) -> Result<Outcome, MemorizeError> {
    unimplemented!()
}

/// Plans what a draft would change; reads the workspace, writes nothing.
pub fn plan(_workspace: &Workspace, _recorded: &Recorded, _draft: Draft) -> Result<Proposal, MemorizeError> {
    unimplemented!()
}

/// The same proposal with other choices: path, text, links and changes follow.
pub fn revise(
    _workspace: &Workspace,
    _proposal: &Proposal,
    _choices: Choices,
) -> Result<Proposal, MemorizeError> {
    unimplemented!()
}

/// Commits exactly what the proposal shows; its messages count as covered.
pub fn accept(_store: &Store, _proposal: &Proposal) -> Result<Receipt, MemorizeError> {
    unimplemented!()
}

/// Drops the proposal; its messages count as covered, no card is written.
pub fn reject(_store: &Store, _proposal: &Proposal) -> Result<(), MemorizeError> {
    unimplemented!()
}
