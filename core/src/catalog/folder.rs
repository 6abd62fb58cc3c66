//! What lies in the workspace's folders: names and kinds, without opening a file.
//!
//! Follows no symbolic link out of the workspace and passes over what is no file. Called by the catalogue.

use super::SessionEntry;
use crate::workspace::{RelPath, Workspace, day};
use chrono::NaiveDate;
use std::ffi::OsString;
use std::fs::{DirEntry, FileType};
use std::io::ErrorKind;

/// What the folder of days holds.
#[derive(Default)]
pub(super) struct Daily {
    pub pages: Vec<(NaiveDate, RelPath)>,
    pub folders: Vec<NaiveDate>,
}

pub(super) fn daily(workspace: &Workspace, warnings: &mut Vec<String>) -> Daily {
    let mut daily = Daily::default();
    for Found { path, kind, .. } in entries(workspace, workspace.daily_dir(), warnings) {
        let page = path.file_name().strip_suffix(".md").and_then(day::exact);
        let folder = day::exact(path.file_name());
        match (page, folder, &kind) {
            (Some(date), _, Kind::File) => daily.pages.push((date, path)),
            (_, Some(date), Kind::Folder) => daily.folders.push(date),
            (Some(_), ..) | (_, Some(_), Kind::Refused(_)) => warnings.extend(passed_over(&path, &kind)),
            _ if is_conflict_copy(&path) => {
                warnings
                    .push(format!("{path}: it is a copy that a sync left; take what you need and delete it"));
            }
            _ => {}
        }
    }
    daily
}

/// Whether a sync program put this beside a day page because two machines had changed it.
pub(super) fn is_conflict_copy(path: &RelPath) -> bool {
    let name = path.file_name().to_lowercase();
    name.ends_with(".md") && ["conflicted copy", "sync-conflict"].iter().any(|mark| name.contains(mark))
}

/// The cards of a day, in file-name order.
pub(super) fn cards(workspace: &Workspace, date: NaiveDate, warnings: &mut Vec<String>) -> Vec<RelPath> {
    let mut cards = Vec::new();
    for Found { path, kind, .. } in entries(workspace, &workspace.day_folder(date), warnings) {
        if path.file_name().ends_with(".md") {
            match kind {
                Kind::File => cards.push(path),
                _ => warnings.extend(passed_over(&path, &kind)),
            }
        }
    }
    cards.sort_by(|a, b| a.as_str().cmp(b.as_str()));
    cards
}

/// The records, by session id.
pub(super) fn sessions(workspace: &Workspace, warnings: &mut Vec<String>) -> Vec<SessionEntry> {
    let mut sessions = Vec::new();
    for Found { path, kind, entry } in entries(workspace, &workspace.dialog_folder(), warnings) {
        let Some(id) = path.file_name().strip_suffix(".jsonl") else { continue };
        match kind {
            Kind::File => sessions.extend(size(workspace, &path, &entry).map(|size| SessionEntry {
                id: id.to_owned(),
                path: path.clone(),
                size,
            })),
            _ => warnings.extend(passed_over(&path, &kind)),
        }
    }
    sessions.sort_by(|a, b| a.id.cmp(&b.id));
    sessions
}

/// Whether the path is a file that may be read.
pub(super) fn is_file(workspace: &Workspace, path: &RelPath) -> bool {
    workspace.resolve(path).is_ok_and(|file| file.is_file())
}

/// Why a day page that exists is no file that may be read.
pub(super) fn page_warning(workspace: &Workspace, path: &RelPath) -> Option<String> {
    let found = workspace.root().join(path.as_str()).symlink_metadata().ok()?;
    passed_over(path, &kind(workspace, path, found.file_type()))
}

/// The size of a record, asking the disk as little as can be: there are many.
fn size(workspace: &Workspace, path: &RelPath, entry: &DirEntry) -> Option<u64> {
    let found = entry.metadata().ok()?;
    if !found.is_symlink() {
        return Some(found.len());
    }
    Some(workspace.resolve(path).ok()?.metadata().ok()?.len())
}

/// An entry of a folder.
struct Found {
    path: RelPath,
    kind: Kind,
    entry: DirEntry,
}

enum Kind {
    File,
    Folder,
    Other,
    Refused(String),
}

fn kind(workspace: &Workspace, path: &RelPath, file_type: FileType) -> Kind {
    if !file_type.is_symlink() {
        return plain_kind(file_type);
    }
    match workspace.resolve(path) {
        Ok(target) => target.metadata().map_or(Kind::Other, |found| plain_kind(found.file_type())),
        Err(error) => Kind::Refused(error.why),
    }
}

fn plain_kind(file_type: FileType) -> Kind {
    match (file_type.is_file(), file_type.is_dir()) {
        (true, _) => Kind::File,
        (_, true) => Kind::Folder,
        _ => Kind::Other,
    }
}

fn passed_over(path: &RelPath, kind: &Kind) -> Option<String> {
    match kind {
        Kind::File => None,
        Kind::Folder => Some(format!("{path}: it is a folder, not a file; left alone")),
        Kind::Other => Some(format!("{path}: it is a pipe or a device, not a file; left alone")),
        Kind::Refused(why) => Some(format!("{path}: {why}")),
    }
}

/// The entries of a folder; a folder that does not exist is empty.
fn entries(workspace: &Workspace, folder: &RelPath, warnings: &mut Vec<String>) -> Vec<Found> {
    let directory = match workspace.resolve(folder) {
        Ok(directory) => directory,
        Err(error) => {
            warnings.push(format!("{folder}: {}", error.why));
            return Vec::new();
        }
    };
    let listing = match directory.read_dir() {
        Ok(listing) => listing,
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Vec::new();
        }
        Err(error) => {
            warnings.push(format!("{folder}: cannot be listed: {error}"));
            return Vec::new();
        }
    };
    let mut entries = Vec::new();
    for entry in listing {
        let found = entry.and_then(|entry| Ok((entry.file_type()?, entry)));
        match found {
            Ok((file_type, entry)) => match checked(folder, entry.file_name()) {
                Ok(path) => entries.push(Found { kind: kind(workspace, &path, file_type), path, entry }),
                Err(warning) => warnings.extend(warning),
            },
            // Gone between the listing and the look.
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => warnings.push(format!("{folder}: an entry cannot be listed: {error}")),
        }
    }
    entries
}

/// The path of an entry, or a warning; none for hidden files, which belong to other programs.
fn checked(folder: &RelPath, name: OsString) -> Result<RelPath, Option<String>> {
    if name.as_encoded_bytes().starts_with(b".") {
        return Err(None);
    }
    let Some(text) = name.to_str() else {
        let shown = name.to_string_lossy();
        return Err(Some(format!(
            "{folder}/{shown}: the name is not UTF-8; left alone, rename it to use it"
        )));
    };
    folder
        .join(text)
        .map_err(|error| Some(format!("{folder}/{text}: the name cannot be used: {}", error.why)))
}
