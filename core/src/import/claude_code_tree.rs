//! Which branches of a Claude Code transcript the person took back.
//!
//! Owns the rule: two prompts typed under one parent are a rewind; the one above the last row of the main
//! conversation stands, the others fall with all below them. Parallel tool calls also fork the tree and are
//! left alone. Called by `claude_code`.

use super::common::{flag, words};
use super::{content, injected};
use crate::message::{Block, Fields};
use std::collections::{HashMap, HashSet};

/// The ids of all rows in branches that were taken back, and the prompts that head them.
pub(super) fn taken_back<'a>(rows: &[&'a Fields]) -> (HashSet<&'a str>, Vec<&'a str>) {
    let mut parents: HashMap<&str, &str> = HashMap::new();
    let mut children: HashMap<&str, Vec<&str>> = HashMap::new();
    let mut prompts: HashMap<&str, Vec<&str>> = HashMap::new();
    let mut last = None;
    for row in rows {
        let Some(uuid) = words(row, "uuid") else { continue };
        if matches!(words(row, "type"), Some("user" | "assistant")) && !flag(row, "isSidechain") {
            last = Some(uuid);
        }
        let Some(parent) = words(row, "parentUuid").or_else(|| words(row, "logicalParentUuid")) else {
            continue;
        };
        if parents.insert(uuid, parent).is_some() {
            continue;
        }
        children.entry(parent).or_default().push(uuid);
        if is_typed_prompt(row) {
            prompts.entry(parent).or_default().push(uuid);
        }
    }
    let kept = with_ancestors(last, &parents);
    let mut heads: Vec<&str> = Vec::new();
    for rivals in prompts.values() {
        if rivals.len() > 1 && rivals.iter().any(|prompt| kept.contains(prompt)) {
            heads.extend(rivals.iter().filter(|prompt| !kept.contains(*prompt)));
        }
    }
    heads.sort_unstable();
    (with_descendants(&heads, &children), heads)
}

fn is_typed_prompt(row: &Fields) -> bool {
    let flagged = ["isSidechain", "isMeta", "isCompactSummary", "isVisibleInTranscriptOnly"];
    if words(row, "type") != Some("user") || flagged.iter().any(|key| flag(row, key)) {
        return false;
    }
    let Some(value) = row.get("message").and_then(|message| message.get("content")) else { return false };
    let blocks = content::read(value).blocks;
    let typed =
        blocks.iter().filter_map(Block::as_text).any(|text| !injected::strip_claude_code(text).is_empty());
    typed || blocks.iter().any(Block::is_image)
}

fn with_ancestors<'a>(last: Option<&'a str>, parents: &HashMap<&'a str, &'a str>) -> HashSet<&'a str> {
    let mut kept = HashSet::new();
    let mut at = last;
    while let Some(uuid) = at {
        if !kept.insert(uuid) {
            break;
        }
        at = parents.get(uuid).copied();
    }
    kept
}

fn with_descendants<'a>(heads: &[&'a str], children: &HashMap<&'a str, Vec<&'a str>>) -> HashSet<&'a str> {
    let mut lost = HashSet::new();
    let mut open: Vec<&str> = heads.to_vec();
    while let Some(uuid) = open.pop() {
        if lost.insert(uuid) {
            open.extend(children.get(uuid).into_iter().flatten());
        }
    }
    lost
}
