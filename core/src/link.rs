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
    let code = code_spans(text);
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(at) = text.get(from..).and_then(|rest| rest.find("[[")) {
        let open = from + at;
        match read_link(text, open, &code) {
            Some((link, target)) => {
                from = link.span.end;
                found.push((link, target));
            }
            None => from = open + 1,
        }
    }
    found
}

fn read_link(text: &str, open: usize, code: &[Range<usize>]) -> Option<(Link, Range<usize>)> {
    let line = text.get(open..)?.split('\n').next()?.trim_end_matches('\r');
    let inner = line.get(2..)?;
    let target_length = inner.find(['|', '#', ']', '['])?;
    let raw = inner.get(..target_length)?;
    let is_piped = inner.get(target_length..)?.starts_with('|');
    // In a table the pipe is written `\|`; the backslash is not the target's.
    let raw = if is_piped { raw.strip_suffix('\\').unwrap_or(raw) } else { raw };
    let target = raw.trim();
    let behind = inner.get(target_length..)?;
    let end = link_end(behind, open + 2 + target_length, code)?;
    let (anchor, alias) = parts(behind.get(..end)?)?;
    if target.is_empty() && anchor.is_none() {
        return None;
    }
    let target_start = open + 2 + (raw.len() - raw.trim_start().len());
    let target_span = target_start..target_start + target.len();
    if overlaps(code, &(open..target_span.end.max(open + 2))) {
        return None;
    }
    let embed = text.get(..open)?.ends_with('!');
    let span = open - usize::from(embed)..open + 2 + target_length + end + 2;
    Some((Link { span, target: target.to_owned(), anchor, alias, embed }, target_span))
}

/// Where the closing brackets stand behind a target, given what follows it: brackets of an alias are not
/// the link's, nor are those in code.
fn link_end(behind: &str, offset: usize, code: &[Range<usize>]) -> Option<usize> {
    let mut open = 0_usize;
    let mut chars = behind.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        match c {
            _ if code.iter().any(|span| span.contains(&(offset + at))) => {}
            '[' => open += 1,
            ']' if open > 0 && closes_inside(behind.get(at..).unwrap_or_default()) => open -= 1,
            ']' if chars.peek().is_some_and(|(_, next)| *next == ']') => return Some(at),
            _ => {}
        }
    }
    None
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
    let anchor = anchor.strip_prefix('#')?;
    (!anchor.contains(['[', ']'])).then(|| (Some(anchor.trim().to_owned()), alias))
}

fn overlaps(spans: &[Range<usize>], range: &Range<usize>) -> bool {
    spans.iter().any(|span| span.start < range.end && range.start < span.end)
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
