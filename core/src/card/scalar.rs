//! Scalars of the frontmatter: their source text read (unquoted, unfolded) and written (quoted where needed).
//!
//! Never decides what a value means: a reader gets text. Only writing looks at types, because PyYAML reads
//! what we write and would take `yes` or `12:30` for something else. Called by the rest of `card`.

/// How a scalar is spelt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    Plain,
    Single,
    Double,
    Block,
}

/// A scalar that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Scalar {
    pub text: String,
    pub style: Style,
}

impl Scalar {
    /// Whether YAML takes it for nothing.
    pub fn is_null(&self) -> bool {
        self.style == Style::Plain && matches!(self.text.as_str(), "" | "~" | "null" | "Null" | "NULL")
    }
}

/// Joins the lines of a plain or quoted scalar: one line end is a blank, n of them are n-1 line feeds.
pub(super) fn fold(source: &str) -> String {
    let mut folded = String::with_capacity(source.len());
    let mut empty_lines = 0;
    for (index, line) in source.split('\n').enumerate() {
        if index == 0 {
            folded.push_str(line.trim_end_matches(['\r', ' ', '\t']));
            continue;
        }
        let line = line.trim_end_matches('\r');
        let words = line.trim_matches([' ', '\t']);
        if words.is_empty() {
            empty_lines += 1;
            continue;
        }
        join(&mut folded, empty_lines);
        empty_lines = 0;
        folded.push_str(words);
    }
    folded
}

fn join(folded: &mut String, empty_lines: usize) {
    if empty_lines == 0 {
        folded.push(' ');
    } else {
        folded.extend(std::iter::repeat_n('\n', empty_lines));
    }
}

/// The end of the quoted scalar that starts at `start`, behind its closing quote.
pub(super) fn quoted_end(text: &str, start: usize) -> Option<usize> {
    let mut chars = text.get(start..)?.char_indices().peekable();
    let (_, quote) = chars.next()?;
    while let Some((at, c)) = chars.next() {
        if c == '\\' && quote == '"' {
            chars.next();
        } else if c == quote {
            if quote == '\'' && chars.peek().is_some_and(|(_, next)| *next == '\'') {
                chars.next();
            } else {
                return Some(start + at + c.len_utf8());
            }
        }
    }
    None
}

/// Reads a quoted scalar, quotes included; the error says what is wrong with it.
pub(super) fn unquote(source: &str) -> Result<Scalar, String> {
    let inner = source.get(1..source.len().saturating_sub(1)).unwrap_or_default();
    if source.starts_with('\'') {
        return Ok(Scalar { text: fold_quoted(inner, false).replace("''", "'"), style: Style::Single });
    }
    Ok(Scalar { text: unescape(&fold_quoted(inner, true))?, style: Style::Double })
}

/// Folds what stands between quotes: blanks at its two ends belong to it, and, where there are `escapes`, a
/// backslash at the end of a line joins without a blank.
fn fold_quoted(inner: &str, escapes: bool) -> String {
    if !inner.contains('\n') {
        return inner.to_owned();
    }
    let lines: Vec<&str> = inner.split('\n').map(|line| line.trim_end_matches('\r')).collect();
    let last = lines.len() - 1;
    let mut folded = String::with_capacity(inner.len());
    let mut empty_lines = 0;
    for (index, line) in lines.into_iter().enumerate() {
        let line = if index == 0 { line } else { line.trim_start_matches([' ', '\t']) };
        let line = if index == last { line } else { line.trim_end_matches([' ', '\t']) };
        if index == 0 {
            folded.push_str(line);
        } else if line.is_empty() && index != last {
            empty_lines += 1;
        } else {
            if escapes && ends_in_escape(&folded) {
                folded.pop();
                folded.extend(std::iter::repeat_n('\n', empty_lines));
            } else {
                join(&mut folded, empty_lines);
            }
            empty_lines = 0;
            folded.push_str(line);
        }
    }
    folded
}

fn ends_in_escape(text: &str) -> bool {
    text.bytes().rev().take_while(|byte| *byte == b'\\').count() % 2 == 1
}

fn unescape(text: &str) -> Result<String, String> {
    let mut plain = String::with_capacity(text.len());
    let mut high: Option<u32> = None;
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            plain.push(c);
            continue;
        }
        let escape = chars.next().ok_or("a backslash stands at the end of a quoted value")?;
        let digits = match escape {
            'x' => 2,
            'u' => 4,
            'U' => 8,
            _ => {
                plain.push(simple_escape(escape).ok_or_else(|| format!("`\\{escape}` is no YAML escape"))?);
                continue;
            }
        };
        let hex: String = chars.by_ref().take(digits).collect();
        let code =
            u32::from_str_radix(&hex, 16).map_err(|_| format!("`\\{escape}{hex}` is no YAML escape"))?;
        // JSON writes characters beyond the first plane as two escapes.
        match (high.take(), code) {
            (_, 0xD800..=0xDBFF) => high = Some(code),
            (Some(first), 0xDC00..=0xDFFF) => {
                let joined = 0x10000 + ((first - 0xD800) << 10) + (code - 0xDC00);
                plain.push(char::from_u32(joined).unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            (_, code) => plain.push(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER)),
        }
    }
    Ok(plain)
}

fn simple_escape(escape: char) -> Option<char> {
    Some(match escape {
        '0' => '\0',
        'a' => '\u{7}',
        'b' => '\u{8}',
        't' | '\t' => '\t',
        'n' => '\n',
        'v' => '\u{b}',
        'f' => '\u{c}',
        'r' => '\r',
        'e' => '\u{1b}',
        ' ' => ' ',
        '"' => '"',
        '/' => '/',
        '\\' => '\\',
        'N' => '\u{85}',
        '_' => '\u{a0}',
        'L' => '\u{2028}',
        'P' => '\u{2029}',
        _ => return None,
    })
}

/// Where a scalar is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// After `key:` or `- `.
    Block,
    /// Between brackets, where commas and brackets end it.
    Flow,
}

/// Spells a text so that every YAML 1.1 and 1.2 reader gets exactly this text back. `like` is how the value
/// was spelt before, if it was.
pub(super) fn write(text: &str, like: Option<Style>, place: Place) -> String {
    let quoted_before = matches!(like, Some(Style::Single | Style::Double));
    if !quoted_before && is_safe_plain(text, place) {
        return text.to_owned();
    }
    if like == Some(Style::Single) && !text.chars().any(needs_escape) {
        return format!("'{}'", text.replace('\'', "''"));
    }
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            '\r' => quoted.push_str("\\r"),
            c if needs_escape(c) => quoted.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

/// Characters that PyYAML refuses, or takes for a line end, or that nobody would see.
fn needs_escape(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}')
}

fn is_safe_plain(text: &str, place: Place) -> bool {
    let blank_ends = text.starts_with(char::is_whitespace) || text.ends_with(char::is_whitespace);
    if text.is_empty() || blank_ends || text.chars().any(needs_escape) {
        return false;
    }
    if text.contains(": ") || text.contains(" #") || text.ends_with(':') || starts_with_indicator(text) {
        return false;
    }
    if place == Place::Flow && text.contains([',', '[', ']', '{', '}', ':', '?']) {
        return false;
    }
    !is_typed(text)
}

fn starts_with_indicator(text: &str) -> bool {
    if text.starts_with("---") || text.starts_with("...") {
        return true;
    }
    let mut chars = text.chars();
    match chars.next() {
        Some('-' | '?' | ':') => chars.next().is_none_or(char::is_whitespace),
        Some(first) => ",[]{}#&*!|>'\"%@`".contains(first),
        None => true,
    }
}

/// Whether some YAML reader would take the plain text for something other than text.
fn is_typed(text: &str) -> bool {
    const WORDS: [&str; 14] =
        ["y", "n", "yes", "no", "on", "off", "true", "false", "null", "~", "=", "<<", ".nan", ".inf"];
    let lower = text.to_ascii_lowercase();
    let unsigned = lower.trim_start_matches(['+', '-']);
    if WORDS.contains(&lower.as_str()) || WORDS.contains(&unsigned) {
        return true;
    }
    // Numbers in every base, times and dates are made of these characters only.
    let first = unsigned.trim_start_matches('.').chars().next();
    first.is_some_and(|c| c.is_ascii_digit())
        && unsigned.chars().all(|c| c.is_ascii_hexdigit() || "xo_.:-+tz ".contains(c))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_a_reader_would_retype_is_quoted() {
        let quoted = [
            "yes",
            "No",
            "on",
            "OFF",
            "y",
            "N",
            "true",
            "007",
            "8e12",
            "1_000",
            "0o17",
            "0x1F",
            "0b11",
            "12:30",
            "1:02:03",
            "2024-01-07",
            "2024-01-07T08:00:00Z",
            "2024-01-07 08:00:00",
            "~",
            "null",
            "NULL",
            "",
            " a",
            "a ",
            "key: value",
            "a #b",
            "a:",
            "&a *b",
            "*b",
            "[[x]]",
            "{a",
            "- a",
            "-",
            "? a",
            "!t",
            "|",
            ">",
            "'a",
            "\"a",
            "%50",
            "@ada",
            "`cargo`",
            "#a",
            "a\nb",
            "a\tb",
            "\u{feff}a",
            "a\u{2028}b",
            "a\u{85}b",
            "---",
            ".inf",
            "-.INF",
            ".nan",
            "12",
            "+1",
            "-1.5",
            ".5",
            "=",
            "<<",
            ",a",
            "12e03",
        ];
        for text in quoted {
            assert!(write(text, None, Place::Block).starts_with('"'), "{text:?} must be quoted");
        }
        let plain = [
            "login-refactor-decision",
            "3 of 4 tests pass",
            "a: b".trim_end_matches(": b"),
            "-rf",
            "v1.2 plan",
            "用户喜欢简洁的回答：不要啰嗦",
            "rocket 🚀 done",
            "a\u{a0}b",
            "C# notes",
            ".hidden",
            "a, b",
            "x[1]",
            "it's",
            "http://a.b/c",
            "nobody",
            "yes and no",
        ];
        for text in plain {
            assert_eq!(write(text, None, Place::Block), text);
        }
    }

    #[test]
    fn quotes_of_before_are_kept() {
        assert_eq!(write("b", Some(Style::Single), Place::Block), "'b'");
        assert_eq!(write("it's", Some(Style::Single), Place::Block), "'it''s'");
        assert_eq!(write("a\nb", Some(Style::Single), Place::Block), "\"a\\nb\"");
        assert_eq!(write("b", Some(Style::Double), Place::Block), "\"b\"");
        assert_eq!(write("a, b", None, Place::Flow), "\"a, b\"");
    }

    #[test]
    fn folded_and_quoted_texts_are_unfolded() {
        let rows = [
            ("'it''s'", "it's"),
            ("\"rocket \\U0001F680 done\"", "rocket 🚀 done"),
            ("\"\\ud83d\\ude80\"", "🚀"),
            ("\"a\\\n   b\"", "ab"),
            ("\"a\n  b\n\n  c\"", "a b\nc"),
            ("'a\n\n  b '", "a\nb "),
            ("'a\\\n  b'", "a\\ b"),
            ("\"\\x41\\t\\\"\"", "A\t\""),
        ];
        for (source, text) in rows {
            assert_eq!(unquote(source).unwrap().text, text, "{source:?}");
        }
        assert_eq!(fold("a b\n  c\n\n  d"), "a b c\nd");
        assert!(unquote("\"\\q\"").is_err());
    }

    proptest! {
        #[test]
        fn what_is_quoted_reads_back(text in ".{0,40}") {
            let written = write(&text, Some(Style::Double), Place::Block);
            prop_assert_eq!(quoted_end(&written, 0), Some(written.len()));
            prop_assert_eq!(unquote(&written).unwrap().text, text);
        }
    }
}
