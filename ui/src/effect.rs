//! What the interface asks of the world, and what the world answers.
//!
//! Screens never do these things themselves: they ask through [`crate::context::Context`], get a [`Ticket`],
//! and compare it when the answer comes, so that a late answer to an old question is dropped. [`Tools::perform`]
//! is the one place where a request meets the engine; it blocks, and is called by `driver` on worker threads and
//! by tests directly.

use crate::pane::laid::{Laid, Pages, Sheet};
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
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

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
    /// A file of the workspace, laid out for this width: [`Answer::Opened`].
    Open(Sheet, RelPath, u16, Arc<Theme>),
    /// Markdown that is in no file, laid out for this width: [`Answer::Laid`].
    LayMarkdown(Arc<str>, u16, Arc<Theme>),
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
    /// Styled lines.
    Laid(Arc<Laid>),
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
}

impl Tools {
    /// Tools with nothing laid out yet.
    pub fn new(store: Store, distiller: Arc<dyn Distiller>) -> Tools {
        Tools { store, distiller, pages: Pages::default() }
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
                answer(Answer::Opened(self.open(sheet, &path, width, &theme)));
            }
            Request::LayMarkdown(text, width, theme) => {
                answer(Answer::Laid(Arc::new(Laid::of_markdown(&text, width, &theme))));
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

    fn open(&self, sheet: Sheet, path: &RelPath, width: u16, theme: &Theme) -> Result<Arc<Laid>, String> {
        let bytes = self.read(path)?;
        let zone = self.store.workspace().zone();
        Ok(self.pages.get(sheet, &bytes, width, theme.name(), || match sheet {
            Sheet::Markdown => Laid::of_file(&String::from_utf8_lossy(&bytes), width, theme),
            Sheet::Dialog => Laid::of_dialog(&Record::parse(&bytes), width, theme, zone),
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

fn read_whole(path: &Path) -> Result<Arc<[u8]>, String> {
    let shown = path.display();
    let cannot = |error: std::io::Error| format!("cannot read {shown}: {error}. Check the path");
    let about = std::fs::metadata(path).map_err(cannot)?;
    if !about.is_file() {
        return Err(format!("{shown} is not a file. Give the path of one file"));
    }
    if about.len() > LARGEST_INPUT {
        return Err(format!("{shown} has {} bytes; at most {LARGEST_INPUT} can be opened", about.len()));
    }
    std::fs::read(path).map(Arc::from).map_err(cannot)
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
