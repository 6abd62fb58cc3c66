//! Wrapping: lines of a width, broken where the script allows it.

use super::{cluster_width, lines, spans};
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use std::ops::Range;
use unicode_segmentation::UnicodeSegmentation;

/// Untrusted text, which may have several lines, wrapped to `cells`.
pub fn wrap(text: &str, cells: usize, style: Style) -> Vec<Line<'static>> {
    lines(text).flat_map(|line| wrap_spans(spans(line, style), cells)).collect()
}

/// One line of cleaned spans wrapped to `cells`: at blanks, beside wide characters, and inside a word only
/// where it is longer than a line.
pub fn wrap_spans(spans: Vec<Span<'static>>, cells: usize) -> Vec<Line<'static>> {
    let pieces = spans.into_iter().map(|span| (span, None)).collect();
    wrap_marked(pieces, cells).into_iter().map(|wrapped| wrapped.line).collect()
}

/// A line that came out of wrapping.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Wrapped {
    /// The line.
    pub line: Line<'static>,
    /// Where the marks that went in are now, in cells.
    pub marks: Vec<(Range<usize>, usize)>,
}

/// The same for spans that carry marks (links), which come out with their places.
pub fn wrap_marked(pieces: Vec<(Span<'static>, Option<usize>)>, cells: usize) -> Vec<Wrapped> {
    let mut wrapper = Wrapper::new(cells.max(1));
    for (span, mark) in &pieces {
        for cluster in span.content.graphemes(true) {
            wrapper.push(cluster, span.style, *mark);
        }
    }
    wrapper.finish()
}

/// One cluster on its way into a wrapped line.
struct Cluster<'a> {
    text: &'a str,
    style: Style,
    cells: usize,
    mark: Option<usize>,
}

/// Greedy line filling: `word` is what has no break opportunity yet, `line` what is settled. A word longer than
/// a line spills: from then on its clusters go straight into the line.
struct Wrapper<'a> {
    cells: usize,
    lines: Vec<Wrapped>,
    line: Vec<Cluster<'a>>,
    line_cells: usize,
    word: Vec<Cluster<'a>>,
    word_cells: usize,
    spilling: bool,
}

impl<'a> Wrapper<'a> {
    fn new(cells: usize) -> Self {
        Wrapper {
            cells,
            lines: Vec::new(),
            line: Vec::new(),
            line_cells: 0,
            word: Vec::new(),
            word_cells: 0,
            spilling: false,
        }
    }

    fn push(&mut self, text: &'a str, style: Style, mark: Option<usize>) {
        let cluster = Cluster { text, style, cells: cluster_width(text), mark };
        if text == " " {
            self.settle();
            // A blank that no longer fits is the break itself.
            if self.line_cells < self.cells {
                self.place(cluster);
            } else {
                self.break_line();
            }
        } else if is_break_anywhere(text) {
            if closes(text) {
                self.take_back();
            } else {
                self.settle();
            }
            self.word_cells += cluster.cells;
            self.word.push(cluster);
            if !opens(text) {
                self.settle();
            }
        } else if self.spilling {
            self.place(cluster);
        } else {
            self.word_cells += cluster.cells;
            self.word.push(cluster);
            if self.word_cells > self.cells {
                self.settle();
                self.spilling = true;
            }
        }
    }

    /// Moves the word into the line, or into a new one where it does not fit.
    fn settle(&mut self) {
        self.spilling = false;
        if self.line_cells + self.word_cells > self.cells && !self.line.is_empty() && !self.word.is_empty() {
            self.break_line();
        }
        for cluster in std::mem::take(&mut self.word) {
            self.place(cluster);
        }
        self.word_cells = 0;
    }

    /// Makes the last cluster of the line part of the word again, so that what closes does not part from it.
    fn take_back(&mut self) {
        if !self.word.is_empty() || self.line.len() < 2 {
            return;
        }
        if let Some(last) = self.line.pop_if(|last| last.text != " ") {
            self.line_cells -= last.cells;
            self.word_cells = last.cells;
            self.word.push(last);
        }
    }

    fn place(&mut self, cluster: Cluster<'a>) {
        if self.line_cells + cluster.cells > self.cells && !self.line.is_empty() {
            self.break_line();
        }
        self.line_cells += cluster.cells;
        self.line.push(cluster);
    }

    fn break_line(&mut self) {
        while self.line.last().is_some_and(|cluster| cluster.text == " ") {
            self.line.pop();
        }
        self.emit();
    }

    fn emit(&mut self) {
        let mut spans: Vec<Span<'static>> = Vec::new();
        let mut marks: Vec<(Range<usize>, usize)> = Vec::new();
        let mut at = 0;
        for cluster in self.line.drain(..) {
            let end = at + cluster.cells;
            if let Some(mark) = cluster.mark {
                match marks.last_mut() {
                    Some((range, last)) if *last == mark && range.end == at => range.end = end,
                    _ => marks.push((at..end, mark)),
                }
            }
            at = end;
            match spans.last_mut() {
                Some(last) if last.style == cluster.style => last.content.to_mut().push_str(cluster.text),
                _ => spans.push(Span::styled(cluster.text.to_owned(), cluster.style)),
            }
        }
        self.line_cells = 0;
        self.lines.push(Wrapped { line: Line::from(spans), marks });
    }

    fn finish(mut self) -> Vec<Wrapped> {
        self.settle();
        if !self.line.is_empty() || self.lines.is_empty() {
            self.emit();
        }
        self.lines
    }
}

/// Whether a line may break on both sides: Han, kana, fullwidth forms. Hangul has blanks, emoji are words.
fn is_break_anywhere(cluster: &str) -> bool {
    cluster.chars().next().is_some_and(is_ideographic)
}

/// Whether a character belongs to a script that is written without blanks between words.
pub fn is_ideographic(c: char) -> bool {
    matches!(c, '\u{2E80}'..='\u{ABFF}' | '\u{F900}'..='\u{FAFF}' | '\u{FE30}'..='\u{FE6F}'
        | '\u{FF00}'..='\u{FFEF}' | '\u{20000}'..='\u{3FFFF}')
}

/// Whether a line must not start with this.
fn closes(cluster: &str) -> bool {
    matches!(
        cluster,
        "、" | "。"
            | "，"
            | "．"
            | "："
            | "；"
            | "？"
            | "！"
            | "）"
            | "］"
            | "｝"
            | "」"
            | "』"
            | "】"
            | "》"
            | "〉"
            | "ー"
            | "々"
    )
}

/// Whether a line must not end with this.
fn opens(cluster: &str) -> bool {
    matches!(cluster, "（" | "［" | "｛" | "「" | "『" | "【" | "《" | "〈")
}
