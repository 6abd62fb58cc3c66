//! `reme undo [ID]`: takes back the newest memory, or the commit that is named.

use super::{Call, Job, Kind, Param, log};
use crate::output::Outcome;
use reme_core::answer::Answer;
use reme_core::memorize::{self, Undone};

pub const JOB: Job = Job {
    name: "undo",
    about: "Take back the newest memory, or the commit of this id; undoing an undo does it again",
    params: &[Param {
        name: "id",
        kind: Kind::Text,
        required: false,
        about: "Which commit, as `reme log` lists it; the newest memory that holds when left out",
    }],
    run,
};

fn run(call: &Call) -> Outcome {
    let store = match call.store() {
        Ok(store) => store,
        Err(answer) => return Outcome::Answer(answer),
    };
    Outcome::Answer(match memorize::undo(&store, call.text("id")) {
        Ok(undone) => done(&undone),
        Err(error) => Answer::failure(error.code(), error.to_string()),
    })
}

fn done(undone: &Undone) -> Answer {
    let entry = &undone.entry;
    let mut text = format!("Took back: {} ({})\n", entry.summary, entry.id);
    for file in log::files(entry) {
        text.push_str(&format!("    {file}\n"));
    }
    text.push_str(&format!("`reme undo {}` does it again.\n", undone.receipt.operation));
    Answer::success(text)
        .with("undone", log::described(entry))
        .with("operation", undone.receipt.operation.as_str())
}
