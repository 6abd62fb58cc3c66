//! What formats have in common: role words, time fields, ids, session fields.
//!
//! Owns the words that name a role and the order in which time fields are looked up. Never reads content.
//! Called by the format files.

use crate::message::time::{self, TimeField};
use crate::message::{Fields, Role};
use serde_json::Value;

/// What a role word means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Speaker {
    /// A message of this role.
    Known(Role),
    /// A tool's output; no message.
    Tool,
    /// Instructions that a program put in; no message.
    Injected,
    /// A word that is not known: a user of that name.
    Unknown,
}

/// What the role word of a JSON message means, in any case.
pub(super) fn speaker(role: &str) -> Speaker {
    match role.trim().to_lowercase().as_str() {
        "user" | "human" => Speaker::Known(Role::User),
        "assistant" | "ai" | "gpt" | "chatgpt" | "bing" | "bard" | "model" | "gemini" | "bot" => {
            Speaker::Known(Role::Assistant)
        }
        "system" => Speaker::Known(Role::System),
        "tool" | "function" | "observation" | "toolresult" | "tool_result" | "ipython" => Speaker::Tool,
        "developer" => Speaker::Injected,
        _ => Speaker::Unknown,
    }
}

/// The names of a message's time, in the order in which they are looked up.
const TIME_ALIASES: [&str; 6] =
    ["created_at", "time_created", "timestamp", "createdAt", "timeCreated", "created_time"];

/// The time of a message object and the top-level key it stood under: top level first, then `metadata`.
pub(super) fn time_field(fields: &Fields) -> (TimeField, Option<&'static str>) {
    let first = |fields: &Fields| {
        TIME_ALIASES.into_iter().find_map(|key| {
            let read = time::field(fields.get(key)?);
            (read != TimeField::Absent).then_some((read, key))
        })
    };
    if let Some((read, key)) = first(fields) {
        return (read, Some(key));
    }
    let metadata = fields.get("metadata").and_then(Value::as_object);
    (metadata.and_then(first).map_or(TimeField::Absent, |(read, _)| read), None)
}

/// Whether an object carries a time under any of the names.
pub(super) fn has_time(fields: &Fields) -> bool {
    TIME_ALIASES.iter().any(|key| fields.get(*key).is_some_and(|value| !value.is_null()))
}

/// An id as text: strings and whole numbers.
pub(super) fn id_text(value: Option<&Value>) -> Option<String> {
    match value? {
        Value::String(text) if !text.trim().is_empty() => Some(text.clone()),
        Value::Number(number) if number.is_i64() || number.is_u64() => Some(number.to_string()),
        _ => None,
    }
}

/// The first of `keys` that holds an id.
pub(super) fn first_id(fields: &Fields, keys: &[&str]) -> Option<String> {
    keys.iter().find_map(|key| id_text(fields.get(*key)))
}

/// A string field that is not blank.
pub(super) fn words<'a>(fields: &'a Fields, key: &str) -> Option<&'a str> {
    fields.get(key).and_then(Value::as_str).filter(|text| !text.trim().is_empty())
}

/// Whether a field is the boolean `true`.
pub(super) fn flag(fields: &Fields, key: &str) -> bool {
    fields.get(key).and_then(Value::as_bool).unwrap_or(false)
}
