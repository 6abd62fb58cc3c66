//! Eight processes write a thousand memories into one workspace; none may be lost, whoever comes first.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)]

use reme_core::card::Card;
use reme_core::daily;
use reme_core::dialog::Record;
use reme_core::distill::{
    DistillError, Distiller, Draft, Item, Kind, Progress, Request, Section, TagRequest,
};
use reme_core::memorize::{self, Submission, auto};
use reme_core::message::parse_list;
use reme_core::store::Store;
use reme_core::workspace::{Config, RelPath, Workspace};
use serde_json::{Value, json};
use std::collections::HashSet;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

const PROCESSES: usize = 8;
const MEMORIES: usize = 125;
const DAYS: usize = 5;

/// How many memories a process writes before it opens the workspace anew.
const BATCH: usize = 25;

const ORDER: &str = "REME_PROCESSES_TEST";

/// Repeats what was said.
struct Echo;

impl Distiller for Echo {
    fn name(&self) -> &str {
        "echo"
    }

    fn distill(&self, request: &Request<'_>, _: &dyn Progress) -> Result<Draft, DistillError> {
        let items = vec![Item { text: request.messages[0].text(), evidence: vec![1] }];
        let sections = vec![Section { heading: "Facts".into(), kind: Kind::Fact, items }];
        // Every card wants the same name.
        let tags = Some(vec!["Jon".to_owned()]);
        Ok(Draft {
            name: "topic".into(),
            description: "What was said".into(),
            sections,
            tags,
            ..Draft::default()
        })
    }

    fn tag(&self, _: &TagRequest<'_>, _: &dyn Progress) -> Result<Vec<String>, DistillError> {
        Ok(Vec::new())
    }
}

fn workspace(root: &Path) -> Workspace {
    let config = Config { timezone: Some(chrono_tz::UTC), ..Config::default() };
    Workspace::new(root, config, Arc::new(chrono::Utc::now)).unwrap()
}

fn day(memory: usize) -> String {
    format!("2023-01-{:02}", 10 + memory % DAYS)
}

fn said(id: &str, words: &str, day: &str) -> Value {
    json!([{"role": "user", "id": id, "content": words, "created_at": format!("{day}T08:00:00")}])
}

fn submission(session_id: &str, list: &Value) -> Submission {
    let messages = parse_list(list).unwrap().messages;
    Submission { session_id: session_id.into(), messages, ..Submission::default() }
}

/// What one process does: a card for each memory, and now and then a line of a record that all share.
fn write_memories(root: &Path, process: usize) {
    for first in (0..MEMORIES).step_by(BATCH) {
        let store = Store::open(workspace(root)).unwrap();
        for memory in first..first + BATCH {
            let session = format!("s{process}-{memory}");
            let list = said("m1", &format!("memory {memory} of {process}"), &day(memory));
            let answer = auto::submit(&store, (submission(&session, &list), Vec::new()), &Echo).unwrap();
            assert!(answer.success && answer.metadata["created"] == true, "{answer:?}");
        }
        let shared = said(&format!("{process}-{first}"), "shared", "2023-01-10");
        memorize::record(&store, submission("shared", &shared), &Echo).unwrap();
    }
}

/// Not a test by itself: what the children do.
#[test]
fn in_a_child() {
    let Ok(order) = std::env::var(ORDER) else { return };
    let (process, root) = order.split_once(' ').unwrap();
    write_memories(Path::new(root), process.parse().unwrap());
}

#[test]
fn eight_processes_write_a_thousand_memories() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let spawn = |process: usize| {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "in_a_child", "--nocapture"]).stdout(std::process::Stdio::null());
        command.env(ORDER, format!("{process} {}", root.display())).spawn().unwrap()
    };
    let children: Vec<_> = (0..PROCESSES).map(spawn).collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }

    let mut cards = 0;
    for number in 0..DAYS {
        cards += check_day(root, &day(number));
    }
    assert_eq!(cards, PROCESSES * MEMORIES);
    for process in 0..PROCESSES {
        for memory in 0..MEMORIES {
            assert_eq!(lines(root, &format!("s{process}-{memory}")).len(), 1);
        }
    }
    let shared: HashSet<String> = lines(root, "shared").into_iter().collect();
    assert_eq!(shared.len(), PROCESSES * MEMORIES / BATCH);

    let store = Store::open(workspace(root)).unwrap();
    assert_eq!(store.reports(), []);
    let again = submission("s3-7", &said("m1", "memory 7 of 3", &day(7)));
    let answer = auto::submit(&store, (again, Vec::new()), &Echo).unwrap();
    assert_eq!(answer.answer, "Skipped: nothing new");
}

/// The ids of a record's messages.
fn lines(root: &Path, session: &str) -> Vec<String> {
    let record = Record::parse(&fs::read(root.join(format!("session/dialog/{session}.jsonl"))).unwrap());
    assert_eq!(record.damaged(), 0);
    record.messages().map(|message| message.id.clone().unwrap()).collect()
}

/// The page says what the cards say; returns how many there are.
fn check_day(root: &Path, day: &str) -> usize {
    let mut cards = Vec::new();
    for entry in fs::read_dir(root.join(format!("daily/{day}"))).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let path = RelPath::new(&format!("daily/{day}/{name}")).unwrap();
        cards
            .push((path, Card::parse(fs::read_to_string(root.join(format!("daily/{day}/{name}"))).unwrap())));
    }
    let sessions: HashSet<&str> = cards.iter().filter_map(|(_, card)| card.get("session_id")).collect();
    assert_eq!(sessions.len(), cards.len(), "one card for each session of {day}");
    let page = fs::read_to_string(root.join(format!("daily/{day}.md"))).unwrap();
    assert_eq!(daily::rebuild(day.parse().unwrap(), Some(&page), &cards).text, page);
    assert_eq!(page.matches("- [[daily/").count(), cards.len());
    cards.len()
}
