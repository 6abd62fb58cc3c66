//! `reme log`: what was written, newest first.

use super::{Call, Job};
use crate::output::Outcome;
use reme_core::answer::Answer;
use reme_core::store::LogEntry;
use serde_json::{Value, json};

pub const JOB: Job = Job {
    name: "log",
    about: "List what was written, newest first, with the ids that undo takes",
    params: &[],
    run,
};

fn run(call: &Call) -> Outcome {
    let log = match call.store().and_then(|store| store.log().map_err(|error| super::store_failure(&error))) {
        Ok(log) => log,
        Err(answer) => return Outcome::Answer(answer),
    };
    let text = if log.is_empty() { "Nothing was written yet.".to_owned() } else { listed(&log) };
    let commits: Vec<Value> = log.iter().map(described).collect();
    Outcome::Answer(Answer::success(text).with("commits", commits))
}

/// A commit for a program.
pub fn described(entry: &LogEntry) -> Value {
    json!({
        "id": entry.id,
        "time": entry.time.to_rfc3339(),
        "summary": entry.summary,
        "files": files(entry),
        "undone": !entry.in_effect,
        "undoes": entry.undoes,
        "undone_by": entry.undone_by,
    })
}

fn listed(log: &[LogEntry]) -> String {
    let mut text = String::new();
    for entry in log {
        let time = entry.time.with_timezone(&chrono::Local).format("%Y-%m-%d %H:%M:%S");
        let mark = if entry.in_effect { "" } else { "  (undone)" };
        text.push_str(&format!("{}  {time}  {}{mark}\n", entry.id, entry.summary));
        for file in files(entry) {
            text.push_str(&format!("    {file}\n"));
        }
    }
    text
}

/// The files that a person knows; state of our own is left out.
pub fn files(entry: &LogEntry) -> Vec<&str> {
    entry.paths.iter().map(String::as_str).filter(|path| !path.starts_with("metadata/native/")).collect()
}
