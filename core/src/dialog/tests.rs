//! Records as other programs wrote them, and what must hold for any submission.

use super::*;
use crate::message::time::Zone;
use crate::message::{id, parse_list};
use crate::store::{Base, Edit};
use crate::workspace::RelPath;
use chrono::{DateTime, Duration, Utc};
use proptest::prelude::*;
use serde_json::{Value, json};

pub(super) fn now() -> DateTime<Utc> {
    "2026-12-01T12:07:27.916624Z".parse().expect("a time")
}

fn path() -> RelPath {
    RelPath::new("session/dialog/s.jsonl").expect("a path")
}

fn zone() -> Zone {
    Zone::Named(chrono_tz::Asia::Shanghai)
}

pub(super) fn messages(list: &Value) -> Vec<Msg> {
    let mut messages = parse_list(list).expect("a list").messages;
    id::derive("s", &mut messages);
    messages
}

/// The file after the merge.
fn apply(stored: Option<&[u8]>, merge: &Merge) -> Vec<u8> {
    let mut bytes = stored.unwrap_or_default().to_vec();
    match merge.change.as_ref().map(|change| &change.edit) {
        None => {}
        Some(Edit::Write(new)) => bytes = new.clone(),
        Some(Edit::Append { len, bytes: new }) => {
            assert_eq!(*len, bytes.len() as u64);
            bytes.extend_from_slice(new);
        }
        Some(Edit::Delete) => panic!("a record is never deleted"),
    }
    bytes
}

pub(super) fn submit(stored: Option<&[u8]>, submitted: &[Msg], now: DateTime<Utc>) -> (Vec<u8>, Merge) {
    let merge = merge(&path(), stored, submitted, zone(), now);
    (apply(stored, &merge), merge)
}

fn line_of(message: Value) -> Value {
    let (bytes, _) = submit(None, &messages(&json!([message])), now());
    let text = String::from_utf8(bytes).expect("UTF-8");
    assert!(text.ends_with('\n') && text.matches('\n').count() == 1, "{text}");
    serde_json::from_str(&text).expect("JSON")
}

const MESSAGE_KEYS: [&str; 11] = [
    "name",
    "content",
    "role",
    "id",
    "metadata",
    "created_at",
    "usage",
    "finished_at",
    "finished_reason",
    "structured_output",
    "error",
];

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().expect("an object").keys().map(String::as_str).collect()
}

#[test]
fn a_line_to_the_byte() {
    let list = json!([{"role": "user", "content": "Jon — 失业\u{2028}!", "created_at": "2023-01-19T08:00:00", "id": "m1"}]);
    let (bytes, merge) = submit(None, &messages(&list), now());
    let expect = concat!(
        r#"{"name":"user","content":[{"type":"text","text":"Jon — 失业"#,
        "\u{2028}",
        r#"!","id":"83446fa7bea82b76ba07637daf24eebf","created_at":"2023-01-19T08:00:00","finished_at":null}],"#,
        r#""role":"user","id":"m1","metadata":{},"created_at":"2023-01-19T08:00:00","usage":null,"#,
        r#""finished_at":null,"finished_reason":null,"structured_output":null,"error":null}"#,
        "\n",
    );
    assert_eq!(String::from_utf8(bytes).as_deref(), Ok(expect));
    assert_eq!(merge.change.map(|change| change.base), Some(Base::Absent));
}

/// `blocks`: each as its keys and the values of those that are not derived.
fn check_content(role: &str, content: Value, expect: Value) {
    let line =
        line_of(json!({"role": role, "content": content, "id": "m1", "created_at": "2023-07-01T08:00:00"}));
    assert_eq!(keys(&line), MESSAGE_KEYS);
    let mut blocks = line["content"].clone();
    for block in blocks.as_array_mut().expect("a list") {
        let block = block.as_object_mut().expect("an object");
        let id = block["id"].as_str().expect("an id");
        if id.len() == 32 {
            block["id"] = json!("derived");
        }
        if block["created_at"] == json!("2023-07-01T08:00:00") {
            block["created_at"] = json!("derived");
        }
    }
    let extra = line["metadata"].get("reme_extra").cloned().unwrap_or_default();
    assert_eq!(serde_json::to_string(&json!([blocks, extra])).ok(), serde_json::to_string(&expect).ok());
}

fn text_block(text: &str) -> Value {
    json!({"type": "text", "text": text, "id": "derived", "created_at": "derived", "finished_at": null})
}

#[test]
fn blocks() {
    check_content("user", json!([]), json!([[], null]));
    check_content(
        "user",
        json!([{"type": "text", "text": "one"}, "two"]),
        json!([[text_block("one"), text_block("two")], null]),
    );
    check_content(
        "user",
        json!([{"type": "text", "text": "x", "foo": "bar", "id": "blk", "created_at": "2023-01-01T00:00:00", "finished_at": "z"}]),
        json!([[{"type": "text", "text": "x", "id": "blk", "created_at": "2023-01-01T00:00:00", "finished_at": "z", "foo": "bar"}], null]),
    );
    check_content(
        "assistant",
        json!([{"type": "thinking", "thinking": "secret reasoning", "signature": "sig=="}, {"type": "text", "text": "visible"}]),
        json!([[{"type": "thinking", "thinking": "secret reasoning", "id": "derived", "created_at": "derived", "finished_at": null, "signature": "sig=="}, text_block("visible")], null]),
    );
    check_content(
        "assistant",
        json!([{"type": "hint", "hint": "system hint here", "source": "system"}]),
        json!([[{"type": "hint", "hint": "system hint here", "id": "derived", "source": "system", "created_at": "derived", "finished_at": "2023-07-01T08:00:00"}], null]),
    );
    check_content(
        "assistant",
        json!([{"type": "tool_use", "id": "tc1", "name": "search", "input": {"q": "x"}}]),
        json!([[{"type": "tool_call", "id": "tc1", "name": "search", "input": "{\"q\":\"x\"}", "state": "pending", "suggested_rules": [], "created_at": "derived", "finished_at": null}], null]),
    );
    check_content(
        "user",
        json!([{"type": "text", "text": "x"}, {"type": "data", "source": {"type": "url", "media_type": "image/png", "url": "file:///etc/passwd"}}]),
        json!([[text_block("x"), {"type": "data", "id": "derived", "source": {"type": "url", "url": "file:///etc/passwd", "media_type": "image/png"}, "name": null, "created_at": "derived", "finished_at": null}], null]),
    );
    check_content(
        "user",
        json!([{"type": "image_url", "image_url": {"url": "https://example.com/x.png"}}]),
        json!([[{"type": "data", "id": "derived", "source": {"type": "url", "url": "https://example.com/x.png", "media_type": "image/png"}, "name": null, "created_at": "derived", "finished_at": null}], null]),
    );
}

#[test]
fn what_is_left_out_and_what_goes_to_the_metadata() {
    let bytes =
        json!({"type": "data", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}});
    let data_url = json!({"type": "data", "source": {"type": "url", "media_type": "image/png", "url": "data:image/png;base64,AAAA"}});
    let result =
        json!({"type": "tool_result", "id": "x", "name": "cam", "output": [bytes], "state": "success"});
    let old =
        json!({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}});
    check_content("assistant", json!([bytes, result, data_url, old]), json!([[], null]));
    check_content("user", json!([result, {"type": "text", "text": "t"}]), json!([[text_block("t")], null]));
    for (role, block) in [
        ("user", json!({"type": "new_kind", "x": 1})),
        ("user", json!({"type": "thinking", "thinking": "t"})),
        ("user", json!({"type": "tool_call", "id": "a", "name": "b", "input": "{}"})),
        (
            "system",
            json!({"type": "data", "source": {"type": "url", "url": "https://e.com/x", "media_type": "image/png"}}),
        ),
        ("assistant", json!({"type": "data", "source": {"type": "url", "url": "https://e.com/x.png"}})),
        ("assistant", json!({"type": "text", "text": 7})),
        ("assistant", json!({"type": "tool_call", "name": "no id"})),
    ] {
        check_content(role, json!(["t", block]), json!([[text_block("t")], [block]]));
    }
}

#[test]
fn fields_of_the_message() {
    let line = line_of(json!({
        "name": "u", "role": "user", "id": 7, "content": "x", "created_at": "2023-08-01T08:00:00",
        "metadata": {"a": {"b": 1}, "timestamp": "zzz"}, "usage": {"input_tokens": 1, "output_tokens": 2},
        "custom": "kept", "finished_at": "2023-08-01T08:00:01", "structured_output": {"k": 1},
    }));
    assert_eq!(line["id"], json!("7"));
    assert_eq!(line["metadata"], json!({"a": {"b": 1}, "timestamp": "zzz"}));
    let usage = json!({"input_tokens": 1, "output_tokens": 2, "cache_input_tokens": 0, "cache_creation_input_tokens": 0});
    assert_eq!(line["usage"], usage);
    assert_eq!(line["finished_at"], json!("2023-08-01T08:00:01"));
    assert_eq!(line["structured_output"], json!({"k": 1}));
    assert_eq!(keys(&line).last(), Some(&"custom"));
}

#[test]
fn times_of_the_message() {
    let time = |message: Value| line_of(message)["created_at"].clone();
    let given = |time: &str| json!({"role": "user", "content": "x", "created_at": time});
    assert_eq!(time(given("  2023-01-19T08:00:00")), json!("  2023-01-19T08:00:00"));
    assert_eq!(time(given("not a time")), json!("not a time"));
    assert_eq!(time(json!({"role": "user", "content": "x"})), json!("2026-12-01T12:07:27.916624-00:00"));
    assert_eq!(
        time(json!({"role": "user", "content": "x", "timestamp": 0})),
        json!("2026-12-01T12:07:27.916624-00:00")
    );
    let line = line_of(given("not a time"));
    assert_eq!(line["content"][0]["created_at"], json!("2026-12-01T12:07:27.916624-00:00"));
}

pub(super) fn line(id: &str, text: &str, time: &str) -> String {
    format!(
        r#"{{"name":"u","content":[{{"type":"text","text":"{text}","id":"b-{id}","created_at":"2026-12-01T11:57:46.707414","finished_at":null}}],"role":"user","id":"{id}","metadata":{{}},"created_at":"{time}","usage":null,"finished_at":null,"finished_reason":null,"structured_output":null,"error":null}}"#
    )
}

pub(super) fn said(id: &str, text: &str, time: &str) -> Value {
    json!({"name": "u", "role": "user", "id": id, "content": text, "created_at": time})
}

#[derive(Debug, PartialEq)]
enum How {
    Nothing,
    Append,
    Rewrite,
}

/// `expect`: the record's lines afterwards, each by its words or, where it is no message, by its bytes.
fn check_merge(stored: &str, submitted: Value, how: How, expect: &[&str]) -> Vec<u8> {
    let (bytes, merge) = submit(Some(stored.as_bytes()), &messages(&submitted), now());
    let found = match merge.change.as_ref().map(|change| &change.edit) {
        None => How::Nothing,
        Some(Edit::Append { .. }) => How::Append,
        Some(_) => How::Rewrite,
    };
    assert_eq!(found, how, "{stored}");
    let lines: Vec<String> = (Record::parse(&bytes).lines.into_iter())
        .map(|line| match line {
            Line::Message(message) => message.text(),
            Line::Damaged(bytes) => format!("[{}]", String::from_utf8_lossy(&bytes)),
        })
        .collect();
    assert_eq!(lines, expect, "{stored}");
    let record = Record::parse(&bytes);
    assert_eq!(record.damaged(), merge.damaged);
    assert!(bytes.ends_with(b"\n") || how == How::Nothing);
    bytes
}

#[test]
fn merges() {
    let (m1, m2) =
        (line("m1", "Jon lost his job", "2023-01-19T08:00:00"), line("m2", "Sorry", "2023-01-19T08:01:00"));
    let record = format!("{m1}\n{m2}\n");
    let job = said("m1", "Jon lost his job", "2023-01-19T08:00:00");
    let both = ["Jon lost his job", "Sorry"];

    // The same again, and a longer copy.
    check_merge(&record, json!([job]), How::Nothing, &both);
    let later = said("m3", "A dance studio", "2023-01-19T08:02:00");
    let bytes = check_merge(&record, json!([job, later]), How::Append, &[both[0], both[1], "A dance studio"]);
    assert!(bytes.starts_with(record.as_bytes()));
    // Without a name's or an id's help.
    check_merge(
        &record,
        json!([{"name": "u", "role": "user", "content": "Sorry", "created_at": "2023-01-19T08:01:00"}]),
        How::Nothing,
        &both,
    );
    // Changed words under the same id.
    let bytes = check_merge(
        &record,
        json!([said("m2", "CHANGED", "2023-01-19T08:01:00")]),
        How::Rewrite,
        &[both[0], "CHANGED"],
    );
    assert!(bytes.starts_with(m1.as_bytes()));
    // One that comes before.
    check_merge(
        &record,
        json!([said("m0", "Earlier", "2023-01-19T07:00:00")]),
        How::Rewrite,
        &["Earlier", both[0], both[1]],
    );
    // Instants, not texts.
    check_merge(
        &record,
        json!([said("m0", "Earlier", "2023-01-18T23:30:00Z")]),
        How::Rewrite,
        &["Earlier", both[0], both[1]],
    );
    // An absent time replaces no stored one.
    check_merge(
        &record,
        json!([{"name": "u", "role": "user", "id": "m1", "content": "Jon lost his job"}]),
        How::Nothing,
        &both,
    );
    // Two copies in one call: the last.
    check_merge(
        "",
        json!([said("d1", "first", "2023-04-04T08:00:00"), said("d1", "second", "2023-04-04T08:01:00")]),
        How::Append,
        &["second"],
    );
    // Offsets of one call.
    check_merge(
        "",
        json!([
            said("x1", "late", "2023-03-01T08:00:00+00:00"),
            said("x2", "early", "2023-03-01T09:00:00+08:00")
        ]),
        How::Append,
        &["early", "late"],
    );
}

#[test]
fn damage_is_never_lost() {
    let g1 = r#"{"name":"u","content":[{"type":"text","text":"good"}],"role":"user","id":"g1","created_at":"2023-04-01T08:00:00"}"#;
    let record = format!("{g1}\nNOT JSON AT ALL\n{{\"some\":\"other\"}}\n");
    let (bad, other) = ("[NOT JSON AT ALL]", "[{\"some\":\"other\"}]");
    let later = json!([said("g2", "later", "2023-04-01T09:00:00")]);
    check_merge(&record, later.clone(), How::Append, &["good", bad, other, "later"]);
    let earlier = json!([said("g0", "earlier", "2023-04-01T07:00:00")]);
    let bytes = check_merge(&record, earlier, How::Rewrite, &["earlier", "good", bad, other]);
    assert!(bytes.ends_with(record.as_bytes()), "stored lines stay to the byte");
    // A missing line feed is added; a torn tail stays on its own line.
    check_merge(g1, later.clone(), How::Append, &["good", "later"]);
    let torn_line = g1.get(..40).expect("ASCII");
    let torn = format!("{g1}\n{torn_line}");
    check_merge(&torn, later, How::Append, &["good", &format!("[{torn_line}]"), "later"]);
}

#[test]
fn records_from_the_field() {
    let check = |bytes: &[u8], words: &[&str], damaged: usize| {
        let record = Record::parse(bytes);
        let found: Vec<String> = record.messages().map(Msg::text).collect();
        assert_eq!(
            (found, record.damaged()),
            (words.iter().map(|text| (*text).to_owned()).collect(), damaged)
        );
        // Whatever is submitted, every stored byte that says something is in the file afterwards.
        for time in ["2000-01-01T00:00:00Z", "2030-01-01T00:00:00Z"] {
            let (after, _) = submit(Some(bytes), &messages(&json!([said("new", "new", time)])), now());
            let after = Record::parse(&after);
            assert_eq!((after.messages().count(), after.damaged()), (words.len() + 1, damaged));
        }
    };
    let (first, night, then) = ("First ferry question", "Night boat is cheaper", "Then book it");
    check(include_bytes!("../../tests/data/dialog/jsonl-1-torn.jsonl"), &[first, night], 1);
    check(include_bytes!("../../tests/data/dialog/jsonl-3-nul.jsonl"), &[first, then], 1);
    check(include_bytes!("../../tests/data/dialog/jsonl-4-bad-middle.jsonl"), &[first, then], 1);
    check(include_bytes!("../../tests/data/dialog/jsonl-5-prefix-then-full.jsonl"), &[first, night, then], 1);
    check(
        include_bytes!("../../tests/data/dialog/jsonl-6-u2028.jsonl"),
        &["one\u{2028}two\u{85}threefour", night],
        0,
    );
    check(
        include_bytes!("../../tests/data/dialog/jsonl-7-shapes.jsonl"),
        &[first, "plain string content", "", then],
        4,
    );
}

#[test]
fn days_of_epoch_and_odd_times() {
    let lines = include_str!("../../tests/data/dialog/dates-2.jsonl");
    let list: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let days: Vec<Option<String>> = (messages(&json!(list)).iter())
        .map(|message| Some(message.said_at()?.day(Zone::Named(chrono_tz::UTC)).to_string()))
        .collect();
    let fifth = Some("2026-01-05".to_owned());
    let expect: Vec<Option<String>> = (0..15)
        .map(|index| match index {
            8 | 9 | 12.. => None,
            11 => Some("2099-12-31".to_owned()),
            _ => fifth.clone(),
        })
        .collect();
    assert_eq!(days, expect);
}

fn untimed(texts: &[&str]) -> Vec<Msg> {
    messages(&json!(texts.iter().map(|text| json!({"role": "user", "content": text})).collect::<Vec<_>>()))
}

#[test]
fn messages_without_id_and_time_are_counted() {
    let words = |bytes: &[u8]| Record::parse(bytes).messages().map(Msg::text).collect::<Vec<_>>();
    let (first, _) = submit(None, &untimed(&["ok", "go", "ok"]), now());
    let later = now() + Duration::days(1);
    let (again, merge) = submit(Some(&first), &untimed(&["ok", "go", "ok"]), later);
    assert_eq!((words(&again), merge.change), (words(&first), None));
    let (longer, merge) = submit(Some(&first), &untimed(&["ok", "go", "ok", "ok"]), later);
    assert_eq!(words(&longer), ["ok", "go", "ok", "ok"]);
    assert_eq!(merge.fresh, [false, false, false, true]);
    // A copy that starts earlier goes in front.
    let (earlier, _) = submit(Some(&first), &untimed(&["hello", "ok", "go", "ok"]), later);
    assert_eq!(words(&earlier), ["hello", "ok", "go", "ok"]);
    // They are found where the stored ones have ids and times of their own.
    let stored = format!("{}\n", line("m1", "ok", "2023-01-19T08:00:00"));
    let named = Msg { name: Some("u".into()), ..untimed(&["ok"]).remove(0) };
    let (_, merge) = submit(Some(stored.as_bytes()), &[named], now());
    assert_eq!(merge.change, None);
}

#[test]
fn a_message_without_time_stays_behind_its_predecessor() {
    let list = json!([
        said("a", "a", "2023-01-19T08:00:00"),
        {"role": "user", "id": "b", "content": "b"},
        said("c", "c", "2023-01-19T10:00:00"),
    ]);
    let (bytes, _) = submit(None, &messages(&list), now());
    let between = json!([said("d", "d", "2023-01-19T09:00:00")]);
    let (bytes, merge) = submit(Some(&bytes), &messages(&between), now() + Duration::hours(1));
    let words: Vec<String> = merge.messages.iter().map(Msg::text).collect();
    assert_eq!(words, ["a", "b", "d", "c"]);
    assert_eq!(submit(Some(&bytes), &messages(&list), now() + Duration::hours(2)).1.change, None);
}

fn block() -> impl Strategy<Value = Value> {
    prop_oneof![
        "[a-c \u{2028}\u{85}\n\"\\\\{]{0,4}".prop_map(|text| json!({"type": "text", "text": text})),
        Just(json!({"type": "text", "text": "x", "id": "own"})),
        Just(json!({"type": "thinking", "thinking": "t", "signature": "s"})),
        Just(json!({"type": "tool_use", "id": "c", "name": "n", "input": {"b": 1, "a": [2]}})),
        Just(json!({"type": "tool_result", "id": "c", "output": "x"})),
        Just(json!({"type": "new_kind", "x": {"y": null}})),
        Just(
            json!({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AA=="}})
        ),
        Just(json!({"type": "image_url", "image_url": {"url": "https://e.com/x.png"}})),
    ]
}

pub(super) fn message() -> impl Strategy<Value = Value> {
    let time = prop_oneof![
        Just(json!(null)),
        Just(json!("soon")),
        (0..5_u8).prop_map(|hour| json!(format!("2023-01-19T0{hour}:00:00"))),
        (0..5_u8).prop_map(|hour| json!(format!("2023-01-19T0{hour}:30:00-05:00"))),
    ];
    let role = prop::sample::select(vec!["user", "assistant", "system", "critic"]);
    let id = prop_oneof![2 => Just(json!(null)), 1 => (0..4_u8).prop_map(|id| json!(id))];
    let extra = prop::sample::select(vec![json!(null), json!({"a": 1})]);
    (role, id, time, prop::collection::vec(block(), 0..4), extra).prop_map(|(role, id, time, content, extra)| {
        json!({"role": role, "id": id, "created_at": time, "content": content, "metadata": extra, "custom": extra})
    })
}

proptest! {
    #[test]
    fn what_was_written_is_read(list in prop::collection::vec(message(), 0..8)) {
        let (bytes, merge) = submit(None, &messages(&json!(list)), now());
        let record = Record::parse(&bytes);
        prop_assert_eq!(record.damaged(), 0);
        let read: Vec<Msg> = record.messages().cloned().collect();
        prop_assert_eq!(&read, &merge.messages);
        // A reader that submits what it has read changes nothing.
        prop_assert_eq!(submit(Some(&bytes), &read, now() + Duration::days(1)).1.change, None);
    }

    #[test]
    fn twice_is_once(list in prop::collection::vec(message(), 0..8)) {
        let submitted = messages(&json!(list));
        let (bytes, _) = submit(None, &submitted, now());
        let (_, merge) = submit(Some(&bytes), &submitted, now() + Duration::days(1));
        prop_assert_eq!(merge.change, None);
        prop_assert!(!merge.fresh.contains(&true));
    }

    #[test]
    fn a_longer_copy_is_that_copy(list in prop::collection::vec(message(), 0..8), cut in 0..8_usize) {
        // Without repeated ids, of which a cut may keep the one copy or the other.
        let mut submitted = messages(&json!(list));
        let mut seen = std::collections::HashSet::new();
        submitted.retain(|message| seen.insert(message.id.clone()));
        let (short, _) = submit(None, &submitted[..cut.min(submitted.len())], now());
        let (grown, _) = submit(Some(&short), &submitted, now());
        let (whole, _) = submit(None, &submitted, now());
        prop_assert_eq!(String::from_utf8_lossy(&grown), String::from_utf8_lossy(&whole));
    }

    #[test]
    fn the_order_of_submission_does_not_matter(
        (hours, shuffled) in prop::collection::hash_set(0..24_u8, 1..8)
            .prop_map(|hours| hours.into_iter().collect::<Vec<_>>())
            .prop_flat_map(|hours| (Just(hours.clone()), Just(hours).prop_shuffle()))
    ) {
        let list = |hours: &[u8]| {
            let said: Vec<Value> = hours.iter().map(|hour| {
                json!({"role": "user", "content": format!("at {hour}"), "created_at": format!("2023-01-19T{hour:02}:00:00")})
            }).collect();
            messages(&json!(said))
        };
        let (at_once, _) = submit(None, &list(&hours), now());
        let one_by_one = list(&shuffled).into_iter().fold(Vec::new(), |bytes, message| submit(Some(&bytes), &[message], now()).0);
        prop_assert_eq!(String::from_utf8_lossy(&at_once), String::from_utf8_lossy(&one_by_one));
    }

    #[test]
    fn any_bytes_are_a_record_and_none_is_lost(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let (after, _) = submit(Some(&bytes), &messages(&json!([said("new", "new", "2023-01-19T08:00:00")])), now());
        let visible = |bytes: &[u8]| bytes.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect::<Vec<u8>>();
        let stored = visible(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes));
        prop_assert!(stored.is_empty() || memchr::memmem::find(&visible(&after), &stored).is_some());
    }
}
