//! Recording a submission: what was said is saved before any distiller is asked, and what is news is found.
//!
//! Of a long record only the end is read where it has only grown; what a distiller is given as context is
//! bounded in either case. Called through [`super::record`].

use super::coverage::Coverage;
use super::images::Images;
use super::{DayFolder, MemorizeError, Recorded, Submission, read};
use crate::dialog::{self, Mark};
use crate::distill::Distiller;
use crate::image::MessageImage;
use crate::import::Warning;
use crate::message::{self, Msg};
use crate::store::{Change, ChangeSet, Store};
use crate::workspace::{RelPath, Workspace};
use chrono::NaiveDate;
use std::collections::HashMap;
use std::fs::File;
use std::io;

/// How many messages before the first news a distiller gets to see.
const CONTEXT: usize = 50;

/// Saves the dialog record and, where they are wanted, the pictures, and finds out what is news.
///
/// The distiller is only asked whether it sees: pictures that cannot be shown stop the call before anything is
/// saved.
pub fn record(
    store: &Store,
    submission: Submission,
    distiller: &dyn Distiller,
) -> Result<Recorded, MemorizeError> {
    let workspace = store.workspace();
    let path = workspace.dialog(&submission.session_id)?;
    let mut submitted = submission.messages;
    message::id::derive(&submission.session_id, &mut submitted);
    let mut images = match submission.include_images {
        true => Images::check(workspace, &submission.session_id, &submitted, distiller)?,
        false => Images::default(),
    };
    let day = submission.date.unwrap_or_else(|| day_of(workspace, &submitted));
    let (_, (mut merged, coverage)) = store.commit_with(|| {
        let coverage = Coverage::load(workspace, &submission.session_id)?;
        // A picture may belong to any message of the record.
        let needs_all = submission.force || !images.is_empty();
        let appended = if needs_all { None } else { appended(workspace, &path, &coverage, &submitted)? };
        let mut merged = match appended {
            Some(merged) => merged,
            None => whole(workspace, &path, &coverage, &submitted, submission.force)?,
        };
        images.follow(workspace, &submission.session_id, &merged.known_as)?;
        let summary = format!("record {}", submission.session_id);
        let changes = merged.change.take().into_iter().chain(images.attachments(workspace)?).collect();
        Ok::<_, MemorizeError>((ChangeSet { summary, changes }, (merged, coverage)))
    })?;
    let mut warnings = images.warnings();
    let images = merged.beside(images, &coverage);
    let claimed = DayFolder::load(workspace, day)?.of_session(&submission.session_id, &path);
    let (present, warning) =
        claimed.map_or((None, None), |claimed| (Some(claimed.present.path), claimed.warning));
    warnings.extend(warning.map(|message| Warning { code: "two_cards", message }));
    Ok(Recorded {
        session_id: submission.session_id,
        day,
        record: path,
        present,
        messages: merged.messages,
        news: merged.news,
        images,
        submitted: submitted.len(),
        added: merged.added,
        mark: merged.mark,
        hint: submission.hint,
        warnings,
    })
}

/// The record with a submission merged in, as far as a distiller needs it.
struct Merged {
    messages: Vec<Msg>,
    news: Vec<bool>,
    added: usize,
    mark: Mark,
    change: Option<Change>,
    /// Ids of submitted messages that are stored under other ids.
    known_as: HashMap<String, String>,
}

impl Merged {
    /// Places the pictures beside the messages; a message is news where its picture was not shown yet. Leaves
    /// out what lies too far before the first news and the first picture.
    fn beside(&mut self, images: Images, coverage: &Coverage) -> Vec<MessageImage> {
        let mut images = images.beside(&self.messages);
        for image in images.iter().filter(|image| !coverage.covers_image(image)) {
            if let Some(news) = self.news.get_mut(image.message) {
                *news = true;
            }
        }
        let first_news = self.news.iter().position(|news| *news).unwrap_or(self.news.len());
        let first = images.iter().map(|image| image.message).fold(first_news, usize::min);
        let left_out = first.saturating_sub(CONTEXT);
        self.messages.drain(..left_out);
        self.news.drain(..left_out);
        images.iter_mut().for_each(|image| image.message -= left_out);
        images
    }
}

/// The end of a record that only grows; `None` where the whole record is needed.
fn appended(
    workspace: &Workspace,
    path: &RelPath,
    coverage: &Coverage,
    submitted: &[Msg],
) -> Result<Option<Merged>, MemorizeError> {
    let failed = |source: io::Error| MemorizeError::Read { path: path.to_string(), source };
    let file = workspace.resolve(path)?;
    // Opening a pipe would wait for ever; what is no file is reported where it is read as a whole.
    if !file.is_file() {
        return Ok(None);
    }
    let mut file = File::open(file).map_err(failed)?;
    let (zone, now) = (workspace.zone(), workspace.now());
    let appended =
        dialog::append(path, &mut file, coverage.mark(), CONTEXT, submitted, zone, now).map_err(failed)?;
    Ok(appended.map(|appended| {
        let covered = appended.messages.len() - appended.unmarked;
        let news = appended.messages.iter().enumerate();
        let news = news.map(|(place, message)| place >= covered && !coverage.covers(message)).collect();
        let dialog::Appended { messages, added, mark, change, .. } = appended;
        Merged { messages, news, added, mark, change, known_as: HashMap::new() }
    }))
}

fn whole(
    workspace: &Workspace,
    path: &RelPath,
    coverage: &Coverage,
    submitted: &[Msg],
    force: bool,
) -> Result<Merged, MemorizeError> {
    let stored = read(workspace, path)?;
    let merge = dialog::merge(path, stored.as_deref(), submitted, workspace.zone(), workspace.now());
    let mark = Mark::of(stored.as_deref().unwrap_or_default());
    let mark = merge.change.as_ref().map_or(mark, |change| mark.after(&change.edit));
    let news = merge.messages.iter().map(|message| force || !coverage.covers(message)).collect();
    let added = merge.fresh.iter().filter(|fresh| **fresh).count();
    let dialog::Merge { messages, change, known_as, .. } = merge;
    Ok(Merged { messages, news, added, mark, change, known_as })
}

/// The day of the latest valid message time, else today.
fn day_of(workspace: &Workspace, messages: &[Msg]) -> NaiveDate {
    let zone = workspace.zone();
    messages
        .iter()
        .filter_map(Msg::said_at)
        .max_by_key(|time| time.instant(zone))
        .map_or_else(|| workspace.today(), |time| time.day(zone))
}
