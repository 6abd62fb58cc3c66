//! The review screen, driven like a person would and looked at as a person would see it.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod harness;

use harness::{Harness, World, date, path};
use reme_core::dialog::Mark;
use reme_core::distill::{Draft, Item, Kind, Section};
use reme_core::import::{Conversation, Reading};
use reme_core::link::LinkEdit;
use reme_core::memorize::{Choices, MemorizeError, Outcome, Present, Proposal};
use reme_core::message::{Msg, Role};
use reme_core::store::{ChangeSet, Receipt, StoreError};
use reme_ui::effect::{Answer, Request};
use reme_ui::event::{Event, Input};

const BEFORE: &str =
    "---\nname: login\nsession_id: s\n---\n\n## Decisions\n\n- Chose SQLite over Postgres: 40 MB of data\n";
const AFTER: &str = "---\nname: login\nsession_id: s\nmemory_tags:\n- SQLite\n---\n\n## Decisions\n\n\
- Chose SQLite over Postgres: 60 MB of data [^1]\n- Jon owns the login ␛[31m日本語 [^1]\n\n\
[^1]: [[session/dialog/s.jsonl#m1]] [[session/dialog/s.jsonl#m2]]\n";

fn message(role: Role, id: &str, text: &str) -> Msg {
    Msg {
        id: Some(id.into()),
        created_at: Some("2023-01-19T08:00:00".into()),
        ..Msg::text_message(role, text)
    }
}

fn proposal() -> Proposal {
    let item = Item { text: "Chose SQLite over Postgres: 60 MB of data".into(), evidence: vec![1, 2] };
    Proposal {
        session_id: "s".into(),
        day: date("2023-01-19"),
        record: path("session/dialog/s.jsonl"),
        draft: Draft {
            name: "login".into(),
            sections: vec![Section { heading: "Decisions".into(), kind: Kind::Decision, items: vec![item] }],
            ..Draft::default()
        },
        mark: Mark::default(),
        messages: vec![
            message(Role::User, "m1", "It is 60 MB now, not 40."),
            message(Role::Assistant, "m2", "Then SQLite still does, \u{1b}[31mno Postgres."),
            message(Role::User, "m3", "Thanks!"),
        ],
        images: Vec::new(),
        present: Some(Present { path: path("daily/2023-01-19/login.md"), text: BEFORE.into() }),
        choices: Choices { name: "login".into(), tags: vec!["SQLite".into()], body: None, retarget: true },
        path: path("daily/2023-01-19/login.md"),
        text: AFTER.into(),
        links: Vec::new(),
        notes: vec!["a statement that the draft left out was put back".into()],
        needs_review: false,
        is_ours: true,
        is_named: false,
        tag_error: None,
        changes: ChangeSet::default(),
    }
}

/// The proposal as a rename makes it.
fn renamed() -> Proposal {
    let mut proposal = proposal();
    proposal.choices.name = "auth".into();
    proposal.path = path("daily/2023-01-19/auth.md");
    proposal.links = vec![LinkEdit {
        path: path("daily/2023-01-18/other.md"),
        line: 7,
        before: "See [[daily/2023-01-19/login.md]].".into(),
        after: "See [[daily/2023-01-19/auth.md]].".into(),
    }];
    proposal
}

/// A proposal under review, reached by capturing a conversation.
fn review(proposal: Proposal, width: u16, height: u16) -> Harness {
    let mut harness = Harness::new(World::sample(), width, height);
    harness.keys("a").send(Event::Input(Input::Paste("User: hi\n".into())));
    harness.answer(|_| {
        let conversation =
            Conversation { messages: vec![message(Role::User, "m1", "hi")], ..Conversation::default() };
        let reading = Reading { format: "text", sessions: vec![conversation], warnings: Vec::new() };
        vec![Answer::Recognised(Ok(reading))]
    });
    let mut proposal = Some(Box::new(proposal));
    harness.keys("Ctrl-r").answer(|_| vec![Answer::Proposed(Ok(proposal.take().map(Outcome::Proposed)))]);
    harness
}

#[test]
fn an_update_on_a_small_terminal() {
    insta::assert_snapshot!(review(proposal(), 80, 24).screen());
}

#[test]
fn a_rename_on_a_large_terminal() {
    insta::assert_snapshot!(review(renamed(), 200, 60).screen());
}

#[test]
fn a_new_card() {
    let new = Proposal { present: None, ..proposal() };
    insta::assert_snapshot!(review(new, 80, 24).text());
}

#[test]
fn no_size_panics() {
    for proposal in [proposal(), renamed(), Proposal { present: None, ..proposal() }] {
        let mut harness = review(proposal, 80, 24);
        for (width, height) in [(1, 1), (0, 0), (3, 2), (40, 10), (41, 11), (119, 12), (120, 10), (200, 60)] {
            for keys in ["G", "Tab", "Tab", "e", "Esc", "n", "Esc", "t", "Esc", "x", "n"] {
                harness.resize(width, height).keys(keys).text();
            }
        }
    }
}

#[test]
fn the_cursor_stays_with_its_statement() {
    let marked = |harness: &mut Harness| {
        let text = harness.text();
        text.lines()
            .find_map(|line| line.split_once('▌'))
            .map(|(_, line)| line.trim_end_matches(['│', '┃', ' ']).to_owned())
    };
    let mut harness = review(Proposal { present: None, ..proposal() }, 80, 24);
    harness.keys("j");
    let before = marked(&mut harness);
    assert!(before.as_ref().is_some_and(|line| line.contains("Jon owns")), "{before:?}");
    harness.keys("t b Enter");
    let longer = |choices| {
        let text = AFTER.replace("- SQLite\n", "- SQLite\n- b\n");
        Ok(Proposal { present: None, choices, text, ..proposal() })
    };
    plan(&mut harness, longer);
    harness.keys("Tab Tab Tab");
    assert_eq!(marked(&mut harness), before);
}

/// Answers the planning that is asked for, and returns the choices that it was asked with.
fn plan(harness: &mut Harness, make: impl Fn(Choices) -> Result<Proposal, MemorizeError>) -> Vec<Choices> {
    let mut asked = Vec::new();
    harness.answer(|request| match request {
        Request::Revise(_, choices) => {
            asked.push(choices.clone());
            vec![Answer::Revised(make(choices).map(Box::new))]
        }
        other => panic!("{other:?}"),
    });
    asked
}

fn as_chosen(choices: Choices) -> Result<Proposal, MemorizeError> {
    Ok(Proposal { choices, ..proposal() })
}

#[test]
fn choices_are_planned_and_shown() {
    for (keys, expected) in [
        ("n Ctrl-u a u t h Enter", Choices { name: "auth".into(), ..proposal().choices }),
        ("Tab Enter Ctrl-u x Enter", Choices { name: "x".into(), ..proposal().choices }),
        ("t O s l o Enter", Choices { tags: vec!["SQLite".into(), "Oslo".into()], ..proposal().choices }),
        ("Tab Tab Enter", Choices { tags: Vec::new(), ..proposal().choices }),
        (
            "Tab Tab l Enter N e w Enter",
            Choices { tags: vec!["SQLite".into(), "New".into()], ..proposal().choices },
        ),
        ("f", Choices { retarget: false, ..proposal().choices }),
    ] {
        let mut harness = review(proposal(), 120, 30);
        assert_eq!(plan(harness.keys(keys), as_chosen), [expected], "{keys}");
    }
    let mut harness = review(proposal(), 120, 30);
    harness.keys("e x Esc");
    let body = plan(&mut harness, as_chosen).remove(0).body.unwrap();
    assert!(body.starts_with("x## Decisions\n\n- Chose"), "{body}");
}

#[test]
fn what_is_left_as_it_was_is_not_planned() {
    for keys in ["n a b Esc", "n Enter", "t Enter", "t x Esc", "e Esc", "n / Enter"] {
        let mut harness = review(proposal(), 80, 24);
        harness.keys(keys);
        assert!(harness.pending.is_empty(), "{keys}: {:?}", harness.pending);
    }
    let text = review(proposal(), 120, 30).keys("n Ctrl-u / Enter").text();
    assert!(text.contains("The name cannot be used"), "{text}");
}

#[test]
fn a_tag_that_was_taken_off_can_be_taken_again() {
    let mut harness = review(proposal(), 120, 30);
    plan(harness.keys("Tab Tab Enter"), as_chosen);
    assert!(harness.text().contains("· SQLite"));
    assert_eq!(plan(harness.keys("Enter"), as_chosen), [proposal().choices]);
    assert!(harness.text().contains("✓ SQLite"));
}

#[test]
fn what_is_accepted_is_what_is_on_screen() {
    for keys in ["y", "Tab Tab Tab Enter"] {
        let mut harness = review(proposal(), 80, 24);
        harness.keys(keys).answer(|request| match request {
            Request::Accept(accepted) => {
                assert_eq!(*accepted, proposal());
                vec![Answer::Accepted(Ok(Receipt {
                    operation: "1".into(),
                    paths: vec![accepted.path.clone()],
                }))]
            }
            other => panic!("{other:?}"),
        });
        assert!(harness.text().contains("Written: daily/2023-01-19/login.md"), "{}", harness.text());
        assert_eq!(harness.app.context().accepted, [path("daily/2023-01-19/login.md")]);
    }
}

#[test]
fn accepting_waits_for_the_plan_of_the_last_change() {
    let mut harness = review(proposal(), 80, 24);
    harness.keys("f y f");
    assert_eq!(harness.pending.len(), 1);
    assert_eq!(plan(&mut harness, as_chosen).len(), 1);
    assert_eq!(plan(&mut harness, as_chosen), [proposal().choices], "the second change");
    harness.answer(|request| match request {
        Request::Accept(accepted) => {
            assert_eq!(*accepted, proposal());
            Vec::new()
        }
        other => panic!("{other:?}"),
    });
}

#[test]
fn a_conflict_is_planned_again_and_not_accepted_by_itself() {
    let mut harness = review(proposal(), 80, 24);
    let conflict = || MemorizeError::Store(StoreError::Conflict { path: path("daily/2023-01-19/login.md") });
    harness.keys("y").answer(|_| vec![Answer::Accepted(Err(conflict()))]);
    let text = harness.text();
    assert!(text.contains("Changed on disk") && text.contains("Nothing"), "{text}");
    let mut replanned = 0;
    harness.answer(|request| match request {
        Request::Replan(old) => {
            assert_eq!(*old, proposal());
            replanned += 1;
            vec![Answer::Revised(Ok(Box::new(proposal())))]
        }
        other => panic!("{other:?}"),
    });
    assert_eq!(replanned, 1);
    assert!(harness.pending.is_empty());
    assert!(harness.keys("Esc").text().contains("Accept"));
}

#[test]
fn rejecting_and_leaving_ask() {
    let mut harness = review(proposal(), 80, 24);
    let text = harness.keys("x").text();
    assert!(text.contains("Reject? No card is written") && !text.contains("y accept"), "{text}");
    assert!(harness.keys("n").pending.is_empty());
    harness.keys("x y").answer(|request| match request {
        Request::Reject(_) => vec![Answer::Rejected(Ok(()))],
        other => panic!("{other:?}"),
    });
    assert!(harness.text().contains("Rejected; no card was written"));

    let mut harness = review(proposal(), 80, 24);
    assert!(harness.keys("Esc").text().contains("Leave without a decision"));
    assert!(harness.keys("Enter").text().contains("Evidence"));
    assert!(harness.keys("q y").text().contains("Recognised"), "back to the captured text");
}

#[test]
fn a_bug_behind_the_screen_leaves_the_proposal() {
    for keys in ["y", "f", "f y", "x y"] {
        let mut harness = review(proposal(), 80, 24);
        harness.keys(keys).answer(|_| vec![Answer::Failed("reme met a bug".into())]);
        assert!(harness.text().contains("reme met a bug"), "{keys}");
        harness.keys("Esc y").answer(|request| match request {
            Request::Accept(accepted) => {
                assert_eq!(*accepted, proposal(), "{keys}");
                Vec::new()
            }
            other => panic!("{keys}: {other:?}"),
        });
    }
}
