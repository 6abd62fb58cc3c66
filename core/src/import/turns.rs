//! Labelled text cut into turns.
//!
//! Owns what is inside a code fence (no label there counts) and what to do with a fence that never closes.
//! Never decides what a label is, and copies no text: detection cuts whole files. Called by the text formats.

use super::labels::Label;

/// One labelled stretch of text.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Turn<'a> {
    pub label: Label<'a>,
    /// 1-based line of the label.
    pub line: usize,
    /// The lines below the label's own, up to the next label.
    below: &'a str,
    /// Whether another label follows.
    followed: bool,
}

impl Turn<'_> {
    /// What was said, trimmed; a rule before the next label only separates.
    pub fn body(&self) -> String {
        let first = self.label.rest;
        let whole = if self.below.is_empty() { first.to_owned() } else { format!("{first}\n{}", self.below) };
        let text = whole.trim();
        let said = match text.rsplit_once('\n') {
            Some((before, last)) if self.followed && is_rule(last.trim()) => before.trim_end(),
            _ => text,
        };
        if said.len() == whole.len() { whole } else { said.to_owned() }
    }
}

fn is_rule(line: &str) -> bool {
    line.len() >= 3 && ['-', '*', '_', '='].iter().any(|mark| line.chars().all(|c| c == *mark))
}

/// A text cut at its labels.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Turns<'a> {
    before: &'a str,
    pub turns: Vec<Turn<'a>>,
    /// Whether a fence never closes and was therefore not taken as one.
    pub unclosed_fence: bool,
}

impl<'a> Turns<'a> {
    /// What stands before the first label, blank lines left out.
    pub fn preamble(&self) -> impl Iterator<Item = &'a str> + Clone + use<'a> {
        self.before.lines().filter(|line| !line.trim().is_empty())
    }

    /// Whether a label opens the text.
    pub fn opens_with_label(&self) -> bool {
        !self.turns.is_empty() && self.before.trim().is_empty()
    }
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
    let mut open: Option<Fence> = None;
    // Where the present stretch starts, and where the present line does.
    let (mut from, mut at) = (0, 0);
    for (line, whole) in text.split_inclusive('\n').enumerate() {
        let next = at + whole.len();
        let content = whole.strip_suffix('\n').unwrap_or(whole);
        let opened = if open.is_none() { label(content) } else { None };
        let said = match opened {
            Some(label) => {
                let rest = label.rest;
                finish(&mut found, text.get(from..at), true);
                found.turns.push(Turn { label, line: line + 1, below: "", followed: false });
                from = next;
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
        at = next;
    }
    finish(&mut found, text.get(from..), false);
    (found, open)
}

/// Gives a stretch to the turn it belongs to, or to what stands before all of them.
fn finish<'a>(found: &mut Turns<'a>, stretch: Option<&'a str>, followed: bool) {
    let stretch = stretch.unwrap_or("");
    match found.turns.last_mut() {
        Some(turn) => {
            turn.below = stretch;
            turn.followed = followed;
        }
        None => found.before = stretch,
    }
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
