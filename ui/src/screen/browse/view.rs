//! Draws the browse screen. Only looks; what it says about keys comes from the action table.

use super::areas::Areas;
use super::{Browse, Pane};
use crate::action::{self, Action, Scope};
use crate::context::Context;
use crate::pane::panel::{self, Panel};
use crate::pane::{cards, days};
use crate::text;
use crate::theme::{Role, Theme};
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

const LEFT: &[Pane] = &[Pane::Page, Pane::Card];
const RIGHT: &[Pane] = &[Pane::Dialog, Pane::Images];
const EVERY: &[Pane] = &[Pane::Page, Pane::Card, Pane::Dialog, Pane::Images];

pub(super) fn draw(browse: &Browse, context: &Context, frame: &mut Frame<'_>, area: Rect) {
    let areas = browse.areas(context);
    draw_days(browse, context, frame, areas.days);
    draw_cards(browse, context, frame, areas.cards);
    if context.snapshot.days.is_empty() && context.snapshot.complete {
        return draw_welcome(browse, context, frame, areas, area);
    }
    for pane in browse.open_panes(&areas) {
        draw_document(browse, pane, context, frame, areas.place(pane));
    }
}

fn title(key: Action, words: &str, focused: bool, theme: &Theme) -> Vec<Span<'static>> {
    let role = if focused { Role::Title } else { Role::Dim };
    vec![
        Span::raw(" "),
        Span::styled(key_label(key), theme.style(Role::Key)),
        Span::styled(format!(" {words} "), theme.style(role)),
    ]
}

/// The first key of an action on this screen.
fn key_label(action: Action) -> String {
    let row = action::rows(Scope::Browse).find(|row| row.action == action);
    row.and_then(|row| row.keys.first()).map(|key| key.label()).unwrap_or_default()
}

fn draw_days(browse: &Browse, context: &Context, frame: &mut Frame<'_>, area: Rect) {
    let theme = &context.setting.theme;
    let focused = browse.focus == Pane::Days;
    let days = &context.snapshot.days;
    Panel { title: Line::from(title(Action::ShowDays, "Days", focused, theme)), focused, ..Panel::default() }
        .draw(frame, area, theme);
    let selected = browse.day_at(&context.snapshot);
    let inner = panel::inner(area);
    days::draw(frame, inner, days, selected, browse.days, context.setting.today, (theme, focused));
    panel::scrollbar(frame, area, browse.days.first, days.len(), focused, theme);
}

fn draw_cards(browse: &Browse, context: &Context, frame: &mut Frame<'_>, area: Rect) {
    let theme = &context.setting.theme;
    let focused = browse.focus == Pane::Cards;
    let listed = browse.listed(&context.snapshot);
    let (head, selected, window) = match &browse.find {
        Some(find) => {
            let room = usize::from(area.width).saturating_sub(10);
            let typed = text::clean(&find.typed);
            let head = vec![
                Span::styled(" / ", theme.style(Role::Key)),
                Span::styled(text::tail(&typed, room).to_owned(), theme.style(Role::Field)),
                Span::styled(" ", theme.style(Role::Cursor)),
                Span::raw(" "),
            ];
            (head, Some(find.selected), find.window)
        }
        None => {
            let at = browse.card.as_ref().map(|_| browse.card_at);
            (title(Action::ShowCards, "Cards", focused, theme), at, browse.cards)
        }
    };
    let note = match &browse.find {
        Some(find) => Line::styled(format!(" {} found ", find.matches.len()), theme.style(Role::Dim)),
        None => Line::default(),
    };
    Panel { title: Line::from(head), note, focused }.draw(frame, area, theme);
    let inner = panel::inner(area);
    if listed.is_empty() {
        let said = match (&browse.find, context.snapshot.days.is_empty(), context.snapshot.complete) {
            (Some(_), _, _) => "No card has such a name.",
            (None, true, false) => "Reading…",
            _ => "No cards.",
        };
        frame.render_widget(Line::styled(said, theme.style(Role::Dim)), inner);
    }
    cards::draw(frame, inner, &listed, selected, window, (theme, focused));
    panel::scrollbar(frame, area, window.first, listed.len(), focused, theme);
}

/// The documents that take turns in the place of `pane`.
fn siblings(pane: Pane, context: &Context) -> &'static [Pane] {
    match (context.body().width >= super::areas::WIDE, pane.is_left()) {
        (false, _) => EVERY,
        (true, true) => LEFT,
        (true, false) => RIGHT,
    }
}

fn tab_name(pane: Pane) -> (Action, &'static str) {
    match pane {
        Pane::Days => (Action::ShowDays, "Days"),
        Pane::Cards => (Action::ShowCards, "Cards"),
        Pane::Page => (Action::ShowPage, "Page"),
        Pane::Card => (Action::ShowCard, "Card"),
        Pane::Dialog => (Action::ShowDialog, "Dialog"),
        Pane::Images => (Action::ShowImages, "Images"),
    }
}

/// The tabs of a place, each with its label; where there is no room, the others have but their keys.
fn tabs(browse: &Browse, open: Pane, context: &Context, area: Rect) -> Vec<(Pane, Vec<Span<'static>>)> {
    let whole = labelled_tabs(browse, open, context, false);
    let cells: usize = whole.iter().map(|(_, spans)| text::spans_width(spans)).sum();
    let fits = cells <= usize::from(area.width.saturating_sub(2));
    if fits { whole } else { labelled_tabs(browse, open, context, true) }
}

fn labelled_tabs(
    browse: &Browse,
    open: Pane,
    context: &Context,
    keys_only: bool,
) -> Vec<(Pane, Vec<Span<'static>>)> {
    let theme = &context.setting.theme;
    let images = browse.image_links(context).len();
    siblings(open, context)
        .iter()
        .map(|&pane| {
            let (action, name) = tab_name(pane);
            let name = match (pane, images) {
                (Pane::Images, 1..) => format!("{name} ({images})"),
                _ => name.to_owned(),
            };
            if keys_only && pane != open {
                let key = Span::styled(key_label(action), theme.style(Role::Key));
                return (pane, vec![Span::raw(" "), key, Span::raw(" ")]);
            }
            let mut spans = title(action, &name, pane == open, theme);
            if pane == open
                && let Some(label) = spans.last_mut()
            {
                let role = if browse.focus == pane { Role::Title } else { Role::Strong };
                label.style = theme.style(role);
            }
            (pane, spans)
        })
        .collect()
}

/// The tab at a column of the title line.
pub(super) fn tab_at(
    browse: &Browse,
    open: Pane,
    area: Rect,
    column: u16,
    context: &Context,
) -> Option<Pane> {
    if open.is_list() {
        return None;
    }
    let mut end = usize::from(area.x) + 1;
    for (pane, spans) in tabs(browse, open, context, area) {
        let start = end;
        end += text::spans_width(&spans);
        if (start..end).contains(&usize::from(column)) {
            return Some(pane);
        }
    }
    None
}

fn draw_document(browse: &Browse, pane: Pane, context: &Context, frame: &mut Frame<'_>, area: Rect) {
    let theme = &context.setting.theme;
    let focused = browse.focus == pane;
    let title: Vec<Span<'static>> =
        tabs(browse, pane, context, area).into_iter().flat_map(|(_, spans)| spans).collect();
    Panel { title: Line::from(title), note: note(browse, pane, context, area), focused }
        .draw(frame, area, theme);
    match browse.doc(pane) {
        Some(doc) => doc.view(context, frame, area, focused, teaching(pane)),
        None => browse.images.view(context, frame, area, focused),
    }
}

/// The lower edge: which file this is, and how far the reader has come.
fn note(browse: &Browse, pane: Pane, context: &Context, area: Rect) -> Line<'static> {
    let theme = &context.setting.theme;
    let doc = browse.doc(pane);
    let path = doc.map_or(browse.card.as_ref().filter(|_| !browse.images.is_empty()), |doc| doc.path());
    let Some(path) = path else { return Line::default() };
    let position = doc.map(|doc| doc.position(browse.height(pane, context))).unwrap_or_default();
    let room = usize::from(area.width).saturating_sub(position.len() + 8);
    let mut said = format!(" {} ", text::truncate_middle(path.as_str(), room));
    if !position.is_empty() {
        said.push_str(&format!("· {position} "));
    }
    Line::styled(said, theme.style(Role::Dim))
}

/// What is said where a pane has no file to show.
fn teaching(pane: Pane) -> &'static str {
    match pane {
        Pane::Page => "This day has no page yet. It is written with the day's first memory.",
        Pane::Dialog => "No dialog record lies behind this card.",
        _ => "No card is selected.",
    }
}

fn draw_welcome(browse: &Browse, context: &Context, frame: &mut Frame<'_>, areas: Areas, body: Rect) {
    let theme = &context.setting.theme;
    let area = if areas.left.width == 0 {
        areas.cards
    } else {
        areas.right.map_or(areas.left, |right| areas.left.union(right))
    };
    Panel { focused: !browse.focus.is_list(), ..Panel::default() }.draw(
        frame,
        area.intersection(body),
        theme,
    );
    let inner = panel::inner(area);
    let capture = key_label(Action::Capture);
    let mut said = format!("No memories yet. Press {capture} to paste a conversation.");
    if context.setting.waiting.is_some() {
        let memorize = key_label(Action::MemorizeWaiting);
        said = format!("No memories yet. A conversation is waiting: press {memorize} to memorize it.");
    }
    let lines = text::wrap(&said, usize::from(inner.width), theme.style(Role::Text));
    let above = inner.height.saturating_sub(2) / 3;
    for (line, row) in lines.into_iter().zip(inner.rows().skip(usize::from(above))) {
        frame.render_widget(line.centered(), row);
    }
}
