//! Markdown whose messages stand under role headings, as browser extensions and Gemini CLI export it.
//!
//! Owns those headings, the front matter and the time lines below a heading. Other headings are text. Called
//! through the registry.

use super::builder::Builder;
use super::labels::{Side, heading_label, is_exporters_heading};
use super::registry::{Format, Input};
use super::turns::{self, Turn, Turns};
use super::{ImportError, Reading};
use crate::message::time;
use crate::message::{Msg, Role};
use serde_json::Value;

const LABEL: &str = "markdown_headings";

pub(super) const FORMAT: Format = Format { label: LABEL, detect, parse };

fn cut(text: &str) -> Turns<'_> {
    turns::cut(text, heading_label)
}

fn detect(input: &Input<'_>) -> bool {
    let Some(text) = input.text() else { return false };
    if !text.lines().any(is_exporters_heading) {
        return false;
    }
    let found = cut(text);
    let said = |role| found.turns.iter().any(|turn| turn.label.side == Side::Speaks(role));
    said(Role::User) && said(Role::Assistant)
}

fn parse(input: &Input<'_>) -> Result<Reading, ImportError> {
    let found = cut(input.text().unwrap_or(""));
    let preamble: Vec<&str> = found.preamble().collect();
    let mut builder = Builder::new(source_id(&preamble), title(&preamble));
    if found.unclosed_fence {
        builder.note("unclosed_fence", "");
    }
    for turn in found.turns {
        read_turn(turn, &mut builder);
    }
    Ok(Reading { format: LABEL, sessions: vec![builder.finish()], warnings: Vec::new() })
}

fn front_matter<'a>(preamble: &[&'a str], key: &str) -> Option<&'a str> {
    let (fence, fields) = preamble.split_first()?;
    let mut fields = fields.iter().take_while(|line| line.trim() != "---").filter(|_| fence.trim() == "---");
    fields.find_map(|line| {
        Some(line.strip_prefix(key)?.strip_prefix(':')?.trim().trim_matches(['"', '\'']).trim())
    })
}

fn title(preamble: &[&str]) -> Option<String> {
    let heading = || preamble.iter().find_map(|line| line.strip_prefix("# ")).map(str::trim);
    front_matter(preamble, "title").or_else(heading).filter(|title| !title.is_empty()).map(str::to_owned)
}

/// The last part of the address that the conversation was exported from.
fn source_id(preamble: &[&str]) -> Option<String> {
    let source = front_matter(preamble, "source").or_else(|| front_matter(preamble, "url"))?;
    let (_, address) = source.split_once("://")?;
    let (_, path) = address.trim_end_matches('/').split_once('/')?;
    let id = path.rsplit('/').next()?.split(['?', '#']).next()?;
    Some(id.to_owned()).filter(|id| !id.is_empty())
}

fn read_turn(turn: Turn<'_>, builder: &mut Builder) {
    let reference = format!("line {}", turn.line);
    let Side::Speaks(role) = turn.label.side else {
        return builder.skip(reference, "tool");
    };
    let body = turn.body();
    let (written, text) = match body.split_once('\n') {
        Some((first, rest)) => match time_line(first) {
            Some(written) => (Some(written), rest),
            None => (None, body.as_str()),
        },
        None => (None, body.as_str()),
    };
    let created_at =
        written.and_then(|written| builder.time(&reference, time::field(&Value::String(written.to_owned()))));
    builder.push(&reference, Msg { created_at, ..Msg::text_message(role, text) });
}

/// `<time datetime="2026-08-30T09:00:00.512Z" …>…</time>`.
fn time_line(line: &str) -> Option<&str> {
    let (_, value) = line.trim().strip_prefix("<time ")?.split_once("datetime=\"")?;
    value.split('"').next()
}
