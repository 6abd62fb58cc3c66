//! Review: a proposal, what it changes, and a person's decision.
//!
//! Owns the choices that a person makes about a proposal; each change of them is planned again by the engine, and
//! what is accepted is exactly the proposal on screen. Writes nothing itself. Opened by `capture`.

use super::capture::Capture;
use super::message::Message;
use super::{Flow, Screen};
use crate::action::{Action, Scope};
use crate::context::{Context, Tone, Waiting};
use crate::effect::{Answer, Request, Ticket};
use crate::event::Input as Event;
use crate::widget::chips::Chip;
use crate::widget::editor::Editor;
use crate::widget::input::Input;
use crate::widget::scroll::Scroll;
use crossterm::event::{MouseButton, MouseEventKind};
use diff::{Row, Sheet};
use ratatui::Frame;
use ratatui::layout::Rect;
use reme_core::memorize::{Choices, MemorizeError, Proposal};
use reme_core::store::{Receipt, StoreError};
use reme_core::workspace::path::check_component;
use std::sync::Arc;

mod act;
mod diff;
mod evidence;
mod view;

/// Where the keys go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Focus {
    #[default]
    Text,
    Name,
    Tags,
    Links,
    Accept,
    Reject,
}

const ORDER: [Focus; 6] = [Focus::Text, Focus::Name, Focus::Tags, Focus::Links, Focus::Accept, Focus::Reject];

/// What is being done.
#[derive(Debug, Default)]
enum Mode {
    #[default]
    Looking,
    /// The name is typed.
    Name(Input),
    /// A tag is typed.
    Tag(Input),
    /// The body is edited.
    Body(Box<Editor>),
    /// Asked whether to leave.
    Leaving,
    /// Asked whether to reject.
    Rejecting,
}

/// The state of the review screen.
#[derive(Debug)]
pub struct Review {
    /// What is on screen, and what accepting writes.
    proposal: Arc<Proposal>,
    /// What a person wants; ahead of the proposal while it is planned again.
    choices: Choices,
    /// The tags, also those that were taken off.
    chips: Vec<Chip>,
    /// The selected tag; the one past the last adds another.
    chip: usize,
    rows: Vec<Row>,
    sheet: Sheet,
    /// The row under the cursor.
    cursor: usize,
    scroll: Scroll,
    focus: Focus,
    mode: Mode,
    revising: Waiting,
    /// The choices changed while they were being planned.
    again: bool,
    /// Accept as soon as the plan is on screen.
    accept_next: bool,
    deciding: Waiting,
    /// Where Esc goes.
    back: Option<Box<Capture>>,
}

impl Review {
    /// Reviews this proposal; leaving without a decision goes to `back`.
    pub fn new(proposal: Proposal, back: Option<Capture>) -> Review {
        let chips = proposal.choices.tags.iter().map(|tag| Chip { label: tag.clone(), on: true }).collect();
        let mut review = Review {
            choices: proposal.choices.clone(),
            proposal: Arc::new(proposal),
            chips,
            chip: 0,
            rows: Vec::new(),
            sheet: Sheet::default(),
            cursor: 0,
            scroll: Scroll::default(),
            focus: Focus::default(),
            mode: Mode::default(),
            revising: Waiting::default(),
            again: false,
            accept_next: false,
            deciding: Waiting::default(),
            back: back.map(Box::new),
        };
        review.rows = review.compare();
        review
    }

    fn compare(&self) -> Vec<Row> {
        diff::rows(self.proposal.present.as_ref().map(|present| present.text.as_str()), &self.proposal.text)
    }

    fn lay(&mut self, context: &Context) {
        let width = usize::from(view::Places::of(context.body(), self).sheet.width).saturating_sub(1);
        let is_new = self.proposal.present.is_none();
        self.sheet = diff::lay(&self.rows, is_new, width, &context.setting.theme);
        self.cursor = self.cursor.min(self.rows.len().saturating_sub(1));
        self.follow_cursor(context);
    }

    fn height(&self, context: &Context) -> usize {
        usize::from(view::Places::of(context.body(), self).sheet.height)
    }

    fn follow_cursor(&mut self, context: &Context) {
        let (first, end) = self.sheet.lines_of(self.cursor);
        let (lines, height) = (self.sheet.lines.len(), self.height(context));
        self.scroll.show(end.saturating_sub(1), lines, height);
        self.scroll.show(first, lines, height);
    }

    fn move_cursor(&mut self, delta: isize, context: &Context) {
        self.cursor = self.cursor.saturating_add_signed(delta).min(self.rows.len().saturating_sub(1));
        self.follow_cursor(context);
    }

    /// Where the line under the cursor of `before` is now.
    fn same_row(&self, before: &[Row]) -> usize {
        let Some(sought) = before.get(self.cursor) else { return self.cursor };
        let same = self.rows.iter().enumerate().filter(|(_, row)| row.text() == sought.text());
        same.map(|(at, _)| at).min_by_key(|at| at.abs_diff(self.cursor)).unwrap_or(self.cursor)
    }

    /// The cursor to the first changed statement, with the body from its start on screen where it fits.
    fn go_to_statements(&mut self, context: &Context) {
        let mut fences =
            self.rows.iter().enumerate().filter(|(_, row)| row.text() == "---").map(|(at, _)| at);
        let body = fences.nth(1).map_or(0, |at| at + 1);
        let says = |row: &Row| {
            let text = row.text();
            row.kind == diff::Kind::Added && !text.trim().is_empty() && !text.starts_with('#')
        };
        let found = self.rows.iter().enumerate().skip(body).find(|(_, row)| says(row));
        self.cursor = found.map_or(0, |(at, _)| at);
        let (top, _) = self.sheet.lines_of(body);
        let height = self.height(context);
        self.scroll = Scroll::default();
        self.scroll.by(isize::try_from(top).unwrap_or(isize::MAX), self.sheet.lines.len(), height);
        self.follow_cursor(context);
    }

    /// The name of the card on disk.
    fn old_name(&self) -> Option<&str> {
        self.proposal.present.as_ref().map(|present| present.path.stem())
    }

    /// Has the engine plan the choices; one plan runs at a time, and the newest choices win.
    fn revise(&mut self, context: &mut Context) {
        if self.revising.ticket().is_some() {
            self.again = true;
            return;
        }
        self.again = false;
        let request = Request::Revise(Arc::clone(&self.proposal), self.choices.clone());
        self.revising = Waiting::on(context.ask(request));
    }

    fn revised(&mut self, result: Result<Box<Proposal>, MemorizeError>, context: &mut Context) -> Flow {
        let accept = std::mem::take(&mut self.accept_next);
        match result {
            Ok(proposal) => {
                self.proposal = Arc::new(*proposal);
                let before = std::mem::take(&mut self.rows);
                self.rows = self.compare();
                self.cursor = self.same_row(&before);
                self.lay(context);
                if std::mem::take(&mut self.again) {
                    self.accept_next = accept;
                    self.revise(context);
                    return Flow::Done;
                }
                self.choices = self.proposal.choices.clone();
                self.adopt_tags();
                if accept { self.accept(context) } else { Flow::Done }
            }
            Err(error) => {
                self.again = false;
                self.choices = self.proposal.choices.clone();
                self.adopt_tags();
                trouble(
                    "The change was not taken",
                    format!("{error}. The proposal is as it was before the change."),
                )
            }
        }
    }

    /// The chips after the engine had its say: its tags are on, the others stay to be taken again.
    fn adopt_tags(&mut self) {
        for chip in &mut self.chips {
            chip.on = self.choices.tags.contains(&chip.label);
        }
        for tag in &self.choices.tags {
            if !self.chips.iter().any(|chip| chip.label == *tag) {
                self.chips.push(Chip { label: tag.clone(), on: true });
            }
        }
    }

    fn tags_changed(&mut self, context: &mut Context) {
        self.choices.tags = self.chips.iter().filter(|chip| chip.on).map(|chip| chip.label.clone()).collect();
        self.revise(context);
    }

    fn accept(&mut self, context: &mut Context) -> Flow {
        if self.deciding.ticket().is_some() {
            return Flow::Done;
        }
        if self.revising.ticket().is_some() {
            self.accept_next = true;
            context.say(Tone::Info, "Accepting as soon as the last change is planned");
            return Flow::Done;
        }
        self.deciding = Waiting::on(context.ask(Request::Accept(Arc::clone(&self.proposal))));
        Flow::Done
    }

    fn accepted(&mut self, result: Result<Receipt, MemorizeError>, context: &mut Context) -> Flow {
        match result {
            Ok(receipt) => {
                let path = self.proposal.path.clone();
                self.decided(context);
                context.wrote(&receipt.paths);
                context.accepted.push(path.clone());
                context.say(Tone::Good, format!("Written: {path}"));
                context.show(path);
                Flow::Close
            }
            Err(MemorizeError::Store(StoreError::Conflict { path })) => {
                self.revising = Waiting::on(context.ask(Request::Replan(Arc::clone(&self.proposal))));
                trouble(
                    "Changed on disk",
                    format!(
                        "{path} changed after this was proposed. Nothing was written. Behind this message, the \
                         proposal is planned again from the file as it is now, with your choices: look at it, \
                         then accept."
                    ),
                )
            }
            Err(error) => trouble("Nothing was accepted", error.to_string()),
        }
    }

    /// The engine met a bug; the proposal on screen is still the one that would be accepted.
    fn failed(&mut self, ticket: Ticket, said: String) -> Flow {
        if self.revising.take(ticket) {
            self.again = false;
            self.accept_next = false;
            self.choices = self.proposal.choices.clone();
            self.adopt_tags();
        } else if !self.deciding.take(ticket) {
            return Flow::Done;
        }
        trouble("That did not work", said)
    }

    fn decided(&self, context: &mut Context) {
        if let Some(capture) = &self.back {
            capture.decided(context);
        }
    }

    fn rejected(&mut self, result: Result<(), MemorizeError>, context: &mut Context) -> Flow {
        match result {
            Ok(()) => {
                self.decided(context);
                context.say(Tone::Info, "Rejected; no card was written. The dialog record stays");
                Flow::Close
            }
            Err(error) => trouble("Not rejected", error.to_string()),
        }
    }
}

/// What is wrong with a card's name.
fn name_fault(name: &str) -> Option<String> {
    check_component("card name", name).err().map(|error| error.why)
}

fn trouble(title: &str, text: String) -> Flow {
    Flow::Open(Box::new(Message::new(Tone::Bad, title, text)))
}

impl Screen for Review {
    fn scope(&self) -> Scope {
        match self.mode {
            Mode::Name(_) | Mode::Tag(_) => Scope::Editing,
            Mode::Body(_) => Scope::Text,
            Mode::Leaving | Mode::Rejecting => Scope::Question,
            Mode::Looking => Scope::Review,
        }
    }

    fn typing(&self) -> bool {
        !matches!(self.mode, Mode::Looking)
    }

    fn covers(&self) -> bool {
        true
    }

    fn animates(&self) -> bool {
        self.revising.ticket().is_some() || self.deciding.ticket().is_some()
    }

    fn refuses(&self, action: Action, _context: &Context) -> Option<&'static str> {
        let decides = matches!(action, Action::Accept | Action::Reject);
        (decides && self.deciding.ticket().is_some()).then_some("The decision is being carried out")
    }

    fn opened(&mut self, context: &mut Context) {
        self.lay(context);
        self.go_to_statements(context);
    }

    fn act(&mut self, action: Action, context: &mut Context) -> Flow {
        if self.deciding.ticket().is_some() {
            return Flow::Done;
        }
        match (&mut self.mode, action) {
            (Mode::Looking, _) => self.look(action, context),
            (_, Action::Enter) => self.take(context),
            (_, Action::Close) => {
                self.mode = Mode::Looking;
                Flow::Done
            }
            _ => Flow::Ignored,
        }
    }

    fn input(&mut self, input: Event, context: &mut Context) -> Flow {
        if self.deciding.ticket().is_some() {
            return Flow::Done;
        }
        match (input, &mut self.mode) {
            (Event::Key(key), _) => return self.key(key, context),
            (Event::Paste(pasted), Mode::Name(input) | Mode::Tag(input)) => {
                input.paste(&pasted);
            }
            (Event::Paste(pasted), Mode::Body(editor)) => {
                editor.paste(&pasted);
            }
            (Event::Mouse(mouse), Mode::Looking) => match mouse.kind {
                MouseEventKind::Down(MouseButton::Left) => {
                    return self.click((mouse.column, mouse.row).into(), context);
                }
                MouseEventKind::ScrollUp => self.move_cursor(-3, context),
                MouseEventKind::ScrollDown => self.move_cursor(3, context),
                _ => {}
            },
            _ => {}
        }
        Flow::Done
    }

    fn answer(&mut self, ticket: Ticket, answer: Answer, context: &mut Context) -> Flow {
        match answer {
            Answer::Revised(result) if self.revising.take(ticket) => self.revised(result, context),
            Answer::Accepted(result) if self.deciding.take(ticket) => self.accepted(result, context),
            Answer::Rejected(result) if self.deciding.take(ticket) => self.rejected(result, context),
            Answer::Failed(said) => self.failed(ticket, said),
            _ => Flow::Done,
        }
    }

    fn resized(&mut self, context: &mut Context) {
        self.lay(context);
    }

    fn view(&self, context: &Context, frame: &mut Frame<'_>, area: Rect) {
        view::draw(self, context, frame, area);
    }
}
