//! Frontmatter: its block found, its keys read with their byte spans, as PyYAML would read them.
//!
//! Never changes a text and never decides what type a value has. Called by [`super::Card`].

use super::scalar::quoted_end;
use super::value::{self, Node};
use std::ops::Range;

/// One key of the block.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// The key.
    pub key: String,
    /// Its value.
    pub value: FieldValue,
    /// The bytes of its lines in the file.
    pub span: Range<usize>,
    /// The byte behind the key's colon.
    pub(super) value_at: usize,
    /// The bytes of the value's source, comments left out.
    pub(super) source: Range<usize>,
    pub(super) node: Node,
}

/// A value as its source text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FieldValue {
    /// Nothing.
    Empty,
    /// A scalar's text, unquoted and unfolded.
    Text(String),
    /// A list of scalars.
    List(Vec<String>),
    /// Anything deeper, as it stands behind `key:`.
    Raw(String),
}

/// Why the block, or a part of it, could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// 1-based line in the file.
    pub line: usize,
    /// 1-based column.
    pub column: usize,
    /// What was met.
    pub message: String,
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "frontmatter unreadable, line {} column {}: {}", self.line, self.column, self.message)
    }
}

/// A fault by its byte, before line and column are counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FaultAt {
    pub at: usize,
    pub message: String,
}

impl FaultAt {
    pub fn new(at: usize, message: impl Into<String>) -> FaultAt {
        FaultAt { at, message: message.into() }
    }

    pub fn locate(self, text: &str) -> Fault {
        let before = text.get(..self.at).unwrap_or(text);
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        let column =
            before.get(line_start..).unwrap_or_default().trim_start_matches('\u{feff}').chars().count();
        Fault { line: before.matches('\n').count() + 1, column: column + 1, message: self.message }
    }
}

/// A line of the file: its bytes without the line end, and where the next one starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Line {
    pub start: usize,
    pub end: usize,
    pub next: usize,
}

impl Line {
    pub fn text(self, text: &str) -> &str {
        text.get(self.start..self.end).unwrap_or_default()
    }
}

/// The lines of a part of the text; line ends are LF or CRLF.
pub(super) fn lines(text: &str, range: Range<usize>) -> Vec<Line> {
    let mut found = Vec::new();
    let mut start = range.start;
    while start < range.end {
        let rest = text.get(start..range.end).unwrap_or_default();
        let (length, next) = match rest.find('\n') {
            Some(at) => (at, start + at + 1),
            None => (rest.len(), range.end),
        };
        let content = rest.get(..length).unwrap_or_default();
        let end = start + content.strip_suffix('\r').unwrap_or(content).len();
        found.push(Line { start, end, next });
        start = next.max(start + 1);
    }
    found
}

/// Where the block of a text is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Located {
    /// There is none.
    Absent,
    /// It opens and never closes.
    Unclosed { inner: Range<usize> },
    /// Between two fences; the body starts behind the second.
    Closed { inner: Range<usize>, body: usize },
}

/// Finds the block as python-frontmatter does: blank lines may stand before it, fences are three or more
/// dashes. A byte order mark does not hide it.
pub(super) fn locate(text: &str) -> Located {
    let bom = text.len() - text.trim_start_matches('\u{feff}').len();
    let head = text.get(bom..).unwrap_or_default();
    let skipped = head.len() - head.trim_start().len();
    let first_line = head.get(..skipped).and_then(|blank| blank.rfind('\n')).map_or(0, |at| at + 1);
    if skipped != first_line {
        return Located::Absent;
    }
    let mut inner_start = None;
    let mut start = bom + first_line;
    while let Some(rest) = text.get(start..).filter(|rest| !rest.is_empty()) {
        let length = rest.find('\n').map_or(rest.len(), |at| at + 1);
        let next = start + length;
        match (inner_start, is_fence(rest.get(..length).unwrap_or_default())) {
            (None, false) => return Located::Absent,
            (None, true) => inner_start = Some(next),
            (Some(from), true) => return Located::Closed { inner: from..start, body: next },
            (Some(_), false) => {}
        }
        start = next;
    }
    inner_start.map_or(Located::Absent, |from| Located::Unclosed { inner: from..text.len() })
}

fn is_fence(line: &str) -> bool {
    let line = line.trim_end();
    line.len() >= 3 && line.bytes().all(|byte| byte == b'-')
}

/// What was read of a block.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Fields {
    pub fields: Vec<Field>,
    pub warnings: Vec<String>,
}

/// Reads the keys of a block; of duplicate keys the last counts.
pub(super) fn read(text: &str, inner: Range<usize>) -> Result<Fields, FaultAt> {
    value::bounds::check_bounds(text, inner.clone())?;
    let lines_above = text.get(..inner.start).unwrap_or_default().matches('\n').count();
    let lines = lines(text, inner);
    let mut read = Fields::default();
    let mut index = 0;
    while let Some(line) = lines.get(index).copied() {
        let content = line.text(text);
        if is_blank_or_comment(content) {
            index += 1;
            continue;
        }
        let (key, value_at) = split_key(text, line)?;
        let parsed = value::read(text, &lines, index, value_at)?;
        let span_end = lines.get(parsed.last_line).map_or(line.next, |last| last.next);
        let line_number = lines_above + index + 1;
        if parsed.has_null_item {
            read.warnings.push(format!(
                "line {line_number}: an item of `{key}` is empty; text behind a `#` is a comment, quote it to keep it"
            ));
        }
        let field = Field {
            key,
            value: parsed.node.field_value(text.get(value_at..parsed.source.end).unwrap_or_default()),
            span: line.start..span_end,
            value_at,
            source: parsed.source,
            node: parsed.node,
        };
        add(&mut read, field, line_number);
        index = parsed.last_line + 1;
    }
    Ok(read)
}

fn add(read: &mut Fields, field: Field, line_number: usize) {
    if let Some(earlier) = read.fields.iter().position(|known| known.key == field.key) {
        let key = &field.key;
        read.warnings.push(format!("line {line_number}: `{key}` stands twice; the last one counts"));
        read.fields.remove(earlier);
    }
    read.fields.push(field);
}

pub(super) fn is_blank_or_comment(line: &str) -> bool {
    let line = line.trim();
    line.is_empty() || line.starts_with('#')
}

/// A top-level key and the offset just behind its colon.
fn split_key(text: &str, line: Line) -> Result<(String, usize), FaultAt> {
    let content = line.text(text);
    if content.starts_with([' ', '\t']) {
        return Err(FaultAt::new(line.start, "an indented line that belongs to no key"));
    }
    if content == "-" || content.starts_with("- ") {
        return Err(FaultAt::new(line.start, "a list where `key: value` lines are expected"));
    }
    let missing = || FaultAt::new(line.start, "a line that is no `key: value`");
    if content.starts_with(['"', '\'']) {
        let end =
            quoted_end(content, 0).ok_or_else(|| FaultAt::new(line.start, "a quote that is never closed"))?;
        let key = super::scalar::unquote(content.get(..end).unwrap_or_default())
            .map_err(|message| FaultAt::new(line.start, message))?;
        let rest = content.get(end..).unwrap_or_default();
        let colon =
            rest.trim_start().starts_with(':').then(|| rest.find(':')).flatten().ok_or_else(missing)?;
        return Ok((key.text, line.start + end + colon + 1));
    }
    if content.starts_with(['[', '{', '&', '*', '!', '|', '>', '%', '@', '`', '?', ',', ']', '}'])
        || content == ":"
        || content.starts_with(": ")
    {
        return Err(missing());
    }
    let colon = key_colon(content).ok_or_else(missing)?;
    Ok((content.get(..colon).unwrap_or_default().trim_end().to_owned(), line.start + colon + 1))
}

/// The colon that ends a plain key: followed by a blank or the end of the line, not behind a comment.
pub(super) fn key_colon(content: &str) -> Option<usize> {
    let comment = content.find(" #").unwrap_or(content.len());
    content.match_indices(':').map(|(at, _)| at).find(|at| {
        *at < comment
            && content.get(at + 1..).is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t']))
    })
}
