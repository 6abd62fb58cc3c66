//! `reme version`.

use super::{Call, Job};
use crate::output::Outcome;
use reme_core::answer::Answer;

pub const JOB: Job = Job { name: "version", about: "Print the version", params: &[], run };

fn run(_call: &Call) -> Outcome {
    Outcome::Answer(Answer::success(env!("CARGO_PKG_VERSION")))
}
