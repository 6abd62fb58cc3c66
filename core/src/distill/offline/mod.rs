//! The embedded distiller: selects and groups sentences, with no key and no network.
//!
//! Owns the order of its steps (turns, small talk, selection, kinds, topic, tags); never makes up a word and
//! never asks for time or chance, so that the same conversation gives the same draft. Called through
//! [`Distiller`] by `memorize` and `reme distill`.

mod block;
mod candidate;
mod clause;
mod description;
mod entity;
mod hash;
mod kind;
mod language;
mod lexicon;
mod phrase;
mod score;
mod select;
mod sentence;
mod smalltalk;
mod tags;
mod topic;
mod turn;
mod words;

#[cfg(test)]
mod tests;

use super::{DistillError, Distiller, Draft, Item, Progress, Request, Section, TagRequest};
use crate::message::{Msg, Role};
use language::Language;
use select::Chosen;
use std::collections::HashSet;
use turn::Talk;

/// Distils by selecting sentences.
#[derive(Clone, Copy, Debug, Default)]
pub struct Offline;

impl Distiller for Offline {
    fn name(&self) -> &str {
        "offline"
    }

    fn distill(&self, request: &Request<'_>, progress: &dyn Progress) -> Result<Draft, DistillError> {
        let total = request.messages.len();
        let pause = |doing: &str, done: usize| {
            progress.step(doing, done, total);
            if progress.cancelled() { Err(DistillError::Cancelled) } else { Ok(()) }
        };
        pause("reading", 0)?;
        let talk = Talk::read(request);
        let said =
            || talk.turns.iter().flat_map(|turn| &turn.sentences).map(|sentence| sentence.text.as_str());
        if request.messages.iter().all(|message| message.text().trim().is_empty()) {
            return Err(DistillError::NoText);
        }
        let language = Language::of(said());
        if let Some(reason) = smalltalk::reason(&talk, language) {
            return Ok(Draft { skip: true, skip_reason: reason.to_owned(), ..Draft::default() });
        }
        pause("selecting", total)?;
        let chosen = select::select(&talk, language, request.hint);
        pause("grouping", total)?;
        let name = topic::name(&talk, &chosen, language);
        Ok(Draft {
            // What is new does not describe a card that has more.
            description: match request.card {
                Some(_) => String::new(),
                None => description::description(&talk, &chosen, &name),
            },
            tags: Some(tags::tags(&talk, &chosen, &name, request.known_tags)),
            name,
            sections: sections(&talk, &chosen, language),
            ..Draft::default()
        })
    }

    fn tag(&self, request: &TagRequest<'_>, _: &dyn Progress) -> Result<Vec<String>, DistillError> {
        let text = format!("{}.\n{}", request.description, request.body);
        let messages = [Msg::text_message(Role::User, text)];
        let talk = Talk::read(&Request {
            messages: &messages,
            news: &[],
            images: &[],
            card: None,
            known_tags: request.known_tags,
            hint: None,
        });
        let language = Language::of(
            talk.turns.iter().flat_map(|turn| &turn.sentences).map(|sentence| sentence.text.as_str()),
        );
        let chosen = select::select(&talk, language, None);
        Ok(tags::tags(&talk, &chosen, request.name, request.known_tags))
    }
}

fn sections(talk: &Talk, chosen: &[Chosen<'_>], language: Language) -> Vec<Section> {
    let mut sections = Vec::new();
    let mut texts = HashSet::new();
    for kind in kind::ORDER {
        let mut items: Vec<Item> = Vec::new();
        for chosen in chosen.iter().filter(|chosen| chosen.candidate.kind == kind) {
            let candidate = &chosen.candidate;
            let mut text = candidate.text(&chosen.kept);
            let turn = talk.turns.get(candidate.turn);
            // In a long talk names would take the room of statements; there the evidence tells who speaks.
            if let Some(turn) =
                turn.filter(|_| talk.among_people && talk.short && candidate.sentence.first_person())
            {
                text = format!("{}: {text}", turn.speaker);
            }
            let turns = candidate
                .question
                .iter()
                .map(|(turn, _)| *turn)
                .chain([candidate.turn])
                .chain(candidate.confirmed);
            let evidence = turns.filter_map(|turn| talk.turns.get(turn)).map(|turn| turn.number).collect();
            if texts.insert(text.to_lowercase()) {
                items.push(Item { text, evidence });
            }
        }
        if !items.is_empty() {
            sections.push(Section { heading: language.heading(kind).to_owned(), kind, items });
        }
    }
    sections
}
