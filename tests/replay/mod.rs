//! Replaying one recording: prepare a workspace, call the engine, compare what came of it.

mod case;
mod compare;
mod differences;
mod script;

pub use case::Case;

use differences::Expectation;
use reme_core::answer::Answer;
use reme_core::distill::Unwatched;
use reme_core::memorize::{self, Outcome, Submission, auto};
use reme_core::message;
use reme_core::store::{Store, StoreOptions};
use reme_core::workspace::Workspace;
use script::Script;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

/// What a recording proves about the engine.
pub enum Verdict {
    Agrees,
    DiffersOnPurpose,
    /// Something else than the engine was recorded.
    NotApplicable,
    Fails(Vec<String>),
}

/// Files by their paths in the workspace.
pub type Files = BTreeMap<String, Vec<u8>>;

/// What the engine did with a case.
pub struct Replay {
    pub answer: Answer,
    pub before: Files,
    pub after: Files,
    /// Whether the distiller was asked.
    pub asked: bool,
}

impl Replay {
    /// A text file after the call.
    pub fn text(&self, path: &str) -> Option<&str> {
        std::str::from_utf8(self.after.get(path)?).ok()
    }

    /// The files that came, went or changed.
    pub fn changed(&self) -> Vec<&str> {
        let paths =
            self.before.keys().chain(self.after.keys().filter(|path| !self.before.contains_key(*path)));
        let mut changed: Vec<&str> = paths
            .filter(|path| self.before.get(*path) != self.after.get(*path))
            .map(String::as_str)
            .collect();
        changed.sort_unstable();
        changed
    }
}

/// Replays a case and holds it against the recording and the tables of differences.
pub fn judge(case: &Case) -> Verdict {
    if differences::not_applicable(case).is_some() {
        return Verdict::NotApplicable;
    }
    let replay = replay(case);
    let faults = compare::compare(case, &replay);
    match differences::expected(&case.name) {
        None if faults.is_empty() => Verdict::Agrees,
        None => {
            Verdict::Fails(faults.into_iter().map(|(part, fault)| format!("{part:?}: {fault}")).collect())
        }
        Some(expectation) => on_purpose(expectation, case, &replay, &faults),
    }
}

fn on_purpose(
    expectation: &Expectation,
    case: &Case,
    replay: &Replay,
    faults: &[(compare::Part, String)],
) -> Verdict {
    let mut wrong: Vec<String> = faults
        .iter()
        .filter(|(part, _)| !expectation.parts.contains(part))
        .map(|(part, fault)| format!("{part:?}: {fault}"))
        .collect();
    if faults.is_empty() {
        wrong.push(format!("no longer differs, though {} wants it: remove its row", expectation.point));
    }
    if let Err(fault) = (expectation.instead)(case, replay) {
        wrong.push(format!("instead, {} ({}): {fault}", expectation.why, expectation.point));
    }
    if wrong.is_empty() { Verdict::DiffersOnPurpose } else { Verdict::Fails(wrong) }
}

fn replay(case: &Case) -> Replay {
    let folder = tempfile::tempdir().unwrap();
    for (path, bytes) in case.seeds() {
        let file = folder.path().join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, bytes).unwrap();
    }
    let before = files(folder.path());
    let now = case.now();
    let workspace = Workspace::new(folder.path(), case.config(), Arc::new(move || now)).unwrap();
    let options = StoreOptions { durable: false, ..StoreOptions::of_this_machine() };
    let store = Store::open_with(workspace, options).unwrap();
    let script = Script::of(case);
    let answer = auto::auto_memory(&store, case.request(), &script);
    if answer.metadata.get("error").is_some_and(|error| error == "needs_review") {
        review(&store, case.request(), &script);
    }
    store.settle().unwrap();
    Replay { answer, before, after: files(folder.path()), asked: script.was_asked() }
}

/// What a person does about a draft that waits: look at it and accept it.
fn review(store: &Store, request: auto::Request, script: &Script) {
    let submission = Submission {
        session_id: request.session_id,
        messages: message::parse_list(&request.messages).unwrap().messages,
        include_images: request.include_images,
        ..Submission::default()
    };
    let recorded = memorize::record(store, submission, script).unwrap();
    match memorize::propose(store, &recorded, script, &Unwatched).unwrap() {
        Outcome::Proposed(proposal) => {
            assert!(proposal.needs_review);
            memorize::accept(store, &proposal).unwrap();
        }
        Outcome::Skipped { reason } => panic!("{reason}"),
    }
}

/// Every file but the engine's own state.
fn files(root: &Path) -> Files {
    let mut found = Files::new();
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten() {
            let path = entry.unwrap().path();
            let relative = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
            if relative == "metadata" {
                continue;
            }
            if path.is_dir() {
                folders.push(path);
            } else {
                found.insert(relative, fs::read(&path).unwrap());
            }
        }
    }
    found
}
