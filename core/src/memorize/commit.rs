//! Accepting and rejecting: a proposal's changes, the day page and the coverage, committed as one.
//!
//! The card is written exactly as shown. The page and the coverage are derived, so they are worked out under the
//! store's lock from the files as they are then.

use super::coverage::Coverage;
use super::day::DayFolder;
use super::plan::Renaming;
use super::{MemorizeError, Proposal, Recorded, read};
use crate::card::Card;
use crate::daily;
use crate::dialog::Mark;
use crate::distill::{Distiller, Progress};
use crate::image::MessageImage;
use crate::message::Msg;
use crate::store::{Base, Change, ChangeSet, Edit, Receipt, Store};
use crate::workspace::{RelPath, Workspace};
use chrono::NaiveDate;

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
    /// Why the tagging step gave none, if it failed.
    pub tag_error: Option<String>,
    /// The day page.
    pub index: DayIndex,
    /// What a person should know.
    pub notes: Vec<String>,
}

/// The day page after a commit, and what it lists.
#[derive(Clone, Debug, PartialEq)]
pub struct DayIndex {
    /// The file.
    pub page: RelPath,
    /// Whether there was none before.
    pub created: bool,
    /// Whether the file changed.
    pub changed: bool,
    /// The day's cards.
    pub cards: Vec<(RelPath, Card)>,
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
    let mut drafted = super::draft(workspace, recorded, distiller, progress)?;
    if drafted.draft.skip {
        let index = skip(store, recorded)?;
        return Ok(AtOnce::Skipped { reason: drafted.draft.skip_reason, index });
    }
    let tag_error = super::tag(workspace, recorded, &mut drafted, distiller, progress)?;
    let (receipt, acceptance) = store.commit_with(|| {
        let folder = DayFolder::load(workspace, recorded.day)?;
        let proposal = super::plan_in(workspace, &folder, recorded, drafted, Renaming::Follows)?;
        if proposal.needs_review {
            return Err(MemorizeError::NeedsReview { path: proposal.path });
        }
        complete(workspace, &Proposal { tag_error, ..proposal }, folder)
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
        /// The day page, where the session has a card on it.
        index: Option<DayIndex>,
    },
}

/// Leaves the session's card as it is: the messages count as covered, and the page lists the card as it is now.
pub(super) fn skip(store: &Store, recorded: &Recorded) -> Result<Option<DayIndex>, MemorizeError> {
    let workspace = store.workspace();
    let (_, index) = store.commit_with(|| {
        let cover = Coverage::load(workspace, &recorded.session_id)?;
        let mut changes: Vec<Change> =
            cover.cover(&recorded.messages, &recorded.images, recorded.mark).into_iter().collect();
        let mut index = None;
        if recorded.present.is_some() {
            let cards = DayFolder::load(workspace, recorded.day)?.cards();
            let page = Page::of(workspace, recorded.day)?;
            let change = page.rebuilt(&cards, None, &mut Vec::new());
            index = Some(page.index(cards, change.is_some()));
            changes.extend(change);
        }
        let summary = format!("cover {}", recorded.session_id);
        Ok::<_, MemorizeError>((ChangeSet { summary, changes }, index))
    })?;
    Ok(index)
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
    let page = Page::of(workspace, proposal.day)?;
    let mut changes = proposal.changes.clone();
    let retargeted = take(&mut changes, &page.path);
    let mut notes = proposal.notes.clone();
    let rebuilt = page.rebuilt(&cards, retargeted, &mut notes);
    let acceptance = Acceptance {
        receipt: Receipt::default(),
        path: proposal.path.clone(),
        created: proposal.present.is_none(),
        modified: proposal
            .present
            .as_ref()
            .is_none_or(|present| present.text != proposal.text || gone.is_some()),
        tags: proposal.choices.tags.clone(),
        tag_error: proposal.tag_error.clone(),
        index: page.index(cards, rebuilt.is_some()),
        notes,
    };
    changes.changes.extend(rebuilt);
    let coverage = Coverage::load(workspace, &proposal.session_id)?;
    changes.changes.extend(coverage.accept(proposal, &Card::parse(proposal.text.as_str())));
    Ok((changes, acceptance))
}

/// Takes a file's change out of the set.
fn take(changes: &mut ChangeSet, path: &RelPath) -> Option<Change> {
    let at = changes.changes.iter().position(|change| change.path == *path)?;
    Some(changes.changes.remove(at))
}

/// A day page as it is on disk.
struct Page {
    day: NaiveDate,
    path: RelPath,
    stored: Option<Vec<u8>>,
}

impl Page {
    fn of(workspace: &Workspace, day: NaiveDate) -> Result<Page, MemorizeError> {
        let path = workspace.day_page(day);
        let stored = read(workspace, &path)?;
        Ok(Page { day, path, stored })
    }

    /// The page rebuilt, on top of links that were retargeted in it; `None` where it stays as it is.
    fn rebuilt(
        &self,
        cards: &[(RelPath, Card)],
        retargeted: Option<Change>,
        notes: &mut Vec<String>,
    ) -> Option<Change> {
        let base = retargeted.as_ref().map_or(Base::of(self.stored.as_deref()), |change| change.base);
        let present = match retargeted.map(|change| change.edit) {
            Some(Edit::Write(bytes)) => Some(bytes),
            _ => self.stored.clone(),
        };
        let present = match present.map(String::from_utf8) {
            Some(Err(_)) => {
                notes.push(format!("{} is not UTF-8 text and was left as it is", self.path));
                return None;
            }
            Some(Ok(text)) => Some(text),
            None => None,
        };
        let page = daily::rebuild(self.day, present.as_deref(), cards);
        notes.extend(page.warnings);
        let edit = Edit::Write(page.text.into_bytes());
        let unchanged = matches!((&edit, &self.stored), (Edit::Write(new), Some(old)) if new == old);
        (!unchanged).then(|| Change { path: self.path.clone(), base, edit })
    }

    fn index(self, cards: Vec<(RelPath, Card)>, changed: bool) -> DayIndex {
        DayIndex { page: self.path, created: changed && self.stored.is_none(), changed, cards }
    }
}
