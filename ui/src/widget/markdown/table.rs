//! Tables: columns as wide as their words need and the page allows.

use super::Inline;
use crate::text::{self, Wrapped};
use crate::theme::{Role, Theme};
use ratatui::text::{Line, Span};

/// No column gets narrower than this; a page that is too narrow even so cuts the table.
const NARROWEST: usize = 3;
const BETWEEN: &str = " │ ";

/// The cells of a table, row by row, the head first.
#[derive(Default)]
pub(super) struct Table {
    pub rows: Vec<Vec<Inline>>,
}

impl Table {
    pub fn lay(self, room: usize, theme: &Theme) -> Vec<Wrapped> {
        let widths = self.widths(room);
        let line = theme.style(Role::Border);
        let mut out = Vec::new();
        for (index, row) in self.rows.into_iter().enumerate() {
            let mut cells: Vec<Vec<Wrapped>> = Vec::new();
            for (cell, width) in row.into_iter().zip(&widths) {
                let cell = if index == 0 { strong(cell, theme) } else { cell };
                cells.push(text::wrap_marked(cell, *width));
            }
            let height = cells.iter().map(Vec::len).max().unwrap_or(0);
            for at in 0..height {
                let parts =
                    cells.iter_mut().map(|cell| cell.get_mut(at).map(std::mem::take).unwrap_or_default());
                out.push(join(parts, &widths, line));
            }
            if index == 0 {
                let rule: Vec<String> = widths.iter().map(|width| "─".repeat(*width)).collect();
                out.push(Wrapped { line: Line::styled(rule.join("─┼─"), line), ..Wrapped::default() });
            }
        }
        out
    }

    fn widths(&self, room: usize) -> Vec<usize> {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let mut widths = vec![1; columns];
        for row in &self.rows {
            for (width, cell) in widths.iter_mut().zip(row) {
                let cells = cell.iter().map(|(span, _)| text::width(&span.content)).sum();
                *width = (*width).max(cells);
            }
        }
        let room = room.saturating_sub(BETWEEN.chars().count() * columns.saturating_sub(1));
        // Level the widest columns down to one height that fits, rather than all in proportion.
        let mut excess = widths.iter().sum::<usize>().saturating_sub(room);
        while excess > 0 {
            let Some(widest) = widths.iter_mut().max().filter(|width| **width > NARROWEST) else { break };
            *widest -= 1;
            excess -= 1;
        }
        widths
    }
}

fn strong(cell: Inline, theme: &Theme) -> Inline {
    let strong = theme.style(Role::Strong);
    cell.into_iter().map(|(span, link)| (span.patch_style(strong), link)).collect()
}

fn join(parts: impl Iterator<Item = Wrapped>, widths: &[usize], between: ratatui::style::Style) -> Wrapped {
    let mut spans: Vec<Span<'static>> = Vec::new();
    let mut marks = Vec::new();
    let mut at = 0;
    for (index, (part, width)) in parts.zip(widths).enumerate() {
        if index > 0 {
            spans.push(Span::styled(BETWEEN, between));
            at += BETWEEN.chars().count();
        }
        marks.extend(part.marks.into_iter().map(|(range, mark)| (range.start + at..range.end + at, mark)));
        let used = text::spans_width(&part.line.spans);
        spans.extend(part.line.spans);
        spans.push(Span::raw(" ".repeat(width.saturating_sub(used))));
        at += (*width).max(used);
    }
    Wrapped { line: Line::from(spans), marks }
}
