//! The messages that a statement rests on.
//!
//! Finds them by the numbers of the draft's item, else by the footnotes of the line, which name message ids.
//! Pure; decides nothing about whether the evidence holds.

use reme_core::link;
use reme_core::memorize::Proposal;
use reme_core::message::Msg;

/// The messages behind one line of the proposed file, in the order of the conversation.
pub(super) fn of<'a>(proposal: &'a Proposal, line: &str) -> Vec<&'a Msg> {
    let said = statement(line);
    let mut items = proposal.draft.sections.iter().flat_map(|section| &section.items);
    if let Some(item) = items.find(|item| !said.is_empty() && statement(&item.text) == said) {
        let found = item.evidence.iter().filter_map(|number| proposal.messages.get(number.checked_sub(1)?));
        return found.collect();
    }
    let ids = anchors(&proposal.text, line);
    proposal
        .messages
        .iter()
        .filter(|message| message.id.as_ref().is_some_and(|id| ids.contains(id)))
        .collect()
}

/// A line without list marker and footnotes, so that it can be compared.
fn statement(line: &str) -> String {
    let line = line.trim();
    let line = ["- ", "* ", "+ "].iter().find_map(|marker| line.strip_prefix(marker)).unwrap_or(line);
    let words = line.split_once(" [^").map_or(line, |(words, _)| words);
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The message ids that the footnotes of a line name; a definition names its own.
fn anchors(text: &str, line: &str) -> Vec<String> {
    let mut ids = Vec::new();
    for label in labels(line) {
        let start = format!("[^{label}]:");
        for definition in text.lines().filter(|line| line.starts_with(&start)) {
            ids.extend(
                link::find(definition)
                    .into_iter()
                    .filter_map(|link| link.anchor)
                    .map(|anchor| decode(&anchor)),
            );
        }
    }
    ids
}

fn labels(line: &str) -> Vec<&str> {
    line.split("[^").skip(1).filter_map(|rest| rest.split_once(']').map(|(label, _)| label)).collect()
}

/// Percent-decoding; a sequence that is none stays as it is.
fn decode(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let code = after.get(..2).and_then(|code| std::str::from_utf8(code).ok());
        match code.and_then(|code| u8::from_str_radix(code, 16).ok()).filter(|_| *first == b'%') {
            Some(byte) => {
                bytes.push(byte);
                rest = after.get(2..).unwrap_or_default();
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use reme_core::distill::{Draft, Item, Kind, Section};
    use reme_core::memorize::Choices;
    use reme_core::message::Role;
    use reme_core::store::ChangeSet;
    use reme_core::workspace::RelPath;

    fn proposal() -> Proposal {
        let message =
            |role, id: &str, text: &str| Msg { id: Some(id.into()), ..Msg::text_message(role, text) };
        let item = Item { text: "Chose SQLite over Postgres: 60 MB of data".into(), evidence: vec![1, 2] };
        let sections = vec![Section { heading: "Decisions".into(), kind: Kind::Decision, items: vec![item] }];
        Proposal {
            session_id: "s".into(),
            record: RelPath::new("session/dialog/s.jsonl").unwrap(),
            day: "2023-01-19".parse().unwrap(),
            draft: Draft { sections, ..Draft::default() },
            mark: reme_core::dialog::Mark::default(),
            messages: vec![
                message(Role::User, "m 1", "It is 60 MB now, not 40."),
                message(Role::Assistant, "m2", "Then SQLite still does."),
                message(Role::User, "m3", "Thanks!"),
            ],
            images: Vec::new(),
            present: None,
            choices: Choices::default(),
            path: RelPath::new("daily/2023-01-19/login.md").unwrap(),
            text: "## Decisions\n\n- Chose SQLite over Postgres: 60 MB of data [^1]\n\n\
                   [^1]: [[session/dialog/s.jsonl#m%201]] [[session/dialog/s.jsonl#m2]]\n"
                .into(),
            links: Vec::new(),
            notes: Vec::new(),
            needs_review: false,
            is_ours: true,
            is_named: false,
            tag_error: None,
            changes: ChangeSet::default(),
        }
    }

    #[test]
    fn statements_lead_to_their_messages() {
        let mut proposal = proposal();
        let ids = |proposal: &Proposal, line: &str| -> Vec<String> {
            of(proposal, line).into_iter().filter_map(|message| message.id.clone()).collect()
        };
        assert_eq!(ids(&proposal, "- Chose SQLite over Postgres: 60 MB of data [^1]"), ["m 1", "m2"]);
        assert_eq!(ids(&proposal, "[^1]: [[session/dialog/s.jsonl#m%201]]"), ["m 1", "m2"]);
        assert!(ids(&proposal, "## Decisions").is_empty());
        assert!(ids(&proposal, "").is_empty());
        proposal.draft.sections.clear();
        assert_eq!(ids(&proposal, "- anything [^1]"), ["m 1", "m2"]);
    }

    #[test]
    fn ids_are_decoded() {
        for (text, expected) in
            [("m1", "m1"), ("m%201", "m 1"), ("%E6%97%A5", "日"), ("50%", "50%"), ("%zz%2", "%zz%2")]
        {
            assert_eq!(decode(text), expected);
        }
    }
}
