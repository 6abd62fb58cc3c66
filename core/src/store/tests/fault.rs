//! Stops, fails or forgets at a chosen step of the disk's work.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The exit status of a process that was stopped on purpose.
pub const STOPPED: i32 = 99;

/// What the disk is about to do, or (for the two last) has just done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    Folder,
    Create,
    Append,
    Rename,
    Remove,
    Synced,
    FolderSynced,
}

/// What is lost when the process is stopped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Loss {
    /// Nothing: the process was killed, the system lives.
    #[default]
    None,
    /// Half of the write at which it stops.
    HalfAWrite,
    /// Every step that was not synced, as if the power went.
    Unsynced,
    /// Every content that was not synced; names stay, and lead to empty files.
    UnsyncedContent,
}

#[derive(Default)]
struct Plan {
    count: usize,
    stop_at: Option<usize>,
    loss: Loss,
    half: Option<PathBuf>,
    fail_at: Option<(usize, io::ErrorKind)>,
    platter: Platter,
}

/// What would be on the disk itself.
#[derive(Default)]
struct Platter {
    durable: HashMap<PathBuf, Option<Vec<u8>>>,
    content_synced: HashSet<PathBuf>,
    name_unsynced: HashSet<PathBuf>,
}

thread_local! {
    static PLAN: RefCell<Plan> = RefCell::default();
}

/// Stops the process at the given step, counted from 0.
pub fn stop_at(step: usize, loss: Loss) {
    PLAN.with_borrow_mut(|plan| *plan = Plan { stop_at: Some(step), loss, ..Plan::default() });
}

/// Lets the given step fail, once.
pub fn fail_at(step: usize, kind: io::ErrorKind) {
    PLAN.with_borrow_mut(|plan| *plan = Plan { fail_at: Some((step, kind)), ..Plan::default() });
}

/// Ends all that, and says how many steps there were.
pub fn reset() -> usize {
    PLAN.with_borrow_mut(|plan| std::mem::take(plan).count)
}

pub fn step(step: Step, paths: &[&Path]) -> io::Result<()> {
    PLAN.with_borrow_mut(|plan| {
        let now = plan.count;
        plan.count += 1;
        let has_happened = matches!(step, Step::Synced | Step::FolderSynced);
        if plan.stop_at.is_some_and(|at| at != now || has_happened) {
            plan.platter.note(step, paths);
        }
        if plan.stop_at == Some(now) {
            match (plan.loss, step) {
                (Loss::HalfAWrite, Step::Create | Step::Append) => plan.half = Some(paths[0].to_owned()),
                _ => plan.stop(),
            }
        }
        match plan.fail_at {
            Some((at, kind)) if at == now => Err(kind.into()),
            _ => Ok(()),
        }
    })
}

pub fn stops_within(path: &Path) -> bool {
    PLAN.with_borrow(|plan| plan.half.as_deref() == Some(path))
}

pub fn stop() -> ! {
    std::process::exit(STOPPED)
}

impl Plan {
    fn stop(&self) -> ! {
        match self.loss {
            Loss::None | Loss::HalfAWrite => {}
            Loss::Unsynced => {
                for (path, content) in &self.platter.durable {
                    match content {
                        Some(bytes) => fs::write(path, bytes).unwrap(),
                        None => drop(fs::remove_file(path)),
                    }
                }
            }
            Loss::UnsyncedContent => {
                for path in self.platter.durable.keys().filter(|path| path.exists()) {
                    if !self.platter.content_synced.contains(path) {
                        let grown = self.platter.durable[path]
                            .clone()
                            .filter(|_| !self.platter.name_unsynced.contains(path));
                        let len = fs::metadata(path).unwrap().len() as usize;
                        let mut left = grown.unwrap_or_default();
                        left.resize(if left.is_empty() { 0 } else { len }, 0);
                        fs::write(path, left).unwrap();
                    }
                }
            }
        }
        stop()
    }
}

impl Platter {
    fn touch(&mut self, path: &Path) {
        self.durable.entry(path.to_owned()).or_insert_with(|| fs::read(path).ok());
    }

    fn note(&mut self, step: Step, paths: &[&Path]) {
        let path = paths[0];
        match step {
            Step::Folder => {}
            Step::Create | Step::Remove => {
                self.touch(path);
                self.content_synced.remove(path);
                self.name_unsynced.insert(path.to_owned());
            }
            Step::Append => {
                self.touch(path);
                self.content_synced.remove(path);
            }
            Step::Rename => {
                let to = paths[1];
                self.touch(path);
                self.touch(to);
                let known = self.content_synced.remove(path);
                if known {
                    self.content_synced.insert(to.to_owned())
                } else {
                    self.content_synced.remove(to)
                };
                self.name_unsynced.extend([path.to_owned(), to.to_owned()]);
            }
            Step::Synced => {
                self.content_synced.insert(path.to_owned());
                if !self.name_unsynced.contains(path) {
                    self.durable.insert(path.to_owned(), fs::read(path).ok());
                }
            }
            Step::FolderSynced => {
                for (file, durable) in &mut self.durable {
                    if file.parent() == Some(path) && self.name_unsynced.remove(file) {
                        let present = fs::read(file).ok();
                        let whole = self.content_synced.contains(file);
                        *durable = present.map(|bytes| if whole { bytes } else { Vec::new() });
                    }
                }
            }
        }
    }
}
