//! A question with two answers, in a box over a screen.

use crate::text;
use crate::theme::{Role, Theme};
use crossterm::event::{KeyCode, KeyEvent};
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, BorderType, Clear, Paragraph};

/// Whether a key answers, and how; Enter and Esc keep what is there.
pub fn answer(key: &KeyEvent) -> Option<bool> {
    match key.code {
        KeyCode::Char('y' | 'Y') => Some(true),
        KeyCode::Char('n' | 'N') | KeyCode::Enter | KeyCode::Esc => Some(false),
        _ => None,
    }
}

/// Draws the question in the middle of `area`; `yes` and `no` say what the answers do.
pub fn draw(question: &str, yes: &str, no: &str, theme: &Theme, frame: &mut Frame<'_>, area: Rect) {
    let area = area.intersection(frame.area());
    let width = area.width.min(60);
    let room = usize::from(width.saturating_sub(4));
    let mut lines = text::wrap(question, room, theme.style(Role::Text));
    lines.push(Line::default());
    lines.push(Line::from(vec![
        Span::styled(" y ", theme.style(Role::Key)),
        Span::raw(yes.to_owned()),
        Span::raw("   "),
        Span::styled(" n ", theme.style(Role::Key)),
        Span::raw(no.to_owned()),
    ]));
    let height = area.height.min(u16::try_from(lines.len() + 2).unwrap_or(u16::MAX));
    let place =
        Rect { x: area.x + (area.width - width) / 2, y: area.y + (area.height - height) / 2, width, height };
    let block = Block::bordered()
        .border_type(BorderType::Rounded)
        .border_style(theme.style(Role::Warning))
        .padding(ratatui::widgets::Padding::horizontal(1));
    frame.render_widget(Clear, place);
    frame.render_widget(Paragraph::new(lines).block(block), place);
}
