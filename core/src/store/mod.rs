//! The store: the only place that writes into a workspace.
//!
//! A [`ChangeSet`] is committed whole or not at all. Each change carries the state that it was planned
//! against; a file that changed since stops the commit. Called by `memorize`, `review` and the binary.
//!
//! A commit writes one operation file with every file's bytes before and after, and flushes it; from then on a
//! crash at any point is repaired from it. Then the files are put in place. They are brought to the disk
//! itself later, several commits at a time, and only then is the operation moved to the undo records.

use crate::workspace::{PathError, RelPath, Workspace, read_regular};
use own::OwnWrites;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

mod apply;
mod commit;
mod disk;
mod lock;
mod operation;
mod own;
mod recover;
mod undo;

#[cfg(test)]
mod tests;

pub use undo::{GoesBack, LogEntry};

/// SHA-256 of a file's bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Hash(pub [u8; 32]);

impl Hash {
    /// The hash of these bytes.
    pub fn of(bytes: &[u8]) -> Hash {
        Hash(Sha256::digest(bytes).into())
    }

    /// Its 64 hexadecimal digits.
    pub fn to_hex(self) -> String {
        operation::hex(self)
    }
}

/// What a file was when the change was planned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base {
    /// There was no such file.
    Absent,
    /// It had these bytes.
    Is(Hash),
}

impl Base {
    /// The base of a file that was read as `present`.
    pub fn of(present: Option<&[u8]>) -> Base {
        present.map_or(Base::Absent, |bytes| Base::Is(Hash::of(bytes)))
    }
}

/// What becomes of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Edit {
    /// These bytes, whole.
    Write(Vec<u8>),
    /// These bytes after the present `len` bytes.
    Append {
        /// The length that the file had when this was planned.
        len: u64,
        /// What is added.
        bytes: Vec<u8>,
    },
    /// No file.
    Delete,
}

/// One file's change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Which file.
    pub path: RelPath,
    /// What it was planned against; not looked at for [`Edit::Append`].
    pub base: Base,
    /// What becomes of it.
    pub edit: Edit,
}

/// What is committed as one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChangeSet {
    /// A line for the log: `memorize session-a`.
    pub summary: String,
    /// The changes; at most one for a path.
    pub changes: Vec<Change>,
}

/// What a commit did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Receipt {
    /// The operation's id, for undo; empty when nothing had to be written.
    pub operation: String,
    /// The files that were written, moved or deleted.
    pub paths: Vec<RelPath>,
}

/// Something in the journal that was not carried out; the person should look at it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// The operation, by its file's name; empty when the whole journal is meant.
    pub operation: String,
    /// What was found and what to do.
    pub message: String,
}

/// What the store must know about the machine that it runs on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreOptions {
    /// The same for every run on this machine, different on another: a journal that was synced here from
    /// elsewhere is not replayed.
    pub machine: String,
    /// Which start of the machine this is; empty where the system does not tell, which makes commits slower.
    pub boot: String,
    /// Whether commits survive a power loss; without, they only survive the death of the process.
    pub durable: bool,
}

impl StoreOptions {
    /// What the system says of itself.
    pub fn of_this_machine() -> StoreOptions {
        let read = |file: &str| std::fs::read_to_string(file).unwrap_or_default().trim().to_owned();
        // The machine's id is nobody else's business, so it leaves `/etc` as a hash only.
        let machine = Hash::of(format!("reme {}", read("/etc/machine-id")).as_bytes()).to_hex();
        StoreOptions {
            machine: machine.chars().take(16).collect(),
            boot: read("/proc/sys/kernel/random/boot_id"),
            durable: true,
        }
    }
}

/// Why nothing was written.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// A file changed since the change was planned.
    #[error(
        "{path} changed on disk since this was proposed; nothing was written. Look at it again, then accept"
    )]
    Conflict {
        /// Which file.
        path: RelPath,
    },
    /// A file changed since the commit that is to be taken back.
    #[error("{path} changed since then; nothing was taken back")]
    CannotUndo {
        /// Which file.
        path: RelPath,
    },
    /// The system refused.
    #[error("cannot write {path}: {source}. Nothing was changed; check permissions and free space")]
    Io {
        /// The file or folder, as a person knows it.
        path: String,
        /// The system's own error.
        source: io::Error,
    },
    /// The system refused in the middle, and again on the way back.
    #[error(
        "the change could neither be finished nor taken back: {source}. It is recorded and will be finished \
         when the workspace is opened next; check permissions and free space"
    )]
    Unfinished {
        /// What stopped it.
        source: Box<StoreError>,
    },
    /// A later version of the program has been here.
    #[error("this workspace can only be read: {why}. Use the newer version of reme to write into it")]
    ReadOnly {
        /// What was found.
        why: String,
    },
    /// There is no such commit, or it is too old to be taken back.
    #[error("there is no commit {id:?} that can be taken back; `reme log` lists those that can")]
    UnknownOperation {
        /// What was asked for.
        id: String,
    },
    /// A path was refused.
    #[error(transparent)]
    Path(#[from] PathError),
}

impl StoreError {
    fn newer(format: u32) -> StoreError {
        StoreError::ReadOnly { why: format!("a newer version left a record of format {format}") }
    }
}

fn io_error(path: &Path) -> impl FnOnce(io::Error) -> StoreError + '_ {
    move |source| StoreError::Io { path: path.display().to_string(), source }
}

/// The files by which the store itself lives; no change may touch them.
fn is_state(path: &RelPath) -> bool {
    let path = path.nfc().to_lowercase();
    path.strip_prefix("metadata/native/").is_some_and(|rest| {
        matches!(rest.split('/').next(), Some("journal" | "undo" | "lock" | "store.json" | ".gitignore"))
    })
}

/// Writes into one workspace. Cheap to clone; clones share their memory of own writes.
#[derive(Clone)]
pub struct Store {
    inner: Arc<Inner>,
}

struct Inner {
    workspace: Workspace,
    options: StoreOptions,
    own: Mutex<OwnWrites>,
    reports: Mutex<Vec<Report>>,
    /// Whether this store left operations that wait for their sync.
    waiting: AtomicBool,
    /// The last operation's number.
    last: AtomicI64,
    /// The highest number of a page of the journal whose name is known to be on the disk.
    pages: AtomicI64,
}

/// The store's own facts about the workspace: `metadata/native/store.json`.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct State {
    format: u32,
    workspace: String,
}

/// The store while it holds the workspace's lock.
struct Locked<'a> {
    inner: &'a Inner,
    native: PathBuf,
    state: State,
    _lock: lock::Lock,
}

impl std::fmt::Debug for Store {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Store").field("workspace", &self.inner.workspace).finish_non_exhaustive()
    }
}

impl Store {
    /// The store of a workspace; finishes an interrupted commit, if there is one. Writes nothing otherwise.
    pub fn open(workspace: Workspace) -> Result<Store, StoreError> {
        Store::open_with(workspace, StoreOptions::of_this_machine())
    }

    /// The same with the machine's facts given.
    pub fn open_with(workspace: Workspace, options: StoreOptions) -> Result<Store, StoreError> {
        let inner = Inner {
            workspace,
            options,
            own: Mutex::default(),
            reports: Mutex::default(),
            waiting: AtomicBool::new(false),
            last: AtomicI64::new(0),
            pages: AtomicI64::new(0),
        };
        let pending = recover::pending(&inner.native()?.join("journal"))?;
        // Browsing must go on where the journal cannot be cleared.
        let trouble = match inner.newer()? {
            Some(format) => Some(StoreError::newer(format)),
            None if recover::needs_recovery(&pending, &inner.options.boot) => inner.lock().err(),
            None => None,
        };
        if let Some(error) = trouble {
            let message = format!("the journal in metadata/native/journal was not looked at: {error}");
            inner.report(Report { operation: String::new(), message });
        }
        Ok(Store { inner: Arc::new(inner) })
    }

    /// The workspace that it writes into.
    pub fn workspace(&self) -> &Workspace {
        &self.inner.workspace
    }

    /// Why nothing can be written here, when a newer version of the program has been at work.
    pub fn read_only(&self) -> Option<String> {
        let format = self.inner.newer().ok().flatten()?;
        Some(StoreError::newer(format).to_string())
    }

    /// What was found in the journal and not carried out.
    pub fn reports(&self) -> Vec<Report> {
        guard(&self.inner.reports).clone()
    }

    /// Commits the changes as one: all of them, or none and an error.
    pub fn commit(&self, changes: ChangeSet) -> Result<Receipt, StoreError> {
        if changes.changes.is_empty() {
            return Ok(Receipt::default());
        }
        self.inner.lock()?.commit(changes)
    }

    /// Plans and commits under one lock, so that no other process writes in between. `plan` also gives what the
    /// caller wants to keep of it; it must not commit itself.
    pub fn commit_with<T, E: From<StoreError>>(
        &self,
        plan: impl FnOnce() -> Result<(ChangeSet, T), E>,
    ) -> Result<(Receipt, T), E> {
        let locked = self.inner.lock()?;
        let (changes, kept) = plan()?;
        Ok((locked.commit(changes)?, kept))
    }

    /// Brings what was committed to the disk itself now; otherwise that happens a few commits later, or when
    /// the last clone is dropped.
    pub fn settle(&self) -> Result<(), StoreError> {
        self.inner.settle()
    }

    /// Whether the present content of this path is what this store wrote last; asked by the watcher, so that
    /// the program's own writes cause no second refresh.
    pub fn is_own_write(&self, path: &RelPath) -> bool {
        guard(&self.inner.own).is_own(&self.inner.workspace, path)
    }
}

impl Inner {
    fn native(&self) -> Result<PathBuf, StoreError> {
        Ok(self.workspace.resolve(&RelPath::new("metadata/native")?)?)
    }

    /// The format of a newer version's state or operation, if there is one.
    fn newer(&self) -> Result<Option<u32>, StoreError> {
        let native = self.native()?;
        if let Some(format) = State::newer(&native.join("store.json"))? {
            return Ok(Some(format));
        }
        let pending = recover::pending(&native.join("journal"))?;
        Ok(pending.iter().find_map(|one| match recover::read_header(&one.file) {
            Err(operation::Unreadable::Newer(format)) => Some(format),
            _ => None,
        }))
    }

    /// Takes the lock, and finishes what an interrupted commit left, so that every commit starts from a whole
    /// workspace.
    fn lock(&self) -> Result<Locked<'_>, StoreError> {
        let native = self.native()?;
        for name in ["journal", "undo", "lock", "store.json"] {
            self.workspace.resolve(&RelPath::new(&format!("metadata/native/{name}"))?)?;
        }
        for folder in [native.join("journal"), native.join("undo")] {
            disk::create_folders(&folder, |folder| apply::privacy(&self.workspace, folder))
                .map_err(io_error(&folder))?;
        }
        let lock = lock::Lock::acquire(&native)?;
        let state = State::load_or_create(&native, self)?;
        let locked = Locked { inner: self, native, state, _lock: lock };
        locked.recover()?;
        Ok(locked)
    }

    fn settle(&self) -> Result<(), StoreError> {
        if !self.waiting.load(Ordering::Relaxed) {
            return Ok(());
        }
        self.lock()?.retire()?;
        self.waiting.store(false, Ordering::Relaxed);
        Ok(())
    }

    fn remember(&self, entries: &[operation::Entry]) {
        let mut own = guard(&self.own);
        entries.iter().for_each(|entry| own.remember(entry));
    }

    fn report(&self, report: Report) {
        let mut reports = guard(&self.reports);
        if !reports.contains(&report) {
            tracing::warn!("{}", report.message);
            reports.push(report);
        }
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        if let Err(error) = self.settle() {
            tracing::warn!("{error}");
        }
    }
}

/// What these locks guard is whole between statements, so a panic elsewhere does not spoil it.
fn guard<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl State {
    fn load_or_create(native: &Path, inner: &Inner) -> Result<State, StoreError> {
        let file = native.join("store.json");
        if let Some(format) = State::newer(&file)? {
            return Err(StoreError::newer(format));
        }
        match read_regular(&file).map_err(io_error(&file))? {
            Some(bytes) => serde_json::from_slice(&bytes).map_err(|error| io_error(&file)(error.into())),
            None => State::create(native, &file, inner),
        }
    }

    /// Looks at the format alone: a newer version may have given the rest another shape.
    fn newer(file: &Path) -> Result<Option<u32>, StoreError> {
        let Some(bytes) = read_regular(file).map_err(io_error(file))? else { return Ok(None) };
        let state: serde_json::Value = serde_json::from_slice(&bytes).unwrap_or_default();
        let format = state.get("format").and_then(serde_json::Value::as_u64);
        Ok(format
            .map(|format| u32::try_from(format).unwrap_or(u32::MAX))
            .filter(|format| *format > operation::FORMAT))
    }

    /// The id only has to differ between workspaces, so that a journal copied from one to the other is
    /// recognised.
    fn create(native: &Path, file: &Path, inner: &Inner) -> Result<State, StoreError> {
        let (root, now) = (inner.workspace.root().display(), inner.workspace.now().timestamp_micros());
        let seed = format!("{root} {now} {} {}", std::process::id(), inner.options.machine);
        let state = State {
            format: operation::FORMAT,
            workspace: Hash::of(seed.as_bytes()).to_hex().chars().take(16).collect(),
        };
        let bytes = serde_json::to_vec(&state).map_err(|error| io_error(file)(error.into()))?;
        let write = || {
            for (target, bytes) in [(native.join(".gitignore"), b"*\n".to_vec()), (file.to_owned(), bytes)] {
                let temporary = target.with_extension("tmp");
                disk::remove(&temporary)?;
                let written = disk::write_new(&temporary, &bytes, disk::Privacy::Private)?;
                if inner.options.durable {
                    disk::sync(&written, &temporary)?;
                }
                disk::rename(&temporary, &target)?;
            }
            // The folders of the state must be found again before a commit relies on what they hold.
            let made = native.ancestors().take_while(|folder| folder.starts_with(inner.workspace.root()));
            made.filter(|_| inner.options.durable).try_for_each(disk::sync_folder)
        };
        write().map_err(io_error(file))?;
        Ok(state)
    }
}
