//! The browse screen: days, cards, and the documents behind them. Always at the bottom of the stack.
//!
//! Owns what is selected, which panes have the focus, and the way back along followed links. Files are read by
//! effects; what is selected is kept by path, so that a changed catalogue moves nothing. Called by `app`.

use super::capture::Capture;
use super::message::Message;
use super::{Flow, Screen};
use crate::action::{Action, Key, Scope};
use crate::context::{Context, Tone};
use crate::effect::{Answer, Ticket};
use crate::event::Input;
use crate::pane::doc::Doc;
use crate::pane::images::Images;
use crate::pane::laid::Sheet;
use crate::pane::list::Window;
use crate::pane::panel;
use chrono::NaiveDate;
use crossterm::event::KeyCode;
use ratatui::Frame;
use ratatui::layout::Rect;
use reme_core::workspace::RelPath;

mod areas;
mod find;
mod mouse;
mod select;
mod travel;
mod view;

use areas::Areas;
use find::Find;
use travel::Place;

/// A part of the browse screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Pane {
    /// The list of days.
    Days,
    /// The list of cards.
    Cards,
    /// The day page.
    Page,
    /// The card.
    Card,
    /// The dialog record.
    Dialog,
    /// The card's images.
    Images,
}

impl Pane {
    const ALL: [Pane; 6] = [Pane::Days, Pane::Cards, Pane::Page, Pane::Card, Pane::Dialog, Pane::Images];

    fn is_list(self) -> bool {
        matches!(self, Pane::Days | Pane::Cards)
    }

    fn is_left(self) -> bool {
        matches!(self, Pane::Page | Pane::Card)
    }
}

/// The state of the browse screen.
#[derive(Debug)]
pub struct Browse {
    focus: Pane,
    /// The list that had the focus last.
    list: Pane,
    /// The document that was shown last; the only one where there is no room for two.
    main: Pane,
    /// Page or card, where two documents are shown.
    left: Pane,
    /// Dialog or images, where two documents are shown.
    right: Pane,
    day: Option<NaiveDate>,
    card: Option<RelPath>,
    /// Where the card was in its day, for when it goes away.
    card_at: usize,
    /// Its session, for when it is renamed.
    card_session: Option<String>,
    /// A record that was opened by a link instead of the card's own.
    other_dialog: Option<RelPath>,
    /// A file to select once the catalogue has it.
    wanted: Option<RelPath>,
    days: Window,
    cards: Window,
    find: Option<Find>,
    page: Doc,
    card_text: Doc,
    dialog: Doc,
    images: Images,
    back: Vec<Place>,
    forward: Vec<Place>,
}

impl Default for Browse {
    fn default() -> Self {
        Browse {
            focus: Pane::Cards,
            list: Pane::Cards,
            main: Pane::Card,
            left: Pane::Card,
            right: Pane::Dialog,
            day: None,
            card: None,
            card_at: 0,
            card_session: None,
            other_dialog: None,
            wanted: None,
            days: Window::default(),
            cards: Window::default(),
            find: None,
            page: Doc::new(Sheet::Markdown),
            card_text: Doc::new(Sheet::Markdown),
            dialog: Doc::new(Sheet::Dialog),
            images: Images::default(),
            back: Vec::new(),
            forward: Vec::new(),
        }
    }
}

impl Browse {
    /// The pane that has the focus.
    pub fn focus(&self) -> Pane {
        self.focus
    }

    /// The selected day.
    pub fn day(&self) -> Option<NaiveDate> {
        self.day
    }

    /// The selected card.
    pub fn card(&self) -> Option<&RelPath> {
        self.card.as_ref()
    }

    /// The pane's document; `None` for lists and images.
    pub fn doc(&self, pane: Pane) -> Option<&Doc> {
        match pane {
            Pane::Page => Some(&self.page),
            Pane::Card => Some(&self.card_text),
            Pane::Dialog => Some(&self.dialog),
            Pane::Days | Pane::Cards | Pane::Images => None,
        }
    }

    fn doc_mut(&mut self, pane: Pane) -> Option<&mut Doc> {
        match pane {
            Pane::Page => Some(&mut self.page),
            Pane::Card => Some(&mut self.card_text),
            Pane::Dialog => Some(&mut self.dialog),
            Pane::Days | Pane::Cards | Pane::Images => None,
        }
    }

    fn areas(&self, context: &Context) -> Areas {
        Areas::of(context.body(), !self.focus.is_list(), context.snapshot.days.len())
    }

    /// The rows that a pane has for its content.
    fn height(&self, pane: Pane, context: &Context) -> usize {
        usize::from(panel::inner(self.areas(context).place(pane)).height)
    }

    /// The documents that are open, from left to right.
    fn open_panes(&self, areas: &Areas) -> Vec<Pane> {
        if areas.right.is_some() { vec![self.left, self.right] } else { vec![self.main] }
    }

    fn focus_on(&mut self, pane: Pane, context: &mut Context) {
        self.focus = pane;
        match pane {
            Pane::Days | Pane::Cards => self.list = pane,
            _ => self.bring_up(pane),
        }
        self.sync(context);
    }

    /// Makes a document the visible one of its place.
    fn bring_up(&mut self, pane: Pane) {
        self.main = pane;
        if pane.is_left() {
            self.left = pane;
        } else {
            self.right = pane;
        }
    }

    /// Makes the open panes show what is selected.
    fn sync(&mut self, context: &mut Context) {
        let areas = self.areas(context);
        let dialog = self.dialog_path(context);
        let page = self.page_path(context);
        let card = self.card.clone();
        for pane in self.open_panes(&areas) {
            let width = panel::inner(areas.place(pane)).width;
            match pane {
                Pane::Page => self.page.open(page.as_ref(), width, context),
                Pane::Card => self.card_text.open(card.as_ref(), width, context),
                Pane::Dialog => self.dialog.open(dialog.as_ref(), width, context),
                Pane::Images => {}
                Pane::Days | Pane::Cards => {}
            }
            let height = self.height(pane, context);
            if let Some(doc) = self.doc_mut(pane) {
                doc.clamp(height);
            }
        }
        if self.open_panes(&areas).contains(&Pane::Images) {
            let links = self.image_links(context);
            self.images.open(&links, areas.place(Pane::Images), context);
        }
        self.follow_lists(context);
    }

    /// `by` lines or items up or down in the pane that has the focus.
    fn step(&mut self, by: isize, context: &mut Context) {
        match self.focus {
            Pane::Days => self.step_day(by, context),
            Pane::Cards => self.step_card(by, context),
            Pane::Images => self.images.step(by, context),
            pane => {
                let height = self.height(pane, context);
                if let Some(doc) = self.doc_mut(pane) {
                    doc.scroll(by, height);
                }
            }
        }
    }

    /// The next pane in the order of Tab: the lists, then the open documents.
    fn next_pane(&mut self, by: isize, context: &mut Context) {
        let mut order = vec![Pane::Days, Pane::Cards];
        order.extend(self.open_panes(&self.areas(context)));
        self.focus_along(&order, by, true, context);
    }

    /// The pane to the left or right: the list, then every document.
    fn sideways(&mut self, by: isize, context: &mut Context) {
        let order = [self.list, Pane::Page, Pane::Card, Pane::Dialog, Pane::Images];
        if self.focus.is_list() && by > 0 {
            let first = self.open_panes(&self.areas(context)).first().copied().unwrap_or(self.main);
            return self.focus_on(first, context);
        }
        self.focus_along(&order, by, false, context);
    }

    fn focus_along(&mut self, order: &[Pane], by: isize, round: bool, context: &mut Context) {
        let at = order.iter().position(|pane| *pane == self.focus).unwrap_or(0);
        let len = order.len();
        let next = if round {
            at.wrapping_add(len).wrapping_add_signed(by) % len.max(1)
        } else {
            at.saturating_add_signed(by).min(len.saturating_sub(1))
        };
        if let Some(pane) = order.get(next) {
            self.focus_on(*pane, context);
        }
    }

    fn cycle_link(&mut self, forward: bool, context: &Context) {
        let height = self.height(self.focus, context);
        if let Some(doc) = self.doc_mut(self.focus) {
            doc.cycle_link(forward, height);
        }
    }

    /// What Enter does in the pane that has the focus.
    fn enter(&mut self, context: &mut Context) {
        match self.focus {
            Pane::Days => self.focus_on(Pane::Cards, context),
            Pane::Cards => self.focus_on(Pane::Card, context),
            Pane::Images => self.follow_image(context),
            pane => {
                let target = self.doc(pane).and_then(Doc::link).map(|spot| spot.target.clone());
                if let Some(target) = target {
                    self.follow(&target, context);
                }
            }
        }
    }

    fn show_warnings(context: &Context) -> Flow {
        let text = context.snapshot.warnings.join("\n");
        Flow::Open(Box::new(Message::new(Tone::Bad, "What could not be read", text)))
    }
}

impl Screen for Browse {
    fn scope(&self) -> Scope {
        if self.find.is_some() { Scope::Filter } else { Scope::Browse }
    }

    fn typing(&self) -> bool {
        self.find.is_some()
    }

    fn refuses(&self, action: Action, context: &Context) -> Option<&'static str> {
        let doc = self.doc(self.focus);
        match action {
            Action::MemorizeWaiting if context.setting.waiting.is_none() => {
                Some("No conversation is waiting; a opens a new one")
            }
            Action::Back if self.back.is_empty() => Some("No link was followed yet"),
            Action::Forward if self.forward.is_empty() => Some("There is nothing ahead"),
            Action::NextLink | Action::PrevLink if !doc.is_some_and(Doc::has_links) => {
                Some("There is no link in this pane")
            }
            Action::Enter if doc.is_some_and(|doc| doc.link().is_none()) => Some("n selects a link first"),
            Action::Enter if self.focus == Pane::Images && self.images.is_empty() => {
                Some("This card has no images")
            }
            Action::CopyPath if self.shown_path().is_none() => Some("No file is shown"),
            Action::Filter if context.snapshot.days.is_empty() => Some("There is no card to find yet"),
            Action::ShowWarnings if context.snapshot.warnings.is_empty() => Some("Everything could be read"),
            _ => None,
        }
    }

    fn says(&self, action: Action) -> Option<&'static str> {
        let on_images = self.focus == Pane::Images && self.find.is_none();
        (action == Action::Enter && on_images).then_some("copy path")
    }

    fn act(&mut self, action: Action, context: &mut Context) -> Flow {
        if self.find.is_some() {
            return self.act_in_find(action, context);
        }
        let page = isize::try_from(self.height(self.focus, context)).unwrap_or(isize::MAX);
        match action {
            Action::Up => self.step(-1, context),
            Action::Down => self.step(1, context),
            Action::HalfUp => self.step(-(page / 2).max(1), context),
            Action::HalfDown => self.step((page / 2).max(1), context),
            Action::PageUp => self.step(-page.max(1), context),
            Action::PageDown => self.step(page.max(1), context),
            Action::Top => self.step(isize::MIN / 2, context),
            Action::Bottom => self.step(isize::MAX / 2, context),
            Action::Left => self.sideways(-1, context),
            Action::Right => self.sideways(1, context),
            Action::NextPane => self.next_pane(1, context),
            Action::PrevPane => self.next_pane(-1, context),
            Action::ShowDays => self.focus_on(Pane::Days, context),
            Action::ShowCards => self.focus_on(Pane::Cards, context),
            Action::ShowPage => self.focus_on(Pane::Page, context),
            Action::ShowCard => self.focus_on(Pane::Card, context),
            Action::ShowDialog => self.focus_on(Pane::Dialog, context),
            Action::ShowImages => self.focus_on(Pane::Images, context),
            Action::NextLink => self.cycle_link(true, context),
            Action::PrevLink => self.cycle_link(false, context),
            Action::Enter => self.enter(context),
            Action::Back => self.go_back(context),
            Action::Forward => self.go_forward(context),
            Action::Filter => self.start_find(context),
            Action::CopyPath => self.copy_path(context),
            Action::Refresh => {
                context.rescan();
                self.read_again(context);
                context.say(Tone::Info, "Reading the workspace again");
            }
            Action::ShowWarnings => return Browse::show_warnings(context),
            Action::Capture => return Flow::Open(Box::new(Capture::empty())),
            Action::MemorizeWaiting => {
                let waiting = context.setting.waiting.clone();
                return waiting.map_or(Flow::Done, |file| Flow::Open(Box::new(Capture::of_file(file))));
            }
            _ => return Flow::Ignored,
        }
        Flow::Done
    }

    fn input(&mut self, input: Input, context: &mut Context) -> Flow {
        match (input, &mut self.find) {
            (Input::Mouse(mouse), _) => self.mouse(mouse, context),
            // Whoever pastes here means a new memory.
            (Input::Paste(text), None) => {
                return Flow::OpenWith(Box::new(Capture::empty()), Input::Paste(text));
            }
            (Input::Paste(text), Some(find)) => find.push(&text, &context.snapshot),
            (Input::Key(event), Some(find)) => match event.code {
                KeyCode::Char(c) if Key::of(&event).is_text() => {
                    find.push(c.encode_utf8(&mut [0; 4]), &context.snapshot);
                }
                KeyCode::Backspace => find.pop(&context.snapshot),
                _ => return Flow::Ignored,
            },
            _ => return Flow::Ignored,
        }
        self.preview_match(context);
        Flow::Done
    }

    fn answer(&mut self, ticket: Ticket, answer: Answer, context: &mut Context) -> Flow {
        for pane in Pane::ALL {
            let height = self.height(pane, context);
            if self.doc_mut(pane).is_some_and(|doc| doc.answer(ticket, &answer, height)) {
                self.tell_lost(pane, context);
                return Flow::Done;
            }
        }
        self.images.answer(ticket, answer);
        Flow::Done
    }

    fn changed(&mut self, changed: &[RelPath], context: &mut Context) {
        self.settle_selection(context);
        self.sync(context);
        for doc in [&mut self.page, &mut self.card_text, &mut self.dialog] {
            if doc.rests_on(changed) {
                doc.read(context);
            }
        }
        let picture = self.images.link().and_then(|link| RelPath::new(link).ok());
        if picture.is_some_and(|picture| changed.contains(&picture)) {
            self.images.fit(context);
        }
        if let Some(find) = &mut self.find {
            find.update(&context.snapshot);
        }
    }

    fn resized(&mut self, context: &mut Context) {
        self.sync(context);
    }

    fn view(&self, context: &Context, frame: &mut Frame<'_>, area: Rect) {
        view::draw(self, context, frame, area);
    }
}
