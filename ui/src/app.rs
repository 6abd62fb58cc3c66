//! The application: the stack of layers, and the one way in which events reach them.
//!
//! Owns the shared [`Context`], the catalogue's refreshes and the frame around the screens (top bar, footer).
//! Knows nothing of what screens show, does no I/O and reads no clock. Driven by `driver` and by tests.

use crate::action::{self, Action, Key};
use crate::context::{Context, Setting, Tone, Watching};
use crate::effect::{Answer, Effect, Request, Ticket};
use crate::event::{Event, Input};
use crate::screen::browse::Browse;
use crate::screen::help::Help;
use crate::screen::{Flow, Screen};
use crate::terminal::Pictures;
use crate::theme::Theme;
use ratatui::Frame;
use reme_core::catalog::Snapshot;
use reme_core::watch::Notice;
use reme_core::workspace::RelPath;
use std::sync::Arc;

mod frame;

/// The layer number of the application itself.
const APP: u32 = 0;
/// The layer number of the browse screen, which is always at the bottom.
const BASE: u32 = 1;

/// The model of the whole interface.
pub struct App {
    context: Context,
    base: Browse,
    layers: Vec<(u32, Box<dyn Screen>)>,
    opened: u32,
    catalog: Refresh,
    dirty: bool,
}

/// How far the catalogue is, so that patches never overtake a scan and no change is forgotten.
#[derive(Debug, Default)]
struct Refresh {
    running: Option<Ticket>,
    patching: Vec<RelPath>,
    queued: Vec<RelPath>,
    rescan: bool,
}

impl App {
    /// The interface before its first frame, and the effects that it starts with.
    pub fn start(setting: Setting) -> (App, Vec<Effect>) {
        let mut app = App {
            context: Context::new(setting),
            base: Browse::default(),
            layers: Vec::new(),
            opened: BASE,
            catalog: Refresh { rescan: true, ..Refresh::default() },
            dirty: true,
        };
        app.with_base(|base, context| base.opened(context));
        let effects = app.settle();
        (app, effects)
    }

    /// Takes one event; returns what is to be done.
    pub fn update(&mut self, event: Event) -> Vec<Effect> {
        self.dirty = true;
        match event {
            Event::Input(input) => self.input(input),
            Event::Resize(width, height) => {
                self.context.setting.size = (width, height).into();
                self.each(|screen, context| screen.resized(context));
            }
            Event::Tick { now, today } => self.tick(now, today),
            Event::Notice(notice) => self.notice(notice),
            Event::Loaded(ticket, answer) => self.loaded(ticket, answer),
        }
        self.settle()
    }

    /// Whether something changed since the last call, so that a frame is worth drawing.
    pub fn take_dirty(&mut self) -> bool {
        std::mem::take(&mut self.dirty)
    }

    /// Looks like this from now on.
    pub fn dress(&mut self, theme: Theme, pictures: Pictures) {
        self.context.setting.theme = Arc::new(theme);
        self.context.setting.pictures = pictures;
    }

    /// Whether something moves, so that ticks are needed.
    pub fn animates(&self) -> bool {
        self.base.animates() || self.layers.iter().any(|(_, layer)| layer.animates())
    }

    /// The shared part of the model.
    pub fn context(&self) -> &Context {
        &self.context
    }

    /// The browse screen.
    pub fn browse(&self) -> &Browse {
        &self.base
    }

    /// Draws everything.
    pub fn view(&self, frame: &mut Frame<'_>) {
        frame::draw(self, frame);
    }

    /// The layer that gets the input.
    fn top(&self) -> &dyn Screen {
        self.layers.last().map_or(&self.base, |(_, layer)| layer.as_ref())
    }

    fn input(&mut self, input: Input) {
        let bound = match &input {
            Input::Key(event) => {
                self.context.status = None;
                let key = Key::of(event);
                let text = self.top().typing() && key.is_text();
                if text { None } else { action::lookup(self.top().scope(), key) }
            }
            Input::Mouse(_) | Input::Paste(_) => None,
        };
        match bound {
            Some(action) => self.act(action),
            None => {
                self.with_top(|screen, context| screen.input(input, context));
            }
        }
    }

    fn act(&mut self, action: Action) {
        if let Some(why) = self.top().refuses(action, &self.context) {
            return self.context.say(Tone::Info, why);
        }
        match action {
            Action::Quit => self.context.quit(),
            Action::Help => self.open(Box::new(Help::of(self.top(), &self.context))),
            _ => self.with_top(|screen, context| screen.act(action, context)),
        }
    }

    fn tick(&mut self, now: chrono::DateTime<chrono::Utc>, today: chrono::NaiveDate) {
        let new_day = today != self.context.setting.today;
        self.dirty = new_day || self.animates();
        self.context.setting.now = now;
        self.context.setting.today = today;
        self.each(|screen, context| screen.tick(context));
    }

    fn notice(&mut self, notice: Notice) {
        match notice {
            Notice::Changed(paths) => self.catalog.queued.extend(paths),
            Notice::Rescan => {
                self.catalog.rescan = true;
                self.with_base(|base, context| base.read_again(context));
            }
            Notice::Polling(why) => self.context.watching = Watching::Polling(why),
        }
    }

    fn loaded(&mut self, ticket: Ticket, answer: Answer) {
        if let Answer::Failed(why) = &answer {
            self.context.say(Tone::Bad, why);
        }
        match (ticket.layer, answer) {
            (APP, Answer::Catalog(snapshot)) => self.catalog_loaded(ticket, snapshot),
            (APP, _) => self.catalog.running = self.catalog.running.filter(|running| *running != ticket),
            (BASE, answer) => {
                let flow = self.with_base(|base, context| base.answer(ticket, answer, context));
                self.follow(BASE, flow);
            }
            (layer, answer) => {
                self.context.outbox.layer = layer;
                let Some((_, screen)) = self.layers.iter_mut().find(|(id, _)| *id == layer) else {
                    self.dirty = false;
                    return;
                };
                let flow = screen.answer(ticket, answer, &mut self.context);
                self.follow(layer, flow);
            }
        }
    }

    fn catalog_loaded(&mut self, ticket: Ticket, snapshot: Arc<Snapshot>) {
        if self.catalog.running != Some(ticket) {
            return;
        }
        if self.context.snapshot.complete && !snapshot.complete {
            // What is on screen is fuller than the start of a new reading.
            self.dirty = false;
            return;
        }
        if snapshot.complete || !self.catalog.patching.is_empty() {
            self.catalog.running = None;
        }
        let changed = std::mem::take(&mut self.catalog.patching);
        self.context.snapshot = snapshot;
        self.each(|screen, context| screen.changed(&changed, context));
    }

    /// Runs `change` on every layer, the browse screen first.
    fn each(&mut self, mut change: impl FnMut(&mut dyn Screen, &mut Context)) {
        self.with_base(|base, context| change(base, context));
        for (id, layer) in &mut self.layers {
            self.context.outbox.layer = *id;
            change(layer.as_mut(), &mut self.context);
        }
    }

    fn with_base<T>(&mut self, change: impl FnOnce(&mut Browse, &mut Context) -> T) -> T {
        self.context.outbox.layer = BASE;
        change(&mut self.base, &mut self.context)
    }

    fn with_top(&mut self, change: impl FnOnce(&mut dyn Screen, &mut Context) -> Flow) {
        let (id, flow) = match self.layers.last_mut() {
            Some((id, layer)) => {
                self.context.outbox.layer = *id;
                (*id, change(layer.as_mut(), &mut self.context))
            }
            None => (BASE, self.with_base(|base, context| change(base, context))),
        };
        self.follow(id, flow);
    }

    /// Does to the stack what the layer `id` asked for.
    fn follow(&mut self, id: u32, flow: Flow) {
        match flow {
            Flow::Done | Flow::Ignored => {}
            Flow::Open(screen) => self.open(screen),
            Flow::OpenWith(screen, input) => {
                self.open(screen);
                self.with_top(|screen, context| screen.input(input, context));
            }
            Flow::Replace(screen) => {
                self.layers.retain(|(layer, _)| *layer != id);
                self.open(screen);
            }
            Flow::Close => self.layers.retain(|(layer, _)| *layer != id),
            Flow::CloseAndDo(action) => {
                self.layers.retain(|(layer, _)| *layer != id);
                self.act(action);
            }
        }
    }

    fn open(&mut self, mut screen: Box<dyn Screen>) {
        self.opened += 1;
        self.context.outbox.layer = self.opened;
        screen.opened(&mut self.context);
        self.layers.push((self.opened, screen));
    }

    /// Turns what the update left behind into effects.
    fn settle(&mut self) -> Vec<Effect> {
        let wrote = std::mem::take(&mut self.context.outbox.changed);
        self.catalog.queued.extend(wrote);
        self.catalog.rescan |= std::mem::take(&mut self.context.outbox.rescan);
        if let Some(path) = self.context.outbox.show.take() {
            self.with_base(|base, context| base.show(path, context));
        }
        self.refresh();
        std::mem::take(&mut self.context.outbox.effects)
    }

    /// Starts the next reading of the catalogue, if one is due and none runs.
    fn refresh(&mut self) {
        if self.catalog.running.is_some() {
            return;
        }
        self.context.outbox.layer = APP;
        if std::mem::take(&mut self.catalog.rescan) {
            self.catalog.running = Some(self.context.ask(Request::LoadCatalog));
        } else if !self.catalog.queued.is_empty() {
            let mut paths = std::mem::take(&mut self.catalog.queued);
            paths.sort();
            paths.dedup();
            self.catalog.patching.clone_from(&paths);
            let snapshot = Arc::clone(&self.context.snapshot);
            self.catalog.running = Some(self.context.ask(Request::PatchCatalog(snapshot, paths)));
        }
    }
}
