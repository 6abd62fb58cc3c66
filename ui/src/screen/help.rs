//! The help: every action of the screen below, from the action table.

use super::{Flow, Screen};
use crate::action::{Action, Scope};
use crate::app::ViewState;
use crate::context::Context;
use ratatui::Frame;
use ratatui::layout::Rect;

/// The help on one screen.
#[derive(Debug)]
pub struct Help {
    /// Whose actions are listed.
    pub about: Scope,
}

impl Help {
    /// The help on this screen.
    pub fn of(screen: &dyn Screen) -> Help {
        Help { about: screen.scope() }
    }
}

impl Screen for Help {
    fn scope(&self) -> Scope {
        Scope::Help
    }

    fn act(&mut self, action: Action, _context: &mut Context) -> Flow {
        if action == Action::Close { Flow::Close } else { Flow::Ignored }
    }

    fn view(&self, _context: &Context, _view: &mut ViewState, _frame: &mut Frame<'_>, _area: Rect) {}
}
