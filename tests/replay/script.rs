//! The distiller of a recording: it answers with what the recorded card holds.

use super::Case;
use reme_core::card::Card;
use reme_core::distill::{DistillError, Distiller, Draft, Progress, Request, TagRequest};
use std::sync::atomic::{AtomicBool, Ordering};

pub struct Script {
    reply: Reply,
    asked: AtomicBool,
}

enum Reply {
    Draft(Draft),
    Failure,
}

/// What a card is made of where the recording has none, because ReMe refused what the engine takes.
fn any_draft() -> Draft {
    Draft {
        name: "taken".to_owned(),
        description: "what ReMe refused".to_owned(),
        body: Some("taken".to_owned()),
        tags: Some(Vec::new()),
        ..Draft::default()
    }
}

impl Script {
    /// A card that changed is the draft; an answer without one a skip; a failure with a record a failure.
    pub fn of(case: &Case) -> Script {
        let changed = case.metadata("modified") == true || !case.success();
        let path = case.card_path().filter(|_| changed).or_else(|| case.added_card());
        let card = path.and_then(|path| Some((path, Card::parse(case.text(path)?))));
        let recorded = case.files.keys().any(|path| path.ends_with(".jsonl"));
        let reply = match card {
            Some((path, card)) => Reply::Draft(draft(case, path, &card)),
            None if case.refused_name().is_some() => {
                Reply::Draft(Draft { name: case.refused_name().unwrap_or_default(), ..any_draft() })
            }
            None if case.success() => Reply::Draft(Draft {
                skip: true,
                skip_reason: "nothing that lasts".to_owned(),
                ..Draft::default()
            }),
            None if recorded => Reply::Failure,
            None => Reply::Draft(any_draft()),
        };
        Script { reply, asked: AtomicBool::new(false) }
    }

    pub fn was_asked(&self) -> bool {
        self.asked.load(Ordering::Relaxed)
    }
}

fn draft(case: &Case, path: &str, card: &Card) -> Draft {
    let tagged = case.metadata("auto_tag")["succeeded"] == 1;
    let stem = path.rsplit('/').next().unwrap_or(path).trim_end_matches(".md");
    let named = card.get("name").filter(|name| !name.is_empty());
    Draft {
        name: named.unwrap_or(stem).to_owned(),
        rename_reason: "recorded".to_owned(),
        description: card.get("description").unwrap_or_default().to_owned(),
        body: Some(card.body().to_owned()),
        tags: tagged.then(|| card.list(&case.config().tag_key)),
        ..Draft::default()
    }
}

impl Distiller for Script {
    fn name(&self) -> &str {
        "script"
    }

    fn distill(&self, _: &Request<'_>, _: &dyn Progress) -> Result<Draft, DistillError> {
        self.asked.store(true, Ordering::Relaxed);
        match &self.reply {
            Reply::Draft(draft) => Ok(draft.clone()),
            Reply::Failure => Err(DistillError::NoText),
        }
    }

    /// Asked only where the draft has no tags, because recorded tagging failed.
    fn tag(&self, _: &TagRequest<'_>, _: &dyn Progress) -> Result<Vec<String>, DistillError> {
        Err(DistillError::NoText)
    }

    fn sees(&self) -> bool {
        true
    }
}
