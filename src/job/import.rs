//! `reme import FILE|-`: what a file holds, and, without `--dry-run`, its conversations remembered.

use super::{Call, Job, Kind, Param, note_warnings, read_input};
use crate::output::Outcome;
use reme_core::answer::Answer;
use reme_core::import::{self, Conversation, ImportError, Reading, report};
use reme_core::memorize::{self, Action, Submission, auto};
use reme_core::workspace::{Workspace, parse_day};
use serde_json::{Value, json};

pub const JOB: Job = Job {
    name: "import",
    about: "Read a conversation file and remember it; --dry-run only prints what was recognised",
    params: &[
        Param { name: "file", kind: Kind::Input, required: true, about: "The file; - is standard input" },
        Param { name: "dry_run", kind: Kind::Flag, required: false, about: "Write nothing" },
        Param { name: "date", kind: Kind::Text, required: false, about: "The day of the cards, YYYY-MM-DD" },
    ],
    run,
};

fn run(call: &Call) -> Outcome {
    let given = call.text("file").unwrap_or("-");
    let (bytes, name) = match read_input(given) {
        Ok(input) => input,
        Err(answer) => return Outcome::Answer(answer),
    };
    let reading = import::read(&bytes, name.as_deref());
    if call.flag("dry_run") {
        return dry_run(call, given, &reading);
    }
    match reading {
        Err(error) => Outcome::Answer(Answer::failure(error.code, error.message)),
        Ok(reading) => {
            note_warnings(&reading);
            remember(call, reading)
        }
    }
}

/// What was recognised, and what importing it would be to the workspace; nothing is written.
fn dry_run(call: &Call, given: &str, reading: &Result<Reading, ImportError>) -> Outcome {
    let (mut json, action, text) = match reading {
        Ok(reading) => {
            let workspace = crate::locate::for_reading(call.arguments);
            let actions: Vec<Action> = reading
                .sessions
                .iter()
                .map(|session| action(workspace.as_ref(), reading.format, session))
                .collect();
            let action = actions.iter().max().copied().unwrap_or(Action::Same);
            (report::reading(reading), action.as_str(), recognised(reading, &actions))
        }
        Err(error) => (report::refusal(error), "error", error.message.clone()),
    };
    if let Some(object) = json.as_object_mut() {
        object.insert("path".to_owned(), Value::from(given));
        object.insert("action".to_owned(), Value::from(action));
    }
    if reading.is_err() && !call.arguments.json {
        return Outcome::Answer(Answer::failure("unreadable", text));
    }
    Outcome::Printed { json: vec![json], text, success: reading.is_ok() }
}

fn action(workspace: Option<&Workspace>, format: &str, session: &Conversation) -> Action {
    let session_id = report::propose_session_id(format, session);
    workspace.map_or(Action::New, |workspace| memorize::known(workspace, &session_id, &session.messages))
}

/// A line per conversation, for a person.
fn recognised(reading: &Reading, actions: &[Action]) -> String {
    let mut text = format!("{}: {} conversation(s)\n", reading.format, reading.sessions.len());
    for (session, action) in reading.sessions.iter().zip(actions) {
        let id = report::propose_session_id(reading.format, session);
        let times: Vec<&str> = session.messages.iter().filter_map(|m| m.created_at.as_deref()).collect();
        let span = match (times.first(), times.last()) {
            (Some(first), Some(last)) => format!(", {first} to {last}"),
            _ => String::new(),
        };
        text.push_str(&format!("  {id}  {}, {} message(s){span}\n", action.as_str(), session.messages.len()));
    }
    let warnings = reading.warnings.iter().chain(reading.sessions.iter().flat_map(|s| &s.warnings));
    for warning in warnings {
        text.push_str(&format!("  warning: {}\n", warning.message));
    }
    text
}

/// Records and memorizes each conversation; one that fails does not stop the rest.
fn remember(call: &Call, reading: Reading) -> Outcome {
    let distiller = match crate::settings::distiller(None) {
        Ok(distiller) => distiller,
        Err(message) => return Outcome::Usage(message),
    };
    let date = match parse_day(call.text("date").unwrap_or_default()) {
        Ok(date) => date,
        Err(error) => return Outcome::Answer(Answer::failure("date", error.to_string())),
    };
    let store = match call.store() {
        Ok(store) => store,
        Err(answer) => return Outcome::Answer(answer),
    };
    let mut answers: Vec<Answer> = Vec::new();
    for conversation in reading.sessions {
        let session_id = report::propose_session_id(reading.format, &conversation);
        let submission = Submission {
            session_id: session_id.clone(),
            messages: conversation.messages,
            date,
            ..Submission::default()
        };
        let answer = auto::submit(&store, (submission, conversation.warnings), distiller.as_ref());
        answers.push(
            answer
                .unwrap_or_else(|error| Answer::failure(error.code(), error.to_string()))
                .with("session_id", session_id),
        );
    }
    let text = answers.iter().map(|answer| answer.answer.as_str()).collect::<Vec<_>>().join("\n");
    let is_success = answers.iter().any(|answer| answer.success);
    let answer = if is_success { Answer::success(text) } else { Answer::failure("import", text) };
    Outcome::Answer(answer.with("results", json!(answers)))
}
