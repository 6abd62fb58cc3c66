//! Lines that do not fit: which of them are seen.
//!
//! Only the visible lines are touched, so that the length of a text costs nothing while drawing.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Line;

/// How far a text is scrolled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Scroll {
    top: usize,
}

impl Scroll {
    /// The first line that is seen.
    pub fn top(self) -> usize {
        self.top
    }

    /// Moves by lines, within a text of `lines` seen through `height`.
    pub fn by(&mut self, delta: isize, lines: usize, height: usize) {
        self.top = self.top.saturating_add_signed(delta).min(lines.saturating_sub(height));
    }

    /// Moves as little as is needed to show this line.
    pub fn show(&mut self, line: usize, lines: usize, height: usize) {
        if line < self.top {
            self.top = line;
        } else if line >= self.top.saturating_add(height.max(1)) {
            self.top = line.saturating_add(1).saturating_sub(height.max(1));
        }
        self.by(0, lines, height);
    }
}

/// Draws the visible lines.
pub fn draw(lines: &[Line<'static>], scroll: Scroll, frame: &mut Frame<'_>, area: Rect) {
    let area = area.intersection(frame.area());
    let top = scroll.top.min(lines.len().saturating_sub(usize::from(area.height)));
    for (row, line) in (area.top()..area.bottom()).zip(lines.iter().skip(top)) {
        frame.render_widget(line, Rect { y: row, height: 1, ..area });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui::{Terminal, backend::TestBackend};

    #[test]
    fn scrolling_stays_within_the_text() {
        let mut scroll = Scroll::default();
        for (delta, expected) in [(-1, 0), (3, 3), (100, 7), (-2, 5), (isize::MAX, 7), (isize::MIN, 0)] {
            scroll.by(delta, 10, 3);
            assert_eq!(scroll.top(), expected, "{delta}");
        }
        scroll.show(9, 10, 3);
        assert_eq!(scroll.top(), 7);
        scroll.show(0, 10, 3);
        assert_eq!(scroll.top(), 0);
        scroll.show(5, 2, 0);
    }

    #[test]
    fn a_text_of_many_lines_is_drawn_to_its_end() {
        let lines: Vec<Line<'static>> = (0..70_000).map(|n| Line::raw(n.to_string())).collect();
        let mut scroll = Scroll::default();
        scroll.by(isize::MAX, lines.len(), 3);
        let mut terminal = Terminal::new(TestBackend::new(8, 3)).unwrap();
        terminal.draw(|frame| draw(&lines, scroll, frame, frame.area())).unwrap();
        terminal.backend().assert_buffer_lines(["69997   ", "69998   ", "69999   "]);
    }
}
