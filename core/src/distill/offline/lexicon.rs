//! The word lists of `assets/offline`, read once and ready to look up.
//!
//! Owns what the distiller knows of English and Chinese words and phrases; never decides what to keep. Called
//! by every step of the embedded distiller.

use super::hash::{WordMap, WordSet};
use crate::distill::Kind;
use serde::Deserialize;
use std::sync::LazyLock;

/// How much a word says, by its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Class {
    /// Grammar.
    Stop,
    /// Courtesy, praise and feeling.
    Filler,
    /// A frequent word.
    Common,
    /// A time.
    Time,
    /// A number.
    Number,
    /// A proper name.
    Name,
    /// Any other word: the ones that carry the content.
    Plain,
}

/// What a listed phrase is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// A beginning that a statement does without.
    Opener,
    /// An end that a statement does without.
    Closer,
    /// The beginning of a sentence about the other person.
    Reaction,
    /// A beginning that a statement does without where a mark follows it.
    Aside,
    /// An assistant's offer or apology.
    Service,
    /// Something is wrong.
    Problem,
    /// It names a cause.
    Cause,
    /// What was advised has helped.
    Confirm,
    /// A sign of a kind of statement.
    Cue(Kind),
}

/// The English lists.
pub(super) struct English {
    classes: WordMap<String, Class>,
    phrases: WordMap<String, Vec<(Vec<String>, Role)>>,
    /// Openers that count only before a comma.
    pub bound_openers: WordSet,
    /// Words after whose full stop a sentence goes on.
    pub abbreviations: WordSet,
    /// `and`, `but`, `so`.
    pub joiners: WordSet,
    /// Words that begin a clause which cannot stand alone.
    pub dependents: WordSet,
    /// Words that begin a clause which can.
    pub subjects: WordSet,
    /// Words of degree.
    pub degree: WordSet,
    /// Words that turn a statement round.
    pub negations: WordSet,
    /// Words before which a sentence may end.
    pub tails: WordSet,
    /// Verbs that help other verbs, also as `I'm`.
    pub auxiliaries: WordSet,
    /// Words that follow a name which does something.
    pub verbs: WordSet,
    /// Verbs in their plain form: a word of these rarely names a topic, and one at a sentence's start is no name.
    pub actions: WordSet,
    /// Nouns that name no topic.
    pub vague: WordSet,
    /// Spellings of names that name nothing in particular, such as `HTTP`.
    pub generic: WordSet,
    /// Other forms of verbs, which are never nouns.
    pub pasts: WordSet,
    /// Words of an assistant that is not sure.
    pub hedges: WordSet,
    /// Names of products and tools that are also written in lower case.
    pub products: WordSet,
    /// Nouns that end as verbs or adverbs do.
    pub unbent: WordSet,
    /// Words after which stands a noun or its attribute.
    pub determiners: WordSet,
    /// Words that make a request one for all time.
    pub standing: WordSet,
    /// Names by which programs speak.
    pub assistants: WordSet,
    /// First words of shell commands.
    pub commands: WordSet,
    /// Names of shells.
    pub shells: WordSet,
    /// Levels of log lines.
    pub log_levels: WordSet,
    /// Words of a person's guidance that ask for a shorter card, in both languages.
    pub shorter: WordSet,
    /// And for a longer one.
    pub longer: WordSet,
    /// Words of log lines that report a fault.
    pub faults: WordSet,
}

/// The Chinese lists.
pub(super) struct Chinese {
    classes: WordMap<String, Class>,
    /// Openers, longest first.
    pub openers: Vec<String>,
    /// Closers, longest first.
    pub closers: Vec<String>,
    /// An assistant's offers.
    pub service: Vec<String>,
    /// Signs of a kind of statement.
    pub cues: Vec<(String, Kind)>,
    /// Signs of a decision at the beginning of a clause.
    pub refusals: Vec<String>,
    /// Phrases that only look like one of those.
    pub no_refusals: Vec<String>,
    /// Something is wrong.
    pub problems: Vec<String>,
    /// A cause is named.
    pub causes: Vec<String>,
    /// What was advised has helped.
    pub confirmations: Vec<String>,
    /// Verbs between a thing and what it is.
    pub copulas: WordSet,
    /// Words that name no topic.
    pub vague: WordSet,
    /// An assistant's advice.
    pub advice: Vec<String>,
    /// Words of an assistant that is not sure.
    pub hedges: WordSet,
    /// Words that look like names and name nothing in particular.
    pub generic: WordSet,
    /// Nouns that the dictionary takes for something else.
    pub nouns: WordSet,
    /// Words that stand before a person's name.
    pub before_person: WordSet,
    /// Words that stand after a person's name.
    pub after_person: WordSet,
    /// Words that the dictionary lacks, with their part of speech.
    pub dictionary: Vec<(String, String)>,
    /// Family names.
    pub surnames: WordSet,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct EnglishLists {
    stop: String,
    filler: String,
    common: String,
    time: String,
    numbers: String,
    openers: String,
    bound_openers: String,
    closers: String,
    abbreviations: String,
    joiners: String,
    dependents: String,
    subjects: String,
    verbs: String,
    actions: String,
    vague: String,
    generic: String,
    pasts: String,
    hedges: String,
    products: String,
    unbent: String,
    determiners: String,
    standing: String,
    degree: String,
    negations: String,
    tails: String,
    auxiliaries: String,
    reactions: String,
    asides: String,
    service: String,
    problems: String,
    causes: String,
    confirmations: String,
    assistants: String,
    cues: CueLists,
    commands: String,
    shells: String,
    log_levels: String,
    faults: String,
    shorter: String,
    longer: String,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct ChineseLists {
    stop: String,
    filler: String,
    common: String,
    time: String,
    numbers: String,
    openers: String,
    closers: String,
    service: String,
    cues: CueLists,
    refusals: String,
    no_refusals: String,
    problems: String,
    causes: String,
    confirmations: String,
    copulas: String,
    vague: String,
    advice: String,
    hedges: String,
    nouns: String,
    generic: String,
    before_person: String,
    after_person: String,
    dictionary: String,
    surnames: String,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct CueLists {
    preference: String,
    decision: String,
    state: String,
    experience: String,
}

impl CueLists {
    fn each(&self) -> [(&str, Kind); 4] {
        [
            (&self.preference, Kind::Preference),
            (&self.decision, Kind::Decision),
            (&self.state, Kind::State),
            (&self.experience, Kind::Experience),
        ]
    }
}

// The lists are compiled in and a test parses them, so that parsing cannot fail where this runs.
static ENGLISH: LazyLock<English> =
    LazyLock::new(|| English::new(serde_yaml::from_str(ENGLISH_LISTS).unwrap_or_default()));
static CHINESE: LazyLock<Chinese> =
    LazyLock::new(|| Chinese::new(serde_yaml::from_str(CHINESE_LISTS).unwrap_or_default()));
const ENGLISH_LISTS: &str = include_str!("../../../assets/offline/en.yaml");
const CHINESE_LISTS: &str = include_str!("../../../assets/offline/zh.yaml");

/// The English lists; they also serve for other languages in Latin script.
pub(super) fn english() -> &'static English {
    &ENGLISH
}

/// The Chinese lists.
pub(super) fn chinese() -> &'static Chinese {
    &CHINESE
}

fn set(words: &str) -> WordSet {
    words.split_whitespace().map(str::to_owned).collect()
}

fn lines(phrases: &str) -> impl Iterator<Item = &str> {
    phrases.lines().map(str::trim).filter(|line| !line.is_empty())
}

/// Where a word is in several lists, the first of these counts.
fn classes(lists: [(&str, Class); 5]) -> WordMap<String, Class> {
    let mut classes = WordMap::default();
    for (words, class) in lists {
        for word in words.split_whitespace() {
            classes.entry(word.to_owned()).or_insert(class);
        }
    }
    classes
}

impl English {
    fn new(lists: EnglishLists) -> Self {
        let mut phrases: WordMap<String, Vec<(Vec<String>, Role)>> = WordMap::default();
        let mut add = |text: &str, role: Role| {
            for line in lines(text) {
                let words: Vec<String> = line.split([' ', '-']).map(str::to_owned).collect();
                if let Some(first) = words.first() {
                    phrases.entry(first.clone()).or_default().push((words, role));
                }
            }
        };
        add(&lists.openers, Role::Opener);
        add(&lists.closers, Role::Closer);
        add(&lists.reactions, Role::Reaction);
        add(&lists.service, Role::Service);
        add(&lists.asides, Role::Aside);
        add(&lists.problems, Role::Problem);
        add(&lists.causes, Role::Cause);
        add(&lists.confirmations, Role::Confirm);
        for (text, kind) in lists.cues.each() {
            add(text, Role::Cue(kind));
        }
        for list in phrases.values_mut() {
            list.sort_by_key(|(words, _)| std::cmp::Reverse(words.len()));
        }
        English {
            classes: classes([
                (&lists.numbers, Class::Number),
                (&lists.time, Class::Time),
                (&lists.stop, Class::Stop),
                (&lists.filler, Class::Filler),
                (&lists.common, Class::Common),
            ]),
            phrases,
            bound_openers: set(&lists.bound_openers),
            abbreviations: set(&lists.abbreviations),
            joiners: set(&lists.joiners),
            dependents: set(&lists.dependents),
            subjects: set(&lists.subjects),
            verbs: set(&lists.verbs),
            actions: set(&lists.actions),
            vague: set(&lists.vague),
            generic: set(&lists.generic),
            pasts: set(&lists.pasts),
            hedges: set(&lists.hedges),
            products: set(&lists.products),
            unbent: set(&lists.unbent),
            determiners: set(&lists.determiners),
            standing: set(&lists.standing),
            degree: set(&lists.degree),
            negations: set(&lists.negations),
            tails: set(&lists.tails),
            auxiliaries: set(&lists.auxiliaries),
            assistants: set(&lists.assistants),
            commands: set(&lists.commands),
            shells: set(&lists.shells),
            log_levels: set(&lists.log_levels),
            faults: set(&lists.faults),
            shorter: set(&lists.shorter),
            longer: set(&lists.longer),
        }
    }

    /// The list that a word in lower case is in.
    pub fn class(&self, word: &str) -> Option<Class> {
        self.classes.get(word).copied()
    }

    /// The phrases that begin with this word, longest first.
    pub fn phrases(&self, word: &str) -> &[(Vec<String>, Role)] {
        self.phrases.get(word).map_or(&[], Vec::as_slice)
    }
}

impl Chinese {
    fn new(lists: ChineseLists) -> Self {
        let longest_first = |text: &str| {
            let mut phrases: Vec<String> = lines(text).map(str::to_owned).collect();
            phrases.sort_by_key(|phrase| std::cmp::Reverse(phrase.len()));
            phrases
        };
        let cues = lists
            .cues
            .each()
            .into_iter()
            .flat_map(|(text, kind)| lines(text).map(move |cue| (cue.to_owned(), kind)));
        Chinese {
            classes: classes([
                (&lists.numbers, Class::Number),
                (&lists.time, Class::Time),
                (&lists.stop, Class::Stop),
                (&lists.filler, Class::Filler),
                (&lists.common, Class::Common),
            ]),
            openers: longest_first(&lists.openers),
            closers: longest_first(&lists.closers),
            service: longest_first(&lists.service),
            cues: cues.collect(),
            refusals: longest_first(&lists.refusals),
            no_refusals: longest_first(&lists.no_refusals),
            problems: longest_first(&lists.problems),
            causes: longest_first(&lists.causes),
            confirmations: longest_first(&lists.confirmations),
            copulas: set(&lists.copulas),
            vague: set(&lists.vague),
            advice: longest_first(&lists.advice),
            hedges: set(&lists.hedges),
            nouns: set(&lists.nouns),
            generic: set(&lists.generic),
            before_person: set(&lists.before_person),
            after_person: set(&lists.after_person),
            dictionary: lines(&lists.dictionary)
                .filter_map(|line| line.split_once(' '))
                .map(|(word, tag)| (word.to_owned(), tag.to_owned()))
                .collect(),
            surnames: set(&lists.surnames),
        }
    }

    /// The list that a word is in.
    pub fn class(&self, word: &str) -> Option<Class> {
        self.classes.get(word).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_parse() {
        serde_yaml::from_str::<EnglishLists>(ENGLISH_LISTS).expect("en.yaml");
        serde_yaml::from_str::<ChineseLists>(CHINESE_LISTS).expect("zh.yaml");
    }

    #[test]
    fn a_word_in_two_lists_has_the_class_that_says_more() {
        assert_eq!(english().class("next"), Some(Class::Time));
        assert_eq!(english().class("one"), Some(Class::Number));
        assert_eq!(english().class("since"), Some(Class::Time));
        assert_eq!(english().class("turbine"), None);
    }
}
