//! Planning again after a file changed, in a workspace on disk.

use super::*;
use crate::distill::offline::Offline;
use crate::distill::{Item, Kind, Section};
use crate::message::Role;
use crate::store::StoreOptions;
use crate::workspace::config::Config;
use chrono::{DateTime, Utc};
use std::fs;
use std::sync::Arc;
use tempfile::TempDir;

struct Desk {
    root: TempDir,
    store: Store,
}

impl Desk {
    fn new() -> Desk {
        let root = tempfile::tempdir().unwrap();
        let now: DateTime<Utc> = "2026-03-01T08:00:00Z".parse().unwrap();
        let workspace = Workspace::new(root.path(), Config::default(), Arc::new(move || now)).unwrap();
        let options = StoreOptions { machine: "here".into(), boot: "once".into(), durable: false };
        let store = Store::open_with(workspace, options).unwrap();
        Desk { root, store }
    }

    fn propose(&self, said: &str, name: &str) -> Proposal {
        let message =
            Msg { created_at: Some("2026-03-01T07:00:00".into()), ..Msg::text_message(Role::User, said) };
        let submission =
            Submission { session_id: "talk".into(), messages: vec![message], ..Submission::default() };
        let recorded = record(&self.store, submission, &Offline).unwrap();
        let items = vec![Item { text: said.into(), evidence: vec![recorded.messages.len()] }];
        let section = Section { heading: "Facts".into(), kind: Kind::Fact, items };
        let draft = Draft { name: name.into(), sections: vec![section], ..Draft::default() };
        plan(self.store.workspace(), &recorded, draft).unwrap()
    }

    fn read(&self, path: &str) -> String {
        fs::read_to_string(self.root.path().join(path)).unwrap()
    }

    fn edit(&self, path: &str, edit: impl Fn(&str) -> String) {
        let text = edit(&self.read(path));
        fs::write(self.root.path().join(path), text).unwrap();
    }

    #[track_caller]
    fn refused(&self, proposal: &Proposal) {
        let error = accept(&self.store, proposal).unwrap_err();
        assert_eq!(error.code(), "conflict", "{error}");
    }

    fn replan(&self, proposal: &Proposal) -> Proposal {
        replan(self.store.workspace(), proposal).unwrap()
    }
}

const CARD: &str = "daily/2026-03-01/cats.md";

/// A workspace with a card, and a proposal for it that tags and renames it.
fn chosen() -> (Desk, Proposal) {
    let desk = Desk::new();
    accept(&desk.store, &desk.propose("The cat is called Mo.", "cats")).unwrap();
    let proposal = desk.propose("The dog is called Rex.", "cats");
    let choices = Choices { tags: vec!["Rex".into()], ..proposal.choices.clone() };
    let proposal = revise(desk.store.workspace(), &proposal, choices).unwrap();
    (desk, proposal)
}

#[test]
fn a_changed_card_is_read_again_and_the_choices_stay() {
    let (desk, proposal) = chosen();
    desk.edit(CARD, |text| format!("{text}\nWritten by hand.\n"));
    desk.refused(&proposal);
    // Other choices alone do not make it current.
    desk.refused(&revise(desk.store.workspace(), &proposal, proposal.choices.clone()).unwrap());
    let replanned = desk.replan(&proposal);
    assert_eq!(replanned.choices, proposal.choices);
    accept(&desk.store, &replanned).unwrap();
    let text = desk.read(CARD);
    for words in ["Written by hand.", "The cat is called Mo.", "The dog is called Rex.", "- Rex"] {
        assert!(text.contains(words), "{words}: {text}");
    }
}

#[test]
fn names_and_tags_follow_the_card_where_nobody_chose_them() {
    let (desk, proposal) = chosen();
    let folder = desk.root.path().join("daily/2026-03-01");
    fs::rename(folder.join("cats.md"), folder.join("pets.md")).unwrap();
    desk.edit("daily/2026-03-01/pets.md", |text| text.replacen("---\n", "---\nmemory_tags: [Mo]\n", 1));
    desk.refused(&proposal);
    let replanned = desk.replan(&proposal);
    assert_eq!(replanned.choices.name, "pets");
    assert_eq!(replanned.choices.tags, ["Rex", "Mo"]);
    let named = Choices { name: "animals".into(), ..proposal.choices.clone() };
    let renamed = revise(desk.store.workspace(), &proposal, named).unwrap();
    let replanned = desk.replan(&renamed);
    accept(&desk.store, &replanned).unwrap();
    assert_eq!(replanned.path.as_str(), "daily/2026-03-01/animals.md");
    assert!(!folder.join("pets.md").exists());
}

#[test]
fn a_name_that_was_taken_meanwhile_and_a_card_that_went_away() {
    let desk = Desk::new();
    let proposal = desk.propose("The cat is called Mo.", "cats");
    fs::create_dir_all(desk.root.path().join("daily/2026-03-01")).unwrap();
    fs::write(desk.root.path().join(CARD), "Something else.\n").unwrap();
    desk.refused(&proposal);
    let replanned = desk.replan(&proposal);
    assert_ne!(replanned.path.as_str(), CARD);
    accept(&desk.store, &replanned).unwrap();
    assert_eq!(desk.read(CARD), "Something else.\n");

    let (desk, proposal) = chosen();
    fs::remove_file(desk.root.path().join(CARD)).unwrap();
    desk.refused(&proposal);
    let replanned = desk.replan(&proposal);
    assert_eq!(replanned.present, None);
    accept(&desk.store, &replanned).unwrap();
    assert!(desk.read(CARD).contains("Rex"));
}

#[test]
fn a_text_that_was_edited_says_what_it_replaces() {
    let (desk, proposal) = chosen();
    let body = Some("Mine.\n".to_owned());
    let choices = Choices { body, ..proposal.choices.clone() };
    let proposal = revise(desk.store.workspace(), &proposal, choices).unwrap();
    desk.edit(CARD, |text| format!("{text}\nTheirs.\n"));
    let replanned = desk.replan(&proposal);
    assert!(
        replanned.notes.iter().any(|note| note.contains("replaces what changed")),
        "{:?}",
        replanned.notes
    );
    assert!(replanned.present.is_some_and(|present| present.text.contains("Theirs.")));
    assert!(replanned.text.contains("Mine.") && !replanned.text.contains("Theirs."));
}
