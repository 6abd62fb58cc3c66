//! What the embedded distiller keeps and how it names it, measured on conversations that people marked beforehand.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use reme_core::distill::offline::Offline;
use reme_core::distill::{Distiller, Draft, Request, Unwatched};
use reme_core::message::{Msg, Role};
use serde::Deserialize;
use std::path::{Path, PathBuf};

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/distill").join(name)
}

fn distil(messages: &[Msg]) -> Draft {
    let request = Request { messages, images: &[], news: &[], card: None, known_tags: &[], hint: None };
    Offline.distill(&request, &Unwatched).expect("a draft")
}

fn message(role: &str, name: Option<&str>, content: &str) -> Msg {
    let role = if role.starts_with('a') { Role::Assistant } else { Role::User };
    Msg { name: name.map(str::to_owned), ..Msg::text_message(role, content.to_owned()) }
}

#[derive(Deserialize)]
struct Named {
    topic: String,
    talk: Vec<String>,
}

/// Of 40 conversations, the name of at least 36 has a word by which a person would look for it.
#[test]
fn names_hold_the_topic() {
    let table = std::fs::read_to_string(data("topics.yaml")).expect("the table");
    let rows: Vec<Named> = serde_yaml::from_str(&table).expect("the table's form");
    assert_eq!(rows.len(), 40);
    let mut missed = Vec::new();
    for row in &rows {
        let messages: Vec<Msg> = row
            .talk
            .iter()
            .map(|line| {
                let (label, text) = line.split_once(": ").expect("role: text");
                let (role, name) =
                    label.split_once('/').map_or((label, None), |(role, name)| (role, Some(name)));
                message(role, name, text)
            })
            .collect();
        let name = distil(&messages).name;
        assert!(!name.is_empty() && name.chars().count() <= 60, "{name:?}");
        assert!(name.split('-').all(|word| !word.is_empty()), "{name:?}");
        let words: Vec<&str> = name.split('-').collect();
        let holds = |word: &str| match word.is_ascii() {
            true => words.contains(&word),
            false => name.contains(word),
        };
        if !row.topic.to_lowercase().split_whitespace().any(holds) {
            missed.push(format!("{} became {name}", row.topic));
        }
    }
    assert!(rows.len() - missed.len() >= 36, "{missed:#?}");
}

#[derive(Deserialize)]
struct Marked {
    messages: Vec<Line>,
    facts: Vec<Mark>,
}

#[derive(Deserialize)]
struct Line {
    role: String,
    name: Option<String>,
    content: String,
}

#[derive(Deserialize)]
struct Mark {
    evidence: usize,
    words: Vec<String>,
}

/// Of what people marked in Chinese conversations, at least 80 % stands in statements that rest on its message, in at
/// most 45 % of the characters.
#[test]
fn chinese_conversations_keep_what_matters() {
    let files: Vec<PathBuf> = std::fs::read_dir(data("zh"))
        .expect("the folder")
        .map(|entry| entry.expect("a file").path())
        .collect();
    assert!(files.len() >= 20);
    let (mut said, mut stated) = (0, 0);
    let mut marks = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(&file).expect("a conversation");
        let talk: Marked = serde_json::from_str(&text).expect("its form");
        let messages: Vec<Msg> = talk
            .messages
            .iter()
            .map(|line| message(&line.role, line.name.as_deref(), &line.content))
            .collect();
        let draft = distil(&messages);
        let items: Vec<_> = draft.sections.iter().flat_map(|section| &section.items).collect();
        said += talk.messages.iter().map(|line| line.content.chars().count()).sum::<usize>();
        stated += items.iter().map(|item| item.text.chars().count()).sum::<usize>();
        for mark in &talk.facts {
            let kept = |word: &&String| {
                items.iter().any(|item| item.evidence.contains(&mark.evidence) && item.text.contains(*word))
            };
            marks.push(mark.words.iter().filter(kept).count() as f64 / mark.words.len() as f64);
        }
    }
    let kept = marks.iter().sum::<f64>() / marks.len() as f64;
    let length = stated as f64 / said as f64;
    assert!(kept >= 0.88 && length <= 0.5, "kept {kept:.3} in {length:.3} of the characters");
}
