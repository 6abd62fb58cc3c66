//! Who links to a card: found in the files as they are, never in an index that may lag.

use super::{MemorizeError, read};
use crate::link::{self, LinkEdit};
use crate::store::{Base, Change, Edit, Hash};
use crate::workspace::{RelPath, Workspace};
use rayon::prelude::*;

/// What a rename does to other files.
#[derive(Clone, Debug, Default)]
pub(super) struct Retargeted {
    /// Every line that changes.
    pub edits: Vec<LinkEdit>,
    /// The files, whole.
    pub changes: Vec<Change>,
    /// Files that could not be edited, for a person.
    pub notes: Vec<String>,
}

/// Plans the edits that make every link to `old` point to `new`; the card itself is not among them.
pub(super) fn retarget(
    workspace: &Workspace,
    old: &RelPath,
    new: &RelPath,
) -> Result<Retargeted, MemorizeError> {
    let files = workspace.markdown_files();
    let short = short_forms(&files, old);
    let per_file: Vec<Result<Option<Edited>, MemorizeError>> = files
        .par_iter()
        .filter(|path| *path != old)
        .map(|path| edited(workspace, path, old, new, short))
        .collect();
    let mut result = Retargeted::default();
    for edited in per_file {
        match edited? {
            None => {}
            Some(Edited::Text { change, edits }) => {
                result.changes.push(change);
                result.edits.extend(edits);
            }
            Some(Edited::NotText(note)) => result.notes.push(note),
        }
    }
    Ok(result)
}

/// Whether `[[name]]` alone can only mean this file.
pub(super) fn short_forms(files: &[RelPath], card: &RelPath) -> bool {
    files.iter().filter(|path| path.stem() == card.stem()).count() <= 1
}

enum Edited {
    Text { change: Change, edits: Vec<LinkEdit> },
    NotText(String),
}

fn edited(
    workspace: &Workspace,
    path: &RelPath,
    old: &RelPath,
    new: &RelPath,
    short: bool,
) -> Result<Option<Edited>, MemorizeError> {
    let Some(bytes) = read(workspace, path)? else { return Ok(None) };
    if memchr::memmem::find(&bytes, b"[[").is_none() {
        return Ok(None);
    }
    let Ok(text) = std::str::from_utf8(&bytes) else {
        return Ok(Some(Edited::NotText(format!("{path} is not UTF-8; links in it were not followed"))));
    };
    Ok(link::retarget(path, text, old, new, short).map(|(after, edits)| {
        let change = Change {
            path: path.clone(),
            base: Base::Is(Hash::of(&bytes)),
            edit: Edit::Write(after.into_bytes()),
        };
        Edited::Text { change, edits }
    }))
}
