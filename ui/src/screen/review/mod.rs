//! x
use super::capture::Capture;
use super::*;
use crate::app::ViewState;
use reme_core::memorize::Proposal;
/// x
pub struct Review {}
impl Review {
    /// x
    pub fn new(_p: Proposal, _back: Option<Capture>) -> Review {
        Review {}
    }
}
impl Screen for Review {
    fn scope(&self) -> Scope {
        Scope::Review
    }
    fn act(&mut self, _action: Action, _context: &mut Context) -> Flow {
        Flow::Close
    }
    fn view(&self, _context: &Context, _view: &mut ViewState, _frame: &mut Frame<'_>, _area: Rect) {}
}
