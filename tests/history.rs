//! `reme log` and `reme undo`, driven as a person would.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)]

mod support;

use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use support::{reme, visible};
use tempfile::TempDir;

struct Place(TempDir);

impl Place {
    fn new() -> Place {
        Place(tempfile::tempdir().unwrap())
    }

    fn root(&self) -> std::path::PathBuf {
        self.0.path().join(".reme")
    }

    fn files(&self) -> BTreeMap<String, Vec<u8>> {
        visible(&self.root())
    }

    /// The same without the record, which no undo of a memory touches.
    fn memories(&self) -> BTreeMap<String, Vec<u8>> {
        let mut files = self.files();
        files.retain(|path, _| !path.starts_with("session/"));
        files
    }

    fn run(&self, arguments: &[&str]) -> (i32, Value) {
        let output = reme(self.0.path()).args(arguments).arg("--json").output().unwrap();
        let json = serde_json::from_slice(&output.stdout).unwrap_or(Value::Null);
        (output.status.code().unwrap(), json)
    }

    fn done(&self, arguments: &[&str]) -> Value {
        let (code, answer) = self.run(arguments);
        assert_eq!((code, &answer["success"]), (0, &json!(true)), "{arguments:?}: {answer}");
        answer
    }

    /// The error's code and message.
    fn refused(&self, arguments: &[&str]) -> (String, String) {
        let (code, answer) = self.run(arguments);
        assert_eq!((code, &answer["success"]), (1, &json!(false)), "{arguments:?}: {answer}");
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        (text(&answer["metadata"]["error"]), text(&answer["answer"]))
    }

    fn memorize(&self, session: &str, words: &str) -> Value {
        let message = json!([{"role": "user", "content": words, "created_at": "2023-01-19T08:00:00"}]);
        self.done(&["auto_memory", &format!("session_id={session}"), &format!("messages={message}")])
    }

    fn log(&self) -> Vec<Value> {
        self.done(&["log"])["metadata"]["commits"].as_array().unwrap().clone()
    }
}

const JON: &str = "Jon lost his job at the bank in Boston today.";
const GINA: &str = "Gina opened a dance studio in Chicago last week.";

fn id(commit: &Value) -> &str {
    commit["id"].as_str().unwrap()
}

#[test]
fn the_log_says_what_when_and_where() {
    let place = Place::new();
    assert!(place.log().is_empty());
    let card = place.memorize("jon", JON)["metadata"]["path"].clone();
    let log = place.log();
    let summaries: Vec<&Value> = log.iter().map(|commit| &commit["summary"]).collect();
    assert_eq!(summaries, ["memorize jon", "record jon"]);
    assert_eq!(log[0]["files"], json!([card, "daily/2023-01-19.md"]));
    assert_eq!(log[1]["files"], json!(["session/dialog/jon.jsonl"]));
    assert!(log.iter().all(|commit| commit["undone"] == false && commit["time"].is_string()));

    let output = reme(place.0.path()).arg("log").output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains(id(&log[0])) && text.contains("memorize jon"), "{text}");
    assert!(!text.contains("metadata/native"), "{text}");
}

#[test]
fn a_memory_is_undone_as_one_and_the_record_stays() {
    let place = Place::new();
    place.memorize("jon", JON);
    let after = place.files();
    let undone = place.done(&["undo"]);
    let names: Vec<String> = place.files().into_keys().collect();
    assert_eq!(names, ["session/dialog/jon.jsonl"], "card, page and their folder are gone");
    assert!(!place.root().join("daily").exists());
    assert_eq!(place.log()[1]["undone"], json!(true));

    let (code, text) = place.refused(&["undo"]);
    assert_eq!(code, "nothing_to_undo", "{text}");
    // What was undone is news again: the coverage went back too.
    let redone = undone["metadata"]["operation"].as_str().unwrap();
    place.done(&["undo", redone]);
    assert_eq!(place.files(), after, "an undone undo is all of it again");
    assert_eq!(place.memorize("jon", JON)["answer"], "Skipped: nothing new");
    place.done(&["undo"]);
    assert_eq!(place.memorize("jon", JON)["metadata"]["created"], true);
    assert_eq!(place.files(), after);
}

#[test]
fn an_older_memory_goes_while_newer_ones_of_the_day_stay() {
    let place = Place::new();
    place.memorize("jon", JON);
    let first = id(&place.log()[0]).to_owned();
    place.memorize("gina", GINA);
    let both = place.memories();
    let undone = place.done(&["undo", &first]);
    let page = String::from_utf8(place.memories()["daily/2023-01-19.md"].clone()).unwrap();
    assert!(page.contains("Gina") && !page.contains("Jon") && page.contains("1 note(s)"), "{page}");
    place.done(&["undo", undone["metadata"]["operation"].as_str().unwrap()]);
    assert_eq!(place.memories(), both);

    // Without an id: the newest that holds, one after the other.
    let undone = [place.done(&["undo"]), place.done(&["undo"])];
    let summaries = undone.map(|answer| answer["metadata"]["undone"]["summary"].clone());
    assert_eq!(summaries, [json!("memorize gina"), json!("memorize jon")]);
    assert!(place.memories().is_empty());
}

#[test]
fn what_cannot_be_undone_says_what_to_do() {
    let place = Place::new();
    let card = place.memorize("jon", JON)["metadata"]["path"].as_str().unwrap().to_owned();
    let first = id(&place.log()[0]).to_owned();
    place.memorize("jon", GINA);
    let second = id(&place.log()[0]).to_owned();
    let before = place.files();

    let rows: &[(&str, &str, &[&str])] = &[
        (&first, "conflict", &[&card, &second, "reme undo"]),
        ("1", "unknown_id", &["reme log"]),
        ("../x", "unknown_id", &["reme log"]),
    ];
    for (given, code, words) in rows {
        let (found, text) = place.refused(&["undo", given]);
        assert_eq!(found, *code, "{text}");
        assert!(words.iter().all(|word| text.contains(word)), "{text}");
    }
    let path = place.root().join(&card);
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.clone() + "\nmine\n").unwrap();
    let (code, message) = place.refused(&["undo"]);
    assert!(code == "conflict" && message.contains(&card) && message.contains("edited"), "{message}");
    fs::write(&path, text).unwrap();
    assert_eq!(place.files(), before, "a refusal changes nothing");
    place.done(&["undo"]);
    let (code, message) = place.refused(&["undo", &second]);
    assert!(code == "already_undone" && message.contains("reme undo"), "{message}");
}

#[test]
fn nothing_is_made_where_nothing_was() {
    let place = Place::new();
    place.done(&["log"]);
    assert_eq!(place.refused(&["undo"]).0, "nothing_to_undo");
    assert!(!Path::new(&place.root()).exists());
}
