//! Claude.ai's data export: `conversations.json` with `chat_messages`.
//!
//! Owns its senders, its attachments, and the path to the last message where messages name their parents.
//! Called through the registry.

use super::builder::Builder;
use super::registry::{Format, Input};
use super::{Conversation, ImportError, Reading, common, content, tree};
use crate::message::time;
use crate::message::{Block, Fields, Msg, Role};
use common::{Speaker, words};
use serde_json::{Value, json};
use std::collections::{HashMap, HashSet};

const LABEL: &str = "claude_ai_export";

pub(super) const FORMAT: Format = Format { label: LABEL, detect, parse };

fn chat_messages(conversation: &Fields) -> Option<&Vec<Value>> {
    conversation.get("chat_messages")?.as_array()
}

fn detect(input: &Input<'_>) -> bool {
    input.objects().into_iter().any(|conversation| chat_messages(conversation).is_some())
}

fn parse(input: &Input<'_>) -> Result<Reading, ImportError> {
    let sessions = input
        .objects()
        .into_iter()
        .filter_map(|conversation| Some(read(conversation, chat_messages(conversation)?)));
    Ok(Reading { format: LABEL, sessions: sessions.collect(), warnings: Vec::new() })
}

fn read(conversation: &Fields, messages: &[Value]) -> Conversation {
    let session_id = common::first_id(conversation, &["uuid", "id"]);
    let mut builder = Builder::new(session_id, words(conversation, "name").map(str::to_owned));
    let messages: Vec<&Fields> = messages.iter().filter_map(Value::as_object).collect();
    let kept = last_path(&messages);
    for (index, message) in messages.into_iter().enumerate() {
        let id = common::first_id(message, &["uuid", "id"]);
        let reference = id.clone().unwrap_or_else(|| format!("[{index}]"));
        if let (Some(kept), Some(id)) = (&kept, &id)
            && !kept.contains(id.as_str())
        {
            builder.note("branch_dropped", id.as_str());
            builder.skip(reference, "other branch");
            continue;
        }
        read_message(&reference, id, message, &mut builder);
    }
    builder.finish()
}

/// The path to the last message, where every message names its parent.
fn last_path<'a>(messages: &[&'a Fields]) -> Option<HashSet<&'a str>> {
    let parents: HashMap<&str, Option<&str>> = messages
        .iter()
        .map(|message| Some((words(message, "uuid")?, Some(words(message, "parent_message_uuid")?))))
        .collect::<Option<_>>()?;
    Some(tree::path_to(words(messages.last()?, "uuid")?, &parents).into_iter().collect())
}

fn read_message(reference: &str, id: Option<String>, message: &Fields, builder: &mut Builder) {
    let sender = words(message, "sender").unwrap_or("");
    let Speaker::Known(role @ (Role::User | Role::Assistant)) = common::speaker(sender) else {
        builder.note("malformed_message", reference);
        return builder.skip(reference, format!("sender {sender}"));
    };
    let blocks = message.get("content").map(content::read).unwrap_or_default();
    let mut blocks: Vec<Block> =
        blocks.blocks.into_iter().filter(|block| block.str("type") != Some("token_budget")).collect();
    if blocks.is_empty() {
        blocks.extend(words(message, "text").map(Block::text));
    }
    let listed = |key: &str| message.get(key).and_then(Value::as_array).into_iter().flatten();
    blocks.extend(listed("files").filter_map(file));
    blocks.extend(listed("attachments").filter_map(attachment));
    let created_at =
        message.get("created_at").map(time::field).and_then(|field| builder.time(reference, field));
    builder.push(reference, Msg { id, content: blocks, created_at, ..Msg::text_message(role, "") });
}

/// Only the name of a file is exported; its extension says whether it is a picture.
fn file(file: &Value) -> Option<Block> {
    let file = file.as_object()?;
    let name = words(file, "file_name").unwrap_or("");
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension).to_ascii_lowercase();
    let picture = matches!(extension.as_str(), "jpg" | "jpeg" | "png" | "gif" | "webp" | "heic");
    let media_type = if picture { "image/*" } else { "application/octet-stream" };
    let mut block =
        content::linked(&format!("file-id:{}", words(file, "file_uuid").unwrap_or(name)), media_type);
    block.fields.insert("name".into(), name.into());
    Some(block)
}

/// Text that the person attached is kept beside the message, not mixed into it.
fn attachment(attachment: &Value) -> Option<Block> {
    let fields = attachment.as_object()?;
    let block = json!({
        "type": "attachment",
        "name": words(fields, "file_name"),
        "text": words(fields, "extracted_content")?,
    });
    Some(Block { fields: block.as_object()?.clone() })
}
