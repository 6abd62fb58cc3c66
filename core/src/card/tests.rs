//! Rows: a file's text, what is read of it, and what an edit leaves.

use super::*;
use proptest::prelude::*;
use std::time::{Duration, Instant};

macro_rules! data {
    ($name:literal) => {
        include_str!(concat!("../../tests/data/card/", $name))
    };
}

fn text(value: &str) -> FieldValue {
    FieldValue::Text(value.to_owned())
}

fn list(items: &[&str]) -> FieldValue {
    FieldValue::List(items.iter().map(|item| (*item).to_owned()).collect())
}

/// Checks the fields of a block that can be read.
#[track_caller]
fn check_fields(source: &str, expected: &[(&str, FieldValue)]) {
    let card = Card::parse(source);
    assert_eq!(card.fault(), None, "{source}");
    let read: Vec<(&str, FieldValue)> =
        card.fields().iter().map(|field| (field.key.as_str(), field.value.clone())).collect();
    assert_eq!(read, expected, "{source}");
}

/// Checks where a broken block breaks and that its body is readable.
#[track_caller]
fn check_fault(source: &str, line: usize, column: usize, body: &str) {
    let card = Card::parse(source);
    let fault = card.fault().unwrap_or_else(|| panic!("no fault in {source:.200}"));
    assert_eq!((fault.line, fault.column), (line, column), "{fault}");
    assert!(card.fields().is_empty());
    assert_eq!(card.body(), body);
}

/// Checks an edit to the byte.
#[track_caller]
fn check_set(source: &str, key: &str, value: FieldValue, expected: &str) {
    let mut card = Card::parse(source);
    assert!(card.set(key, value.clone()), "{source}");
    assert_eq!(card.text(), expected);
    assert_eq!(card.fault(), None);
    let read = card.field(key).map(|field| field.value.clone());
    assert_eq!(read, Some(value), "{source}");
}

#[test]
fn reported_blocks_are_read() {
    let name = |value: &str| ("name", text(value));
    check_fields(
        data!("yaml-2.md"),
        &[
            name("ferry-plan"),
            ("description", text("bare link in the source field")),
            ("session_id", text("s-102")),
            ("source_conversation", text("[[session/dialog/s-102.jsonl]]")),
        ],
    );
    check_fields(
        data!("yaml-4.md"),
        &[
            name("ferry-plan"),
            ("session_id", text("s-104")),
            ("related", text("[[digest/wiki/Oslo, winter.md]]")),
        ],
    );
    check_fields(data!("yaml-5.md"), &[name("bom-card"), ("session_id", text("s-105"))]);
    check_fields(
        data!("yaml-6.md"),
        &[
            name("crlf-card"),
            ("description", text("windows endings")),
            ("session_id", text("s-106")),
            ("memory_tags", list(&["ferry", "oslo"])),
        ],
    );
    check_fields(
        data!("yaml-7.md"),
        &[("description", text("same key twice")), ("session_id", text("s-107")), name("second-name")],
    );
    check_fields(
        data!("yaml-8b.md"),
        &[
            name("plain-as-pyyaml-writes-it"),
            ("session_id", text("8e12")),
            ("other", text("0o17")),
            ("letter", text("y")),
        ],
    );
    check_fields(
        data!("yaml-9b.md"),
        &[
            name("tags-odd-items"),
            ("session_id", text("s-110")),
            ("memory_tags", list(&["2017", "true", "c#", "ferry"])),
        ],
    );
    let long = "one single line that is a good deal longer than eighty columns so that a default dumper would fold it over";
    check_fields(
        data!("yaml-10.md"),
        &[
            ("zone", text("north")),
            name("hand-made"),
            ("session_id", text("s-111")),
            ("description", text(long)),
            ("created", text("2026-06-20")),
        ],
    );
    check_fields(
        data!("yaml-11.md"),
        &[
            name("bare-dates"),
            ("session_id", text("s-112")),
            ("created", text("2026-06-20")),
            ("seen", text("2026-06-20T08:00:00Z")),
            ("odd", text("2026-02-30")),
        ],
    );
    check_fields(data!("yaml-15b.md"), &[]);
    check_fields(data!("yaml-15c.md"), &[]);
    check_fields(data!("yaml-15e.md"), &[]);
    check_fields(data!("yaml-16.md"), &[name("outer"), ("session_id", text("s-116"))]);
    assert!(Card::parse(data!("yaml-16.md")).body().trim_start().starts_with("---\nname: inner"));
}

#[test]
fn doubts_are_warned_about() {
    for (source, part) in [
        (data!("yaml-7.md"), "line 5: `name` stands twice"),
        (data!("yaml-9b.md"), "line 4: an item of `memory_tags` is empty"),
    ] {
        let card = Card::parse(source);
        assert!(card.warnings().iter().any(|warning| warning.contains(part)), "{:?}", card.warnings());
    }
}

#[test]
fn broken_blocks_show_where() {
    check_fault(data!("yaml-1.md"), 3, 22, "\nBody text.\n");
    check_fault(data!("yaml-12.md"), 5, 4, "\nBody text.\n");
    check_fault(data!("yaml-13-alias-bomb.md"), 6, 23, "\nBody text.\n");
    check_fault(data!("yaml-15a.md"), 1, 1, data!("yaml-15a.md"));
    check_fault(data!("yaml-15d.md"), 2, 1, "Body.\n");
    for (block, line, column) in [
        ("a: \"open\n", 2, 4),
        ("a: [1, 2\n", 2, 4),
        ("a: [x]] y\n", 2, 7),
        ("a: [x}\n", 2, 6),
        ("a: *very* good\n", 2, 9),
        ("a: >+- x\n", 2, 4),
        ("a: 'b' c\n", 2, 7),
        ("just words\n", 2, 1),
        ("  a: b\n", 2, 1),
        ("a: b\nc: - d\n", 3, 4),
        ("a:\n\tb: c\n", 3, 1),
        ("a:\n  b: [1\n  c: 2\n", 4, 4),
    ] {
        check_fault(&format!("---\n{block}---\nBody\n"), line, column, "Body\n");
    }
}

#[test]
fn deep_and_large_blocks_are_refused_quickly() {
    let nested: String = (0..1200).map(|depth| format!("{}k:\n", " ".repeat(depth))).collect();
    let aliases: String = (0..40).map(|_| "- *a\n").collect();
    let blocks = [
        format!("k: {}{}", "[".repeat(20_000), "]".repeat(20_000)),
        format!("k: {}", "{a: ".repeat(20_000)),
        nested,
        format!("a: &a [x]\nb:\n{aliases}"),
        format!("a: {}", "x".repeat(300 * 1024)),
        format!("k:\n{}", "- ".repeat(20_000)),
    ];
    for block in blocks {
        let source = format!("---\nname: deep\n{block}\n---\n\nBody text.\n");
        let start = Instant::now();
        let card = Card::parse(source.as_str());
        assert!(start.elapsed() < Duration::from_millis(100), "{:.60} took {:?}", block, start.elapsed());
        assert!(card.fault().is_some(), "{block:.60}");
        assert_eq!(card.body(), "\nBody text.\n");
    }
}

#[test]
fn what_pyyaml_writes_is_read() {
    let word = "word ".repeat(63);
    for (source, description) in [
        (data!("y-amp.md"), "&a *b"),
        (data!("y-brk.md"), "[[x]]"),
        (data!("y-cjk.md"), "用户喜欢简洁的回答：不要啰嗦"),
        (data!("y-colon.md"), "key: value"),
        (data!("y-date.md"), "2024-01-07"),
        (data!("y-emoji.md"), "rocket 🚀 done"),
        (data!("y-nbsp.md"), "a\u{a0}b"),
        (data!("y-num.md"), "12"),
        (data!("y-trail.md"), "ends with space"),
        (data!("y-yesno.md"), "yes"),
        (data!("b-hr.md"), "d"),
        (data!("x9-crlf.md"), "d"),
    ] {
        assert_eq!(Card::parse(source).get("description"), Some(description), "{source}");
    }
    let long = Card::parse(data!("y-long.md")).get("description").unwrap().to_owned();
    assert!(word.starts_with(long.as_str()) && !long.contains('\n') && long.len() > 200);
    assert_eq!(Card::parse(data!("b-empty.md")).body().trim(), "");
    assert_eq!(Card::parse(data!("b-only_nl.md")).body().trim(), "");
    assert_eq!(Card::parse(data!("b-lead_nl.md")).body().trim(), "body");
    assert_eq!(Card::parse(data!("b-hr.md")).body().trim(), "a\n\n---\n\nb");
    assert_eq!(Card::parse(data!("b-fm_like.md")).body().trim(), "---\nx: 1\n---\nbody");
}

#[test]
fn every_spelling_of_a_value_is_read() {
    for (value, expected) in [
        (" |\n  a\n  b\n", text("a\nb\n")),
        (" |-\n  a\n\n  b\n\n", text("a\n\nb")),
        (" >-\n  a\n  b\n\n  c\n", text("a b\nc")),
        (" >\n  a\n    code\n  b\n", text("a\n  code\nb\n")),
        ("\n  folded over\n  two lines\n", text("folded over two lines")),
        (" plain\n  folded\n\n  par\n", text("plain folded\npar")),
        (" \"a\n  b\"  # note\n", text("a b")),
        (" a#b # note\n", text("a#b")),
        (" http://x.y/z:1\n", text("http://x.y/z:1")),
        ("\n", FieldValue::Empty),
        (" ~\n", FieldValue::Empty),
        (" null\n", FieldValue::Empty),
        (" ''\n", text("")),
        (" no\n", text("no")),
        (" 007\n", text("007")),
        (" []\n", list(&[])),
        (" [a, 'b, c', \"d\"] # x\n", list(&["a", "b, c", "d"])),
        (" [a,\n b,\n]\n", list(&["a", "b"])),
        (" [[[a, b.md]], [[c.md]]]\n", list(&["[[a, b.md]]", "[[c.md]]"])),
        ("\n- a\n- [[b]]\n- \"c: d\"\n", list(&["a", "[[b]]", "c: d"])),
        ("\n  - a\n  # note\n  - long\n    tail\n", list(&["a", "long tail"])),
        (" [[plan #2.md]]\n", text("[[plan #2.md]]")),
        (" {a: 1}\n", FieldValue::Raw(" {a: 1}".into())),
        ("\n  a: 1\n  b: [x]\n", FieldValue::Raw("\n  a: 1\n  b: [x]".into())),
        ("\n- a: 1\n  b: 2\n- c\n", FieldValue::Raw("\n- a: 1\n  b: 2\n- c".into())),
        (" # note\n- a: 1\n", FieldValue::Raw(" # note\n- a: 1".into())),
        (" !!str 12\n", FieldValue::Raw(" !!str 12".into())),
    ] {
        check_fields(&format!("---\nk:{value}z: end\n---\n"), &[("k", expected.clone()), ("z", text("end"))]);
        let crlf = format!("---\nk:{value}z: end\n---\n").replace('\n', "\r\n");
        if !matches!(expected, FieldValue::Raw(_)) {
            check_fields(&crlf, &[("k", expected), ("z", text("end"))]);
        }
    }
}

#[test]
fn a_session_finds_its_card() {
    let link = |id: &str| format!("[[session/dialog/{id}.jsonl]]");
    for (source, id, claims) in [
        (data!("e17-num.md"), "12345", true),
        (data!("yaml-8b.md"), "8e12", true),
        (data!("yaml-8b.md"), "8000000000000", false),
        (data!("yaml-2.md"), "s-102", true),
        ("---\nsource_conversation: [[session/dialog/x.jsonl]]\n---\n", "x", true),
        ("---\nsession_id: no\n---\n", "no", true),
        (data!("yaml-1.md"), "s-101", true),
        (data!("yaml-1.md"), "s-10", false),
        (data!("yaml-15a.md"), "s-115", true),
        ("---\nname: [broken\nsession_id: brk\n---\n\nold\n", "brk", true),
        (
            "---\nname: [broken\nsource_conversation: \"[[session/dialog/brk.jsonl]]\"\n---\n\nold\n",
            "brk",
            true,
        ),
        ("---\nname: [broken\n---\n\nsession_id: brk\n", "brk", false),
        ("session_id: brk\n", "brk", false),
    ] {
        assert_eq!(Card::parse(source).claims_session(id, &link(id)), claims, "{id} in {source}");
    }
}

#[test]
fn an_edit_changes_only_its_lines() {
    let hand_made = data!("yaml-10.md");
    check_set(hand_made, "zone", text("south"), &hand_made.replace("'north'", "'south'"));
    check_set(hand_made, "name", text("12:30"), &hand_made.replace("hand-made", "\"12:30\""));
    check_set(
        hand_made,
        "memory_tags",
        list(&["a", "yes"]),
        &hand_made.replace("fold it over\n", "fold it over\nmemory_tags:\n- a\n- \"yes\"\n"),
    );
    let crlf = data!("yaml-6.md");
    check_set(crlf, "description", text("new"), &crlf.replace("windows endings", "new"));
    check_set(
        crlf,
        "memory_tags",
        list(&["oslo", "x: y"]),
        &crlf.replace("  - ferry\r\n  - oslo", "  - oslo\r\n  - \"x: y\""),
    );
    check_set(
        crlf,
        "source_images",
        list(&["a"]),
        &crlf.replace("s-106\r\n", "s-106\r\nsource_images:\r\n- a\r\n"),
    );
    let bom = data!("yaml-5.md");
    check_set(bom, "name", text("other"), &bom.replace("bom-card", "other"));
    let twice = data!("yaml-7.md");
    check_set(twice, "name", text("third"), &twice.replace("second-name", "third"));
    let bare = data!("yaml-2.md");
    check_set(bare, "name", text("z"), &bare.replace("ferry-plan", "z"));
    check_set(
        bare,
        "source_conversation",
        text("[[session/dialog/z.jsonl]]"),
        &bare.replace("[[session/dialog/s-102.jsonl]]", "\"[[session/dialog/z.jsonl]]\""),
    );
    let reme = data!("y-amp.md");
    check_set(reme, "memory_tags", list(&["a"]), &reme.replace("]]'\n", "]]'\nmemory_tags:\n- a\n"));
    let folded = data!("y-long.md");
    let (head, rest) = folded.split_once("word").unwrap();
    let (_, tail) = rest.split_once("\nname").unwrap();
    check_set(folded, "description", text("d"), &format!("{head}d\nname{tail}"));
}

#[test]
fn edits_of_lists_keep_comments_and_layout() {
    let head = |lines: &str| format!("---\n{lines}z: end\n---\nB\n");
    for (before, value, after) in [
        ("k: [a, 'b'] # c\n", list(&["b", "x, y"]), "k: ['b', \"x, y\"] # c\n"),
        ("k: # c\n- a\n# d\n- b\n", list(&["b", "e"]), "k: # c\n# d\n- b\n- e\n"),
        ("k: # c\n", list(&["b"]), "k: # c\n- b\n"),
        ("k: # c\n", text("b"), "k: b # c\n"),
        ("k:\n- a\n", list(&[]), "k: []\n"),
        ("k: a\n", list(&["b"]), "k:\n- b\n"),
        ("k:\n- a\n", text("b"), "k: b\n"),
        ("k: |\n  a\n  b\n", text("c"), "k: c\n"),
        ("k: ~\n", text("c"), "k: c\n"),
        ("k: a\n", FieldValue::Empty, "k:\n"),
        ("\"k\": a # c\n", text("b\nc"), "\"k\": \"b\\nc\" # c\n"),
    ] {
        check_set(&head(before), "k", value, &head(after));
    }
    let one = "---\nmemory_tags: Ferry\n---\n";
    let mut card = Card::parse(one);
    assert!(card.set("memory_tags", list(&["Ferry"])));
    assert_eq!(card.text(), one);
}

#[test]
fn a_block_is_made_where_there_is_none_and_left_alone_where_it_is_broken() {
    check_set("Body.\n", "name", text("new"), "---\nname: new\n---\n\nBody.\n");
    check_set("", "name", text("new"), "---\nname: new\n---\n");
    check_set("\u{feff}Body.\r\n", "name", text("new"), "\u{feff}---\r\nname: new\r\n---\r\n\r\nBody.\r\n");
    check_set(data!("yaml-15b.md"), "name", text("new"), "---\nname: new\n---\n\nEmpty block.\n");
    for broken in [data!("yaml-1.md"), data!("yaml-15a.md"), data!("yaml-15d.md")] {
        let mut card = Card::parse(broken);
        assert!(!card.set("name", text("new")) && !card.remove("name"));
        assert_eq!(card.text(), broken);
    }
}

#[test]
fn a_body_is_replaced_in_the_line_ends_of_the_file() {
    for (source, body, expected) in [
        ("---\na: b\n---\nold", "\n\nnew\n\n", "---\na: b\n---\n\nnew\n"),
        ("---\r\na: b\r\n---\r\nold", "x\ny", "---\r\na: b\r\n---\r\n\r\nx\r\ny\r\n"),
        ("---\na: b\n---", "x", "---\na: b\n---\n\nx\n"),
        ("---\na: b\n---\n\nold\n", " \n", "---\na: b\n---\n"),
        ("old\n", "new", "new\n"),
        ("---\na: b\n---\nold", "    code\n", "---\na: b\n---\n\n    code\n"),
    ] {
        let mut card = Card::parse(source);
        card.set_body(body);
        assert_eq!(card.text(), expected);
    }
}

fn value() -> impl Strategy<Value = FieldValue> {
    prop_oneof![
        ".{0,30}".prop_map(FieldValue::Text),
        "[-a-z0-9:#,'\" \\[\\]\n]{0,12}".prop_map(FieldValue::Text),
        proptest::collection::vec("[-a-z0-9:#,'\" \\[\\]~]{1,8}", 0..4).prop_map(FieldValue::List),
    ]
}

proptest! {
    #[test]
    fn parsing_never_fails(source in "(---\n)?([-a-z:#\"'|>&*{}\\[\\], \r\n\t]{0,80})(---\n)?.{0,20}") {
        let card = Card::parse(source.as_str());
        prop_assert_eq!(card.text(), source.as_str());
    }

    #[test]
    fn what_is_set_is_read_back(
        first in value(), second in value(), key in prop_oneof![Just("name"), Just("k"), Just("memory_tags")],
    ) {
        let others = "---\n# c\ndescription: d # e\nother: [1, 2]\n---\n\nBody\n";
        let mut card = Card::parse(others);
        prop_assert!(card.set(key, first.clone()));
        prop_assert_eq!(&card.field(key).unwrap().value, &first);
        prop_assert!(card.set(key, second.clone()));
        prop_assert!(card.fault().is_none());
        let set = card.field(key).unwrap().value.clone();
        let same_single = matches!((&set, &second), (FieldValue::Text(a), FieldValue::List(b)) if *b == [a.clone()]);
        prop_assert!(set == second || same_single, "{:?} != {:?} in {}", set, second, card.text());
        prop_assert!(card.remove(key));
        prop_assert_eq!(card.text(), others);
    }
}
