//! The day's folder: its cards, which of them is a session's, which names are taken.
//!
//! Read once for a plan, and parsed only as far as a question needs: a day may hold hundreds of cards.

use super::{MemorizeError, Present, read};
use crate::card::Card;
use crate::workspace::{RelPath, Workspace};
use chrono::NaiveDate;
use unicode_normalization::UnicodeNormalization;

/// The cards of one day, in file-name order.
#[derive(Clone, Debug, Default)]
pub(super) struct DayFolder {
    files: Vec<File>,
}

#[derive(Clone, Debug)]
struct File {
    path: RelPath,
    text: String,
    /// Whether the bytes are no UTF-8: shown, never written back.
    damaged: bool,
}

/// A session's card of the day.
pub(super) struct Claimed {
    pub present: Present,
    /// Whether its bytes are no UTF-8.
    pub damaged: bool,
    /// That there is another one.
    pub warning: Option<String>,
}

impl DayFolder {
    /// Reads the day's files.
    pub fn load(workspace: &Workspace, day: NaiveDate) -> Result<DayFolder, MemorizeError> {
        let folder = workspace.day_folder(day);
        let mut paths = workspace
            .list(&folder)
            .map_err(|source| MemorizeError::Read { path: folder.to_string(), source })?;
        paths.retain(|path| path.as_str().ends_with(".md"));
        paths.sort();
        let mut files = Vec::with_capacity(paths.len());
        for path in paths {
            let Some(bytes) = read(workspace, &path)? else { continue };
            let (text, damaged) = match String::from_utf8(bytes) {
                Ok(text) => (text, false),
                Err(error) => (String::from_utf8_lossy(error.as_bytes()).into_owned(), true),
            };
            files.push(File { path, text, damaged });
        }
        Ok(DayFolder { files })
    }

    /// Every card, parsed.
    pub fn cards(&self) -> Vec<(RelPath, Card)> {
        self.files.iter().map(|file| (file.path.clone(), Card::parse(file.text.as_str()))).collect()
    }

    /// Every card whose file holds this word, parsed.
    pub fn cards_with(&self, word: &str) -> impl Iterator<Item = Card> {
        self.files
            .iter()
            .filter(move |file| file.text.contains(word))
            .map(|file| Card::parse(file.text.as_str()))
    }

    /// How many cards there are.
    pub fn len(&self) -> usize {
        self.files.len()
    }

    /// The session's card: of more than one the first in name order, and a warning.
    pub fn of_session(&self, session_id: &str, record: &RelPath) -> Option<Claimed> {
        let link = format!("[[{record}]]");
        // What YAML never spells in another way stands in the text as it is.
        let is_plain = session_id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte));
        let finder = memchr::memmem::Finder::new(session_id);
        let may_claim = |file: &&File| !is_plain || finder.find(file.text.as_bytes()).is_some();
        let claims = |file: &&File| Card::parse(file.text.as_str()).claims_session(session_id, &link);
        let mut found = self.files.iter().filter(may_claim).filter(claims);
        let first = found.next()?;
        let warning = found.next().map(|second| {
            let (first, second) = (&first.path, &second.path);
            format!("{first} and {second} both belong to session {session_id}; {first} is used")
        });
        let present = Present { path: first.path.clone(), text: first.text.clone() };
        Some(Claimed { present, damaged: first.damaged, warning })
    }

    /// The name, or the first free `name-2`, `name-3`, … beside cards other than `own`.
    pub fn free_name(&self, name: &str, own: Option<&RelPath>) -> String {
        let others = self.files.iter().map(|file| &file.path).filter(|path| Some(*path) != own);
        let taken: std::collections::HashSet<String> = others.map(|path| folded(path.stem())).collect();
        let free = |candidate: &String| !taken.contains(&folded(candidate));
        std::iter::once(name.to_owned())
            .chain((2..).map(|n| format!("{name}-{n}")))
            .find(free)
            .unwrap_or_else(|| name.to_owned())
    }

    /// The folder as it will be once `path` is no more.
    pub fn without(mut self, path: &RelPath) -> DayFolder {
        self.files.retain(|file| file.path != *path);
        self
    }

    /// The folder as it will be once `path` holds `text`.
    pub fn with(self, path: &RelPath, text: &str) -> DayFolder {
        let mut folder = self.without(path);
        folder.files.push(File { path: path.clone(), text: text.to_owned(), damaged: false });
        folder.files.sort_by(|a, b| a.path.cmp(&b.path));
        folder
    }
}

/// Names that one disk or another takes to be the same.
fn folded(name: &str) -> String {
    name.nfc().collect::<String>().to_lowercase()
}
