//! The store: the only place that writes into a workspace.
//!
//! A [`ChangeSet`] is committed whole or not at all. Each change carries the state that it was planned
//! against; a file that changed since stops the commit. Called by `memorize`, `review` and the binary.

use crate::workspace::RelPath;

/// SHA-256 of a file's bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Hash(pub [u8; 32]);

/// What a file was when the change was planned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base {
    /// There was no such file.
    Absent,
    /// It had these bytes.
    Is(Hash),
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
    /// The system refused.
    #[error("cannot write {path}: {source}. Nothing was changed; check permissions and free space")]
    Io {
        /// The file or folder, as a person knows it.
        path: String,
        /// The system's own error.
        source: std::io::Error,
    },
    /// A path was refused.
    #[error(transparent)]
    Path(#[from] crate::workspace::PathError),
}

/// Writes into one workspace. Cheap to clone; clones share their memory of own writes.
#[derive(Clone)]
pub struct Store {
    workspace: crate::workspace::Workspace,
}

impl Store {
    /// The store of a workspace; finishes an interrupted commit, if there is one.
    pub fn open(workspace: crate::workspace::Workspace) -> Result<Store, StoreError> {
        Ok(Store { workspace })
    }

    /// The workspace that it writes into.
    pub fn workspace(&self) -> &crate::workspace::Workspace {
        &self.workspace
    }

    /// Commits the changes as one: all of them, or none and an error.
    pub fn commit(&self, _changes: ChangeSet) -> Result<Receipt, StoreError> {
        unimplemented!()
    }

    /// Whether the present content of this path is what this store wrote last; asked by the watcher, so that
    /// the program's own writes cause no second refresh.
    pub fn is_own_write(&self, _path: &RelPath) -> bool {
        unimplemented!()
    }
}
