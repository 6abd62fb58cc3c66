//! Which folders are watched, and which of their paths concern the workspace.
//!
//! Looks at what is on disk now, whatever an event said. Called by the watcher.

use crate::workspace::{RelPath, Workspace};
use notify_debouncer_full::notify::RecursiveMode;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use walkdir::{DirEntry, WalkDir};

/// A new folder with more files than this is reported as one, to be read whole.
const MANY: usize = 256;

pub(super) struct Scope {
    root: PathBuf,
    /// The root as the system spells it, where events use that.
    canonical: Option<PathBuf>,
    targets: Vec<RelPath>,
}

impl Scope {
    pub fn new(workspace: &Workspace) -> Scope {
        let root = workspace.root().to_owned();
        let canonical = root.canonicalize().ok().filter(|canonical| *canonical != root);
        let targets = vec![workspace.daily_dir().clone(), workspace.session_dir().clone()];
        Scope { root, canonical, targets }
    }

    /// The folders to watch, outer before inner: those of days and sessions with all below them, and each
    /// folder above them, for the time when they do not exist.
    pub fn folders(&self) -> Vec<(PathBuf, RecursiveMode)> {
        let mut above: BTreeSet<PathBuf> = BTreeSet::new();
        above.extend(self.root.ancestors().find(|folder| folder.is_dir()).map(Path::to_owned));
        above.insert(self.root.clone());
        for target in &self.targets {
            let mut parent = target.parent();
            while let Some(folder) = parent {
                above.insert(self.root.join(folder.as_str()));
                parent = folder.parent();
            }
        }
        let above = above.into_iter().map(|folder| (folder, RecursiveMode::NonRecursive));
        let below = self.targets().map(|folder| (folder, RecursiveMode::Recursive));
        above.chain(below).collect()
    }

    /// The folders whose files are watched.
    pub fn targets(&self) -> impl Iterator<Item = PathBuf> {
        self.targets.iter().map(|target| self.root.join(target.as_str()))
    }

    /// Adds what a reader has to look at when something happened at `path`: the file itself, the files of a
    /// folder that is there, the folder that is gone. What this program wrote is left out.
    pub fn add_changed(
        &self,
        path: &Path,
        is_own: &dyn Fn(&RelPath) -> bool,
        changed: &mut BTreeSet<RelPath>,
    ) {
        let Some(relative) = self.relative(path) else { return };
        if relative.as_os_str().is_empty() {
            return self.targets().filter(|target| target.is_dir()).for_each(|target| {
                self.add_changed(&target, is_own, changed);
            });
        }
        if !relative.components().all(|part| is_visible(&part.as_os_str().to_string_lossy())) {
            return;
        }
        let Some(named) = named(relative) else {
            // A name that nothing here can carry: the folder's reader warns of it.
            changed.extend(relative.parent().and_then(named).filter(|parent| self.concerns(parent)));
            return;
        };
        if !self.concerns(&named) {
            return;
        }
        if !path.symlink_metadata().is_ok_and(|found| found.is_dir()) {
            if !is_own(&named) {
                changed.insert(named);
            }
            return;
        }
        let files: Vec<DirEntry> = visible_files(path).take(MANY).collect();
        if files.len() == MANY {
            changed.insert(named);
            return;
        }
        for file in files {
            match self.relative(file.path()).and_then(self::named) {
                Some(file) if is_own(&file) || !self.concerns(&file) => {}
                Some(file) => drop(changed.insert(file)),
                None => drop(changed.insert(named.clone())),
            }
        }
    }

    /// Whether it is in a watched folder, is one, or holds one.
    fn concerns(&self, path: &RelPath) -> bool {
        self.targets.iter().any(|target| path == target || path.is_under(target) || target.is_under(path))
    }

    fn relative<'a>(&self, path: &'a Path) -> Option<&'a Path> {
        let canonical = || path.strip_prefix(self.canonical.as_ref()?).ok();
        path.strip_prefix(&self.root).ok().or_else(canonical)
    }
}

/// The files below a folder; neither hidden ones, which belong to other programs, nor what links lead to.
pub(super) fn visible_files(folder: &Path) -> impl Iterator<Item = DirEntry> + use<> {
    let entries = WalkDir::new(folder).min_depth(1).into_iter();
    let visible = entries.filter_entry(|entry| is_visible(&entry.file_name().to_string_lossy()));
    visible.filter_map(Result::ok).filter(|entry| !entry.file_type().is_dir())
}

fn is_visible(name: &str) -> bool {
    !name.starts_with('.')
}

/// The path as the rest of the program names it, with `/`.
fn named(relative: &Path) -> Option<RelPath> {
    let parts: Option<Vec<&str>> = relative.components().map(|part| part.as_os_str().to_str()).collect();
    RelPath::new(&parts?.join("/")).ok()
}
