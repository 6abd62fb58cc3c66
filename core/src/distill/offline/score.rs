//! Weights: what words and sentences are worth remembering.
//!
//! Owns the numbers; never cuts or chooses. Called by `select` for each sentence.

use super::lexicon::Class;
use super::sentence::{Form, Sentence};
use super::turn::Voice;
use super::words::Token;
use crate::distill::Kind;

/// What a word is worth of itself when it was taken never, once, twice, and more often: people come back to a matter
/// to tell more of it, a program says it again.
const REPEATED: [f32; 4] = [1.0, 0.92, 0.85, 0.78];
const SAID_AGAIN: [f32; 4] = [1.0, 0.6, 0.45, 0.35];

/// How much more a step counts that has helped, and the words with which a person comes to a program.
pub(super) const HELPED: f32 = 1.8;
pub(super) const OPENING: f32 = 1.3;

/// What is left of a word's worth when it was taken so often before.
pub(super) fn repeated(times: u8, own: bool) -> f32 {
    let left = if own { &REPEATED } else { &SAID_AGAIN };
    left.get(usize::from(times)).or(left.last()).copied().unwrap_or(1.0)
}

/// What a word is worth by itself.
pub(super) fn word(token: &Token, people: &[String]) -> f32 {
    if token.capital && people.contains(&token.norm) {
        return 0.1;
    }
    match token.class {
        Class::Stop => 0.0,
        Class::Filler => 0.08,
        Class::Common => 0.25,
        Class::Time => 0.8,
        Class::Number => 1.1,
        Class::Name => 1.5,
        // A word of Chinese has two characters or so, whatever it says.
        Class::Plain if !token.norm.is_ascii() => 1.0,
        // Long words are rarer.
        Class::Plain => 1.0 + 0.07 * (token.norm.len() as f32 - 5.0).clamp(-3.0, 5.0),
    }
}

/// How much a sentence's words count, by what the sentence is.
pub(super) fn sentence(sentence: &Sentence, voice: Voice, among_people: bool) -> f32 {
    let mut factor = 1.0;
    if sentence.form == Form::Output {
        return 0.5;
    }
    if matches!(sentence.form, Form::Command | Form::Task) {
        return 1.5;
    }
    if voice == Voice::Assistant && sentence.hedges {
        factor *= 0.6;
    }
    if sentence.serves {
        factor *= 0.1;
    }
    if sentence.asks {
        // What a program is asked shows in its answer.
        factor *= if among_people { 0.3 } else { 0.12 };
    }
    if sentence.reacts {
        factor *= 0.5;
    }
    if sentence.first_person() {
        factor *= 1.5;
    }
    let timed = sentence.core_tokens().iter().any(|t| matches!(t.class, Class::Time | Class::Number));
    if timed {
        // Who gives a program a number or a date means it to be kept.
        factor *= if among_people || voice == Voice::Assistant { 1.2 } else { 2.0 };
    }
    let cued = |wanted: &[Kind]| sentence.cues.iter().any(|(kind, _)| wanted.contains(kind));
    match voice {
        // People who chat use the words of work in passing; who talks to a program means them.
        Voice::Person if cued(&[Kind::Preference, Kind::Decision, Kind::State, Kind::Experience]) => {
            factor * if among_people { 1.1 } else { 3.0 }
        }
        Voice::Person if sentence.problem && !among_people => factor * 2.5,
        Voice::Person => factor,
        Voice::Assistant if sentence.promises() => factor * 0.2,
        Voice::Assistant if sentence.text.contains('`') => factor * 1.2,
        Voice::Assistant if sentence.advises || cued(&[Kind::Decision, Kind::Experience]) => factor * 0.65,
        Voice::Assistant => factor * 0.45,
    }
}
