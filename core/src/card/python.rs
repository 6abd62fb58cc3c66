//! Lists and deeper values as Python prints them, because ReMe puts them on day pages like that.
//!
//! Only for listing; nothing is read back. Called by `daily` through [`Field::listed`].

use super::scalar::{Scalar, Style};
use super::value::Node;
use super::{Field, FieldValue};
use serde_yaml::Value;

impl Field {
    /// The value on one line of a list: a scalar's source text, a list or map as Python prints it.
    pub fn listed(&self) -> String {
        match (&self.node, &self.value) {
            (Node::List { items, .. }, _) => {
                let items: Vec<String> = items.iter().map(|item| scalar_repr(&item.scalar)).collect();
                if items.is_empty() { String::new() } else { format!("[{}]", items.join(", ")) }
            }
            (_, FieldValue::Text(text)) => text.clone(),
            (_, FieldValue::Raw(source)) => serde_yaml::from_str::<Value>(source)
                .map_or_else(|_| source.clone(), |value| value_text(&value)),
            _ => String::new(),
        }
    }
}

fn value_text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Sequence(items) if items.is_empty() => String::new(),
        Value::Mapping(map) if map.is_empty() => String::new(),
        other => value_repr(other),
    }
}

fn value_repr(value: &Value) -> String {
    match value {
        Value::Null => "None".into(),
        Value::Bool(true) => "True".into(),
        Value::Bool(false) => "False".into(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => repr(text),
        Value::Sequence(items) => {
            let items: Vec<String> = items.iter().map(value_repr).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Mapping(map) => {
            let pairs: Vec<String> = map
                .iter()
                .map(|(key, value)| format!("{}: {}", value_repr(key), value_repr(value)))
                .collect();
            format!("{{{}}}", pairs.join(", "))
        }
        Value::Tagged(tagged) => value_repr(&tagged.value),
    }
}

/// An item as YAML 1.1 types it and Python prints it.
fn scalar_repr(scalar: &Scalar) -> String {
    let text = scalar.text.as_str();
    if scalar.style != Style::Plain {
        return repr(text);
    }
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return "None".into(),
        "yes" | "Yes" | "YES" | "true" | "True" | "TRUE" | "on" | "On" | "ON" => return "True".into(),
        "no" | "No" | "NO" | "false" | "False" | "FALSE" | "off" | "Off" | "OFF" => return "False".into(),
        _ => {}
    }
    integer(text).or_else(|| float(text)).or_else(|| date(text)).unwrap_or_else(|| repr(text))
}

fn integer(text: &str) -> Option<String> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    let plain = digits.replace('_', "");
    let parse =
        |digits: &str, radix| i128::from_str_radix(digits, radix).ok().map(|n| (sign * n).to_string());
    if !digits.starts_with(|c: char| c.is_ascii_digit()) || plain.contains(['+', '-']) {
        return None;
    }
    if let Some(hex) = plain.strip_prefix("0x") {
        return parse(hex, 16);
    }
    if let Some(binary) = plain.strip_prefix("0b") {
        return parse(binary, 2);
    }
    if plain.len() > 1 && plain.starts_with('0') {
        return parse(&plain, 8);
    }
    if plain.contains(':') {
        return sexagesimal(&plain).map(|n| (sign * n).to_string());
    }
    parse(&plain, 10)
}

/// `12:30` is 750 to YAML 1.1.
fn sexagesimal(text: &str) -> Option<i128> {
    text.split(':').enumerate().try_fold(0_i128, |total, (index, part)| {
        let number: i128 = part.parse().ok()?;
        let fits = index == 0 || (part.len() <= 2 && number < 60);
        fits.then(|| total.checked_mul(60)?.checked_add(number)).flatten()
    })
}

fn float(text: &str) -> Option<String> {
    let unsigned = text.trim_start_matches(['+', '-']);
    if !unsigned.contains('.') || !unsigned.chars().all(|c| c.is_ascii_digit() || "._eE+-".contains(c)) {
        return None;
    }
    // An exponent needs its sign; without one it stays text.
    let has_bare_exponent =
        unsigned.split_once(['e', 'E']).is_some_and(|(_, exponent)| !exponent.starts_with(['+', '-']));
    if has_bare_exponent {
        return None;
    }
    text.replace('_', "").parse::<f64>().ok().map(|number| format!("{number:?}"))
}

fn date(text: &str) -> Option<String> {
    if text.len() != 10 {
        return None;
    }
    let date = chrono::NaiveDate::parse_from_str(text, "%Y-%m-%d").ok()?;
    Some(date.format("datetime.date(%Y, %-m, %-d)").to_string())
}

/// A text as Python's `repr` writes it.
fn repr(text: &str) -> String {
    let quote = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
    let mut written = String::from(quote);
    for c in text.chars() {
        let code = u32::from(c);
        match c {
            '\n' => written.push_str("\\n"),
            '\r' => written.push_str("\\r"),
            '\t' => written.push_str("\\t"),
            c if c == quote || c == '\\' => written.extend(['\\', c]),
            c if is_printable(c) => written.push(c),
            _ if code < 0x100 => written.push_str(&format!("\\x{code:02x}")),
            _ if code < 0x1_0000 => written.push_str(&format!("\\u{code:04x}")),
            _ => written.push_str(&format!("\\U{code:08x}")),
        }
    }
    written.push(quote);
    written
}

/// Python escapes control and format characters and every blank but the common one.
fn is_printable(c: char) -> bool {
    let is_format = matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2064}'
        | '\u{2066}'..='\u{206f}' | '\u{feff}' | '\u{e000}'..='\u{f8ff}' | '\u{e0001}'..='\u{e007f}');
    c == ' ' || !(c.is_control() || c.is_whitespace() || is_format)
}

#[cfg(test)]
mod tests {
    use crate::card::Card;

    #[test]
    fn lists_are_printed_as_python_prints_them() {
        for (value, listed) in [
            ("[2017, true, no, \"no\", ~, c#]", "[2017, True, False, 'no', None, 'c#']"),
            (
                "[0o17, 007, 1_000, 12:30, 1.5, 1.0e3, 8e12, 0x1F, +12, y]",
                "['0o17', 7, 1000, 750, 1.5, '1.0e3', '8e12', 31, 12, 'y']",
            ),
            ("[2023-01-19, 1.5e+3]", "[datetime.date(2023, 1, 19), 1500.0]"),
            ("[\"it's\", 'say \"x\"', \"it's \\\"x\\\"\"]", "[\"it's\", 'say \"x\"', 'it\\'s \"x\"']"),
            (
                "[\"a\\nb\", \"a\\\\b\", \"a\\u00a0b\", \"\\u200b\", 中文🚀]",
                "['a\\nb', 'a\\\\b', 'a\\xa0b', '\\u200b', '中文🚀']",
            ),
            ("{a: 1, b: [x, true]}", "{'a': 1, 'b': ['x', True]}"),
            ("[]", ""),
            ("{}", ""),
            ("yes", "yes"),
            ("007", "007"),
        ] {
            let card = Card::parse(format!("---\nk: {value}\n---\n"));
            assert_eq!(card.fields()[0].listed(), listed, "{value}");
        }
    }
}
