//! Which messages of a session a memory has covered: state, one append-only file per session.
//!
//! A line is the fingerprint of one message's id and words, so that a changed message is news again, or of a
//! picture that was shown; or a mark: as long as the record still begins with those bytes, all that they hold is
//! covered. Two more kinds of line are kept beside them: `body …`, the fingerprint of a card's body that holds
//! nothing but what this program wrote, and `name …`, a name that a person chose. Where the file is missing the
//! whole conversation is news. Written only inside the commits of `memorize`.

use super::Proposal;
use crate::card::Card;
use crate::dialog::Mark;
use crate::image::MessageImage;
use crate::message::{BlockKind, Msg};
use crate::store::{Base, Change, Edit};
use crate::workspace::{PathError, RelPath, Workspace};
use sha2::{Digest, Sha256};
use std::collections::HashSet;

/// The fingerprints of the messages that are covered.
#[derive(Clone, Debug, Default)]
pub struct Coverage {
    path: Option<RelPath>,
    length: u64,
    seen: HashSet<u64>,
    /// Lines of words: bodies and names.
    told: HashSet<String>,
    mark: Mark,
}

/// The length of a fingerprint's line.
const LINE: usize = 17;

impl Coverage {
    /// What is known of a session.
    pub fn load(workspace: &Workspace, session_id: &str) -> Result<Coverage, super::MemorizeError> {
        let path = file(session_id)?;
        let bytes = super::read(workspace, &path)?.unwrap_or_default();
        let seen = HashSet::with_capacity(bytes.len() / LINE);
        let mut coverage =
            Coverage { path: Some(path), length: bytes.len() as u64, seen, ..Coverage::default() };
        let lines = bytes.split(|byte| *byte == b'\n').filter_map(|line| std::str::from_utf8(line).ok());
        for line in lines {
            match (line.strip_prefix("= ").and_then(mark), u64::from_str_radix(line, 16)) {
                (Some(mark), _) => coverage.mark = mark,
                (None, Ok(print)) => {
                    coverage.seen.insert(print);
                }
                (None, Err(_)) => {
                    coverage.told.insert(line.to_owned());
                }
            }
        }
        Ok(coverage)
    }

    /// Up to where the record is covered, if it still begins as it did.
    pub fn mark(&self) -> Mark {
        self.mark
    }

    /// Whether this message is covered as it is.
    pub fn covers(&self, message: &Msg) -> bool {
        self.seen.contains(&fingerprint(message))
    }

    /// Whether this picture was shown to a distiller already.
    pub fn covers_image(&self, image: &MessageImage) -> bool {
        self.seen.contains(&image_fingerprint(image))
    }

    /// Whether this body is one that this program alone wrote, and that nobody has changed since.
    pub fn wrote(&self, body: &str) -> bool {
        self.told.contains(&body_line(body))
    }

    /// Whether a person chose this name.
    pub fn is_chosen(&self, name: &str) -> bool {
        self.told.contains(&name_line(name))
    }

    /// The change that marks these messages and pictures as covered, and with them the record up to `mark`;
    /// `None` when they are already.
    pub fn cover(&self, messages: &[Msg], images: &[MessageImage], mark: Mark) -> Option<Change> {
        self.append(messages, images, mark, &[])
    }

    /// The change that an accepted proposal makes, whose card is `card`.
    pub fn accept(&self, proposal: &Proposal, card: &Card) -> Option<Change> {
        let body = proposal.is_ours.then(|| body_line(card.body()));
        let name = proposal.is_named.then(|| name_line(&proposal.choices.name));
        let told: Vec<String> = body.into_iter().chain(name).collect();
        self.append(&proposal.messages, &proposal.images, proposal.mark, &told)
    }

    fn append(
        &self,
        messages: &[Msg],
        images: &[MessageImage],
        mark: Mark,
        told: &[String],
    ) -> Option<Change> {
        let mut lines = String::new();
        for line in told.iter().filter(|line| !self.told.contains(*line)) {
            lines.push_str(line);
            lines.push('\n');
        }
        let mut added = HashSet::new();
        let prints = messages.iter().map(fingerprint).chain(images.iter().map(image_fingerprint));
        for print in prints {
            if !self.seen.contains(&print) && added.insert(print) {
                lines.push_str(&format!("{print:016x}\n"));
            }
        }
        if mark != self.mark && mark.len > 0 {
            lines.push_str(&format!("= {} {:08x}\n", mark.len, mark.sum));
        }
        if lines.is_empty() {
            return None;
        }
        let edit = match self.length {
            0 => Edit::Write(lines.into_bytes()),
            len => Edit::Append { len, bytes: lines.into_bytes() },
        };
        Some(Change { path: self.path.clone()?, base: Base::Absent, edit })
    }
}

fn mark(text: &str) -> Option<Mark> {
    let (len, sum) = text.split_once(' ')?;
    Some(Mark { len: len.parse().ok()?, sum: u32::from_str_radix(sum, 16).ok()? })
}

fn file(session_id: &str) -> Result<RelPath, PathError> {
    RelPath::new(&format!("metadata/native/covered/{session_id}.txt"))
}

fn body_line(body: &str) -> String {
    let mut hasher = Sha256::new();
    hasher.update(body.trim());
    format!("body {:016x}", short(hasher))
}

fn name_line(name: &str) -> String {
    format!("name {name}")
}

/// A number over the id and what the message says or shows.
fn fingerprint(message: &Msg) -> u64 {
    let mut hasher = Sha256::new();
    hasher.update(message.id.as_deref().unwrap_or_default());
    hasher.update([0]);
    hasher.update(message.text());
    for block in message.content.iter().filter(|block| block.kind() == BlockKind::Data) {
        hasher.update([0]);
        hasher.update(format!("{:?}", block.source()));
    }
    short(hasher)
}

/// The same over a picture's source, which for a stored one names its message and place.
fn image_fingerprint(image: &MessageImage) -> u64 {
    let mut hasher = Sha256::new();
    hasher.update("image\0");
    hasher.update(&image.source);
    short(hasher)
}

fn short(hasher: Sha256) -> u64 {
    hasher.finalize().iter().take(8).fold(0, |print, byte| print << 8 | u64::from(*byte))
}
