//! What formats have in common: role words, time fields, ids, flags.
//!
//! Owns what imports make of fields that many formats share. Never reads content.
//! Called by the format files.

use crate::message::time::{self, TimeField};
use crate::message::{Fields, Role, list};
use serde_json::Value;

/// What a role word means in an imported file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
    if role.trim().eq_ignore_ascii_case("developer") {
        return Speaker::Injected;
    }
    match list::speaker(role) {
        list::Speaker::Known(role) => Speaker::Known(role),
        list::Speaker::Tool => Speaker::Tool,
        list::Speaker::Unknown => Speaker::Unknown,
    }
}

/// The time of a message object, and the top-level key it was found under.
pub(super) fn time_field(fields: &Fields) -> (TimeField, Option<&'static str>) {
    let none = Fields::new();
    let read = time::of(fields, fields.get("metadata").and_then(Value::as_object).unwrap_or(&none));
    let key =
        time::KEYS.into_iter().find(|key| fields.get(*key).is_some_and(|value| time::field(value) == read));
    (read, key)
}

/// Whether an object carries a time under any of the names.
pub(super) fn has_time(fields: &Fields) -> bool {
    time::KEYS.iter().any(|key| fields.get(*key).is_some_and(|value| !value.is_null()))
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

/// The longest session id that fits a file name with its extension on every file system.
const LONGEST_SESSION_ID: usize = 200;

/// Whether a session id can name a file on every system.
pub(super) fn can_name_a_file(id: &str) -> bool {
    const DEVICES: [&str; 4] = ["con", "prn", "aux", "nul"];
    let stem = id.split('.').next().unwrap_or("").to_ascii_lowercase();
    let numbered = ["com", "lpt"].iter().any(|device| {
        stem.strip_prefix(device)
            .is_some_and(|digit| digit.len() == 1 && digit.bytes().all(|b| b.is_ascii_digit()))
    });
    !id.is_empty()
        && id.len() <= LONGEST_SESSION_ID
        && id.trim() == id
        && !id.starts_with('.')
        && !id.ends_with('.')
        && !id.chars().any(|c| c.is_control() || r#"<>:"/\|?*"#.contains(c))
        && !DEVICES.contains(&stem.as_str())
        && !numbered
}
