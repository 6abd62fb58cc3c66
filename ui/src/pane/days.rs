//! The list of days: newest first, with the number of cards; today is marked.

use crate::pane::list::Window;
use crate::text;
use crate::theme::{Role, Theme};
use chrono::NaiveDate;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use reme_core::catalog::Day;
use std::sync::Arc;

/// Draws the visible days into `area`.
pub fn draw(
    frame: &mut Frame<'_>,
    area: Rect,
    days: &[Arc<Day>],
    selected: Option<usize>,
    window: Window,
    today: NaiveDate,
    (theme, focused): (&Theme, bool),
) {
    let rows = days.iter().enumerate().skip(window.first);
    for ((at, day), row) in rows.zip(area.rows()) {
        let line = day_line(day, day.date == today, usize::from(row.width), theme);
        let style = super::cards::row_style(selected == Some(at), focused, theme);
        frame.render_widget(line.style(style), row);
    }
}

fn day_line(day: &Day, is_today: bool, cells: usize, theme: &Theme) -> Line<'static> {
    let mut spans = vec![Span::raw(day.date.format("%Y-%m-%d %a").to_string())];
    if is_today {
        spans.push(Span::styled(" today", theme.style(Role::Accent)));
    }
    let count = day.cards.len().to_string();
    let gap = cells.saturating_sub(text::spans_width(&spans) + count.len());
    if gap > 0 {
        spans.push(Span::raw(" ".repeat(gap)));
        spans.push(Span::styled(count, theme.style(Role::Dim)));
    }
    Line::from(text::truncate_spans(spans, cells))
}
