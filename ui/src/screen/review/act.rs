//! What keys and clicks do to a review.
//!
//! Changes the state alone; whatever has to be planned or written goes through `Review::revise`, `accept` and
//! the question before rejecting. Called by the screen.

use super::{Focus, Mode, ORDER, Review, name_fault, view};
use crate::action::Action;
use crate::context::{Context, Tone, Waiting};
use crate::effect::Request;
use crate::screen::Flow;
use crate::screen::message::Message;
use crate::widget::ask;
use crate::widget::chips::Chip;
use crate::widget::editor::Editor;
use crate::widget::input::Input;
use crossterm::event::KeyEvent;
use ratatui::layout::{Position, Rect};
use reme_core::card::Card;
use std::sync::Arc;

impl Review {
    pub(super) fn step(&mut self, back: bool) {
        let usable = |focus: &Focus| *focus != Focus::Links || !self.proposal.links.is_empty();
        let order: Vec<Focus> = ORDER.into_iter().filter(usable).collect();
        let at = order.iter().position(|focus| *focus == self.focus).unwrap_or(0);
        let next = if back { at + order.len() - 1 } else { at + 1 } % order.len();
        self.focus = order.get(next).copied().unwrap_or_default();
    }

    /// Does what Enter does where the focus is.
    pub(super) fn press(&mut self, context: &mut Context) -> Flow {
        match self.focus {
            Focus::Text => {}
            Focus::Name => self.mode = Mode::Name(Input::new(self.choices.name.clone())),
            Focus::Tags => match self.chips.get_mut(self.chip) {
                Some(chip) => {
                    chip.on = !chip.on;
                    self.tags_changed(context);
                }
                None => self.mode = Mode::Tag(Input::default()),
            },
            Focus::Links => return self.list_links(),
            Focus::Accept => return self.accept(context),
            Focus::Reject => self.mode = Mode::Rejecting,
        }
        Flow::Done
    }

    pub(super) fn list_links(&self) -> Flow {
        let lines: Vec<String> = self
            .proposal
            .links
            .iter()
            .map(|edit| format!("{}:{}\n- {}\n+ {}", edit.path, edit.line, edit.before, edit.after))
            .collect();
        Flow::Open(Box::new(Message::new(
            Tone::Info,
            "Links that the rename touches",
            lines.join(
                "

",
            ),
        )))
    }

    /// Takes what was typed.
    pub(super) fn take(&mut self, context: &mut Context) -> Flow {
        match std::mem::take(&mut self.mode) {
            Mode::Name(input) => {
                let name = input.text().trim().to_owned();
                if let Some(fault) = name_fault(&name) {
                    context.say(Tone::Bad, format!("The name cannot be used: {fault}"));
                    self.mode = Mode::Name(input);
                } else if name != self.choices.name {
                    self.choices.name = name;
                    self.revise(context);
                }
            }
            Mode::Tag(input) => {
                let tag = input.text().trim().to_owned();
                if !tag.is_empty() {
                    match self.chips.iter_mut().find(|chip| chip.label == tag) {
                        Some(chip) => chip.on = true,
                        None => self.chips.push(Chip { label: tag, on: true }),
                    }
                    self.tags_changed(context);
                }
            }
            Mode::Body(editor) => {
                let body = editor.text();
                if body.trim() != self.body().trim() {
                    self.choices.body = Some(body);
                    self.revise(context);
                }
            }
            mode => self.mode = mode,
        }
        Flow::Done
    }

    /// The body as it is proposed now.
    pub(super) fn body(&self) -> String {
        let card = Card::parse(self.proposal.text.clone());
        self.choices.body.clone().unwrap_or_else(|| card.body().trim().to_owned())
    }

    pub(super) fn leave(&mut self) -> Flow {
        match self.back.take() {
            Some(capture) => Flow::Replace(capture),
            None => Flow::Close,
        }
    }

    pub(super) fn key(&mut self, key: KeyEvent, context: &mut Context) -> Flow {
        match &mut self.mode {
            Mode::Name(input) | Mode::Tag(input) => {
                input.key(&key);
            }
            Mode::Body(editor) => {
                editor.key(key);
            }
            Mode::Leaving | Mode::Rejecting => {
                let Some(yes) = ask::answer(&key) else { return Flow::Done };
                let rejecting = matches!(std::mem::take(&mut self.mode), Mode::Rejecting);
                match (yes, rejecting) {
                    (true, true) => {
                        self.deciding = Waiting::on(context.ask(Request::Reject(Arc::clone(&self.proposal))));
                    }
                    (true, false) => return self.leave(),
                    (false, _) => {}
                }
            }
            Mode::Looking => return Flow::Ignored,
        }
        Flow::Done
    }

    pub(super) fn look(&mut self, action: Action, context: &mut Context) -> Flow {
        let page = isize::try_from(self.height(context)).unwrap_or(isize::MAX);
        match action {
            Action::Close => self.mode = Mode::Leaving,
            Action::NextPane => self.step(false),
            Action::PrevPane => self.step(true),
            Action::Enter => return self.press(context),
            Action::Accept => return self.accept(context),
            Action::Reject => self.mode = Mode::Rejecting,
            Action::EditName => {
                self.focus = Focus::Name;
                return self.press(context);
            }
            Action::EditTags => {
                self.focus = Focus::Tags;
                self.chip = self.chips.len();
                return self.press(context);
            }
            Action::EditBody => {
                self.focus = Focus::Text;
                self.mode = Mode::Body(Box::new(Editor::new(&self.body())));
            }
            Action::ToggleRetarget => {
                self.choices.retarget = !self.choices.retarget;
                self.revise(context);
            }
            Action::Left if self.focus == Focus::Tags => self.chip = self.chip.saturating_sub(1),
            Action::Right if self.focus == Focus::Tags => self.chip = (self.chip + 1).min(self.chips.len()),
            Action::PageDown if self.focus == Focus::Tags => return self.press(context),
            Action::Left | Action::Right if self.focus == Focus::Accept => self.focus = Focus::Reject,
            Action::Left | Action::Right if self.focus == Focus::Reject => self.focus = Focus::Accept,
            Action::Up if self.focus != Focus::Text => self.step(true),
            Action::Down if self.focus != Focus::Text => self.step(false),
            Action::Up => self.move_cursor(-1, context),
            Action::Down => self.move_cursor(1, context),
            Action::HalfUp => self.move_cursor(-page / 2, context),
            Action::HalfDown => self.move_cursor(page / 2, context),
            Action::PageUp => self.move_cursor(-page, context),
            Action::PageDown => self.move_cursor(page, context),
            Action::Top => self.move_cursor(isize::MIN, context),
            Action::Bottom => self.move_cursor(isize::MAX, context),
            _ => return Flow::Ignored,
        }
        Flow::Done
    }

    pub(super) fn click(&mut self, position: Position, context: &mut Context) -> Flow {
        let places = view::Places::of(context.body(), self);
        let hit = |area: Rect| area.contains(position);
        if hit(places.accept) {
            self.focus = Focus::Accept;
            return self.press(context);
        }
        if hit(places.reject) {
            self.focus = Focus::Reject;
            return self.press(context);
        }
        if hit(places.sheet) {
            self.focus = Focus::Text;
            let line = self.scroll.top() + usize::from(position.y.saturating_sub(places.sheet.y));
            if let Some(row) = self.sheet.rows.get(line) {
                self.cursor = *row;
            }
        } else if hit(places.name) {
            self.focus = Focus::Name;
        } else if hit(places.tags) {
            self.focus = Focus::Tags;
        }
        Flow::Done
    }
}
