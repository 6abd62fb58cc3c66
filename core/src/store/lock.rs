//! The lock of a workspace: one writer at a time, held only while committing or recovering.
//!
//! Owns `metadata/native/lock`; the system drops the lock when its holder dies. Called by the store alone.

use super::{StoreError, io_error};
use std::fs::{File, OpenOptions};
use std::path::Path;

/// Held until dropped.
pub(super) struct Lock {
    _file: File,
}

impl Lock {
    /// Waits for the lock of the state folder, which exists.
    pub fn acquire(native: &Path) -> Result<Lock, StoreError> {
        let path = native.join("lock");
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(&path).map_err(io_error(&path))?;
        file.lock().map_err(io_error(&path))?;
        Ok(Lock { _file: file })
    }
}
