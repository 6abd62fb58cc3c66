//! Language: whether a conversation is to be read, and its card to be headed, in Chinese or in English.
//!
//! Owns the choice and the headings; never translates. Called once a conversation.

use super::words::is_han;
use crate::distill::Kind;

/// The languages in which headings exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Language {
    /// English, and every language without headings of its own.
    English,
    /// Chinese.
    Chinese,
}

/// A character of Chinese says about as much as this many of a Latin word.
const LETTERS_PER_HAN: usize = 3;
/// Enough text to tell a language by.
const SAMPLE: usize = 4000;

impl Language {
    /// The language of most of the text, by its beginning.
    pub fn of<'t>(texts: impl Iterator<Item = &'t str>) -> Self {
        let mut sample = String::new();
        for text in texts {
            sample.extend(text.chars().take(SAMPLE / 4));
            sample.push('\n');
            if sample.len() > SAMPLE {
                break;
            }
        }
        let han = sample.chars().filter(|&c| is_han(c)).count();
        let letters = sample.chars().filter(|&c| c.is_alphabetic() && !is_han(c)).count();
        if han * LETTERS_PER_HAN < letters || han == 0 {
            return Language::English;
        }
        // Japanese has Han characters too; short texts without kana are taken as Chinese.
        match whatlang::detect_lang(&sample) {
            Some(whatlang::Lang::Jpn) => Language::English,
            _ => Language::Chinese,
        }
    }

    /// The heading over statements of a kind.
    pub fn heading(self, kind: Kind) -> &'static str {
        match (self, kind) {
            (Language::English, Kind::Preference) => "Preferences",
            (Language::English, Kind::Fact) => "Facts",
            (Language::English, Kind::Decision) => "Decisions",
            (Language::English, Kind::State) => "State",
            (Language::English, Kind::Experience) => "Experience",
            (Language::English, Kind::Other) => "Notes",
            (Language::Chinese, Kind::Preference) => "偏好",
            (Language::Chinese, Kind::Fact) => "事实",
            (Language::Chinese, Kind::Decision) => "决定",
            (Language::Chinese, Kind::State) => "状态",
            (Language::Chinese, Kind::Experience) => "经验",
            (Language::Chinese, Kind::Other) => "其他",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(texts: &[&str], expected: Language) {
        assert_eq!(Language::of(texts.iter().copied()), expected, "{texts:?}");
    }

    #[test]
    fn by_most_of_the_text() {
        check(&["I moved to Lisbon"], Language::English);
        check(&["我们决定用 SQLite 而不是 PostgreSQL"], Language::Chinese);
        check(&["the label says 中文 in the middle of an English sentence"], Language::English);
        check(&["これは日本語の文章です。東京に住んでいます。"], Language::English);
        check(&["", "ok"], Language::English);
    }
}
