//! `reme demo`: the program on a sample workspace, with a conversation waiting to be memorized.

use super::{Call, Job, Kind, Param};
use crate::output::Outcome;
use std::io::IsTerminal;

pub const JOB: Job = Job {
    name: "demo",
    about: "Try it on a sample workspace: no key, no network, no set-up",
    params: &[Param {
        name: "dir",
        kind: Kind::Text,
        required: false,
        about: "Where the sample is copied to; files that are there already stay as they are",
    }],
    run,
};

fn run(call: &Call) -> Outcome {
    let sample = match crate::demo::copy(call.text("dir")) {
        Ok(sample) => sample,
        Err(answer) => return Outcome::Answer(answer),
    };
    if std::io::stdout().is_terminal() && !call.arguments.json {
        crate::output::note(&format!("the sample workspace is {}", sample.root.display()));
        crate::tui::open(call.arguments, &sample.root, Some(sample.conversation))
    } else {
        crate::demo::without_interface(call.arguments, &sample)
    }
}
