//! The operation file: one format for journal and undo.
//!
//! Owns how a commit is spelt on disk: a line with format version and checksum, a line of JSON that names the
//! files, then their bytes before and after. Looks at no file. Called by the rest of the store.

use super::Hash;
use crate::workspace::RelPath;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;

/// The newest format that this program reads and writes.
pub(super) const FORMAT: u32 = 1;

const MAGIC: &str = "reme-operation ";

/// Where and when an operation was made, and what it is called.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Origin {
    /// Sortable by time, unique in its workspace.
    pub id: String,
    pub workspace: String,
    pub machine: String,
    /// Which run of the machine; empty where the system does not tell.
    pub boot: String,
    pub time: DateTime<Utc>,
    pub summary: String,
    /// The operation that this one takes back.
    pub undoes: Option<String>,
    /// Folders that it makes, outermost first; taking it back removes them when they are empty.
    pub folders: Vec<String>,
}

/// One commit: every file with its state before and after.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Operation {
    pub origin: Origin,
    pub entries: Vec<Entry>,
}

/// One file of an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub path: RelPath,
    pub edit: Recorded,
}

/// What happens to a file, with what is needed to take it back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Recorded {
    /// The whole content is replaced; `None` is no file.
    Replace { before: Option<Vec<u8>>, after: Option<Vec<u8>> },
    /// `bytes` are added after the first `at` bytes.
    Extend { at: u64, bytes: Vec<u8> },
    /// `bytes`, the last of the file, are cut off, so that `at` bytes stay.
    Cut { at: u64, bytes: Vec<u8> },
}

impl Entry {
    /// The entry that takes this one back.
    pub fn reversed(self) -> Entry {
        let edit = match self.edit {
            Recorded::Replace { before, after } => Recorded::Replace { before: after, after: before },
            Recorded::Extend { at, bytes } => Recorded::Cut { at, bytes },
            Recorded::Cut { at, bytes } => Recorded::Extend { at, bytes },
        };
        Entry { path: self.path, edit }
    }

    /// Whether it ends in there being no file.
    pub fn deletes(&self) -> bool {
        matches!(self.edit, Recorded::Replace { after: None, .. })
    }
}

/// Why a file in the journal is no operation that can be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Unreadable {
    /// A later version of the program wrote it.
    Newer(u32),
    /// Its writer stopped before it was whole, so none of it was put in place.
    Torn,
    /// It is something else, or was changed.
    Damaged(String),
}

#[derive(Serialize, Deserialize)]
struct Header {
    #[serde(flatten)]
    origin: Origin,
    files: Vec<FileHeader>,
}

#[derive(Serialize, Deserialize)]
struct FileHeader {
    path: String,
    #[serde(flatten)]
    edit: EditHeader,
}

/// The lengths of the parts that follow the header.
#[derive(Serialize, Deserialize)]
#[serde(tag = "edit", rename_all = "lowercase")]
enum EditHeader {
    Replace { before: Option<u64>, after: Option<u64> },
    Extend { at: u64, size: u64 },
    Cut { at: u64, size: u64 },
}

fn len(bytes: &[u8]) -> u64 {
    u64::try_from(bytes.len()).unwrap_or(u64::MAX)
}

impl Operation {
    /// The bytes of its file.
    pub fn encode(&self) -> serde_json::Result<Vec<u8>> {
        let files = self.entries.iter().map(|entry| FileHeader {
            path: entry.path.as_str().to_owned(),
            edit: match &entry.edit {
                Recorded::Replace { before, after } => EditHeader::Replace {
                    before: before.as_deref().map(len),
                    after: after.as_deref().map(len),
                },
                Recorded::Extend { at, bytes } => EditHeader::Extend { at: *at, size: len(bytes) },
                Recorded::Cut { at, bytes } => EditHeader::Cut { at: *at, size: len(bytes) },
            },
        });
        let header = Header { origin: self.origin.clone(), files: files.collect() };
        let mut body = serde_json::to_vec(&header)?;
        body.push(b'\n');
        for entry in &self.entries {
            match &entry.edit {
                Recorded::Replace { before, after } => {
                    body.extend_from_slice(before.as_deref().unwrap_or_default());
                    body.extend_from_slice(after.as_deref().unwrap_or_default());
                }
                Recorded::Extend { bytes, .. } | Recorded::Cut { bytes, .. } => body.extend_from_slice(bytes),
            }
        }
        let mut file = format!("{MAGIC}{FORMAT} {}\n", hex(Hash::of(&body))).into_bytes();
        file.append(&mut body);
        Ok(file)
    }

    /// Reads an operation file.
    pub fn decode(file: &[u8]) -> Result<Operation, Unreadable> {
        let damaged = |why: &str| Unreadable::Damaged(why.into());
        let (first, body) = first_line(file)?;
        let sum = checksum(first)?;
        let Some((header, mut parts)) = split_line(body) else { return Err(Unreadable::Torn) };
        let header: Header =
            serde_json::from_slice(header).map_err(|error| Unreadable::Damaged(error.to_string()))?;
        let mut entries = Vec::with_capacity(header.files.len());
        for file in header.files {
            let path = RelPath::new(&file.path).map_err(|error| Unreadable::Damaged(error.to_string()))?;
            let mut take = |size: u64| -> Result<Vec<u8>, Unreadable> {
                let size = usize::try_from(size).map_err(|_| damaged("it names an impossible length"))?;
                let (part, rest) = parts.split_at_checked(size).ok_or(Unreadable::Torn)?;
                parts = rest;
                Ok(part.to_vec())
            };
            let edit = match file.edit {
                EditHeader::Replace { before, after } => Recorded::Replace {
                    before: before.map(&mut take).transpose()?,
                    after: after.map(&mut take).transpose()?,
                },
                EditHeader::Extend { at, size } => Recorded::Extend { at, bytes: take(size)? },
                EditHeader::Cut { at, size } => Recorded::Cut { at, bytes: take(size)? },
            };
            entries.push(Entry { path, edit });
        }
        if hex(Hash::of(body)) != sum {
            return Err(damaged("its checksum does not fit"));
        }
        Ok(Operation { origin: header.origin, entries })
    }

    /// Reads the beginning of an operation file for the log: who made it, and which files it touches.
    pub fn decode_header(beginning: &[u8]) -> Result<(Origin, Vec<String>), Unreadable> {
        let (first, body) = first_line(beginning)?;
        checksum(first)?;
        let (header, _) = split_line(body).ok_or(Unreadable::Torn)?;
        let header: Header =
            serde_json::from_slice(header).map_err(|error| Unreadable::Damaged(error.to_string()))?;
        Ok((header.origin, header.files.into_iter().map(|file| file.path).collect()))
    }
}

/// A file that ends within its first line is torn, as long as that line began as ours do, or holds nothing.
fn first_line(file: &[u8]) -> Result<(&[u8], &[u8]), Unreadable> {
    split_line(file).ok_or_else(|| {
        let ours = MAGIC.as_bytes().starts_with(file) || file.starts_with(MAGIC.as_bytes());
        if ours || file.iter().all(|byte| *byte == 0) {
            Unreadable::Torn
        } else {
            Unreadable::Damaged("it is no operation file".into())
        }
    })
}

/// The checksum in the first line, once its format is one that we know.
fn checksum(first: &[u8]) -> Result<String, Unreadable> {
    let text = std::str::from_utf8(first).ok().and_then(|line| line.strip_prefix(MAGIC));
    let (format, sum) = text
        .and_then(|line| line.split_once(' '))
        .ok_or_else(|| Unreadable::Damaged("it is no operation file".into()))?;
    match format.parse::<u32>() {
        Ok(FORMAT) => Ok(sum.to_owned()),
        Ok(newer) if newer > FORMAT => Err(Unreadable::Newer(newer)),
        _ => Err(Unreadable::Damaged(format!("its format {format:?} is unknown"))),
    }
}

fn split_line(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = memchr::memchr(b'\n', bytes)?;
    Some((bytes.get(..end)?, bytes.get(end + 1..)?))
}

pub(super) fn hex(hash: Hash) -> String {
    hash.0.iter().fold(String::with_capacity(64), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn operation(entries: Vec<Entry>) -> Operation {
        let origin = Origin {
            id: "0000000000000001".into(),
            workspace: "w".into(),
            machine: "m".into(),
            boot: "b".into(),
            time: DateTime::UNIX_EPOCH,
            summary: "memorize session-a".into(),
            undoes: None,
            folders: vec!["daily".into()],
        };
        Operation { origin, entries }
    }

    fn entries() -> impl Strategy<Value = Vec<Entry>> {
        let bytes = || proptest::collection::vec(any::<u8>(), 0..40);
        let edit = prop_oneof![
            (proptest::option::of(bytes()), proptest::option::of(bytes()))
                .prop_map(|(before, after)| Recorded::Replace { before, after }),
            (0..1000u64, bytes()).prop_map(|(at, bytes)| Recorded::Extend { at, bytes }),
            (0..1000u64, bytes()).prop_map(|(at, bytes)| Recorded::Cut { at, bytes }),
        ];
        let entry = ("[a-zé計]{1,8}\\.md", edit)
            .prop_map(|(path, edit)| Entry { path: RelPath::new(&path).unwrap(), edit });
        proptest::collection::vec(entry, 0..5)
    }

    proptest! {
        #[test]
        fn reads_what_it_writes(entries in entries()) {
            let operation = operation(entries);
            let file = operation.encode().unwrap();
            prop_assert_eq!(Operation::decode(&file), Ok(operation.clone()));
            let (origin, paths) = Operation::decode_header(&file).unwrap();
            prop_assert_eq!((origin, paths.len()), (operation.origin, operation.entries.len()));
        }

        #[test]
        fn a_shorter_file_is_torn_and_a_changed_one_damaged(entries in entries(), at in any::<prop::sample::Index>()) {
            let mut file = operation(entries).encode().unwrap();
            let at = at.index(file.len());
            prop_assert_eq!(Operation::decode(file.get(..at).unwrap()), Err(Unreadable::Torn));
            file[at] ^= 0x15;
            prop_assert!(Operation::decode(&file).is_err());
        }
    }

    #[test]
    fn what_is_no_operation() {
        let check = |file: &[u8]| Operation::decode(file).unwrap_err();
        assert_eq!(check(b"reme-operation 2 00\n{}\n"), Unreadable::Newer(2));
        assert!(matches!(check(b"hello\n"), Unreadable::Damaged(_)));
        assert!(matches!(check(b"hello"), Unreadable::Damaged(_)));
        let mut leaving = operation(Vec::new());
        leaving.entries.push(Entry {
            path: RelPath::new("a/b").unwrap(),
            edit: Recorded::Replace { before: None, after: Some(b"x".to_vec()) },
        });
        let file = String::from_utf8(leaving.encode().unwrap()).unwrap().replace("a/b", "../b");
        assert!(
            matches!(check(file.as_bytes()), Unreadable::Damaged(why) if why.contains("inside the workspace"))
        );
    }
}
