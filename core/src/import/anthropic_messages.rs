//! Requests of Anthropic's Messages API: role/content lists with that vendor's blocks.
//!
//! Owns how they are told from OpenAI's. The request's system prompt is not part of the conversation. Called
//! through the registry.

use super::registry::{Format, Input};
use super::{ImportError, Reading, Skipped, message_list};
use crate::message::Fields;
use serde_json::Value;

const LABEL: &str = "anthropic_messages";

pub(super) const FORMAT: Format = Format { label: LABEL, detect, parse };

fn detect(input: &Input<'_>) -> bool {
    let lists = message_list::find(input);
    let items = lists.iter().flat_map(|list| &list.items).filter_map(|item| item.as_object());
    let mut parts =
        items.filter_map(|item| item.get("content")?.as_array()).flatten().filter_map(Value::as_object);
    parts.any(is_block)
}

fn is_block(part: &Fields) -> bool {
    match part.get("type").and_then(Value::as_str) {
        Some("tool_use" | "server_tool_use" | "thinking" | "redacted_thinking" | "document") => true,
        Some("image") => part.contains_key("source"),
        Some(kind) => kind.ends_with("tool_result"),
        None => false,
    }
}

fn parse(input: &Input<'_>) -> Result<Reading, ImportError> {
    let mut sessions = Vec::new();
    for list in message_list::find(input) {
        let mut conversation = message_list::read(&list);
        if list.owner.is_some_and(|owner| owner.get("system").is_some_and(|system| !system.is_null())) {
            conversation.skipped.push(Skipped {
                reference: "system".to_owned(),
                reason: "system prompt of the request".to_owned(),
            });
        }
        sessions.push(conversation);
    }
    Ok(Reading { format: LABEL, sessions, warnings: Vec::new() })
}
