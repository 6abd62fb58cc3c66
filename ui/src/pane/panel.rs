//! The frame of a pane: border, title, what is said at its lower edge, and the thumb of its scrollbar.

use crate::theme::{Role, Theme};
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Line;
use ratatui::widgets::{Block, BorderType};

/// What the frame of a pane says.
#[derive(Clone, Debug, Default)]
pub struct Panel {
    /// At the upper edge.
    pub title: Line<'static>,
    /// At the lower edge, to the right.
    pub note: Line<'static>,
    /// Whether keys go here.
    pub focused: bool,
}

/// The part of a pane that its content gets: inside the border, with a blank column at the left.
pub fn inner(area: Rect) -> Rect {
    Rect {
        x: area.x.saturating_add(2),
        y: area.y.saturating_add(1),
        width: area.width.saturating_sub(4),
        height: area.height.saturating_sub(2),
    }
}

impl Panel {
    /// Draws the frame.
    pub fn draw(self, frame: &mut Frame<'_>, area: Rect, theme: &Theme) {
        let role = if self.focused { Role::BorderFocus } else { Role::Border };
        let block = Block::bordered()
            .border_type(BorderType::Rounded)
            .border_style(theme.style(role))
            .title_top(self.title)
            .title_bottom(self.note.right_aligned());
        frame.render_widget(block, area);
    }
}

/// Draws the thumb of a scrollbar on the right border of `area`, where `len` lines do not fit.
pub fn scrollbar(frame: &mut Frame<'_>, area: Rect, first: usize, len: usize, focused: bool, theme: &Theme) {
    let track = usize::from(area.height.saturating_sub(2));
    if len <= track || track == 0 || area.width == 0 {
        return;
    }
    let size = (track * track / len).max(1);
    let start = (first * (track - size)).div_ceil((len - track).max(1)).min(track - size);
    let style = theme.style(if focused { Role::BorderFocus } else { Role::Thumb });
    let column = area.right().saturating_sub(1);
    for row in start..start + size {
        let row = area.y.saturating_add(1).saturating_add(u16::try_from(row).unwrap_or(u16::MAX));
        if let Some(cell) = frame.buffer_mut().cell_mut((column, row)) {
            cell.set_symbol("┃").set_style(style);
        }
    }
}
