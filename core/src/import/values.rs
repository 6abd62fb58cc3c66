//! Text to JSON values: one value, lines, a stream of values, a torn document; or text after all.
//!
//! Owns the order in which these are tried and what is reported about damage. Never looks at what the values
//! mean. Called by `import::read`.

use super::{ImportError, json_repair, notes::Notes};
use serde_json::{Deserializer, Value};

/// What the text is made of.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Shape {
    /// One JSON value.
    One(Value),
    /// One record a line, or one after the other.
    Many(Vec<Value>),
    /// Not JSON.
    Text(String),
}

/// A text taken apart.
pub(super) struct Parsed {
    pub shape: Shape,
    pub notes: Notes,
    /// Why text that starts like JSON is none.
    pub fault: Option<String>,
}

/// A bad line is searched at this many places for a record glued onto it.
const SPLICE_ATTEMPTS: usize = 2_000;
/// If none of so many lines is a record, the text is not made of lines.
const LINES_TRIED: usize = 50;

/// Takes `text` apart.
pub(super) fn parse(text: &str) -> Result<Parsed, ImportError> {
    let start = trim_start(text);
    if !start.starts_with(['{', '[', '"']) {
        return Ok(plain(text, None));
    }
    let (first, rest) = match first_value(start) {
        Ok(found) => found,
        Err(error) => return damaged(text, start, &error),
    };
    if is_blank(rest) {
        return Ok(whole(first, Notes::default()));
    }
    Ok(lines(text).or_else(|| stream(start)).unwrap_or_else(|| plain(text, None)))
}

/// Text whose first value is no proper JSON.
fn damaged(text: &str, start: &str, error: &serde_json::Error) -> Result<Parsed, ImportError> {
    if let Some(parsed) = lines(text) {
        return Ok(parsed);
    }
    if is_too_deep(error) {
        return Err(ImportError::unknown(
            "nesting_too_deep",
            "the JSON is nested more than 127 levels deep, which no conversation is: nothing was read",
        ));
    }
    let mended = json_repair::mend(start);
    let mut notes = Notes::default();
    if mended.lenient {
        notes.add("lenient_json", "");
    }
    if let Ok((value, rest)) = first_value(&mended.text) {
        if is_blank(rest) {
            return Ok(whole(value, notes));
        }
        if let Some(mut parsed) = stream(&mended.text) {
            parsed.notes.append(notes);
            return Ok(parsed);
        }
    }
    if let Some(value) =
        json_repair::cut_to_whole_elements(&mended.text).and_then(|whole| serde_json::from_str(&whole).ok())
    {
        notes.add("truncated_tail", "");
        return Ok(Parsed { shape: Shape::One(value), notes, fault: None });
    }
    Ok(plain(text, Some(error.to_string())))
}

fn plain(text: &str, fault: Option<String>) -> Parsed {
    let mut text = text.replace("\r\n", "\n").replace('\0', "\u{fffd}");
    if !text.contains('\n') {
        text = text.replace('\r', "\n");
    }
    Parsed { shape: Shape::Text(text), notes: Notes::default(), fault }
}

/// One whole value; a string that itself holds JSON is unwrapped once.
fn whole(value: Value, notes: Notes) -> Parsed {
    match value {
        Value::String(inner) => match first_value(trim_start(&inner)) {
            Ok((value, rest)) if is_blank(rest) && (value.is_object() || value.is_array()) => {
                Parsed { shape: Shape::One(value), notes, fault: None }
            }
            Ok((Value::Object(_), _)) => match lines(&inner) {
                Some(parsed) => parsed,
                None => plain(&inner, None),
            },
            _ => plain(&inner, None),
        },
        value => Parsed { shape: Shape::One(value), notes, fault: None },
    }
}

fn trim_start(text: &str) -> &str {
    text.trim_start_matches(|c: char| c.is_whitespace() || c == '\0' || c == '\u{feff}')
}

fn is_blank(text: &str) -> bool {
    trim_start(text).is_empty()
}

fn is_too_deep(error: &serde_json::Error) -> bool {
    error.to_string().contains("recursion limit")
}

/// The first value of `text`, and what follows it.
fn first_value(text: &str) -> Result<(Value, &str), serde_json::Error> {
    let mut values = Deserializer::from_str(text).into_iter::<Value>();
    match values.next() {
        Some(value) => Ok((value?, text.get(values.byte_offset()..).unwrap_or(""))),
        None => Ok((Value::Null, "")),
    }
}

/// Records one a line. Damaged lines are mended, separated or left out, and counted.
fn lines(text: &str) -> Option<Parsed> {
    let mut notes = Notes::default();
    let mut values: Vec<Value> = Vec::new();
    let (mut good, mut bad) = (0usize, 0usize);
    let last = text.trim_end_matches(|c: char| c.is_whitespace() || c == '\0').matches('\n').count();
    for (index, line) in text.split('\n').enumerate() {
        let place = format!("line {}", index + 1);
        let trimmed = line.trim_matches(|c: char| c == '\0' || c.is_whitespace() || c == '\u{feff}');
        if line.contains('\0') {
            notes.add("nul_bytes", place.as_str());
        }
        if trimmed.is_empty() {
            continue;
        }
        let (found, code) = line_values(trimmed);
        let of_use = found.iter().any(|value| value.is_object() || value.is_array());
        if of_use {
            good += 1;
        } else {
            bad += 1;
        }
        if good == 0 && bad >= LINES_TRIED {
            return None;
        }
        match code {
            Some("malformed_line") if index == last => notes.add("truncated_tail", place),
            Some(code) => notes.add(code, place),
            None if !of_use => notes.add("malformed_line", place),
            None => {}
        }
        values.extend(found);
    }
    if good == 0 || good < bad {
        return None;
    }
    Some(sequence(values, notes))
}

/// The values of one line, and the code of what was wrong with it.
fn line_values(line: &str) -> (Vec<Value>, Option<&'static str>) {
    if let Ok(value) = serde_json::from_str(line) {
        return (vec![value], None);
    }
    let mended = json_repair::mend(line);
    if let Ok(value) = serde_json::from_str(&mended.text) {
        return (vec![value], mended.lenient.then_some("lenient_json"));
    }
    let mut places = memchr::memmem::find_iter(mended.text.as_bytes(), b"{\"");
    let tail = places.by_ref().take(SPLICE_ATTEMPTS).find_map(|at| values_to_end(mended.text.get(at..)?));
    match tail {
        Some(values) => (values, Some("spliced_record")),
        None => (Vec::new(), Some("malformed_line")),
    }
}

/// All values of `text` if they are objects and nothing else is there.
fn values_to_end(text: &str) -> Option<Vec<Value>> {
    let values: Result<Vec<Value>, _> = Deserializer::from_str(text).into_iter::<Value>().collect();
    values.ok().filter(|values| !values.is_empty() && values.iter().all(Value::is_object))
}

/// Values one after the other, whatever the line ends; takes those before the first fault.
fn stream(text: &str) -> Option<Parsed> {
    let mut notes = Notes::default();
    let mut values = Vec::new();
    for value in Deserializer::from_str(text).into_iter::<Value>() {
        match value {
            Ok(value) if value.is_object() || value.is_array() => values.push(value),
            Ok(_) => notes.add("trailing_data", ""),
            Err(error) => {
                let code = if error.is_eof() { "truncated_tail" } else { "trailing_data" };
                notes.add(code, format!("line {}", error.line()));
                break;
            }
        }
    }
    let holds_objects = values.iter().any(|value| match value {
        Value::Array(items) => items.iter().any(Value::is_object),
        other => other.is_object(),
    });
    holds_objects.then(|| sequence(values, notes))
}

/// Several lists are one list; everything else is a sequence of records.
fn sequence(mut values: Vec<Value>, mut notes: Notes) -> Parsed {
    let shape = if values.iter().all(Value::is_array) {
        let items = values.into_iter().flat_map(|value| match value {
            Value::Array(items) => items,
            _ => Vec::new(),
        });
        Shape::One(Value::Array(items.collect()))
    } else {
        for value in values.iter().filter(|value| value.is_array()) {
            let start: String = value.to_string().chars().take(20).collect();
            notes.add("malformed_line", format!("`{start}` is no object"));
        }
        values.retain(Value::is_object);
        Shape::Many(values)
    };
    Parsed { shape, notes, fault: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `1 2` a sequence, `[1]` one value, `text` plain; then the warning codes.
    fn check(text: &str, shape: &str, codes: &[&str]) {
        let parsed = parse(text).unwrap();
        let got = match parsed.shape {
            Shape::One(value) => value.to_string(),
            Shape::Many(values) => values.iter().map(Value::to_string).collect::<Vec<_>>().join(" "),
            Shape::Text(_) => "text".to_owned(),
        };
        let noted: Vec<_> = parsed.notes.into_warnings().iter().map(|warning| warning.code).collect();
        assert_eq!((got.as_str(), noted.as_slice()), (shape, codes), "{text}");
    }

    #[test]
    fn shapes() {
        check(r#" {"a":1} "#, r#"{"a":1}"#, &[]);
        check(r#""[{\"a\":1}]""#, r#"[{"a":1}]"#, &[]);
        check("{\"a\":1}\n\n{\"b\":2}\r\n", r#"{"a":1} {"b":2}"#, &[]);
        check("{\n\"a\":1}\n{\"b\":\n2}", r#"{"a":1} {"b":2}"#, &[]);
        check("[{\"a\":1}][{\"b\":2}]\n>>> x", r#"[{"a":1},{"b":2}]"#, &["trailing_data"]);
        check("[{\"a\":1},\n]", r#"[{"a":1}]"#, &["lenient_json"]);
        check("[{\"a\":1},{\"b", r#"[{"a":1}]"#, &["truncated_tail"]);
        check("{\"a\":1}\n{\"b\":2}\n{\"c\":", r#"{"a":1} {"b":2}"#, &["truncated_tail"]);
        check("{\"a\":1}\nnot json\n{\"b\":2}", r#"{"a":1} {"b":2}"#, &["malformed_line"]);
        check("{\"a\":\"x{\"b\":2}\n{\"c\":3}{\"d\":4}", r#"{"b":2} {"c":3} {"d":4}"#, &["spliced_record"]);
        check("{\"a\":1}\n[1,2]\n{\"b\":2}", r#"{"a":1} {"b":2}"#, &["malformed_line"]);
        check("[05/01/2024, 10:31:22] Alice: hi", "text", &[]);
        check("[10:31 AM]Bob: hi", "text", &[]);
        check("[2026-02-03 10:31:22] user: x", "text", &[]);
        check("\"quoted\" is how it starts", "text", &[]);
        check("{curly} text", "text", &[]);
    }

    #[test]
    fn nesting_is_limited() {
        let deep = format!("{{\"messages\":{}", "[".repeat(5_000));
        assert_eq!(parse(&deep).map(|_| ()).unwrap_err().code, "nesting_too_deep");
    }
}
