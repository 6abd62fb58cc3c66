//! The workspace: where things live, what may be touched, which configuration and clock hold.
//!
//! Owns path safety ([`RelPath`], [`Workspace::resolve`]) and the layout of folders. Reads no environment:
//! the binary finds the folder and passes everything in. Used by every module that touches a file.

use crate::message::time::Zone;
use chrono::{DateTime, NaiveDate, Utc};
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub mod config;
pub mod path;

pub use config::Config;
pub use path::{PathError, RelPath};

/// Tells the time; tests pass a fixed one.
pub type Clock = Arc<dyn Fn() -> DateTime<Utc> + Send + Sync>;

/// An opened workspace. Cheap to clone; opening one reads its configuration and writes nothing.
#[derive(Clone)]
pub struct Workspace {
    root: PathBuf,
    config: Arc<Config>,
    clock: Clock,
}

impl Workspace {
    /// A workspace at `root`, which need not exist yet.
    pub fn new(_root: &Path, _config: Config, _clock: Clock) -> Result<Workspace, PathError> {
        unimplemented!()
    }

    /// The folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The settings in force.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The zone in force.
    pub fn zone(&self) -> Zone {
        unimplemented!()
    }

    /// Now.
    pub fn now(&self) -> DateTime<Utc> {
        (self.clock)()
    }

    /// Today in the zone in force, worked out at each call.
    pub fn today(&self) -> NaiveDate {
        unimplemented!()
    }

    /// The file behind a path; refused when a symbolic link leads out of the workspace.
    pub fn resolve(&self, _path: &RelPath) -> Result<PathBuf, PathError> {
        unimplemented!()
    }

    /// The day's page: `daily/YYYY-MM-DD.md`.
    pub fn day_page(&self, _day: NaiveDate) -> RelPath {
        unimplemented!()
    }

    /// A card of the day: `daily/YYYY-MM-DD/<name>.md`.
    pub fn card(&self, _day: NaiveDate, _name: &str) -> Result<RelPath, PathError> {
        unimplemented!()
    }

    /// A session's record: `session/dialog/<session_id>.jsonl`.
    pub fn dialog(&self, _session_id: &str) -> Result<RelPath, PathError> {
        unimplemented!()
    }
}
