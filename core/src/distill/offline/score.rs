//! Weights: what words and sentences are worth remembering.
//!
//! Owns the numbers; never cuts or chooses. Called by `select` for each sentence.

use super::lexicon::Class;
use super::sentence::{Form, Sentence};
use super::turn::Voice;
use super::words::Token;
use crate::distill::Kind;

/// A repeated word is worth this much of what it was.
pub(super) const REPEATED: f32 = 0.55;
pub(super) fn par(name: &str, default: f32) -> f32 {
    static P: std::sync::LazyLock<std::collections::HashMap<String, f32>> = std::sync::LazyLock::new(|| {
        std::env::vars().filter_map(|(k, v)| Some((k.strip_prefix("P_")?.to_owned(), v.parse().ok()?))).collect()
    });
    P.get(name).copied().unwrap_or(default)
}

/// What a word is worth by itself.
pub(super) fn word(token: &Token, people: &[String]) -> f32 {
    if token.capital && people.contains(&token.norm) {
        return 0.1;
    }
    match token.class {
        Class::Stop => 0.0,
        Class::Filler => par("FILLER", 0.12),
        Class::Common => par("COMMON", 0.4),
        Class::Time => par("TIME", 0.8),
        Class::Number => par("NUMBER", 1.0),
        Class::Name => par("NAME", 1.4),
        Class::Plain => 1.0 + par("LONGW", 0.0) * (token.norm.len() as f32 - 5.0).clamp(-3.0, 5.0),
    }
}

/// How much a sentence's words count, by what the sentence is.
pub(super) fn sentence(sentence: &Sentence, voice: Voice) -> f32 {
    let mut factor = 1.0;
    if sentence.form == Form::Output {
        return 0.5;
    }
    if sentence.form == Form::Command {
        return 1.5;
    }
    if sentence.serves {
        factor *= 0.1;
    }
    if sentence.asks {
        factor *= par("ASKS", 0.35);
    }
    if sentence.reacts {
        factor *= par("REACTS", 0.5);
    }
    if sentence.first_person() {
        factor *= par("FIRST", 1.2);
    }
    let timed = sentence.core_tokens().iter().any(|t| matches!(t.class, Class::Time | Class::Number));
    if timed {
        factor *= par("TIMED", 1.0);
    }
    let cued = |wanted: &[Kind]| sentence.cues.iter().any(|(kind, _)| wanted.contains(kind));
    match voice {
        Voice::Person if cued(&[Kind::Preference, Kind::Decision, Kind::State, Kind::Experience]) => factor * par("CUED", 1.2),
        Voice::Person => factor,
        Voice::Assistant if cued(&[Kind::Decision, Kind::Experience]) => factor * 0.8,
        Voice::Assistant => factor * 0.45,
    }
}
