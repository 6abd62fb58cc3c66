//! What the store promises, as rows.

use super::*;
use crate::workspace::{Clock, Config};
use chrono::{DateTime, Utc};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::fs;
use tempfile::TempDir;

mod crash;
pub(super) mod fault;
mod planted;

fn options(boot: &str) -> StoreOptions {
    StoreOptions { machine: "here".into(), boot: boot.into(), durable: true }
}

fn workspace_at(root: &Path, now: &str) -> Workspace {
    let now: DateTime<Utc> = now.parse().unwrap();
    let clock: Clock = Arc::new(move || now);
    Workspace::new(root, Config::default(), clock).unwrap()
}

fn open(root: &Path, boot: &str) -> Store {
    Store::open_with(workspace_at(root, "2026-03-01T08:00:00Z"), options(boot)).unwrap()
}

fn rel(path: &str) -> RelPath {
    RelPath::new(path).unwrap()
}

fn present(root: &Path, path: &str) -> Option<Vec<u8>> {
    fs::read(root.join(path)).ok()
}

fn write(root: &Path, path: &str, text: &str) -> Change {
    let base = Base::of(present(root, path).as_deref());
    Change { path: rel(path), base, edit: Edit::Write(text.into()) }
}

fn delete(root: &Path, path: &str) -> Change {
    Change { path: rel(path), base: Base::of(present(root, path).as_deref()), edit: Edit::Delete }
}

fn append(root: &Path, path: &str, text: &str) -> Change {
    let len = present(root, path).map_or(0, |bytes| bytes.len() as u64);
    Change { path: rel(path), base: Base::Absent, edit: Edit::Append { len, bytes: text.into() } }
}

fn set(changes: Vec<Change>) -> ChangeSet {
    ChangeSet { summary: "a test".into(), changes }
}

/// Every file of the workspace that is not the store's own state.
fn files(root: &Path) -> BTreeMap<String, Vec<u8>> {
    walkdir::WalkDir::new(root)
        .into_iter()
        .map(Result::unwrap)
        .filter(|entry| {
            entry.file_type().is_file() && !entry.path().starts_with(root.join("metadata/native"))
        })
        .map(|entry| {
            let path = entry.path().strip_prefix(root).unwrap().to_str().unwrap().to_owned();
            (path, fs::read(entry.path()).unwrap())
        })
        .collect()
}

/// The files of a state folder, without the journal's empty pages.
fn names(root: &Path, folder: &str) -> Vec<String> {
    let Ok(entries) = fs::read_dir(root.join("metadata/native").join(folder)) else { return Vec::new() };
    let used = entries.map(Result::unwrap).filter(|entry| entry.metadata().unwrap().len() > 0);
    let mut names: Vec<String> = used.map(|entry| entry.file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn sample() -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir_all(dir.path().join("daily/2026-03-01")).unwrap();
    fs::write(dir.path().join("daily/2026-03-01/old.md"), "old card\n").unwrap();
    fs::write(dir.path().join("daily/2026-03-01.md"), "[[daily/2026-03-01/old.md]]\n").unwrap();
    fs::create_dir_all(dir.path().join("session/dialog")).unwrap();
    fs::write(dir.path().join("session/dialog/a.jsonl"), "{\"id\":1}\n").unwrap();
    dir
}

/// A rename with its day page, one more line of the record, and a new image.
fn typical(root: &Path) -> Vec<Change> {
    vec![
        delete(root, "daily/2026-03-01/old.md"),
        write(root, "daily/2026-03-01/new.md", "new card\n"),
        write(root, "daily/2026-03-01.md", "[[daily/2026-03-01/new.md]]\n"),
        append(root, "session/dialog/a.jsonl", "{\"id\":2}\n"),
        write(root, "session/images/a/msg-31-image-0.png", "png"),
    ]
}

#[test]
fn a_commit_does_what_it_says_and_can_be_taken_back_and_done_again() {
    let dir = sample();
    let before = files(dir.path());
    let store = open(dir.path(), "b");
    let receipt = store.commit(set(typical(dir.path()))).unwrap();
    assert_eq!(receipt.paths.len(), 5);
    let after = files(dir.path());
    assert_eq!(after["session/dialog/a.jsonl"], b"{\"id\":1}\n{\"id\":2}\n");
    assert_eq!(after.get("daily/2026-03-01/old.md"), None);
    assert_eq!(after["daily/2026-03-01/new.md"], b"new card\n");

    let undone = store.undo(&receipt.operation).unwrap();
    assert_eq!(files(dir.path()), before);
    assert!(!dir.path().join("session/images").exists(), "folders that the commit made are gone");
    store.undo(&undone.operation).unwrap();
    assert_eq!(files(dir.path()), after);

    let log = store.log().unwrap();
    let summaries: Vec<&str> = log.iter().map(|entry| entry.summary.as_str()).collect();
    assert_eq!(summaries, ["undo: undo: a test", "undo: a test", "a test"]);
    assert_eq!(log[2].undone_by.as_ref(), Some(&undone.operation));
    assert_eq!(log[1].undoes.as_ref(), Some(&receipt.operation));
    assert_eq!(log[2].paths.len(), 5);
    drop(store);
    assert_eq!((names(dir.path(), "journal"), names(dir.path(), "undo").len()), (Vec::new(), 3));
}

#[test]
fn opening_and_looking_writes_nothing() {
    let dir = sample();
    let store = open(dir.path(), "b");
    assert!(store.log().unwrap().is_empty() && !store.is_own_write(&rel("daily/2026-03-01.md")));
    assert_eq!(store.commit(ChangeSet::default()).unwrap(), Receipt::default());
    drop(store);
    assert!(!dir.path().join("metadata").exists());
    let nowhere = dir.path().join("not/there");
    drop(open(&nowhere, "b"));
    assert!(!nowhere.exists());
}

#[test]
fn a_workspace_that_does_not_exist_is_made_by_the_first_commit() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("deep/.reme");
    open(&root, "b").commit(set(vec![write(&root, "daily/x.md", "x")])).unwrap();
    assert_eq!(files(&root).len(), 1);
    assert_eq!(fs::read(root.join("metadata/native/.gitignore")).unwrap(), b"*\n");
}

#[test]
fn what_changes_nothing_is_left_out() {
    let dir = sample();
    let store = open(dir.path(), "b");
    let same = vec![
        write(dir.path(), "daily/2026-03-01/old.md", "old card\n"),
        delete(dir.path(), "daily/none.md"),
        append(dir.path(), "session/dialog/a.jsonl", ""),
    ];
    assert_eq!(store.commit(set(same)).unwrap(), Receipt::default());
    assert!(store.log().unwrap().is_empty());
}

#[test]
fn a_file_that_changed_since_stops_everything() {
    let dir = sample();
    let root = dir.path();
    let store = open(root, "b");
    for (path, text) in [
        ("daily/2026-03-01/old.md", "edited\n"),
        ("daily/2026-03-01/new.md", "somebody else's\n"),
        ("session/dialog/a.jsonl", "{\"id\":1}\n{\"id\":9}\n"),
        ("session/dialog/a.jsonl", ""),
    ] {
        let planned = typical(root);
        let was = present(root, path);
        fs::write(root.join(path), text).unwrap();
        let edited = files(root);
        let error = store.commit(set(planned)).unwrap_err();
        assert!(matches!(&error, StoreError::Conflict { path: at } if at.as_str() == path), "{error}");
        assert_eq!(files(root), edited);
        match was {
            Some(bytes) => fs::write(root.join(path), bytes).unwrap(),
            None => fs::remove_file(root.join(path)).unwrap(),
        }
    }
    assert!(store.log().unwrap().is_empty());
}

#[test]
fn undo_stops_where_a_file_changed_since() {
    let dir = sample();
    let root = dir.path();
    for (path, text) in [
        ("daily/2026-03-01/new.md", "edited"),
        ("session/dialog/a.jsonl", "{\"id\":1}\n{\"id\":2}\n{\"id\":3}\n"),
    ] {
        let store = open(root, "b");
        let receipt = store.commit(set(typical(root))).unwrap();
        let was = present(root, path).unwrap();
        fs::write(root.join(path), text).unwrap();
        let edited = files(root);
        let error = store.undo(&receipt.operation).unwrap_err();
        assert!(matches!(&error, StoreError::CannotUndo { path: at } if at.as_str() == path), "{error}");
        assert_eq!(files(root), edited);
        fs::write(root.join(path), was).unwrap();
        store.undo(&receipt.operation).unwrap();
    }
    let store = open(root, "b");
    for id in ["", "1", "../x", "0000000000000001"] {
        assert!(matches!(store.undo(id), Err(StoreError::UnknownOperation { .. })), "{id}");
    }
}

#[test]
fn refused_paths() {
    let dir = sample();
    let root = dir.path();
    let store = open(root, "b");
    for path in [
        "metadata/native/journal/1.op",
        "metadata/native/undo/x",
        "metadata/native/lock",
        "metadata/native/store.json",
    ] {
        let error = store.commit(set(vec![write(root, path, "x")])).unwrap_err();
        assert!(error.to_string().contains("its own state"), "{error}");
    }
    store.commit(set(vec![write(root, "metadata/native/review/1.json", "{}")])).unwrap();
    let twice = vec![write(root, "daily/x.md", "1"), write(root, "daily/x.md", "2")];
    assert!(store.commit(set(twice)).unwrap_err().to_string().contains("twice"));
    let folder = vec![
        write(root, "daily/y.md", "1"),
        Change { base: Base::Absent, ..write(root, "daily/2026-03-01", "2") },
    ];
    assert!(store.commit(set(folder)).unwrap_err().to_string().contains("folder"));
    assert_eq!(present(root, "daily/y.md"), None);
}

#[cfg(unix)]
#[test]
fn links_and_permissions() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let dir = sample();
    let root = dir.path();
    let outside = tempfile::tempdir().unwrap();
    symlink(outside.path(), root.join("daily/2026-03-02")).unwrap();
    symlink("old.md", root.join("daily/2026-03-01/alias.md")).unwrap();
    fs::set_permissions(root.join("daily/2026-03-01/old.md"), fs::Permissions::from_mode(0o640)).unwrap();
    let store = open(root, "b");
    let leaving = vec![write(root, "daily/a.md", "x"), write(root, "daily/2026-03-02/x.md", "x")];
    assert!(matches!(store.commit(set(leaving)), Err(StoreError::Path(_))));
    assert_eq!((fs::read_dir(outside.path()).unwrap().count(), present(root, "daily/a.md")), (0, None));

    let through = vec![
        write(root, "daily/2026-03-01/alias.md", "through"),
        write(root, "session/dialog/b.jsonl", "{}\n"),
    ];
    store.commit(set(through)).unwrap();
    assert_eq!(present(root, "daily/2026-03-01/old.md").unwrap(), b"through");
    assert!(root.join("daily/2026-03-01/alias.md").is_symlink());
    let mode = |path: &str| root.join(path).metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(mode("daily/2026-03-01/old.md"), 0o640);
    assert_eq!(mode("session/dialog/b.jsonl"), 0o600);
    assert_eq!(mode("metadata/native"), 0o700);
    assert_eq!(mode("metadata/native/store.json"), 0o600);
}

#[test]
fn a_rename_in_case_only() {
    let dir = sample();
    let root = dir.path();
    let store = open(root, "b");
    let receipt = store
        .commit(set(vec![
            write(root, "daily/2026-03-01/Old.md", "old card\n"),
            delete(root, "daily/2026-03-01/old.md"),
        ]))
        .unwrap();
    let list = || {
        let entries = fs::read_dir(root.join("daily/2026-03-01")).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(list(), ["Old.md"]);
    store.undo(&receipt.operation).unwrap();
    assert_eq!(list(), ["old.md"]);
}

#[test]
fn own_writes_are_known_until_somebody_else_writes() {
    let dir = sample();
    let root = dir.path();
    let store = open(root, "b");
    store.commit(set(typical(root))).unwrap();
    let own = ["daily/2026-03-01/old.md", "daily/2026-03-01/new.md", "session/dialog/a.jsonl"];
    for path in own {
        assert!(store.clone().is_own_write(&rel(path)), "{path}");
    }
    assert!(!store.is_own_write(&rel("daily/other.md")));
    fs::write(root.join(own[0]), "again").unwrap();
    fs::write(root.join(own[1]), "New card\n").unwrap();
    fs::write(root.join(own[2]), "{\"id\":1}\n{\"id\":3}\n").unwrap();
    for path in own {
        assert!(!store.is_own_write(&rel(path)), "{path}");
    }
}

#[test]
fn a_failure_at_any_step_changes_nothing() {
    let dir = sample();
    let root = dir.path();
    let store = open(root, "b");
    let receipt = store.commit(set(typical(root))).unwrap();
    store.undo(&receipt.operation).unwrap();
    store.settle().unwrap();
    let (before, log) = (files(root), store.log().unwrap().len());
    let mut step = 0;
    loop {
        fault::fail_at(step, io::ErrorKind::StorageFull);
        let result = store.commit(set(typical(root)));
        let steps = fault::reset();
        match result {
            Err(error) => {
                assert!(matches!(error, StoreError::Io { .. }), "step {step}: {error}");
                assert_eq!(files(root), before, "step {step}");
                assert_eq!(
                    (names(root, "journal"), store.log().unwrap().len()),
                    (Vec::new(), log),
                    "step {step}"
                );
                assert!(!root.join("session/images").exists(), "step {step}");
            }
            Ok(receipt) => {
                // Only what follows the last file in place may fail without failing the commit.
                if step >= steps {
                    break;
                }
                assert_eq!(present(root, "daily/2026-03-01/old.md"), None);
                assert_eq!(step + 1, steps);
                assert_eq!(store.reports(), []);
                store.settle().unwrap();
                store.undo(&receipt.operation).unwrap();
                break;
            }
        }
        step += 1;
    }
    assert!(step > 10, "{step}");
}

#[test]
fn old_and_large_undo_records_go() {
    let dir = sample();
    let root = dir.path();
    let at = |now: &str| Store::open_with(workspace_at(root, now), options("b")).unwrap();
    for (day, text) in [("2026-01-01", "1"), ("2026-02-20", "2"), ("2026-03-01", "3")] {
        at(&format!("{day}T08:00:00Z")).commit(set(vec![write(root, "daily/x.md", text)])).unwrap();
    }
    assert_eq!(at("2026-03-01T08:00:00Z").log().unwrap().len(), 2, "the first is older than 30 days");
    let config = Config { undo_mib: 0, ..Config::default() };
    let workspace =
        Workspace::new(root, config, Arc::new(|| "2026-03-02T08:00:00Z".parse().unwrap())).unwrap();
    let store = Store::open_with(workspace, options("b")).unwrap();
    store.commit(set(vec![write(root, "daily/x.md", "4")])).unwrap();
    store.settle().unwrap();
    assert_eq!(store.log().unwrap().len(), 1, "the newest stays");
}

#[test]
fn operations_wait_for_their_sync_together() {
    let dir = sample();
    let root = dir.path();
    let store = open(root, "b");
    for text in 0..20 {
        store.commit(set(vec![write(root, "daily/x.md", &text.to_string())])).unwrap();
    }
    let waiting = names(root, "journal").len();
    assert!((1..16).contains(&waiting), "{waiting}");
    drop(store);
    assert_eq!((names(root, "journal").len(), names(root, "undo").len()), (0, 20));
    let unknown = open(root, "");
    unknown.commit(set(vec![write(root, "daily/x.md", "x")])).unwrap();
    assert_eq!(names(root, "journal").len(), 0, "without a boot id nothing waits");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn commit_then_undo_restores_every_byte(
        start in proptest::collection::btree_map("[ab]/[c-e]\\.md", "[x-z\r\n]{0,6}", 0..5),
        edits in proptest::collection::btree_map("[ab]/[c-e]\\.md", proptest::option::of("[x-z\r\n]{0,6}"), 1..6),
        grows in proptest::bool::ANY,
    ) {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path();
        for (path, text) in &start {
            fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
            fs::write(root.join(path), text).unwrap();
        }
        let before = files(root);
        let store = open(root, "b");
        let changes = edits.iter().map(|(path, text)| match text {
            Some(text) if grows => append(root, path, text),
            Some(text) => write(root, path, text),
            None => delete(root, path),
        });
        let receipt = store.commit(set(changes.collect())).unwrap();
        let after = files(root);
        if !receipt.operation.is_empty() {
            let undone = store.undo(&receipt.operation).unwrap();
            prop_assert_eq!(&files(root), &before);
            store.undo(&undone.operation).unwrap();
            prop_assert_eq!(&files(root), &after);
        }
    }
}
