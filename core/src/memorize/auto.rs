//! The job `auto_memory`: from a call's parameters to its answer, accepting the card at once.
//!
//! Serves the command line and the service alike; the answer's shape is ReMe's.

use super::commit::AtOnce;
use super::{Acceptance, MemorizeError, Recorded, Submission};
use crate::answer::Answer;
use crate::card::FieldValue;
use crate::distill::{Distiller, Unwatched};
use crate::import::Warning;
use crate::message;
use crate::store::Store;
use crate::workspace::{Workspace, parse_day};
use serde_json::{Map, Value, json};

/// The parameters of one call.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// Which conversation.
    pub session_id: String,
    /// The messages as they came: a JSON list.
    pub messages: Value,
    /// The day, as text.
    pub date: Option<String>,
    /// Guidance for the distiller.
    pub hint: Option<String>,
    /// Whether the distiller is to see pictures.
    pub include_images: bool,
    /// Memorize again what was covered before.
    pub force: bool,
}

/// Records, distils and accepts; every way that this can end is an answer.
pub fn auto_memory(store: &Store, request: Request, distiller: &dyn Distiller) -> Answer {
    let submission = match checked(store.workspace(), request) {
        Ok(Checked::Submission(submission)) => submission,
        Ok(Checked::Done(answer)) | Err(answer) => return answer,
    };
    submit(store, submission, distiller).unwrap_or_else(|error| failure(&error))
}

/// The same for messages that have been read already.
pub fn submit(
    store: &Store,
    submission: (Submission, Vec<Warning>),
    distiller: &dyn Distiller,
) -> Result<Answer, MemorizeError> {
    let (submission, mut warnings) = submission;
    let recorded = super::record(store, submission, distiller)?;
    warnings.extend(recorded.warnings.iter().cloned());
    if !recorded.has_news() {
        return Ok(skipped("Skipped: nothing new", &recorded, &warnings));
    }
    match super::accept_at_once(store, &recorded, distiller, &Unwatched)? {
        AtOnce::Skipped { reason } => Ok(skipped(&format!("Skipped: {reason}"), &recorded, &warnings)),
        AtOnce::Accepted(acceptance) => Ok(accepted(&acceptance, &recorded, &warnings)),
    }
}

enum Checked {
    Submission((Submission, Vec<Warning>)),
    Done(Answer),
}

fn checked(workspace: &Workspace, request: Request) -> Result<Checked, Answer> {
    if request.session_id.is_empty() {
        return Err(untagged(Answer::failure("session_id", "Error: session_id is required")));
    }
    crate::workspace::path::check_component("session_id", &request.session_id)
        .map_err(|error| untagged(Answer::failure("session_id", format!("Error: {error}"))))?;
    let date = parse_day(request.date.as_deref().unwrap_or_default())
        .map_err(|error| untagged(Answer::failure("date", format!("Error: {error}"))))?;
    let empty = match &request.messages {
        Value::Null => true,
        Value::Array(list) => list.is_empty(),
        _ => false,
    };
    if empty {
        let day = date.unwrap_or_else(|| workspace.today()).to_string();
        return Ok(Checked::Done(untagged(
            Answer::success("Skipped: no messages")
                .with("date", day)
                .with("modified", false)
                .with("n_messages", 0),
        )));
    }
    let parsed = message::parse_list(&request.messages)
        .map_err(|error| Answer::failure("messages", format!("Error: {error}")))?;
    let submission = Submission {
        session_id: request.session_id,
        messages: parsed.messages,
        date,
        hint: request.hint,
        include_images: request.include_images,
        force: request.force,
    };
    Ok(Checked::Submission((submission, parsed.warnings)))
}

fn failure(error: &MemorizeError) -> Answer {
    Answer::failure(error.code(), format!("Error: {error}"))
}

fn skipped(answer: &str, recorded: &Recorded, warnings: &[Warning]) -> Answer {
    let answer = Answer::success(answer)
        .with("date", recorded.day.to_string())
        .with("path", recorded.present.as_ref().map(|path| path.as_str().to_owned()))
        .with("created", false)
        .with("modified", false)
        .with("n_messages", recorded.submitted)
        .with("source_conversation", link(recorded));
    warned(untagged(answer), warnings)
}

fn accepted(acceptance: &Acceptance, recorded: &Recorded, warnings: &[Warning]) -> Answer {
    let path = acceptance.path.as_str();
    let text = if acceptance.created { format!("Created {path}") } else { format!("Updated {path}") };
    let change = if acceptance.created { "added" } else { "modified" };
    let tagged = acceptance.modified.then(|| {
        json!({ "change": change, "path": path, "success": true, "summary": tag_summary(&acceptance.tags) })
    });
    let count = usize::from(tagged.is_some());
    let answer =
        Answer::success(if acceptance.modified { text } else { format!("Nothing to change in {path}") })
            .with("date", recorded.day.to_string())
            .with("path", path)
            .with("created", acceptance.created)
            .with("modified", acceptance.modified)
            .with("n_messages", recorded.submitted)
            .with("source_conversation", link(recorded))
            .with("index", index(acceptance, recorded))
            .with("auto_tag", auto_tag(count, tagged.into_iter().collect()));
    let answer =
        if acceptance.notes.is_empty() { answer } else { answer.with("notes", acceptance.notes.clone()) };
    warned(answer, warnings)
}

fn link(recorded: &Recorded) -> String {
    format!("[[{}]]", recorded.record)
}

fn tag_summary(tags: &[String]) -> String {
    if tags.is_empty() { "No central entity.".to_owned() } else { format!("Tagged: {}", tags.join(", ")) }
}

fn index(acceptance: &Acceptance, recorded: &Recorded) -> Value {
    let notes: Vec<Value> = acceptance
        .cards
        .iter()
        .map(|(path, card)| {
            let mut note: Map<String, Value> =
                card.fields().iter().map(|field| (field.key.clone(), field_json(&field.value))).collect();
            note.insert("path".to_owned(), Value::from(path.as_str()));
            Value::Object(note)
        })
        .collect();
    json!({
        "date": recorded.day.to_string(),
        "path": acceptance.page.as_str(),
        "notes": notes,
        "created": acceptance.page_created,
        "changed": acceptance.page_changed,
    })
}

fn field_json(value: &FieldValue) -> Value {
    match value {
        FieldValue::Empty => Value::Null,
        FieldValue::Text(text) | FieldValue::Raw(text) => Value::from(text.as_str()),
        FieldValue::List(items) => Value::from(items.clone()),
    }
}

fn auto_tag(succeeded: usize, results: Vec<Value>) -> Value {
    json!({ "processed": succeeded, "succeeded": succeeded, "failed": 0, "ignored": [], "results": results })
}

fn untagged(answer: Answer) -> Answer {
    answer.with("auto_tag", auto_tag(0, Vec::new()))
}

fn warned(answer: Answer, warnings: &[Warning]) -> Answer {
    if warnings.is_empty() {
        return answer;
    }
    let list: Vec<Value> =
        warnings.iter().map(|warning| json!({ "code": warning.code, "message": warning.message })).collect();
    answer.with("warnings", list)
}
