//! Topic: the card's name, from the words by which a person would find the conversation again.
//!
//! Owns which phrases name a conversation and how they are joined; never a date, never a word that the source
//! lacks. Called once a card.

use super::hash::WordMap;
use super::language::Language;
use super::lexicon::{self, Class};
use super::phrase::{self, Word};
use super::select::Chosen;
use super::turn::{Talk, Voice};
use super::words::{Token, is_han};

/// Words of a name, and of one phrase in it.
const MOST_WORDS: usize = 4;
const MOST_IN_PHRASE: usize = 3;
/// Han characters of a name; the dictionary's words are short.
const MOST_HAN: usize = 10;
/// A further phrase is worth at least this share of the best.
const WORTH_ADDING: f32 = 0.6;
/// A word counts once a turn: so much from a person, and from a program.
const PERSON: f32 = 1.0;
const PROGRAM: f32 = 0.5;
/// A statement of the card repeats what matters.
const STATED: f32 = 0.4;
/// Words of the first sentence that names anything weigh so much more.
const OPENING: f32 = 1.35;
/// The same for the second word of a name.
const WORTH_PAIRING: f32 = 0.3;
/// So many Han characters say as much as a Latin word.
const HAN_A_WORD: usize = 3;
/// What is left of the worth of a word that stands in code, once.
const CODE_ONCE: f32 = 0.5;
/// What the count of a word is that people do not come back to.
const SAID_ONCE: f32 = PERSON + STATED;

/// What a word is worth to a name.
struct Weight {
    worth: f32,
    /// How often it was said.
    count: f32,
}

/// A phrase, and where it stands.
struct Phrase<'r> {
    words: &'r [Word],
    /// The run of the talk, and the word within it.
    place: (usize, usize),
    sentence: usize,
    /// Stands in the sentence with which the talk opens.
    opens: bool,
    score: f32,
}

/// A name such as `nginx-ssl-error`.
pub(super) fn name(talk: &Talk, chosen: &[Chosen<'_>], language: Language) -> String {
    let runs = runs(talk);
    let weights = weights(talk, &runs, chosen);
    let mut phrases = phrases(&runs, &weights, language);
    phrases.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.place.cmp(&b.place)));
    let mut taken: Vec<Phrase<'_>> = Vec::new();
    let best = phrases.first().map_or(0.0, |phrase| phrase.score);
    for phrase in phrases {
        if !taken.is_empty() && !adds(&phrase, &taken, &weights, language, best) {
            continue;
        }
        let words = |phrases: &[Phrase<'_>]| phrases.iter().map(|phrase| phrase.words.len()).sum::<usize>();
        let fresh = taken.iter().all(|other| {
            other.words.iter().all(|word| phrase.words.iter().all(|mine| !alike(&mine.key, &word.key)))
        });
        let room = words(&taken) + phrase.words.len() <= MOST_WORDS && {
            let length = |phrase: &Phrase<'_>| {
                phrase.words.iter().map(|word| word.text.chars().count()).sum::<usize>()
            };
            language == Language::English
                || taken.is_empty()
                || taken.iter().map(length).sum::<usize>() + length(&phrase) <= MOST_HAN
        };
        if fresh && room {
            taken.push(phrase);
        }
    }
    taken.sort_by_key(|phrase| phrase.place);
    let name = match taken.is_empty() {
        true => frequent(chosen).map(|token| safe(&token.norm)).take(2).collect::<Vec<_>>().join("-"),
        false => joined(&taken),
    };
    match (name.is_empty(), language) {
        (false, _) => name,
        (true, Language::English) => "conversation".to_owned(),
        (true, Language::Chinese) => "对话".to_owned(),
    }
}

/// Whether a further phrase makes a name better: a short name needs one, a long one only what people come back to.
fn adds(
    phrase: &Phrase<'_>,
    taken: &[Phrase<'_>],
    weights: &WordMap<&str, Weight>,
    language: Language,
    best: f32,
) -> bool {
    let words = taken.iter().flat_map(|phrase| phrase.words);
    let length = match language {
        Language::English => words.count(),
        Language::Chinese => words.map(|word| word.text.chars().count()).sum::<usize>() / HAN_A_WORD,
    };
    let share = phrase.score / best;
    let recurs = |word: &Word| weights.get(word.key.as_str()).is_some_and(|weight| weight.count > SAID_ONCE);
    match length {
        0 | 1 => share >= WORTH_PAIRING,
        2 if phrase.opens => share >= WORTH_ADDING,
        _ => share >= WORTH_ADDING && phrase.words.iter().any(recurs),
    }
}

/// A run of naming words, and whence it comes.
struct Run {
    words: Vec<Word>,
    turn: usize,
    sentence: usize,
}

fn runs(talk: &Talk) -> Vec<Run> {
    let mut runs = Vec::new();
    let mut place = 0;
    for (turn, its) in talk.turns.iter().enumerate() {
        for sentence in &its.sentences {
            place += 1;
            if !sentence.serves {
                let found = phrase::runs(sentence).into_iter();
                runs.extend(found.map(|words| Run { words, turn, sentence: place }));
            }
        }
    }
    runs
}

/// How a word stands in the talk.
struct Standing {
    count: f32,
    /// The last turn that was counted.
    turn: usize,
    class: f32,
    /// It stands in code alone.
    code: bool,
    opens: bool,
}

/// What each word is worth to a name: much, when people come back to it.
fn weights<'r>(talk: &Talk, runs: &'r [Run], chosen: &[Chosen<'_>]) -> WordMap<&'r str, Weight> {
    let mut standings: WordMap<&str, Standing> = WordMap::default();
    let opening = runs.first().map_or(0, |run| run.sentence);
    for run in runs {
        let program = talk.turns.get(run.turn).is_some_and(|turn| turn.voice == Voice::Assistant);
        for word in run.words.iter().filter(|word| !word.link) {
            let standing = standings.entry(word.key.as_str()).or_insert(Standing {
                count: 0.0,
                turn: usize::MAX,
                class: 0.0,
                code: true,
                opens: false,
            });
            standing.class = standing.class.max(by_class(word, talk));
            standing.code &= word.code;
            standing.opens |= run.sentence == opening;
            if std::mem::replace(&mut standing.turn, run.turn) != run.turn {
                standing.count += if program { PROGRAM } else { PERSON };
            }
        }
    }
    for word in chosen.iter().flat_map(|chosen| phrase::runs(chosen.candidate.sentence)).flatten() {
        if let Some(standing) = standings.get_mut(word.key.as_str()) {
            standing.count += STATED;
        }
    }
    let weigh = |standing: Standing| {
        let once = standing.code && standing.count <= SAID_ONCE;
        let class = standing.class * if once { CODE_ONCE } else { 1.0 };
        let opening = if standing.opens { OPENING } else { 1.0 };
        Weight { worth: class * (1.0 + standing.count).ln() * opening, count: standing.count }
    };
    standings.into_iter().map(|(key, standing)| (key, weigh(standing))).collect()
}

fn by_class(word: &Word, talk: &Talk) -> f32 {
    let product = lexicon::english().products.contains(&word.key);
    let generic = lexicon::english().generic.contains(&word.key);
    match word.class {
        _ if talk.among_people && talk.people.contains(&word.key) => 0.1,
        _ if product && !word.code => 1.3,
        _ if word.code => 0.8,
        _ if generic => 0.75,
        _ if word.verb => 0.9,
        _ if word.text.starts_with(is_han) && word.text.chars().nth(1).is_none() => 0.5,
        Class::Name => 1.15,
        _ => 1.0,
    }
}

/// All parts of runs that could stand in a name.
fn phrases<'r>(runs: &'r [Run], weights: &WordMap<&str, Weight>, language: Language) -> Vec<Phrase<'r>> {
    let longest = if language == Language::Chinese { MOST_WORDS } else { MOST_IN_PHRASE };
    let mut phrases = Vec::new();
    for (at, run) in runs.iter().enumerate() {
        for length in 1..=longest.min(run.words.len()) {
            for (start, words) in run.words.windows(length).enumerate() {
                let ends = words.first().zip(words.last());
                let repeats = words
                    .iter()
                    .enumerate()
                    .any(|(n, word)| words.iter().skip(n + 1).any(|other| alike(&other.key, &word.key)));
                if repeats || ends.is_none_or(|(first, last)| first.link || last.link) {
                    continue;
                }
                let worth: f32 = words
                    .iter()
                    .filter_map(|word| weights.get(word.key.as_str()))
                    .map(|weight| weight.worth)
                    .sum();
                let count = words.iter().filter(|word| !word.link).count().max(1) as f32;
                let linked = if words.iter().any(|word| word.link) { 1.2 } else { 1.0 };
                phrases.push(Phrase {
                    words,
                    place: (at, start),
                    sentence: run.sentence,
                    opens: runs.first().is_some_and(|first| first.sentence == run.sentence),
                    score: linked * worth / count.powf(0.55),
                });
            }
        }
    }
    phrases
}

fn alike(a: &str, b: &str) -> bool {
    a == b || (a.starts_with(is_han) && (a.contains(b) || b.contains(a)))
}

/// Chinese words are written together where they stand together, others with hyphens.
fn joined(phrases: &[Phrase<'_>]) -> String {
    let mut name = String::new();
    let mut before: Option<usize> = None;
    for phrase in phrases {
        for (n, word) in phrase.words.iter().enumerate() {
            let text = safe(&word.text);
            let han = |c: Option<char>| c.is_some_and(is_han);
            let near = n > 0 || before == Some(phrase.sentence);
            let together = near && (han(name.chars().next_back()) || han(text.chars().next()));
            if !name.is_empty() && !text.is_empty() && !together {
                name.push('-');
            }
            name.push_str(&text);
        }
        before = Some(phrase.sentence);
    }
    name
}

/// Where nothing is named, the words of the statements that say anything.
fn frequent<'t>(chosen: &'t [Chosen<'_>]) -> impl Iterator<Item = &'t Token> {
    let tokens = || chosen.iter().flat_map(|chosen| chosen.candidate.sentence.core_tokens());
    let of = |wanted: &'static [Class]| {
        tokens().filter(move |token| wanted.contains(&token.class) && token.norm.chars().nth(1).is_some())
    };
    of(&[Class::Plain, Class::Name]).chain(of(&[Class::Common]))
}

fn safe(word: &str) -> String {
    word.chars()
        .map(|c| if c.is_alphanumeric() { c } else { '-' })
        .collect::<String>()
        .trim_matches('-')
        .replace("--", "-")
}
