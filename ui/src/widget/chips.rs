//! Tags as chips, in as many rows as they need.

use crate::text;
use crate::theme::{Role, Theme};
use ratatui::text::{Line, Span};
use std::ops::Range;

/// One chip.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chip {
    /// The tag.
    pub label: String,
    /// Whether it is taken.
    pub on: bool,
}

/// Chips in rows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rows {
    /// The rows.
    pub lines: Vec<Line<'static>>,
    /// Where each chip is: row and cells.
    pub places: Vec<(usize, Range<u16>)>,
}

/// Lays chips out in rows of `width`; the chip at `selected` has the focus.
pub fn lay(chips: &[Chip], selected: Option<usize>, width: usize, theme: &Theme) -> Rows {
    let mut rows = Rows::default();
    let mut line: Vec<Span<'static>> = Vec::new();
    let mut used = 0;
    for (index, chip) in chips.iter().enumerate() {
        let mark = if chip.on { "✓" } else { "·" };
        let label = format!(" {mark} {} ", text::truncate(&chip.label, width.saturating_sub(5).max(1)));
        let cells = text::width(&label);
        if used + cells > width && !line.is_empty() {
            rows.lines.push(Line::from(std::mem::take(&mut line)));
            used = 0;
        }
        let role = match (selected == Some(index), chip.on) {
            (true, _) => Role::ButtonFocus,
            (false, true) => Role::Tag,
            (false, false) => Role::TagOff,
        };
        let column = |at: usize| u16::try_from(at).unwrap_or(u16::MAX);
        rows.places.push((rows.lines.len(), column(used)..column(used + cells)));
        line.push(Span::styled(label, theme.style(role)));
        line.push(Span::raw(" "));
        used += cells + 1;
    }
    if !line.is_empty() {
        rows.lines.push(Line::from(line));
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chips_wrap_and_are_cut_to_the_row() {
        let chips: Vec<Chip> = [("SQLite", true), ("Oslo", false), ("a\u{1b}very-long-tag-name", true)]
            .into_iter()
            .map(|(label, on)| Chip { label: label.into(), on })
            .collect();
        let rows = lay(&chips, Some(1), 20, &Theme::default());
        let shown: Vec<String> = rows.lines.iter().map(|line| line.to_string().trim_end().into()).collect();
        assert_eq!(shown, [" ✓ SQLite   · Oslo", " ✓ a␛very-long-ta…"]);
        assert_eq!(rows.places, [(0, 0..10), (0, 11..19), (1, 0..19)]);
        lay(&chips, None, 0, &Theme::default());
    }
}
