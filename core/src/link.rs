//! Wikilinks: found, resolved and retargeted; code is left alone.
//!
//! The list that a person is shown comes from the same function that edits. Called by `memorize`, `catalog`
//! and the interface.

use crate::workspace::RelPath;
use std::ops::Range;

/// One `[[target#anchor|alias]]` in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// The bytes of the whole link, brackets (and the `!` of an embed) included.
    pub span: Range<usize>,
    /// The target as written, blanks trimmed.
    pub target: String,
    /// What follows `#`, still percent-encoded.
    pub anchor: Option<String>,
    /// What follows `|`.
    pub alias: Option<String>,
    /// Whether it starts with `!`.
    pub embed: bool,
}

/// The links of a text, frontmatter included, code excluded.
pub fn find(_text: &str) -> Vec<Link> {
    unimplemented!()
}

/// One edit that a rename makes in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkEdit {
    /// The file.
    pub path: RelPath,
    /// 1-based line.
    pub line: usize,
    /// The line as it is, without its line end.
    pub before: String,
    /// The line as it becomes.
    pub after: String,
}

/// Retargets every link to `old` in the text of the file `path`; `None` when there is none. `short_forms`:
/// whether `[[name]]` without folder or extension means `old` without doubt.
pub fn retarget(
    _path: &RelPath,
    _text: &str,
    _old: &RelPath,
    _new: &RelPath,
    _short_forms: bool,
) -> Option<(String, Vec<LinkEdit>)> {
    unimplemented!()
}
