//! The quick way says what the long way says, or nothing.

use super::*;
use crate::dialog::tests::{line, message, messages, now, said, submit};
use chrono_tz::Asia::Shanghai;
use proptest::prelude::*;
use serde_json::json;
use std::io::Cursor;

const ZONE: Zone = Zone::Named(Shanghai);

fn path() -> RelPath {
    RelPath::new("session/dialog/s.jsonl").unwrap()
}

fn quick(stored: &[u8], marked: usize, submitted: &[Msg]) -> Option<Appended> {
    let mark = Mark::of(&stored[..marked]);
    append(&path(), &mut Cursor::new(stored), mark, 3, submitted, ZONE, now()).unwrap()
}

/// Compares with the merge where there is an answer, and says whether there was one.
fn check(stored: &[u8], marked: usize, submitted: &[Msg]) -> bool {
    let Some(appended) = quick(stored, marked, submitted) else { return false };
    let (after, merge) = submit(Some(stored), submitted, now());
    assert_eq!(appended.change, merge.change, "{}", String::from_utf8_lossy(stored));
    assert_eq!(appended.mark, Mark::of(&after));
    assert_eq!(appended.added, merge.fresh.iter().filter(|fresh| **fresh).count());
    let from = merge.messages.len() - appended.messages.len();
    assert_eq!(appended.messages, merge.messages[from..]);
    assert!(appended.unmarked >= appended.added && appended.unmarked <= appended.messages.len());
    true
}

/// Lines of messages m0, m1, … at 08:00, 08:01, …
fn record(count: usize) -> String {
    (0..count)
        .map(|n| line(&format!("m{n}"), &format!("words of {n}"), &format!("2023-01-19T08:{n:02}:00")) + "\n")
        .collect()
}

#[test]
fn answered() {
    let stored = record(20);
    let all = stored.len();
    let at = |id: &str, text: &str, time: &str| said(id, text, time);
    let new = at("m20", "new", "2023-01-19T09:00:00");
    let own = json!({"role": "user", "content": "said without an id", "created_at": "2023-01-19T09:00:00"});
    let untimed = json!({"role": "user", "id": "m21", "content": "no time"});
    let chinese =
        json!({"role": "user", "content": "今天我决定用这个数据库", "created_at": "2023-01-19T09:00:00"});
    for list in [
        json!([new]),
        json!([own]),
        json!([untimed]),
        json!([new, untimed]),
        json!([chinese]),
        json!([at("m19", "words of 19", "2023-01-19T08:19:00"), new]),
        json!([at("m19", "words of 19", "2023-01-19T08:19:00")]),
        json!([at("m20", "same moment", "2023-01-19T08:19:00")]),
        json!([at("m20", "other zone", "2023-01-19T23:00:00+08:00")]),
        json!([{"role": "user", "content": "words of 3 and more", "created_at": "2023-01-19T09:00:00"}]),
    ] {
        assert!(check(stored.as_bytes(), all, &messages(&list)), "{list}");
        // With a tail that no memory covers, and without a last line feed.
        let marked = record(15).len();
        assert!(check(stored.as_bytes(), marked, &messages(&list)), "{list}");
        assert!(check(stored.trim_end().as_bytes(), marked, &messages(&list)), "{list}");
    }
    let appended = quick(stored.as_bytes(), record(15).len(), &messages(&json!([new]))).unwrap();
    let ids: Vec<&str> = appended.messages.iter().filter_map(|message| message.id.as_deref()).collect();
    assert_eq!(ids, ["m12", "m13", "m14", "m15", "m16", "m17", "m18", "m19", "m20"]);
    assert_eq!((appended.unmarked, appended.added), (6, 1));
}

#[test]
fn left_to_the_merge() {
    let stored = record(20);
    let new = json!([said("m20", "new", "2023-01-19T09:00:00")]);
    let refused = |stored: &str, marked: usize, list: &serde_json::Value| {
        assert_eq!(quick(stored.as_bytes(), marked, &messages(list)), None, "{list}");
    };
    for list in [
        json!([said("m20", "earlier", "2023-01-19T08:10:30")]),
        json!([said("m3", "changed", "2023-01-19T08:03:00")]),
        json!([said("m20", "new", "2023-01-19T09:00:00"), said("m3", "words of 3", "2023-01-19T08:03:00")]),
        json!([said("m3", "words of 3", "2023-01-19T08:03:00"), {"role": "user", "id": "x", "content": "behind it"}]),
        json!([said("ä", "an id that may be spelt in two ways", "2023-01-19T09:00:00")]),
    ] {
        refused(&stored, stored.len(), &list);
    }
    // Another record than the marked one; none marked; out of order; a line without an id near the end.
    assert_eq!(quick(stored.replacen("of 3", "of x", 1).as_bytes(), 0, &messages(&new)), None);
    let mark = Mark::of(stored.replacen("of 3", "of x", 1).as_bytes());
    let found = append(&path(), &mut Cursor::new(&stored), mark, 3, &messages(&new), ZONE, now()).unwrap();
    assert_eq!(found, None);
    let swapped = stored.replace("T08:07", "T08:30");
    refused(&swapped, swapped.len(), &new);
    let without = stored.replace(r#""id":"m18","#, "");
    refused(&without, without.len(), &new);
}

#[test]
fn more_than_one_chunk() {
    let long = "long words ".repeat(40_000);
    let stored: String =
        (0..9).map(|n| line(&format!("m{n}"), &long, &format!("2023-01-19T08:0{n}:00")) + "\n").collect();
    let list = messages(&json!([
        said("m8", &long, "2023-01-19T08:08:00"),
        said("m9", "new", "2023-01-19T09:00:00")
    ]));
    assert!(check(stored.as_bytes(), stored.len(), &list));
}

proptest! {
    #[test]
    fn the_quick_way_is_the_long_way(
        earlier in prop::collection::vec(prop::collection::vec(message(), 0..4), 0..3),
        glued in any::<prop::sample::Index>(),
        damage in prop::option::of("(NOT JSON|\\{\"name\":\"x|\\{\\}|\u{0})"),
        later in prop::collection::vec(message(), 1..3),
        marked in any::<prop::sample::Index>(),
    ) {
        let mut stored = earlier.iter().fold(Vec::new(), |bytes, list| submit(Some(&bytes), &messages(&json!(list)), now()).0);
        if let Some(damage) = damage {
            let at = glued.index(stored.len() + 1);
            stored.splice(at..at, damage.into_bytes());
        }
        let ends: Vec<usize> = memchr::memchr_iter(b'\n', &stored).map(|at| at + 1).collect();
        if !ends.is_empty() {
            check(&stored, ends[marked.index(ends.len())], &messages(&json!(later)));
        }
    }
}
