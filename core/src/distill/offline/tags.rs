//! Tags: the central entities of a conversation.
//!
//! Owns what counts as an entity and its spelling; never a topic or a date. Called once a card.

use super::lexicon::Class;
use super::select::Chosen;
use super::sentence::{Form, Sentence};
use super::turn::Talk;
use std::collections::{BTreeMap, BTreeSet};

const MOST: usize = 3;
const LONGEST: usize = 64;

struct Entity {
    spelling: String,
    turns: BTreeSet<usize>,
    first: usize,
    sure: bool,
}

/// At most three entities, most mentioned first, in the workspace's spelling where it has one.
pub(super) fn tags(talk: &Talk, chosen: &[Chosen<'_>], known: &[String]) -> Vec<String> {
    let known: BTreeMap<String, &String> = known.iter().rev().map(|tag| (key(tag), tag)).collect();
    let mut entities: BTreeMap<String, Entity> = BTreeMap::new();
    let mut add = |name: &str, turn: usize, sure: bool| {
        let next = entities.len();
        let entity = entities.entry(key(name)).or_insert_with(|| Entity {
            spelling: name.to_owned(),
            turns: BTreeSet::new(),
            first: next,
            sure: false,
        });
        entity.turns.insert(turn);
        entity.sure |= sure;
    };
    for (at, turn) in talk.turns.iter().enumerate() {
        if talk.among_people {
            add(&turn.speaker, at, true);
        }
        for sentence in turn.sentences.iter().filter(|sentence| sentence.form == Form::Prose) {
            for (name, sure) in names(sentence) {
                let sure = sure || known.contains_key(&key(&name));
                add(&name, at, sure);
            }
        }
    }
    let people = |key: &str| talk.people.iter().any(|person| key != person && person.starts_with(key));
    let mut found: Vec<(String, Entity)> =
        entities.into_iter().filter(|(key, entity)| entity.sure && !people(key)).collect();
    let stated: BTreeSet<String> = chosen
        .iter()
        .flat_map(|chosen| names(chosen.candidate.sentence))
        .map(|(name, _)| key(&name))
        .collect();
    let speakers: BTreeSet<String> =
        talk.turns.iter().filter(|_| talk.among_people).map(|turn| key(&turn.speaker)).collect();
    let weight = |key: &String, entity: &Entity| {
        entity.turns.len()
            + usize::from(known.contains_key(key))
            + 2 * usize::from(stated.contains(key) || speakers.contains(key))
    };
    found.sort_by_cached_key(|(key, entity)| (std::cmp::Reverse(weight(key, entity)), entity.first));
    found
        .into_iter()
        .map(|(key, entity)| known.get(&key).map_or(entity.spelling, |tag| (*tag).clone()))
        .filter(|tag| tag.chars().count() <= LONGEST)
        .take(MOST)
        .collect()
}

fn key(name: &str) -> String {
    name.to_lowercase().replace([' ', '_', '-'], "")
}

/// The names in a sentence, neighbours joined, and whether each surely is one.
fn names(sentence: &Sentence) -> Vec<(String, bool)> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < sentence.tokens.len() {
        let is_name = |n: usize| sentence.tokens.get(n).is_some_and(|token| token.class == Class::Name);
        let run = (at..sentence.tokens.len())
            .take_while(|&n| is_name(n) && (n == at || matches!(sentence.gap(n), " " | "-" | ".")))
            .count();
        if run > 0 {
            let name = sentence
                .tokens
                .get(at)
                .zip(sentence.tokens.get(at + run - 1))
                .and_then(|(a, z)| sentence.text.get(a.span.start..z.span.end));
            if let Some(name) = name.filter(|name| name.chars().nth(1).is_some() && !name.contains('_')) {
                found.push((name.trim_end_matches("'s").trim_end_matches("’s").replace(' ', "_"), true));
            }
        } else if at == sentence.core.start && sentence.opens_with_name() {
            found.extend(sentence.tokens.get(at).map(|token| (token.text(&sentence.text).to_owned(), true)));
        }
        at += run.max(1);
    }
    found
}
