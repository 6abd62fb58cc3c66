//! The card's picture links, and a preview of the selected one. A picture elsewhere is a link, never fetched.

use super::list::{self, Window};
use super::{cards, panel};
use crate::context::{Context, Waiting};
use crate::effect::{Answer, Request, Ticket};
use crate::text;
use crate::theme::Role;
use crate::widget::picture::{self, Fitted};
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::Line;
use reme_core::workspace::RelPath;

/// At most this many rows are given to the list.
const LIST_ROWS: u16 = 6;

/// The state of the images pane.
#[derive(Debug, Default)]
pub struct Images {
    links: Vec<String>,
    selected: usize,
    window: Window,
    picture: Picture,
    fitting: Waiting,
    /// The place of the pane when the picture was prepared.
    area: Rect,
}

/// What is shown of the selected link.
#[derive(Debug, Default)]
enum Picture {
    #[default]
    Nothing,
    /// Why there is no picture.
    Said(String),
    Ready(Fitted),
}

impl Images {
    /// How many links there are.
    pub fn len(&self) -> usize {
        self.links.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.links.is_empty()
    }

    /// The selected link.
    pub fn link(&self) -> Option<&str> {
        self.links.get(self.selected).map(String::as_str)
    }

    /// Shows these links in this place; prepares the selected picture unless that has been done.
    pub fn open(&mut self, links: &[String], area: Rect, context: &mut Context) {
        let before = self.link().map(str::to_owned);
        if self.links != links {
            self.links = links.to_vec();
            self.selected = links.iter().position(|link| Some(link) == before.as_ref()).unwrap_or(0);
        }
        let moved = self.area != area;
        self.area = area;
        if moved || self.link() != before.as_deref() {
            self.fit(context);
        }
        self.follow();
    }

    /// Reads the selected picture again.
    pub fn fit(&mut self, context: &mut Context) {
        self.picture = Picture::Nothing;
        if let Some(old) = std::mem::take(&mut self.fitting).ticket() {
            context.cancel(old);
        }
        let Some(link) = self.links.get(self.selected) else { return };
        if link.contains("://") {
            self.picture = Picture::Said("This picture lies elsewhere; it is not fetched.".to_owned());
            return;
        }
        let [_, preview] = self.split(self.area);
        match RelPath::new(link) {
            Ok(path) => {
                let request = Request::FitImage(path, preview.as_size(), context.setting.pictures);
                self.fitting = Waiting::on(context.ask(request));
            }
            Err(refused) => self.picture = Picture::Said(refused.to_string()),
        }
    }

    /// Takes an answer, if it is to this pane's question.
    pub fn answer(&mut self, ticket: Ticket, answer: Answer) {
        let fitted = match answer {
            Answer::Picture(fitted) => fitted,
            Answer::Failed(why) => Err(why),
            _ => return,
        };
        if self.fitting.take(ticket) {
            self.picture = fitted.map_or_else(Picture::Said, Picture::Ready);
        }
    }

    /// Moves the selection.
    pub fn step(&mut self, by: isize, context: &mut Context) {
        self.select(list::step(self.selected, by, self.links.len()), context);
    }

    /// Selects a link.
    pub fn select(&mut self, at: usize, context: &mut Context) {
        if at < self.links.len() && at != self.selected {
            self.selected = at;
            self.fit(context);
        }
        self.follow();
    }

    /// Selects the link in a row of the content.
    pub fn select_at(&mut self, row: u16, context: &mut Context) {
        let [rows, _] = self.split(self.area);
        if row < rows.height {
            self.select(self.window.first + usize::from(row), context);
        }
    }

    fn follow(&mut self) {
        let [rows, _] = self.split(self.area);
        self.window.follow(self.selected, self.links.len(), usize::from(rows.height));
    }

    fn split(&self, area: Rect) -> [Rect; 2] {
        let inner = panel::inner(area);
        let rows = u16::try_from(self.links.len()).unwrap_or(u16::MAX).min(LIST_ROWS);
        let [list, _, preview] =
            Layout::vertical([Constraint::Length(rows), Constraint::Length(1), Constraint::Min(0)])
                .areas(inner);
        [list, preview]
    }

    /// Draws list and preview.
    pub fn view(&self, context: &Context, frame: &mut Frame<'_>, area: Rect, focused: bool) {
        let theme = &context.setting.theme;
        let [rows, preview] = self.split(area);
        if self.links.is_empty() {
            let said = "This card has no images.";
            frame.render_widget(Line::styled(said, theme.style(Role::Dim)), panel::inner(area));
            return;
        }
        for ((at, link), row) in self.links.iter().enumerate().skip(self.window.first).zip(rows.rows()) {
            let shown = text::truncate_middle(link, usize::from(row.width));
            let style = cards::row_style(at == self.selected, focused, theme);
            frame.render_widget(Line::raw(shown).style(style), row);
        }
        match &self.picture {
            Picture::Nothing => {}
            Picture::Said(why) => {
                let name = self.link().unwrap_or_default();
                picture::draw_placeholder(name, why, theme, frame, preview);
            }
            Picture::Ready(fitted) => fitted.draw(frame, preview),
        }
    }
}
