//! The help: what can be done on the screen below, from the action table; Enter does what is selected.
//!
//! What cannot be done at the moment is dimmed and says why. Called up by `app`.

use super::{Flow, Screen};
use crate::action::{self, Action, Row, Scope};
use crate::context::Context;
use crate::pane::list::{self, Window};
use crate::pane::panel::{self, Panel};
use crate::text;
use crate::theme::{Role, Theme};
use ratatui::Frame;
use ratatui::layout::{Constraint, Rect};
use ratatui::text::{Line, Span};
use ratatui::widgets::Clear;

/// The cells that keys get.
const KEYS: usize = 20;
/// In fewer cells than this, only the first key of an action is shown.
const ROOMY: usize = 64;
/// The cells that it gets.
const KEY: usize = 9;
/// The widest that the help becomes.
const WIDEST: u16 = 76;

/// The help on one screen.
#[derive(Debug)]
pub struct Help {
    rows: Vec<(&'static Row, Option<&'static str>)>,
    selected: usize,
    window: Window,
}

impl Help {
    /// The help on this screen.
    pub fn of(screen: &dyn Screen, context: &Context) -> Help {
        let rows = action::rows(screen.scope());
        Help {
            rows: rows.map(|row| (row, screen.refuses(row.action, context))).collect(),
            selected: 0,
            window: Window::default(),
        }
    }

    fn area(&self, body: Rect) -> Rect {
        let height = u16::try_from(self.rows.len()).unwrap_or(u16::MAX).saturating_add(2).min(body.height);
        body.centered(Constraint::Length(WIDEST.min(body.width)), Constraint::Length(height))
    }

    fn step(&mut self, by: isize, context: &Context) {
        self.selected = list::step(self.selected, by, self.rows.len());
        let height = usize::from(panel::inner(self.area(context.body())).height);
        self.window.follow(self.selected, self.rows.len(), height);
    }
}

impl Screen for Help {
    fn scope(&self) -> Scope {
        Scope::Help
    }

    fn act(&mut self, action: Action, context: &mut Context) -> Flow {
        let page = isize::from(i16::try_from(context.body().height).unwrap_or(i16::MAX));
        match action {
            Action::Close => return Flow::Close,
            Action::Enter => {
                return self
                    .rows
                    .get(self.selected)
                    .map_or(Flow::Done, |(row, _)| Flow::CloseAndDo(row.action));
            }
            Action::Up => self.step(-1, context),
            Action::Down => self.step(1, context),
            Action::HalfUp => self.step(-page / 2, context),
            Action::HalfDown => self.step(page / 2, context),
            Action::PageUp => self.step(-page, context),
            Action::PageDown => self.step(page, context),
            Action::Top => self.step(isize::MIN / 2, context),
            Action::Bottom => self.step(isize::MAX / 2, context),
            _ => return Flow::Ignored,
        }
        Flow::Done
    }

    fn resized(&mut self, context: &mut Context) {
        self.step(0, context);
    }

    fn view(&self, context: &Context, frame: &mut Frame<'_>, body: Rect) {
        let theme = &context.setting.theme;
        let area = self.area(body);
        frame.render_widget(Clear, area);
        let title = Line::styled(" What can be done here ", theme.style(Role::Title));
        Panel { title, focused: true, ..Panel::default() }.draw(frame, area, theme);
        let inner = panel::inner(area);
        for ((at, (row, refused)), place) in
            self.rows.iter().enumerate().skip(self.window.first).zip(inner.rows())
        {
            let line = help_line(row, *refused, usize::from(place.width), theme);
            frame.render_widget(line, place);
            if at == self.selected {
                frame.buffer_mut().set_style(place, theme.style(Role::Selection));
            }
        }
        panel::scrollbar(frame, area, self.window.first, self.rows.len(), true, theme);
    }
}

fn help_line(row: &Row, refused: Option<&str>, cells: usize, theme: &Theme) -> Line<'static> {
    let keys: Vec<String> = row.keys.iter().map(|key| key.label()).collect();
    let (shown, most) = if cells < ROOMY { (1, KEY) } else { (keys.len(), KEYS) };
    let keys = text::truncate(&keys.get(..shown).unwrap_or_default().join("  "), most);
    let gap = (most + 1).saturating_sub(text::width(&keys));
    let role = if refused.is_some() { Role::Dim } else { Role::Text };
    let mut spans = vec![
        Span::styled(keys, theme.style(Role::Key)),
        Span::raw(" ".repeat(gap)),
        Span::styled(row.help, theme.style(role)),
    ];
    if let Some(why) = refused {
        spans.push(Span::styled(format!(" ({why})"), theme.style(Role::Dim)));
    }
    Line::from(text::truncate_spans(spans, cells))
}
