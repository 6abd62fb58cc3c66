//! The capture screen, driven like a person would and looked at as a person would see it.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod harness;

use crossterm::event::MouseEventKind;
use harness::{Harness, World};
use reme_core::distill::DistillError;
use reme_core::import::{Conversation, ImportError, Reading, Warning};
use reme_core::memorize::{MemorizeError, Outcome, Recorded, Submission};
use reme_core::message::{Msg, Role};
use reme_ui::effect::{Answer, Request};
use reme_ui::event::{Event, Input};
use std::sync::Arc;

fn message(role: Role, minute: u32, text: &str) -> Msg {
    Msg { created_at: Some(format!("2023-01-19T08:{minute:02}:00")), ..Msg::text_message(role, text) }
}

fn reading() -> Reading {
    let messages = vec![
        message(Role::User, 0, "Jon lost his job today."),
        message(Role::Assistant, 1, "I am sorry to hear that. \u{1b}[31mWhat happened?"),
    ];
    let warning = Warning { code: "invalid_timestamp", message: "message 3 has no valid time".into() };
    Reading {
        format: "text",
        sessions: vec![Conversation { messages, ..Conversation::default() }],
        warnings: vec![
            warning,
            Warning { code: "missing_id", message: "2 messages have no id; stable ones are derived".into() },
        ],
    }
}

fn start(width: u16, height: u16) -> Harness {
    let mut harness = Harness::new(World::sample(), width, height);
    harness.keys("a");
    harness
}

fn paste(harness: &mut Harness, text: &str) {
    harness.send(Event::Input(Input::Paste(text.to_owned())));
}

const TALK: &str = "User: Jon lost his job today.\nAssistant: I am sorry to hear that.\n\u{1b}[201~:q\n";

/// Pasted, recognised.
fn captured(width: u16, height: u16) -> Harness {
    let mut harness = start(width, height);
    paste(&mut harness, TALK);
    harness.answer(|request| match request {
        Request::Recognise(bytes, None) => {
            assert_eq!(bytes.as_ref(), TALK.as_bytes());
            vec![Answer::Recognised(Ok(reading()))]
        }
        other => panic!("{other:?}"),
    });
    harness
}

#[test]
fn small_terminal() {
    insta::assert_snapshot!(captured(80, 24).screen());
}

#[test]
fn large_terminal() {
    insta::assert_snapshot!(captured(200, 60).screen());
}

#[test]
fn an_empty_screen_teaches() {
    let text = start(80, 24).text();
    for part in ["Paste a conversation here", "Ctrl-O", "Nothing yet", "Memorize"] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn no_size_panics() {
    let mut harness = captured(80, 24);
    for (width, height) in [(1, 1), (0, 0), (3, 2), (40, 10), (41, 11), (99, 12), (100, 10), (200, 60)] {
        harness.resize(width, height).text();
        harness.keys("Tab Esc").text();
        harness.keys("Esc").text();
    }
}

/// The submission that memorizing asks for.
fn submitted(harness: &mut Harness) -> Option<Submission> {
    let mut found = None;
    harness.answer(|request| {
        if let Request::Memorize(submission) = request {
            found = Some(submission);
        }
        Vec::new()
    });
    found
}

#[test]
fn the_screen_memorizes_what_it_shows() {
    for keys in ["Ctrl-r", "S-Tab Enter", "S-Tab m", "Tab Tab Tab Tab Enter"] {
        let mut harness = captured(80, 24);
        let submission = submitted(harness.keys(keys)).unwrap_or_else(|| panic!("{keys}"));
        assert_eq!(submission.messages, reading().sessions[0].messages);
        assert!(submission.session_id.starts_with("2023-01-19-text-"), "{}", submission.session_id);
        assert_eq!(submission.date, None);
    }
}

#[test]
fn session_and_day_are_checked_while_they_are_typed() {
    for (keys, said) in [
        ("Tab Tab Ctrl-u . . / x", "Session id:"),
        ("Tab Tab Tab Ctrl-u 2 0 2 3", "write the day as YYYY-MM-DD"),
        ("Tab Tab Tab Ctrl-u 2 0 2 3 - 0 2 - 3 0", "write the day as YYYY-MM-DD"),
    ] {
        let mut harness = captured(80, 24);
        let text = harness.keys(keys).text();
        assert!(text.contains(said), "{keys}: {text}");
        assert!(submitted(harness.keys("Ctrl-r")).is_none(), "{keys}");
        assert!(harness.text().contains("change it first"), "{keys}");
    }
    let mut harness = captured(80, 24);
    harness.keys("Tab Tab Ctrl-u m y - i d Tab Ctrl-u 2 0 2 4 - 0 2 - 2 9");
    let submission = submitted(harness.keys("Ctrl-r")).unwrap();
    assert_eq!(
        (submission.session_id.as_str(), submission.date),
        ("my-id", Some(harness::date("2024-02-29")))
    );
}

#[test]
fn a_file_is_opened_by_its_path() {
    let mut harness = start(80, 24);
    harness.keys("Ctrl-o / x / t . m d Enter");
    harness.answer(|request| match request {
        Request::ReadPath(path) => {
            assert_eq!(path.to_str(), Some("/x/t.md"));
            vec![Answer::Bytes(Err("cannot read /x/t.md: no such file. Check the path".into()))]
        }
        other => panic!("{other:?}"),
    });
    assert!(harness.text().contains("no such file"));
    harness.keys("Enter");
    harness.answer(|_| vec![Answer::Bytes(Ok(Arc::from(&b"User: hi\r\n\x1b]0;x\x07\n"[..])))]);
    harness.answer(|request| match request {
        Request::Recognise(bytes, name) => {
            assert_eq!((bytes.as_ref(), name.as_deref()), (&b"User: hi\r\n\x1b]0;x\x07\n"[..], Some("t.md")));
            vec![Answer::Recognised(Err(ImportError {
                format: "unknown",
                code: "unrecognised",
                message: "this is no conversation that is known".into(),
            }))]
        }
        other => panic!("{other:?}"),
    });
    let text = harness.text();
    assert!(
        text.contains("t.md · 17 bytes") && text.contains("␛]0;x␇") && text.contains("no conversation"),
        "{text}"
    );
    assert!(submitted(harness.keys("Ctrl-r")).is_none());
}

#[test]
fn the_waiting_file_is_memorized_at_once_and_waits_no_longer() {
    let mut harness = Harness::waiting(World::sample(), 80, 24, Some("/x/talk.txt"));
    assert!(harness.text().contains("1 waiting"));
    harness.keys("m").answer(|_| vec![Answer::Bytes(Ok(Arc::from(&b"User: hi\n"[..])))]);
    harness.answer(|_| vec![Answer::Recognised(Ok(reading()))]);
    harness.answer(|request| match request {
        Request::Memorize(_) => vec![Answer::Proposed(Ok(None))],
        other => panic!("{other:?}"),
    });
    assert!(harness.text().contains("Nothing new"));
    assert!(!harness.keys("Esc Esc").text().contains("1 waiting"));
}

#[test]
fn only_the_newest_text_is_recognised() {
    let mut harness = start(80, 24);
    harness.keys("a b c");
    let mut asked = Vec::new();
    for _ in 0..3 {
        harness.answer(|request| {
            let Request::Recognise(bytes, _) = request else { panic!() };
            asked.push(String::from_utf8_lossy(&bytes).into_owned());
            vec![Answer::Recognised(Err(ImportError {
                format: "unknown",
                code: "x",
                message: asked.last().unwrap().clone(),
            }))]
        });
    }
    assert_eq!(asked, ["a", "abc"]);
}

#[test]
fn a_paste_never_acts_and_large_ones_are_held_aside() {
    let mut harness = start(80, 24);
    paste(&mut harness, &"m\u{3}\u{1b}\nq\n".repeat(100_000));
    assert!(!harness.left);
    let text = harness.text();
    assert!(text.contains("Pasted text · 600 kB") && text.contains("m␃␛"), "{text}");
    harness.keys("End").text();
    harness.mouse(MouseEventKind::ScrollUp, 5, 5).keys("Backspace");
    assert!(harness.text().contains("Paste a conversation here"));
}

#[test]
fn leaving_asks_where_text_would_be_lost() {
    assert!(!start(80, 24).keys("Esc").text().contains("Recognised"));
    let mut harness = captured(80, 24);
    assert!(harness.keys("Esc").text().contains("lose the text"));
    assert!(harness.keys("n").text().contains("Recognised"));
    assert!(harness.keys("Esc Esc").text().contains("Jon lost his job"));
    assert!(!harness.keys("Esc y").text().contains("Recognised"));
}

/// Answers the memorizing that runs.
fn proposed(harness: &mut Harness, result: Result<Option<Outcome>, MemorizeError>) -> String {
    let mut result = Some(result);
    harness.keys("Ctrl-r");
    harness.answer(|request| match request {
        Request::Memorize(_) => vec![Answer::Proposed(result.take().unwrap())],
        _ => Vec::new(),
    });
    harness.text()
}

#[test]
fn progress_is_seen_and_cancelled() {
    let mut harness = captured(80, 24);
    harness.keys("Ctrl-r");
    assert!(harness.app.animates());
    let recorded = Recorded {
        session_id: "s".into(),
        day: harness::date("2023-01-19"),
        record: harness::path("session/dialog/s.jsonl"),
        present: None,
        messages: Vec::new(),
        news: Vec::new(),
        images: Vec::new(),
        submitted: 2,
        added: 2,
        mark: reme_core::dialog::Mark::default(),
        hint: None,
        warnings: Vec::new(),
    };
    harness.answer(|request| match request {
        Request::Memorize(_) => vec![
            Answer::Recorded(Box::new(recorded.clone())),
            Answer::Progress { doing: "Reading messages".into(), done: 1, total: 2 },
        ],
        _ => Vec::new(),
    });
    let text = harness.text();
    assert!(
        text.contains("Reading messages") && text.contains("1/2") && text.contains("Esc cancels"),
        "{text}"
    );
    let text = harness.keys("Esc").text();
    assert!(text.contains("Cancelled") && !text.contains("1/2"), "{text}");
    assert!(!harness.app.animates());
}

#[test]
fn what_gives_no_card_is_said() {
    for (result, part) in [
        (Ok(None), "Every message of session"),
        (Ok(Some(Outcome::Skipped { reason: "small talk".into() })), "Skipped: small talk"),
        (Err(MemorizeError::Distill(DistillError::NoText)), "has no text to distil"),
    ] {
        let mut harness = captured(80, 24);
        let text = proposed(&mut harness, result);
        assert!(text.contains(part), "{part}: {text}");
        assert!(harness.keys("Esc").text().contains("Recognised"), "{part}");
    }
}

#[test]
fn a_bug_behind_the_screen_leaves_the_text() {
    let failed = || vec![Answer::Failed("reme met a bug".into())];
    let mut harness = captured(80, 24);
    harness.keys("Ctrl-r").answer(|_| failed());
    assert!(harness.text().contains("reme met a bug"));
    assert!(harness.keys("Esc").text().contains("Jon lost his job"));
    harness.keys("x").answer(|_| failed());
    assert!(harness.text().contains("reme met a bug") && !harness.app.animates());
}
