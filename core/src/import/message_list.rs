//! Lists of objects with a role and content: where they are in an input, and how one is read.
//!
//! Owns what OpenAI's, AgentScope's and their many imitators' lists share. Never decides which of them it is.
//! Called by `openai_chat` and `agentscope`.

use super::builder::Builder;
use super::registry::Input;
use super::values::Shape;
use super::{Conversation, common, content, injected};
use crate::message::{Fields, Msg, Role};
use common::Speaker;
use serde_json::Value;

/// One list of messages and the object it belongs to.
pub(super) struct MessageList<'a> {
    /// The object that holds the list.
    pub owner: Option<&'a Fields>,
    /// The items, proper or not.
    pub items: Vec<&'a Value>,
}

/// The lists of an input; none if it holds no role/content objects.
pub(super) fn find<'a>(input: &Input<'a>) -> Vec<MessageList<'a>> {
    let lists = match input.shape {
        Shape::One(value @ Value::Object(fields)) => match owned(fields) {
            Some(list) => vec![list],
            None => vec![MessageList { owner: None, items: vec![value] }],
        },
        Shape::One(Value::Array(items)) => of_items(items),
        Shape::Many(values) => of_items(values),
        _ => Vec::new(),
    };
    let any = lists.iter().flat_map(|list| &list.items).any(|item| is_message(item));
    if any { lists } else { Vec::new() }
}

/// Either items hold lists of their own, or they are the messages of one list. An item of neither kind stays, so
/// that it is reported.
fn of_items(items: &[Value]) -> Vec<MessageList<'_>> {
    if !items.iter().any(|item| item.as_object().and_then(owned).is_some()) {
        return vec![MessageList { owner: None, items: items.iter().collect() }];
    }
    let list = |item| match Value::as_object(item).and_then(owned) {
        Some(list) => list,
        None => MessageList { owner: None, items: vec![item] },
    };
    items.iter().map(list).collect()
}

/// The keys under which objects hold their messages.
const LIST_KEYS: [&str; 6] = ["messages", "conversation", "history", "chat_history", "dialogue", "chat"];

/// The list that an object holds, unless the object is itself a message.
pub(super) fn owned(fields: &Fields) -> Option<MessageList<'_>> {
    if fields.get("role").is_some_and(Value::is_string) {
        return None;
    }
    let items = LIST_KEYS.iter().find_map(|key| fields.get(*key)?.as_array())?;
    Some(MessageList { owner: Some(fields), items: items.iter().collect() })
}

fn is_message(value: &Value) -> bool {
    value.as_object().is_some_and(|fields| {
        fields.get("role").is_some_and(Value::is_string)
            && ["content", "tool_calls", "function_call"].iter().any(|key| fields.contains_key(*key))
    })
}

const SESSION_KEYS: [&str; 4] = ["session_id", "sessionId", "conversation_id", "thread_id"];

/// Reads one list.
pub(super) fn read(list: &MessageList<'_>) -> Conversation {
    let session_id =
        list.owner.and_then(|owner| common::first_id(owner, &SESSION_KEYS)).or_else(|| shared_id(list));
    let title = list.owner.and_then(|owner| common::words(owner, "title")).map(str::to_owned);
    let mut builder = Builder::new(session_id, title);
    for (index, item) in list.items.iter().enumerate() {
        match item.as_object() {
            Some(fields) => read_message(fields, index, &mut builder),
            None => {
                builder.skip(format!("[{index}]"), "not an object");
                builder.note("malformed_message", format!("[{index}]"));
            }
        }
    }
    builder.finish()
}

/// The session id that every message of a list carries.
fn shared_id(list: &MessageList<'_>) -> Option<String> {
    let mut ids = list
        .items
        .iter()
        .filter_map(|item| item.as_object())
        .map(|fields| common::first_id(fields, &SESSION_KEYS));
    let first = ids.next()??;
    ids.all(|id| id.as_ref() == Some(&first)).then_some(first)
}

/// Reads one message object into the conversation.
pub(super) fn read_message(fields: &Fields, index: usize, builder: &mut Builder) {
    let (id, id_key) = ["id", "uuid", "message_id"]
        .into_iter()
        .find_map(|key| Some((common::id_text(fields.get(key))?, key)))
        .map_or((None, ""), |(id, key)| (Some(id), key));
    let reference = id.clone().unwrap_or_else(|| format!("[{index}]"));
    let Some(role_word) = common::words(fields, "role") else {
        match common::words(fields, "type").filter(|kind| kind.contains("call") || kind.contains("reasoning"))
        {
            Some(kind) => builder.skip(reference, kind),
            None => {
                builder.note("malformed_message", reference.as_str());
                builder.skip(reference, "no role");
            }
        }
        return;
    };
    let mut name = common::words(fields, "name").map(str::to_owned);
    let role = match common::speaker(role_word) {
        Speaker::Known(role) => role,
        Speaker::Tool => return builder.skip(reference, "tool"),
        Speaker::Injected => return builder.skip(reference, "instructions of a program"),
        Speaker::Unknown => {
            builder.note("unknown_role", format!("{reference} (`{role_word}`)"));
            name.get_or_insert_with(|| role_word.to_owned());
            Role::User
        }
    };
    let mut content = content::read(fields.get("content").unwrap_or(&Value::Null));
    if content.malformed {
        builder.note("malformed_message", reference.as_str());
    }
    if !content.unknown.is_empty() {
        builder.note("unknown_block", format!("{reference} ({})", content.unknown.join(", ")));
    }
    if role == Role::User && injected::strip_recall(&mut content.blocks) {
        return builder.skip(reference, "only recalled memory");
    }
    if content.blocks.is_empty()
        && ["tool_calls", "function_call"].iter().any(|key| fields.contains_key(*key))
    {
        return builder.skip(reference, "only tool calls");
    }
    let (time, time_key) = common::time_field(fields);
    let created_at = builder.time(&reference, time);
    let own = ["role", "name", "content", "metadata", "created_at", id_key, time_key.unwrap_or("")];
    let message = Msg {
        id,
        role,
        name,
        content: content.blocks,
        created_at,
        metadata: fields.get("metadata").and_then(Value::as_object).cloned().unwrap_or_default(),
        extra: fields
            .iter()
            .filter(|(key, _)| !own.contains(&key.as_str()))
            .map(|(k, v)| (k.clone(), v.clone()))
            .collect(),
    };
    builder.push(&reference, message);
}
