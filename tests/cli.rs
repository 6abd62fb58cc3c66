//! The command line, driven as a person or a script would.

#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

mod support;

use serde_json::Value;
use std::fs;
use std::path::Path;
use support::{files, reme, visible};
use tempfile::TempDir;

const SEED: &str = r#"messages=[
  {"role":"user","content":"Jon lost his job today.","created_at":"2023-01-19T08:00:00"},
  {"role":"assistant","content":"I am sorry to hear that.","created_at":"2023-01-19T08:01:00"}]"#;

const PICTURE: &str = r#"messages=[{"role":"user","content":[{"type":"text","text":"Our logo is the red fox."},
  {"type":"data","source":{"type":"base64","media_type":"image/png","data":"iVBORw0KGgo="}}]}]"#;

fn home() -> TempDir {
    tempfile::tempdir().unwrap()
}

fn run(home: &Path, arguments: &[&str]) -> (i32, Value, String) {
    let mut command = reme(home);
    let output = command.args(arguments).arg("--json").output().unwrap();
    let stdout = String::from_utf8(output.stdout).unwrap();
    let json = serde_json::from_str(&stdout).unwrap_or(Value::Null);
    (output.status.code().unwrap(), json, String::from_utf8(output.stderr).unwrap())
}

#[test]
fn the_seed_example_makes_one_card_a_page_and_a_record() {
    let home = home();
    let (code, answer, stderr) = run(home.path(), &["auto_memory", "session_id=locomo-session", SEED]);
    assert_eq!(code, 0, "{answer} {stderr}");
    assert!(stderr.contains(".reme"), "it says which workspace it uses: {stderr}");
    let workspace = home.path().join(".reme");
    let path = answer["metadata"]["path"].as_str().unwrap().to_owned();
    let written = visible(&workspace);
    let names: Vec<&str> = written.keys().map(String::as_str).collect();
    assert_eq!(names, ["daily/2023-01-19.md", path.as_str(), "session/dialog/locomo-session.jsonl"]);
    assert!(path.starts_with("daily/2023-01-19/"));
    let card = fs::read_to_string(workspace.join(&path)).unwrap();
    assert!(card.contains("Jon lost his job today"), "{card}");
    assert!(card.contains("session_id: locomo-session"), "{card}");
    assert_eq!(answer["metadata"]["created"], true);

    let (code, again, _) = run(home.path(), &["auto_memory", "session_id=locomo-session", SEED]);
    assert_eq!((code, again["answer"].as_str()), (0, Some("Skipped: nothing new")));
    assert_eq!(visible(&workspace), written, "a second run changes no file");
}

#[test]
fn an_explicit_date_chooses_the_day_of_messages_without_time() {
    let home = home();
    let messages = r#"messages=[{"role":"user","content":"Jon lost his job today."}]"#;
    let arguments = ["auto_memory", "session_id=locomo-session", "date=2023-01-19", messages];
    let (code, answer, _) = run(home.path(), &arguments);
    assert_eq!(code, 0, "{answer}");
    assert_eq!(answer["metadata"]["date"], "2023-01-19");
    let (_, again, _) = run(home.path(), &arguments);
    assert_eq!(again["answer"], "Skipped: nothing new");
}

#[test]
fn bad_calls_say_what_and_change_nothing() {
    // (arguments, exit status, words of the message)
    let rows: &[(&[&str], i32, &[&str])] = &[
        (&["auto_memory", "session_id=../x", SEED], 1, &["session_id"]),
        (&["auto_memory", "session_id=", SEED], 1, &["session_id", "required"]),
        (&["auto_memory", "session_id=a", "date=2023-02-30", SEED], 1, &["date", "YYYY-MM-DD"]),
        (&["auto_memory", "session_id=a", "messages=[{]"], 2, &["messages", "JSON"]),
        (&["auto_memory", "session_id=a", "messages=[{\"role\":\"user\",\"content\":null}]"], 1, &["0"]),
        (&["auto_memory", "session_id=a", "nonsense=1", SEED], 2, &["nonsense", "session_id"]),
        (&["auto_memory", "session_id=a", "include_images=true", PICTURE], 1, &["image", "include_images"]),
        (&["read_image", "../x.png"], 1, &["../x.png"]),
        (&["read_image"], 2, &["path"]),
        (&["auto_memry"], 2, &["auto_memory"]),
        (&["distill"], 2, &["file"]),
        (&["distill", "no-such-file.txt"], 1, &["no-such-file.txt"]),
        (&["distill", "empty.txt"], 1, &["empty"]),
        (&["distill", "binary.png"], 1, &["text"]),
        (&["import", "prose.txt", "--dry-run"], 1, &[]),
    ];
    for (arguments, status, words) in rows {
        let home = home();
        fs::write(home.path().join("empty.txt"), "").unwrap();
        fs::write(home.path().join("binary.png"), b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR").unwrap();
        fs::write(home.path().join("prose.txt"), "Nobody speaks here.\n").unwrap();
        let before = files(home.path());
        let (code, answer, stderr) = run(home.path(), arguments);
        assert_eq!(code, *status, "{arguments:?}: {answer} {stderr}");
        let said = format!("{answer}{stderr}");
        for word in *words {
            assert!(said.contains(word), "{arguments:?} should mention {word:?}: {said}");
        }
        assert_eq!(files(home.path()), before, "{arguments:?} changed something");
    }
}

#[test]
fn a_draft_is_printed_and_nothing_is_written() {
    let home = home();
    let text = "User: We chose SQLite over Postgres because the data is 40 MB.\n\nAssistant: Noted.\n";
    let output = reme(home.path()).args(["distill", "-", "--json"]).write_stdin(text).output().unwrap();
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    let session = &json["sessions"][0];
    assert_eq!(session["messages"], 2);
    let sections = session["draft"]["sections"].as_array().unwrap();
    assert!(sections.iter().any(|section| section["kind"] == "decision"), "{json}");
    assert!(files(home.path()).is_empty());
}

#[test]
fn a_dry_run_says_what_was_recognised() {
    let home = home();
    let text = "用户：以后请用中文回答。\n\n助手：好的。\n";
    let output =
        reme(home.path()).args(["import", "-", "--dry-run", "--json"]).write_stdin(text).output().unwrap();
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json["format"], "text_role_labels");
    assert_eq!(json["sessions"][0]["messages"][0]["text"], "以后请用中文回答。");
    assert_eq!(json["sessions"][0]["messages"][0]["id"], Value::Null);
    assert!(json["sessions"][0]["messages"][0]["derived_id"].is_string());
    assert!(files(home.path()).is_empty());
}

#[test]
fn the_demo_without_a_terminal_prints_page_card_and_files() {
    let home = home();
    let dir = home.path().join("sample");
    let output = reme(home.path()).args(["demo", "--dir"]).arg(&dir).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{text}");
    for expected in
        ["daily/2026-06-21.md", "SQLite FTS5", "Written:", "session/dialog/", "<!-- notes:auto -->"]
    {
        assert!(text.contains(expected), "{expected} is missing:\n{text}");
    }
    assert!(dir.join("daily/2026-06-21.md").is_file());
}

#[test]
fn a_stored_picture_is_printed_as_base64() {
    let home = home();
    let folder = home.path().join(".reme/session/images/s");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("msg-6d31-image-0.png"), b"\x89PNG\r\n\x1a\n").unwrap();
    let (code, answer, _) = run(home.path(), &["read_image", "session/images/s/msg-6d31-image-0.png"]);
    assert_eq!((code, answer["answer"].as_str()), (0, Some("iVBORw0KGgo=")));
    assert_eq!(answer["metadata"]["mime"], "image/png");
    let (code, answer, _) = run(home.path(), &["read_image", "session/images/s/none.png"]);
    assert_eq!((code, answer["success"].as_bool()), (1, Some(false)));
}

#[test]
fn a_closed_pipe_ends_quietly() {
    let home = home();
    let command = format!("{} help | head -n 1", env!("CARGO_BIN_EXE_reme"));
    let output =
        std::process::Command::new("sh").args(["-c", &command]).current_dir(home.path()).output().unwrap();
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
}
