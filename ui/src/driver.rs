//! The main loop: the only place with a terminal, a clock, an environment and threads.
//!
//! Waits for events, takes all that are pending, draws at most once per frame budget, and runs effects on worker
//! threads; when nothing happens, nothing is drawn. Called by the binary.

use crate::app::App;
use crate::context::Setting;
use crate::effect::{Answer, Effect, Request, Ticket, Tools};
use crate::event::Event;
use crate::terminal::{self, Pictures, Session};
use crate::theme::{Theme, ThemeError};
use crossterm::clipboard::CopyToClipboard;
use crossterm::event::EventStream;
use crossterm::terminal::{BeginSynchronizedUpdate, EndSynchronizedUpdate};
use crossterm::{execute, queue};
use futures_util::StreamExt;
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::layout::Size;
use reme_core::distill::Distiller;
use reme_core::store::Store;
use reme_core::watch::Watcher;
use reme_core::workspace::{RelPath, Workspace};
use std::collections::HashMap;
use std::io::{self, BufWriter, Stdout};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::runtime::Runtime;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::{Instant, sleep_until};

/// The least time between two frames.
const FRAME: Duration = Duration::from_millis(16);
/// How long a frame waits for the answers that belong to it, so that a pane is not drawn empty, then full.
const GRACE: Duration = Duration::from_millis(4);
/// How long pending events may put off a frame.
const OVERDUE: Duration = Duration::from_millis(50);
/// How often something that moves is drawn.
const MOVING: Duration = Duration::from_millis(100);
/// How often the day is looked at when nothing happens.
const IDLE: Duration = Duration::from_secs(20);
/// How long leaving waits for writes that are under way.
const FAREWELL: Duration = Duration::from_secs(3);

/// What the interface is started with.
pub struct RunOptions {
    /// Reads and writes the workspace.
    pub store: Store,
    /// Turns conversations into drafts.
    pub distiller: Arc<dyn Distiller>,
    /// A conversation file that waits to be memorized.
    pub waiting: Option<PathBuf>,
    /// A theme file that is laid over the built-in theme.
    pub theme: Option<PathBuf>,
}

/// What came of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// The cards that were accepted, in order.
    pub accepted: Vec<RelPath>,
}

/// Why the interface could not run; the terminal is as it was.
#[derive(Debug, thiserror::Error)]
pub enum UiError {
    /// The terminal refused.
    #[error("cannot use the terminal: {0}. Run reme in an interactive terminal, or use its subcommands")]
    Terminal(#[from] io::Error),
    /// The theme file cannot be used.
    #[error(transparent)]
    Theme(#[from] ThemeError),
}

/// Runs the interface until the person leaves.
pub fn run(options: RunOptions) -> Result<Outcome, UiError> {
    let workspace = options.store.workspace().clone();
    let setting = Setting {
        workspace: workspace.root().display().to_string(),
        zone: workspace.zone(),
        now: workspace.now(),
        today: workspace.today(),
        size: crossterm::terminal::size()?.into(),
        theme: Arc::default(),
        pictures: Pictures::default(),
        waiting: options.waiting,
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let (sender, answers) = unbounded_channel();
    let mut workers = Workers::new(Tools::new(options.store, options.distiller), &runtime, sender);
    // The workspace is read while the terminal is asked what it can.
    let (mut app, effects) = App::start(setting);
    workers.begin(effects);
    let watcher = workers.watch();
    let ended = Session::enter(&|name| std::env::var(name).ok()).map_err(UiError::from).and_then(|session| {
        let theme = match &options.theme {
            Some(file) => Theme::from_file(file, session.ground, session.colours)?,
            None => Theme::builtin(session.ground, session.colours),
        };
        app.dress(theme, session.pictures);
        runtime
            .block_on(Loop::new(session, app, workspace)?.run(&mut workers, answers))
            .map_err(UiError::from)
    });
    workers.cancel_all();
    drop(watcher);
    runtime.shutdown_timeout(FAREWELL);
    Ok(Outcome { accepted: ended?.context().accepted.clone() })
}

/// The loop's own state.
struct Loop {
    session: Session,
    terminal: Terminal<CrosstermBackend<BufWriter<Stdout>>>,
    app: App,
    workspace: Workspace,
    /// When the next frame is drawn, if one is worth drawing.
    due: Option<Instant>,
    drawn: Instant,
}

impl Loop {
    fn new(session: Session, app: App, workspace: Workspace) -> io::Result<Loop> {
        let backend = CrosstermBackend::new(BufWriter::with_capacity(1 << 16, io::stdout()));
        let now = Instant::now();
        Ok(Loop {
            terminal: Terminal::new(backend)?,
            session,
            app,
            workspace,
            due: Some(now + GRACE),
            drawn: now.checked_sub(FRAME).unwrap_or(now),
        })
    }

    async fn run(
        mut self,
        workers: &mut Workers<'_>,
        mut answers: UnboundedReceiver<Event>,
    ) -> io::Result<App> {
        let mut keys = EventStream::new();
        for early in std::mem::take(&mut self.session.early) {
            if self.take(Event::from_terminal(early), workers)? {
                return Ok(self.app);
            }
        }
        loop {
            if self.due.is_some_and(|due| due + OVERDUE < Instant::now()) {
                self.draw(workers)?;
            }
            let wake = self.due.unwrap_or_else(|| Instant::now() + self.pause());
            // In this order: all that is pending is taken before a frame is drawn.
            let leave = tokio::select! {
                biased;
                Some(answer) = answers.recv() => self.take(Some(answer), workers)?,
                sent = keys.next() => match sent {
                    Some(sent) => self.pass(sent?, workers)?,
                    None => true,
                },
                () = sleep_until(wake) => match self.due {
                    Some(_) => { self.draw(workers)?; false }
                    None => {
                        let (now, today) = (self.workspace.now(), self.workspace.today());
                        self.take(Some(Event::Tick { now, today }), workers)?
                    }
                },
            };
            if leave {
                return Ok(self.app);
            }
        }
    }

    fn pause(&self) -> Duration {
        if self.app.animates() { MOVING } else { IDLE }
    }

    /// Takes what the terminal sent, as far as a person meant it.
    fn pass(&mut self, sent: crossterm::event::Event, workers: &mut Workers<'_>) -> io::Result<bool> {
        for event in self.session.pass(sent) {
            if self.take(Event::from_terminal(event), workers)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Updates the model and starts what it asks for; returns whether to leave.
    fn take(&mut self, event: Option<Event>, workers: &mut Workers<'_>) -> io::Result<bool> {
        let Some(event) = event else { return Ok(false) };
        let mut leave = false;
        let mut effects = self.app.update(event);
        for effect in &effects {
            match effect {
                Effect::Quit => leave = true,
                Effect::Copy(text) => execute!(io::stdout(), CopyToClipboard::to_clipboard_from(text))?,
                Effect::Ask(..) | Effect::Cancel(_) => {}
            }
        }
        effects.retain(|effect| matches!(effect, Effect::Ask(..) | Effect::Cancel(_)));
        workers.begin(effects);
        if self.app.take_dirty() && self.due.is_none() {
            self.due = Some((self.drawn + FRAME).max(Instant::now() + GRACE));
        }
        Ok(leave)
    }

    fn draw(&mut self, workers: &mut Workers<'_>) -> io::Result<()> {
        // A terminal that changes its size while it is taken over tells nobody.
        let size: Size = crossterm::terminal::size()?.into();
        if size != self.app.context().setting.size {
            self.take(Some(Event::Resize(size.width, size.height)), workers)?;
        }
        self.due = None;
        queue!(self.terminal.backend_mut(), BeginSynchronizedUpdate)?;
        let app = &self.app;
        self.terminal.draw(|frame| app.view(frame))?;
        execute!(self.terminal.backend_mut(), EndSynchronizedUpdate)?;
        self.drawn = Instant::now();
        self.session.shown();
        Ok(())
    }
}

/// Runs effects away from the loop.
struct Workers<'a> {
    tools: Tools,
    runtime: &'a Runtime,
    sender: UnboundedSender<Event>,
    running: HashMap<Ticket, Arc<AtomicBool>>,
}

impl<'a> Workers<'a> {
    fn new(tools: Tools, runtime: &'a Runtime, sender: UnboundedSender<Event>) -> Workers<'a> {
        Workers { tools, runtime, sender, running: HashMap::new() }
    }

    fn begin(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            match effect {
                Effect::Ask(ticket, request) => self.ask(ticket, request),
                Effect::Cancel(ticket) => self.cancel(ticket),
                Effect::Copy(_) | Effect::Quit => {}
            }
        }
    }

    fn ask(&mut self, ticket: Ticket, request: Request) {
        self.running.retain(|_, cancelled| Arc::strong_count(cancelled) > 1);
        let cancelled = Arc::new(AtomicBool::new(false));
        self.running.insert(ticket, Arc::clone(&cancelled));
        let (tools, sender) = (self.tools.clone(), self.sender.clone());
        self.runtime.spawn_blocking(move || {
            let answer = |answer| {
                // A closed channel means that the person has left; nobody waits for this answer.
                let _ = sender.send(Event::Loaded(ticket, answer));
            };
            if terminal::caught(|| tools.perform(request, &cancelled, &answer)).is_none() {
                let said = "reme met a bug while doing this; nothing else is affected. The log says more";
                answer(Answer::Failed(said.to_owned()));
            }
        });
    }

    fn cancel(&self, ticket: Ticket) {
        if let Some(cancelled) = self.running.get(&ticket) {
            cancelled.store(true, Ordering::Relaxed);
        }
    }

    fn cancel_all(&self) {
        for cancelled in self.running.values() {
            cancelled.store(true, Ordering::Relaxed);
        }
    }

    /// Starts the watcher, which can take a while on a large workspace; it runs until the handle is dropped.
    fn watch(&self) -> tokio::task::JoinHandle<Option<Watcher>> {
        let (store, sender) = (self.tools.store.clone(), self.sender.clone());
        self.runtime.spawn_blocking(move || {
            let report = move |notice| {
                let _ = sender.send(Event::Notice(notice));
            };
            terminal::caught(|| Watcher::start(&store, Box::new(report)))
        })
    }
}
