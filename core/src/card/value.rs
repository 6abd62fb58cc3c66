//! Values of the frontmatter: scalars, lists of scalars, and deeper things that are only checked.
//!
//! Bounded before anything recursive sees a value. Called by [`super::frontmatter`].

use super::frontmatter::{FaultAt, FieldValue, Line, is_blank_or_comment, key_colon};
use super::scalar::{Scalar, Style, fold, quoted_end, unquote};
use std::ops::Range;

mod block;
pub(super) mod bounds;
mod flow;

use block::block_scalar;
use flow::{flow_end, flow_list};

/// What a value is.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Node {
    Null,
    Scalar(Scalar),
    List { items: Vec<ListItem>, layout: Layout },
    Deep,
}

/// One item of a list.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ListItem {
    pub scalar: Scalar,
    /// The bytes of the scalar's source.
    pub source: Range<usize>,
    /// Its lines in a block list, its text between commas in a flow list.
    pub span: Range<usize>,
}

/// How a list is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Layout {
    Block { indent: usize },
    Flow,
}

impl Node {
    pub fn field_value(&self, source: &str) -> FieldValue {
        match self {
            Node::Null => FieldValue::Empty,
            Node::Scalar(scalar) => FieldValue::Text(scalar.text.clone()),
            Node::List { items, .. } => FieldValue::List(
                items
                    .iter()
                    .filter(|item| !item.scalar.is_null())
                    .map(|item| item.scalar.text.clone())
                    .collect(),
            ),
            Node::Deep => FieldValue::Raw(source.to_owned()),
        }
    }
}

/// A value with its place.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Parsed {
    pub node: Node,
    /// The value's bytes, without a comment behind it.
    pub source: Range<usize>,
    /// The index of the last line that it takes.
    pub last_line: usize,
    pub has_null_item: bool,
}

/// Reads the value that starts at `at` in line `index` (behind a colon, or behind the dash of an item).
pub(super) fn read(text: &str, lines: &[Line], index: usize, at: usize) -> Result<Parsed, FaultAt> {
    let Some(line) = lines.get(index).copied() else {
        return Err(FaultAt::new(at, "a value behind the end of the block"));
    };
    let rest = text.get(at..line.end).unwrap_or_default();
    if is_blank_or_comment(rest) {
        return read_below(text, lines, index, at);
    }
    let start = at + (rest.len() - rest.trim_start().len());
    if let Some(parsed) = scalar_at(text, lines, index, start, 0)? {
        return Ok(parsed);
    }
    if rest.trim_start().starts_with('[')
        && let Some(parsed) = flow_list(text, lines, index, start)?
    {
        return Ok(parsed);
    }
    deep(text, lines, index, at)
}

/// A scalar that starts at `start`; `None` when something deeper stands there. Continuation lines must be
/// indented by more than `indent`.
fn scalar_at(
    text: &str,
    lines: &[Line],
    index: usize,
    start: usize,
    indent: usize,
) -> Result<Option<Parsed>, FaultAt> {
    let Some(line) = lines.get(index).copied() else { return Ok(None) };
    let rest = text.get(start..line.end).unwrap_or_default();
    if let Some(end) = lone_link(rest).map(|length| start + length) {
        let scalar =
            Scalar { text: text.get(start..end).unwrap_or_default().to_owned(), style: Style::Plain };
        return Ok(Some(parsed(Node::Scalar(scalar), start..end, index)));
    }
    match rest.chars().next() {
        Some('"' | '\'') => quoted(text, lines, index, start).map(Some),
        Some('|' | '>') => block_scalar(text, lines, index, start, indent).map(Some),
        Some('[' | '{' | '&' | '*' | '!') => Ok(None),
        Some(c @ ('%' | '@' | '`' | ']' | '}' | ',')) => {
            Err(FaultAt::new(start, format!("a value cannot start with `{c}` unless it is quoted")))
        }
        Some('-' | '?' | ':')
            if rest.get(1..).is_none_or(|next| next.is_empty() || next.starts_with(' ')) =>
        {
            Err(FaultAt::new(start, "a list or a key where a value is expected; quote the value"))
        }
        _ => plain(text, lines, index, start, indent).map(Some),
    }
}

fn parsed(node: Node, source: Range<usize>, last_line: usize) -> Parsed {
    Parsed { node, source, last_line, has_null_item: false }
}

/// The length of a bare `[[link]]` that is all there is on the rest of the line. YAML sees lists in it; people
/// mean the link, also when its target holds a comma.
fn lone_link(rest: &str) -> Option<usize> {
    let inner = rest.strip_prefix("[[")?;
    let close = inner.find("]]")?;
    let target = inner.get(..close)?;
    let behind = inner.get(close + 2..)?;
    let ends = behind.trim().is_empty() || (behind.starts_with([' ', '\t']) && is_blank_or_comment(behind));
    (ends && !target.trim().is_empty() && !target.contains(['[', ']', '"', '\''])).then_some(close + 4)
}

/// The line that holds byte `at`, searched from line `index` on.
fn line_of(lines: &[Line], index: usize, at: usize) -> usize {
    let tail = lines.get(index..).unwrap_or_default();
    index + tail.iter().position(|line| at < line.next).unwrap_or(tail.len().saturating_sub(1))
}

/// Checks that only a comment follows a value on its last line.
fn only_comment_behind(text: &str, lines: &[Line], last: usize, end: usize) -> Result<(), FaultAt> {
    let behind = lines.get(last).and_then(|line| text.get(end..line.end)).unwrap_or_default();
    if behind.trim().is_empty() || (behind.starts_with([' ', '\t']) && is_blank_or_comment(behind)) {
        return Ok(());
    }
    Err(FaultAt::new(end, "text behind the end of a value; quote the whole value"))
}

fn quoted(text: &str, lines: &[Line], index: usize, start: usize) -> Result<Parsed, FaultAt> {
    let block_end = lines.last().map_or(start, |line| line.next);
    let block = text.get(..block_end).unwrap_or_default();
    let end = quoted_end(block, start).ok_or_else(|| FaultAt::new(start, "a quote that is never closed"))?;
    let last = line_of(lines, index, end.saturating_sub(1));
    only_comment_behind(text, lines, last, end)?;
    let scalar = unquote(text.get(start..end).unwrap_or_default()).map_err(|why| FaultAt::new(start, why))?;
    Ok(parsed(Node::Scalar(scalar), start..end, last))
}

fn plain(text: &str, lines: &[Line], index: usize, start: usize, indent: usize) -> Result<Parsed, FaultAt> {
    let mut last = index;
    let mut end = start;
    for (at, line) in lines.iter().enumerate().skip(index) {
        let from = if at == index { start } else { line.start };
        let content = text.get(from..line.end).unwrap_or_default();
        if at > index {
            if content.trim().is_empty() {
                continue;
            }
            if indent_of(content) <= indent || content.trim_start().starts_with('#') {
                break;
            }
        }
        if let Some(colon) = key_colon(content) {
            let message = "a colon inside a value that is not quoted; put the value in quotes";
            return Err(FaultAt::new(from + colon, message));
        }
        let comment = content.find(" #").or_else(|| content.find("\t#"));
        let words = content.get(..comment.unwrap_or(content.len())).unwrap_or_default().trim_end();
        (last, end) = (at, from + words.len());
        if comment.is_some() {
            break;
        }
    }
    let scalar = Scalar { text: fold(text.get(start..end).unwrap_or_default()), style: Style::Plain };
    let node = if scalar.is_null() { Node::Null } else { Node::Scalar(scalar) };
    Ok(parsed(node, start..end, last))
}

fn indent_of(line: &str) -> usize {
    line.len() - line.trim_start_matches([' ', '\t']).len()
}

/// What stands on the lines below a key: a block list, something deeper, or nothing.
fn read_below(text: &str, lines: &[Line], index: usize, at: usize) -> Result<Parsed, FaultAt> {
    let first =
        lines.iter().enumerate().skip(index + 1).find(|(_, line)| !is_blank_or_comment(line.text(text)));
    let Some((first_index, first)) = first else { return Ok(parsed(Node::Null, at..at, index)) };
    let content = first.text(text);
    let indent = indent_of(content);
    let words = content.trim_start();
    if words == "-" || words.starts_with("- ") {
        return match block_list(text, lines, first_index, indent)? {
            Some(list) => Ok(list),
            None => deep(text, lines, index, at),
        };
    }
    if indent == 0 {
        return Ok(parsed(Node::Null, at..at, index));
    }
    if content.starts_with('\t') {
        return Err(FaultAt::new(first.start, "a tab where blanks are expected"));
    }
    if key_colon(content).is_some() || words.starts_with(['{', '[', '&', '!', '?', '*']) {
        return deep(text, lines, index, at);
    }
    match scalar_at(text, lines, first_index, first.start + indent, 0)? {
        Some(scalar) => Ok(scalar),
        None => deep(text, lines, index, at),
    }
}

/// A list of `- item` lines at one indent; `None` when an item is more than a scalar.
fn block_list(text: &str, lines: &[Line], first: usize, indent: usize) -> Result<Option<Parsed>, FaultAt> {
    let mut items: Vec<ListItem> = Vec::new();
    let mut last = first;
    let mut index = first;
    while let Some(line) = lines.get(index).copied() {
        let content = line.text(text);
        if is_blank_or_comment(content) {
            index += 1;
            continue;
        }
        let words = content.trim_start();
        let own = indent_of(content);
        if own < indent || (own == indent && words != "-" && !words.starts_with("- ")) {
            break;
        }
        if own != indent {
            return Ok(None);
        }
        let Some(item) = list_item(text, lines, index, indent)? else { return Ok(None) };
        last = item.last_line;
        let end = lines.get(last).map_or(line.next, |line| line.next);
        let scalar = match item.node {
            Node::Scalar(scalar) => scalar,
            Node::Null => Scalar { text: String::new(), style: Style::Plain },
            _ => return Ok(None),
        };
        items.push(ListItem { scalar, source: item.source, span: line.start..end });
        index = last + 1;
    }
    let start = lines.get(first).map_or(0, |line| line.start);
    let end = lines.get(last).map_or(start, |line| line.end);
    Ok(Some(list(items, Layout::Block { indent }, start..end, last)))
}

fn list(items: Vec<ListItem>, layout: Layout, source: Range<usize>, last_line: usize) -> Parsed {
    let has_null_item = items.iter().any(|item| item.scalar.is_null());
    Parsed { node: Node::List { items, layout }, source, last_line, has_null_item }
}

fn list_item(text: &str, lines: &[Line], index: usize, indent: usize) -> Result<Option<Parsed>, FaultAt> {
    let Some(line) = lines.get(index).copied() else { return Ok(None) };
    let rest = line.text(text).get(indent + 1..).unwrap_or_default();
    if is_blank_or_comment(rest) {
        let next =
            lines.iter().skip(index + 1).map(|line| line.text(text)).find(|line| !is_blank_or_comment(line));
        let is_below = next.is_some_and(|next| indent_of(next) > indent);
        return Ok((!is_below).then(|| parsed(Node::Null, line.end..line.end, index)));
    }
    let words = rest.trim_start();
    if words.starts_with("- ") || (!words.starts_with(['"', '\'']) && key_colon(words).is_some()) {
        return Ok(None);
    }
    scalar_at(text, lines, index, line.end - words.len(), indent)
}

/// Anything deeper: its extent by indentation, its syntax checked by a YAML parser.
fn deep(text: &str, lines: &[Line], index: usize, at: usize) -> Result<Parsed, FaultAt> {
    let Some(line) = lines.get(index).copied() else {
        return Err(FaultAt::new(at, "a value behind the end of the block"));
    };
    let start = text.get(at..line.end).map_or(at, |rest| at + rest.len() - rest.trim_start().len());
    let mut last = index;
    if text.get(start..line.end).is_some_and(|rest| rest.starts_with(['[', '{'])) {
        last = line_of(lines, index, flow_end(text, lines, start)?.saturating_sub(1));
    }
    // The items of a list may stand as far left as their key.
    let head = text.get(start..line.end).unwrap_or_default();
    let is_bare =
        is_blank_or_comment(head) || (head.starts_with(['&', '!']) && !head.trim_end().contains(' '));
    for (number, line) in lines.iter().enumerate().skip(last + 1) {
        let content = line.text(text);
        if content.trim().is_empty() || content.trim_start().starts_with('#') {
            continue;
        }
        let dash = is_bare && (content == "-" || content.starts_with("- "));
        if indent_of(content) == 0 && !dash {
            break;
        }
        last = number;
    }
    let end = lines.get(last).map_or(line.end, |line| line.end);
    check_syntax(text, lines, line.start, end)?;
    Ok(parsed(Node::Deep, at..end, last))
}

/// Parses the lines of one key, to find faults; the value itself is not used.
fn check_syntax(text: &str, lines: &[Line], start: usize, end: usize) -> Result<(), FaultAt> {
    let source = text.get(start..end).unwrap_or_default();
    let Err(error) = serde_yaml::from_str::<serde_yaml::Value>(source) else { return Ok(()) };
    let message = error.to_string();
    // A repeated key, or an alias of an anchor under another key, is no reason to hide a card that PyYAML reads.
    let block_end = lines.last().map_or(end, |line| line.next);
    let block_start = lines.first().map_or(start, |line| line.start);
    let has_anchors = text.get(block_start..block_end).is_some_and(|block| block.contains('&'));
    if message.contains("duplicate entry") || (message.contains("unknown anchor") && has_anchors) {
        return Ok(());
    }
    let at = error.location().map_or(start, |location| start + location.index().min(source.len()));
    let at = (start..=at).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(start);
    let what = message.split(" at line ").next().unwrap_or_default();
    Err(FaultAt::new(at, format!("{what}; quote the value if it is meant as text")))
}
