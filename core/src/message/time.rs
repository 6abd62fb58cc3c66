//! Time stamps: read from what sources write, compared by instant, turned into a day.

use chrono::{DateTime, FixedOffset, NaiveDate, NaiveDateTime, Utc};
use serde_json::Value;

/// The zone that naive times and days are taken in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Zone {
    /// The machine's own.
    System,
    /// A named one, from `timezone` in the configuration.
    Named(chrono_tz::Tz),
    /// A fixed one, for tests.
    Fixed(FixedOffset),
}

/// A readable time stamp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timestamp {
    /// The wall-clock time as written.
    pub local: NaiveDateTime,
    /// The offset as written; `None`: naive, taken in the zone in force.
    pub offset: Option<FixedOffset>,
}

/// What one time field of a source holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TimeField {
    /// Nothing, `null` or an empty string.
    Absent,
    /// Something that is no time; the text is for the warning.
    Invalid(String),
    /// A time, as text that [`Timestamp::parse`] reads (epoch numbers become RFC 3339 in UTC).
    At(String),
}

impl Timestamp {
    /// Reads ISO 8601 with `T` or a blank, fractions, `Z` or an offset, or a bare date.
    pub fn parse(_text: &str) -> Option<Timestamp> {
        unimplemented!()
    }

    /// The instant, naive times being taken in `zone`.
    pub fn instant(&self, _zone: Zone) -> DateTime<Utc> {
        unimplemented!()
    }

    /// The calendar day in `zone`; a naive time keeps its own.
    pub fn day(&self, _zone: Zone) -> NaiveDate {
        unimplemented!()
    }
}

/// Reads a time field: ISO text is kept, numbers and numeric text are epoch s, ms, µs or ns by size.
pub fn field(_value: &Value) -> TimeField {
    unimplemented!()
}
