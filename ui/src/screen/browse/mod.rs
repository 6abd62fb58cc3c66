//! The browse screen: days, cards, and the documents behind them. Always at the bottom of the stack.

use super::{Flow, Screen};
use crate::action::{Action, Scope};
use crate::app::ViewState;
use crate::context::Context;
use ratatui::Frame;
use ratatui::layout::Rect;
use reme_core::workspace::RelPath;

/// The state of the browse screen.
#[derive(Debug, Default)]
pub struct Browse {}

impl Browse {
    /// Selects and shows a file of the workspace.
    pub fn show(&mut self, _path: RelPath, _context: &mut Context) {}
}

impl Screen for Browse {
    fn scope(&self) -> Scope {
        Scope::Browse
    }

    fn act(&mut self, _action: Action, _context: &mut Context) -> Flow {
        Flow::Ignored
    }

    fn view(&self, _context: &Context, _view: &mut ViewState, _frame: &mut Frame<'_>, _area: Rect) {}
}
