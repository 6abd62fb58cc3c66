//! Rows of texts and what becomes of them.

use super::shown::hides;
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
