//! Candidates: what could become a statement, part by part, with its evidence, worth and length.
//!
//! Owns the joining of a question with its short answer and the making of a statement's text from the source;
//! never chooses. Called by `select`.

use super::clause::{self, Clause};
use super::hash::WordMap;
use super::lexicon::Class;
use super::sentence::{Form, Sentence};
use super::turn::{Talk, Turn, Voice};
use super::words::Token;
use super::{kind, lexicon, score};
use crate::distill::Kind;
use std::ops::Range;

/// A number for each spelling.
pub(super) type Words = WordMap<String, usize>;

/// A sentence that could become a statement.
pub(super) struct Candidate<'t> {
    /// The place of the turn.
    pub turn: usize,
    /// The sentence.
    pub sentence: &'t Sentence,
    /// The question that it answers, with the place of its turn, where it says nothing without.
    pub question: Option<(usize, &'t Sentence)>,
    /// A person says it.
    pub own: bool,
    /// It is kept whole: a person's explicit wish, decision or state, or a step that has helped.
    pub pinned: bool,
    /// The place of the turn that says that this step has helped.
    pub confirmed: Option<usize>,
    /// What the statement would be.
    pub kind: Kind,
    /// What can be kept or left.
    pub parts: Vec<Part>,
}

/// A clause, as something to keep or leave.
pub(super) struct Part {
    /// The clause.
    pub clause: Clause,
    /// Its words and what each is worth when new.
    pub words: Vec<(usize, f32)>,
    /// Its length in characters.
    pub length: usize,
}

/// An answer of more words can do without its question.
const SHORT_ANSWER: usize = 6;
/// A question of fewer words asks for nothing.
const SHORT_QUESTION: usize = 3;
/// A longer question is a story.
const LONGEST_QUESTION: usize = 120;

/// All candidates of a talk, in its order; `words` receives the spellings.
pub(super) fn candidates<'t>(talk: &'t Talk, words: &mut Words) -> Vec<Candidate<'t>> {
    let mut found = Vec::new();
    for (at, turn) in talk.turns.iter().enumerate().filter(|(_, turn)| turn.news) {
        let answered = at.checked_sub(1).and_then(|before| question_before(talk, before, turn));
        for (place, sentence) in
            turn.sentences.iter().enumerate().filter(|(_, sentence)| !sentence.core.is_empty())
        {
            let question = answered.filter(|_| place == 0 && is_short_answer(sentence));
            let leads = turn.sentences.get(place + 1).is_some_and(|next| next.form == Form::Command);
            let step = is_step(sentence) || (leads && is_lead_in(sentence));
            let is_precise = leads || sentence.form == Form::Command || sentence.text.contains('`');
            let helped = turn.confirmed.filter(|_| step);
            // What a person begins with is what it is all about.
            let begins = !talk.among_people && at == 0;
            let factor = score::sentence(sentence, turn.voice, talk.among_people)
                * if helped.is_some() { score::HELPED } else { 1.0 }
                * if begins { score::OPENING } else { 1.0 };
            let candidate = Candidate {
                turn: at,
                sentence,
                question,
                own: turn.voice == Voice::Person,
                pinned: (helped.is_some() && is_precise)
                    || (!talk.among_people && is_explicit(sentence, turn.voice)),
                confirmed: helped,
                kind: match step && turn.voice == Voice::Assistant {
                    true => Kind::Experience,
                    false => kind::of(sentence, turn.voice, talk.among_people),
                },
                parts: parts(sentence, question.map(|(_, question)| question), factor, talk, words),
            };
            found.push(candidate);
        }
    }
    found
}

/// A command, or a sentence that says what to do or why in terms of code.
fn is_step(sentence: &Sentence) -> bool {
    let advises = || sentence.advises || sentence.cues.iter().any(|(kind, _)| *kind == Kind::Experience);
    match sentence.form {
        Form::Command => true,
        Form::Output | Form::Task => false,
        Form::Prose => !sentence.asks && !sentence.serves && (sentence.text.contains('`') || advises()),
    }
}

/// `Remove the stale lock, then check:` before a command, but not `Then run:`.
fn is_lead_in(sentence: &Sentence) -> bool {
    sentence.form == Form::Prose && !sentence.asks && !sentence.serves && sentence.substance() > 1
}

/// Longer sentences are weighed clause by clause.
const LONGEST_PINNED: usize = 300;

/// A person's statement that says itself what it is.
fn is_explicit(sentence: &Sentence, voice: Voice) -> bool {
    let explicit =
        |(kind, _): &(Kind, usize)| matches!(kind, Kind::Preference | Kind::Decision | Kind::State);
    voice == Voice::Person
        && sentence.form == Form::Prose
        && !sentence.asks
        && sentence.text.len() <= LONGEST_PINNED
        && sentence.core.len() >= SHORT_QUESTION
        && (sentence.cues.iter().any(explicit) || tells_a_fix(sentence) || gives_figures(sentence))
}

/// Addresses, sizes, limits: who types two of them into one sentence will look for them later.
fn gives_figures(sentence: &Sentence) -> bool {
    sentence.core_tokens().iter().filter(|token| token.class == Class::Number).count() >= 2
}

/// `The cause was a stale lock` and `it works since I raised the limit`.
fn tells_a_fix(sentence: &Sentence) -> bool {
    let experience = sentence.cues.iter().any(|(kind, _)| *kind == Kind::Experience);
    sentence.substance() > 0
        && ((experience && (sentence.causal || sentence.problem || sentence.confirms))
            || (sentence.causal && sentence.problem))
}

/// The last question of the turn before, asked by someone else.
fn question_before<'t>(talk: &'t Talk, before: usize, answer: &Turn) -> Option<(usize, &'t Sentence)> {
    let turn = talk.turns.get(before)?;
    let question = turn.sentences.iter().rev().find(|sentence| !sentence.core.is_empty())?;
    let fits = question.asks
        && turn.speaker != answer.speaker
        && turn.number + 1 == answer.number
        && !question.serves
        && question.core.len() >= SHORT_QUESTION
        && question.text.len() <= LONGEST_QUESTION;
    fits.then_some((before, question))
}

/// `Toby`, `5 years already` and `it's Toby`, but not `Toby is a good dog`.
fn is_short_answer(sentence: &Sentence) -> bool {
    let lexicon = lexicon::english();
    let words = sentence.core_tokens();
    // Chinese has no small words that tell a subject: an answer stands alone if something comes before its verb.
    let copula = |token: &Token| lexicon::chinese().copulas.contains(&token.norm);
    if sentence.text.contains('，') {
        return false;
    }
    if words.iter().skip(1).any(copula) || words.first().is_some_and(|token| token.norm.starts_with('我')) {
        return false;
    }
    let predicate = words.iter().position(|token| lexicon.auxiliaries.contains(&token.norm));
    let points_back = words.first().is_some_and(|token| {
        matches!(token.norm.as_str(), "it" | "it's" | "that's" | "they're" | "he's" | "she's")
    });
    sentence.form == Form::Prose
        && !sentence.asks
        && !sentence.reacts
        && !sentence.first_person()
        && words.len() <= SHORT_ANSWER
        && words.iter().any(|token| token.has_substance() || token.class == Class::Time)
        && !sentence.cues.iter().any(|(kind, _)| *kind == Kind::Decision)
        && (points_back
            || (predicate.is_none()
                && !words.first().is_some_and(|first| lexicon.subjects.contains(&first.norm))))
}

/// What a question asks, without a supposition before it: `可能是连接池太小了，最大连接数是多少？`
fn asked(question: &Sentence) -> Range<usize> {
    let ends = |at: &usize| question.gap(*at).contains(['，', '；', ';', '—']);
    let from =
        (question.core.start + 1..question.core.end.saturating_sub(SHORT_QUESTION - 1)).rev().find(ends);
    from.unwrap_or(question.core.start)..question.core.end
}

fn parts(
    sentence: &Sentence,
    question: Option<&Sentence>,
    factor: f32,
    talk: &Talk,
    words: &mut Words,
) -> Vec<Part> {
    let mut weigh = |sentence: &Sentence, tokens: Range<usize>, factor: f32| -> Vec<(usize, f32)> {
        let tokens = sentence.tokens.get(tokens).unwrap_or(&[]);
        let mut weighed: Vec<(usize, f32)> = Vec::with_capacity(tokens.len());
        for token in tokens {
            let worth = score::word(token, &talk.people) * factor;
            if worth > 0.0 {
                let next = words.len();
                let id = match words.get(&token.norm) {
                    Some(id) => *id,
                    None => *words.entry(token.norm.clone()).or_insert(next),
                };
                if !weighed.iter().any(|(known, _)| *known == id) {
                    weighed.push((id, worth));
                }
            }
        }
        weighed
    };
    let clauses = clause::clauses(sentence);
    let mut parts: Vec<Part> = clauses
        .into_iter()
        .map(|clause| Part {
            words: weigh(sentence, clause.tokens.clone(), factor),
            length: plain(sentence, clause.tokens.clone()).chars().count(),
            clause,
        })
        .collect();
    if let (Some(question), Some(first)) = (question, parts.first_mut()) {
        first.words.extend(weigh(question, asked(question), 0.6));
        first.length += question.slice(asked(question)).chars().count() + 2;
    }
    parts
}

impl Candidate<'_> {
    /// Whether it says too little to be worth a line, such as `it works` or `solved`.
    pub fn is_slight(&self) -> bool {
        let telling = |token: &&Token| !matches!(token.class, Class::Stop | Class::Filler);
        let words = self.sentence.core_tokens().iter().filter(telling).count();
        self.question.is_none() && self.sentence.form == Form::Prose && words < 2
    }

    /// The statement that the chosen parts make.
    pub fn text(&self, chosen: &[bool]) -> String {
        let kept = |n: usize| chosen.get(n).copied().unwrap_or(false);
        match self.sentence.form {
            Form::Command | Form::Output => return as_code(&self.sentence.text),
            Form::Task => return self.sentence.text.clone(),
            Form::Prose => {}
        }
        let mut text = String::new();
        if let Some((_, question)) = self.question {
            text.push_str(question.slice(asked(question)));
            text.push_str(match text.chars().next_back() {
                Some('？') => "",
                Some('?') => " ",
                _ => "? ",
            });
        }
        let mut n = 0;
        let mut first = true;
        while n < self.parts.len() {
            if !kept(n) {
                n += 1;
                continue;
            }
            let run = (n..self.parts.len()).take_while(|&m| kept(m)).count();
            let range = self
                .parts
                .get(n)
                .zip(self.parts.get(n + run - 1))
                .map(|(a, z)| a.clause.tokens.start..z.clause.tokens.end);
            if !std::mem::take(&mut first) {
                text.push_str("; ");
            }
            text.push_str(&plain(self.sentence, range.unwrap_or_default()));
            n += run;
        }
        with_capital(text)
    }
}

/// A statement that lost its lead-in begins like a sentence again; names, code and commands keep their spelling.
fn with_capital(text: String) -> String {
    let first = text.split(' ').next().unwrap_or_default();
    let is_ordinary = first.chars().all(|c| c.is_ascii_lowercase() || c == '\'')
        && matches!(lexicon::english().class(first), Some(Class::Stop | Class::Filler | Class::Common));
    match text.chars().next().filter(|_| is_ordinary) {
        Some(c) => text.replacen(c, &c.to_ascii_uppercase().to_string(), 1),
        None => text,
    }
}

/// The words of a sentence without those of degree; quotations, code and what is negated stay whole.
fn plain(sentence: &Sentence, tokens: Range<usize>) -> String {
    let lexicon = lexicon::english();
    let dropped = |n: usize| {
        let word = |n: usize| sentence.tokens.get(n).map_or("", |token| token.norm.as_str());
        let negated = n.checked_sub(1).is_some_and(|before| lexicon.negations.contains(word(before)));
        lexicon.degree.contains(word(n))
            && !negated
            && n + 1 < tokens.end
            && sentence.gap(n + 1) == " "
            && sentence.gap(n).trim().is_empty()
    };
    let whole = sentence.slice(tokens.clone());
    if whole.contains(['"', '“', '`', '「']) || !tokens.clone().any(dropped) {
        return whole.to_owned();
    }
    let mut text = String::new();
    let mut from = tokens.start;
    for n in tokens.clone().filter(|&n| dropped(n)) {
        if from < n {
            text.push_str(sentence.slice(from..n));
            text.push(' ');
        }
        from = n + 1;
    }
    text.push_str(sentence.slice(from..tokens.end));
    text
}

/// The line as inline code; the fence is longer than any run of backticks in it.
fn as_code(line: &str) -> String {
    if line.contains('`') { format!("`` {line} ``") } else { format!("`{line}`") }
}
