//! A message that must be seen: an error with what to do next, in a box over the screen.

use super::{Flow, Screen};
use crate::action::{Action, Scope};
use crate::context::{Context, Tone};
use crate::pane::panel::{self, Panel};
use crate::text;
use crate::theme::Role;
use ratatui::Frame;
use ratatui::layout::{Constraint, Rect};
use ratatui::text::Line;
use ratatui::widgets::Clear;

/// The widest that a message becomes.
const WIDEST: u16 = 72;

/// A message.
#[derive(Debug)]
pub struct Message {
    tone: Tone,
    title: String,
    text: String,
    top: usize,
}

impl Message {
    /// A message with a title; the text says what happened, where, and what to do next.
    pub fn new(tone: Tone, title: impl Into<String>, text: impl Into<String>) -> Message {
        Message { tone, title: title.into(), text: text.into(), top: 0 }
    }

    fn layout(&self, context: &Context, body: Rect) -> (Rect, Vec<Line<'static>>) {
        let width = WIDEST.min(body.width);
        let lines = text::wrap(
            &self.text,
            usize::from(width).saturating_sub(4),
            context.setting.theme.style(Role::Text),
        );
        let height = u16::try_from(lines.len()).unwrap_or(u16::MAX).saturating_add(2).min(body.height);
        (body.centered(Constraint::Length(width), Constraint::Length(height)), lines)
    }

    fn scroll(&mut self, by: isize, context: &Context) {
        let (area, lines) = self.layout(context, context.body());
        let height = usize::from(panel::inner(area).height);
        self.top = self.top.saturating_add_signed(by).min(lines.len().saturating_sub(height));
    }
}

impl Screen for Message {
    fn scope(&self) -> Scope {
        Scope::Message
    }

    fn act(&mut self, action: Action, context: &mut Context) -> Flow {
        let page = isize::from(i16::try_from(context.body().height).unwrap_or(i16::MAX));
        match action {
            Action::Close => return Flow::Close,
            Action::Up => self.scroll(-1, context),
            Action::Down => self.scroll(1, context),
            Action::HalfUp => self.scroll(-page / 2, context),
            Action::HalfDown => self.scroll(page / 2, context),
            Action::PageUp => self.scroll(-page, context),
            Action::PageDown => self.scroll(page, context),
            Action::Top => self.scroll(isize::MIN / 2, context),
            Action::Bottom => self.scroll(isize::MAX / 2, context),
            _ => return Flow::Ignored,
        }
        Flow::Done
    }

    fn resized(&mut self, context: &mut Context) {
        self.scroll(0, context);
    }

    fn view(&self, context: &Context, frame: &mut Frame<'_>, body: Rect) {
        let theme = &context.setting.theme;
        let (area, lines) = self.layout(context, body);
        frame.render_widget(Clear, area);
        let role = match self.tone {
            Tone::Good => Role::Good,
            Tone::Info => Role::Title,
            Tone::Bad => Role::Error,
        };
        let title = format!(" {} ", text::truncate(&self.title, usize::from(area.width).saturating_sub(4)));
        Panel { title: Line::styled(title, theme.style(role)), focused: true, ..Panel::default() }
            .draw(frame, area, theme);
        let count = lines.len();
        for (line, row) in lines.into_iter().skip(self.top).zip(panel::inner(area).rows()) {
            frame.render_widget(line, row);
        }
        panel::scrollbar(frame, area, self.top, count, true, theme);
    }
}
