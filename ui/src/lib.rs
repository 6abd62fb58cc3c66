//! The terminal interface of `reme`: draws, takes keys, asks the engine for effects.
//!
//! The Elm shape: an [`event::Event`] goes into [`app::App::update`], which changes the model and returns
//! [`effect::Effect`]s; [`app::App::view`] draws the model. Both are synchronous and touch neither file, clock
//! nor network; [`driver`] runs the effects and feeds their answers back as events.

pub mod action;
pub mod app;
pub mod context;
pub mod driver;
pub mod effect;
pub mod event;
pub mod pane;
pub mod screen;
pub mod terminal;
pub mod text;
pub mod theme;
pub mod widget;

pub use driver::{Outcome, RunOptions, UiError, run};
