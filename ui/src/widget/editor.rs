//! An editor of many lines.
//!
//! Owns the text as it was given: characters that a terminal must not see are held veiled and drawn as their
//! placeholders, and come back unchanged.

use crate::text;
use crate::theme::{Role, Theme};
use crossterm::event::KeyEvent;
use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;
use ratatui::text::Text;
use std::cmp::Ordering;
use std::fmt;
use tui_textarea::{TextArea, WrapMode};

/// Undo steps that are kept.
const HISTORY: usize = 100;

/// An editor.
#[derive(Clone)]
pub struct Editor {
    area: TextArea<'static>,
}

impl fmt::Debug for Editor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Editor").field("lines", &self.area.lines().len()).finish()
    }
}

impl Default for Editor {
    fn default() -> Self {
        Editor::new("")
    }
}

impl Editor {
    /// An editor with this text, the cursor at its start.
    pub fn new(text: &str) -> Editor {
        let mut area = TextArea::new(text::veil(text).split('\n').map(ToOwned::to_owned).collect());
        area.set_max_histories(HISTORY);
        area.set_tab_length(4);
        area.set_wrap_mode(WrapMode::WordOrGlyph);
        // The theme is not known here, and the focus changes: the cursor is drawn by `draw`.
        area.set_cursor_line_style(Style::new());
        area.set_cursor_style(Style::new());
        Editor { area }
    }

    /// The text.
    pub fn text(&self) -> String {
        text::unveil(&self.area.lines().join("\n")).into_owned()
    }

    /// The text before and after the cursor.
    pub fn split(&self) -> (String, String) {
        let (row, column) = (self.area.cursor().0, self.area.cursor().1);
        let (mut before, mut after) = (String::new(), String::new());
        for (at, line) in self.area.lines().iter().enumerate() {
            let end = if at + 1 < self.area.lines().len() { "\n" } else { "" };
            let cut = line.char_indices().nth(column).map_or(line.len(), |(cut, _)| cut);
            let (head, tail) = match at.cmp(&row) {
                Ordering::Less => (line.as_str(), ""),
                Ordering::Equal => line.split_at_checked(cut).unwrap_or((line, "")),
                Ordering::Greater => ("", line.as_str()),
            };
            before.push_str(head);
            after.push_str(tail);
            if at < row { before.push_str(end) } else { after.push_str(end) }
        }
        (text::unveil(&before).into_owned(), text::unveil(&after).into_owned())
    }

    /// Whether there is nothing but blanks.
    pub fn is_blank(&self) -> bool {
        self.area.lines().iter().all(|line| line.trim().is_empty())
    }

    /// Its bytes, without making the text.
    pub fn length(&self) -> usize {
        self.area.lines().iter().map(|line| line.len() + 1).sum()
    }

    /// Takes a key; says whether the text changed.
    pub fn key(&mut self, key: KeyEvent) -> bool {
        self.area.input(key)
    }

    /// Takes pasted text as one step; line ends of any kind become line feeds.
    pub fn paste(&mut self, pasted: &str) -> bool {
        let pasted = pasted.replace("\r\n", "\n").replace('\r', "\n");
        self.area.insert_str(text::veil(&pasted))
    }

    /// Draws the text; with the focus, its cursor. An empty one shows `hint`.
    pub fn draw(&self, hint: &str, focused: bool, theme: &Theme, frame: &mut Frame<'_>, area: Rect) {
        let area = area.intersection(frame.area());
        if area.is_empty() {
            return;
        }
        if self.area.is_empty() {
            let lines = text::wrap(hint, usize::from(area.width), theme.style(Role::Dim));
            frame.render_widget(Text::from(lines), area);
        } else {
            frame.render_widget(&self.area, area);
        }
        let mark = theme.style(Role::Dim);
        for position in area.positions() {
            if let Some(cell) = frame.buffer_mut().cell_mut(position) {
                let veiled = cell.symbol().chars().next().and_then(text::veil_symbol);
                if let Some(symbol) = veiled {
                    cell.set_char(symbol).set_style(mark);
                }
            }
        }
        if focused {
            self.draw_cursor(theme.style(Role::Cursor), frame, area);
        }
    }

    fn draw_cursor(&self, style: Style, frame: &mut Frame<'_>, area: Rect) {
        let (cursor, (top, left)) = (self.area.screen_cursor(), self.area.scroll_offset());
        let at =
            |screen: usize, offset: u16| u16::try_from(screen).unwrap_or(u16::MAX).saturating_sub(offset);
        let position = Position::new(
            area.x.saturating_add(at(cursor.col, left)).min(area.right().saturating_sub(1)),
            area.y.saturating_add(at(cursor.row, top)),
        );
        if let Some(cell) = frame.buffer_mut().cell_mut(position).filter(|_| area.contains(position)) {
            cell.set_style(style);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crossterm::event::KeyCode;
    use ratatui::{Terminal, backend::TestBackend};

    #[test]
    fn what_is_pasted_is_text_and_comes_back() {
        let mut editor = Editor::default();
        assert!(editor.paste("a\r\nb\rc\u{1b}[201~:quit\n\u{3}\u{202e}x"));
        assert_eq!(editor.text(), "a\nb\nc\u{1b}[201~:quit\n\u{3}\u{202e}x");
        let mut terminal = Terminal::new(TestBackend::new(20, 5)).unwrap();
        terminal.draw(|frame| editor.draw("", true, &Theme::default(), frame, frame.area())).unwrap();
        let shown: Vec<String> = terminal
            .backend()
            .buffer()
            .content
            .chunks(20)
            .map(|row| row.iter().map(|cell| cell.symbol()).collect::<String>().trim_end().to_owned())
            .collect();
        assert_eq!(shown, ["a", "b", "c␛[201~:quit", "␃▯x", ""]);
    }

    #[test]
    fn the_cursor_parts_the_text() {
        let mut editor = Editor::default();
        editor.paste("one\n日本語\nlast");
        assert_eq!(editor.split(), ("one\n日本語\nlast".into(), String::new()));
        for key in [KeyCode::Up, KeyCode::Home, KeyCode::Right] {
            editor.key(key.into());
        }
        assert_eq!(editor.split(), ("one\n日".into(), "本語\nlast".into()));
    }

    #[test]
    fn no_size_panics() {
        let editor = Editor::new("日本語 text\tand\nmore");
        for (width, height) in [(1, 1), (2, 1), (3, 2), (200, 60)] {
            let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
            for focused in [true, false] {
                terminal
                    .draw(|frame| editor.draw("hint", focused, &Theme::default(), frame, frame.area()))
                    .unwrap();
            }
        }
    }
}
