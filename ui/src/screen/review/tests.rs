//! The review screen, driven as the application drives it.

use super::*;
use reme_core::dialog::Mark;
use reme_core::distill::{Draft, Item, Kind, Section};
use reme_core::link::LinkEdit;
use reme_core::memorize::Present;
use reme_core::message::{Msg, Role};
use reme_core::store::ChangeSet;
use reme_core::workspace::RelPath;

const BEFORE: &str = "---\nname: login\n---\n\n## Decisions\n\n- Chose SQLite over Postgres: 40 MB of data\n";
const AFTER: &str = "---\nname: login\nmemory_tags:\n- SQLite\n---\n\n## Decisions\n\n\
- Chose SQLite over Postgres: 60 MB of data [^1]\n\n[^1]: [[session/dialog/s.jsonl#m%201]] [[session/dialog/s.jsonl#m2]]\n";

pub(super) fn proposal() -> Proposal {
    let message = |role, id: &str, text: &str| Msg {
        id: Some(id.into()),
        created_at: Some("2023-01-19T08:00:00".into()),
        ..Msg::text_message(role, text)
    };
    let item = Item { text: "Chose SQLite over Postgres: 60 MB of data".into(), evidence: vec![1, 2] };
    Proposal {
        session_id: "s".into(),
        day: chrono::NaiveDate::from_ymd_opt(2023, 1, 19).unwrap(),
        draft: Draft {
            name: "login".into(),
            sections: vec![Section { heading: "Decisions".into(), kind: Kind::Decision, items: vec![item] }],
            ..Draft::default()
        },
        mark: Mark::default(),
        messages: vec![
            message(Role::User, "m 1", "It is 60 MB now, not 40."),
            message(Role::Assistant, "m2", "Then SQLite still does, \u{1b}[31mno Postgres."),
            message(Role::User, "m3", "Thanks!"),
        ],
        present: Some(Present {
            path: RelPath::new("daily/2023-01-19/login.md").unwrap(),
            text: BEFORE.into(),
        }),
        choices: Choices { name: "login".into(), tags: vec!["SQLite".into()], body: None, retarget: true },
        path: RelPath::new("daily/2023-01-19/login.md").unwrap(),
        text: AFTER.into(),
        links: vec![LinkEdit {
            path: RelPath::new("daily/2023-01-18/other.md").unwrap(),
            line: 7,
            before: "See [[daily/2023-01-19/login.md]].".into(),
            after: "See [[daily/2023-01-19/auth.md]].".into(),
        }],
        notes: vec!["one statement was put back".into()],
        changes: ChangeSet::default(),
    }
}
