//! Markdown as styled lines of one width.
//!
//! Owns how each construct looks and where links end up; finds wikilinks through `reme_core::link` alone, shows
//! raw HTML as text, and fetches nothing. Slow for large texts: called by effects, never while drawing.

use crate::pane::laid::{Laid, Spot};
use crate::pane::names::{Name, Names};
use crate::text::{self, Wrapped};
use crate::theme::{Role, Theme};
use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use reme_core::link::{self, Link};
use std::ops::Range;

mod table;

use table::Table;

/// A run of words of one style, with the link that it belongs to.
type Inline = Vec<(Span<'static>, Option<usize>)>;

/// The most bytes of a marker.
const LONGEST_MARKER: usize = 40;

/// What kind of text is laid out.
#[derive(Clone, Copy, Debug)]
pub enum Manner<'a> {
    /// A file: links to messages read as these names, and markers between its parts are not shown.
    File(&'a Names),
    /// What someone said: its line ends stay, and nothing of it is hidden.
    Speech,
}

/// Lays out a text without frontmatter.
pub fn lay(source: &str, width: u16, theme: &Theme, manner: Manner<'_>) -> Laid {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS;
    let mut builder = Builder::new(source, usize::from(width.max(1)), theme, manner);
    let mut events = Parser::new_ext(source, options).into_offset_iter();
    for (event, range) in events.by_ref() {
        builder.event(event, range);
    }
    builder.flush();
    let mut definitions: Vec<_> = events.reference_definitions().iter().collect();
    definitions.sort_by_key(|(_, definition)| definition.span.start);
    for (label, definition) in definitions {
        builder.definition(label, &definition.dest);
    }
    let Builder { lines, links, headings: anchors, .. } = builder;
    Laid { lines, links, anchors, width, ..Laid::default() }
}

/// What stands before the lines of a block inside another.
enum Prefix {
    Quote,
    /// The marker is drawn once, then blanks of its width.
    Item {
        marker: Option<String>,
        cells: usize,
    },
}

struct Builder<'a> {
    source: &'a str,
    width: usize,
    theme: &'a Theme,
    manner: Manner<'a>,
    lines: Vec<Line<'static>>,
    links: Vec<Spot>,
    /// The headings, by their words, and the lines where they stand.
    headings: Vec<(String, usize)>,
    targets: Vec<String>,
    wiki: Vec<Link>,
    prefixes: Vec<Prefix>,
    /// The next number of each open list; `None`: bullets.
    lists: Vec<Option<u64>>,
    styles: Vec<Style>,
    /// The open links of the source, as indices into `targets`.
    open_links: Vec<usize>,
    inline: Inline,
    code: Option<(String, String)>,
    /// The open block of raw HTML.
    raw: Option<String>,
    table: Option<Table>,
    gap: bool,
    /// Where the last link to a message ended.
    message_end: usize,
    /// Everything before this byte has been drawn as a wikilink.
    skip_to: usize,
}

impl<'a> Builder<'a> {
    fn new(source: &'a str, width: usize, theme: &'a Theme, manner: Manner<'a>) -> Self {
        Builder {
            source,
            width,
            theme,
            manner,
            lines: Vec::new(),
            links: Vec::new(),
            headings: Vec::new(),
            targets: Vec::new(),
            wiki: link::find(source),
            prefixes: Vec::new(),
            lists: Vec::new(),
            styles: vec![theme.style(Role::Text)],
            open_links: Vec::new(),
            inline: Vec::new(),
            code: None,
            raw: None,
            table: None,
            gap: false,
            message_end: 0,
            skip_to: 0,
        }
    }

    fn event(&mut self, event: Event<'_>, range: Range<usize>) {
        if range.start < self.skip_to && is_inline(&event) {
            if let Event::Text(_) = event {
                self.words(range.start.max(self.skip_to)..range.end);
            }
            return;
        }
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(words) => {
                if let Some((_, code)) = &mut self.code {
                    code.push_str(&words);
                } else if self.source.get(range.clone()) == Some(&*words) {
                    self.words(range);
                } else {
                    self.say(&words, self.style());
                }
            }
            Event::Code(words) | Event::InlineMath(words) | Event::DisplayMath(words) => {
                self.say(&words, self.style().patch(self.theme.style(Role::Code)));
            }
            Event::Html(words) | Event::InlineHtml(words) => match &mut self.raw {
                Some(raw) => raw.push_str(&words),
                None => self.say(&words, self.theme.style(Role::Dim)),
            },
            Event::FootnoteReference(label) => {
                self.say(&format!("[{label}]"), self.theme.style(Role::Dim));
            }
            Event::SoftBreak => self.soft_break(),
            Event::HardBreak => self.flush(),
            Event::Rule => {
                self.open_block();
                let rule = "─".repeat(self.room());
                self.emit(Wrapped {
                    line: Line::styled(rule, self.theme.style(Role::Border)),
                    ..Wrapped::default()
                });
                self.gap = true;
            }
            Event::TaskListMarker(done) => {
                let (mark, role) = if done { ("☑ ", Role::Good) } else { ("☐ ", Role::Dim) };
                self.say(mark, self.theme.style(role));
            }
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        let push = |builder: &mut Self, role| {
            let style = builder.style().patch(builder.theme.style(role));
            builder.styles.push(style);
        };
        match tag {
            Tag::Paragraph => self.open_block(),
            Tag::HtmlBlock => self.raw = Some(String::new()),
            Tag::Heading { level, .. } => {
                self.open_block();
                let strong = matches!(level, HeadingLevel::H1 | HeadingLevel::H2);
                push(self, if strong { Role::Heading } else { Role::Strong });
            }
            Tag::BlockQuote(_) => {
                self.open_block();
                self.prefixes.push(Prefix::Quote);
                push(self, Role::Quote);
            }
            Tag::CodeBlock(kind) => {
                self.open_block();
                let language = if let CodeBlockKind::Fenced(language) = kind { language } else { "".into() };
                self.code = Some((language.into_string(), String::new()));
            }
            Tag::List(start) => {
                self.flush();
                if !self.lists.is_empty() {
                    self.gap = false;
                }
                self.lists.push(start);
            }
            Tag::Item => self.start_item(),
            Tag::FootnoteDefinition(label) => {
                self.open_block();
                self.gap = false;
                let marker = format!("[{}] ", text::clean(&label));
                let cells = text::width(&marker);
                self.prefixes.push(Prefix::Item { marker: Some(marker), cells });
            }
            Tag::Table(_) => {
                self.open_block();
                self.table = Some(Table::default());
            }
            Tag::TableHead | Tag::TableRow => {
                if let Some(table) = &mut self.table {
                    table.rows.push(Vec::new());
                }
            }
            Tag::Emphasis => push(self, Role::Emphasis),
            Tag::Strong => push(self, Role::Strong),
            Tag::Strikethrough => push(self, Role::TagOff),
            Tag::Link { dest_url, .. } => {
                self.open_links.push(self.targets.len());
                self.targets.push(dest_url.into_string());
                push(self, Role::Link);
            }
            Tag::Image { dest_url, .. } => {
                self.open_links.push(self.targets.len());
                self.targets.push(dest_url.into_string());
                push(self, Role::Link);
                self.say("▣ ", self.style());
            }
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph => self.close_block(),
            TagEnd::HtmlBlock => self.end_html(),
            TagEnd::Heading(_) => {
                let words = self.inline.iter().map(|(span, _)| span.content.as_ref()).collect::<String>();
                self.headings.push((words, self.lines.len()));
                self.close_block();
                self.styles.pop();
            }
            TagEnd::BlockQuote(_) => {
                self.close_block();
                self.styles.pop();
                self.prefixes.pop();
            }
            TagEnd::CodeBlock => self.end_code(),
            TagEnd::List(_) => {
                self.lists.pop();
                self.gap = true;
            }
            TagEnd::Item | TagEnd::FootnoteDefinition => {
                self.flush();
                // An item without words still shows its marker.
                if let Some(Prefix::Item { marker: Some(_), .. }) = self.prefixes.last() {
                    self.emit(Wrapped::default());
                }
                self.prefixes.pop();
                self.gap = false;
            }
            TagEnd::Table => {
                if let Some(table) = self.table.take() {
                    for line in table.lay(self.room(), self.theme) {
                        self.emit(line);
                    }
                }
                self.gap = true;
            }
            TagEnd::TableCell => {
                let cell = std::mem::take(&mut self.inline);
                if let Some(row) = self.table.as_mut().and_then(|table| table.rows.last_mut()) {
                    row.push(cell);
                }
            }
            TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough => {
                self.styles.pop();
            }
            TagEnd::Link | TagEnd::Image => {
                self.styles.pop();
                self.open_links.pop();
            }
            _ => {}
        }
    }

    fn start_item(&mut self) {
        self.open_block();
        let marker = match self.lists.last_mut() {
            Some(Some(number)) => {
                let marker = format!("{number}. ");
                *number += 1;
                marker
            }
            _ => "• ".to_owned(),
        };
        let cells = text::width(&marker);
        self.prefixes.push(Prefix::Item { marker: Some(marker), cells });
    }

    fn end_code(&mut self) {
        let Some((language, code)) = self.code.take() else { return };
        let bar = Span::styled("│ ", self.theme.style(Role::Border));
        for spans in super::highlight::code(&code, &language, self.theme) {
            for mut line in text::wrap_spans(spans, self.room().saturating_sub(2)) {
                line.spans.insert(0, bar.clone());
                self.emit(Wrapped { line, ..Wrapped::default() });
            }
        }
        self.gap = true;
    }

    /// Words of the source, with the wikilinks among them.
    fn words(&mut self, range: Range<usize>) {
        let mut from = range.start;
        while from < range.end {
            let next = self.wiki.partition_point(|link| link.span.start < from);
            let link = self.wiki.get(next).filter(|link| link.span.start < range.end).cloned();
            let until = link.as_ref().map_or(range.end, |link| link.span.start);
            if let Some(words) = self.source.get(from..until) {
                self.say(words, self.style());
            }
            let Some(link) = link else { return };
            self.skip_to = link.span.end;
            self.wikilink(&link);
            from = self.skip_to;
        }
    }

    fn wikilink(&mut self, link: &Link) {
        if let Manner::File(names) = self.manner
            && let Some(name) = names.of(link)
        {
            return self.message_link(link, name);
        }
        let mut target = link.target.clone();
        let mut shown = link.alias.clone().unwrap_or_else(|| short(&link.target).to_owned());
        if let Some(anchor) = &link.anchor {
            target.push('#');
            target.push_str(anchor);
            if link.alias.is_none() {
                shown.push('#');
                shown.push_str(anchor);
            }
        }
        let is_plain = link.alias.is_none() && link.anchor.is_none() && !link.embed;
        if link.embed {
            shown.insert_str(0, "▣ ");
        }
        let style = self.style().patch(self.theme.style(Role::Link));
        self.say_link(&shown, target, style);
        // In the index of a day, the name that follows a card is the one that the link shows already.
        let again = format!(" name: {shown} description: ");
        let is_index = is_plain && matches!(self.manner, Manner::File(_));
        if is_index && self.source.get(link.span.end..).is_some_and(|rest| rest.starts_with(&again)) {
            self.say(": ", self.style());
            self.skip_to = link.span.end + again.len();
        }
    }

    fn say_link(&mut self, shown: &str, target: String, style: Style) {
        self.open_links.push(self.targets.len());
        self.targets.push(target);
        self.say(shown, style);
        self.open_links.pop();
    }

    /// A link to a message; what stands between two of them is a comma.
    fn message_link(&mut self, link: &Link, name: Name) {
        let between = self.source.get(self.message_end..link.span.start).unwrap_or_default();
        if self.message_end > 0
            && between.trim().is_empty()
            && let Some((last, _)) = self.inline.last_mut().filter(|(last, _)| last.content.trim().is_empty())
        {
            last.content = ", ".into();
        }
        self.message_end = link.span.end;
        let (shown, role) = match name {
            Name::Said(shown) => (shown, Role::Link),
            Name::Unknown(shown) => (shown, Role::Dim),
        };
        let target = format!("{}#{}", link.target, link.anchor.as_deref().unwrap_or_default());
        self.say_link(&shown, target, self.style().patch(self.theme.style(role)));
    }

    /// What a text defines for its links, which Markdown itself would not show.
    fn definition(&mut self, label: &str, target: &str) {
        self.open_block();
        let dim = self.theme.style(Role::Dim);
        self.say(&format!("[{label}]: "), dim);
        self.say_link(target, target.to_owned(), self.theme.style(Role::Link));
        self.flush();
    }

    /// A line end inside a paragraph is a blank, except between ideographs, which are written without.
    fn soft_break(&mut self) {
        if let Manner::Speech = self.manner {
            return self.flush();
        }
        let last = self.inline.last().and_then(|(span, _)| span.content.chars().next_back());
        if !last.is_some_and(text::is_ideographic) {
            self.say(" ", self.style());
        }
    }

    /// Raw HTML is shown as it is, but for the markers that programs leave in a file.
    fn end_html(&mut self) {
        let Some(raw) = self.raw.take() else { return };
        if matches!(self.manner, Manner::File(_)) && is_marker(raw.trim()) {
            return;
        }
        self.open_block();
        for line in text::lines(raw.trim_end()) {
            self.say(line, self.theme.style(Role::Dim));
            self.flush();
        }
        self.gap = true;
    }

    fn say(&mut self, words: &str, style: Style) {
        let link = self.open_links.last().copied();
        self.inline.extend(text::spans(words, style).into_iter().map(|span| (span, link)));
    }

    fn style(&self) -> Style {
        self.styles.last().copied().unwrap_or_default()
    }

    /// The cells left beside the prefixes.
    fn room(&self) -> usize {
        let taken: usize = self
            .prefixes
            .iter()
            .map(|prefix| if let Prefix::Item { cells, .. } = prefix { *cells } else { 2 })
            .sum();
        self.width.saturating_sub(taken).max(1)
    }

    fn open_block(&mut self) {
        self.flush();
        if std::mem::take(&mut self.gap) && !self.lines.is_empty() {
            self.emit_gap();
        }
    }

    fn close_block(&mut self) {
        self.flush();
        self.gap = true;
    }

    fn flush(&mut self) {
        if self.inline.is_empty() {
            return;
        }
        let inline = std::mem::take(&mut self.inline);
        for wrapped in text::wrap_marked(inline, self.room()) {
            self.emit(wrapped);
        }
    }

    /// An empty line; bars of quotes go through it, markers wait.
    fn emit_gap(&mut self) {
        let quote = self.theme.style(Role::Quote);
        let bars = self.prefixes.iter().filter(|prefix| matches!(prefix, Prefix::Quote));
        let line: Vec<Span<'static>> = bars.map(|_| Span::styled("▎ ", quote)).collect();
        self.lines.push(Line::from(line));
    }

    fn emit(&mut self, wrapped: Wrapped) {
        let mut spans = Vec::new();
        let mut cells = 0;
        for prefix in &mut self.prefixes {
            match prefix {
                Prefix::Quote => {
                    spans.push(Span::styled("▎ ", self.theme.style(Role::Quote)));
                    cells += 2;
                }
                Prefix::Item { marker, cells: width } => {
                    let blanks = " ".repeat(*width);
                    spans.push(marker.take().map_or(Span::raw(blanks), |marker| {
                        Span::styled(marker, self.theme.style(Role::Accent))
                    }));
                    cells += *width;
                }
            }
        }
        for (range, mark) in wrapped.marks {
            let column = |at: usize| u16::try_from(at + cells).unwrap_or(u16::MAX);
            if let Some(target) = self.targets.get(mark) {
                self.links.push(Spot {
                    line: self.lines.len(),
                    columns: column(range.start)..column(range.end),
                    target: target.clone(),
                });
            }
        }
        spans.extend(wrapped.line.spans.into_iter().map(|span| span.patch_style(wrapped.line.style)));
        self.lines.push(Line::from(spans));
    }
}

/// Whether raw HTML is a comment of a single word. A longer one may be meant for a reader, or hide something.
fn is_marker(raw: &str) -> bool {
    let word = raw.strip_prefix("<!--").and_then(|rest| rest.strip_suffix("-->")).map(str::trim);
    word.is_some_and(|word| {
        word.len() <= LONGEST_MARKER && !word.contains("--") && !word.contains(char::is_whitespace)
    })
}

/// Whether an event is part of a line, and so may lie inside a wikilink.
fn is_inline(event: &Event<'_>) -> bool {
    match event {
        Event::Start(tag) => {
            matches!(
                tag,
                Tag::Emphasis | Tag::Strong | Tag::Strikethrough | Tag::Link { .. } | Tag::Image { .. }
            )
        }
        Event::End(tag) => {
            matches!(
                tag,
                TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough | TagEnd::Link | TagEnd::Image
            )
        }
        Event::Rule | Event::Html(_) | Event::TaskListMarker(_) => false,
        _ => true,
    }
}

/// What a link without alias shows: the file, without folders, and without the extension that all cards have.
fn short(target: &str) -> &str {
    let name = target.rsplit('/').next().unwrap_or(target);
    name.strip_suffix(".md").unwrap_or(name)
}

#[cfg(test)]
mod tests;
