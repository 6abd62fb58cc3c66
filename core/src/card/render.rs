//! From a draft to Markdown: the one function between every draft and every card, so that nothing that a
//! model wrote is active in the file.
//!
//! Never reads the workspace; what may be linked comes in as a predicate. Called by `memorize` and
//! [`super::statement`].

use super::footnote::{Footnotes, MARKDOWN, ids_by_number};
use super::{Card, FieldValue, inert};
use crate::distill::{Draft, Item};
use crate::message::{Msg, Source};
use crate::workspace::RelPath;
use pulldown_cmark::{Event, Parser, Tag};
use std::collections::HashSet;
use std::ops::Range;

/// What rendering must know besides the draft.
#[derive(Clone, Copy)]
pub struct RenderContext<'a> {
    /// The session's record, to which footnotes link.
    pub record: &'a RelPath,
    /// The messages that evidence numbers point to, from 1.
    pub messages: &'a [Msg],
    /// Whether a wikilink may point there: this session's record and images, and files that exist.
    pub may_link: &'a dyn Fn(&RelPath) -> bool,
}

impl std::fmt::Debug for RenderContext<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RenderContext")
            .field("record", self.record)
            .field("messages", &self.messages.len())
            .finish()
    }
}

/// A draft as Markdown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rendered {
    /// The card's body, trimmed.
    pub body: String,
    /// Addresses that no cited message holds; the body shows them as code.
    pub unsupported: Vec<String>,
    /// What was left out, for a person.
    pub notes: Vec<String>,
}

/// The body of a new card.
pub fn render(draft: &Draft, context: &RenderContext<'_>) -> Rendered {
    match &draft.body {
        Some(body) => render_body(body, context),
        None => render_sections(draft, context),
    }
}

fn render_sections(draft: &Draft, context: &RenderContext<'_>) -> Rendered {
    let mut rendered = Rendered::default();
    let mut notes = Footnotes::default();
    let mut sections: Vec<(String, Vec<String>)> = Vec::new();
    for section in &draft.sections {
        let heading = heading(&section.heading);
        let mut lines = Vec::new();
        for item in &section.items {
            let Some(line) = render_item(item, context) else { continue };
            rendered.unsupported.extend(line.unsupported);
            let reference = notes.reference(&line.ids);
            lines.push(with_reference("- ", &line.text, &reference));
        }
        match sections.iter_mut().find(|(known, _)| *known == heading) {
            Some((_, known)) => known.extend(lines),
            None => sections.push((heading, lines)),
        }
    }
    let mut blocks: Vec<String> = Vec::new();
    for (heading, lines) in sections.into_iter().filter(|(_, lines)| !lines.is_empty()) {
        if !heading.is_empty() {
            blocks.push(format!("## {heading}"));
        }
        blocks.push(lines.join("\n"));
    }
    let definitions = notes.fresh_lines(context.record);
    if !definitions.is_empty() {
        blocks.push(definitions.join("\n"));
    }
    rendered.body = blocks.join("\n\n");
    rendered
}

/// A statement's text and its reference behind the list marker.
pub(super) fn with_reference(marker: &str, text: &str, reference: &str) -> String {
    if reference.is_empty() { format!("{marker}{text}") } else { format!("{marker}{text} {reference}") }
}

/// A heading as one inert line.
pub(super) fn heading(text: &str) -> String {
    inert::plain(text.trim().trim_start_matches('#').trim_end_matches('#'))
}

/// An item ready for a card.
pub(super) struct RenderedItem {
    pub text: String,
    pub ids: Vec<String>,
    pub unsupported: Vec<String>,
}

/// One item as one inert line; `None` when it says nothing.
pub(super) fn render_item(item: &Item, context: &RenderContext<'_>) -> Option<RenderedItem> {
    let cited = item.evidence.iter().filter_map(|number| context.messages.get(number.checked_sub(1)?));
    let texts: Vec<String> = cited.map(searchable).collect();
    let allowed = inert::Allowed { urls: urls(&texts), context };
    let (text, unsupported) = inert::line(&one_line(&item.text), &allowed);
    let text = escape_start(text.trim());
    let ids = ids_by_number(context.messages, &item.evidence);
    (!text.is_empty()).then_some(RenderedItem { text, ids, unsupported })
}

fn urls(texts: &[String]) -> HashSet<&str> {
    texts.iter().flat_map(|text| inert::urls(text)).collect()
}

/// Where an address of a message may stand: its words, and the sources of its pictures.
fn searchable(message: &Msg) -> String {
    let mut text = message.text();
    for block in &message.content {
        if let Some(Source::Url { url, .. }) = block.source() {
            text.push('\n');
            text.push_str(url);
        }
    }
    text
}

/// The text on one line; lines of a fenced block become inline code.
fn one_line(text: &str) -> String {
    let mut words: Vec<String> = Vec::new();
    let mut in_fence = false;
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let is_fence = line.starts_with("```") || line.starts_with("~~~");
        let is_lone_span = line.len() > 6 && line.ends_with("```") && line.starts_with("```");
        if is_fence && !is_lone_span {
            in_fence = !in_fence;
        } else if in_fence {
            words.push(inline_code(line));
        } else {
            words.push(line.split_whitespace().collect::<Vec<_>>().join(" "));
        }
    }
    words.join(" ")
}

fn inline_code(code: &str) -> String {
    if code.contains('`') { format!("`` {code} ``") } else { format!("`{code}`") }
}

/// Escapes what would make a heading, list, quotation, fence, table or rule of a statement's first characters.
fn escape_start(text: &str) -> String {
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let behind = text.get(digits..).unwrap_or_default();
    if digits > 0
        && behind.starts_with(['.', ')'])
        && behind.get(1..).is_some_and(|rest| rest.starts_with(' '))
    {
        let number = text.get(..digits).unwrap_or_default();
        return format!("{number}\\{behind}");
    }
    let is_bullet = text.starts_with(['-', '+', '*'])
        && text.get(1..).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '));
    let is_rule = !text.is_empty() && text.chars().all(|c| matches!(c, '-' | '*' | '_' | '=' | ' '));
    if is_bullet || is_rule || text.starts_with(['#', '>', '|']) || text.starts_with("~~~") {
        return format!("\\{text}");
    }
    text.to_owned()
}

/// A body that came as Markdown: its structure stays, what is active does not.
fn render_body(body: &str, context: &RenderContext<'_>) -> Rendered {
    let mut rendered = Rendered::default();
    let (body, keys) = without_frontmatter(body);
    if !keys.is_empty() {
        rendered
            .notes
            .push(format!("the draft's body had frontmatter of its own, left out: {}", keys.join(", ")));
    }
    let texts: Vec<String> = context.messages.iter().map(searchable).collect();
    let allowed = inert::Allowed { urls: urls(&texts), context };
    let code = code_blocks(&body);
    let mut lines: Vec<String> = Vec::new();
    let mut start = 0;
    for line in body.split_inclusive('\n') {
        let content = line.trim_end_matches(['\n', '\r']);
        // Its first line decides: a block that starts behind a list marker starts inside the line.
        let is_code = code.iter().any(|block| block.start < start + content.len() && start < block.end);
        let inert = if is_code {
            inert::inert_code(content)
        } else {
            let (inert, unsupported) = inert::line(content, &allowed);
            rendered.unsupported.extend(unsupported);
            inert
        };
        lines.push(inert_info(&inert));
        start += line.len();
    }
    lines.extend(open_fence(&body, &code));
    rendered.body = super::edit::trim_blank_lines(&lines.join("\n")).to_owned();
    rendered
}

/// The keys by which a block is a card's properties, and not text that looks like some.
const OF_A_CARD: [&str; 4] = ["name", "description", "session_id", "source_conversation"];

/// The body behind blocks of card properties that a model put on top of it, and their keys.
fn without_frontmatter(body: &str) -> (String, Vec<String>) {
    let mut keys = Vec::new();
    let mut body = super::edit::trim_blank_lines(body).to_owned();
    loop {
        let inner = Card::parse(body.as_str());
        if !inner.fields().iter().any(|field| OF_A_CARD.contains(&field.key.as_str())) {
            return (body, keys);
        }
        keys.extend(inner.fields().iter().map(|field| field.key.clone()));
        body = super::edit::trim_blank_lines(inner.body()).to_owned();
    }
}

/// The bytes of the body's code blocks.
fn code_blocks(body: &str) -> Vec<Range<usize>> {
    let events = Parser::new_ext(body, MARKDOWN).into_offset_iter();
    events
        .filter(|(event, _)| matches!(event, Event::Start(Tag::CodeBlock(_))))
        .map(|(_, span)| span)
        .collect()
}

/// The line that closes a fence which the body leaves open, so that nothing added later ends up in it.
fn open_fence(body: &str, code: &[Range<usize>]) -> Option<String> {
    let block =
        code.last().filter(|block| body.get(block.end..).is_some_and(|rest| rest.trim().is_empty()))?;
    let source = body.get(block.clone())?.trim_end();
    let mark = fence_mark(source.lines().next()?)?;
    let last = source.lines().skip(1).last().unwrap_or_default().trim();
    let is_closed = last.starts_with(&mark) && last.chars().all(|c| mark.starts_with(c));
    let line_start = body.get(..block.start)?.rfind('\n').map_or(0, |at| at + 1);
    let indent = body.get(line_start..block.start)?.chars().map(|_| ' ');
    (!is_closed).then(|| indent.chain(mark.chars()).collect())
}

/// The fence that a line opens.
fn fence_mark(line: &str) -> Option<String> {
    let line = line.trim_start_matches(|c: char| c.is_ascii_digit() || " \t>-*+.)".contains(c));
    let first = line.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let mark: String = line.chars().take_while(|c| *c == first).collect();
    let info = line.get(mark.len()..)?;
    (mark.len() >= 3 && !(first == '`' && info.contains('`'))).then_some(mark)
}

/// The line; an opening fence gets a language that no plug-in runs.
fn inert_info(line: &str) -> String {
    let Some(mark) = fence_mark(line) else { return line.to_owned() };
    let (before, info) = line.split_once(&mark).unwrap_or(("", ""));
    let language = info.trim().to_ascii_lowercase();
    let is_run = language.starts_with("dataview") || language.starts_with("templater");
    if is_run { format!("{before}{mark}text") } else { line.to_owned() }
}

/// A name, tag or description on one line, without links or anything active.
pub fn plain_line(text: &str) -> String {
    inert::plain(text)
}

/// The parts of a new card.
#[derive(Clone, Copy, Debug)]
pub struct NewCard<'a> {
    /// The card's name.
    pub name: &'a str,
    /// What it holds, one line.
    pub description: &'a str,
    /// The session.
    pub session_id: &'a str,
    /// The record as a link: `[[session/dialog/x.jsonl]]`.
    pub source_conversation: &'a str,
    /// The pictures as links or addresses; the key is left out where there is none.
    pub source_images: &'a [String],
    /// The tags; `None` leaves the key out, an empty list says that nothing is central.
    pub tags: Option<&'a [String]>,
    /// The frontmatter key of the tags.
    pub tag_key: &'a str,
    /// The body.
    pub body: &'a str,
}

/// The file of a new card.
pub fn new_card(new: &NewCard<'_>) -> String {
    let mut card = Card::parse("---\n---\n");
    let text = |text: &str| FieldValue::Text(text.to_owned());
    card.set("name", text(&plain_line(new.name)));
    card.set("description", text(&plain_line(new.description)));
    card.set("session_id", text(new.session_id));
    card.set("source_conversation", text(new.source_conversation));
    if !new.source_images.is_empty() {
        card.set("source_images", FieldValue::List(new.source_images.to_vec()));
    }
    if let Some(tags) = new.tags {
        card.set(new.tag_key, FieldValue::List(tags.iter().map(|tag| plain_line(tag)).collect()));
    }
    card.set_body(new.body);
    card.text().to_owned()
}

#[cfg(test)]
mod tests;
