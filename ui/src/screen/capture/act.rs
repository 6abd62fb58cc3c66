//! What keys and clicks do to a capture: they move the focus, change a field or the text, or press the button.

use super::source::Source;
use super::{Capture, Focus, ORDER, Recognised, view};
use crate::context::{Context, Tone};
use crate::screen::Flow;
use crate::widget::ask;
use crossterm::event::{KeyCode, KeyEvent};
use ratatui::layout::{Position, Rect};
use std::path::PathBuf;

impl Capture {
    pub(super) fn step(&mut self, back: bool) {
        let at = ORDER.iter().position(|focus| *focus == self.focus).unwrap_or(0);
        let next = if back { at + ORDER.len() - 1 } else { at + 1 } % ORDER.len();
        self.focus = ORDER.get(next).copied().unwrap_or_default();
    }

    pub(super) fn key(&mut self, key: KeyEvent, context: &mut Context) -> Flow {
        if self.leaving {
            if let Some(leave) = ask::answer(&key) {
                self.leaving = false;
                return if leave { Flow::Close } else { Flow::Done };
            }
            return Flow::Done;
        }
        match (self.focus, key.code) {
            (Focus::Text, _) => self.text_key(key, context),
            (Focus::Path, KeyCode::Enter) => self.open_typed(context),
            (Focus::Memorize, KeyCode::Enter | KeyCode::Char(' ')) => return self.press(context),
            (Focus::Memorize, KeyCode::Left) => self.choose(self.chosen.wrapping_sub(1), context),
            (Focus::Memorize, KeyCode::Right) => self.choose(self.chosen + 1, context),
            (Focus::Session | Focus::Day, KeyCode::Enter | KeyCode::Down) => self.step(false),
            (Focus::Path | Focus::Memorize, KeyCode::Down) => self.step(false),
            (Focus::Path | Focus::Session | Focus::Day | Focus::Memorize, KeyCode::Up) => self.step(true),
            (Focus::Path, _) => {
                self.path.key(&key);
                self.trouble = None;
            }
            (Focus::Session, _) => self.own_session |= self.session.key(&key),
            (Focus::Day, _) => self.own_day |= self.day.key(&key),
            (Focus::Memorize, _) => return Flow::Ignored,
        }
        Flow::Done
    }

    fn text_key(&mut self, key: KeyEvent, context: &mut Context) {
        match &mut self.source {
            Source::Typed(editor) => {
                if editor.key(key) {
                    self.recognise(context);
                }
            }
            Source::Aside(aside) => {
                let lines = aside.preview.len();
                let page = 10;
                match key.code {
                    KeyCode::Up => self.scroll.by(-1, lines, 1),
                    KeyCode::Down => self.scroll.by(1, lines, 1),
                    KeyCode::PageUp => self.scroll.by(-page, lines, 1),
                    KeyCode::PageDown => self.scroll.by(page, lines, 1),
                    KeyCode::Home => self.scroll.by(isize::MIN, lines, 1),
                    KeyCode::End => self.scroll.by(isize::MAX, lines, 1),
                    KeyCode::Backspace | KeyCode::Delete => {
                        self.source = Source::default();
                        self.recognise(context);
                    }
                    _ => context
                        .say(Tone::Info, "This text is shown, not edited; Backspace empties the editor"),
                }
            }
        }
    }

    fn open_typed(&mut self, context: &mut Context) {
        let given = self.path.text().trim();
        if given.is_empty() {
            self.trouble = Some("write the path of a file".into());
        } else {
            self.open(PathBuf::from(given), context);
        }
    }

    fn press(&mut self, context: &mut Context) -> Flow {
        match self.refusal(context) {
            Some(why) => {
                context.say(Tone::Info, why);
                Flow::Done
            }
            None => self.memorize(context),
        }
    }

    fn choose(&mut self, which: usize, context: &Context) {
        let Recognised::Found(reading) = &self.recognised else { return };
        if which < reading.sessions.len() {
            self.chosen = which;
            self.own_session = false;
            self.own_day = false;
            self.propose(context);
        }
    }

    pub(super) fn click(&mut self, position: Position, context: &mut Context) -> Flow {
        let places = view::Places::of(context.body());
        let hit = |area: Rect| area.contains(position);
        if hit(places.button) {
            self.focus = Focus::Memorize;
            return self.press(context);
        }
        let fields = [
            (places.text, Focus::Text),
            (places.path, Focus::Path),
            (places.session, Focus::Session),
            (places.day, Focus::Day),
        ];
        if let Some((_, focus)) = fields.into_iter().find(|(area, _)| hit(*area)) {
            self.focus = focus;
        }
        Flow::Done
    }
}
