//! The formats: one row each, in the order in which they are tried.
//!
//! Owns the order of detection and what is said when no row recognises the input. Never reads a message.
//! Called by `import::read`. A new format is a file of its own and a row here.

use super::values::Shape;
use super::{ImportError, Reading};
use super::{
    agentscope, anthropic_messages, chatgpt_export, chatgpt_web_copy, claude_ai_export, claude_code,
    claude_code_stream, claude_code_web, claude_web_copy, codex_rollout, gemini_web_copy, markdown_headings,
    openai_chat, sharegpt, text_role_labels, text_speakers, whatsapp_export,
};
use crate::message::Fields;
use serde_json::Value;

/// One input, taken apart, as every row sees it.
#[derive(Clone, Copy)]
pub(super) struct Input<'a> {
    /// Its file name, where it has one.
    pub name: Option<&'a str>,
    /// What it is made of.
    pub shape: &'a Shape,
}

impl<'a> Input<'a> {
    /// The single JSON object.
    pub fn object(&self) -> Option<&'a Fields> {
        match self.shape {
            Shape::One(Value::Object(fields)) => Some(fields),
            _ => None,
        }
    }

    /// The object, or the objects of the list: one conversation each, in the exports of web sites.
    pub fn objects(&self) -> Vec<&'a Fields> {
        match self.shape {
            Shape::One(Value::Array(items)) => items.iter().filter_map(Value::as_object).collect(),
            _ => self.records(),
        }
    }

    /// The records of a line format; a file of one line counts.
    pub fn records(&self) -> Vec<&'a Fields> {
        match self.shape {
            Shape::One(value) => value.as_object().into_iter().collect(),
            Shape::Many(values) => values.iter().filter_map(Value::as_object).collect(),
            Shape::Text(_) => Vec::new(),
        }
    }

    /// The text that is no JSON.
    pub fn text(&self) -> Option<&'a str> {
        match self.shape {
            Shape::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The file name without folder and extension.
    pub fn stem(&self) -> Option<&'a str> {
        let name = self.name?.rsplit(['/', '\\']).next()?;
        let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
        Some(stem).filter(|stem| !stem.is_empty())
    }
}

/// One format: whether it recognises an input, and how it is read.
pub(super) struct Format {
    /// The label that readings carry.
    pub label: &'static str,
    pub detect: fn(&Input<'_>) -> bool,
    pub parse: fn(&Input<'_>) -> Result<Reading, ImportError>,
}

/// Every format, the more telling shapes first.
pub(super) const FORMATS: &[Format] = &[
    chatgpt_export::FORMAT,
    claude_ai_export::FORMAT,
    claude_code_web::FORMAT,
    claude_code::FORMAT,
    claude_code_stream::FORMAT,
    codex_rollout::FORMAT,
    sharegpt::FORMAT,
    agentscope::STATE,
    agentscope::MESSAGES,
    anthropic_messages::FORMAT,
    openai_chat::FORMAT,
    claude_web_copy::FORMAT,
    chatgpt_web_copy::FORMAT,
    gemini_web_copy::FORMAT,
    whatsapp_export::FORMAT,
    text_role_labels::STAMPED,
    markdown_headings::FORMAT,
    text_role_labels::LABELS,
    text_role_labels::QUESTIONS,
    text_role_labels::BARE,
    text_speakers::FORMAT,
];

/// The first row that recognises the input.
pub(super) fn recognise(input: &Input<'_>) -> Option<&'static Format> {
    FORMATS.iter().find(|format| (format.detect)(input))
}

/// What is said when no row recognises the input; `fault` is why text that starts like JSON is none.
pub(super) fn refusal(input: &Input<'_>, fault: Option<&str>) -> ImportError {
    match input.shape {
        Shape::Text(text) => text_refusal(text, fault),
        Shape::One(value) => json_refusal(value),
        Shape::Many(values) => json_refusal(values.first().unwrap_or(&Value::Null)),
    }
}

fn text_refusal(text: &str, fault: Option<&str>) -> ImportError {
    let start: String = text.trim_start().chars().take(200).collect::<String>().to_ascii_lowercase();
    if ["<!doctype html", "<html", "<head", "<body"].iter().any(|tag| start.starts_with(tag)) {
        return ImportError {
            format: "html",
            code: "html_not_supported",
            message:
                "this is a saved web page: copy the conversation's text from the page, or use the site's own \
                      export"
                    .to_owned(),
        };
    }
    if start.starts_with(['[', '{']) && ["'role':", "'content':"].iter().all(|key| start.contains(key)) {
        return ImportError {
            format: "python_literal",
            code: "unknown_format",
            message: "this is a printed Python value (single quotes, None, True), not JSON: write it with \
                      json.dumps and import that"
                .to_owned(),
        };
    }
    if let Some(fault) = fault.filter(|_| start.contains('"')) {
        return ImportError::unknown(
            "unknown_format",
            format!("this starts like JSON but is none ({fault}): correct it there, or paste plain text"),
        );
    }
    ImportError::unknown(
        "no_conversation_found",
        "nothing here says who speaks: start each message with a label such as `User:` or `Assistant:` (用户： / \
         助手：), or import a JSON list of messages",
    )
}

fn json_refusal(value: &Value) -> ImportError {
    let object = value.get(0).unwrap_or(value);
    let Some(fields) = object.as_object() else {
        return ImportError::unknown(
            "not_a_conversation",
            "this is JSON without messages: a list of objects with `role` and `content` is needed",
        );
    };
    let keys: Vec<&str> = fields.keys().take(8).map(String::as_str).collect();
    let code = if fields.contains_key("messages") { "not_a_conversation" } else { "unknown_format" };
    ImportError::unknown(
        code,
        format!(
            "this JSON (with the keys {}) is of no known conversation format: import a list of objects with `role` \
             and `content`",
            keys.join(", ")
        ),
    )
}
