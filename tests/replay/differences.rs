//! The tables: what differs from the recordings on purpose, and what is no business of the engine.

use super::compare::Part::{self, Answer, Attachment, Card, Changes, Linking, Page, Record};
use super::{Case, Replay};

/// A recording that the engine does not follow.
pub struct Expectation {
    case: &'static str,
    /// The point of SPEC that wants it.
    pub point: &'static str,
    /// What the engine does instead, and why.
    pub why: &'static str,
    /// The parts that may differ; the others agree.
    pub parts: &'static [Part],
    /// What must hold in their place.
    pub instead: Check,
}

type Check = fn(&Case, &Replay) -> Result<(), String>;

const ALL: &[Part] = &[Answer, Record, Attachment, Page, Card, Changes];

const fn row(
    case: &'static str,
    point: &'static str,
    why: &'static str,
    parts: &'static [Part],
    instead: Check,
) -> Expectation {
    Expectation { case, point, why, parts, instead }
}

const DIFFERENCES: &[Expectation] = &[
    // Messages: ReMe refuses what has one meaning.
    row("a0_seed_example_verbatim", "§2", "a name is not needed", &[Answer, Changes], |_, r| made(r, 2)),
    row(
        "d11_image_url_openai_style",
        "§2",
        "pictures of other shapes are read",
        &[Answer, Changes],
        |_, r| made(r, 1),
    ),
    row("d23_one_bad_of_two", "§2", "a name is not needed", &[Answer, Changes], |_, r| made(r, 2)),
    row("d24_integer_id", "§2", "ids are kept as text", &[Answer, Changes], |_, r| made(r, 1)),
    row("d4_tool_use_legacy", "§2", "blocks of AgentScope 1.x are read", &[Answer, Changes], |_, r| {
        made(r, 1)
    }),
    row(
        "d7_user_with_tool_result_rejected",
        "§3",
        "what AgentScope refuses stays beside",
        &[Answer, Changes],
        |_, r| made(r, 1),
    ),
    row("d21_role_tool_rejected", "§2", "a tool's turn is no message", &[Answer], |_, r| {
        answers(r, "Skipped: no messages")
    }),
    row("f_created_at_bool", "§2", "what is no time counts as absent", &[Answer, Changes], |_, r| {
        warns(r, "invalid_timestamp")
    }),
    row("f_created_at_dict", "§2", "what is no time gives way to the next", &[Answer, Changes], |_, r| {
        made(r, 1)
    }),
    row("f_epoch_int", "§2", "numbers are epoch times", &[Answer, Changes], |_, r| on_day(r, "2023-01-19")),
    row("f_epoch_ms", "§2", "numbers are epoch times", &[Answer, Changes], |_, r| on_day(r, "2023-01-19")),
    row(
        "f_year_9999",
        "§2",
        "a time that no calendar reaches counts as absent",
        &[Answer, Changes],
        |_, r| warns(r, "invalid_timestamp"),
    ),
    row("f_meta_created_at", "§2", "`created_at` counts in metadata too", ALL, |_, r| {
        on_day(r, "2023-01-19")
    }),
    row("f_slashes", "§2", "a date that has one meaning is read", ALL, |_, r| on_day(r, "2023-01-19")),
    row(
        "g_sid_float",
        "§2, §14",
        "a session id is text, however it is typed",
        &[Answer, Changes],
        |_, r| made(r, 1),
    ),
    row("g_sid_brackets", "§1", "no link could point at the record", ALL, |_, r| refuses(r, "[ ] # ^")),
    row("i27_session_id_brackets_text", "§1", "no link could point at the record", ALL, |_, r| {
        refuses(r, "[ ] # ^")
    }),
    row("g_sid_rtl", "§1", "a name that nobody can read is no safe component", ALL, |_, r| {
        refuses(r, "U+202E")
    }),
    // The record: nothing is lost, nothing is doubled.
    row(
        "a4_no_ids_resubmit_duplicates",
        "§2",
        "ids are derived, so that twice is once",
        &[Record, Changes],
        |_, r| lines(r, "session/dialog/noid.jsonl", 1),
    ),
    row("c2_mixed_offsets_string_sort", "§3", "messages are ordered by instant", &[Record], |_, r| {
        in_order(r, "session/dialog/mixtz.jsonl", &["earlier in absolute time", "late in absolute time"])
    }),
    row(
        "c4_corrupt_lines_then_rewrite_loses_them",
        "§3",
        "damaged lines are never dropped",
        &[Record],
        |_, r| lines(r, "session/dialog/corrupt.jsonl", 5),
    ),
    row(
        "c5_no_trailing_newline_then_append",
        "§3",
        "a missing line end is added first",
        &[Record],
        |_, r| lines(r, "session/dialog/torn.jsonl", 2),
    ),
    row("x4_delta_after_u2028_loses_first", "§3", "lines end at line feeds alone", &[Record], |_, r| {
        lines(r, "session/dialog/ls.jsonl", 2)
    }),
    // Names and renames.
    row("a12_llm_name_0", "§5", "an invalid name is repaired", &[Answer, Changes], |_, r| {
        named(r, "daily/2023-06-01/a-b.md")
    }),
    row("a12_llm_name_1", "§5", "an invalid name is repaired", &[Answer, Changes], |_, r| {
        named(r, "daily/2023-06-02/memory.md")
    }),
    row("a12_llm_name_2", "§5", "an invalid name is repaired", &[Answer, Changes], |_, r| {
        named(r, "daily/2023-06-03/_CON.md")
    }),
    row("a12_llm_name_4", "§5", "an invalid name is repaired", &[Answer, Changes], |_, r| made(r, 1)),
    row("a12_llm_name_8", "§1, §5", "a name must be linkable", ALL, |_, r| {
        named(r, "daily/2023-06-09/has-brackets.md")
    }),
    row("e0_create_same_name_s2_overwrites", "§7", "another session's card stays", ALL, |_, r| {
        named(r, "daily/2023-05-01/shared-2.md")
    }),
    row("e12_empty_name", "§5", "an empty name is none: the card keeps its own", ALL, |_, r| {
        named(r, "daily/2023-09-03/Casey.md")
    }),
    row(
        "e6_after_collision_next_call_fails_again",
        "§7",
        "no name is left half changed",
        &[Answer],
        |_, r| fails(r, "distiller"),
    ),
    row("e7_rename_invalid_name", "§5", "an invalid name is repaired", ALL, |_, r| {
        named(r, "daily/2023-09-01/bad-name.md")
    }),
    row(
        "e8_rename_unlinkable_name",
        "§1",
        "a name must be linkable, and no card is left twice",
        ALL,
        |case, r| {
            named(r, "daily/2023-09-01/taken.md")
                .and_then(|()| holds(!r.after.contains_key("daily/2023-09-01/with[br].md"), &case.name))
        },
    ),
    row(
        "e2_rename_with_inbound_links",
        "§7",
        "own links follow; code samples, blanks and line ends stay; short forms follow",
        &[Card, Linking],
        |_, r| {
            has(r, "daily/2023-09-01/new-name.md", "Self link [[daily/2023-09-01/new-name.md]]")?;
            has(r, "digest/personal/crlf.md", "Line one\r\n[[daily/2023-09-01/new-name.md]]\r\nend\r\n")?;
            has(r, "digest/personal/inbound.md", "[[ daily/2023-09-01/new-name.md ]] short [[new-name]]")?;
            has(
                r,
                "digest/personal/inbound.md",
                "code `[[daily/2023-09-01/old-name.md]]`\n```\n[[daily/2023-09-01/old-name.md]]\n```\n",
            )
        },
    ),
    row("e14_llm_changes_session_id", "§6", "a draft never sets `status`", ALL, |_, r| {
        lacks(r, "daily/2023-09-03/2024.md", "status:")
    }),
    // Day pages.
    row(
        "e20_day_index_broken_frontmatter",
        "§8",
        "a page that cannot be read is left, and the card is made",
        &[Answer, Changes],
        |_, r| named(r, "daily/2023-09-09/n9.md"),
    ),
    row("e21_day_index_reversed_markers", "§8", "markers count only as whole lines", &[Page], |_, r| {
        has(
            r,
            "daily/2023-09-10.md",
            "<!-- /notes:auto --> reversed <!-- notes:auto -->\n\n<!-- notes:auto -->\n- [[",
        )
    }),
    row(
        "e23_description_contains_marker_second_refresh",
        "§8",
        "a marker inside a line is none",
        &[Page],
        |_, r| has(r, "daily/2023-09-11.md", "tail memory_tags: ['Ent']\n<!-- /notes:auto -->"),
    ),
    // Cards.
    row("x10_yaml_brk", "§6", "a description carries no links", &[Page, Card], |_, r| {
        has(r, "daily/2024-02-16/y-brk.md", "description: x\n")
    }),
    row(
        "i3_same_image_resubmitted",
        "§5",
        "a body over text of others waits for review",
        &[Answer],
        |_, r| fails(r, "needs_review"),
    ),
    row(
        "i5_image_note_rewritten_images_off",
        "§5",
        "a body over text of others waits for review",
        &[Answer],
        |_, r| fails(r, "needs_review"),
    ),
    // Pictures.
    row(
        "i11_empty_base64",
        "§9",
        "pictures are checked before anything is saved",
        &[Changes, Record],
        |_, r| refuses(r, "no bytes"),
    ),
    row(
        "i25_base64_newlines",
        "§9",
        "pictures are checked before anything is saved",
        &[Changes, Record],
        |_, r| refuses(r, "base64"),
    ),
    row("i19_include_images_string_false", "§14", "the text \"false\" is false", ALL, |_, r| {
        lacks(r, "daily/2023-07-30/inclstr.md", "source_images")
    }),
    row("i23_no_message_id_resubmit", "§2", "ids are derived, so that twice is once", ALL, |_, r| {
        lines(r, "session/dialog/img18.jsonl", 1)
    }),
    row("i9_media_upper", "§9", "media types count in any case", ALL, |_, r| {
        has(r, "daily/2023-07-24/mt-upper.md", "msg-6d31-image-1.png")
    }),
];

/// The row of a case.
pub fn expected(name: &str) -> Option<&'static Expectation> {
    DIFFERENCES.iter().find(|row| row.case == name)
}

/// Recordings of what ReMe's own agent does over several turns with its tools: a distiller answers once and cannot
/// write (SPEC §5).
const AGENT_LOOP: &[(&str, &str)] = &[
    ("a5_llm_uses_other_date", "the model writes to another day through a tool"),
    ("a9_update_via_write_tool", "the model overwrites the card, properties included, through a tool"),
    ("i_llm_empty_sse", "an empty answer is an error of the backend before it reaches the engine"),
    ("i_llm_extra_tool_args", "a tool call with wrong arguments"),
    ("i_llm_fails_after_write", "the model fails between two tool calls"),
    ("i_llm_infinite_tools", "tool calls without end"),
    ("i_llm_missing_tool_args", "a tool call with wrong arguments"),
    ("i_llm_parallel_two_writes", "two tool calls write two cards of one session"),
    ("i_llm_slow_client_disconnects", "a client leaves the service"),
    ("i_upd_writes_other_file", "the model writes another file through a tool"),
];

/// What only a service lets in or keeps out: the engine has no such parameter.
const OF_THE_SERVICE: [&str; 7] =
    ["request_id", "response", "stream_queue", "stop_event", "agent_wrapper", "file_store", "_allowed_paths"];

/// Why a recording does not concern the engine's main job.
pub fn not_applicable(case: &Case) -> Option<&'static str> {
    let body = &case.input["json"];
    if case.input["path"] != "/auto_memory" || case.input["method"] != "POST" || !body.is_object() {
        return Some("another job, the command line or the service");
    }
    if OF_THE_SERVICE.iter().any(|key| body.get(key).is_some()) {
        return Some("what a request may set is the service's business");
    }
    AGENT_LOOP.iter().find(|(name, _)| *name == case.name).map(|(_, why)| *why)
}

fn holds(truth: bool, what: &str) -> Result<(), String> {
    if truth { Ok(()) } else { Err(what.to_owned()) }
}

fn path(replay: &Replay) -> &str {
    replay.answer.metadata.get("path").and_then(serde_json::Value::as_str).unwrap_or_default()
}

/// A card is there, and the record has so many lines.
fn made(replay: &Replay, count: usize) -> Result<(), String> {
    let source = replay.answer.metadata.get("source_conversation").and_then(serde_json::Value::as_str);
    let record = source.unwrap_or_default().trim_start_matches("[[").trim_end_matches("]]");
    holds(replay.answer.success && replay.after.contains_key(path(replay)), "a card is made")?;
    lines(replay, record, count)
}

fn named(replay: &Replay, expected: &str) -> Result<(), String> {
    holds(
        replay.answer.success && path(replay) == expected,
        &format!("the card is {expected}: {:?}", replay.answer),
    )
}

fn on_day(replay: &Replay, day: &str) -> Result<(), String> {
    holds(replay.answer.metadata.get("date").is_some_and(|date| date == day), &format!("the day is {day}"))
}

fn answers(replay: &Replay, text: &str) -> Result<(), String> {
    holds(
        replay.answer.success && replay.answer.answer == text && !replay.asked,
        &format!("{:?}", replay.answer),
    )
}

fn warns(replay: &Replay, code: &str) -> Result<(), String> {
    let warnings = replay.answer.metadata.get("warnings").map(ToString::to_string).unwrap_or_default();
    holds(replay.answer.success && warnings.contains(code), &format!("warns of {code}: {warnings}"))
}

fn fails(replay: &Replay, code: &str) -> Result<(), String> {
    let error = replay.answer.metadata.get("error");
    holds(!replay.answer.success && error.is_some_and(|error| error == code), &format!("{:?}", replay.answer))
}

/// The call fails with these words, asks nobody and writes nothing.
fn refuses(replay: &Replay, words: &str) -> Result<(), String> {
    let untouched = replay.changed().is_empty() && !replay.asked;
    holds(!replay.answer.success && untouched && replay.answer.answer.contains(words), &replay.answer.answer)
}

fn lines(replay: &Replay, record: &str, count: usize) -> Result<(), String> {
    let found = replay.text(record).map_or(0, |text| text.lines().count());
    let whole = replay.text(record).is_some_and(|text| text.ends_with('\n'));
    holds(found == count && whole, &format!("{record} has {count} lines, not {found}"))
}

fn in_order(replay: &Replay, file: &str, parts: &[&str]) -> Result<(), String> {
    let text = replay.text(file).unwrap_or_default();
    let places: Vec<Option<usize>> = parts.iter().map(|part| text.find(part)).collect();
    holds(places.iter().all(Option::is_some) && places.is_sorted(), &format!("{parts:?} in order"))
}

fn has(replay: &Replay, file: &str, part: &str) -> Result<(), String> {
    let text = replay.text(file).unwrap_or_default();
    holds(text.contains(part), &format!("{file} has {part:?}: {text}"))
}

fn lacks(replay: &Replay, file: &str, part: &str) -> Result<(), String> {
    let text = replay.text(file).unwrap_or(part);
    holds(!text.contains(part), &format!("{file} has no {part:?}: {text}"))
}
