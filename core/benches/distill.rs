//! How fast the embedded distiller reads: short talks one after the other, and one long talk.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use divan::Bencher;
use divan::counter::BytesCount;
use reme_core::distill::offline::Offline;
use reme_core::distill::{Distiller, Request, Unwatched};
use reme_core::message::{Msg, Role};
use serde::Deserialize;

fn main() {
    divan::main();
}

#[derive(Deserialize)]
struct Row {
    topic: String,
    talk: Vec<String>,
}

/// The English conversations of the table of topics.
fn talks() -> Vec<Vec<Msg>> {
    let rows: Vec<Row> =
        serde_yaml::from_str(include_str!("../tests/data/distill/topics.yaml")).expect("the table");
    let message = |line: &String| {
        let (label, text) = line.split_once(": ").expect("role: text");
        let role = if label.starts_with('a') { Role::Assistant } else { Role::User };
        Msg::text_message(role, text.to_owned())
    };
    rows.iter().filter(|row| row.topic.is_ascii()).map(|row| row.talk.iter().map(message).collect()).collect()
}

fn bytes(messages: &[Msg]) -> usize {
    messages.iter().map(|message| message.text().len()).sum()
}

fn distil(messages: &[Msg]) {
    let request = Request { messages, images: &[], news: &[], card: None, known_tags: &[], hint: None };
    divan::black_box(Offline.distill(&request, &Unwatched).expect("a draft"));
}

#[divan::bench]
fn short_talks(bencher: Bencher<'_, '_>) {
    let talks = talks();
    let size: usize = talks.iter().map(|talk| bytes(talk)).sum();
    bencher.counter(BytesCount::new(size)).bench(|| talks.iter().for_each(|talk| distil(talk)));
}

#[divan::bench]
fn long_talk(bencher: Bencher<'_, '_>) {
    let talks = talks();
    let long: Vec<Msg> = talks.iter().cycle().take(talks.len() * 80).flatten().cloned().collect();
    bencher.counter(BytesCount::new(bytes(&long))).bench(|| distil(&long));
}
