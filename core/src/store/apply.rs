//! Puts the files of an operation in place, and tells what state a file is in.
//!
//! Owns the order of steps within a commit and its way back; decides nothing about operations. Called by
//! `commit`, by recovery and by undo, always under the lock.

use super::disk::{self, Privacy};
use super::operation::{Entry, Operation, Recorded};
use super::{StoreError, io_error};
use crate::workspace::{RelPath, Workspace, is_absence, read_regular};
use std::collections::{BTreeSet, HashSet};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use unicode_normalization::UnicodeNormalization;

/// How a file compares with what an operation recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Condition {
    Before,
    After,
    /// Begun, and cut short.
    Torn,
    /// Cut short, and followed by more, which is a later operation's or somebody else's.
    TornBelow,
    /// Neither: somebody else wrote it.
    Foreign,
}

/// Paths of one operation that a case-folding disk takes for the same file.
pub(super) struct Twins(HashSet<String>);

impl Twins {
    pub fn of<'a>(paths: impl Iterator<Item = &'a RelPath>) -> Twins {
        let (mut seen, mut twins) = (HashSet::new(), HashSet::new());
        for path in paths {
            let folded = path.nfc().to_lowercase();
            if !seen.insert(folded.clone()) {
                twins.insert(folded);
            }
        }
        Twins(twins)
    }

    /// Whether a file found at `path` may be another one of this operation.
    fn hides(&self, path: &RelPath, file: &Path) -> bool {
        self.0.contains(&path.nfc().to_lowercase()) && !is_spelt(file)
    }
}

/// Whether the folder lists the file under exactly this name.
fn is_spelt(file: &Path) -> bool {
    let (Some(folder), Some(name)) = (file.parent(), file.file_name().and_then(|name| name.to_str())) else {
        return true;
    };
    let Ok(entries) = folder.read_dir() else { return true };
    entries
        .filter_map(Result::ok)
        .any(|entry| entry.file_name().to_str().is_some_and(|found| found.nfc().eq(name.nfc())))
}

/// The present bytes of a path; `None` when there is no such file.
pub(super) fn read(
    workspace: &Workspace,
    path: &RelPath,
    twins: &Twins,
) -> Result<Option<Vec<u8>>, StoreError> {
    let file = workspace.resolve(path)?;
    if twins.hides(path, &file) {
        return Ok(None);
    }
    read_regular(&file).map_err(io_error(&file))
}

/// The state of an entry's file. After a power loss, a file may hold a part of what was written and zeros.
pub(super) fn condition(
    workspace: &Workspace,
    entry: &Entry,
    twins: &Twins,
    power_loss: bool,
) -> Result<Condition, StoreError> {
    match &entry.edit {
        Recorded::Replace { before, after } => {
            let present = read(workspace, &entry.path, twins)?;
            Ok(if present == *after {
                Condition::After
            } else if present == *before {
                Condition::Before
            } else if let (true, Some(present), Some(after)) = (power_loss, &present, after) {
                torn(present, after)
            } else {
                Condition::Foreign
            })
        }
        Recorded::Extend { at, bytes } => Ok(match tail(workspace, &entry.path, *at)? {
            None => Condition::Foreign,
            Some(tail) if tail.starts_with(bytes) => Condition::After,
            Some(tail) if tail.is_empty() => Condition::Before,
            Some(tail) => torn(&tail, bytes),
        }),
        Recorded::Cut { at, bytes } => Ok(match tail(workspace, &entry.path, *at)? {
            None => Condition::Foreign,
            Some(tail) if tail.is_empty() => Condition::After,
            Some(tail) if tail == *bytes => Condition::Before,
            Some(_) => Condition::Foreign,
        }),
    }
}

/// How content that is not what was meant compares with it, zeros standing for what did not reach the disk.
fn torn(present: &[u8], meant: &[u8]) -> Condition {
    if present.iter().zip(meant).any(|(found, meant)| found != meant && *found != 0) {
        Condition::Foreign
    } else if present.len() <= meant.len() {
        Condition::Torn
    } else if present.starts_with(meant) {
        Condition::Foreign
    } else {
        Condition::TornBelow
    }
}

/// The bytes from `at` on; `None` when the file is shorter or absent.
pub(super) fn tail(workspace: &Workspace, path: &RelPath, at: u64) -> Result<Option<Vec<u8>>, StoreError> {
    let file = workspace.resolve(path)?;
    match file.metadata() {
        Ok(found) if found.is_file() && found.len() >= at => {}
        Ok(found) if found.is_file() => return Ok(None),
        Ok(_) => return read_regular(&file).map_err(io_error(&file)),
        Err(error) if is_absence(&error) => return Ok(None),
        Err(error) => return Err(io_error(&file)(error)),
    }
    let read = || {
        let mut open = File::open(&file)?;
        open.seek(SeekFrom::Start(at))?;
        let mut tail = Vec::new();
        open.read_to_end(&mut tail)?;
        Ok(Some(tail))
    };
    read().map_err(io_error(&file))
}

/// Records and our state are for the person alone.
pub(super) fn privacy(workspace: &Workspace, file: &Path) -> Privacy {
    let private = [workspace.session_dir().as_str(), "metadata/native"];
    let inside = private.iter().any(|folder| file.starts_with(workspace.root().join(folder)));
    if inside { Privacy::Private } else { Privacy::Shared }
}

/// Removes folders that are empty; the innermost first.
pub(super) fn remove_empty(workspace: &Workspace, folders: &[String]) {
    for folder in folders.iter().rev() {
        if let Ok(path) = RelPath::new(folder).and_then(|folder| workspace.resolve(&folder)) {
            // A folder that holds something by now is not ours to remove.
            let _ = std::fs::remove_dir(path);
        }
    }
}

/// An operation on its way to its files.
pub(super) struct Placing<'a> {
    workspace: &'a Workspace,
    operation: &'a Operation,
    twins: Twins,
}

impl<'a> Placing<'a> {
    pub fn new(workspace: &'a Workspace, operation: &'a Operation) -> Placing<'a> {
        Placing { workspace, operation, twins: Twins::of(operation.entries.iter().map(|entry| &entry.path)) }
    }

    pub fn twins(&self) -> &Twins {
        &self.twins
    }

    /// Puts the chosen entries (by their place in the operation) in place. New contents are all written beside
    /// their targets first, so that a full disk shows before anything has changed; on an error, `placed` says
    /// which entries were begun.
    pub fn place(&self, chosen: &[usize], placed: &mut Vec<usize>) -> Result<(), StoreError> {
        let chosen = || chosen.iter().filter_map(|index| Some((*index, self.operation.entries.get(*index)?)));
        for (index, entry) in chosen() {
            self.stage(index, entry)?;
        }
        // Deletions first: on a case-folding disk the old name of a file may be the new one's too.
        for deletions in [true, false] {
            for (index, entry) in chosen().filter(|(_, entry)| entry.deletes() == deletions) {
                placed.push(index);
                self.place_one(index, entry)?;
            }
        }
        Ok(())
    }

    /// Takes back what `place` began.
    pub fn take_back(&self, placed: &[usize]) -> Result<(), StoreError> {
        self.sweep();
        let back: Vec<(usize, Entry)> = placed
            .iter()
            .rev()
            .filter_map(|index| Some((*index, self.operation.entries.get(*index)?.clone().reversed())))
            .collect();
        for deletions in [true, false] {
            for (index, entry) in back.iter().filter(|(_, entry)| entry.deletes() == deletions) {
                if condition(self.workspace, entry, &self.twins, false)? != Condition::After {
                    self.stage(*index, entry)?;
                    self.place_one(*index, entry)?;
                }
            }
        }
        remove_empty(self.workspace, &self.operation.origin.folders);
        Ok(())
    }

    /// Removes the temporary files that a begun placing left.
    pub fn sweep(&self) {
        for (index, entry) in self.operation.entries.iter().enumerate() {
            if let Ok(temporary) = self.temporary(index, entry)
                && temporary.exists()
            {
                let _ = disk::remove(&temporary);
            }
        }
    }

    /// The name is short whatever the target's, and starts with a dot so that no view lists it.
    fn temporary(&self, index: usize, entry: &Entry) -> Result<PathBuf, StoreError> {
        let target = self.workspace.resolve(&entry.path)?;
        Ok(target.with_file_name(format!(".reme-{}-{index}.tmp", self.operation.origin.id)))
    }

    fn stage(&self, index: usize, entry: &Entry) -> Result<(), StoreError> {
        let Recorded::Replace { after: Some(bytes), .. } = &entry.edit else { return Ok(()) };
        let target = self.workspace.resolve(&entry.path)?;
        if let Some(folder) = target.parent() {
            disk::create_folders(folder, |folder| privacy(self.workspace, folder))
                .map_err(io_error(folder))?;
        }
        let temporary = self.temporary(index, entry)?;
        let write = || {
            if temporary.exists() {
                disk::remove(&temporary)?;
            }
            let file = disk::write_new(&temporary, bytes, privacy(self.workspace, &target))?;
            // A file keeps the permissions that a person gave it.
            match target.metadata() {
                Ok(found) => file.set_permissions(found.permissions()),
                Err(_) => Ok(()),
            }
        };
        write().map_err(io_error(&target))
    }

    fn place_one(&self, index: usize, entry: &Entry) -> Result<(), StoreError> {
        let target = self.workspace.resolve(&entry.path)?;
        let done = match &entry.edit {
            Recorded::Replace { after: Some(_), .. } => disk::rename(&self.temporary(index, entry)?, &target),
            Recorded::Replace { after: None, .. } if self.twins.hides(&entry.path, &target) => Ok(()),
            Recorded::Replace { after: None, .. } => disk::remove(&target),
            Recorded::Extend { at, bytes } => target.metadata().and_then(|found| {
                if found.len() > *at {
                    disk::truncate(&target, *at)?;
                }
                disk::append(&target, bytes).map(drop)
            }),
            Recorded::Cut { at, .. } => disk::truncate(&target, *at),
        };
        done.map_err(io_error(&target))
    }
}

/// Files and folders that must reach the disk itself, each once for all the operations that touched it.
#[derive(Default)]
pub(super) struct Unsynced {
    files: BTreeSet<PathBuf>,
    folders: BTreeSet<PathBuf>,
}

impl Unsynced {
    /// Adds what an operation touched.
    pub fn add(&mut self, workspace: &Workspace, operation: &Operation) {
        // What leads out of the workspace by now is no longer the file that was written.
        let resolved = |path: &RelPath| workspace.resolve(path).ok();
        for entry in &operation.entries {
            let Some(file) = resolved(&entry.path) else { continue };
            self.folders.extend(file.parent().map(Path::to_owned));
            self.files.insert(file);
        }
        for made in &operation.origin.folders {
            let folder = RelPath::new(made).ok().and_then(|folder| resolved(&folder));
            self.folders.extend(folder.and_then(|folder| folder.parent().map(Path::to_owned)));
        }
    }

    /// Files before the folders that name them: a name must not reach the disk before its content.
    pub fn sync(&self) -> Result<(), StoreError> {
        each(&self.files, |file| disk::sync_path(file).map_err(io_error(file)))?;
        each(&self.folders, |folder| disk::sync_folder(folder).map_err(io_error(folder)))
    }
}

/// Does it for each path. A disk serves many waiting flushes in about the time of one, so many paths are shared
/// among threads that mostly wait.
fn each(
    paths: &BTreeSet<PathBuf>,
    sync: impl Fn(&Path) -> Result<(), StoreError> + Sync,
) -> Result<(), StoreError> {
    const MANY: usize = 256;
    const THREADS: usize = 16;
    if paths.len() < MANY {
        return paths.iter().try_for_each(|path| sync(path));
    }
    let paths: Vec<&PathBuf> = paths.iter().collect();
    std::thread::scope(|scope| {
        let parts = paths.chunks(paths.len().div_ceil(THREADS));
        let running: Vec<_> =
            parts.map(|part| scope.spawn(|| part.iter().try_for_each(|path| sync(path)))).collect();
        let lost = || io_error(Path::new("a flush"))(std::io::Error::other("its thread stopped"));
        running.into_iter().try_for_each(|thread| thread.join().unwrap_or_else(|_| Err(lost())))
    })
}
