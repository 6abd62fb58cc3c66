//! Text that stands under the user's role but that no user wrote.
//!
//! Owns the tags and openings that agents inject, and removes only complete pairs of them: a tag that is merely
//! mentioned is prose. Called by the readers of agents' transcripts.

use crate::message::{Block, BlockKind};

/// Claude Code's tags; what stands between a pair was written by a program.
const CLAUDE_CODE_TAGS: &[&str] = &[
    "local-command-caveat",
    "local-command-stdout",
    "local-command-stderr",
    "command-message",
    "system-reminder",
    "bash-input",
    "bash-stdout",
    "bash-stderr",
    "task-notification",
    "teammate-message",
    "agent-message",
    "channel-message",
    "cross-session-message",
    "github-webhook-activity",
    "new-diagnostics",
    "remote-review",
    "tick",
    "ultraplan",
    "ide_opened_file",
    "ide_selection",
    "post-tool-use-hook",
];

/// Openings of whole blocks that a program wrote.
const CLAUDE_CODE_OPENINGS: &[&str] = &[
    "Caveat: The messages below",
    "Base directory for this skill:",
    "This session is being continued from a previous conversation",
];

const INTERRUPTED: &str = "[Request interrupted by user";

/// Removes what Claude Code injected from a text of the user's; a slash command stays as `/name arguments`.
pub(super) fn strip_claude_code(text: &str) -> String {
    let mut text = text.to_owned();
    let opening = text.trim_start();
    if CLAUDE_CODE_OPENINGS.iter().any(|start| opening.starts_with(start)) {
        return String::new();
    }
    if text.contains("</") {
        for tag in CLAUDE_CODE_TAGS {
            text = replace_pairs(&text, tag, |_| String::new());
        }
        text = replace_pairs(&text, "user-memory-input", |inner| inner.trim().to_owned());
        text = replace_pairs(&text, "command-name", |inner| format!("{} ", inner.trim()));
        text = replace_pairs(&text, "command-args", |inner| inner.trim().to_owned());
    }
    join_command(strip_interruption(&text).trim())
}

/// A command and its arguments stand on lines of their own in the source.
fn join_command(text: &str) -> String {
    match text.split_once('\n') {
        Some((command, arguments)) if command.starts_with('/') && command.ends_with(' ') => {
            format!("{}{}", command, arguments.trim()).trim_end().to_owned()
        }
        _ => text.to_owned(),
    }
}

fn strip_interruption(text: &str) -> &str {
    match text.trim_start().strip_prefix(INTERRUPTED) {
        Some(rest) => rest.split_once(']').map_or("", |(_, after)| after),
        None => text,
    }
}

/// Codex's wrappers: a part that starts with one was written by the program.
const CODEX_TAGS: &[&str] = &[
    "INSTRUCTIONS",
    "user_instructions",
    "environment_context",
    "external_",
    "skill",
    "user_shell_command",
    "turn_aborted",
    "subagent_notification",
    "goal_context",
    "codex_internal_context",
    "permissions instructions",
    "personality_spec",
];

/// What the person asked Codex, or `None` where the program wrote the part.
pub(super) fn strip_codex(text: &str) -> Option<String> {
    let start = text.trim_start();
    let tagged = start.strip_prefix('<').is_some_and(|name| {
        CODEX_TAGS.iter().any(|tag| {
            name.strip_prefix(tag)
                .is_some_and(|rest| tag.ends_with('_') || rest.starts_with(['>', ' ', '\n']))
        }) && start.contains("</")
    });
    if tagged || start.starts_with("# AGENTS.md instructions for ") {
        return None;
    }
    let image_tag = start.starts_with("<image name=") || start.trim_end() == "</image>";
    if image_tag && start.trim_end().lines().count() == 1 {
        return None;
    }
    let asked = text.split_once("## My request for Codex:").map_or(text, |(_, request)| request);
    Some(asked.trim().to_owned())
}

/// Replaces each complete `<tag …>…</tag>` that is not quoted as code by what `keep` makes of its inside.
pub(super) fn replace_pairs(text: &str, tag: &str, keep: impl Fn(&str) -> String) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, inner, after)) = first_pair(rest, tag) {
        if before.ends_with('`') {
            let upto = rest.len() - after.len();
            out.push_str(rest.get(..upto).unwrap_or(rest));
        } else {
            out.push_str(before);
            out.push_str(&keep(inner));
        }
        rest = after;
    }
    out.push_str(rest);
    out
}

/// What stands before, in and after the first complete pair of `tag`.
fn first_pair<'a>(text: &'a str, tag: &str) -> Option<(&'a str, &'a str, &'a str)> {
    let opener = format!("<{tag}");
    let closer = format!("</{tag}>");
    let mut from = 0;
    loop {
        let at = from + text.get(from..)?.find(&opener)?;
        let after_name = text.get(at + opener.len()..)?;
        if after_name.starts_with(['>', ' ', '\n', '\t']) {
            let (attributes, body) = after_name.split_once('>')?;
            if !attributes.contains('<') {
                let (inner, after) = body.split_once(&closer)?;
                return Some((text.get(..at)?, inner, after));
            }
        }
        from = at + opener.len();
    }
}

const RECALL_OPEN: &str = "<reme-context source=\"auto-recall\">";
const RECALL_CLOSE: &str = "</reme-context>";

/// Removes recalled memory in front of a user's message; says whether nothing else was there.
pub(super) fn strip_recall(blocks: &mut Vec<Block>) -> bool {
    let Some(first) = blocks.iter_mut().find(|block| block.kind() == BlockKind::Text) else {
        return false;
    };
    let stripped = first
        .as_text()
        .and_then(|text| text.trim_start().strip_prefix(RECALL_OPEN)?.split_once(RECALL_CLOSE))
        .map(|(_, after)| after.trim_start().to_owned());
    let Some(rest) = stripped else {
        return false;
    };
    first.fields.insert("text".into(), rest.into());
    blocks.retain(|block| block.as_text() != Some(""));
    blocks.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codex() {
        for (text, left) in [
            ("fix it", Some("fix it")),
            ("<environment_context>\n<cwd>/r</cwd></environment_context>", None),
            ("# AGENTS.md instructions for /r\n\n<INSTRUCTIONS>x</INSTRUCTIONS>", None),
            ("<external_app_context>x</external_app_context>", None),
            ("# Context from my IDE setup:\n\n## My request for Codex:\nfix it", Some("fix it")),
            ("<skills> are what?", Some("<skills> are what?")),
            ("<image name=[Image #1]>", None),
        ] {
            assert_eq!(strip_codex(text).as_deref(), left, "{text}");
        }
    }

    #[test]
    fn claude_code() {
        for (text, left) in [
            ("hello", "hello"),
            ("hi <system-reminder>x\ny</system-reminder>", "hi"),
            ("<ide_opened_file>a.rs</ide_opened_file>\nfix it", "fix it"),
            ("<agent-message from=\"a\">x</agent-message>", ""),
            ("what does <system-reminder> do?", "what does <system-reminder> do?"),
            ("is `<tick>x</tick>` a tag?", "is `<tick>x</tick>` a tag?"),
            ("the <ticket>1</ticket>", "the <ticket>1</ticket>"),
            ("[Request interrupted by user for tool use]", ""),
            ("[Request interrupted by user]no, wait", "no, wait"),
            ("Caveat: The messages below were generated", ""),
            ("<user-memory-input> use tabs </user-memory-input>", "use tabs"),
            (
                "<command-name>/review</command-name>\n  <command-message>review</command-message>\n  \
                 <command-args>src only</command-args>",
                "/review src only",
            ),
            (
                "<command-message>clear</command-message>\n<command-name>/clear</command-name>\n\
                 <command-args></command-args>",
                "/clear",
            ),
        ] {
            assert_eq!(strip_claude_code(text), left, "{text}");
        }
    }
}
