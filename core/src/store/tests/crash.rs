//! A process is stopped at every step of a commit; the next open must find all of the old or all of the new.

use super::fault::{self, Loss, STOPPED};
use super::*;
use std::process::Command;

const ORDER: &str = "REME_STORE_TEST";

/// A folder in memory where the system has one: what a crash loses is decided by the test, not by the disk.
fn folder() -> TempDir {
    tempfile::tempdir_in("/dev/shm").unwrap_or_else(|_| tempfile::tempdir().unwrap())
}

/// A card with fifty files that link to it, its day page, its record and no images yet.
fn crowded() -> TempDir {
    let sample = sample();
    let dir = copy(sample.path());
    for number in 0..50 {
        let text = format!("see [[daily/2026-03-01/old.md]] {number}\n");
        fs::write(dir.path().join(format!("daily/2026-03-01/linked-{number:02}.md")), text).unwrap();
    }
    // The state exists, as in any workspace after its first commit.
    open(dir.path(), "b").commit(set(vec![write(dir.path(), "daily/2026-03-01/w.md", "w")])).unwrap();
    dir
}

fn rename_with_links(root: &Path) -> ChangeSet {
    let mut changes = typical(root);
    changes.push(write(root, "session/images/a/msg-32-image-0.png", "png 2"));
    for number in 0..50 {
        let path = format!("daily/2026-03-01/linked-{number:02}.md");
        let text = String::from_utf8(present(root, &path).unwrap()).unwrap();
        changes.push(write(root, &path, &text.replace("old.md", "new.md")));
    }
    set(changes)
}

/// Runs one test function of this file in a process of its own.
fn child(order: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "store::tests::crash::in_a_child", "--nocapture"]).env(ORDER, order);
    command.stdout(std::process::Stdio::null());
    command
}

/// Not a test by itself: what the children do.
#[test]
fn in_a_child() {
    let Ok(order) = std::env::var(ORDER) else { return };
    let words: Vec<&str> = order.splitn(4, ' ').collect();
    let [what, step, loss, root] = words[..] else { panic!("{order}") };
    let root = Path::new(root);
    let step: usize = step.parse().unwrap();
    let loss = match loss {
        "half" => Loss::HalfAWrite,
        "unsynced" => Loss::Unsynced,
        "content" => Loss::UnsyncedContent,
        _ => Loss::None,
    };
    match what {
        "commit" => {
            let store = open(root, "b");
            let changes = rename_with_links(root);
            fault::stop_at(step, loss);
            store.commit(changes).unwrap();
            store.settle().unwrap();
        }
        "first" => {
            let store = open(root, "b");
            let changes = set(typical(root));
            fault::stop_at(step, loss);
            store.commit(changes).unwrap();
            store.settle().unwrap();
        }
        "two" => {
            let store = open(root, "b");
            let first = rename_with_links(root);
            fault::stop_at(step, loss);
            store.commit(first).unwrap();
            let second = vec![
                append(root, "session/dialog/a.jsonl", "{\"id\":3}\n"),
                write(root, "daily/2026-03-01/new.md", "newer card\n"),
                append(root, "daily/2026-03-01.md", "more\n"),
            ];
            store.commit(set(second)).unwrap();
            store.settle().unwrap();
        }
        "open" => {
            fault::stop_at(step, loss);
            open(root, "b2");
        }
        "write" => many_commits(root, step),
        _ => panic!("{order}"),
    }
}

fn order(what: &str, step: usize, loss: Loss, root: &Path) -> String {
    let loss = match loss {
        Loss::None => "none",
        Loss::HalfAWrite => "half",
        Loss::Unsynced => "unsynced",
        Loss::UnsyncedContent => "content",
    };
    format!("{what} {step} {loss} {}", root.display())
}

/// `true`: the child was stopped; `false`: it came to its end.
fn stopped(what: &str, step: usize, loss: Loss, root: &Path) -> bool {
    let status = child(&order(what, step, loss, root)).status().unwrap();
    match status.code() {
        Some(STOPPED) => true,
        Some(0) => false,
        code => panic!("{what} {step} {loss:?}: {code:?}"),
    }
}

fn copy(from: &Path) -> TempDir {
    let to = folder();
    for entry in walkdir::WalkDir::new(from) {
        let entry = entry.unwrap();
        let target = to.path().join(entry.path().strip_prefix(from).unwrap());
        if entry.file_type().is_dir() {
            fs::create_dir_all(target).unwrap();
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
    to
}

/// The states that a crash may leave after the next open, first to last.
fn states(what: &str) -> (TempDir, Vec<BTreeMap<String, Vec<u8>>>) {
    let (start, changes): (_, fn(&Path) -> ChangeSet) = match what {
        "first" => (sample(), |root| set(typical(root))),
        _ => (crowded(), rename_with_links),
    };
    let mut states = vec![files(start.path())];
    let once = copy(start.path());
    open(once.path(), "b").commit(changes(once.path())).unwrap();
    states.push(files(once.path()));
    if what == "two" {
        assert!(!stopped("two", 1_000_000, Loss::None, start.path()));
        states.push(files(start.path()));
        let fresh = crowded();
        return (fresh, states);
    }
    (start, states)
}

/// Stops at every `stride`th step; says how many steps there were.
fn check_every_step(what: &str, loss: Loss, stride: usize) -> usize {
    let (start, states) = states(what);
    let boot = if matches!(loss, Loss::Unsynced | Loss::UnsyncedContent) { "b2" } else { "b" };
    let mut reached = 0;
    for step in (0..).step_by(stride) {
        let dir = copy(start.path());
        if !stopped(what, step, loss, dir.path()) {
            assert_eq!(&files(dir.path()), states.last().unwrap());
            return step;
        }
        let store = open(dir.path(), boot);
        assert_eq!(store.reports(), [], "{what} {step} {loss:?}");
        let found = files(dir.path());
        let state = states.iter().position(|state| *state == found);
        let state = state.unwrap_or_else(|| {
            panic!("{what}, step {step}, {loss:?}: a mixture: {:?}", differs(&states, &found))
        });
        assert!(state >= reached, "{what} {step} {loss:?}: what was reached before is lost");
        reached = state;
        assert!(names(dir.path(), "journal").iter().all(|name| name.ends_with(".placed")), "{what} {step}");
    }
    unreachable!()
}

fn differs(states: &[BTreeMap<String, Vec<u8>>], found: &BTreeMap<String, Vec<u8>>) -> Vec<String> {
    let last = states.last().unwrap();
    let all = last.keys().chain(found.keys());
    all.filter(|path| last.get(*path) != found.get(*path)).cloned().collect()
}

#[test]
fn killed_at_every_step() {
    let steps = check_every_step("commit", Loss::None, 1);
    assert!(steps > 100, "{steps}");
}

#[test]
fn killed_within_every_write() {
    check_every_step("commit", Loss::HalfAWrite, 1);
}

#[test]
fn power_lost_at_every_step() {
    check_every_step("commit", Loss::Unsynced, 1);
    check_every_step("commit", Loss::UnsyncedContent, 3);
}

#[test]
fn stopped_in_the_first_commit_of_a_workspace() {
    for loss in [Loss::None, Loss::HalfAWrite, Loss::Unsynced, Loss::UnsyncedContent] {
        check_every_step("first", loss, 1);
    }
}

#[test]
fn power_lost_while_two_commits_wait_for_their_sync() {
    check_every_step("two", Loss::Unsynced, 3);
    check_every_step("two", Loss::UnsyncedContent, 2);
}

#[test]
fn killed_again_while_recovering() {
    let (start, states) = states("commit");
    let crashed = copy(start.path());
    assert!(stopped("commit", 90, Loss::None, crashed.path()));
    for step in (0..).step_by(7) {
        let dir = copy(crashed.path());
        let stopped = stopped("open", step, Loss::HalfAWrite, dir.path());
        let store = open(dir.path(), "b3");
        assert_eq!((store.reports(), files(dir.path()) == states[1]), (Vec::new(), true), "{step}");
        if !stopped {
            assert!(step > 30, "{step}");
            break;
        }
    }
}

const WRITERS: usize = 8;
const MEMORIES: usize = 12;

/// One of several writers: each memory is a card, a line of the day page and a line of a shared record.
fn many_commits(root: &Path, writer: usize) {
    let store = open(root, "b");
    for memory in 0..MEMORIES {
        loop {
            let name = format!("{writer}-{memory}");
            let page = String::from_utf8(present(root, "daily/2026-03-01.md").unwrap_or_default()).unwrap();
            // Hashes are taken of what was read, never of what may have come since.
            let base = if page.is_empty() { Base::Absent } else { Base::Is(Hash::of(page.as_bytes())) };
            let edit = Edit::Write(format!("{page}{name}\n").into());
            let changes = vec![
                write(root, &format!("daily/2026-03-01/{name}.md"), &name),
                Change { path: rel("daily/2026-03-01.md"), base, edit },
                append(root, "session/dialog/shared.jsonl", &format!("{name}\n")),
            ];
            match store.commit(set(changes)) {
                Ok(_) => break,
                Err(StoreError::Conflict { .. }) => {}
                Err(error) => panic!("{error}"),
            }
        }
    }
}

#[test]
fn several_processes_lose_nothing() {
    let dir = folder();
    let spawn = |writer| child(&order("write", writer, Loss::None, dir.path())).spawn().unwrap();
    let children: Vec<_> = (0..WRITERS).map(spawn).collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let all = WRITERS * MEMORIES;
    let lines = |path: &str| {
        let text = String::from_utf8(present(dir.path(), path).unwrap()).unwrap();
        text.lines().map(str::to_owned).collect::<std::collections::BTreeSet<_>>().len()
    };
    assert_eq!(fs::read_dir(dir.path().join("daily/2026-03-01")).unwrap().count(), all);
    assert_eq!((lines("daily/2026-03-01.md"), lines("session/dialog/shared.jsonl")), (all, all));
    assert_eq!(open(dir.path(), "b").log().unwrap().len(), all);
}
