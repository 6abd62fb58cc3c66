//! Blocks: a message's lines become prose, commands and pasted output.
//!
//! Owns what Markdown fences, list markers and the looks of log lines mean; never splits sentences. Called by
//! `sentence`.

use super::lexicon;

/// A piece of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Block {
    /// Words for a person: a paragraph or a list item, on one line.
    Prose(String),
    /// A command of a shell, as it is to be typed.
    Command(String),
    /// An item of a list with its check box, `[ ] write the tests`.
    Task(String),
    /// The line of pasted output that says most.
    Output(String),
}

/// Commands kept of one code block; a longer one is a script, not a thing to remember.
const MOST_COMMANDS: usize = 6;
/// Longer lines are data.
const LONGEST_COMMAND: usize = 240;
const LONGEST_OUTPUT: usize = 200;
/// As many unpunctuated lines in a row are pasted output, whatever they look like.
const PASTED_RUN: usize = 8;
/// A line at least this long was wrapped by a program, if it ends within a sentence.
const WRAPPED: usize = 60;

/// The blocks of a message, in order.
pub(super) fn blocks(text: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut prose: Vec<&str> = Vec::new();
    let mut fence: Option<(&str, &str)> = None;
    let mut code: Vec<&str> = Vec::new();
    for line in text.lines() {
        let bare = line.trim();
        match (fence, fence_of(bare)) {
            (None, Some(opened)) => {
                plain_lines(&prose, &mut blocks);
                prose.clear();
                fence = Some(opened);
            }
            (Some((marker, language)), Some((closing, ""))) if closing == marker => {
                commands(language, &code, &mut blocks);
                code.clear();
                fence = None;
            }
            (Some(_), _) => code.push(line),
            (None, None) => prose.push(line),
        }
    }
    plain_lines(&prose, &mut blocks);
    if let Some((_, language)) = fence {
        commands(language, &code, &mut blocks);
    }
    blocks
}

/// The marker and the language of a line that opens or closes a fence.
fn fence_of(line: &str) -> Option<(&str, &str)> {
    for marker in ["```", "~~~"] {
        if let Some(rest) = line.strip_prefix(marker) {
            let language = rest.trim_start_matches(['`', '~']).trim();
            return (!language.contains('`')).then_some((marker, language));
        }
    }
    None
}

/// The commands of a fenced block; other code is not memory.
fn commands(language: &str, code: &[&str], blocks: &mut Vec<Block>) {
    let lexicon = lexicon::english();
    let language = language.split([' ', ',', '{']).next().unwrap_or("").to_lowercase();
    let shell = lexicon.shells.contains(&language);
    if !shell && !language.is_empty() && language != "text" {
        return;
    }
    let mut found: Vec<String> = Vec::new();
    let mut continued = false;
    for line in code {
        let line = line.trim();
        let typed =
            line.strip_prefix("$ ").or_else(|| line.strip_prefix("> ")).or_else(|| line.strip_prefix("% "));
        let command = typed.unwrap_or(line).trim_end_matches('\\').trim();
        let before = std::mem::replace(&mut continued, line.ends_with('\\'));
        if before && let Some(last) = found.last_mut() {
            last.push(' ');
            last.push_str(command);
        } else if !command.is_empty() && !command.starts_with('#') && (typed.is_some() || is_command(command))
        {
            found.push(command.to_owned());
        }
    }
    // A shell block without a single known command still shows what to type.
    if found.is_empty() && shell && code.len() <= MOST_COMMANDS {
        let lines =
            code.iter().map(|line| line.trim()).filter(|line| !line.is_empty() && !line.starts_with('#'));
        found.extend(lines.map(str::to_owned));
    }
    let kept = found.into_iter().filter(|command| command.len() <= LONGEST_COMMAND).take(MOST_COMMANDS);
    blocks.extend(kept.map(Block::Command));
}

/// Whether the line begins as a shell command does.
pub(super) fn is_command(line: &str) -> bool {
    // Settings of variables stand before the command.
    let mut words = line.split_whitespace().skip_while(|word| {
        word.split_once('=').is_some_and(|(name, _)| {
            !name.is_empty() && name.chars().all(|c| c.is_ascii_uppercase() || c == '_')
        })
    });
    let Some(first) = words.next() else { return false };
    lexicon::english().commands.contains(first) || first.starts_with("./")
}

fn plain_lines(lines: &[&str], blocks: &mut Vec<Block>) {
    let mut paragraph = String::new();
    let mut rest = lines;
    while let Some((line, tail)) = rest.split_first() {
        let run = output_run(rest);
        if run > 0 {
            flush(&mut paragraph, blocks);
            let (output, after) = rest.split_at(run);
            blocks.extend(telling_line(output).map(Block::Output));
            rest = after;
            continue;
        }
        rest = tail;
        let bare = line.trim();
        let item = without_marker(bare);
        if bare.is_empty() || bare.starts_with('#') || bare.starts_with('|') || is_rule(bare) {
            flush(&mut paragraph, blocks);
            continue;
        }
        if ["[ ] ", "[x] ", "[X] "].iter().any(|mark| item.starts_with(mark)) {
            flush(&mut paragraph, blocks);
            blocks.push(Block::Task(item.to_owned()));
            continue;
        }
        if item.len() != bare.len() || !goes_on(&paragraph) {
            flush(&mut paragraph, blocks);
        } else {
            paragraph.push(' ');
        }
        paragraph.push_str(item);
    }
    flush(&mut paragraph, blocks);
}

fn flush(paragraph: &mut String, blocks: &mut Vec<Block>) {
    if !paragraph.is_empty() {
        blocks.push(Block::Prose(std::mem::take(paragraph)));
    }
}

fn is_rule(line: &str) -> bool {
    line.chars().all(|c| matches!(c, '-' | '=' | '*' | '_' | ' '))
}

fn goes_on(paragraph: &str) -> bool {
    paragraph.chars().nth(WRAPPED).is_some() && !ends_sentence(paragraph)
}

fn ends_sentence(line: &str) -> bool {
    line.trim_end_matches(['"', '”', ')', '*', '’'])
        .ends_with(['.', '!', '?', ':', ';', '。', '！', '？', '；', '：', '…'])
}

/// The line without a list marker or quotation mark.
fn without_marker(line: &str) -> &str {
    let line = line.trim_start_matches("> ");
    let number = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let item = if number.len() < line.len() && line.len() - number.len() <= 2 {
        number.strip_prefix(". ").or_else(|| number.strip_prefix(") ")).or_else(|| number.strip_prefix('、'))
    } else {
        ["- ", "* ", "+ ", "• ", "· "].iter().find_map(|marker| line.strip_prefix(marker))
    };
    item.unwrap_or(line).trim_start()
}

/// How many lines from here on are pasted output; 0 where the first is prose.
fn output_run(lines: &[&str]) -> usize {
    let looks = lines.iter().take_while(|line| looks_like_output(line)).count();
    if looks >= 3 || (looks > 0 && lines.len() > looks && looks == lines.len()) {
        return looks;
    }
    let unpunctuated = lines
        .iter()
        .take_while(|line| {
            let bare = line.trim();
            !bare.is_empty()
                && !ends_sentence(bare)
                && without_marker(bare).len() == bare.len()
                && bare.is_ascii()
        })
        .count();
    if unpunctuated >= PASTED_RUN { unpunctuated } else { 0 }
}

fn looks_like_output(line: &str) -> bool {
    let bare = line.trim();
    let mut words = bare.split_whitespace();
    let Some(first) = words.next() else { return false };
    let levelled = bare.split_whitespace().take(4).any(|word| {
        let word = word.trim_matches(|c: char| !c.is_alphabetic());
        word.chars().all(char::is_uppercase) && lexicon::english().log_levels.contains(&word.to_lowercase())
    });
    let stamped = without_marker(bare).len() == bare.len()
        && first.starts_with(|c: char| c.is_ascii_digit() || c == '[')
        && first.contains([':', '-', '[', '.']);
    let frame = (bare.starts_with("at ") && bare.ends_with(')')) || bare.starts_with("File \"");
    let code = bare.ends_with(['{', '}', ';', '\\']) || bare.starts_with(['{', '}', '<', '(']);
    levelled || (stamped && bare.len() > first.len() + 8) || frame || code
}

/// The first line that reports a fault, else the last.
fn telling_line(lines: &[&str]) -> Option<String> {
    let faults = &lexicon::english().faults;
    let fault = |line: &&&str| {
        line.split(|c: char| !c.is_alphanumeric()).any(|word| {
            let word = word.to_lowercase();
            faults.contains(&word) || word.ends_with("error") || word.ends_with("exception")
        })
    };
    let line = lines.iter().find(fault).or_else(|| lines.last())?.trim();
    (line.len() <= LONGEST_OUTPUT).then(|| line.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[Block]) {
        assert_eq!(blocks(text), expected, "{text}");
    }

    fn prose(text: &str) -> Block {
        Block::Prose(text.into())
    }

    fn command(text: &str) -> Block {
        Block::Command(text.into())
    }

    #[test]
    fn what_a_message_is_made_of() {
        check("One line.\nAnother.", &[prose("One line."), prose("Another.")]);
        check("- first\n- second", &[prose("first"), prose("second")]);
        check("1. [x] ship it\n# Title\n---", &[Block::Task("[x] ship it".into())]);
        check(
            "Run:\n```bash\n# once\n$ cargo test \\\n  --release\n```\nDone.",
            &[prose("Run:"), command("cargo test --release"), prose("Done.")],
        );
        check("```python\nprint(1)\n```", &[]);
        check("```\ngit push\nEverything up-to-date\n```", &[command("git push")]);
        check("```sh\nmyscript --all", &[command("myscript --all")]);
        check(
            "a line that a mail program broke at some width, so that it goes\non here.",
            &[prose("a line that a mail program broke at some width, so that it goes on here.")],
        );
    }

    #[test]
    fn a_log_is_one_line() {
        let log = "Look:\n2024-01-01 10:00:00 INFO start\n2024-01-01 10:00:01 ERROR disk full\n2024-01-01 10:00:02 INFO stop";
        check(log, &[prose("Look:"), Block::Output("2024-01-01 10:00:01 ERROR disk full".into())]);
    }
}
