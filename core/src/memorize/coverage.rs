//! Which messages of a session a memory has covered: state, one append-only file per session.
//!
//! A line is the fingerprint of one message's id and words, so that a changed message is news again, or of a
//! picture that was shown; or a mark: as long as the record still begins with those bytes, all that they hold is
//! covered. Where the file is missing the whole conversation is news. Written only inside the commits of
//! `memorize`.

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
            Coverage { path: Some(path), length: bytes.len() as u64, seen, mark: Mark::default() };
        let lines = bytes.split(|byte| *byte == b'\n').filter_map(|line| std::str::from_utf8(line).ok());
        for line in lines {
            match line.strip_prefix("= ").and_then(mark) {
                Some(mark) => coverage.mark = mark,
                None => coverage.seen.extend(u64::from_str_radix(line, 16)),
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

    /// The change that marks these messages and pictures as covered, and with them the record up to `mark`;
    /// `None` when they are already.
    pub fn cover(&self, messages: &[Msg], images: &[MessageImage], mark: Mark) -> Option<Change> {
        let mut lines = String::new();
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
