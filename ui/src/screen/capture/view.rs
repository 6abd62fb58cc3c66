//! How the capture screen looks: the text, the fields, and what was recognised.

use super::source::Source;
use super::{Capture, Focus, Recognised, inspect};
use crate::context::Context;
use crate::pane::panel::{self, Panel};
use crate::text;
use crate::theme::{Role, Theme};
use crate::widget::{ask, progress, scroll};
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Clear, Paragraph};

const HINT: &str = "Paste a conversation here: from a chat, a transcript, a JSON list of messages. \
                    Or press Ctrl-O and give the path of a file.";
/// From this width on, the inspector stands beside the text.
const WIDE: u16 = 100;
/// Rows of the inspector below the text.
const BELOW: u16 = 14;
/// Cells of a field's label.
const LABEL: u16 = 9;
const BUTTON: &str = " Memorize ";

/// Where everything is; drawing and clicking share it.
pub(super) struct Places {
    pub text: Rect,
    pub inspector: Rect,
    pub path: Rect,
    pub session: Rect,
    pub day: Rect,
    pub button: Rect,
    pub facts: Rect,
}

impl Places {
    pub fn of(area: Rect) -> Places {
        let [text, inspector] = if area.width >= WIDE {
            Layout::horizontal([Constraint::Percentage(58), Constraint::Percentage(42)]).areas(area)
        } else {
            Layout::vertical([Constraint::Min(0), Constraint::Length(BELOW.min(area.height * 2 / 3))])
                .areas(area)
        };
        let inner = panel::inner(inspector);
        let [path, session, day, _, button, _, facts] = Layout::vertical([
            Constraint::Length(1),
            Constraint::Length(1),
            Constraint::Length(1),
            Constraint::Length(u16::from(inner.height > 14)),
            Constraint::Length(1),
            Constraint::Length(u16::from(inner.height > 10)),
            Constraint::Min(0),
        ])
        .areas(inner);
        let button = Rect { width: button.width.min(width_of(BUTTON)), ..button };
        Places { text, inspector, path, session, day, button, facts }
    }
}

fn width_of(words: &str) -> u16 {
    u16::try_from(text::width(words)).unwrap_or(u16::MAX)
}

pub(super) fn draw(capture: &Capture, context: &Context, frame: &mut Frame<'_>, area: Rect) {
    let theme = &context.setting.theme;
    let places = Places::of(area);
    frame.render_widget(Clear, area);
    draw_text(capture, theme, frame, places.text);
    let panel = Panel {
        title: Line::styled(" Recognised ", theme.style(Role::Title)),
        note: Line::default(),
        focused: capture.focus != Focus::Text,
    };
    panel.draw(frame, places.inspector, theme);
    draw_fields(capture, context, theme, frame, &places);
    draw_facts(capture, context, theme, frame, places.facts);
    if capture.leaving {
        let question = "Leave, and lose the text that was not memorized?";
        ask::draw(question, "leave", "stay", theme, frame, area);
    }
}

fn draw_text(capture: &Capture, theme: &Theme, frame: &mut Frame<'_>, area: Rect) {
    let focused = capture.focus == Focus::Text;
    let inner = panel::inner(area);
    let room = usize::from(area.width.saturating_sub(6));
    match &capture.source {
        Source::Typed(editor) => {
            let title = Line::styled(" Conversation ", theme.style(Role::Title));
            Panel { title, note: Line::default(), focused }.draw(frame, area, theme);
            editor.draw(HINT, focused && capture.job.is_none(), theme, frame, inner);
        }
        Source::Aside(aside) => {
            let title = format!(" {} ", text::truncate(&aside.what, room));
            let title = Line::styled(title, theme.style(Role::Title));
            let note = Line::styled(" as it is · Backspace empties ", theme.style(Role::Dim));
            Panel { title, note, focused }.draw(frame, area, theme);
            let height = usize::from(inner.height);
            let top = capture.scroll.top().min(aside.preview.len().saturating_sub(height));
            let shown = aside.preview.iter().skip(top).take(height);
            let lines: Vec<Line<'static>> =
                shown.map(|line| text::line(line, theme.style(Role::Text))).collect();
            scroll::draw(&lines, scroll::Scroll::default(), frame, inner);
            panel::scrollbar(frame, area, top, aside.preview.len(), focused, theme);
        }
    }
}

fn draw_fields(capture: &Capture, context: &Context, theme: &Theme, frame: &mut Frame<'_>, places: &Places) {
    let session_fault = capture.session_fault();
    let day_fault = capture.chosen_day().err();
    let known = context.snapshot.sessions.iter().any(|session| session.id == capture.session.text());
    let rows = [
        (places.path, "File", &capture.path, Focus::Path, capture.trouble.clone(), "Enter opens it"),
        (
            places.session,
            "Session",
            &capture.session,
            Focus::Session,
            session_fault,
            if known { "continues it" } else { "" },
        ),
        (places.day, "Day", &capture.day, Focus::Day, day_fault, ""),
    ];
    for (area, label, input, focus, fault, note) in rows {
        let focused = capture.focus == focus;
        let [name, field, side] = Layout::horizontal([
            Constraint::Length(LABEL),
            Constraint::Fill(3),
            Constraint::Length(if note.is_empty() { 0 } else { width_of(note) + 1 }),
        ])
        .areas(area);
        let role = if focused { Role::Accent } else { Role::Dim };
        frame.render_widget(Line::styled(label, theme.style(role)), name);
        input.draw(focused, fault.is_none(), theme, frame, field);
        frame.render_widget(Line::styled(note, theme.style(Role::Dim)).right_aligned(), side);
    }
    let role = match (capture.focus == Focus::Memorize, capture.refusal(context).is_none()) {
        (true, _) => Role::ButtonFocus,
        (false, true) => Role::Button,
        (false, false) => Role::ButtonOff,
    };
    frame.render_widget(Line::styled(BUTTON, theme.style(role)), places.button);
    if let Recognised::Found(reading) = &capture.recognised
        && reading.sessions.len() > 1
    {
        let side = Rect {
            x: places.button.right().saturating_add(2),
            width: places.inspector.right().saturating_sub(places.button.right() + 4),
            ..places.button
        };
        let which = format!("← conversation {} of {} →", capture.chosen + 1, reading.sessions.len());
        frame.render_widget(
            Line::styled(which, theme.style(Role::Accent)),
            side.intersection(places.inspector),
        );
    }
}

fn draw_facts(capture: &Capture, context: &Context, theme: &Theme, frame: &mut Frame<'_>, area: Rect) {
    let width = usize::from(area.width);
    let mut lines: Vec<Line<'static>> = Vec::new();
    if let Some(job) = &capture.job {
        lines.push(progress::line(&job.doing, job.done, job.total, context.setting.now, theme));
        lines.push(Line::styled("Esc cancels", theme.style(Role::Dim)));
    }
    let faults = [
        ("File: ", capture.trouble.clone()),
        ("Session id: ", capture.session_fault()),
        ("Day: ", capture.chosen_day().err()),
    ];
    for (label, fault) in faults {
        if let Some(fault) = fault {
            lines.extend(text::wrap(&format!("{label}{fault}"), width, theme.style(Role::Error)));
        }
    }
    match &capture.recognised {
        Recognised::Nothing
            if capture.recognising.ticket().is_some() || capture.opening.ticket().is_some() =>
        {
            lines.push(Line::from(vec![
                Span::styled(progress::spinner(context.setting.now), theme.style(Role::Accent)),
                Span::raw(" Reading"),
            ]));
        }
        Recognised::Nothing => {
            lines.extend(text::wrap(
                "Nothing yet. What is pasted or opened shows here.",
                width,
                theme.style(Role::Dim),
            ));
        }
        Recognised::Failed(error) => {
            lines.extend(text::wrap(&error.message, width, theme.style(Role::Error)));
        }
        Recognised::Found(_) => lines.extend(found(capture, context, width, usize::from(area.height), theme)),
    }
    frame.render_widget(Paragraph::new(lines), area);
}

fn found(
    capture: &Capture,
    context: &Context,
    width: usize,
    height: usize,
    theme: &Theme,
) -> Vec<Line<'static>> {
    let Some((reading, conversation)) = capture.conversation() else {
        return text::wrap("There is no conversation in it.", width, theme.style(Role::Warning));
    };
    let mut lines = Vec::new();
    for (label, value) in inspect::facts(reading, conversation, context.setting.zone) {
        let mut spans = vec![Span::styled(format!("{label:<9}"), theme.style(Role::Dim))];
        spans.extend(text::spans(&value, theme.style(Role::Text)));
        lines.push(Line::from(text::truncate_spans(spans, width)));
    }
    for warning in inspect::warnings(reading, conversation) {
        lines.extend(text::wrap(&format!("! {warning}"), width, theme.style(Role::Warning)));
    }
    let left = height.saturating_sub(lines.len() + 1);
    if left > 0 {
        lines.push(Line::default());
        lines.extend(inspect::messages(conversation, left, width, theme));
    }
    lines
}
