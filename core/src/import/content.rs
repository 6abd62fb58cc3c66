//! Message content: what every vendor's parts become as blocks.
//!
//! Owns the reading of a `content` value (string, object, list of parts) and the cleaning of text, including
//! pictures that hide in it as `data:` URIs. Keeps unknown parts verbatim. Called by the format files.

use crate::message::{Block, BlockKind, Fields, block};
use serde_json::{Value, json};

/// The blocks of one message, and what was odd about its content.
#[derive(Default)]
pub(super) struct Content {
    pub blocks: Vec<Block>,
    /// Parts that are not of any JSON shape that content has.
    pub malformed: bool,
    /// The types of parts that no vendor is known to write.
    pub unknown: Vec<String>,
}

/// Reads a `content` value.
pub(super) fn read(value: &Value) -> Content {
    let mut content = Content::default();
    match value {
        Value::Null => {}
        Value::String(text) => content.blocks.push(Block::text(text.as_str())),
        Value::Object(part) => read_part(part, &mut content),
        Value::Number(_) | Value::Bool(_) => {
            content.malformed = true;
            content.blocks.push(Block::text(value.to_string()));
        }
        Value::Array(parts) => {
            for part in parts {
                match part {
                    Value::String(text) => content.blocks.push(Block::text(text.as_str())),
                    Value::Object(part) => read_part(part, &mut content),
                    _ => content.malformed = true,
                }
            }
            let strings = parts.iter().filter(|part| part.is_string()).count();
            content.malformed |= strings > 0 && strings < parts.len();
        }
    }
    content
}

fn read_part(part: &Fields, content: &mut Content) {
    let kind = part.get("type").and_then(Value::as_str).unwrap_or("");
    let block = match kind {
        "text" | "input_text" | "output_text" => text_block(part, "text"),
        "refusal" => text_block(part, "refusal"),
        "" if part.get("text").is_some_and(Value::is_string) => text_block(part, "text"),
        "image" | "audio" | "video" | "image_url" | "input_image" | "input_audio" => Some(media(part)),
        "file" | "input_file" => Some(file(part)),
        "document" => Some(document(part)),
        result if result.ends_with("_tool_result") => Some(tool_result(part)),
        known if is_known(known) => Some(Block { fields: part.clone() }),
        unknown => {
            content.unknown.push(unknown.to_owned());
            Some(Block { fields: part.clone() })
        }
    };
    content.blocks.extend(block);
}

fn is_known(kind: &str) -> bool {
    const KINDS: &[&str] = &[
        "thinking",
        "redacted_thinking",
        "reasoning",
        "hint",
        "data",
        "tool_call",
        "tool_use",
        "server_tool_use",
    ];
    KINDS.contains(&kind)
        || kind == "tool_result"
        || kind.ends_with("_call")
        || kind.ends_with("_call_output")
}

/// The result of one of a vendor's own tools, which is a tool's result all the same.
fn tool_result(part: &Fields) -> Block {
    let mut fields = part.clone();
    fields.insert("type".into(), "tool_result".into());
    Block { fields }
}

/// A block for something that a copied page or an export only mentions.
pub(super) fn mention(media_type: &str) -> Block {
    let mut fields = Fields::new();
    fields.insert("type".into(), "placeholder".into());
    fields.insert("media_type".into(), media_type.into());
    Block { fields }
}

/// The media type of what a block only mentions.
pub(super) fn placeholder(block: &Block) -> Option<&str> {
    block.str("media_type").filter(|_| block.str("type") == Some("placeholder"))
}

/// A text block that keeps the part's other fields.
fn text_block(part: &Fields, key: &str) -> Option<Block> {
    let text = part.get(key)?.as_str()?;
    let mut fields = part.clone();
    if key == "text" && part.get("type").is_some_and(|kind| kind == "text") {
        return Some(Block { fields });
    }
    fields.shift_remove(key);
    fields.insert("type".into(), "text".into());
    fields.insert("text".into(), text.into());
    Some(Block { fields })
}

/// A block for an address that may carry its bytes in itself.
fn by_address(url: &str, media_type: &str) -> Block {
    match split_data_uri(url) {
        Some((media_type, data)) => inline(data, media_type),
        None => linked(url, media_type),
    }
}

/// A picture, sound or film; one that is only an id of the vendor's becomes an address.
fn media(part: &Fields) -> Block {
    let source = part.get("source").and_then(Value::as_object);
    if let Some(file) = source.and_then(|source| source.get("file_id")).and_then(Value::as_str) {
        return linked(&format!("file-id:{file}"), "image/*");
    }
    block::read(Value::Object(part.clone())).unwrap_or_else(|| Block { fields: part.clone() })
}

fn file(part: &Fields) -> Block {
    let file = part.get("file").and_then(Value::as_object).unwrap_or(part);
    let field = |key: &str| file.get(key).and_then(Value::as_str);
    let mut block = match (field("file_data"), field("file_url").or_else(|| field("url"))) {
        (Some(data), _) => match split_data_uri(data) {
            Some((media_type, data)) => inline(data, media_type),
            None => inline(data, "application/octet-stream"),
        },
        (None, Some(url)) => by_address(url, "application/octet-stream"),
        (None, None) => return Block { fields: part.clone() },
    };
    if let Some(name) = field("filename") {
        block.fields.insert("name".into(), name.into());
    }
    block
}

/// Anthropic's document: bytes, an address, or plain text that is quoted material rather than speech.
fn document(part: &Fields) -> Block {
    let source = part.get("source").and_then(Value::as_object);
    let field = |key: &str| source.and_then(|source| source.get(key)).and_then(Value::as_str);
    let mut block = match (field("type"), field("data"), field("url")) {
        (Some("base64"), Some(data), _) => inline(data, field("media_type").unwrap_or("application/pdf")),
        (Some("url"), _, Some(url)) => linked(url, "application/pdf"),
        _ => return Block { fields: part.clone() },
    };
    if let Some(title) = part.get("title").and_then(Value::as_str) {
        block.fields.insert("name".into(), title.into());
    }
    block
}

fn data_block(source: Value) -> Block {
    let mut fields = Fields::new();
    fields.insert("type".into(), "data".into());
    fields.insert("source".into(), source);
    Block { fields }
}

/// A data block of inline bytes.
pub(super) fn inline(data: &str, media_type: &str) -> Block {
    data_block(json!({"type": "base64", "data": data, "media_type": media_type}))
}

/// A data block of an address.
pub(super) fn linked(url: &str, media_type: &str) -> Block {
    data_block(json!({"type": "url", "url": url, "media_type": media_type}))
}

/// Media type and encoded bytes of a whole `data:…;base64,…` address.
fn split_data_uri(url: &str) -> Option<(&str, &str)> {
    let (head, data) = url.trim().strip_prefix("data:")?.split_once(',')?;
    let media_type = head.strip_suffix(";base64")?;
    Some((media_type.split(';').next().unwrap_or(""), data))
}

/// Cleans the text of a message: line ends, NUL characters, inline pictures, white space at both ends.
pub(super) fn clean(blocks: &mut Vec<Block>) {
    let mut cleaned: Vec<Block> = Vec::with_capacity(blocks.len());
    for mut block in blocks.drain(..) {
        let mut found = Vec::new();
        let is_text = block.kind() == BlockKind::Text;
        if let Some(text) = text_mut(&mut block) {
            // Most texts need none of this, and a transcript is long: what is right is not copied.
            if text.contains('\r') {
                *text = text.replace("\r\n", "\n");
            }
            if text.contains('\0') {
                *text = text.replace('\0', "\u{fffd}");
            }
            if text.contains("data:") {
                *text = take_data_uris(text, &mut found);
            }
            if text.trim().is_empty() && found.is_empty() {
                continue;
            }
        } else if is_text {
            continue;
        }
        cleaned.push(block);
        cleaned.append(&mut found);
    }
    if let Some(text) = cleaned.iter_mut().find_map(text_mut) {
        let blank = text.len() - text.trim_start().len();
        text.drain(..blank);
    }
    if let Some(text) = cleaned.iter_mut().rev().find_map(text_mut) {
        text.truncate(text.trim_end().len());
    }
    *blocks = cleaned;
}

/// The words of a text block, to be changed in place.
fn text_mut(block: &mut Block) -> Option<&mut String> {
    if block.kind() != BlockKind::Text {
        return None;
    }
    match block.fields.get_mut("text") {
        Some(Value::String(text)) => Some(text),
        _ => None,
    }
}

/// Fewer encoded characters than this are an example in prose, not a file.
const LEAST_ENCODED: usize = 12;

/// Replaces each base64 `data:` URI by a placeholder and moves its bytes to a block.
fn take_data_uris(text: &str, found: &mut Vec<Block>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("data:") {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        match leading_data_uri(from) {
            Some((media_type, data, after)) => {
                found.push(inline(data, media_type));
                out.push_str(if media_type.starts_with("image/") { "[image]" } else { "[file]" });
                rest = after;
            }
            None => {
                out.push_str("data:");
                rest = from.strip_prefix("data:").unwrap_or("");
            }
        }
    }
    out.push_str(rest);
    out
}

/// How far the encoded bytes of a `data:` URI start behind its scheme, in bytes.
const LONGEST_HEAD: usize = 108;

fn leading_data_uri(text: &str) -> Option<(&str, &str, &str)> {
    let body = text.strip_prefix("data:")?;
    let start = body.get(..body.floor_char_boundary(LONGEST_HEAD))?;
    let head = start.split_once(";base64,")?.0;
    let encoded = body.strip_prefix(head)?.strip_prefix(";base64,")?;
    if !head.contains('/') || head.chars().any(|c| c.is_whitespace() || c == ',') {
        return None;
    }
    let end = encoded
        .find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '=' | '-' | '_')))
        .unwrap_or(encoded.len());
    let (data, after) = encoded.split_at_checked(end)?;
    (data.len() >= LEAST_ENCODED).then(|| (head.split(';').next().unwrap_or(head), data, after))
}
