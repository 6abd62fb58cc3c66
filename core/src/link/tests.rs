//! Rows: a text with links, and what a rename makes of it.

use super::*;
use proptest::prelude::*;

macro_rules! data {
    ($name:literal) => {
        include_str!(concat!("../../tests/data/link/", $name))
    };
}

fn path(path: &str) -> RelPath {
    RelPath::new(path).unwrap()
}

const OLD: &str = "daily/2026-06-20/old.md";
const NEW: &str = "daily/2026-06-20/new.md";

/// Checks a rename to the byte, its list of edits, and the way back.
#[track_caller]
fn check_between(text: &str, old: &str, new: &str, short_forms: bool, expected: &str) {
    let (old, new) = (path(old), path(new));
    let Some((edited, edits)) = retarget(&path("a.md"), text, &old, &new, short_forms) else {
        assert_eq!(text, expected, "nothing was retargeted");
        return;
    };
    assert_eq!(edited, expected);
    let lines: Vec<&str> = text.split('\n').map(|line| line.trim_end_matches('\r')).collect();
    let after: Vec<&str> = edited.split('\n').map(|line| line.trim_end_matches('\r')).collect();
    for edit in &edits {
        assert_eq!((edit.before.as_str(), edit.after.as_str()), (lines[edit.line - 1], after[edit.line - 1]));
    }
    assert_eq!(edits.len(), lines.iter().zip(&after).filter(|(before, after)| before != after).count());
    let (back, _) = retarget(&path("a.md"), &edited, &new, &old, short_forms).unwrap();
    assert_eq!(back, text);
}

#[track_caller]
fn check(text: &str, expected: &str) {
    check_between(text, OLD, NEW, false, expected);
}

#[test]
fn every_form_of_a_link_follows_and_lookalikes_stay() {
    let text = data!("wikilink-1.md");
    let (head, links) = text.split_once("\n\n").unwrap();
    let links = links
        .replace("[[daily/2026-06-20/old.md", "[[daily/2026-06-20/new.md")
        .replace("[[ daily/2026-06-20/old.md ]]", "[[ daily/2026-06-20/new.md ]]")
        .replace("[[daily/2026-06-20/new.md.bak]]", "[[daily/2026-06-20/old.md.bak]]");
    check(text, &format!("{head}\n\n{links}"));
}

#[test]
fn code_is_left_alone() {
    check(data!("wikilink-2.md"), data!("wikilink-2.md"));
    assert_eq!(find(data!("wikilink-2.md")), []);
    for text in [
        "- item\n\n      [[daily/2026-06-20/old.md]]\n",
        "> ```\n> [[daily/2026-06-20/old.md]]\n> ```\n",
        "`` a ` [[daily/2026-06-20/old.md]] ``\n",
        "---\nname: a\n---\n\n\t[[daily/2026-06-20/old.md]]\r\n",
    ] {
        check(text, text);
    }
}

#[test]
fn text_around_code_is_not_code() {
    for text in [
        "a `code` [[daily/2026-06-20/old.md]] `code`\n",
        "```\ncode\n```\n[[daily/2026-06-20/old.md]]\n",
        "- a\n    - [[daily/2026-06-20/old.md]]\n",
        "a ` lone [[daily/2026-06-20/old.md]]\n",
        "---\nrelated: \"[[daily/2026-06-20/old.md#x|y]]\" # `a`\nbare: [[daily/2026-06-20/old.md]]\n---\n",
        "---\nname: never closed\n\n[[daily/2026-06-20/old.md]]\n",
        "[[daily/2026-06-20/old.md|see [1]]] [[[daily/2026-06-20/old.md]]]\n",
        "[[[[daily/2026-06-20/old.md]]\n",
    ] {
        check(text, &text.replace("old.md", "new.md"));
    }
}

#[test]
fn line_ends_marks_and_self_links_are_kept() {
    for text in [data!("wikilink-3-self.md"), data!("wikilink-4-crlf-inbound.md")] {
        check(text, &text.replace("old.md", "new.md"));
    }
    for text in [data!("bom.md"), data!("crlf.md")] {
        let expected = text.replace("old-name", "new-name");
        check_between(text, "daily/2023-09-01/old-name.md", "daily/2023-09-01/new-name.md", false, &expected);
    }
}

#[test]
fn short_forms_follow_when_they_are_clear() {
    let text = data!("inbound.md");
    let (prose, code) = text.split_once("code `").unwrap();
    let long = prose
        .replace("old-name.md", "new-name.md")
        .replace("(daily/2023-09-01/new-", "(daily/2023-09-01/old-");
    let short = long.replace("[[old-name]]", "[[new-name]]");
    let (old, new) = ("daily/2023-09-01/old-name.md", "daily/2023-09-01/new-name.md");
    check_between(text, old, new, false, &format!("{long}code `{code}"));
    check_between(text, old, new, true, &format!("{short}code `{code}"));
}

#[test]
fn quoted_and_folded_values_of_the_frontmatter_follow() {
    let plain = "daily/d/old.md";
    for (block, new, expected) in [
        ("a: '[[daily/d/old.md]]' # c\n", "daily/d/it's.md", "a: '[[daily/d/it''s.md]]' # c\n"),
        ("a:\n- '[[daily/d/old.md|x]]'\n- b\n", "daily/d/it's.md", "a:\n- '[[daily/d/it''s.md|x]]'\n- b\n"),
        ("a: [\"[[daily/d/old.md]]\", b]\n", "daily/d/it's.md", "a: [\"[[daily/d/it's.md]]\", b]\n"),
    ] {
        let file = |block: &str| format!("---\n{block}---\n\n'[[daily/d/other.md]]'\n");
        check_between(&file(block), plain, new, false, &file(expected));
    }
    let folded = "---\na: \"see \\U0001F680 [[daily/d/old\n  name.md]] there\"\nb: c\n---\n\n[[daily/d/old name.md]]\n";
    let (old, new) = (path("daily/d/old name.md"), path("daily/d/new.md"));
    let (edited, edits) = retarget(&path("a.md"), folded, &old, &new, false).unwrap();
    assert_eq!(edited, "---\na: \"see 🚀 [[daily/d/new.md]] there\"\nb: c\n---\n\n[[daily/d/new.md]]\n");
    assert_eq!(edits.iter().map(|edit| edit.line).collect::<Vec<_>>(), [2, 7]);
    assert_eq!(find(folded).iter().filter(|link| link.target == "daily/d/old name.md").count(), 2);
}

#[test]
fn composed_and_decomposed_names_are_one() {
    check_between(
        "[[daily/d/caf\u{e9}.md]]",
        "daily/d/caf\u{e9}.md",
        "daily/d/x.md",
        false,
        "[[daily/d/x.md]]",
    );
    let decomposed = "[[daily/d/cafe\u{301}.md]]";
    let old = path("daily/d/caf\u{e9}.md");
    let (edited, _) = retarget(&path("a.md"), decomposed, &old, &path("daily/d/x.md"), false).unwrap();
    assert_eq!(edited, "[[daily/d/x.md]]");
}

#[test]
fn parts_of_links_are_read() {
    for (text, target, anchor, alias, embed) in [
        ("[[a.md]]", "a.md", None, None, false),
        ("x![[ a.md #m%2F1 | b ]]y", "a.md", Some("m%2F1"), Some(" b "), true),
        ("[[a.md#]]", "a.md", Some(""), None, false),
        ("[[#here]]", "", Some("here"), None, false),
        ("|[[a.md\\|b]]|", "a.md", None, Some("b"), false),
        ("|[[a.md#c\\|b]]|", "a.md", Some("c"), Some("b"), false),
        ("[[a, b.md|c|d]]", "a, b.md", None, Some("c|d"), false),
    ] {
        let links = find(text);
        assert_eq!(links.len(), 1, "{text}");
        let link = &links[0];
        let read = (link.target.as_str(), link.anchor.as_deref(), link.alias.as_deref(), link.embed);
        assert_eq!(read, (target, anchor, alias, embed), "{text}");
    }
    for text in ["[[]]", "[[ ]]", "[[a", "[[a]", "[[a\n]]", "[a]", "[[a[b]]", "[[a] b]]"] {
        assert!(find(text).iter().all(|link| link.target != "a" && !link.target.is_empty()), "{text}");
    }
}

/// Each of these takes minutes where every bracket searches its line anew.
#[test]
fn long_lines_of_brackets_are_read_at_once() {
    const MANY: usize = 200_000;
    for (text, found) in [
        ("[".repeat(MANY), 0),
        (format!("{}]]", "[".repeat(MANY)), 0),
        ("[[a".repeat(MANY), 0),
        (format!("{}]]", "[[a".repeat(MANY)), 1),
        ("[[a|".repeat(MANY), 0),
        (format!("{}]]", "[[a|".repeat(MANY)), 1),
        (format!("{}`]]`", "[[a|".repeat(MANY)), 0),
        (format!("`{}` ]]", "[[a|".repeat(MANY)), 0),
        (format!("{}]]", "[[a#b".repeat(MANY)), 1),
        (format!("{}]]", "[[".repeat(MANY)), 0),
        ("[[a]] `b` ".repeat(MANY / 4), MANY / 4),
        ("]]".repeat(MANY), 0),
    ] {
        let start: String = text.chars().take(12).collect();
        assert_eq!(find(&text).len(), found, "{start}");
    }
}

#[test]
fn targets_are_resolved() {
    let files = ["daily/2026-06-20/old.md", "digest/wiki/caf\u{e9}.md"];
    let exists = |path: &RelPath| files.contains(&path.as_str());
    let by_stem = |stem: &str| (stem == "old").then(|| path(files[0]));
    for (target, expected) in [
        ("daily/2026-06-20/old.md", Some(files[0])),
        (" daily/2026-06-20/old ", Some(files[0])),
        ("old", Some(files[0])),
        ("old.md", Some(files[0])),
        ("digest/wiki/cafe\u{301}.md", Some(files[1])),
        ("other", None),
        ("../old", None),
        ("", None),
    ] {
        assert_eq!(resolve(target, &exists, &by_stem).as_ref().map(RelPath::as_str), expected, "{target}");
    }
}

proptest! {
    #[test]
    fn there_and_back_restores_every_byte(
        parts in proptest::collection::vec(prop_oneof![
            Just("[[daily/2026-06-20/old.md]]"), Just("![[daily/2026-06-20/old.md#a|b]]"), Just("[[old]]"),
            Just("`"), Just("```\n"), Just("\r\n"), Just("\n\n    "), Just("[["), Just("]]"), Just("|"), Just("\\|"),
            Just("---\n"), Just("é"), Just("- "), Just("\n"), Just("x "),
        ], 0..24)
    ) {
        let text = parts.concat();
        if let Some((there, edits)) = retarget(&path("a.md"), &text, &path(OLD), &path(NEW), true) {
            prop_assert!(!edits.is_empty());
            let (back, _) = retarget(&path("a.md"), &there, &path(NEW), &path(OLD), true).unwrap();
            prop_assert_eq!(back, text);
        }
    }

    #[test]
    fn finding_never_fails(text in "[\\[\\]|#`\\\\a \n\r!é-]{0,60}") {
        for link in find(&text) {
            prop_assert!(text.get(link.span).is_some());
        }
    }
}
