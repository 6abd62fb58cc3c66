//! The day's folder: its cards, which of them is a session's, which names are taken.

use super::{MemorizeError, read};
use crate::card::Card;
use crate::workspace::{RelPath, Workspace};
use chrono::NaiveDate;
use unicode_normalization::UnicodeNormalization;

/// The cards of one day, in file-name order.
#[derive(Clone, Debug, Default)]
pub(super) struct DayFolder {
    /// Each card with its path.
    pub cards: Vec<(RelPath, Card)>,
    damaged: Vec<RelPath>,
}

impl DayFolder {
    /// Reads the day's cards; bytes that are no UTF-8 are shown, never written back.
    pub fn load(workspace: &Workspace, day: NaiveDate) -> Result<DayFolder, MemorizeError> {
        let folder = workspace.day_folder(day);
        let mut paths = workspace
            .list(&folder)
            .map_err(|source| MemorizeError::Read { path: folder.to_string(), source })?;
        paths.retain(|path| path.as_str().ends_with(".md"));
        paths.sort();
        let mut cards = Vec::with_capacity(paths.len());
        let mut damaged = Vec::new();
        for path in paths {
            let Some(bytes) = read(workspace, &path)? else { continue };
            let text = String::from_utf8(bytes).unwrap_or_else(|error| {
                damaged.push(path.clone());
                String::from_utf8_lossy(error.as_bytes()).into_owned()
            });
            cards.push((path, Card::parse(text)));
        }
        Ok(DayFolder { cards, damaged })
    }

    /// Whether the file's bytes are no UTF-8.
    pub fn is_damaged(&self, path: &RelPath) -> bool {
        self.damaged.contains(path)
    }

    /// The session's cards, in name order; more than one is worth a warning.
    pub fn of_session(&self, session_id: &str, record: &RelPath) -> Vec<&(RelPath, Card)> {
        let link = format!("[[{record}]]");
        self.cards.iter().filter(|(_, card)| card.claims_session(session_id, &link)).collect()
    }

    /// The name, or the first free `name-2`, `name-3`, … beside cards other than `own`.
    pub fn free_name(&self, name: &str, own: Option<&RelPath>) -> String {
        let taken: Vec<String> = self
            .cards
            .iter()
            .filter(|(path, _)| Some(path) != own)
            .map(|(path, _)| folded(path.stem()))
            .collect();
        let free = |candidate: &String| !taken.contains(&folded(candidate));
        std::iter::once(name.to_owned())
            .chain((2..).map(|n| format!("{name}-{n}")))
            .find(free)
            .unwrap_or_else(|| name.to_owned())
    }

    /// The folder as it will be once `path` holds `text` and `gone` is no more.
    pub fn with(mut self, path: &RelPath, text: &str, gone: Option<&RelPath>) -> DayFolder {
        self.cards.retain(|(other, _)| other != path && Some(other) != gone);
        self.cards.push((path.clone(), Card::parse(text)));
        self.cards.sort_by(|a, b| a.0.cmp(&b.0));
        self
    }
}

/// Names that one disk or another takes to be the same.
fn folded(name: &str) -> String {
    name.nfc().collect::<String>().to_lowercase()
}
