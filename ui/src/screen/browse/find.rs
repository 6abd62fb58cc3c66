//! Finding cards by name: what is typed narrows the cards of all days, best match first.

use crate::pane::cards;
use crate::pane::list::Window;
use fuzzy_matcher::FuzzyMatcher;
use fuzzy_matcher::skim::SkimMatcherV2;
use reme_core::catalog::{CardEntry, Snapshot};
use reme_core::workspace::RelPath;

/// How many matches are kept.
const MOST: usize = 500;

/// The state of a search for cards by name.
#[derive(Debug, Default)]
pub struct Find {
    /// What was typed.
    pub typed: String,
    /// The cards that match, best first.
    pub matches: Vec<RelPath>,
    /// Which of them is selected.
    pub selected: usize,
    /// Which of them are visible.
    pub window: Window,
}

impl Find {
    /// Matches again, after typing or after the catalogue changed.
    pub fn update(&mut self, snapshot: &Snapshot) {
        let kept = self.matches.get(self.selected).cloned();
        let all = snapshot.days.iter().flat_map(|day| &day.cards);
        self.matches = if self.typed.is_empty() {
            all.take(MOST).map(|card| card.path.clone()).collect()
        } else {
            self.ranked(all)
        };
        let place = kept.and_then(|kept| self.matches.iter().position(|path| *path == kept));
        self.selected = place.unwrap_or(0);
    }

    fn ranked<'a>(&self, all: impl Iterator<Item = &'a CardEntry>) -> Vec<RelPath> {
        let matcher = SkimMatcherV2::default();
        let scored =
            all.filter_map(|card| Some((matcher.fuzzy_match(cards::name(card), &self.typed)?, card)));
        let mut ranked: Vec<(i64, &CardEntry)> = scored.collect();
        // Stable, so that among equals the newest day stays first.
        ranked.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
        ranked.into_iter().take(MOST).map(|(_, card)| card.path.clone()).collect()
    }

    /// Takes a typed character; the best match is selected again.
    pub fn push(&mut self, typed: &str, snapshot: &Snapshot) {
        self.typed.extend(typed.chars().filter(|c| !c.is_control()));
        self.matches.clear();
        self.update(snapshot);
    }

    /// Takes the last character back.
    pub fn pop(&mut self, snapshot: &Snapshot) {
        self.typed.pop();
        self.matches.clear();
        self.update(snapshot);
    }
}
