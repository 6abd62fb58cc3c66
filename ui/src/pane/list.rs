//! The window of a list: which of its rows are visible. The selection itself is the screen's.

/// The first visible row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Window {
    /// Index of the first visible row.
    pub first: usize,
}

impl Window {
    /// Moves as little as needed so that `selected` of `len` rows is visible in `height` rows.
    pub fn follow(&mut self, selected: usize, len: usize, height: usize) {
        let height = height.max(1);
        let last_first = len.saturating_sub(height);
        self.first = self.first.max((selected + 1).saturating_sub(height)).min(selected).min(last_first);
    }
}

/// The row `by` steps from `selected`, within a list of `len` rows.
pub fn step(selected: usize, by: isize, len: usize) -> usize {
    selected.saturating_add_signed(by).min(len.saturating_sub(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_window_follows_the_selection() {
        for (first, selected, len, height, expected) in [
            (0, 0, 10, 4, 0),
            (0, 3, 10, 4, 0),
            (0, 4, 10, 4, 1),
            (5, 2, 10, 4, 2),
            (8, 9, 10, 4, 6),
            (3, 1, 2, 4, 0),
            (0, 5, 10, 0, 5),
            (0, 0, 0, 4, 0),
        ] {
            let mut window = Window { first };
            window.follow(selected, len, height);
            assert_eq!(window.first, expected, "{first} {selected} {len} {height}");
        }
    }
}
