//! A document as styled lines of one width, with the places of its links and anchors.
//!
//! Laying out happens in an effect, away from the screen; views only slice [`Laid::lines`].

use crate::theme::Theme;
use ratatui::text::Line;
use reme_core::dialog::Record;

/// A laid-out document.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Laid {
    /// The lines, none wider than the width asked for.
    pub lines: Vec<Line<'static>>,
    /// The links in reading order.
    pub links: Vec<Spot>,
    /// Where anchors are: message ids in a dialog, headings in a card.
    pub anchors: Vec<(String, usize)>,
    /// The width that this was laid out for.
    pub width: u16,
}

/// A link on the page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spot {
    /// The 0-based line.
    pub line: usize,
    /// The cells of that line.
    pub columns: std::ops::Range<u16>,
    /// The target as written: a workspace path or a URL, with its anchor.
    pub target: String,
}

impl Laid {
    /// Lays out Markdown.
    pub fn of_markdown(_text: &str, width: u16, _theme: &Theme) -> Laid {
        Laid { width, ..Laid::default() }
    }

    /// Lays out a dialog record.
    pub fn of_dialog(_record: &Record, width: u16, _theme: &Theme) -> Laid {
        Laid { width, ..Laid::default() }
    }
}
