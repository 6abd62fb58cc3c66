//! Whether a record's messages are in the order of their times, told by sight where the lines are as we write
//! them.
//!
//! May take a record that is in order for one that is not; never the other way round, but for local times that
//! a clock change skips. Called by `append`.

use super::read;
use crate::message::time::{Timestamp, Zone, is_recording};
use chrono::{DateTime, Utc};
use memchr::memmem;
use serde::Deserialize;
use std::borrow::Cow;

/// How a message's line ends where nothing but its time is told.
const AFTER_TIME: &[u8] =
    br#"","usage":null,"finished_at":null,"finished_reason":null,"structured_output":null,"error":null}"#;
const BEFORE_TIME: &[u8] = br#","metadata":{},"created_at":""#;
const START: &[u8] = br#"{"name":""#;

/// Whether what was read so far is in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum InOrder {
    Yes,
    No,
}

/// The last time that was seen, line by line.
pub(super) struct Order {
    zone: Zone,
    text: String,
    /// Of `text`; worked out where sight does not do.
    instant: Option<DateTime<Utc>>,
}

/// The part of a line that has its time.
#[derive(Deserialize)]
struct Head<'a> {
    #[serde(borrow)]
    created_at: Option<Cow<'a, str>>,
}

impl Order {
    pub fn new(zone: Zone) -> Order {
        Order { zone, text: String::new(), instant: None }
    }

    /// Goes on with more whole lines.
    pub fn read(&mut self, lines: &[u8]) -> InOrder {
        let mut start = 0;
        for end in memchr::memchr_iter(b'\n', lines).chain([lines.len()]) {
            let line = lines.get(start..end).unwrap_or_default().trim_ascii();
            start = end + 1;
            if !line.is_empty() && self.line(line) == InOrder::No {
                return InOrder::No;
            }
        }
        InOrder::Yes
    }

    /// The instant of the last message that has one; `None` where its text only looks like a time.
    pub fn last(&self) -> Option<DateTime<Utc>> {
        if self.text.is_empty() {
            return Some(DateTime::<Utc>::MIN_UTC);
        }
        self.instant.or_else(|| self.instant_of(&self.text))
    }

    fn line(&mut self, line: &[u8]) -> InOrder {
        if let Some(text) = by_sight(line) {
            return self.time(text);
        }
        match serde_json::from_slice::<Head<'_>>(line) {
            Ok(Head { created_at: Some(text) }) if Timestamp::parse(&text).is_some() => self.time(&text),
            // Other keys may have the time, or the line is damaged.
            _ => {
                let messages = read::pieces(line).into_iter().filter_map(|piece| piece.message);
                let mut times = messages.filter_map(|message| message.created_at);
                if times.any(|text| self.time(&text) == InOrder::No) { InOrder::No } else { InOrder::Yes }
            }
        }
    }

    fn time(&mut self, text: &str) -> InOrder {
        if is_recording(text) {
            return InOrder::Yes;
        }
        if is_alike(&self.text, text) {
            if *text < *self.text {
                return InOrder::No;
            }
            self.instant = None;
        } else {
            let Some(instant) = self.instant_of(text) else { return InOrder::Yes };
            if self.last().is_none_or(|last| instant < last) {
                return InOrder::No;
            }
            self.instant = Some(instant);
        }
        self.text.clear();
        self.text.push_str(text);
        InOrder::Yes
    }

    fn instant_of(&self, text: &str) -> Option<DateTime<Utc>> {
        Timestamp::parse(text).map(|stamp| stamp.instant(self.zone))
    }
}

/// The time of a line that is spelt as we spell it, and that holds one message only.
fn by_sight(line: &[u8]) -> Option<&str> {
    let head = line.strip_suffix(AFTER_TIME)?;
    let at = memchr::memrchr(b'"', head)?;
    let is_ours = line.starts_with(START)
        && head.get(..=at)?.ends_with(BEFORE_TIME)
        && memmem::find(line.get(1..)?, START).is_none();
    std::str::from_utf8(head.get(at + 1..)?).ok().filter(|text| is_ours && !text.contains('\\'))
}

/// Whether two times are spelt in the same digits of the same places, so that their texts sort as they do.
fn is_alike(a: &str, b: &str) -> bool {
    const SHAPE: &[u8; 19] = b"0000-00-00T00:00:00";
    let has_shape = |text: &str| {
        text.len() >= SHAPE.len()
            && text.bytes().zip(SHAPE).all(|(byte, shape)| match shape {
                b'0' => byte.is_ascii_digit(),
                other => byte == *other,
            })
    };
    let zone = |text: &str| -> Option<usize> {
        let rest = text.get(SHAPE.len()..)?;
        let digits =
            rest.strip_prefix('.').map_or(0, |rest| 1 + rest.bytes().take_while(u8::is_ascii_digit).count());
        Some(SHAPE.len() + digits)
    };
    has_shape(a) && has_shape(b) && zone(a) == zone(b) && zone(a).is_some_and(|at| a.get(at..) == b.get(at..))
}
