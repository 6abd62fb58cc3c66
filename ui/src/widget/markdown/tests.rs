//! Rows of Markdown and what they look like.

use super::*;

#[track_caller]
fn check(source: &str, width: u16, expected: &[&str]) {
    check_as(Manner::File(&Names::default()), source, width, expected);
}

#[track_caller]
fn check_as(manner: Manner<'_>, source: &str, width: u16, expected: &[&str]) {
    let laid = lay(source, width, &Theme::default(), manner);
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
        ("Said.[^1]\n\n[^1]: [[s/a.jsonl#m3]]\n", 30, &["Said.[1]", "", "[1] message in a"]),
        (
            "- [[daily/d/a_b.md]] name: a_b description: Words *here* tags: ['x']\n- [[daily/d/c.md]] name: d description: x\n",
            60,
            &["• a_b: Words here tags: ['x']", "• c name: d description: x"],
        ),
        ("See [a][b].\n\n[b]: https://x.y\n", 30, &["See a.", "", "[b]: https://x.y"]),
        ("<!-- notes:auto -->\n- a\n<!-- notes:end -->\n\nb\n", 30, &["• a", "", "b"]),
        ("a\n\n<!-- note: one of\ntwo -->\n\nb\n", 30, &["a", "", "<!-- note: one of", "two -->", "", "b"]),
        ("esc \u{1b}[31m\u{202e}\n", 30, &["esc ␛[31m‹202E›"]),
        ("![a picture](x.png)\n", 30, &["▣ a picture"]),
        ("日本語の文章です\n", 8, &["日本語の", "文章です"]),
        ("- \n- b\n", 8, &["•", "• b"]),
    ] {
        check(source, width, expected);
    }
}

#[test]
fn speech_keeps_its_lines_and_hides_nothing() {
    for (source, expected) in [
        ("one\ntwo\n", &["one", "two"][..]),
        ("- a\n  b\n\n```\ncode\n```\n", &["• a", "  b", "", "│ code"]),
        ("a\n<!-- notes:auto -->\nb\n", &["a", "", "<!-- notes:auto -->", "", "b"]),
        ("x [[s/a.jsonl#m3]]\n", &["x a.jsonl#m3"]),
    ] {
        check_as(Manner::Speech, source, 30, expected);
    }
}

#[test]
fn messages_are_named_and_still_linked() {
    let record = reme_core::workspace::RelPath::new("s/a.jsonl").unwrap();
    let mut names = Names::default();
    let mut said = reme_core::message::Msg::text_message(reme_core::message::Role::User, "x");
    (said.id, said.created_at) = (Some("m 3".into()), Some("2026-06-18T09:12:00".into()));
    let lines = vec![reme_core::dialog::Line::Message(said)];
    let zone = reme_core::message::time::Zone::Fixed(chrono::FixedOffset::east_opt(0).unwrap());
    let sayings = crate::pane::names::Sayings::of(&reme_core::dialog::Record { lines }, zone);
    names.add(&record, std::sync::Arc::new(sayings));
    let source = "Said.[^1]\n\n[^1]: [[s/a.jsonl#m%203]] [[s/a.jsonl#gone]]\n";
    check_as(
        Manner::File(&names),
        source,
        60,
        &["Said.[1]", "", "[1] user · 2026-06-18 09:12, message not found"],
    );
    let laid = lay(source, 60, &Theme::default(), Manner::File(&names));
    let spots: Vec<(Range<u16>, &str)> =
        laid.links.iter().map(|spot| (spot.columns.clone(), spot.target.as_str())).collect();
    assert_eq!(spots, [(4..27, "s/a.jsonl#m%203"), (29..46, "s/a.jsonl#gone")]);
}

#[test]
fn links_know_their_places() {
    let source = "See [[daily/d/a.md|A]] and [web](https://x.y) or ![[i/p_q_r.png]] and `[[code]]`.\n\n- [[n_o_t.md#h]]\n";
    let laid = lay(source, 60, &Theme::default(), Manner::File(&Names::default()));
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
    let laid = lay("[one two three](t)\n", 8, &Theme::default(), Manner::File(&Names::default()));
    let lines: Vec<usize> = laid.links.iter().map(|spot| spot.line).collect();
    assert_eq!(lines, [0, 1]);
}

#[test]
fn every_width_holds_its_lines() {
    let source = "# 標題 title\n\n> - quote [[daily/d/long-name.md]] `code`\n\n```py\nprint('日本語')\n```\n\ntext 👩‍👩‍👧‍👦 end\n";
    for width in 8..50 {
        for line in lay(source, width, &Theme::default(), Manner::File(&Names::default())).lines {
            assert!(text::spans_width(&line.spans) <= usize::from(width), "{line} in {width}");
        }
    }
    lay(source, 0, &Theme::default(), Manner::File(&Names::default()));
    lay(source, 1, &Theme::default(), Manner::File(&Names::default()));
}
