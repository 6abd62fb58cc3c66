//! Text copied from a Claude page: each message after a line that repeats its first sentence.
//!
//! Owns that repetition and the page's clock and branch lines. Called through the registry.

use super::builder::Builder;
use super::labels::{Label, Side};
use super::registry::{Format, Input};
use super::turns::{self, Turn, Turns};
use super::{ImportError, Reading};
use crate::message::{Msg, Role};

const LABEL: &str = "claude_web_copy";

pub(super) const FORMAT: Format = Format { label: LABEL, detect, parse };

fn cut(text: &str) -> Turns<'_> {
    turns::cut(text, |line| {
        let labels = [("You said:", Role::User), ("Claude responded:", Role::Assistant)];
        let (rest, role) =
            labels.into_iter().find_map(|(label, role)| Some((line.strip_prefix(label)?, role)))?;
        Some(Label { side: Side::Speaks(role), stamp: None, rest: rest.trim() })
    })
}

fn detect(input: &Input<'_>) -> bool {
    let Some(text) = input.text().filter(|text| text.contains("Claude responded:")) else { return false };
    let found = cut(text);
    let said = |role| found.turns.iter().any(|turn| turn.label.side == Side::Speaks(role));
    said(Role::User) && said(Role::Assistant)
}

fn parse(input: &Input<'_>) -> Result<Reading, ImportError> {
    let found = cut(input.text().unwrap_or(""));
    let mut builder = Builder::default();
    if let Some(first) = found.preamble().next() {
        builder.skip(first, "page furniture");
    }
    for turn in found.turns {
        read_turn(&turn, &mut builder);
    }
    Ok(Reading { format: LABEL, sessions: vec![builder.finish()], warnings: Vec::new() })
}

fn read_turn(turn: &Turn<'_>, builder: &mut Builder) {
    let reference = format!("line {}", turn.line);
    let Side::Speaks(role) = turn.label.side else { return };
    let body = turn.body();
    let mut lines: Vec<&str> = body.lines().collect();
    while let Some(last) = lines.last().copied() {
        if is_clock(last) {
            builder.note("time_without_date", reference.as_str());
        } else if !last.trim().is_empty() && !is_branch_switch(last) {
            break;
        }
        lines.pop();
    }
    let text = match lines.split_first() {
        Some((first, full)) if repeats(first, &full.join("\n")) => full.join("\n"),
        _ => lines.join("\n"),
    };
    builder.push(&reference, Msg::text_message(role, text));
}

/// Whether the full text goes on from the sentence that the label line repeats.
fn repeats(sentence: &str, full: &str) -> bool {
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    !full.trim().is_empty() && words(full).starts_with(&words(sentence))
}

/// `4:50 AM` or `16:50`.
fn is_clock(line: &str) -> bool {
    let line = line.trim();
    let digits = line.trim_end_matches([' ', '\u{202f}', 'A', 'P', 'M', 'a', 'p', 'm']);
    digits.split_once(':').is_some_and(|(hour, minute)| {
        let number =
            |text: &str| (1..=2).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
        number(hour) && number(minute) && minute.len() == 2
    })
}

/// `2 / 2`, the switch between versions of a message.
fn is_branch_switch(line: &str) -> bool {
    line.split_once('/').is_some_and(|(at, of)| {
        let number =
            |text: &str| !text.trim().is_empty() && text.trim().bytes().all(|byte| byte.is_ascii_digit());
        number(at) && number(of)
    })
}
