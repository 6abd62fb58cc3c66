//! Bytes to text: containers by their magic numbers, byte order marks, encodings.
//!
//! Owns the question "is this text, and in which encoding". Never looks at what the text says, except through
//! the predicate it is given. Called by `import::read`.

use super::{ImportError, notes::Notes};
use encoding_rs::{Encoding, GB18030, UTF_8, UTF_16BE, UTF_16LE};

/// Text that was decoded, and what was odd about it.
pub(super) struct Decoded {
    pub text: String,
    pub notes: Notes,
}

/// A container that is recognised by its first bytes, and what to do about it.
const CONTAINERS: &[(&[u8], &str)] = &[
    (b"\x28\xb5\x2f\xfd", "zstd-compressed: run `zstd -d` on it first and import the result"),
    (b"PK\x03\x04", "a zip archive: unpack it and import the conversations.json inside"),
    (b"PK\x05\x06", "an empty zip archive"),
    (b"\x1f\x8b", "gzip-compressed: run `gunzip` on it first and import the result"),
    (b"BZh", "bzip2-compressed: run `bunzip2` on it first and import the result"),
    (b"\xfd7zXZ\x00", "xz-compressed: run `xz -d` on it first and import the result"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive: unpack it first and import the conversation inside"),
    (b"\x89PNG\r\n\x1a\n", "a PNG picture: import the conversation as text or JSON"),
    (b"\xff\xd8\xff", "a JPEG picture: import the conversation as text or JSON"),
    (b"GIF8", "a GIF picture: import the conversation as text or JSON"),
    (b"%PDF-", "a PDF: copy its text and import that"),
    (b"SQLite format 3\x00", "a SQLite database: export the conversation from its program"),
    (b"\x7fELF", "a program: import the conversation as text or JSON"),
];

/// How much of the text is looked at for control characters.
const SAMPLE_CHARS: usize = 16 * 1024;

/// Decodes `bytes`; `plausible` says whether a text in a guessed encoding shows a conversation.
pub(super) fn decode(bytes: &[u8], plausible: impl Fn(&str) -> bool) -> Result<Decoded, ImportError> {
    if let Some((_, what)) = CONTAINERS.iter().find(|(magic, _)| bytes.starts_with(magic)) {
        return Err(not_text(&format!("is {what}")));
    }
    let mut notes = Notes::default();
    let text = match marked_encoding(bytes) {
        Some(encoding) => {
            let (text, broken) = encoding.decode_with_bom_removal(bytes);
            if broken {
                notes.add("invalid_utf8", encoding.name());
            }
            text.into_owned()
        }
        None => unmarked(bytes, plausible, &mut notes),
    };
    if text.chars().all(|c| c.is_whitespace() || c == '\u{feff}' || c == '\0') {
        return Err(ImportError::unknown(
            "empty_input",
            "the input is empty: paste a conversation or name a file that holds one",
        ));
    }
    match strangeness(&text) {
        Strange::No => Ok(Decoded { text, notes }),
        Strange::Controls => Err(not_text("is binary data: import the conversation as text or JSON")),
        Strange::Encoding => Err(not_text(
            "is no UTF-8 text: convert it first, for example with `iconv -f GB18030 -t UTF-8`, and import the result",
        )),
    }
}

fn not_text(what: &str) -> ImportError {
    ImportError::unknown("not_text", format!("the input {what}"))
}

/// The encoding that a byte order mark, or UTF-16's regular NUL bytes, declare.
fn marked_encoding(bytes: &[u8]) -> Option<&'static Encoding> {
    if let Some((encoding, _)) = Encoding::for_bom(bytes) {
        return Some(encoding).filter(|&encoding| encoding != UTF_8 || std::str::from_utf8(bytes).is_ok());
    }
    let pairs: Vec<&[u8]> = bytes.chunks_exact(2).take(64).collect();
    let nul_at = |place: usize| pairs.iter().filter(|pair| pair.get(place) == Some(&0)).count();
    let (even, odd) = (nul_at(0), nul_at(1));
    if pairs.len() < 8 || !bytes.len().is_multiple_of(2) {
        None
    } else if even == 0 && odd * 4 > pairs.len() * 3 {
        Some(UTF_16LE)
    } else if odd == 0 && even * 4 > pairs.len() * 3 {
        Some(UTF_16BE)
    } else {
        None
    }
}

/// UTF-8 where it is UTF-8; else GB18030 where everything speaks for it; else UTF-8 with replacements.
fn unmarked(bytes: &[u8], plausible: impl Fn(&str) -> bool, notes: &mut Notes) -> String {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    if let Ok(text) = std::str::from_utf8(bytes) {
        return text.to_owned();
    }
    if pairs_like_gb18030(bytes)
        && let Some(text) = GB18030.decode_without_bom_handling_and_without_replacement(bytes)
        && (plausible(&text) || text.trim_start().starts_with(['{', '[']))
    {
        notes.add("encoding_guessed", "GB18030");
        return text.into_owned();
    }
    for (index, line) in bytes.split(|&byte| byte == b'\n').enumerate() {
        if std::str::from_utf8(line).is_err() {
            notes.add("invalid_utf8", format!("line {}", index + 1));
        }
    }
    String::from_utf8_lossy(bytes).into_owned()
}

/// Chinese text in GB18030 has its high bytes in pairs; single Latin-1 letters among ASCII do not.
fn pairs_like_gb18030(bytes: &[u8]) -> bool {
    let (mut letters, mut broken) = (0usize, 0usize);
    for chunk in bytes.utf8_chunks() {
        letters += chunk.valid().chars().filter(|c| !c.is_ascii()).count();
        broken += usize::from(!chunk.invalid().is_empty());
    }
    if letters * 2 > broken {
        return false;
    }
    let (mut paired, mut single) = (0usize, 0usize);
    let mut rest = bytes.iter().copied().peekable();
    while let Some(byte) = rest.next() {
        if byte < 0x81 {
            continue;
        }
        match rest.next_if(|&next| next >= 0xa1) {
            Some(_) => paired += 1,
            None => single += 1,
        }
    }
    paired > single * 4
}

/// What speaks against a decoded text being text.
enum Strange {
    No,
    Controls,
    Encoding,
}

/// Whether control characters or replacements make up more of the text than any conversation has.
fn strangeness(text: &str) -> Strange {
    let starts_as_json = text.trim_start().starts_with(['{', '[', '"']);
    let (mut total, mut controls, mut replaced) = (0usize, 0usize, 0usize);
    for c in text.chars().take(SAMPLE_CHARS) {
        total += 1;
        match c {
            '\0' if starts_as_json => {}
            '\t' | '\n' | '\r' | '\u{7}' | '\u{8}' | '\u{b}' | '\u{c}' | '\u{1b}' => {}
            '\u{fffd}' => replaced += 1,
            other => controls += usize::from(other.is_control()),
        }
    }
    if (controls + replaced) * 10 <= total || controls + replaced < 3 {
        Strange::No
    } else if controls * 10 > total {
        Strange::Controls
    } else {
        Strange::Encoding
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(bytes: &[u8], expected: Result<&str, &str>) {
        let got = decode(bytes, |text| text.contains("用户"));
        match (got, expected) {
            (Ok(decoded), Ok(text)) => assert_eq!(decoded.text, text),
            (Err(error), Err(code)) => assert_eq!(error.code, code, "{error}"),
            (got, expected) => panic!("{:?} instead of {expected:?}", got.map(|d| d.text)),
        }
    }

    #[test]
    fn encodings() {
        check(b"\xef\xbb\xbfUser: a", Ok("User: a"));
        check(b"\xff\xfeU\0:\0", Ok("U:"));
        check(b"\xfe\xff\0U\0:", Ok("U:"));
        check(b"U\0s\0e\0r\0:\0 \0h\0i\0!\0", Ok("User: hi!"));
        check(&GB18030.encode("用户：今天改成周四开会").0, Ok("用户：今天改成周四开会"));
        check(b"User: Stra\xdfe und caf\xe9", Ok("User: Stra\u{fffd}e und caf\u{fffd}"));
        check("User: ä \u{fffd}".as_bytes(), Ok("User: ä \u{fffd}"));
    }

    #[test]
    fn refusals() {
        check(b"", Err("empty_input"));
        check(b" \n\t\xef\xbb\xbf", Err("empty_input"));
        check(b"\x89PNG\r\n\x1a\n0000", Err("not_text"));
        check(b"\x28\xb5\x2f\xfd00", Err("not_text"));
        check(b"PK\x03\x04", Err("not_text"));
        check(b"\x01\x02\x03\x04\x80\x81\x82\x90", Err("not_text"));
        check(&GB18030.encode("今天改成周四开会").0, Err("not_text"));
    }
}
