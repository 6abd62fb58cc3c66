//! Selection: which clauses a card has room for.
//!
//! Owns the length of a card and the choice of the clauses that add most new words for it; never changes a
//! word. Called once a conversation.

use super::candidate::{self, Candidate, Part, Words};
use super::hash::WordSet;
use super::language::Language;
use super::lexicon;
use super::score;
use super::sentence::Form;
use super::turn::{Talk, Voice};
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// The share of a conversation that a card may have.
const SHARE: f64 = 0.3435;
/// The share of a short talk with a program: there every second sentence is a requirement, a number or a fix.
const TASK_SHARE: f64 = 0.65;
/// Of a budget, what explicit statements may take whatever they are worth.
const PINNED: f32 = 0.85;
/// Up to here in characters a talk with a program is short.
const TASK: f64 = 2_000.0;
/// Of a talk with a program, the share of the person's words, and of the program's, within that.
const ASKER_SHARE: f64 = 0.9;
const PROGRAM_SHARE: f64 = 0.4;
/// The same for Chinese, which has no articles and endings to leave out.
const HAN_ASKER_SHARE: f64 = 0.84;
const HAN_PROGRAM_SHARE: f64 = 0.2;
/// Up to here in characters the share holds; a longer conversation's card grows with the square root.
const STEADY: f64 = 12_000.0;
/// A card of a short conversation may have this many characters whatever the share; and of Chinese ones.
const FLOOR: f64 = 400.0;
const HAN_FLOOR: f64 = 100.0;
/// What beginning another statement costs in characters.
const OVERHEAD: f32 = 7.0;
/// Less worth a character than this is not worth a reader's time.
const LEAST_DENSITY: f32 = 0.006;
/// Less worth than this is no statement.
const LEAST_WORTH: f32 = 1.15;

/// A candidate with the parts that were chosen.
pub(super) struct Chosen<'t> {
    /// The candidate.
    pub candidate: Candidate<'t>,
    /// For each part, whether it is kept.
    pub kept: Vec<bool>,
    /// What it is worth.
    pub worth: f32,
}

/// The characters that a card of this talk may have; guidance such as "shorter" changes them.
fn budget(talk: &Talk, han: bool, hint: Option<&str>) -> f64 {
    let mut said = 0.0;
    let mut share = 0.0;
    for turn in talk.turns.iter().filter(|turn| turn.news) {
        let told = turn.sentences.iter().filter(|sentence| sentence.form != Form::Command);
        let length = told.map(|sentence| sentence.text.chars().count() + 1).sum::<usize>() as f64;
        said += length;
        share += length
            * match turn.voice {
                _ if talk.among_people => SHARE,
                Voice::Person if han => HAN_ASKER_SHARE,
                Voice::Assistant if han => HAN_PROGRAM_SHARE,
                Voice::Person => ASKER_SHARE,
                Voice::Assistant => PROGRAM_SHARE,
            };
    }
    let long = if said > STEADY { (STEADY / said).sqrt() } else { 1.0 };
    let hint = hint.unwrap_or("").to_lowercase();
    let asked = |words: &WordSet| words.iter().any(|word| hint.contains(word.as_str()));
    let lexicon = lexicon::english();
    let wish = match () {
        () if asked(&lexicon.shorter) => 0.5,
        () if asked(&lexicon.longer) => 1.6,
        () => 1.0,
    };
    let most = match talk.among_people {
        true => SHARE,
        false => SHARE + (TASK_SHARE - SHARE) * (TASK / said.max(TASK)),
    };
    let floor = if han { HAN_FLOOR } else { FLOOR };
    wish * (share.min(said * most) * long).max(floor.min(said))
}

/// Clauses that could be taken next.
struct Offer {
    /// Worth a character.
    density: f32,
    worth: f32,
    length: f32,
    candidate: usize,
    /// The first clause and the one after the last.
    first: usize,
    end: usize,
}

impl PartialEq for Offer {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}
impl Eq for Offer {}
impl PartialOrd for Offer {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Offer {
    fn cmp(&self, other: &Self) -> Ordering {
        let place = |offer: &Self| std::cmp::Reverse((offer.candidate, offer.first));
        self.density.total_cmp(&other.density).then_with(|| place(self).cmp(&place(other)))
    }
}

/// The statements that a card of this talk should have, in the talk's order.
pub(super) fn select<'t>(talk: &'t Talk, language: Language, hint: Option<&str>) -> Vec<Chosen<'t>> {
    let mut words = Words::default();
    let candidates = candidate::candidates(talk, &mut words);
    let mut choice = Choice {
        seen: vec![0; words.len()],
        chosen: candidates
            .into_iter()
            .map(|candidate| Chosen { kept: vec![false; candidate.parts.len()], worth: 0.0, candidate })
            .collect(),
        left: budget(talk, language == Language::Chinese, hint) as f32,
    };
    choice.take_pinned(talk.short);
    let mut offers: BinaryHeap<Offer> = BinaryHeap::new();
    for (at, chosen) in choice.chosen.iter().enumerate() {
        let free = chosen.candidate.parts.iter().enumerate().filter(|(_, part)| !part.clause.needs_previous);
        offers.extend(free.filter_map(|(part, _)| choice.offer(at, part)));
    }
    // The worth of an offer only falls as words are taken, so the best is found by refreshing the top alone. It
    // falls a few times at most, because the repetition of a word counts a few times at most.
    while let Some(top) = offers.pop() {
        if top.density < LEAST_DENSITY {
            break;
        }
        let Some(now) = choice.offer(top.candidate, top.first) else { continue };
        if now.density < top.density {
            offers.push(now);
        } else if choice.take(&now) {
            offers.extend(choice.offer_tail(&now));
        }
    }
    if !choice.chosen.iter().any(|chosen| chosen.kept.contains(&true)) {
        choice.take_best();
    }
    choice.chosen.into_iter().filter(|chosen| chosen.kept.contains(&true)).collect()
}

/// A choice in the making.
struct Choice<'t> {
    /// How often each word is in what was taken.
    seen: Vec<u8>,
    chosen: Vec<Chosen<'t>>,
    /// Characters that are left.
    left: f32,
}

impl Choice<'_> {
    /// The best offer that begins with this clause: it, and as many of those that need it as make it best.
    fn offer(&self, candidate: usize, first: usize) -> Option<Offer> {
        let chosen = self.chosen.get(candidate)?;
        let begun = chosen.kept.contains(&true);
        let mut best: Option<Offer> = None;
        let (mut worth, mut length) = (0.0, 0.0);
        for (n, part) in chosen.candidate.parts.iter().enumerate().skip(first) {
            if n > first && !part.clause.needs_previous {
                break;
            }
            if chosen.kept.get(n) == Some(&true) {
                return None;
            }
            worth += gain(part, &self.seen, chosen.candidate.own);
            length += part.length as f32 + if n > first { 1.0 } else { 0.0 };
            let density = worth / (length + if begun { 1.0 } else { OVERHEAD });
            if best.as_ref().is_none_or(|best| density > best.density) {
                best = Some(Offer { density, worth, length, candidate, first, end: n + 1 });
            }
        }
        best
    }

    /// Takes what says itself what it is, in the talk's order; in a short talk all of it.
    fn take_pinned(&mut self, short: bool) {
        let reserve = if short { 0.0 } else { self.left * (1.0 - PINNED) };
        for at in 0..self.chosen.len() {
            let Some(candidate) = self.chosen.get(at).map(|chosen| &chosen.candidate) else { continue };
            let length: usize = candidate.parts.iter().map(|part| part.length).sum();
            if !candidate.pinned || (!short && self.left - (length as f32) < reserve) {
                continue;
            }
            let worth = candidate.parts.iter().map(|part| gain(part, &self.seen, candidate.own)).sum();
            let end = candidate.parts.len();
            self.left -= length as f32;
            self.keep(&Offer { density: 0.0, worth, length: length as f32, candidate: at, first: 0, end });
        }
    }

    /// Takes the weightiest sentence whole: a card that is worth writing says something.
    fn take_best(&mut self) {
        let worth = |chosen: &Chosen<'_>| {
            chosen.candidate.parts.iter().map(|part| gain(part, &[], true)).sum::<f32>()
        };
        let best = self.chosen.iter_mut().map(|chosen| (worth(chosen), chosen));
        if let Some((worth, best)) = best.reduce(|best, next| if next.0 > best.0 { next } else { best }) {
            best.worth = worth;
            best.kept.fill(true);
        }
    }

    /// What can follow what was just taken.
    fn offer_tail(&self, taken: &Offer) -> Option<Offer> {
        let next = self.chosen.get(taken.candidate)?.candidate.parts.get(taken.end)?;
        if next.clause.needs_previous { self.offer(taken.candidate, taken.end) } else { None }
    }

    /// Takes an offer if there is room and it is worth a statement.
    fn take(&mut self, offer: &Offer) -> bool {
        let Some(chosen) = self.chosen.get(offer.candidate) else { return false };
        let begun = chosen.kept.contains(&true);
        let length = offer.length + if begun { 2.0 } else { 0.0 };
        if length > self.left || (!begun && (offer.worth < LEAST_WORTH || chosen.candidate.is_slight())) {
            return false;
        }
        self.left -= length;
        self.keep(offer);
        true
    }

    /// Marks what was taken.
    fn keep(&mut self, offer: &Offer) {
        let Some(chosen) = self.chosen.get_mut(offer.candidate) else { return };
        chosen.worth += offer.worth;
        for n in offer.first..offer.end {
            if let Some(kept) = chosen.kept.get_mut(n) {
                *kept = true;
            }
            for (word, _) in
                chosen.candidate.parts.get(n).map(|part| part.words.as_slice()).unwrap_or_default()
            {
                if let Some(count) = self.seen.get_mut(*word) {
                    *count = count.saturating_add(1);
                }
            }
        }
    }
}

fn gain(part: &Part, seen: &[u8], own: bool) -> f32 {
    let left = |word: &usize| score::repeated(seen.get(*word).copied().unwrap_or(0), own);
    part.words.iter().map(|(word, worth)| worth * left(word)).sum()
}
