//! Entities: the proper names in a sentence, of people, organisations, places and products.
//!
//! Owns how a name is told from a capital at a sentence's start, and from a spelling such as `HTTP`; never how
//! central it is. Called by `tags` for each sentence.

use super::hash::WordSet;
use super::lexicon::{self, Class};
use super::phrase::is_action;
use super::sentence::Sentence;
use super::turn::Talk;
use super::words::{Part, Token, is_han};
use std::collections::HashSet;

/// What the whole conversation tells about a word.
pub(super) struct Context<'t> {
    /// Words that stand in lower case somewhere.
    lower: HashSet<&'t str>,
    /// Words that are names where they stand within a sentence.
    names: HashSet<&'t str>,
}

impl<'t> Context<'t> {
    /// Reads a talk.
    pub fn of(talk: &'t Talk) -> Self {
        let mut context = Context { lower: HashSet::new(), names: HashSet::new() };
        for sentence in talk.turns.iter().flat_map(|turn| &turn.sentences) {
            for token in &sentence.tokens {
                if token.class == Class::Name {
                    context.names.insert(&token.norm);
                } else if !token.capital && token.class == Class::Plain {
                    context.lower.insert(&token.norm);
                }
            }
        }
        context
    }
}

/// The names in a sentence, neighbours joined.
pub(super) fn names(sentence: &Sentence, context: &Context<'_>) -> Vec<String> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < sentence.tokens.len() {
        let run = if sentence.tokens.get(at).is_some_and(|token| token.part.is_some()) {
            usize::from(is_chinese_name(sentence, at))
        } else {
            latin_run(sentence, at, context)
        };
        let ends = sentence.tokens.get(at).zip(sentence.tokens.get((at + run).saturating_sub(1)));
        let text = ends.and_then(|(a, z)| sentence.text.get(a.span.start..z.span.end)).filter(|_| run > 0);
        if let Some(name) = text.filter(|name| name.chars().nth(1).is_some() && !name.contains(['_', '`'])) {
            found.push(name.trim_end_matches("'s").trim_end_matches("’s").replace(' ', "_"));
        }
        at += run.max(1);
    }
    found
}

/// How many tokens from here on are one name.
fn latin_run(sentence: &Sentence, at: usize, context: &Context<'_>) -> usize {
    let rest = |from: usize| {
        (from..sentence.tokens.len())
            .take_while(|&n| {
                let proper = sentence
                    .tokens
                    .get(n)
                    .is_some_and(|token| token.class == Class::Name && token.part.is_none());
                matches!(sentence.gap(n), " " | "-") && proper && (n > from || !is_generic_at(sentence, n))
            })
            .count()
    };
    if is_name(sentence, at, context) {
        return 1 + rest(at + 1);
    }
    if at != sentence.core.start && !begins_again(sentence, at) {
        return 0;
    }
    let Some(token) = sentence.tokens.get(at).filter(|token| token.capital && token.class == Class::Plain)
    else {
        return 0;
    };
    let ordinary = context.lower.contains(token.norm.as_str()) || is_action(&token.norm) || is_generic(token);
    match rest(at + 1) {
        _ if ordinary => 0,
        0 => usize::from(context.names.contains(token.norm.as_str()) || sentence.opens_with_name()),
        // `Dana Whitfield should ...`
        more => 1 + more,
    }
}

/// Whether a capital here tells no more than one at a sentence's start.
fn begins_again(sentence: &Sentence, at: usize) -> bool {
    sentence.gap(at).contains([':', '"', '“', '.', '*'])
}

fn is_name(sentence: &Sentence, at: usize, context: &Context<'_>) -> bool {
    let Some(token) = sentence.tokens.get(at).filter(|token| token.part.is_none()) else { return false };
    let named = match token.class {
        Class::Plain | Class::Name => lexicon::english().products.contains(&token.norm),
        _ => return false,
    };
    if named || token.class == Class::Plain || is_generic(token) {
        return named;
    }
    let before = sentence.text.get(..token.span.start).unwrap_or("");
    if before.matches('`').count() % 2 == 1 {
        return false;
    }
    let text = token.text(&sentence.text);
    if text.contains('.') && text.starts_with(char::is_lowercase) {
        return false;
    }
    let only_first = text.chars().skip(1).all(|c| !c.is_uppercase());
    !only_first
        || !(context.lower.contains(token.norm.as_str())
            || (is_action(&token.norm) || begins_again(sentence, at)) && !context_names_twice(sentence, at))
}

/// A capital after a colon may begin a sentence; two in a row are a name's.
fn context_names_twice(sentence: &Sentence, at: usize) -> bool {
    sentence.tokens.get(at + 1).is_some_and(|next| next.class == Class::Name)
}

fn is_generic_at(sentence: &Sentence, at: usize) -> bool {
    sentence.tokens.get(at).is_none_or(is_generic)
}

fn is_generic(token: &Token) -> bool {
    lexicon::english().generic.contains(&token.norm)
}

/// The dictionary takes many a word for a person's name; one begins with a family name.
fn is_chinese_name(sentence: &Sentence, at: usize) -> bool {
    let Some(token) = sentence.tokens.get(at) else { return false };
    let lexicon = lexicon::chinese();
    let count = token.norm.chars().count();
    let family = || lexicon.surnames.iter().any(|name| token.norm.starts_with(name.as_str()));
    let named = token.class == Class::Name;
    let known = named && !lexicon.vague.contains(&token.norm) && !lexicon.generic.contains(&token.norm);
    known
        && token.norm.chars().all(is_han)
        && match token.part {
            Some(Part::Person) => (2..=4).contains(&count) && family() && stands_as_person(sentence, at),
            Some(Part::Place) => count > 1,
            _ => false,
        }
}

/// Whether the words beside it are those beside a person's name.
fn stands_as_person(sentence: &Sentence, at: usize) -> bool {
    let lexicon = lexicon::chinese();
    let before = at.checked_sub(1).and_then(|before| sentence.tokens.get(before));
    let after = sentence.tokens.get(at + 1);
    let near = |token: Option<&Token>, list: &WordSet| token.is_some_and(|t| list.contains(&t.norm));
    let begins = before.is_none() || !sentence.gap(at).trim().is_empty();
    near(before, &lexicon.before_person)
        || near(after, &lexicon.after_person)
        || (begins && after.is_some_and(|token| token.class == Class::Time))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::distill::Request;
    use crate::distill::offline::Talk;
    use crate::message::{Msg, Role};

    fn check(text: &str, expected: &[&str]) {
        let messages = [Msg::text_message(Role::User, text.to_owned())];
        let talk = Talk::read(&Request {
            messages: &messages,
            images: &[],
            news: &[],
            card: None,
            known_tags: &[],
            hint: None,
        });
        let context = Context::of(&talk);
        let sentences = talk.turns.iter().flat_map(|turn| &turn.sentences);
        let found: Vec<String> = sentences.flat_map(|sentence| names(sentence, &context)).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn what_is_a_name() {
        check("Dana Whitfield should review it.", &["Dana_Whitfield"]);
        check("Restart Redis, then ask Priya Rao.", &["Redis", "Priya_Rao"]);
        check("The HTTP API answers with an ERROR.", &[]);
        check("Backups are slow. We moved to GitHub Actions.", &["GitHub_Actions"]);
        check("we use nginx", &["nginx"]);
        check("王小明负责北京的日志", &["王小明", "北京"]);
        check("Note: Use the index.", &[]);
    }
}
