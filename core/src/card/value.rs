//! Values of the frontmatter: scalars, lists of scalars, and deeper things that are only checked.
//!
//! Bounded before anything recursive sees a value. Called by [`super::frontmatter`].

use super::frontmatter::{FaultAt, FieldValue, Line, is_blank_or_comment, key_colon};
use super::scalar::{Scalar, Style, fold, quoted_end, unquote};
use std::ops::Range;

/// More than any person's block; a parser's time and stack stay small below it.
const MAX_BYTES: usize = 256 * 1024;
const MAX_DEPTH: usize = 48;
const MAX_ALIASES: usize = 32;

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

/// Refuses blocks that would cost a parser its time or its stack, by one scan.
pub(super) fn check_bounds(text: &str, inner: Range<usize>) -> Result<(), FaultAt> {
    if inner.len() > MAX_BYTES {
        let message = format!("the block has {} bytes; at most {MAX_BYTES} are read", inner.len());
        return Err(FaultAt::new(inner.start, message));
    }
    let block = text.get(inner.clone()).unwrap_or_default();
    let (mut depth, mut aliases, mut indents) = (0_usize, 0_usize, Vec::<usize>::new());
    let mut line_start = true;
    let mut indent = 0;
    let mut previous = ' ';
    for (at, c) in block.char_indices() {
        match c {
            '\n' => (line_start, indent) = (true, 0),
            ' ' if line_start => indent += 1,
            _ if line_start => {
                line_start = false;
                indents.retain(|known| *known < indent);
                indents.push(indent);
            }
            _ => {}
        }
        match c {
            '[' | '{' => depth += 1,
            ']' | '}' => depth = depth.saturating_sub(1),
            '*' if matches!(previous, ' ' | '[' | ',' | '{' | '\n') => aliases += 1,
            _ => {}
        }
        previous = c;
        if depth > MAX_DEPTH || indents.len() > MAX_DEPTH {
            return Err(FaultAt::new(inner.start + at, format!("nested more than {MAX_DEPTH} levels deep")));
        }
        if aliases > MAX_ALIASES && block.contains('&') {
            return Err(FaultAt::new(inner.start + at, format!("more than {MAX_ALIASES} aliases")));
        }
    }
    Ok(())
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

/// `|` and `>`: lines below, indented; `+` keeps and `-` drops the line ends at the end.
fn block_scalar(
    text: &str,
    lines: &[Line],
    index: usize,
    start: usize,
    indent: usize,
) -> Result<Parsed, FaultAt> {
    let header = lines.get(index).and_then(|line| text.get(start..line.end)).unwrap_or_default();
    let header = header.split_once(" #").map_or(header, |(mark, _)| mark).trim_end();
    let marks = header.get(1..).unwrap_or_default();
    if !marks.chars().all(|c| matches!(c, '+' | '-' | '1'..='9')) {
        return Err(FaultAt::new(start, "text behind `|` or `>`; quote the value"));
    }
    let given = marks.chars().find_map(|c| c.to_digit(10)).map(|width| indent + width as usize);
    let mut last = index;
    let mut body: Vec<&str> = Vec::new();
    let mut width = given;
    for (at, line) in lines.iter().enumerate().skip(index + 1) {
        let content = line.text(text);
        let blank = content.trim_matches(' ').is_empty();
        if !blank && width.is_none() {
            width = Some(indent_of(content));
        }
        if !blank
            && (indent_of(content) <= indent && given.is_none()
                || width.is_some_and(|w| indent_of(content) < w))
        {
            break;
        }
        body.push(if blank && indent_of(content) <= width.unwrap_or(usize::MAX) { "" } else { content });
        if !blank {
            last = at;
        }
    }
    let width = width.unwrap_or(0);
    let body: Vec<&str> = body.iter().map(|line| line.get(width..).unwrap_or_default()).collect();
    let scalar = Scalar { text: join_block(&body, header.starts_with('>'), marks), style: Style::Block };
    let end = lines.get(last).map_or(start, |line| line.end);
    Ok(parsed(Node::Scalar(scalar), start..end, last))
}

fn join_block(body: &[&str], folded: bool, marks: &str) -> String {
    let content = body.iter().rposition(|line| !line.is_empty()).map_or(0, |at| at + 1);
    let (content, trailing) = body.split_at(content.min(body.len()));
    let mut joined = String::new();
    let mut empty_lines = 0;
    for (index, line) in content.iter().enumerate() {
        let after_indented = |at: usize| content.get(at).is_some_and(|line| line.starts_with([' ', '\t']));
        if folded && line.is_empty() {
            empty_lines += 1;
            continue;
        }
        if index > 0 {
            let previous = index - 1 - empty_lines.min(index - 1);
            let kept = !folded || line.starts_with([' ', '\t']) || after_indented(previous);
            match (kept, empty_lines) {
                (false, 0) => joined.push(' '),
                (false, n) => joined.extend(std::iter::repeat_n('\n', n)),
                (true, n) => joined.extend(std::iter::repeat_n('\n', n + 1)),
            }
        }
        empty_lines = 0;
        joined.push_str(line);
    }
    match marks.trim_matches(|c: char| c.is_ascii_digit()) {
        "-" => {}
        "+" => joined.extend(std::iter::repeat_n('\n', trailing.len() + 1)),
        _ if joined.is_empty() => {}
        _ => joined.push('\n'),
    }
    joined
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
        items.push(ListItem { scalar, span: line.start..end });
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

/// A list between brackets; `None` when an item is more than a scalar.
fn flow_list(text: &str, lines: &[Line], index: usize, start: usize) -> Result<Option<Parsed>, FaultAt> {
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
            items.push(ListItem { scalar, span: from..from + words.len() });
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
        Some('%' | '@' | '`' | '|' | '>') => Err(FaultAt::new(at, "an item that must be quoted")),
        None => Err(FaultAt::new(at, "an empty item between commas")),
        _ if key_colon(words).is_some() || words.contains('\n') && words.contains('#') => Ok(None),
        _ => Ok(Some(Scalar { text: fold(words), style: Style::Plain })),
    }
}

/// The end of a bracketed value, behind its closing bracket.
fn flow_end(text: &str, lines: &[Line], start: usize) -> Result<usize, FaultAt> {
    let block_end = lines.last().map_or(start, |line| line.next);
    let mut depth = 0_usize;
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
            '[' | '{' => depth += 1,
            ']' | '}' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
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
    let is_list =
        lines.iter().skip(index + 1).map(|line| line.text(text)).find(|line| !is_blank_or_comment(line));
    let may_start_with_dash =
        is_list.is_some_and(|line| line.starts_with('-')) && text.get(start..line.end) == Some("");
    for (number, line) in lines.iter().enumerate().skip(last + 1) {
        let content = line.text(text);
        if content.trim().is_empty() || content.trim_start().starts_with('#') {
            continue;
        }
        let dash = may_start_with_dash && (content == "-" || content.starts_with("- "));
        if indent_of(content) == 0 && !dash {
            break;
        }
        last = number;
    }
    let end = lines.get(last).map_or(line.end, |line| line.end);
    check_syntax(text, line.start, end)?;
    Ok(parsed(Node::Deep, at..end, last))
}

/// Parses the lines of one key, to find faults; the value itself is not used.
fn check_syntax(text: &str, start: usize, end: usize) -> Result<(), FaultAt> {
    let source = text.get(start..end).unwrap_or_default();
    let Err(error) = serde_yaml::from_str::<serde_yaml::Value>(source) else { return Ok(()) };
    let message = error.to_string();
    // An alias of an anchor elsewhere, or a repeated key, is no reason to hide a card that PyYAML reads.
    if message.contains("unknown anchor") || message.contains("duplicate entry") {
        return Ok(());
    }
    let at = error.location().map_or(start, |location| start + location.index().min(source.len()));
    let at = (start..=at).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(start);
    let message = message.split(" at line ").next().unwrap_or_default().to_owned();
    Err(FaultAt::new(at, message))
}
