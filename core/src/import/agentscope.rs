//! AgentScope messages (0.1, 1.x and 2.x, per message and per block) and AgentScope 2's agent state.
//!
//! Owns how they are told from OpenAI's, which only the extra fields do. Called through the registry.

use super::registry::{Format, Input};
use super::{ImportError, Reading, Skipped, common, message_list};
use crate::message::Fields;
use message_list::MessageList;
use serde_json::Value;

pub(super) const MESSAGES: Format =
    Format { label: "agentscope_msg", detect: detect_messages, parse: parse_messages };
pub(super) const STATE: Format =
    Format { label: "agentscope_state", detect: detect_state, parse: parse_state };

fn detect_messages(input: &Input<'_>) -> bool {
    message_list::find(input)
        .iter()
        .flat_map(|list| &list.items)
        .any(|item| item.as_object().is_some_and(is_msg))
}

/// Fields that only AgentScope writes, or exactly those of a bare message with its time.
fn is_msg(fields: &Fields) -> bool {
    let has = |key: &str| fields.contains_key(key);
    if !has("role") || !has("content") {
        return false;
    }
    let named = has("name") && (common::has_time(fields) || has("metadata"));
    has("finished_at") || named || (fields.len() == 3 && has("created_at"))
}

fn parse_messages(input: &Input<'_>) -> Result<Reading, ImportError> {
    let sessions = message_list::find(input).iter().map(message_list::read).collect();
    Ok(Reading { format: "agentscope_msg", sessions, warnings: Vec::new() })
}

fn state<'a>(input: &Input<'a>) -> Option<(&'a Fields, &'a [Value])> {
    let fields = input.object().filter(|fields| fields.contains_key("session_id"))?;
    Some((fields, fields.get("context")?.as_array()?))
}

fn detect_state(input: &Input<'_>) -> bool {
    state(input).is_some()
}

fn parse_state(input: &Input<'_>) -> Result<Reading, ImportError> {
    let (owner, context) = state(input).unzip();
    let list = MessageList { owner, items: context.unwrap_or_default().iter().collect() };
    let mut conversation = message_list::read(&list);
    if owner.is_some_and(|owner| common::words(owner, "summary").is_some()) {
        conversation.skipped.push(Skipped {
            reference: "summary".to_owned(),
            reason: "compressed context, written by a model".to_owned(),
        });
    }
    Ok(Reading { format: "agentscope_state", sessions: vec![conversation], warnings: Vec::new() })
}
