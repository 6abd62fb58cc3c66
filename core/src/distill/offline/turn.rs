//! Turns: the messages that may be evidence, with their sentences and who speaks.
//!
//! Owns whether a voice is a person's or a program's; never weighs anything. Called once a conversation; reads
//! messages in parallel.

use super::lexicon;
use super::sentence::{self, Sentence};
use crate::distill::Request;
use crate::message::{Msg, Role, plain};
use rayon::prelude::*;
use std::collections::BTreeSet;

/// Whose words count how much.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Voice {
    /// The person who asks a program, or one of several people.
    Person,
    /// A program that answers.
    Assistant,
}

/// A message that says something.
#[derive(Clone, Debug)]
pub(super) struct Turn {
    /// The message's 1-based number.
    pub number: usize,
    /// The speaker as the source spells it.
    pub speaker: String,
    /// Whose words these are.
    pub voice: Voice,
    /// The place of the turn in which a person says that this program's advice has helped.
    pub confirmed: Option<usize>,
    /// Statements may rest on it.
    pub news: bool,
    /// What is said.
    pub sentences: Vec<Sentence>,
}

/// The turns of a conversation, and the people in it.
pub(super) struct Talk {
    /// In order.
    pub turns: Vec<Turn>,
    /// Names of the people who speak, in lower case; empty where nobody is named.
    pub people: Vec<String>,
    /// Several named people speak with each other, without a program.
    pub among_people: bool,
    /// There is room for more than the share.
    pub short: bool,
}

impl Talk {
    /// Reads the messages of a request.
    pub fn read(request: &Request<'_>) -> Self {
        let mut names = BTreeSet::new();
        let mut programs = false;
        for message in request.messages.iter().filter(|message| message.role != Role::System) {
            match person_name(message) {
                Some(name) => _ = names.insert(name.to_lowercase()),
                None => programs |= message.role == Role::Assistant,
            }
        }
        let among_people = names.len() > 1 && !programs;
        // `Ana Silva` is addressed as Ana.
        let first = |name: &String| name.split_whitespace().next().unwrap_or("").to_owned();
        let people: Vec<String> = names.iter().map(first).filter(|name| !name.is_empty()).collect();
        let read = |(index, message): (usize, &Msg)| Turn {
            number: index + 1,
            speaker: message.speaker().to_owned(),
            voice: voice(message),
            confirmed: None,
            news: request.is_news(index),
            sentences: sentence::sentences(&plain(&message.text()), &people),
        };
        let speaks = |(_, message): &(usize, &Msg)| message.role != Role::System;
        let messages = request.messages;
        let mut turns: Vec<Turn> = match messages.len() {
            // Waking threads takes longer than reading so few.
            ..FEW => messages.iter().enumerate().filter(speaks).map(read).collect(),
            _ => messages.par_iter().enumerate().filter(speaks).map(read).collect(),
        };
        if !among_people {
            confirm(&mut turns);
        }
        let said =
            turns.iter().flat_map(|turn| &turn.sentences).map(|sentence| sentence.text.chars().count());
        let short = said.sum::<usize>() <= SHORT;
        Talk { turns, people, among_people, short }
    }
}

/// Marks the program's turns after which a person says that it helped.
fn confirm(turns: &mut [Turn]) {
    let helped: Vec<bool> = turns
        .iter()
        .map(|turn| turn.voice == Voice::Person && turn.sentences.iter().any(|sentence| sentence.confirms))
        .collect();
    for (at, turn) in turns.iter_mut().enumerate().filter(|(_, turn)| turn.voice == Voice::Assistant) {
        turn.confirmed = helped.get(at + 1).is_some_and(|helped| *helped).then_some(at + 1);
    }
}

/// Fewer messages are read one after the other.
const FEW: usize = 64;
/// Up to this many characters a talk is short.
const SHORT: usize = 1000;

/// The speaker's name, where it is a person's and not a role's or a program's.
fn person_name(message: &Msg) -> Option<&str> {
    let name = message.name.as_deref()?.trim();
    let lower = name.to_lowercase();
    let program = lower.split(|c: char| !c.is_alphanumeric()).any(|word| {
        lexicon::english().assistants.contains(word.trim_end_matches(|c: char| c.is_ascii_digit()))
    });
    let role = matches!(
        lower.as_str(),
        "" | "user" | "human" | "you" | "me" | "用户" | "我" | "你" | "助手" | "助理"
    );
    (!program && !role).then_some(name)
}

fn voice(message: &Msg) -> Voice {
    if message.role == Role::Assistant && person_name(message).is_none() {
        Voice::Assistant
    } else {
        Voice::Person
    }
}
