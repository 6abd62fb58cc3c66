//! Tags: the central entities of a conversation.
//!
//! Owns which entities are central and their spelling; never a topic or a date. Called once a card.

use super::entity::{self, Context};
use super::select::Chosen;
use super::sentence::Form;
use super::turn::{Talk, Voice};
use crate::distill::Kind;
use std::collections::{BTreeMap, BTreeSet};

const MOST: usize = 3;
const LONGEST: usize = 64;

struct Entity {
    spelling: String,
    /// The turns that mention it; a person's counts double.
    turns: BTreeMap<usize, usize>,
    first: usize,
}

/// At most three entities, most mentioned first, in the workspace's spelling where it has one.
pub(super) fn tags(talk: &Talk, chosen: &[Chosen<'_>], name: &str, known: &[String]) -> Vec<String> {
    let known: BTreeMap<String, &String> = known.iter().rev().map(|tag| (key(tag), tag)).collect();
    let context = Context::of(talk);
    let mut entities: BTreeMap<String, Entity> = BTreeMap::new();
    let mut add = |name: &str, turn: usize, weight: usize| {
        let next = entities.len();
        let entity = entities.entry(key(name)).or_insert_with(|| Entity {
            spelling: name.to_owned(),
            turns: BTreeMap::new(),
            first: next,
        });
        // `nginx` in a command and `Nginx` in a sentence are one; the spelling with a capital is the proper one.
        if name.starts_with(char::is_uppercase) && entity.spelling.starts_with(char::is_lowercase) {
            entity.spelling = name.to_owned();
        }
        entity.turns.insert(turn, weight);
    };
    for (at, turn) in talk.turns.iter().enumerate() {
        let weight = if turn.voice == Voice::Person { 2 } else { 1 };
        if talk.among_people {
            add(&turn.speaker.replace(' ', "_"), at, weight);
        }
        for sentence in turn.sentences.iter().filter(|sentence| sentence.form == Form::Prose) {
            for name in entity::names(sentence, &context) {
                add(&name, at, weight);
            }
        }
    }
    let mut stated: BTreeSet<String> = chosen
        .iter()
        .flat_map(|chosen| entity::names(chosen.candidate.sentence, &context))
        .map(|name| key(&name))
        .collect();
    // What the person begins with, chooses or waits for is central; what is mentioned by the way is not.
    let opening = talk.turns.iter().position(|turn| turn.voice == Voice::Person);
    let telling = |chosen: &&Chosen<'_>| {
        let candidate = &chosen.candidate;
        Some(candidate.turn) == opening
            || !matches!(candidate.kind, Kind::Fact | Kind::Experience | Kind::Other)
    };
    let central: BTreeSet<String> = chosen
        .iter()
        .filter(telling)
        .flat_map(|chosen| entity::names(chosen.candidate.sentence, &context))
        .map(|name| key(&name))
        .collect();
    if talk.among_people {
        stated.extend(talk.turns.iter().map(|turn| key(&turn.speaker)));
    }
    fold_first_names(&mut entities, &mut stated, &talk.people);
    let mut found: Vec<(String, Entity)> = entities
        .into_iter()
        .filter(|(key, entity)| {
            let often = entity.turns.len() > 1;
            // `FGS` once is a detail.
            let acronym = entity.spelling.len() <= 4 && !entity.spelling.contains(char::is_lowercase);
            let named = entity.spelling.contains('_') || name.contains(key.as_str());
            known.contains_key(key)
                || (stated.contains(key)
                    && (often || named || talk.among_people || (central.contains(key) && !acronym)))
                || (often && central.contains(key))
        })
        .collect();
    let weight = |key: &String, entity: &Entity| {
        entity.turns.values().sum::<usize>()
            + 2 * usize::from(known.contains_key(key))
            + 2 * usize::from(stated.contains(key))
    };
    found.sort_by_cached_key(|(key, entity)| (std::cmp::Reverse(weight(key, entity)), entity.first));
    found
        .into_iter()
        .map(|(key, entity)| spelled(&known, &key).map_or(entity.spelling, str::to_owned))
        .filter(|tag| tag.chars().count() <= LONGEST)
        .take(MOST)
        .collect()
}

/// `Dana` is Dana Whitfield where she is named in full, and `Mel` is Melanie where Melanie speaks.
fn fold_first_names(
    entities: &mut BTreeMap<String, Entity>,
    stated: &mut BTreeSet<String>,
    people: &[String],
) {
    let full: Vec<(String, Vec<String>)> = entities
        .iter()
        .map(|(key, entity)| (key.clone(), entity.spelling.split('_').map(str::to_lowercase).collect()))
        .filter(|(_, parts): &(String, Vec<String>)| parts.len() > 1)
        .collect();
    let short: Vec<String> = entities.keys().cloned().collect();
    for short in short {
        let whole = full.iter().find(|(_, parts)| parts.contains(&short)).map(|(key, _)| key.clone());
        let nickname =
            || people.iter().find(|person| **person != short && person.starts_with(short.as_str()));
        let Some(whole) = whole.or_else(|| nickname().cloned()) else { continue };
        if let Some(entity) = entities.remove(&short)
            && let Some(full) = entities.get_mut(&whole)
        {
            full.turns.extend(entity.turns);
            full.first = full.first.min(entity.first);
        }
        if stated.remove(&short) {
            stated.insert(whole);
        }
    }
}

/// Longer beginnings are short for the whole, as `postgres` is for PostgreSQL.
const SHORT_FOR: usize = 6;
/// What a short form may lack.
const LACKS: usize = 3;

/// The workspace's spelling of a tag.
fn spelled<'k>(known: &BTreeMap<String, &'k String>, key: &str) -> Option<&'k str> {
    let longer = |(full, _): &(&String, &&String)| {
        key.len() >= SHORT_FOR && full.starts_with(key) && full.len() <= key.len() + LACKS
    };
    let tag = known.get(key).or_else(|| known.iter().find(longer).map(|(_, tag)| tag))?;
    Some(tag.as_str())
}

fn key(name: &str) -> String {
    name.to_lowercase().replace([' ', '_', '-'], "")
}
