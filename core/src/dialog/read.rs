//! From a record's bytes to messages: whole lines, and what can be recovered of damaged ones.
//!
//! Loses no byte: what belongs to no message comes back as a piece of its own. Called by `dialog` only.

use crate::message::{Msg, list};
use serde_json::{Deserializer, Value};

/// A part of a record's line; most lines are one piece.
#[derive(Debug, PartialEq)]
pub(super) struct Piece<'a> {
    /// Its bytes, without the line feed.
    pub raw: &'a [u8],
    /// The message that they spell; `None`: damage.
    pub message: Option<Msg>,
}

const BOM: &[u8] = b"\xef\xbb\xbf";

/// The pieces of a record. Lines end at `\n` alone: U+2028 and U+0085 are words of a message. Blank lines are
/// left out.
pub(super) fn pieces(bytes: &[u8]) -> Vec<Piece<'_>> {
    let bytes = bytes.strip_prefix(BOM).unwrap_or(bytes);
    let mut pieces = Vec::new();
    for line in bytes.split(|byte| *byte == b'\n') {
        let line = line.trim_ascii();
        if line.is_empty() {
            continue;
        }
        match message(line) {
            Some(message) => pieces.push(Piece { raw: line, message: Some(message) }),
            None => recover(line, &mut pieces),
        }
    }
    pieces
}

/// A line that is one record, also where its text holds bytes or escapes that JSON does not allow.
fn message(line: &[u8]) -> Option<Msg> {
    let value = serde_json::from_slice(line).ok().or_else(|| {
        let text = mend(line);
        serde_json::from_str::<Value>(&text).ok()
    })?;
    list::read(value, |_| {}).ok().flatten()
}

/// Whole records inside a line that is none: after a torn beginning, between NULs, or side by side.
fn recover<'a>(line: &'a [u8], pieces: &mut Vec<Piece<'a>>) {
    let mut rest = line;
    let mut from = 0;
    while let Some(start) = find_object(rest, from) {
        let (before, tail) = rest.split_at_checked(start).unwrap_or((rest, &[]));
        let mut values = Deserializer::from_slice(tail).into_iter::<Value>();
        let Some(Ok(value)) = values.next() else {
            from = start + 1;
            continue;
        };
        let end = values.byte_offset();
        match list::read(value, |_| {}) {
            Ok(Some(message)) => {
                push_damaged(before, pieces);
                let (raw, after) = tail.split_at_checked(end).unwrap_or((tail, &[]));
                pieces.push(Piece { raw, message: Some(message) });
                rest = after;
                from = 0;
            }
            // An object that is no message holds none either.
            _ => from = start + end,
        }
    }
    push_damaged(rest, pieces);
}

/// The next place where an object with a key may begin.
fn find_object(bytes: &[u8], from: usize) -> Option<usize> {
    memchr::memmem::find(bytes.get(from..)?, b"{\"").map(|at| from + at)
}

fn push_damaged<'a>(raw: &'a [u8], pieces: &mut Vec<Piece<'a>>) {
    let raw = raw.trim_ascii();
    if !raw.is_empty() {
        pieces.push(Piece { raw, message: None });
    }
}

/// The line as text that a JSON parser takes: bad UTF-8 and lone surrogates replaced, control characters inside
/// strings escaped.
fn mend(line: &[u8]) -> String {
    let text = String::from_utf8_lossy(line);
    let mut mended = String::with_capacity(text.len());
    let mut rest: &str = &text;
    let mut quoted = false;
    while let Some(c) = rest.chars().next() {
        let mut taken = c.len_utf8();
        match c {
            '\\' if quoted => {
                let (replacement, length) = escape(rest);
                mended.push_str(replacement);
                taken = length;
            }
            '"' => {
                quoted = !quoted;
                mended.push(c);
            }
            '\0'..='\x1f' if quoted => mended.push_str(&format!("\\u{:04x}", u32::from(c))),
            _ => mended.push(c),
        }
        rest = rest.get(taken..).unwrap_or_default();
    }
    mended
}

/// The escape at the start of `text`, or its replacement, and how many bytes it takes.
fn escape(text: &str) -> (&str, usize) {
    let unit = |at: usize| {
        let digits = text.get(at..at + 6)?.strip_prefix("\\u")?;
        u16::from_str_radix(digits, 16).ok()
    };
    match (unit(0), unit(6)) {
        (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => (text.get(..12).unwrap_or_default(), 12),
        (Some(0xd800..=0xdfff), _) => ("\\ufffd", 6),
        (Some(_), _) => (text.get(..6).unwrap_or_default(), 6),
        (None, _) => {
            let length = text.chars().take(2).map(char::len_utf8).sum();
            (text.get(..length).unwrap_or_default(), length)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `expect`: a message's id, or the bytes of a damaged piece in brackets.
    fn check(bytes: &[u8], expect: &[&str]) {
        let found: Vec<String> = (pieces(bytes).into_iter())
            .map(|piece| match piece.message {
                Some(message) => message.id.unwrap_or_else(|| "-".to_owned()),
                None => format!("[{}]", String::from_utf8_lossy(piece.raw)),
            })
            .collect();
        assert_eq!(found, expect, "{}", String::from_utf8_lossy(bytes));
    }

    fn record(id: &str) -> String {
        format!(r#"{{"id":"{id}","role":"user","content":[{{"type":"text","text":"words of {id}"}}]}}"#)
    }

    #[test]
    fn damage() {
        let (m1, m2) = (record("m1"), record("m2"));
        let torn = m2.get(..40).expect("ASCII");
        let line = |parts: &[&str]| parts.concat().into_bytes();
        check(b"", &[]);
        check(&line(&[&m1, "\n", &m2]), &["m1", "m2"]);
        check(&line(&["\u{feff}", &m1, "\r\n\r\n", &m2, "\r\n"]), &["m1", "m2"]);
        check(&line(&[&m1, &m2, "\n"]), &["m1", "m2"]);
        check(&line(&[&m1, "\n", torn]), &["m1", &format!("[{torn}]")]);
        check(&line(&[torn, &m2, "\n"]), &[&format!("[{torn}]"), "m2"]);
        check(&line(&[&m1, "\n\0\0\0\n", &m2]), &["m1", "[\0\0\0]", "m2"]);
        check(&line(&["\0\0", &m1, " x ", &m2, "\0"]), &["[\0\0]", "m1", "[x]", "m2", "[\0]"]);
        check(
            b"NOT JSON\n{\"some\":\"other\"}\n[1,2]\nnull\n",
            &["[NOT JSON]", "[{\"some\":\"other\"}]", "[[1,2]]", "[null]"],
        );
        check(
            br#"{"id":"m5","role":"tool","content":null}"#,
            &[r#"[{"id":"m5","role":"tool","content":null}]"#],
        );
        check(br#"{"role":"user","content":[]}"#, &["-"]);
    }

    /// Lines that a JSON parser refuses and whose words are still there.
    fn check_mended(text: &[u8], expect: &str) {
        let line = [br#"{"id":"a\"\\","role":"user",    "content":""#, text, br#""}"#].concat();
        let pieces = pieces(&line);
        assert_eq!(pieces.len(), 1);
        let message = pieces[0].message.as_ref().expect("a message");
        assert_eq!((message.id.as_deref(), message.text().as_str()), (Some("a\"\\"), expect));
        assert_eq!(pieces[0].raw, line);
    }

    #[test]
    fn mended_lines() {
        check_mended("one\u{2028}two\u{85}three".as_bytes(), "one\u{2028}two\u{85}three");
        check_mended(b"a\xffb", "a\u{fffd}b");
        check_mended(b"a\tb\0c\x1b", "a\tb\0c\x1b");
        check_mended(br"a\ud83db", "a\u{fffd}b");
        check_mended(br"a\udc00\ud83d\ude00", "a\u{fffd}\u{1f600}");
        check_mended(b"\xf0\x9f\\ud83d\\n", "\u{fffd}\u{fffd}\n");
    }
}
