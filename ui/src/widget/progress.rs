//! Something that goes on: a spinner that the time in events moves, and how far it is.

use crate::text;
use crate::theme::{Role, Theme};
use chrono::{DateTime, Utc};
use ratatui::text::{Line, Span};

const FRAMES: [&str; 10] = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const MILLIS_A_FRAME: i64 = 100;
const BAR: usize = 20;

/// The spinner at this moment.
pub fn spinner(now: DateTime<Utc>) -> &'static str {
    let at = now.timestamp_millis().div_euclid(MILLIS_A_FRAME).rem_euclid(10);
    usize::try_from(at).ok().and_then(|at| FRAMES.get(at)).unwrap_or(&"⠋")
}

/// A line that says what goes on: spinner, phrase, and a bar with counts where `total` is known.
pub fn line(doing: &str, done: usize, total: usize, now: DateTime<Utc>, theme: &Theme) -> Line<'static> {
    let mut spans = vec![Span::styled(spinner(now), theme.style(Role::Accent)), Span::raw(" ")];
    spans.extend(text::spans(doing, theme.style(Role::Text)));
    if total > 0 {
        let done = done.min(total);
        let full = done * BAR / total;
        spans.push(Span::raw("  "));
        spans.push(Span::styled("━".repeat(full), theme.style(Role::Accent)));
        spans.push(Span::styled("━".repeat(BAR - full), theme.style(Role::Border)));
        spans.push(Span::styled(format!("  {done}/{total}"), theme.style(Role::Dim)));
    }
    Line::from(spans)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_moves_with_the_time_and_never_overflows() {
        let at = |millis| DateTime::from_timestamp_millis(millis).unwrap();
        assert_ne!(spinner(at(0)), spinner(at(100)));
        assert_eq!(spinner(at(0)), spinner(at(1000)));
        let theme = Theme::default();
        let shown = line("reading", 30, 12, at(0), &theme).to_string();
        assert_eq!(shown, format!("⠋ reading  {}  12/12", "━".repeat(BAR)));
        assert_eq!(line("reading", 0, 0, at(0), &theme).to_string(), "⠋ reading");
    }
}
