//! The watcher against a real file system; each test waits for what it expects, never for time to pass.

use super::*;
use crate::store::{Base, Change, ChangeSet, Edit};
use crate::workspace::Config;
use chrono::Utc;
use std::fs;
use std::path::Path;
use std::sync::Arc;

/// Far more than a busy machine needs; reached only when a test fails.
const PATIENCE: Duration = Duration::from_secs(30);

struct Fixture {
    dir: tempfile::TempDir,
    notices: Receiver<Notice>,
    watcher: Watcher,
}

fn watch(prepare: impl Fn(&Path), poll: Option<Duration>) -> Fixture {
    let dir = tempfile::tempdir().expect("a folder");
    prepare(dir.path());
    let root = dir.path().join("w");
    let workspace = Workspace::new(&root, Config::default(), Arc::new(Utc::now)).expect("a workspace");
    let (sender, notices) = mpsc::channel();
    let is_own: IsOwn = Box::new(|path| path.file_name().starts_with("own"));
    let watcher = start(workspace, is_own, Box::new(move |notice| drop(sender.send(notice))), poll);
    Fixture { dir, notices, watcher }
}

fn folders(root: &Path) {
    fs::create_dir_all(root.join("w/daily/2026-01-05")).expect("a folder");
    fs::create_dir_all(root.join("w/session/dialog")).expect("a folder");
}

impl Fixture {
    fn write(&self, path: &str) {
        let file = self.dir.path().join("w").join(path);
        fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
        fs::write(file, path).expect("a file");
    }

    /// Waits until each of the paths was reported; all that was reported on the way.
    fn expect(&self, paths: &[&str]) -> BTreeSet<String> {
        let mut seen = BTreeSet::new();
        while !paths.iter().all(|path| seen.contains(*path)) {
            match self.notices.recv_timeout(PATIENCE) {
                Ok(Notice::Changed(changed)) => {
                    seen.extend(changed.iter().map(|path| path.as_str().to_owned()))
                }
                Ok(other) => panic!("{other:?} instead of {paths:?}"),
                Err(error) => panic!("{error}: {paths:?} not among {seen:?}"),
            }
        }
        seen
    }
}

#[test]
fn changes_are_reported_and_others_are_not() {
    let fixture = watch(folders, None);
    fixture.write("daily/2026-01-05/own.md");
    fixture.write("daily/2026-01-05/.a.md.swp");
    fixture.write("notes.md");
    fixture.write("metadata/native/x.json");
    fixture.write("daily/2026-01-05/a.md");
    fixture.write("session/dialog/s.jsonl");
    let seen = fixture.expect(&["daily/2026-01-05/a.md", "session/dialog/s.jsonl"]);
    assert_eq!(seen.len(), 2, "{seen:?}");
    fs::remove_file(fixture.dir.path().join("w/daily/2026-01-05/a.md")).expect("a file");
    fixture.expect(&["daily/2026-01-05/a.md"]);
}

#[test]
fn an_atomic_save_is_one_change() {
    let fixture = watch(folders, None);
    let day = fixture.dir.path().join("w/daily/2026-01-05");
    for _ in 0..3 {
        fs::write(day.join(".a.md.tmp"), "new").expect("a file");
        fs::rename(day.join(".a.md.tmp"), day.join("a.md")).expect("a rename");
    }
    let seen = fixture.expect(&["daily/2026-01-05/a.md"]);
    assert_eq!(seen.len(), 1, "{seen:?}");
}

#[test]
fn folders_that_come_later_are_watched() {
    let fixture = watch(|_| {}, None);
    fixture.write("daily/2026-01-05/own.md");
    fixture.write("daily/2026-01-05/a.md");
    let seen = fixture.expect(&["daily/2026-01-05/a.md"]);
    assert_eq!(seen.len(), 1, "{seen:?}");
    fixture.write("daily/2026-01-06/b.md");
    fixture.expect(&["daily/2026-01-06/b.md"]);
    // Another folder in its place, as a checkout or a sync makes it.
    fs::rename(fixture.dir.path().join("w/daily"), fixture.dir.path().join("w/old")).expect("a rename");
    fixture.expect(&["daily"]);
    fixture.write("daily/2026-01-07/c.md");
    fixture.expect(&["daily/2026-01-07/c.md"]);
    fixture.write("daily/2026-01-07/d.md");
    fixture.expect(&["daily/2026-01-07/d.md"]);
}

#[test]
fn polling_says_why_and_sees_the_same() {
    let fixture = watch(folders, Some(Duration::from_millis(10)));
    let first = fixture.notices.recv_timeout(PATIENCE).expect("a notice");
    assert!(matches!(&first, Notice::Polling(why) if why.contains("no file events")), "{first:?}");
    fixture.write("daily/2026-01-05/own.md");
    fixture.write("daily/2026-01-05/a.md");
    let seen = fixture.expect(&["daily/2026-01-05/a.md"]);
    assert_eq!(seen.len(), 1, "{seen:?}");
    fs::remove_dir_all(fixture.dir.path().join("w/daily/2026-01-05")).expect("a folder");
    fixture.expect(&["daily/2026-01-05/a.md"]);
}

#[test]
fn dropping_it_ends_its_thread() {
    for poll in [None, Some(PATIENCE)] {
        let Fixture { dir: _dir, notices, watcher } = watch(folders, poll);
        drop(watcher);
        while notices.try_recv().is_ok() {}
        assert_eq!(notices.try_recv(), Err(mpsc::TryRecvError::Disconnected));
    }
}

#[cfg(unix)]
#[test]
fn odd_names_are_a_matter_of_their_folder() {
    use std::os::unix::ffi::OsStrExt;
    let fixture = watch(folders, None);
    let day = fixture.dir.path().join("w/daily/2026-01-05");
    fs::write(day.join(std::ffi::OsStr::from_bytes(b"\xe8.md")), "x").expect("a file");
    fixture.expect(&["daily/2026-01-05"]);
}

#[test]
fn what_the_store_writes_is_not_reported() {
    let dir = tempfile::tempdir().expect("a folder");
    let workspace = Workspace::new(dir.path(), Config::default(), Arc::new(Utc::now)).expect("a workspace");
    let store = Store::open(workspace).expect("a store");
    let (sender, notices) = mpsc::channel();
    let watcher = Watcher::start(&store, Box::new(move |notice| drop(sender.send(notice))));
    let change = |path: &str| Change {
        path: RelPath::new(path).expect("a path"),
        base: Base::Absent,
        edit: Edit::Write(b"x".to_vec()),
    };
    let changes =
        ["daily/2026-01-05/a.md", "daily/2026-01-05.md", "session/dialog/s.jsonl"].map(change).to_vec();
    store.commit(ChangeSet { summary: "test".into(), changes }).expect("a commit");
    fs::write(dir.path().join("daily/2026-01-05/b.md"), "theirs").expect("a file");
    let notice = notices.recv_timeout(PATIENCE).expect("a notice");
    assert_eq!(notice, Notice::Changed(vec![RelPath::new("daily/2026-01-05/b.md").expect("a path")]));
    drop(watcher);
}
