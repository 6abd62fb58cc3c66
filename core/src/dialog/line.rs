//! How one line of a record is spelt: AgentScope's fields and blocks in their order, nothing by chance.
//!
//! Leaves out tool results and inline bytes, puts what AgentScope's classes would refuse into
//! `metadata.reme_extra`, and derives the block ids and times that a source lacks. Called by `merge` only.

use crate::message::{Block, BlockKind, Fields, Msg, Role, Source, id, time};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// The metadata key for blocks that AgentScope would refuse.
const EXTRA: &str = "reme_extra";

/// The message's own fields after `created_at`, in their order.
const TAIL: [&str; 5] = ["usage", "finished_at", "finished_reason", "structured_output", "error"];

/// The line's object. `recorded` stands in for a missing time; `stored`, the line that this one replaces, for
/// missing times and for the ids and times of blocks that are the same.
pub(super) fn spell(message: &Msg, stored: Option<&Msg>, recorded: &str) -> Fields {
    let message_id = message.id.as_deref().unwrap_or_default();
    let created_at = created_at(message, stored).unwrap_or(recorded);
    let said_at = message.said_at().or_else(|| stored.and_then(Msg::said_at));
    let block_time = if said_at.is_some() { created_at } else { recorded };

    let mut content: Vec<Value> = Vec::new();
    let mut refused: Vec<Value> = Vec::new();
    for block in &message.content {
        match keep(block, message.role) {
            Keep::Block(core) => {
                let place = content.len();
                let old = stored.and_then(|stored| same_block(stored, place, &core));
                let derived = block_id(message_id, place, &core);
                content.push(Value::Object(complete(core, block, old, derived, block_time)));
            }
            Keep::Extra => refused.push(Value::Object(block.fields.clone())),
            Keep::Nothing => {}
        }
    }

    let mut line = Fields::new();
    line.insert("name".into(), message.speaker().into());
    line.insert("content".into(), content.into());
    line.insert("role".into(), message.role.as_str().into());
    line.insert("id".into(), message_id.into());
    line.insert("metadata".into(), metadata(&message.metadata, refused));
    line.insert("created_at".into(), created_at.into());
    for key in TAIL {
        line.insert(key.into(), message.extra.get(key).cloned().unwrap_or_default());
    }
    complete_usage(line.get_mut("usage"));
    for (key, value) in &message.extra {
        if !line.contains_key(key) {
            line.insert(key.clone(), value.clone());
        }
    }
    line
}

/// The time that the line shows, where there is one. A time that nobody can read, or that only says when it was
/// recorded, never replaces one that says when the message was.
fn created_at<'a>(message: &'a Msg, stored: Option<&'a Msg>) -> Option<&'a str> {
    let own = message.created_at.as_deref();
    let old = stored.and_then(|stored| stored.created_at.as_deref());
    let stored_is_better = stored.is_some_and(|stored| stored.said_at().is_some());
    let own_is_recording = own.is_some_and(time::is_recording);
    if message.said_at().is_none() && (stored_is_better || own_is_recording) {
        old.or(own)
    } else {
        own.or(old)
    }
}

enum Keep {
    /// In the line, in this shape: all fields but `id`, `created_at` and `finished_at` where they are derived.
    Block(Fields),
    /// In the metadata, unchanged.
    Extra,
    /// Not in the record.
    Nothing,
}

/// What becomes of a block, and the shape in which AgentScope has it.
fn keep(block: &Block, role: Role) -> Keep {
    let text = |key: &str| block.str(key).is_some();
    let kind = block.kind();
    let allowed = match role {
        Role::User => matches!(kind, BlockKind::Text | BlockKind::Data),
        Role::System => kind == BlockKind::Text,
        Role::Assistant => true,
    };
    match kind {
        BlockKind::ToolResult => Keep::Nothing,
        BlockKind::Data if is_inline(block) => Keep::Nothing,
        _ if !allowed => Keep::Extra,
        BlockKind::Text if text("text") => shape(block, &["type", "text", "id", "created_at", "finished_at"]),
        BlockKind::Thinking if text("thinking") => {
            shape(block, &["type", "thinking", "id", "created_at", "finished_at"])
        }
        BlockKind::Hint
            if block.fields.get("hint").is_some_and(|hint| hint.is_string() || hint.is_array()) =>
        {
            shape(block, &["type", "hint", "id", "source", "created_at", "finished_at"])
        }
        BlockKind::ToolCall if text("id") && text("name") => tool_call(block),
        BlockKind::Data if is_linked(block) => {
            shape(block, &["type", "id", "source", "name", "created_at", "finished_at"])
        }
        _ => Keep::Extra,
    }
}

/// Whether the bytes are in the block itself, as base64 or in a `data:` URL.
fn is_inline(block: &Block) -> bool {
    let source = block.fields.get("source").and_then(Value::as_object);
    let field = |key: &str| source.and_then(|source| source.get(key)).and_then(Value::as_str);
    let is_data_url = |url: &str| url.get(..5).is_some_and(|head| head.eq_ignore_ascii_case("data:"));
    field("type") == Some("base64") || field("url").is_some_and(is_data_url)
}

fn is_linked(block: &Block) -> bool {
    matches!(block.source(), Some(Source::Url { url, media_type }) if !url.is_empty() && !media_type.is_empty())
}

/// The block's fields in AgentScope's order, missing ones `null`, others after them.
fn shape(block: &Block, order: &[&str]) -> Keep {
    let mut fields = Fields::new();
    for key in order {
        fields.insert((*key).to_owned(), block.fields.get(*key).cloned().unwrap_or_default());
    }
    if let Some(Value::Object(source)) = fields.get_mut("source") {
        *source = ordered(std::mem::take(source), &["type", "url", "media_type"]);
    }
    for (key, value) in &block.fields {
        if !fields.contains_key(key) {
            fields.insert(key.clone(), value.clone());
        }
    }
    Keep::Block(fields)
}

fn ordered(mut fields: Fields, order: &[&str]) -> Fields {
    let mut sorted = Fields::new();
    for key in order {
        if let Some(value) = fields.shift_remove(*key) {
            sorted.insert((*key).to_owned(), value);
        }
    }
    sorted.extend(fields);
    sorted
}

fn tool_call(block: &Block) -> Keep {
    let mut block = block.clone();
    block.fields.insert("type".into(), "tool_call".into());
    let input = match block.fields.get("input") {
        Some(Value::String(text)) => text.clone(),
        None | Some(Value::Null) => "{}".to_owned(),
        Some(other) => other.to_string(),
    };
    block.fields.insert("input".into(), input.into());
    for (key, default) in [("state", json!("pending")), ("suggested_rules", json!([]))] {
        let value = block.fields.entry(key).or_insert(Value::Null);
        if value.is_null() {
            *value = default;
        }
    }
    let order = ["type", "id", "name", "input", "state", "suggested_rules", "created_at", "finished_at"];
    shape(&block, &order)
}

const DERIVED: [&str; 3] = ["id", "created_at", "finished_at"];

/// Fills in what the source lacks: from the stored block where it is the same one, else derived.
fn complete(mut core: Fields, source: &Block, old: Option<&Block>, id: String, time: &str) -> Fields {
    for key in DERIVED {
        if core.get(key).is_some_and(|value| !value.is_null()) {
            continue;
        }
        let stored = old.and_then(|old| old.fields.get(key)).filter(|value| !value.is_null());
        let derived = match key {
            "id" => id.as_str().into(),
            "created_at" => time.into(),
            // AgentScope gives a hint both times at once.
            _ if source.kind() == BlockKind::Hint => time.into(),
            _ => Value::Null,
        };
        core.insert(key.to_owned(), stored.cloned().unwrap_or(derived));
    }
    core
}

/// The stored block at this place, if it says the same.
fn same_block<'a>(stored: &'a Msg, place: usize, core: &Fields) -> Option<&'a Block> {
    let without = |fields: &Fields| {
        let mut fields = fields.clone();
        fields.retain(|key, _| !DERIVED.contains(&key.as_str()));
        fields
    };
    let block = stored
        .content
        .iter()
        .filter(|block| matches!(keep(block, stored.role), Keep::Block(_)))
        .nth(place)?;
    match keep(block, stored.role) {
        Keep::Block(old) if without(&old) == without(core) => Some(block),
        _ => None,
    }
}

fn block_id(message_id: &str, place: usize, core: &Fields) -> String {
    let parts = json!([message_id, place, core.get("type")]).to_string();
    id::hex(&Sha256::digest(parts.as_bytes())).chars().take(32).collect()
}

fn metadata(metadata: &Fields, refused: Vec<Value>) -> Value {
    let mut metadata = metadata.clone();
    if !refused.is_empty() {
        let mut all = match metadata.shift_remove(EXTRA) {
            Some(Value::Array(items)) => items,
            Some(other) => vec![other],
            None => Vec::new(),
        };
        all.extend(refused);
        metadata.insert(EXTRA.to_owned(), all.into());
    }
    Value::Object(metadata)
}

/// AgentScope's usage always has its counts of cached tokens.
fn complete_usage(usage: Option<&mut Value>) {
    if let Some(Value::Object(usage)) = usage
        && usage.contains_key("input_tokens")
        && usage.contains_key("output_tokens")
    {
        for key in ["cache_input_tokens", "cache_creation_input_tokens"] {
            usage.entry(key).or_insert(json!(0));
        }
    }
}
