//! The log: what the program noticed beside its answers, in a file, never on the screen.

use std::fs::{File, OpenOptions};
use std::path::PathBuf;

/// A log larger than this starts anew.
const LARGEST: u64 = 4 * 1024 * 1024;

/// Where the log is.
pub fn file() -> Option<PathBuf> {
    use etcetera::BaseStrategy;
    let base = etcetera::choose_base_strategy().ok()?;
    Some(base.state_dir().unwrap_or_else(|| base.cache_dir()).join("reme").join("reme.log"))
}

/// Starts logging; a log that cannot be written is no reason to stop.
pub fn start() {
    if let Some(log) = file().and_then(open) {
        // A second start in one process would fail, and change nothing.
        let _ = tracing_subscriber::fmt().with_writer(log).with_ansi(false).try_init();
    }
}

fn open(path: PathBuf) -> Option<File> {
    std::fs::create_dir_all(path.parent()?).ok()?;
    let is_large = std::fs::metadata(&path).is_ok_and(|found| found.len() > LARGEST);
    OpenOptions::new().create(true).append(!is_large).write(true).truncate(is_large).open(path).ok()
}
