//! A message that must be seen: an error with what to do next, in a box over the screen.

use super::{Flow, Screen};
use crate::action::{Action, Scope};
use crate::app::ViewState;
use crate::context::{Context, Tone};
use ratatui::Frame;
use ratatui::layout::Rect;

/// A message.
#[derive(Debug)]
pub struct Message {
    /// How it is meant.
    pub tone: Tone,
    /// What it is about.
    pub title: String,
    /// What happened, where, and what to do next.
    pub text: String,
}

impl Screen for Message {
    fn scope(&self) -> Scope {
        Scope::Message
    }

    fn act(&mut self, action: Action, _context: &mut Context) -> Flow {
        if action == Action::Close { Flow::Close } else { Flow::Ignored }
    }

    fn view(&self, _context: &Context, _view: &mut ViewState, _frame: &mut Frame<'_>, _area: Rect) {}
}
