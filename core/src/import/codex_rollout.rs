//! Codex CLI rollouts of every generation: enveloped lines, bare items below a flat header, one object.
//!
//! Owns which items are messages, from which of two mirrored sources, and which turns were rolled back.
//! Summaries of a compaction are never messages. Called through the registry.

use super::builder::Builder;
use super::registry::{Format, Input};
use super::{ImportError, Reading, common, content, injected};

use crate::message::{Block, Fields, Msg, Role};
use common::words;
use serde_json::Value;

const LABEL: &str = "codex_rollout";

pub(super) const FORMAT: Format = Format { label: LABEL, detect, parse };

fn whole_session<'a>(input: &Input<'a>) -> Option<(&'a Fields, Vec<&'a Fields>)> {
    let object = input.object()?;
    let items = object.get("items")?.as_array()?;
    Some((object.get("session")?.as_object()?, items.iter().filter_map(Value::as_object).collect()))
}

fn detect(input: &Input<'_>) -> bool {
    whole_session(input).is_some()
        || input.records().into_iter().any(|row| {
            let enveloped = row.get("payload").is_some_and(Value::is_object)
                && matches!(
                    words(row, "type"),
                    Some("session_meta" | "response_item" | "event_msg" | "compacted")
                );
            enveloped || row.contains_key("record_type")
        })
}

fn parse(input: &Input<'_>) -> Result<Reading, ImportError> {
    let (session_id, rows) = match whole_session(input) {
        Some((session, items)) => (common::first_id(session, &["id"]), items),
        None => {
            let rows = input.records();
            (session_id(&rows), rows)
        }
    };
    let mut builder = Builder::new(session_id, None);
    let turns = read_rows(&rows, &mut builder);
    for (reference, message) in turns {
        builder.push(&reference, message);
    }
    Ok(Reading { format: LABEL, sessions: vec![builder.finish()], warnings: Vec::new() })
}

/// The first header is the session's own; later ones came with copied history.
fn session_id(rows: &[&Fields]) -> Option<String> {
    rows.iter().find_map(|row| match words(row, "type") {
        Some("session_meta") => common::first_id(row.get("payload")?.as_object()?, &["id"]),
        None => common::first_id(row, &["id"]),
        _ => None,
    })
}

fn read_rows(rows: &[&Fields], builder: &mut Builder) -> Vec<(String, Msg)> {
    let items = [Role::User, Role::Assistant].map(|role| {
        (role, rows.iter().any(|row| message_item(row).is_some_and(|item| said(item, role).is_some())))
    });
    let mirrored = |role: Role| items.contains(&(role, true));
    let mut turns: Vec<(String, Msg)> = Vec::new();
    for (index, row) in rows.iter().enumerate() {
        let reference = format!("line {}", index + 1);
        let event = event(row);
        let spoken = match (message_item(row), event.and_then(spoken_event)) {
            (Some(item), _) => item_message(item, &reference, builder),
            (None, Some((role, text))) if !mirrored(role) => Some(Msg::text_message(role, text)),
            _ => None,
        };
        if let Some(message) = spoken {
            let (time, _) = common::time_field(row);
            let created_at = builder.time(&reference, time);
            turns.push((reference, Msg { created_at, ..message }));
        } else if words(row, "type") == Some("compacted") {
            builder.skip(reference, "compaction");
        } else if let Some(event) = event.filter(|event| words(event, "type") == Some("thread_rolled_back")) {
            let count = event.get("num_turns").and_then(Value::as_u64).unwrap_or(1);
            roll_back(&mut turns, count, builder);
        }
    }
    turns
}

/// Takes back the last `count` prompts, each with what followed it.
fn roll_back(turns: &mut Vec<(String, Msg)>, count: u64, builder: &mut Builder) {
    for _ in 0..count {
        let Some(at) = turns.iter().rposition(|(_, message)| message.role == Role::User) else { break };
        for (reference, _) in turns.drain(at..) {
            builder.note("branch_dropped", reference.as_str());
            builder.skip(reference, "rolled back");
        }
    }
}

fn event(row: &Fields) -> Option<&Fields> {
    row.get("payload")?.as_object().filter(|_| words(row, "type") == Some("event_msg"))
}

/// What an event says for the prompt or answer that it mirrors.
fn spoken_event(event: &Fields) -> Option<(Role, String)> {
    let role = match words(event, "type")? {
        "user_message" => Role::User,
        "agent_message" => Role::Assistant,
        _ => return None,
    };
    let text = words(event, "message")?;
    let text = if role == Role::User { injected::strip_codex(text)? } else { text.to_owned() };
    Some((role, text))
}

/// The message item of a row: in an envelope, or bare.
fn message_item(row: &Fields) -> Option<&Fields> {
    let item = match words(row, "type") {
        Some("response_item") => row.get("payload")?.as_object()?,
        Some("message") | None => row,
        Some(_) => return None,
    };
    let is_message = words(item, "type").is_none_or(|kind| kind == "message");
    (is_message && words(item, "role").is_some()).then_some(item)
}

/// The blocks that `role` said in an item, if the item is of that role and says anything.
fn said(item: &Fields, role: Role) -> Option<Vec<Block>> {
    if words(item, "role") != Some(role.as_str()) {
        return None;
    }
    let mut blocks = content::read(item.get("content")?).blocks;
    if role == Role::User {
        blocks = blocks.into_iter().filter_map(persons_words).collect();
    }
    (!blocks.is_empty()).then_some(blocks)
}

fn persons_words(mut block: Block) -> Option<Block> {
    if let Some(text) = block.as_text() {
        let left = injected::strip_codex(text).filter(|left| !left.is_empty())?;
        block.fields.insert("text".into(), left.into());
    }
    Some(block)
}

fn item_message(item: &Fields, reference: &str, builder: &mut Builder) -> Option<Msg> {
    let role = match words(item, "role") {
        Some("user") => Role::User,
        Some("assistant") => Role::Assistant,
        other => {
            builder.skip(reference, other.unwrap_or("no role"));
            return None;
        }
    };
    let Some(blocks) = said(item, role) else {
        builder.skip(reference, "written by the program");
        return None;
    };
    Some(Msg { id: common::first_id(item, &["id"]), content: blocks, ..Msg::text_message(role, "") })
}
