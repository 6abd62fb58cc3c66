//! `reme auto_memory`: record messages, distil them, accept the card at once.

use super::{Call, Job, Kind, Param};
use crate::output::Outcome;
use reme_core::answer::Answer;
use reme_core::memorize::auto;
use serde_json::Value;

pub const JOB: Job = Job {
    name: "auto_memory",
    about: "Remember a list of messages: the record, one card of the day, the day page",
    params: &[
        Param {
            name: "messages",
            kind: Kind::Json,
            required: false,
            about: "A JSON list of messages; @FILE and - read it from a file or standard input",
        },
        Param {
            name: "session_id",
            kind: Kind::Text,
            required: false,
            about: "Which conversation this is; one card per session and day",
        },
        Param {
            name: "memory_hint",
            kind: Kind::Text,
            required: false,
            about: "A line of guidance for the distiller",
        },
        Param {
            name: "include_images",
            kind: Kind::Flag,
            required: false,
            about: "Let the distiller see the pictures",
        },
        Param {
            name: "date",
            kind: Kind::Text,
            required: false,
            about: "The day of the card, YYYY-MM-DD; else that of the latest message",
        },
        Param {
            name: "force",
            kind: Kind::Flag,
            required: false,
            about: "Memorize again what was memorized before",
        },
    ],
    run,
};

fn run(call: &Call) -> Outcome {
    let distiller = match crate::settings::distiller(None) {
        Ok(distiller) => distiller,
        Err(message) => return Outcome::Usage(message),
    };
    let request = auto::Request {
        session_id: call.text("session_id").unwrap_or_default().to_owned(),
        messages: call.values.get("messages").cloned().unwrap_or(Value::Null),
        date: call.text("date").map(str::to_owned),
        hint: call.text("memory_hint").map(str::to_owned),
        include_images: call.flag("include_images"),
        force: call.flag("force"),
    };
    let answer = match call.store() {
        Ok(store) => auto::auto_memory(&store, request, distiller.as_ref()),
        Err(answer) => answer,
    };
    Outcome::Answer(report_warnings(answer))
}

/// Warnings are for the person at the terminal too.
fn report_warnings(answer: Answer) -> Answer {
    for warning in answer.metadata.get("warnings").and_then(Value::as_array).into_iter().flatten() {
        if let Some(message) = warning.get("message").and_then(Value::as_str) {
            crate::output::note(&format!("warning: {message}"));
        }
    }
    answer
}
