//! The card's picture links, and a preview of the selected one. A picture elsewhere is a link, never fetched.

use super::list::{self, Window};
use super::{cards, panel};
use crate::app::ViewState;
use crate::context::{Context, Waiting};
use crate::effect::{Answer, Request, Ticket};
use crate::text;
use crate::theme::Role;
use image::DynamicImage;
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::Line;
use reme_core::workspace::RelPath;
use std::sync::Arc;

/// At most this many rows are given to the list.
const LIST_ROWS: u16 = 6;

/// The state of the images pane.
#[derive(Debug, Default)]
pub struct Images {
    links: Vec<String>,
    selected: usize,
    window: Window,
    picture: Picture,
    decoding: Waiting,
}

/// What is shown of the selected link.
#[derive(Clone, Debug, Default)]
enum Picture {
    #[default]
    Nothing,
    /// Why there is no picture.
    Said(String),
    Ready(Arc<DynamicImage>),
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

    /// Shows these links; decodes the selected picture unless it is the one that is there.
    pub fn open(&mut self, links: &[String], context: &mut Context) {
        if self.links != links {
            let before = self.link().map(str::to_owned);
            self.links = links.to_vec();
            let kept = before.as_ref().and_then(|before| links.iter().position(|link| link == before));
            self.selected = kept.unwrap_or(0);
            if kept.is_none() {
                self.decode(context);
            }
        }
    }

    /// Reads the selected picture again.
    pub fn decode(&mut self, context: &mut Context) {
        self.picture = Picture::Nothing;
        if let Some(old) = std::mem::take(&mut self.decoding).ticket() {
            context.cancel(old);
        }
        let Some(link) = self.links.get(self.selected) else { return };
        if link.contains("://") {
            self.picture = Picture::Said("This picture lies elsewhere; it is not fetched.".to_owned());
            return;
        }
        match RelPath::new(link) {
            Ok(path) => self.decoding = Waiting::on(context.ask(Request::DecodeImage(path))),
            Err(refused) => self.picture = Picture::Said(refused.to_string()),
        }
    }

    /// Takes an answer, if it is to this pane's question.
    pub fn answer(&mut self, ticket: Ticket, answer: &Answer) -> bool {
        let decoded = match answer {
            Answer::Picture(decoded) => decoded.as_ref(),
            Answer::Failed(why) => Err(why),
            _ => return false,
        };
        if !self.decoding.take(ticket) {
            return false;
        }
        self.picture = match decoded {
            Ok(picture) => Picture::Ready(Arc::clone(picture)),
            Err(why) => Picture::Said(why.clone()),
        };
        true
    }

    /// Moves the selection.
    pub fn step(&mut self, by: isize, area: Rect, context: &mut Context) {
        let selected = list::step(self.selected, by, self.links.len());
        if selected != self.selected {
            self.selected = selected;
            self.decode(context);
        }
        let [rows, _] = self.split(area);
        self.window.follow(self.selected, self.links.len(), usize::from(rows.height));
    }

    /// Selects the link in a row of the content.
    pub fn select_at(&mut self, row: u16, area: Rect, context: &mut Context) {
        let at = self.window.first + usize::from(row);
        if usize::from(row) < usize::from(self.split(area)[0].height) && at < self.links.len() {
            self.selected = at;
            self.decode(context);
        }
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
    pub fn view(
        &self,
        context: &Context,
        view: &mut ViewState,
        frame: &mut Frame<'_>,
        area: Rect,
        focused: bool,
    ) {
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
                let lines = text::wrap(why, usize::from(preview.width), theme.style(Role::Dim));
                for (line, row) in lines.into_iter().zip(preview.rows()) {
                    frame.render_widget(line, row);
                }
            }
            Picture::Ready(picture) => view.picture(picture, frame, preview),
        }
    }
}
