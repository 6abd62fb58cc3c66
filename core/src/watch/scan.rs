//! Looking at every file, where the system gives no events.
//!
//! Compares sizes and times, opens nothing. Called by the watcher.

use super::scope::{self, Scope};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::SystemTime;

/// Size and time of each file.
pub(super) type Seen = BTreeMap<PathBuf, (u64, Option<SystemTime>)>;

pub(super) fn sizes_and_times(scope: &Scope) -> Seen {
    let files = scope.targets().flat_map(|folder| scope::visible_files(&folder));
    files
        .filter_map(|file| {
            let found = file.metadata().ok()?;
            Some((file.into_path(), (found.len(), found.modified().ok())))
        })
        .collect()
}

/// The files that are only in one, or differ.
pub(super) fn differences<'a>(before: &'a Seen, now: &'a Seen) -> impl Iterator<Item = &'a PathBuf> {
    let gone = before.keys().filter(|path| !now.contains_key(*path));
    let changed = now.iter().filter(|(path, seen)| before.get(*path) != Some(seen)).map(|(path, _)| path);
    gone.chain(changed)
}
