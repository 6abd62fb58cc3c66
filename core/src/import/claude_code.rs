//! Claude Code transcripts: `~/.claude/projects/<folder>/<session>.jsonl`.
//!
//! Owns which rows are messages and where the person's words are: prompts, prompts queued while the model
//! worked, commands. File order is kept; only branches that the person took back are left out. Called through
//! the registry.

use super::builder::Builder;
use super::claude_code_tree::taken_back;
use super::registry::{Format, Input};
use super::{ImportError, Reading, common, content, injected};
use crate::message::time::{self, TimeField};
use crate::message::{Block, BlockKind, Fields, Msg, Role};
use common::{flag, words};
use serde_json::Value;
use std::collections::{HashMap, HashSet};

const LABEL: &str = "claude_code_jsonl";

pub(super) const FORMAT: Format = Format { label: LABEL, detect, parse };

fn detect(input: &Input<'_>) -> bool {
    input.records().into_iter().any(|row| {
        let kind =
            matches!(words(row, "type"), Some("user" | "assistant" | "system" | "summary" | "attachment"));
        kind && ["parentUuid", "leafUuid", "isSidechain"].iter().any(|key| row.contains_key(*key))
    })
}

fn parse(input: &Input<'_>) -> Result<Reading, ImportError> {
    let rows = input.records();
    let (lost, rewinds) = taken_back(&rows);
    let mut reader = Reader {
        builder: Builder::new(session_id(input, &rows), title(&rows)),
        queued: queued_prompts(&rows),
        seen: HashSet::new(),
        answers: HashMap::new(),
    };
    for prompt in rewinds {
        reader.builder.note("branch_dropped", prompt);
    }
    for (index, row) in rows.iter().enumerate() {
        reader.row(index, row, &lost);
    }
    if reader.builder.is_empty() && rows.iter().any(|row| flag(row, "isSidechain")) {
        reader.builder.note("sidechain_only", "");
    }
    Ok(Reading { format: LABEL, sessions: vec![reader.builder.finish()], warnings: Vec::new() })
}

/// The file's own name where a row says it too (a resumed file repeats older rows), else the last one named.
fn session_id(input: &Input<'_>, rows: &[&Fields]) -> Option<String> {
    let ids: Vec<&str> = rows.iter().filter_map(|row| words(row, "sessionId")).collect();
    let named = input.stem().filter(|stem| ids.contains(stem));
    named.or(ids.last().copied()).map(str::to_owned)
}

/// The person's own title, else the last one a model wrote for this file.
fn title(rows: &[&Fields]) -> Option<String> {
    let last = |kind: &str, key: &str| {
        rows.iter().rev().filter(|row| words(row, "type") == Some(kind)).find_map(|row| words(row, key))
    };
    let summary = || {
        let here: HashSet<&str> = rows.iter().filter_map(|row| words(row, "uuid")).collect();
        let mut summaries = rows.iter().rev().filter(|row| words(row, "type") == Some("summary"));
        summaries.find_map(|row| {
            words(row, "leafUuid").filter(|leaf| here.contains(leaf)).and(words(row, "summary"))
        })
    };
    last("custom-title", "customTitle")
        .or_else(|| last("ai-title", "aiTitle"))
        .or_else(summary)
        .map(str::to_owned)
}

/// The texts of prompts that were queued and delivered as attachments.
fn queued_prompts(rows: &[&Fields]) -> HashSet<String> {
    rows.iter().filter_map(|row| Some(prompt_text(queued_command(row)?.get("prompt")?))).collect()
}

fn queued_command(row: &Fields) -> Option<&Fields> {
    let attachment = row.get("attachment")?.as_object()?;
    (words(attachment, "type") == Some("queued_command")).then_some(attachment)
}

fn prompt_text(prompt: &Value) -> String {
    let texts: Vec<String> = content::read(prompt)
        .blocks
        .iter()
        .filter_map(Block::as_text)
        .map(|text| text.trim().to_owned())
        .collect();
    texts.join("\n")
}

struct Reader {
    builder: Builder,
    queued: HashSet<String>,
    seen: HashSet<String>,
    /// Per id of a model's answer: the row and text that stand for it so far.
    answers: HashMap<String, (String, String)>,
}

impl Reader {
    fn row(&mut self, index: usize, row: &Fields, lost: &HashSet<&str>) {
        let uuid = words(row, "uuid");
        if let Some(uuid) = uuid {
            if !self.seen.insert(uuid.to_owned()) {
                return self.builder.note("duplicate_id", uuid);
            }
            if lost.contains(uuid) {
                return self.builder.skip(uuid, "branch that was taken back");
            }
        }
        let reference = uuid.map_or_else(|| format!("[{index}]"), str::to_owned);
        match words(row, "type") {
            Some("user" | "assistant") => self.message(&reference, row),
            Some("attachment") => self.attachment(&reference, row),
            Some("queue-operation") => self.queue_operation(&reference, row),
            Some("system") => {
                let subtype = words(row, "subtype").unwrap_or("system");
                self.builder.skip(reference, subtype.replace('_', " "));
            }
            _ => {}
        }
    }

    fn message(&mut self, reference: &str, row: &Fields) {
        if let Some(reason) = not_spoken(row) {
            return self.builder.skip(reference, reason);
        }
        let Some(message) = row.get("message").and_then(Value::as_object) else {
            self.builder.note("malformed_message", reference);
            return self.builder.skip(reference, "no message");
        };
        let role = if words(row, "type") == Some("user") { Role::User } else { Role::Assistant };
        let blocks = spoken_blocks(&mut self.builder, reference, role, message.get("content"));
        if blocks.is_empty() {
            return self.builder.skip(reference, "nothing that a person or the model said");
        }
        let id = words(row, "uuid").map(str::to_owned);
        self.replace_shorter(message, id.as_deref(), &blocks);
        self.add(reference, row, role, id, blocks);
    }

    /// Rows of one answer that repeat its growing text: the longest stands for all.
    fn replace_shorter(&mut self, message: &Fields, id: Option<&str>, blocks: &[Block]) {
        let (Some(answer), Some(id)) = (words(message, "id"), id) else { return };
        let text = blocks.iter().filter_map(Block::as_text).collect::<Vec<_>>().join("\n");
        if text.trim().is_empty() {
            return;
        }
        if let Some((earlier, shorter)) = self.answers.get(answer)
            && text.starts_with(shorter.as_str())
        {
            self.builder.take_back(earlier);
        }
        self.answers.insert(answer.to_owned(), (id.to_owned(), text));
    }

    /// What the person typed while the model worked.
    fn attachment(&mut self, reference: &str, row: &Fields) {
        let Some(command) = queued_command(row) else {
            return self.builder.skip(reference, "attachment");
        };
        let origin =
            command.get("origin").and_then(Value::as_object).and_then(|origin| words(origin, "kind"));
        if flag(row, "isSidechain") {
            return self.builder.skip(reference, "sidechain");
        }
        if flag(command, "isMeta") || origin.is_some_and(|kind| kind != "human") {
            return self.builder.skip(reference, "message of another program");
        }
        let blocks = spoken_blocks(&mut self.builder, reference, Role::User, command.get("prompt"));
        self.add(reference, row, Role::User, words(row, "uuid").map(str::to_owned), blocks);
    }

    /// Older versions: a delivered prompt leaves no other trace than its removal from the queue.
    fn queue_operation(&mut self, reference: &str, row: &Fields) {
        let Some(text) = words(row, "content").filter(|_| words(row, "operation") == Some("remove")) else {
            return;
        };
        if self.queued.contains(text.trim()) {
            return;
        }
        let blocks = spoken_blocks(&mut self.builder, reference, Role::User, row.get("content"));
        self.add(reference, row, Role::User, None, blocks);
    }

    fn add(&mut self, reference: &str, row: &Fields, role: Role, id: Option<String>, blocks: Vec<Block>) {
        let time = row.get("timestamp").map_or(TimeField::Absent, time::field);
        let created_at = self.builder.time(reference, time);
        let message = Msg { id, content: blocks, created_at, ..Msg::text_message(role, "") };
        self.builder.push(reference, message);
    }
}

/// Why a user or assistant row is nobody's words.
fn not_spoken(row: &Fields) -> Option<&'static str> {
    let model = row.get("message").and_then(Value::as_object).and_then(|message| words(message, "model"));
    if flag(row, "isSidechain") {
        Some("sidechain")
    } else if flag(row, "isCompactSummary") || flag(row, "isVisibleInTranscriptOnly") {
        Some("compact summary, written by the model")
    } else if flag(row, "isMeta") {
        Some("meta")
    } else if flag(row, "isApiErrorMessage") || model == Some("<synthetic>") {
        Some("message of the program")
    } else {
        None
    }
}

/// The blocks of a row's content, without what the program put into the user's mouth.
pub(super) fn spoken_blocks(
    builder: &mut Builder,
    reference: &str,
    role: Role,
    value: Option<&Value>,
) -> Vec<Block> {
    let mut content = content::read(value.unwrap_or(&Value::Null));
    if !content.unknown.is_empty() {
        builder.note("unknown_block", format!("{reference} ({})", content.unknown.join(", ")));
    }
    if role != Role::User {
        return content.blocks;
    }
    if injected::strip_recall(&mut content.blocks) {
        return Vec::new();
    }
    if content.blocks.iter().any(holds_persons_words) {
        builder.note("user_text_in_tool_result", reference);
    }
    for block in &mut content.blocks {
        if let Some(text) = block.as_text() {
            let left = injected::strip_claude_code(text);
            block.fields.insert("text".into(), left.into());
        }
    }
    content.blocks.retain(|block| block.as_text() != Some(""));
    content.blocks
}

/// A refused tool call carries the person's reason, an asked question their answer, as the tool's result.
fn holds_persons_words(block: &Block) -> bool {
    block.kind() == BlockKind::ToolResult
        && block.fields.get("content").is_some_and(|result| {
            let text = prompt_text(result);
            text.contains("the user said:\n") || text.starts_with("User has answered your questions")
        })
}
