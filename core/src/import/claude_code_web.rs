//! Sessions of Claude Code for the web: one object with `loglines`, without ids.
//!
//! Owns the finding of its rows; what is said in them is read as in a transcript. Called through the registry.

use super::builder::Builder;
use super::registry::{Format, Input};
use super::{ImportError, Reading, claude_code, common};
use crate::message::{Fields, Msg, Role};
use serde_json::Value;

const LABEL: &str = "claude_code_web";

pub(super) const FORMAT: Format = Format { label: LABEL, detect, parse };

fn loglines<'a>(input: &Input<'a>) -> Option<(&'a Fields, &'a [Value])> {
    let owner = input.object()?;
    Some((owner, owner.get("loglines")?.as_array()?))
}

fn detect(input: &Input<'_>) -> bool {
    loglines(input).is_some()
}

fn parse(input: &Input<'_>) -> Result<Reading, ImportError> {
    let (owner, lines) = loglines(input).unzip();
    let session_id = owner.and_then(|owner| common::first_id(owner, &["session_id", "sessionId"]));
    let title = owner.and_then(|owner| common::words(owner, "title")).map(str::to_owned);
    let mut builder = Builder::new(session_id, title);
    for (index, line) in lines.unwrap_or_default().iter().enumerate() {
        let reference = format!("loglines[{index}]");
        let role = match line.get("type").and_then(Value::as_str) {
            Some("user") => Role::User,
            Some("assistant") => Role::Assistant,
            other => {
                builder.skip(reference, other.unwrap_or("no type"));
                continue;
            }
        };
        let fields = line.as_object().cloned().unwrap_or_default();
        if common::flag(&fields, "isMeta") || common::flag(&fields, "isSidechain") {
            builder.skip(reference, "not said in the conversation");
            continue;
        }
        let content = line.get("message").and_then(|message| message.get("content"));
        let blocks = claude_code::spoken_blocks(&mut builder, &reference, role, content);
        let created_at = builder.time(&reference, common::time_field(&fields).0);
        let id = common::first_id(&fields, &["uuid"]);
        builder.push(&reference, Msg { id, content: blocks, created_at, ..Msg::text_message(role, "") });
    }
    Ok(Reading { format: LABEL, sessions: vec![builder.finish()], warnings: Vec::new() })
}
