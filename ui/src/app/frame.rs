//! The frame around the screens: top bar and footer. Called by `app` for every frame; only looks.

use super::App;
use crate::action::{self, Action, Row, Scope};
use crate::context::{Context, Tone, Watching};
use crate::screen::Screen;
use crate::text;
use crate::theme::{Role, Theme};
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

/// Below this, a screen would show nothing of use.
const SMALLEST: (u16, u16) = (40, 10);

pub(super) fn draw(app: &App, frame: &mut Frame<'_>) {
    let context = &app.context;
    let (width, height) = SMALLEST;
    if context.setting.size.width < width || context.setting.size.height < height {
        return draw_too_small(context, frame);
    }
    let [top, body, foot] = context.rows();
    draw_top(app, frame, top);
    let covered = app.layers.iter().rposition(|(_, layer)| layer.covers());
    if covered.is_none() {
        app.base.view(context, frame, body);
    }
    for (_, layer) in app.layers.iter().skip(covered.unwrap_or(0)) {
        layer.view(context, frame, body);
    }
    draw_foot(app, frame, foot);
}

fn draw_too_small(context: &Context, frame: &mut Frame<'_>) {
    let (width, height) = SMALLEST;
    let area = frame.area();
    let said = format!("reme needs {width}×{height} cells");
    let lines = text::wrap(&said, usize::from(area.width), context.setting.theme.style(Role::Text));
    for (line, row) in lines.into_iter().zip(area.rows()) {
        frame.render_widget(line, row);
    }
}

/// The program, the workspace (always), then what there is room for: state, and how much there is.
fn draw_top(app: &App, frame: &mut Frame<'_>, area: Rect) {
    let context = &app.context;
    let theme = &context.setting.theme;
    frame.buffer_mut().set_style(area, theme.style(Role::Bar));
    let cells = usize::from(area.width);
    let name = vec![Span::raw(" "), Span::styled("reme", theme.style(Role::Title)), Span::raw("  ")];
    let path_cells = text::width(&text::clean(&context.setting.workspace)).min(cells / 2);
    let mut room = cells.saturating_sub(text::spans_width(&name) + path_cells + 1);
    let mut right: Vec<Span<'static>> = Vec::new();
    for part in badges(context, theme) {
        let part_cells = text::width(&part.content) + 2;
        if part_cells <= room {
            room -= part_cells;
            right.extend([Span::raw("  "), part]);
        }
    }
    let left_cells = cells.saturating_sub(text::spans_width(&right) + 1);
    let shown = left_cells.saturating_sub(text::spans_width(&name));
    let mut left = name;
    left.push(Span::raw(text::truncate_middle(&context.setting.workspace, shown)));
    let gap = left_cells.saturating_sub(text::spans_width(&left));
    left.push(Span::raw(" ".repeat(gap)));
    left.extend(right);
    frame.render_widget(Line::from(text::truncate_spans(left, cells)), area);
}

/// What the top bar says at the right, the most important first.
fn badges(context: &Context, theme: &Theme) -> Vec<Span<'static>> {
    let mut badges = Vec::new();
    let snapshot = &context.snapshot;
    let key = |action: Action| {
        let row = action::rows(Scope::Browse).find(|row| row.action == action);
        row.and_then(|row| row.keys.first()).map(|key| key.label()).unwrap_or_default()
    };
    if context.setting.waiting.is_some() {
        let said = format!("● 1 waiting: {}", key(Action::MemorizeWaiting));
        badges.push(Span::styled(said, theme.style(Role::Accent)));
    }
    if !snapshot.warnings.is_empty() {
        let said = format!("{} not read: {}", snapshot.warnings.len(), key(Action::ShowWarnings));
        badges.push(Span::styled(said, theme.style(Role::Warning)));
    }
    if !snapshot.complete {
        badges.push(Span::styled("reading…", theme.style(Role::Dim)));
    }
    if matches!(context.watching, Watching::Polling(_)) {
        badges.push(Span::styled("polling", theme.style(Role::Warning)));
    }
    let cards: usize = snapshot.days.iter().map(|day| day.cards.len()).sum();
    let counts = [
        counted(snapshot.days.len(), "day"),
        counted(cards, "card"),
        counted(snapshot.sessions.len(), "dialog"),
    ];
    badges.push(Span::styled(counts.join(" · "), theme.style(Role::Dim)));
    badges
}

fn counted(count: usize, thing: &str) -> String {
    if count == 1 { format!("1 {thing}") } else { format!("{count} {thing}s") }
}

/// What the person was told last, else what can be done here.
fn draw_foot(app: &App, frame: &mut Frame<'_>, area: Rect) {
    let context = &app.context;
    let theme = &context.setting.theme;
    frame.buffer_mut().set_style(area, theme.style(Role::Bar));
    let cells = usize::from(area.width);
    if let Some(status) = &context.status {
        let role = match status.tone {
            Tone::Good => Role::Good,
            Tone::Info => Role::Accent,
            Tone::Bad => Role::Error,
        };
        let said = format!(" {}", text::truncate(&status.text, cells.saturating_sub(2)));
        frame.render_widget(Line::styled(said, theme.style(role)), area);
        return;
    }
    let screen = app.top();
    let hints = hints(screen, context);
    let (kept, last): (Vec<&Row>, Vec<&Row>) =
        hints.into_iter().partition(|row| !matches!(row.action, Action::Help | Action::Quit | Action::Close));
    let last: Vec<Span<'static>> = last.into_iter().flat_map(|row| hint(row, screen, theme)).collect();
    let mut room = cells.saturating_sub(text::spans_width(&last) + 1);
    let mut line = Vec::new();
    for row in kept {
        let spans = hint(row, screen, theme);
        let wide = text::spans_width(&spans);
        if wide <= room {
            room -= wide;
            line.extend(spans);
        }
    }
    line.extend(last);
    frame.render_widget(Line::from(text::truncate_spans(line, cells)), area);
}

/// The rows of the footer: what can be done now.
fn hints(screen: &dyn Screen, context: &Context) -> Vec<&'static Row> {
    action::rows(screen.scope())
        .filter(|row| !row.footer.is_empty() && screen.refuses(row.action, context).is_none())
        .collect()
}

fn hint(row: &Row, screen: &dyn Screen, theme: &Theme) -> Vec<Span<'static>> {
    let key = row.keys.first().map(|key| key.label()).unwrap_or_default();
    vec![
        Span::styled(format!(" {key}"), theme.style(Role::Key)),
        Span::styled(format!(" {} ", screen.says(row.action).unwrap_or(row.footer)), theme.style(Role::Bar)),
    ]
}
