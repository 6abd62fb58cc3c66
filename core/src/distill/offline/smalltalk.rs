//! Small talk: whether a conversation holds anything worth a card.
//!
//! Owns the reasons for a skip; in doubt a conversation is recorded. Called once a conversation.

use super::language::Language;
use super::lexicon::Class;
use super::sentence::Sentence;
use super::turn::{Talk, Voice};
use super::words::Token;

/// Why nothing is worth a card; `None` where something may be.
pub(super) fn reason(talk: &Talk, language: Language) -> Option<&'static str> {
    if !talk.turns.iter().any(|turn| turn.news) {
        return Some(match language {
            Language::English => "nothing new since the last memory",
            Language::Chinese => "自上次记忆以来没有新内容",
        });
    }
    if talk.turns.iter().all(|turn| turn.sentences.is_empty()) {
        return Some(match language {
            Language::English => "only code or data, and no sentence about it",
            Language::Chinese => "只有代码或数据，没有文字说明",
        });
    }
    let remarkable = talk
        .turns
        .iter()
        .filter(|turn| turn.news)
        .any(|turn| turn.sentences.iter().any(|sentence| says_something(sentence, talk, turn.voice)));
    (!remarkable).then_some(match language {
        Language::English => "only small talk: greetings, thanks and pleasantries",
        Language::Chinese => "只有寒暄：问候、致谢和客套话",
    })
}

/// So many frequent words in a sentence say something together.
const FREQUENT: usize = 3;

fn says_something(sentence: &Sentence, talk: &Talk, voice: Voice) -> bool {
    let count = |wanted: fn(&Token) -> bool| {
        let tokens = sentence.core_tokens().iter();
        tokens.filter(|token| wanted(token) && !talk.people.contains(&token.norm)).count()
    };
    let substance = count(Token::has_substance);
    let frequent = count(|token| token.class == Class::Common);
    !sentence.serves
        && match voice {
            Voice::Person => substance > 0 || (frequent >= FREQUENT && !sentence.asks),
            // One word of a program's courtesy is not yet news.
            Voice::Assistant => substance > 1,
        }
}
