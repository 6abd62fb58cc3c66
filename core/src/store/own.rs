//! The store's memory of its own writes, so that the watcher can tell them from others'.
//!
//! Owns what each path held when this store last wrote it; reads files only to compare. Called by the store.

use super::Hash;
use super::operation::{Entry, Recorded};
use crate::workspace::{RelPath, Workspace, is_absence};
use std::collections::HashMap;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

/// What a file was after the store's last write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Written {
    Absent,
    /// Its bytes from `from` on; a record that only grew is not read as a whole.
    Tail {
        from: u64,
        len: u64,
        hash: Hash,
    },
}

/// The last write of each path.
#[derive(Debug, Default)]
pub(super) struct OwnWrites(HashMap<RelPath, Written>);

impl OwnWrites {
    /// Remembers a write that was put in place.
    pub fn remember(&mut self, entry: &Entry) {
        let tail = |from: u64, bytes: &[u8]| {
            let len = from.saturating_add(u64::try_from(bytes.len()).unwrap_or(u64::MAX));
            Written::Tail { from, len, hash: Hash::of(bytes) }
        };
        let written = match &entry.edit {
            Recorded::Replace { after: None, .. } => Written::Absent,
            Recorded::Replace { after: Some(bytes), .. } => tail(0, bytes),
            Recorded::Extend { at, bytes } => tail(*at, bytes),
            Recorded::Cut { at, .. } => tail(*at, b""),
        };
        self.0.insert(entry.path.clone(), written);
    }

    /// Whether the path is now what the store wrote last.
    pub fn is_own(&self, workspace: &Workspace, path: &RelPath) -> bool {
        let Some(written) = self.0.get(path) else { return false };
        let Ok(file) = workspace.resolve(path) else { return false };
        present(&file, *written).is_ok_and(|same| same)
    }
}

fn present(path: &Path, written: Written) -> std::io::Result<bool> {
    let found = match path.symlink_metadata() {
        Err(error) if is_absence(&error) => return Ok(written == Written::Absent),
        found => found?,
    };
    let Written::Tail { from, len, hash } = written else { return Ok(false) };
    if !found.is_file() || found.len() != len {
        return Ok(false);
    }
    let mut file = File::open(path)?;
    file.seek(SeekFrom::Start(from))?;
    let mut tail = Vec::new();
    file.read_to_end(&mut tail)?;
    Ok(Hash::of(&tail) == hash)
}
