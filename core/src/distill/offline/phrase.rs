//! Phrases: the runs of words in a sentence that name a thing, such as `rate limit` or `数据同步服务`.
//!
//! Owns how a noun is told from a verb, by the words around it and, for Chinese, by the dictionary; never weighs
//! anything. Called by `topic` for each sentence.

use super::lexicon::{self, Class};
use super::sentence::{Form, Sentence};
use super::words::{Part, Token};
use crate::distill::Kind;

/// A word that may stand in a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Word {
    /// As it is shown.
    pub text: String,
    /// The same for one and many: `test` for `tests`.
    pub key: String,
    /// What it says.
    pub class: Class,
    /// A verb of Chinese, where it may name a topic.
    pub verb: bool,
    /// Stands in code, or is a piece of an identifier.
    pub code: bool,
    /// Joins two others, as `over` does.
    pub link: bool,
}

/// The runs of naming words, in order.
pub(super) fn runs(sentence: &Sentence) -> Vec<Vec<Word>> {
    if sentence.form == Form::Output {
        return Vec::new();
    }
    let mut runs: Vec<Vec<Word>> = Vec::new();
    let mut joined = false;
    let mut marks = 0;
    for at in 0..sentence.core.end {
        let gap = sentence.gap(at);
        marks += gap.matches('`').count();
        let Some(token) = sentence.tokens.get(at).filter(|_| at >= sentence.core.start) else { continue };
        let code = marks % 2 == 1 || sentence.form == Form::Command;
        joined &= !code && matches!(gap, "" | " " | "-");
        if token.norm.contains('_') {
            runs.extend(
                pieces(&token.norm).map(|piece| vec![Word { code: true, ..word(&piece, Class::Plain) }]),
            );
            joined = false;
        } else if names(sentence, at, joined) {
            let verb = token.part == Some(Part::Verb);
            let word = Word { code, verb, ..word(&token.norm, token.class) };
            match runs.last_mut().filter(|_| joined) {
                Some(run) => run.push(word),
                None => runs.push(vec![word]),
            }
            joined = !code;
        } else if joined && links(sentence, at) {
            let link = Word { link: true, ..word(&token.norm, Class::Stop) };
            runs.last_mut().into_iter().for_each(|run| run.push(link.clone()));
        } else {
            joined = false;
        }
    }
    runs
}

fn word(text: &str, class: Class) -> Word {
    let key = one(text).unwrap_or(text).to_owned();
    Word { text: text.to_owned(), key, class, verb: false, code: false, link: false }
}

/// The singular of what looks like a plural.
fn one(text: &str) -> Option<&str> {
    let stem = text.strip_suffix('s')?;
    (stem.len() > 2 && text.is_ascii() && !stem.ends_with(['s', 'u', 'i'])).then_some(stem)
}

/// `ERR_SSL_PROTOCOL_ERROR` tells of ssl, of a protocol and of an error.
fn pieces(identifier: &str) -> impl Iterator<Item = String> {
    let says = |piece: &&str| {
        piece.len() > 2 && piece.chars().all(char::is_alphabetic) && lexicon::english().class(piece).is_none()
    };
    identifier.split('_').filter(says).map(str::to_owned)
}

fn norm(sentence: &Sentence, at: Option<usize>) -> &str {
    at.and_then(|at| sentence.tokens.get(at)).map_or("", |token| token.norm.as_str())
}

/// `tabs over spaces` belongs together where a choice is told.
fn links(sentence: &Sentence, at: usize) -> bool {
    let chooses = |(kind, _): &(Kind, usize)| matches!(kind, Kind::Preference | Kind::Decision);
    matches!(norm(sentence, Some(at)), "over" | "vs" | "versus")
        && sentence.cues.iter().any(chooses)
        && sentence.gap(at + 1) == " "
        && names(sentence, at + 1, true)
}

/// Whether the token names something; `joined` where the one before it does and belongs to it.
fn names(sentence: &Sentence, at: usize, joined: bool) -> bool {
    let Some(token) = sentence.tokens.get(at) else { return false };
    match token.class {
        Class::Stop | Class::Filler | Class::Time | Class::Common => return false,
        Class::Number => {
            return token.norm.starts_with(char::is_alphabetic)
                && token.norm.contains(char::is_numeric)
                && token.norm.chars().all(char::is_alphanumeric);
        }
        Class::Name | Class::Plain => {}
    }
    match token.part {
        Some(part) => names_in_chinese(token, part),
        None => names_in_english(sentence, at, token, joined),
    }
}

fn names_in_chinese(token: &Token, part: Part) -> bool {
    let long = token.norm.chars().nth(1).is_some();
    // `太散` and `不买` tell of something; they do not name it.
    let tells = token.norm.contains(['不', '没']) || token.norm.starts_with(['太', '很', '最', '更']);
    !tells
        && !lexicon::chinese().vague.contains(&token.norm)
        && match part {
            Part::Noun | Part::Person | Part::Place => true,
            Part::Verb => long,
            Part::Other => false,
        }
}

fn names_in_english(sentence: &Sentence, at: usize, token: &Token, joined: bool) -> bool {
    let lexicon = lexicon::english();
    let norm_is_word = token.norm.chars().nth(1).is_some() && !token.norm.contains(['.', '\'', ':']);
    if !norm_is_word || lexicon.vague.contains(&token.norm) || lexicon.pasts.contains(&token.norm) {
        return false;
    }
    // A capital within a sentence is a name's, whatever else the word may be.
    if token.class == Class::Name {
        return true;
    }
    let before = norm(sentence, at.checked_sub(1));
    let after_determiner = at > sentence.core.start && lexicon.determiners.contains(before);
    let bends = ["ed", "ly"].iter().any(|end| token.norm.ends_with(end));
    if bends && token.norm.len() > 4 && !lexicon.unbent.contains(&token.norm) && !token.norm.ends_with("eed")
    {
        return false;
    }
    let subject = matches!(before, "i" | "we" | "you" | "they" | "he" | "she" | "it" | "who" | "please");
    let modal = matches!(before, "will" | "can" | "could" | "would" | "should" | "must" | "don't" | "didn't");
    // `The review is due`: a noun would have an article.
    let predicate = matches!(before, "is" | "are" | "was" | "were" | "be" | "been" | "it's");
    if subject || modal || predicate {
        return false;
    }
    let acts = is_action(&token.norm);
    let plain = lexicon.actions.contains(&token.norm);
    !acts || after_determiner || (joined && plain)
}

/// Whether the word is a listed verb, also with an ending.
pub(super) fn is_action(word: &str) -> bool {
    let actions = &lexicon::english().actions;
    if actions.contains(word) {
        return true;
    }
    let stems = ["s", "es", "d", "ed", "ing"].iter().filter_map(|end| word.strip_suffix(end));
    stems.filter(|stem| stem.len() > 1).any(|stem| {
        let doubled = || {
            let mut ends = stem.chars().rev();
            let last = ends.next();
            last == ends.next() && stem.get(..stem.len() - 1).is_some_and(|single| actions.contains(single))
        };
        let silent = || word.ends_with("ing") && actions.contains(&format!("{stem}e"));
        let changed = || stem.strip_suffix('i').is_some_and(|stem| actions.contains(&format!("{stem}y")));
        actions.contains(stem) || doubled() || silent() || changed()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::distill::offline::sentence::sentences;

    fn check(text: &str, expected: &[&str]) {
        let all = sentences(text, &[]);
        let found: Vec<String> = all
            .iter()
            .flat_map(runs)
            .map(|run| run.into_iter().map(|word| word.text).collect::<Vec<_>>().join(" "))
            .collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn what_names_a_thing() {
        check("The partner API returns 429 within a minute.", &["partner api"]);
        check("I prefer tabs over spaces.", &["tabs over spaces"]);
        check("The literature review is due.", &["literature review"]);
        check("We quickly deployed the billing service.", &["billing service"]);
        check("It fails with ERR_SSL_PROTOCOL_ERROR.", &["ssl", "protocol", "error"]);
        check("Set `listen 443 ssl;` in nginx.", &["ssl", "nginx"]);
        check("数据同步服务会超时", &["数据 同步 服务", "超时"]);
    }

    #[test]
    fn verbs_with_endings() {
        for word in ["runs", "running", "copied", "deploying", "stopped", "writes"] {
            assert!(is_action(word), "{word}");
        }
        assert!(!is_action("turbines") && !is_action("bus"));
    }
}
