//! Capture: paste or open a conversation, see what was recognised, memorize it.
//!
//! Owns the captured text until it is memorized and what a person chose for session and day. Reading files,
//! recognising and distilling are effects; the newest answer wins. Opened by `browse`; opens `review`.

use super::message::Message;
use super::review::Review;
use super::{Flow, Screen};
use crate::action::{Action, Scope};
use crate::context::{Context, Tone, Waiting};
use crate::effect::{Answer, Request, Ticket};
use crate::event::Input as Event;
use crate::widget::input::Input;
use crate::widget::scroll::Scroll;
use chrono::NaiveDate;
use crossterm::event::{MouseButton, MouseEventKind};
use ratatui::Frame;
use ratatui::layout::Rect;
use reme_core::import::{Conversation, ImportError, Reading, report};
use reme_core::memorize::{MemorizeError, Outcome, Submission};
use reme_core::workspace::path::check_component;
use source::Source;
use std::path::{Path, PathBuf};

mod act;
mod inspect;
mod source;
mod view;

/// Where the keys go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Focus {
    #[default]
    Text,
    Path,
    Session,
    Day,
    Memorize,
}

const ORDER: [Focus; 5] = [Focus::Text, Focus::Path, Focus::Session, Focus::Day, Focus::Memorize];

/// What is known about the text.
#[derive(Debug, Default)]
enum Recognised {
    /// Nothing was asked.
    #[default]
    Nothing,
    /// What was found.
    Found(Reading),
    /// Why nothing was found.
    Failed(ImportError),
}

/// A memory in the making.
#[derive(Debug)]
struct Job {
    waiting: Waiting,
    doing: String,
    done: usize,
    total: usize,
}

/// The state of the capture screen.
#[derive(Debug, Default)]
pub struct Capture {
    source: Source,
    scroll: Scroll,
    path: Input,
    session: Input,
    day: Input,
    /// Whether a person typed the session id and the day, so that proposals stay away.
    own_session: bool,
    own_day: bool,
    focus: Focus,
    recognised: Recognised,
    recognising: Waiting,
    /// The text changed while it was being recognised.
    again: bool,
    opening: Waiting,
    opened: PathBuf,
    /// Why the last path could not be opened.
    trouble: Option<String>,
    /// Which of several conversations.
    chosen: usize,
    job: Option<Job>,
    leaving: bool,
    /// A file that is to be opened, and memorized at once when it holds one conversation.
    waiting: Option<PathBuf>,
    at_once: bool,
}

impl Capture {
    /// An empty editor.
    pub fn empty() -> Capture {
        Capture::default()
    }

    /// Opens this file, and memorizes what it holds at once when it is one conversation.
    pub fn of_file(file: PathBuf) -> Capture {
        Capture {
            path: Input::new(file.to_string_lossy()),
            waiting: Some(file),
            at_once: true,
            ..Capture::default()
        }
    }

    fn open(&mut self, path: PathBuf, context: &mut Context) {
        self.trouble = None;
        self.opening = Waiting::on(context.ask(Request::ReadPath(path.clone())));
        self.opened = path;
    }

    /// Asks what the text is; while an answer is outstanding, only remembers that it is to be asked again.
    fn recognise(&mut self, context: &mut Context) {
        if self.recognising.ticket().is_some() {
            self.again = true;
            return;
        }
        self.again = false;
        if self.source.is_empty() {
            self.recognised = Recognised::Nothing;
            self.propose(context);
            return;
        }
        let name = self.source.name().map(ToOwned::to_owned);
        self.recognising = Waiting::on(context.ask(Request::Recognise(self.source.bytes(), name)));
    }

    fn recognised(&mut self, result: Result<Reading, ImportError>, context: &mut Context) -> Flow {
        if self.again {
            self.recognise(context);
            return Flow::Done;
        }
        self.recognised = match result {
            Ok(reading) => Recognised::Found(reading),
            Err(error) => Recognised::Failed(error),
        };
        self.chosen = 0;
        self.propose(context);
        let one = matches!(&self.recognised, Recognised::Found(reading) if reading.sessions.len() == 1);
        if std::mem::take(&mut self.at_once) && one && self.refusal(context).is_none() {
            return self.memorize(context);
        }
        Flow::Done
    }

    /// The conversation that would be memorized.
    fn conversation(&self) -> Option<(&Reading, &Conversation)> {
        let Recognised::Found(reading) = &self.recognised else { return None };
        Some((reading, reading.sessions.get(self.chosen)?))
    }

    /// Fills in session and day, where a person has not.
    fn propose(&mut self, context: &Context) {
        let zone = context.setting.zone;
        let proposed = self.conversation().map(|(reading, conversation)| {
            let day = inspect::day(conversation, zone, context.setting.today).to_string();
            (report::propose_session_id(reading.format, conversation), day)
        });
        let (session, day) = proposed.unwrap_or_default();
        if !self.own_session {
            self.session = Input::new(session);
        }
        if !self.own_day {
            self.day = Input::new(day);
        }
    }

    /// What is wrong with the session id.
    fn session_fault(&self) -> Option<String> {
        if self.session.text().is_empty() && !self.own_session {
            return None;
        }
        check_component("session id", self.session.text()).err().map(|error| error.why)
    }

    /// The day that a person or the conversation gives; an empty field means the conversation's.
    fn chosen_day(&self) -> Result<Option<NaiveDate>, String> {
        let given = self.day.text().trim();
        if given.is_empty() {
            return Ok(None);
        }
        let day = NaiveDate::parse_from_str(given, "%Y-%m-%d").ok();
        let day = day.filter(|day| day.to_string() == given);
        day.map(Some).ok_or_else(|| "write the day as YYYY-MM-DD".to_owned())
    }

    /// Why it cannot be memorized at the moment.
    fn refusal(&self, _context: &Context) -> Option<&'static str> {
        match &self.recognised {
            _ if self.job.is_some() => Some("It is being memorized; Esc cancels"),
            Recognised::Nothing if self.recognising.ticket().is_some() => Some("Still reading; one moment"),
            Recognised::Nothing => Some("Nothing to memorize yet: paste a conversation, or open a file"),
            Recognised::Failed(_) => Some("No conversation was recognised; see what is said about it"),
            Recognised::Found(_) if self.conversation().is_none() => Some("There is no conversation in it"),
            Recognised::Found(_) if self.session_fault().is_some() || self.session.text().is_empty() => {
                Some("The session id cannot be used; change it first")
            }
            Recognised::Found(_) if self.chosen_day().is_err() => {
                Some("The day is not YYYY-MM-DD; change it first")
            }
            Recognised::Found(_) if self.recognising.ticket().is_some() => Some("Still reading; one moment"),
            Recognised::Found(_) => None,
        }
    }

    fn memorize(&mut self, context: &mut Context) -> Flow {
        let Some((_, conversation)) = self.conversation() else { return Flow::Done };
        let submission = Submission {
            session_id: self.session.text().to_owned(),
            messages: conversation.messages.clone(),
            date: self.chosen_day().ok().flatten().filter(|_| self.own_day),
            ..Submission::default()
        };
        let total = submission.messages.len();
        let waiting = Waiting::on(context.ask(Request::Memorize(submission)));
        self.job = Some(Job { waiting, doing: "Saving the dialog record".into(), done: 0, total });
        Flow::Done
    }

    fn proposed(&mut self, result: Result<Option<Outcome>, MemorizeError>, context: &mut Context) -> Flow {
        self.job = None;
        if matches!(result, Ok(None | Some(Outcome::Skipped { .. }))) {
            self.decided(context);
        }
        let (tone, title, text) = match result {
            Ok(Some(Outcome::Proposed(proposal))) => {
                let back = std::mem::take(self);
                return Flow::Replace(Box::new(Review::new(*proposal, Some(back))));
            }
            Ok(Some(Outcome::Skipped { reason })) => (
                Tone::Info,
                "No card",
                format!("Skipped: {reason}. The dialog record is saved; nothing else was written."),
            ),
            Ok(None) => (
                Tone::Info,
                "Nothing new",
                format!(
                    "Every message of session {} was memorized before. Nothing was written; choose another session id to make a card of its own.",
                    self.session.text()
                ),
            ),
            Err(error) => (Tone::Bad, "No card was made", error.to_string()),
        };
        context.status = None;
        Flow::Open(Box::new(Message::new(tone, title, text)))
    }

    /// A memory of this text was decided: if it is the file that waits, it waits no longer.
    pub(super) fn decided(&self, context: &mut Context) {
        let is_file = matches!(self.source, Source::Aside(_));
        if is_file && context.setting.waiting.as_ref() == Some(&self.opened) {
            context.setting.waiting = None;
        }
    }

    fn cancel_job(&mut self, context: &mut Context) {
        if let Some(ticket) = self.job.take().and_then(|job| job.waiting.ticket()) {
            context.cancel(ticket);
            context.say(Tone::Info, "Cancelled; no card was made. A dialog record that was saved stays");
        }
    }

    fn close(&mut self, context: &mut Context) -> Flow {
        if self.job.is_some() {
            self.cancel_job(context);
            Flow::Done
        } else if self.leaving {
            self.leaving = false;
            Flow::Done
        } else if self.source.is_unsaved() {
            self.leaving = true;
            Flow::Done
        } else {
            Flow::Close
        }
    }
}

impl Screen for Capture {
    fn scope(&self) -> Scope {
        if self.leaving { Scope::Question } else { Scope::Capture }
    }

    fn typing(&self) -> bool {
        self.leaving || (self.job.is_none() && self.focus != Focus::Memorize)
    }

    fn covers(&self) -> bool {
        true
    }

    fn animates(&self) -> bool {
        self.job.is_some() || self.opening.ticket().is_some()
    }

    fn refuses(&self, action: Action, context: &Context) -> Option<&'static str> {
        match action {
            Action::Memorize => self.refusal(context),
            Action::Help if self.typing() => Some("A question mark is text here; Tab to the button first"),
            _ => None,
        }
    }

    fn opened(&mut self, context: &mut Context) {
        if let Some(file) = self.waiting.take() {
            self.open(file, context);
        }
    }

    fn act(&mut self, action: Action, context: &mut Context) -> Flow {
        if action == Action::Close {
            return self.close(context);
        }
        if self.job.is_some() || self.leaving {
            return Flow::Done;
        }
        match action {
            Action::NextPane => self.step(false),
            Action::PrevPane => self.step(true),
            Action::OpenFile => self.focus = Focus::Path,
            Action::EditSession => self.focus = Focus::Session,
            Action::Memorize => return self.memorize(context),
            _ => return Flow::Ignored,
        }
        Flow::Done
    }

    fn input(&mut self, input: Event, context: &mut Context) -> Flow {
        if self.job.is_some() {
            return Flow::Done;
        }
        match input {
            Event::Key(key) => return self.key(key, context),
            Event::Paste(pasted) => match self.focus {
                _ if self.leaving => {}
                Focus::Path => {
                    self.path.paste(&pasted);
                }
                Focus::Session => self.own_session |= self.session.paste(&pasted),
                Focus::Day => self.own_day |= self.day.paste(&pasted),
                Focus::Text | Focus::Memorize => {
                    self.source.paste(pasted);
                    self.scroll = Scroll::default();
                    self.recognise(context);
                }
            },
            Event::Mouse(mouse) => match (mouse.kind, &self.source) {
                (MouseEventKind::Down(MouseButton::Left), _) if !self.leaving => {
                    return self.click((mouse.column, mouse.row).into(), context);
                }
                (MouseEventKind::ScrollUp, Source::Aside(aside)) => {
                    self.scroll.by(-3, aside.preview.len(), 1)
                }
                (MouseEventKind::ScrollDown, Source::Aside(aside)) => {
                    self.scroll.by(3, aside.preview.len(), 1)
                }
                _ => {}
            },
        }
        Flow::Done
    }

    fn answer(&mut self, ticket: Ticket, answer: Answer, context: &mut Context) -> Flow {
        let job = self.job.as_mut().filter(|job| job.waiting.is(ticket));
        match (answer, job) {
            (Answer::Bytes(result), _) if self.opening.take(ticket) => match result {
                Ok(bytes) => {
                    self.source = Source::of_file(Path::new(&self.opened), bytes);
                    self.scroll = Scroll::default();
                    self.recognise(context);
                }
                Err(error) => {
                    self.at_once = false;
                    self.focus = Focus::Path;
                    self.trouble = Some(error);
                }
            },
            (Answer::Recognised(result), _) if self.recognising.take(ticket) => {
                return self.recognised(result, context);
            }
            (Answer::Recorded(recorded), Some(job)) => {
                job.doing = "Looking for what is new".into();
                context.wrote(&[recorded.record]);
            }
            (Answer::Progress { doing, done, total }, Some(job)) => {
                *job = Job { waiting: job.waiting, doing, done, total };
            }
            (Answer::Proposed(result), Some(_)) => return self.proposed(result, context),
            (Answer::Failed(said), Some(_)) => {
                self.job = None;
                return Flow::Open(Box::new(Message::new(Tone::Bad, "No card was made", said)));
            }
            (Answer::Failed(said), None) if self.opening.take(ticket) => self.trouble = Some(said),
            (Answer::Failed(message), None) if self.recognising.take(ticket) => {
                return self
                    .recognised(Err(ImportError { code: "failed", format: "unknown", message }), context);
            }
            _ => {}
        }
        Flow::Done
    }

    fn view(&self, context: &Context, frame: &mut Frame<'_>, area: Rect) {
        view::draw(self, context, frame, area);
    }
}
