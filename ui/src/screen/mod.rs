//! Screens: what a person sees at one time, each with its own state, update and view.
//!
//! A screen changes only itself; it reaches others through [`Context`] and the [`Flow`] that it returns. `app`
//! keeps the stack, looks keys up in the action table and routes answers to the layer that asked.

use crate::action::{Action, Scope};
use crate::context::Context;
use crate::effect::{Answer, Ticket};
use crate::event::Input;
use ratatui::Frame;
use ratatui::layout::Rect;
use reme_core::workspace::RelPath;

pub mod browse;
pub mod capture;
pub mod help;
pub mod message;
pub mod review;

/// What becomes of the stack after an update.
pub enum Flow {
    /// It was for this screen; nothing else happens.
    Done,
    /// It was not for this screen.
    Ignored,
    /// Another layer goes on top.
    Open(Box<dyn Screen>),
    /// Another layer goes on top and takes this input.
    OpenWith(Box<dyn Screen>, Input),
    /// Another layer takes the place of this one.
    Replace(Box<dyn Screen>),
    /// This layer goes away.
    Close,
    /// This layer goes away, and what it chose is done by the layer below.
    CloseAndDo(Action),
}

/// One layer of the stack.
pub trait Screen {
    /// Whose rows of the action table hold here.
    fn scope(&self) -> Scope;

    /// Whether plain characters are text here; then only keys with Ctrl or Alt, and keys that are no characters,
    /// are looked up in the action table.
    fn typing(&self) -> bool {
        false
    }

    /// Whether nothing below shows through.
    fn covers(&self) -> bool {
        false
    }

    /// Whether something moves, so that ticks are needed.
    fn animates(&self) -> bool {
        false
    }

    /// Why this action cannot be done at the moment; `None`: it can.
    fn refuses(&self, _action: Action, _context: &Context) -> Option<&'static str> {
        None
    }

    /// What the footer says about an action where the table's word would be wrong.
    fn says(&self, _action: Action) -> Option<&'static str> {
        None
    }

    /// Called once, when the layer is on the stack: the place to ask for what it needs.
    fn opened(&mut self, _context: &mut Context) {}

    /// Does an action of the table.
    fn act(&mut self, action: Action, context: &mut Context) -> Flow;

    /// Takes what no row of the table names: text, pastes, the mouse.
    fn input(&mut self, _input: Input, _context: &mut Context) -> Flow {
        Flow::Ignored
    }

    /// Takes an answer to one of its own questions.
    fn answer(&mut self, _ticket: Ticket, _answer: Answer, _context: &mut Context) -> Flow {
        Flow::Done
    }

    /// The catalogue is another one; `changed` names the files to read again (empty: it only knows more).
    fn changed(&mut self, _changed: &[RelPath], _context: &mut Context) {}

    /// The terminal has another size, which is in the context.
    fn resized(&mut self, _context: &mut Context) {}

    /// Time went by.
    fn tick(&mut self, _context: &mut Context) {}

    /// Draws into `area`, which is [`Context::body`].
    fn view(&self, context: &Context, frame: &mut Frame<'_>, area: Rect);
}
