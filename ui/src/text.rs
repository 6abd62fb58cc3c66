//! Untrusted text: the one place where it becomes cells.
//!
//! Owns what is shown instead of control characters, escape sequences and invisible characters, and how wide,
//! cut and wrapped text is. It never drops a character in silence and never lets one reach the terminal that
//! could move its cursor or reorder its line. Called by every screen, pane and widget.

use ratatui::buffer::CellWidth;
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};
use shown::{Piece, is_plain, pieces};
use std::borrow::Cow;
use unicode_segmentation::UnicodeSegmentation;

mod shown;
mod veil;
mod wrap;

pub use veil::{unveil, veil, veil_symbol};
pub use wrap::{Wrapped, is_ideographic, wrap, wrap_marked, wrap_spans};

/// Cells between tab stops.
pub const TAB: usize = 4;

/// What marks a place where text was cut.
pub const ELLIPSIS: &str = "…";

/// The lines of a text without their line ends (`\n` or `\r\n`); an empty text has one empty line.
pub fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line))
}

/// One line of untrusted text as it may be printed: placeholders for what is not text, tabs expanded.
pub fn clean(text: &str) -> Cow<'_, str> {
    if is_plain(text) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    pieces(text, |_, piece| out.push_str(piece));
    Cow::Owned(out)
}

/// One line of untrusted text as spans: words in `style`, placeholders dimmed.
pub fn spans(text: &str, style: Style) -> Vec<Span<'static>> {
    if is_plain(text) {
        return if text.is_empty() { Vec::new() } else { vec![Span::styled(text.to_owned(), style)] };
    }
    let mut out: Vec<Span<'static>> = Vec::new();
    let mark = style.add_modifier(Modifier::DIM);
    pieces(text, |kind, piece| {
        let style = if kind == Piece::Mark { mark } else { style };
        match out.last_mut() {
            Some(last) if last.style == style => last.content.to_mut().push_str(piece),
            _ => out.push(Span::styled(piece.to_owned(), style)),
        }
    });
    out
}

/// One line of untrusted text as a line; see [`spans`].
pub fn line(text: &str, style: Style) -> Line<'static> {
    Line::from(spans(text, style))
}

/// The cells that cleaned text takes, counted as the renderer counts them.
pub fn width(text: &str) -> usize {
    if text.is_ascii() {
        return text.len();
    }
    text.graphemes(true).map(cluster_width).sum()
}

/// The cells that spans of cleaned text take.
pub fn spans_width(spans: &[Span<'_>]) -> usize {
    spans.iter().map(|span| width(&span.content)).sum()
}

/// Untrusted text in at most `cells` cells, its end replaced by `…` when it is longer.
pub fn truncate(text: &str, cells: usize) -> String {
    let clean = clean(text);
    if width(&clean) <= cells {
        return clean.into_owned();
    }
    let Some(room) = cells.checked_sub(1) else { return String::new() };
    let mut out = head(&clean, room).to_owned();
    out.push_str(ELLIPSIS);
    out
}

/// Untrusted text in at most `cells` cells, its middle replaced by `…` when it is longer; for paths and ids.
pub fn truncate_middle(text: &str, cells: usize) -> String {
    let clean = clean(text);
    if width(&clean) <= cells {
        return clean.into_owned();
    }
    let Some(room) = cells.checked_sub(1) else { return String::new() };
    let end = tail(&clean, room - room / 2);
    let mut out = head(&clean, room - width(end)).to_owned();
    out.push_str(ELLIPSIS);
    out.push_str(end);
    out
}

/// Spans of cleaned text in at most `cells` cells, their end replaced by `…` when they are longer.
pub fn truncate_spans(spans: Vec<Span<'static>>, cells: usize) -> Vec<Span<'static>> {
    if spans_width(&spans) <= cells {
        return spans;
    }
    let Some(mut room) = cells.checked_sub(1) else { return Vec::new() };
    let mut out = Vec::new();
    for span in spans {
        let part = head(&span.content, room);
        room -= width(part);
        let whole = part.len() == span.content.len();
        out.push(Span::styled(part.to_owned(), span.style));
        if !whole {
            break;
        }
    }
    let style = out.last().map(|span| span.style).unwrap_or_default();
    out.push(Span::styled(ELLIPSIS, style));
    out
}

/// The cells of one cluster of cleaned text.
fn cluster_width(cluster: &str) -> usize {
    usize::from(cluster.cell_width())
}

/// The longest start of cleaned text within `cells`.
pub fn head(text: &str, cells: usize) -> &str {
    let mut used = 0;
    for (at, cluster) in text.grapheme_indices(true) {
        used += cluster_width(cluster);
        if used > cells {
            return text.get(..at).unwrap_or_default();
        }
    }
    text
}

/// The longest end of cleaned text within `cells`.
pub fn tail(text: &str, cells: usize) -> &str {
    let mut used = 0;
    for (at, cluster) in text.grapheme_indices(true).rev() {
        used += cluster_width(cluster);
        if used > cells {
            return text.get(at + cluster.len()..).unwrap_or_default();
        }
    }
    text
}

#[cfg(test)]
mod tests;
