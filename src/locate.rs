//! Which workspace a call is about: the argument, `REME_WORKSPACE`, the nearest `.reme`, the configured one.

use crate::arguments::Arguments;
use reme_core::answer::Answer;
use reme_core::workspace::{Clock, Workspace};
use std::io::{BufRead, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The folder's name where nothing else says which.
const FOLDER: &str = ".reme";

/// The workspace of a job; `./.reme`, said on standard error, where nothing names one.
pub fn for_job(arguments: &Arguments) -> Result<Workspace, Answer> {
    let fail = |message: String| Answer::failure("workspace", message);
    let root = match known(arguments.workspace.as_deref()).map_err(fail)? {
        Some(root) => root,
        None => {
            let root = here().map_err(fail)?.join(FOLDER);
            crate::output::note(&format!(
                "using {}; choose another one with --workspace or REME_WORKSPACE",
                root.display()
            ));
            root
        }
    };
    open(&root, arguments).map_err(fail)
}

/// The workspace of a job that only reads; none where nothing names one.
pub fn for_reading(arguments: &Arguments) -> Option<Workspace> {
    let root = known(arguments.workspace.as_deref()).ok()??;
    open(&root, arguments).ok()
}

/// The workspace of the interface; asks once, and remembers, where nothing names one.
pub fn for_interface(arguments: &Arguments, named: Option<&Path>) -> Result<Workspace, String> {
    let root = match known(named.or(arguments.workspace.as_deref()))? {
        Some(root) => root,
        None => ask()?,
    };
    open(&root, arguments)
}

/// Opens the workspace at a folder with the settings of this call.
pub fn open(root: &Path, arguments: &Arguments) -> Result<Workspace, String> {
    if root.exists() && !root.is_dir() {
        return Err(format!("{} is a file; a workspace is a folder", root.display()));
    }
    let clock: Clock = Arc::new(chrono::Utc::now);
    let config = crate::settings::config(arguments)?;
    Workspace::new(root, config, clock).map_err(|error| error.to_string())
}

fn known(named: Option<&Path>) -> Result<Option<PathBuf>, String> {
    if let Some(named) = named {
        return Ok(Some(absolute(named)?));
    }
    if let Some(from_environment) = std::env::var_os("REME_WORKSPACE").filter(|value| !value.is_empty()) {
        return Ok(Some(absolute(Path::new(&from_environment))?));
    }
    let here = here()?;
    if let Some(nearest) = here.ancestors().map(|folder| folder.join(FOLDER)).find(|folder| folder.is_dir()) {
        return Ok(Some(nearest));
    }
    crate::settings::user_path("workspace")
}

fn here() -> Result<PathBuf, String> {
    std::env::current_dir().map_err(|error| format!("cannot tell the current folder: {error}"))
}

fn absolute(path: &Path) -> Result<PathBuf, String> {
    std::path::absolute(path).map_err(|error| format!("cannot use {}: {error}", path.display()))
}

/// Asks where memories should live, and writes the answer to the user's configuration.
fn ask() -> Result<PathBuf, String> {
    if !std::io::stdin().is_terminal() {
        return Err("no workspace yet: name a folder (`reme DIR`) or set REME_WORKSPACE".to_owned());
    }
    let home =
        etcetera::home_dir().map_err(|error| format!("cannot find the home folder: {error}"))?.join(FOLDER);
    let here = here()?.join(FOLDER);
    let mut out = std::io::stderr().lock();
    let question = format!(
        "Where should your memories live? Nothing is written there before you save the first one.\n  1  {}\n  2  {}\nNumber (1): ",
        home.display(),
        here.display()
    );
    let asked = out.write_all(question.as_bytes()).and_then(|()| out.flush());
    asked.map_err(|error| format!("cannot ask where memories should live: {error}"))?;
    let mut answer = String::new();
    let read = std::io::stdin().lock().read_line(&mut answer);
    read.map_err(|error| format!("cannot read the answer: {error}"))?;
    let chosen = match answer.trim() {
        "" | "1" if !answer.is_empty() => home,
        "2" => here,
        _ => return Err("no workspace chosen; name a folder: `reme DIR`".to_owned()),
    };
    remember(&chosen)?;
    Ok(chosen)
}

/// Adds `workspace:` to the user's configuration; everything else in it stays.
fn remember(root: &Path) -> Result<(), String> {
    let Some(file) = crate::settings::user_file() else { return Ok(()) };
    let mut text = crate::settings::user_text()?;
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    let quoted = serde_json::Value::from(root.to_string_lossy().as_ref());
    text.push_str(&format!("workspace: {quoted}\n"));
    let written = match file.parent() {
        Some(folder) => std::fs::create_dir_all(folder).and_then(|()| std::fs::write(&file, text)),
        None => std::fs::write(&file, text),
    };
    written.map_err(|error| {
        format!("cannot write {}: {error}; name a folder instead: `reme DIR`", file.display())
    })
}
