//! How the review screen looks: the change, the evidence, and what can be chosen.

use super::{Focus, Mode, Review, diff, evidence, name_fault};
use crate::context::Context;
use crate::pane::panel::{self, Panel};
use crate::text;
use crate::theme::{Role, Theme};
use crate::widget::chips::{self, Chip};
use crate::widget::{ask, progress, scroll};
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Clear, Paragraph};
use reme_core::message::Role as Speaker;
use reme_core::message::time::Timestamp;

/// From this width on, evidence and choices stand beside the text.
const WIDE: u16 = 120;
/// Rows of the evidence below the text.
const EVIDENCE: u16 = 5;
const LABEL: u16 = 7;
const ACCEPT: &str = " Accept ";
const REJECT: &str = " Reject ";
/// Links that are listed beside the choices.
const LISTED: usize = 6;

/// Where everything is; drawing and clicking share it.
pub(super) struct Places {
    pub text: Rect,
    pub sheet: Rect,
    pub evidence: Rect,
    pub choices: Rect,
    pub name: Rect,
    pub tags: Rect,
    pub links: Rect,
    pub notes: Rect,
    pub accept: Rect,
    pub reject: Rect,
}

impl Places {
    pub fn of(area: Rect, review: &Review) -> Places {
        let notes = u16::try_from(review.proposal.notes.len()).unwrap_or(u16::MAX).min(4);
        let links = u16::from(!review.proposal.links.is_empty());
        let [text, evidence, choices] = if area.width >= WIDE {
            let [text, side] =
                Layout::horizontal([Constraint::Percentage(58), Constraint::Percentage(42)]).areas(area);
            let listed = u16::try_from(review.proposal.links.len().min(LISTED)).unwrap_or(0) * 3;
            let rows = 8 + notes * 2 + links + listed;
            let [choices, evidence] =
                Layout::vertical([Constraint::Length(rows.min(area.height / 2)), Constraint::Min(0)])
                    .areas(side);
            [text, evidence, choices]
        } else {
            let rows = 5 + notes + links;
            let beside = if area.height >= 18 { EVIDENCE } else { 0 };
            Layout::vertical([
                Constraint::Min(0),
                Constraint::Length(beside),
                Constraint::Length(rows.min(area.height / 2)),
            ])
            .areas(area)
        };
        let inner = panel::inner(choices);
        let roomy = area.width >= WIDE;
        let [name, tags, links, notes, buttons] = Layout::vertical([
            Constraint::Length(1),
            Constraint::Length(if roomy { 2 } else { 1 }),
            if roomy { Constraint::Fill(1) } else { Constraint::Length(links) },
            if roomy { Constraint::Length(notes * 2) } else { Constraint::Fill(1) },
            Constraint::Length(1),
        ])
        .areas(inner);
        let width = |words: &str| u16::try_from(text::width(words)).unwrap_or(u16::MAX);
        let accept = Rect { width: width(ACCEPT).min(buttons.width), ..buttons };
        let reject = Rect {
            x: accept.right().saturating_add(2),
            width: width(REJECT).min(buttons.width.saturating_sub(accept.width + 2)),
            ..buttons
        };
        Places {
            text,
            sheet: panel::inner(text),
            evidence,
            choices,
            name,
            tags,
            links,
            notes,
            accept,
            reject,
        }
    }
}

pub(super) fn draw(review: &Review, context: &Context, frame: &mut Frame<'_>, area: Rect) {
    let theme = &context.setting.theme;
    let places = Places::of(area, review);
    frame.render_widget(Clear, area);
    draw_text(review, theme, frame, &places);
    draw_evidence(review, theme, frame, places.evidence);
    draw_choices(review, context, theme, frame, &places);
    match review.mode {
        Mode::Leaving => {
            let question = "Leave without a decision? Nothing of this card is written.";
            ask::draw(question, "leave", "stay", theme, frame, area);
        }
        Mode::Rejecting => {
            let question = "Reject? No card is written, and these messages are not proposed again.";
            ask::draw(question, "reject", "keep", theme, frame, area);
        }
        _ => {}
    }
}

fn draw_text(review: &Review, theme: &Theme, frame: &mut Frame<'_>, places: &Places) {
    let focused = review.focus == Focus::Text;
    let room = usize::from(places.text.width.saturating_sub(24));
    let path = text::truncate_middle(review.proposal.path.as_str(), room);
    let what = if review.proposal.present.is_some() { "update" } else { "new card" };
    let title = Line::from(vec![
        Span::styled(format!(" {path} "), theme.style(Role::Title)),
        Span::styled(format!("{what} "), theme.style(Role::Accent)),
    ]);
    let (added, removed) = diff::counts(&review.rows);
    let note = Line::from(vec![
        Span::styled(format!(" +{added}"), theme.style(Role::Added)),
        Span::styled(format!(" -{removed} "), theme.style(Role::Removed)),
    ]);
    Panel { title, note, focused }.draw(frame, places.text, theme);
    if let Mode::Body(editor) = &review.mode {
        editor.draw("", true, theme, frame, places.sheet);
        return;
    }
    let sheet = Rect {
        x: places.sheet.x.saturating_add(1),
        width: places.sheet.width.saturating_sub(1),
        ..places.sheet
    };
    scroll::draw(&review.sheet.lines, review.scroll, frame, sheet);
    if focused {
        let (first, end) = review.sheet.lines_of(review.cursor);
        let top = review.scroll.top();
        for line in first.max(top)..end {
            let row = u16::try_from(line - top).unwrap_or(u16::MAX).saturating_add(places.sheet.y);
            if row < places.sheet.bottom()
                && let Some(cell) = frame.buffer_mut().cell_mut((places.sheet.x, row))
            {
                cell.set_symbol("▌").set_style(theme.style(Role::Accent));
            }
        }
    }
    panel::scrollbar(frame, places.text, review.scroll.top(), review.sheet.lines.len(), focused, theme);
}

fn draw_evidence(review: &Review, theme: &Theme, frame: &mut Frame<'_>, area: Rect) {
    if area.height < 3 {
        return;
    }
    let title = Line::styled(" Evidence ", theme.style(Role::Title));
    Panel { title, note: Line::default(), focused: false }.draw(frame, area, theme);
    let inner = panel::inner(area);
    let width = usize::from(inner.width);
    let row = review.rows.get(review.cursor).filter(|row| row.kind != diff::Kind::Removed);
    let line = row.map(diff::Row::text).unwrap_or_default();
    let mut lines = Vec::new();
    for message in evidence::of(&review.proposal, &line) {
        if lines.len() > usize::from(inner.height) {
            break;
        }
        let role = match message.role {
            Speaker::User => Role::User,
            Speaker::Assistant => Role::Assistant,
            Speaker::System => Role::Other,
        };
        let mut head = text::spans(message.speaker(), theme.style(role));
        if let Some(time) = message.created_at.as_deref().and_then(Timestamp::parse) {
            let time = time.local.format("  %Y-%m-%d %H:%M").to_string();
            head.push(Span::styled(time, theme.style(Role::Dim)));
        }
        lines.push(Line::from(text::truncate_spans(head, width)));
        lines.extend(text::wrap(message.text().trim(), width, theme.style(Role::Text)));
    }
    if lines.is_empty() {
        let hint = "Put the cursor on a statement to see the messages that it rests on.";
        lines = text::wrap(hint, width, theme.style(Role::Dim));
    }
    frame.render_widget(Paragraph::new(lines), inner);
}

fn draw_choices(review: &Review, context: &Context, theme: &Theme, frame: &mut Frame<'_>, places: &Places) {
    let busy = review.revising.ticket().is_some() || review.deciding.ticket().is_some();
    let mut title = vec![Span::styled(" Decide ", theme.style(Role::Title))];
    if busy {
        let spinner = format!("{} ", progress::spinner(context.setting.now));
        title.push(Span::styled(spinner, theme.style(Role::Accent)));
    }
    let focused = review.focus != Focus::Text;
    Panel { title: Line::from(title), note: Line::default(), focused }.draw(frame, places.choices, theme);
    draw_name(review, theme, frame, places.name);
    draw_tags(review, theme, frame, places.tags);
    draw_links(review, theme, frame, places.links);
    let width = usize::from(places.notes.width);
    let notes = review.proposal.notes.iter();
    let notes: Vec<Line<'static>> =
        notes.flat_map(|note| text::wrap(&format!("! {note}"), width, theme.style(Role::Warning))).collect();
    frame.render_widget(Paragraph::new(notes), places.notes);
    for (label, focus, area) in
        [(ACCEPT, Focus::Accept, places.accept), (REJECT, Focus::Reject, places.reject)]
    {
        let role = match (review.focus == focus, review.deciding.ticket().is_some()) {
            (_, true) => Role::ButtonOff,
            (true, false) => Role::ButtonFocus,
            (false, false) => Role::Button,
        };
        frame.render_widget(Line::styled(label, theme.style(role)), area);
    }
}

/// The label of a row, and what is left of it.
fn label(words: &'static str, focused: bool, theme: &Theme, frame: &mut Frame<'_>, area: Rect) -> Rect {
    let [name, rest] = Layout::horizontal([Constraint::Length(LABEL), Constraint::Min(0)]).areas(area);
    let role = if focused { Role::Accent } else { Role::Dim };
    frame.render_widget(Line::styled(words, theme.style(role)), name);
    rest
}

fn draw_name(review: &Review, theme: &Theme, frame: &mut Frame<'_>, area: Rect) {
    let focused = review.focus == Focus::Name;
    let rest = label("Name", focused, theme, frame, area);
    let width = usize::from(rest.width);
    if let Mode::Name(input) = &review.mode {
        let fault = name_fault(input.text().trim());
        let said = fault.clone().map(|fault| text::truncate(&fault, width / 2)).unwrap_or_default();
        let side = u16::try_from(text::width(&said)).unwrap_or(0);
        let [field, side] =
            Layout::horizontal([Constraint::Min(0), Constraint::Length(side + u16::from(side > 0))])
                .areas(rest);
        input.draw(true, fault.is_none(), theme, frame, field);
        frame.render_widget(Line::styled(said, theme.style(Role::Error)).right_aligned(), side);
        return;
    }
    let mut spans = Vec::new();
    if let Some(old) = review.old_name().filter(|old| *old != review.choices.name) {
        spans.extend(text::spans(old, theme.style(Role::Removed)));
        spans.push(Span::styled(" → ", theme.style(Role::Dim)));
        spans.extend(text::spans(&review.choices.name, theme.style(Role::Added)));
    } else {
        spans.extend(text::spans(&review.choices.name, theme.style(Role::Text)));
    }
    let becomes = review.proposal.path.stem();
    if becomes != review.choices.name && review.revising.ticket().is_none() {
        spans.extend(text::spans(&format!("  becomes {becomes}"), theme.style(Role::Warning)));
    }
    let mut line = Line::from(text::truncate_spans(spans, width));
    if focused {
        line = line.patch_style(theme.style(Role::SelectionDim));
    }
    frame.render_widget(line, rest);
}

fn draw_tags(review: &Review, theme: &Theme, frame: &mut Frame<'_>, area: Rect) {
    let focused = review.focus == Focus::Tags;
    let rest = label("Tags", focused, theme, frame, area);
    if let Mode::Tag(input) = &review.mode {
        input.draw(true, true, theme, frame, rest);
        return;
    }
    let mut chips: Vec<Chip> = review.chips.clone();
    let selected = focused.then_some(review.chip);
    chips.push(Chip { label: "add".into(), on: false });
    let mut rows = chips::lay(&chips, selected, usize::from(rest.width), theme);
    // The last one adds: it is no tag that was taken off.
    if let Some(span) = rows.lines.last_mut().and_then(|line| line.spans.iter_mut().rev().nth(1)) {
        let role = if selected == Some(review.chips.len()) { Role::ButtonFocus } else { Role::Dim };
        *span = Span::styled(" + add ", theme.style(role));
    }
    let row = selected.and_then(|at| rows.places.get(at)).map_or(0, |(row, _)| *row);
    let top = (row + 1).saturating_sub(usize::from(rest.height));
    frame.render_widget(Paragraph::new(rows.lines.into_iter().skip(top).collect::<Vec<_>>()), rest);
}

fn draw_links(review: &Review, theme: &Theme, frame: &mut Frame<'_>, area: Rect) {
    let links = &review.proposal.links;
    if links.is_empty() || area.is_empty() {
        return;
    }
    let focused = review.focus == Focus::Links;
    let rest = label("Links", focused, theme, frame, Rect { height: 1, ..area });
    let (mark, what) =
        if review.choices.retarget { ("☑", "follow the rename") } else { ("☐", "stay as they are") };
    let said = format!("{mark} {what}: {} · f toggles · Enter lists", links.len());
    let role = if focused { Role::SelectionDim } else { Role::Text };
    let said = text::truncate(&said, usize::from(rest.width));
    frame.render_widget(Line::styled(said, theme.style(role)), rest);
    let width = usize::from(area.width);
    let mut lines = Vec::new();
    for edit in links.iter().take(LISTED) {
        let place = format!("{}:{}", edit.path, edit.line);
        lines.push(Line::styled(text::truncate_middle(&place, width), theme.style(Role::Dim)));
        lines.push(Line::styled(
            text::truncate(&format!("- {}", edit.before), width),
            theme.style(Role::Removed),
        ));
        lines.push(Line::styled(
            text::truncate(&format!("+ {}", edit.after), width),
            theme.style(Role::Added),
        ));
    }
    let below = Rect { y: area.y.saturating_add(1), height: area.height.saturating_sub(1), ..area };
    frame.render_widget(Paragraph::new(lines), below);
}
