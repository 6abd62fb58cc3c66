//! One line of text that is edited.
//!
//! Owns the text and the cursor, which moves by what a person sees as one character. Whether the text is valid
//! is its owner's business, who passes the complaint along when it is drawn.

use crate::text;
use crate::theme::{Role, Theme};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use unicode_segmentation::UnicodeSegmentation;

/// A line that is edited.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Input {
    text: String,
    /// Bytes before the cursor; always between two clusters.
    cursor: usize,
}

impl Input {
    /// A line with this text, the cursor at its end.
    pub fn new(text: impl Into<String>) -> Input {
        let text = text.into();
        let cursor = text.len();
        Input { text, cursor }
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Takes a key; says whether the text changed.
    pub fn key(&mut self, key: &KeyEvent) -> bool {
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        let plain = !control && !key.modifiers.contains(KeyModifiers::ALT);
        match key.code {
            KeyCode::Char(c) if plain => self.insert(c.encode_utf8(&mut [0; 4])),
            KeyCode::Char('u') if control => self.replace(0, self.cursor),
            KeyCode::Char('w') if control => self.replace(self.word_start(), self.cursor),
            KeyCode::Backspace => self.replace(self.before(), self.cursor),
            KeyCode::Delete => self.replace(self.cursor, self.after()),
            KeyCode::Left => self.go(self.before()),
            KeyCode::Right => self.go(self.after()),
            KeyCode::Home => self.go(0),
            KeyCode::End => self.go(self.text.len()),
            _ => false,
        }
    }

    /// Takes pasted text; line ends become blanks.
    pub fn paste(&mut self, pasted: &str) -> bool {
        let line: Vec<&str> = pasted.split(['\r', '\n']).filter(|part| !part.is_empty()).collect();
        self.insert(&line.join(" "))
    }

    fn insert(&mut self, words: &str) -> bool {
        self.text.insert_str(self.cursor, words);
        self.cursor += words.len();
        !words.is_empty()
    }

    fn replace(&mut self, from: usize, to: usize) -> bool {
        self.text.replace_range(from..to, "");
        self.cursor = from;
        from != to
    }

    fn go(&mut self, to: usize) -> bool {
        self.cursor = to;
        false
    }

    fn head(&self) -> &str {
        self.text.get(..self.cursor).unwrap_or_default()
    }

    fn tail(&self) -> &str {
        self.text.get(self.cursor..).unwrap_or_default()
    }

    fn before(&self) -> usize {
        self.head().grapheme_indices(true).next_back().map_or(0, |(at, _)| at)
    }

    fn after(&self) -> usize {
        self.cursor + self.tail().graphemes(true).next().map_or(0, str::len)
    }

    fn word_start(&self) -> usize {
        let head = self.head().trim_end();
        head.rfind(|c: char| !c.is_alphanumeric()).map_or(0, |at| {
            let width = head.get(at..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8);
            if at + width == head.len() { at } else { at + width }
        })
    }

    /// Draws the line; with the focus, the cursor is seen and kept in view.
    pub fn draw(&self, focused: bool, valid: bool, theme: &Theme, frame: &mut Frame<'_>, area: Rect) {
        let width = usize::from(area.width);
        if width == 0 || area.height == 0 {
            return;
        }
        let field = theme.style(Role::Field);
        let style = if valid { field } else { field.patch(theme.style(Role::Error)) };
        let mut spans = text::spans(self.head(), style);
        if focused {
            let under = self.tail().graphemes(true).next().unwrap_or(" ");
            spans.extend(text::spans(under, style.patch(theme.style(Role::Cursor))));
            spans.extend(text::spans(self.tail().get(under.len()..).unwrap_or_default(), style));
        } else {
            spans.extend(text::spans(self.tail(), style));
        }
        let at = text::width(&text::clean(self.head()));
        let under = text::width(&text::clean(self.tail().graphemes(true).next().unwrap_or(" "))).max(1);
        let skip = if focused { (at + under).saturating_sub(width) } else { 0 };
        let mut line = skip_cells(spans, skip);
        let used = text::spans_width(&line);
        line.push(Span::styled(" ".repeat(width.saturating_sub(used)), style));
        frame.render_widget(Line::from(line), Rect { height: 1, ..area });
    }
}

/// The spans without their first cells; a wide character that is cut leaves a blank.
fn skip_cells(spans: Vec<Span<'static>>, mut cells: usize) -> Vec<Span<'static>> {
    let mut out = Vec::new();
    for span in spans {
        let width = text::width(&span.content);
        if cells >= width {
            cells -= width;
            continue;
        }
        let rest = text::tail(&span.content, width - cells).to_owned();
        let lost = width - cells - text::width(&rest);
        out.push(Span::styled(" ".repeat(lost) + &rest, span.style));
        cells = 0;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui::{Terminal, backend::TestBackend};

    fn press(input: &mut Input, code: KeyCode) {
        input.key(&KeyEvent::new(code, KeyModifiers::NONE));
    }

    #[test]
    fn the_cursor_moves_by_what_is_seen() {
        let mut input = Input::new("日e\u{301}👩‍👩‍👧‍👦");
        press(&mut input, KeyCode::Backspace);
        assert_eq!(input.text(), "日e\u{301}");
        press(&mut input, KeyCode::Left);
        press(&mut input, KeyCode::Char('x'));
        assert_eq!(input.text(), "日xe\u{301}");
        press(&mut input, KeyCode::Delete);
        press(&mut input, KeyCode::Delete);
        press(&mut input, KeyCode::Home);
        press(&mut input, KeyCode::Backspace);
        press(&mut input, KeyCode::Right);
        press(&mut input, KeyCode::Backspace);
        assert_eq!(input.text(), "x");
    }

    #[test]
    fn words_and_lines_are_deleted_at_once() {
        for (text, key, expected) in [
            ("one two", 'w', "one "),
            ("one two ", 'w', "one "),
            ("a/b", 'w', "a/"),
            ("a/", 'w', "a"),
            ("x y", 'u', ""),
        ] {
            let mut input = Input::new(text);
            input.key(&KeyEvent::new(KeyCode::Char(key), KeyModifiers::CONTROL));
            assert_eq!(input.text(), expected, "{text:?} {key}");
        }
    }

    #[test]
    fn a_paste_stays_on_one_line() {
        let mut input = Input::default();
        assert!(input.paste("a\r\nb\n\nc\n"));
        assert_eq!(input.text(), "a b c");
    }

    #[test]
    fn the_end_stays_in_view_and_no_size_panics() {
        let input = Input::new("session-日本語-\u{1b}-end");
        for (width, expected) in [(40, "session-日 本 語 -␛-end"), (6, "␛-end"), (1, "")] {
            let mut terminal = Terminal::new(TestBackend::new(width, 1)).unwrap();
            terminal.draw(|frame| input.draw(true, true, &Theme::default(), frame, frame.area())).unwrap();
            let shown: String =
                terminal.backend().buffer().content.iter().map(|cell| cell.symbol()).collect();
            assert_eq!(shown.trim_end(), expected, "{width}");
        }
    }
}
