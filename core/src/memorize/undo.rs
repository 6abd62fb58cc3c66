//! Taking a memory back: card, links, day page and coverage as one; the record of what was said stays.
//!
//! Chooses which commit is meant, and rebuilds a day page that has moved on since instead of refusing. Writes
//! through the store alone. Called by the command line and the history screen.

use super::day::DayFolder;
use super::{MemorizeError, read};
use crate::daily;
use crate::store::{Base, Change, Edit, GoesBack, LogEntry, Receipt, Store, StoreError};
use crate::workspace::{RelPath, Workspace, day};

/// What was taken back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Undone {
    /// The commit that was taken back.
    pub entry: LogEntry,
    /// The commit that did it.
    pub receipt: Receipt,
}

/// Why nothing was taken back.
#[derive(Debug, thiserror::Error)]
pub enum UndoError {
    /// There is nothing left to take back.
    #[error("there is nothing to undo; `reme log` lists what was done and what was undone")]
    Nothing,
    /// The commit is undone already.
    #[error("{id} is undone already; `reme undo {by}` brings it back")]
    Already {
        /// The commit.
        id: String,
        /// The commit that took it back.
        by: String,
    },
    /// A later commit built on a file of this one.
    #[error(
        "{path} was changed by a later memory, {id} ({summary}); nothing was undone. Undo that one first: `reme undo {id}`"
    )]
    Later {
        /// The file.
        path: RelPath,
        /// The later commit.
        id: String,
        /// What it did.
        summary: String,
    },
    /// A file was changed by something else.
    #[error(
        "{path} was edited since; nothing was undone. Keep the edit and change the card by hand, or put the file back as it was and undo again"
    )]
    Edited {
        /// The file.
        path: RelPath,
    },
    /// Anything else.
    #[error(transparent)]
    Other(#[from] MemorizeError),
}

impl UndoError {
    /// A stable code for programs.
    pub fn code(&self) -> &'static str {
        match self {
            UndoError::Nothing => "nothing_to_undo",
            UndoError::Already { .. } => "already_undone",
            UndoError::Later { .. } | UndoError::Edited { .. } => "conflict",
            UndoError::Other(MemorizeError::Store(StoreError::UnknownOperation { .. })) => "unknown_id",
            UndoError::Other(error) => error.code(),
        }
    }
}

/// Takes back the commit of this id, or the newest memory that holds. Taking back what took something back
/// does it again.
pub fn undo(store: &Store, id: Option<&str>) -> Result<Undone, UndoError> {
    let log = store.log().map_err(MemorizeError::from)?;
    let entry = match id {
        Some(id) => log.iter().find(|entry| entry.id == id),
        None => Some(newest(store.workspace(), &log).ok_or(UndoError::Nothing)?),
    };
    let Some(entry) = entry else {
        let id = id.unwrap_or_default().chars().take(40).collect();
        return Err(MemorizeError::from(StoreError::UnknownOperation { id }).into());
    };
    if let (false, Some(by)) = (entry.in_effect, &entry.undone_by) {
        return Err(UndoError::Already { id: entry.id.clone(), by: by.clone() });
    }
    let taken_back = store.undo_with(&entry.id, |files| derived(store.workspace(), files));
    match taken_back {
        Ok(receipt) => Ok(Undone { entry: entry.clone(), receipt }),
        Err(MemorizeError::Store(StoreError::CannotUndo { path })) => Err(blame(&log, entry, path)),
        Err(error) => Err(error.into()),
    }
}

/// The newest commit that holds and is more than a record: what was said stays said.
fn newest<'a>(workspace: &Workspace, log: &'a [LogEntry]) -> Option<&'a LogEntry> {
    let records = format!("{}/", workspace.session_dir());
    log.iter()
        .filter(|entry| entry.in_effect && entry.undoes.is_none())
        .find(|entry| !entry.paths.iter().all(|path| path.starts_with(&records)))
}

/// Who changed a file since the commit: a later one that holds, else somebody else.
fn blame(log: &[LogEntry], entry: &LogEntry, path: RelPath) -> UndoError {
    let mut later = log.iter().take_while(|later| later.id != entry.id);
    let touches =
        |later: &&LogEntry| later.in_effect && later.paths.iter().any(|other| *other == path.as_str());
    match later.find(touches) {
        Some(later) => UndoError::Later { path, id: later.id.clone(), summary: later.summary.clone() },
        None => UndoError::Edited { path },
    }
}

/// The day pages that other memories changed since, rebuilt from the cards as they will be.
fn derived(workspace: &Workspace, files: &[GoesBack<'_>]) -> Result<Vec<Change>, MemorizeError> {
    let mut changes = Vec::new();
    for file in files.iter().filter(|file| file.moved_on) {
        let name = file.path.file_name().strip_suffix(".md").and_then(day::exact);
        if let Some(day) = name.filter(|day| workspace.day_page(*day) == *file.path) {
            changes.extend(page(workspace, day, file.path, files)?);
        }
    }
    Ok(changes)
}

fn page(
    workspace: &Workspace,
    day: chrono::NaiveDate,
    path: &RelPath,
    files: &[GoesBack<'_>],
) -> Result<Option<Change>, MemorizeError> {
    let mut folder = DayFolder::load(workspace, day)?;
    let cards = workspace.day_folder(day);
    for card in files.iter().filter(|file| file.path.parent().as_ref() == Some(&cards)) {
        folder = match card.content.map(std::str::from_utf8) {
            Some(Ok(text)) => folder.with(card.path, text),
            Some(Err(_)) => folder,
            None => folder.without(card.path),
        };
    }
    let stored = read(workspace, path)?;
    let base = Base::of(stored.as_deref());
    let Ok(present) = stored.map(String::from_utf8).transpose() else { return Ok(None) };
    let page = daily::rebuild(day, present.as_deref(), &folder.cards());
    Ok(Some(Change { path: path.clone(), base, edit: Edit::Write(page.text.into_bytes()) }))
}
