//! The day that a caller names: strict, because a misread date files a memory where nobody looks.
//!
//! Owns the reading of a `date` argument only; message times are `message::time`'s. Called by the command
//! line, the interface and the service.

use chrono::NaiveDate;

/// A `date` that is no day.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
#[error("date must be YYYY-MM-DD: {given:?} is not; leave it out to use the day of the latest message")]
pub struct DayError {
    /// What was given.
    pub given: String,
}

/// Reads a `date` argument: blanks around it are ignored and an empty one is none.
pub fn parse_day(given: &str) -> Result<Option<NaiveDate>, DayError> {
    let text = given.trim();
    if text.is_empty() {
        return Ok(None);
    }
    match exact(text) {
        Some(day) => Ok(Some(day)),
        None => Err(DayError { given: given.chars().take(80).collect() }),
    }
}

/// A day written exactly `YYYY-MM-DD`, such as the name of a day's folder.
pub fn exact(text: &str) -> Option<NaiveDate> {
    let digits = |part: &str, len: usize| -> Option<u32> {
        (part.len() == len && part.bytes().all(|b| b.is_ascii_digit())).then(|| part.parse().ok()).flatten()
    };
    let mut parts = text.split('-');
    let year = digits(parts.next()?, 4).filter(|year| *year > 0)?;
    let month = digits(parts.next()?, 2)?;
    let day = digits(parts.next()?, 2)?;
    if parts.next().is_some() {
        return None;
    }
    NaiveDate::from_ymd_opt(i32::try_from(year).ok()?, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days() {
        let day = NaiveDate::from_ymd_opt(2023, 1, 19);
        for (given, expected) in
            [("2023-01-19", day), (" 2023-01-19 ", day), ("\t2023-01-19\n", day), ("", None), ("  ", None)]
        {
            assert_eq!(parse_day(given), Ok(expected), "{given:?}");
        }
        for given in [
            "20230119",
            "2023-1-19",
            "2023-02-30",
            "2023-13-01",
            "2023-01-19T08:00:00",
            "2023-W03-4",
            "2023/01/19",
            "+023-01-19",
            "0000-01-01",
            "２０２３-01-19",
            "../../../x",
            "today",
            "2023-01-19-",
        ] {
            let error = parse_day(given).unwrap_err().to_string();
            assert!(error.starts_with("date must be YYYY-MM-DD"), "{error}");
            assert!(error.contains(given), "{error}");
        }
    }
}
