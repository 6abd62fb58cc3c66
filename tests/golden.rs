//! Recordings of ReMe 0.4.2.0, replayed: the engine gets what ReMe got and must do what ReMe did.
//!
//! Each folder under `tests/golden/` (or under `REME_GOLDEN`) is one call. A scripted distiller answers with what
//! the recorded card holds, so that everything around a distiller is compared: the record, the attachments, the
//! day page, the card, the answer, and which files were touched. What differs on purpose has a row in
//! `replay/differences.rs`; a row that no longer differs fails as well, and so does a folder that is not read.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod replay;

use replay::{Case, Verdict, judge};
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    match std::env::var_os("REME_GOLDEN") {
        Some(folder) => PathBuf::from(folder),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden"),
    }
}

#[test]
fn recordings() {
    let folder = folder();
    let mut cases: Vec<PathBuf> = std::fs::read_dir(&folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.join("input.json").is_file())
        .collect();
    cases.sort();
    assert!(!cases.is_empty(), "no recordings in {}", folder.display());
    let mut failures = Vec::new();
    let (mut agreed, mut differ, mut aside) = (0, 0, 0);
    for path in &cases {
        let case = Case::load(path);
        match judge(&case) {
            Verdict::Agrees => agreed += 1,
            Verdict::DiffersOnPurpose => differ += 1,
            Verdict::NotApplicable => aside += 1,
            Verdict::Fails(faults) => failures.push(format!("{}\n    {}", case.name, faults.join("\n    "))),
        }
    }
    println!("{agreed} agree, {differ} differ on purpose, {aside} are no business of the engine");
    assert!(
        failures.is_empty(),
        "{} of {} recordings fail:\n{}",
        failures.len(),
        cases.len(),
        failures.join("\n")
    );
}
