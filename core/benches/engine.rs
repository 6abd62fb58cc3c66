//! How long the engine takes where it matters; run with `cargo bench -p reme-core`.
//!
//! Workspaces lie in a temporary folder of the file system that `TMPDIR` names, and durability is on: a commit
//! is flushed as in use. Nothing here asserts a time.

#![allow(missing_docs, clippy::unwrap_used, clippy::panic)]

use divan::{Bencher, counter::ItemsCount};
use reme_core::card::Card;
use reme_core::catalog::Snapshot;
use reme_core::daily;
use reme_core::distill::{
    DistillError, Distiller, Draft, Item, Kind, Progress, Request, Section, TagRequest,
};
use reme_core::memorize::{self, Choices, Submission, auto};
use reme_core::message::{Msg, parse_list};
use reme_core::store::{Base, Change, ChangeSet, Edit, Store};
use reme_core::workspace::{Config, RelPath, Workspace};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use tempfile::TempDir;

fn main() {
    divan::main();
}

/// Answers at once: one statement that rests on the newest message.
struct Instant;

impl Distiller for Instant {
    fn name(&self) -> &str {
        "instant"
    }

    fn distill(&self, request: &Request<'_>, _: &dyn Progress) -> Result<Draft, DistillError> {
        let number = request.messages.len();
        let text = format!("Statement {number} of what was said");
        let items = vec![Item { text, evidence: vec![number] }];
        let section = Section { heading: "Facts".into(), kind: Kind::Fact, items };
        let tags = Some(vec!["SQLite".to_owned()]);
        Ok(Draft {
            name: "topic".into(),
            description: "What was said".into(),
            sections: vec![section],
            tags,
            ..Draft::default()
        })
    }

    fn tag(&self, _: &TagRequest<'_>, _: &dyn Progress) -> Result<Vec<String>, DistillError> {
        Ok(Vec::new())
    }
}

struct Place {
    folder: TempDir,
    store: Store,
}

fn workspace(root: &Path) -> Workspace {
    let config = Config { timezone: Some(chrono_tz::UTC), ..Config::default() };
    Workspace::new(root, config, Arc::new(chrono::Utc::now)).unwrap()
}

fn place() -> Place {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(workspace(folder.path())).unwrap();
    Place { folder, store }
}

/// Message `number` of a long session, one each minute.
fn said(number: usize) -> Value {
    let minute =
        chrono::DateTime::from_timestamp(1_700_000_000 + 60 * i64::try_from(number).unwrap(), 0).unwrap();
    let (role, text) = match number % 2 {
        0 => {
            ("user", "We chose SQLite over Postgres because the data is 40 MB and one file is easier to copy")
        }
        _ => ("assistant", "Noted. I will write the migration for the new schema, then run the tests again"),
    };
    let time = minute.format("%Y-%m-%dT%H:%M:%S").to_string();
    json!({"name": role, "role": role, "id": format!("m{number}"), "content": format!("{text} ({number})"), "created_at": time})
}

fn messages(numbers: impl Iterator<Item = usize>) -> Vec<Msg> {
    parse_list(&Value::Array(numbers.map(said).collect())).unwrap().messages
}

fn submission(numbers: impl Iterator<Item = usize>) -> Submission {
    let date = Some("2023-11-14".parse().unwrap());
    Submission { session_id: "long".into(), messages: messages(numbers), date, ..Submission::default() }
}

/// A session of so many messages that a memory covers, but for every tenth place where one may come between.
fn long_session(count: usize) -> Place {
    let place = place();
    auto::submit(&place.store, (submission((0..count).filter(|n| n % 10 != 5)), Vec::new()), &Instant)
        .unwrap();
    place.store.settle().unwrap();
    place
}

#[divan::bench(args = [1_000, 10_000, 100_000], sample_count = 40, sample_size = 1)]
fn append_one_message(bencher: Bencher, count: usize) {
    let place = long_session(count);
    let mut next = count;
    bencher
        .with_inputs(|| {
            next += 1;
            submission(next..=next)
        })
        .bench_local_values(|submission| memorize::record(&place.store, submission, &Instant).unwrap());
}

#[divan::bench(args = [10_000, 100_000], sample_count = 20, sample_size = 1)]
fn memorize_one_more_message(bencher: Bencher, count: usize) {
    let place = long_session(count);
    let mut next = count;
    bencher
        .with_inputs(|| {
            next += 1;
            submission(next..=next)
        })
        .bench_local_values(|submission| {
            auto::submit(&place.store, (submission, Vec::new()), &Instant).unwrap()
        });
}

#[divan::bench(args = [10_000], sample_count = 20, sample_size = 1)]
fn message_out_of_order(bencher: Bencher, count: usize) {
    let place = long_session(count);
    let mut next = 0;
    bencher
        .with_inputs(|| {
            next += 1;
            let number = next * 10 + 5;
            submission(number..=number)
        })
        .bench_local_values(|submission| memorize::record(&place.store, submission, &Instant).unwrap());
}

#[divan::bench(sample_count = 200, sample_size = 1)]
fn auto_memory(bencher: Bencher) {
    let place = place();
    let mut number = 0;
    bencher.with_inputs(|| {
        number += 1;
        // About thirty cards a day.
        let messages = json!([{"role": "user", "content": format!("Jon lost his job today ({number})"), "created_at": format!("2023-01-{:02}T08:00:00", 1 + number / 30)}]);
        auto::Request { session_id: format!("session-{number}"), messages, ..auto::Request::default() }
    }).bench_local_values(|request| assert!(auto::auto_memory(&place.store, request, &Instant).success));
}

fn card(number: usize) -> String {
    format!(
        "---\nname: topic-{number}\ndescription: What was said about topic {number} and why it matters\nsession_id: session-{number}\nsource_conversation: \"[[session/dialog/session-{number}.jsonl]]\"\nmemory_tags:\n- SQLite\n- Boston\n---\n\n## Decisions\n\n- Chose SQLite over Postgres: 40 MB of data [^1]\n\nSee [[daily/2023-11-14/topic.md]] for more.\n\n[^1]: [[session/dialog/session-{number}.jsonl#m3]]\n"
    )
}

fn write_cards(root: &Path, count: usize, per_day: usize) {
    for number in 0..count {
        let day = chrono::NaiveDate::from_ymd_opt(2020, 1, 1).unwrap()
            + chrono::Days::new((number / per_day) as u64);
        let folder = root.join(format!("daily/{day}"));
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join(format!("card-{number}.md")), card(number)).unwrap();
        if number % per_day == 0 {
            fs::write(root.join(format!("daily/{day}.md")), format!("---\nname: '{day}'\n---\n")).unwrap();
        }
    }
}

#[divan::bench(sample_count = 6, sample_size = 1)]
fn rename_with_10_000_inbound_files(bencher: Bencher) {
    let place = place();
    auto::submit(&place.store, (submission(0..1), Vec::new()), &Instant).unwrap();
    write_cards(place.folder.path(), 10_000, 20);
    let mut number = 0;
    bencher.bench_local(|| {
        number += 1;
        let recorded = memorize::record(&place.store, submission(number..=number), &Instant).unwrap();
        let memorize::Outcome::Proposed(proposal) =
            memorize::propose(&place.store, &recorded, &Instant, &reme_core::distill::Unwatched).unwrap()
        else {
            panic!("a card")
        };
        let name = if number % 2 == 1 { "other" } else { "topic" };
        let choices = Choices { name: name.into(), retarget: true, ..proposal.choices.clone() };
        let proposal = memorize::revise(place.store.workspace(), &proposal, choices).unwrap();
        assert!(proposal.links.len() >= 10_000);
        memorize::accept(&place.store, &proposal).unwrap()
    });
}

/// What a commit leaves for later: its files brought to the disk itself.
#[divan::bench(sample_count = 3, sample_size = 1)]
fn settle_10_000_written_files(bencher: Bencher) {
    let place = place();
    let mut number = 0;
    bencher
        .with_inputs(|| {
            number += 1;
            let changes = (0..10_000).map(|file| {
                let path = RelPath::new(&format!("daily/2020-01-01/{number}-{file}.md")).unwrap();
                Change { path, base: Base::Absent, edit: Edit::Write(card(file).into_bytes()) }
            });
            place.store.commit(ChangeSet { summary: "many".into(), changes: changes.collect() }).unwrap();
        })
        .bench_local_values(|()| place.store.settle().unwrap());
}

#[divan::bench]
fn day_page_of_20_cards(bencher: Bencher) {
    let texts: Vec<(RelPath, String)> = (0..20)
        .map(|number| (RelPath::new(&format!("daily/2023-11-14/card-{number}.md")).unwrap(), card(number)))
        .collect();
    let day = "2023-11-14".parse().unwrap();
    let mut page = String::new();
    write!(page, "---\nname: '{day}'\ndescription: 0 note(s) today.\n---\n\nMine.\n").unwrap();
    bencher.counter(ItemsCount::new(20_u32)).bench_local(|| {
        let cards: Vec<_> =
            texts.iter().map(|(path, text)| (path.clone(), Card::parse(text.as_str()))).collect();
        daily::rebuild(day, Some(&page), &cards)
    });
}

#[divan::bench(sample_count = 20, sample_size = 1)]
fn list_10_000_cards(bencher: Bencher) {
    let folder = tempfile::tempdir().unwrap();
    write_cards(folder.path(), 10_000, 20);
    let workspace = workspace(folder.path());
    bencher.bench_local(|| Snapshot::list(&workspace));
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn read_10_000_cards(bencher: Bencher) {
    let folder = tempfile::tempdir().unwrap();
    write_cards(folder.path(), 10_000, 20);
    let workspace = workspace(folder.path());
    bencher.bench_local(|| Snapshot::list(&workspace).fill(&workspace, &|_| {}));
}
