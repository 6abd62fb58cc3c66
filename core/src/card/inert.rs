//! Makes text that a model wrote inert: it can be read in a card, and nothing in it loads, runs or links out.
//!
//! Never judges what a text says. Called by [`super::render`].

use super::render::RenderContext;
use crate::link;
use crate::workspace::RelPath;
use regex::Regex;
use std::collections::HashSet;
use std::sync::LazyLock;

/// Addresses as editors recognise them; what follows a scheme is taken up to a blank or a delimiter.
const URL_PATTERN: &str = r#"(?i)(?:[a-z][a-z0-9+.-]{1,15}://|www\.|mailto:)[^\s<>"`|\\^{}\[\]\u{3000}-\u{303f}\u{ff00}-\u{ff20}]+"#;

static URL: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(URL_PATTERN).ok());
static URL_HERE: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(&format!("^(?:{URL_PATTERN})")).ok());

/// The addresses in a text, without the punctuation of the sentence around them.
pub(super) fn urls(text: &str) -> impl Iterator<Item = &str> {
    URL.iter().flat_map(move |url| url.find_iter(text)).map(|found| trim_url(found.as_str()))
}

fn trim_url(url: &str) -> &str {
    let mut url = url;
    loop {
        let trimmed = url.trim_end_matches(['.', ',', ';', ':', '!', '?', '\'', '*', '_', ']']);
        let closes_more = trimmed.matches(')').count() > trimmed.matches('(').count();
        let trimmed = if closes_more { trimmed.strip_suffix(')').unwrap_or(trimmed) } else { trimmed };
        if trimmed.len() == url.len() {
            return url;
        }
        url = trimmed;
    }
}

/// The mark behind an address that no cited message holds.
const UNSUPPORTED: &str = " (unsupported)";

/// What a text may still point to.
pub(super) struct Allowed<'a> {
    pub urls: HashSet<&'a str>,
    pub context: &'a RenderContext<'a>,
}

impl Allowed<'_> {
    fn url(&self, url: &str) -> bool {
        let lower = url.to_ascii_lowercase();
        ["http://", "https://", "www.", "mailto:"].iter().any(|scheme| lower.starts_with(scheme))
            && self.urls.contains(url)
    }

    fn path(&self, target: &str) -> bool {
        RelPath::new(target).is_ok_and(|path| (self.context.may_link)(&path))
    }
}

/// What was made inert, and which addresses have no source.
pub(super) struct Inert<'a> {
    allowed: &'a Allowed<'a>,
    written: String,
    pub unsupported: Vec<String>,
}

/// One line of Markdown made inert.
pub(super) fn line(text: &str, allowed: &Allowed<'_>) -> (String, Vec<String>) {
    let mut inert =
        Inert { allowed, written: String::with_capacity(text.len() + 8), unsupported: Vec::new() };
    let text = crate::message::plain(text);
    let mut rest = text.as_ref();
    while !rest.is_empty() {
        let taken = inert.step(rest);
        rest = rest.get(taken.max(1)..).unwrap_or_default();
    }
    (inert.written, inert.unsupported)
}

impl Inert<'_> {
    /// Writes what stands at the start of `rest`, and tells how many bytes of it that were.
    fn step(&mut self, rest: &str) -> usize {
        let taken = match rest.as_bytes() {
            [b'`', ..] => self.code(rest),
            [b'!', b'[', b'[', ..] | [b'[', b'[', ..] => self.wikilink(rest),
            [b'!', b'[', ..] | [b'[', ..] => self.markdown_link(rest),
            [b'<', ..] => self.angle(rest),
            // Templates run behind a backslash as well.
            [b'\\', b'<', b'%', ..] => Some(1),
            [b'\\', next, ..] if next.is_ascii_punctuation() => self.copy(rest, 2),
            _ => None,
        };
        taken.unwrap_or_else(|| self.words(rest))
    }

    fn copy(&mut self, rest: &str, length: usize) -> Option<usize> {
        let copied = rest.get(..length)?;
        self.written.push_str(copied);
        Some(length)
    }

    /// An inline code span; backticks without a partner are escaped.
    fn code(&mut self, rest: &str) -> Option<usize> {
        let ticks = rest.len() - rest.trim_start_matches('`').len();
        let fence = rest.get(..ticks)?;
        let inner = rest.get(ticks..)?;
        let Some(length) = code_length(inner, fence) else {
            self.written.extend(std::iter::repeat_n("\\`", ticks));
            return Some(ticks);
        };
        let code = inert_code(inner.get(..length)?);
        // Dataview runs code spans that start so.
        let is_query = ["=", "$="].iter().any(|mark| code.trim_start().starts_with(mark));
        let guard = if is_query { "\\" } else { "" };
        let code = if is_query { code.trim_start() } else { code.as_str() };
        self.written.push_str(&format!("{fence}{guard}{code}{fence}"));
        let foreign: Vec<String> =
            urls(code).filter(|url| !self.allowed.url(url)).map(str::to_owned).collect();
        if !foreign.is_empty() {
            self.written.push_str(UNSUPPORTED);
            self.unsupported.extend(foreign);
        }
        Some(ticks + length + ticks)
    }

    /// A wikilink or an embed; one that may not be is written with escaped brackets.
    fn wikilink(&mut self, rest: &str) -> Option<usize> {
        let brackets = rest.find("[[")?;
        // Most brackets lead nowhere: what follows them is not searched for a link.
        let target = rest.get(brackets + 2..)?.split(['|', '#', ']', '[']).next().unwrap_or_default();
        if self.allowed.path(target.trim_end_matches('\\').trim())
            && let Some(link) = link::find(rest).into_iter().next().filter(|link| link.span.start == 0)
            && self.allowed.path(&link.target)
        {
            return self.copy(rest, link.span.end);
        }
        if brackets == 1 {
            self.written.push_str("\\!");
        }
        let opening = rest.get(brackets..)?;
        let count = opening.len() - opening.trim_start_matches('[').len();
        self.written.extend(std::iter::repeat_n("\\[", count));
        Some(brackets + count)
    }

    /// A Markdown link or picture, a footnote, or a lone bracket.
    fn markdown_link(&mut self, rest: &str) -> Option<usize> {
        let is_image = rest.starts_with('!');
        let open = usize::from(is_image) + 1;
        let escaped = if is_image { "\\!\\[" } else { "\\[" };
        let Some((label, destination, length)) = read_link(rest, open) else {
            let is_note = rest.get(open..)?.starts_with('^');
            let may_open = self.written.trim().is_empty() || self.written.ends_with(['[', '!']) || is_image;
            self.written.push_str(if is_note || may_open { escaped } else { rest.get(..open)? });
            return Some(open);
        };
        if !is_image && (self.allowed.url(destination) || self.allowed.path(destination)) {
            let (label, unsupported) = line(label, self.allowed);
            self.unsupported.extend(unsupported);
            self.written.push_str(&format!("[{label}]({destination})"));
            return Some(length);
        }
        let (label, unsupported) = line(label, self.allowed);
        self.unsupported.extend(unsupported);
        self.written.push_str(&label);
        if !label.is_empty() {
            self.written.push(' ');
        }
        self.address(destination);
        Some(length)
    }

    /// An address as text: as it is where the source has it, else as code with its mark.
    fn address(&mut self, url: &str) {
        if self.allowed.url(url) {
            self.written.push_str(url);
        } else {
            let code = inert_code(url).replace('`', "'");
            self.written.push_str(&format!("`{code}`{UNSUPPORTED}"));
            self.unsupported.push(url.to_owned());
        }
    }

    /// `<`: an address in angle brackets, HTML, a template, or less-than.
    fn angle(&mut self, rest: &str) -> Option<usize> {
        let next = rest.get(1..)?.chars().next();
        if next == Some('%') {
            self.written.push_str("&lt;%");
            return Some(2);
        }
        if let Some(end) = rest.find('>')
            && let Some(inner) = rest.get(1..end)
            && urls(inner).next() == Some(inner)
        {
            self.address(inner);
            return Some(end + 1);
        }
        let is_tag = next.is_some_and(|c| c.is_ascii_alphabetic() || matches!(c, '/' | '!' | '?'));
        self.written.push_str(if is_tag { "\\<" } else { "<" });
        Some(1)
    }

    /// An address or one character.
    fn words(&mut self, rest: &str) -> usize {
        let starts_word = self.written.chars().next_back().is_none_or(|c| !c.is_ascii_alphanumeric());
        let here = URL_HERE.as_ref().filter(|_| starts_word);
        if let Some(found) = here.and_then(|url| url.find(rest)) {
            let url = trim_url(found.as_str());
            if !url.ends_with(':') {
                self.address(url);
                return url.len();
            }
        }
        if rest.starts_with('\\') {
            // Left alone it would escape what is written behind it.
            self.written.push_str("\\\\");
            return 1;
        }
        let length = rest.chars().next().map_or(1, char::len_utf8);
        self.written.push_str(rest.get(..length).unwrap_or_default());
        length
    }
}

/// Code in which no template runs: templater looks into code as well.
pub(super) fn inert_code(code: &str) -> String {
    code.replace("<%", "< %")
}

/// The length of a code span's content: up to a run of exactly as many backticks.
fn code_length(inner: &str, fence: &str) -> Option<usize> {
    let mut from = 0;
    while let Some(at) = inner.get(from..)?.find('`') {
        let start = from + at;
        let run = inner.get(start..)?;
        let ticks = run.len() - run.trim_start_matches('`').len();
        if ticks == fence.len() {
            return Some(start);
        }
        from = start + ticks;
    }
    None
}

/// `label](destination "title")` behind an opening bracket: label, destination and the length with all brackets.
fn read_link(rest: &str, open: usize) -> Option<(&str, &str, usize)> {
    let inner = rest.get(open..)?;
    let mut depth = 0_usize;
    let close = inner.char_indices().find_map(|(at, c)| match c {
        '[' => {
            depth += 1;
            None
        }
        ']' if depth > 0 => {
            depth -= 1;
            None
        }
        ']' => Some(at),
        _ => None,
    })?;
    let label = inner.get(..close)?;
    let behind = inner.get(close + 1..)?.strip_prefix('(')?;
    let mut depth = 0_usize;
    let end = behind.char_indices().find_map(|(at, c)| match c {
        '(' => {
            depth += 1;
            None
        }
        ')' if depth > 0 => {
            depth -= 1;
            None
        }
        ')' => Some(at),
        _ => None,
    })?;
    let inside = behind.get(..end)?.trim();
    let destination = match inside.strip_prefix('<') {
        Some(bracketed) => bracketed.split('>').next().unwrap_or(bracketed),
        None => inside.split_whitespace().next().unwrap_or_default(),
    };
    Some((label, destination, open + close + 2 + end + 1))
}

/// A name, tag or description: one line of plain words, that links nowhere also where a day page lists it.
pub(super) fn plain(text: &str) -> String {
    let mut plain = crate::message::plain(text).split_whitespace().collect::<Vec<_>>().join(" ");
    for link in link::find(&plain).into_iter().rev() {
        let words = link.alias.filter(|alias| !alias.trim().is_empty()).unwrap_or(link.target);
        plain.replace_range(link.span, words.trim());
    }
    let mut written = String::with_capacity(plain.len());
    let mut rest = plain.as_str();
    while let Some(c) = rest.chars().next() {
        let open = if rest.starts_with("![") { 2 } else { 1 };
        if (c == '[' || open == 2)
            && let Some((label, _, length)) = read_link(rest, open)
        {
            written.push_str(label);
            rest = rest.get(length..).unwrap_or_default();
            continue;
        }
        written.push(c);
        rest = rest.get(c.len_utf8()..).unwrap_or_default();
    }
    let unlinked = written.replace("://", ":/ /").replace("www.", "www .");
    disarm_marks(&unlinked)
}

/// HTML, templates and inline queries, told apart from less-than by what follows.
fn disarm_marks(text: &str) -> String {
    let mut written = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let next = chars.peek().copied();
        match c {
            '<' if next.is_some_and(|c| c.is_ascii_alphabetic() || matches!(c, '/' | '!' | '?' | '%')) => {
                written.push('‹');
            }
            '`' if matches!(next, Some('=' | '$')) => written.push('\''),
            '[' | ']' if next == Some(c) => written.extend([c, ' ']),
            c if c.is_control() => {}
            c => written.push(c),
        }
    }
    written
}
