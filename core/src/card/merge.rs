//! An update of a card's body: the statements of a draft merged with those that the card has.
//!
//! Only statements change; every other block of the card stays byte for byte. Called by `memorize`.

use super::footnote::Footnotes;
use super::render::{self, RenderContext, RenderedItem, with_reference};
use super::statement::{self, Statement, Statements, content_words, heading_key, normal, share};
use crate::distill::{Draft, Kind};
use std::collections::HashSet;
use std::ops::Range;

/// From this share of its content words on, a statement is said again by another.
const SAME_SHARE: f64 = 0.6;

/// A merged body, and what a person should see of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Merged {
    /// The body as it becomes.
    pub body: String,
    /// Statements that the draft left out and that stay.
    pub put_back: Vec<String>,
    /// Statements that are new or newly worded.
    pub added: Vec<String>,
    /// Statements that go, or are worded anew.
    pub removed: Vec<String>,
    /// Addresses that no cited message holds.
    pub unsupported: Vec<String>,
    /// What was left out, for a person.
    pub notes: Vec<String>,
    /// Whether text is replaced that we did not write, so that a person must look.
    pub needs_review: bool,
}

/// Merges a draft into a card's body.
pub fn merge(body: &str, draft: &Draft, context: &RenderContext<'_>) -> Merged {
    if draft.body.as_deref().is_some_and(|same| same.trim() == body.trim()) {
        return Merged { body: body.to_owned(), ..Merged::default() };
    }
    if body.trim().is_empty() || draft.body.is_some() {
        return replace(body, draft, context);
    }
    let mut merge = Merge::new(body, draft, context);
    merge.match_equal();
    merge.match_words();
    merge.match_evidence();
    merge.finish(context)
}

/// A body that takes the place of the whole old one.
fn replace(body: &str, draft: &Draft, context: &RenderContext<'_>) -> Merged {
    let rendered = render::render(draft, context);
    let old = statement::find(body);
    let is_ours = old.only_lists && old.statements.iter().all(|statement| !statement.evidence.is_empty());
    let keeps_all = {
        let new: HashSet<&str> = rendered.body.lines().map(str::trim).collect();
        body.lines().map(str::trim).all(|line| line.is_empty() || new.contains(line))
    };
    let texts = |found: &Statements| found.statements.iter().map(|one| one.text.clone()).collect::<Vec<_>>();
    let (before, after) = (texts(&old), texts(&statement::find(&rendered.body)));
    Merged {
        added: after.iter().filter(|text| !before.contains(text)).cloned().collect(),
        removed: before.iter().filter(|text| !after.contains(text)).cloned().collect(),
        needs_review: !is_ours && !keeps_all,
        body: rendered.body,
        put_back: Vec::new(),
        unsupported: rendered.unsupported,
        notes: rendered.notes,
    }
}

/// What becomes of a statement of the card.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    /// No statement of the draft has been found for it.
    Open,
    /// It stays as it is; the draft says the same.
    Same,
    /// The new statement with this index stands in its place.
    Reworded(usize),
    /// A new statement covers it.
    Covered,
}

struct Old {
    statement: Statement,
    words: HashSet<String>,
    fate: Fate,
    /// Whether the draft's newest snapshot replaces its section.
    in_snapshot: bool,
    /// Whether it may be worded anew or go: a model wrote it.
    may_change: bool,
}

struct New {
    item: RenderedItem,
    words: HashSet<String>,
    kind: Kind,
    /// The index of its heading among the draft's.
    section: usize,
    /// Whether it has found its place in the card.
    placed: bool,
}

/// New statements that go to one place.
struct Addition {
    heading: String,
    /// The card's section; none: a new one.
    target: Option<usize>,
    entries: Vec<Entry>,
}

struct Entry {
    text: String,
    reference: String,
}

struct Merge<'a> {
    body: &'a str,
    found: Statements,
    notes: Footnotes,
    old: Vec<Old>,
    new: Vec<New>,
    /// The draft's headings, and the card's sections that they mean.
    headings: Vec<(String, Option<usize>)>,
}

impl<'a> Merge<'a> {
    fn new(body: &'a str, draft: &Draft, context: &RenderContext<'_>) -> Merge<'a> {
        let notes = Footnotes::read(body);
        let mut found = statement::find(body);
        let mut headings: Vec<(String, Option<usize>)> = Vec::new();
        let mut new: Vec<New> = Vec::new();
        for section in &draft.sections {
            // A draft without kinds still tells a snapshot by its heading.
            let kind = match section.kind {
                Kind::Other => statement::kind_of(&section.heading),
                kind => kind,
            };
            let target = target_of(&mut found, &section.heading, kind);
            headings.push((render::heading(&section.heading), target));
            for item in section.items.iter().filter_map(|item| render::render_item(item, context)) {
                let words = content_words(&item.text);
                let is_repeated = new.iter().any(|known| normal(&known.item.text) == normal(&item.text));
                if !is_repeated {
                    new.push(New { item, words, kind, section: headings.len() - 1, placed: false });
                }
            }
        }
        let has_snapshot = new.iter().any(|new| new.kind == Kind::State);
        let is_ours = notes.any();
        let section_of = |statement: &Statement| found.sections.get(statement.section);
        let is_state =
            |statement: &Statement| section_of(statement).is_some_and(|one| one.kind == Kind::State);
        let is_history = |statement: &Statement| {
            section_of(statement).is_some_and(|one| statement::is_history(&one.heading))
        };
        let old = found
            .statements
            .iter()
            .filter(|statement| statement.is_item || !is_ours)
            .map(|statement| Old {
                words: content_words(&statement.text),
                fate: Fate::Open,
                in_snapshot: has_snapshot && is_state(statement),
                may_change: (!is_ours || !statement.evidence.is_empty()) && !is_history(statement),
                statement: statement.clone(),
            })
            .collect();
        Merge { body, found, notes, old, new, headings }
    }

    fn match_equal(&mut self) {
        for new in &mut self.new {
            let text = normal(&new.item.text);
            let fits = |old: &&mut Old| {
                old.fate == Fate::Open
                    && (!old.in_snapshot || new.kind == Kind::State)
                    && normal(&old.statement.text) == text
            };
            if let Some(old) = self.old.iter_mut().find(fits) {
                old.fate = Fate::Same;
                new.placed = true;
            }
        }
    }

    /// A new statement takes the place of the old one that it says again; other old ones that it says again go.
    fn match_words(&mut self) {
        for (index, new) in self.new.iter_mut().enumerate().filter(|(_, new)| !new.placed) {
            let mut said_again: Vec<(f64, &mut Old)> = self
                .old
                .iter_mut()
                .filter(|old| old.fate == Fate::Open && !old.in_snapshot)
                .map(|old| (share(&old.words, &new.words), old))
                .filter(|(share, _)| *share >= SAME_SHARE)
                .collect();
            said_again.sort_by(|(a, _), (b, _)| b.total_cmp(a));
            for (_, old) in said_again {
                if !old.may_change {
                    // What a person wrote stays; a draft that says no more than it adds nothing.
                    old.fate = Fate::Same;
                    new.placed |= share(&new.words, &old.words) >= SAME_SHARE;
                } else if new.placed {
                    old.fate = Fate::Covered;
                } else {
                    old.fate = Fate::Reworded(index);
                    new.placed = true;
                }
            }
        }
    }

    /// A new statement of the same section that rests on the same message corrects the old one, one for one: a
    /// message often says several things.
    fn match_evidence(&mut self) {
        for (index, new) in self.new.iter_mut().enumerate().filter(|(_, new)| !new.placed) {
            let target = self.headings.get(new.section).and_then(|(_, target)| *target);
            let corrects = |old: &Old| {
                target == Some(old.statement.section)
                    && old.statement.evidence.iter().any(|id| new.item.ids.contains(id))
            };
            let nearest = self
                .old
                .iter_mut()
                .filter(|old| old.fate == Fate::Open && !old.in_snapshot && old.may_change && corrects(old))
                .max_by(|a, b| share(&a.words, &new.words).total_cmp(&share(&b.words, &new.words)));
            if let Some(old) = nearest {
                old.fate = Fate::Reworded(index);
                new.placed = true;
            }
        }
    }

    fn finish(mut self, context: &RenderContext<'_>) -> Merged {
        let mut merged = Merged::default();
        let mut edits: Vec<(Range<usize>, String)> = Vec::new();
        let gone = self.gone();
        for (index, old) in self.old.iter().enumerate() {
            let text = old.statement.text.clone();
            match old.fate {
                Fate::Reworded(new) => {
                    if let Some(new) = self.new.get(new) {
                        let ids =
                            if new.item.ids.is_empty() { &old.statement.evidence } else { &new.item.ids };
                        let reference = self.notes.reference(ids);
                        edits.push((
                            old.statement.span.clone(),
                            with_reference("", &new.item.text, &reference),
                        ));
                        merged.added.push(new.item.text.clone());
                        merged.removed.push(text);
                    }
                }
                _ if gone.contains(&index) => {
                    edits.push((self.whole_lines(&old.statement), String::new()));
                    merged.removed.push(text);
                }
                Fate::Open if !old.in_snapshot => merged.put_back.push(text),
                Fate::Open | Fate::Same | Fate::Covered => {}
            }
        }
        edits.extend(self.additions(&gone, &mut merged));
        edits.extend(self.definitions(context));
        merged.unsupported = self.new.iter().flat_map(|new| new.item.unsupported.clone()).collect();
        merged.body = apply(self.body, edits);
        merged
    }

    /// The statements whose lines go: said again elsewhere, or of an older snapshot. One that holds more than
    /// words, or a statement that stays, stays with it.
    fn gone(&self) -> HashSet<usize> {
        let goes = |old: &Old| {
            old.may_change
                && !old.statement.holds_more
                && (old.fate == Fate::Covered || (old.in_snapshot && old.fate == Fate::Open))
        };
        let holds_what_stays = |outer: &Old| {
            self.old.iter().any(|inner| {
                inner.statement.lines.start > outer.statement.lines.start
                    && inner.statement.lines.end <= outer.statement.lines.end
                    && !goes(inner)
            })
        };
        let indexed = self.old.iter().enumerate();
        indexed.filter(|(_, old)| goes(old) && !holds_what_stays(old)).map(|(index, _)| index).collect()
    }

    /// The lines of a statement with the last line end.
    fn whole_lines(&self, statement: &Statement) -> Range<usize> {
        let lines = self.trimmed(&statement.lines);
        let start = self.body.get(..lines.start).and_then(|before| before.rfind('\n')).map_or(0, |at| at + 1);
        let rest = self.body.get(lines.end..).unwrap_or_default();
        let mut end = rest.find('\n').map_or(self.body.len(), |at| lines.end + at + 1);
        if !statement.is_item {
            let behind = self.body.get(end..).unwrap_or_default();
            end += if behind.starts_with("\r\n") { 2 } else { usize::from(behind.starts_with('\n')) };
        }
        start..end
    }

    fn trimmed(&self, range: &Range<usize>) -> Range<usize> {
        let source = self.body.get(range.clone()).unwrap_or_default();
        range.start..range.start + source.trim_end().len()
    }

    fn eol(&self) -> &'static str {
        if self.body.contains("\r\n") { "\r\n" } else { "\n" }
    }

    /// Where the card's own content ends: before the footnotes that close it.
    fn content_end(&self) -> usize {
        let ends_in_notes =
            self.notes.end.is_some_and(|end| self.body.get(end..).unwrap_or_default().trim().is_empty());
        match self.notes.start.filter(|_| ends_in_notes) {
            Some(start) => start,
            None => self.body.len(),
        }
    }

    /// The edits that put new statements behind those of their sections, and new sections behind all.
    fn additions(&mut self, gone: &HashSet<usize>, merged: &mut Merged) -> Vec<(Range<usize>, String)> {
        let mut additions: Vec<Addition> = Vec::new();
        for new in self.new.iter().filter(|new| !new.placed) {
            let Some((heading, target)) = self.headings.get(new.section) else { continue };
            merged.added.push(new.item.text.clone());
            let entry = Entry { text: new.item.text.clone(), reference: self.notes.reference(&new.item.ids) };
            let is_same = |known: &&mut Addition| {
                known.target == *target && (target.is_some() || known.heading == *heading)
            };
            match additions.iter_mut().find(is_same) {
                Some(known) => known.entries.push(entry),
                None => additions.push(Addition {
                    heading: heading.clone(),
                    target: *target,
                    entries: vec![entry],
                }),
            }
        }
        let edit = |addition: &Addition| match addition.target {
            Some(section) => self.behind_section(section, gone, &addition.entries),
            None => self.new_section(addition),
        };
        additions.iter().map(edit).collect()
    }

    fn new_section(&self, addition: &Addition) -> (Range<usize>, String) {
        let eol = self.eol();
        let end = self.trimmed(&(0..self.content_end())).end;
        let title = match addition.heading.as_str() {
            "" => String::new(),
            heading => format!("## {heading}{eol}{eol}"),
        };
        (end..end, format!("{eol}{eol}{title}{}", list(&addition.entries, eol)))
    }

    /// New statements behind the last list item of a section that stays, else where its items were, else at
    /// its end.
    fn behind_section(
        &self,
        section: usize,
        gone: &HashSet<usize>,
        entries: &[Entry],
    ) -> (Range<usize>, String) {
        let eol = self.eol();
        let is_item = |old: &&Old| old.statement.section == section && old.statement.is_item;
        let stays =
            |(index, old): &(usize, &Old)| is_item(old) && !gone.contains(index) && !self.is_nested(old);
        if let Some((_, last)) = self.old.iter().enumerate().rfind(stays) {
            let at = self.trimmed(&last.statement.lines).end;
            let mut marker = self.marker(&last.statement);
            let mut text = String::new();
            for entry in entries {
                marker = next_marker(&marker);
                text.push_str(eol);
                text.push_str(&with_reference(&marker, &entry.text, &entry.reference));
            }
            return (at..at, text);
        }
        if let Some(first) = self.old.iter().find(is_item) {
            let at = self.whole_lines(&first.statement).start;
            return (at..at, format!("{}{eol}", list(entries, eol)));
        }
        let span = self.found.sections.get(section).map_or(0..0, |section| section.span.clone());
        let at = self.trimmed(&(span.start..span.end.min(self.content_end()).max(span.start))).end;
        let gap = if at == 0 { String::new() } else { format!("{eol}{eol}") };
        (at..at, format!("{gap}{}", list(entries, eol)))
    }

    fn is_nested(&self, inner: &Old) -> bool {
        self.old.iter().any(|outer| {
            outer.statement.lines.start < inner.statement.lines.start
                && outer.statement.lines.end >= inner.statement.lines.end
        })
    }

    /// The list marker of an item with its indentation.
    fn marker(&self, statement: &Statement) -> String {
        let start = self.whole_lines(statement).start;
        let line = self.body.get(start..).unwrap_or_default().split('\n').next().unwrap_or_default();
        let marker = line.get(..statement::marker_length(line)).unwrap_or("- ");
        marker.split('[').next().unwrap_or("- ").to_owned()
    }

    fn definitions(&self, context: &RenderContext<'_>) -> Option<(Range<usize>, String)> {
        let eol = self.eol();
        let lines = self.notes.fresh_lines(context.record);
        if lines.is_empty() {
            return None;
        }
        let (at, gap) = match self.notes.end {
            Some(end) => (end, eol.to_owned()),
            None => (self.body.trim_end().len(), format!("{eol}{eol}")),
        };
        Some((at..at, format!("{gap}{}", lines.join(eol))))
    }
}

/// The lines of a new list.
fn list(entries: &[Entry], eol: &str) -> String {
    let lines: Vec<String> =
        entries.iter().map(|entry| with_reference("- ", &entry.text, &entry.reference)).collect();
    lines.join(eol)
}

/// The card's section that a draft's heading means; its kind becomes the draft's.
fn target_of(found: &mut Statements, heading: &str, kind: Kind) -> Option<usize> {
    let key = heading_key(heading);
    let same =
        found.sections.iter().position(|section| !key.is_empty() && heading_key(&section.heading) == key);
    if let Some(section) = same.and_then(|index| found.sections.get_mut(index)) {
        if kind != Kind::Other {
            section.kind = kind;
        }
        return same;
    }
    if kind != Kind::State {
        return None;
    }
    found.sections.iter().position(|section| section.kind == Kind::State)
}

/// The marker of the item behind one with this marker.
fn next_marker(marker: &str) -> String {
    let indent = marker.len() - marker.trim_start().len();
    let digits: String = marker.trim_start().chars().take_while(char::is_ascii_digit).collect();
    match digits.parse::<usize>() {
        Ok(number) => {
            let behind = marker.get(indent + digits.len()..).unwrap_or(". ");
            format!("{}{}{behind}", " ".repeat(indent), number.saturating_add(1))
        }
        Err(_) => marker.to_owned(),
    }
}

/// Applies edits that do not overlap; of one place, in the order in which they were found.
fn apply(body: &str, mut edits: Vec<(Range<usize>, String)>) -> String {
    edits.sort_by_key(|(range, _)| (range.start, !range.is_empty()));
    let mut edited = String::with_capacity(body.len());
    let mut from = 0;
    for (range, text) in edits {
        if range.start < from {
            // Inside lines that go as a whole.
            if range.end > from || !range.is_empty() {
                continue;
            }
        }
        edited.push_str(body.get(from..range.start.max(from)).unwrap_or_default());
        edited.push_str(&text);
        from = from.max(range.end);
    }
    edited.push_str(body.get(from..).unwrap_or_default());
    edited
}

#[cfg(test)]
mod tests;
