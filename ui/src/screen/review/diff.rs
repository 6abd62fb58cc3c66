//! The proposed file against the one on disk, as rows.
//!
//! Owns what counts as added and removed and which words of a changed line are marked. Pure; wraps to a width,
//! and knows for each line on screen which row it belongs to.

use crate::text;
use crate::theme::{Role, Theme};
use ratatui::text::{Line, Span};
use similar::{ChangeTag, TextDiff};

/// What a row is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Same,
    Added,
    Removed,
}

/// One line of either file.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Row {
    pub kind: Kind,
    /// The words, each with whether it is what changed in the line.
    pub words: Vec<(bool, String)>,
}

impl Row {
    /// The whole line.
    pub fn text(&self) -> String {
        self.words.iter().map(|(_, word)| word.as_str()).collect()
    }
}

/// The rows of a change; `before` is the card on disk, if there is one.
pub(super) fn rows(before: Option<&str>, after: &str) -> Vec<Row> {
    let Some(before) = before else {
        let row = |line: &str| Row { kind: Kind::Added, words: vec![(false, line.to_owned())] };
        return text::lines(after.strip_suffix('\n').unwrap_or(after)).map(row).collect();
    };
    let diff = TextDiff::from_lines(before, after);
    let mut rows = Vec::new();
    for change in diff.ops().iter().flat_map(|op| diff.iter_inline_changes(op)) {
        let kind = match change.tag() {
            ChangeTag::Equal => Kind::Same,
            ChangeTag::Insert => Kind::Added,
            ChangeTag::Delete => Kind::Removed,
        };
        let words = change.iter_strings_lossy().map(|(changed, word)| {
            (changed && kind != Kind::Same, word.trim_end_matches(['\r', '\n']).to_owned())
        });
        let mut words: Vec<(bool, String)> = words.filter(|(_, word)| !word.is_empty()).collect();
        // Where all of a line changed, marking every word marks nothing.
        if words.iter().all(|(changed, word)| *changed || word.trim().is_empty()) {
            words.iter_mut().for_each(|(changed, _)| *changed = false);
        }
        rows.push(Row { kind, words });
    }
    rows
}

/// How many rows are added and removed.
pub(super) fn counts(rows: &[Row]) -> (usize, usize) {
    let count = |kind| rows.iter().filter(|row| row.kind == kind).count();
    (count(Kind::Added), count(Kind::Removed))
}

/// Rows as lines of a width.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Sheet {
    pub lines: Vec<Line<'static>>,
    /// The row of each line.
    pub rows: Vec<usize>,
}

impl Sheet {
    /// The first line of a row, and the one after its last.
    pub fn lines_of(&self, row: usize) -> (usize, usize) {
        (self.rows.partition_point(|of| *of < row), self.rows.partition_point(|of| *of <= row))
    }
}

/// Lays rows out; in a new card, where everything is added, only the signs are coloured.
pub(super) fn lay(rows: &[Row], is_new: bool, width: usize, theme: &Theme) -> Sheet {
    let mut sheet = Sheet::default();
    for (index, row) in rows.iter().enumerate() {
        let (sign, role, word_role) = match row.kind {
            Kind::Same => ("  ", Role::Dim, Role::Dim),
            Kind::Added => ("+ ", Role::Added, Role::AddedWord),
            Kind::Removed => ("- ", Role::Removed, Role::RemovedWord),
        };
        let words = match row.kind {
            Kind::Added if is_definition(&row.text()) => Role::Dim,
            _ if is_new => Role::Text,
            _ => role,
        };
        let mut spans = Vec::new();
        for (changed, word) in &row.words {
            spans.extend(text::spans(word, theme.style(if *changed { word_role } else { words })));
        }
        for (number, mut line) in text::wrap_spans(spans, width.saturating_sub(2)).into_iter().enumerate() {
            // What goes on below is the same line of the file.
            let sign = if number == 0 { sign } else { "  " };
            line.spans.insert(0, Span::styled(sign, theme.style(role)));
            sheet.lines.push(line);
            sheet.rows.push(index);
        }
    }
    sheet
}

/// Whether a line defines a footnote: part of the file, but nothing to read.
fn is_definition(line: &str) -> bool {
    line.strip_prefix("[^").is_some_and(|rest| rest.contains("]: "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(before: Option<&str>, after: &str, expected: &[&str]) {
        let shown: Vec<String> = rows(before, after)
            .iter()
            .map(|row| {
                let sign = match row.kind {
                    Kind::Same => ' ',
                    Kind::Added => '+',
                    Kind::Removed => '-',
                };
                let words = row
                    .words
                    .iter()
                    .map(|(changed, word)| if *changed { format!("‹{word}›") } else { word.clone() });
                format!("{sign}{}", words.collect::<String>())
            })
            .collect();
        assert_eq!(shown, expected);
    }

    #[test]
    fn changed_words_are_marked() {
        check(None, "a\nb\n", &["+a", "+b"]);
        check(Some("a\n"), "a\n", &[" a"]);
        check(Some("a\nb\n"), "a\nc\n", &[" a", "-b", "+c"]);
        check(
            Some("- chose SQLite over Postgres: 40 MB\n"),
            "- chose SQLite over Postgres: 60 MB\n",
            &["-- chose SQLite over Postgres: ‹40› MB", "+- chose SQLite over Postgres: ‹60› MB"],
        );
        check(Some("a\r\nb"), "a\r\nb\r\n", &[" a", "-b", "+b"]);
    }

    #[test]
    fn lines_know_their_rows() {
        let sheet = lay(&rows(None, "one two three\nfour\n"), true, 9, &Theme::default());
        let shown: Vec<String> = sheet.lines.iter().map(ToString::to_string).collect();
        assert_eq!(shown, ["+ one two", "  three", "+ four"]);
        assert_eq!(sheet.rows, [0, 0, 1]);
        assert_eq!(sheet.lines_of(0), (0, 2));
        assert_eq!(sheet.lines_of(1), (2, 3));
        assert_eq!(sheet.lines_of(9), (3, 3));
    }
}
