//! Block scalars: the lines below `|` and `>`.
//!
//! Called by the parent module.

use super::super::frontmatter::{FaultAt, Line};
use super::super::scalar::{Scalar, Style};
use super::{Node, Parsed, indent_of, parsed};

/// `|` and `>`: lines below, indented; `+` keeps and `-` drops the line ends at the end.
pub(super) fn block_scalar(
    text: &str,
    lines: &[Line],
    index: usize,
    start: usize,
    indent: usize,
) -> Result<Parsed, FaultAt> {
    let header = lines.get(index).and_then(|line| text.get(start..line.end)).unwrap_or_default();
    let header = header.split_once(" #").map_or(header, |(mark, _)| mark).trim_end();
    let marks = header.get(1..).unwrap_or_default();
    let has_one_each = marks.len() <= 2 && marks.chars().filter(char::is_ascii_digit).count() < 2;
    let is_header = marks.chars().all(|c| matches!(c, '+' | '-' | '1'..='9'))
        && !matches!(marks, "+-" | "-+" | "++" | "--");
    if !has_one_each || !is_header {
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
        "+" => {
            let last = usize::from(!joined.is_empty());
            joined.extend(std::iter::repeat_n('\n', trailing.len() + last));
        }
        _ if joined.is_empty() => {}
        _ => joined.push('\n'),
    }
    joined
}
