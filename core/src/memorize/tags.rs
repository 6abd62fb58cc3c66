//! Tags: central entities, few and spelt as the workspace already spells them.

/// How many tags a card has at most, unless a person adds more.
pub const MOST: usize = 3;

/// How many characters a tag has at most.
const LONGEST: usize = 64;

/// Cleans proposed tags: blanks to `_`, the workspace's spelling preferred, each once without regard to case.
pub fn clean(proposed: &[String], known: &[String]) -> Vec<String> {
    let mut tags: Vec<String> = Vec::new();
    for tag in proposed {
        let tag = spell(tag, known);
        if !tag.is_empty() && !tags.iter().any(|other| same(other, &tag)) {
            tags.push(tag);
        }
    }
    tags
}

/// What a card carries after `proposed` tags were added to those that it `has`, which all stay.
pub fn join(has: &[String], proposed: &[String], known: &[String]) -> Vec<String> {
    let mut tags = has.to_vec();
    for tag in clean(proposed, known) {
        if tags.len() < MOST && !tags.iter().any(|other| same(other, &tag)) {
            tags.push(tag);
        }
    }
    tags
}

fn spell(tag: &str, known: &[String]) -> String {
    let unlinked = tag.replace(['[', ']', '#', '|'], "");
    let joined = unlinked.split_whitespace().collect::<Vec<_>>().join("_");
    let cut: String = joined.chars().filter(|c| !c.is_control()).take(LONGEST).collect();
    known.iter().find(|other| same(other, &cut)).cloned().unwrap_or(cut)
}

fn same(a: &str, b: &str) -> bool {
    a.to_lowercase() == b.to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strings(tags: &[&str]) -> Vec<String> {
        tags.iter().map(|&tag| tag.to_owned()).collect()
    }

    #[test]
    fn tags_are_cleaned_and_joined() {
        // (has, proposed, known, expected)
        type Row = (
            &'static [&'static str],
            &'static [&'static str],
            &'static [&'static str],
            &'static [&'static str],
        );
        let rows: &[Row] = &[
            (&[], &["New York", "new york"], &[], &["New_York"]),
            (&[], &["sqlite"], &["SQLite"], &["SQLite"]),
            (&["a", "b"], &["c", "d"], &[], &["a", "b", "c"]),
            (&["w", "x", "y", "z"], &["c"], &[], &["w", "x", "y", "z"]),
            (&["Jon"], &["jon", ""], &[], &["Jon"]),
            (&[], &["[[daily/x]]", "#tag"], &[], &["daily/x", "tag"]),
        ];
        for (has, proposed, known, expected) in rows {
            assert_eq!(
                join(&strings(has), &strings(proposed), &strings(known)),
                strings(expected),
                "{proposed:?}"
            );
        }
    }
}
