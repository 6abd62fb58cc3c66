//! Where the captured text comes from: typed and pasted into the editor, or held aside when it is too large to
//! edit or comes from a file that must be read as it is.

use crate::text;
use crate::widget::editor::Editor;
use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;

/// Larger texts are shown, not edited.
pub(super) const EDITABLE: usize = 200 * 1024;
/// Lines that are shown of what is held aside, at its start and at its end.
const HEAD: usize = 400;
const TAIL: usize = 40;
/// Characters that are shown of one of its lines.
const LONGEST: usize = 500;

/// The captured text.
#[derive(Debug)]
pub(super) enum Source {
    /// In the editor.
    Typed(Box<Editor>),
    /// Held aside.
    Aside(Aside),
}

/// A text that is shown and not edited.
#[derive(Debug)]
pub(super) struct Aside {
    pub bytes: Arc<[u8]>,
    /// The file's name, where it is one.
    pub name: Option<String>,
    /// What it is, for its title.
    pub what: String,
    /// Its start and its end; untrusted.
    pub preview: Vec<String>,
}

impl Default for Source {
    fn default() -> Self {
        Source::Typed(Box::default())
    }
}

impl Source {
    /// A file's bytes.
    pub fn of_file(path: &Path, bytes: Arc<[u8]>) -> Source {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
        let what = format!("{} · {}", name.as_deref().unwrap_or("file"), size(bytes.len()));
        Source::aside(bytes, name, what)
    }

    fn of_paste(pasted: String) -> Source {
        let what = format!("Pasted text · {}", size(pasted.len()));
        Source::aside(Arc::from(pasted.into_bytes()), None, what)
    }

    fn aside(bytes: Arc<[u8]>, name: Option<String>, what: String) -> Source {
        let preview = preview(&bytes);
        Source::Aside(Aside { bytes, name, what, preview })
    }

    /// Takes pasted text: into the editor while it stays small enough, else aside. Replaces what is aside.
    pub fn paste(&mut self, pasted: String) {
        match self {
            Source::Typed(editor) if editor.length() + pasted.len() <= EDITABLE => {
                editor.paste(&pasted);
            }
            Source::Typed(editor) if !editor.is_blank() => {
                let (before, after) = editor.split();
                *self = Source::of_paste(before + &pasted + &after);
            }
            _ if pasted.len() <= EDITABLE => {
                let mut editor = Editor::default();
                editor.paste(&pasted);
                *self = Source::Typed(Box::new(editor));
            }
            _ => *self = Source::of_paste(pasted),
        }
    }

    /// Whether nothing was captured.
    pub fn is_empty(&self) -> bool {
        match self {
            Source::Typed(editor) => editor.is_blank(),
            Source::Aside(_) => false,
        }
    }

    /// Whether leaving would lose something that a person typed or pasted.
    pub fn is_unsaved(&self) -> bool {
        match self {
            Source::Typed(editor) => !editor.is_blank(),
            Source::Aside(aside) => aside.name.is_none(),
        }
    }

    /// What is to be recognised.
    pub fn bytes(&self) -> Arc<[u8]> {
        match self {
            Source::Typed(editor) => Arc::from(editor.text().into_bytes()),
            Source::Aside(aside) => Arc::clone(&aside.bytes),
        }
    }

    /// The name of the file that it comes from.
    pub fn name(&self) -> Option<&str> {
        match self {
            Source::Typed(_) => None,
            Source::Aside(aside) => aside.name.as_deref(),
        }
    }
}

fn preview(bytes: &[u8]) -> Vec<String> {
    let shown = String::from_utf8_lossy(bytes.get(..EDITABLE).unwrap_or(bytes));
    let lines = |text: &str, most: usize| -> Vec<String> { text::lines(text).take(most).map(cut).collect() };
    let mut head = lines(&shown, HEAD);
    let total = bytes.iter().filter(|byte| **byte == b'\n').count() + 1;
    if total <= head.len() {
        return head;
    }
    let last = bytes.get(bytes.len().saturating_sub(EDITABLE / 4)..).unwrap_or(bytes);
    let last = String::from_utf8_lossy(last);
    let end: Vec<&str> = text::lines(last.trim_end_matches('\n')).collect();
    let end =
        end.get(end.len().saturating_sub(TAIL.min(total.saturating_sub(head.len())))..).unwrap_or_default();
    let between = total.saturating_sub(head.len() + end.len());
    head.push(format!("⋯ {between} lines are not shown here; all {total} are read"));
    head.extend(end.iter().map(|line| cut(line)));
    head
}

fn cut(line: &str) -> String {
    match line.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}{}", line.get(..at).unwrap_or_default(), text::ELLIPSIS),
        None => line.to_owned(),
    }
}

/// A size in words.
fn size(bytes: usize) -> Cow<'static, str> {
    match bytes {
        0..=9_999 => format!("{bytes} bytes").into(),
        10_000..=9_999_999 => format!("{} kB", bytes / 1000).into(),
        _ => format!("{} MB", bytes / 1_000_000).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_paste_is_held_aside_whole() {
        let mut source = Source::default();
        source.paste("before\n".into());
        let large = "user: hello there\n".repeat(20_000);
        source.paste(large.clone());
        let Source::Aside(aside) = &source else { panic!("{source:?}") };
        assert_eq!(aside.bytes.as_ref(), format!("before\n{large}").as_bytes());
        assert_eq!(aside.preview.len(), HEAD + 1 + TAIL);
        assert!(source.is_unsaved());
        source.paste("small".into());
        assert_eq!(source.bytes().as_ref(), b"small");
    }

    #[test]
    fn ten_megabytes_on_one_line_are_quick_to_show() {
        let mut source = Source::default();
        source.paste("x".repeat(10_000_000));
        let Source::Aside(aside) = &source else { panic!("{source:?}") };
        assert_eq!(aside.what, "Pasted text · 10 MB");
        assert_eq!(aside.preview.len(), 1);
        assert!(aside.preview[0].chars().count() <= LONGEST + 1);
    }

    #[test]
    fn files_stay_as_they_are() {
        let source = Source::of_file(Path::new("/x/talk.md"), Arc::from(&b"a\r\nb\xff"[..]));
        assert_eq!(source.bytes().as_ref(), b"a\r\nb\xff");
        assert_eq!(source.name(), Some("talk.md"));
        assert!(!source.is_unsaved());
    }
}
