//! Plain text whose messages start with a role label, in English, Chinese and some other languages.
//!
//! Owns the decision whether labelled text is a dialogue, in four flavours that are tried in turn: labels with
//! a time, plain labels, questions and answers, role words
//! alone on their lines. Called through the registry.

use super::builder::Builder;
use super::labels::{Label, Side, Vocabulary, bare_label, role_label, stamped_label};
use super::phone_stamp::{Order, PhoneStamp};
use super::registry::{Format, Input};
use super::turns::{self, Turn, Turns};
use super::{ImportError, Reading};
use crate::message::time::{self, Timestamp};
use crate::message::{Msg, Role};
use serde_json::Value;

const LABEL: &str = "text_role_labels";

pub(super) const STAMPED: Format = Format {
    label: LABEL,
    detect: |input| input.text().is_some_and(|text| stamped(text).is_some()),
    parse: |input| reading(input, stamped),
};
pub(super) const LABELS: Format = Format {
    label: LABEL,
    detect: |input| input.text().is_some_and(|text| labelled(text).is_some()),
    parse: |input| reading(input, labelled),
};
pub(super) const QUESTIONS: Format = Format {
    label: LABEL,
    detect: |input| input.text().is_some_and(|text| questions(text).is_some()),
    parse: |input| reading(input, questions),
};

pub(super) const BARE: Format = Format {
    label: LABEL,
    detect: |input| input.text().is_some_and(|text| bare(text).is_some()),
    parse: |input| reading(input, bare),
};

/// Whether a text is a dialogue of any of the flavours.
pub(super) fn shows_dialogue(text: &str) -> bool {
    [stamped, labelled, questions, bare].iter().any(|flavour| flavour(text).is_some())
}

fn count(found: &Turns<'_>, role: Role) -> usize {
    found.turns.iter().filter(|turn| turn.label.side == Side::Speaks(role)).count()
}

fn both_sides(found: &Turns<'_>) -> bool {
    count(found, Role::User) > 0 && count(found, Role::Assistant) > 0
}

/// Strong labels where they carry the dialogue, else all.
fn stamped(text: &str) -> Option<Turns<'_>> {
    let strong = turns::cut(text, |line| stamped_label(line, Vocabulary::Strong));
    if both_sides(&strong) {
        return Some(strong);
    }
    let all = turns::cut(text, |line| stamped_label(line, Vocabulary::All));
    if both_sides(&all) {
        return Some(all);
    }
    (strong.turns.len() > 1 && strong.opens_with_label()).then_some(strong)
}

/// Strong labels where they carry the dialogue, else all; one side alone must be the user's, from the start.
fn labelled(text: &str) -> Option<Turns<'_>> {
    let cut = |words| turns::cut(text, move |line| role_label(line, words));
    let strong = cut(Vocabulary::Strong);
    if both_sides(&strong) {
        return Some(strong);
    }
    let all = cut(Vocabulary::All);
    if both_sides(&all) {
        return Some(all);
    }
    let one_side = count(&strong, Role::User) > 0 || count(&strong, Role::Assistant) > 1;
    (strong.opens_with_label() && one_side).then_some(strong)
}

/// One letter is also a list item or a drive: both must occur, twice each or strictly in turn.
fn questions(text: &str) -> Option<Turns<'_>> {
    let found = turns::cut(text, |line| role_label(line, Vocabulary::Questions));
    let alternating = alternate(&found);
    let often = count(&found, Role::User) > 1 && count(&found, Role::Assistant) > 1;
    (both_sides(&found) && (often || alternating)).then_some(found)
}

/// A word alone on its line is weak evidence: it must open the text, and the sides must take turns.
fn bare(text: &str) -> Option<Turns<'_>> {
    let found = turns::cut(text, bare_label);
    (found.opens_with_label() && both_sides(&found) && alternate(&found)).then_some(found)
}

fn alternate(found: &Turns<'_>) -> bool {
    found.turns.windows(2).all(|pair| match pair {
        [a, b] => a.label.side != b.label.side,
        _ => true,
    })
}

fn reading(
    input: &Input<'_>,
    flavour: for<'t> fn(&'t str) -> Option<Turns<'t>>,
) -> Result<Reading, ImportError> {
    let found = input.text().and_then(flavour).unwrap_or_default();
    let preamble: Vec<&str> = found.preamble().collect();
    let (title, preamble) = match preamble.as_slice() {
        [only] => match only.strip_prefix("# ") {
            Some(title) => (Some(title.trim().to_owned()), &[] as &[&str]),
            None => (None, preamble.as_slice()),
        },
        several => (None, several),
    };
    let mut builder = Builder::new(None, title);
    if found.unclosed_fence {
        builder.note("unclosed_fence", "");
    }
    if !preamble.is_empty() {
        builder.note("unlabelled_preamble", format!("{} lines", preamble.len()));
        builder.skip("line 1", "text before the first label");
    }
    let one_sided = !both_sides(&found);
    let stamps: Vec<PhoneStamp> =
        found.turns.iter().filter_map(|turn| phone_stamp(turn.label.stamp?)).collect();
    let order = if stamps.is_empty() { None } else { Some(Order::of(stamps.iter(), &mut builder)) };
    for turn in found.turns {
        read_turn(&turn, order, &mut builder);
    }
    if one_sided {
        builder.note("one_sided", "");
    }
    Ok(Reading { format: LABEL, sessions: vec![builder.finish()], warnings: Vec::new() })
}

/// A time that only the order of day and month of the others explains.
fn phone_stamp(written: &str) -> Option<PhoneStamp> {
    if Timestamp::parse(written).is_some() {
        return None;
    }
    PhoneStamp::read(written)
}

fn read_turn(turn: &Turn<'_>, order: Option<Order>, builder: &mut Builder) {
    let reference = format!("line {}", turn.line);
    let Side::Speaks(role) = turn.label.side else {
        return builder.skip(reference, "tool");
    };
    let created_at = stamp(&turn.label, order, &reference, builder);
    builder.push(&reference, Msg { created_at, ..Msg::text_message(role, turn.body()) });
}

/// The time beside a label; Python's logging writes a comma before the milliseconds.
fn stamp(label: &Label<'_>, order: Option<Order>, reference: &str, builder: &mut Builder) -> Option<String> {
    let written = label.stamp?;
    if let Some((order, stamp)) = order.zip(phone_stamp(written)) {
        return builder.time(reference, time::field(&stamp.iso(order).into()));
    }
    if !written.contains(['-', '/', '.', '年']) {
        builder.note("time_without_date", reference);
        return None;
    }
    builder.time(reference, time::field(&Value::String(written.replace(',', "."))))
}
