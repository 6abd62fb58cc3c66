//! The pictures of a submission: checked before anything is saved, stored beside the record, named for the card.
//!
//! Owns which blocks are pictures, what stops them, and where their bytes go. Never writes itself and never opens
//! an address. Called by `memorize::record` and `memorize::plan`.

use crate::distill::Distiller;
use crate::image::{self, MessageImage};
use crate::import::Warning;
use crate::message::{Block, BlockKind, Msg, Source, id};
use crate::store::{Base, Change, Edit};
use crate::workspace::{PathError, RelPath, Workspace};
use serde_json::Value;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Why a submission with pictures was refused; nothing was saved.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ImageError {
    /// The distiller takes text only.
    #[error(
        "the {distiller} distiller cannot see, and this call has {count} image(s); leave include_images off to \
         remember the text alone, or use a model that sees"
    )]
    Blind {
        /// Its name.
        distiller: String,
        /// How many pictures the call has.
        count: usize,
    },
    /// More than the setting allows.
    #[error(
        "this call has {count} images, and at most {limit} can be shown at once; send fewer messages, or raise \
         components.agent_wrapper.default.context_config.max_image_num"
    )]
    TooMany {
        /// How many pictures the call has.
        count: usize,
        /// The setting.
        limit: usize,
    },
    /// One of them cannot be used.
    #[error("image {number} of {count} (message {message}, block {block}) cannot be used: {why}")]
    Unusable {
        /// Which one, from 1.
        number: usize,
        /// How many pictures the call has.
        count: usize,
        /// The id of its message.
        message: String,
        /// Its place among the blocks of the message, from 0.
        block: usize,
        /// What is wrong, and what would do.
        why: String,
    },
}

/// The pictures of a submission, all of them usable.
#[derive(Debug, Default)]
pub(super) struct Images {
    list: Vec<Checked>,
}

/// One picture that can be stored and shown.
#[derive(Debug)]
struct Checked {
    message_id: String,
    /// Its place among the blocks of the message.
    place: usize,
    /// Where inline bytes go.
    attachment: Option<RelPath>,
    image: MessageImage,
}

/// A picture as it stands in the submission.
struct Found<'a> {
    message: &'a Msg,
    /// Whether no later message has the same id.
    stands: bool,
    place: usize,
    block: &'a Block,
    media_type: &'a str,
}

/// Every block that declares itself a picture. What lies inside a tool's result is no part of the conversation.
fn found(messages: &[Msg]) -> Vec<Found<'_>> {
    let mut seen = HashSet::new();
    let mut found: Vec<Found<'_>> = Vec::new();
    for message in messages.iter().rev() {
        let stands = seen.insert(message.id.as_deref());
        for (place, block) in message.content.iter().enumerate().rev() {
            if let Some(media_type) = declared(block) {
                found.push(Found { message, stands, place, block, media_type });
            }
        }
    }
    found.reverse();
    found
}

/// The media type of a block that says it is a picture, whether or not its source is of use.
fn declared(block: &Block) -> Option<&str> {
    let source = block.fields.get("source").filter(|_| block.kind() == BlockKind::Data)?;
    let media_type = source.get("media_type").and_then(Value::as_str)?;
    media_type.get(..6).filter(|head| head.eq_ignore_ascii_case("image/")).map(|_| media_type)
}

impl Images {
    /// Checks the pictures of these messages, whose ids are derived; looks at no disk.
    pub fn check(
        workspace: &Workspace,
        session_id: &str,
        messages: &[Msg],
        distiller: &dyn Distiller,
    ) -> Result<Images, ImageError> {
        let found = found(messages);
        let (count, limit) = (found.len(), workspace.config().max_image_num);
        if count > 0 && !distiller.sees() {
            return Err(ImageError::Blind { distiller: distiller.name().to_owned(), count });
        }
        if count > limit {
            return Err(ImageError::TooMany { count, limit });
        }
        let mut list = Vec::new();
        for (index, found) in found.iter().enumerate() {
            let checked = checked(workspace, session_id, found).map_err(|why| ImageError::Unusable {
                number: index + 1,
                count,
                message: found.message.id.clone().unwrap_or_default(),
                block: found.place,
                why,
            })?;
            list.extend(found.stands.then_some(checked));
        }
        Ok(Images { list })
    }

    /// Whether the submission has none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Names the pictures of messages that the record has under other ids by those.
    pub fn follow(
        &mut self,
        workspace: &Workspace,
        session_id: &str,
        known_as: &HashMap<String, String>,
    ) -> Result<(), PathError> {
        for checked in &mut self.list {
            let Some(stored) = known_as.get(&checked.message_id) else { continue };
            checked.message_id.clone_from(stored);
            if checked.attachment.is_some() {
                let media_type = &checked.image.media_type;
                let path = attachment(workspace, session_id, stored, checked.place, media_type)?;
                checked.image.source = format!("[[{path}]]");
                checked.attachment = Some(path);
            }
        }
        Ok(())
    }

    /// The files to write: one for each inline picture that is not there yet, whatever the bytes of one that is.
    pub fn attachments(&self, workspace: &Workspace) -> Result<Vec<Change>, PathError> {
        let mut changes: Vec<Change> = Vec::new();
        for checked in &self.list {
            let (Some(path), Some(bytes)) = (&checked.attachment, &checked.image.bytes) else { continue };
            let is_there = workspace.resolve(path)?.exists();
            if !is_there && !changes.iter().any(|change| change.path == *path) {
                let edit = Edit::Write(bytes.to_vec());
                changes.push(Change { path: path.clone(), base: Base::Absent, edit });
            }
        }
        Ok(changes)
    }

    /// What a person should know about bytes that are not what they are called.
    pub fn warnings(&self) -> Vec<Warning> {
        let inline = self.list.iter().filter_map(|checked| {
            let fault = image::mismatch(checked.image.bytes.as_deref()?, &checked.image.media_type)?;
            Some(Warning { code: "invalid_image", message: format!("{}: {fault}", checked.image.source) })
        });
        inline.collect()
    }

    /// The pictures as the distiller is given them, beside the messages of the record.
    pub fn beside(self, messages: &[Msg]) -> Vec<MessageImage> {
        let places: HashMap<&str, usize> = messages
            .iter()
            .enumerate()
            .filter_map(|(place, message)| Some((message.id.as_deref()?, place)))
            .collect();
        let placed = self.list.into_iter().filter_map(|checked| {
            let message = *places.get(checked.message_id.as_str())?;
            Some(MessageImage { message, ..checked.image })
        });
        placed.collect()
    }
}

/// One picture, or why it cannot be used.
fn checked(workspace: &Workspace, session_id: &str, found: &Found<'_>) -> Result<Checked, String> {
    let message_id = found.message.id.clone().unwrap_or_default();
    let (source, bytes, attachment) = match found.block.source() {
        Some(Source::Url { url, .. }) => {
            check_address(url)?;
            (url.to_owned(), None, None)
        }
        Some(Source::Base64 { data, media_type }) => {
            let bytes = image::decode(data).map_err(|error| {
                format!("its base64 is damaged ({error}); send the encoded bytes on one line")
            })?;
            if bytes.is_empty() {
                return Err("it has no bytes; leave the block out, or send the picture".to_owned());
            }
            let path = attachment(workspace, session_id, &message_id, found.place, media_type)
                .map_err(|error| error.to_string())?;
            (format!("[[{path}]]"), Some(Arc::from(bytes)), Some(path))
        }
        None => return Err("it has neither base64 data nor a url; give it one of them".to_owned()),
    };
    let before = found.message.content.iter().take(found.place);
    let after_texts = before.filter(|block| block.as_text().is_some()).count();
    let media_type = found.media_type.to_owned();
    let image = MessageImage { message: 0, after_texts, media_type, source, bytes };
    Ok(Checked { message_id, place: found.place, attachment, image })
}

fn check_address(url: &str) -> Result<(), String> {
    let scheme = url.split_once(':').map_or("", |(scheme, _)| scheme);
    let is_web = ["http", "https"].iter().any(|web| scheme.eq_ignore_ascii_case(web));
    if is_web {
        return Ok(());
    }
    let shown: String = url.chars().take(60).collect();
    Err(format!("{shown} is not an http or https address; send a local file as base64"))
}

/// `session/images/<session id>/msg-<hex of the message id>-image-<place of the block>.<ext>`.
fn attachment(
    workspace: &Workspace,
    session_id: &str,
    message_id: &str,
    place: usize,
    media_type: &str,
) -> Result<RelPath, PathError> {
    let (name, end) = (id::hex(message_id.as_bytes()), image::extension(media_type));
    workspace.session_images(session_id)?.join(&format!("msg-{name}-image-{place}.{end}"))
}

/// A card's `source_images`: what it has, and then what is new.
pub(super) fn union(mut has: Vec<String>, images: &[MessageImage]) -> Vec<String> {
    for image in images {
        if !has.contains(&image.source) {
            has.push(image.source.clone());
        }
    }
    has
}

#[cfg(test)]
mod tests;
