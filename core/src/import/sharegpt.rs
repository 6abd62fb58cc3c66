//! ShareGPT data sets: one conversation per object, its turns as `from` and `value`.
//!
//! Owns the two generations of keys and files that mix in OpenAI's. Values are kept as they are, also where the
//! first generation has HTML. Called through the registry.

use super::builder::Builder;
use super::registry::{Format, Input};
use super::{Conversation, ImportError, Reading, common, message_list, notes::Notes};
use crate::message::{Block, Fields, Msg, Role};
use common::{Speaker, words};
use serde_json::Value;

const LABEL: &str = "sharegpt";

pub(super) const FORMAT: Format = Format { label: LABEL, detect, parse };

fn turns(record: &Fields) -> Option<(&'static str, &Vec<Value>)> {
    let (key, turns) =
        ["conversations", "items"].into_iter().find_map(|key| Some((key, record.get(key)?.as_array()?)))?;
    let is_turn = |turn: &Value| turn.get("from").is_some() && turn.get("value").is_some();
    turns.iter().any(is_turn).then_some((key, turns))
}

fn detect(input: &Input<'_>) -> bool {
    input.objects().into_iter().any(|record| turns(record).is_some())
}

fn parse(input: &Input<'_>) -> Result<Reading, ImportError> {
    let mut notes = Notes::default();
    let mut sessions = Vec::new();
    for (index, record) in input.objects().into_iter().enumerate() {
        if let Some((key, turns)) = turns(record) {
            sessions.push(read(record, key, turns));
        } else if let Some(list) = message_list::owned(record) {
            notes.add("mixed_format", format!("[{index}]"));
            sessions.push(message_list::read(&list));
        } else {
            notes.add("malformed_message", format!("[{index}]"));
        }
    }
    Ok(Reading { format: LABEL, sessions, warnings: notes.into_warnings() })
}

fn read(record: &Fields, key: &str, turns: &[Value]) -> Conversation {
    let session_id = common::first_id(record, &["conversation_id", "id"]);
    let mut builder = Builder::new(session_id, words(record, "title").map(str::to_owned));
    for (index, turn) in turns.iter().enumerate() {
        let reference = format!("{key}[{index}]");
        let (Some(from), Some(value)) =
            (turn.get("from").and_then(Value::as_str), turn.get("value").and_then(Value::as_str))
        else {
            builder.note("malformed_message", reference.as_str());
            builder.skip(reference, "no `from` and `value`");
            continue;
        };
        let (role, name) = match common::speaker(from) {
            Speaker::Known(role) => (role, None),
            _ if from.starts_with("function") || from.starts_with("tool") || from == "observation" => {
                builder.skip(reference, from);
                continue;
            }
            Speaker::Tool | Speaker::Injected => {
                builder.skip(reference, from);
                continue;
            }
            Speaker::Unknown => {
                builder.note("unknown_role", format!("{reference} (`{from}`)"));
                (Role::User, Some(from.to_owned()))
            }
        };
        let id = turn.as_object().and_then(|turn| common::first_id(turn, &["id"]));
        builder.push(
            &reference,
            Msg { id, name, content: vec![Block::text(value)], ..Msg::text_message(role, "") },
        );
    }
    builder.finish()
}
