//! Workspace-relative paths: the one place where untrusted text becomes a path.

/// A checked path inside the workspace, with `/` between its components.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RelPath(String);

/// Why a path or a name was refused.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
#[error("{what} {given:?} cannot be used: {why}")]
pub struct PathError {
    /// What it was for: `session id`, `card name`, `path`.
    pub what: &'static str,
    /// What was given.
    pub given: String,
    /// Which rule it breaks, and what would do.
    pub why: String,
}

impl RelPath {
    /// Checks a workspace-relative path.
    pub fn new(_path: &str) -> Result<RelPath, PathError> {
        unimplemented!()
    }

    /// The path with `/`.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The last component.
    pub fn file_name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or_default()
    }

    /// The last component without its extension.
    pub fn stem(&self) -> &str {
        let name = self.file_name();
        name.rsplit_once('.').map_or(name, |(stem, _)| stem)
    }
}

impl std::fmt::Display for RelPath {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// Checks one component (a session id, a card name); `what` names it in the error.
pub fn check_component(_what: &'static str, _given: &str) -> Result<(), PathError> {
    unimplemented!()
}

/// The nearest usable card name to what a model or a person gave: unsafe characters become `-`, cut at a
/// grapheme so that name, `-NN` suffix and extension fit in 255 bytes.
pub fn repair_name(_given: &str) -> String {
    unimplemented!()
}
