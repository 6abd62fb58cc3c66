//! A Markdown file laid out: its frontmatter as a compact header, then the body.
//!
//! Pure and away from the screen; called in effects through [`super::laid::Laid`].

use super::laid::{Laid, Spot};
use super::names::Names;
use crate::text;
use crate::theme::{Role, Theme};
use crate::widget::markdown::{self, Manner};
use ratatui::text::{Line, Span};
use reme_core::card::{Card, FieldValue};
use reme_core::link;

/// The keys that the header shows in its own way, or that the pane's title says already.
const SHOWN: &[&str] = &["name", "description", "session_id", "source_conversation", "source_images"];

pub(super) fn lay(source: &str, width: u16, theme: &Theme, names: &Names) -> Laid {
    let card = Card::parse(source);
    let mut laid = Laid { width, ..Laid::default() };
    header(&card, &mut laid, theme);
    if !laid.lines.is_empty() {
        laid.lines.push(Line::default());
    }
    laid.append(markdown::lay(card.body().trim(), width, theme, Manner::File(names)));
    laid
}

fn header(card: &Card, laid: &mut Laid, theme: &Theme) {
    let cells = usize::from(laid.width);
    if let Some(fault) = card.fault() {
        let said = format!("frontmatter, line {}, column {}: {}", fault.line, fault.column, fault.message);
        laid.lines.extend(text::wrap(&said, cells, theme.style(Role::Error)));
    }
    if let Some(description) = card.get("description").filter(|text| !text.is_empty()) {
        laid.lines.extend(text::wrap(description, cells, theme.style(Role::Emphasis)));
    }
    for field in card.fields() {
        match &field.value {
            FieldValue::List(items) if !SHOWN.contains(&field.key.as_str()) => chips(items, laid, theme),
            _ => {}
        }
    }
    source_line(card, laid, theme);
}

/// List values are tags, whatever their key is called.
fn chips(items: &[String], laid: &mut Laid, theme: &Theme) {
    let cells = usize::from(laid.width);
    let mut line: Vec<Span<'static>> = Vec::new();
    for item in items {
        let chip = format!(" {} ", text::truncate(item, cells.saturating_sub(2)));
        if !line.is_empty() && text::spans_width(&line) + 1 + text::width(&chip) > cells {
            laid.lines.push(Line::from(std::mem::take(&mut line)));
        }
        if !line.is_empty() {
            line.push(Span::raw(" "));
        }
        line.push(Span::styled(chip, theme.style(Role::Tag)));
    }
    if !line.is_empty() {
        laid.lines.push(Line::from(line));
    }
}

/// Where the card came from: the session, as a link to its record, and the number of pictures.
fn source_line(card: &Card, laid: &mut Laid, theme: &Theme) {
    let source = card.get("source_conversation").map(link::find).and_then(|links| links.into_iter().next());
    let session = card.get("session_id").map(str::to_owned);
    let images = card.list("source_images").len();
    if source.is_none() && session.is_none() && images == 0 {
        return;
    }
    let (dim, linked) = (theme.style(Role::Dim), theme.style(Role::Link));
    let mut spans = vec![Span::styled("from ", dim)];
    let name = session.or_else(|| source.as_ref().map(|link| link.target.clone())).unwrap_or_default();
    let plural = if images == 1 { "" } else { "s" };
    let counted = if images > 0 { format!(" · {images} image{plural}") } else { String::new() };
    let taken = text::spans_width(&spans) + text::width(&counted);
    let name = text::truncate_middle(&name, usize::from(laid.width).saturating_sub(taken));
    let start = text::spans_width(&spans);
    let style = if source.is_some() { linked } else { dim };
    if let Some(link) = source {
        let end = start + text::width(&name);
        let columns = cell(start)..cell(end);
        laid.links.push(Spot { line: laid.lines.len(), columns, target: link.target });
    }
    spans.push(Span::styled(name, style));
    spans.push(Span::styled(counted, dim));
    laid.lines.push(Line::from(text::truncate_spans(spans, usize::from(laid.width))));
}

fn cell(at: usize) -> u16 {
    u16::try_from(at).unwrap_or(u16::MAX)
}
