//! Sentences: a message's blocks become sentences that know their words and what they are.
//!
//! Owns where a sentence ends, which lead-ins and endings a statement does without, and what its phrases tell;
//! never compares sentences. Called once a message.

use super::block::{self, Block};
use super::lexicon::{self, Class, Role};
use super::words::{self, Token, is_han};
use crate::distill::Kind;
use std::ops::Range;
use unicode_segmentation::UnicodeSegmentation;

/// What a sentence is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// Words for a person.
    Prose,
    /// A shell command, kept verbatim.
    Command,
    /// A line of pasted output, kept verbatim.
    Output,
    /// An item of a list with its check box.
    Task,
}

/// One sentence.
#[derive(Clone, Debug)]
pub(super) struct Sentence {
    /// As it stands in the message.
    pub text: String,
    /// All its words.
    pub tokens: Vec<Token>,
    /// The words that are left without lead-in and ending.
    pub core: Range<usize>,
    /// What it is.
    pub form: Form,
    /// It is a question.
    pub asks: bool,
    /// It is about the other person, or only reacts.
    pub reacts: bool,
    /// It is an assistant's offer or apology.
    pub serves: bool,
    /// It tells of something that is wrong.
    pub problem: bool,
    /// It names a cause.
    pub causal: bool,
    /// It says what to do.
    pub advises: bool,
    /// The speaker is not sure.
    pub hedges: bool,
    /// It says that what was advised has helped.
    pub confirms: bool,
    /// What its phrases tell of the kind of statement: how often for each.
    pub cues: Vec<(Kind, usize)>,
}

/// Text longer than this without an end is no sentence that a person wrote.
const LONGEST: usize = 1200;

/// The sentences of a message; `people` are the speakers' names in lower case.
pub(super) fn sentences(text: &str, people: &[String]) -> Vec<Sentence> {
    let mut found = Vec::new();
    for block in block::blocks(text) {
        match block {
            Block::Prose(prose) => {
                found.extend(split(&prose).into_iter().map(|sentence| Sentence::prose(sentence, people)));
            }
            Block::Command(line) => found.push(Sentence::verbatim(line, Form::Command)),
            Block::Task(line) => found.push(Sentence::verbatim(line, Form::Task)),
            Block::Output(line) => found.push(Sentence::verbatim(line, Form::Output)),
        }
    }
    found
}

/// Unicode's sentences, but joined after an abbreviation and within quotation and code, and split at `；`.
fn split(prose: &str) -> Vec<String> {
    let mut sentences: Vec<String> = Vec::new();
    let mut open = false;
    for piece in prose.split_sentence_bounds().flat_map(|piece| piece.split_inclusive('；')) {
        match sentences.last_mut() {
            Some(last) if open => last.push_str(piece),
            _ => sentences.push(piece.to_owned()),
        }
        open = sentences.last().is_some_and(|last| goes_on(last));
    }
    let sentences = sentences.iter().flat_map(|sentence| typed_small(sentence));
    let pieces = sentences.flat_map(bounded).map(|piece| piece.trim().to_owned());
    pieces.filter(|piece| !piece.is_empty()).collect()
}

/// A sentence, or the sentences of someone who types no capitals: `it works. next is the parser`.
fn typed_small(sentence: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = sentence;
    let mut from = 0;
    while let Some(at) = rest.get(from..).and_then(|tail| tail.find(". ")).map(|at| from + at) {
        let before = rest.get(..at).unwrap_or("");
        let word = before.rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or("");
        let small = rest.get(at + 2..).is_some_and(|tail| tail.starts_with(|c: char| c.is_ascii_lowercase()));
        let whole = word.len() > 2 && !lexicon::english().abbreviations.contains(&word.to_lowercase());
        let open = before.matches(['"', '`']).count() % 2 == 1
            || before.matches('(').count() > before.matches(')').count();
        match rest.split_at_checked(at + 2).filter(|_| small && whole && !open) {
            Some((piece, tail)) => {
                pieces.push(piece);
                rest = tail;
                from = 0;
            }
            None => from = at + 2,
        }
    }
    pieces.push(rest);
    pieces
}

/// A sentence, or what an endless one falls into: at its commas, then between words. Longer words are data.
fn bounded(sentence: &str) -> Vec<String> {
    if sentence.len() <= LONGEST {
        return vec![sentence.to_owned()];
    }
    let mut pieces: Vec<String> = vec![String::new()];
    for word in sentence.split_inclusive([' ', ',', '，', '、']).filter(|word| word.len() <= LONGEST / 4) {
        match pieces.last_mut() {
            Some(last) if last.len() + word.len() <= LONGEST / 4 => last.push_str(word),
            _ => pieces.push(word.to_owned()),
        }
    }
    pieces
}

fn goes_on(sentence: &str) -> bool {
    let count = |mark: char| sentence.matches(mark).count();
    let unpaired = count('`') % 2 == 1 || count('"') % 2 == 1 || count('“') > count('”');
    if unpaired && sentence.len() < LONGEST / 3 {
        return true;
    }
    // Unicode ends a sentence within `api?x=1`.
    if sentence.ends_with(['?', '!', '.']) {
        return true;
    }
    let Some(body) = sentence.trim_end().strip_suffix('.') else { return false };
    let last = body.rsplit(|c: char| c.is_whitespace() || c == '(').next().unwrap_or("");
    lexicon::english().abbreviations.contains(&last.to_lowercase())
}

impl Sentence {
    /// A sentence of which nothing is known but its words.
    fn unread(text: String, form: Form) -> Self {
        let tokens = words::tokens(&text);
        Sentence {
            core: 0..tokens.len(),
            text,
            tokens,
            form,
            asks: false,
            reacts: false,
            serves: false,
            problem: false,
            causal: false,
            advises: false,
            hedges: false,
            confirms: false,
            cues: Vec::new(),
        }
    }

    fn verbatim(text: String, form: Form) -> Self {
        let kind = if form == Form::Task { Kind::State } else { Kind::Experience };
        Sentence { cues: vec![(kind, 1)], ..Self::unread(text, form) }
    }

    fn prose(text: String, people: &[String]) -> Self {
        let asks = text.trim_end_matches(['"', '”', ')', ' ', '~']).ends_with(['?', '？']);
        let mut sentence = Sentence { asks, ..Self::unread(text, Form::Prose) };
        sentence.trim_start(people);
        sentence.trim_end(people);
        sentence.read_phrases();
        sentence.read_chinese();
        sentence
    }

    /// The words that are left without lead-in and ending.
    pub fn core_tokens(&self) -> &[Token] {
        self.tokens.get(self.core.clone()).unwrap_or(&[])
    }

    /// The text of some of the tokens, with what stands between them and the marks that belong to them: quotes,
    /// brackets, the dashes of an option, a question mark.
    pub fn slice(&self, tokens: Range<usize>) -> &str {
        if tokens.is_empty() {
            return "";
        }
        let opens = |c: &char| "\"'“‘「『《（(`$#@~/.-+[<*_".contains(*c);
        let closes = |c: &char| !c.is_whitespace() && !".,!;:…—–。，！；：、～".contains(*c);
        let before = self.gap(tokens.start);
        let marks: usize = before.chars().rev().take_while(opens).map(char::len_utf8).sum();
        let start = self.tokens.get(tokens.start).map_or(0, |token| token.span.start) - marks;
        let mut end = tokens
            .end
            .checked_sub(1)
            .and_then(|last| self.tokens.get(last))
            .map_or(0, |token| token.span.end);
        let after = self.gap(tokens.end);
        let mut passed = 0;
        for c in after.chars().take_while(|c| !c.is_whitespace()) {
            passed += c.len_utf8();
            if closes(&c) && !(opens(&c) && tokens.end < self.tokens.len() && !"\"'`".contains(c)) {
                end = end.max(self.tokens.get(tokens.end - 1).map_or(0, |token| token.span.end) + passed);
            }
        }
        self.text.get(start..end).unwrap_or("")
    }

    /// What stands before the token at this place, back to the word before it.
    pub fn gap(&self, at: usize) -> &str {
        let start =
            at.checked_sub(1).and_then(|before| self.tokens.get(before)).map_or(0, |token| token.span.end);
        let end = self.tokens.get(at).map_or(self.text.len(), |token| token.span.start);
        self.text.get(start..end).unwrap_or("")
    }

    fn norm(&self, at: usize) -> &str {
        self.tokens.get(at).map_or("", |token| token.norm.as_str())
    }

    /// How long a phrase of this role begins at the token, in tokens.
    fn phrase_at(&self, at: usize, role: Role) -> Option<usize> {
        let phrases = lexicon::english().phrases(self.norm(at));
        let (words, _) = phrases.iter().find(|(words, its)| *its == role && self.has_words(at, words))?;
        Some(words.len())
    }

    fn has_words(&self, at: usize, words: &[String]) -> bool {
        words.iter().enumerate().all(|(n, word)| self.norm(at + n) == word)
    }

    fn is_person(&self, at: usize, people: &[String]) -> bool {
        let name = self.norm(at);
        // `Mel` is Melanie, and `Jo` may be Joanna.
        self.tokens.get(at).is_some_and(|token| token.capital)
            && people.iter().any(|person| person == name || (name.len() >= 2 && person.starts_with(name)))
    }

    fn trim_start(&mut self, people: &[String]) {
        let lexicon = lexicon::english();
        loop {
            let at = self.core.start;
            if at >= self.core.end {
                return;
            }
            if let Some(taken) = self.phrase_at(at, Role::Aside)
                && at + taken < self.core.end
                && !self.gap(at + taken).trim().is_empty()
            {
                self.core.start += taken;
                continue;
            }
            let Some(taken) = self.phrase_at(at, Role::Opener) else {
                let addressed = self.is_person(at, people)
                    && self.gap(at + 1).trim_start().starts_with([',', '!', '.', '-', '–', '—']);
                let chinese = self.chinese_opener(at);
                match (addressed, chinese) {
                    (true, _) => self.core.start += 1,
                    (_, Some(taken)) => self.core.start += taken,
                    _ => return,
                }
                continue;
            };
            let next = at + taken;
            let paused = next >= self.core.end || !self.gap(next).trim().is_empty();
            let named = self.is_person(next, people)
                && (next + 1 >= self.core.end || !self.gap(next + 1).trim().is_empty());
            let joins = lexicon.joiners.contains(self.norm(at)) && lexicon.subjects.contains(self.norm(next));
            if taken == 1 && lexicon.bound_openers.contains(self.norm(at)) && !paused && !named && !joins {
                return;
            }
            self.core.start = next + usize::from(named);
        }
    }

    fn chinese_opener(&self, at: usize) -> Option<usize> {
        let token = self.tokens.get(at)?;
        let rest = self.text.get(token.span.start..)?;
        if !rest.starts_with(is_han) {
            return None;
        }
        let opener = lexicon::chinese().openers.iter().find(|opener| {
            rest.strip_prefix(opener.as_str())
                .is_some_and(|tail| !tail.starts_with(|c: char| c.is_alphanumeric()))
        })?;
        let end = token.span.start + opener.len();
        Some(self.tokens.iter().skip(at).take_while(|token| token.span.end <= end).count().max(1))
    }

    fn trim_end(&mut self, people: &[String]) {
        loop {
            let Some(last) = self.core.end.checked_sub(1) else { return };
            if last <= self.core.start {
                return;
            }
            let set_off = |at: usize| self.gap(at).trim_start().starts_with([',', '，', '-', '–', '—', '…']);
            let cut = if set_off(last) && self.is_person(last, people) {
                last
            } else if let Some(at) = (self.core.start + 1..=last)
                .rev()
                .take(4)
                .find(|&at| set_off(at) && self.phrase_at(at, Role::Closer) == Some(self.core.end - at))
            {
                at
            } else if set_off(last)
                && lexicon::chinese().closers.iter().any(|closer| closer == self.norm(last))
            {
                last
            } else {
                return;
            };
            self.core.end = cut;
        }
    }

    fn read_phrases(&mut self) {
        let start = self.core.start;
        for at in self.core.clone() {
            for (words, role) in lexicon::english().phrases(self.norm(at)) {
                match role {
                    Role::Reaction if at == start && self.has_words(at, words) => self.reacts = true,
                    Role::Service if self.has_words(at, words) => self.serves = true,
                    Role::Cue(kind) if self.has_words(at, words) => self.add_cue(*kind),
                    Role::Problem if self.has_words(at, words) => self.problem = true,
                    Role::Cause if self.has_words(at, words) => self.causal = true,
                    Role::Confirm if self.has_words(at, words) => self.confirms = true,
                    _ => {}
                }
            }
        }
        self.read_wish();
        let first = self.norm(start);
        let imperative = lexicon::english().actions.contains(first) && !self.gap(start + 1).contains(',');
        self.advises =
            imperative || (first == "then" && lexicon::english().actions.contains(self.norm(start + 1)));
        self.hedges = self.core_tokens().iter().any(|token| lexicon::english().hedges.contains(&token.norm));
        let negations = &lexicon::english().negations;
        let doubted = |token: &Token| negations.contains(&token.norm) || token.norm == "still";
        self.confirms &= !self.asks && !self.core_tokens().iter().any(doubted);
    }

    /// `Please always ...` and `Never ...`: a request for all time is a preference however common its words.
    fn read_wish(&mut self) {
        let standing = |token: &Token| lexicon::english().standing.contains(&token.norm);
        let first = self.core_tokens().first();
        let begins = first.is_some_and(|token| matches!(token.norm.as_str(), "always" | "never"));
        let please = self.core_tokens().iter().any(|token| token.norm == "please");
        // `..., never push to main, always open a pull request`
        let clause = (self.core.start + 1..self.core.end).any(|at| {
            matches!(self.norm(at), "always" | "never")
                && (self.gap(at).contains(',') || matches!(self.norm(at - 1), "and" | "but"))
                && lexicon::english().actions.contains(self.norm(at + 1))
        });
        if begins || clause || (please && self.core_tokens().iter().any(standing)) {
            self.add_cue(Kind::Preference);
        }
    }

    fn read_chinese(&mut self) {
        if !self.text.contains(is_han) {
            return;
        }
        let lexicon = lexicon::chinese();
        self.serves |= lexicon.service.iter().any(|phrase| self.text.contains(phrase.as_str()));
        self.reacts |= self.norm(self.core.start).starts_with(['你', '您']);
        self.asks |= self.text.trim_end_matches(['。', ' ']).ends_with(['吗', '呢']);
        for (cue, kind) in &lexicon.cues {
            if self.text.contains(cue.as_str()) {
                self.add_cue(*kind);
            }
        }
        let has = |phrases: &[String]| phrases.iter().any(|phrase| self.text.contains(phrase.as_str()));
        let (problem, causal) = (has(&lexicon.problems), has(&lexicon.causes));
        let confirms = has(&lexicon.confirmations) && !self.asks;
        let advises = has(&lexicon.advice);
        self.hedges |= self.core_tokens().iter().any(|token| lexicon.hedges.contains(&token.norm));
        self.advises |= advises;
        let refuses = self.text.split(['，', '。', '；', ',']).any(|clause| {
            let begins = |phrase: &String| clause.trim_start().starts_with(phrase.as_str());
            lexicon.refusals.iter().any(begins) && !lexicon.no_refusals.iter().any(begins)
        });
        self.problem |= problem;
        self.causal |= causal;
        self.confirms |= confirms;
        if refuses && !self.cues.iter().any(|(kind, _)| *kind == Kind::Preference) {
            self.add_cue(Kind::Decision);
        }
    }

    fn add_cue(&mut self, kind: Kind) {
        match self.cues.iter_mut().find(|(known, _)| *known == kind) {
            Some((_, count)) => *count += 1,
            None => self.cues.push((kind, 1)),
        }
    }

    /// How many different words with content of their own are left.
    pub fn substance(&self) -> usize {
        self.core_tokens().iter().filter(|token| token.has_substance()).count()
    }

    /// Whether the first word is a name that does something: `Jon lost ...`.
    pub fn opens_with_name(&self) -> bool {
        let at = self.core.start;
        self.tokens.get(at).is_some_and(|token| token.capital && token.class == Class::Plain)
            && lexicon::english().verbs.contains(self.norm(at + 1))
    }

    /// Whether the speaker says what they will do.
    pub fn promises(&self) -> bool {
        let next = self.norm(self.core.start + 1);
        match self.norm(self.core.start) {
            "i'll" => true,
            "i" => matches!(next, "will" | "can" | "would" | "understand"),
            "我" => matches!(next, "会" | "将" | "可以"),
            first => first.starts_with("我会"),
        }
    }

    /// Whether the speaker tells of themselves.
    pub fn first_person(&self) -> bool {
        self.core_tokens().iter().any(|token| {
            token.norm.starts_with('我')
                || token.class == Class::Stop
                    && matches!(
                        token.norm.as_str(),
                        "i" | "i'm" | "i've" | "i'd" | "i'll" | "my" | "we" | "we're" | "we've" | "our"
                    )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        let people = ["melanie".to_owned(), "caroline".to_owned()];
        let found = sentences(text, &people);
        let cores: Vec<&str> =
            found.iter().map(|s| s.slice(s.core.clone())).filter(|core| !core.is_empty()).collect();
        assert_eq!(cores, expected, "{text}");
    }

    #[test]
    fn lead_ins_and_endings_go() {
        check("Hey Mel! Thanks, Caroline! I moved.", &["I moved"]);
        check("By the way, I read Dr. Seuss, you know.", &["I read Dr. Seuss"]);
        check("No one came.", &["No one came"]);
        check("No, we rejected it, Mel.", &["we rejected it"]);
        check("So good to be back", &["So good to be back"]);
        check("She said \"Stop. Now.\" and left.", &["She said \"Stop. Now.\" and left"]);
        check("Use `a. B` here. Then go.", &["Use `a. B` here", "Then go"]);
    }

    #[test]
    fn chinese_sentences() {
        check("你好！对了，我们决定用Redis；明天上线。", &["我们决定用Redis", "明天上线"]);
    }
}
