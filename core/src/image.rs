//! Pictures as bytes: base64, media types, first bytes, the ends of file names, and reading a stored one.
//!
//! Never re-encodes a picture, never looks at its pixels and fetches nothing. Called by `import`, `memorize`,
//! distillers and the job `read_image`.

use crate::answer::Answer;
use crate::workspace::{RelPath, Workspace};
use base64::Engine;
use base64::alphabet::STANDARD as ALPHABET;
use base64::engine::DecodePaddingMode;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig, STANDARD};
use std::sync::Arc;

/// A picture of a submission, as a distiller that can see is given it.
#[derive(Clone, PartialEq, Eq)]
pub struct MessageImage {
    /// The 0-based place of its message.
    pub message: usize,
    /// How many text blocks of the message stand before it.
    pub after_texts: usize,
    /// What the source says that it is, such as `image/png`.
    pub media_type: String,
    /// What is written beside it and in `source_images`: the wikilink of the stored file, or the address as given.
    pub source: String,
    /// The bytes of an inline picture; `None`: it lies at the address, which nothing here fetches.
    pub bytes: Option<Arc<[u8]>>,
}

impl std::fmt::Debug for MessageImage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MessageImage")
            .field("message", &self.message)
            .field("after_texts", &self.after_texts)
            .field("media_type", &self.media_type)
            .field("source", &self.source)
            .field("bytes", &self.bytes.as_ref().map(|bytes| bytes.len()))
            .finish()
    }
}

/// Base64 with or without padding, and with whatever the last character has too many of bits.
const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &ALPHABET,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

/// The bytes behind base64; line breaks and other characters outside of the alphabet are a fault.
pub(crate) fn decode(encoded: &str) -> Result<Vec<u8>, base64::DecodeError> {
    LENIENT.decode(encoded)
}

/// The media types with the end of the file's name and, where there are, first bytes that give them away.
const KINDS: &[(&str, &str, &[&[u8]])] = &[
    ("image/png", "png", &[b"\x89PNG\r\n\x1a\n"]),
    ("image/jpeg", "jpg", &[b"\xff\xd8\xff"]),
    ("image/webp", "webp", &[]),
    ("image/gif", "gif", &[b"GIF87a", b"GIF89a"]),
    ("image/bmp", "bmp", &[b"BM"]),
    ("image/tiff", "tiff", &[b"II*\0", b"MM\0*"]),
    ("image/heic", "heic", &[]),
];

/// What the end of the name of a file says beside the ends of [`KINDS`].
const OTHER_ENDS: &[(&str, &str)] = &[
    ("jpeg", "image/jpeg"),
    ("tif", "image/tiff"),
    ("heif", "image/heif"),
    ("svg", "image/svg+xml"),
    ("ico", "image/x-icon"),
    ("avif", "image/avif"),
];

/// The media type in lower case; `image/jpg`, which does not exist, as what is meant.
fn plain(media_type: &str) -> String {
    match media_type.to_ascii_lowercase().as_str() {
        "image/jpg" => "image/jpeg".to_owned(),
        other => other.to_owned(),
    }
}

/// The end of the name of a file of this media type.
pub(crate) fn extension(media_type: &str) -> &'static str {
    let wanted = plain(media_type);
    KINDS.iter().find(|(known, ..)| *known == wanted).map_or("bin", |(_, end, _)| end)
}

/// What the first bytes give away.
pub(crate) fn sniff(bytes: &[u8]) -> Option<&'static str> {
    if bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP") {
        return Some("image/webp");
    }
    if bytes.get(4..8) == Some(b"ftyp") && matches!(bytes.get(8..12), Some(b"heic" | b"heix" | b"mif1")) {
        return Some("image/heic");
    }
    if bytes.starts_with(b"<svg") {
        return Some("image/svg+xml");
    }
    KINDS
        .iter()
        .find(|(.., magic)| magic.iter().any(|magic| bytes.starts_with(magic)))
        .map(|(known, ..)| *known)
}

/// How the bytes contradict the media type, if they do.
pub(crate) fn mismatch(bytes: &[u8], media_type: &str) -> Option<String> {
    let declared = plain(media_type.split(';').next().unwrap_or_default().trim());
    match sniff(bytes) {
        _ if declared == "image/*" => None,
        Some(found) => {
            (found != declared).then(|| format!("it is called {media_type}, but its bytes are {found}"))
        }
        None => {
            let known = KINDS.iter().any(|(known, ..)| *known == declared);
            known.then(|| format!("it is called {media_type}, but its bytes are not"))
        }
    }
}

/// The largest picture that is handed out as text.
const LARGEST_READ: u64 = 5 << 20;

/// The job `read_image`: a file of the workspace as base64, or a notice where it is too large.
pub fn read_image(workspace: &Workspace, path: &str) -> Answer {
    let path = match workspace.relative(path) {
        Ok(path) => path,
        Err(error) => return Answer::failure("path", format!("Error: {error}")),
    };
    match stored(workspace, &path) {
        Ok(answer) => answer.with("path", path.as_str()),
        Err(why) => Answer::failure("unreadable", format!("Error: {why}")).with("path", path.as_str()),
    }
}

fn stored(workspace: &Workspace, path: &RelPath) -> Result<Answer, String> {
    let cannot = |error: std::io::Error| format!("cannot read {path}: {error}");
    let missing =
        || format!("there is no file {path}; `source_images` of the card names those of a conversation");
    let file = workspace.resolve(path).map_err(|error| error.to_string())?;
    let size = file.metadata().map_err(|_| missing())?.len();
    if size > LARGEST_READ && file.is_file() {
        let notice = format!(
            "{path} has {size} bytes, more than the {LARGEST_READ} that are handed out as text; open the file itself"
        );
        let answer = Answer::success(notice).with("oversized", true).with("max_bytes", LARGEST_READ);
        return Ok(described(answer, size, by_name(path)));
    }
    let bytes = workspace.read(path).map_err(cannot)?.ok_or_else(missing)?;
    let media_type = by_name(path).or_else(|| sniff(&bytes));
    Ok(described(Answer::success(STANDARD.encode(&bytes)), bytes.len() as u64, media_type))
}

fn described(answer: Answer, size: u64, media_type: Option<&'static str>) -> Answer {
    let answer = answer.with("size_bytes", size).with("mime", media_type);
    if media_type.is_none() { answer.with("non_image_warning", true) } else { answer }
}

fn by_name(path: &RelPath) -> Option<&'static str> {
    let end = path.file_name().rsplit_once('.')?.1.to_ascii_lowercase();
    let known = KINDS.iter().find(|(_, known, _)| *known == end).map(|(media_type, ..)| *media_type);
    known.or_else(|| OTHER_ENDS.iter().find(|(known, _)| *known == end).map(|(_, media_type)| *media_type))
}

#[cfg(test)]
mod tests;
