//! Wikilinks: found, resolved and retargeted; code is left alone.
//!
//! The list that a person is shown comes from the same function that edits. Called by `memorize`, `catalog`
//! and the interface.

use crate::card::{self, Card, SpeltScalar};
use crate::workspace::RelPath;
use pulldown_cmark::{Event, Options, Parser, Tag};
use std::borrow::Cow;
use std::ops::Range;
use unicode_normalization::{UnicodeNormalization, is_nfc};

/// One `[[target#anchor|alias]]` in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// The bytes of the whole link, brackets (and the `!` of an embed) included.
    pub span: Range<usize>,
    /// The target as written, blanks trimmed.
    pub target: String,
    /// What follows `#`, still percent-encoded.
    pub anchor: Option<String>,
    /// What follows `|`.
    pub alias: Option<String>,
    /// Whether it starts with `!`.
    pub embed: bool,
}

/// The links of a text, frontmatter included, code excluded. Of a frontmatter value that is spelt with escapes
/// or over several lines, `span` is the whole value.
pub fn find(text: &str) -> Vec<Link> {
    let mut found: Vec<Link> = scan(text).into_iter().map(|(link, _)| link).collect();
    let apart = spelt_apart(text);
    if apart.is_empty() {
        return found;
    }
    found.retain(|link| !apart.iter().any(|(span, _)| span.contains(&link.span.start)));
    for (span, said) in apart {
        found.extend(scan(&said).into_iter().map(|(link, _)| Link { span: span.clone(), ..link }));
    }
    found.sort_by_key(|link| link.span.start);
    found
}

/// The frontmatter values with links whose bytes are not what they say: their bytes, what they say.
fn spelt_apart(text: &str) -> Vec<(Range<usize>, String)> {
    let head = text.get(..card::body_start(text)).unwrap_or_default();
    if !head.contains("[[") {
        return Vec::new();
    }
    let card = Card::parse(head);
    let is_apart = |value: &SpeltScalar<'_>| {
        let source = head.get(value.source.clone()).unwrap_or_default();
        value.text().contains("[[") && !source.contains(value.text())
    };
    let values = card.spelt_scalars().into_iter().filter(is_apart);
    values.map(|value| (value.source.clone(), value.text().to_owned())).collect()
}

/// The links with the bytes of their trimmed targets.
fn scan(text: &str) -> Vec<(Link, Range<usize>)> {
    if !text.contains("[[") {
        return Vec::new();
    }
    let mut reader = Reader { text, code: Code(code_spans(text)), line_end: 0, last_close: 0 };
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(at) = text.get(from..).and_then(|rest| rest.find("[[")) {
        let open = from + at;
        match reader.read(open) {
            Some((link, target)) => {
                from = link.span.end;
                found.push((link, target));
            }
            None => from = open + 1,
        }
    }
    found
}

/// Reads links from the left to the right. Every byte is looked at a few times at the most, whatever stands in
/// a line: what an opening bracket would have to search for in vain is known for the line as a whole.
struct Reader<'a> {
    text: &'a str,
    code: Code,
    /// The line that was read last: where it ends, and where its last link could be closed.
    line_end: usize,
    last_close: usize,
}

impl Reader<'_> {
    fn read(&mut self, open: usize) -> Option<(Link, Range<usize>)> {
        self.enter_line(open);
        if open >= self.last_close {
            return None;
        }
        let inner = self.text.get(open + 2..self.line_end)?;
        let target_length = inner.find(['|', '#', ']', '['])?;
        let raw = inner.get(..target_length)?;
        let behind = inner.get(target_length..)?;
        // In a table the pipe is written `\|`; the backslash is not the target's.
        let raw = if behind.starts_with('|') { raw.strip_suffix('\\').unwrap_or(raw) } else { raw };
        let target = raw.trim();
        let target_start = open + 2 + (raw.len() - raw.trim_start().len());
        let target_span = target_start..target_start + target.len();
        if self.code.overlaps(&(open..target_span.end.max(open + 2))) {
            return None;
        }
        let offset = open + 2 + target_length;
        let anchor_length = self.anchor_length(behind, offset)?;
        let alias_length = match behind.get(anchor_length..)?.strip_prefix('|') {
            Some(alias) => self.alias_length(alias, offset + anchor_length + 1)? + 1,
            None => 0,
        };
        let (anchor, alias) = parts(behind.get(..anchor_length + alias_length)?)?;
        if target.is_empty() && anchor.is_none() {
            return None;
        }
        let embed = self.text.get(..open)?.ends_with('!');
        let span = open - usize::from(embed)..offset + anchor_length + alias_length + 2;
        Some((Link { span, target: target.to_owned(), anchor, alias, embed }, target_span))
    }

    fn enter_line(&mut self, open: usize) {
        if open < self.line_end {
            return;
        }
        let rest = self.text.get(open..).unwrap_or_default();
        let line = rest.split('\n').next().unwrap_or_default().trim_end_matches('\r');
        self.line_end = open + line.len();
        let mut closes = line.rmatch_indices("]]").map(|(at, _)| open + at);
        self.last_close = closes.find(|at| !self.code.contains(*at)).unwrap_or(open);
    }

    /// How much of what follows a target is an anchor, up to an alias or the closing brackets. There are no
    /// brackets in it.
    fn anchor_length(&self, behind: &str, offset: usize) -> Option<usize> {
        let length = behind.find(['|', '[', ']'])?;
        let end = behind.get(length..)?;
        let closes = end.starts_with("]]") && !self.code.contains(offset + length);
        (closes || end.starts_with('|')).then_some(length)
    }

    /// How much is an alias, up to the closing brackets: brackets of the alias are not the link's, nor are
    /// those in code.
    fn alias_length(&self, alias: &str, offset: usize) -> Option<usize> {
        let mut open = 0_usize;
        for (at, bracket) in alias.match_indices(['[', ']']) {
            if self.code.contains(offset + at) {
                continue;
            }
            let rest = alias.get(at..)?;
            match bracket {
                "[" => open += 1,
                _ if open > 0 && closes_inside(rest) => open -= 1,
                _ if rest.starts_with("]]") => return Some(at),
                _ => {}
            }
        }
        None
    }
}

/// Whether a closing bracket leaves two more for the link itself.
fn closes_inside(rest: &str) -> bool {
    !rest.starts_with("]]") || rest.starts_with("]]]")
}

/// Anchor and alias of what stands between a target and the closing brackets.
fn parts(between: &str) -> Option<(Option<String>, Option<String>)> {
    let (anchor, alias) = match between.split_once('|') {
        Some((anchor, alias)) => (anchor.strip_suffix('\\').unwrap_or(anchor), Some(alias.to_owned())),
        None => (between, None),
    };
    if anchor.is_empty() {
        return Some((None, alias));
    }
    Some((Some(anchor.strip_prefix('#')?.trim().to_owned()), alias))
}

/// The bytes of code, from the first to the last.
struct Code(Vec<Range<usize>>);

impl Code {
    fn contains(&self, at: usize) -> bool {
        self.overlaps(&(at..at + 1))
    }

    fn overlaps(&self, range: &Range<usize>) -> bool {
        let next = self.0.partition_point(|span| span.end <= range.start);
        self.0.get(next).is_some_and(|span| span.start < range.end)
    }
}

/// The bytes of fenced, indented and inline code below the frontmatter.
fn code_spans(text: &str) -> Vec<Range<usize>> {
    let start = card::body_start(text);
    let body = text.get(start..).unwrap_or_default();
    if !body.contains(['`', '~']) && !body.contains("    ") && !body.contains('\t') {
        return Vec::new();
    }
    Parser::new_ext(body, Options::ENABLE_TABLES)
        .into_offset_iter()
        .filter(|(event, _)| matches!(event, Event::Code(_) | Event::Start(Tag::CodeBlock(_))))
        .map(|(_, span)| start + span.start..start + span.end)
        .collect()
}

/// One edit that a rename makes in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkEdit {
    /// The file.
    pub path: RelPath,
    /// 1-based line.
    pub line: usize,
    /// The line as it is, without its line end.
    pub before: String,
    /// The line as it becomes.
    pub after: String,
}

/// Retargets every link to `old` in the text of the file `path`; `None` when there is none. `short_forms`:
/// whether `[[name]]` without folder or extension means `old` without doubt.
pub fn retarget(
    path: &RelPath,
    text: &str,
    old: &RelPath,
    new: &RelPath,
    short_forms: bool,
) -> Option<(String, Vec<LinkEdit>)> {
    let rename = Rename { old: (nfc(old.as_str()), nfc(old.stem())), new, short_forms };
    let mut replacements = rename.replacements(text);
    let head = text.get(..card::body_start(text)).unwrap_or_default();
    if head.contains("[[") {
        rename.respell(head, &mut replacements);
    }
    if replacements.is_empty() { None } else { Some(apply(path, text, &replacements)) }
}

type Replacement = (Range<usize>, String);

struct Rename<'a> {
    /// Path and short name, composed.
    old: (Cow<'a, str>, Cow<'a, str>),
    new: &'a RelPath,
    short_forms: bool,
}

impl Rename<'_> {
    fn replacements(&self, text: &str) -> Vec<Replacement> {
        let replacement = |(link, span): (Link, Range<usize>)| {
            let target = nfc(&link.target);
            let replacement = if target == self.old.0 {
                self.new.as_str()
            } else if self.short_forms && target == self.old.1 {
                self.new.stem()
            } else {
                return None;
            };
            (text.get(span.clone()) != Some(replacement)).then(|| (span, replacement.to_owned()))
        };
        scan(text).into_iter().filter_map(replacement).collect()
    }

    /// Frontmatter values where the bytes are not the text, or would not be with the new name, are spelt anew.
    fn respell(&self, head: &str, replacements: &mut Vec<Replacement>) {
        let has_quote = self.new.as_str().contains('\'');
        for value in Card::parse(head).spelt_scalars() {
            let source = head.get(value.source.clone()).unwrap_or_default();
            if source.contains(value.text()) && !has_quote {
                continue;
            }
            replacements.retain(|(span, _)| !value.source.contains(&span.start));
            let inner = self.replacements(value.text());
            if !inner.is_empty() {
                let mut text = value.text().to_owned();
                for (span, replacement) in inner.into_iter().rev() {
                    text.replace_range(span, &replacement);
                }
                replacements.push((value.source.clone(), value.respell(&text)));
            }
        }
        replacements.sort_by_key(|(span, _)| span.start);
    }
}

fn apply(path: &RelPath, text: &str, replacements: &[Replacement]) -> (String, Vec<LinkEdit>) {
    let mut edited = String::with_capacity(text.len());
    let mut edits = Vec::new();
    let mut pending = replacements.iter().peekable();
    let mut start = 0;
    // A replaced value may reach into the lines below.
    let mut from = 0;
    for (number, line) in text.split_inclusive('\n').enumerate() {
        let end = start + line.len();
        let mut after = String::with_capacity(line.len());
        from = from.max(start);
        let line_from = from;
        while let Some((span, replacement)) = pending.next_if(|(span, _)| span.start < end) {
            after.push_str(text.get(from..span.start).unwrap_or_default());
            after.push_str(replacement);
            from = span.end;
        }
        after.push_str(text.get(from..end).unwrap_or_default());
        if from != line_from {
            let line_text = |line: &str| line.trim_end_matches(['\n', '\r']).to_owned();
            let (before, after) = (line_text(line), line_text(&after));
            edits.push(LinkEdit { path: path.clone(), line: number + 1, before, after });
        }
        edited.push_str(&after);
        start = end;
    }
    (edited, edits)
}

/// The composed form: some disks and editors write names decomposed, and they mean the same file.
fn nfc(text: &str) -> Cow<'_, str> {
    if is_nfc(text) { Cow::Borrowed(text) } else { Cow::Owned(text.nfc().collect()) }
}

/// The file that a link's target means: as it is written, composed, with `.md` added, or by its short name.
/// `exists` knows the files, `by_stem` the one file that a short name means without doubt.
pub fn resolve(
    target: &str,
    exists: &dyn Fn(&RelPath) -> bool,
    by_stem: &dyn Fn(&str) -> Option<RelPath>,
) -> Option<RelPath> {
    let target = target.trim();
    let composed = nfc(target);
    let candidates = [target.to_owned(), composed.to_string(), format!("{composed}.md")];
    let found = candidates.iter().filter_map(|path| RelPath::new(path).ok()).find(|path| exists(path));
    found.or_else(|| {
        let is_short = !target.is_empty() && !target.contains('/');
        is_short.then(|| by_stem(composed.strip_suffix(".md").unwrap_or(&composed))).flatten()
    })
}

#[cfg(test)]
mod tests;
