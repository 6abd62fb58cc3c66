//! Finishes what an earlier process began, and retires what is done.
//!
//! Owns the journal folder's life: `.op` is being put in place, `.placed` is in place but perhaps not yet on
//! the disk itself, and `undo/` holds what is. Never acts on an operation of another machine or workspace, nor
//! on a file that somebody else changed. Called when a store opens and before each commit, under the lock.

use super::apply::{Condition, Placing, Unsynced, condition};
use super::operation::{Entry, Operation, Unreadable};
use super::{Locked, Report, StoreError, disk, io_error, is_state};
use crate::workspace::is_absence;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// How many operations may wait for their sync: it is shared by all of them.
const WAITING: usize = 16;

/// A file of the journal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pending {
    pub file: PathBuf,
    pub id: String,
    /// Whether all its files were put in place.
    pub placed: bool,
}

/// The operations of a journal, oldest first; names of others are not looked at, nor are empty pages.
pub(super) fn pending(journal: &Path) -> Result<Vec<Pending>, StoreError> {
    Ok(listed(journal)?.0)
}

/// The ids of the empty pages of a journal, oldest first: files that wait for an operation to be written into
/// them. What a crash left empty is one too, as nothing of it was put in place.
pub(super) fn pages(journal: &Path) -> Result<Vec<String>, StoreError> {
    Ok(listed(journal)?.1)
}

fn listed(journal: &Path) -> Result<(Vec<Pending>, Vec<String>), StoreError> {
    let entries = match journal.read_dir() {
        Err(error) if is_absence(&error) => return Ok((Vec::new(), Vec::new())),
        entries => entries.map_err(io_error(journal))?,
    };
    let (mut found, mut pages) = (Vec::new(), Vec::new());
    for entry in entries {
        let entry = entry.map_err(io_error(journal))?;
        let file = entry.path();
        let placed = match file.extension().and_then(|extension| extension.to_str()) {
            Some("op") => false,
            Some("placed") => true,
            _ => continue,
        };
        let id = file.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        let is_empty = entry.metadata().is_ok_and(|found| found.is_file() && found.len() == 0);
        if !placed && is_empty && id.bytes().all(|byte| byte.is_ascii_digit()) {
            pages.push(id);
        } else {
            found.push(Pending { file, id, placed });
        }
    }
    found.sort_by(|a, b| (&a.id, a.placed).cmp(&(&b.id, b.placed)));
    pages.sort();
    Ok((found, pages))
}

/// Reads the first two lines of an operation file, which name its origin and its files.
pub(super) fn read_header(file: &Path) -> Result<(super::operation::Origin, Vec<String>), Unreadable> {
    let unreadable = |error: std::io::Error| Unreadable::Damaged(error.to_string());
    if !file.symlink_metadata().map_err(unreadable)?.is_file() {
        return Err(Unreadable::Damaged("it is no plain file".into()));
    }
    let mut beginning = Vec::new();
    let mut size = 16 << 10;
    loop {
        let open = File::open(file).map_err(unreadable)?;
        beginning.clear();
        let read = open.take(size).read_to_end(&mut beginning).map_err(unreadable)?;
        match Operation::decode_header(&beginning) {
            Err(Unreadable::Torn) if u64::try_from(read).is_ok_and(|read| read == size) => size *= 8,
            result => return result,
        }
    }
}

/// Whether the journal holds anything that an opening store must see to.
pub(super) fn needs_recovery(pending: &[Pending], boot: &str) -> bool {
    pending.iter().any(|one| {
        !one.placed || !read_header(&one.file).is_ok_and(|(origin, _)| is_boot(&origin.boot, boot))
    })
}

fn is_boot(recorded: &str, present: &str) -> bool {
    !present.is_empty() && recorded == present
}

impl Locked<'_> {
    /// Finishes every interrupted operation that may be finished. Says what was left and why.
    pub fn recover(&self) -> Result<(), StoreError> {
        let pending = pending(&self.journal())?;
        if !needs_recovery(&pending, &self.inner.options.boot) {
            return Ok(());
        }
        let mut operations = Vec::new();
        for one in pending {
            match self.load(&one) {
                Ok(operation) => operations.push((one, operation)),
                Err(Unreadable::Newer(format)) => return Err(StoreError::newer(format)),
                // Nothing is put in place before its operation is whole on the disk.
                Err(Unreadable::Torn) if !one.placed => {
                    disk::remove(&one.file).map_err(io_error(&one.file))?
                }
                Err(Unreadable::Torn) => self.report(&one, "it is cut short"),
                Err(Unreadable::Damaged(why)) => self.report(&one, &why),
            }
        }
        let mut rest: &[(Pending, Operation)] = &operations;
        while let [(one, operation), later @ ..] = rest {
            match self.finish(one, operation, later) {
                Ok(()) => {}
                Err(StoreError::Path(error)) => self.report(one, &error.to_string()),
                Err(error) => return Err(error),
            }
            rest = later;
        }
        self.retire()
    }

    /// Reads an operation that is this machine's and this workspace's own.
    fn load(&self, one: &Pending) -> Result<Operation, Unreadable> {
        let damaged = |why: &str| Unreadable::Damaged(why.into());
        match read_header(&one.file) {
            Ok((origin, _)) if origin.workspace != self.state.workspace => {
                return Err(damaged("it belongs to another workspace"));
            }
            Ok((origin, _)) if origin.machine != self.inner.options.machine => {
                return Err(damaged("it was made on another machine"));
            }
            Ok((origin, _)) if origin.id != one.id => return Err(damaged("its name is not its own")),
            Ok(_) => {}
            Err(unreadable) => return Err(unreadable),
        }
        let bytes = std::fs::read(&one.file).map_err(|error| Unreadable::Damaged(error.to_string()))?;
        let operation = Operation::decode(&bytes)?;
        match operation.entries.iter().find(|entry| is_state(&entry.path)) {
            Some(entry) => Err(Unreadable::Damaged(format!("it would change {}", entry.path))),
            None => Ok(operation),
        }
    }

    fn finish(
        &self,
        one: &Pending,
        operation: &Operation,
        later: &[(Pending, Operation)],
    ) -> Result<(), StoreError> {
        let same_boot = is_boot(&operation.origin.boot, &self.inner.options.boot);
        if one.placed && same_boot {
            return Ok(());
        }
        let workspace = &self.inner.workspace;
        let placing = Placing::new(workspace, operation);
        let mut chosen = Vec::new();
        for (index, entry) in operation.entries.iter().enumerate() {
            match condition(workspace, entry, placing.twins(), !same_boot)? {
                Condition::After => {}
                Condition::Before | Condition::Torn => chosen.push(index),
                // The later operations append their part again.
                Condition::TornBelow if self.went_on(entry, later, !same_boot)? => chosen.push(index),
                Condition::Foreign if self.went_on(entry, later, !same_boot)? => {}
                // What was in place may have been edited since; that is no fault.
                Condition::Foreign | Condition::TornBelow if one.placed => {}
                Condition::Foreign | Condition::TornBelow => {
                    let why = format!("{} was changed by somebody else meanwhile", entry.path);
                    self.report(one, &why);
                    return Ok(());
                }
            }
        }
        placing.place(&chosen, &mut Vec::new())?;
        placing.sweep();
        self.inner.remember(&operation.entries);
        self.mark_placed(&one.file)
    }

    /// Whether a later operation explains the present content of an entry's file.
    fn went_on(
        &self,
        entry: &Entry,
        later: &[(Pending, Operation)],
        power_loss: bool,
    ) -> Result<bool, StoreError> {
        for (_, operation) in later {
            let placing = Placing::new(&self.inner.workspace, operation);
            for next in operation.entries.iter().filter(|next| next.path == entry.path) {
                let found = condition(&self.inner.workspace, next, placing.twins(), power_loss)?;
                if !matches!(found, Condition::Foreign | Condition::TornBelow) {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// Notes that every file of an operation is in place.
    pub fn mark_placed(&self, file: &Path) -> Result<(), StoreError> {
        disk::rename(file, &file.with_extension("placed")).map_err(io_error(file))
    }

    /// Retires what is in place once enough of it waits; at once where the system does not tell whether it was
    /// restarted, because then only a synced file is known to be what it was.
    pub fn retire_if_due(&self) -> Result<(), StoreError> {
        let waiting = pending(&self.journal())?.iter().filter(|one| one.placed).count();
        if waiting >= WAITING || self.inner.options.boot.is_empty() { self.retire() } else { Ok(()) }
    }

    /// Brings what is in place to the disk itself, then moves its operations to `undo/`.
    pub fn retire(&self) -> Result<(), StoreError> {
        let (mut done, mut unsynced) = (Vec::new(), Unsynced::default());
        for one in pending(&self.journal())?.into_iter().filter(|one| one.placed) {
            let Ok(operation) = self.load(&one) else {
                self.report(&one, "it is damaged or not ours");
                continue;
            };
            unsynced.add(&self.inner.workspace, &operation);
            done.push(one);
        }
        if self.inner.options.durable {
            unsynced.sync()?;
        }
        for one in &done {
            let to = self.undo_folder().join(format!("{}.op", one.id));
            disk::rename(&one.file, &to).map_err(io_error(&to))?;
        }
        if done.is_empty() { Ok(()) } else { self.prune() }
    }

    fn report(&self, one: &Pending, why: &str) {
        let name = one.file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        self.inner.report(Report {
            operation: one.id.clone(),
            message: format!(
                "metadata/native/journal/{name} was left as it is and not carried out: {why}. \
                 Look at the files it names, then remove it"
            ),
        });
    }
}
