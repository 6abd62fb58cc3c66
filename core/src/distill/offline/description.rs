//! Description: one line that says what the card holds, from its own statements.
//!
//! Owns which statement speaks for the rest and where it is cut; never joins words that did not stand together.
//! Called once a card, after its name.

use super::select::Chosen;
use super::sentence::Form;
use super::turn::{Talk, Voice};
use super::words;
use crate::distill::Kind;

/// Length in characters.
const LONGEST: usize = 120;
/// A clause of fewer characters says too little alone.
const SHORTEST: usize = 24;

/// The statement that best covers the words of the card's name, in words rather than in code.
pub(super) fn description(talk: &Talk, chosen: &[Chosen<'_>], name: &str) -> String {
    let topic: Vec<String> =
        words::tokens(&name.replace('-', " ")).into_iter().map(|word| word.norm).collect();
    let rank = |at: usize, chosen: &Chosen<'_>| {
        let tokens = chosen.candidate.sentence.core_tokens();
        let covered = topic.iter().filter(|word| tokens.iter().any(|token| token.norm == **word)).count();
        let prose = chosen.candidate.sentence.form == Form::Prose;
        // What is done or blocked is true for a while only; what came first says what it is about.
        let lasting = if chosen.candidate.kind == Kind::State { 0.7 } else { 1.0 };
        let told = talk.turns.get(chosen.candidate.turn).is_some_and(|turn| turn.voice == Voice::Person);
        let own = if told { 1.0 } else { 0.6 };
        let early = 1.0 / (1.0 + at as f32 * 0.05);
        (prose, (1.0 + covered as f32) * (1.0 + chosen.worth.max(0.0)).ln() * lasting * own * early)
    };
    let best = chosen
        .iter()
        .enumerate()
        .map(|(at, chosen)| (rank(at, chosen), chosen))
        .reduce(|best, next| if next.0 > best.0 { next } else { best });
    let Some((_, best)) = best else { return String::new() };
    // Where only commands were kept, what the person asked says more.
    let asked = talk.turns.iter().filter(|turn| turn.voice == Voice::Person).flat_map(|turn| &turn.sentences);
    let asked = asked.filter(|sentence| sentence.form == Form::Prose && sentence.substance() > 0);
    let own = || best.candidate.text(&best.kept);
    let code = best.candidate.sentence.form != Form::Prose;
    cut(&asked
        .take(1)
        .find(|_| code)
        .map_or_else(own, |sentence| sentence.slice(sentence.core.clone()).to_owned()))
}

/// The text, or its first clauses, or its first words.
fn cut(text: &str) -> String {
    if text.chars().count() <= LONGEST {
        return text.to_owned();
    }
    let head: String = text.chars().take(LONGEST - 1).collect();
    let clause = head.rfind([',', ';', '，', '；', '。', ':', '—', '(']).and_then(|end| head.get(..end));
    if let Some(clause) = clause.filter(|clause| clause.chars().count() >= SHORTEST) {
        return clause.trim_end().to_owned();
    }
    let words = head.rfind(' ').and_then(|end| head.get(..end)).unwrap_or(&head);
    format!("{words}…")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        assert_eq!(cut(text), expected);
        assert!(cut(text).chars().count() <= LONGEST);
    }

    #[test]
    fn a_long_statement_ends_with_a_clause() {
        check("Short, and whole", "Short, and whole");
        let long = "the importer reads every export of the last four years".to_owned();
        check(&format!("{long}, and {long}, and {long}"), &format!("{long}, and {long}"));
        check(
            &"数据同步服务每天凌晨两点会超时，".repeat(10),
            "数据同步服务每天凌晨两点会超时，".repeat(7).trim_end_matches('，'),
        );
        check(&"word ".repeat(40), &format!("{}…", "word ".repeat(23).trim_end()));
    }
}
