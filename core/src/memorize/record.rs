//! Recording a submission: what was said is saved before any distiller is asked, and what is news is found out.
//!
//! Of a long record only the end is read where it has only grown; what a distiller is given as context is
//! bounded in either case. Called through [`super::record`].

use super::coverage::Coverage;
use super::{DayFolder, MemorizeError, Recorded, Submission, read};
use crate::dialog::{self, Mark};
use crate::import::Warning;
use crate::message::{self, Msg};
use crate::store::{Change, ChangeSet, Store};
use crate::workspace::{RelPath, Workspace};
use chrono::NaiveDate;
use std::fs::File;
use std::io;

/// How many messages before the first news a distiller gets to see.
const CONTEXT: usize = 50;

/// Saves the dialog record and finds out what is news.
pub fn record(store: &Store, submission: Submission) -> Result<Recorded, MemorizeError> {
    let workspace = store.workspace();
    let path = workspace.dialog(&submission.session_id)?;
    let mut submitted = submission.messages;
    message::id::derive(&submission.session_id, &mut submitted);
    let day = submission.date.unwrap_or_else(|| day_of(workspace, &submitted));
    let (_, merged) = store.commit_with(|| {
        let coverage = Coverage::load(workspace, &submission.session_id)?;
        let appended =
            if submission.force { None } else { appended(workspace, &path, &coverage, &submitted)? };
        let merged = match appended {
            Some(merged) => merged,
            None => whole(workspace, &path, &coverage, &submitted, submission.force)?,
        };
        let summary = format!("record {}", submission.session_id);
        let changes = merged.change.clone().into_iter().collect();
        Ok::<_, MemorizeError>((ChangeSet { summary, changes }, merged))
    })?;
    let claimed = DayFolder::load(workspace, day)?.of_session(&submission.session_id, &path);
    let (present, warning) =
        claimed.map_or((None, None), |claimed| (Some(claimed.present.path), claimed.warning));
    Ok(Recorded {
        session_id: submission.session_id,
        day,
        record: path,
        present,
        messages: merged.messages,
        news: merged.news,
        submitted: submitted.len(),
        added: merged.added,
        mark: merged.mark,
        hint: submission.hint,
        warnings: warning.map(|message| Warning { code: "two_cards", message }).into_iter().collect(),
    })
}

/// The record with a submission merged in, as far as a distiller needs it.
struct Merged {
    messages: Vec<Msg>,
    news: Vec<bool>,
    added: usize,
    mark: Mark,
    change: Option<Change>,
}

impl Merged {
    /// Leaves out what lies too far before the first news.
    fn bounded(mut self) -> Merged {
        let first = self.news.iter().position(|news| *news).unwrap_or(self.news.len());
        let left_out = first.saturating_sub(CONTEXT);
        self.messages.drain(..left_out);
        self.news.drain(..left_out);
        self
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
        Merged { messages, news, added, mark, change }.bounded()
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
    Ok(Merged { messages: merge.messages, news, added, mark, change: merge.change }.bounded())
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
