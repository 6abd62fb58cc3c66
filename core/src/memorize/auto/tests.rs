use crate::answer::Answer;
use crate::card::Card;
use crate::distill::{
    DistillError, Distiller, Draft, Item, Kind, Progress, Request, Section, TagRequest, Unwatched,
};
use crate::memorize::{Choices, Outcome, Submission, accept, auto, propose, record, revise};
use crate::message;
use crate::store::{Store, StoreOptions};
use crate::workspace::{Config, Workspace};
use serde_json::{Value, json};
use std::fs;
use std::sync::Arc;

/// Answers what it is told to.
#[derive(Clone, Default)]
struct Scripted {
    draft: Draft,
    /// What the tagging step finds; none: it fails.
    tags: Option<Vec<String>>,
}

impl Distiller for Scripted {
    fn name(&self) -> &str {
        "scripted"
    }

    fn distill(&self, _: &Request<'_>, _: &dyn Progress) -> Result<Draft, DistillError> {
        Ok(self.draft.clone())
    }

    fn tag(&self, request: &TagRequest<'_>, _: &dyn Progress) -> Result<Vec<String>, DistillError> {
        assert!(!request.body.contains("[^1]:"), "{}", request.body);
        self.tags.clone().ok_or(DistillError::NoText)
    }
}

fn body(name: &str, body: &str) -> Scripted {
    let draft = Draft {
        name: name.to_owned(),
        description: format!("about {name}"),
        body: Some(body.to_owned()),
        tags: Some(Vec::new()),
        ..Draft::default()
    };
    Scripted { draft, tags: None }
}

fn skip() -> Scripted {
    Scripted { draft: Draft { skip: true, skip_reason: "small talk".into(), ..Draft::default() }, tags: None }
}

fn renamed(name: &str, reason: &str) -> Scripted {
    let script = body(name, "x");
    Scripted { draft: Draft { rename_reason: reason.to_owned(), ..script.draft }, ..script }
}

/// A workspace of a test's own, with one session `s` on one day.
struct Room {
    dir: tempfile::TempDir,
    store: Store,
}

const DAY: &str = "daily/2023-07-20";

impl Room {
    fn new() -> Room {
        let dir = tempfile::tempdir().unwrap();
        let clock = Arc::new(|| "2023-08-01T08:00:00Z".parse().unwrap());
        let workspace = Workspace::new(dir.path(), Config::default(), clock).unwrap();
        let options = StoreOptions { machine: "m".into(), boot: "b".into(), durable: false };
        Room { store: Store::open_with(workspace, options).unwrap(), dir }
    }

    /// One more message is remembered.
    fn say(&self, id: &str, distiller: &Scripted) -> Answer {
        let request =
            auto::Request { session_id: "s".into(), messages: Room::messages(id), ..Default::default() };
        auto::auto_memory(&self.store, request, distiller)
    }

    fn messages(id: &str) -> Value {
        json!([{"role": "user", "id": id, "content": format!("word {id}"), "created_at": "2023-07-20T08:00:00"}])
    }

    fn read(&self, path: &str) -> String {
        fs::read_to_string(self.dir.path().join(path)).unwrap_or_default()
    }

    fn write(&self, path: &str, text: &str) {
        let file = self.dir.path().join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }

    fn card(&self, name: &str) -> Card {
        Card::parse(self.read(&format!("{DAY}/{name}.md")))
    }
}

fn path(answer: &Answer) -> &str {
    answer.metadata["path"].as_str().unwrap_or_default()
}

#[test]
fn tags_that_a_draft_lacks_are_a_step_of_their_own() {
    let thoughtless = |tags: Option<&[&str]>| {
        let script = body("talk", "- one");
        let tags = tags.map(|tags| tags.iter().map(|tag| (*tag).to_owned()).collect());
        Scripted { draft: Draft { tags: None, ..script.draft }, tags }
    };
    let room = Room::new();
    let answer = room.say("a", &thoughtless(Some(&["Ann Lee", "ann_lee"])));
    assert_eq!(room.card("talk").list("memory_tags"), ["Ann_Lee"]);
    assert_eq!(answer.metadata["auto_tag"]["succeeded"], 1);
    assert!(room.read(&format!("{DAY}.md")).contains("memory_tags: ['Ann_Lee']"));

    let room = Room::new();
    let answer = room.say("a", &thoughtless(None));
    assert!(answer.success && room.card("talk").fields().iter().all(|field| field.key != "memory_tags"));
    let tagging = &answer.metadata["auto_tag"];
    assert_eq!((&tagging["processed"], &tagging["failed"]), (&json!(1), &json!(1)));
    assert_eq!(tagging["results"][0]["path"], format!("{DAY}/talk.md"));
    assert!(tagging["results"][0]["error"].is_string());
    let again = room.say("b", &thoughtless(None));
    assert_eq!(again.metadata["auto_tag"]["processed"], 0, "the card did not change");

    let room = Room::new();
    room.say("a", &body("talk", "one"));
    assert!(room.read(&format!("{DAY}/talk.md")).contains("memory_tags: []\n"), "nothing is central");
}

#[test]
fn a_draft_renames_with_a_reason_unless_a_person_chose_the_name() {
    let room = Room::new();
    room.say("a", &body("first", "x"));
    assert_eq!(path(&room.say("b", &renamed("second", ""))), format!("{DAY}/first.md"));
    assert_eq!(path(&room.say("c", &renamed("second", "it is about more now"))), format!("{DAY}/second.md"));
    assert!(!room.dir.path().join(DAY).join("first.md").exists());

    // By hand on disk.
    fs::rename(room.dir.path().join(DAY).join("second.md"), room.dir.path().join(DAY).join("mine.md"))
        .unwrap();
    assert_eq!(path(&room.say("d", &renamed("third", "better"))), format!("{DAY}/mine.md"));

    // In review.
    let submission = |id: &str| Submission {
        session_id: "t".into(),
        messages: message::parse_list(&Room::messages(id)).unwrap().messages,
        ..Submission::default()
    };
    let recorded = record(&room.store, submission("a"), &skip()).unwrap();
    let Outcome::Proposed(proposal) =
        propose(&room.store, &recorded, &body("theirs", "x"), &Unwatched).unwrap()
    else {
        panic!("a proposal")
    };
    let choices = Choices { name: "chosen".into(), ..proposal.choices.clone() };
    let proposal = revise(room.store.workspace(), &proposal, choices).unwrap();
    accept(&room.store, &proposal).unwrap();
    let submission = submission("b");
    let answer = auto::submit(&room.store, (submission, Vec::new()), &renamed("other", "better")).unwrap();
    assert_eq!(path(&answer), format!("{DAY}/chosen.md"));
}

#[test]
fn a_body_over_text_of_others_waits_for_review() {
    let room = Room::new();
    room.say("a", &body("talk", "one"));
    assert!(room.say("b", &body("talk", "two")).success, "nobody has touched what this program wrote");
    assert_eq!(room.card("talk").body().trim(), "two");

    let file = format!("{DAY}/talk.md");
    room.write(&file, &room.read(&file).replace("two", "two, and a remark of mine"));
    let before = room.read(&file);
    let answer = room.say("c", &body("talk", "three"));
    assert_eq!((answer.success, &answer.metadata["error"]), (false, &json!("needs_review")));
    assert_eq!((path(&answer), &answer.metadata["n_messages"]), (file.as_str(), &json!(1)));
    assert_eq!(room.read(&file), before);
    assert!(room.say("c", &body("talk", "two, and a remark of mine\n\nthree")).success, "it is news still");
    assert_eq!(room.card("talk").body().trim(), "two, and a remark of mine\n\nthree");

    // A person who looked at it decides.
    room.write(&file, &before);
    let messages = message::parse_list(&Room::messages("d")).unwrap().messages;
    let submission = Submission { session_id: "s".into(), messages, ..Submission::default() };
    let recorded = record(&room.store, submission, &skip()).unwrap();
    match propose(&room.store, &recorded, &body("talk", "four"), &Unwatched).unwrap() {
        Outcome::Proposed(proposal) => {
            assert!(proposal.needs_review);
            accept(&room.store, &proposal).unwrap();
        }
        Outcome::Skipped { reason } => panic!("{reason}"),
    }
    assert_eq!(room.card("talk").body().trim(), "four");
}

#[test]
fn statements_beside_text_of_others_need_no_review() {
    let room = Room::new();
    room.write(&format!("{DAY}/notes.md"), "---\nname: notes\nsession_id: s\n---\n\nA remark of mine.\n");
    let items = vec![Item { text: "Ann moved to Oslo".into(), evidence: vec![1] }];
    let sections = vec![Section { heading: "Facts".into(), kind: Kind::Fact, items }];
    let draft = Draft { body: None, sections, ..body("notes", "").draft };
    assert!(room.say("a", &Scripted { draft, tags: None }).success);
    let text = room.read(&format!("{DAY}/notes.md"));
    assert!(text.contains("A remark of mine.\n") && text.contains("Ann moved to Oslo [^1]"), "{text}");
}

#[test]
fn a_skip_leaves_the_card_and_lists_it() {
    let room = Room::new();
    let answer = room.say("a", &skip());
    assert_eq!((answer.answer.as_str(), path(&answer)), ("Skipped: small talk", ""));
    assert!(answer.metadata.get("index").is_none() && room.read(&format!("{DAY}.md")).is_empty());

    let file = format!("{DAY}/talk.md");
    room.write(&file, "---\nname: talk\ndescription: by hand\nsession_id: s\n---\n");
    for (id, reason) in [("b", "Skipped: small talk"), ("b", "Skipped: nothing new")] {
        let answer = room.say(id, &skip());
        assert_eq!((answer.answer.as_str(), path(&answer)), (reason, file.as_str()));
        assert_eq!(answer.metadata["index"]["notes"][0]["path"], file);
        assert_eq!(answer.metadata["index"]["changed"], reason == "Skipped: small talk");
        assert!(room.read(&format!("{DAY}.md")).contains("description: by hand"));
    }
}

#[test]
fn a_card_that_cannot_be_read_is_still_its_sessions_card() {
    let room = Room::new();
    let file = format!("{DAY}/broken.md");
    room.write(&file, "---\nname: [broken\nsession_id: s\n---\n\n- old\n");
    let items = vec![Item { text: "Ann moved to Oslo".into(), evidence: vec![1] }];
    let sections = vec![Section { heading: "Facts".into(), kind: Kind::Fact, items }];
    let draft = Draft { body: None, sections, ..body("twin", "").draft };
    let answer = room.say("a", &Scripted { draft, tags: None });
    assert_eq!(path(&answer), file);
    let text = room.read(&file);
    assert!(text.starts_with("---\nname: [broken\nsession_id: s\n---\n\n- old\n"), "{text}");
    assert!(!room.dir.path().join(DAY).join("twin.md").exists());
}
