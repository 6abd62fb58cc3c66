//! Mending of almost-JSON: the faults that real exporters and hand edits leave in.
//!
//! Owns the repairs (lone surrogates, raw control characters, NaN, commas before a closing bracket) and the
//! cutting of a torn document after its last whole element. Never invents content. Called by `import::values`.

use std::iter::Peekable;
use std::str::Chars;

/// A mended text.
pub(super) struct Mended {
    pub text: String,
    /// Whether anything but lone surrogates had to be mended.
    pub lenient: bool,
}

/// Mends what can be mended without guessing at meaning.
pub(super) fn mend(text: &str) -> Mended {
    let mut out = String::with_capacity(text.len() + 16);
    let mut lenient = false;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' => {
                out.push('"');
                lenient |= string(&mut chars, &mut out);
            }
            ',' => {
                let mut ahead = chars.clone();
                let next = ahead.find(|c| !c.is_whitespace());
                if matches!(next, Some(']' | '}')) {
                    lenient = true;
                } else {
                    out.push(',');
                }
            }
            '\0' | '\u{feff}' => lenient = true,
            '-' if chars.peek() == Some(&'I') => lenient = true,
            c if c.is_ascii_alphabetic() => {
                let mut word = String::from(c);
                while let Some(next) = chars.next_if(char::is_ascii_alphanumeric) {
                    word.push(next);
                }
                let unknown = matches!(word.as_str(), "NaN" | "Infinity" | "undefined");
                lenient |= unknown;
                out.push_str(if unknown { "null" } else { &word });
            }
            other => out.push(other),
        }
    }
    Mended { text: out, lenient }
}

/// Copies the rest of a string up to its closing quote; says whether it held raw control characters.
fn string(chars: &mut Peekable<Chars<'_>>, out: &mut String) -> bool {
    let mut lenient = false;
    while let Some(c) = chars.next() {
        match c {
            '"' => {
                out.push('"');
                return lenient;
            }
            '\\' => escape(chars, out),
            c if c < ' ' => {
                lenient = true;
                out.push_str(&format!("\\u{:04x}", u32::from(c)));
            }
            other => out.push(other),
        }
    }
    lenient
}

fn escape(chars: &mut Peekable<Chars<'_>>, out: &mut String) {
    let Some(kind) = chars.next() else {
        out.push('\\');
        return;
    };
    if kind != 'u' {
        out.push('\\');
        out.push(kind);
        return;
    }
    let Some(first) = code_unit(chars) else {
        out.push_str("\\u");
        return;
    };
    match first {
        0xd800..=0xdbff => {
            let mut ahead = chars.clone();
            let second = (ahead.next() == Some('\\') && ahead.next() == Some('u'))
                .then(|| code_unit(&mut ahead))
                .flatten()
                .filter(|unit| (0xdc00..=0xdfff).contains(unit));
            match second {
                Some(second) => {
                    out.push_str(&format!("\\u{first:04x}\\u{second:04x}"));
                    *chars = ahead;
                }
                None => out.push_str("\\ufffd"),
            }
        }
        0xdc00..=0xdfff => out.push_str("\\ufffd"),
        unit => out.push_str(&format!("\\u{unit:04x}")),
    }
}

/// Four hexadecimal digits; takes nothing if they are not there.
fn code_unit(chars: &mut Peekable<Chars<'_>>) -> Option<u32> {
    let digits: String = chars.clone().take(4).collect();
    if digits.len() != 4 || !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    chars.nth(3);
    u32::from_str_radix(&digits, 16).ok()
}

/// Cuts a torn document after the last whole element of its outermost list that has one, and closes it.
pub(super) fn cut_to_whole_elements(text: &str) -> Option<String> {
    let mut open: Vec<Open> = Vec::new();
    let (mut in_string, mut escaped) = (false, false);
    for (at, c) in text.char_indices() {
        if in_string {
            match c {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                '"' => in_string = false,
                _ => {}
            }
            continue;
        }
        match c {
            '"' => in_string = true,
            '{' => open.push(Open { closer: '}', whole_until: None }),
            '[' => open.push(Open { closer: ']', whole_until: None }),
            '}' | ']' => {
                if open.pop().map(|last| last.closer) != Some(c) {
                    return None;
                }
                match open.last_mut() {
                    Some(parent) if parent.closer == ']' => parent.whole_until = Some(at + 1),
                    Some(_) => {}
                    None => return None,
                }
            }
            _ => {}
        }
    }
    let (depth, end) = open.iter().enumerate().find_map(|(depth, list)| Some((depth, list.whole_until?)))?;
    let mut whole = text.get(..end)?.to_owned();
    whole.extend(open.iter().take(depth + 1).rev().map(|list| list.closer));
    Some(whole)
}

struct Open {
    closer: char,
    whole_until: Option<usize>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mends() {
        for (broken, mended, lenient) in [
            (r#"["\ud83d x"]"#, r#"["\ufffd x"]"#, false),
            (r#"["\ud83d\ude00"]"#, r#"["\ud83d\ude00"]"#, false),
            (r#"["\\ud83d"]"#, r#"["\\ud83d"]"#, false),
            (r#"["\udc00"]"#, r#"["\ufffd"]"#, false),
            ("[\"a\tb\"]", r#"["a\u0009b"]"#, true),
            ("[1, 2, ]", "[1, 2 ]", true),
            (r#"{"a":NaN,"b":-Infinity,"c":"NaN,]"}"#, r#"{"a":null,"b":null,"c":"NaN,]"}"#, true),
            (r#"[true, false, null]"#, r#"[true, false, null]"#, false),
        ] {
            let got = mend(broken);
            assert_eq!((got.text.as_str(), got.lenient), (mended, lenient));
        }
    }

    #[test]
    fn cuts() {
        for (torn, whole) in [
            (r#"[{"a":1},{"b":[2"#, Some(r#"[{"a":1}]"#)),
            (r#"{"m":[{"a":"]"},{"b"#, Some(r#"{"m":[{"a":"]"}]}"#)),
            (r#"[{"m":[{"a":1},{"b"#, Some(r#"[{"m":[{"a":1}]}]"#)),
            (r#"[{"a":1"#, None),
            (r#"[{"a":1]"#, None),
            ("[]", None),
        ] {
            assert_eq!(cut_to_whole_elements(torn).as_deref(), whole);
        }
    }
}
