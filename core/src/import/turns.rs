//! Labelled text cut into turns.
//!
//! Owns what is inside a code fence (no label there counts) and what to do with a fence that never closes.
//! Never decides what a label is. Called by the text formats.

use super::labels::Label;

/// One labelled stretch of text.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Turn<'a> {
    pub label: Label<'a>,
    /// 1-based line of the label.
    pub line: usize,
    /// What was said, trimmed.
    pub body: String,
}

/// A text cut at its labels.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Turns<'a> {
    /// What stands before the first label, blank lines left out.
    pub preamble: Vec<&'a str>,
    pub turns: Vec<Turn<'a>>,
    /// Whether a fence never closes and was therefore not taken as one.
    pub unclosed_fence: bool,
}

/// An open code fence.
#[derive(Clone, Copy)]
struct Fence {
    mark: char,
    len: usize,
    line: usize,
}

/// Cuts `text` where `label` finds one.
pub(super) fn cut<'a>(text: &'a str, label: impl Fn(&'a str) -> Option<Label<'a>>) -> Turns<'a> {
    let (turns, open) = cut_until(text, &label, usize::MAX);
    match open {
        None => turns,
        Some(fence) => {
            let (turns, _) = cut_until(text, &label, fence.line);
            Turns { unclosed_fence: true, ..turns }
        }
    }
}

/// Cuts `text`; from line `fences_until` on, fences are ordinary text. Also gives the fence left open.
fn cut_until<'a>(
    text: &'a str,
    label: &impl Fn(&'a str) -> Option<Label<'a>>,
    fences_until: usize,
) -> (Turns<'a>, Option<Fence>) {
    let mut found = Turns::default();
    let mut body: Vec<&str> = Vec::new();
    let mut open: Option<Fence> = None;
    for (line, content) in text.lines().enumerate() {
        let opened = if open.is_none() { label(content) } else { None };
        let said = match opened {
            Some(label) => {
                finish(&mut found, &mut body, true);
                let rest = label.rest;
                found.turns.push(Turn { label, line: line + 1, body: String::new() });
                rest
            }
            None => content,
        };
        if line < fences_until {
            open = match open {
                Some(fence) if closes(said, fence) => None,
                Some(fence) => Some(fence),
                None => opens(said).map(|(mark, len)| Fence { mark, len, line }),
            };
        }
        body.push(said);
    }
    finish(&mut found, &mut body, false);
    (found, open)
}

/// Gives the gathered lines to the turn they belong to; a rule before the next label only separates.
fn finish<'a>(found: &mut Turns<'a>, body: &mut Vec<&'a str>, followed: bool) {
    let Some(turn) = found.turns.last_mut() else {
        found.preamble.extend(body.drain(..).filter(|line| !line.trim().is_empty()));
        return;
    };
    let mut text = body.join("\n").trim().to_owned();
    body.clear();
    if followed && let Some((before, last)) = text.rsplit_once('\n') {
        let last = last.trim();
        if last.len() >= 3 && ['-', '*', '_', '='].iter().any(|mark| last.chars().all(|c| c == *mark)) {
            text = before.trim_end().to_owned();
        }
    }
    turn.body = text;
}

fn fence_mark(line: &str) -> Option<(char, usize, &str)> {
    let text = line.trim_start_matches(' ');
    let mark = text.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let rest = text.trim_start_matches(mark);
    let len = text.len() - rest.len();
    (len >= 3 && line.len() - text.len() <= 3).then_some((mark, len, rest))
}

fn opens(line: &str) -> Option<(char, usize)> {
    let (mark, len, info) = fence_mark(line)?;
    (mark == '~' || !info.contains('`')).then_some((mark, len))
}

fn closes(line: &str, fence: Fence) -> bool {
    fence_mark(line)
        .is_some_and(|(mark, len, rest)| mark == fence.mark && len >= fence.len && rest.trim().is_empty())
}
