//! Lines that do not fit: which of them are seen, and the bar that says so.
//!
//! Only the visible lines are touched, so that the length of a text costs nothing while drawing.

use crate::theme::{Role, Theme};
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

/// Draws the visible lines, with a bar at the right edge when there are more.
pub fn draw(lines: &[Line<'static>], scroll: Scroll, theme: &Theme, frame: &mut Frame<'_>, area: Rect) {
    let area = area.intersection(frame.area());
    let height = usize::from(area.height);
    let top = scroll.top.min(lines.len().saturating_sub(height));
    for (row, line) in (area.top()..area.bottom()).zip(lines.iter().skip(top)) {
        frame.render_widget(line, Rect { y: row, height: 1, ..area });
    }
    draw_bar(lines.len(), top, theme, frame, area);
}

/// Draws the bar alone, over the last column of `area`.
pub fn draw_bar(lines: usize, top: usize, theme: &Theme, frame: &mut Frame<'_>, area: Rect) {
    let area = area.intersection(frame.area());
    let height = usize::from(area.height);
    if lines <= height || area.width < 2 || height < 2 {
        return;
    }
    let length = (height * height / lines).max(1);
    let start = top * (height - length) / (lines - height);
    let column = area.right() - 1;
    for (row, at) in (area.top()..area.bottom()).zip(0..) {
        let (symbol, role) =
            if (start..start + length).contains(&at) { ("┃", Role::Thumb) } else { ("│", Role::Border) };
        if let Some(cell) = frame.buffer_mut().cell_mut((column, row)) {
            cell.set_symbol(symbol).set_style(theme.style(role));
        }
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
        terminal.draw(|frame| draw(&lines, scroll, &Theme::default(), frame, frame.area())).unwrap();
        terminal.backend().assert_buffer_lines_text(&["69997  │", "69998  │", "69999  ┃"]);
    }

    trait Texts {
        fn assert_buffer_lines_text(&self, expected: &[&str]);
    }

    impl Texts for TestBackend {
        fn assert_buffer_lines_text(&self, expected: &[&str]) {
            let width = usize::from(self.buffer().area.width);
            let got: Vec<String> = self
                .buffer()
                .content
                .chunks(width)
                .map(|row| row.iter().map(ratatui::buffer::Cell::symbol).collect())
                .collect();
            assert_eq!(got, expected);
        }
    }
}
