//! Kinds: which of the five things worth recording a sentence is.
//!
//! Owns the order in which signs win; never chooses sentences. Called for each statement.

use super::sentence::{Form, Sentence};
use super::turn::Voice;
use crate::distill::Kind;

/// The order of a card's sections.
pub(super) const ORDER: [Kind; 5] =
    [Kind::Preference, Kind::Fact, Kind::Decision, Kind::State, Kind::Experience];

/// The kind of a sentence; `voice` says it, `among_people` where nobody works on anything with a program.
pub(super) fn of(sentence: &Sentence, voice: Voice, among_people: bool) -> Kind {
    match sentence.form {
        Form::Command | Form::Output => return Kind::Experience,
        Form::Task => return Kind::State,
        Form::Prose => {}
    }
    // What is wrong is a fact; why it is wrong is a diagnosis.
    let states = sentence.cues.iter().any(|(kind, _)| *kind == Kind::State);
    let diagnosis = usize::from(sentence.problem && sentence.causal && !states);
    let signs = |wanted: Kind| {
        let cues = sentence.cues.iter().find(|(kind, _)| *kind == wanted).map_or(0, |(_, count)| *count);
        cues + if wanted == Kind::Experience { diagnosis } else { 0 }
    };
    // A program does not decide, it advises.
    let program = voice == Voice::Assistant && !among_people;
    let advice = program && (sentence.text.contains('`') || sentence.advises);
    // Where signs tie, the rarer kind is meant. People who chat use the words of work in passing.
    let needed = if among_people { 2 } else { 1 };
    if advice || (program && signs(Kind::Decision) > 0) {
        return Kind::Experience;
    }
    [(Kind::Decision, 1), (Kind::Preference, 1), (Kind::Experience, needed), (Kind::State, 1)]
        .into_iter()
        .filter(|(kind, needed)| signs(*kind) >= *needed)
        .max_by_key(|(kind, _)| (signs(*kind), std::cmp::Reverse(rank(*kind))))
        .map_or(Kind::Fact, |(kind, _)| kind)
}

fn rank(kind: Kind) -> usize {
    [Kind::Decision, Kind::Preference, Kind::Experience, Kind::State]
        .iter()
        .position(|k| *k == kind)
        .unwrap_or(9)
}
