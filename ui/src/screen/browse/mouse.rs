//! The mouse on the browse screen: a click selects, brings up or follows; the wheel moves what is under it.

use super::areas::Spot;
use super::{Browse, Pane, view};
use crate::context::Context;
use crate::pane::panel;
use crossterm::event::{MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::Position;

impl Browse {
    pub(super) fn mouse(&mut self, mouse: MouseEvent, context: &mut Context) {
        let cell = Position { x: mouse.column, y: mouse.row };
        let areas = self.areas(context);
        let Some(spot) = areas.at(cell) else { return };
        let open = self.open_panes(&areas);
        let pane = match spot {
            Spot::Days => Pane::Days,
            Spot::Cards => Pane::Cards,
            Spot::Left => open.first().copied().unwrap_or(self.main),
            Spot::Right => open.last().copied().unwrap_or(self.main),
        };
        match mouse.kind {
            MouseEventKind::ScrollUp => self.wheel(pane, -1, context),
            MouseEventKind::ScrollDown => self.wheel(pane, 1, context),
            MouseEventKind::Down(MouseButton::Left) => self.click(pane, cell, context),
            _ => {}
        }
    }

    /// The wheel moves what is under the pointer and leaves the focus where it is.
    fn wheel(&mut self, pane: Pane, by: isize, context: &mut Context) {
        const LINES: isize = 3;
        match pane {
            Pane::Days => self.step_day(by, context),
            Pane::Cards => self.step_card(by, context),
            Pane::Images => self.images.step(by, context),
            _ => {
                let height = self.height(pane, context);
                if let Some(doc) = self.doc_mut(pane) {
                    doc.scroll(by * LINES, height);
                }
            }
        }
    }

    fn click(&mut self, pane: Pane, cell: Position, context: &mut Context) {
        let area = self.areas(context).place(pane);
        if cell.y == area.y
            && let Some(tab) = view::tab_at(self, pane, area, cell.x, context)
        {
            return self.focus_on(tab, context);
        }
        let inner = panel::inner(area);
        let (column, row) = (cell.x.saturating_sub(inner.x), cell.y.saturating_sub(inner.y));
        self.focus_on(pane, context);
        if !inner.contains(cell) {
            return;
        }
        match pane {
            Pane::Days => self.select_day_at(self.days.first + usize::from(row), context),
            Pane::Cards => self.click_card(usize::from(row), context),
            Pane::Images => self.images.select_at(row, context),
            _ => {
                let hit = self.doc_mut(pane).is_some_and(|doc| doc.select_at(column, row));
                if hit {
                    self.enter(context);
                }
            }
        }
    }
}
