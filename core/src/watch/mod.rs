//! The watcher: file events are hints that something changed; the files themselves say what.
//!
//! Watches folders, never single files; debounces; drops what `Store` wrote itself; falls back to polling
//! where the system gives no events, and says so. Called by the interface and the service.

use crate::store::Store;
use crate::workspace::{RelPath, Workspace};
use notify_debouncer_full::notify::event::{AccessKind, AccessMode, EventKind, MetadataKind, ModifyKind};
use notify_debouncer_full::notify::{self, ErrorKind, RecommendedWatcher};
use notify_debouncer_full::{DebounceEventResult, DebouncedEvent, Debouncer, NoCache, new_debouncer_opt};
use scope::Scope;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread::JoinHandle;
use std::time::Duration;

mod scan;
mod scope;

/// What the watcher reports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Notice {
    /// These files were added, changed or removed; of a folder that came, went or moved, the folder.
    Changed(Vec<RelPath>),
    /// Events were lost: look at everything again.
    Rescan,
    /// No file events here; it looks every few seconds instead. The text says why.
    Polling(String),
}

/// A running watcher; dropping it stops it.
///
/// Do not drop it from inside `report`: it waits for its thread.
#[derive(Debug)]
pub struct Watcher {
    stop: Sender<Heard>,
    thread: Option<JoinHandle<()>>,
}

/// How long a file must rest before it is reported: long enough for an editor's save in several steps, short
/// enough to show within half a second.
const REST: Duration = Duration::from_millis(100);

/// How often it looks where there are no events.
const POLL: Duration = Duration::from_secs(2);

impl Watcher {
    /// Starts watching; `report` is called on the watcher's own thread. What changes after this returns is
    /// reported, so list the workspace afterwards.
    pub fn start(store: &Store, report: Box<dyn Fn(Notice) + Send>) -> Watcher {
        let (workspace, store) = (store.workspace().clone(), store.clone());
        start(workspace, Box::new(move |path| store.is_own_write(path)), report, None)
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        // Fails only when the thread has ended.
        let _ = self.stop.send(Heard::Stop);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

type IsOwn = Box<dyn Fn(&RelPath) -> bool + Send>;
type Report = Box<dyn Fn(Notice) + Send>;
type Events = Debouncer<RecommendedWatcher, NoCache>;

/// What reaches the watcher's thread.
enum Heard {
    Events(DebounceEventResult),
    Stop,
}

/// `poll`: look that often instead of asking for events.
fn start(workspace: Workspace, is_own: IsOwn, report: Report, poll: Option<Duration>) -> Watcher {
    let (sender, heard) = mpsc::channel();
    let mut watch = Watch { scope: Scope::new(&workspace), is_own, report, watched: BTreeSet::new() };
    let events = match poll {
        None => watch.subscribe(sender.clone()),
        Some(_) => Err("it was asked to".to_owned()),
    };
    let interval = poll.unwrap_or(POLL);
    let thread = std::thread::Builder::new().name("watch".into()).spawn({
        let before = events.is_err().then(|| scan::sizes_and_times(&watch.scope));
        move || match events {
            Ok(events) => watch.listen(events, &heard, interval),
            Err(why) => watch.poll(&why, before.unwrap_or_default(), &heard, interval),
        }
    });
    Watcher { stop: sender, thread: thread.ok() }
}

struct Watch {
    scope: Scope,
    is_own: IsOwn,
    report: Report,
    /// The folders that are being watched.
    watched: BTreeSet<PathBuf>,
}

impl Watch {
    /// Asks the system for events; the error says why there are none.
    fn subscribe(&mut self, sender: Sender<Heard>) -> Result<Events, String> {
        // Links may lead out of the workspace.
        let config = notify::Config::default().with_follow_symlinks(false);
        let hear = move |result| drop(sender.send(Heard::Events(result)));
        let mut events =
            new_debouncer_opt::<_, RecommendedWatcher, _>(REST, None, hear, NoCache::new(), config)
                .map_err(|error| reason(&error))?;
        self.follow_folders(&mut events)?;
        Ok(events)
    }

    /// Watches the workspace's folders as far as they exist, and what holds those that do not, so that they are
    /// seen when they come.
    /// Returns those that were not watched before.
    fn follow_folders(&mut self, events: &mut Events) -> Result<Vec<PathBuf>, String> {
        let mut new = Vec::new();
        for (folder, mode) in self.scope.folders() {
            if self.watched.contains(&folder) || !folder.is_dir() {
                continue;
            }
            match events.watch(&folder, mode) {
                Ok(()) => {
                    self.watched.insert(folder.clone());
                    new.push(folder);
                }
                // Gone in between: the folder that holds it tells when it comes back.
                Err(_) if !folder.is_dir() => {}
                Err(error) => return Err(reason(&error)),
            }
        }
        Ok(new)
    }

    fn listen(mut self, mut events: Events, heard: &Receiver<Heard>, interval: Duration) {
        while let Ok(Heard::Events(result)) = heard.recv() {
            let outcome = match result {
                Ok(happened) => self.handle(&happened, &mut events),
                Err(errors) => self.handle_errors(&errors),
            };
            if let Err(why) = outcome {
                events.stop();
                let before = scan::sizes_and_times(&self.scope);
                (self.report)(Notice::Rescan);
                return self.poll(&why, before, heard, interval);
            }
        }
        events.stop();
    }

    fn handle(&mut self, happened: &[DebouncedEvent], events: &mut Events) -> Result<(), String> {
        let paths: BTreeSet<&PathBuf> =
            happened.iter().filter(|event| is_change(event.kind)).flat_map(|event| &event.paths).collect();
        let lost = happened.iter().any(|event| event.need_rescan());
        for (folder, _) in self.scope.folders() {
            if lost || paths.contains(&folder) {
                // It came, went or moved: what was watched there may be another folder now.
                self.watched.retain(|watched| !watched.starts_with(&folder));
            }
        }
        // Only then are the folders looked into, so that nothing falls between the look and the watch.
        let new = self.follow_folders(events)?;
        let mut changed = BTreeSet::new();
        for path in paths.into_iter().chain(&new) {
            self.scope.add_changed(path, &self.is_own, &mut changed);
        }
        if lost {
            (self.report)(Notice::Rescan);
        } else {
            self.report_changed(changed);
        }
        Ok(())
    }

    fn handle_errors(&self, errors: &[notify::Error]) -> Result<(), String> {
        match errors.iter().find(|error| matches!(error.kind, ErrorKind::MaxFilesWatch)) {
            Some(error) => Err(reason(error)),
            None => {
                (self.report)(Notice::Rescan);
                Ok(())
            }
        }
    }

    fn poll(self, why: &str, mut before: scan::Seen, heard: &Receiver<Heard>, interval: Duration) {
        (self.report)(Notice::Polling(format!(
            "no file events ({why}); looking every {} s",
            interval.as_secs()
        )));
        loop {
            match heard.recv_timeout(interval) {
                Ok(Heard::Events(_)) => continue,
                Ok(Heard::Stop) | Err(RecvTimeoutError::Disconnected) => return,
                Err(RecvTimeoutError::Timeout) => {}
            }
            let now = scan::sizes_and_times(&self.scope);
            let mut changed = BTreeSet::new();
            for path in scan::differences(&before, &now) {
                self.scope.add_changed(path, &self.is_own, &mut changed);
            }
            self.report_changed(changed);
            before = now;
        }
    }

    fn report_changed(&self, changed: BTreeSet<RelPath>) {
        if !changed.is_empty() {
            (self.report)(Notice::Changed(changed.into_iter().collect()));
        }
    }
}

/// Whether a file may be another one now; reading files makes events too.
fn is_change(kind: EventKind) -> bool {
    match kind {
        EventKind::Access(AccessKind::Close(AccessMode::Write)) => true,
        EventKind::Access(_) | EventKind::Modify(ModifyKind::Metadata(MetadataKind::AccessTime)) => false,
        _ => true,
    }
}

fn reason(error: &notify::Error) -> String {
    match error.kind {
        ErrorKind::MaxFilesWatch => {
            "the system's limit of watched folders is reached; raise fs.inotify.max_user_watches".to_owned()
        }
        _ => error.to_string(),
    }
}

#[cfg(test)]
mod tests;
