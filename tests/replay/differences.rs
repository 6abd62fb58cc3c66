//! The tables: what differs from the recordings on purpose, and what is no business of the engine.

use super::compare::Part;
use super::{Case, Replay};

/// A recording that the engine does not follow.
pub struct Expectation {
    case: &'static str,
    /// The point of SPEC that wants it.
    pub point: &'static str,
    /// What the engine does instead, and why.
    pub why: &'static str,
    /// The parts that may differ; the others agree.
    pub parts: &'static [Part],
    /// What must hold in their place.
    pub instead: fn(&Case, &Replay) -> Result<(), String>,
}

pub fn expected(_name: &str) -> Option<&'static Expectation> {
    None
}

/// Why a recording does not concern the engine's main job.
pub fn not_applicable(case: &Case) -> Option<&'static str> {
    if case.input["path"] != "/auto_memory" || case.input["method"] != "POST" || !case.input["json"].is_object() {
        return Some("another job, the command line or the service");
    }
    None
}
