//! What `claude -p --output-format stream-json` prints.
//!
//! Owns the differences from a transcript: `session_id`, no times, `parent_tool_use_id` for sub-agents, a last
//! row that repeats the answer. Called through the registry.

use super::builder::Builder;
use super::registry::{Format, Input};
use super::{ImportError, Reading, claude_code, common};
use crate::message::{Fields, Msg, Role};
use common::words;
use serde_json::Value;

const LABEL: &str = "claude_code_stream_json";

pub(super) const FORMAT: Format = Format { label: LABEL, detect, parse };

fn detect(input: &Input<'_>) -> bool {
    input.records().into_iter().any(|row| {
        words(row, "session_id").is_some()
            && matches!(words(row, "type"), Some("system" | "assistant" | "result"))
    })
}

fn parse(input: &Input<'_>) -> Result<Reading, ImportError> {
    let rows = input.records();
    let session_id = rows.iter().find_map(|row| words(row, "session_id")).map(str::to_owned);
    let mut builder = Builder::new(session_id, None);
    for (index, row) in rows.iter().enumerate() {
        let id = words(row, "uuid").map(str::to_owned);
        let reference = id.clone().unwrap_or_else(|| format!("[{index}]"));
        match role(row) {
            Ok(role) => {
                let content = row.get("message").and_then(|message| message.get("content"));
                let blocks = claude_code::spoken_blocks(&mut builder, &reference, role, content);
                let created_at = builder.time(&reference, common::time_field(row).0);
                builder
                    .push(&reference, Msg { id, content: blocks, created_at, ..Msg::text_message(role, "") });
            }
            Err(reason) => builder.skip(reference, reason),
        }
    }
    Ok(Reading { format: LABEL, sessions: vec![builder.finish()], warnings: Vec::new() })
}

fn role(row: &Fields) -> Result<Role, String> {
    let role = match words(row, "type") {
        Some("user") => Role::User,
        Some("assistant") => Role::Assistant,
        Some("result") => return Err("repeats the last answer".to_owned()),
        other => return Err(words(row, "subtype").or(other).unwrap_or("no type").replace('_', " ")),
    };
    if row.get("parent_tool_use_id").is_some_and(Value::is_string) {
        return Err("sub-agent".to_owned());
    }
    if common::flag(row, "isSynthetic") {
        return Err("message of the program".to_owned());
    }
    Ok(role)
}
