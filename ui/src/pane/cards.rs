//! The list of cards: name, tags, and a mark where something is wrong with the file.

use crate::pane::list::Window;
use crate::text;
use crate::theme::{Role, Theme};
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use reme_core::catalog::CardEntry;

/// The name that lists show for a card.
pub fn name(card: &CardEntry) -> &str {
    card.facts
        .as_ref()
        .map(|facts| facts.name.as_str())
        .filter(|name| !name.is_empty())
        .unwrap_or(card.path.stem())
}

/// Draws the visible cards into `area`.
pub fn draw(
    frame: &mut Frame<'_>,
    area: Rect,
    cards: &[&CardEntry],
    selected: Option<usize>,
    window: Window,
    (theme, focused): (&Theme, bool),
) {
    let rows = cards.iter().enumerate().skip(window.first);
    for ((at, card), row) in rows.zip(area.rows()) {
        let line = card_line(card, usize::from(row.width), theme);
        let style = row_style(selected == Some(at), focused, theme);
        frame.render_widget(line.style(style), row);
    }
}

/// How a row of a list looks.
pub fn row_style(selected: bool, focused: bool, theme: &Theme) -> Style {
    match (selected, focused) {
        (true, true) => theme.style(Role::Selection),
        (true, false) => theme.style(Role::SelectionDim),
        (false, _) => theme.style(Role::Text),
    }
}

fn card_line(card: &CardEntry, cells: usize, theme: &Theme) -> Line<'static> {
    let mut spans = Vec::new();
    if let Some(facts) = &card.facts {
        if facts.fault.is_some() {
            spans.push(Span::styled("! ", theme.style(Role::Error)));
        }
        if facts.conflicted {
            spans.push(Span::styled("≠ ", theme.style(Role::Warning)));
        }
    }
    let room = cells.saturating_sub(text::spans_width(&spans));
    spans.push(Span::raw(text::truncate(name(card), room)));
    for tag in card.facts.iter().flat_map(|facts| &facts.tags) {
        let tag = format!("  {}", text::clean(tag));
        if text::spans_width(&spans) + text::width(&tag) > cells {
            break;
        }
        spans.push(Span::styled(tag, theme.style(Role::Dim)));
    }
    Line::from(text::truncate_spans(spans, cells))
}
