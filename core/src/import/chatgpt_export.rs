//! ChatGPT's data export: `conversations.json`, its numbered parts, or one conversation as extensions save it.
//!
//! Owns which nodes of a conversation's tree are messages. Only the path to the current node counts; answers
//! that were regenerated and prompts that were edited are left out. Called through the registry.

use super::builder::Builder;
use super::registry::{Format, Input};
use super::{Conversation, ImportError, Reading, common, content, tree};
use crate::message::time;
use crate::message::{Block, Fields, Msg, Role};
use common::{Speaker, flag, words};
use serde_json::Value;
use std::collections::{HashMap, HashSet};

const LABEL: &str = "chatgpt_export";

pub(super) const FORMAT: Format = Format { label: LABEL, detect, parse };

fn mapping(conversation: &Fields) -> Option<&Fields> {
    conversation.get("mapping")?.as_object()
}

fn detect(input: &Input<'_>) -> bool {
    let conversations = input.objects();
    let fragments = |node: &Value| node.pointer("/message/fragments").is_some();
    conversations.iter().any(|conversation| mapping(conversation).is_some())
        && !conversations.iter().filter_map(|one| mapping(one)).flat_map(Fields::values).any(fragments)
}

fn parse(input: &Input<'_>) -> Result<Reading, ImportError> {
    let sessions = input
        .objects()
        .into_iter()
        .filter_map(|conversation| Some(read(conversation, mapping(conversation)?)));
    Ok(Reading { format: LABEL, sessions: sessions.collect(), warnings: Vec::new() })
}

fn read(conversation: &Fields, mapping: &Fields) -> Conversation {
    let session_id = common::first_id(conversation, &["conversation_id", "id"]);
    let title = words(conversation, "title").map(str::to_owned);
    let mut builder = Builder::new(session_id, title);
    let parents: HashMap<&str, Option<&str>> =
        mapping.iter().map(|(id, node)| (id.as_str(), node.get("parent").and_then(Value::as_str))).collect();
    let current = words(conversation, "current_node").filter(|node| mapping.contains_key(*node));
    if current.is_none() && !mapping.is_empty() {
        builder.note("missing_current_node", "");
    }
    let path =
        current.or_else(|| newest_leaf(mapping)).map_or_else(Vec::new, |leaf| tree::path_to(leaf, &parents));
    if path.first().and_then(|root| parents.get(root).copied().flatten()).is_some() {
        builder.note("dangling_reference", "");
    }
    let shown: HashSet<&str> = path.iter().copied().collect();
    for (id, node) in mapping {
        let message = node.get("message").and_then(Value::as_object);
        if let Some(message) = message.filter(|message| !shown.contains(id.as_str()) && role(message).is_ok())
        {
            builder.note("branch_dropped", id.as_str());
            builder.skip(words(message, "id").unwrap_or(id), "other branch");
        }
    }
    for id in path {
        if let Some(message) = mapping.get(id).and_then(|node| node.get("message")).and_then(Value::as_object)
        {
            read_message(id, message, &mut builder);
        }
    }
    builder.finish()
}

/// Without a current node: the leaf that was written last.
fn newest_leaf(mapping: &Fields) -> Option<&str> {
    let written = |node: &Value| node.pointer("/message/create_time").and_then(Value::as_f64).unwrap_or(0.0);
    let is_leaf = |node: &Value| {
        let children = node.get("children").and_then(Value::as_array);
        children.is_none_or(|children| {
            !children.iter().filter_map(Value::as_str).any(|id| mapping.contains_key(id))
        })
    };
    mapping
        .iter()
        .filter(|(_, node)| is_leaf(node))
        .max_by(|(_, a), (_, b)| written(a).total_cmp(&written(b)))
        .map(|(id, _)| id.as_str())
}

/// The role of a message that was said, else why it is none.
fn role(message: &Fields) -> Result<Role, String> {
    let author =
        message.get("author").and_then(|author| author.get("role")).and_then(Value::as_str).unwrap_or("");
    let role = match common::speaker(author) {
        Speaker::Known(Role::System) | Speaker::Injected => return Err("system".to_owned()),
        Speaker::Known(role) => role,
        Speaker::Tool => return Err("tool".to_owned()),
        Speaker::Unknown => return Err(format!("role {author}")),
    };
    if let Some(recipient) = words(message, "recipient").filter(|recipient| *recipient != "all") {
        return Err(format!("tool call ({recipient})"));
    }
    let metadata = message.get("metadata").and_then(Value::as_object);
    if metadata.is_some_and(|metadata| flag(metadata, "is_visually_hidden_from_conversation")) {
        return Err("hidden".to_owned());
    }
    match message.get("content").and_then(|content| content.get("content_type")).and_then(Value::as_str) {
        Some("text" | "multimodal_text") | None => Ok(role),
        Some(other) => Err(other.replace('_', " ")),
    }
}

fn read_message(node: &str, message: &Fields, builder: &mut Builder) {
    let id = common::first_id(message, &["id"]).unwrap_or_else(|| node.to_owned());
    let role = match role(message) {
        Ok(role) => role,
        Err(reason) => return builder.skip(id, reason),
    };
    let parts = message.get("content").and_then(|content| content.get("parts")).and_then(Value::as_array);
    let blocks = parts.into_iter().flatten().filter_map(part).collect();
    let created_at = message.get("create_time").map(time::field).and_then(|field| builder.time(&id, field));
    builder
        .push(&id.clone(), Msg { id: Some(id), content: blocks, created_at, ..Msg::text_message(role, "") });
}

fn part(part: &Value) -> Option<Block> {
    let fields = match part {
        Value::String(text) => return Some(Block::text(without_citations(text))),
        other => other.as_object()?,
    };
    let pointer = |fields: &Fields| words(fields, "asset_pointer").map(str::to_owned);
    match words(fields, "content_type") {
        Some("audio_transcription") => words(fields, "text").map(Block::text),
        Some("image_asset_pointer") => Some(content::linked(&pointer(fields)?, "image/*")),
        Some("audio_asset_pointer") => Some(content::linked(&pointer(fields)?, "audio/*")),
        Some("real_time_user_audio_video_asset_pointer") => {
            let audio = fields.get("audio_asset_pointer")?.as_object()?;
            Some(content::linked(&pointer(audio)?, "audio/*"))
        }
        _ => words(fields, "text").map(Block::text),
    }
}

/// Citation marks stand between two private characters.
fn without_citations(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, marked)) = rest.split_once('\u{e200}') {
        out.push_str(before);
        rest = marked.split_once('\u{e201}').map_or(marked, |(_, after)| after);
    }
    out.push_str(rest);
    out
}
