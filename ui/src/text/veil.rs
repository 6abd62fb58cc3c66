//! Text inside an editor, which counts characters: hidden ones must take a cell each and come back unchanged.

use super::shown::hides;
use std::borrow::Cow;

/// Plane 16, whose private characters stand for the hidden ones of the same number inside an editor.
const VEIL: u32 = 0x10_0000;
/// Numbers that no character has (surrogates); tags of plane 14 are veiled there.
const VEIL_TAGS: u32 = 0xD800;
const TAGS: u32 = 0xE_0000;

/// Text for an editor: each hidden character becomes one private character of one cell, which [`unveil`] turns
/// back and [`veil_symbol`] draws. Tabs and line feeds stay.
pub fn veil(text: &str) -> Cow<'_, str> {
    let hidden = |c: char| c != '\n' && c != '\t' && hides(c);
    if !text.chars().any(hidden) {
        return Cow::Borrowed(text);
    }
    let map = |c: char| {
        let number = match u32::from(c) {
            code @ 0..=0xFFFF if hidden(c) => VEIL + code,
            code @ TAGS..=0xE_07FF if hidden(c) => VEIL + VEIL_TAGS + (code - TAGS),
            code => code,
        };
        char::from_u32(number).unwrap_or(c)
    };
    Cow::Owned(text.chars().map(map).collect())
}

/// The text that [`veil`] was given.
pub fn unveil(text: &str) -> Cow<'_, str> {
    if !text.chars().any(|c| unveiled(c).is_some()) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().map(|c| unveiled(c).unwrap_or(c)).collect())
}

/// What an editor draws, in one cell, for a veiled character; `None` for every other.
pub fn veil_symbol(c: char) -> Option<char> {
    match unveiled(c)? {
        control @ '\0'..='\u{1F}' => char::from_u32(0x2400 + u32::from(control)),
        '\u{7F}' => Some('␡'),
        _ => Some('▯'),
    }
}

fn unveiled(c: char) -> Option<char> {
    let code = u32::from(c).checked_sub(VEIL)?;
    let code = if (VEIL_TAGS..0xE000).contains(&code) { code - VEIL_TAGS + TAGS } else { code };
    char::from_u32(code).filter(|c| hides(*c))
}
