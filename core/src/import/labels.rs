//! Role labels at the start of a line: `User:`, `**Assistant**`, `### Human:`, `用户：`, `[time] user:`.
//!
//! Owns the words that count as labels and the spellings around them. Never looks at more than one line.
//! Called by `turns` through the text formats.

use crate::message::Role;

/// Whose turn a label opens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    /// A message of this role.
    Speaks(Role),
    /// A tool's output, which is no message.
    Tool,
}

/// Which words count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Vocabulary {
    /// Words that hardly stand before a colon except as a role.
    Strong,
    /// Those and words that often do, such as `Answer`.
    All,
    /// `Q`, `A`, 问, 答.
    Questions,
}

/// A label that opens a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Label<'a> {
    pub side: Side,
    /// A time beside the label, as written.
    pub stamp: Option<&'a str>,
    /// What follows on the line.
    pub rest: &'a str,
}

const USER: &[&str] = &[
    "user",
    "human",
    "用户",
    "用戶",
    "人类",
    "人類",
    "使用者",
    "ユーザー",
    "사용자",
    "benutzer",
    "nutzer",
    "utilisateur",
    "usuario",
    "usuário",
];
const ASSISTANT: &[&str] = &[
    "assistant",
    "ai",
    "ai assistant",
    "chatgpt",
    "gpt",
    "claude",
    "gemini",
    "bard",
    "bot",
    "chatbot",
    "copilot",
    "deepseek",
    "grok",
    "kimi",
    "qwen",
    "mistral",
    "llama",
    "助手",
    "助理",
    "ai助手",
    "ai 助手",
    "智能助手",
    "ai助理",
    "机器人",
    "機器人",
    "豆包",
    "文心一言",
    "通义千问",
    "アシスタント",
    "assistent",
    "assistente",
    "asistente",
];
const SYSTEM: &[&str] = &["system", "系统", "系統", "system prompt"];
const TOOL: &[&str] = &["tool", "tool result", "tool output", "工具", "工具结果", "工具輸出"];
const WEAK_USER: &[&str] =
    &["me", "you", "我", "你", "提问", "提問", "问题", "問題", "instruction", "question", "prompt"];
const WEAK_ASSISTANT: &[&str] = &["response", "answer", "model", "回答", "回复", "回覆", "答复", "模型"];
/// Product names that a version may follow, as in `Claude 3.5 Sonnet`.
const VERSIONED: &[&str] =
    &["gpt", "chatgpt", "claude", "gemini", "deepseek", "grok", "qwen", "llama", "mistral"];

/// The longest label that is looked at, in bytes.
const LONGEST_NAME: usize = 40;

impl Vocabulary {
    /// The role that a name stands for.
    pub fn role(self, name: &str) -> Option<Role> {
        match self.side(name) {
            Some(Side::Speaks(role)) => Some(role),
            _ => None,
        }
    }

    fn side(self, name: &str) -> Option<Side> {
        let name = name.trim();
        if name.is_empty() || name.len() > LONGEST_NAME {
            return None;
        }
        let name = name.to_lowercase();
        let name = name.as_str();
        let speaks = |role| Some(Side::Speaks(role));
        if self == Vocabulary::Questions {
            return match name {
                "q" | "问" | "問" => speaks(Role::User),
                "a" | "答" => speaks(Role::Assistant),
                _ => None,
            };
        }
        let weak = self == Vocabulary::All;
        if USER.contains(&name) || (weak && WEAK_USER.contains(&name)) {
            speaks(Role::User)
        } else if ASSISTANT.contains(&name) || (weak && WEAK_ASSISTANT.contains(&name)) || is_versioned(name)
        {
            speaks(Role::Assistant)
        } else if SYSTEM.contains(&name) {
            speaks(Role::System)
        } else if TOOL.contains(&name) {
            Some(Side::Tool)
        } else {
            None
        }
    }
}

fn is_versioned(name: &str) -> bool {
    VERSIONED.iter().any(|product| {
        name.strip_prefix(product).is_some_and(|version| {
            version.starts_with([' ', '-'])
                && version.contains(|c: char| c.is_ascii_digit())
                && version.len() < 24
        })
    })
}

/// A label at the start of `line`, if one is there: with a colon, in brackets, or bold and alone.
pub(super) fn role_label(line: &str, words: Vocabulary) -> Option<Label<'_>> {
    let text = unindented(line)?;
    let text = skip_ornament(skip_bullet(skip_hashes(text)?));
    if let Some(label) = bracketed_label(text, words) {
        return Some(label);
    }
    let (text, mark) = open_bold(text);
    let text = skip_ornament(text);
    let end = name_end(text)?;
    let (name, after) = text.split_at_checked(end)?;
    let side = words.side(name)?;
    let (stamp, after) = beside(after.trim_start())?;
    let (rest, colon) = close(after, mark)?;
    let alone = rest.is_empty() && !mark.is_empty() && words != Vocabulary::Questions;
    (colon || alone).then_some(Label { side, stamp, rest })
}

/// Where what could be a name ends; looks no further than a name can reach.
fn name_end(text: &str) -> Option<usize> {
    let ends = |c: char| matches!(c, ':' | '：' | '*' | '_' | '(' | '（' | '[' | '【');
    let mut places = text.char_indices().take_while(|(at, _)| *at <= LONGEST_NAME);
    let end = places.find(|(_, c)| ends(*c)).map(|(at, _)| at);
    end.or_else(|| (text.len() <= LONGEST_NAME).then_some(text.len()))
}

/// `[user]: …`, `【用户】…`.
fn bracketed_label(text: &str, words: Vocabulary) -> Option<Label<'_>> {
    let (body, close) = match text.strip_prefix('[') {
        Some(body) => (body, ']'),
        None => (text.strip_prefix('【')?, '】'),
    };
    let (name, after) = body.split_once(close)?;
    let side = words.side(name)?;
    // Text right behind the bracket is a link or a footnote.
    let parted = after.is_empty() || close == '】' || after.starts_with([':', '：', ' ']);
    parted.then(|| Label { side, stamp: None, rest: after.trim_start_matches([':', '：', ' ']).trim_end() })
}

/// A role word alone on its line, as copies of older pages have it.
pub(super) fn bare_label(line: &str) -> Option<Label<'_>> {
    let side = Vocabulary::All.side(unindented(line)?)?;
    Some(Label { side, stamp: None, rest: "" })
}

/// A heading that is nothing but a role: `## 👤 User`, `#### You:`, `## MODEL ✨`.
pub(super) fn heading_label(line: &str) -> Option<Label<'_>> {
    let side = match heading_name(line)? {
        (name, _) if name.starts_with("plugin") => Side::Tool,
        (name, _) => Vocabulary::All.side(&name)?,
    };
    Some(Label { side, stamp: None, rest: "" })
}

/// Whether a heading is of the kind that only exporters write: without a colon, or `You:`.
pub(super) fn is_exporters_heading(line: &str) -> bool {
    heading_label(line).is_some() && heading_name(line).is_some_and(|(name, colon)| !colon || name == "you")
}

/// The name in a heading in lower case, and whether a colon follows it.
fn heading_name(line: &str) -> Option<(String, bool)> {
    let text = unindented(line).filter(|text| text.starts_with('#'))?;
    let (text, mark) = open_bold(skip_ornament(skip_hashes(text)?));
    let text = skip_ornament(text).trim_end();
    let text = text.strip_suffix(mark).unwrap_or(text).trim_end();
    let name = text.trim_end_matches([':', '：']);
    let plain =
        name.strip_suffix(mark).unwrap_or(name).trim_end_matches(|c: char| c == ' ' || is_ornament(c));
    (plain.len() <= LONGEST_NAME).then(|| (plain.to_lowercase(), name.len() < text.len()))
}

/// At most three blanks of indentation; more is code.
fn unindented(line: &str) -> Option<&str> {
    let text = line.trim_start_matches(' ');
    (line.len() - text.len() <= 3 && !text.starts_with('\t')).then_some(text)
}

fn skip_hashes(text: &str) -> Option<&str> {
    let rest = text.trim_start_matches('#');
    match text.len() - rest.len() {
        0 => Some(text),
        1..=6 => Some(rest.trim_start()),
        _ => None,
    }
}

/// A list item whose text is a bold label.
fn skip_bullet(text: &str) -> &str {
    let item = text.strip_prefix("- ").or_else(|| text.strip_prefix("* "));
    item.filter(|item| item.trim_start().starts_with("**")).unwrap_or(text)
}

/// Emoji and similar signs in front of a label.
fn skip_ornament(text: &str) -> &str {
    text.trim_start_matches(|c: char| c == ' ' || is_ornament(c))
}

fn is_ornament(c: char) -> bool {
    // From the arrows on: symbols, dingbats, emoji and what joins them; not the brackets of Chinese text.
    (c == '\u{200d}' || u32::from(c) >= 0x2190) && !c.is_alphanumeric() && !is_cjk_punctuation(c)
}

fn is_cjk_punctuation(c: char) -> bool {
    matches!(c, '\u{3000}'..='\u{303f}' | '\u{fe30}'..='\u{fe4f}' | '\u{ff00}'..='\u{ffef}')
}

fn open_bold(text: &str) -> (&str, &'static str) {
    for mark in ["***", "**", "__"] {
        if let Some(rest) = text.strip_prefix(mark) {
            return (rest.trim_start(), mark);
        }
    }
    (text, "")
}

/// What stands in brackets beside the name: a time is kept, another remark is dropped.
fn beside(text: &str) -> Option<(Option<&str>, &str)> {
    for (open, close) in [('(', ')'), ('（', '）'), ('[', ']'), ('【', '】')] {
        let Some(body) = text.strip_prefix(open) else { continue };
        let (inside, after) = body.split_once(close)?;
        let dated = inside.bytes().filter(u8::is_ascii_digit).count() >= 8;
        if open == '[' && !dated || inside.chars().count() > 60 {
            return None;
        }
        return Some((Some(inside.trim()).filter(|inside| looks_like_time(inside)), after.trim_start()));
    }
    Some((None, text))
}

/// The closing of the bold mark and the colon, in either order.
fn close<'a>(text: &'a str, mark: &str) -> Option<(&'a str, bool)> {
    let colon = |text: &'a str| text.strip_prefix([':', '：']);
    if mark.is_empty() {
        return colon(text).map(|rest| (rest.trim(), true));
    }
    if let Some(rest) = text.strip_prefix(mark) {
        let rest = rest.trim_start();
        return Some(colon(rest).map_or((rest.trim(), false), |rest| (rest.trim(), true)));
    }
    let rest = colon(text)?.trim_start();
    Some((rest.strip_prefix(mark)?.trim(), true))
}

/// A label behind a time: `[2026-02-03 10:31:22] user: …`, `2026-02-03 10:31:22,125 - assistant - …`.
pub(super) fn stamped_label(line: &str, words: Vocabulary) -> Option<Label<'_>> {
    let text = unindented(line)?;
    let (stamp, after) = match text.strip_prefix(['[', '(']) {
        Some(body) => body.split_once([']', ')'])?,
        None => text.split_at_checked(bare_stamp_len(text)?)?,
    };
    let stamp = stamp.trim();
    if !looks_like_time(stamp) {
        return None;
    }
    let after = after.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '-' | '|' | '–' | '—'));
    if let Some(label) = role_label(after, words) {
        return Some(Label { stamp: Some(stamp), ..label });
    }
    for mark in [" - ", " | "] {
        if let Some((name, rest)) = after.split_once(mark)
            && let Some(side) = words.side(name)
        {
            return Some(Label { side, stamp: Some(stamp), rest: rest.trim() });
        }
    }
    None
}

/// How long the date and time at the start of a line are.
fn bare_stamp_len(text: &str) -> Option<usize> {
    let mut end = 0;
    for (place, word) in text.split(' ').take(3).enumerate() {
        let half_of_day = |word: &str| ["am", "pm", "a.m.", "p.m."].contains(&word.to_lowercase().as_str());
        let digits =
            word.split_once('\u{202f}').filter(|(_, half)| half_of_day(half)).map_or(word, |(time, _)| time);
        let time_like = digits.starts_with(|c: char| c.is_ascii_digit())
            && digits.bytes().all(|byte| byte.is_ascii_digit() || b"-/.:,TZ+".contains(&byte));
        if !(time_like && place < 2 || place > 0 && half_of_day(word)) {
            break;
        }
        end += word.len() + 1;
    }
    (end > 1).then(|| end - 1)
}

fn looks_like_time(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit())
        && text.contains(':')
        && text.bytes().filter(u8::is_ascii_digit).count() >= 3
        && text.chars().count() <= 40
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, expected: Option<(Role, &str)>) {
        let got = role_label(line, Vocabulary::All).map(|label| (label.side, label.rest));
        assert_eq!(got, expected.map(|(role, rest)| (Side::Speaks(role), rest)), "{line}");
    }

    #[test]
    fn role_labels() {
        let (user, assistant) = (Role::User, Role::Assistant);
        check("User: hi", Some((user, "hi")));
        check("USER:hi", Some((user, "hi")));
        check("用户：你好", Some((user, "你好")));
        check("AI助手: 好的", Some((assistant, "好的")));
        check("**User:** x", Some((user, "x")));
        check("**User**: x", Some((user, "x")));
        check("**User**", Some((user, "")));
        check("**Assistant:**", Some((assistant, "")));
        check("### Human:", Some((user, "")));
        check("### Human: x", Some((user, "x")));
        check("👤 User: x", Some((user, "x")));
        check("**🤖 Assistant:** x", Some((assistant, "x")));
        check("ChatGPT (GPT-4): x", Some((assistant, "x")));
        check("Claude 3.5 Sonnet: x", Some((assistant, "x")));
        check("Assistant: see [1]: x", Some((assistant, "see [1]: x")));
        check("System: x", Some((Role::System, "x")));
        check("***User:*** x", Some((user, "x")));
        check("- **User**: x", Some((user, "x")));
        check("[user]: x", Some((user, "x")));
        check("【助手】", Some((assistant, "")));
        check("[user](https://example.com)", None);
        check("- User: x", None);
        check("**Important:** x", None);
        check("**User** is bold", None);
        check("User manual: x", None);
        check("    User: code", None);
        check("> User: quoted", None);
        check("- User: item", None);
        check("Assistant [10:31]: x", None);
        check("the User: x", None);
    }

    #[test]
    fn headings() {
        for (line, role, exporters) in [
            ("## 👤 User", Some(Role::User), true),
            ("#### You:", Some(Role::User), true),
            ("## MODEL ✨", Some(Role::Assistant), true),
            ("## USER 🧑\u{200d}💻", Some(Role::User), true),
            ("## **User**", Some(Role::User), true),
            ("### Human:", Some(Role::User), false),
            ("### Steps", None, false),
            ("User", None, false),
        ] {
            let label = heading_label(line).map(|label| label.side);
            assert_eq!((label, is_exporters_heading(line)), (role.map(Side::Speaks), exporters), "{line}");
        }
    }

    #[test]
    fn stamped_labels() {
        for (line, stamp, rest) in [
            ("[2026-02-03 10:31:22] user: deploy", "2026-02-03 10:31:22", "deploy"),
            ("2026-02-03 10:36:00,125 - assistant - green", "2026-02-03 10:36:00,125", "green"),
            ("2026-02-03T10:36:00Z User: x", "2026-02-03T10:36:00Z", "x"),
            ("[10:31] 用户：x", "10:31", "x"),
        ] {
            let label = stamped_label(line, Vocabulary::Strong).unwrap();
            assert_eq!((label.stamp, label.rest), (Some(stamp), rest));
        }
        assert_eq!(stamped_label("[note] user: x", Vocabulary::Strong), None);
        assert_eq!(stamped_label("2026-02-03 10:36 Alice: x", Vocabulary::Strong), None);
    }
}
