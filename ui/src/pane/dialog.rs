//! A dialog record laid out: who said what, when; damaged lines in their place.
//!
//! Pure and away from the screen; called in effects through [`super::laid::Laid`].

use super::laid::Laid;
use super::names::spoken_at;
use crate::text;
use crate::theme::{Role, Theme};
use crate::widget::markdown::{self, Manner};
use ratatui::text::{Line, Span};
use reme_core::dialog::{Line as RecordLine, Record};
use reme_core::message::time::Zone;
use reme_core::message::{self, Block, BlockKind, Msg, Source};

/// How much of a damaged line is shown.
const DAMAGED_SHOWN: usize = 400;
/// Above this many bytes, a message is shown as it is.
const MOST_MARKDOWN: usize = 512 * 1024;

pub(super) fn lay(record: &Record, width: u16, theme: &Theme, zone: Zone) -> Laid {
    let mut laid = Laid { width, ..Laid::default() };
    for line in &record.lines {
        if !laid.lines.is_empty() {
            laid.lines.push(Line::default());
        }
        match line {
            RecordLine::Message(message) => lay_message(message, &mut laid, theme, zone),
            RecordLine::Damaged(bytes) => lay_damaged(bytes, &mut laid, theme),
        }
    }
    laid
}

fn lay_message(message: &Msg, laid: &mut Laid, theme: &Theme, zone: Zone) {
    let cells = usize::from(laid.width);
    if let Some(id) = &message.id {
        laid.anchors.push((id.clone(), laid.lines.len()));
    }
    let role = match message.role {
        message::Role::User => Role::User,
        message::Role::Assistant => Role::Assistant,
        message::Role::System => Role::Other,
    };
    let mut heading = text::spans(message.speaker(), theme.style(role));
    if let Some(time) = &message.created_at {
        heading.push(Span::styled("  ", theme.style(Role::Dim)));
        heading.extend(text::spans(&spoken_at(time, zone), theme.style(Role::Dim)));
    }
    laid.lines.push(Line::from(text::truncate_spans(heading, cells)));
    for block in &message.content {
        match block.as_text() {
            Some(words) => laid.append(lay_words(words.trim_end(), laid.width, theme)),
            None => laid.lines.extend(text::wrap(&summary(block), cells, theme.style(Role::Dim))),
        }
    }
}

/// What was said, as Markdown; so much of it that this could take long stands as it is.
fn lay_words(words: &str, width: u16, theme: &Theme) -> Laid {
    if words.len() <= MOST_MARKDOWN {
        let laid = markdown::lay(words, width, theme, Manner::Speech);
        return Laid { anchors: Vec::new(), ..laid };
    }
    let lines = text::wrap(words, usize::from(width), theme.style(Role::Text));
    Laid { lines, width, ..Laid::default() }
}

/// One line for what is in the record but was not said in words.
fn summary(block: &Block) -> String {
    match (block.kind(), block.source()) {
        (BlockKind::Thinking, _) => "[thinking]".to_owned(),
        (BlockKind::Hint, _) => "[hint]".to_owned(),
        (BlockKind::ToolCall, _) => format!("[tool call: {}]", block.str("name").unwrap_or("unnamed")),
        (BlockKind::ToolResult, _) => "[tool result]".to_owned(),
        (_, Some(Source::Url { url, .. })) if block.is_image() => format!("[image: {url}]"),
        (_, Some(Source::Url { url, .. })) => format!("[file: {url}]"),
        (_, Some(Source::Base64 { media_type, .. })) => format!("[data: {media_type}]"),
        _ => format!("[{}]", block.str("type").unwrap_or("unknown block")),
    }
}

fn lay_damaged(bytes: &[u8], laid: &mut Laid, theme: &Theme) {
    let cells = usize::from(laid.width);
    let said = format!("damaged line, {} bytes, kept as it is", bytes.len());
    laid.lines.extend(text::wrap(&said, cells, theme.style(Role::Error)));
    let start = bytes.get(..DAMAGED_SHOWN).unwrap_or(bytes);
    laid.lines.extend(text::wrap(&String::from_utf8_lossy(start), cells, theme.style(Role::Dim)));
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(record: &Record, width: u16) -> String {
        let zone = Zone::Fixed(chrono::FixedOffset::east_opt(0).unwrap());
        let laid = lay(record, width, &Theme::default(), zone);
        let mut shown: Vec<String> = laid.lines.iter().map(ToString::to_string).collect();
        shown.push(format!("anchors: {:?}", laid.anchors));
        shown.extend(laid.links.iter().map(|spot| format!("link: {spot:?}")));
        let colours = |line: &Line<'_>| line.spans.iter().map(|span| span.style).collect::<Vec<_>>();
        let code = laid.lines.iter().find(|line| line.to_string().starts_with("│ let"));
        assert!(code.is_none_or(|code| colours(code).windows(2).any(|pair| pair[0] != pair[1])));
        shown.join("\n")
    }

    #[test]
    fn speakers_times_blocks_and_damage_are_shown() {
        let block = |value: serde_json::Value| Block { fields: value.as_object().unwrap().clone() };
        let mut asked = Msg::text_message(message::Role::User, "Which database?\nFor 40 MB. \u{1b}[31m");
        asked.id = Some("m1".into());
        asked.content.push(block(json!({"type": "text", "text":
            "- as [[trip]]\n- [here](https://x.test)\n\n```rust\nlet a = 1;\n```"})));
        asked.name = Some("Ana".into());
        asked.created_at = Some("2026-06-20T09:30:00".into());
        let mut answered = Msg::text_message(message::Role::Assistant, "SQLite is enough for that.");
        answered.id = Some("m2".into());
        answered.created_at = Some("soon".into());
        answered.content.push(block(json!({"type": "tool_call", "name": "search"})));
        answered.content.push(block(
            json!({"type": "data", "source": {"type": "url", "url": "https://x.test/a.png", "media_type": "image/png"}}),
        ));
        let record = Record {
            lines: vec![
                RecordLine::Message(asked),
                RecordLine::Damaged(b"{\"torn\0".to_vec()),
                RecordLine::Message(answered),
            ],
        };
        insta::assert_snapshot!(check(&record, 40), @r#"
        Ana  2026-06-20 09:30
        Which database?
        For 40 MB. ␛[31m
        • as trip
        • here

        │ let a = 1;

        damaged line, 7 bytes, kept as it is
        {"torn␀

        assistant  soon (not a time)
        SQLite is enough for that.
        [tool call: search]
        [image: https://x.test/a.png]
        anchors: [("m1", 0), ("m2", 11)]
        link: Spot { line: 3, columns: 5..9, target: "trip" }
        link: Spot { line: 4, columns: 2..6, target: "https://x.test" }
        "#);
    }
}
