//! A patched snapshot equals a rebuilt one, and what lies in the way is passed over aloud.

use super::*;
use crate::workspace::Config;
use chrono::Utc;
use proptest::prelude::*;
use std::fs;
use std::path::Path;
use std::sync::Mutex;

fn workspace(root: &Path) -> Workspace {
    Workspace::new(root, Config::default(), Arc::new(Utc::now)).expect("a workspace")
}

fn write(root: &Path, path: &str, text: &str) {
    let file = root.join(path);
    fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
    fs::write(file, text).expect("a file");
}

fn rel(path: &str) -> RelPath {
    RelPath::new(path).expect("a path")
}

fn filled(workspace: &Workspace) -> (Snapshot, usize) {
    let published = Mutex::new(Vec::new());
    Snapshot::list(workspace).fill(workspace, &|snapshot| published.lock().expect("a lock").push(snapshot));
    let published = published.into_inner().expect("a lock");
    assert!(published.iter().rev().skip(1).all(|snapshot| !snapshot.complete));
    let last = published.last().expect("a last one");
    (Snapshot::clone(last), published.len())
}

/// Days, cards (with their names once read), records, each on a line.
fn shown(snapshot: &Snapshot) -> String {
    let mut lines = Vec::new();
    for day in &snapshot.days {
        lines.push(format!("{} {}", day.date, day.page.as_ref().map_or("-", RelPath::as_str)));
        for card in &day.cards {
            let name = card.facts.as_ref().map_or("?", |facts| &facts.name);
            lines.push(format!("  {} = {name}", card.path.file_name()));
        }
    }
    lines.extend(snapshot.sessions.iter().map(|session| format!("{} {} B", session.id, session.size)));
    lines.extend(snapshot.warnings.iter().map(|warning| format!("! {warning}")));
    lines.join("\n")
}

#[test]
fn a_workspace_is_listed_then_filled() {
    let dir = tempfile::tempdir().expect("a folder");
    let workspace = workspace(dir.path());
    assert_eq!(Snapshot::list(&workspace), Snapshot::default());
    assert!(filled(&workspace).0.complete);

    write(dir.path(), "daily/2026-01-05.md", "page");
    write(dir.path(), "daily/2026-01-05/b.md", "---\nname: Named\n---\n");
    write(dir.path(), "daily/2026-01-05/a (conflicted copy).md", "---\nname: [\n---\nbody");
    write(dir.path(), "daily/2026-01-05/notes.txt", "x");
    write(dir.path(), "daily/2026-01-05/.hidden.md", "x");
    write(dir.path(), "daily/2026-01-05/deeper/x.md", "x");
    write(dir.path(), "daily/2026-02-01/c.md", "");
    write(dir.path(), "daily/2026-13-01/d.md", "no day");
    write(dir.path(), "daily/about.md", "no day page");
    write(dir.path(), "session/dialog/s1.jsonl", "12345");
    write(dir.path(), "session/dialog/s1.txt", "12345");
    insta::assert_snapshot!(shown(&Snapshot::list(&workspace)), @r"
    2026-02-01 -
      c.md = ?
    2026-01-05 daily/2026-01-05.md
      a (conflicted copy).md = ?
      b.md = ?
    s1 5 B
    ");
    let (snapshot, _) = filled(&workspace);
    insta::assert_snapshot!(shown(&snapshot), @r"
    2026-02-01 -
      c.md = c
    2026-01-05 daily/2026-01-05.md
      a (conflicted copy).md = a (conflicted copy)
      b.md = Named
    s1 5 B
    ");
    assert!(snapshot.days[1].cards[0].facts.as_ref().is_some_and(|facts| facts.fault.is_some()));
}

#[test]
fn batches_grow_and_the_newest_comes_first() {
    let dir = tempfile::tempdir().expect("a folder");
    for index in 0..400 {
        let day = index % 28 + 1;
        write(dir.path(), &format!("daily/2026-01-{day:02}/c{index}.md"), "---\nmemory_tags: [x]\n---\n");
    }
    let workspace = workspace(dir.path());
    let first = Mutex::new(None);
    Snapshot::list(&workspace).fill(&workspace, &|snapshot| {
        first.lock().expect("a lock").get_or_insert(snapshot);
    });
    let first = first.into_inner().expect("a lock").expect("a first batch");
    let read = first.days.iter().map(|day| day.cards.iter().filter(|card| card.facts.is_some()).count());
    assert_eq!(read.clone().sum::<usize>(), FIRST_BATCH);
    assert!(read.clone().is_sorted_by(|newer, older| newer >= older), "{:?}", read.collect::<Vec<_>>());
    let (last, batches) = filled(&workspace);
    assert_eq!((last.tags(), batches), (vec![("x".to_owned(), 400)], 3));
}

#[test]
fn facts_of_a_card() {
    let dir = tempfile::tempdir().expect("a folder");
    let card = concat!(
        "---\nname: Ferry\ndescription: d\nsession_id: 007\n",
        "source_conversation: \"[[session/dialog/007.jsonl]]\"\n",
        "source_images:\n- \"[[session/images/007/a.png]]\"\n",
        "memory_tags:\n- Oslo\n- Jon\n---\n",
        "See [[daily/2026-01-05/other.md#x|it]] and [[daily/2026-01-05/other.md]].\n",
        "![one](https://e.com/one.png) ![[two.JPG]] ![[session/images/007/a.png]] `![no](no.png)`\n",
    );
    write(dir.path(), "daily/2026-01-06/ferry.md", card);
    write(
        dir.path(),
        "daily/2026-01-05/other.md",
        "<<<<<<< ours\na [[Ferry]] [[ferry]]\n=======\nb\n>>>>>>> theirs\n",
    );
    let (snapshot, _) = filled(&workspace(dir.path()));
    let ferry = snapshot.days[0].cards[0].facts.clone().expect("facts");
    assert_eq!((ferry.name.as_str(), ferry.session_id.as_deref()), ("Ferry", Some("007")));
    assert_eq!(ferry.source.as_deref(), Some("session/dialog/007.jsonl"));
    assert_eq!(ferry.images, ["session/images/007/a.png", "https://e.com/one.png", "two.JPG"]);
    assert_eq!(
        ferry.links,
        ["session/dialog/007.jsonl", "session/images/007/a.png", "daily/2026-01-05/other.md", "two.JPG"]
    );
    assert!(!ferry.conflicted);
    assert!(snapshot.days[1].cards[0].facts.as_ref().is_some_and(|facts| facts.conflicted));
    let (ferry, other) = (rel("daily/2026-01-06/ferry.md"), rel("daily/2026-01-05/other.md"));
    assert_eq!(snapshot.inbound(&other), std::slice::from_ref(&ferry));
    assert_eq!(snapshot.inbound(&ferry), [other]);
    assert_eq!(snapshot.inbound(&rel("session/dialog/007.jsonl")), [ferry]);
    assert_eq!(snapshot.tags(), [("Jon".to_owned(), 1), ("Oslo".to_owned(), 1)]);
}

#[cfg(unix)]
#[test]
fn links_out_and_odd_names_are_passed_over_aloud() {
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::symlink;
    use std::os::unix::net::UnixListener;
    let (dir, outside) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
    let root = dir.path();
    write(outside.path(), "secret.md", "secret");
    write(root, "daily/2026-01-05/a.md", "a");
    symlink(outside.path().join("secret.md"), root.join("daily/2026-01-05/out.md")).expect("a link");
    symlink(outside.path(), root.join("daily/2026-01-06")).expect("a link");
    symlink("a.md", root.join("daily/2026-01-05/in.md")).expect("a link");
    symlink("loop.md", root.join("daily/2026-01-05/loop.md")).expect("a link");
    fs::create_dir(root.join("daily/2026-01-05.md")).expect("a folder");
    fs::write(root.join("daily/2026-01-05").join(std::ffi::OsStr::from_bytes(b"\xe8.md")), "x")
        .expect("a file");
    let _socket = UnixListener::bind(root.join("daily/2026-01-05/pipe.md")).expect("a socket");
    write(root, "daily/2026-01-07 (conflicted copy).md", "x");
    let workspace = workspace(root);
    let (snapshot, _) = filled(&workspace);
    insta::assert_snapshot!(shown(&snapshot), @r"
    2026-01-05 -
      a.md = a
      in.md = in
    ! daily/2026-01-05.md: it is a folder, not a file; left alone
    ! daily/2026-01-05/loop.md: a symbolic link in it leads nowhere or in a circle; remove the link
    ! daily/2026-01-05/out.md: a symbolic link in it leads out of the workspace; move the files inside instead
    ! daily/2026-01-05/pipe.md: it is a pipe or a device, not a file; left alone
    ! daily/2026-01-05/�.md: the name is not UTF-8; left alone, rename it to use it
    ! daily/2026-01-06: a symbolic link in it leads out of the workspace; move the files inside instead
    ! daily/2026-01-07 (conflicted copy).md: it is a copy that a sync left; take what you need and delete it
    ");
    let everything: Vec<RelPath> =
        ["daily/2026-01-05", "daily/2026-01-06", "daily/2026-01-05/a.md"].map(rel).into();
    assert_eq!(snapshot.patch(&workspace, &everything), snapshot);
}

#[derive(Clone, Debug)]
enum Step {
    Write(&'static str, u8),
    Remove(&'static str),
    Rename(&'static str, &'static str),
}

fn step() -> impl Strategy<Value = Step> {
    let path = || {
        prop::sample::select(vec![
            "daily/2026-01-05.md",
            "daily/2026-01-06.md",
            "daily/2026-01-05/a.md",
            "daily/2026-01-05/b.md",
            "daily/2026-01-06/a.md",
            "daily/2026-01-06/c#.md",
            "daily/2026-01-05",
            "daily/2026-01-06",
            "daily/2026-01-07",
            "session/dialog/s.jsonl",
            "session/dialog",
            "daily",
            "daily/2026-01-05 (conflicted copy).md",
            "notes.md",
        ])
    };
    prop_oneof![
        3 => (path(), any::<u8>()).prop_map(|(path, text)| Step::Write(path, text)),
        1 => path().prop_map(Step::Remove),
        1 => (path(), path()).prop_map(|(from, to)| Step::Rename(from, to)),
    ]
}

/// Does the step where the disk allows it; the paths that a watcher would name.
fn act(root: &Path, step: &Step) -> Vec<RelPath> {
    match step {
        Step::Write(path, text) => {
            let file = root.join(path);
            let _ = fs::create_dir_all(file.parent().expect("a folder"));
            let bytes: &[u8] = if text % 5 == 0 { b"bad \xff bytes" } else { b"" };
            let text = format!("---\nname: n{text}\nmemory_tags: [t{text}, t]\nname: n\n---\n");
            let _ = fs::write(file, [text.as_bytes(), bytes].concat());
            // A new folder is named beside what it holds.
            vec![rel(path), rel(path).parent().unwrap_or_else(|| rel(path))]
        }
        Step::Remove(path) => {
            let file = root.join(path);
            let _ = fs::remove_file(&file).or_else(|_| fs::remove_dir_all(&file));
            vec![rel(path)]
        }
        Step::Rename(from, to) => {
            let _ = fs::rename(root.join(from), root.join(to));
            vec![rel(from), rel(to)]
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn patched_is_rebuilt(steps in prop::collection::vec(prop::collection::vec(step(), 1..4), 1..8)) {
        let dir = tempfile::tempdir().expect("a folder");
        let workspace = workspace(dir.path());
        let (mut snapshot, _) = filled(&workspace);
        for together in steps {
            let changed: Vec<RelPath> = together.iter().flat_map(|step| act(dir.path(), step)).collect();
            snapshot = snapshot.patch(&workspace, &changed);
            prop_assert_eq!(&snapshot, &filled(&workspace).0, "{:?}", changed);
        }
    }
}
