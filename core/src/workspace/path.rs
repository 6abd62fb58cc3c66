//! Workspace-relative paths: the one place where untrusted text becomes a path.
//!
//! Owns the rules for paths and names; looks at no disk (that is `Workspace::resolve`). Called by every module
//! that takes a path, a session id or a card name from a person, a model or a file.

use std::cmp::Ordering;
use std::hash::{Hash, Hasher};
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};
use unicode_segmentation::UnicodeSegmentation;

/// What file systems take as one name, in bytes.
const NAME_BYTES: usize = 255;

/// Room that a repaired name leaves for a `-999` suffix and `.md`.
const REPAIRED_BYTES: usize = NAME_BYTES - "-999.md".len();

/// Characters that some file system or shell takes for its own.
const RESERVED: &str = "<>:\"/\\|?*";

/// Characters that end or split a wikilink's target.
const UNLINKABLE: &str = "[]#^";

/// A checked path inside the workspace, with `/` between its components.
///
/// It keeps the spelling that it was given, which may be the one on disk; two paths are equal when their NFC
/// forms are.
#[derive(Clone, Debug)]
pub struct RelPath {
    text: String,
    /// The NFC form, where it differs from `text`.
    nfc: Option<Box<str>>,
}

/// Why a path or a name was refused.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
#[error("{what} {given:?} cannot be used: {why}")]
pub struct PathError {
    /// What it was for: `session id`, `card name`, `path`.
    pub what: &'static str,
    /// What was given, shortened when it is very long.
    pub given: String,
    /// Which rule it breaks, and what would do.
    pub why: String,
}

impl PathError {
    pub(super) fn new(what: &'static str, given: &str, why: impl Into<String>) -> PathError {
        const SHOWN: usize = 80;
        let mut shown: String = given.chars().take(SHOWN).collect();
        if shown.len() < given.len() {
            shown.push('…');
        }
        PathError { what, given: shown, why: why.into() }
    }
}

impl RelPath {
    /// Checks a workspace-relative path.
    pub fn new(path: &str) -> Result<RelPath, PathError> {
        let refuse = |why: &str| Err(PathError::new("path", path, why));
        if path.is_empty() {
            return refuse(
                "it is empty; give a path inside the workspace, such as daily/2026-01-31/topic.md",
            );
        }
        if path.starts_with('/') || path.starts_with('\\') || has_drive(path) {
            return refuse("it is absolute; give a path relative to the workspace");
        }
        if path == "~" || path.starts_with("~/") {
            return refuse("`~` is not expanded; give a path relative to the workspace");
        }
        for component in path.split('/') {
            if let Some(why) = component_fault(component) {
                return Err(PathError::new("path", path, why));
            }
        }
        Ok(RelPath::checked(path.to_owned()))
    }

    /// The path with one more component, checked.
    pub fn join(&self, component: &str) -> Result<RelPath, PathError> {
        match component_fault(component) {
            Some(why) => Err(PathError::new("path", component, why)),
            None => Ok(RelPath::checked(format!("{}/{component}", self.text))),
        }
    }

    /// For text that is known to satisfy the rules.
    pub(super) fn checked(text: String) -> RelPath {
        let nfc = match is_nfc_quick(text.chars()) {
            IsNormalized::Yes => None,
            _ => Some(text.nfc().collect::<String>()).filter(|nfc| *nfc != text).map(Into::into),
        };
        RelPath { text, nfc }
    }

    /// The path with `/`, as it was given.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The path in NFC, for comparing with other text.
    pub fn nfc(&self) -> &str {
        self.nfc.as_deref().unwrap_or(&self.text)
    }

    /// The folder that holds it; `None` at the top of the workspace.
    pub fn parent(&self) -> Option<RelPath> {
        self.text.rsplit_once('/').map(|(parent, _)| RelPath::checked(parent.to_owned()))
    }

    /// Whether it lies below the folder, at any depth.
    pub fn is_under(&self, folder: &RelPath) -> bool {
        self.nfc().strip_prefix(folder.nfc()).is_some_and(|rest| rest.starts_with('/'))
    }

    /// The last component.
    pub fn file_name(&self) -> &str {
        self.text.rsplit('/').next().unwrap_or_default()
    }

    /// The last component without its extension.
    pub fn stem(&self) -> &str {
        let name = self.file_name();
        name.rsplit_once('.').map_or(name, |(stem, _)| stem)
    }
}

impl PartialEq for RelPath {
    fn eq(&self, other: &RelPath) -> bool {
        self.nfc() == other.nfc()
    }
}

impl Eq for RelPath {}

impl Hash for RelPath {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.nfc().hash(state);
    }
}

impl PartialOrd for RelPath {
    fn partial_cmp(&self, other: &RelPath) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for RelPath {
    fn cmp(&self, other: &RelPath) -> Ordering {
        self.nfc().cmp(other.nfc())
    }
}

impl std::fmt::Display for RelPath {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)
    }
}

/// Checks one component (a session id, a card name); `what` names it in the error.
pub fn check_component(what: &'static str, given: &str) -> Result<(), PathError> {
    check_name(what, given, "")
}

/// Checks a name that becomes a file with `extension` (`.md`), which counts towards the length.
///
/// Stricter than the components of a [`RelPath`]: a path may name what is on disk already, a name makes
/// something new, so it must be visible, readable and linkable too.
pub fn check_name(what: &'static str, given: &str, extension: &str) -> Result<(), PathError> {
    let fault = component_fault(given).or_else(|| name_fault(given)).or_else(|| {
        let bytes = given.nfc().map(char::len_utf8).sum::<usize>().max(given.len()) + extension.len();
        (bytes > NAME_BYTES).then(|| too_long(bytes))
    });
    match fault {
        Some(why) => Err(PathError::new(what, given, why)),
        None => Ok(()),
    }
}

fn component_fault(component: &str) -> Option<String> {
    if component.is_empty() {
        return Some("a part of it is empty; give a name".into());
    }
    if component == "." || component == ".." {
        return Some(format!("`{component}` is not a name; it must stay inside the workspace"));
    }
    if component == "~" {
        return Some("`~` is not expanded; give a name".into());
    }
    if let Some(found) = component.chars().find(|c| RESERVED.contains(*c) || c.is_control()) {
        return Some(format!("it contains {found:?}; leave out < > : \" / \\ | ? * and control characters"));
    }
    if component.starts_with(char::is_whitespace) || component.ends_with(char::is_whitespace) {
        return Some("it has blanks at its start or end; remove them".into());
    }
    if component.ends_with('.') {
        return Some("it ends in a dot; remove the dot".into());
    }
    if is_device(component) {
        return Some("Windows keeps this name for a device; choose another".into());
    }
    (component.len() > NAME_BYTES).then(|| too_long(component.len()))
}

fn name_fault(name: &str) -> Option<String> {
    if let Some(found) = name.chars().find(|c| UNLINKABLE.contains(*c)) {
        return Some(format!("a link could not point at {found:?}; leave out [ ] # ^"));
    }
    if let Some(found) = name.chars().find(|c| is_invisible(*c)) {
        let code = u32::from(found);
        return Some(format!("it contains the invisible character U+{code:04X}; leave it out"));
    }
    name.starts_with('.').then(|| "it starts with a dot, which hides the file; remove the dot".into())
}

fn too_long(bytes: usize) -> String {
    format!("it is {bytes} bytes long with its extension; at most {NAME_BYTES} fit on every disk")
}

fn has_drive(path: &str) -> bool {
    let mut chars = path.chars();
    chars.next().is_some_and(|c| c.is_ascii_alphabetic()) && chars.next() == Some(':')
}

/// Windows takes these as devices whatever the extension, and ignores blanks before it.
fn is_device(component: &str) -> bool {
    let stem = component.split('.').next().unwrap_or_default().trim_end().to_ascii_uppercase();
    if matches!(stem.as_str(), "CON" | "PRN" | "AUX" | "NUL" | "CONIN$" | "CONOUT$") {
        return true;
    }
    let port = stem.strip_prefix("COM").or_else(|| stem.strip_prefix("LPT"));
    port.is_some_and(|port| {
        let mut digits = port.chars();
        matches!((digits.next(), digits.next()), (Some('1'..='9' | '¹' | '²' | '³'), None))
    })
}

/// What shows as nothing, or turns the direction of what follows: two names could look the same.
fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{00AD}' | '\u{034F}' | '\u{061C}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}'
        | '\u{180B}'..='\u{180F}' | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}'
        | '\u{2060}'..='\u{206F}' | '\u{3164}' | '\u{FEFF}' | '\u{FFA0}' | '\u{FFF9}'..='\u{FFFB}'
        | '\u{E0000}'..='\u{E007F}')
}

/// The nearest usable card name to what a model or a person gave: unsafe characters become `-`, cut at a
/// grapheme so that name, `-NN` suffix and extension fit in 255 bytes.
pub fn repair_name(given: &str) -> String {
    let mut safe = String::with_capacity(given.len());
    for c in given.nfc().filter(|c| !is_invisible(*c) || matches!(c, '\u{2028}' | '\u{2029}')) {
        let unsafe_here = c.is_control()
            || matches!(c, '\u{2028}' | '\u{2029}')
            || RESERVED.contains(c)
            || UNLINKABLE.contains(c);
        match (unsafe_here, safe.ends_with('-')) {
            (false, _) => safe.push(c),
            (true, false) => safe.push('-'),
            (true, true) => {}
        }
    }
    let mut name = bare(&cut(bare(&safe), REPAIRED_BYTES)).to_owned();
    if is_device(&name) {
        name.insert(0, '_');
    }
    if check_name("card name", &name, "-999.md").is_ok() { name } else { "memory".into() }
}

fn cut(text: &str, bytes: usize) -> String {
    let mut kept = String::new();
    for grapheme in text.graphemes(true) {
        if kept.len() + grapheme.len() > bytes {
            break;
        }
        kept.push_str(grapheme);
    }
    kept
}

/// Without what has no place at the ends of a name, and without an extension that would be doubled.
fn bare(name: &str) -> &str {
    let mut name = name;
    loop {
        name = name.trim_matches(|c: char| c.is_whitespace() || matches!(c, '-' | '.' | '~'));
        match name.strip_suffix(".md").or_else(|| name.strip_suffix(".MD")) {
            Some(stem) => name = stem,
            None => return name,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[track_caller]
    fn check_path(given: &str, refused_for: Option<&str>) {
        match (RelPath::new(given), refused_for) {
            (Ok(path), None) => assert_eq!(path.as_str(), given),
            (Err(error), Some(word)) => {
                let text = error.to_string();
                assert!(text.contains(word), "{given:?}: {text:?} should mention {word:?}");
            }
            (result, expected) => panic!("{given:?}: {result:?}, expected {expected:?}"),
        }
    }

    #[track_caller]
    fn check_session(given: &str, refused_for: Option<&str>) {
        match (check_name("session id", given, ".jsonl"), refused_for) {
            (Ok(()), None) => {}
            (Err(error), Some(word)) => {
                let text = error.to_string();
                assert!(text.starts_with("session id"), "{text:?}");
                assert!(text.contains(word), "{given:?}: {text:?} should mention {word:?}");
            }
            (result, expected) => panic!("{given:?}: {result:?}, expected {expected:?}"),
        }
    }

    #[test]
    fn paths() {
        check_path("daily/2026-01-31.md", None);
        check_path("daily/2026-01-31/[draft] ferry.md", None);
        check_path("daily/2026-01-31/plan#2.md", None);
        check_path(".obsidian/app.json", None);
        check_path("notes/v1.2 plan.md", None);
        check_path("~x/a.md", None);
        check_path("会话/é-😀.md", None);
        check_path("", Some("empty"));
        check_path("/abs/olute", Some("absolute"));
        check_path("\\\\server\\share", Some("absolute"));
        check_path("C:\\x", Some("absolute"));
        check_path("c:x", Some("absolute"));
        check_path("~", Some("`~`"));
        check_path("~/x", Some("`~`"));
        check_path("a/~/x", Some("`~`"));
        check_path("../../etc/evil", Some("inside the workspace"));
        check_path("daily/../x", Some("inside the workspace"));
        check_path("./x", Some("not a name"));
        check_path("daily//x.md", Some("empty"));
        check_path("daily/", Some("empty"));
        check_path("daily/ x.md", Some("blanks"));
        check_path("daily/x.md ", Some("blanks"));
        check_path("daily /x.md", Some("blanks"));
        check_path("daily\u{3000}/x.md", Some("blanks"));
        check_path("daily/x.", Some("dot"));
        check_path("daily/a\\b.md", Some("contains"));
        check_path("daily/a|b.md", Some("contains"));
        check_path("daily/a\nb.md", Some("contains"));
        check_path("daily/a\u{7f}b.md", Some("contains"));
        check_path("daily/a\u{85}b.md", Some("contains"));
        check_path("nul/x.md", Some("device"));
        check_path("daily/AUX.md", Some("device"));
        check_path(&format!("daily/{}.md", "x".repeat(252)), None);
        check_path(&format!("daily/{}.md", "x".repeat(253)), Some("256 bytes"));
    }

    /// The ids that the field reports name, and those that the recordings of the Python system hold.
    #[test]
    fn session_ids() {
        for good in ["session-a", "-x", "-rf", "~x", "%2e%2e", "a%2f..%2fb", "会话-é-😀", "v1.2 plan", "007"]
        {
            check_session(good, None);
        }
        check_session(&"x".repeat(249), None);
        check_session(&"x".repeat(250), Some("256 bytes"));
        check_session(&"A".repeat(300), Some("300 bytes"));
        check_session(&"計".repeat(83), None);
        check_session(&"計".repeat(84), Some("258 bytes"));
        check_session("", Some("empty"));
        for dots in [".", ".."] {
            check_session(dots, Some("not a name"));
        }
        let reserved =
            ["../../etc/x", "a/b", "/abs/olute", "a\\b", "C:\\x", "a:b", "a|b", "a\"b", "a*b", "a?b"];
        for reserved in reserved {
            check_session(reserved, Some("contains"));
        }
        for control in ["a\tb", "a\0b", "a\x1b[31mb"] {
            check_session(control, Some("control characters"));
        }
        for device in ["CON", "con", "con.txt", "lpt1", "COM¹", "nul .x", "conout$"] {
            check_session(device, Some("device"));
        }
        for ok in ["console", "com10", "lpt", "com0", "xcon"] {
            check_session(ok, None);
        }
        for unlinkable in ["[a]", "a#b", "C# notes", "[draft] ferry", "a^b"] {
            check_session(unlinkable, Some("link"));
        }
        for invisible in ["\u{202e}abc", "a\u{200b}b", "a\u{200d}b", "a\u{2028}b", "\u{feff}a", "a\u{2066}b"]
        {
            check_session(invisible, Some("invisible"));
        }
        for blanks in [" ", " x", "x ", "\u{a0}x"] {
            check_session(blanks, Some("blanks"));
        }
        check_session("abc.", Some("dot"));
        check_session(".git", Some("hides"));
        check_session(".hidden", Some("hides"));
        check_session("~", Some("`~`"));
    }

    #[test]
    fn a_long_name_is_shown_shortened() {
        let error = check_component("card name", &"y".repeat(5000)).unwrap_err();
        assert!(error.to_string().len() < 300, "{error}");
    }

    #[test]
    fn composed_and_decomposed_spellings_are_one_path() {
        let composed = RelPath::new("daily/d/caf\u{e9}.md").unwrap();
        let decomposed = RelPath::new("daily/d/cafe\u{301}.md").unwrap();
        assert_eq!(composed, decomposed);
        assert_eq!(std::collections::HashSet::from([composed, decomposed.clone()]).len(), 1);
        assert_eq!(decomposed.as_str(), "daily/d/cafe\u{301}.md", "the spelling on disk is kept");
        assert_ne!(RelPath::new("daily/Login.md"), RelPath::new("daily/login.md"));
    }

    #[test]
    fn parts() {
        let path = RelPath::new("daily/2026-01-31/v1.2 plan.md").unwrap();
        assert_eq!((path.file_name(), path.stem()), ("v1.2 plan.md", "v1.2 plan"));
        let folder = path.parent().unwrap();
        assert_eq!(folder.as_str(), "daily/2026-01-31");
        assert!(path.is_under(&folder) && !folder.is_under(&folder));
        assert!(!RelPath::new("daily/2026-01-31.md").unwrap().is_under(&folder));
        assert_eq!(RelPath::new("a.md").unwrap().parent(), None);
        assert!(folder.join("../x").is_err());
    }

    #[test]
    fn repaired_names() {
        let rows = [
            ("login-refactor", "login-refactor"),
            ("  Login: the plan?  ", "Login- the plan"),
            ("../../etc/passwd", "etc-passwd"),
            ("C# notes", "C- notes"),
            ("[draft] ferry", "draft- ferry"),
            ("a|b", "a-b"),
            ("topic.md", "topic"),
            ("cafe\u{301}", "caf\u{e9}"),
            ("a\u{202e}b\u{200b}c", "abc"),
            ("line\u{2028}break\nhere", "line-break-here"),
            ("con", "_con"),
            ("aux.plan", "_aux.plan"),
            ("abc.", "abc"),
            (".hidden", "hidden"),
            ("-rf", "rf"),
            ("~", "memory"),
            ("~root", "root"),
            ("", "memory"),
            ("///", "memory"),
            ("v1.2 plan", "v1.2 plan"),
        ];
        for (given, expected) in rows {
            assert_eq!(repair_name(given), expected, "{given:?}");
        }
        assert_eq!(repair_name(&"計".repeat(90)), "計".repeat(82));
        let family = "👩‍👩‍👧".repeat(60);
        assert!(repair_name(&family).len() <= REPAIRED_BYTES);
    }

    proptest! {
        #[test]
        fn a_repaired_name_is_usable_and_stays(given in "\\PC{0,300}|.{0,100}|[\\.\\-~ a/\u{202e}]{0,20}") {
            let name = repair_name(&given);
            prop_assert!(check_name("card name", &name, "-999.md").is_ok(), "{name:?}");
            prop_assert_eq!(repair_name(&name), name);
        }

        #[test]
        fn an_accepted_path_never_climbs(given in "[a./~\\\\: -]{0,16}") {
            if let Ok(path) = RelPath::new(&given) {
                prop_assert!(path.as_str().split('/').all(|part| !part.is_empty() && part != "." && part != ".."));
                prop_assert!(std::path::Path::new(path.as_str()).is_relative());
            }
        }
    }
}
