//! What is selected, and how a selection survives a changed catalogue: by path, then by session, then by place.

use super::find::Find;
use super::{Browse, Pane};
use crate::action::Action;
use crate::context::{Context, Tone};
use crate::pane::list;
use crate::screen::Flow;
use chrono::NaiveDate;
use reme_core::catalog::{CardEntry, Day, SessionEntry, Snapshot};
use reme_core::workspace::RelPath;
use std::sync::Arc;

/// The day and the card behind a path.
pub(super) fn find_card<'a>(snapshot: &'a Snapshot, path: &RelPath) -> Option<(&'a Day, &'a CardEntry)> {
    snapshot.days.iter().find_map(|day| {
        let card = day.cards.iter().find(|card| card.path == *path)?;
        Some((day.as_ref(), card))
    })
}

fn session_of(card: &CardEntry) -> Option<String> {
    card.facts.as_ref().and_then(|facts| facts.session_id.clone())
}

impl Browse {
    pub(super) fn day_at(&self, snapshot: &Snapshot) -> Option<usize> {
        snapshot.days.iter().position(|day| Some(day.date) == self.day)
    }

    pub(super) fn this_day<'a>(&self, snapshot: &'a Snapshot) -> Option<&'a Arc<Day>> {
        snapshot.days.get(self.day_at(snapshot)?)
    }

    pub(super) fn this_card<'a>(&self, snapshot: &'a Snapshot) -> Option<&'a CardEntry> {
        let path = self.card.as_ref()?;
        self.this_day(snapshot)?.cards.iter().find(|card| card.path == *path)
    }

    /// The cards that the list shows: the matches of a search, else those of the day.
    pub(super) fn listed<'a>(&self, snapshot: &'a Snapshot) -> Vec<&'a CardEntry> {
        match &self.find {
            Some(find) => find.cards(snapshot).collect(),
            None => self.this_day(snapshot).map(|day| day.cards.iter().collect()).unwrap_or_default(),
        }
    }

    pub(super) fn page_path(&self, context: &Context) -> Option<RelPath> {
        self.this_day(&context.snapshot)?.page.clone()
    }

    /// The record of the card, or the one that a link led to.
    pub(super) fn dialog_path(&self, context: &Context) -> Option<RelPath> {
        if let Some(other) = &self.other_dialog {
            return Some(other.clone());
        }
        let facts = self.this_card(&context.snapshot)?.facts.as_ref()?;
        let belongs = |session: &&SessionEntry| {
            Some(&session.id) == facts.session_id.as_ref()
                || Some(session.path.as_str()) == facts.source.as_deref()
        };
        context.snapshot.sessions.iter().find(belongs).map(|session| session.path.clone())
    }

    pub(super) fn image_links(&self, context: &Context) -> Vec<String> {
        let facts = self.this_card(&context.snapshot).and_then(|card| card.facts.as_ref());
        facts.map(|facts| facts.images.clone()).unwrap_or_default()
    }

    /// The file in the pane that has the focus, for a list the selected item's.
    pub(super) fn shown_path(&self) -> Option<&RelPath> {
        match self.focus {
            Pane::Cards | Pane::Images => self.card.as_ref(),
            Pane::Days => self.page.path(),
            pane => self.doc(pane).and_then(|doc| doc.path()),
        }
    }

    /// Selects a file and brings it up; remembered when the catalogue does not have it yet.
    pub fn show(&mut self, path: RelPath, context: &mut Context) {
        self.find = None;
        self.wanted = Some(path);
        self.settle_selection(context);
        self.sync(context);
    }

    /// Makes the selection one that the catalogue has.
    pub(super) fn settle_selection(&mut self, context: &mut Context) {
        let snapshot = Arc::clone(&context.snapshot);
        if let Some(path) = self.wanted.take_if(|path| find_card(&snapshot, path).is_some())
            && let Some((day, card)) = find_card(&snapshot, &path)
        {
            self.take_card(day, card);
            self.focus = Pane::Cards;
            self.list = Pane::Cards;
            self.bring_up(Pane::Card);
            return;
        }
        let Some(day) = self.this_day(&snapshot).or_else(|| self.nearest_day(&snapshot)) else {
            (self.day, self.card, self.card_session) = (None, None, None);
            return;
        };
        let kept = day.cards.iter().find(|card| Some(&card.path) == self.card.as_ref());
        let renamed = || {
            let session = self.card_session.as_ref()?;
            day.cards.iter().find(|card| session_of(card).as_ref() == Some(session))
        };
        let place = || day.cards.get(self.card_at.min(day.cards.len().saturating_sub(1)));
        match kept.or_else(renamed).or_else(place) {
            Some(card) => self.take_card(day, card),
            None => self.take_day(day),
        }
    }

    /// Where the selected day is gone: the newest one before it, else the last there is.
    fn nearest_day<'a>(&self, snapshot: &'a Snapshot) -> Option<&'a Arc<Day>> {
        let before = |day: &&Arc<Day>| self.day.is_none_or(|gone| day.date < gone);
        snapshot.days.iter().find(before).or(snapshot.days.last())
    }

    fn take_day(&mut self, day: &Day) {
        self.day = Some(day.date);
        (self.card, self.card_session, self.card_at) = (None, None, 0);
    }

    fn take_card(&mut self, day: &Day, card: &CardEntry) {
        if self.card.as_ref() != Some(&card.path) {
            self.other_dialog = None;
        }
        self.day = Some(day.date);
        self.card = Some(card.path.clone());
        self.card_session = session_of(card).or_else(|| self.card_session.take());
        self.card_at = day.cards.iter().position(|other| other.path == card.path).unwrap_or(0);
    }

    /// Selects a day and its first card.
    pub(super) fn select_day(&mut self, date: NaiveDate, context: &mut Context) {
        let snapshot = Arc::clone(&context.snapshot);
        let Some(day) = snapshot.days.iter().find(|day| day.date == date) else { return };
        self.card_session = None;
        match day.cards.first() {
            Some(card) => self.take_card(day, card),
            None => self.take_day(day),
        }
    }

    pub(super) fn select_card(&mut self, path: &RelPath, context: &mut Context) {
        let snapshot = Arc::clone(&context.snapshot);
        if let Some((day, card)) = find_card(&snapshot, path) {
            self.card_session = None;
            self.take_card(day, card);
        }
    }

    /// Selects a day from the list, which brings its page up.
    pub(super) fn select_day_at(&mut self, at: usize, context: &mut Context) {
        let Some(date) = context.snapshot.days.get(at).map(|day| day.date) else { return };
        if Some(date) != self.day {
            self.select_day(date, context);
        }
        self.bring_up(Pane::Page);
        self.sync(context);
    }

    pub(super) fn step_day(&mut self, by: isize, context: &mut Context) {
        let at = self.day_at(&context.snapshot).unwrap_or(0);
        self.select_day_at(list::step(at, by, context.snapshot.days.len()), context);
    }

    pub(super) fn step_card(&mut self, by: isize, context: &mut Context) {
        if let Some(find) = &mut self.find {
            find.selected = list::step(find.selected, by, find.matches.len());
            return self.preview_match(context);
        }
        let listed = self.listed(&context.snapshot);
        let at = list::step(self.card_at, by, listed.len());
        let Some(path) = listed.get(at).map(|card| card.path.clone()) else { return };
        if self.card.as_ref() != Some(&path) {
            self.select_card(&path, context);
        }
        // Whoever goes through dialogs or images goes on with those of the next card.
        if self.main == Pane::Page {
            self.bring_up(Pane::Card);
        }
        self.left = Pane::Card;
        self.sync(context);
    }

    pub(super) fn click_card(&mut self, row: usize, context: &mut Context) {
        match &self.find {
            Some(find) => {
                let at = find.window.first + row;
                if at < find.matches.len() {
                    let by = isize::try_from(at).unwrap_or(0) - isize::try_from(find.selected).unwrap_or(0);
                    self.step_card(by, context);
                }
            }
            None => {
                let at = self.cards.first + row;
                if at < self.listed(&context.snapshot).len() {
                    let by = isize::try_from(at).unwrap_or(0) - isize::try_from(self.card_at).unwrap_or(0);
                    self.step_card(by, context);
                }
            }
        }
    }

    /// Scrolls the lists so that what is selected is visible.
    pub(super) fn follow_lists(&mut self, context: &Context) {
        let snapshot = &context.snapshot;
        let (days, cards) = (self.height(Pane::Days, context), self.height(Pane::Cards, context));
        self.days.follow(self.day_at(snapshot).unwrap_or(0), snapshot.days.len(), days);
        let count = self.this_day(snapshot).map_or(0, |day| day.cards.len());
        self.cards.follow(self.card_at, count, cards);
        if let Some(find) = &mut self.find {
            find.window.follow(find.selected, find.matches.len(), cards);
        }
    }

    pub(super) fn start_find(&mut self, context: &mut Context) {
        let mut find = Find::default();
        find.update(&context.snapshot);
        let here = self.card.as_ref().and_then(|card| find.place(card));
        find.selected = here.unwrap_or(0);
        self.find = Some(find);
        self.focus_on(Pane::Cards, context);
    }

    /// Shows the selected match.
    pub(super) fn preview_match(&mut self, context: &mut Context) {
        let path =
            self.find.as_ref().and_then(|find| find.matches.get(find.selected)).map(|(_, path)| path.clone());
        if let Some(path) = path {
            self.select_card(&path, context);
            self.bring_up(Pane::Card);
        }
        self.sync(context);
    }

    pub(super) fn act_in_find(&mut self, action: Action, context: &mut Context) -> Flow {
        match action {
            Action::Up => self.step_card(-1, context),
            Action::Down => self.step_card(1, context),
            Action::Enter => {
                self.find = None;
                self.focus_on(Pane::Card, context);
            }
            Action::Close => {
                self.find = None;
                self.focus_on(Pane::Cards, context);
            }
            _ => return Flow::Ignored,
        }
        Flow::Done
    }

    pub(super) fn copy_path(&self, context: &mut Context) {
        if let Some(path) = self.shown_path() {
            let path = path.to_string();
            context.say(Tone::Good, format!("Copied {path}"));
            context.copy(path);
        }
    }

    /// Reads what is open again; nothing else on screen changes meanwhile.
    pub fn read_again(&mut self, context: &mut Context) {
        for doc in [&mut self.page, &mut self.card_text, &mut self.dialog] {
            doc.read(context);
        }
        self.images.fit(context);
    }
}
