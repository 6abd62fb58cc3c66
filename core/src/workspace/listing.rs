//! Listings: which files of a workspace may be read as its own.
//!
//! Hidden folders, pipes, devices, links that leave the workspace and names that no path can hold are left out.
//! Reads folders, never files. Called by `memorize` and `catalog`.

use super::{RelPath, Workspace, day, is_absence};
use chrono::NaiveDate;
use std::io;

impl Workspace {
    /// The files directly in a folder, in no order; none when there is no such folder.
    pub fn list(&self, folder: &RelPath) -> io::Result<Vec<RelPath>> {
        let path =
            self.resolve(folder).map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, error))?;
        let entries = match std::fs::read_dir(path) {
            Ok(entries) => entries,
            Err(error) if is_absence(&error) => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let mut files = Vec::new();
        for entry in entries {
            let entry = entry?;
            let kind = entry.file_type()?;
            if !kind.is_file() && !kind.is_symlink() {
                continue;
            }
            let Some(path) = entry.file_name().to_str().and_then(|name| folder.join(name).ok()) else {
                continue;
            };
            if kind.is_file() || self.resolve(&path).is_ok_and(|target| target.is_file()) {
                files.push(path);
            }
        }
        Ok(files)
    }

    /// The days that have a folder or a page, newest first.
    pub fn days(&self) -> Vec<NaiveDate> {
        let Ok(entries) =
            self.resolve(self.daily_dir()).map_err(io::Error::other).and_then(std::fs::read_dir)
        else {
            return Vec::new();
        };
        let mut days: Vec<NaiveDate> = entries
            .filter_map(Result::ok)
            .filter_map(|entry| {
                let name = entry.file_name();
                let name = name.to_str()?;
                day::exact(name.strip_suffix(".md").unwrap_or(name))
            })
            .collect();
        days.sort_unstable_by(|a, b| b.cmp(a));
        days.dedup();
        days
    }

    /// Every Markdown file that may link to a card; our own state and hidden folders are none.
    pub fn markdown_files(&self) -> Vec<RelPath> {
        let walk = walkdir::WalkDir::new(self.root()).follow_links(false).into_iter();
        let ours = self.root().join("metadata");
        walk.filter_entry(|entry| {
            let hidden = entry.file_name().to_str().is_some_and(|name| name.starts_with('.'));
            entry.depth() == 0 || (!hidden && entry.path() != ours)
        })
        .filter_map(Result::ok)
        .filter(|entry| entry.file_type().is_file() && entry.path().extension().is_some_and(|e| e == "md"))
        .filter_map(|entry| {
            let inside = entry.path().strip_prefix(self.root()).ok()?;
            let parts: Option<Vec<&str>> =
                inside.components().map(|part| part.as_os_str().to_str()).collect();
            RelPath::new(&parts?.join("/")).ok()
        })
        .collect()
    }
}
