//! The distiller of a recording: it answers with what the recorded card holds.

use super::Case;
use reme_core::card::Card;
use reme_core::distill::{DistillError, Distiller, Draft, Progress, Request};
use std::sync::atomic::{AtomicBool, Ordering};

pub struct Script {
    reply: Reply,
    asked: AtomicBool,
}

enum Reply {
    Draft(Draft),
    Failure,
}

impl Script {
    /// A card that changed is the draft; an answer without one a skip; a failure a failure.
    pub fn of(case: &Case) -> Script {
        let path = case.card_path();
        let card = path.and_then(|path| case.text(path)).map(Card::parse);
        let changed = case.metadata("modified") == true;
        let reply = match card.filter(|_| changed) {
            Some(card) => Reply::Draft(draft(case, path.unwrap_or_default(), &card)),
            None if case.success() => Reply::Draft(Draft {
                skip: true,
                skip_reason: "nothing that lasts".to_owned(),
                ..Draft::default()
            }),
            None => Reply::Failure,
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
}
