//! A scrolled document: the day page, the card, the dialog. Keeps the reader's place and the selected link.
//!
//! What to show is told by the browse screen; reading and laying out is asked for as an effect. Content that was
//! changed on disk keeps the reader at the same words.

use super::laid::{Laid, Sheet, Spot};
use super::panel;
use crate::context::{Context, Waiting};
use crate::effect::{Answer, Request, Ticket};
use crate::text;
use crate::theme::Role;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Line;
use reme_core::workspace::RelPath;
use std::sync::Arc;

/// The state of one document pane.
#[derive(Debug)]
pub struct Doc {
    sheet: Sheet,
    path: Option<RelPath>,
    width: u16,
    laid: Option<Arc<Laid>>,
    fault: Option<String>,
    reading: Waiting,
    top: usize,
    link: Option<usize>,
    marked: Option<usize>,
    wanted: Wanted,
    /// The anchor that was wanted last and is not in the document.
    lost: Option<String>,
}

/// Where the reader is taken once the document is there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Wanted {
    /// Nowhere.
    #[default]
    Nothing,
    /// To an anchor.
    Anchor(String),
    /// To a line, as it was when the reader left.
    Line(usize),
}

impl Doc {
    /// An empty pane.
    pub fn new(sheet: Sheet) -> Doc {
        Doc {
            sheet,
            path: None,
            width: 0,
            laid: None,
            fault: None,
            reading: Waiting::default(),
            top: 0,
            link: None,
            marked: None,
            wanted: Wanted::Nothing,
            lost: None,
        }
    }

    /// The file that is shown.
    pub fn path(&self) -> Option<&RelPath> {
        self.path.as_ref()
    }

    /// The first visible line.
    pub fn top(&self) -> usize {
        self.top
    }

    /// How many lines there are.
    pub fn len(&self) -> usize {
        self.laid.as_ref().map_or(0, |laid| laid.lines.len())
    }

    /// Whether there is nothing to scroll.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Shows this file at this width; asks for it unless that is what is there already.
    pub fn open(&mut self, path: Option<&RelPath>, width: u16, context: &mut Context) {
        let other = self.path.as_ref() != path;
        if !other && self.width == width {
            return;
        }
        if other {
            self.path = path.cloned();
            (self.laid, self.fault) = (None, None);
            (self.top, self.link, self.marked) = (0, None, None);
        }
        self.width = width;
        self.read(context);
    }

    /// Whether what is shown was made from one of these files.
    pub fn rests_on(&self, changed: &[RelPath]) -> bool {
        let records = self.laid.iter().flat_map(|laid| &laid.records);
        self.path.iter().chain(records).any(|path| changed.contains(path))
    }

    /// Reads the same file again.
    pub fn read(&mut self, context: &mut Context) {
        if let Some(old) = self.reading.ticket() {
            context.cancel(old);
        }
        self.reading = match &self.path {
            Some(path) if self.width > 0 => {
                let theme = Arc::clone(&context.setting.theme);
                Waiting::on(context.ask(Request::Open(self.sheet, path.clone(), self.width, theme)))
            }
            _ => Waiting::default(),
        };
    }

    /// Takes the reader somewhere, now or once the document is there.
    pub fn go(&mut self, wanted: Wanted, height: usize) {
        self.wanted = wanted;
        if self.reading.ticket().is_none() {
            self.arrive(height);
        }
    }

    /// The anchor that a reader was to be taken to in vain; told once.
    pub fn lost(&mut self) -> Option<String> {
        self.lost.take()
    }

    /// Takes an answer, if it is to this pane's question.
    pub fn answer(&mut self, ticket: Ticket, answer: &Answer, height: usize) -> bool {
        let opened = match answer {
            Answer::Opened(opened) => opened.as_ref(),
            Answer::Failed(why) => Err(why),
            _ => return false,
        };
        if !self.reading.is(ticket) {
            return false;
        }
        if !opened.is_ok_and(|laid| laid.unread) {
            self.reading = Waiting::default();
        }
        match opened {
            Ok(laid) => {
                if let Some(before) = self.laid.replace(Arc::clone(laid)) {
                    self.top = laid.same_place(&before, self.top);
                    self.link = self.link.filter(|_| laid.links.len() == before.links.len());
                    self.marked = self.marked.filter(|_| laid.lines.len() == before.lines.len());
                }
                self.fault = None;
            }
            Err(why) => {
                self.laid = None;
                self.fault = Some(why.clone());
            }
        }
        self.arrive(height);
        true
    }

    fn arrive(&mut self, height: usize) {
        match std::mem::take(&mut self.wanted) {
            Wanted::Nothing => {}
            Wanted::Line(line) => self.top = line,
            Wanted::Anchor(name) => {
                self.marked = self.laid.as_ref().and_then(|laid| laid.anchor(&name));
                self.top = self.marked.unwrap_or(self.top);
                self.lost = (self.laid.is_some() && self.marked.is_none()).then_some(name);
            }
        }
        self.clamp(height);
    }

    /// Moves the view by lines.
    pub fn scroll(&mut self, by: isize, height: usize) {
        self.top = self.top.saturating_add_signed(by);
        self.clamp(height);
    }

    /// Keeps the last line at the lower edge at the most.
    pub fn clamp(&mut self, height: usize) {
        self.top = self.top.min(self.len().saturating_sub(height.max(1)));
    }

    /// Whether there is a link to select.
    pub fn has_links(&self) -> bool {
        self.laid.as_ref().is_some_and(|laid| !laid.links.is_empty())
    }

    /// The selected link.
    pub fn link(&self) -> Option<&Spot> {
        self.laid.as_ref()?.links.get(self.link?)
    }

    /// Selects the next link (or the one before), starting from what is visible, and scrolls to it.
    pub fn cycle_link(&mut self, forward: bool, height: usize) {
        let Some(laid) = &self.laid else { return };
        let count = laid.links.len();
        if count == 0 {
            return;
        }
        let next = match self.link {
            Some(at) if forward => (at + 1) % count,
            Some(at) => (at + count - 1) % count,
            None if forward => laid.links.iter().position(|spot| spot.line >= self.top).unwrap_or(0),
            None => laid.links.iter().rposition(|spot| spot.line < self.top + height).unwrap_or(count - 1),
        };
        self.link = Some(next);
        let Some(line) = laid.links.get(next).map(|spot| spot.line) else { return };
        if line < self.top {
            self.top = line;
        } else if line >= self.top + height {
            self.top = (line + 1).saturating_sub(height);
        }
    }

    /// The link at a cell of the content, selected if there is one.
    pub fn select_at(&mut self, column: u16, row: u16) -> bool {
        let Some(laid) = &self.laid else { return false };
        let line = self.top + usize::from(row);
        let hit = laid.links.iter().position(|spot| spot.line == line && spot.columns.contains(&column));
        self.link = hit.or(self.link);
        hit.is_some()
    }

    /// Which lines are visible, such as `12–40/88`; empty when all are.
    pub fn position(&self, height: usize) -> String {
        if self.len() <= height {
            return String::new();
        }
        format!("{}–{}/{}", self.top + 1, (self.top + height).min(self.len()), self.len())
    }

    /// Draws the visible lines; `empty` is said where there is nothing to show.
    pub fn view(&self, context: &Context, frame: &mut Frame<'_>, area: Rect, focused: bool, empty: &str) {
        let theme = &context.setting.theme;
        let inner = panel::inner(area);
        let Some(laid) = &self.laid else {
            let (said, role) = match (&self.fault, &self.path) {
                (Some(fault), _) => (fault.as_str(), Role::Error),
                (None, None) => (empty, Role::Dim),
                (None, Some(_)) => return,
            };
            let lines = text::wrap(said, usize::from(inner.width), theme.style(role));
            for (line, row) in lines.into_iter().zip(inner.rows()) {
                frame.render_widget(line, row);
            }
            return;
        };
        for ((at, line), row) in laid.lines.iter().enumerate().skip(self.top).zip(inner.rows()) {
            frame.render_widget(line, row);
            if self.marked == Some(at) {
                frame.buffer_mut().set_style(row, theme.style(Role::SelectionDim));
            }
        }
        if laid.lines.is_empty() {
            frame.render_widget(Line::styled("This file is empty.", theme.style(Role::Dim)), inner);
        }
        if let Some(spot) = self.link().filter(|_| focused) {
            self.view_link(spot, frame, inner, context);
        }
        panel::scrollbar(frame, area, self.top, laid.lines.len(), focused, theme);
    }

    fn view_link(&self, spot: &Spot, frame: &mut Frame<'_>, inner: Rect, context: &Context) {
        let Some(row) = spot.line.checked_sub(self.top).and_then(|row| u16::try_from(row).ok()) else {
            return;
        };
        let cells = Rect {
            x: inner.x.saturating_add(spot.columns.start),
            y: inner.y.saturating_add(row),
            width: spot.columns.end.saturating_sub(spot.columns.start),
            height: 1,
        };
        frame.buffer_mut().set_style(cells.intersection(inner), context.setting.theme.style(Role::LinkFocus));
    }
}
