//! Finding cards by name: what is typed narrows the cards of all days, best match first.

use crate::pane::cards;
use crate::pane::list::Window;
use chrono::NaiveDate;
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
    /// The cards that match, best first, with their days.
    pub matches: Vec<(NaiveDate, RelPath)>,
    /// Which of them is selected.
    pub selected: usize,
    /// Which of them are visible.
    pub window: Window,
}

impl Find {
    /// Matches again, after typing or after the catalogue changed.
    pub fn update(&mut self, snapshot: &Snapshot) {
        let kept = self.matches.get(self.selected).map(|(_, path)| path.clone());
        let all = snapshot.days.iter().flat_map(|day| day.cards.iter().map(|card| (day.date, card)));
        let found: Vec<(NaiveDate, &CardEntry)> =
            if self.typed.is_empty() { all.take(MOST).collect() } else { self.ranked(all) };
        self.matches = found.into_iter().map(|(day, card)| (day, card.path.clone())).collect();
        self.selected = kept.and_then(|kept| self.place(&kept)).unwrap_or(0);
    }

    fn ranked<'a>(
        &self,
        all: impl Iterator<Item = (NaiveDate, &'a CardEntry)>,
    ) -> Vec<(NaiveDate, &'a CardEntry)> {
        let matcher = SkimMatcherV2::default();
        let mut scored: Vec<_> = all
            .filter_map(|(day, card)| {
                Some((matcher.fuzzy_match(cards::name(card), &self.typed)?, (day, card)))
            })
            .collect();
        // Stable, so that among equals the newest day stays first.
        scored.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
        scored.into_iter().take(MOST).map(|(_, found)| found).collect()
    }

    /// Where a card is among the matches.
    pub fn place(&self, card: &RelPath) -> Option<usize> {
        self.matches.iter().position(|(_, path)| path == card)
    }

    /// The cards that match, as the catalogue has them. Looked up by day, which stays quick with many cards.
    pub fn cards<'a>(&self, snapshot: &'a Snapshot) -> impl Iterator<Item = &'a CardEntry> {
        self.matches.iter().filter_map(|(date, path)| {
            let day = snapshot.days.iter().find(|day| day.date == *date)?;
            day.cards.iter().find(|card| card.path == *path)
        })
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
