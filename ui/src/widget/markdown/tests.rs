//! Rows of Markdown and what they look like.

use super::*;

#[track_caller]
fn check(source: &str, width: u16, expected: &[&str]) {
    let laid = lay(source, width, &Theme::default());
    let got: Vec<String> = laid.lines.iter().map(|line| line.to_string().trim_end().to_owned()).collect();
    assert_eq!(got, expected, "{source:?}");
}

#[test]
fn constructs_have_their_looks() {
    for (source, width, expected) in [
        ("", 20, &[][..]),
        ("# Title\n\nWords here.\n", 20, &["Title", "", "Words here."]),
        ("one\ntwo\n", 20, &["one two"]),
        ("日本\n語だ\n", 20, &["日本語だ"]),
        ("- a\n- b\n  - c\n- d\n", 20, &["• a", "• b", "  • c", "• d"]),
        ("1. a\n2. b\n", 20, &["1. a", "2. b"]),
        ("- [ ] todo\n- [x] done\n", 20, &["• ☐ todo", "• ☑ done"]),
        ("- a long item here\n", 10, &["• a long", "  item", "  here"]),
        ("> quoted words\n>\n> more\n", 20, &["▎ quoted words", "▎", "▎ more"]),
        ("---\n", 5, &["─────"]),
        ("```rust\nfn x() {}\n\n```\n", 20, &["│ fn x() {}", "│"]),
        ("    code\n", 20, &["│ code"]),
        ("a `b` **c** *d* ~~e~~\n", 30, &["a b c d e"]),
        ("<b>raw</b> &amp; x\n", 30, &["<b>raw</b> & x"]),
        ("<div>\nraw\n</div>\n", 30, &["<div>", "raw", "</div>"]),
        ("| a | bb |\n|---|----|\n| 1 | 2 |\n", 20, &["a │ bb", "──┼───", "1 │ 2"]),
        (
            "| head | words |\n|---|---|\n| x | some long words |\n",
            16,
            &["head │ words", "─────┼──────────", "x    │ some long", "     │ words"],
        ),
        ("Said.[^1]\n\n[^1]: [[s/a.jsonl#m3]]\n", 30, &["Said.[1]", "", "[1] a.jsonl#m3"]),
        ("esc \u{1b}[31m\u{202e}\n", 30, &["esc ␛[31m‹202E›"]),
        ("![a picture](x.png)\n", 30, &["▣ a picture"]),
        ("日本語の文章です\n", 8, &["日本語の", "文章です"]),
        ("- \n- b\n", 8, &["•", "• b"]),
    ] {
        check(source, width, expected);
    }
}

#[test]
fn links_know_their_places() {
    let source = "See [[daily/d/a.md|A]] and [web](https://x.y) or ![[i/p_q_r.png]] and `[[code]]`.\n\n- [[n_o_t.md#h]]\n";
    let laid = lay(source, 60, &Theme::default());
    let shown: Vec<String> = laid.lines.iter().map(ToString::to_string).collect();
    assert_eq!(shown, ["See A and web or ▣ p_q_r.png and [[code]].", "", "• n_o_t#h"]);
    let spots: Vec<(usize, Range<u16>, &str)> =
        laid.links.iter().map(|spot| (spot.line, spot.columns.clone(), spot.target.as_str())).collect();
    assert_eq!(
        spots,
        [
            (0, 4..5, "daily/d/a.md"),
            (0, 10..13, "https://x.y"),
            (0, 17..28, "i/p_q_r.png"),
            (2, 2..9, "n_o_t.md#h")
        ]
    );
}

#[test]
fn a_link_that_wraps_has_a_place_on_each_line() {
    let laid = lay("[one two three](t)\n", 8, &Theme::default());
    let lines: Vec<usize> = laid.links.iter().map(|spot| spot.line).collect();
    assert_eq!(lines, [0, 1]);
}

#[test]
fn every_width_holds_its_lines() {
    let source = "# 標題 title\n\n> - quote [[daily/d/long-name.md]] `code`\n\n```py\nprint('日本語')\n```\n\ntext 👩‍👩‍👧‍👦 end\n";
    for width in 8..50 {
        for line in lay(source, width, &Theme::default()).lines {
            assert!(text::spans_width(&line.spans) <= usize::from(width), "{line} in {width}");
        }
    }
    lay(source, 0, &Theme::default());
    lay(source, 1, &Theme::default());
}
