//! A document as styled lines of one width, with the places of its links and anchors.
//!
//! Laying out happens in an effect, away from the screen; views only slice [`Laid::lines`]. [`Pages`] keeps what
//! was laid out last, by content, width and theme.

use super::names::Names;
use super::{card, dialog};
use crate::theme::Theme;
use ratatui::text::Line;
use reme_core::dialog::Record;
use reme_core::message::time::Zone;
use reme_core::workspace::RelPath;
use std::collections::VecDeque;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What kind of file is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sheet {
    /// A card, a day page or any other Markdown file, with its frontmatter as a header.
    Markdown,
    /// A dialog record.
    Dialog,
}

/// A laid-out document.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Laid {
    /// The lines, none wider than the width asked for.
    pub lines: Vec<Line<'static>>,
    /// The links in reading order.
    pub links: Vec<Spot>,
    /// Where anchors are: message ids in a dialog, headings in other files.
    pub anchors: Vec<(String, usize)>,
    /// The width that this was laid out for.
    pub width: u16,
    /// The records whose messages are named on the page.
    pub records: Vec<RelPath>,
    /// Whether the page follows again with the names of messages that are still being read.
    pub unread: bool,
}

/// A link on the page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spot {
    /// The 0-based line.
    pub line: usize,
    /// The cells of that line.
    pub columns: Range<u16>,
    /// The target as written: a workspace path or a URL, with its anchor.
    pub target: String,
}

impl Laid {
    /// Lays out a Markdown file: its frontmatter as a compact header, then its body.
    pub fn of_file(text: &str, width: u16, theme: &Theme, names: &Names) -> Laid {
        card::lay(text, width, theme, names)
    }

    /// Lays out a dialog record.
    pub fn of_dialog(record: &Record, width: u16, theme: &Theme, zone: Zone) -> Laid {
        dialog::lay(record, width, theme, zone)
    }

    /// Adds another piece below.
    pub(super) fn append(&mut self, below: Laid) {
        let above = self.lines.len();
        self.lines.extend(below.lines);
        self.links.extend(below.links.into_iter().map(|spot| Spot { line: spot.line + above, ..spot }));
        self.anchors.extend(below.anchors.into_iter().map(|(anchor, line)| (anchor, line + above)));
    }

    /// The line of an anchor.
    pub fn anchor(&self, name: &str) -> Option<usize> {
        self.anchors.iter().find(|(anchor, _)| anchor == name).map(|(_, line)| *line)
    }

    /// Where a reader who is at line `top` of `before` finds the same words here.
    pub fn same_place(&self, before: &Laid, top: usize) -> usize {
        let words = |line: &Line<'_>| line.to_string().trim().to_owned();
        let at = before.lines.iter().enumerate().skip(top).map(|(at, line)| (at, words(line)));
        let Some((from, sought)) = at.into_iter().find(|(_, text)| !text.is_empty()) else { return top };
        let hits = self.lines.iter().enumerate().filter(|(_, line)| words(line) == sought);
        match hits.map(|(at, _)| at).min_by_key(|at| at.abs_diff(from)) {
            Some(at) => at.saturating_sub(from - top),
            // Another width breaks the lines elsewhere: the same share of the document is the nearest guess.
            None if before.width != self.width => top * self.lines.len() / before.lines.len().max(1),
            None => top,
        }
    }
}

/// How many documents are kept laid out.
const KEPT: usize = 24;

/// What was laid out last. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct Pages(Arc<Mutex<Kept>>);

/// Documents by the hash of what they were laid out from, the newest first.
type Kept = VecDeque<(u64, Arc<Laid>)>;

impl Pages {
    /// The document laid out before from the same bytes and names, or laid out now.
    pub fn get(
        &self,
        sheet: Sheet,
        (bytes, names): (&[u8], &Names),
        width: u16,
        theme: &str,
        lay: impl FnOnce() -> Laid,
    ) -> Arc<Laid> {
        let mut hasher = DefaultHasher::new();
        (sheet, bytes, names.fingerprint(), width, theme).hash(&mut hasher);
        let key = hasher.finish();
        let kept = self.lock().iter().find(|(known, _)| *known == key).map(|(_, laid)| Arc::clone(laid));
        kept.unwrap_or_else(|| {
            let laid = Arc::new(lay());
            let mut pages = self.lock();
            pages.truncate(KEPT - 1);
            pages.push_front((key, Arc::clone(&laid)));
            laid
        })
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn laid(width: u16, lines: &[&str]) -> Laid {
        let lines = lines.iter().map(|line| Line::from((*line).to_owned())).collect();
        Laid { lines, width, ..Laid::default() }
    }

    #[test]
    fn the_same_content_is_laid_out_once() {
        let pages = Pages::default();
        let count = std::cell::Cell::new(0);
        let get = |bytes: &[u8], width, theme| {
            pages.get(Sheet::Markdown, (bytes, &Names::default()), width, theme, || {
                count.set(count.get() + 1);
                Laid::default()
            });
            count.get()
        };
        let laid_out: Vec<i32> = [
            (&b"a"[..], 40, "dark"),
            (b"a", 40, "dark"),
            (b"b", 40, "dark"),
            (b"a", 41, "dark"),
            (b"a", 40, "light"),
        ]
        .into_iter()
        .map(|(bytes, width, theme)| get(bytes, width, theme))
        .collect();
        assert_eq!(laid_out, [1, 1, 2, 3, 4]);
        for number in 0..100u32 {
            get(&number.to_be_bytes(), 40, "dark");
        }
        assert_eq!(pages.lock().len(), KEPT);
    }

    #[test]
    fn a_reader_keeps_the_place_by_its_words() {
        let before = laid(20, &["title", "", "one", "two", "three", "", "four"]);
        for (after, top, expected) in [
            (laid(20, &["title", "", "one", "two", "three", "", "four"]), 3, 3),
            (laid(20, &["title", "", "new", "new", "one", "two", "three"]), 3, 5),
            (laid(20, &["two", "three", "", "four"]), 3, 0),
            (laid(20, &["four", "five"]), 5, 0),
            (laid(20, &["nothing", "the", "same", "here"]), 3, 3),
            (laid(40, &["other", "breaks", "of the", "same"]), 4, 2),
            (laid(20, &[]), 2, 2),
        ] {
            assert_eq!(after.same_place(&before, top), expected, "{after:?} {top}");
        }
    }
}
