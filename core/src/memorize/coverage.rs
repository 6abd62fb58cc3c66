//! Which messages of a session a memory has covered: state, one append-only file per session.
//!
//! A line is the fingerprint of one message's id and words, so that a changed message is news again, or of a picture
//! that was shown. Where the
//! file is missing the whole conversation is news. Written only inside the commits of `memorize`.

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
    seen: HashSet<String>,
}

impl Coverage {
    /// What is known of a session.
    pub fn load(workspace: &Workspace, session_id: &str) -> Result<Coverage, super::MemorizeError> {
        let path = file(session_id)?;
        let bytes = super::read(workspace, &path)?.unwrap_or_default();
        let seen = String::from_utf8_lossy(&bytes).lines().map(str::to_owned).collect();
        Ok(Coverage { path: Some(path), length: bytes.len() as u64, seen })
    }

    /// Whether this message is covered as it is.
    pub fn covers(&self, message: &Msg) -> bool {
        self.seen.contains(&fingerprint(message))
    }

    /// Whether this picture was shown to a distiller already.
    pub fn covers_image(&self, image: &MessageImage) -> bool {
        self.seen.contains(&image_fingerprint(image))
    }

    /// The change that marks these messages and pictures as covered; `None` when they are already.
    pub fn cover(&self, messages: &[Msg], images: &[MessageImage]) -> Option<Change> {
        let mut lines = String::new();
        let mut added = HashSet::new();
        let prints = messages.iter().map(fingerprint).chain(images.iter().map(image_fingerprint));
        for print in prints {
            if !self.seen.contains(&print) && added.insert(print.clone()) {
                lines.push_str(&print);
                lines.push('\n');
            }
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

fn file(session_id: &str) -> Result<RelPath, PathError> {
    RelPath::new(&format!("metadata/native/covered/{session_id}.txt"))
}

/// 16 hex digits over the id and what the message says or shows.
fn fingerprint(message: &Msg) -> String {
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
fn image_fingerprint(image: &MessageImage) -> String {
    let mut hasher = Sha256::new();
    hasher.update("image\0");
    hasher.update(&image.source);
    short(hasher)
}

fn short(hasher: Sha256) -> String {
    hasher.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}
