//! Text that breaks out of its paste.
//!
//! A pasted text may hold the mark that ends a paste; what follows it arrives as keys, all at once. Keys that
//! come on the heels of a paste are therefore more of the pasted text: they are shown, and never act.

use crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use std::time::{Duration, Instant};

/// No person presses a key this soon after a paste, or after what counts as pasted.
const HEELS: Duration = Duration::from_millis(5);

/// Remembers when the last pasted text came, and whether a person can have seen it.
#[derive(Debug, Default)]
pub struct PasteGuard {
    last: Option<Instant>,
    shown: bool,
}

impl PasteGuard {
    /// Takes one event that came at `now`; a key that belongs to a paste becomes one.
    pub fn pass(&mut self, event: Event, now: Instant) -> Event {
        let close = self.last.is_some_and(|last| !self.shown || now.saturating_duration_since(last) <= HEELS);
        let event = match event {
            Event::Key(key) if close && key.kind != KeyEventKind::Release => Event::Paste(typed_by(&key)),
            event => event,
        };
        if matches!(event, Event::Paste(_)) {
            self.last = Some(now);
            self.shown = false;
        }
        event
    }

    /// A frame was drawn: what comes from now on may be an answer to what it shows.
    pub fn shown(&mut self) {
        self.shown = true;
    }
}

/// The characters that were read as this key.
fn typed_by(key: &KeyEvent) -> String {
    let c = match key.code {
        KeyCode::Char(c) if key.modifiers.contains(KeyModifiers::CONTROL) => {
            char::from(u8::try_from(c).unwrap_or(b'@') & 0x1F)
        }
        KeyCode::Char(c) => c,
        KeyCode::Enter => '\n',
        KeyCode::Tab => '\t',
        KeyCode::Backspace => '\u{7f}',
        KeyCode::Esc => '\u{1b}',
        _ => return String::new(),
    };
    let escape = if key.modifiers.contains(KeyModifiers::ALT) { "\u{1b}" } else { "" };
    format!("{escape}{c}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_on_the_heels_of_a_paste_are_text() {
        let start = Instant::now();
        let key = |code, modifiers| Event::Key(KeyEvent::new(code, modifiers));
        let quit = || key(KeyCode::Char('c'), KeyModifiers::CONTROL);
        let paste = |text: &str| Event::Paste(text.to_owned());
        let mut guard = PasteGuard::default();
        // (time, what was sent, what it counts as); a frame is drawn at 45 ms.
        for (millis, sent, expected) in [
            (0, quit(), quit()),
            (1, paste("a"), paste("a")),
            (2, key(KeyCode::Char(':'), KeyModifiers::NONE), paste(":")),
            (20, key(KeyCode::Enter, KeyModifiers::NONE), paste("\n")),
            (40, quit(), paste("\u{3}")),
            (41, key(KeyCode::Char('j'), KeyModifiers::CONTROL), paste("\n")),
            (42, key(KeyCode::Char('x'), KeyModifiers::ALT), paste("\u{1b}x")),
            (43, key(KeyCode::F(1), KeyModifiers::NONE), paste("")),
            (44, Event::FocusGained, Event::FocusGained),
            (46, quit(), paste("\u{3}")),
            (47, key(KeyCode::F(1), KeyModifiers::NONE), paste("")),
            (70, quit(), quit()),
            (71, quit(), quit()),
        ] {
            if millis == 46 || millis == 70 {
                guard.shown();
            }
            assert_eq!(guard.pass(sent, start + Duration::from_millis(millis)), expected, "{millis}");
        }
    }
}
