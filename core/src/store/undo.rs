//! The log of commits, taking one back, and how long it can be.
//!
//! Owns `metadata/native/undo/`. Taking back is a commit of its own, so it can be taken back too. Called by
//! the command line and the history screen through [`Store`].

use super::apply::{Condition, Twins, condition, remove_empty};
use super::operation::{Entry, Operation, Unreadable};
use super::recover::{pending, read_header};
use super::{Locked, Receipt, Store, StoreError, disk, io_error};
use chrono::{DateTime, Utc};
use std::collections::HashMap;
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
            })
            .collect();
        log.sort_by(|a, b| a.id.cmp(&b.id));
        log.dedup_by(|a, b| a.id == b.id);
        let undone: HashMap<String, String> =
            log.iter().filter_map(|entry| Some((entry.undoes.clone()?, entry.id.clone()))).collect();
        for entry in &mut log {
            entry.undone_by = undone.get(&entry.id).cloned();
        }
        log.reverse();
        Ok(log)
    }

    /// Takes a commit back, in all its files or none; refused when one of them changed since.
    pub fn undo(&self, id: &str) -> Result<Receipt, StoreError> {
        let unknown = || StoreError::UnknownOperation { id: id.chars().take(40).collect() };
        if id.is_empty() || !id.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(unknown());
        }
        let locked = self.inner.lock()?;
        let operation = locked.find(id)?.ok_or_else(unknown)?;
        let summary = format!("undo: {}", operation.origin.summary);
        let folders = operation.origin.folders.clone();
        let back: Vec<Entry> = operation.entries.into_iter().map(Entry::reversed).collect();
        let twins = Twins::of(back.iter().map(|entry| &entry.path));
        for entry in &back {
            if condition(self.workspace(), entry, &twins, false)? != Condition::Before {
                return Err(StoreError::Conflict { path: entry.path.clone() });
            }
        }
        let receipt = locked.run(back, summary, Some(id.to_owned()))?;
        remove_empty(self.workspace(), &folders);
        Ok(receipt)
    }
}

impl Locked<'_> {
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
