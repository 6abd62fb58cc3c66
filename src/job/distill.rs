//! `reme distill FILE|-`: the draft alone; nothing is written.

use super::{Call, Job, Kind, Param, note_warnings, read_input};
use crate::output::Outcome;
use reme_core::answer::Answer;
use reme_core::distill::{Distiller, Draft, Request, Unwatched};
use reme_core::import::{self, Conversation};
use serde_json::{Value, json};

pub const JOB: Job = Job {
    name: "distill",
    about: "Print what would be remembered of a conversation; nothing is written",
    params: &[
        Param {
            name: "file",
            kind: Kind::Input,
            required: true,
            about: "The conversation; - is standard input",
        },
        Param { name: "backend", kind: Kind::Text, required: false, about: "Which distiller: offline" },
    ],
    run,
};

fn run(call: &Call) -> Outcome {
    let distiller = match crate::settings::distiller(call.text("backend")) {
        Ok(distiller) => distiller,
        Err(message) => return Outcome::Usage(message),
    };
    match distilled(call, distiller.as_ref()) {
        Ok(drafts) => Outcome::Printed {
            json: vec![json!({ "sessions": drafts.iter().map(Drafted::json).collect::<Vec<_>>() })],
            text: drafts.iter().map(Drafted::text).collect::<Vec<_>>().join("\n"),
            success: true,
        },
        Err(answer) => Outcome::Answer(answer),
    }
}

fn distilled(call: &Call, distiller: &dyn Distiller) -> Result<Vec<Drafted>, Answer> {
    let given = call.text("file").unwrap_or("-");
    let (bytes, name) = read_input(given)?;
    let reading =
        import::read(&bytes, name.as_deref()).map_err(|error| Answer::failure(error.code, error.message))?;
    note_warnings(&reading);
    reading.sessions.into_iter().map(|conversation| drafted(conversation, distiller)).collect()
}

fn drafted(conversation: Conversation, distiller: &dyn Distiller) -> Result<Drafted, Answer> {
    let request = Request {
        messages: &conversation.messages,
        news: &[],
        images: &[],
        card: None,
        known_tags: &[],
        hint: None,
    };
    let draft = distiller
        .distill(&request, &Unwatched)
        .map_err(|error| Answer::failure("distiller", error.to_string()))?;
    Ok(Drafted { session_id: conversation.session_id, messages: conversation.messages.len(), draft })
}

struct Drafted {
    session_id: Option<String>,
    messages: usize,
    draft: Draft,
}

impl Drafted {
    fn json(&self) -> Value {
        json!({ "session_id": self.session_id, "messages": self.messages, "draft": self.draft })
    }

    fn text(&self) -> String {
        let draft = &self.draft;
        if draft.skip {
            return format!("Nothing to remember: {}\n", draft.skip_reason);
        }
        let mut text = format!("# {}\n\n{}\n", draft.name, draft.description);
        for section in &draft.sections {
            text.push_str(&format!("\n## {}\n\n", section.heading));
            for item in &section.items {
                let numbers: Vec<String> = item.evidence.iter().map(usize::to_string).collect();
                text.push_str(&format!("- {} [{}]\n", item.text, numbers.join(", ")));
            }
        }
        if let Some(tags) = draft.tags.as_ref().filter(|tags| !tags.is_empty()) {
            text.push_str(&format!("\nTags: {}\n", tags.join(", ")));
        }
        text
    }
}
