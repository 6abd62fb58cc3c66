//! The samples of every format against what two readers agreed on, bad input, and arbitrary bytes.

use super::*;
use proptest::prelude::*;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn data() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/import")
}

/// Every sample beside which an expectation lies.
fn samples(folder: &Path, found: &mut Vec<(PathBuf, Value)>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            samples(&path, found);
        } else if !path.to_string_lossy().ends_with(".expected.json") {
            let expected = fs::read_to_string(path.with_extension("expected.json")).unwrap();
            found.push((path, serde_json::from_str(&expected).unwrap()));
        }
    }
    found.sort_by(|a, b| a.0.cmp(&b.0));
}

fn all_samples() -> Vec<(PathBuf, Value)> {
    let mut found = Vec::new();
    samples(&data(), &mut found);
    assert!(found.len() > 30, "samples are missing");
    found
}

/// The object that `import --dry-run --json` prints.
fn report_of(bytes: &[u8], name: Option<&str>) -> Value {
    match read(bytes, name) {
        Ok(found) => report::reading(&found),
        Err(error) => report::refusal(&error),
    }
}

fn codes(report: &Value) -> BTreeSet<&str> {
    report["warnings"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|warning| warning["code"].as_str())
        .collect()
}

/// The keys on which a report and an expectation must agree, one line each.
fn essence(report: &Value) -> Vec<String> {
    let mut lines = vec![format!("format {} error {}", report["format"], report["error"]["code"])];
    for session in report["sessions"].as_array().into_iter().flatten() {
        lines.push(format!("session {} {}", session["session_id"], session["title"]));
        for message in session["messages"].as_array().into_iter().flatten() {
            let list = |key: &str| message[key].as_array().cloned().unwrap_or_default();
            lines.push(format!(
                "  {} {} {} {} {} images {} dropped {:?}",
                message["id"],
                message["role"],
                message["name"],
                message["created_at"],
                message["text"],
                message["images"],
                list("dropped_blocks"),
            ));
        }
    }
    lines.push(format!("warnings {:?}", codes(report)));
    lines
}

fn check_import(path: &Path, expected: &Value) -> Result<(), String> {
    let name = path.file_name().unwrap().to_string_lossy();
    let got = essence(&report_of(&fs::read(path).unwrap(), Some(&name)));
    let expected = essence(expected);
    if got == expected {
        return Ok(());
    }
    let missing = expected.iter().filter(|line| !got.contains(line)).map(|line| format!("- {line}\n"));
    let extra = got.iter().filter(|line| !expected.contains(line)).map(|line| format!("+ {line}\n"));
    Err(format!("{}\n{}", path.display(), missing.chain(extra).collect::<String>()))
}

#[test]
fn samples_are_read_as_agreed() {
    let failures: Vec<String> =
        all_samples().iter().filter_map(|(path, expected)| check_import(path, expected).err()).collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn kept_blocks_are_named() {
    for (path, expected) in all_samples() {
        let got = report_of(&fs::read(&path).unwrap(), None);
        let list = |report: &Value, pointer: &str| report.pointer(pointer).cloned();
        for (at, session) in expected["sessions"].as_array().into_iter().flatten().enumerate() {
            for (index, message) in session["messages"].as_array().into_iter().flatten().enumerate() {
                if message.get("kept_blocks").is_some() {
                    let pointer = format!("/sessions/{at}/messages/{index}/kept_blocks");
                    assert_eq!(list(&got, &pointer), list(&expected, &pointer), "{}", path.display());
                }
            }
        }
    }
}

/// An error's code and a word that its message must contain, so that a person can act on it.
fn check_refused(input: &[u8], code: &str, word: &str) {
    let error = read(input, None).unwrap_err();
    assert_eq!(error.code, code, "{error}");
    assert!(error.message.contains(word), "{error}");
}

#[test]
fn bad_input_says_what_to_do() {
    check_refused(b"", "empty_input", "paste");
    check_refused(b"\n \xef\xbb\xbf\t\n", "empty_input", "paste");
    check_refused(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "not_text", "PNG");
    check_refused(b"\x28\xb5\x2f\xfd\x04\x58", "not_text", "zstd -d");
    check_refused(b"PK\x03\x04\x14\0", "not_text", "unpack");
    check_refused(&[0, 1, 2, 3, 255, 254, 0, 7, 0, 9, 0, 0, 1, 0, 2], "not_text", "binary");
    check_refused(b"<!DOCTYPE html>\n<html><body>You: hi", "html_not_supported", "web page");
    check_refused(b"Dear diary, nothing happened.", "no_conversation_found", "User:");
    check_refused(b"{\"name\":\"app\",\"version\":\"1\"}", "unknown_format", "name, version");
    check_refused(b"{\"messages\":{\"a\":\"b\"}}", "not_a_conversation", "role");
    check_refused(b"{\"messages\":[]}", "no_messages", "empty");
    check_refused(b"[1,2,3]", "not_a_conversation", "role");
    check_refused(b"{\"role\": \"user\", \"content\": ", "unknown_format", "line 1");
    check_refused(b"[{'role': 'user', 'content': None}]", "unknown_format", "json.dumps");
}

/// Text, then one `role|time|text` line per message and the warning codes.
fn check_text(text: &str, messages: &[&str], warnings: &[&str]) {
    let found = read(text.as_bytes(), None).unwrap_or_else(|error| panic!("{error}: {text}"));
    let got: Vec<String> = found
        .sessions
        .iter()
        .flat_map(|session| &session.messages)
        .map(|m| format!("{}|{}|{}", m.role.as_str(), m.created_at.as_deref().unwrap_or(""), m.text()))
        .collect();
    assert_eq!(got, messages, "{text}");
    let report = report::reading(&found);
    let mut got = codes(&report);
    got.remove("missing_id");
    got.remove("no_timestamps");
    assert_eq!(got, warnings.iter().copied().collect(), "{text}");
}

#[test]
fn labelled_text() {
    check_text("用户：a\n助手：b", &["user||a", "assistant||b"], &[]);
    check_text("User: a\n\n---\n\nAssistant: b\n---\n", &["user||a", "assistant||b\n---"], &[]);
    check_text("# Title\n\nUser: a\nAI: b", &["user||a", "assistant||b"], &[]);
    check_text("exported today\nUser: a\nAI: b", &["user||a", "assistant||b"], &["unlabelled_preamble"]);
    check_text("User: a\n```\nAI: no\n```\nAI: b", &["user||a\n```\nAI: no\n```", "assistant||b"], &[]);
    check_text("User: ```\nAI: no\n```\nAI: b", &["user||```\nAI: no\n```", "assistant||b"], &[]);
    check_text("User: only me", &["user||only me"], &["one_sided"]);
    check_text("User: a\nTool: {}\nAI: b\nAnswer: c", &["user||a", "assistant||b\nAnswer: c"], &[]);
    check_text("Question: a\nAnswer: b", &["user||a", "assistant||b"], &[]);
    check_text("You\na\nChatGPT\nb\nYou\nc", &["user||a", "assistant||b", "user||c"], &[]);
    check_text("## User\n\na\n\n---\n\n## Assistant\n\nb", &["user||a", "assistant||b"], &[]);
    check_text("User: a\rAI: b", &["user||a", "assistant||b"], &[]);
    check_text("问：a\n答：b", &["user||a", "assistant||b"], &[]);
    check_text("[10:31] User: a\n[10:32] AI: b", &["user||a", "assistant||b"], &["time_without_date"]);
    for (user, assistant) in [
        ("User:", "Assistant:"),
        ("用户：", "AI助手："),
        ("Me:", "ChatGPT:"),
        ("You:", "Answer:"),
        ("**User:**", "**Claude**:"),
        ("[user]", "[assistant]"),
    ] {
        for [first, second, third] in [
            ["[2026-06-21 09:04:00] ", "[2026-06-21 09:05:10] ", "[2026-06-21 09:06:00] "],
            ["[21/06/2026, 09:04:00] ", "[21/06/2026, 09:05:10] ", "[21/06/2026, 09:06:00] "],
            ["6/21/26, 9:04\u{202f}AM - ", "6/21/26, 9:05:10 am - ", "6/21/26, 9:06 AM - "],
        ] {
            let text = format!("{first}{user} a\n\nb\n{second}{assistant} c: e\n{third}{user} d");
            let expected = [
                "user|2026-06-21T09:04:00|a\n\nb",
                "assistant|2026-06-21T09:05:10|c: e",
                "user|2026-06-21T09:06:00|d",
            ];
            check_text(&text, &expected, &[]);
            assert_eq!(read(text.as_bytes(), None).unwrap().format, "text_role_labels", "{text}");
        }
    }
    check_text(
        "[05/01/2024, 10:31:22] User: a\n[05/01/2024, 10:32:00] AI: b",
        &["user|2024-01-05T10:31:22|a", "assistant|2024-01-05T10:32:00|b"],
        &["ambiguous_date_order"],
    );
    check_text(
        "User (2026-02-03 10:31): a\nAI (2026-02-03 10:32): b",
        &["user|2026-02-03T10:31:00|a", "assistant|2026-02-03T10:32:00|b"],
        &[],
    );
}

#[test]
fn message_lists() {
    check_text(r#"{"role":"user","content":"a"}"#, &["user||a"], &[]);
    check_text(r#"[{"role":"critic","content":"a"}]"#, &["user||a"], &["unknown_role"]);
    check_text(
        r#"[{"role":"developer","content":"x"},{"role":"user","content":"a"},{"role":"tool","content":"x"}]"#,
        &["user||a"],
        &[],
    );
    check_text(
        r#"[{"id":1,"role":"user","content":"a"},{"id":1,"role":"user","content":"a"}]"#,
        &["user||a"],
        &["duplicate_id"],
    );
    check_text(
        r#"{"session_id":"../x","messages":[{"role":"user","content":"a"}]}"#,
        &["user||a"],
        &["unsafe_session_id"],
    );
    let twice = r#"{"session_id":"s","messages":[{"role":"user","content":"a"}]}"#;
    check_text(&[twice, twice].join("\n"), &["user||a", "user||a"], &["duplicate_session_id"]);
    check_text(r#"[{"role":"user","content":"a"},{"role":"ass"#, &["user||a"], &["truncated_tail"]);
}

/// Rows `uuid parent text`, prompts with `>`; then the texts that stay.
fn check_rewind(rows: &[(&str, &str, &str)], stays: &[&str]) {
    let lines: Vec<String> = rows
        .iter()
        .map(|(uuid, parent, text)| {
            let (kind, text) = match text.strip_prefix('>') {
                Some(prompt) => ("user", prompt),
                None => ("assistant", *text),
            };
            serde_json::json!({
                "type": kind, "uuid": uuid, "isSidechain": false, "sessionId": "s",
                "parentUuid": if parent.is_empty() { Value::Null } else { Value::from(*parent) },
                "message": {"role": kind, "content": text},
            })
            .to_string()
        })
        .collect();
    let found = read(lines.join("\n").as_bytes(), None).unwrap();
    let texts: Vec<String> = found.sessions[0].messages.iter().map(Msg::text).collect();
    assert_eq!(texts, stays);
}

#[test]
fn rewinds() {
    let before = [("1", "", ">one"), ("2", "1", "two")];
    check_rewind(
        &[&before[..], &[("3", "2", ">old"), ("4", "3", "lost"), ("5", "2", ">new")]].concat(),
        &["one", "two", "new"],
    );
    check_rewind(
        &[&before[..], &[("3", "2", ">old"), ("5", "2", ">new"), ("6", "3", "back")]].concat(),
        &["one", "two", "old", "back"],
    );
    check_rewind(
        &[&before[..], &[("3", "2", "tool a"), ("4", "2", "tool b")]].concat(),
        &["one", "two", "tool a", "tool b"],
    );
}

#[test]
fn proposed_ids_are_safe_and_stable() {
    let propose = |id: Option<&str>, texts: &[&str]| {
        let messages =
            texts.iter().map(|text| Msg::text_message(crate::message::Role::User, *text)).collect();
        report::propose_session_id(
            "openai_chat",
            &Conversation { session_id: id.map(str::to_owned), messages, ..Conversation::default() },
        )
    };
    assert_eq!(propose(Some("conv-1"), &["a"]), "conv-1");
    for unsafe_id in ["../x", "a/b", "con", "COM1.txt", " a", "a.", "", "..", "a\u{1b}b"] {
        assert!(propose(Some(unsafe_id), &["a"]).starts_with("openai-chat-"), "{unsafe_id}");
    }
    assert_eq!(propose(None, &["a", "b"]), propose(None, &["a", "b", "c"]));
    assert_ne!(propose(None, &["a"]), propose(None, &["b"]));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn arbitrary_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        report_of(&bytes, None);
    }

    #[test]
    fn arbitrary_text_never_panics(text in "([\\[{}\\]\",:#*`>\\\\ \n]|User|用户|：|[a-z0-9])*") {
        report_of(text.as_bytes(), None);
    }

    #[test]
    fn damaged_samples_never_panic(pick in any::<prop::sample::Index>(), at in any::<prop::sample::Index>(),
                                   byte in any::<u8>(), cut in any::<bool>()) {
        let samples = all_samples();
        let mut bytes = fs::read(&pick.get(&samples).0).unwrap();
        if !bytes.is_empty() {
            let place = at.index(bytes.len());
            if cut { bytes.truncate(place) } else { bytes[place] = byte }
        }
        report_of(&bytes, Some("x.jsonl"));
    }
}
