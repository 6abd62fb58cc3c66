//! Everything that can happen to the interface, as one closed enum.
//!
//! Events are data: they carry no handle, and the time arrives in them. Made by `driver` from the terminal, the
//! watcher and the answers of effects; consumed by `app`.

use crate::effect::{Answer, Ticket};
use chrono::{DateTime, NaiveDate, Utc};
use crossterm::event::{KeyEvent, KeyEventKind, MouseEvent};
use reme_core::watch::Notice;

/// Something that happened.
#[derive(Debug)]
pub enum Event {
    /// What a person did.
    Input(Input),
    /// The terminal has another size.
    Resize(u16, u16),
    /// Time went by; sent while something moves on screen, and when the day changes.
    Tick {
        /// Now.
        now: DateTime<Utc>,
        /// Today in the workspace's zone.
        today: NaiveDate,
    },
    /// The watcher reports.
    Notice(Notice),
    /// An effect answers; some answer more than once.
    Loaded(Ticket, Answer),
}

/// What a person did.
#[derive(Debug)]
pub enum Input {
    /// A key was pressed or repeats.
    Key(KeyEvent),
    /// The mouse did something.
    Mouse(MouseEvent),
    /// Text was pasted, whole.
    Paste(String),
}

impl Event {
    /// The event behind what the terminal sent; `None` for what nobody listens to (key releases, focus).
    pub fn from_terminal(event: crossterm::event::Event) -> Option<Event> {
        use crossterm::event::Event as Sent;
        match event {
            Sent::Key(key) if key.kind == KeyEventKind::Release => None,
            Sent::Key(key) => Some(Event::Input(Input::Key(key))),
            Sent::Mouse(mouse) => Some(Event::Input(Input::Mouse(mouse))),
            Sent::Paste(text) => Some(Event::Input(Input::Paste(text))),
            Sent::Resize(width, height) => Some(Event::Resize(width, height)),
            Sent::FocusGained | Sent::FocusLost => None,
        }
    }
}
