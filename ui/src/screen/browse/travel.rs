//! Following links and coming back. A link is resolved against the catalogue, never against the disk.

use super::select::find_card;
use super::{Browse, Pane};
use crate::context::{Context, Tone};
use crate::pane::doc::{Doc, Wanted};
use chrono::NaiveDate;
use percent_encoding::percent_decode_str;
use reme_core::catalog::Snapshot;
use reme_core::link;
use reme_core::workspace::RelPath;
use std::sync::Arc;

/// How many steps back are remembered.
const REMEMBERED: usize = 100;

/// Where a reader was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    day: Option<NaiveDate>,
    card: Option<RelPath>,
    other_dialog: Option<RelPath>,
    focus: Pane,
    main: Pane,
    top: usize,
}

/// Where a link leads.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Destination {
    Day(NaiveDate),
    Card(RelPath),
    Dialog(RelPath),
    Image(usize),
    Elsewhere,
    Nowhere,
}

impl Browse {
    /// Follows a link as it is written: `path#anchor`, `path`, a short name or a URL.
    pub(super) fn follow(&mut self, written: &str, context: &mut Context) {
        let (target, anchor) = match written.split_once('#') {
            Some((target, anchor)) if !written.contains("://") => (target, Some(anchor)),
            _ => (written, None),
        };
        let destination = self.destination(target, context);
        let here = self.place();
        match destination {
            Destination::Elsewhere => {
                context.copy(written.to_owned());
                return context.say(Tone::Info, format!("Copied {written}; links elsewhere are not opened"));
            }
            Destination::Nowhere => {
                return context.say(Tone::Bad, format!("{target} is not in this workspace"));
            }
            Destination::Day(date) => {
                self.select_day(date, context);
                self.focus_on(Pane::Page, context);
            }
            Destination::Card(path) => {
                self.select_card(&path, context);
                self.focus_on(Pane::Card, context);
            }
            Destination::Dialog(path) => {
                self.other_dialog = Some(path).filter(|path| self.own_dialog(context).as_ref() != Some(path));
                self.focus_on(Pane::Dialog, context);
            }
            Destination::Image(at) => {
                self.focus_on(Pane::Images, context);
                self.images.select(at, context);
            }
        }
        self.back.push(here);
        if self.back.len() > REMEMBERED {
            self.back.remove(0);
        }
        self.forward.clear();
        let height = self.height(self.focus, context);
        if let (Some(anchor), Some(doc)) = (anchor, self.doc_mut(self.focus)) {
            let name = percent_decode_str(anchor).decode_utf8_lossy().into_owned();
            doc.go(Wanted::Anchor(name), height);
        }
        self.tell_lost(self.focus, context);
    }

    /// Says so where a link led to a file, but not to a place in it.
    pub(super) fn tell_lost(&mut self, pane: Pane, context: &mut Context) {
        if let Some(name) = self.doc_mut(pane).and_then(Doc::lost) {
            let what = if pane == Pane::Dialog { "message" } else { "heading" };
            context.say(Tone::Bad, format!("There is no {what} {name} here"));
        }
    }

    /// The selected picture where it lies elsewhere: its address is copied.
    pub(super) fn follow_image(&mut self, context: &mut Context) {
        let Some(link) = self.images.link().map(str::to_owned) else { return };
        context.say(Tone::Good, format!("Copied {link}"));
        context.copy(link);
    }

    fn own_dialog(&mut self, context: &Context) -> Option<RelPath> {
        self.other_dialog = None;
        self.dialog_path(context)
    }

    fn destination(&self, target: &str, context: &Context) -> Destination {
        if target.contains("://") || target.starts_with("mailto:") {
            return Destination::Elsewhere;
        }
        let snapshot = &context.snapshot;
        if let Some(at) = self.image_links(context).iter().position(|link| link == target) {
            return Destination::Image(at);
        }
        let Some(path) =
            link::resolve(target, &|path| kind(snapshot, path).is_some(), &|stem| by_stem(snapshot, stem))
        else {
            return Destination::Nowhere;
        };
        kind(snapshot, &path).unwrap_or(Destination::Nowhere)
    }

    fn place(&self) -> Place {
        Place {
            day: self.day,
            card: self.card.clone(),
            other_dialog: self.other_dialog.clone(),
            focus: self.focus,
            main: self.main,
            top: self.doc(self.focus).map_or(0, Doc::top),
        }
    }

    pub(super) fn go_back(&mut self, context: &mut Context) {
        if let Some(place) = self.back.pop() {
            self.forward.push(self.place());
            self.return_to(place, context);
        }
    }

    pub(super) fn go_forward(&mut self, context: &mut Context) {
        if let Some(place) = self.forward.pop() {
            self.back.push(self.place());
            self.return_to(place, context);
        }
    }

    /// What is gone meanwhile is replaced by its neighbour, as after any change of the catalogue.
    fn return_to(&mut self, place: Place, context: &mut Context) {
        self.day = place.day;
        self.card = place.card;
        self.card_session = None;
        self.settle_selection(context);
        self.other_dialog = place.other_dialog;
        self.bring_up(place.main);
        self.focus_on(place.focus, context);
        let height = self.height(place.focus, context);
        if let Some(doc) = self.doc_mut(place.focus) {
            doc.go(Wanted::Line(place.top), height);
        }
    }
}

/// What the catalogue knows behind a path.
fn kind(snapshot: &Arc<Snapshot>, path: &RelPath) -> Option<Destination> {
    if find_card(snapshot, path).is_some() {
        return Some(Destination::Card(path.clone()));
    }
    if let Some(day) = snapshot.days.iter().find(|day| day.page.as_ref() == Some(path)) {
        return Some(Destination::Day(day.date));
    }
    let known = snapshot.sessions.iter().any(|session| session.path == *path);
    known.then(|| Destination::Dialog(path.clone()))
}

/// The one card or day page that a short name means.
fn by_stem(snapshot: &Snapshot, stem: &str) -> Option<RelPath> {
    let cards = snapshot.days.iter().flat_map(|day| day.cards.iter().map(|card| &card.path));
    let pages = snapshot.days.iter().filter_map(|day| day.page.as_ref());
    let mut hits = cards.chain(pages).filter(|path| path.stem() == stem);
    let hit = hits.next()?;
    hits.next().is_none().then(|| hit.clone())
}
