//! OpenAI chat messages: a JSON list, lines, an object with `messages`, or fine-tuning lines.
//!
//! Owns what is left when a role/content list is of no more particular kind. Called through the registry.

use super::registry::{Format, Input};
use super::{ImportError, Reading, message_list};

const LABEL: &str = "openai_chat";

pub(super) const FORMAT: Format = Format { label: LABEL, detect, parse };

fn detect(input: &Input<'_>) -> bool {
    !message_list::find(input).is_empty() || is_empty_list(input)
}

/// An object whose `messages` are there but hold nothing.
fn is_empty_list(input: &Input<'_>) -> bool {
    input
        .object()
        .and_then(|fields| fields.get("messages"))
        .is_some_and(|messages| messages.is_null() || messages.as_array().is_some_and(Vec::is_empty))
}

fn parse(input: &Input<'_>) -> Result<Reading, ImportError> {
    let lists = message_list::find(input);
    if lists.is_empty() {
        return Err(ImportError {
            format: LABEL,
            code: "no_messages",
            message: "`messages` is empty: export the conversation again, or paste its messages".to_owned(),
        });
    }
    let sessions = lists.iter().map(message_list::read).collect();
    Ok(Reading { format: LABEL, sessions, warnings: Vec::new() })
}
