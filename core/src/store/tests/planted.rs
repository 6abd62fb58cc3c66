//! Operations that must not be carried out.

use super::*;
use crate::store::operation::{Entry, Operation, Origin, Recorded};

/// An operation that would be carried out, were it not for what a row changes in it.
fn plausible(root: &Path) -> Operation {
    let state: State =
        serde_json::from_slice(&fs::read(root.join("metadata/native/store.json")).unwrap()).unwrap();
    let origin = Origin {
        id: "0000000000000007".into(),
        workspace: state.workspace,
        machine: "here".into(),
        boot: "b".into(),
        time: DateTime::UNIX_EPOCH,
        summary: "planted".into(),
        undoes: None,
        folders: Vec::new(),
    };
    let edit = Recorded::Replace { before: Some(b"old card\n".to_vec()), after: Some(b"evil\n".to_vec()) };
    let fresh = Recorded::Replace { before: None, after: Some(b"evil too\n".to_vec()) };
    let entries = vec![
        Entry { path: rel("daily/2026-03-01/evil.md"), edit: fresh },
        Entry { path: rel("daily/2026-03-01/old.md"), edit },
    ];
    Operation { origin, entries }
}

fn prepared() -> TempDir {
    let dir = sample();
    open(dir.path(), "b").commit(set(vec![write(dir.path(), "daily/x.md", "x")])).unwrap();
    dir
}

fn plant(root: &Path, name: &str, bytes: &[u8]) {
    fs::write(root.join("metadata/native/journal").join(name), bytes).unwrap();
}

#[track_caller]
fn check_left(name: &str, bytes: &[u8], root: &Path, why: &str) {
    plant(root, name, bytes);
    let before = files(root);
    let store = open(root, "b");
    let reports = store.reports();
    assert!(reports.len() == 1 && reports[0].message.contains(why), "{why}: {reports:?}");
    assert!(reports[0].message.contains(name));
    assert_eq!(files(root), before);
    store.commit(set(vec![write(root, "daily/y.md", why)])).unwrap();
    assert_eq!(present(root, "daily/2026-03-01/evil.md"), None);
    drop(store);
    assert_eq!(names(root, "journal"), [name], "it is left");
    assert_eq!(fs::read(root.join("metadata/native/journal").join(name)).unwrap(), bytes);
}

fn check_planted(change: impl FnOnce(&mut Operation), why: &str) {
    let dir = prepared();
    let mut operation = plausible(dir.path());
    change(&mut operation);
    check_left("0000000000000007.op", &operation.encode().unwrap(), dir.path(), why);
}

#[test]
fn a_true_one_is_finished() {
    let dir = prepared();
    plant(dir.path(), "0000000000000007.op", &plausible(dir.path()).encode().unwrap());
    let store = open(dir.path(), "b");
    assert_eq!(store.reports(), []);
    assert_eq!(present(dir.path(), "daily/2026-03-01/old.md").unwrap(), b"evil\n");
    assert_eq!(names(dir.path(), "journal").len(), 0);
}

#[test]
fn planted_operations_are_reported_and_left() {
    check_planted(|operation| operation.origin.machine = "elsewhere".into(), "another machine");
    check_planted(|operation| operation.origin.workspace = "other".into(), "another workspace");
    check_planted(|operation| operation.origin.id = "0000000000000008".into(), "name");
    check_planted(|operation| operation.entries[0].path = rel("metadata/native/store.json"), "store.json");
    check_planted(
        |operation| {
            operation.entries[1].edit =
                Recorded::Replace { before: Some(b"differs".to_vec()), after: Some(b"evil\n".to_vec()) };
        },
        "changed by somebody else",
    );
    check_planted(
        |operation| {
            let path = rel("session/dialog/a.jsonl");
            operation.entries.push(Entry { path, edit: Recorded::Extend { at: 3, bytes: b"evil".to_vec() } });
        },
        "changed by somebody else",
    );
}

#[test]
fn damaged_files_are_reported_and_left() {
    let dir = prepared();
    let whole = plausible(dir.path()).encode().unwrap();
    let text = String::from_utf8(whole.clone()).unwrap();
    let leaving = text.replace("daily/2026-03-01/old.md", "../../../../../old.md");
    check_left("0000000000000007.op", leaving.as_bytes(), dir.path(), "inside the workspace");
    let changed = text.replace("evil too", "evil 2oo");
    check_left("0000000000000007.op", changed.as_bytes(), dir.path(), "checksum");
    check_left("0000000000000007.op", b"hello\n", dir.path(), "no operation");
    check_left("0000000000000007.op", b"hello", dir.path(), "no operation");
}

#[cfg(unix)]
#[test]
fn one_that_leaves_through_a_link_is_reported_and_left() {
    let dir = prepared();
    let outside = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(outside.path(), dir.path().join("daily/out")).unwrap();
    let mut operation = plausible(dir.path());
    operation.entries[0].path = rel("daily/out/evil.md");
    check_left("0000000000000007.op", &operation.encode().unwrap(), dir.path(), "out of the workspace");
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 0);
}

#[test]
fn a_torn_one_was_never_begun_and_goes() {
    let dir = prepared();
    let whole = plausible(dir.path()).encode().unwrap();
    for len in [0, 5, 40, 100, whole.len() - 1] {
        plant(dir.path(), "0000000000000007.op", &whole[..len]);
        let store = open(dir.path(), "b");
        assert_eq!((store.reports(), names(dir.path(), "journal").len()), (Vec::new(), 0), "{len}");
    }
}

#[test]
fn a_newer_format_makes_the_workspace_read_only() {
    for (file, bytes) in [
        ("journal/0000000000000007.op", &b"reme-operation 2 00\n{\"anything\":1}\n"[..]),
        ("store.json", &br#"{"format":2,"other":true}"#[..]),
    ] {
        let dir = prepared();
        let root = dir.path();
        fs::write(root.join("metadata/native").join(file), bytes).unwrap();
        let before = files(root);
        let store = open(root, "b");
        assert!(store.read_only().unwrap().contains("newer version") && store.reports().len() == 1);
        let error = store.commit(set(typical(root))).unwrap_err();
        assert!(matches!(error, StoreError::ReadOnly { .. }), "{error}");
        assert!(store.undo("0000000000000007").is_err());
        assert_eq!(files(root), before);
        assert_eq!(fs::read(root.join("metadata/native").join(file)).unwrap(), bytes);
    }
}

#[test]
fn what_a_person_did_after_a_finished_commit_stays_through_a_restart() {
    let dir = prepared();
    let root = dir.path();
    let store = open(root, "b");
    store.commit(set(typical(root))).unwrap();
    std::mem::forget(store);
    fs::write(root.join("daily/2026-03-01/new.md"), "edited\n").unwrap();
    fs::remove_file(root.join("session/images/a/msg-31-image-0.png")).unwrap();
    let edited = files(root);
    let other = open(root, "b");
    other.commit(set(vec![write(root, "daily/x.md", "another")])).unwrap();
    drop(other);
    assert_eq!(present(root, "session/images/a/msg-31-image-0.png"), None, "no file comes back");
    assert_eq!(present(root, "daily/2026-03-01/new.md").unwrap(), edited["daily/2026-03-01/new.md"]);
    let after_restart = open(root, "b2");
    assert_eq!(after_restart.reports(), []);
    assert_eq!(names(root, "journal").len(), 0);
}
