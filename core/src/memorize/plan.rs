//! From a draft to a proposal: what would change, and why. Reads the workspace, writes nothing.

use super::coverage::Coverage;
use super::day::DayFolder;
use super::{Choices, MemorizeError, Present, Proposal, Recorded, images, inbound, tags};
use crate::card::render::{self, NewCard, RenderContext};
use crate::card::{Card, FieldValue, merge, statement};
use crate::dialog::Mark;
use crate::distill::Draft;
use crate::image::MessageImage;
use crate::link;
use crate::message::Msg;
use crate::store::{Base, Change, ChangeSet, Edit, Hash};
use crate::workspace::path::repair_name;
use crate::workspace::{RelPath, Workspace};
use chrono::NaiveDate;

/// The card's list of the pictures that it rests on.
const SOURCE_IMAGES: &str = "source_images";

/// What a proposal is planned from; choices come on top.
#[derive(Clone, Copy)]
pub(super) struct Basis<'a> {
    pub session_id: &'a str,
    pub day: NaiveDate,
    pub record: &'a RelPath,
    pub messages: &'a [Msg],
    pub mark: Mark,
    pub images: &'a [MessageImage],
    pub present: Option<&'a Present>,
    pub draft: &'a Draft,
}

/// The session's card of the day as it is on disk, and a warning when there is more than one; an error where it
/// is no text.
pub(super) fn present(
    folder: &DayFolder,
    session_id: &str,
    record: &RelPath,
) -> Result<(Option<Present>, Option<String>), MemorizeError> {
    match folder.of_session(session_id, record) {
        Some(claimed) if claimed.damaged => Err(MemorizeError::NotText { path: claimed.present.path }),
        Some(claimed) => Ok((Some(claimed.present), claimed.warning)),
        None => Ok((None, None)),
    }
}

/// A person's choices on top of other first choices: what differs from the old ones was chosen and stays.
pub(super) fn carry(chosen: &Choices, was: &Choices, is: &Choices) -> Choices {
    let name = if chosen.name == was.name { &is.name } else { &chosen.name };
    let is_gone = |tag: &&String| was.tags.contains(tag) && !is.tags.contains(tag);
    let mut tags: Vec<String> = chosen.tags.iter().filter(|tag| !is_gone(tag)).cloned().collect();
    for tag in is.tags.iter().filter(|tag| !was.tags.contains(tag)) {
        if !tags.contains(tag) {
            tags.push(tag.clone());
        }
    }
    Choices { name: name.clone(), tags, ..chosen.clone() }
}

/// Who decides on a draft's new name for a card.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Renaming {
    /// A person, in review; until then the card keeps its name.
    Asks,
    /// The draft, when it gives a reason and no person chose the present name.
    Follows,
}

/// The choices that a proposal starts with: what the draft says, what the card has.
pub(super) fn first_choices(
    basis: &Basis<'_>,
    workspace: &Workspace,
    known_tags: &[String],
    renaming: Renaming,
) -> Result<Choices, MemorizeError> {
    let proposed = basis.draft.tags.clone().unwrap_or_default();
    let key = &workspace.config().tag_key;
    let has = basis.present.map_or(Vec::new(), |present| Card::parse(present.text.as_str()).list(key));
    let name = match basis.present {
        None => fallback_name(basis),
        Some(present) => match renaming {
            Renaming::Follows => new_name(workspace, basis, present)?,
            Renaming::Asks => None,
        }
        .unwrap_or_else(|| present.path.stem().to_owned()),
    };
    let tags = tags::join(&has, &proposed, known_tags);
    Ok(Choices { name, tags, body: None, retarget: true })
}

/// The draft's name for a card that has another one, if it gives a reason and the present one is no person's: a
/// file that is not called what its card says was renamed by hand.
fn new_name(
    workspace: &Workspace,
    basis: &Basis<'_>,
    present: &Present,
) -> Result<Option<String>, MemorizeError> {
    let stem = present.path.stem();
    if basis.draft.rename_reason.trim().is_empty() || basis.draft.name.trim().is_empty() {
        return Ok(None);
    }
    let card = Card::parse(present.text.as_str());
    let by_hand = card.get("name").is_some_and(|name| !name.is_empty() && repair_name(name) != stem);
    if by_hand || Coverage::load(workspace, basis.session_id)?.is_chosen(stem) {
        return Ok(None);
    }
    Ok(Some(repair_name(&basis.draft.name)))
}

fn fallback_name(basis: &Basis<'_>) -> String {
    let name = repair_name(&basis.draft.name);
    if name.is_empty() { repair_name(basis.session_id) } else { name }
}

/// Plans the proposal that these choices make of a basis.
pub(super) fn build(
    workspace: &Workspace,
    folder: &DayFolder,
    basis: Basis<'_>,
    choices: Choices,
) -> Result<Proposal, MemorizeError> {
    let own = basis.present.map(|present| &present.path);
    let name = folder.free_name(&choices.name, own);
    let path = workspace.card(basis.day, &name)?;
    let mut notes = Vec::new();
    if name != choices.name {
        notes.push(format!("{} is another conversation's card; this one becomes {name}", choices.name));
    }
    let renamed = own.filter(|old| **old != path);
    let known = match basis.present {
        Some(present) => {
            let body = Card::parse(present.text.as_str()).body().trim().to_owned();
            body.is_empty() || Coverage::load(workspace, basis.session_id)?.wrote(&body)
        }
        None => true,
    };
    let target = Target { name: &name, path: &path };
    let (text, replaces) = match basis.present {
        Some(present) => updated(workspace, &basis, present, &choices, target, &mut notes),
        None => (created(workspace, &basis, &choices, target, &mut notes), false),
    };
    let is_by_hand = choices.body.is_some();
    let mut proposal = Proposal {
        session_id: basis.session_id.to_owned(),
        day: basis.day,
        record: basis.record.clone(),
        draft: basis.draft.clone(),
        messages: basis.messages.to_vec(),
        mark: basis.mark,
        images: basis.images.to_vec(),
        present: basis.present.cloned(),
        choices,
        path,
        text,
        links: Vec::new(),
        notes,
        needs_review: replaces && !known && !is_by_hand,
        is_ours: !is_by_hand && (known || basis.draft.body.is_some()),
        is_named: false,
        tag_error: None,
        changes: ChangeSet::default(),
    };
    let mut changes = Vec::new();
    if let Some(old) = renamed {
        rename(workspace, &mut proposal, old, &mut changes)?;
    }
    changes.splice(0..0, own_changes(&proposal, renamed));
    proposal.changes = ChangeSet { summary: format!("memorize {}", basis.session_id), changes };
    Ok(proposal)
}

/// The card itself: written, and gone from where it was.
fn own_changes(proposal: &Proposal, renamed: Option<&RelPath>) -> Vec<Change> {
    let write = Edit::Write(proposal.text.clone().into_bytes());
    match (&proposal.present, renamed) {
        (None, _) => vec![Change { path: proposal.path.clone(), base: Base::Absent, edit: write }],
        (Some(present), None) if present.text == proposal.text => Vec::new(),
        (Some(present), None) => {
            vec![Change { path: proposal.path.clone(), base: base_of(present), edit: write }]
        }
        (Some(present), Some(old)) => vec![
            Change { path: proposal.path.clone(), base: Base::Absent, edit: write },
            Change { path: old.clone(), base: base_of(present), edit: Edit::Delete },
        ],
    }
}

fn base_of(present: &Present) -> Base {
    Base::Is(Hash::of(present.text.as_bytes()))
}

/// Makes links follow the card: in other files if the person wants it, in the card itself always.
fn rename(
    workspace: &Workspace,
    proposal: &mut Proposal,
    old: &RelPath,
    changes: &mut Vec<Change>,
) -> Result<(), MemorizeError> {
    let retargeted = inbound::retarget(workspace, old, &proposal.path)?;
    proposal.links = retargeted.edits;
    proposal.notes.extend(retargeted.notes);
    let short = inbound::short_forms(&workspace.markdown_files(), old);
    if let Some((text, edits)) = link::retarget(&proposal.path, &proposal.text, old, &proposal.path, short) {
        proposal.text = text;
        proposal.links.extend(edits);
    }
    if proposal.choices.retarget {
        changes.extend(retargeted.changes);
    }
    Ok(())
}

/// A link may point at a picture of this call, and at files that exist: those of earlier calls, the record, cards.
/// Where the card will be.
#[derive(Clone, Copy)]
struct Target<'a> {
    name: &'a str,
    path: &'a RelPath,
}

fn may_link(workspace: &Workspace, basis: &Basis<'_>, own: &RelPath, path: &RelPath) -> bool {
    let shown = path == own || basis.images.iter().any(|image| image.source == format!("[[{path}]]"));
    shown || workspace.resolve(path).is_ok_and(|file| file.exists())
}

fn context<'a>(basis: &Basis<'a>, may_link: &'a (dyn Fn(&RelPath) -> bool + 'a)) -> RenderContext<'a> {
    RenderContext { record: basis.record, messages: basis.messages, may_link }
}

fn created(
    workspace: &Workspace,
    basis: &Basis<'_>,
    choices: &Choices,
    target: Target<'_>,
    notes: &mut Vec<String>,
) -> String {
    let may_link = |path: &RelPath| may_link(workspace, basis, target.path, path);
    let rendered = render::render(basis.draft, &context(basis, &may_link));
    notes.extend(rendered.notes);
    let body = choices.body.clone().unwrap_or(rendered.body);
    let is_tagged = basis.draft.tags.is_some() || !choices.tags.is_empty();
    render::new_card(&NewCard {
        name: target.name,
        description: &render::plain_line(&basis.draft.description),
        session_id: basis.session_id,
        source_conversation: &format!("[[{}]]", basis.record),
        source_images: &images::union(Vec::new(), basis.images),
        tag_key: &workspace.config().tag_key,
        tags: is_tagged.then_some(choices.tags.as_slice()),
        body: &body,
    })
}

/// The card on disk with the draft's statements merged in, and whether text of others goes. A block that cannot be
/// read stays as it is.
fn updated(
    workspace: &Workspace,
    basis: &Basis<'_>,
    present: &Present,
    choices: &Choices,
    target: Target<'_>,
    notes: &mut Vec<String>,
) -> (String, bool) {
    let may_link = |path: &RelPath| may_link(workspace, basis, target.path, path);
    let mut card = Card::parse(present.text.as_str());
    let merged = merge::merge(card.body(), basis.draft, &context(basis, &may_link));
    notes.extend(merged.notes);
    if !merged.put_back.is_empty() {
        notes.push(match merged.put_back.len() {
            1 => "1 earlier statement stays as it is".to_owned(),
            n => format!("{n} earlier statements stay as they are"),
        });
    }
    let body = choices.body.as_deref().unwrap_or(&merged.body);
    if body.trim() != card.body().trim() {
        card.set_body(body);
    }
    if let Some(fault) = card.fault() {
        notes
            .push(format!("line {} of the card cannot be read; its properties stay as they are", fault.line));
        return (card.text().to_owned(), merged.needs_review);
    }
    set_text(&mut card, "name", target.name);
    let description = render::plain_line(&basis.draft.description);
    if !description.is_empty() {
        set_text(&mut card, "description", &description);
    }
    set_text(&mut card, "session_id", basis.session_id);
    set_text(&mut card, "source_conversation", &format!("[[{}]]", basis.record));
    let has = card.list(SOURCE_IMAGES);
    let images = images::union(has.clone(), basis.images);
    if images != has {
        card.set(SOURCE_IMAGES, FieldValue::List(images));
    }
    let key = &workspace.config().tag_key;
    // That nothing is central is said once, where the card changes anyway.
    let says_none = basis.draft.tags.is_some()
        && card.text() != present.text
        && !card.fields().iter().any(|field| field.key == *key);
    if card.list(key) != choices.tags || says_none {
        card.set(key, FieldValue::List(choices.tags.clone()));
    }
    (card.text().to_owned(), merged.needs_review)
}

/// Sets a key only where it differs, so that its spelling on disk stays.
fn set_text(card: &mut Card, key: &str, value: &str) {
    if card.get(key) != Some(value) {
        card.set(key, FieldValue::Text(value.to_owned()));
    }
}

/// The tags of the newest cards, most used first; bounded, so that it costs the same in a large workspace.
pub(super) fn known_tags(workspace: &Workspace) -> Vec<String> {
    const CARDS: usize = 100;
    let key = &workspace.config().tag_key;
    let mut counts: Vec<(String, usize)> = Vec::new();
    let mut left = CARDS;
    for day in workspace.days() {
        let Ok(folder) = DayFolder::load(workspace, day) else { continue };
        for card in folder.cards_with(key) {
            for tag in card.list(key) {
                match counts.iter_mut().find(|(other, _)| *other == tag) {
                    Some((_, count)) => *count += 1,
                    None => counts.push((tag, 1)),
                }
            }
        }
        left = left.saturating_sub(folder.len());
        if left == 0 {
            break;
        }
    }
    counts.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    counts.into_iter().map(|(tag, _)| tag).collect()
}

/// What the distiller may see of the card: its text without footnotes.
pub(super) fn card_for_distiller(present: &Present) -> String {
    statement::without_evidence(&present.text)
}

/// The basis that a proposal was planned from.
pub(super) fn basis_of(proposal: &Proposal) -> Basis<'_> {
    Basis {
        session_id: &proposal.session_id,
        day: proposal.day,
        record: &proposal.record,
        messages: &proposal.messages,
        mark: proposal.mark,
        images: &proposal.images,
        present: proposal.present.as_ref(),
        draft: &proposal.draft,
    }
}

/// The basis of a recorded submission.
pub(super) fn basis<'a>(recorded: &'a Recorded, present: Option<&'a Present>, draft: &'a Draft) -> Basis<'a> {
    Basis {
        session_id: &recorded.session_id,
        day: recorded.day,
        record: &recorded.record,
        messages: &recorded.messages,
        mark: recorded.mark,
        images: &recorded.images,
        present,
        draft,
    }
}
