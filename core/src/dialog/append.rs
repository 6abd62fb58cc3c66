//! Appending to a long record: one fast scan instead of a JSON parser over all of it.
//!
//! Answers only where it can tell that the merge would append, and then as [`super::merge`] would; in any doubt
//! it says so, and the record is read as a whole. The scan finds the few lines that a submitted message might
//! be, and whether the record is in the order of its times. Writes nothing. Called by `memorize`.

use super::merge::{self, Entries};
use super::order::{InOrder, Order};
use super::{Mark, read};
use crate::message::{Msg, time::Zone};
use crate::store::{Base, Change};
use crate::workspace::RelPath;
use chrono::{DateTime, Utc};
use memchr::memmem::{self, Finder};
use std::collections::{BTreeSet, HashSet};
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;

/// More submitted messages than this are quicker merged with the whole record.
const MOST_SUBMITTED: usize = 24;

/// More lines than this that a submitted message might be are quicker parsed with all others.
const MOST_LINES: usize = 64;

const CHUNK: usize = 256 << 10;

/// What appending a submission comes to.
#[derive(Clone, Debug, PartialEq)]
pub struct Appended {
    /// The record's last messages: some before the mark, all behind it, then the new ones.
    pub messages: Vec<Msg>,
    /// How many of them lie behind the mark.
    pub unmarked: usize,
    /// How many of them are new.
    pub added: usize,
    /// The change of the file; `None`: all of it is stored already.
    pub change: Option<Change>,
    /// The record as it is afterwards.
    pub mark: Mark,
}

/// Plans appending to the record in `file`; `None` where that needs the whole record: it is not the one that
/// was marked, a message of it changes, one comes in between, a line lacks its id, times are out of order.
///
/// Of what lies before `mark` the last `context` messages are returned.
pub fn append(
    path: &RelPath,
    file: &mut (impl Read + Seek),
    mark: Mark,
    context: usize,
    submitted: &[Msg],
    zone: Zone,
    now: DateTime<Utc>,
) -> io::Result<Option<Appended>> {
    if mark.len == 0 || submitted.len() > MOST_SUBMITTED {
        return Ok(None);
    }
    let submitted = merge::submission(path.stem(), submitted);
    let Some(needles) = Needles::of(&submitted, path.stem()) else { return Ok(None) };
    let Some(scan) = Scan::run(file, mark, &needles, zone)? else { return Ok(None) };
    let Some(Window { mut messages, unmarked: stored, alike }) = window(file, mark, context, &scan)? else {
        return Ok(None);
    };

    let mut record = Entries::new(&alike, path.stem(), zone, now);
    let Some(new) = record.appended(&submitted, path.stem(), scan.last) else { return Ok(None) };
    let added = new.len();
    let unmarked = stored + added;
    let mut lines = Vec::new();
    for (line, message) in new {
        lines.extend_from_slice(&line);
        lines.push(b'\n');
        messages.push(message);
    }
    if added == 0 {
        return Ok(Some(Appended { messages, unmarked, added, change: None, mark: scan.whole }));
    }
    let edit = merge::append_edit(scan.whole.len, scan.ends_open, lines);
    let mark = scan.whole.after(&edit);
    let change = Change { path: path.clone(), base: Base::Absent, edit };
    Ok(Some(Appended { messages, unmarked, added, change: Some(change), mark }))
}

/// What stands in any line that a submitted message might be.
struct Needles {
    /// The ids of the submitted messages.
    ids: Vec<Finder<'static>>,
    /// Words of those whose ids were derived.
    words: Vec<Finder<'static>>,
    /// Whether words might be hidden behind escapes.
    escapable: bool,
}

impl Needles {
    /// `None` where another program might spell an id in another way, or a message has no words to look for.
    fn of(submitted: &[Msg], session_id: &str) -> Option<Needles> {
        let derived: HashSet<usize> =
            merge::without_own_id(submitted, session_id).into_iter().map(|(index, _)| index).collect();
        let mut needles = Needles { ids: Vec::new(), words: Vec::new(), escapable: false };
        for (index, message) in submitted.iter().enumerate() {
            let id = message.id.as_deref().filter(|id| !id.is_empty() && id.bytes().all(is_plain))?;
            needles.ids.push(Finder::new(id).into_owned());
            if derived.contains(&index) {
                let text = message.text();
                let is_gap = |c: char| c != ' ' && !u8::try_from(c).map_or(c.is_alphanumeric(), is_plain);
                let words =
                    text.split(is_gap).max_by_key(|words| words.len()).filter(|words| words.len() > 2)?;
                needles.escapable |= !words.is_ascii();
                needles.words.push(Finder::new(words).into_owned());
            }
        }
        Some(needles)
    }

    /// The lines that hold one, by a byte within; `None` where that cannot be told.
    fn places(&self, text: &[u8]) -> Option<Vec<usize>> {
        if self.escapable && memmem::find(text, b"\\u").is_some() {
            return None;
        }
        let mut places = Vec::new();
        for finder in &self.ids {
            let end = |at: usize| at + finder.needle().len();
            let apart =
                |at: Option<usize>| at.and_then(|at| text.get(at)).is_none_or(|byte| !is_plain(*byte));
            let is_whole = |at: &usize| apart(at.checked_sub(1)) && apart(Some(end(*at)));
            places.extend(finder.find_iter(text).filter(is_whole).take(MOST_LINES + 1));
        }
        for finder in &self.words {
            places.extend(finder.find_iter(text).take(MOST_LINES + 1));
        }
        Some(places)
    }
}

/// Whether every JSON writer spells the character as it is.
fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-_.:".contains(&byte)
}

/// What one pass over a record finds.
struct Scan {
    /// The whole record as it is.
    whole: Mark,
    /// The instant of its last message that has one.
    last: DateTime<Utc>,
    /// Whether its last line lacks a line feed.
    ends_open: bool,
    /// The lines that hold a needle.
    lines: BTreeSet<(u64, u64)>,
}

impl Scan {
    fn run(
        file: &mut (impl Read + Seek),
        mark: Mark,
        needles: &Needles,
        zone: Zone,
    ) -> io::Result<Option<Scan>> {
        file.seek(SeekFrom::Start(0))?;
        let mut sums = Sums::new(mark);
        let mut order = Order::new(zone);
        let mut lines = BTreeSet::new();
        let mut buffer: Vec<u8> = Vec::with_capacity(CHUNK * 2);
        let mut start = 0_u64;
        loop {
            let kept = buffer.len();
            let read = file.by_ref().take(CHUNK as u64).read_to_end(&mut buffer)?;
            sums.add(buffer.get(kept..).unwrap_or_default());
            let whole = match memchr::memrchr(b'\n', buffer.get(kept..).unwrap_or_default()) {
                Some(at) => kept + at + 1,
                None if read == 0 => kept,
                None => continue,
            };
            let (text, _) = buffer.split_at_checked(whole).unwrap_or((&buffer, &[]));
            let Some(places) = needles.places(text) else { return Ok(None) };
            for line in places.into_iter().map(|at| line_around(text, at)) {
                lines.insert((start + line.start as u64, start + line.end as u64));
            }
            if lines.len() > MOST_LINES || order.read(text) == InOrder::No {
                return Ok(None);
            }
            start += whole as u64;
            let ends_open = read == 0 && text.last().is_some_and(|byte| *byte != b'\n');
            buffer.drain(..whole);
            if read == 0 {
                let scan = |last| Scan { whole: sums.whole, last, ends_open, lines };
                return Ok(order.last().filter(|_| sums.at_mark == Some(mark)).map(scan));
            }
        }
    }
}

/// The sums of all that was read, and of what was read up to the mark.
struct Sums {
    whole: Mark,
    at_mark: Option<Mark>,
    mark: Mark,
}

impl Sums {
    fn new(mark: Mark) -> Sums {
        Sums { whole: Mark::default(), at_mark: None, mark }
    }

    fn add(&mut self, bytes: &[u8]) {
        let left = usize::try_from(self.mark.len.saturating_sub(self.whole.len)).unwrap_or(usize::MAX);
        let (before, behind) = bytes.split_at_checked(left).unwrap_or((bytes, &[]));
        self.whole = self.whole.extended(before);
        if self.whole.len == self.mark.len && self.at_mark.is_none() {
            self.at_mark = Some(self.whole);
        }
        self.whole = self.whole.extended(behind);
    }
}

fn line_around(text: &[u8], at: usize) -> Range<usize> {
    let (before, behind) = text.split_at_checked(at).unwrap_or((text, &[]));
    let start = memchr::memrchr(b'\n', before).map_or(0, |at| at + 1);
    let end = memchr::memchr(b'\n', behind).map_or(text.len(), |length| at + length);
    start..end
}

/// What is read of a record in full.
struct Window {
    /// The messages around the mark.
    messages: Vec<Msg>,
    /// How many of them lie behind it.
    unmarked: usize,
    /// The lines that hold a needle.
    alike: Vec<u8>,
}

/// `None` where a line lacks its id, which only the whole record can give it, or two have the same.
fn window(
    file: &mut (impl Read + Seek),
    mark: Mark,
    context: usize,
    scan: &Scan,
) -> io::Result<Option<Window>> {
    let before = before(file, mark.len, context)?;
    let behind = bytes(file, mark.len, scan.whole.len)?;
    let mut alike = Vec::new();
    for (start, end) in &scan.lines {
        alike.extend(bytes(file, *start, *end)?);
        alike.push(b'\n');
    }
    let read = |part| read::pieces(part).into_iter().filter_map(|piece| piece.message);
    let (context, stored): (Vec<Msg>, Vec<Msg>) = (read(&before).collect(), read(&behind).collect());
    let mut ids = HashSet::new();
    let is_clear =
        context.iter().chain(&stored).all(|message| message.id.is_some() && ids.insert(&message.id))
            && read(&alike).all(|message| message.id.is_some());
    if !is_clear {
        return Ok(None);
    }
    let unmarked = stored.len();
    Ok(Some(Window { messages: context.into_iter().chain(stored).collect(), unmarked, alike }))
}

/// The last `count` lines that end at `end`, or a few more.
fn before(file: &mut (impl Read + Seek), end: u64, count: usize) -> io::Result<Vec<u8>> {
    let mut size = 64_u64 << 10;
    loop {
        let start = end.saturating_sub(size);
        let text = bytes(file, start, end)?;
        let closed = text.strip_suffix(b"\n").unwrap_or(&text);
        match memchr::memrchr_iter(b'\n', closed).nth(count.saturating_sub(1)) {
            Some(at) => return Ok(text.get(at + 1..).unwrap_or_default().to_vec()),
            None if start == 0 => return Ok(text),
            None => size *= 4,
        }
    }
}

fn bytes(file: &mut (impl Read + Seek), start: u64, end: u64) -> io::Result<Vec<u8>> {
    file.seek(SeekFrom::Start(start))?;
    let mut bytes = Vec::new();
    file.by_ref().take(end.saturating_sub(start)).read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests;
