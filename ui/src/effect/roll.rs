//! The names of messages in records that were read lately.
//!
//! Owns which state of a record its names are of. Writes nothing, and answers with less rather than reading a
//! large record where nobody may wait for it. Called when a file is laid out.

use crate::pane::names::{Names, Sayings};
use reme_core::dialog::Record;
use reme_core::workspace::{RelPath, Workspace};
use std::collections::VecDeque;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

/// How many records are remembered.
const KEPT: usize = 16;
/// Up to this size a record is read at once.
const QUICK: u64 = 1024 * 1024;

/// A record as it was when it was read: its path, size and time.
type Stamp = (RelPath, u64, Option<SystemTime>);

/// The newest first. Clones share it.
#[derive(Clone, Debug, Default)]
pub(super) struct Roll(Arc<Mutex<VecDeque<(Stamp, Arc<Sayings>)>>>);

impl Roll {
    /// The names in these records, and whether some of them are still to be read; none are where one is `patient`.
    pub fn names(&self, workspace: &Workspace, records: &[RelPath], patient: bool) -> (Names, bool) {
        let mut names = Names::default();
        let mut unread = false;
        for record in records {
            let Ok(file) = workspace.resolve(record) else { continue };
            let Ok(about) = std::fs::metadata(&file) else {
                names.add(record, Arc::default());
                continue;
            };
            let stamp = (record.clone(), about.len(), about.modified().ok());
            match self.known(&stamp) {
                Some(sayings) => names.add(record, sayings),
                None if patient || about.len() <= QUICK => {
                    if let Some(sayings) = self.read(stamp, &file, workspace) {
                        names.add(record, sayings);
                    }
                }
                None => unread = true,
            }
        }
        (names, unread)
    }

    fn known(&self, stamp: &Stamp) -> Option<Arc<Sayings>> {
        self.lock().iter().find(|(known, _)| known == stamp).map(|(_, sayings)| Arc::clone(sayings))
    }

    /// `None` for a file that cannot be read or is no dialog record.
    fn read(&self, stamp: Stamp, file: &Path, workspace: &Workspace) -> Option<Arc<Sayings>> {
        let record = Record::parse(&std::fs::read(file).ok()?);
        record.messages().next()?;
        let sayings = Arc::new(Sayings::of(&record, workspace.zone()));
        let mut kept = self.lock();
        kept.truncate(KEPT - 1);
        kept.push_front((stamp, Arc::clone(&sayings)));
        Some(sayings)
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<(Stamp, Arc<Sayings>)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
