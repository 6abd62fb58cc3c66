//! Where the panes are, for a size of the terminal. Pure, so that update and view agree about every cell.

use super::Pane;
use ratatui::layout::{Constraint, Layout, Position, Rect};

/// From this width on, card and dialog stand side by side.
pub const WIDE: u16 = 120;
/// Below this width, lists and documents take turns.
const NARROW: u16 = 60;
/// The most that the lists take.
const WIDEST_LISTS: u16 = 44;

/// The places of the panes that are visible.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Areas {
    /// The list of days.
    pub days: Rect,
    /// The list of cards.
    pub cards: Rect,
    /// Page and card; all documents where there is no `right`.
    pub left: Rect,
    /// Dialog and images.
    pub right: Option<Rect>,
}

impl Areas {
    /// The places in `body`; `reading`: whether the focus is on a document.
    pub fn of(body: Rect, reading: bool, days: usize) -> Areas {
        let none = Rect { width: 0, height: 0, ..body };
        let (lists, documents) = match body.width {
            ..NARROW if reading => (none, body),
            ..NARROW => (body, none),
            width => {
                let lists = (width / 4).clamp(28, WIDEST_LISTS);
                let [lists, documents] =
                    Layout::horizontal([Constraint::Length(lists), Constraint::Min(0)]).areas(body);
                (lists, documents)
            }
        };
        let wanted = u16::try_from(days).unwrap_or(u16::MAX).max(1).saturating_add(2);
        let days = wanted.min((lists.height * 2 / 5).max(3));
        let [days, cards] = Layout::vertical([Constraint::Length(days), Constraint::Min(0)]).areas(lists);
        if body.width < WIDE {
            return Areas { days, cards, left: documents, right: None };
        }
        let [left, right] = Layout::horizontal([Constraint::Fill(1), Constraint::Fill(1)]).areas(documents);
        Areas { days, cards, left, right: Some(right) }
    }

    /// The place of a pane, whether or not its tab is the open one.
    pub fn place(&self, pane: Pane) -> Rect {
        match pane {
            Pane::Days => self.days,
            Pane::Cards => self.cards,
            Pane::Page | Pane::Card => self.left,
            Pane::Dialog | Pane::Images => self.right.unwrap_or(self.left),
        }
    }

    /// The place that a cell of the terminal belongs to.
    pub fn at(&self, cell: Position) -> Option<Spot> {
        [(Spot::Days, self.days), (Spot::Cards, self.cards), (Spot::Left, self.left)]
            .into_iter()
            .chain(self.right.map(|right| (Spot::Right, right)))
            .find(|(_, area)| area.contains(cell))
            .map(|(spot, _)| spot)
    }
}

/// A place on screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spot {
    /// The list of days.
    Days,
    /// The list of cards.
    Cards,
    /// The documents at the left.
    Left,
    /// The documents at the right.
    Right,
}
