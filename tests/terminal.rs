//! The interface in a pseudo-terminal, driven as a person drives it. Every wait is for what the screen shows.

#![cfg(unix)]
#![allow(clippy::unwrap_used)]

mod support;

use std::fs;
use std::path::{Path, PathBuf};
use support::{Terminal, reme};
use tempfile::TempDir;

const TALK: &str = "User: I prefer tabs over spaces, always. We chose Rust over Go because of the borrow checker.\n\n\
                    Assistant: Noted.\n";

struct Home {
    folder: TempDir,
}

impl Home {
    fn new() -> Home {
        Home { folder: tempfile::tempdir().unwrap() }
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn workspace(&self) -> PathBuf {
        self.path().join("memories")
    }

    /// A workspace with one card of 2024-03-05, made by the program itself.
    fn with_card(self) -> Home {
        let messages = r#"messages=[{"role":"user","id":"m1","name":"Mira",
            "content":"The quarterly budget is 4,500 NOK and Ola signs it.","created_at":"2024-03-05T09:00:00"}]"#;
        let mut command = reme(self.path());
        command.args(["auto_memory", "--workspace"]).arg(self.workspace());
        command.args(["session_id=budget", messages]).assert().success();
        self
    }

    fn open(&self, columns: u16, rows: u16) -> Terminal {
        Terminal::start(&["./memories"], self.path(), columns, rows)
    }

    /// The capture screen with the conversation pasted and recognised.
    fn paste_talk(&self, terminal: &mut Terminal) {
        terminal.send("a");
        terminal.see("Conversation");
        terminal.paste(TALK);
        terminal.see("Messages 2");
    }

    fn cards(&self) -> Vec<PathBuf> {
        let days = fs::read_dir(self.workspace().join("daily")).into_iter().flatten();
        let folders = days.map(|day| day.unwrap().path()).filter(|path| path.is_dir());
        folders.flat_map(|day| fs::read_dir(day).unwrap()).map(|card| card.unwrap().path()).collect()
    }
}

#[test]
fn browse_and_quit() {
    let home = Home::new().with_card();
    let mut terminal = home.open(80, 24);
    terminal.see("memories");
    terminal.see("2024-03-05");
    terminal.see("The quarterly budget is 4,500 NOK");
    terminal.send("?");
    terminal.see("What can be done here");
    terminal.send("\x1b");
    terminal.gone("What can be done here");
    terminal.send("5");
    terminal.see("Mira");
    terminal.send("q");
    assert_eq!(terminal.finish(), 0);
    assert!(terminal.is_restored());
}

#[test]
fn paste_memorize_accept_see_the_card() {
    let home = Home::new().with_card();
    let mut terminal = home.open(80, 24);
    terminal.see("2024-03-05");
    home.paste_talk(&mut terminal);
    terminal.send("\x12");
    terminal.see("new card");
    assert_eq!(home.cards().len(), 1, "nothing of the card is on disk before");
    terminal.send("y");
    terminal.see("Written: ");
    terminal.see("I prefer tabs over spaces");
    assert_eq!(home.cards().len(), 2);
    terminal.send("q");
    assert_eq!(terminal.finish(), 0);
}

#[test]
fn the_capture_screen_works_with_tab_and_enter_alone() {
    let home = Home::new();
    let mut terminal = home.open(80, 24);
    terminal.see("No memories yet");
    fs::write(home.path().join("talk.txt"), TALK).unwrap();
    terminal.send("a");
    terminal.see("Conversation");
    terminal.send("\t");
    terminal.send("talk.txt\r");
    terminal.see("Messages 2");
    terminal.send("\x12");
    terminal.see("Accept");
    terminal.send("y");
    terminal.see("Written: ");
    assert_eq!(home.cards().len(), 1);
}

#[test]
fn reject_leaves_no_card() {
    let home = Home::new();
    let mut terminal = home.open(80, 24);
    terminal.see("No memories yet");
    home.paste_talk(&mut terminal);
    terminal.send("\x12");
    terminal.see("new card");
    terminal.send("x");
    terminal.see("Reject");
    terminal.send("y");
    terminal.gone("new card");
    terminal.send("q");
    assert_eq!(terminal.finish(), 0);
    assert!(home.cards().is_empty());
    assert!(home.workspace().join("session/dialog").is_dir(), "the record stays");
}

#[test]
fn an_outside_edit_appears() {
    let home = Home::new().with_card();
    let card = home.cards().remove(0);
    let mut terminal = home.open(80, 24);
    terminal.see("4,500 NOK");
    // As an editor saves: a new file takes the place of the old one.
    let edited = fs::read_to_string(&card).unwrap().replace("4,500", "9,900");
    let beside = card.with_extension("swp");
    fs::write(&beside, edited).unwrap();
    fs::rename(&beside, &card).unwrap();
    terminal.see("9,900 NOK");
    // Another program writes a card on another day.
    let day = home.workspace().join("daily/2024-03-06");
    fs::create_dir_all(&day).unwrap();
    fs::write(day.join("walk.md"), "---\nname: walk\ndescription: A walk\n---\n\n- Went out\n").unwrap();
    terminal.see("2024-03-06");
    assert!(terminal.text().contains("9,900 NOK"), "the selection stays where it was");
}

#[test]
fn the_demo_is_memorized_with_the_key_that_the_footer_shows() {
    let home = Home::new();
    let mut terminal = Terminal::start(&["demo", "--dir", "sample"], home.path(), 200, 60);
    terminal.see("m memorize");
    terminal.see("2026-06-20");
    terminal.send("m");
    terminal.see("new card");
    terminal.send("y");
    terminal.see("Written: daily/2026-06-21/");
    terminal.see("2026-06-21");
    terminal.send("q");
    assert_eq!(terminal.finish(), 0);
    assert!(home.path().join("sample/daily/2026-06-21.md").is_file());
}

#[test]
fn signals_give_the_terminal_back() {
    for signal in ["TERM", "HUP", "INT"] {
        let home = Home::new().with_card();
        let mut terminal = home.open(80, 24);
        terminal.see("4,500 NOK");
        assert!(!terminal.is_restored());
        terminal.signal(signal);
        terminal.finish();
        assert!(terminal.is_restored(), "after {signal}");
    }
}

#[test]
fn ctrl_c_leaves_in_order() {
    let home = Home::new().with_card();
    let mut terminal = home.open(80, 24);
    terminal.see("4,500 NOK");
    terminal.send("\x03");
    terminal.finish();
    assert!(terminal.is_restored());
}

#[test]
fn tiny_and_odd_terminals_do_no_harm() {
    let home = Home::new().with_card();
    for (columns, rows) in [(1, 1), (3, 2), (20, 5)] {
        let mut terminal = home.open(columns, rows);
        terminal.wait("the alternate screen", |_| true);
        terminal.resize(80, 24);
        terminal.see("4,500 NOK");
        terminal.send("q");
        assert_eq!(terminal.finish(), 0, "{columns}x{rows}");
    }
    let mut terminal = Terminal::start_with(
        &["./memories"],
        home.path(),
        80,
        24,
        &[("TERM", "no-such-term"), ("NO_COLOR", "1")],
    );
    terminal.see("4,500 NOK");
    terminal.send("q");
    assert_eq!(terminal.finish(), 0);
}

#[test]
fn nothing_in_a_file_drives_the_terminal() {
    let home = Home::new().with_card();
    let day = home.workspace().join("daily/2024-03-07");
    fs::create_dir_all(&day).unwrap();
    let card = "---\nname: trap\ndescription: \"bell \\a and \\e]0;owned\\a\"\n---\n\n- red \x1b[31mtext\x1b[0m \x1b]0;owned\x07 end\n";
    fs::write(day.join("trap.md"), card).unwrap();
    let mut terminal = home.open(80, 24);
    terminal.see("end");
    terminal.send("q");
    terminal.finish();
    let raw = String::from_utf8_lossy(&terminal.raw).into_owned();
    assert!(!raw.contains("\x1b]0;owned"), "a title sequence got through");
    assert!(!raw.contains('\x07'), "a bell got through");
}

#[test]
fn a_person_without_a_workspace_is_asked_once() {
    let home = Home::new();
    let mut terminal = Terminal::start(&[], home.path(), 80, 24);
    terminal.see("Where should your memories live?");
    terminal.send("1\r");
    terminal.see("No memories yet");
    terminal.send("q");
    assert_eq!(terminal.finish(), 0);
    let mut again = Terminal::start(&[], home.path(), 80, 24);
    again.see("No memories yet");
    assert!(!again.text().contains("Where should"));
}

#[test]
fn without_a_terminal_the_interface_says_so() {
    let home = Home::new().with_card();
    let output = reme(home.path()).arg("./memories").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("terminal"));
}
