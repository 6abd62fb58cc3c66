//! Distillers: messages become a [`Draft`], which names what is worth remembering and on what it rests.
//!
//! Owns the draft's shape and the interface that every distiller serves. A distiller never writes and never
//! reads the workspace: what it may know is in the [`Request`]. Called by `memorize` and `reme distill`.

use crate::image::MessageImage;
use crate::message::Msg;
use serde::{Deserialize, Serialize};

pub mod offline;

/// What a distiller is given.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The conversation in order; message `n` of the slice is number `n + 1` in [`Item::evidence`].
    pub messages: &'a [Msg],
    /// For each message, whether it is news; the others are context. Empty: all are news.
    pub news: &'a [bool],
    /// The pictures that this call shows, in order; empty for a distiller that does not see.
    pub images: &'a [MessageImage],
    /// The card as it is, when one is being updated.
    pub card: Option<&'a str>,
    /// The tags that the workspace already has, most used first.
    pub known_tags: &'a [String],
    /// A line of guidance from the person, such as "shorter".
    pub hint: Option<&'a str>,
}

impl Request<'_> {
    /// Whether the message at this 0-based place is news.
    pub fn is_news(&self, index: usize) -> bool {
        self.news.is_empty() || self.news.get(index).copied().unwrap_or(false)
    }
}

/// What a distiller proposes to remember.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Draft {
    /// Nothing is worth a card.
    pub skip: bool,
    /// Why not, for a person.
    pub skip_reason: String,
    /// A stable topic or event name without a date.
    pub name: String,
    /// Why the card should be renamed; empty: keep the present name.
    pub rename_reason: String,
    /// One line that says what the card holds.
    pub description: String,
    /// The statements, grouped.
    pub sections: Vec<Section>,
    /// Markdown as it is, instead of `sections`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// Central entities; `None`: not thought about, `[]`: none is central.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tags: Option<Vec<String>>,
}

/// Statements of one kind under one heading.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Section {
    /// The heading as the card shows it.
    pub heading: String,
    /// What the statements are.
    #[serde(default)]
    pub kind: Kind,
    /// The statements.
    pub items: Vec<Item>,
}

/// What a statement is: the five things worth recording, and the rest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Style, habits, long-term requirements.
    Preference,
    /// Background, numbers, conclusions, constraints.
    Fact,
    /// What was chosen, why, and what was rejected.
    Decision,
    /// What is done, blocked, next; replaced by the newest.
    State,
    /// Commands, workflows, diagnoses, solutions.
    Experience,
    /// Anything else.
    #[default]
    #[serde(other)]
    Other,
}

/// One statement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Item {
    /// The statement, one line.
    pub text: String,
    /// The 1-based numbers of the messages that it rests on.
    #[serde(default)]
    pub evidence: Vec<usize>,
}

/// Why a distiller gave no draft; nothing was lost.
#[derive(Debug, thiserror::Error)]
pub enum DistillError {
    /// The person cancelled.
    #[error("distilling was cancelled; the conversation stays recorded")]
    Cancelled,
    /// There is no text to distil.
    #[error("the conversation has no text to distil")]
    NoText,
}

/// Hears how far a distiller is, and says whether to go on.
pub trait Progress: Sync {
    /// `done` of `total` messages read; `doing` is a short phrase for the screen.
    fn step(&self, doing: &str, done: usize, total: usize);
    /// Whether to stop.
    fn cancelled(&self) -> bool {
        false
    }
}

/// Progress that nobody watches.
#[derive(Clone, Copy, Debug)]
pub struct Unwatched;

impl Progress for Unwatched {
    fn step(&self, _doing: &str, _done: usize, _total: usize) {}
}

/// Turns messages into a draft.
pub trait Distiller: Send + Sync {
    /// The backend's name, as `--backend` takes it.
    fn name(&self) -> &str;
    /// Whether it can be shown pictures.
    fn sees(&self) -> bool {
        false
    }
    /// The draft; an answer that is empty or broken is an error, never a skip.
    fn distill(&self, request: &Request<'_>, progress: &dyn Progress) -> Result<Draft, DistillError>;
}
