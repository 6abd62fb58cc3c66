//! Untrusted text: the one place where it becomes cells.
//!
//! Owns what is shown instead of control characters, escape sequences and invisible characters, and how wide,
//! cut and wrapped text is. It never drops a character in silence and never lets one reach the terminal that
//! could move its cursor or reorder its line. Called by every screen, pane and widget.

use ratatui::buffer::CellWidth;
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};
use std::borrow::Cow;
use std::fmt::Write;
use unicode_segmentation::UnicodeSegmentation;

/// Cells between tab stops.
pub const TAB: usize = 4;

/// What marks a place where text was cut.
pub const ELLIPSIS: &str = "…";

/// Characters that one cluster may have before the rest is summed up; the largest emoji have eleven.
const MAX_CLUSTER: usize = 16;

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
    pub marks: Vec<(std::ops::Range<usize>, usize)>,
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
        let mut marks: Vec<(std::ops::Range<usize>, usize)> = Vec::new();
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

#[derive(Clone, Copy, PartialEq, Eq)]
enum Piece {
    Text,
    Mark,
}

/// Whether nothing has to be replaced; most text is, so this is worth a pass of its own.
fn is_plain(text: &str) -> bool {
    text.bytes().all(|byte| (0x20..0x7F).contains(&byte))
}

/// Cuts a line into text and placeholders; tabs depend on the column, so the whole line goes through here.
fn pieces(text: &str, mut emit: impl FnMut(Piece, &str)) {
    let mut column = 0;
    let mut mark = String::new();
    for cluster in text.graphemes(true) {
        if cluster == "\t" {
            let blanks = TAB - column % TAB;
            emit(Piece::Text, "    ".get(..blanks).unwrap_or(" "));
            column += blanks;
        } else if cluster.contains(['\u{FF9E}', '\u{FF9F}']) {
            // Renderer and terminals disagree about the width of half-width sound marks; the wide ones are safe.
            let wide = cluster.replace('\u{FF9E}', "゛").replace('\u{FF9F}', "゜");
            column += width(&wide);
            emit(Piece::Text, &wide);
        } else if is_safe_cluster(cluster) {
            column += cluster_width(cluster);
            emit(Piece::Text, cluster);
        } else {
            // Each character of an unsafe cluster stands alone, so that nothing hides inside it.
            let mut kept = 0;
            for (index, c) in cluster.chars().enumerate() {
                if index >= MAX_CLUSTER {
                    continue;
                }
                kept += 1;
                mark.clear();
                if hides(c) || is_joiner(c) || is_variation(c) {
                    placeholder(c, &mut mark);
                    column += width(&mark);
                    emit(Piece::Mark, &mark);
                } else {
                    mark.push(c);
                    column += cluster_width(&mark);
                    emit(Piece::Text, &mark);
                }
            }
            let left = cluster.chars().count() - kept;
            if left > 0 {
                mark.clear();
                let _ = write!(mark, "‹+{left}›");
                column += width(&mark);
                emit(Piece::Mark, &mark);
            }
        }
    }
}

/// Whether a cluster shows all that it holds.
fn is_safe_cluster(cluster: &str) -> bool {
    let mut chars = cluster.chars();
    let Some(base) = chars.next() else { return true };
    if hides(base) || is_joiner(base) || is_variation(base) {
        return false;
    }
    if chars.as_str().is_empty() {
        return true;
    }
    if cluster.chars().count() > MAX_CLUSTER {
        return false;
    }
    // Subdivision flags are spelt with tag characters, which are smuggling anywhere else.
    let flag = base == '\u{1F3F4}';
    let mut previous = base;
    for c in chars {
        let allowed = if is_joiner(c) {
            joins(base) && !is_joiner(previous)
        } else if is_variation(c) {
            !base.is_ascii_alphabetic() && !is_variation(previous)
        } else {
            !hides(c) || (flag && matches!(c, '\u{E0020}'..='\u{E007F}'))
        };
        if !allowed {
            return false;
        }
        previous = c;
    }
    true
}

/// Zero-width joiner and non-joiner: spelling in some scripts, glue in emoji, trickery elsewhere.
fn is_joiner(c: char) -> bool {
    matches!(c, '\u{200C}' | '\u{200D}')
}

/// Whether a joiner after this is ordinary: Arabic and Indic scripts, symbols and emoji.
fn joins(base: char) -> bool {
    matches!(base, '\u{0600}'..='\u{1FFF}' | '\u{2190}'..='\u{2BFF}' | '\u{1F000}'..='\u{1FBFF}')
}

fn is_variation(c: char) -> bool {
    matches!(c, '\u{FE00}'..='\u{FE0F}' | '\u{E0100}'..='\u{E01EF}' | '\u{180B}'..='\u{180F}')
}

/// Whether a character is control, reorders text, or is invisible.
fn hides(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{00AD}' | '\u{034F}' | '\u{061C}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}'
            | '\u{180E}' | '\u{200B}' | '\u{200E}' | '\u{200F}' | '\u{2028}'..='\u{202E}'
            | '\u{2060}'..='\u{206F}' | '\u{2800}' | '\u{3164}' | '\u{FEFF}' | '\u{FFA0}'
            | '\u{FFF0}'..='\u{FFFB}' | '\u{FFFE}' | '\u{FFFF}' | '\u{1BCA0}'..='\u{1BCA3}'
            | '\u{1D173}'..='\u{1D17A}' | '\u{E0000}'..='\u{E00FF}' | '\u{E01F0}'..='\u{E0FFF}')
}

/// What stands for a character that is not shown: its control picture, else its number.
fn placeholder(c: char, out: &mut String) {
    let _ = match c {
        '\0'..='\u{1F}' => out.write_char(char::from_u32(0x2400 + u32::from(c)).unwrap_or('␦')),
        '\u{7F}' => out.write_char('␡'),
        _ => write!(out, "‹{:02X}›", u32::from(c)),
    };
}

/// Plane 16, whose private characters stand for the hidden ones of the same number inside an editor.
const VEIL: u32 = 0x10_0000;
/// Numbers that no character has (surrogates); tags of plane 14 are veiled there.
const VEIL_TAGS: u32 = 0xD800;
const TAGS: u32 = 0xE_0000;

/// Text for an editor: each hidden character becomes one private character of one cell, which [`unveil`] turns
/// back and [`veil_symbol`] draws. Tabs and line feeds stay.
pub fn veil(text: &str) -> Cow<'_, str> {
    let hidden = |c: char| c != '\n' && c != '\t' && hides(c);
    if !text.chars().any(hidden) {
        return Cow::Borrowed(text);
    }
    let map = |c: char| {
        let number = match u32::from(c) {
            code @ 0..=0xFFFF if hidden(c) => VEIL + code,
            code @ TAGS..=0xE_07FF if hidden(c) => VEIL + VEIL_TAGS + (code - TAGS),
            code => code,
        };
        char::from_u32(number).unwrap_or(c)
    };
    Cow::Owned(text.chars().map(map).collect())
}

/// The text that [`veil`] was given.
pub fn unveil(text: &str) -> Cow<'_, str> {
    if !text.chars().any(|c| unveiled(c).is_some()) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().map(|c| unveiled(c).unwrap_or(c)).collect())
}

/// What an editor draws, in one cell, for a veiled character; `None` for every other.
pub fn veil_symbol(c: char) -> Option<char> {
    match unveiled(c)? {
        control @ '\0'..='\u{1F}' => char::from_u32(0x2400 + u32::from(control)),
        '\u{7F}' => Some('␡'),
        _ => Some('▯'),
    }
}

fn unveiled(c: char) -> Option<char> {
    let code = u32::from(c).checked_sub(VEIL)?;
    let code = if (VEIL_TAGS..0xE000).contains(&code) { code - VEIL_TAGS + TAGS } else { code };
    char::from_u32(code).filter(|c| hides(*c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_clean(input: &str, expected: &str) {
        assert_eq!(clean(input), expected, "{input:?}");
        let joined: String = spans(input, Style::new()).iter().map(|s| s.content.as_ref()).collect();
        assert_eq!(joined, expected, "{input:?} as spans");
        assert!(!joined.chars().any(char::is_control));
    }

    #[test]
    fn what_is_not_text_is_shown_by_placeholders() {
        for (input, expected) in [
            ("", ""),
            ("plain", "plain"),
            ("red \u{1b}[31mtext\u{1b}[0m", "red ␛[31mtext␛[0m"),
            ("clip \u{1b}]52;c;QUJD\u{7}", "clip ␛]52;c;QUJD␇"),
            ("c1 \u{9b}31m \u{85}", "c1 ‹9B›31m ‹85›"),
            ("bidi abc\u{202e}def", "bidi abc‹202E›def"),
            ("cr hidden\rshown", "cr hidden␍shown"),
            ("ab\u{8}\u{8}xy\u{7f}\0", "ab␈␈xy␡␀"),
            ("a\u{200b}b\u{feff}c\u{2060}d\u{ad}e", "a‹200B›b‹FEFF›c‹2060›d‹AD›e"),
            ("pay\u{200d}pal \u{200c}", "pay‹200D›pal ‹200C›"),
            ("mark\u{2028}sep", "mark‹2028›sep"),
            ("\u{e0041}\u{e0042}", "‹E0041›‹E0042›"),
            ("a\u{e0041}", "a‹E0041›"),
            ("\u{fe0f}x\u{fe0f}\u{fe0f}", "‹FE0F›x‹FE0F›‹FE0F›"),
            ("日本語 עברית ①②■", "日本語 עברית ①②■"),
            ("♻️ 👩‍👩‍👧‍👦 🇳🇴 👍🏽 ❤️ 1️⃣", "♻️ 👩‍👩‍👧‍👦 🇳🇴 👍🏽 ❤️ 1️⃣"),
            ("می‌خواهم क्‍ष", "می‌خواهم क्‍ष"),
            ("e\u{301} ok\u{fffd}", "e\u{301} ok\u{fffd}"),
            ("\ta\tbc", "    a   bc"),
            ("日\tx", "日  x"),
        ] {
            check_clean(input, expected);
        }
    }

    #[test]
    fn a_pile_of_marks_is_summed_up() {
        let pile = format!("a{}", "\u{301}".repeat(50));
        let shown = clean(&pile);
        assert!(shown.ends_with("‹+35›"), "{shown}");
    }

    #[test]
    fn widths_are_the_renderers() {
        use ratatui::{buffer::Buffer, layout::Rect, widgets::Widget};
        for text in ["abc", "日本語", "ｶﾞｷﾞ", "♻️♻️", "👩‍👩‍👧‍👦", "🇳🇴🇯🇵", "①②■", "e\u{301}", "\u{1b}[31m\u{202e}\tx"]
        {
            let mut buffer = Buffer::empty(Rect::new(0, 0, 60, 1));
            let mut spans = spans(text, Style::new());
            let cells = spans_width(&spans);
            spans.push(Span::raw("|"));
            Line::from(spans).render(buffer.area, &mut buffer);
            let at = buffer.content.iter().position(|cell| cell.symbol() == "|");
            assert_eq!(at, Some(cells), "{text}");
        }
    }

    #[test]
    fn cutting_keeps_clusters_whole_at_every_width() {
        let title = "日本👩‍👩‍👧‍👦語 title ♻️ ｶﾞ end";
        for cells in 0..=width(title) + 1 {
            for cut in [truncate(title, cells), truncate_middle(title, cells)] {
                assert!(width(&cut) <= cells, "{cut:?} in {cells}");
                assert!(cut == clean(title) || cut.is_empty() || cut.contains(ELLIPSIS));
            }
        }
        assert_eq!(truncate("abcdef", 4), "abc…");
        assert_eq!(truncate_middle("session/dialog/a.jsonl", 11), "sessi…jsonl");
        assert_eq!(truncate("日本語", 4), "日…");
    }

    #[track_caller]
    fn check_wrap(text: &str, cells: usize, expected: &[&str]) {
        let got: Vec<String> = wrap(text, cells, Style::new()).iter().map(ToString::to_string).collect();
        assert_eq!(got, expected, "{text:?} in {cells}");
    }

    #[test]
    fn wrapping_breaks_at_words_and_between_ideographs() {
        for (text, cells, expected) in [
            ("", 5, &[""][..]),
            ("one two three", 7, &["one two", "three"]),
            ("one two three", 8, &["one two", "three"]),
            ("abcdefgh", 3, &["abc", "def", "gh"]),
            ("ab abcdefgh", 5, &["ab", "abcde", "fgh"]),
            ("日本語の文章", 6, &["日本語", "の文章"]),
            ("日本語。次", 6, &["日本", "語。次"]),
            ("用 SQLite 存储", 9, &["用 SQLite", "存储"]),
            ("a\nb\r\nc", 5, &["a", "b", "c"]),
            ("  indented text", 10, &["  indented", "text"]),
            ("日", 1, &["日"]),
        ] {
            check_wrap(text, cells, expected);
        }
    }

    #[test]
    fn wrapped_lines_fit() {
        let text = "日本👩‍👩‍👧‍👦語 title ♻️ ｶﾞ some-long-word-without-blanks 「引用」 end \u{1b}[31m";
        for cells in 4..60 {
            for line in wrap(text, cells, Style::new()) {
                assert!(spans_width(&line.spans) <= cells, "{line} in {cells}");
            }
        }
    }

    #[test]
    fn veiled_text_comes_back() {
        for text in ["plain\ttab\nline", "a\u{1b}[31m\u{9b}\u{202e}\u{200b}\u{e0041}\r\nb\0\u{feff}", "👩‍👩‍👧‍👦 ♻️"]
        {
            let veiled = veil(text);
            assert!(!veiled.chars().any(|c| c != '\n' && c != '\t' && hides(c)), "{veiled:?}");
            assert_eq!(unveil(&veiled), text);
        }
        assert_eq!(veil("\u{1b}").chars().next().and_then(veil_symbol), Some('␛'));
        assert_eq!(veil_symbol('a'), None);
    }
}
