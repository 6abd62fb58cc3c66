//! The strict reading of a JSON message list, as the `messages=` parameter takes it.
//!
//! One malformed message refuses the whole list, and the error names it; nothing is guessed and nothing is
//! written. Called by the command line, the service and `dialog`; files are read by `import`, which forgives
//! more.

use super::time::{self, TimeField};
use super::{Block, Fields, Msg, Role, block};
use crate::import::Warning;
use serde_json::Value;

/// The messages of a list, and what a person should know about them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parsed {
    /// The messages in order, without those of tools.
    pub messages: Vec<Msg>,
    /// What was read differently from how it was written.
    pub warnings: Vec<Warning>,
}

/// Why a list was refused.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
pub enum ListError {
    /// The value is no list.
    #[error("messages must be a JSON list of objects, not {found}; nothing was saved")]
    NotAList {
        /// What it is instead.
        found: &'static str,
    },
    /// One message cannot be read.
    #[error("messages[{index}]: {why}; nothing was saved")]
    Message {
        /// The message's place in the list, from 0.
        index: usize,
        /// What is wrong, and what would do.
        why: String,
    },
}

/// Reads a message list; `null` is an empty one.
pub fn parse_list(list: &Value) -> Result<Parsed, ListError> {
    let items = match list {
        Value::Null => return Ok(Parsed::default()),
        Value::Array(items) => items,
        other => return Err(ListError::NotAList { found: kind(other) }),
    };
    let mut parsed = Parsed::default();
    for (index, item) in items.iter().enumerate() {
        let message = read(item.clone(), |warning| {
            parsed
                .warnings
                .push(Warning { message: format!("messages[{index}]: {}", warning.message), ..warning });
        });
        parsed.messages.extend(message.map_err(|why| ListError::Message { index, why })?);
    }
    Ok(parsed)
}

/// Who a role word names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Speaker {
    /// One of the record's roles.
    Known(Role),
    /// A tool; what it says is no message.
    Tool,
    /// Nobody that this program knows.
    Unknown,
}

/// Reads a role word, in any case.
pub fn speaker(role: &str) -> Speaker {
    match role.trim().to_ascii_lowercase().as_str() {
        "user" | "human" => Speaker::Known(Role::User),
        "assistant" | "ai" | "gpt" | "chatgpt" | "bing" | "bard" | "gemini" | "model" => {
            Speaker::Known(Role::Assistant)
        }
        "system" | "developer" => Speaker::Known(Role::System),
        "tool" | "function" | "observation" | "toolresult" => Speaker::Tool,
        _ => Speaker::Unknown,
    }
}

/// Reads one message; `None` for a tool's. The error says what is wrong with it.
pub(crate) fn read(item: Value, mut warn: impl FnMut(Warning)) -> Result<Option<Msg>, String> {
    let Value::Object(mut fields) = item else {
        return Err(format!("a message must be an object with role and content, not {}", kind(&item)));
    };
    let role_word = match fields.shift_remove("role") {
        Some(Value::String(role)) => role,
        Some(other) => return Err(format!("role must be text, not {}", kind(&other))),
        None => return Err("role is missing; give user, assistant or system".to_owned()),
    };
    let role = match speaker(&role_word) {
        Speaker::Tool => return Ok(None),
        Speaker::Known(role) => role,
        Speaker::Unknown => Role::User,
    };
    let content = content(fields.shift_remove("content"))?;
    let mut name = text("name", fields.shift_remove("name"))?;
    if speaker(&role_word) == Speaker::Unknown {
        warn(Warning {
            code: "unknown_role",
            message: format!("role {role_word:?} is not known; read as user, named by the role"),
        });
        name = name.or_else(|| Some(role_word.clone()).filter(|word| !word.is_empty()));
    }
    let id = text("id", fields.shift_remove("id"))?;
    let metadata = match fields.shift_remove("metadata") {
        Some(Value::Object(metadata)) => metadata,
        None | Some(Value::Null) => Fields::new(),
        Some(other) => return Err(format!("metadata must be an object, not {}", kind(&other))),
    };
    let created_at = created_at(&mut fields, &metadata, warn);
    Ok(Some(Msg { id, role, name, content, created_at, metadata, extra: fields }))
}

fn content(value: Option<Value>) -> Result<Vec<Block>, String> {
    match value {
        Some(Value::String(text)) => Ok(vec![Block::text(text)]),
        Some(Value::Array(items)) => {
            let blocks = items.into_iter().enumerate().map(|(index, item)| {
                let found = kind(&item);
                block::read(item).ok_or_else(|| format!("content[{index}] must be a block, not {found}"))
            });
            blocks.collect()
        }
        Some(other) => Err(format!("content must be text or a list of blocks, not {}", kind(&other))),
        None => Err("content is missing; give text or a list of blocks".to_owned()),
    }
}

/// A text field; numbers are taken as they are written, an empty text is none.
fn text(key: &str, value: Option<Value>) -> Result<Option<String>, String> {
    match value {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text).filter(|text| !text.is_empty())),
        Some(Value::Number(number)) => Ok(Some(number.to_string())),
        Some(other) => Err(format!("{key} must be text, not {}", kind(&other))),
    }
}

/// Takes the time out of the top-level fields. Text that is no time stays the message's `created_at`, so that
/// the record keeps it.
fn created_at(fields: &mut Fields, metadata: &Fields, mut warn: impl FnMut(Warning)) -> Option<String> {
    let time = time::of(fields, metadata);
    let (TimeField::At(text) | TimeField::Invalid(text)) = &time else {
        fields.shift_remove("created_at");
        return None;
    };
    if matches!(time, TimeField::Invalid(_)) {
        warn(Warning {
            code: "invalid_timestamp",
            message: format!(
                "{text:?} is no time that can be read; the message counts as one without a time"
            ),
        });
    }
    let source =
        time::KEYS.into_iter().find(|key| fields.get(*key).is_some_and(|value| time::field(value) == time));
    let value = match source {
        Some(key) => fields.shift_remove(key),
        None => time::KEYS
            .iter()
            .find_map(|key| metadata.get(*key).filter(|value| time::field(value) == time))
            .cloned(),
    };
    fields.shift_remove("created_at");
    let kept = matches!(time, TimeField::At(_)) || value.is_some_and(|value| value.is_string());
    kept.then(|| text.clone())
}

/// What a JSON value is, for an error.
fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check_refused(list: Value, expect: &str) {
        let error = parse_list(&list).map_err(|error| error.to_string());
        assert_eq!(error, Err(format!("{expect}; nothing was saved")), "{list}");
    }

    #[test]
    fn refused() {
        for (list, expect) in [
            (json!("hello"), "messages must be a JSON list of objects, not text"),
            (json!({}), "messages must be a JSON list of objects, not an object"),
            (json!([null]), "messages[0]: a message must be an object with role and content, not null"),
            (
                json!([{"role": "user", "content": "good"}, {"role": "user", "content": null}]),
                "messages[1]: content must be text or a list of blocks, not null",
            ),
            (json!([{"role": "user"}]), "messages[0]: content is missing; give text or a list of blocks"),
            (json!([{"content": "x"}]), "messages[0]: role is missing; give user, assistant or system"),
            (json!([{"role": 1, "content": "x"}]), "messages[0]: role must be text, not a number"),
            (
                json!([{"role": "user", "content": [1]}]),
                "messages[0]: content[0] must be a block, not a number",
            ),
            (
                json!([{"role": "user", "content": "x", "metadata": "x"}]),
                "messages[0]: metadata must be an object, not text",
            ),
            (json!([{"role": "user", "content": "x", "id": []}]), "messages[0]: id must be text, not a list"),
        ] {
            check_refused(list, expect);
        }
    }

    /// `expect`: for each message id, role, speaker, time; then the codes of the warnings.
    fn check(list: Value, expect: &[[&str; 4]], warnings: &[&str]) {
        let parsed = parse_list(&list).unwrap_or_else(|error| panic!("{list}: {error}"));
        let found: Vec<[&str; 4]> = (parsed.messages.iter())
            .map(|message| {
                let id = message.id.as_deref().unwrap_or("-");
                let time = message.created_at.as_deref().unwrap_or("-");
                [id, message.role.as_str(), message.speaker(), time]
            })
            .collect();
        assert_eq!(found, expect, "{list}");
        let codes: Vec<&str> = parsed.warnings.iter().map(|warning| warning.code).collect();
        assert_eq!(codes, warnings, "{list}");
    }

    #[test]
    fn read_messages() {
        check(json!(null), &[], &[]);
        check(json!([]), &[], &[]);
        check(
            json!([{"role": "user", "content": "Jon", "created_at": "2023-01-19T08:00:00"}]),
            &[["-", "user", "user", "2023-01-19T08:00:00"]],
            &[],
        );
        check(
            json!([{"role": "Assistant", "content": "x", "id": 7, "name": "Friday"}]),
            &[["7", "assistant", "Friday", "-"]],
            &[],
        );
        check(json!([{"role": "tool", "content": null}, {"role": "function", "content": "x"}]), &[], &[]);
        check(
            json!([{"role": "narrator", "content": "x"}, {"role": "critic", "name": "Ann", "content": "x"}]),
            &[["-", "user", "narrator", "-"], ["-", "user", "Ann", "-"]],
            &["unknown_role", "unknown_role"],
        );
        check(
            json!([
                {"role": "user", "content": "x", "created_at": "not a time"},
                {"role": "user", "content": "x", "created_at": true},
                {"role": "user", "content": "x", "timestamp": 0},
                {"role": "user", "content": "x", "timestamp": 1_674_115_200_000_u64},
            ]),
            &[
                ["-", "user", "user", "not a time"],
                ["-", "user", "user", "-"],
                ["-", "user", "user", "-"],
                ["-", "user", "user", "2023-01-19T08:00:00Z"],
            ],
            &["invalid_timestamp", "invalid_timestamp", "invalid_timestamp"],
        );
    }

    #[test]
    fn fields_that_are_not_known_are_kept_and_the_time_is_not_kept_twice() {
        let list = json!([{
            "role": "user", "content": [{"type": "text", "text": "x", "foo": 1}, {"type": "new_kind", "x": 1}],
            "timestamp": "2023-01-19", "createdAt": "2023-01-20", "custom": {"a": [1]}, "usage": null,
        }]);
        let parsed = parse_list(&list).expect("a list");
        let message = &parsed.messages[0];
        assert_eq!(message.created_at.as_deref(), Some("2023-01-19"));
        assert_eq!(
            Value::Object(message.extra.clone()),
            json!({"createdAt": "2023-01-20", "custom": {"a": [1]}, "usage": null})
        );
        assert_eq!(message.content[0].fields["foo"], json!(1));
        assert_eq!(Value::Object(message.content[1].fields.clone()), json!({"type": "new_kind", "x": 1}));
    }
}
