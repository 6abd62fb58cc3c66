//! How links to messages read: who spoke and when, instead of file and id.
//!
//! Owns these words for the records that a file's evidence points to. Reads no file: [`crate::effect`] reads the
//! records and keeps what was found in them. Called while a file is laid out.

use crate::text;
use reme_core::dialog::Record;
use reme_core::link::{self, Link};
use reme_core::message::time::{Timestamp, Zone};
use reme_core::workspace::RelPath;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

/// What the extension of a record is.
const RECORD: &str = ".jsonl";
/// How much of a session id is shown while its record is not read.
const SESSION_CELLS: usize = 24;

/// Speaker and time of each message of a record, by message id.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sayings {
    said: HashMap<String, String>,
    fingerprint: u64,
}

impl Sayings {
    /// The messages of a record.
    pub fn of(record: &Record, zone: Zone) -> Sayings {
        let mut said = HashMap::new();
        let mut hasher = DefaultHasher::new();
        for message in record.messages() {
            let Some(id) = message.id.clone() else { continue };
            let time = message.created_at.as_deref().map(|time| format!(" · {}", spoken_at(time, zone)));
            let words = format!("{}{}", message.speaker(), time.unwrap_or_default());
            (&id, &words).hash(&mut hasher);
            said.insert(id, words);
        }
        Sayings { said, fingerprint: hasher.finish() }
    }
}

/// The time as its source's wall clock had it; text that is no time stands as it is.
pub(super) fn spoken_at(written: &str, zone: Zone) -> String {
    let Some(time) = Timestamp::parse(written) else { return format!("{written} (not a time)") };
    let local = time.local.format("%Y-%m-%d %H:%M");
    match time.offset {
        Some(offset) if Zone::Fixed(offset) != zone => format!("{local} {offset}"),
        _ => local.to_string(),
    }
}

/// How a link to a message reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Name {
    /// Speaker and time.
    Said(String),
    /// Words in place of them: the message is gone, or its record was not read.
    Unknown(String),
}

/// The records that are known so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names(HashMap<String, Arc<Sayings>>);

impl Names {
    /// Adds a record; without messages, all links into it lead nowhere.
    pub fn add(&mut self, record: &RelPath, sayings: Arc<Sayings>) {
        self.0.insert(record.to_string(), sayings);
    }

    /// How a link reads; `None` where it is none to a message.
    pub fn of(&self, link: &Link) -> Option<Name> {
        let (record, id) = message_of(link)?;
        Some(match self.0.get(record) {
            Some(sayings) => match sayings.said.get(&id) {
                Some(said) => Name::Said(said.clone()),
                None => Name::Unknown("message not found".to_owned()),
            },
            None => {
                let session = record.rsplit('/').next().and_then(|file| file.strip_suffix(RECORD));
                let session = text::truncate_middle(session.unwrap_or(record), SESSION_CELLS);
                Name::Unknown(format!("message in {session}"))
            }
        })
    }

    /// Tells these names from others.
    pub fn fingerprint(&self) -> u64 {
        let mut all: Vec<(&String, u64)> =
            self.0.iter().map(|(record, sayings)| (record, sayings.fingerprint)).collect();
        all.sort_unstable();
        let mut hasher = DefaultHasher::new();
        all.hash(&mut hasher);
        hasher.finish()
    }
}

/// The record and the id that a link without words of its own points to.
fn message_of(link: &Link) -> Option<(&str, String)> {
    let anchor = link.anchor.as_deref().filter(|anchor| !anchor.is_empty())?;
    let is_plain = link.alias.is_none() && !link.embed && link.target.ends_with(RECORD);
    let id = percent_encoding::percent_decode_str(anchor).decode_utf8_lossy().into_owned();
    is_plain.then_some((link.target.as_str(), id))
}

/// The records whose messages a text links to, each once.
pub fn records(text: &str) -> Vec<RelPath> {
    let mut found: Vec<RelPath> = Vec::new();
    for link in link::find(text) {
        let record = message_of(&link).and_then(|(record, _)| RelPath::new(record).ok());
        if let Some(record) = record.filter(|record| !found.contains(record)) {
            found.push(record);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use reme_core::dialog::Line;
    use reme_core::message::{Msg, Role};

    fn names() -> Names {
        let say = |id: &str, name: Option<&str>, time: Option<&str>| {
            let mut message = Msg::text_message(Role::User, "words");
            message.id = Some(id.to_owned());
            message.name = name.map(str::to_owned);
            message.created_at = time.map(str::to_owned);
            Line::Message(message)
        };
        let record = Record {
            lines: vec![
                say("m 1", Some("Mira"), Some("2026-06-18T09:12:00")),
                say("m2", None, None),
                say("m3", None, Some("2026-06-18T09:12:00+02:00")),
            ],
        };
        let zone = Zone::Fixed(chrono::FixedOffset::east_opt(0).unwrap());
        let mut names = Names::default();
        names.add(&RelPath::new("session/dialog/a.jsonl").unwrap(), Arc::new(Sayings::of(&record, zone)));
        names
    }

    #[test]
    fn links_to_messages_name_speaker_and_time() {
        let said = |words: &str| Some(Name::Said(words.to_owned()));
        let unknown = |words: &str| Some(Name::Unknown(words.to_owned()));
        for (link, expected) in [
            ("[[session/dialog/a.jsonl#m%201]]", said("Mira · 2026-06-18 09:12")),
            ("[[session/dialog/a.jsonl#m2]]", said("user")),
            ("[[session/dialog/a.jsonl#m3]]", said("user · 2026-06-18 09:12 +02:00")),
            ("[[session/dialog/a.jsonl#gone]]", unknown("message not found")),
            ("[[session/dialog/b.jsonl#m1]]", unknown("message in b")),
            (
                "[[session/dialog/2026-06-21-text-role-labels-3fb682bb.jsonl#m1]]",
                unknown("message in 2026-06-21-…els-3fb682bb"),
            ),
            ("[[session/dialog/a.jsonl#m2|here]]", None),
            ("[[session/dialog/a.jsonl]]", None),
            ("[[daily/2026-06-18/a.md#m2]]", None),
        ] {
            let found = link::find(link);
            assert_eq!(names().of(&found[0]), expected, "{link}");
        }
    }

    #[test]
    fn the_records_of_a_text_are_listed_once() {
        let text = "[[s/a.jsonl#1]] [[s/a.jsonl#2]] [[s/b.jsonl#1]] [[s/c.jsonl]] `[[s/d.jsonl#1]]`";
        let found: Vec<String> = records(text).iter().map(ToString::to_string).collect();
        assert_eq!(found, ["s/a.jsonl", "s/b.jsonl"]);
        assert_ne!(names().fingerprint(), Names::default().fingerprint());
    }
}
