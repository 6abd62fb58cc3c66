//! The main job: a submission is recorded, distilled, planned and, once accepted, committed.
//!
//! `record` writes the dialog record before any distiller is asked; `plan` has no effect, it reads the
//! workspace and returns a [`Proposal`]; `accept` commits exactly what the proposal shows. Called by the
//! command line, the interface and the service.

use crate::card::{Card, statement};
use crate::dialog::{self, Mark};
use crate::distill::{DistillError, Distiller, Draft, Progress, Request, TagRequest};
use crate::image::MessageImage;
use crate::import::Warning;
use crate::link::LinkEdit;
use crate::message::{self, Msg};
use crate::store::{ChangeSet, Store, StoreError};
use crate::workspace::{PathError, RelPath, Workspace};
use chrono::NaiveDate;
use std::collections::HashSet;

pub mod auto;
mod commit;
mod coverage;
mod day;
mod images;
mod inbound;
mod plan;
mod record;
pub mod tags;
mod undo;

pub use commit::{Acceptance, AtOnce, DayIndex, accept, accept_at_once, reject};
use day::DayFolder;
pub use images::ImageError;
pub use record::record;
pub use undo::{UndoError, Undone, undo};

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
    /// Whether the distiller is shown the pictures, which are then stored beside the record.
    pub include_images: bool,
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
    /// The session's card of that day, if there is one already.
    pub present: Option<RelPath>,
    /// The messages of the record from some before the first news on, in order; evidence numbers count from 1
    /// in this list.
    pub messages: Vec<Msg>,
    /// For each of them, whether no accepted, skipped or rejected memory covers it.
    pub news: Vec<bool>,
    /// The pictures of this call, all of them stored or at an address.
    pub images: Vec<MessageImage>,
    /// How many messages the submission had.
    pub submitted: usize,
    /// How many lines the record gained or changed.
    pub added: usize,
    /// The record as it was read: a memory of these messages covers it up to there.
    pub mark: Mark,
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
    /// The session's record, which the card's evidence links to.
    pub record: RelPath,
    /// What the distiller returned.
    pub draft: Draft,
    /// The messages that evidence numbers point to.
    pub messages: Vec<Msg>,
    /// The record as it was read: the memory covers it up to there.
    pub mark: Mark,
    /// The pictures that the distiller was shown.
    pub images: Vec<MessageImage>,
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
    /// Whether it would replace text that this program did not write, so that it must not be accepted unseen.
    pub needs_review: bool,
    /// Whether the body will hold nothing but what this program wrote.
    pub is_ours: bool,
    /// Whether a person chose the name.
    pub is_named: bool,
    /// Why the tagging step gave no tags, if it failed.
    pub tag_error: Option<String>,
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
    /// A picture stops the call; nothing was saved.
    #[error(transparent)]
    Image(#[from] ImageError),
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
    /// A draft would replace text that this program did not write.
    #[error(
        "{path} holds text that this program did not write, and the draft would replace it; nothing was changed: \
         review the conversation in the interface"
    )]
    NeedsReview {
        /// The card.
        path: RelPath,
    },
    /// The session's card is no text.
    #[error("{path} is not UTF-8 text, so it cannot be updated; repair or move it, then try again")]
    NotText {
        /// The card.
        path: RelPath,
    },
}

impl MemorizeError {
    /// A stable code for programs.
    pub fn code(&self) -> &'static str {
        match self {
            MemorizeError::Path(_) => "path",
            MemorizeError::Image(_) => "images",
            MemorizeError::Store(StoreError::Conflict { .. }) => "conflict",
            MemorizeError::Store(_) => "write",
            MemorizeError::Distill(_) => "distiller",
            MemorizeError::NeedsReview { .. } => "needs_review",
            MemorizeError::Read { .. } | MemorizeError::NotText { .. } => "unreadable",
        }
    }
}

/// What a submission would be to the record of its session; later ones outweigh earlier ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Action {
    /// The record holds all of it.
    Same,
    /// There is no such record.
    New,
    /// It has messages that the record lacks.
    Longer,
    /// A message of the record says something else here.
    Changed,
}

impl Action {
    /// The word that programs get.
    pub fn as_str(self) -> &'static str {
        match self {
            Action::Same => "same",
            Action::New => "new",
            Action::Longer => "longer",
            Action::Changed => "changed",
        }
    }
}

/// What a submission would be to the record of this session; writes nothing.
pub fn known(workspace: &Workspace, session_id: &str, messages: &[Msg]) -> Action {
    let Ok(path) = workspace.dialog(session_id) else { return Action::New };
    let Ok(Some(stored)) = read(workspace, &path) else { return Action::New };
    let mut submitted = messages.to_vec();
    message::id::derive(session_id, &mut submitted);
    let merge = dialog::merge(&path, Some(&stored), &submitted, workspace.zone(), workspace.now());
    let record = dialog::Record::parse(&stored);
    let before: HashSet<&str> = record.messages().filter_map(|message| message.id.as_deref()).collect();
    let fresh = merge.messages.iter().zip(&merge.fresh).filter(|(_, fresh)| **fresh);
    let seen = |message: &Msg| message.id.as_deref().is_some_and(|id| before.contains(id));
    fresh
        .map(|(message, _)| if seen(message) { Action::Changed } else { Action::Longer })
        .max()
        .unwrap_or(Action::Same)
}

/// Asks the distiller and plans what its draft would change.
pub fn propose(
    store: &Store,
    recorded: &Recorded,
    distiller: &dyn Distiller,
    progress: &dyn Progress,
) -> Result<Outcome, MemorizeError> {
    let workspace = store.workspace();
    let mut drafted = draft(workspace, recorded, distiller, progress)?;
    if drafted.draft.skip {
        commit::skip(store, recorded)?;
        return Ok(Outcome::Skipped { reason: drafted.draft.skip_reason });
    }
    let tag_error = tag(workspace, recorded, &mut drafted, distiller, progress)?;
    let folder = DayFolder::load(workspace, recorded.day)?;
    let mut proposal = plan_in(workspace, &folder, recorded, drafted, plan::Renaming::Asks)?;
    proposal.notes.extend(tag_error.iter().map(|error| format!("no tags could be proposed: {error}")));
    proposal.tag_error = tag_error;
    Ok(Outcome::Proposed(Box::new(proposal)))
}

/// A draft, and the tags that it was made in sight of.
#[derive(Clone)]
struct Drafted {
    draft: Draft,
    known_tags: Vec<String>,
}

/// The tagging step: fills in the tags of a draft that did not think about them, from the card as it would
/// become. Where nothing would change, or the step fails, the draft stays without; a failure is returned as text.
fn tag(
    workspace: &Workspace,
    recorded: &Recorded,
    drafted: &mut Drafted,
    distiller: &dyn Distiller,
    progress: &dyn Progress,
) -> Result<Option<String>, MemorizeError> {
    if drafted.draft.tags.is_some() {
        return Ok(None);
    }
    let folder = DayFolder::load(workspace, recorded.day)?;
    let proposal = plan_in(workspace, &folder, recorded, drafted.clone(), plan::Renaming::Asks)?;
    if proposal.changes.changes.is_empty() {
        return Ok(None);
    }
    let card = Card::parse(statement::without_evidence(&proposal.text));
    let request = TagRequest {
        name: proposal.path.stem(),
        description: card.get("description").unwrap_or_default(),
        body: card.body(),
        known_tags: &drafted.known_tags,
    };
    match distiller.tag(&request, progress) {
        Ok(tags) => {
            drafted.draft.tags = Some(tags);
            Ok(None)
        }
        Err(DistillError::Cancelled) => Err(DistillError::Cancelled.into()),
        Err(error) => Ok(Some(error.to_string())),
    }
}

/// The distiller's draft for a recorded submission; nothing is written.
fn draft(
    workspace: &Workspace,
    recorded: &Recorded,
    distiller: &dyn Distiller,
    progress: &dyn Progress,
) -> Result<Drafted, MemorizeError> {
    let folder = DayFolder::load(workspace, recorded.day)?;
    let claimed = folder.of_session(&recorded.session_id, &recorded.record);
    let card = claimed.map(|claimed| plan::card_for_distiller(&claimed.present));
    let known_tags = plan::known_tags(workspace);
    let request = Request {
        messages: &recorded.messages,
        news: &recorded.news,
        images: &recorded.images,
        card: card.as_deref(),
        known_tags: &known_tags,
        hint: recorded.hint.as_deref(),
    };
    let draft = distiller.distill(&request, progress)?;
    Ok(Drafted { draft, known_tags })
}

/// Plans what a draft would change; reads the workspace, writes nothing. A new name is left to the person.
pub fn plan(workspace: &Workspace, recorded: &Recorded, draft: Draft) -> Result<Proposal, MemorizeError> {
    let folder = DayFolder::load(workspace, recorded.day)?;
    let drafted = Drafted { draft, known_tags: plan::known_tags(workspace) };
    plan_in(workspace, &folder, recorded, drafted, plan::Renaming::Asks)
}

/// The same where the day's folder and the tags have been read.
fn plan_in(
    workspace: &Workspace,
    folder: &DayFolder,
    recorded: &Recorded,
    drafted: Drafted,
    renaming: plan::Renaming,
) -> Result<Proposal, MemorizeError> {
    let (present, warning) = plan::present(folder, &recorded.session_id, &recorded.record)?;
    let basis = plan::basis(recorded, present.as_ref(), &drafted.draft);
    let choices = plan::first_choices(&basis, workspace, &drafted.known_tags, renaming)?;
    let mut proposal = plan::build(workspace, folder, basis, choices)?;
    proposal.notes.extend(warning);
    Ok(proposal)
}

/// The same proposal with other choices: path, text, links and changes follow.
pub fn revise(
    workspace: &Workspace,
    proposal: &Proposal,
    choices: Choices,
) -> Result<Proposal, MemorizeError> {
    let renamed = choices.name != proposal.choices.name;
    let folder = DayFolder::load(workspace, proposal.day)?;
    let revised = plan::build(workspace, &folder, plan::basis_of(proposal), choices)?;
    Ok(Proposal { is_named: renamed || proposal.is_named, tag_error: proposal.tag_error.clone(), ..revised })
}

/// The same draft planned against the files as they are now, for a proposal that they changed under. What a
/// person chose stays; what was taken from the card follows it.
pub fn replan(workspace: &Workspace, proposal: &Proposal) -> Result<Proposal, MemorizeError> {
    let folder = DayFolder::load(workspace, proposal.day)?;
    let (present, warning) = plan::present(&folder, &proposal.session_id, &proposal.record)?;
    let known_tags = plan::known_tags(workspace);
    let before = plan::basis_of(proposal);
    let now = plan::Basis { present: present.as_ref(), ..before };
    let first = |basis| plan::first_choices(basis, workspace, &known_tags, plan::Renaming::Asks);
    let (was, is) = (first(&before)?, first(&now)?);
    let choices = plan::carry(&proposal.choices, &was, &is);
    let mut replanned = plan::build(workspace, &folder, now, choices)?;
    if proposal.choices.body.is_some() && proposal.present != present {
        let note = "the text that you edited replaces what changed on disk; look at what is removed";
        replanned.notes.push(note.to_owned());
    }
    replanned.notes.extend(warning);
    replanned.is_named = proposal.is_named;
    replanned.tag_error.clone_from(&proposal.tag_error);
    Ok(replanned)
}

/// A file's bytes; `None` where there is none.
fn read(workspace: &Workspace, path: &RelPath) -> Result<Option<Vec<u8>>, MemorizeError> {
    workspace.read(path).map_err(|source| MemorizeError::Read { path: path.to_string(), source })
}

#[cfg(test)]
mod tests;
