//! Selection: which clauses a card has room for.
//!
//! Owns the length of a card and the choice of the clauses that add most new words for it; never changes a
//! word. Called once a conversation.

use super::candidate::{self, Candidate, Part, Words};
use super::score;
use super::sentence::Form;
use super::turn::{Talk, Voice};
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// The share of a person's words that a card may have, and of a program's.
const SHARE: f64 = 0.338;
const PROGRAM_SHARE: f64 = 0.2;
/// Up to here in characters the share holds; a longer conversation's card grows with the square root.
const STEADY: f64 = 12_000.0;
/// A card of a short conversation may have this many characters whatever the share.
const FLOOR: f64 = 300.0;
/// What beginning another statement costs in characters.
const OVERHEAD: f32 = 3.0;
/// Less worth a character than this is not worth a reader's time.
const LEAST_DENSITY: f32 = 0.006;
/// Less worth than this is no statement.
const LEAST_WORTH: f32 = 0.7;

/// A candidate with the parts that were chosen.
pub(super) struct Chosen<'t> {
    /// The candidate.
    pub candidate: Candidate<'t>,
    /// For each part, whether it is kept.
    pub kept: Vec<bool>,
    /// What it is worth.
    pub worth: f32,
}

/// The characters that a card of this talk may have.
fn budget(talk: &Talk) -> f64 {
    let mut said = 0.0;
    let mut share = 0.0;
    for turn in talk.turns.iter().filter(|turn| turn.news) {
        let prose = turn.sentences.iter().filter(|sentence| sentence.form == Form::Prose);
        let length: usize = prose.map(|sentence| sentence.text.chars().count() + 1).sum();
        said += length as f64;
        share += length as f64 * if turn.voice == Voice::Person { f64::from(score::par("SHARE", SHARE as f32)) } else { PROGRAM_SHARE };
    }
    let long = if said > STEADY { (STEADY / said).sqrt() } else { 1.0 };
    (share * long).max(FLOOR.min(said))
}

struct Offer {
    density: f32,
    candidate: usize,
    part: usize,
    round: usize,
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
        let place = |offer: &Self| std::cmp::Reverse((offer.candidate, offer.part));
        self.density.total_cmp(&other.density).then_with(|| place(self).cmp(&place(other)))
    }
}

/// The statements that a card of this talk should have, in the talk's order.
pub(super) fn select(talk: &Talk) -> Vec<Chosen<'_>> {
    let mut words = Words::new();
    let candidates = candidate::candidates(talk, &mut words);
    let mut seen = vec![0u8; words.len()];
    let mut kept: Vec<Vec<bool>> = candidates.iter().map(|candidate| vec![false; candidate.parts.len()]).collect();
    let mut worth = vec![0.0f32; candidates.len()];
    let mut left = budget(talk) as f32;
    let mut offers = BinaryHeap::new();
    let mut round = 0;
    let mut taken: Vec<i32> = vec![0; talk.turns.len()];
    let offer = |at: usize, part: usize, seen: &[u8], begun: bool, round: usize, taken: &[i32]| {
        let its = candidates.get(at)?.parts.get(part)?;
        let t = score::par("TURN", 1.0).powi(taken[candidates[at].turn]);
        let length = its.length as f32 + if begun { 1.0 } else { score::par("OVER", OVERHEAD) };
        Some(Offer { density: t * gain(its, seen) / length, candidate: at, part, round })
    };
    for (at, candidate) in candidates.iter().enumerate() {
        let free = candidate.parts.iter().enumerate().filter(|(_, part)| !part.clause.needs_previous);
        offers.extend(free.filter_map(|(part, _)| offer(at, part, &seen, false, 0, &taken)));
    }
    // The worth of an offer only falls as words are taken, so the best is found by refreshing the top alone.
    while let Some(top) = offers.pop() {
        if top.density < LEAST_DENSITY {
            break;
        }
        let begun = worth.get(top.candidate).is_some_and(|worth| *worth > 0.0);
        if top.round < round {
            offers.extend(offer(top.candidate, top.part, &seen, begun, round, &taken));
            continue;
        }
        let Some(part) = candidates.get(top.candidate).and_then(|candidate| candidate.parts.get(top.part)) else { continue };
        let length = part.length as f32 + if begun { 2.0 } else { 0.0 };
        let gained = gain(part, &seen);
        if length > left || (!begun && gained < score::par("LEAST", LEAST_WORTH)) {
            continue;
        }
        left -= length;
        round += 1;
        taken[candidates[top.candidate].turn] += 1;
        for (word, _) in &part.words {
            if let Some(count) = seen.get_mut(*word) {
                *count = count.saturating_add(1);
            }
        }
        if let Some(worth) = worth.get_mut(top.candidate) {
            *worth += gained;
        }
        if let Some(kept) = kept.get_mut(top.candidate).and_then(|kept| kept.get_mut(top.part)) {
            *kept = true;
        }
        let next = top.part + 1;
        let bound = candidates.get(top.candidate).and_then(|candidate| candidate.parts.get(next));
        if bound.is_some_and(|part| part.clause.needs_previous) {
            offers.extend(offer(top.candidate, next, &seen, true, round, &taken));
        }
    }
    let chosen = candidates.into_iter().zip(kept).zip(worth);
    chosen
        .map(|((candidate, kept), worth)| Chosen { candidate, kept, worth })
        .filter(|chosen| chosen.kept.contains(&true))
        .collect()
}

fn gain(part: &Part, seen: &[u8]) -> f32 {
    part.words
        .iter()
        .map(|(word, worth)| worth * score::par("REP", score::REPEATED).powi(i32::from(seen.get(*word).copied().unwrap_or(0).min(3))))
        .sum()
}
