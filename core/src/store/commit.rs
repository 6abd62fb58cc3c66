//! One commit: checked against the disk, written to the journal, put in place.
//!
//! Owns the way from changes to an operation; the disk's work is `apply`'s. Called by [`Store`] and by undo,
//! under the lock.
//!
//! [`Store`]: super::Store

use super::apply::{self, Placing, Twins};
use super::operation::{Entry, Operation, Origin, Recorded};
use super::{Base, Change, ChangeSet, Edit, Locked, Receipt, StoreError, disk, io_error, is_state, recover};
use crate::workspace::{PathError, RelPath, Workspace};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

/// How many empty pages are made at a time.
const PAGES: usize = 8;

impl Locked<'_> {
    pub fn journal(&self) -> PathBuf {
        self.native.join("journal")
    }

    pub fn undo_folder(&self) -> PathBuf {
        self.native.join("undo")
    }

    /// Checks the changes and carries them out; nothing is written down where nothing would change.
    pub fn commit(&self, changes: ChangeSet) -> Result<Receipt, StoreError> {
        let entries = self.plan(changes.changes)?;
        if entries.is_empty() { Ok(Receipt::default()) } else { self.run(entries, changes.summary, None) }
    }

    /// Checks every change against the disk. What changes nothing is left out.
    pub fn plan(&self, changes: Vec<Change>) -> Result<Vec<Entry>, StoreError> {
        let workspace = &self.inner.workspace;
        let twins = Twins::of(changes.iter().map(|change| &change.path));
        let mut seen = HashSet::new();
        let mut entries = Vec::with_capacity(changes.len());
        for change in changes {
            if is_state(&change.path) {
                return Err(refused(
                    &change.path,
                    "the store keeps its own state there; choose another place",
                ));
            }
            if !seen.insert(workspace.resolve(&change.path)?) {
                return Err(refused(&change.path, "it is changed twice at once; join the two changes"));
            }
            if let Some(edit) = record(workspace, &change.path, change.base, change.edit, &twins)? {
                entries.push(Entry { path: change.path, edit });
            }
        }
        Ok(entries)
    }

    /// Writes the operation down, flushes it, and puts its files in place.
    pub fn run(
        &self,
        entries: Vec<Entry>,
        summary: String,
        undoes: Option<String>,
    ) -> Result<Receipt, StoreError> {
        let operation = Operation { origin: self.origin(&entries, summary, undoes)?, entries };
        let file = self.journal().join(format!("{}.op", operation.origin.id));
        if let Err(error) = self.write_down(&file, &operation) {
            let _ = disk::remove(&file);
            return Err(error);
        }
        // Before the first rename, so that the watcher never meets a write of ours that is not known yet.
        self.inner.remember(&operation.entries);
        let placing = Placing::new(&self.inner.workspace, &operation);
        let chosen: Vec<usize> = (0..operation.entries.len()).collect();
        let mut placed = Vec::new();
        if let Err(source) = placing.place(&chosen, &mut placed) {
            return Err(match placing.take_back(&placed).and_then(|()| forget(&file)) {
                Ok(()) => source,
                Err(_) => StoreError::Unfinished { source: Box::new(source) },
            });
        }
        // The files are in place: what fails from here on is seen to by the next commit.
        self.inner.waiting.store(true, Ordering::Relaxed);
        if let Err(error) = self.mark_placed(&file).and_then(|()| self.retire_if_due()) {
            tracing::warn!("{error}");
        }
        let paths = operation.entries.into_iter().map(|entry| entry.path).collect();
        Ok(Receipt { operation: operation.origin.id, paths })
    }

    fn write_down(&self, file: &Path, operation: &Operation) -> Result<(), StoreError> {
        let write = || {
            let bytes = operation.encode()?;
            let written = disk::append(file, &bytes)?;
            if self.inner.options.durable { disk::sync(&written, file) } else { Ok(()) }
        };
        write().map_err(io_error(file))
    }

    fn origin(
        &self,
        entries: &[Entry],
        summary: String,
        undoes: Option<String>,
    ) -> Result<Origin, StoreError> {
        let options = &self.inner.options;
        Ok(Origin {
            id: self.page()?,
            workspace: self.state.workspace.clone(),
            machine: options.machine.clone(),
            boot: options.boot.clone(),
            time: self.inner.workspace.now(),
            summary,
            undoes,
            folders: missing_folders(&self.inner.workspace, entries)?,
        })
    }

    /// The id of the empty page that takes the next operation. Pages are made several at a time, so that their
    /// names are on the disk itself before an operation is flushed into one; the operation then needs no other
    /// flush.
    fn page(&self) -> Result<String, StoreError> {
        let journal = self.journal();
        let file = |id: &str| journal.join(format!("{id}.op"));
        let mut pages = recover::pages(&journal)?;
        if !pages.first().is_none_or(|id| self.is_current(id)) {
            for id in std::mem::take(&mut pages) {
                forget(&file(&id))?;
            }
        }
        if pages.is_empty() {
            for _ in 0..PAGES {
                let id = self.next_id()?;
                disk::write_new(&file(&id), b"", disk::Privacy::Private).map_err(io_error(&journal))?;
                pages.push(id);
            }
        }
        let number = |id: Option<&String>| id.and_then(|id| id.parse::<i64>().ok()).unwrap_or_default();
        // Another process may have been stopped before it synced the names of its pages.
        if number(pages.first()) > self.inner.pages.load(Ordering::Relaxed) {
            if self.inner.options.durable {
                disk::sync_folder(&journal).map_err(io_error(&journal))?;
            }
            self.inner.pages.store(number(pages.last()), Ordering::Relaxed);
        }
        Ok(pages.into_iter().next().unwrap_or_default())
    }

    /// Whether a page's id may still name an operation: an undo record is kept by the age of its id, and
    /// operations are replayed in the order of theirs.
    fn is_current(&self, id: &str) -> bool {
        const OLDEST: i64 = 60 * 60 * 1_000_000;
        let number = id.parse::<i64>().unwrap_or_default();
        let waiting = recover::pending(&self.journal()).unwrap_or_default();
        let age = self.inner.workspace.now().timestamp_micros().saturating_sub(number);
        age < OLDEST && waiting.last().is_none_or(|newest| newest.id.as_str() < id)
    }

    /// The time in microseconds, moved on where the clock stands still or goes back: operations are replayed
    /// in the order of their ids.
    fn next_id(&self) -> Result<String, StoreError> {
        let waiting = recover::pending(&self.journal())?;
        let newest = waiting.iter().filter_map(|one| one.id.parse::<i64>().ok()).max().unwrap_or(0);
        let mut number = self.inner.workspace.now().timestamp_micros();
        number = number.max(newest.saturating_add(1));
        number = number.max(self.inner.last.load(Ordering::Relaxed).saturating_add(1));
        while self.undo_folder().join(format!("{number:016}.op")).exists() {
            number = number.saturating_add(1);
        }
        self.inner.last.store(number, Ordering::Relaxed);
        Ok(format!("{number:016}"))
    }
}

fn forget(file: &Path) -> Result<(), StoreError> {
    disk::remove(file).map_err(io_error(file))
}

fn refused(path: &RelPath, why: &str) -> StoreError {
    StoreError::Path(PathError { what: "path", given: path.as_str().into(), why: why.into() })
}

/// What an operation must record to carry the change out and to take it back; `None`: nothing would change.
fn record(
    workspace: &Workspace,
    path: &RelPath,
    base: Base,
    edit: Edit,
    twins: &Twins,
) -> Result<Option<Recorded>, StoreError> {
    let conflict = || StoreError::Conflict { path: path.clone() };
    let planned = |present: &Option<Vec<u8>>| {
        if Base::of(present.as_deref()) == base { Ok(()) } else { Err(conflict()) }
    };
    match edit {
        Edit::Write(after) => {
            let before = apply::read(workspace, path, twins)?;
            planned(&before)?;
            let changes = before.as_ref() != Some(&after);
            Ok(changes.then_some(Recorded::Replace { before, after: Some(after) }))
        }
        Edit::Delete => {
            let before = apply::read(workspace, path, twins)?;
            planned(&before)?;
            Ok(before.is_some().then_some(Recorded::Replace { before, after: None }))
        }
        Edit::Append { len, bytes } => {
            let tail = apply::tail(workspace, path, len)?;
            if bytes.is_empty() {
                return Ok(None);
            }
            match tail {
                Some(tail) if tail.is_empty() => Ok(Some(Recorded::Extend { at: len, bytes })),
                None if len == 0 => Ok(Some(Recorded::Replace { before: None, after: Some(bytes) })),
                _ => Err(conflict()),
            }
        }
    }
}

/// The folders that the new files need and that are not there, outermost first.
fn missing_folders(workspace: &Workspace, entries: &[Entry]) -> Result<Vec<String>, StoreError> {
    let mut missing = Vec::new();
    for entry in entries.iter().filter(|entry| !entry.deletes()) {
        let mut folder = entry.path.parent();
        let mut chain = Vec::new();
        while let Some(path) = folder {
            if workspace.resolve(&path)?.exists() {
                break;
            }
            folder = path.parent();
            chain.push(path.as_str().to_owned());
        }
        chain.reverse();
        missing.extend(chain.into_iter().filter(|path| !missing.contains(path)).collect::<Vec<_>>());
    }
    Ok(missing)
}
