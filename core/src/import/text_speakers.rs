//! Plain text whose messages start with the speaker's own name.
//!
//! Owns the decision which words before a colon are names: they open the text and come back. Called through the
//! registry, after every format with labels of a known kind.

use super::builder::Builder;
use super::labels::{Label, Side, Vocabulary};
use super::registry::{Format, Input};
use super::turns::{self, Turns};
use super::{ImportError, Reading};
use crate::message::time::{self, Timestamp};
use crate::message::{Msg, Role};
use serde_json::Value;
use std::collections::HashMap;

const LABEL: &str = "text_speakers";

pub(super) const FORMAT: Format =
    Format { label: LABEL, detect: |input| input.text().is_some_and(|text| dialogue(text).is_some()), parse };

/// Words before a colon that name a field or a remark, not a person.
const NO_NAMES: &[&str] = &[
    "note",
    "example",
    "result",
    "warning",
    "error",
    "name",
    "age",
    "date",
    "time",
    "title",
    "url",
    "link",
    "from",
    "to",
    "subject",
    "input",
    "output",
    "step",
    "todo",
    "description",
    "address",
    "phone",
    "email",
    "price",
    "location",
    "http",
    "https",
    "summary",
    "version",
    "author",
    "type",
    "id",
    "status",
    "key",
    "value",
    "注意",
    "备注",
    "姓名",
    "日期",
    "时间",
    "标题",
    "地址",
    "电话",
    "例如",
    "结果",
];

/// The longest name, in characters and in words.
const LONGEST_NAME: (usize, usize) = (30, 4);

/// A line's speaker, clock time and words.
struct Line<'a> {
    name: &'a str,
    clock: Option<&'a str>,
    rest: &'a str,
}

fn speaker_line(line: &str) -> Option<Line<'_>> {
    let end = line.find([':', '：', '[', '('])?;
    let (name, after) = line.split_at_checked(end)?;
    let (clock, rest) = match bracketed(after) {
        Some((inside, after)) => (Some(inside), after.trim_start().strip_prefix([':', '：'])?),
        None => (None, after.strip_prefix([':', '：'])?),
    };
    let name = name.trim_end();
    (is_name(name) && !rest.starts_with("//")).then_some(Line { name, clock, rest: rest.trim() })
}

fn bracketed(text: &str) -> Option<(&str, &str)> {
    let (body, close) = match text.strip_prefix('[') {
        Some(body) => (body, ']'),
        None => (text.strip_prefix('(')?, ')'),
    };
    let (inside, after) = body.split_once(close)?;
    let timely = inside.contains(':') && inside.starts_with(|c: char| c.is_ascii_digit());
    timely.then_some((inside.trim(), after))
}

fn is_name(name: &str) -> bool {
    let joined = |c: char| matches!(c, ' ' | '.' | '\'' | '-' | '_' | '’' | '·');
    name.starts_with(char::is_alphabetic)
        && name.chars().all(|c| c.is_alphanumeric() || joined(c))
        && name.chars().count() <= LONGEST_NAME.0
        && name.split_whitespace().count() <= LONGEST_NAME.1
        && !NO_NAMES.contains(&name.to_lowercase().as_str())
}

/// A day on a line of its own: `[2026-03-01]`, `--- 2026-03-01 ---`.
fn day_line(line: &str) -> Option<String> {
    if line.len() > 40 || !line.contains(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let text = line.trim().trim_matches(|c: char| matches!(c, '[' | ']' | '-' | '=' | '*' | '#' | ' '));
    let day = time::normal(text).filter(|day| day.len() == 10)?;
    Timestamp::parse(&day).map(|_| day)
}

/// The names that count, and the text cut at them.
fn dialogue(text: &str) -> Option<Turns<'_>> {
    let mut names: HashMap<&str, usize> = HashMap::new();
    let mut stamped = 0;
    for line in text.lines().filter_map(speaker_line) {
        *names.entry(line.name).or_default() += 1;
        stamped += usize::from(line.clock.is_some());
    }
    let known = |name: &str| Vocabulary::Strong.role(name).is_some();
    names.retain(|name, count| *count > 1 || (stamped > 1 && known(name)));
    let first = text.lines().find(|line| !line.trim().is_empty() && day_line(line).is_none())?;
    let opens = speaker_line(first).is_some_and(|line| names.contains_key(line.name));
    if names.len() < 2 || !opens {
        return None;
    }
    Some(turns::cut(text, |line| {
        if day_line(line).is_some() {
            return Some(Label { side: Side::Tool, stamp: Some(line), rest: "" });
        }
        let found = speaker_line(line).filter(|found| names.contains_key(found.name))?;
        let role = Vocabulary::Strong.role(found.name).unwrap_or(Role::User);
        Some(Label { side: Side::Speaks(role), stamp: found.clock, rest: found.rest })
    }))
}

fn parse(input: &Input<'_>) -> Result<Reading, ImportError> {
    let text = input.text().unwrap_or("");
    let found = dialogue(text).unwrap_or_default();
    let lines: Vec<&str> = text.lines().collect();
    let mut builder = Builder::default();
    if found.unclosed_fence {
        builder.note("unclosed_fence", "");
    }
    let mut day: Option<String> = None;
    for turn in found.turns {
        let reference = format!("line {}", turn.line);
        let Side::Speaks(role) = turn.label.side else {
            day = turn.label.stamp.and_then(day_line);
            continue;
        };
        let created_at =
            turn.label.stamp.and_then(|clock| said_at(clock, day.as_deref(), &reference, &mut builder));
        let line = turn.line.checked_sub(1).and_then(|at| lines.get(at));
        let name = line.and_then(|line| speaker_line(line)).map(|line| line.name.to_owned());
        builder.push(&reference, Msg { name, created_at, ..Msg::text_message(role, turn.body()) });
    }
    Ok(Reading { format: LABEL, sessions: vec![builder.finish()], warnings: Vec::new() })
}

/// A whole time, or a clock time on the day that was named last.
fn said_at(written: &str, day: Option<&str>, reference: &str, builder: &mut Builder) -> Option<String> {
    let dated = written.contains(['-', '/']);
    let whole = match (dated, day) {
        (true, _) => written.to_owned(),
        (false, Some(day)) => format!("{day}T{written}"),
        (false, None) => {
            builder.note("time_without_date", reference);
            return None;
        }
    };
    builder.time(reference, time::field(&Value::String(whole)))
}
