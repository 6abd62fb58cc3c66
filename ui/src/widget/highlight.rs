//! Code in colours.
//!
//! Owns the syntax definitions and which role a scope has; colours come from the theme. Gives up on what could
//! take long, so that a page is never late because of its colours. Called by `markdown`.

use crate::text;
use crate::theme::{Role, Theme};
use ratatui::style::Style;
use ratatui::text::Span;
use std::sync::OnceLock;
use syntect::parsing::{ParseState, Scope, ScopeStack, ScopeStackOp, SyntaxReference, SyntaxSet};

/// Above these, code is shown without colours.
const MOST_BYTES: usize = 200 * 1024;
const MOST_LINES: usize = 5_000;
const LONGEST_LINE: usize = 2_000;
/// Scopes that are looked at from the innermost outwards.
const DEPTH: usize = 8;

/// The lines of a block of code; `language` is what stands behind its fence.
pub fn code(source: &str, language: &str, theme: &Theme) -> Vec<Vec<Span<'static>>> {
    let lines: Vec<&str> = text::lines(source.strip_suffix('\n').unwrap_or(source)).collect();
    let plain = theme.style(Role::Code);
    let small = source.len() <= MOST_BYTES
        && lines.len() <= MOST_LINES
        && lines.iter().all(|line| line.len() <= LONGEST_LINE);
    let coloured =
        if small { syntax(language).and_then(|syntax| colour(&lines, syntax, theme)) } else { None };
    coloured.unwrap_or_else(|| lines.iter().map(|line| text::spans(line, plain)).collect())
}

fn syntaxes() -> &'static SyntaxSet {
    static SET: OnceLock<SyntaxSet> = OnceLock::new();
    SET.get_or_init(SyntaxSet::load_defaults_newlines)
}

fn syntax(language: &str) -> Option<&'static SyntaxReference> {
    let token = language.split([' ', ',', '{', ':']).next().unwrap_or_default().to_ascii_lowercase();
    if token.is_empty() {
        return None;
    }
    let token = match token.as_str() {
        "shell" | "console" | "zsh" | "shellsession" => "bash",
        "jsonl" | "json5" | "jsonc" => "json",
        "typescript" | "ts" | "tsx" | "jsx" => "js",
        other => other,
    };
    syntaxes().find_syntax_by_token(token)
}

fn colour(lines: &[&str], syntax: &SyntaxReference, theme: &Theme) -> Option<Vec<Vec<Span<'static>>>> {
    let mut state = ParseState::new(syntax);
    let mut stack = ScopeStack::new();
    let mut out = Vec::with_capacity(lines.len());
    for line in lines {
        let mut ended = String::with_capacity(line.len() + 1);
        ended.push_str(line);
        ended.push('\n');
        let changes = state.parse_line(&ended, syntaxes()).ok()?;
        out.push(colour_line(line, &changes, &mut stack, theme)?);
    }
    Some(out)
}

fn colour_line(
    line: &str,
    changes: &[(usize, ScopeStackOp)],
    stack: &mut ScopeStack,
    theme: &Theme,
) -> Option<Vec<Span<'static>>> {
    let mut spans = Vec::new();
    let mut from = 0;
    for (at, change) in changes {
        let at = (*at).min(line.len());
        if at > from {
            spans.extend(text::spans(line.get(from..at)?, style(stack, theme)));
            from = at;
        }
        stack.apply(change).ok()?;
    }
    spans.extend(text::spans(line.get(from..)?, style(stack, theme)));
    Some(spans)
}

fn style(stack: &ScopeStack, theme: &Theme) -> Style {
    let scopes = stack.as_slice();
    let role = scopes.iter().rev().take(DEPTH).find_map(|scope| {
        table().iter().find(|(prefix, _)| prefix.is_prefix_of(*scope)).map(|(_, role)| *role)
    });
    theme.style(role.unwrap_or(Role::Text))
}

/// Which scopes have a colour of their own.
fn table() -> &'static [(Scope, Role)] {
    static TABLE: OnceLock<Vec<(Scope, Role)>> = OnceLock::new();
    TABLE.get_or_init(|| {
        [
            ("comment", Role::CodeComment),
            ("string", Role::CodeString),
            ("constant", Role::CodeNumber),
            ("keyword.operator", Role::Text),
            ("keyword", Role::CodeKeyword),
            ("storage", Role::CodeKeyword),
            ("variable.language", Role::CodeKeyword),
            ("entity.name.function", Role::CodeFunction),
            ("support.function", Role::CodeFunction),
            ("variable.function", Role::CodeFunction),
            ("entity.name", Role::CodeType),
            ("entity.other", Role::CodeType),
            ("support", Role::CodeType),
        ]
        .into_iter()
        .filter_map(|(scope, role)| Some((Scope::new(scope).ok()?, role)))
        .collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn styles(source: &str, language: &str) -> usize {
        let theme = Theme::default();
        let lines = code(source, language, &theme);
        let joined: Vec<String> =
            lines.iter().map(|line| line.iter().map(|span| span.content.as_ref()).collect()).collect();
        assert_eq!(joined.join("\n"), text::lines(source).map(text::clean).collect::<Vec<_>>().join("\n"));
        let mut styles: Vec<Style> = lines.iter().flatten().map(|span| span.style).collect();
        styles.sort_by_key(|style| format!("{style:?}"));
        styles.dedup();
        styles.len()
    }

    #[test]
    fn known_languages_have_colours_and_all_keep_their_text() {
        assert!(styles("fn main() {\n    let x = \"a\"; // note\n}", "rust") >= 3);
        assert!(styles("{\"a\": 1}", "json") >= 2);
        assert_eq!(styles("fn main() {}", ""), 1);
        assert_eq!(styles("anything", "no-such-language"), 1);
        assert!(styles("x = \"\u{1b}[31m\"", "python") >= 1);
    }

    #[test]
    fn what_could_take_long_has_none() {
        assert_eq!(styles(&"[".repeat(100_000), "json"), 1);
        assert_eq!(styles("[\n".repeat(6_000).trim_end(), "json"), 1);
    }
}
