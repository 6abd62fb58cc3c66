//! Merging a submission into a record: by id, in the order of what was said when, nothing lost.
//!
//! Decides which submitted messages are already stored, where the others go, and whether the file can be
//! appended to. Writes nothing. Called by `memorize` through [`super::merge`].

use super::{Merge, line, read};
use crate::message::{Fields, Msg, Role, id, list, time, time::Zone};
use crate::store::{Base, Change, Edit};
use crate::workspace::RelPath;
use chrono::{DateTime, Utc};
use serde_json::Value;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

/// Plans the merge of a submission into the record at `path`, whose present bytes are `stored`.
///
/// The newer text of an id replaces the older. Messages are ordered by the instant at which they were said; one
/// without a time stays behind its predecessor, in the file or in the submission. `now` is written where a
/// message has no time, in the spelling of [`time::recording`], so that it counts neither for the order nor for
/// the day: take the day from [`Msg::said_at`]. Ids have been derived with the record's session id.
pub fn merge(
    path: &RelPath,
    stored: Option<&[u8]>,
    submitted: &[Msg],
    zone: Zone,
    now: DateTime<Utc>,
) -> Merge {
    let bytes = stored.unwrap_or_default();
    let mut record = Entries::new(bytes, path.stem(), zone, now);
    let stored_count = record.list.len();
    let known_as = record.submit(&submission(path.stem(), submitted), path.stem());

    let change = record.list.iter().any(|entry| entry.fresh).then(|| {
        record.list.sort_by_key(|entry| entry.order);
        let kept = record.list.iter().take(stored_count);
        let is_prefix = kept.enumerate().all(|(place, entry)| entry.place == Some(place) && !entry.fresh);
        // An append is checked by length; the hash of a long record would cost more than all else.
        let (base, edit) = match stored {
            Some(bytes) if is_prefix => (Base::Absent, appended(bytes, record.list.get(stored_count..))),
            _ => (Base::of(stored), Edit::Write(lines(&record.list))),
        };
        Change { path: path.clone(), base, edit }
    });
    Merge { known_as, ..finish(record.list, change) }
}

/// One piece of the record, stored or new.
struct Entry<'a> {
    what: What,
    /// Its line in the file.
    raw: Cow<'a, [u8]>,
    /// Its place in the stored record.
    place: Option<usize>,
    /// What it is sorted by: its own instant, or its predecessor's.
    order: DateTime<Utc>,
    fresh: bool,
}

enum What {
    Message(Box<Msg>),
    Damaged,
    /// A later stored line has the same id; it is left out when the file is rewritten.
    Replaced,
}

impl Entry<'_> {
    fn message(&self) -> Option<&Msg> {
        match &self.what {
            What::Message(message) => Some(message),
            What::Damaged | What::Replaced => None,
        }
    }
}

fn entries<'a>(bytes: &'a [u8], session_id: &str) -> Vec<Entry<'a>> {
    let pieces = read::pieces(bytes);
    let (mut messages, raws): (Vec<Option<Msg>>, Vec<&[u8]>) =
        pieces.into_iter().map(|piece| (piece.message, piece.raw)).unzip();
    derive_missing(session_id, &mut messages);

    let mut seen = HashSet::new();
    let mut entries: Vec<Entry<'a>> = Vec::with_capacity(raws.len());
    for (place, (message, raw)) in messages.into_iter().zip(raws).enumerate().rev() {
        let what = match message {
            None => What::Damaged,
            Some(message) if seen.insert(message.id.clone()) => What::Message(Box::new(message)),
            Some(_) => What::Replaced,
        };
        let order = DateTime::<Utc>::MIN_UTC;
        entries.push(Entry { what, raw: Cow::Borrowed(raw), place: Some(place), order, fresh: false });
    }
    entries.reverse();
    entries
}

/// Other programs' lines may lack ids.
fn derive_missing(session_id: &str, messages: &mut [Option<Msg>]) {
    let mut seen: HashMap<id::Key, usize> = HashMap::new();
    for message in messages.iter_mut().flatten().filter(|message| message.id.is_none()) {
        let occurrence = seen.entry(id::key(message)).or_default();
        message.id = Some(id::derived(session_id, message, *occurrence));
        *occurrence += 1;
    }
}

/// The submitted messages, each id once: at its first place, as its last copy has it.
pub(super) fn submission(session_id: &str, submitted: &[Msg]) -> Vec<Msg> {
    let mut submitted = submitted.to_vec();
    id::derive(session_id, &mut submitted);
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut messages: Vec<Msg> = Vec::with_capacity(submitted.len());
    for mut message in submitted {
        let place = *places.entry(message.id.clone().unwrap_or_default()).or_insert(messages.len());
        match messages.get_mut(place) {
            None => messages.push(message),
            Some(earlier) => {
                if message.said_at().is_none() && earlier.created_at.is_some() {
                    message.created_at = earlier.created_at.take();
                }
                *earlier = message;
            }
        }
    }
    messages
}

pub(super) struct Entries<'a> {
    list: Vec<Entry<'a>>,
    zone: Zone,
    recorded: String,
}

impl<'a> Entries<'a> {
    pub fn new(bytes: &'a [u8], session_id: &str, zone: Zone, now: DateTime<Utc>) -> Entries<'a> {
        Entries { list: entries(bytes, session_id), zone, recorded: time::recording(now) }
    }
}

impl Entries<'_> {
    /// What is new of a submission, line and message, where all of it goes behind a record that is in order and
    /// whose last time is `last`; these entries are those that a submitted message might be. `None` where the
    /// merge does anything else.
    pub fn appended(
        &mut self,
        submitted: &[Msg],
        session_id: &str,
        last: DateTime<Utc>,
    ) -> Option<Vec<(Vec<u8>, Msg)>> {
        let found = find(&self.list, submitted, session_id);
        for (message, place) in submitted.iter().zip(&found) {
            if let Some(entry) = place.and_then(|place| self.list.get_mut(place)) {
                update(entry, message, &self.recorded);
                if entry.fresh {
                    return None;
                }
            }
        }
        let stored = found.iter().take_while(|place| place.is_some()).count();
        if found.iter().skip(stored).any(Option::is_some) {
            return None;
        }
        let new: Vec<&Msg> = submitted.iter().skip(stored).collect();
        // What precedes the first new one has a place that only the whole record tells.
        let first = new.iter().find_map(|message| self.instant(message));
        if stored > 0 && new.first().is_some_and(|message| self.instant(message).is_none()) {
            return None;
        }
        let mut order = first.unwrap_or(last);
        let mut placed = Vec::with_capacity(new.len());
        for message in new {
            order = self.instant(message).unwrap_or(order);
            placed.push(self.entry(message, order));
        }
        placed.sort_by_key(|entry| entry.order);
        if placed.iter().any(|entry| entry.order < last) {
            return None;
        }
        let new = placed.into_iter().filter_map(|entry| match entry.what {
            What::Message(message) => Some((entry.raw.into_owned(), *message)),
            What::Damaged | What::Replaced => None,
        });
        Some(new.collect())
    }

    /// Takes the submission in; returns the ids of its messages that are stored under other ids.
    fn submit(&mut self, submitted: &[Msg], session_id: &str) -> HashMap<String, String> {
        let mut found = find(&self.list, submitted, session_id);
        let mut known_as = HashMap::new();
        for (message, place) in submitted.iter().zip(&found) {
            if let Some(entry) = place.and_then(|place| self.list.get_mut(place)) {
                update(entry, message, &self.recorded);
                let stored = entry.message().and_then(|stored| stored.id.clone());
                if let (Some(own), Some(stored)) = (&message.id, stored)
                    && *own != stored
                {
                    known_as.insert(own.clone(), stored);
                }
            }
        }
        self.order_stored();
        let leaders = self.place_leaders(submitted, &mut found);

        let mut previous = None;
        for (message, place) in submitted.iter().zip(&found).skip(leaders) {
            let order = match place {
                Some(place) => self.list.get(*place).map(|entry| entry.order),
                None => {
                    let order = self.instant(message).or(previous).unwrap_or(DateTime::<Utc>::MIN_UTC);
                    let entry = self.entry(message, order);
                    self.list.push(entry);
                    Some(order)
                }
            };
            previous = order;
        }
        known_as
    }

    fn instant(&self, message: &Msg) -> Option<DateTime<Utc>> {
        message.said_at().map(|stamp| stamp.instant(self.zone))
    }

    fn order_stored(&mut self) {
        let mut previous = DateTime::<Utc>::MIN_UTC;
        for place in 0..self.list.len() {
            let own = self.list.get(place).and_then(Entry::message).and_then(|message| self.instant(message));
            previous = own.unwrap_or(previous);
            if let Some(entry) = self.list.get_mut(place) {
                entry.order = previous;
            }
        }
    }

    /// Places the new messages without a time that the submission begins with: nothing precedes them, so they
    /// stay in front of what follows them; if nothing does, they go to the end. In an empty record they are its
    /// beginning, whatever comes. Returns how many they are.
    fn place_leaders(&mut self, submitted: &[Msg], found: &mut [Option<usize>]) -> usize {
        let is_leader =
            |(message, place): &(&Msg, &Option<usize>)| place.is_none() && message.said_at().is_none();
        let count = submitted.iter().zip(&*found).take_while(is_leader).count();
        let stored = found.get(count).copied().flatten();
        let follower = match stored {
            Some(place) => self.list.get(place).map(|entry| entry.order),
            None => submitted.get(count).and_then(|message| self.instant(message)),
        };
        let last = self.list.iter().map(|entry| entry.order).max();
        let order = last.map_or(DateTime::<Utc>::MIN_UTC, |last| follower.unwrap_or(last));
        let new: Vec<_> = submitted.iter().take(count).map(|message| self.entry(message, order)).collect();
        let at = stored.unwrap_or(self.list.len());
        self.list.splice(at..at, new);
        for place in found.iter_mut().flatten().filter(|place| **place >= at) {
            *place += count;
        }
        count
    }

    fn entry<'b>(&self, message: &Msg, order: DateTime<Utc>) -> Entry<'b> {
        let line = line::spell(message, None, &self.recorded);
        let raw = Cow::Owned(bytes(&line));
        let what = What::Message(Box::new(read_back(line, message)));
        Entry { what, raw, place: None, order, fresh: true }
    }
}

/// Who says what.
type Words = (Role, String);

/// For each submitted message, the entry that it is.
///
/// First by id. Then a message whose source gave no id is the next stored message of its role, text and time
/// that no other one is; without a time, of its role and text.
fn find(entries: &[Entry<'_>], submitted: &[Msg], session_id: &str) -> Vec<Option<usize>> {
    let messages = || entries.iter().enumerate().filter_map(|(place, entry)| Some((place, entry.message()?)));
    let by_id: HashMap<Option<&str>, usize> =
        messages().map(|(place, message)| (message.id.as_deref(), place)).collect();
    let mut found: Vec<Option<usize>> =
        submitted.iter().map(|message| by_id.get(&message.id.as_deref()).copied()).collect();
    let mut taken: HashSet<usize> = found.iter().flatten().copied().collect();

    let without_id = without_own_id(submitted, session_id);
    let is_open = |index: &usize| found.get(*index).is_some_and(Option::is_none);
    let mut alike: HashMap<Words, Vec<(usize, Option<String>)>> = without_id
        .iter()
        .filter(|(index, _)| is_open(index))
        .map(|(_, (words, _))| (words.clone(), Vec::new()))
        .collect();
    if alike.is_empty() {
        return found;
    }
    for (place, message) in messages() {
        let (role, text, time) = id::key(message);
        if let Some(places) = alike.get_mut(&(role, text)) {
            places.push((place, time));
        }
    }
    for (index, (words, time)) in without_id {
        if let Some(place @ None) = found.get_mut(index) {
            let stored = alike.get(&words).into_iter().flatten();
            *place = (stored.filter(|(_, stored)| time.is_none() || time == *stored))
                .map(|(place, _)| *place)
                .find(|place| taken.insert(*place));
        }
    }
    found
}

/// The submitted messages whose ids are derived ones: their index, words and time.
pub(super) fn without_own_id(submitted: &[Msg], session_id: &str) -> Vec<(usize, (Words, Option<String>))> {
    let mut occurrences: HashMap<id::Key, usize> = HashMap::new();
    let mut without = Vec::new();
    for (index, message) in submitted.iter().enumerate() {
        let key = id::key(message);
        let occurrence = occurrences.entry(key.clone()).or_default();
        if message.id.as_deref() == Some(id::derived(session_id, message, *occurrence).as_str()) {
            *occurrence += 1;
            let (role, text, time) = key;
            without.push((index, ((role, text), time)));
        }
    }
    without
}

/// The newer copy of a stored message; the entry stays as it is when it says the same.
fn update(entry: &mut Entry<'_>, message: &Msg, recorded: &str) {
    let Some(stored) = entry.message() else { return };
    let message = Msg { id: stored.id.clone(), ..message.clone() };
    let line = line::spell(&message, Some(stored), recorded);
    if line != line::spell(stored, None, recorded) {
        entry.raw = Cow::Owned(bytes(&line));
        entry.what = What::Message(Box::new(read_back(line, &message)));
        entry.fresh = true;
    }
}

/// The message as the next reader of the record gets it.
fn read_back(line: Fields, message: &Msg) -> Msg {
    list::read(Value::Object(line), |_| {}).ok().flatten().unwrap_or_else(|| message.clone())
}

fn bytes(line: &Fields) -> Vec<u8> {
    // A map with text keys always has a spelling.
    serde_json::to_vec(line).unwrap_or_default()
}

fn lines(entries: &[Entry<'_>]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for entry in entries.iter().filter(|entry| !matches!(entry.what, What::Replaced)) {
        bytes.extend_from_slice(&entry.raw);
        bytes.push(b'\n');
    }
    bytes
}

fn appended(stored: &[u8], new: Option<&[Entry<'_>]>) -> Edit {
    let is_open = stored.last().is_some_and(|byte| *byte != b'\n');
    append_edit(stored.len() as u64, is_open, lines(new.unwrap_or_default()))
}

/// Adds whole lines to a record of this length; `is_open`: its last line lacks a line feed.
pub(super) fn append_edit(len: u64, is_open: bool, mut lines: Vec<u8>) -> Edit {
    if is_open {
        lines.insert(0, b'\n');
    }
    Edit::Append { len, bytes: lines }
}

fn finish(entries: Vec<Entry<'_>>, change: Option<Change>) -> Merge {
    let mut merge =
        Merge { messages: Vec::new(), fresh: Vec::new(), known_as: HashMap::new(), damaged: 0, change };
    for entry in entries {
        match entry.what {
            What::Message(message) => {
                merge.messages.push(*message);
                merge.fresh.push(entry.fresh);
            }
            What::Damaged => merge.damaged += 1,
            What::Replaced => {}
        }
    }
    merge
}
