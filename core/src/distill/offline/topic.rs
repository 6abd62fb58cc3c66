//! Topic: the card's name and description, from its own statements.
//!
//! Owns which words name a conversation; never a date, never a word that the source lacks. Called once a card.

use super::language::Language;
use super::lexicon::Class;
use super::select::Chosen;
use super::sentence::Form;
use super::turn::{Talk, Voice};
use super::words::Token;
use std::collections::HashMap;

/// Words of a name.
const MOST_WORDS: usize = 4;
/// A program's words name a talk this much less than a person's, and the opening's words this much more.
const PROGRAM: f32 = 0.7;
const OPENING: f32 = 1.4;
/// Length of a description in characters.
const DESCRIPTION: usize = 120;

/// A name such as `jon-lost-job`.
pub(super) fn name(talk: &Talk, chosen: &[Chosen<'_>], language: Language) -> String {
    let weights = weights(talk, chosen);
    let weigh = |token: &Token| weights.get(token.norm.as_str()).copied().unwrap_or(0.0);
    let best = chosen
        .iter()
        .flat_map(|chosen| {
            let program =
                talk.turns.get(chosen.candidate.turn).is_some_and(|turn| turn.voice == Voice::Assistant);
            let tokens = chosen.candidate.sentence.core_tokens();
            let content: Vec<&Token> = tokens.iter().filter(|token| names_something(token)).collect();
            windows(&content).into_iter().map(move |window| (if program { PROGRAM } else { 1.0 }, window))
        })
        .map(|(voice, window)| {
            let total: f32 = window.iter().map(|token| weigh(token)).sum();
            (voice * total / (window.len() as f32).sqrt(), window)
        })
        .reduce(|best, next| if next.0 > best.0 { next } else { best });
    let mut words: Vec<String> = Vec::new();
    for token in best.map(|(_, window)| window).unwrap_or_default() {
        if !words.contains(&token.norm) {
            words.push(token.norm.clone());
        }
    }
    let joint = if language == Language::Chinese { "" } else { "-" };
    let name =
        words.iter().map(|word| safe(word)).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(joint);
    match (name.is_empty(), language) {
        (false, _) => name,
        (true, Language::English) => "conversation".to_owned(),
        (true, Language::Chinese) => "对话".to_owned(),
    }
}

/// All runs of up to so many words.
fn windows<'t>(content: &[&'t Token]) -> Vec<Vec<&'t Token>> {
    (1..=MOST_WORDS.min(content.len()))
        .flat_map(|length| content.windows(length).map(<[&Token]>::to_vec))
        .collect()
}

fn safe(word: &str) -> String {
    word.chars()
        .map(|c| if c.is_alphanumeric() { c } else { '-' })
        .collect::<String>()
        .trim_matches('-')
        .replace("--", "-")
}

fn names_something(token: &Token) -> bool {
    match token.class {
        // A single character of Chinese is a verb or a measure.
        Class::Plain | Class::Name | Class::Common => token.norm.chars().nth(1).is_some(),
        Class::Number => token.norm.contains(char::is_alphabetic) && token.norm.contains(char::is_numeric),
        Class::Stop | Class::Filler | Class::Time => false,
    }
}

/// What each word is worth to a name: rarely a word of one turn, and rather one of the beginning.
fn weights<'t>(talk: &'t Talk, chosen: &[Chosen<'_>]) -> HashMap<&'t str, f32> {
    let mut turns: HashMap<&str, (usize, usize, f32)> = HashMap::new();
    for (at, turn) in talk.turns.iter().enumerate() {
        for token in turn
            .sentences
            .iter()
            .flat_map(|sentence| sentence.core_tokens())
            .filter(|token| names_something(token))
        {
            let class = match token.class {
                _ if talk.among_people && talk.people.contains(&token.norm) => 0.1,
                Class::Name => 1.3,
                Class::Common => 0.2,
                _ => 1.0,
            };
            let entry = turns.entry(&token.norm).or_insert((0, usize::MAX, class));
            if entry.1 != at {
                *entry = (entry.0 + 1, at, entry.2);
            }
        }
    }
    let mut weights: HashMap<&str, f32> = turns
        .into_iter()
        .map(|(word, (turns, _, class))| (word, class * (1.0 + (turns as f32).ln())))
        .collect();
    let opening = chosen.first().map(|chosen| chosen.candidate.sentence.core_tokens()).unwrap_or(&[]);
    for token in opening {
        if let Some(weight) = weights.get_mut(token.norm.as_str()) {
            *weight *= OPENING;
        }
    }
    weights
}

/// One line that says what the card holds: its weightiest statement, in words rather than in code.
pub(super) fn description(chosen: &[Chosen<'_>]) -> String {
    let rank = |chosen: &Chosen<'_>| (chosen.candidate.sentence.form == Form::Prose, chosen.worth);
    let best = chosen.iter().reduce(|best, next| if rank(next) > rank(best) { next } else { best });
    let text = best.map(|best| best.candidate.text(&best.kept)).unwrap_or_default();
    if text.chars().count() <= DESCRIPTION {
        return text;
    }
    let mut cut: String = text.chars().take(DESCRIPTION - 1).collect();
    if let Some(space) = cut.rfind(' ') {
        cut.truncate(space);
    }
    cut.push('…');
    cut
}
