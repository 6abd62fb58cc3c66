//! Words without what drives a terminal.
//!
//! Records keep a text as it came; what is distilled from it and written into a card goes through here.

use std::borrow::Cow;

/// The text without escape sequences, control characters and overrides of the writing direction; line feeds and
/// tabs stay.
pub fn plain(text: &str) -> Cow<'_, str> {
    if !text.chars().any(drives) {
        return Cow::Borrowed(text);
    }
    let mut words = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let taken =
            if c == '\u{1b}' || c == '\u{9b}' || c == '\u{9d}' { sequence(rest) } else { c.len_utf8() };
        if !drives(c) {
            words.push(c);
        }
        rest = rest.get(taken..).unwrap_or_default();
    }
    Cow::Owned(words)
}

fn drives(c: char) -> bool {
    (c.is_control() && c != '\n' && c != '\t')
        || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// The bytes of the escape sequence that the text starts with (ECMA-48: control sequences and strings).
fn sequence(text: &str) -> usize {
    let mut chars = text.char_indices().peekable();
    let kind = match chars.next().map(|(_, c)| c) {
        Some('\u{9b}') => '[',
        Some('\u{9d}') => ']',
        _ => match chars.next() {
            Some((_, kind)) => kind,
            None => return text.len(),
        },
    };
    match kind {
        '[' => {
            let end = chars.find(|(_, c)| !matches!(c, ' '..='?'));
            end.map_or(text.len(), |(at, c)| if matches!(c, '@'..='~') { at + c.len_utf8() } else { at })
        }
        // A string that never ends hides nothing: only its introducer goes.
        ']' | 'P' | '_' | '^' | 'X' => string_end(text).unwrap_or(1),
        ' '..='/' => chars.next().map_or(text.len(), |(at, c)| at + c.len_utf8()),
        '0'..='~' => 2,
        _ => 1,
    }
}

fn string_end(text: &str) -> Option<usize> {
    let bell = text.find('\u{7}').map(|at| at + 1);
    let terminator = text.get(1..)?.find("\u{1b}\\").map(|at| at + 3);
    let end = bell.into_iter().chain(terminator).min()?;
    (!text.get(..end)?.contains('\n')).then_some(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_drives_a_terminal_goes() {
        let rows = [
            ("nothing here", "nothing here"),
            ("a\tb\nc", "a\tb\nc"),
            ("red: \u{1b}[31malert\u{1b}[0m done", "red: alert done"),
            ("\u{1b}]0;owned\u{7}title and \u{1b}[2J\u{1b}[Hclear", "title and clear"),
            ("\u{1b}]8;;http://x\u{1b}\\link\u{1b}]8;;\u{1b}\\", "link"),
            ("bell \u{7} back\u{8} CR\r", "bell  back CR"),
            ("bidi \u{202e}gnp.exe\u{202c}", "bidi gnp.exe"),
            ("\u{9b}31mred", "red"),
            ("cut \u{1b}", "cut "),
            ("cut \u{1b}[3", "cut "),
            ("open \u{1b}]0;never ends", "open ]0;never ends"),
            ("\u{1b}(Bx \u{1b}7y", "x y"),
            ("👩‍💻 café 用户", "👩‍💻 café 用户"),
        ];
        for (text, expected) in rows {
            assert_eq!(plain(text), expected, "{text:?}");
        }
    }
}
