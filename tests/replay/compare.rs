//! What must agree between a recording and its replay, part by part.

use super::{Case, Replay};
use reme_core::card::{Card, FieldValue};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// A part of what a call leaves behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    Answer,
    Record,
    Attachment,
    Page,
    Card,
    /// Another text file, whose links follow a rename.
    Linking,
    /// Which files were touched.
    Changes,
}

/// Everything that differs.
pub fn compare(case: &Case, replay: &Replay) -> Vec<(Part, String)> {
    let mut faults = Vec::new();
    let mut note = |part: Part, result: Result<(), String>| {
        if let Err(fault) = result {
            faults.push((part, fault));
        }
    };
    note(Part::Answer, answer(case, replay));
    note(Part::Changes, changes(case, replay));
    let config = case.config();
    let (daily, session) = (format!("{}/", config.daily_dir), format!("{}/", config.session_dir));
    let ours: BTreeMap<String, &Vec<u8>> =
        replay.after.iter().map(|(path, bytes)| (drawn(path), bytes)).collect();
    for (path, recorded) in &case.files {
        let Some(ours) = ours.get(&drawn(path)) else {
            note(part(path, &daily, &session), Err(format!("{path} is missing")));
            continue;
        };
        let part = part(path, &daily, &session);
        let result = match part {
            Part::Record => record(case, recorded, ours.as_slice()),
            Part::Page => page(case, path, recorded, ours),
            Part::Card => card(recorded, ours),
            _ => same_bytes(recorded, ours),
        };
        note(part, result.map_err(|fault| format!("{path}: {fault}")));
    }
    faults
}

fn part(path: &str, daily: &str, session: &str) -> Part {
    match (path.strip_prefix(daily), path.starts_with(session)) {
        (Some(inside), _) if inside.contains('/') => Part::Card,
        (Some(_), _) => Part::Page,
        (None, true) if path.ends_with(".jsonl") => Part::Record,
        (None, true) => Part::Attachment,
        (None, false) => Part::Linking,
    }
}

/// A text without the message ids that ReMe drew at random: an attachment is named by the hexadecimal of its
/// message's id, and a drawn id has 32 digits.
fn drawn(text: &str) -> String {
    const MARK: &str = "msg-";
    let mut parts = text.split(MARK);
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let digits = part.chars().take_while(char::is_ascii_hexdigit).count();
        plain.push_str(MARK);
        plain.push_str(if digits == 64 { part.get(digits..).unwrap_or_default() } else { part });
    }
    plain
}

/// `Err` with both where two values differ.
fn same<T: PartialEq + std::fmt::Debug>(what: &str, recorded: T, ours: T) -> Result<(), String> {
    if recorded == ours { Ok(()) } else { Err(format!("{what}: {ours:?}, recorded {recorded:?}")) }
}

fn same_bytes(recorded: &[u8], ours: &[u8]) -> Result<(), String> {
    same("content", String::from_utf8_lossy(recorded), String::from_utf8_lossy(ours))
}

fn answer(case: &Case, replay: &Replay) -> Result<(), String> {
    same("success", case.success(), replay.answer.success)?;
    let Some(recorded) = case.response["metadata"].as_object() else { return Ok(()) };
    let ours = &replay.answer.metadata;
    for key in ["date", "path", "created", "modified", "n_messages", "source_conversation"] {
        if let Some(value) = recorded.get(key) {
            same(key, Some(value), ours.get(key))?;
        }
    }
    let counts = |of: &Map<String, Value>| {
        let tagging = of.get("auto_tag")?;
        let results = tagging["results"].as_array()?;
        let result =
            |result: &Value| (result["change"].clone(), result["path"].clone(), result["success"].clone());
        Some((
            ["processed", "succeeded", "failed"].map(|key| tagging[key].clone()),
            results.iter().map(result).collect::<Vec<_>>(),
        ))
    };
    same("auto_tag", counts(recorded), counts(ours).filter(|_| recorded.contains_key("auto_tag")))?;
    let listed = |of: &Map<String, Value>| {
        let index = of.get("index")?;
        let notes = index["notes"].as_array()?;
        let paths: Vec<Value> = notes.iter().map(|note| note["path"].clone()).collect();
        Some((index["date"].clone(), index["path"].clone(), paths))
    };
    same("index", listed(recorded), listed(ours))
}

fn changes(case: &Case, replay: &Replay) -> Result<(), String> {
    let mut recorded: Vec<&str> = ["added", "deleted", "modified"]
        .iter()
        .filter_map(|kind| case.changes[*kind].as_array())
        .flatten()
        .filter_map(Value::as_str)
        .filter(|path| !path.starts_with("metadata/"))
        .collect();
    recorded.sort_unstable();
    // What did not change is left out of a recording, so that it is new to the replay.
    let record = case.metadata("source_conversation").as_str().unwrap_or_default();
    let record = record.trim_start_matches("[[").trim_end_matches("]]");
    let page = case.metadata("index")["path"].as_str().unwrap_or_default();
    let is_left_out = |path: &str| [record, page].contains(&path) && !case.files.contains_key(path);
    let ours = replay.changed().into_iter().filter(|path| !is_left_out(path)).collect();
    let ours: Vec<&str> = ours;
    let drawn = |paths: Vec<&str>| paths.into_iter().map(drawn).collect::<Vec<_>>();
    same("files", drawn(recorded), drawn(ours))
}

/// Line by line and field by field; ids and times that ReMe draws itself are not compared.
fn record(case: &Case, recorded: &[u8], ours: &[u8]) -> Result<(), String> {
    let lines = |bytes: &[u8]| -> Vec<String> {
        String::from_utf8_lossy(bytes)
            .split('\n')
            .filter(|line| !line.is_empty())
            .map(str::to_owned)
            .collect()
    };
    let (recorded, ours) = (lines(recorded), lines(ours));
    same("lines", recorded.len(), ours.len())?;
    for (number, (recorded, ours)) in recorded.iter().zip(&ours).enumerate() {
        let fault = |fault: String| format!("line {}: {fault}", number + 1);
        match (serde_json::from_str(recorded), serde_json::from_str(ours)) {
            (Ok(Value::Object(recorded)), Ok(Value::Object(ours))) => {
                line(case, &recorded, &ours).map_err(fault)?;
            }
            _ => same("text", recorded, ours).map_err(fault)?,
        }
    }
    Ok(())
}

fn line(case: &Case, recorded: &Map<String, Value>, ours: &Map<String, Value>) -> Result<(), String> {
    let keys = |of: &Map<String, Value>| of.keys().cloned().collect::<Vec<_>>();
    let extra = &unknown_keys(case, recorded);
    let known: Vec<String> = keys(ours).into_iter().filter(|key| !extra.contains(key)).collect();
    same("keys", keys(recorded), known)?;
    let sent = submitted(case, recorded);
    for (key, value) in recorded {
        let ours = ours.get(key).unwrap_or(&Value::Null);
        match key.as_str() {
            "content" => blocks(value, ours)?,
            // Drawn at random where the submission has none.
            "id" if sent.is_none_or(|sent| sent["id"].is_null()) && !is_stored(case, value) => {}
            // The moment of recording where the submission has none.
            "created_at" if sent.is_some_and(|sent| !has_time(sent)) => {}
            _ => same(key, value, ours)?,
        }
    }
    Ok(())
}

/// The submitted message that a recorded line is: by its id, else by its words.
fn submitted<'a>(case: &'a Case, line: &Map<String, Value>) -> Option<&'a Value> {
    let sent = case.input["json"]["messages"].as_array()?;
    let said = |message: &&Value| {
        let content = &message["content"];
        content.is_array() || line.get("content").is_some_and(|blocks| blocks[0]["text"] == *content)
    };
    let by_id =
        sent.iter().find(|message| !message["id"].is_null() && Some(&message["id"]) == line.get("id"));
    by_id.or_else(|| sent.iter().filter(|message| message["id"].is_null()).find(said))
}

fn is_stored(case: &Case, id: &Value) -> bool {
    let mark = format!("\"id\":{id}");
    let seeds = case.seeds();
    let mut records = seeds.iter().filter(|(path, _)| path.ends_with(".jsonl"));
    records.any(|(_, bytes)| String::from_utf8_lossy(bytes).contains(&mark))
}

fn has_time(message: &Value) -> bool {
    const KEYS: [&str; 6] =
        ["created_at", "time_created", "timestamp", "createdAt", "timeCreated", "created_time"];
    let given = |of: &Value| KEYS.iter().any(|key| of[*key].as_str().is_some_and(|text| !text.is_empty()));
    given(message) || given(&message["metadata"])
}

/// Fields of the submission that ReMe drops and the engine keeps (SPEC §3, unknown fields stay).
fn unknown_keys(case: &Case, recorded: &Map<String, Value>) -> Vec<String> {
    let sent = submitted(case, recorded).and_then(Value::as_object);
    let keys = sent.into_iter().flat_map(Map::keys);
    keys.filter(|key| !recorded.contains_key(*key)).cloned().collect()
}

fn blocks(recorded: &Value, ours: &Value) -> Result<(), String> {
    let bare = |blocks: &Value| -> Vec<Value> {
        let mut blocks = blocks.as_array().cloned().unwrap_or_default();
        for block in blocks.iter_mut().filter_map(Value::as_object_mut) {
            for own in ["id", "created_at", "finished_at"] {
                if let Some(value) = block.get_mut(own) {
                    *value = Value::Null;
                }
            }
        }
        blocks
    };
    let (recorded, ours) = (bare(recorded), bare(ours));
    same("blocks", recorded.len(), ours.len())?;
    for (recorded, ours) in recorded.iter().zip(&ours) {
        for (key, value) in recorded.as_object().into_iter().flatten() {
            same(&format!("block, {key}"), value, &ours[key])?;
        }
    }
    Ok(())
}

/// The properties by value, in any order, and the body without the blanks at its ends.
fn card(recorded: &[u8], ours: &[u8]) -> Result<(), String> {
    let (recorded, ours) = (parsed(recorded), parsed(ours));
    same("properties", properties(&recorded), properties(&ours))?;
    same("body", recorded.body().trim(), ours.body().trim())
}

pub fn parsed(bytes: &[u8]) -> Card {
    Card::parse(String::from_utf8_lossy(bytes).into_owned())
}

pub fn properties(card: &Card) -> BTreeMap<String, Vec<String>> {
    let values = |value: &FieldValue| match value {
        FieldValue::Empty => Vec::new(),
        FieldValue::Text(text) | FieldValue::Raw(text) => vec![drawn(text)],
        FieldValue::List(items) => items.iter().map(|item| drawn(item)).collect(),
    };
    card.fields().iter().map(|field| (field.key.clone(), values(&field.value))).collect()
}

/// The properties by value and the rest by byte, but for the tags of the answered card: ReMe writes the page
/// before it tags the card, so that its page has the former ones, or none (SPEC §8, §10).
fn page(case: &Case, path: &str, recorded: &[u8], ours: &[u8]) -> Result<(), String> {
    let (recorded, ours) = (parsed(recorded), parsed(ours));
    same("properties", properties(&recorded), properties(&ours))?;
    let lines = |page: &Card| -> Vec<String> {
        page.body().trim_end().split('\n').map(|line| drawn(&untagged(case, line))).collect()
    };
    same("page", lines(&recorded), lines(&ours))?;
    let Some(card) = case.card_path().filter(|card| card.starts_with(path.trim_end_matches(".md"))) else {
        return Ok(());
    };
    let Some(tags) = case.text(card).map(|text| Card::parse(text).list(&case.config().tag_key)) else {
        return Ok(());
    };
    let listed: Vec<String> = tags.iter().map(|tag| format!("'{tag}'")).collect();
    let expected = format!(" {}: [{}]", case.config().tag_key, listed.join(", "));
    let row = ours.body().lines().find(|line| line.contains(&format!("[[{card}]]"))).unwrap_or_default();
    same("tags listed", true, tags.is_empty() || row.contains(&expected))
        .map_err(|fault| format!("{fault}: {row}"))
}

/// A row of the page without the tags, if it is the answered card's.
fn untagged(case: &Case, line: &str) -> String {
    let own = case.card_path().is_some_and(|card| line.contains(&format!("[[{card}]]")));
    let mark = format!(" {}: [", case.config().tag_key);
    match line.split_once(&mark).filter(|_| own) {
        Some((before, after)) => format!("{before}{}", after.split_once(']').map_or("", |(_, rest)| rest)),
        None => line.to_owned(),
    }
}
