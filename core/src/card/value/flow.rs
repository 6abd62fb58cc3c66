//! Lists between brackets: their end found, their items read when they are scalars.
//!
//! Bare wikilinks in them are links, not lists. Called by the parent module.

use super::super::frontmatter::{FaultAt, Line, key_colon};
use super::super::scalar::{Scalar, Style, fold, quoted_end, unquote};
use super::{Layout, ListItem, Parsed, line_of, list, lone_link, only_comment_behind};

/// A list between brackets; `None` when an item is more than a scalar.
pub(super) fn flow_list(
    text: &str,
    lines: &[Line],
    index: usize,
    start: usize,
) -> Result<Option<Parsed>, FaultAt> {
    let end = flow_end(text, lines, start)?;
    let last = line_of(lines, index, end.saturating_sub(1));
    only_comment_behind(text, lines, last, end)?;
    let mut items = Vec::new();
    let mut at = start + 1;
    while at + 1 < end {
        let item_end = flow_item_end(text, at, end - 1);
        let source = text.get(at..item_end).unwrap_or_default();
        let words = source.trim();
        let is_last = item_end + 1 >= end;
        if !(words.is_empty() && is_last) {
            let Some(scalar) = flow_scalar(words, at)? else { return Ok(None) };
            let from = at + (source.len() - source.trim_start().len());
            let span = from..from + words.len();
            items.push(ListItem { scalar, source: span.clone(), span });
        }
        at = item_end + 1;
    }
    Ok(Some(list(items, Layout::Flow, start..end, last)))
}

fn flow_scalar(words: &str, at: usize) -> Result<Option<Scalar>, FaultAt> {
    if lone_link(words) == Some(words.len()) {
        return Ok(Some(Scalar { text: words.to_owned(), style: Style::Plain }));
    }
    match words.chars().next() {
        Some('"' | '\'') if quoted_end(words, 0) == Some(words.len()) => {
            unquote(words).map(Some).map_err(|why| FaultAt::new(at, why))
        }
        Some('[' | '{' | '&' | '*' | '!' | '"' | '\'' | '?') => Ok(None),
        Some('-') if words == "-" || words.starts_with("- ") => {
            Err(FaultAt::new(at, "a list between brackets"))
        }
        Some('-') if words == "-" || words.starts_with("- ") => {
            Err(FaultAt::new(at, "a list between brackets"))
        }
        Some('%' | '@' | '`' | '|' | '>') => Err(FaultAt::new(at, "an item that must be quoted")),
        None => Err(FaultAt::new(at, "an empty item between commas")),
        _ if key_colon(words).is_some() || words.contains('\n') && words.contains('#') => Ok(None),
        _ => Ok(Some(Scalar { text: fold(words), style: Style::Plain })),
    }
}

/// The end of a bracketed value, behind its closing bracket.
pub(super) fn flow_end(text: &str, lines: &[Line], start: usize) -> Result<usize, FaultAt> {
    let block_end = lines.last().map_or(start, |line| line.next);
    let mut open: Vec<char> = Vec::new();
    let mut at = start;
    let mut fresh = true;
    let mut previous = ' ';
    while let Some(c) = text.get(at..block_end).and_then(|rest| rest.chars().next()) {
        let mut next = at + c.len_utf8();
        match c {
            '"' | '\'' if fresh => {
                next = quoted_end(text.get(..block_end).unwrap_or_default(), at)
                    .ok_or_else(|| FaultAt::new(at, "a quote that is never closed"))?;
            }
            '#' if previous.is_whitespace() => {
                next = text
                    .get(at..block_end)
                    .and_then(|rest| rest.find('\n'))
                    .map_or(block_end, |end| at + end);
            }
            '[' => open.push(']'),
            '{' => open.push('}'),
            ']' | '}' => {
                if open.pop() != Some(c) {
                    return Err(FaultAt::new(at, format!("`{c}` closes no bracket")));
                }
                if open.is_empty() {
                    return Ok(next);
                }
            }
            _ => {}
        }
        if !c.is_whitespace() {
            fresh = matches!(c, '[' | '{' | ',' | ':');
        }
        previous = c;
        at = next;
    }
    Err(FaultAt::new(start, "a bracket that is never closed"))
}

/// The comma that ends the item at `at`, or `end`; commas in quotes, brackets and links do not count.
fn flow_item_end(text: &str, at: usize, end: usize) -> usize {
    let mut depth = 0_usize;
    let mut cursor = at;
    let mut fresh = true;
    while let Some(c) = text.get(cursor..end).and_then(|rest| rest.chars().next()) {
        let mut next = cursor + c.len_utf8();
        match c {
            '"' | '\'' if fresh => {
                next = quoted_end(text.get(..end).unwrap_or_default(), cursor).unwrap_or(next)
            }
            '[' | '{' => depth += 1,
            ']' | '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => return cursor,
            _ => {}
        }
        if !c.is_whitespace() {
            fresh = matches!(c, '[' | '{' | ',' | ':');
        }
        cursor = next;
    }
    end
}
