//! The watcher: file events are hints that something changed; the files themselves say what.
//!
//! Watches folders, never single files; debounces; drops what `Store` wrote itself; falls back to polling
//! where the system gives no events, and says so. Called by the interface and the service.

use crate::store::Store;
use crate::workspace::RelPath;

/// What the watcher reports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Notice {
    /// These files were added, changed or removed.
    Changed(Vec<RelPath>),
    /// Events were lost: look at everything again.
    Rescan,
    /// No file events here; it looks every few seconds instead. The text says why.
    Polling(String),
}

/// A running watcher; dropping it stops it.
pub struct Watcher {}

impl Watcher {
    /// Starts watching; `report` is called on the watcher's own thread.
    pub fn start(_store: &Store, _report: Box<dyn Fn(Notice) + Send>) -> Watcher {
        unimplemented!()
    }
}
