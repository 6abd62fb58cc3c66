//! Accepting and rejecting: a proposal's changes, the day page and the coverage, committed as one.
//!
//! The card is written exactly as shown. The page and the coverage are derived, so they are worked out under the
//! store's lock from the files as they are then.

use super::coverage::Coverage;
use super::day::DayFolder;
use super::{MemorizeError, Proposal, Recorded, read};
use crate::card::Card;
use crate::daily;
use crate::dialog::Mark;
use crate::distill::{Distiller, Progress};
use crate::image::MessageImage;
use crate::message::Msg;
use crate::store::{Base, Change, ChangeSet, Edit, Hash, Receipt, Store};
use crate::workspace::{RelPath, Workspace};

/// What accepting a proposal came to.
#[derive(Clone, Debug, PartialEq)]
pub struct Acceptance {
    /// The commit.
    pub receipt: Receipt,
    /// The card.
    pub path: RelPath,
    /// Whether there was none before.
    pub created: bool,
    /// Whether the card's file changed.
    pub modified: bool,
    /// The card's tags.
    pub tags: Vec<String>,
    /// The day page.
    pub page: RelPath,
    /// Whether there was none before.
    pub page_created: bool,
    /// Whether the page's file changed.
    pub page_changed: bool,
    /// The day's cards after the commit.
    pub cards: Vec<(RelPath, Card)>,
    /// What a person should know.
    pub notes: Vec<String>,
}

/// Commits exactly what the proposal shows; its messages count as covered.
pub fn accept(store: &Store, proposal: &Proposal) -> Result<Acceptance, MemorizeError> {
    let workspace = store.workspace();
    let (receipt, acceptance) =
        store.commit_with(|| complete(workspace, proposal, DayFolder::load(workspace, proposal.day)?))?;
    Ok(Acceptance { receipt, ..acceptance })
}

/// Distils and accepts in one go, as the command line does; planned and written under one lock.
pub fn accept_at_once(
    store: &Store,
    recorded: &Recorded,
    distiller: &dyn Distiller,
    progress: &dyn Progress,
) -> Result<AtOnce, MemorizeError> {
    let workspace = store.workspace();
    let super::Drafted { draft, known_tags } = super::draft(workspace, recorded, distiller, progress)?;
    if draft.skip {
        cover(store, &recorded.session_id, &recorded.messages, &recorded.images, recorded.mark)?;
        return Ok(AtOnce::Skipped { reason: draft.skip_reason });
    }
    let (receipt, acceptance) = store.commit_with(|| {
        let folder = DayFolder::load(workspace, recorded.day)?;
        let proposal = super::plan_in(workspace, &folder, recorded, draft, &known_tags)?;
        complete(workspace, &proposal, folder)
    })?;
    Ok(AtOnce::Accepted(Box::new(Acceptance { receipt, ..acceptance })))
}

/// What came of distilling and accepting in one go.
#[derive(Clone, Debug, PartialEq)]
pub enum AtOnce {
    /// A card is on disk.
    Accepted(Box<Acceptance>),
    /// Nothing is worth a card.
    Skipped {
        /// Why.
        reason: String,
    },
}

/// Drops the proposal; its messages count as covered, no card is written.
pub fn reject(store: &Store, proposal: &Proposal) -> Result<(), MemorizeError> {
    cover(store, &proposal.session_id, &proposal.messages, &proposal.images, proposal.mark)
}

/// Marks messages and pictures as covered.
pub(super) fn cover(
    store: &Store,
    session_id: &str,
    messages: &[Msg],
    images: &[MessageImage],
    mark: Mark,
) -> Result<(), MemorizeError> {
    store
        .commit_with(|| {
            let change = Coverage::load(store.workspace(), session_id)?.cover(messages, images, mark);
            let summary = format!("cover {session_id}");
            Ok((ChangeSet { summary, changes: change.into_iter().collect() }, ()))
        })
        .map(|_| ())
}

/// The proposal's changes with the day page and the coverage of this moment.
fn complete(
    workspace: &Workspace,
    proposal: &Proposal,
    folder: DayFolder,
) -> Result<(ChangeSet, Acceptance), MemorizeError> {
    let gone = proposal.present.as_ref().map(|present| &present.path).filter(|old| **old != proposal.path);
    let folder = gone.into_iter().fold(folder, DayFolder::without);
    let cards = folder.with(&proposal.path, &proposal.text).cards();
    let page_path = workspace.day_page(proposal.day);
    let mut changes = proposal.changes.clone();
    let retargeted = take(&mut changes, &page_path);
    let stored = read(workspace, &page_path)?;
    let mut notes = proposal.notes.clone();
    let page = page_change(proposal, &cards, &page_path, retargeted, stored.as_deref(), &mut notes);
    let acceptance = Acceptance {
        receipt: Receipt::default(),
        path: proposal.path.clone(),
        created: proposal.present.is_none(),
        modified: proposal
            .present
            .as_ref()
            .is_none_or(|present| present.text != proposal.text || gone.is_some()),
        tags: proposal.choices.tags.clone(),
        page: page_path,
        page_created: page.is_some() && stored.is_none(),
        page_changed: page.is_some(),
        cards,
        notes,
    };
    changes.changes.extend(page);
    changes.changes.extend(Coverage::load(workspace, &proposal.session_id)?.cover(
        &proposal.messages,
        &proposal.images,
        proposal.mark,
    ));
    Ok((changes, acceptance))
}

/// Takes a file's change out of the set.
fn take(changes: &mut ChangeSet, path: &RelPath) -> Option<Change> {
    let at = changes.changes.iter().position(|change| change.path == *path)?;
    Some(changes.changes.remove(at))
}

/// The day page rebuilt, on top of links that were retargeted in it; `None` where it stays as it is.
fn page_change(
    proposal: &Proposal,
    cards: &[(RelPath, Card)],
    path: &RelPath,
    retargeted: Option<Change>,
    stored: Option<&[u8]>,
    notes: &mut Vec<String>,
) -> Option<Change> {
    let base = match (&retargeted, stored) {
        (Some(change), _) => change.base,
        (None, Some(bytes)) => Base::Is(Hash::of(bytes)),
        (None, None) => Base::Absent,
    };
    let present = match retargeted.map(|change| change.edit) {
        Some(Edit::Write(bytes)) => Some(bytes),
        _ => stored.map(<[u8]>::to_vec),
    };
    let present = match present.map(String::from_utf8) {
        Some(Err(_)) => {
            notes.push(format!("{path} is not UTF-8 text and was left as it is"));
            return None;
        }
        Some(Ok(text)) => Some(text),
        None => None,
    };
    let page = daily::rebuild(proposal.day, present.as_deref(), cards);
    notes.extend(page.warnings);
    let unchanged = stored.is_some_and(|bytes| bytes == page.text.as_bytes());
    (!unchanged).then(|| Change { path: path.clone(), base, edit: Edit::Write(page.text.into_bytes()) })
}
