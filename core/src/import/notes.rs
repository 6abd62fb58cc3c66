//! Warnings while they are gathered: one per code, with the places it was met.
//!
//! Owns the wording of every warning code. Never decides what is worth a warning. Used by every reader here.

use super::Warning;

/// How many places a warning names before it counts the rest.
const NAMED_PLACES: usize = 8;

/// Codes in the order of their first mention, each with its places.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Notes {
    entries: Vec<(&'static str, Vec<String>)>,
}

impl Notes {
    /// Notes that `code` was met at `place` (a line, an id, a name; may be empty).
    pub fn add(&mut self, code: &'static str, place: impl Into<String>) {
        let place = place.into();
        match self.entries.iter_mut().find(|(known, _)| *known == code) {
            Some((_, places)) => places.push(place),
            None => self.entries.push((code, vec![place])),
        }
    }

    /// Whether `code` was noted.
    pub fn contains(&self, code: &str) -> bool {
        self.entries.iter().any(|(known, _)| *known == code)
    }

    /// Takes over what was noted elsewhere.
    pub fn append(&mut self, other: Notes) {
        for (code, places) in other.entries {
            for place in places {
                self.add(code, place);
            }
        }
    }

    /// The finished warnings.
    pub fn into_warnings(self) -> Vec<Warning> {
        self.entries
            .into_iter()
            .map(|(code, places)| Warning { code, message: sentence(code, &places) })
            .collect()
    }
}

fn sentence(code: &str, places: &[String]) -> String {
    let named: Vec<&str> = places.iter().map(String::as_str).filter(|place| !place.is_empty()).collect();
    let mut text = explanation(code).to_owned();
    if !named.is_empty() {
        text.push_str(": ");
        text.push_str(&named.iter().take(NAMED_PLACES).copied().collect::<Vec<_>>().join(", "));
        if named.len() > NAMED_PLACES {
            text.push_str(&format!(" and {} more", named.len() - NAMED_PLACES));
        }
    }
    text
}

fn explanation(code: &str) -> &'static str {
    match code {
        "ambiguous_date_order" => "day and month of the dates cannot be told apart for certain",
        "branch_dropped" => "branches that were edited, regenerated or taken back were left out",
        "dangling_reference" => "a message's parent is missing; what came before it is not in the file",
        "duplicate_id" => "ids that occur more than once were taken once",
        "duplicate_session_id" => "several conversations have the same session id",
        "encoding_guessed" => "the text is not UTF-8 and was read in another encoding",
        "invalid_image" => "pictures that cannot be used (the text was kept)",
        "invalid_timestamp" => "times that are no times were left out",
        "invalid_utf8" => "bytes that are not UTF-8 were replaced by U+FFFD",
        "lenient_json" => "the JSON has faults that were repaired while reading",
        "malformed_line" => "lines that hold no whole record were left out",
        "malformed_message" => "items that are no proper message were read as far as possible",
        "missing_current_node" => "the export does not say which branch was shown; the newest was taken",
        "missing_id" => "messages have no id; stable ones are derived",
        "mixed_format" => "some records are of another format and were read as that",
        "no_timestamps" => "no message has a time; choose the day",
        "nul_bytes" => "runs of NUL bytes were left out",
        "one_sided" => "only one side of the conversation was found",
        "sidechain_only" => "only a sub-agent's work, no person spoke; nothing was taken",
        "spliced_record" => "records glued onto each other were separated",
        "time_without_date" => "clock times without a date were left out; choose the day",
        "trailing_data" => "what follows the last readable value was left out",
        "truncated_tail" => "the end is cut off; what was whole was read",
        "unclosed_fence" => "a code fence never closes; labels after it were read all the same",
        "unknown_block" => "content of an unknown kind is not part of the text",
        "unknown_role" => "unknown roles were read as user, with the role as the name",
        "unlabelled_preamble" => "text before the first label was left out",
        "unsafe_session_id" => "the session id cannot name a file; another one is proposed",
        "user_text_in_tool_result" => "a tool result holds words of the person that were not taken",
        _ => "something unusual was met",
    }
}
