//! What was recognised, in words: format, messages, speakers, times, and what is proposed for session and day.
//!
//! Pure: a reading in, facts out. Reads nothing and decides nothing; what a person typed wins over proposals.

use crate::text;
use crate::theme::{Role, Theme};
use chrono::NaiveDate;
use ratatui::text::{Line, Span};
use reme_core::import::{Conversation, Reading};
use reme_core::message::Role as Speaker;
use reme_core::message::time::{Timestamp, Zone};

/// Speakers and warnings that are listed; the rest is counted.
const LISTED: usize = 6;

/// The day of the card: the latest valid message time, else today.
pub(super) fn day(conversation: &Conversation, zone: Zone, today: NaiveDate) -> NaiveDate {
    times(conversation).max_by_key(|time| time.instant(zone)).map_or(today, |time| time.day(zone))
}

fn times(conversation: &Conversation) -> impl Iterator<Item = Timestamp> + '_ {
    conversation.messages.iter().filter_map(|message| Timestamp::parse(message.created_at.as_deref()?))
}

/// The facts as rows of a label and a value.
pub(super) fn facts(
    reading: &Reading,
    conversation: &Conversation,
    zone: Zone,
) -> Vec<(&'static str, String)> {
    let mut rows = vec![("Format", reading.format.replace('_', " "))];
    if let Some(title) = &conversation.title {
        rows.push(("Title", title.clone()));
    }
    let messages = &conversation.messages;
    let count = |role: Speaker| messages.iter().filter(|message| message.role == role).count();
    let mut said = format!(
        "{} · user {} · assistant {}",
        messages.len(),
        count(Speaker::User),
        count(Speaker::Assistant)
    );
    if count(Speaker::System) > 0 {
        said.push_str(&format!(" · system {}", count(Speaker::System)));
    }
    rows.push(("Messages", said));
    let mut speakers: Vec<&str> = Vec::new();
    for message in messages {
        if !speakers.contains(&message.speaker()) {
            speakers.push(message.speaker());
        }
    }
    let more = speakers.len().saturating_sub(LISTED);
    let mut named = speakers.iter().take(LISTED).copied().collect::<Vec<_>>().join(", ");
    if more > 0 {
        named.push_str(&format!(" and {more} more"));
    }
    rows.push(("Speakers", named));
    rows.push(("Times", period(conversation, zone)));
    if !conversation.skipped.is_empty() {
        let mut reasons: Vec<&str> =
            conversation.skipped.iter().map(|skipped| skipped.reason.as_str()).collect();
        reasons.sort_unstable();
        reasons.dedup();
        let reasons = reasons.iter().take(LISTED).copied().collect::<Vec<_>>().join(", ");
        rows.push(("Left out", format!("{} ({reasons})", conversation.skipped.len())));
    }
    rows
}

fn period(conversation: &Conversation, zone: Zone) -> String {
    let shown = |time: Timestamp| time.local.format("%Y-%m-%d %H:%M").to_string();
    let first = times(conversation).min_by_key(|time| time.instant(zone)).map(shown);
    let last = times(conversation).max_by_key(|time| time.instant(zone)).map(shown);
    match (first, last) {
        (Some(first), Some(last)) if first == last => first,
        (Some(first), Some(last)) => format!("{first} – {last}"),
        _ => "none; today is taken".to_owned(),
    }
}

/// A warning that asks nothing of a person: an id that is derived is as good as one that came along.
const NO_NEWS: &str = "missing_id";

/// The warnings of the reading and of the conversation, as far as there is something to do about them.
pub(super) fn warnings(reading: &Reading, conversation: &Conversation) -> Vec<String> {
    let all = reading.warnings.iter().chain(&conversation.warnings);
    let mut shown: Vec<String> =
        all.filter(|warning| warning.code != NO_NEWS).map(|warning| warning.message.clone()).collect();
    shown.dedup();
    let more = shown.len().saturating_sub(LISTED);
    if more > 0 {
        shown.truncate(LISTED);
        shown.push(format!("and {more} more"));
    }
    shown
}

/// One line a message: speaker, time and the start of what was said.
pub(super) fn messages(
    conversation: &Conversation,
    most: usize,
    width: usize,
    theme: &Theme,
) -> Vec<Line<'static>> {
    let mut lines: Vec<Line<'static>> = Vec::new();
    for message in conversation.messages.iter().take(most) {
        let role = match message.role {
            Speaker::User => Role::User,
            Speaker::Assistant => Role::Assistant,
            Speaker::System => Role::Other,
        };
        let mut spans = vec![Span::styled(text::truncate(message.speaker(), 16), theme.style(role))];
        let time = message.created_at.as_deref().and_then(Timestamp::parse);
        if let Some(time) = time {
            let time = time.local.format(" %H:%M").to_string();
            spans.push(Span::styled(time, theme.style(Role::Dim)));
        }
        spans.push(Span::raw("  "));
        let said = message.text();
        let first = said.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
        spans.extend(text::spans(first.trim(), theme.style(Role::Text)));
        lines.push(Line::from(text::truncate_spans(spans, width)));
    }
    lines
}
