//! Starts the interface on a workspace.

use crate::arguments::Arguments;
use crate::output::Outcome;
use reme_core::answer::Answer;
use reme_core::store::Store;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};

/// `reme [WORKSPACE]`.
pub fn run(arguments: &Arguments, named: Option<&Path>) -> Outcome {
    if !std::io::stdout().is_terminal() || !std::io::stdin().is_terminal() {
        return Outcome::Usage(
            "the interface needs a terminal; `reme help` lists what works without one".to_owned(),
        );
    }
    match crate::locate::for_interface(arguments, named) {
        Ok(workspace) => open(arguments, workspace.root(), None),
        Err(message) => Outcome::Answer(Answer::failure("workspace", message)),
    }
}

/// Opens the interface; `waiting` is a conversation file that waits to be memorized.
pub fn open(arguments: &Arguments, root: &Path, waiting: Option<PathBuf>) -> Outcome {
    match interface(arguments, root, waiting) {
        Ok(()) => Outcome::Silent,
        Err(message) => Outcome::Answer(Answer::failure("interface", message)),
    }
}

fn interface(arguments: &Arguments, root: &Path, waiting: Option<PathBuf>) -> Result<(), String> {
    crate::log::start();
    let workspace = crate::locate::open(root, arguments)?;
    let store = Store::open(workspace).map_err(|error| error.to_string())?;
    let distiller = crate::settings::distiller(None)?;
    let options = reme_ui::RunOptions { store, distiller, waiting, theme: crate::settings::theme()? };
    reme_ui::run(options).map(|_| ()).map_err(|error| error.to_string())
}
