//! The log of commits, taking one back, and how long it can be.
//!
//! Owns `metadata/native/undo/`. Taking back is a commit of its own, so it can be taken back too. Called by
//! the command line and the history screen through [`Store`].

use super::apply::{Condition, Twins, condition, remove_empty};
use super::operation::{Entry, Operation, Recorded, Unreadable};
use super::recover::{pending, read_header};
use super::{Change, Locked, Receipt, Store, StoreError, disk, io_error};
use crate::workspace::RelPath;
use chrono::{DateTime, Utc};
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

/// One commit of the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogEntry {
    /// The id that [`Store::undo`] takes.
    pub id: String,
    /// When it was made.
    pub time: DateTime<Utc>,
    /// What it did, in a line.
    pub summary: String,
    /// The files it touched, relative to the workspace.
    pub paths: Vec<String>,
    /// The commit that this one took back.
    pub undoes: Option<String>,
    /// The commit that took this one back, as the latest that did.
    pub undone_by: Option<String>,
    /// Whether it holds: not taken back, or the taking back was taken back.
    pub in_effect: bool,
}

impl Store {
    /// The commits that can still be taken back, newest first. Unreadable records are left out.
    pub fn log(&self) -> Result<Vec<LogEntry>, StoreError> {
        let native = self.inner.native()?;
        let mut files: Vec<PathBuf> =
            records(&native.join("undo"))?.into_iter().map(|(file, _)| file).collect();
        files.extend(
            pending(&native.join("journal"))?.into_iter().filter(|one| one.placed).map(|one| one.file),
        );
        let mut log: Vec<LogEntry> = files
            .iter()
            .filter_map(|file| read_header(file).ok())
            .map(|(origin, paths)| LogEntry {
                id: origin.id,
                time: origin.time,
                summary: origin.summary,
                paths,
                undoes: origin.undoes,
                undone_by: None,
                in_effect: true,
            })
            .collect();
        log.sort_by(|a, b| a.id.cmp(&b.id));
        log.dedup_by(|a, b| a.id == b.id);
        let undone: HashMap<String, String> =
            log.iter().filter_map(|entry| Some((entry.undoes.clone()?, entry.id.clone()))).collect();
        log.reverse();
        // From the newest on, so that what took a commit back has been judged before the commit itself.
        let mut without_effect: HashSet<String> = HashSet::new();
        for entry in &mut log {
            entry.undone_by = undone.get(&entry.id).cloned();
            entry.in_effect = entry.undone_by.as_ref().is_none_or(|by| without_effect.contains(by));
            if !entry.in_effect {
                without_effect.insert(entry.id.clone());
            }
        }
        Ok(log)
    }

    /// Takes a commit back, in all its files or none; refused when one of them changed since.
    pub fn undo(&self, id: &str) -> Result<Receipt, StoreError> {
        self.undo_with(id, |_| Ok(Vec::new()))
    }

    /// The same where some files follow from others: `derive` learns what the files go back to, and may give
    /// other changes for files that moved on since, planned under the same lock.
    pub fn undo_with<E: From<StoreError>>(
        &self,
        id: &str,
        derive: impl FnOnce(&[GoesBack<'_>]) -> Result<Vec<Change>, E>,
    ) -> Result<Receipt, E> {
        let unknown = || StoreError::UnknownOperation { id: id.chars().take(40).collect() };
        if id.is_empty() || !id.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(unknown().into());
        }
        let locked = self.inner.lock()?;
        let operation = locked.find(id)?.ok_or_else(unknown)?;
        let summary = format!("undo: {}", operation.origin.summary);
        let folders = operation.origin.folders.clone();
        let mut back: Vec<Entry> = operation.entries.into_iter().map(Entry::reversed).collect();
        let moved_on = locked.moved_on(&back)?;
        let goes_back: Vec<GoesBack<'_>> =
            back.iter().map(|entry| GoesBack::of(entry, moved_on.contains(&entry.path))).collect();
        let derived = derive(&goes_back)?;
        back.retain(|entry| !derived.iter().any(|change| change.path == entry.path));
        if let Some(entry) = back.iter().find(|entry| moved_on.contains(&entry.path)) {
            return Err(StoreError::CannotUndo { path: entry.path.clone() }.into());
        }
        back.extend(locked.plan(derived)?);
        let receipt = locked.run(back, summary, Some(id.to_owned()))?;
        remove_empty(self.workspace(), &folders);
        Ok(receipt)
    }
}

/// A file of a commit that is being taken back.
#[derive(Clone, Copy, Debug)]
pub struct GoesBack<'a> {
    /// Which file.
    pub path: &'a RelPath,
    /// The whole content that it goes back to, `None` for no file; not told of a file that only grew.
    pub content: Option<&'a [u8]>,
    /// Whether the file is no longer as the commit left it.
    pub moved_on: bool,
}

impl<'a> GoesBack<'a> {
    fn of(entry: &'a Entry, moved_on: bool) -> GoesBack<'a> {
        let content = match &entry.edit {
            Recorded::Replace { after, .. } => after.as_deref(),
            Recorded::Extend { .. } | Recorded::Cut { .. } => None,
        };
        GoesBack { path: &entry.path, content, moved_on }
    }
}

impl Locked<'_> {
    /// The files that are not as the commit left them.
    fn moved_on(&self, back: &[Entry]) -> Result<HashSet<RelPath>, StoreError> {
        let twins = Twins::of(back.iter().map(|entry| &entry.path));
        let mut found = HashSet::new();
        for entry in back {
            if condition(&self.inner.workspace, entry, &twins, false)? != Condition::Before {
                found.insert(entry.path.clone());
            }
        }
        Ok(found)
    }

    fn find(&self, id: &str) -> Result<Option<Operation>, StoreError> {
        let places =
            [self.journal().join(format!("{id}.placed")), self.undo_folder().join(format!("{id}.op"))];
        let Some(file) = places.iter().find(|file| file.is_file()) else { return Ok(None) };
        let bytes = std::fs::read(file).map_err(io_error(file))?;
        match Operation::decode(&bytes) {
            Ok(operation) => Ok(Some(operation).filter(|operation| self.is_own(operation))),
            Err(Unreadable::Newer(format)) => Err(StoreError::newer(format)),
            Err(_) => {
                let damage = std::io::Error::new(std::io::ErrorKind::InvalidData, "the record is damaged");
                Err(io_error(file)(damage))
            }
        }
    }

    fn is_own(&self, operation: &Operation) -> bool {
        operation.origin.workspace == self.state.workspace
            && operation.origin.machine == self.inner.options.machine
    }

    /// Removes records that are too old, then the oldest while there is too much; the newest stays.
    pub fn prune(&self) -> Result<(), StoreError> {
        let config = self.inner.workspace.config();
        let oldest = self.inner.workspace.now() - chrono::Duration::days(i64::from(config.undo_days));
        let limit = u64::from(config.undo_mib) << 20;
        let records = records(&self.undo_folder())?;
        let mut size: u64 = records.iter().map(|(_, size)| size).sum();
        let last = records.len().saturating_sub(1);
        for (file, bytes) in records.into_iter().take(last) {
            let made = file.file_stem().and_then(|id| id.to_str()).and_then(|id| id.parse().ok());
            let old = made.and_then(DateTime::from_timestamp_micros).is_some_and(|made| made < oldest);
            if old || size > limit {
                disk::remove(&file).map_err(io_error(&file))?;
                size = size.saturating_sub(bytes);
            }
        }
        Ok(())
    }
}

/// The records of the folder with their sizes, oldest first.
fn records(folder: &Path) -> Result<Vec<(PathBuf, u64)>, StoreError> {
    let entries = match folder.read_dir() {
        Err(error) if crate::workspace::is_absence(&error) => return Ok(Vec::new()),
        entries => entries.map_err(io_error(folder))?,
    };
    let mut found = Vec::new();
    for entry in entries {
        let entry = entry.map_err(io_error(folder))?;
        let file = entry.path();
        if file.extension().is_some_and(|extension| extension == "op") {
            let size = entry.metadata().map_err(io_error(&file))?.len();
            found.push((file, size));
        }
    }
    found.sort();
    Ok(found)
}
