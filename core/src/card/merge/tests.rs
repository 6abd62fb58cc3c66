//! Rows: a body and a draft, and the body that comes of them.

use super::*;
use crate::distill::{Item, Section};
use crate::message::{Msg, Role};
use crate::workspace::RelPath;
use proptest::prelude::*;

const NOTES: &str = "[^1]: [[session/dialog/s.jsonl#m1]]\n[^2]: [[session/dialog/s.jsonl#m2]]\n";

fn section(heading: &str, kind: Kind, items: &[(&str, &[usize])]) -> Section {
    let item =
        |(text, evidence): &(&str, &[usize])| Item { text: (*text).into(), evidence: evidence.to_vec() };
    Section { heading: heading.into(), kind, items: items.iter().map(item).collect() }
}

fn merged(body: &str, sections: Vec<Section>) -> Merged {
    merged_draft(body, &Draft { sections, ..Draft::default() })
}

fn merged_draft(body: &str, draft: &Draft) -> Merged {
    let record = RelPath::new("session/dialog/s.jsonl").unwrap();
    let message = |n: usize| Msg { id: Some(format!("m{n}")), ..Msg::text_message(Role::User, "x") };
    let messages: Vec<Msg> = (1..=5).map(message).collect();
    merge(body, draft, &RenderContext { record: &record, messages: &messages, may_link: &|_| false })
}

#[track_caller]
fn check(body: &str, sections: Vec<Section>, expected: &str, put_back: &[&str]) {
    for crlf in [false, true] {
        let ends = |text: &str| if crlf { text.replace('\n', "\r\n") } else { text.to_owned() };
        let merged = merged(&ends(body), sections.clone());
        assert_eq!(merged.body, ends(expected));
        assert_eq!(merged.put_back, put_back);
    }
}

#[test]
fn a_new_statement_joins_its_section() {
    check(
        &format!(
            "## Facts\n\n- Flat in Oslo [^1]\n\n```sh\nmine\n```\n\n## Next\n\n* Call Ann [^2]\n\n{NOTES}"
        ),
        vec![
            section("facts", Kind::Fact, &[("Flat in Oslo", &[1]), ("Cat called Tom", &[3])]),
            section("Preferences", Kind::Preference, &[("Short answers", &[2])]),
        ],
        &format!(
            "## Facts\n\n- Flat in Oslo [^1]\n- Cat called Tom [^3]\n\n```sh\nmine\n```\n\n## Next\n\n* Call Ann [^2]\n\n\
             ## Preferences\n\n- Short answers [^2]\n\n{NOTES}[^3]: [[session/dialog/s.jsonl#m3]]\n"
        ),
        &["Call Ann"],
    );
}

#[test]
fn what_the_draft_left_out_stays_and_is_told() {
    let body = format!("## Facts\n\n- Flat in Oslo [^1]\n- Cat called Tom [^2]\n\n{NOTES}");
    check(&body, vec![section("Facts", Kind::Fact, &[("Flat in Oslo.", &[1])])], &body, &["Cat called Tom"]);
    check(&body, vec![], &body, &["Flat in Oslo", "Cat called Tom"]);
}

#[test]
fn a_snapshot_replaces_state() {
    let body = format!(
        "## State\n\n- Login done [^1]\n- Tests blocked [^2]\n\n| a | b |\n|---|---|\n| c | d |\n\n## Facts\n\n- F [^1]\n\n{NOTES}"
    );
    check(
        &body,
        vec![section("Current state", Kind::State, &[("Login done", &[1]), ("Release is next", &[2])])],
        &body
            .replace("- Tests blocked [^2]\n", "")
            .replace("done [^1]\n", "done [^1]\n- Release is next [^2]\n"),
        &["F"],
    );
    check(
        &body,
        vec![section("State", Kind::State, &[("All done", &[2])])],
        &body.replace("- Login done [^1]\n- Tests blocked [^2]\n", "- All done [^2]\n"),
        &["F"],
    );
    check(
        &body,
        vec![section("Next steps", Kind::Other, &[("All done", &[2])])],
        &body.replace("- Login done [^1]\n- Tests blocked [^2]\n", "- All done [^2]\n"),
        &["F"],
    );
    // Without a newer snapshot the old one holds, and is nothing that was left out of facts.
    check(&body, vec![section("Facts", Kind::Fact, &[("F", &[1])])], &body, &["Login done", "Tests blocked"]);
}

#[test]
fn a_statement_said_again_is_worded_anew() {
    check(
        &format!(
            "## Facts\n\n- The budget is 40 MB [^1]\n- Budget: 40 MB in all [^2]\n- Uses Postgres [^2]\n\n{NOTES}"
        ),
        vec![section("Facts", Kind::Fact, &[("The budget is now 50 MB", &[3]), ("SQLite instead", &[2])])],
        &format!(
            "## Facts\n\n- The budget is now 50 MB [^3]\n- Budget: 40 MB in all [^2]\n- SQLite instead [^2]\n\n\
             {NOTES}[^3]: [[session/dialog/s.jsonl#m3]]\n"
        ),
        &["Budget: 40 MB in all"],
    );
}

#[test]
fn what_a_person_wrote_stays() {
    // Items without evidence in a card of ours, prose, history.
    let body = format!(
        "My own words about the budget of 40 MB.\n\n## Facts\n\n- The budget is 40 MB\n- Old fact here [^1]\n\n## History\n\n- Moved to Oslo in May [^2]\n\n{NOTES}"
    );
    let merged = merged(
        &body,
        vec![section(
            "Facts",
            Kind::Fact,
            &[("The budget is 40 MB really", &[1]), ("Moved to Oslo in May 2020", &[3])],
        )],
    );
    assert_eq!(merged.body, body);
    assert_eq!(merged.put_back, ["Old fact here"]);
}

#[test]
fn a_card_of_another_program_is_merged_by_words() {
    check(
        "Jon lost his job today.\n\n- likes tea\n",
        vec![section("Facts", Kind::Fact, &[("Jon lost his job today, 19 January", &[1])])],
        "Jon lost his job today, 19 January [^1]\n\n- likes tea\n\n[^1]: [[session/dialog/s.jsonl#m1]]\n",
        &["likes tea"],
    );
    check(
        "# Job\n\ntext",
        vec![section("Job", Kind::Fact, &[("New fact", &[])]), section("New", Kind::Fact, &[("b", &[])])],
        "# Job\n\ntext\n\n- New fact\n\n## New\n\n- b",
        &["text"],
    );
}

#[test]
fn lists_keep_their_markers_and_nesting() {
    check(
        "## A\n\n1. one [^1]\n2. two [^2]\n   - nested [^2]\n\n[^1]: [[session/dialog/s.jsonl#m1]]\n[^2]: [[session/dialog/s.jsonl#m2]]\n",
        vec![section("A", Kind::Fact, &[("three new words", &[1])])],
        "## A\n\n1. three new words [^1]\n2. two [^2]\n   - nested [^2]\n\n[^1]: [[session/dialog/s.jsonl#m1]]\n[^2]: [[session/dialog/s.jsonl#m2]]\n",
        &["two", "nested"],
    );
    check(
        "## A\n\n1. one\n2. two\n   - nested\n",
        vec![section("A", Kind::Fact, &[("fresh words", &[])])],
        "## A\n\n1. one\n2. two\n   - nested\n3. fresh words\n",
        &["one", "two", "nested"],
    );
}

#[test]
fn a_body_draft_replaces_only_what_we_wrote() {
    let draft = Draft { body: Some("# New\n\n- x\n".into()), ..Draft::default() };
    let ours = format!("## Facts\n\n- Flat in Oslo [^1]\n\n{NOTES}");
    for (body, needs_review) in
        [("", false), (ours.as_str(), false), (&format!("{ours}\nMine.\n"), true), ("- by hand\n", true)]
    {
        let merged = merged_draft(body, &draft);
        assert_eq!((merged.body.as_str(), merged.needs_review), ("# New\n\n- x", needs_review), "{body}");
        assert_eq!(merged.added, ["x"]);
    }
}

proptest! {
    #[test]
    fn the_same_draft_changes_nothing_twice_and_blocks_stay(
        blocks in proptest::collection::vec(prop_oneof![
            Just("## Facts\n\n"), Just("## State\n\n"), Just("- Flat in Oslo\n"), Just("- Cat called Tom [^1]\n"),
            Just("  - nested words here\n"), Just("\n"), Just("```\n- code\n```\n\n"), Just("\n| a |\n|---|\n| b |\n\n"),
            Just("\nSome prose of mine.\n\n"), Just("1. first\n"), Just("> quote\n\n"),
        ], 0..12)
    ) {
        let body = format!("{}\n{NOTES}", blocks.concat());
        let sections = vec![
            section("Facts", Kind::Fact, &[("Cat called Tom", &[1]), ("Fresh thing seen", &[4])]),
            section("State", Kind::State, &[("Everything works", &[5])]),
        ];
        let once = merged(&body, sections.clone());
        for block in ["```\n- code\n```", "| a |\n|---|\n| b |", "Some prose of mine.", "> quote"] {
            prop_assert_eq!(once.body.matches(block).count(), body.matches(block).count(), "{} in\n{}", block, once.body);
        }
        prop_assert!(once.body.contains("Everything works") && once.body.contains("Fresh thing seen"));
        let twice = merged(&once.body, sections);
        prop_assert_eq!(twice.body, once.body);
    }
}
