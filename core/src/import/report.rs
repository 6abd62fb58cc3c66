//! What `import --dry-run --json` prints about a reading.
//!
//! Owns the keys of that object, the ids that it derives and the session id that it proposes. Reads no input
//! and writes nothing. Called by the command line, the service and the capture screen.

use super::{Conversation, ImportError, Reading, Warning, common, content};
use crate::message::time::Timestamp;
use crate::message::{Block, BlockKind, Msg, Source, id};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

/// The object for a recognised input.
pub fn reading(reading: &Reading) -> Value {
    let sessions: Vec<Value> =
        reading.sessions.iter().map(|session| session_object(reading.format, session)).collect();
    let all = reading.warnings.iter().chain(reading.sessions.iter().flat_map(|session| &session.warnings));
    json!({"format": reading.format, "sessions": sessions, "warnings": merged(all)})
}

/// The object for a refused input.
pub fn refusal(error: &ImportError) -> Value {
    json!({
        "format": error.format,
        "sessions": [],
        "error": {"code": error.code, "message": error.message},
    })
}

/// One entry per code, in the order of appearance; a code that several sessions share names its first case.
fn merged<'a>(warnings: impl Iterator<Item = &'a Warning>) -> Vec<Value> {
    let mut found: Vec<(&Warning, usize)> = Vec::new();
    for warning in warnings {
        match found.iter_mut().find(|(known, _)| known.code == warning.code) {
            Some((_, count)) => *count += 1,
            None => found.push((warning, 1)),
        }
    }
    found
        .into_iter()
        .map(|(warning, count)| match count {
            1 => json!({"code": warning.code, "message": warning.message}),
            _ => json!({"code": warning.code, "message": warning.message, "sessions": count}),
        })
        .collect()
}

fn session_object(format: &str, session: &Conversation) -> Value {
    let proposed = propose_session_id(format, session);
    let mut with_ids = session.messages.clone();
    id::derive(&proposed, &mut with_ids);
    let messages: Vec<Value> = session
        .messages
        .iter()
        .zip(&with_ids)
        .map(|(message, derived)| message_object(message, derived))
        .collect();
    let skipped: Vec<Value> =
        session.skipped.iter().map(|item| json!({"ref": item.reference, "reason": item.reason})).collect();
    json!({
        "session_id": session.session_id,
        "proposed_session_id": proposed,
        "title": session.title,
        "messages": messages,
        "skipped": skipped,
    })
}

fn message_object(message: &Msg, derived: &Msg) -> Value {
    let mut object = Map::new();
    object.insert("id".into(), json!(message.id));
    if message.id.is_none() {
        object.insert("derived_id".into(), json!(derived.id));
    }
    object.insert("role".into(), json!(message.role.as_str()));
    object.insert("name".into(), json!(message.name));
    object.insert("created_at".into(), json!(message.created_at));
    object.insert("text".into(), json!(message.text()));
    object.insert("images".into(), json!(images(message)));
    let (mut dropped, mut kept) = (Vec::new(), Vec::new());
    for block in &message.content {
        match fate(block) {
            Fate::Text => {}
            Fate::Dropped(name) => dropped.push(name),
            // A reasoning or call of several parts is one to a reader.
            Fate::Kept(name) if kept.last() == Some(&name) && !name.contains(':') => {}
            Fate::Kept(name) => kept.push(name),
        }
    }
    object.insert("dropped_blocks".into(), json!(dropped));
    object.insert("kept_blocks".into(), json!(kept));
    Value::Object(object)
}

/// Pictures that the speaker attached, also those that a copied page only mentions.
fn images(message: &Msg) -> usize {
    let shown = |block: &&Block| {
        block.is_image()
            || content::placeholder(block).is_some_and(|media_type| media_type.starts_with("image/"))
    };
    message.content.iter().filter(shown).count()
}

/// What the dialog record does with a block.
enum Fate {
    Text,
    Dropped(String),
    Kept(String),
}

fn fate(block: &Block) -> Fate {
    let kind = block.str("type").unwrap_or("unknown");
    if let Some(media_type) = content::placeholder(block) {
        return Fate::Dropped(format!("{}:placeholder", data_name(block, media_type)));
    }
    match (block.kind(), block.source()) {
        (BlockKind::Text, _) => Fate::Text,
        (_, Some(Source::Base64 { media_type, .. })) => {
            Fate::Dropped(format!("{}:base64", data_name(block, media_type)))
        }
        (_, Some(Source::Url { media_type, url })) => {
            Fate::Kept(format!("{}:{}", data_name(block, media_type), address_name(url)))
        }
        (BlockKind::Other, _) if kind == "attachment" => Fate::Kept("attachment:text".to_owned()),
        (BlockKind::Other, _) if kind.contains("thinking") => Fate::Kept("thinking".to_owned()),
        (BlockKind::Other, _) if kind.ends_with("tool_use") => Fate::Kept("tool_use".to_owned()),
        (BlockKind::ToolResult | BlockKind::Other, _) => Fate::Dropped(kind.to_owned()),
        _ => Fate::Kept(kind.to_owned()),
    }
}

/// A picture of which only the vendor's own id is known stands as an address of that vendor.
fn address_name(url: &str) -> &'static str {
    match url.split(':').next() {
        Some("file-id") => "file",
        Some("file-service" | "sediment") => "asset_pointer",
        _ => "url",
    }
}

/// AgentScope 2 gives each of its data blocks an id; those of other sources go by what they show.
fn data_name<'a>(block: &Block, media_type: &'a str) -> &'a str {
    if block.fields.contains_key("id") {
        return "data";
    }
    match media_type.split('/').next() {
        Some(kind @ ("image" | "audio" | "video")) => kind,
        _ => "document",
    }
}

/// A session id for a conversation: the source's own where it can name a file, else date, format and a hash of
/// its first turns, so that a second import or a longer copy gets the same.
pub fn propose_session_id(format: &str, session: &Conversation) -> String {
    if let Some(own) = session.session_id.as_deref().filter(|own| common::can_name_a_file(own)) {
        return own.to_owned();
    }
    let day = session
        .messages
        .iter()
        .find_map(|message| Timestamp::parse(message.created_at.as_deref()?))
        .map(|time| format!("{}-", time.local.date()))
        .unwrap_or_default();
    let kind = format.split('_').take(2).collect::<Vec<_>>().join("-");
    format!("{day}{kind}-{}", fingerprint(session))
}

/// How many turns tell one conversation from another.
const FINGERPRINT_TURNS: usize = 2;

fn fingerprint(session: &Conversation) -> String {
    let mut hash = Sha256::new();
    hash.update(session.session_id.as_deref().unwrap_or(""));
    for message in session.messages.iter().take(FINGERPRINT_TURNS) {
        hash.update([0]);
        hash.update(message.role.as_str());
        hash.update([0]);
        hash.update(message.name.as_deref().unwrap_or(""));
        hash.update([0]);
        hash.update(message.text());
        hash.update([0]);
        hash.update(message.created_at.as_deref().unwrap_or(""));
    }
    hash.finalize().iter().take(4).map(|byte| format!("{byte:02x}")).collect()
}
