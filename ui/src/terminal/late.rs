//! Answers that come too late.
//!
//! Owns one rule: a reply of the terminal that arrives among the keys is swallowed whole, and whatever turns out
//! to be no reply is passed on in order. Holds keys back only while they look like the start of a reply.

use super::answers::{Answers, Open};
use crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers};

/// No reply that we ask for is longer; more keys than this are a person's.
const LONGEST: usize = 64;

/// The filter between the terminal's events and the application.
#[derive(Debug, Default)]
pub struct LateAnswers {
    expecting: bool,
    open: Option<Open>,
    /// What the reply says so far, and the events that it came as.
    body: String,
    held: Vec<Event>,
}

impl LateAnswers {
    /// The filter for what is still unanswered.
    pub(super) fn after(answers: &Answers) -> LateAnswers {
        LateAnswers { expecting: !answers.complete, open: answers.open, ..LateAnswers::default() }
    }

    /// Takes one event; returns what the application gets.
    pub fn pass(&mut self, event: Event) -> Vec<Event> {
        let Event::Key(key) = &event else { return self.release(Some(event)) };
        if !self.expecting {
            return vec![event];
        }
        let key = *key;
        match self.open {
            None => match opening(&key) {
                Some(start) => {
                    self.open = Some(Open::Text);
                    self.body = start.into();
                    self.held.push(event);
                    Vec::new()
                }
                None => vec![event],
            },
            Some(open) => {
                self.held.push(event);
                self.advance(open, &key)
            }
        }
    }

    fn advance(&mut self, open: Open, key: &KeyEvent) -> Vec<Event> {
        let plain = if let (KeyCode::Char(c), true) = (key.code, is_plain(key)) { Some(c) } else { None };
        match (open, plain) {
            (Open::Escape, Some('[')) => self.open = Some(Open::Control),
            (Open::Escape, Some(']' | '_' | 'P')) => self.open = Some(Open::Text),
            (Open::Control, Some('0'..='9' | ';' | '?')) => {}
            (Open::Control, Some('c' | 't')) | (Open::TextEscape, Some('\\')) => self.swallow(),
            (Open::Text, _) if is_end(key) => self.swallow(),
            (Open::Text, Some(c)) if self.body.len() < LONGEST && c.is_ascii_graphic() && self.fits(c) => {}
            _ => return self.release(None),
        }
        Vec::new()
    }

    /// Whether the reply may go on like this. One that began while we were listening has lost its start, so that
    /// only its characters can be checked.
    fn fits(&mut self, c: char) -> bool {
        if self.body.is_empty() {
            return true;
        }
        self.body.push(c);
        ["]11;rgb:", "]11;rgba:", "_Gi=31;"]
            .iter()
            .any(|known| self.body.starts_with(known) || known.starts_with(self.body.as_str()))
    }

    fn swallow(&mut self) {
        self.open = None;
        self.body.clear();
        self.held.clear();
    }

    fn release(&mut self, last: Option<Event>) -> Vec<Event> {
        self.open = None;
        self.body.clear();
        let mut events = std::mem::take(&mut self.held);
        events.extend(last);
        events
    }
}

/// The start of a reply, as the key that its first two bytes are read as.
fn opening(key: &KeyEvent) -> Option<&'static str> {
    match (key.code, key.modifiers) {
        (KeyCode::Char(']'), KeyModifiers::ALT) => Some("]"),
        (KeyCode::Char('_'), KeyModifiers::ALT) => Some("_"),
        _ => None,
    }
}

/// `ESC \` or BEL.
fn is_end(key: &KeyEvent) -> bool {
    matches!(
        (key.code, key.modifiers),
        (KeyCode::Char('\\'), KeyModifiers::ALT) | (KeyCode::Char('g'), KeyModifiers::CONTROL)
    )
}

fn is_plain(key: &KeyEvent) -> bool {
    key.modifiers.difference(KeyModifiers::SHIFT).is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Keys as text: `^[` makes the next one Alt, `^G` is Ctrl-G.
    fn keys(text: &str) -> Vec<Event> {
        let mut events = Vec::new();
        let mut chars = text.chars().peekable();
        while let Some(c) = chars.next() {
            let (code, modifiers) = match (c, chars.peek().copied()) {
                ('^', Some('[')) => {
                    chars.next();
                    (chars.next().unwrap(), KeyModifiers::ALT)
                }
                ('^', Some('G')) => {
                    chars.next();
                    ('g', KeyModifiers::CONTROL)
                }
                (c, _) => (c, KeyModifiers::NONE),
            };
            events.push(Event::Key(KeyEvent::new(KeyCode::Char(code), modifiers)));
        }
        events
    }

    #[track_caller]
    fn check(open: Option<Open>, complete: bool, sent: &str, expected: &str) {
        let mut filter = LateAnswers::after(&Answers { complete, open, ..Answers::default() });
        let got: Vec<Event> = keys(sent).into_iter().flat_map(|event| filter.pass(event)).collect();
        assert_eq!(got, keys(expected), "{sent}");
    }

    #[test]
    fn late_answers_never_become_keys() {
        for (open, complete, sent, expected) in [
            (None, false, "jk", "jk"),
            (None, false, "j^[]11;rgb:1a1a/1b1b/2626^[\\k", "jk"),
            (None, false, "^[]11;rgb:1a/1b/26^Gq", "q"),
            (None, false, "^[_Gi=31;OK^[\\q", "q"),
            (None, false, "^[_Gi=31;ENOTSUP:x^[\\^[]11;rgb:0/0/0^[\\q", "q"),
            (None, false, "^[]x", "^[]x"),
            (None, false, "^[]11;xq", "^[]11;xq"),
            (None, true, "^[]11;rgb:1a1a/1b1b/2626^[\\", "^[]11;rgb:1a1a/1b1b/2626^[\\"),
            (Some(Open::Text), false, "1a/2626^[\\q", "q"),
            (Some(Open::TextEscape), false, "\\q", "q"),
            (Some(Open::Control), false, "0;10tq", "q"),
            (Some(Open::Escape), false, "[?62;4cq", "q"),
            (Some(Open::Escape), false, "]11;rgb:1/1/1^[\\q", "q"),
            (Some(Open::Escape), false, "jq", "jq"),
        ] {
            check(open, complete, sent, expected);
        }
    }
}
