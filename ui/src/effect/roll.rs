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

/// Records with the names in them, the newest first.
type Kept = VecDeque<(Stamp, Arc<Sayings>)>;

/// What is known of the records that were read. Clones share it.
#[derive(Clone, Debug, Default)]
pub(super) struct Roll(Arc<Mutex<Kept>>);

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

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pane::names::Name;
    use chrono::{DateTime, Utc};
    use reme_core::link;
    use reme_core::workspace::config::Config;

    fn name(roll: &Roll, workspace: &Workspace, patient: bool) -> (Option<Name>, bool) {
        let record = RelPath::new("session/dialog/a.jsonl").unwrap();
        let (names, unread) = roll.names(workspace, &[record], patient);
        (names.of(&link::find("[[session/dialog/a.jsonl#m1]]")[0]), unread)
    }

    #[test]
    fn names_follow_the_record_and_large_ones_are_waited_for() {
        let root = tempfile::tempdir().unwrap();
        let now: DateTime<Utc> = "2026-03-01T08:00:00Z".parse().unwrap();
        let workspace = Workspace::new(root.path(), Config::default(), Arc::new(move || now)).unwrap();
        let roll = Roll::default();
        let said = |words: &str| Some(Name::Said(words.to_owned()));
        let unknown = |words: &str| Some(Name::Unknown(words.to_owned()));
        assert_eq!(name(&roll, &workspace, false), (unknown("message not found"), false));

        let file = root.path().join("session/dialog/a.jsonl");
        let line = |speaker: &str, words: usize| {
            let text = "x".repeat(words);
            format!(
                "{{\"id\":\"m1\",\"name\":\"{speaker}\",\"role\":\"user\",\"content\":[{{\"type\":\"text\",\"text\":\"{text}\"}}]}}\n"
            )
        };
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, line("Mira", 3)).unwrap();
        assert_eq!(name(&roll, &workspace, false), (said("Mira"), false));
        std::fs::write(&file, line("Jonas", usize::try_from(QUICK).unwrap())).unwrap();
        assert_eq!(name(&roll, &workspace, false), (unknown("message in a"), true));
        assert_eq!(name(&roll, &workspace, true), (said("Jonas"), false));
        assert_eq!(name(&roll, &workspace, false), (said("Jonas"), false));
        std::fs::write(&file, "no record").unwrap();
        assert_eq!(name(&roll, &workspace, false), (unknown("message in a"), false));
    }
}
