//! Clauses: a sentence is cut where a part of it can be left out and the rest still reads.
//!
//! Owns the places of the cuts and which clause needs the one before it; never decides which to keep. Called
//! for each sentence that may become a statement.

use super::lexicon::{self, Class};
use super::sentence::{Form, Sentence};
use super::words::is_han;
use std::ops::Range;

/// A part of a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Clause {
    /// Its words, without a joining word that it does not need at a statement's start.
    pub tokens: Range<usize>,
    /// How many joining words stand before it.
    pub joiners: usize,
    /// It makes no sense without the clause before it.
    pub needs_previous: bool,
}

/// A clause of fewer words is no cut's worth.
const FEWEST_WORDS: usize = 3;

enum Cut {
    None,
    /// After this many joining words a clause begins that can stand alone.
    Free(usize),
    /// A clause begins that needs the one before it.
    Bound,
}

/// The clauses of a sentence's core, in order.
pub(super) fn clauses(sentence: &Sentence) -> Vec<Clause> {
    let core = sentence.core.clone();
    let mut found = vec![Clause { tokens: core.clone(), joiners: 0, needs_previous: false }];
    if sentence.form != Form::Prose {
        return found;
    }
    let negations = &lexicon::english().negations;
    let firm = !sentence.core_tokens().iter().any(|token| negations.contains(&token.norm));
    let mut nested = opens_with_condition(sentence);
    for at in core.start + FEWEST_WORDS..core.end.saturating_sub(FEWEST_WORDS - 1) {
        let Some(current) = found.last_mut() else { break };
        if at < current.tokens.start + FEWEST_WORDS {
            continue;
        }
        let cut = match cut_before(sentence, at) {
            Cut::None if firm && ends_before(sentence, current.tokens.start, at) => Cut::Bound,
            cut => cut,
        };
        if matches!(cut, Cut::None) || within_marks(sentence, core.start, at) {
            continue;
        }
        // `When it rains, we ...`: the first comma ends the condition, not a clause.
        if nested {
            nested = false;
            continue;
        }
        let (joiners, needs_previous) = match cut {
            Cut::Free(joiners) => (joiners, false),
            Cut::Bound | Cut::None => (0, true),
        };
        current.tokens.end = at;
        found.push(Clause { tokens: at + joiners..core.end, joiners, needs_previous });
    }
    found
}

fn norm(sentence: &Sentence, at: usize) -> &str {
    sentence.tokens.get(at).map_or("", |token| token.norm.as_str())
}

fn opens_with_condition(sentence: &Sentence) -> bool {
    let first = norm(sentence, sentence.core.start);
    lexicon::english().dependents.contains(first)
        && !matches!(first, "that" | "to" | "like" | "which" | "who")
        || ["如果", "虽然", "因为", "当", "只要", "既然", "由于", "为了"].contains(&first)
}

/// Whether the place lies inside brackets or quotation.
fn within_marks(sentence: &Sentence, from: usize, at: usize) -> bool {
    let start = sentence.tokens.get(from).map_or(0, |token| token.span.start);
    let end = sentence.tokens.get(at).map_or(0, |token| token.span.start);
    let Some(before) = sentence.text.get(start..end) else { return true };
    let count = |mark: char| before.matches(mark).count();
    count('(') > count(')')
        || count('（') > count('）')
        || count('“') > count('”')
        || count('"') % 2 == 1
        || count('`') % 2 == 1
}

/// What stands before a word, without what belongs to code beside it, as in `a;` and `b`.
fn outside_code(sentence: &Sentence, at: usize) -> &str {
    let gap = sentence.gap(at);
    if !gap.contains('`') {
        return gap;
    }
    let before =
        sentence.tokens.get(at).and_then(|token| sentence.text.get(..token.span.start)).unwrap_or("");
    let opens = before.matches('`').count() % 2 == 1;
    let closed = gap.matches('`').count() > usize::from(opens);
    let gap = if closed { gap.split_once('`').map_or(gap, |(_, rest)| rest) } else { gap };
    gap.split('`').next().unwrap_or(gap)
}

fn cut_before(sentence: &Sentence, at: usize) -> Cut {
    let lexicon = lexicon::english();
    let gap = outside_code(sentence, at);
    let word = norm(sentence, at);
    let next = norm(sentence, at + 1);
    let has_subject = |word: &str| lexicon.subjects.contains(word);
    let pronoun = |word: &str| {
        has_subject(word)
            && !matches!(
                word,
                "a" | "an"
                    | "the"
                    | "my"
                    | "our"
                    | "his"
                    | "her"
                    | "their"
                    | "this"
                    | "that"
                    | "these"
                    | "those"
            )
    };
    if gap.contains('，') || gap.contains('；') || gap.contains("——") {
        return if word.starts_with(['我', '她', '他', '它']) || !gap.contains('，') {
            Cut::Free(0)
        } else {
            Cut::Bound
        };
    }
    if sentence.tokens.get(at).is_some_and(|token| token.text(&sentence.text).starts_with(is_han)) {
        return Cut::None;
    }
    let dash =
        gap.contains(['–', '—', ';', '…']) || gap.contains("...") || (gap.contains('-') && gap.contains(' '));
    let joiner = lexicon.joiners.contains(word);
    if dash {
        return match () {
            () if joiner && has_subject(next) => Cut::Free(1),
            () if has_subject(word) && !lexicon.dependents.contains(word) => Cut::Free(0),
            () => Cut::Bound,
        };
    }
    let comma = gap.contains(',');
    if joiner && (pronoun(next) || (comma && has_subject(next))) {
        return Cut::Free(1);
    }
    if comma && joiner && matches!(word, "but" | "so" | "yet") {
        return Cut::Bound;
    }
    if comma && (lexicon.dependents.contains(word) || word.ends_with("ing")) {
        return Cut::Bound;
    }
    if comma && pronoun(word) {
        return Cut::Free(0);
    }
    if gap.trim().is_empty()
        && matches!(word, "because" | "'cause" | "cause" | "cuz" | "since" | "so" | "while")
        && has_subject(next)
    {
        return Cut::Bound;
    }
    Cut::None
}

/// Whether what stands from `start` says something already and the rest only adds to it.
fn ends_before(sentence: &Sentence, start: usize, at: usize) -> bool {
    let lexicon = lexicon::english();
    let says = |n: usize| {
        let word = norm(sentence, n);
        let pronoun = matches!(word, "i" | "we" | "you" | "he" | "she" | "they" | "it");
        n + 1 < at && (lexicon.auxiliaries.contains(word) || pronoun)
    };
    let paired =
        |n: usize| matches!(norm(sentence, n), "between" | "both" | "such" | "same" | "as" | "so" | "if");
    let before = at.checked_sub(1).and_then(|n| sentence.tokens.get(n));
    sentence.gap(at).trim().is_empty()
        && lexicon.tails.contains(norm(sentence, at))
        && before.is_some_and(|token| token.class != Class::Stop)
        && (start..at).any(says)
        && !(start..at).any(paired)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::distill::offline::sentence::sentences;

    fn check(text: &str, expected: &[(&str, bool)]) {
        let all = sentences(text, &[]);
        let sentence = all.first().expect("a sentence");
        let found: Vec<(&str, bool)> =
            clauses(sentence).into_iter().map(|c| (sentence.slice(c.tokens), c.needs_previous)).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn where_a_sentence_is_cut() {
        check(
            "I moved to Lisbon last year, and I opened a small bakery there.",
            &[("I moved to Lisbon last year", false), ("I opened a small bakery there", false)],
        );
        check(
            "We chose SQLite over Postgres because it needs no server.",
            &[("We chose SQLite over Postgres", false), ("because it needs no server", true)],
        );
        check(
            "When it rains, we stay at home with tea.",
            &[("When it rains, we stay at home with tea", false)],
        );
        check("We bought apples, pears, and plums.", &[("We bought apples, pears, and plums", false)]);
        check("如果报错，先重启服务", &[("如果报错，先重启服务", false)]);
    }
}
