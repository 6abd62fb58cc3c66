//! Import: bytes that a person pasted or named become conversations.
//!
//! `read` decodes the bytes, asks each row of the format registry in order whether it recognises them
//! (`detect`), and lets the first that does read them (`parse`). One file per format. Nothing is written and
//! nothing is fetched here. Called by the command line, the capture screen and the service.

use crate::message::Msg;

mod agentscope;
mod anthropic_messages;
mod builder;
mod bytes;
mod chatgpt_export;
mod chatgpt_web_copy;
mod claude_ai_export;
mod claude_code;
mod claude_code_stream;
mod claude_code_tree;
mod claude_code_web;
mod claude_web_copy;
mod codex_rollout;
mod common;
mod content;
mod gemini_web_copy;
mod image_check;
mod injected;
mod json_repair;
mod labels;
mod markdown_headings;
mod message_list;
mod notes;
mod openai_chat;
mod phone_stamp;
mod registry;
pub mod report;
mod sharegpt;
mod text_role_labels;
mod text_speakers;
mod tree;
mod turns;
mod values;
mod web_copy;
mod whatsapp_export;

#[cfg(test)]
mod tests;

/// What was recognised in one input.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading {
    /// The label of the format, such as `openai_chat`.
    pub format: &'static str,
    /// The conversations, in the order of the source.
    pub sessions: Vec<Conversation>,
    /// What the reader noticed about the input as a whole.
    pub warnings: Vec<Warning>,
}

/// One conversation, not yet part of any workspace.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Conversation {
    /// The source's own session id.
    pub session_id: Option<String>,
    /// The source's own title.
    pub title: Option<String>,
    /// The messages, in the order of the source.
    pub messages: Vec<Msg>,
    /// Source items that gave no message.
    pub skipped: Vec<Skipped>,
    /// What the reader noticed about this conversation.
    pub warnings: Vec<Warning>,
}

/// A source item that gave no message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    /// The item's id, or its 1-based place in the source.
    pub reference: String,
    /// Why, in a word or two.
    pub reason: String,
}

/// Something that a person should know about an import; the import went on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// A stable code, such as `invalid_timestamp`.
    pub code: &'static str,
    /// What was met and what was done about it.
    pub message: String,
}

/// Why an input could not be read; nothing was taken from it.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
#[error("{message}")]
pub struct ImportError {
    /// The label of the format as far as it was recognised, else `unknown`.
    pub format: &'static str,
    /// A stable code, such as `empty_input`.
    pub code: &'static str,
    /// What was met and what to do.
    pub message: String,
}

impl ImportError {
    /// An error about an input whose format is not known.
    fn unknown(code: &'static str, message: impl Into<String>) -> Self {
        ImportError { format: "unknown", code, message: message.into() }
    }
}

/// Reads one input; `name` is its file name where it has one, used for a missing session id or title only.
pub fn read(bytes: &[u8], name: Option<&str>) -> Result<Reading, ImportError> {
    let decoded = bytes::decode(bytes, text_role_labels::shows_dialogue)?;
    let parsed = values::parse(&decoded.text)?;
    let input = registry::Input { name, shape: &parsed.shape };
    let mut reading = match registry::recognise(&input) {
        Some(row) => {
            tracing::debug!(format = row.label, "recognised");
            (row.parse)(&input)?
        }
        None => return Err(registry::refusal(&input, parsed.fault.as_deref())),
    };
    let mut warnings = decoded.notes.into_warnings();
    warnings.extend(parsed.notes.into_warnings());
    warnings.append(&mut reading.warnings);
    warnings.extend(repeated_sessions(&reading.sessions).into_warnings());
    reading.warnings = warnings;
    Ok(reading)
}

/// Notes the session ids that several conversations of one input share.
fn repeated_sessions(sessions: &[Conversation]) -> notes::Notes {
    let mut notes = notes::Notes::default();
    let mut seen = std::collections::HashSet::new();
    for id in sessions.iter().filter_map(|session| session.session_id.as_deref()) {
        if !seen.insert(id) {
            notes.add("duplicate_session_id", id);
        }
    }
    notes
}
