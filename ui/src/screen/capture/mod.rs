//! (placeholder) Capture: paste or open a conversation, see what was recognised, memorize it.

use super::{Flow, Screen};
use crate::action::{Action, Scope};
use crate::context::Context;
use ratatui::Frame;
use ratatui::layout::Rect;
use std::path::PathBuf;

/// The state of the capture screen.
#[derive(Debug, Default)]
pub struct Capture {
    file: Option<PathBuf>,
}

impl Capture {
    /// An empty editor.
    pub fn empty() -> Capture {
        Capture::default()
    }

    /// Opens this file, and memorizes what it holds at once when it is one conversation.
    pub fn of_file(file: PathBuf) -> Capture {
        Capture { file: Some(file) }
    }
}

impl Screen for Capture {
    fn scope(&self) -> Scope {
        Scope::Capture
    }

    fn covers(&self) -> bool {
        true
    }

    fn opened(&mut self, context: &mut Context) {
        if let Some(file) = self.file.take() {
            context.ask(crate::effect::Request::ReadPath(file));
        }
    }

    fn act(&mut self, action: Action, _context: &mut Context) -> Flow {
        if action == Action::Close { Flow::Close } else { Flow::Ignored }
    }

    fn view(&self, _context: &Context, _frame: &mut Frame<'_>, _area: Rect) {}
}
