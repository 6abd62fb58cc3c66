//! The sample workspace of `reme demo`, compiled in: copied out, and driven without an interface.

use crate::arguments::Arguments;
use crate::output::Outcome;
use include_dir::{Dir, include_dir};
use reme_core::answer::Answer;
use reme_core::import;
use reme_core::memorize::{Submission, auto};
use reme_core::store::Store;
use serde_json::json;
use std::path::{Path, PathBuf};

static WORKSPACE: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/assets/demo/workspace");
const CONVERSATION: &str = include_str!("../assets/demo/conversation.md");
const CONVERSATION_FILE: &str = "conversation.md";

/// A copied sample.
pub struct Sample {
    /// The workspace.
    pub root: PathBuf,
    /// The conversation that waits to be memorized.
    pub conversation: PathBuf,
}

/// Copies the sample to `dir`, or to a new temporary folder; nothing that exists is overwritten.
pub fn copy(dir: Option<&str>) -> Result<Sample, Answer> {
    let root = match dir {
        Some(dir) => std::path::absolute(dir),
        None => tempfile::Builder::new().prefix("reme-demo-").tempdir().map(tempfile::TempDir::keep),
    }
    .map_err(|error| refused(Path::new(dir.unwrap_or("a temporary folder")), &error))?;
    let conversation = root.join(CONVERSATION_FILE);
    let copied = std::fs::create_dir_all(&root)
        .and_then(|()| copy_folder(&WORKSPACE, &root))
        .and_then(|()| copy_file(&conversation, CONVERSATION.as_bytes()));
    copied.map_err(|error| refused(&root, &error))?;
    Ok(Sample { root, conversation })
}

fn refused(root: &Path, error: &std::io::Error) -> Answer {
    let root = root.display();
    Answer::failure("demo", format!("cannot copy the sample to {root}: {error}; choose a folder with --dir"))
}

fn copy_folder(from: &Dir, root: &Path) -> std::io::Result<()> {
    for file in from.files() {
        let target = root.join(file.path());
        if let Some(folder) = target.parent() {
            std::fs::create_dir_all(folder)?;
        }
        copy_file(&target, file.contents())?;
    }
    from.dirs().try_for_each(|folder| copy_folder(folder, root))
}

fn copy_file(target: &Path, bytes: &[u8]) -> std::io::Result<()> {
    match std::fs::OpenOptions::new().write(true).create_new(true).open(target) {
        Ok(mut file) => std::io::Write::write_all(&mut file, bytes),
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error),
    }
}

/// Memorizes the waiting conversation and prints the day page, the card and the files that were written.
pub fn without_interface(arguments: &Arguments, sample: &Sample) -> Outcome {
    match memorize(arguments, sample) {
        Ok(outcome) => outcome,
        Err(answer) => Outcome::Answer(answer),
    }
}

fn memorize(arguments: &Arguments, sample: &Sample) -> Result<Outcome, Answer> {
    let failed = |message: String| Answer::failure("demo", message);
    let workspace = crate::locate::open(&sample.root, arguments).map_err(failed)?;
    let store = Store::open(workspace).map_err(|error| failed(error.to_string()))?;
    let distiller = crate::settings::distiller(None).map_err(failed)?;
    let bytes = std::fs::read(&sample.conversation).map_err(|error| failed(error.to_string()))?;
    let reading = import::read(&bytes, Some(CONVERSATION_FILE)).map_err(|error| failed(error.message))?;
    let mut text = format!("The sample workspace is {}\n", sample.root.display());
    let mut answers = Vec::new();
    for conversation in reading.sessions {
        let session_id = import::report::propose_session_id(reading.format, &conversation);
        let submission = Submission { session_id, messages: conversation.messages, ..Submission::default() };
        let answer = auto::submit(&store, (submission, conversation.warnings), distiller.as_ref())
            .map_err(|error| failed(error.to_string()))?;
        text.push_str(&shown(&sample.root, &answer));
        answers.push(json!(answer));
    }
    Ok(Outcome::Printed { json: answers, text, success: true })
}

/// The answer of a memory with the files behind it.
fn shown(root: &Path, answer: &Answer) -> String {
    let field =
        |pointer: &str| json!(answer.metadata).pointer(pointer).and_then(|v| v.as_str().map(str::to_owned));
    let mut text = format!("{}\n", answer.answer);
    let page = field("/index/path");
    let card = field("/path");
    for path in [&page, &card].into_iter().flatten() {
        if let Ok(content) = std::fs::read_to_string(root.join(path)) {
            text.push_str(&format!("\n== {path}\n\n{}\n", content.trim_end()));
        }
    }
    let record = field("/source_conversation").map(|link| link.trim_matches(['[', ']']).to_owned());
    text.push_str("\nWritten:\n");
    for path in [card, page, record].into_iter().flatten() {
        text.push_str(&format!("  {path}\n"));
    }
    text
}
