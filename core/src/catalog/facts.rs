//! What the catalogue keeps of one card.
//!
//! Reads a file and never fails: what cannot be read is listed under its file name, with a warning. Called by
//! the catalogue, from many threads.

use super::CardFacts;
use crate::card::Card;
use crate::link;
use crate::workspace::{RelPath, Workspace};
use pulldown_cmark::{Event, Parser, Tag};
use std::collections::HashSet;

/// A card as it was read.
pub(super) struct Reading {
    /// `None`: the file is gone.
    pub facts: Option<CardFacts>,
    pub warnings: Vec<String>,
}

const CONVERSATION: &str = "source_conversation";
const PICTURES: &str = "source_images";

pub(super) fn read(workspace: &Workspace, path: &RelPath) -> Reading {
    let bytes = match workspace.read(path) {
        Ok(Some(bytes)) => bytes,
        Ok(None) => return Reading { facts: None, warnings: Vec::new() },
        Err(error) => {
            let facts = CardFacts { name: path.stem().to_owned(), ..CardFacts::default() };
            return Reading {
                facts: Some(facts),
                warnings: vec![format!("{path}: cannot be read: {error}")],
            };
        }
    };
    let mut warnings = Vec::new();
    let text = String::from_utf8(bytes).unwrap_or_else(|error| {
        warnings.push(format!("{path}: it is not UTF-8 throughout; the bad bytes are shown as \u{fffd}"));
        String::from_utf8_lossy(error.as_bytes()).into_owned()
    });
    let card = Card::parse(text);
    warnings.extend(card.warnings().iter().map(|warning| format!("{path}: {warning}")));
    Reading { facts: Some(facts(&card, path, &workspace.config().tag_key)), warnings }
}

fn facts(card: &Card, path: &RelPath, tag_key: &str) -> CardFacts {
    let name = card.get("name").map(str::trim).filter(|name| !name.is_empty()).unwrap_or(path.stem());
    let links = link::find(card.text());
    CardFacts {
        name: name.to_owned(),
        description: card.get("description").unwrap_or_default().to_owned(),
        session_id: card.get("session_id").map(str::to_owned),
        source: card.get(CONVERSATION).map(target),
        tags: card.list(tag_key),
        images: images(card, &links),
        links: once(links.into_iter().map(|link| link.target)),
        fault: card.fault().cloned(),
        conflicted: is_conflicted(card.text()),
    }
}

/// The target of a lone link, or the text itself.
fn target(value: &str) -> String {
    let link = link::find(value).into_iter().next();
    link.map_or_else(|| value.trim().to_owned(), |link| link.target)
}

fn images(card: &Card, links: &[link::Link]) -> Vec<String> {
    let listed = card.list(PICTURES).into_iter().map(|value| target(&value));
    let embeds = links.iter().filter(|link| link.embed && is_picture(&link.target));
    let mut in_body: Vec<(usize, String)> =
        embeds.map(|link| (link.span.start, link.target.clone())).collect();
    if card.body().contains("![") {
        let body_start = card.text().len() - card.body().len();
        for (event, range) in Parser::new(card.body()).into_offset_iter() {
            if let Event::Start(Tag::Image { dest_url, .. }) = event {
                in_body.push((body_start + range.start, dest_url.into_string()));
            }
        }
        in_body.sort();
    }
    once(listed.chain(in_body.into_iter().map(|(_, target)| target)).filter(|target| !target.is_empty()))
}

fn is_picture(target: &str) -> bool {
    const EXTENSIONS: [&str; 9] = ["png", "jpg", "jpeg", "gif", "webp", "bmp", "tiff", "heic", "svg"];
    let extension = target.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase());
    extension.is_some_and(|extension| EXTENSIONS.contains(&extension.as_str()))
}

/// Whether a merge left both sides in the file.
fn is_conflicted(text: &str) -> bool {
    let has = |marker: &str| text.lines().any(|line| line.starts_with(marker));
    text.contains("<<<<<<< ") && has("<<<<<<< ") && has("=======") && has(">>>>>>> ")
}

fn once(items: impl Iterator<Item = String>) -> Vec<String> {
    let mut seen = HashSet::new();
    items.filter(|item| seen.insert(item.clone())).collect()
}
