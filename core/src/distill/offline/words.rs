//! Words: text becomes tokens with their place, their spelling for comparison and what they say.
//!
//! Owns segmentation, by Unicode's rules and, for Han text alone, by the Chinese dictionary, which is loaded when
//! the first Han text arrives. Never weighs a sentence. Called for each sentence of a conversation.

use super::lexicon::{self, Class};
use jieba_rs::Jieba;
use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;
use unicode_segmentation::UnicodeSegmentation;

static DICTIONARY: LazyLock<Jieba> = LazyLock::new(|| {
    let mut dictionary = Jieba::new();
    for (word, tag) in &lexicon::chinese().dictionary {
        dictionary.add_word(word, None, Some(tag));
    }
    dictionary
});

/// A part of speech, as far as it matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// A person's name.
    Person,
    /// The name of a place or an organisation.
    Place,
    /// A noun.
    Noun,
    /// A verb.
    Verb,
    /// Anything else.
    Other,
}

/// One word of a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Token {
    /// Where it stands in the sentence, in bytes.
    pub span: Range<usize>,
    /// Lower case, straight apostrophe, no possessive ending.
    pub norm: String,
    /// What it says.
    pub class: Class,
    /// Begins with a capital letter.
    pub capital: bool,
    /// What the Chinese dictionary takes it for; `None` for other words.
    pub part: Option<Part>,
}

impl Token {
    /// Whether the word carries content of its own.
    pub fn has_substance(&self) -> bool {
        matches!(self.class, Class::Plain | Class::Name | Class::Number)
    }

    /// The word as it stands in the sentence.
    pub fn text<'t>(&self, sentence: &'t str) -> &'t str {
        sentence.get(self.span.clone()).unwrap_or("")
    }
}

/// Longer words in capitals are shouted.
const LONGEST_ACRONYM: usize = 5;

/// Whether the character is a Chinese one.
pub(super) fn is_han(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{323af}')
}

/// The words of a sentence, in order.
pub(super) fn tokens(sentence: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut rest = sentence;
    let mut offset = 0;
    while let Some(first) = rest.chars().next() {
        let han = is_han(first);
        let end = rest.find(|c| is_han(c) != han).unwrap_or(rest.len());
        let (run, tail) = rest.split_at(end);
        if han {
            chinese(run, offset, &mut tokens)
        } else {
            latin(run, offset, &mut tokens)
        }
        offset += end;
        rest = tail;
    }
    tokens
}

fn latin(run: &str, offset: usize, tokens: &mut Vec<Token>) {
    let lexicon = lexicon::english();
    for (at, word) in run.unicode_word_indices() {
        let lower = spelling(word);
        let listed = lexicon.class(&lower);
        let norm = match lower.strip_suffix("'s") {
            Some(stem) if listed.is_none() => stem.to_owned(),
            _ => lower.into_owned(),
        };
        let first = tokens.is_empty();
        let capital = word.starts_with(char::is_uppercase);
        let class = match listed.or_else(|| lexicon.class(&norm)) {
            // A month, `May`, is one only with its capital.
            Some(Class::Time) if norm == "may" && (!capital || first) => Class::Stop,
            Some(class) => class,
            None if word.contains(|c: char| c.is_ascii_digit()) => Class::Number,
            None if is_name(word, first) => Class::Name,
            None => Class::Plain,
        };
        tokens.push(Token { span: offset + at..offset + at + word.len(), norm, class, capital, part: None });
    }
}

fn spelling(word: &str) -> Cow<'_, str> {
    if word.bytes().all(|b| b.is_ascii_lowercase()) {
        Cow::Borrowed(word)
    } else {
        Cow::Owned(word.to_lowercase().replace('’', "'"))
    }
}

/// A capital within a sentence, or a spelling such as `GitHub` or `API` anywhere, is a name's.
fn is_name(word: &str, first: bool) -> bool {
    // `INTENSE` is loud, not a name.
    if word.len() > LONGEST_ACRONYM && !word.contains(char::is_lowercase) {
        return false;
    }
    let capitals = word.chars().filter(|c| c.is_uppercase()).count();
    let starts = word.starts_with(char::is_uppercase);
    (starts && !first) || capitals > usize::from(starts)
}

fn chinese(run: &str, offset: usize, tokens: &mut Vec<Token>) {
    let lexicon = lexicon::chinese();
    let mut at = offset;
    for tag in DICTIONARY.tag(run, true) {
        let tagged = if lexicon.nouns.contains(tag.word) { "n" } else { tag.tag };
        let class = lexicon.class(tag.word).unwrap_or_else(|| by_part_of_speech(tagged));
        let end = at + tag.word.len();
        let part = Some(part_of_speech(tagged));
        tokens.push(Token { span: at..end, norm: tag.word.to_owned(), class, capital: false, part });
        at = end;
    }
}

fn part_of_speech(tag: &str) -> Part {
    match tag {
        "nr" | "nrt" | "nrfg" => Part::Person,
        "ns" | "nt" => Part::Place,
        "vn" | "j" | "l" | "i" => Part::Noun,
        _ if tag.starts_with('n') => Part::Noun,
        _ if tag.starts_with('v') => Part::Verb,
        _ => Part::Other,
    }
}

/// The dictionary's tags: `nr`, `ns`, `nt`, `nz` are names, `m` numbers, `t` times; the rest of the letters
/// here stand for words of grammar.
fn by_part_of_speech(tag: &str) -> Class {
    match tag {
        "nr" | "ns" | "nt" | "nz" | "nrt" | "nrfg" => Class::Name,
        "m" => Class::Number,
        "t" => Class::Time,
        _ if tag.starts_with(['u', 'p', 'c', 'r', 'd', 'y', 'e', 'o', 'q', 'f']) => Class::Stop,
        _ => Class::Plain,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(sentence: &str, expected: &[(&str, Class)]) {
        let found: Vec<(String, Class)> = tokens(sentence).into_iter().map(|t| (t.norm, t.class)).collect();
        let expected: Vec<(String, Class)> = expected.iter().map(|(w, c)| ((*w).to_owned(), *c)).collect();
        assert_eq!(found, expected, "{sentence}");
    }

    #[test]
    fn words_and_what_they_say() {
        use Class::*;
        check("We met Ana’s dog", &[("we", Stop), ("met", Plain), ("ana", Name), ("dog", Plain)]);
        check(
            "It costs 3.50 since May",
            &[("it", Stop), ("costs", Plain), ("3.50", Number), ("since", Time), ("may", Time)],
        );
        check("GitHub may help", &[("github", Name), ("may", Stop), ("help", Common)]);
        check("数据库用PostgreSQL", &[("数据库", Plain), ("用", Stop), ("postgresql", Name)]);
    }

    #[test]
    fn a_token_knows_its_place() {
        let sentence = "用 Rust 写，é!";
        let found: Vec<String> = tokens(sentence).iter().map(|t| t.text(sentence).to_owned()).collect();
        assert_eq!(found, ["用", "Rust", "写", "é"]);
    }
}
