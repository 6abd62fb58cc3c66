//! The browse screen, driven like a person would and looked at as a person would see it.

mod harness;

use chrono::DateTime;
use crossterm::event::{KeyCode, MouseEventKind};
use harness::{Harness, World, date, path};
use ratatui::text::Line;
use reme_core::watch::Notice;
use reme_ui::effect::{Answer, Effect, Ticket};
use reme_ui::event::{Event, Input};
use reme_ui::pane::laid::Laid;
use reme_ui::screen::browse::Pane;
use std::sync::Arc;

#[test]
fn small_terminal() {
    insta::assert_snapshot!(Harness::new(World::sample(), 80, 24).screen());
}

#[test]
fn large_terminal() {
    insta::assert_snapshot!(Harness::new(World::sample(), 200, 60).screen());
}

#[test]
fn dialog_and_help() {
    let mut harness = Harness::new(World::sample(), 80, 24);
    insta::assert_snapshot!("dialog", harness.keys("d").text());
    insta::assert_snapshot!("help", harness.keys("?").text());
}

#[test]
fn narrow_terminals_cut_no_title_and_no_help() {
    let first = |text: String, from: &str| {
        text.lines().find(|line| line.contains(from)).unwrap_or_default().trim_end().to_owned()
    };
    for (width, keys, from, expected) in [
        (60, "", "4 Card", "╭ 1 Days ──────────────────╮╭ 3  4 Card  5  6 ─────────────╮"),
        (60, "6", "6 Images", "╭ 1 Days ──────────────────╮╭ 3  4  5  6 Images ───────────╮"),
        (46, "l", "4 Card", "╭ 3 Page  4 Card  5 Dialog  6 Images ────────╮"),
        (60, "?", "New memory", "│ a         New memory: paste or open a conversation       ┃"),
        (40, "?", "New memory", "│ a         New memory: paste or open… ┃"),
    ] {
        let text = Harness::new(World::sample(), width, 14).keys(keys).text();
        assert_eq!(first(text, from), expected, "{width} {keys}");
    }
}

#[test]
fn an_empty_workspace_teaches() {
    let text = Harness::new(World::empty(), 80, 24).text();
    assert!(text.contains("No memories yet. Press a to paste"), "{text}");
    let text = Harness::waiting(World::empty(), 80, 24, Some("/tmp/talk.txt")).text();
    assert!(text.contains("press m to memorize it"), "{text}");
    assert!(text.contains("1 waiting: m"), "{text}");
}

/// Keys, then what is focused, selected and, for a document, the first visible line.
#[track_caller]
fn check(keys: &str, focus: Pane, day: &str, card: &str, top: usize) {
    let mut harness = Harness::new(World::sample(), 80, 24);
    harness.keys(keys);
    let browse = harness.app.browse();
    assert_eq!(browse.focus(), focus, "{keys}: focus");
    assert_eq!(browse.day(), Some(date(day)), "{keys}: day");
    assert_eq!(browse.card().map(|card| card.stem()), Some(card), "{keys}: card");
    assert_eq!(browse.doc(focus).map_or(0, |doc| doc.top()), top, "{keys}: top");
}

#[test]
fn keys_lead_where_they_say() {
    const NEW: &str = "2026-06-20";
    const OLD: &str = "2026-06-18";
    const FIRST: &str = "database-choice";
    for (keys, focus, day, card, top) in [
        ("", Pane::Cards, NEW, FIRST, 0),
        ("j", Pane::Cards, NEW, "login-refactor", 0),
        ("j j j", Pane::Cards, NEW, "login-refactor", 0),
        ("Down Up", Pane::Cards, NEW, FIRST, 0),
        ("G", Pane::Cards, NEW, "login-refactor", 0),
        ("G g", Pane::Cards, NEW, FIRST, 0),
        ("1", Pane::Days, NEW, FIRST, 0),
        ("1 j", Pane::Days, OLD, "trip-to-旅行", 0),
        ("1 End Enter", Pane::Cards, OLD, "trip-to-旅行", 0),
        ("1 j l", Pane::Page, OLD, "trip-to-旅行", 0),
        ("Tab", Pane::Card, NEW, FIRST, 0),
        ("Tab Tab", Pane::Days, NEW, FIRST, 0),
        ("S-Tab", Pane::Days, NEW, FIRST, 0),
        ("Enter", Pane::Card, NEW, FIRST, 0),
        ("l", Pane::Card, NEW, FIRST, 0),
        ("l l", Pane::Dialog, NEW, FIRST, 0),
        ("l l l l l", Pane::Images, NEW, FIRST, 0),
        ("l h", Pane::Page, NEW, FIRST, 0),
        ("l h h", Pane::Cards, NEW, FIRST, 0),
        ("3", Pane::Page, NEW, FIRST, 0),
        ("d", Pane::Dialog, NEW, FIRST, 0),
        ("5 j j", Pane::Dialog, NEW, FIRST, 2),
        ("5 Ctrl-d", Pane::Dialog, NEW, FIRST, 10),
        ("5 Ctrl-d Ctrl-u", Pane::Dialog, NEW, FIRST, 0),
        ("5 PgDn", Pane::Dialog, NEW, FIRST, 20),
        ("5 Space PgUp", Pane::Dialog, NEW, FIRST, 0),
        ("5 G", Pane::Dialog, NEW, FIRST, 69),
        ("i", Pane::Images, NEW, FIRST, 0),
        // The day page's first link is the first card, the second a short name.
        ("3 n Enter", Pane::Card, NEW, FIRST, 0),
        ("3 n n Enter", Pane::Card, NEW, "login-refactor", 0),
        ("3 n n Enter Backspace", Pane::Page, NEW, FIRST, 0),
        ("3 n n Enter Ctrl-o f", Pane::Card, NEW, "login-refactor", 0),
        ("3 p Enter", Pane::Page, NEW, FIRST, 0),
        // The footnote's link leads to its message.
        ("4 p Enter", Pane::Dialog, NEW, FIRST, 6),
        ("4 p Enter Backspace", Pane::Card, NEW, FIRST, 0),
        // The header's link leads to the record.
        ("4 n o", Pane::Dialog, NEW, FIRST, 0),
        ("/ t r i p Enter", Pane::Card, OLD, "trip-to-旅行", 0),
        ("/ l o g i n Esc", Pane::Cards, NEW, "login-refactor", 0),
        ("/ z z z Enter", Pane::Card, NEW, FIRST, 0),
        ("? Esc", Pane::Cards, NEW, FIRST, 0),
        ("? j Enter", Pane::Cards, NEW, FIRST, 0),
    ] {
        check(keys, focus, day, card, top);
    }
}

#[test]
fn links_lead_to_places_in_a_file() {
    for (link, moved, said) in [
        ("daily/2026-06-20/database-choice.md#Later", true, ""),
        ("daily/2026-06-20/database-choice.md#Nowhere", false, "There is no heading Nowhere here"),
        ("session/dialog/session-a.jsonl#m%204", true, ""),
        ("session/dialog/session-a.jsonl#gone", false, "There is no message gone here"),
    ] {
        let mut world = World::sample();
        world.page("2026-06-20", &format!("[[{link}|there]]\n"));
        let card = world.texts.get_mut("daily/2026-06-20/database-choice.md").unwrap();
        card.push_str(&format!("\n## Later\n\n{}", "- more\n".repeat(30)));
        let mut harness = Harness::new(world, 80, 24);
        let text = harness.keys("3 n Enter").text();
        let browse = harness.app.browse();
        let doc = browse.doc(browse.focus()).unwrap();
        assert_eq!((doc.top() > 0, text.contains(said)), (moved, true), "{link}: {text}");
    }
}

#[test]
fn what_cannot_be_done_says_why() {
    for (keys, said) in [
        ("m", "No conversation is waiting"),
        ("Backspace", "No link was followed yet"),
        ("n", "There is no link in this pane"),
        ("3 p Enter", "is not in this workspace"),
        ("6 Enter", "This card has no images"),
        ("!", "Everything could be read"),
        ("y", "Copied daily/2026-06-20/database-choice.md"),
    ] {
        let text = Harness::new(World::sample(), 80, 24).keys(keys).text();
        assert!(text.contains(said), "{keys}: {text}");
    }
}

#[test]
fn leaving() {
    for keys in ["q", "Ctrl-c", "? Ctrl-c", "/ q Ctrl-c"] {
        assert!(Harness::new(World::sample(), 80, 24).keys(keys).left, "{keys}");
    }
    assert!(!Harness::new(World::sample(), 80, 24).keys("/ q").left);
}

#[test]
fn every_size_can_be_drawn() {
    let mut harness = Harness::new(World::sample(), 80, 24);
    for keys in ["", "5", "?", "Esc", "/"] {
        harness.keys(keys);
        for (width, height) in
            [(1, 1), (2, 1), (1, 50), (300, 1), (39, 9), (40, 10), (59, 12), (60, 10), (120, 11), (300, 90)]
        {
            harness.resize(width, height).keys("j k");
            harness.click(0, 0).mouse(MouseEventKind::ScrollDown, width / 2, height / 2);
            harness.buffer();
        }
    }
    // The terminal may have shrunk before its event arrives.
    for keys in ["Esc", "5", "?", "Esc", "!"] {
        harness.resize(120, 40).keys(keys);
        harness.terminal.backend_mut().resize(7, 3);
        harness.buffer();
    }
    let text = harness.resize(20, 3).text();
    assert!(text.contains("reme needs 40×10"), "{text}");
}

#[test]
fn the_mouse_selects_scrolls_and_follows() {
    let mut harness = Harness::new(World::sample(), 80, 24);
    harness.click(5, 3);
    assert_eq!(harness.app.browse().day(), Some(date("2026-06-18")));
    assert_eq!(harness.app.browse().focus(), Pane::Days);
    harness.click(5, 2).click(5, 7);
    assert_eq!(harness.app.browse().card().unwrap().stem(), "login-refactor");
    let row = harness.text().lines().next().map(|_| 1).unwrap();
    let tabs = harness.text().lines().nth(row).unwrap().to_owned();
    let column = tabs.split("5 Dialog").next().unwrap().chars().count();
    harness.click(u16::try_from(column).unwrap(), 1);
    assert_eq!(harness.app.browse().focus(), Pane::Dialog);
    harness.mouse(MouseEventKind::ScrollDown, 50, 10);
    assert_eq!(harness.app.browse().doc(Pane::Dialog).unwrap().top(), 3);
}

#[test]
fn a_change_from_outside_keeps_selection_and_place() {
    let mut harness = Harness::new(World::sample(), 80, 12);
    harness.keys("4 j j j j j j j");
    let before = harness.app.browse().doc(Pane::Card).unwrap().top();
    let card = "daily/2026-06-20/database-choice.md";
    harness.world.card("2026-06-20", "a-first-card", "Sorted first", &[], 0);
    harness.world.day("2026-06-20").cards.sort_by(|a, b| a.path.as_str().cmp(b.path.as_str()));
    harness.world.card("2026-06-21", "tomorrow", "A newer day", &[], 0);
    let text = harness.world.texts.get_mut(card).unwrap();
    *text = text.replace("## Decisions", "A paragraph of one line before it.\n\n## Decisions");
    harness.send(Event::Notice(Notice::Changed(vec![path(card), path("daily/2026-06-21/tomorrow.md")])));
    let browse = harness.app.browse();
    assert_eq!(browse.card(), Some(&path(card)));
    assert_eq!(browse.day(), Some(date("2026-06-20")));
    assert_eq!(browse.focus(), Pane::Card);
    assert_eq!(browse.doc(Pane::Card).unwrap().top(), before + 2);
    assert_eq!(harness.asked.get("patch"), Some(&1));
    assert!(harness.text().contains("2026-06-21 Sun"));
}

#[test]
fn a_card_that_goes_away_leaves_its_place_to_the_next() {
    let mut harness = Harness::new(World::sample(), 80, 24);
    harness.keys("j");
    harness.world.day("2026-06-20").cards.retain(|card| card.path.stem() != "login-refactor");
    harness.send(Event::Notice(Notice::Changed(vec![path("daily/2026-06-20/login-refactor.md")])));
    assert_eq!(harness.app.browse().card().unwrap().stem(), "database-choice");
    harness.world = World::empty();
    harness.send(Event::Notice(Notice::Rescan));
    assert_eq!(harness.app.browse().card(), None);
    assert!(harness.text().contains("No memories yet"));
}

#[test]
fn a_new_reading_hides_nothing_meanwhile() {
    let mut harness = Harness::new(World::sample(), 80, 24);
    harness.keys("5 j j");
    let listed = harness.asked.get("open").copied().unwrap();
    harness.send(Event::Notice(Notice::Rescan));
    assert_eq!(harness.app.browse().doc(Pane::Dialog).unwrap().top(), 2);
    // What is open, and what was open before, is read once more and not twice.
    assert_eq!(harness.asked.get("open"), Some(&(listed + 2)));
}

#[test]
fn pasting_opens_a_new_memory() {
    let mut harness = Harness::new(World::sample(), 80, 24);
    harness.send(Event::Input(Input::Paste("User: Which port?\nAssistant: 5432".to_owned())));
    assert!(harness.text().contains("User: Which port?"));
}

#[test]
fn a_change_of_something_else_reads_no_file_again() {
    let mut harness = Harness::new(World::sample(), 80, 24);
    let before = harness.asked.get("open").copied();
    harness.send(Event::Notice(Notice::Changed(vec![path("daily/2026-06-18/trip-to-旅行.md")])));
    assert_eq!(harness.asked.get("open").copied(), before);
}

#[test]
fn control_characters_never_reach_the_screen() {
    let mut world = World::sample();
    let evil = "\u{1b}]52;c;QUJD\u{7}";
    let file = world.day("2026-06-20").cards[0].path.to_string();
    world.texts.insert(file, format!("---\ndescription: \"{evil}\"\n---\n{evil}\n"));
    let facts = world.day("2026-06-20").cards[0].facts.as_mut().unwrap();
    facts.name = evil.to_owned();
    facts.tags = vec![evil.to_owned()];
    world.snapshot.warnings.push(evil.to_owned());
    let mut harness = Harness::new(world, 120, 30);
    for keys in ["", "!"] {
        let text = harness.keys(keys).text();
        assert!(!text.chars().any(|c| c.is_control() && c != '\n'), "{text:?}");
        assert!(text.contains('␛'));
    }
}

#[test]
fn a_late_answer_to_an_old_question_is_dropped() {
    let mut harness = Harness::new(World::sample(), 80, 24);
    let down = || Event::Input(Input::Key(KeyCode::Char('j').into()));
    let up = || Event::Input(Input::Key(KeyCode::Char('k').into()));
    let asked = |effects: Vec<Effect>| -> Vec<Ticket> {
        effects
            .iter()
            .filter_map(|e| if let Effect::Ask(ticket, _) = e { Some(*ticket) } else { None })
            .collect()
    };
    let old = asked(harness.app.update(down()));
    let effects = harness.app.update(up());
    assert!(effects.iter().any(|effect| matches!(effect, Effect::Cancel(ticket) if old.contains(ticket))));
    let new = asked(effects);
    let page = |words: &str| {
        let lines = vec![Line::raw(words.to_owned())];
        Answer::Opened(Ok(Arc::new(Laid { lines, width: 48, ..Laid::default() })))
    };
    harness.send(Event::Loaded(new[0], page("the right card")));
    harness.send(Event::Loaded(old[0], page("the wrong card")));
    let text = harness.text();
    assert!(text.contains("the right card") && !text.contains("the wrong card"), "{text}");
}

#[test]
fn ticks_draw_nothing_until_the_day_changes() {
    let mut harness = Harness::new(World::sample(), 80, 24);
    harness.app.take_dirty();
    for (today, drawn) in [("2026-06-20", false), ("2026-06-21", true), ("2026-06-21", false)] {
        harness.send(Event::Tick { now: DateTime::UNIX_EPOCH, today: date(today) });
        assert_eq!(harness.app.take_dirty(), drawn, "{today}");
    }
}
