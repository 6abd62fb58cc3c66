//! What every screen sees, and the only way in which a screen reaches beyond itself.
//!
//! Holds the shared part of the model (snapshot, size, theme, day) and collects what an update wants done; it
//! never does any of it. Made and emptied by `app`, read and written to by screens.

use crate::effect::{Effect, Request, Ticket};
use crate::terminal::Pictures;
use crate::theme::Theme;
use chrono::{DateTime, NaiveDate, Utc};
use ratatui::layout::{Constraint, Layout, Rect, Size};
use reme_core::catalog::Snapshot;
use reme_core::message::time::Zone;
use reme_core::workspace::RelPath;
use std::path::PathBuf;
use std::sync::Arc;

/// The facts that an interface starts with.
#[derive(Clone, Debug)]
pub struct Setting {
    /// The workspace's folder, as a person knows it.
    pub workspace: String,
    /// The zone in force.
    pub zone: Zone,
    /// Now.
    pub now: DateTime<Utc>,
    /// Today in that zone.
    pub today: NaiveDate,
    /// The terminal's size.
    pub size: Size,
    /// How roles look.
    pub theme: Arc<Theme>,
    /// How the terminal shows pictures.
    pub pictures: Pictures,
    /// A conversation file that waits to be memorized.
    pub waiting: Option<PathBuf>,
}

/// How changes from outside are noticed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Watching {
    /// By file events.
    #[default]
    Events,
    /// By looking every few seconds; the text says why.
    Polling(String),
}

/// How a status line is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// Something happened as asked.
    Good,
    /// Something to know.
    Info,
    /// Something went wrong.
    Bad,
}

/// A line for the person; it stays until the next key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Status {
    /// How it is meant.
    pub tone: Tone,
    /// The text; untrusted parts are sanitised when drawn.
    pub text: String,
}

/// The shared part of the model.
#[derive(Debug)]
pub struct Context {
    /// What the interface started with; `now`, `today`, `size` and `waiting` are kept current.
    pub setting: Setting,
    /// The workspace as last read.
    pub snapshot: Arc<Snapshot>,
    /// How changes from outside are noticed.
    pub watching: Watching,
    /// What the person was told last.
    pub status: Option<Status>,
    /// Cards that were accepted since the start.
    pub accepted: Vec<RelPath>,
    /// What this update wants done.
    pub(crate) outbox: Outbox,
}

/// What an update wants done, until `app` takes it.
#[derive(Debug, Default)]
pub(crate) struct Outbox {
    pub(crate) layer: u32,
    pub(crate) asked: u64,
    pub(crate) effects: Vec<Effect>,
    pub(crate) changed: Vec<RelPath>,
    pub(crate) show: Option<RelPath>,
    pub(crate) rescan: bool,
}

impl Context {
    /// The model before anything was read.
    pub fn new(setting: Setting) -> Context {
        Context {
            setting,
            snapshot: Arc::default(),
            watching: Watching::default(),
            status: None,
            accepted: Vec::new(),
            outbox: Outbox::default(),
        }
    }

    /// Asks for something; the answer comes to the layer that is being updated, under this ticket.
    pub fn ask(&mut self, request: Request) -> Ticket {
        self.outbox.asked += 1;
        let ticket = Ticket { layer: self.outbox.layer, number: self.outbox.asked };
        self.outbox.effects.push(Effect::Ask(ticket, request));
        ticket
    }

    /// Tells the world that nobody waits for this any more.
    pub fn cancel(&mut self, ticket: Ticket) {
        self.outbox.effects.push(Effect::Cancel(ticket));
    }

    /// Puts text on the clipboard.
    pub fn copy(&mut self, text: String) {
        self.outbox.effects.push(Effect::Copy(text));
    }

    /// Leaves the program.
    pub fn quit(&mut self) {
        self.outbox.effects.push(Effect::Quit);
    }

    /// These files were written by us: the catalogue and whoever shows them read them again.
    pub fn wrote(&mut self, paths: &[RelPath]) {
        self.outbox.changed.extend_from_slice(paths);
    }

    /// The workspace is read again, whole.
    pub fn rescan(&mut self) {
        self.outbox.rescan = true;
    }

    /// Makes the browse screen select and show this file once it is there.
    pub fn show(&mut self, path: RelPath) {
        self.outbox.show = Some(path);
    }

    /// Tells the person something in the status line.
    pub fn say(&mut self, tone: Tone, text: impl Into<String>) {
        self.status = Some(Status { tone, text: text.into() });
    }

    /// The part of the terminal between top bar and footer, where screens draw.
    pub fn body(&self) -> Rect {
        let [_, body, _] = self.rows();
        body
    }

    /// Top bar, body, footer.
    pub(crate) fn rows(&self) -> [Rect; 3] {
        let whole = Rect::from(((0, 0).into(), self.setting.size));
        Layout::vertical([Constraint::Length(1), Constraint::Min(0), Constraint::Length(1)]).areas(whole)
    }
}

/// The place of one answer: remembers which question is the current one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Waiting(Option<Ticket>);

impl Waiting {
    /// This question is the current one from now on.
    pub fn on(ticket: Ticket) -> Waiting {
        Waiting(Some(ticket))
    }

    /// Whether an answer under this ticket is the one waited for; an answer that is the only one ends the wait.
    pub fn take(&mut self, ticket: Ticket) -> bool {
        let ours = self.is(ticket);
        if ours {
            self.0 = None;
        }
        ours
    }

    /// The same for answers that come more than once.
    pub fn is(&self, ticket: Ticket) -> bool {
        self.0 == Some(ticket)
    }

    /// The ticket, while an answer is outstanding.
    pub fn ticket(&self) -> Option<Ticket> {
        self.0
    }
}
