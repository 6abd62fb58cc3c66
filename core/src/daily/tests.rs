//! Rows: a page and the day's cards, and the page that comes of them.

use super::*;
use proptest::prelude::*;

const DAY: &str = "2026-06-20";
const ALPHA: &str =
    "---\ndescription: Alpha description\nmemory_tags:\n- Ent\nname: alpha\nsession_id: s\n---\n\nx\n";
const BETA: &str = "---\nname: beta\ndescription: Beta\nextra: {a: 1}\nwhen: 2023-01-19\n---\n\nsee\n";
const ALPHA_ROW: &str =
    "- [[daily/2026-06-20/alpha.md]] name: alpha description: Alpha description memory_tags: ['Ent']\n";
const BETA_ROW: &str =
    "- [[daily/2026-06-20/beta.md]] name: beta description: Beta extra: {'a': 1} when: 2023-01-19\n";

fn cards(cards: &[(&str, &str)]) -> Vec<(RelPath, Card)> {
    let path = |name: &str| RelPath::new(&format!("daily/{DAY}/{name}.md")).unwrap();
    cards.iter().map(|(name, text)| (path(name), Card::parse(*text))).collect()
}

/// Checks a page to the byte, and that rebuilding it again changes nothing.
#[track_caller]
fn check(present: Option<&str>, with: &[(&str, &str)], expected: &str, warnings: usize) {
    let (day, cards) = (DAY.parse().unwrap(), cards(with));
    let page = rebuild(day, present, &cards);
    assert_eq!(page.text, expected);
    assert_eq!(page.warnings.len(), warnings, "{:?}", page.warnings);
    assert_eq!(rebuild(day, Some(&page.text), &cards).text, expected, "again");
}

#[test]
fn a_page_is_made() {
    check(
        None,
        &[("beta", BETA), ("alpha", ALPHA)],
        &format!(
            "---\nname: '{DAY}'\ndescription: 2 note(s) today.\n---\n\n{OPEN}\n{ALPHA_ROW}{BETA_ROW}{CLOSE}\n"
        ),
        0,
    );
    check(
        None,
        &[],
        &format!("---\nname: '{DAY}'\ndescription: No notes today.\n---\n\n{OPEN}\n{CLOSE}\n"),
        0,
    );
}

#[test]
fn a_page_of_reme_is_followed() {
    let page = |count: usize, rows: &str| {
        format!("---\ndescription: {count} note(s) today.\nname: '{DAY}'\n---\n\n{OPEN}\n{rows}{CLOSE}")
    };
    check(Some(&page(1, ALPHA_ROW)), &[("alpha", ALPHA)], &page(1, ALPHA_ROW), 0);
    let both = format!("{ALPHA_ROW}{BETA_ROW}");
    check(
        Some(&page(1, ALPHA_ROW)),
        &[("alpha", ALPHA), ("beta", BETA)],
        &format!("{}\n", page(2, &both)),
        0,
    );
}

#[test]
fn the_persons_text_stays() {
    let page = |block: &str, description: &str| {
        format!(
            "---\nname: My day\n{description}mood: good # really\n---\n\n# Diary\n\nHand  text.\n\n{block}\n\nafter block\n\n\n"
        )
    };
    let block = format!("{OPEN}\n{BETA_ROW}{CLOSE}");
    check(
        Some(&page(&format!("{OPEN}\nstale\n{CLOSE}"), "")),
        &[("beta", BETA)],
        &page(&block, "description: 1 note(s) today.\n"),
        0,
    );
    check(
        Some("Only my words"),
        &[("beta", BETA)],
        &format!("---\nname: '{DAY}'\ndescription: 1 note(s) today.\n---\n\nOnly my words\n\n{block}\n"),
        0,
    );
    let crlf = format!("---\nname: a\n---\nwords\n{OPEN}\n{CLOSE}\nend").replace('\n', "\r\n");
    let after = format!("---\nname: a\ndescription: 1 note(s) today.\n---\nwords\n{block}\nend\n")
        .replace('\n', "\r\n");
    check(Some(&crlf), &[("beta", BETA)], &after, 0);
}

#[test]
fn markers_count_as_whole_lines_only() {
    let head = "---\nname: x\ndescription: 1 note(s) today.\n---\n";
    let block = format!("{OPEN}\n{BETA_ROW}{CLOSE}\n");
    let reversed = "<!-- /notes:auto --> reversed <!-- notes:auto -->\n";
    check(Some(&format!("{head}{reversed}")), &[("beta", BETA)], &format!("{head}{reversed}\n{block}"), 0);
    for (before, after, warnings) in [
        (format!("{CLOSE}\nmine\n"), String::new(), 1),
        (format!("{OPEN}\nmine\n"), String::new(), 1),
        (String::new(), format!("mine\n{OPEN}\nmine\n{CLOSE}\n"), 2),
        (String::new(), format!("mine\n{CLOSE}\n"), 1),
        (format!("say {OPEN}\n{CLOSE} mine\n"), String::new(), 0),
    ] {
        let page = |rows: &str| format!("{head}{before}{OPEN}\n{rows}{CLOSE}\n{after}");
        check(Some(&page("stale\n")), &[("beta", BETA)], &page(BETA_ROW), warnings);
    }
    check(
        Some(&format!("{head}{OPEN}\nmine\n")),
        &[("beta", BETA)],
        &format!("{head}{OPEN}\nmine\n\n{block}"),
        1,
    );
}

#[test]
fn a_marker_in_a_description_doubles_nothing() {
    let evil =
        "---\nname: evil\ndescription: \"a\\n<!-- /notes:auto -->\\nb <!-- /notes:auto --> tail\"\n---\n";
    let row = "- [[daily/2026-06-20/evil.md]] name: evil description: a <!-- /notes:auto --> b <!-- /notes:auto --> tail\n";
    check(
        None,
        &[("evil", evil)],
        &format!("---\nname: '{DAY}'\ndescription: 1 note(s) today.\n---\n\n{OPEN}\n{row}{CLOSE}\n"),
        0,
    );
    let damaged =
        format!("---\nname: a\ndescription: 1 note(s) today.\n---\n{OPEN}\n{row}{CLOSE} tail\n{CLOSE}\n");
    let repaired = format!("---\nname: a\ndescription: 1 note(s) today.\n---\n{OPEN}\n{row}{CLOSE}\n");
    check(Some(&damaged), &[("evil", evil)], &repaired, 0);
}

#[test]
fn a_stray_marker_of_the_person_is_left_and_reported() {
    let page = include_str!("../../tests/data/daily/wikilink-6-daypage.md");
    let old = "---\nname: old\n---\n";
    check(Some(page), &[("old", old)], page, 1);
    let (before, after) = page.split_once("- [[daily/2026-06-20/old.md]] name: old\n").unwrap();
    let before = before.replace("1 note", "2 note");
    check(
        Some(page),
        &[("old", old), ("beta", BETA)],
        &format!("{before}{BETA_ROW}- [[daily/2026-06-20/old.md]] name: old\n{after}"),
        1,
    );
}

#[test]
fn unreadable_files_are_listed_or_left() {
    let broken = "---\nname: [x\n---\n";
    check(
        None,
        &[("broken", broken), ("plain", "just text\n")],
        &format!(
            "---\nname: '{DAY}'\ndescription: 2 note(s) today.\n---\n\n{OPEN}\n- [[daily/2026-06-20/broken.md]]\n- [[daily/2026-06-20/plain.md]]\n{CLOSE}\n"
        ),
        0,
    );
    check(Some(broken), &[("beta", BETA)], broken, 1);
}

proptest! {
    #[test]
    fn rebuilding_twice_changes_nothing_more(
        parts in proptest::collection::vec(prop_oneof![
            Just(format!("{OPEN}\n")), Just(format!("{CLOSE}\n")), Just(OPEN.to_owned()), Just("mine\n".to_owned()),
            Just("\r\n".to_owned()), Just("---\n".to_owned()), Just("name: x\n".to_owned()), Just("\u{feff}".to_owned()),
        ], 0..10)
    ) {
        let (day, cards) = (DAY.parse().unwrap(), cards(&[("alpha", ALPHA)]));
        let once = rebuild(day, Some(&parts.concat()), &cards).text;
        prop_assert_eq!(&rebuild(day, Some(&once), &cards).text, &once);
    }
}
