//! The jobs of the command line: one table, one file each.
//!
//! A job declares its values; nothing else can be set by a call. It works through `reme-core` and returns what is
//! to be printed.

use crate::arguments::Arguments;
use crate::output::Outcome;
use reme_core::answer::Answer;
use reme_core::import::Reading;
use reme_core::store::{Store, StoreError};
use serde_json::{Map, Value};
use std::cell::OnceCell;

mod auto_memory;
mod demo;
mod distill;
mod import;
mod log;
mod read_image;
mod undo;
mod version;

/// One job.
pub struct Job {
    /// The word on the command line.
    pub name: &'static str,
    /// One line of help.
    pub about: &'static str,
    /// What it takes, in the order in which bare words fill it.
    pub params: &'static [Param],
    /// Does it.
    pub run: fn(&Call) -> Outcome,
}

impl Job {
    /// The declared value of this name; `-` and `_` are one.
    pub fn param(&self, key: &str) -> Option<&'static Param> {
        let key = key.replace('-', "_");
        self.params.iter().find(|param| param.name == key)
    }
}

/// One value of a job.
pub struct Param {
    /// Its key.
    pub name: &'static str,
    /// How its text is read.
    pub kind: Kind,
    /// Whether a call without it is wrong usage.
    pub required: bool,
    /// One line of help.
    pub about: &'static str,
}

/// How the text of a value is read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// As it is, so that `007` stays `007`.
    Text,
    /// `true` or `false`.
    Flag,
    /// A JSON value.
    Json,
    /// A file's path, or `-` for standard input; the job reads it.
    Input,
}

/// Every job, in the order of the help.
pub const JOBS: &[Job] = &[
    demo::JOB,
    auto_memory::JOB,
    distill::JOB,
    import::JOB,
    log::JOB,
    undo::JOB,
    read_image::JOB,
    version::JOB,
];

/// One call of a job.
pub struct Call<'a> {
    /// The whole command line.
    pub arguments: &'a Arguments,
    /// The job's values.
    pub values: &'a Map<String, Value>,
    /// Held until the answer has been printed: only then is what was committed brought to its place on the disk
    /// for good, which nobody needs to wait for.
    store: OnceCell<Store>,
}

impl<'a> Call<'a> {
    /// A call that has opened nothing yet.
    pub fn new(arguments: &'a Arguments, values: &'a Map<String, Value>) -> Call<'a> {
        Call { arguments, values, store: OnceCell::new() }
    }

    /// A text value; blanks at the ends and the empty string count as none.
    pub fn text(&self, key: &str) -> Option<&str> {
        self.values.get(key).and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty())
    }

    /// A flag; off when absent.
    pub fn flag(&self, key: &str) -> bool {
        self.values.get(key).and_then(Value::as_bool).unwrap_or(false)
    }

    /// The workspace that this call is about, opened for writing.
    pub fn store(&self) -> Result<Store, Answer> {
        if let Some(store) = self.store.get() {
            return Ok(store.clone());
        }
        let workspace = crate::locate::for_job(self.arguments)?;
        let store = Store::open(workspace).map_err(|error| store_failure(&error))?;
        Ok(self.store.get_or_init(|| store).clone())
    }
}

fn store_failure(error: &StoreError) -> Answer {
    Answer::failure("workspace", error.to_string())
}

/// The bytes and the name of an input value; `-` is standard input.
fn read_input(given: &str) -> Result<(Vec<u8>, Option<String>), Answer> {
    if given == "-" {
        let mut bytes = Vec::new();
        return std::io::Read::read_to_end(&mut std::io::stdin().lock(), &mut bytes)
            .map(|_| (bytes, None))
            .map_err(|error| Answer::failure("unreadable", format!("cannot read standard input: {error}")));
    }
    let path = std::path::Path::new(given);
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
    std::fs::read(path).map(|bytes| (bytes, name)).map_err(|error| {
        Answer::failure("unreadable", format!("cannot read {given}: {error}; check the path"))
    })
}

/// Says what the reader of a file noticed; that ids were derived or times are missing needs no action here.
fn note_warnings(reading: &Reading) {
    const QUIET: [&str; 2] = ["missing_id", "no_timestamps"];
    let all = reading.warnings.iter().chain(reading.sessions.iter().flat_map(|session| &session.warnings));
    for warning in all.filter(|warning| !QUIET.contains(&warning.code)) {
        crate::output::note(&format!("warning: {}", warning.message));
    }
}
