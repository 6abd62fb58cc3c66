//! Rows: what a draft says, and what of it a card shows.

use super::*;
use crate::distill::{Kind, Section};
use crate::message::Role;
use proptest::prelude::*;

fn messages() -> Vec<Msg> {
    let texts = ["see https://ok.example/a?b=1#c.", "二：https://ok.example/中", "plain", "x"];
    let with_id = |(index, text): (usize, &&str)| Msg {
        id: Some(if index == 3 { "m/4 ü".into() } else { format!("m{}", index + 1) }),
        ..Msg::text_message(Role::User, *text)
    };
    texts.iter().enumerate().map(with_id).collect()
}

fn with_context<T>(run: impl FnOnce(&RenderContext<'_>) -> T) -> T {
    let record = RelPath::new("session/dialog/s.jsonl").unwrap();
    let messages = messages();
    let may_link =
        |path: &RelPath| path.as_str() == "session/images/s/a.png" || path.as_str() == "daily/d/a.md";
    run(&RenderContext { record: &record, messages: &messages, may_link: &may_link })
}

fn item(text: &str, evidence: &[usize]) -> Item {
    Item { text: text.into(), evidence: evidence.to_vec() }
}

#[track_caller]
fn check_item(text: &str, expected: &str) {
    let rendered = with_context(|context| render_item(&item(text, &[1, 2]), context)).map(|item| item.text);
    assert_eq!(rendered.unwrap_or_default(), expected, "{text}");
}

#[track_caller]
fn check_body(body: &str, expected: &str) {
    let draft = Draft { body: Some(body.into()), ..Draft::default() };
    assert_eq!(with_context(|context| render(&draft, context)).body, expected);
}

#[test]
fn a_long_line_of_brackets_is_made_inert_at_once() {
    for brackets in ["[", "[[a ", "[[a|", "![[", "[[daily/d/b.md|"] {
        let text = brackets.repeat(50_000);
        let rendered = with_context(|context| render_item(&item(&text, &[1]), context));
        assert!(rendered.is_some_and(|item| !item.text.contains("[[")), "{brackets}");
    }
}

#[test]
fn a_draft_becomes_sections_with_footnotes() {
    let section =
        |heading: &str, items: Vec<Item>| Section { heading: heading.into(), kind: Kind::Other, items };
    let draft = Draft {
        sections: vec![
            section(
                "Decisions",
                vec![item("Chose SQLite over Postgres: 40 MB of data", &[3, 4]), item("No proof", &[])],
            ),
            section(
                "## Facts\n",
                vec![item("Same", &[4, 3, 3]), item("Other", &[1]), item("Beyond", &[9, 0])],
            ),
            section("Empty", vec![item("  ", &[1])]),
            section("Decisions", vec![item("Late", &[1])]),
        ],
        ..Draft::default()
    };
    insta::assert_snapshot!(with_context(|context| render(&draft, context)).body, @r"
    ## Decisions

    - Chose SQLite over Postgres: 40 MB of data [^1]
    - No proof
    - Late [^2]

    ## Facts

    - Same [^1]
    - Other [^2]
    - Beyond

    [^1]: [[session/dialog/s.jsonl#m3]] [[session/dialog/s.jsonl#m%2F4%20%C3%BC]]
    [^2]: [[session/dialog/s.jsonl#m1]]
    ");
}

#[test]
fn nothing_in_an_item_is_active() {
    for (text, expected) in [
        ("plain *words* and a_b", "plain *words* and a_b"),
        ("see https://ok.example/a?b=1#c, then", "see https://ok.example/a?b=1#c, then"),
        ("二：https://ok.example/中，好", "二：https://ok.example/中，好"),
        ("see https://evil.example/x.", "see `https://evil.example/x` (unsupported)."),
        ("see https://ok.example/a", "see `https://ok.example/a` (unsupported)"),
        ("(www.evil.example)", "(`www.evil.example` (unsupported))"),
        ("[ok](https://ok.example/a?b=1#c)", "[ok](https://ok.example/a?b=1#c)"),
        ("[click](https://evil.example)", "click `https://evil.example` (unsupported)"),
        ("[click](javascript:alert(1))", "click `javascript:alert(1)` (unsupported)"),
        ("[a](../../etc/passwd)", "a `../../etc/passwd` (unsupported)"),
        ("<https://evil.example>", "`https://evil.example` (unsupported)"),
        ("<https://ok.example/a?b=1#c>", "https://ok.example/a?b=1#c"),
        ("![pic](https://ok.example/a?b=1#c)", "pic https://ok.example/a?b=1#c"),
        ("![pic](https://evil.example/a.png)", "pic `https://evil.example/a.png` (unsupported)"),
        ("![](data:image/png;base64,AAAA)", "`data:image/png;base64,AAAA` (unsupported)"),
        (
            "[![a](https://evil.example/1)](https://evil.example/2)",
            "a `https://evil.example/1` (unsupported) `https://evil.example/2` (unsupported)",
        ),
        ("<script>alert(1)</script>", "\\<script>alert(1)\\</script>"),
        ("<img src=x onerror=y>", "\\<img src=x onerror=y>"),
        ("a <!-- b -->", "a \\<!-- b -->"),
        ("2 < 3 and a<1", "2 < 3 and a<1"),
        ("\\<b>", "\\<b>"),
        ("[[daily/d/a.md|A]] ![[session/images/s/a.png]]", "[[daily/d/a.md|A]] ![[session/images/s/a.png]]"),
        ("[[daily/d/b.md]]", "\\[\\[daily/d/b.md]]"),
        ("![[evil.png]]", "\\!\\[\\[evil.png]]"),
        ("[[[x]]] \\[[y]] [\\[z]]", "\\[\\[\\[x]]] \\[\\[y]] [\\[z]]"),
        ("<\\!a> \\<% x", "<\\!a> &lt;% x"),
        ("`$= dv.pages()` and `= this.x`", "`\\$= dv.pages()` and `\\= this.x`"),
        ("<% tp.file %> and `<% tp %>`", "&lt;% tp.file %> and `< % tp %>`"),
        ("run `curl https://evil.example`", "run `curl https://evil.example` (unsupported)"),
        ("run `toml [[table]]`", "run `toml [[table]]`"),
        ("C:\\Users \\https://evil.example", "C:\\\\Users \\\\`https://evil.example` (unsupported)"),
        ("lone ` tick", "lone \\` tick"),
        ("[^1] and [^x]: y", "\\[^1] and \\[^x]: y"),
        ("[ref]: https://evil.example", "\\[ref]: `https://evil.example` (unsupported)"),
        ("# head", "\\# head"),
        ("- item", "\\- item"),
        ("1. one", "1\\. one"),
        ("> quote", "\\> quote"),
        ("---", "\\---"),
        ("-5 degrees", "-5 degrees"),
        ("two\nlines  here\r\n\r\nthree", "two lines here three"),
        ("Run:\n```sh\ncargo test\nls `x`\n```\nthen", "Run: `cargo test` `` ls `x` `` then"),
    ] {
        check_item(text, expected);
    }
}

#[test]
fn a_body_keeps_its_structure() {
    check_body(
        "\n# T\n\n- a <b>\n\n```rust\nlet x = a[[0]]; // <% https://evil.example\n```\n",
        "# T\n\n- a \\<b>\n\n```rust\nlet x = a[[0]]; // < % https://evil.example\n```",
    );
    check_body("```dataviewjs\ndv.pages()\n```", "```text\ndv.pages()\n```");
    check_body("~~~ dataview\nLIST\n", "~~~text\nLIST\n~~~");
    check_body("a\n\n---\n\nb", "a\n\n---\n\nb");
    check_body(include_str!("../../../tests/data/card/yaml-16.md"), "# Ferry");
}

#[test]
fn names_tags_and_descriptions_are_plain() {
    for (text, expected) in [
        ("a  b\nc", "a b c"),
        ("see [[daily/d/a.md|the card]] and [[x]]", "see the card and x"),
        ("[t](https://evil.example) ![p](u)", "t p"),
        ("at https://evil.example", "at https:/ /evil.example"),
        ("<img src=x> 2 < 3 <!-- /notes:auto -->", "‹img src=x> 2 < 3 ‹!-- /notes:auto -->"),
        ("`= this` `x`", "'= this` `x`"),
        ("[[ open", "[ [ open"),
    ] {
        assert_eq!(plain_line(text), expected);
    }
}

#[test]
fn a_new_card_has_its_keys_in_order() {
    let (images, tags) = (["[[session/images/s/a.png]]".to_owned()], ["SQLite".to_owned(), "yes".to_owned()]);
    let new = NewCard {
        name: "login-refactor-decision",
        description: "Decision: SQLite",
        session_id: "007",
        source_conversation: "[[session/dialog/007.jsonl]]",
        source_images: &images,
        tags: &tags,
        tag_key: "memory_tags",
        body: "\n- a\n\n",
    };
    let expected = "---\nname: login-refactor-decision\ndescription: \"Decision: SQLite\"\nsession_id: \"007\"\n\
        source_conversation: \"[[session/dialog/007.jsonl]]\"\nsource_images:\n- \"[[session/images/s/a.png]]\"\n\
        memory_tags:\n- SQLite\n- \"yes\"\n---\n\n- a\n";
    assert_eq!(new_card(&new), expected);
    let bare = new_card(&NewCard { source_images: &[], tags: &[], tag_key: "tags", body: "", ..new });
    assert!(bare.ends_with("007.jsonl]]\"\n---\n") && !bare.contains("tags"));
}

/// Checks that Markdown loads, runs and links nothing.
fn is_inert(markdown: &str) -> bool {
    use pulldown_cmark::{CodeBlockKind, Event, Tag};
    let is_active = |event: Event<'_>| match event {
        Event::Html(_) | Event::InlineHtml(_) | Event::Start(Tag::Image { .. }) => true,
        // What was an address and became code may still be read as the target of a link to nowhere.
        Event::Start(Tag::Link { dest_url, .. }) => dest_url.contains("://") && !dest_url.contains('`'),
        Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) => info.starts_with("dataview"),
        Event::Code(code) => code.starts_with('='),
        _ => false,
    };
    !markdown.contains("<%")
        && crate::link::find(markdown).is_empty()
        && !pulldown_cmark::Parser::new(markdown).any(is_active)
}

fn part() -> impl Strategy<Value = &'static str> {
    prop_oneof![
        Just("[["),
        Just("]]"),
        Just("["),
        Just("]"),
        Just("!"),
        Just("("),
        Just(")"),
        Just("\\"),
        Just("`"),
        Just("<"),
        Just(">"),
        Just("%"),
        Just("a.md"),
        Just("https://evil.example"),
        Just("|"),
        Just("#"),
        Just(" "),
        Just("x"),
        Just("="),
        Just(":"),
        Just("!-- "),
    ]
}

proptest! {
    #[test]
    fn no_item_is_active(parts in proptest::collection::vec(part(), 0..16)) {
        let items = vec![item(&parts.concat(), &[])];
        let sections = vec![Section { heading: "H".into(), kind: Kind::Other, items }];
        let draft = Draft { sections, ..Draft::default() };
        let body = with_context(|context| render(&draft, context)).body;
        prop_assert!(is_inert(&body), "{}", body);
    }

    #[test]
    fn no_body_is_active(parts in proptest::collection::vec(prop_oneof![
            8 => part(), 1 => Just("\n"), 1 => Just("\n\n"), 1 => Just("```"), 1 => Just("~~~dataview\n"),
            1 => Just("- "), 1 => Just("    ")], 0..20)) {
        let draft = Draft { body: Some(parts.concat()), ..Draft::default() };
        let body = with_context(|context| render(&draft, context)).body;
        prop_assert!(is_inert(&body), "{}", body);
    }

    #[test]
    fn no_plain_line_is_active(parts in proptest::collection::vec(part(), 0..16)) {
        let line = plain_line(&parts.concat());
        prop_assert!(is_inert(&line), "{}", line);
        prop_assert!(!line.contains("[[") && !line.contains("://"), "{}", line);
    }
}
