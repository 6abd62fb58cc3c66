//! What the interface asks of the world, and what the world answers.
//!
//! Screens never do these things themselves: they ask through [`crate::context::Context`], get a [`Ticket`],
//! and compare it when the answer comes, so that a late answer to an old question is dropped. [`Tools::perform`]
//! is the one place where a request meets the engine; it blocks, and is called by `driver` on worker threads and
//! by tests directly.

use crate::pane::laid::{Laid, Pages, Sheet};
use crate::pane::names::{self, Names};
use crate::terminal::Pictures;
use crate::theme::Theme;
use crate::widget::picture::{self, Fitted};
use ratatui::layout::Size;
use reme_core::catalog::Snapshot;
use reme_core::dialog::Record;
use reme_core::distill::{Distiller, Progress};
use reme_core::import::{ImportError, Reading};
use reme_core::memorize::{self, Choices, MemorizeError, Proposal, Recorded, Submission};
use reme_core::store::{Receipt, Store};
use reme_core::workspace::RelPath;
use roll::Roll;
use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

mod roll;

/// Which question an answer belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Ticket {
    /// The layer that asked; answers go nowhere else.
    pub layer: u32,
    /// Counts up, never reused.
    pub number: u64,
}

/// What `update` wants done.
#[derive(Debug)]
pub enum Effect {
    /// Do this away from the screen and answer under this ticket.
    Ask(Ticket, Request),
    /// Nobody waits for this any more; a running distiller stops.
    Cancel(Ticket),
    /// Put this text on the clipboard.
    Copy(String),
    /// Leave.
    Quit,
}

/// A question; each names the [`Answer`] it gets.
#[derive(Debug)]
pub enum Request {
    /// List the workspace, then fill the list in: [`Answer::Catalog`] several times, the complete one last.
    LoadCatalog,
    /// The snapshot after these paths changed: [`Answer::Catalog`].
    PatchCatalog(Arc<Snapshot>, Vec<RelPath>),
    /// A file of the workspace, laid out for this width: [`Answer::Opened`], twice where the messages that it
    /// names are in records that take long to read.
    Open(Sheet, RelPath, u16, Arc<Theme>),
    /// A picture of the workspace, scaled into these cells: [`Answer::Picture`].
    FitImage(RelPath, Size, Pictures),
    /// A file anywhere, whole, at most [`LARGEST_INPUT`] bytes: [`Answer::Bytes`].
    ReadPath(PathBuf),
    /// What these bytes hold; the name is that of the file, if there is one: [`Answer::Recognised`].
    Recognise(Arc<[u8]>, Option<String>),
    /// Record, distil, plan: [`Answer::Recorded`], [`Answer::Progress`] often, [`Answer::Proposed`] last.
    Memorize(Submission),
    /// The proposal with other choices: [`Answer::Revised`].
    Revise(Arc<Proposal>, Choices),
    /// The proposal planned again against the files as they are now: [`Answer::Revised`].
    Replan(Arc<Proposal>),
    /// Commit the proposal: [`Answer::Accepted`].
    Accept(Arc<Proposal>),
    /// Drop the proposal: [`Answer::Rejected`].
    Reject(Arc<Proposal>),
}

/// What came of a [`Request`].
#[derive(Debug)]
pub enum Answer {
    /// The workspace, as far as it has been read.
    Catalog(Arc<Snapshot>),
    /// A file as styled lines, or why it could not be read.
    Opened(Result<Arc<Laid>, String>),
    /// A picture, or why there is none.
    Picture(Result<Fitted, String>),
    /// A file's bytes, or why they could not be read.
    Bytes(Result<Arc<[u8]>, String>),
    /// What was recognised.
    Recognised(Result<Reading, ImportError>),
    /// The dialog record is saved.
    Recorded(Box<Recorded>),
    /// How far the distiller is.
    Progress {
        /// A short phrase.
        doing: String,
        /// Messages read.
        done: usize,
        /// Of how many.
        total: usize,
    },
    /// What came of memorizing; `Ok(None)`: the record holds nothing new.
    Proposed(Result<Option<memorize::Outcome>, MemorizeError>),
    /// The proposal with the choices asked for.
    Revised(Result<Box<Proposal>, MemorizeError>),
    /// The card is on disk, or why not.
    Accepted(Result<Receipt, MemorizeError>),
    /// Nothing came of it, through a fault of the program.
    Failed(String),
    /// The proposal is dropped, or why not.
    Rejected(Result<(), MemorizeError>),
}

/// The largest file that can be opened as a conversation.
pub const LARGEST_INPUT: u64 = 512 * 1024 * 1024;

/// What requests are carried out with. Cheap to clone.
#[derive(Clone)]
pub struct Tools {
    /// Reads and writes the workspace.
    pub store: Store,
    /// Turns conversations into drafts.
    pub distiller: Arc<dyn Distiller>,
    pages: Pages,
    roll: Roll,
}

impl Tools {
    /// Tools with nothing laid out yet.
    pub fn new(store: Store, distiller: Arc<dyn Distiller>) -> Tools {
        Tools { store, distiller, pages: Pages::default(), roll: Roll::default() }
    }

    /// Carries out one request and hands every answer to `answer`. Blocks until done; `cancelled` is looked at
    /// before the start and by the steps that take long.
    pub fn perform(&self, request: Request, cancelled: &AtomicBool, answer: &(dyn Fn(Answer) + Sync)) {
        if cancelled.load(Ordering::Relaxed) {
            return;
        }
        let workspace = self.store.workspace();
        match request {
            Request::LoadCatalog => {
                let listed = Snapshot::list(workspace);
                answer(Answer::Catalog(Arc::new(listed.clone())));
                listed.fill(workspace, &|snapshot| answer(Answer::Catalog(snapshot)));
            }
            Request::PatchCatalog(snapshot, changed) => {
                answer(Answer::Catalog(Arc::new(snapshot.patch(workspace, &changed))));
            }
            Request::Open(sheet, path, width, theme) => {
                let mut opened = self.open(sheet, &path, width, &theme, false);
                if opened.as_ref().is_ok_and(|laid| laid.unread) {
                    answer(Answer::Opened(opened));
                    if cancelled.load(Ordering::Relaxed) {
                        return;
                    }
                    opened = self.open(sheet, &path, width, &theme, true);
                }
                answer(Answer::Opened(opened));
            }
            Request::FitImage(path, room, how) => answer(Answer::Picture(self.fit(&path, room, how))),
            Request::ReadPath(path) => answer(Answer::Bytes(read_whole(&path))),
            Request::Recognise(bytes, name) => {
                answer(Answer::Recognised(reme_core::import::read(&bytes, name.as_deref())));
            }
            Request::Memorize(submission) => {
                answer(Answer::Proposed(self.memorize(submission, cancelled, answer)));
            }
            Request::Revise(proposal, choices) => {
                answer(Answer::Revised(memorize::revise(workspace, &proposal, choices).map(Box::new)));
            }
            Request::Replan(proposal) => {
                answer(Answer::Revised(memorize::replan(workspace, &proposal).map(Box::new)));
            }
            Request::Accept(proposal) => answer(Answer::Accepted(
                memorize::accept(&self.store, &proposal).map(|accepted| accepted.receipt),
            )),
            Request::Reject(proposal) => answer(Answer::Rejected(memorize::reject(&self.store, &proposal))),
        }
    }

    fn memorize(
        &self,
        submission: Submission,
        cancelled: &AtomicBool,
        answer: &(dyn Fn(Answer) + Sync),
    ) -> Result<Option<memorize::Outcome>, MemorizeError> {
        let force = submission.force;
        let recorded = memorize::record(&self.store, submission, self.distiller.as_ref())?;
        answer(Answer::Recorded(Box::new(recorded.clone())));
        if !recorded.has_news() && !force {
            return Ok(None);
        }
        let progress = Reporter { cancelled, answer };
        memorize::propose(&self.store, &recorded, self.distiller.as_ref(), &progress).map(Some)
    }

    /// A file laid out; `patient`: also where large records have to be read for the names in it.
    fn open(
        &self,
        sheet: Sheet,
        path: &RelPath,
        width: u16,
        theme: &Theme,
        patient: bool,
    ) -> Result<Arc<Laid>, String> {
        let bytes = self.read(path)?;
        let workspace = self.store.workspace();
        if sheet == Sheet::Dialog {
            let lay = || Laid::of_dialog(&Record::parse(&bytes), width, theme, workspace.zone());
            return Ok(self.pages.get(sheet, (&bytes, &Names::default()), width, theme.name(), lay));
        }
        let text = String::from_utf8_lossy(&bytes);
        let records = names::records(&text);
        let (names, unread) = self.roll.names(workspace, &records, patient);
        Ok(self.pages.get(sheet, (&bytes, &names), width, theme.name(), || Laid {
            records,
            unread,
            ..Laid::of_file(&text, width, theme, &names)
        }))
    }

    fn read(&self, path: &RelPath) -> Result<Vec<u8>, String> {
        let file = self.store.workspace().resolve(path).map_err(|error| error.to_string())?;
        std::fs::read(&file).map_err(|error| format!("cannot read {path}: {error}"))
    }

    fn fit(&self, path: &RelPath, room: Size, how: Pictures) -> Result<Fitted, String> {
        let picture = picture::decode(&self.read(path)?)?;
        Fitted::new(&picture, room, how)
    }
}

/// The file that a person means: shells and file managers quote a path, and `~` is the home folder.
fn meant(given: &Path) -> Cow<'_, Path> {
    let Some(written) = given.to_str().filter(|_| !given.exists()) else { return given.into() };
    let quoted = |mark| written.strip_prefix(mark).and_then(|rest: &str| rest.strip_suffix(mark));
    let path = quoted('\'').or_else(|| quoted('"')).unwrap_or(written);
    match (path.strip_prefix("~/"), std::env::home_dir()) {
        (Some(below), Some(home)) => home.join(below).into(),
        _ => PathBuf::from(path).into(),
    }
}

fn read_whole(path: &Path) -> Result<Arc<[u8]>, String> {
    let path = meant(path);
    let shown = path.display();
    let cannot = |error: std::io::Error| format!("cannot read {shown}: {error}. Check the path");
    let about = std::fs::metadata(&path).map_err(cannot)?;
    if !about.is_file() {
        return Err(format!("{shown} is not a file. Give the path of one file"));
    }
    if about.len() > LARGEST_INPUT {
        return Err(format!("{shown} has {} bytes; at most {LARGEST_INPUT} can be opened", about.len()));
    }
    std::fs::read(&path).map(Arc::from).map_err(cannot)
}

struct Reporter<'a> {
    cancelled: &'a AtomicBool,
    answer: &'a (dyn Fn(Answer) + Sync),
}

impl Progress for Reporter<'_> {
    fn step(&self, doing: &str, done: usize, total: usize) {
        (self.answer)(Answer::Progress { doing: doing.to_owned(), done, total });
    }

    fn cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_read_as_a_person_means_it() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a b.md");
        std::fs::write(&file, "words").unwrap();
        let shown = file.display();
        for given in [format!("{shown}"), format!("'{shown}'"), format!("\"{shown}\"")] {
            assert_eq!(read_whole(Path::new(&given)).as_deref(), Ok(&b"words"[..]), "{given}");
        }
        let home = std::env::home_dir().unwrap();
        assert_eq!(meant(Path::new("~/no/such/file")), home.join("no/such/file"));
        assert!(read_whole(&folder.path().join("none")).unwrap_err().contains("Check the path"));
        assert!(read_whole(folder.path()).unwrap_err().contains("is not a file"));
    }
}
