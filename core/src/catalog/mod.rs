//! The catalogue: an in-memory picture of the workspace, shared as snapshots and patched by changed paths.
//!
//! A snapshot is first listed (names only, at once), then filled in parallel, then patched. It never writes.
//! Called by the interface, the command line and `watch`.

use crate::card::Fault;
use crate::workspace::{RelPath, Workspace, day};
use chrono::NaiveDate;
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use unicode_normalization::UnicodeNormalization;

mod facts;
mod folder;

/// The workspace as it was at one moment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Snapshot {
    /// The days that have a page or a card, newest first.
    pub days: Vec<Arc<Day>>,
    /// The dialog records, by session id.
    pub sessions: Vec<SessionEntry>,
    /// Whether every card has been read.
    pub complete: bool,
    /// What could not be listed or read, for a person; each begins with the path that it is about.
    pub warnings: Vec<String>,
}

/// One day.
#[derive(Clone, Debug, PartialEq)]
pub struct Day {
    /// Which.
    pub date: NaiveDate,
    /// The page's path, where there is one.
    pub page: Option<RelPath>,
    /// The cards, in file-name order.
    pub cards: Vec<CardEntry>,
}

/// One card, as lists show it.
#[derive(Clone, Debug, PartialEq)]
pub struct CardEntry {
    /// The file.
    pub path: RelPath,
    /// What its frontmatter says; `None` until it has been read.
    pub facts: Option<CardFacts>,
}

/// What lists and links need of a card.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CardFacts {
    /// `name`, else the file's stem.
    pub name: String,
    /// `description`.
    pub description: String,
    /// `session_id`, as text.
    pub session_id: Option<String>,
    /// The target of `source_conversation`.
    pub source: Option<String>,
    /// The tags.
    pub tags: Vec<String>,
    /// What the card links to, each target once.
    pub links: Vec<String>,
    /// The picture links: `source_images`, embeds of pictures, Markdown pictures; each once, in order.
    pub images: Vec<String>,
    /// What is wrong with its frontmatter.
    pub fault: Option<Fault>,
    /// Whether it holds merge conflict markers.
    pub conflicted: bool,
}

/// One dialog record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionEntry {
    /// The session id.
    pub id: String,
    /// The file.
    pub path: RelPath,
    /// Its size in bytes.
    pub size: u64,
}

/// Cards of the first batch: about what a screen shows, so that it is whole at once.
const FIRST_BATCH: usize = 64;

/// No batch is larger, so that the last days' cards do not wait for all.
const LARGEST_BATCH: usize = 2048;

impl Snapshot {
    /// Lists names only: days, cards and records. Fast enough for a first frame.
    pub fn list(workspace: &Workspace) -> Snapshot {
        let mut warnings = Vec::new();
        let daily = folder::daily(workspace, &mut warnings);
        let mut days: BTreeMap<NaiveDate, Day> = BTreeMap::new();
        let empty = |date| Day { date, page: None, cards: Vec::new() };
        for (date, page) in daily.pages {
            days.entry(date).or_insert_with(|| empty(date)).page = Some(page);
        }
        let listed: Vec<_> = (daily.folders.par_iter())
            .map(|date| {
                let mut warnings = Vec::new();
                (*date, folder::cards(workspace, *date, &mut warnings), warnings)
            })
            .collect();
        for (date, cards, found) in listed {
            warnings.extend(found);
            if !cards.is_empty() {
                days.entry(date).or_insert_with(|| empty(date)).cards =
                    cards.into_iter().map(unread).collect();
            }
        }
        let sessions = folder::sessions(workspace, &mut warnings);
        warnings.sort();
        Snapshot {
            days: days.into_values().rev().map(Arc::new).collect(),
            sessions,
            complete: false,
            warnings,
        }
    }

    /// Reads every card that has not been read, in parallel, newest days first; `publish` gets a snapshot after
    /// each batch, and the complete one last.
    pub fn fill(mut self, workspace: &Workspace, publish: &(dyn Fn(Arc<Snapshot>) + Sync)) {
        let unread: Vec<RelPath> = (self.days.iter().flat_map(|day| &day.cards))
            .filter(|card| card.facts.is_none())
            .map(|card| card.path.clone())
            .collect();
        let mut rest = unread.as_slice();
        let mut size = FIRST_BATCH;
        while let Some((batch, after)) = rest.split_at_checked(size.min(rest.len())) {
            self.take(read_all(workspace, batch));
            rest = after;
            self.complete = rest.is_empty();
            publish(Arc::new(self.clone()));
            if self.complete {
                break;
            }
            size = (size * 4).min(LARGEST_BATCH);
        }
    }

    /// The snapshot after these paths changed: they are read again, everything else is shared.
    pub fn patch(&self, workspace: &Workspace, changed: &[RelPath]) -> Snapshot {
        let mut touched = Touched::default();
        for path in changed {
            touched.add(workspace, path);
        }
        if touched.everything {
            return rebuilt(workspace);
        }
        let mut next = self.clone();
        for date in &touched.days {
            next.relist_day(workspace, *date, &touched);
        }
        if touched.sessions {
            let folder = workspace.dialog_folder();
            next.forget_warnings(&[&folder], &[]);
            next.sessions = folder::sessions(workspace, &mut next.warnings);
        }
        next.warnings.sort();
        next
    }

    /// The tags of all cards with their counts, most used first.
    pub fn tags(&self) -> Vec<(String, usize)> {
        let mut counts: HashMap<&str, usize> = HashMap::new();
        for tag in self.facts().flat_map(|(_, facts)| &facts.tags) {
            *counts.entry(tag).or_default() += 1;
        }
        let mut tags: Vec<_> = counts.into_iter().map(|(tag, count)| (tag.to_owned(), count)).collect();
        tags.sort_by(|(a, left), (b, right)| right.cmp(left).then_with(|| a.cmp(b)));
        tags
    }

    /// The cards that link to this file, by its path or by its short name where no other file has it; not the
    /// file itself.
    pub fn inbound(&self, path: &RelPath) -> Vec<RelPath> {
        let full = path.nfc();
        let stem: String = path.stem().nfc().collect();
        let files = self.days.iter().flat_map(|day| day.cards.iter().map(|card| &card.path).chain(&day.page));
        let is_unique = !files.into_iter().any(|file| file != path && file.stem().nfc().eq(stem.chars()));
        let means_path = |target: &String| {
            let target: String = target.trim().nfc().collect();
            let bare = target.strip_suffix(".md").unwrap_or(&target);
            target == full || full.strip_suffix(".md") == Some(&target) || (is_unique && bare == stem)
        };
        self.facts()
            .filter(|(file, facts)| *file != path && facts.links.iter().any(means_path))
            .map(|(file, _)| file.clone())
            .collect()
    }

    fn facts(&self) -> impl Iterator<Item = (&RelPath, &CardFacts)> {
        let cards = self.days.iter().flat_map(|day| &day.cards);
        cards.filter_map(|card| Some((&card.path, card.facts.as_ref()?)))
    }

    /// Takes in what was read; a card that is gone meanwhile leaves the list.
    fn take(&mut self, read: HashMap<RelPath, facts::Reading>) {
        let mut read = read;
        for day in &mut self.days {
            if !day.cards.iter().any(|card| read.contains_key(&card.path)) {
                continue;
            }
            Arc::make_mut(day).cards.retain_mut(|card| match read.remove(&card.path) {
                None => true,
                Some(reading) => {
                    self.warnings.extend(reading.warnings);
                    card.facts = reading.facts;
                    card.facts.is_some()
                }
            });
        }
        self.days.retain(|day| day.page.is_some() || !day.cards.is_empty());
        self.warnings.sort();
    }

    /// Lists one day anew; reads what changed or was not known, keeps the rest.
    fn relist_day(&mut self, workspace: &Workspace, date: NaiveDate, touched: &Touched) {
        let folder = workspace.day_folder(date);
        let page = workspace.day_page(date);
        let place = self.days.binary_search_by(|day| date.cmp(&day.date));
        let known: HashMap<RelPath, Option<CardFacts>> = (place.ok())
            .and_then(|place| self.days.get(place))
            .map(|day| day.cards.iter().map(|card| (card.path.clone(), card.facts.clone())).collect())
            .unwrap_or_default();
        let is_stale = |path: &RelPath| touched.folders.contains(&date) || touched.cards.contains(path);

        let mut warnings = Vec::new();
        let listed = folder::cards(workspace, date, &mut warnings);
        let (stale, kept): (Vec<RelPath>, Vec<RelPath>) =
            listed.iter().cloned().partition(|path| is_stale(path) || !known.contains_key(path));
        self.forget_warnings(&[&folder, &page], &kept);
        warnings.extend(folder::page_warning(workspace, &page));
        self.warnings.extend(warnings);

        let mut readings = read_all(workspace, &stale);
        let mut cards = Vec::with_capacity(listed.len());
        for path in listed {
            let facts = match readings.remove(&path) {
                None => known.get(&path).cloned().flatten(),
                Some(reading) => {
                    self.warnings.extend(reading.warnings);
                    if reading.facts.is_none() {
                        continue;
                    }
                    reading.facts
                }
            };
            cards.push(CardEntry { path, facts });
        }
        let page = folder::is_file(workspace, &page).then_some(page);
        let day = (page.is_some() || !cards.is_empty()).then(|| Arc::new(Day { date, page, cards }));
        match (place, day) {
            (Ok(place), Some(day)) => {
                self.days.iter_mut().skip(place).take(1).for_each(|old| *old = day.clone())
            }
            (Ok(place), None) => drop(self.days.remove(place)),
            (Err(place), Some(day)) => self.days.insert(place, day),
            (Err(_), None) => {}
        }
    }

    /// Drops what was said about these paths and what lies below them, but for the kept ones.
    fn forget_warnings(&mut self, about: &[&RelPath], kept: &[RelPath]) {
        self.warnings.retain(|warning| {
            let is_on = |path: &RelPath| {
                let rest = warning.strip_prefix(path.as_str());
                rest.is_some_and(|rest| rest.starts_with(": ") || rest.starts_with('/'))
            };
            !about.iter().any(|path| is_on(path)) || kept.iter().any(is_on)
        });
    }
}

/// The days and folders that changed paths concern.
#[derive(Default)]
struct Touched {
    everything: bool,
    days: BTreeSet<NaiveDate>,
    /// Days whose folder itself came, went or was moved.
    folders: BTreeSet<NaiveDate>,
    cards: BTreeSet<RelPath>,
    sessions: bool,
}

impl Touched {
    fn add(&mut self, workspace: &Workspace, path: &RelPath) {
        let daily = workspace.daily_dir();
        let records = workspace.dialog_folder();
        if path == daily || daily.is_under(path) {
            self.everything = true;
        } else if *path == records || records.is_under(path) || path.parent().as_ref() == Some(&records) {
            self.sessions = true;
        } else if let Some(parent) = path.parent().filter(|parent| parent == daily || parent.is_under(daily))
        {
            if parent != *daily {
                let date = (parent.parent().as_ref() == Some(daily))
                    .then(|| day::exact(parent.file_name()))
                    .flatten();
                self.days.extend(date);
                self.cards.insert(path.clone());
            } else if let Some(date) = day::exact(path.file_name()) {
                self.days.insert(date);
                self.folders.insert(date);
            } else if let Some(date) = path.file_name().strip_suffix(".md").and_then(day::exact) {
                self.days.insert(date);
            } else if folder::is_conflict_copy(path) {
                self.everything = true;
            }
        }
    }
}

fn unread(path: RelPath) -> CardEntry {
    CardEntry { path, facts: None }
}

fn read_all(workspace: &Workspace, paths: &[RelPath]) -> HashMap<RelPath, facts::Reading> {
    paths.par_iter().map(|path| (path.clone(), facts::read(workspace, path))).collect()
}

fn rebuilt(workspace: &Workspace) -> Snapshot {
    let mut snapshot = Snapshot::list(workspace);
    let unread: Vec<RelPath> =
        snapshot.days.iter().flat_map(|day| day.cards.iter().map(|card| card.path.clone())).collect();
    snapshot.take(read_all(workspace, &unread));
    snapshot.complete = true;
    snapshot
}

#[cfg(test)]
mod tests;
