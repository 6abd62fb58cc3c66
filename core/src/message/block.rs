//! Blocks of other shapes, read as the ones that the record knows.
//!
//! Turns pictures and sound of AgentScope 1.x, Anthropic and OpenAI into `data` blocks. Never drops a block
//! and never decodes or fetches anything. Called by `message::list` and `import`.

use super::{Block, Fields};
use serde_json::{Value, json};

/// One item of a message's `content`: a string is a text block; `None` when it is neither object nor string.
pub fn read(item: Value) -> Option<Block> {
    match item {
        Value::String(text) => Some(Block::text(text)),
        Value::Object(fields) => Some(Block { fields: known(fields) }),
        _ => None,
    }
}

/// The object in the shape of AgentScope 2.x where it is another shape of the same thing.
fn known(mut fields: Fields) -> Fields {
    let kind = fields.get("type").and_then(Value::as_str).unwrap_or_default().to_owned();
    match kind.as_str() {
        "" if fields.get("text").is_some_and(Value::is_string) && !fields.contains_key("type") => {
            fields.shift_insert(0, "type".to_owned(), "text".into());
            fields
        }
        "image" | "audio" | "video" => data(fields, &kind, &["source", "url"]),
        "image_url" | "input_image" => data(fields, "image", &["image_url"]),
        "input_audio" => data(fields, "audio", &["input_audio"]),
        _ => fields,
    }
}

/// A `data` block from the first of `keys` that holds a source; the block as it was where none does.
fn data(mut fields: Fields, family: &str, keys: &[&str]) -> Fields {
    let Some((key, source)) = keys.iter().find_map(|key| Some((*key, source(fields.get(*key)?, family)?)))
    else {
        return fields;
    };
    fields.shift_remove(key);
    fields.insert("type".to_owned(), "data".into());
    fields.insert("source".to_owned(), source);
    fields
}

/// A `base64` or `url` source from a URL, an object with a URL, or an object with bytes.
fn source(value: &Value, family: &str) -> Option<Value> {
    if let Some(url) = value.as_str() {
        return Some(url_source(url, None, family));
    }
    let text = |key: &str| value.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
    let media_type = text("media_type").map(str::to_owned);
    if let Some(url) = text("url") {
        return Some(url_source(url, media_type, family));
    }
    let media_type = media_type
        .or_else(|| text("format").map(|format| format!("{family}/{format}")))
        .unwrap_or_else(|| format!("{family}/*"));
    Some(json!({"type": "base64", "data": text("data")?, "media_type": media_type}))
}

fn url_source(url: &str, media_type: Option<String>, family: &str) -> Value {
    if let Some((head, data)) = url.strip_prefix("data:").and_then(|rest| rest.split_once(";base64,")) {
        let media_type = head.split(';').next().filter(|head| !head.is_empty());
        let media_type = media_type.map_or_else(|| format!("{family}/*"), str::to_owned);
        return json!({"type": "base64", "data": data, "media_type": media_type});
    }
    // These shapes say what a URL holds only by the block's own type, which `data` has no place for.
    let media_type = media_type.unwrap_or_else(|| by_extension(url, family));
    json!({"type": "url", "url": url, "media_type": media_type})
}

fn by_extension(url: &str, family: &str) -> String {
    let path = url.split(['?', '#']).next().unwrap_or_default();
    let extension = path.rsplit('/').next().unwrap_or_default().rsplit_once('.').map(|(_, end)| end);
    let subtype = match (family, extension.unwrap_or_default().to_ascii_lowercase().as_str()) {
        ("image", "jpg" | "jpeg") => "jpeg",
        ("image", "png") => "png",
        ("image", "gif") => "gif",
        ("image", "webp") => "webp",
        ("image", "bmp") => "bmp",
        ("image", "tif" | "tiff") => "tiff",
        ("image", "heic") => "heic",
        ("image", "svg") => "svg+xml",
        ("audio", "wav") => "wav",
        ("audio", "mp3") => "mpeg",
        ("audio", "ogg" | "oga") => "ogg",
        ("video", "mp4") => "mp4",
        ("video", "webm") => "webm",
        _ => "*",
    };
    format!("{family}/{subtype}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(item: Value, expect: Value) {
        let block = read(item.clone()).map(|block| Value::Object(block.fields));
        assert_eq!(block, Some(expect), "{item}");
    }

    #[test]
    fn shapes() {
        let url = |url: &str, media_type: &str| json!({"type": "data", "source": {"type": "url", "url": url, "media_type": media_type}});
        let bytes = |data: &str, media_type: &str| json!({"type": "data", "source": {"type": "base64", "data": data, "media_type": media_type}});
        check(json!("hi"), json!({"type": "text", "text": "hi"}));
        check(json!({"text": "hi"}), json!({"type": "text", "text": "hi"}));
        check(
            json!({"type": "image", "source": {"type": "url", "url": "https://e.com/a.JPG?x=1.png"}}),
            url("https://e.com/a.JPG?x=1.png", "image/jpeg"),
        );
        check(json!({"type": "image", "url": "https://e.com/o"}), url("https://e.com/o", "image/*"));
        check(
            json!({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AA=="}}),
            bytes("AA==", "image/png"),
        );
        check(
            json!({"type": "audio", "source": {"type": "url", "url": "https://e.com/a.wav"}}),
            url("https://e.com/a.wav", "audio/wav"),
        );
        check(
            json!({"type": "image_url", "image_url": {"url": "https://e.com/x.png"}}),
            url("https://e.com/x.png", "image/png"),
        );
        check(
            json!({"type": "image_url", "image_url": {"url": "data:image/webp;base64,AAAA"}}),
            bytes("AAAA", "image/webp"),
        );
        check(
            json!({"type": "input_audio", "input_audio": {"data": "AAAA", "format": "wav"}}),
            bytes("AAAA", "audio/wav"),
        );
    }

    #[test]
    fn everything_else_stays_as_it_came() {
        for item in [
            json!({"type": "tool_use", "id": "c", "name": "look", "input": {"n": 1}, "raw_input": "{}"}),
            json!({"type": "new_kind", "x": 1}),
            json!({"type": "image", "source": {"type": "file", "file_id": "f"}}),
            json!({"type": 7, "text": "x"}),
            json!({"type": "data", "source": {"type": "url", "url": "https://e.com/x.png"}}),
            json!({}),
        ] {
            check(item.clone(), item);
        }
        for item in [json!(null), json!(1), json!([]), json!(true)] {
            assert_eq!(read(item.clone()), None, "{item}");
        }
    }
}
