//! Time stamps: read from what sources write, compared by instant, turned into a day.
//!
//! Owns which spellings count as a time and in which order the fields of a message are asked for one. Never
//! asks what time it is now. Called by `import`, `message::list`, `dialog` and `memorize`.

use super::Fields;
use chrono::offset::LocalResult;
use chrono::{
    DateTime, Datelike, Duration, FixedOffset, Local, NaiveDate, NaiveDateTime, NaiveTime, Offset,
    SecondsFormat, TimeZone, Timelike, Utc, Weekday,
};
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

impl Zone {
    /// The instant of a wall-clock time. Of a time that occurs twice the first is meant; one that a clock
    /// change skips is taken by the offset before the change.
    pub fn instant(self, local: NaiveDateTime) -> DateTime<Utc> {
        match self {
            Zone::System => instant_in(&Local, local),
            Zone::Named(zone) => instant_in(&zone, local),
            Zone::Fixed(zone) => instant_in(&zone, local),
        }
    }

    /// The wall-clock time of an instant.
    pub fn local(self, instant: DateTime<Utc>) -> NaiveDateTime {
        match self {
            Zone::System => instant.with_timezone(&Local).naive_local(),
            Zone::Named(zone) => instant.with_timezone(&zone).naive_local(),
            Zone::Fixed(zone) => instant.with_timezone(&zone).naive_local(),
        }
    }

    /// The calendar day of an instant.
    pub fn day(self, instant: DateTime<Utc>) -> NaiveDate {
        self.local(instant).date()
    }
}

fn instant_in<Z: TimeZone>(zone: &Z, local: NaiveDateTime) -> DateTime<Utc> {
    match zone.from_local_datetime(&local) {
        LocalResult::Single(time) | LocalResult::Ambiguous(time, _) => time.with_timezone(&Utc),
        LocalResult::None => {
            // Clock changes are hours at most, so a day earlier the old offset certainly held.
            let day = Duration::days(1);
            match zone.from_local_datetime(&(local - day)) {
                LocalResult::Single(time) | LocalResult::Ambiguous(time, _) => time.with_timezone(&Utc) + day,
                LocalResult::None => local.and_utc(),
            }
        }
    }
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
    /// Reads ISO 8601 with `T` or a blank, fractions, `Z` or an offset, or a bare date; also its compact and
    /// week forms, dates with `/`, and RFC 2822. A date that words follow is that bare date.
    pub fn parse(text: &str) -> Option<Timestamp> {
        Written::read(text)?.timestamp()
    }

    /// The instant, naive times being taken in `zone`.
    pub fn instant(&self, zone: Zone) -> DateTime<Utc> {
        match self.offset {
            Some(offset) => instant_in(&offset, self.local),
            None => zone.instant(self.local),
        }
    }

    /// The calendar day in `zone`; a naive time keeps its own.
    pub fn day(&self, zone: Zone) -> NaiveDate {
        match self.offset {
            Some(_) => zone.day(self.instant(zone)),
            None => self.local.date(),
        }
    }
}

/// The keys that a message's time is looked for under, in this order: top level first, then `metadata`.
pub const KEYS: [&str; 6] =
    ["created_at", "time_created", "timestamp", "createdAt", "timeCreated", "created_time"];

/// The time of a message, from its top-level fields, then from its metadata: the first that is readable, else
/// the first that is not empty.
pub fn of(fields: &Fields, metadata: &Fields) -> TimeField {
    let mut invalid = None;
    for value in [fields, metadata].into_iter().flat_map(|map| KEYS.iter().filter_map(|key| map.get(*key))) {
        match field(value) {
            TimeField::At(text) => return TimeField::At(text),
            TimeField::Invalid(text) => {
                invalid.get_or_insert(text);
            }
            TimeField::Absent => {}
        }
    }
    invalid.map_or(TimeField::Absent, TimeField::Invalid)
}

/// Reads a time field: ISO text is kept, numbers and numeric text are epoch s, ms, µs or ns by size.
pub fn field(value: &Value) -> TimeField {
    match value {
        Value::Null => TimeField::Absent,
        Value::String(text) if text.trim().is_empty() => TimeField::Absent,
        Value::String(text) => match (Timestamp::parse(text), epoch(text.trim())) {
            (Some(_), _) => TimeField::At(text.clone()),
            (None, Some(time)) => TimeField::At(time),
            (None, None) => TimeField::Invalid(text.clone()),
        },
        Value::Number(number) => {
            let text = number.to_string();
            epoch(&text).map_or(TimeField::Invalid(text), TimeField::At)
        }
        Value::Object(object) => match object.get("$date").or_else(|| object.get("$numberLong")) {
            Some(inner) => field(inner),
            None => TimeField::Invalid(value.to_string()),
        },
        Value::Bool(_) | Value::Array(_) => TimeField::Invalid(value.to_string()),
    }
}

/// One spelling for files that are imported: dashes, `T`, a point before the fraction, seconds and offset as
/// written. `None` where [`Timestamp::parse`] reads nothing.
pub fn normal(text: &str) -> Option<String> {
    let written = Written::read(text)?;
    written.timestamp()?;
    let date = written.date.format("%Y-%m-%d");
    let Some(clock) = written.clock else { return Some(date.to_string()) };
    let point = if clock.fraction.is_empty() { "" } else { "." };
    let offset = match clock.offset {
        None => String::new(),
        Some(offset) if offset.local_minus_utc() == 0 && clock.zulu => "Z".to_owned(),
        Some(offset) => offset.to_string(),
    };
    Some(format!("{date}T{}{point}{}{offset}", clock.time.format("%H:%M:%S"), clock.fraction))
}

/// The time of recording, as a record carries it for a message that has none of its own: in UTC with the offset
/// `-00:00`, which in RFC 3339 means that the place is not known. The spelling tells it apart from times at which
/// something was said, and other programs read it as what it is.
pub fn recording(now: DateTime<Utc>) -> String {
    now.format("%Y-%m-%dT%H:%M:%S%.6f-00:00").to_string()
}

/// Whether a record's time is the time of recording.
pub fn is_recording(text: &str) -> bool {
    text.ends_with("-00:00")
}

/// An instant as RFC 3339 in UTC, with as many digits of the second as it needs.
pub fn utc_text(instant: DateTime<Utc>) -> String {
    let text = instant.to_rfc3339_opts(SecondsFormat::Nanos, true);
    let short = text.trim_end_matches('Z').trim_end_matches('0').trim_end_matches('.');
    format!("{short}Z")
}

/// Epoch seconds, milliseconds, microseconds or nanoseconds, told apart by size; read as decimal text so that
/// no digit is lost in a float.
fn epoch(text: &str) -> Option<String> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let all_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !all_digits(whole) || !all_digits(fraction) {
        return None;
    }
    let value: i128 = whole.parse().ok()?;
    let nanos_per_unit: i128 = match whole.trim_start_matches('0').len() {
        ..=11 => 1_000_000_000,
        12..=14 => 1_000_000,
        15..=17 => 1_000,
        _ => 1,
    };
    let fraction: String = fraction.chars().chain(std::iter::repeat('0')).take(9).collect();
    let nanos = value * nanos_per_unit + fraction.parse::<i128>().ok()? * nanos_per_unit / 1_000_000_000;
    let seconds = i64::try_from(nanos / 1_000_000_000).ok()?;
    let rest = u32::try_from(nanos % 1_000_000_000).ok()?;
    let instant = DateTime::from_timestamp(seconds, rest)?;
    // Zero is other languages' "no time"; nothing was said in 1970's first seconds.
    (seconds > 0 && instant.year() <= LAST_YEAR).then(|| utc_text(instant))
}

/// Years that keep four digits whatever zone they are shown in; year 1 is other languages' "no time".
const LAST_YEAR: i32 = 9998;
const FIRST_YEAR: i32 = 2;

/// A time stamp's parts as a source wrote them.
struct Written<'a> {
    date: NaiveDate,
    clock: Option<Clock<'a>>,
}

struct Clock<'a> {
    time: NaiveTime,
    /// The digits after the point, without limit.
    fraction: &'a str,
    offset: Option<FixedOffset>,
    zulu: bool,
}

impl<'a> Written<'a> {
    fn read(text: &'a str) -> Option<Written<'a>> {
        let text = text.trim();
        Written::iso(text).or_else(|| Written::rfc_2822(text))
    }

    fn iso(text: &'a str) -> Option<Written<'a>> {
        let (date, rest) = date(text)?;
        if rest.is_empty() {
            return Some(Written { date, clock: None });
        }
        if let Some(rest) = rest.strip_prefix(['T', 't']) {
            return Some(Written { date, clock: Some(clock(rest)?) });
        }
        let rest = rest.strip_prefix(|c: char| c.is_whitespace())?.trim_start();
        if rest.starts_with(|c: char| c.is_ascii_digit()) {
            return Some(Written { date, clock: Some(clock(rest)?) });
        }
        Some(Written { date, clock: None })
    }

    fn rfc_2822(text: &str) -> Option<Written<'a>> {
        let time = DateTime::parse_from_rfc2822(text).ok()?;
        let zulu = time.offset().local_minus_utc() == 0;
        let clock = Clock { time: time.time(), fraction: "", offset: Some(*time.offset()), zulu };
        Some(Written { date: time.date_naive(), clock: Some(clock) })
    }

    fn timestamp(&self) -> Option<Timestamp> {
        if !(FIRST_YEAR..=LAST_YEAR).contains(&self.date.year()) {
            return None;
        }
        let Some(clock) = &self.clock else {
            return Some(Timestamp { local: self.date.and_time(NaiveTime::MIN), offset: None });
        };
        let nanos: String = clock.fraction.chars().chain(std::iter::repeat('0')).take(9).collect();
        let time = clock.time.with_nanosecond(nanos.parse().ok()?)?;
        Some(Timestamp { local: self.date.and_time(time), offset: clock.offset })
    }
}

/// A date at the start of `text`, and what follows it: `2023-01-19`, `2023/1/9`, `20230119`, `2023-W03-4`.
fn date(text: &str) -> Option<(NaiveDate, &str)> {
    let (year, rest) = digits(text, 4, 4)?;
    let year = year.parse().ok()?;
    if let Some((day, rest)) = week_date(year, rest) {
        return Some((day, rest));
    }
    let separator = rest.chars().next().filter(|c| matches!(c, '-' | '/'));
    let (month, day, rest) = match separator {
        Some(separator) => {
            let (month, rest) = digits(rest.strip_prefix(separator)?, 1, 2)?;
            let (day, rest) = digits(rest.strip_prefix(separator)?, 1, 2)?;
            (month, day, rest)
        }
        None => {
            let (month, rest) = digits(rest, 2, 2)?;
            let (day, rest) = digits(rest, 2, 2)?;
            (month, day, rest)
        }
    };
    if rest.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    Some((NaiveDate::from_ymd_opt(year, month.parse().ok()?, day.parse().ok()?)?, rest))
}

fn week_date(year: i32, rest: &str) -> Option<(NaiveDate, &str)> {
    let rest = rest.strip_prefix('-').unwrap_or(rest).strip_prefix('W')?;
    let (week, rest) = digits(rest, 2, 2)?;
    let (day, rest) = match digits(rest.strip_prefix('-').unwrap_or(rest), 1, 1) {
        Some((day, rest)) => (day, rest),
        None => ("1", rest),
    };
    let weekday = Weekday::try_from(day.parse::<u8>().ok()?.checked_sub(1)?).ok()?;
    Some((NaiveDate::from_isoywd_opt(year, week.parse().ok()?, weekday)?, rest))
}

/// A time of day with its offset, up to the end of `text`: `08:00`, `080000.123Z`, `08:00:00,5 +08:00`.
fn clock(text: &str) -> Option<Clock<'_>> {
    let (hour, rest) = digits(text, 1, 2)?;
    let (minute, rest) = digits(rest.strip_prefix(':').unwrap_or(rest), 2, 2)?;
    let (second, rest) = digits(rest.strip_prefix(':').unwrap_or(rest), 2, 2).unwrap_or(("0", rest));
    let (fraction, rest) = match rest.strip_prefix(['.', ',']) {
        Some(rest) => digits(rest, 1, usize::MAX)?,
        None => ("", rest),
    };
    // A leap second is shown as the last second before it: calendars here have no place for it.
    let second = second.parse::<u32>().ok()?;
    let second = if second == 60 { 59 } else { second };
    let time = NaiveTime::from_hms_opt(hour.parse().ok()?, minute.parse().ok()?, second)?;
    let rest = rest.trim();
    let zulu = ["Z", "UTC", "GMT"].iter().any(|zulu| rest.eq_ignore_ascii_case(zulu));
    let offset = match rest {
        "" => None,
        _ if zulu => Some(Utc.fix()),
        _ => Some(offset(rest)?),
    };
    Some(Clock { time, fraction, offset, zulu })
}

fn offset(text: &str) -> Option<FixedOffset> {
    let (sign, rest) = match text.strip_prefix('+') {
        Some(rest) => (1, rest),
        None => (-1, text.strip_prefix(['-', '\u{2212}'])?),
    };
    let (hours, rest) = digits(rest, 2, 2)?;
    let (minutes, rest) = match rest {
        "" => ("0", rest),
        _ => digits(rest.strip_prefix(':').unwrap_or(rest), 2, 2)?,
    };
    let (hours, minutes): (i32, i32) = (hours.parse().ok()?, minutes.parse().ok()?);
    if !rest.is_empty() || minutes > 59 {
        return None;
    }
    FixedOffset::east_opt(sign * (hours * 3600 + minutes * 60))
}

/// `min` to `max` ASCII digits at the start of `text`, and what follows them.
fn digits(text: &str, min: usize, max: usize) -> Option<(&str, &str)> {
    let count = text.bytes().take(max).take_while(u8::is_ascii_digit).count();
    if count < min { None } else { text.split_at_checked(count) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check_field(value: Value, expect: TimeField) {
        assert_eq!(field(&value), expect, "{value}");
    }

    #[test]
    fn fields() {
        let at = |text: &str| TimeField::At(text.to_owned());
        let invalid = |text: &str| TimeField::Invalid(text.to_owned());
        for (value, expect) in [
            (json!(null), TimeField::Absent),
            (json!(""), TimeField::Absent),
            (json!("  "), TimeField::Absent),
            (json!("2023-01-19 08:00:00"), at("2023-01-19 08:00:00")),
            (json!("  2023-01-19T08:00:00"), at("  2023-01-19T08:00:00")),
            (json!("20260105"), at("20260105")),
            (json!("yesterday"), invalid("yesterday")),
            (json!(1_767_583_930), at("2026-01-05T03:32:10Z")),
            (json!(1_767_583_930_285_u64), at("2026-01-05T03:32:10.285Z")),
            (json!(1_767_583_930.285_031), at("2026-01-05T03:32:10.285031Z")),
            (json!(1_767_225_600_250_000_u64), at("2026-01-01T00:00:00.25Z")),
            (json!(1_767_225_600_250_000_000_u64), at("2026-01-01T00:00:00.25Z")),
            (json!("1767583930"), at("2026-01-05T03:32:10Z")),
            (json!("1767583930285"), at("2026-01-05T03:32:10.285Z")),
            (json!({"$date": {"$numberLong": "1767583930285"}}), at("2026-01-05T03:32:10.285Z")),
            (json!({"$date": "2026-01-01T00:00:00Z"}), at("2026-01-01T00:00:00Z")),
            (json!(0), invalid("0")),
            (json!(-1), invalid("-1")),
            (json!(0.5), invalid("0.5")),
            (json!(1e300), invalid("1e+300")),
            (json!(true), invalid("true")),
            (json!([]), invalid("[]")),
            (json!({"a": 1}), invalid("{\"a\":1}")),
        ] {
            check_field(value, expect);
        }
    }

    /// `normal`: the spelling for imports, `day`: in Shanghai.
    fn check_text(text: &str, normal_form: &str, day: &str) {
        let stamp = Timestamp::parse(text).unwrap_or_else(|| panic!("{text:?} is no time"));
        assert_eq!(normal(text).as_deref(), Some(normal_form), "{text:?}");
        assert_eq!(stamp.day(Zone::Named(chrono_tz::Asia::Shanghai)).to_string(), day, "{text:?}");
    }

    #[test]
    fn texts() {
        for (text, normal_form, day) in [
            ("2023-01-19T08:00:00", "2023-01-19T08:00:00", "2023-01-19"),
            ("2023-01-19T20:00:00Z", "2023-01-19T20:00:00Z", "2023-01-20"),
            ("2023-01-19T23:30:00-05:00", "2023-01-19T23:30:00-05:00", "2023-01-20"),
            ("2023-01-19T23:30:00+08:00", "2023-01-19T23:30:00+08:00", "2023-01-19"),
            ("2023-01-19T20:00:00+00:00", "2023-01-19T20:00:00+00:00", "2023-01-20"),
            ("2023-01-19T20:00:00.123456789Z", "2023-01-19T20:00:00.123456789Z", "2023-01-20"),
            ("2025-09-01 10:00:00.1230", "2025-09-01T10:00:00.1230", "2025-09-01"),
            ("2025-09-01 10:00:00,125", "2025-09-01T10:00:00.125", "2025-09-01"),
            ("2025-09-01 10:00:00 UTC", "2025-09-01T10:00:00Z", "2025-09-01"),
            ("2025-09-01 10:00 +0530", "2025-09-01T10:00:00+05:30", "2025-09-01"),
            ("20230119T080000Z", "2023-01-19T08:00:00Z", "2023-01-19"),
            ("2026/01/01 08:00", "2026-01-01T08:00:00", "2026-01-01"),
            ("2026-01-01T23:59:60Z", "2026-01-01T23:59:59Z", "2026-01-02"),
            ("Thu, 01 Jan 2026 00:00:00 GMT", "2026-01-01T00:00:00Z", "2026-01-01"),
            ("2026-06-20", "2026-06-20", "2026-06-20"),
            ("2026-1-5", "2026-01-05", "2026-01-05"),
            ("20260105", "2026-01-05", "2026-01-05"),
            ("2026-W02-1", "2026-01-05", "2026-01-05"),
            ("2023-01-19 whatever", "2023-01-19", "2023-01-19"),
        ] {
            check_text(text, normal_form, day);
        }
    }

    #[test]
    fn no_times() {
        for text in [
            "",
            "not a time",
            "yesterday evening",
            "2023-13-19T08:00:00",
            "2026-02-30",
            "2026-01-05T24:00:00Z",
            "2026-01-05T08:00:00+99:00",
            "2026-01-05T08:00:00 Mars",
            "2026-01-05 25:00",
            "0000-01-01T00:00:00",
            "0001-01-01T00:00:00Z",
            "9999-12-31T23:00:00-05:00",
            "99999-01-01T00:00:00Z",
            "2026-W60-1",
            "2026-W02-0",
            "202601051",
            "1:56 pm on 8 May, 2023",
            "Jan 19, 2023 8:00 AM",
            "２０２６-01-05",
            "2026-01-05T",
            "2026é01",
        ] {
            assert_eq!(Timestamp::parse(text), None, "{text:?}");
        }
    }

    #[test]
    fn the_first_readable_field_is_the_time() {
        let check = |fields: Value, metadata: Value, expect: TimeField| {
            let map = |value: &Value| value.as_object().cloned().unwrap_or_default();
            assert_eq!(of(&map(&fields), &map(&metadata)), expect, "{fields} {metadata}");
        };
        let at = |text: &str| TimeField::At(text.to_owned());
        check(json!({"timestamp": "1999-01-01", "created_at": "2025-03-01"}), json!({}), at("2025-03-01"));
        check(json!({"created_at": "", "timestamp": "2025-03-01"}), json!({}), at("2025-03-01"));
        check(json!({"created_at": "soon", "timestamp": "2025-03-01"}), json!({}), at("2025-03-01"));
        check(json!({"created_time": "2025-03-01"}), json!({"created_at": "1999-01-01"}), at("2025-03-01"));
        check(json!({}), json!({"timeCreated": "2025-03-01"}), at("2025-03-01"));
        check(json!({}), json!({"created_at": "2025-03-01"}), at("2025-03-01"));
        check(
            json!({"created_at": "soon", "timestamp": 0}),
            json!({}),
            TimeField::Invalid("soon".to_owned()),
        );
        check(json!({"role": "user"}), json!({"time": "2025-03-01"}), TimeField::Absent);
    }

    #[test]
    fn clock_changes_have_one_instant() {
        let zone = Zone::Named(chrono_tz::Europe::Berlin);
        let check = |local: &str, expect: &str| {
            let instant = Timestamp::parse(local).map(|stamp| utc_text(stamp.instant(zone)));
            assert_eq!(instant.as_deref(), Some(expect), "{local}");
        };
        check("2026-03-29T02:30:00", "2026-03-29T01:30:00Z");
        check("2026-10-25T02:30:00", "2026-10-25T00:30:00Z");
        check("2026-07-01T12:00:00", "2026-07-01T10:00:00Z");
    }
}
