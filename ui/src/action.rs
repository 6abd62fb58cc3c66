//! The table of actions: what can be done, where, with which keys, and how it is said.
//!
//! Key map, footer and `?` help are all drawn from [`TABLE`], so they cannot disagree. It holds no state; whether
//! an action can be done now is the screen's to say ([`crate::screen::Screen::refuses`]). Read by `app`, `help`
//! and the screens' footers.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// Something that a person can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// Leave the program.
    Quit,
    /// Show what can be done here.
    Help,
    /// Leave this layer.
    Close,
    /// One line or item up.
    Up,
    /// One line or item down.
    Down,
    /// To the left.
    Left,
    /// To the right.
    Right,
    /// Half a page up.
    HalfUp,
    /// Half a page down.
    HalfDown,
    /// A page up.
    PageUp,
    /// A page down.
    PageDown,
    /// To the first line or item.
    Top,
    /// To the last line or item.
    Bottom,
    /// To the next pane or field.
    NextPane,
    /// To the pane or field before.
    PrevPane,
    /// Open what is selected; follow the selected link.
    Enter,
    /// Select the next link.
    NextLink,
    /// Select the link before.
    PrevLink,
    /// Back to where the last link was followed.
    Back,
    /// Forward again.
    Forward,
    /// Show the list of days and cards.
    ShowDays,
    /// Show the cards of the day.
    ShowCards,
    /// Show the day page.
    ShowPage,
    /// Show the card.
    ShowCard,
    /// Show the dialog behind the card.
    ShowDialog,
    /// Show the card's images.
    ShowImages,
    /// Narrow the cards by name.
    Filter,
    /// Read the workspace again.
    Refresh,
    /// Say what could not be read.
    ShowWarnings,
    /// Put the path of what is shown on the clipboard.
    CopyPath,
    /// Paste or open a conversation.
    Capture,
    /// Memorize the conversation that waits.
    MemorizeWaiting,
    /// Memorize what was captured.
    Memorize,
    /// Open a file as the conversation.
    OpenFile,
    /// Change the session id.
    EditSession,
    /// Accept the proposal.
    Accept,
    /// Reject the proposal.
    Reject,
    /// Change the card's name.
    EditName,
    /// Change the tags.
    EditTags,
    /// Change the card's text.
    EditBody,
    /// Whether links of other files follow a rename.
    ToggleRetarget,
}

/// Where a row of the table holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scope {
    /// The browse screen.
    Browse,
    /// The browse screen while a filter is typed.
    Filter,
    /// The capture screen.
    Capture,
    /// The review screen.
    Review,
    /// A one-line or many-line field that is being edited.
    Editing,
    /// An editor of many lines, where Enter is a line end.
    Text,
    /// A question with yes and no.
    Question,
    /// The help.
    Help,
    /// A message.
    Message,
}

/// A key with its modifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key {
    code: KeyCode,
    modifiers: KeyModifiers,
}

impl Key {
    /// The key behind an event. Shift is part of a character; `Shift-Tab` is a key of its own.
    pub fn of(event: &KeyEvent) -> Key {
        let mut modifiers =
            event.modifiers & (KeyModifiers::CONTROL | KeyModifiers::ALT | KeyModifiers::SHIFT);
        let mut code = event.code;
        if code == KeyCode::Tab && modifiers.contains(KeyModifiers::SHIFT) {
            code = KeyCode::BackTab;
        }
        if matches!(code, KeyCode::Char(_) | KeyCode::BackTab) {
            modifiers.remove(KeyModifiers::SHIFT);
        }
        Key { code, modifiers }
    }

    /// Whether this key types a character.
    pub fn is_text(self) -> bool {
        matches!(self.code, KeyCode::Char(_)) && self.modifiers.is_empty()
    }

    /// The key as the footer and the help spell it.
    pub fn label(self) -> String {
        let name = match self.code {
            KeyCode::Char(' ') => "Space".to_owned(),
            KeyCode::Char(c) if self.modifiers.is_empty() => c.to_string(),
            KeyCode::Char(c) => c.to_ascii_uppercase().to_string(),
            KeyCode::Enter => "Enter".to_owned(),
            KeyCode::Esc => "Esc".to_owned(),
            KeyCode::Tab => "Tab".to_owned(),
            KeyCode::BackTab => "Shift-Tab".to_owned(),
            KeyCode::Backspace => "Backspace".to_owned(),
            KeyCode::Up => "↑".to_owned(),
            KeyCode::Down => "↓".to_owned(),
            KeyCode::Left => "←".to_owned(),
            KeyCode::Right => "→".to_owned(),
            KeyCode::PageUp => "PgUp".to_owned(),
            KeyCode::PageDown => "PgDn".to_owned(),
            KeyCode::Home => "Home".to_owned(),
            KeyCode::End => "End".to_owned(),
            KeyCode::F(n) => format!("F{n}"),
            other => format!("{other:?}"),
        };
        let mut label = String::new();
        if self.modifiers.contains(KeyModifiers::CONTROL) {
            label.push_str("Ctrl-");
        }
        if self.modifiers.contains(KeyModifiers::ALT) {
            label.push_str("Alt-");
        }
        label + &name
    }
}

const fn key(c: char) -> Key {
    Key { code: KeyCode::Char(c), modifiers: KeyModifiers::NONE }
}

const fn ctrl(c: char) -> Key {
    Key { code: KeyCode::Char(c), modifiers: KeyModifiers::CONTROL }
}

const fn on(code: KeyCode) -> Key {
    Key { code, modifiers: KeyModifiers::NONE }
}

/// One row: an action with its keys in some scopes.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// What is done.
    pub action: Action,
    /// Where.
    pub scopes: &'static [Scope],
    /// With which keys; the first is the one that is shown.
    pub keys: &'static [Key],
    /// What the help says.
    pub help: &'static str,
    /// What the footer says; empty: not in the footer.
    pub footer: &'static str,
}

const fn alt(code: KeyCode) -> Key {
    Key { code, modifiers: KeyModifiers::ALT }
}

use Scope::{Browse, Capture, Editing, Filter, Help, Message, Question, Review, Text};

const READING: &[Scope] = &[Browse, Help, Review, Message];

/// Every action, in the order of the help; footers take the same order.
pub const TABLE: &[Row] = &[
    row(
        Action::Enter,
        &[Browse],
        &[on(KeyCode::Enter), key('o')],
        "Open what is selected, follow the link",
        "open",
    ),
    row(
        Action::Capture,
        &[Browse],
        &[key('a'), key('c')],
        "New memory: paste or open a conversation",
        "new memory",
    ),
    row(Action::MemorizeWaiting, &[Browse], &[key('m')], "Memorize the conversation that waits", "memorize"),
    row(Action::NextPane, &[Browse], &[on(KeyCode::Tab)], "Next pane", "panes"),
    row(Action::PrevPane, &[Browse], &[on(KeyCode::BackTab)], "Pane before", ""),
    row(Action::ShowDays, &[Browse], &[key('1')], "Days", ""),
    row(Action::ShowCards, &[Browse], &[key('2')], "Cards of the day", ""),
    row(Action::ShowPage, &[Browse], &[key('3')], "Day page", ""),
    row(Action::ShowCard, &[Browse], &[key('4')], "Card", ""),
    row(Action::ShowDialog, &[Browse], &[key('5'), key('d')], "Dialog behind the card", ""),
    row(Action::ShowImages, &[Browse], &[key('6'), key('i')], "Images of the card", ""),
    row(Action::NextLink, &[Browse], &[key('n'), key(']')], "Next link", "link"),
    row(Action::PrevLink, &[Browse], &[key('p'), key('['), key('N')], "Link before", ""),
    row(Action::Back, &[Browse], &[on(KeyCode::Backspace), ctrl('o')], "Back to before the link", "back"),
    row(Action::Forward, &[Browse], &[key('f')], "Forward again", ""),
    row(Action::Filter, &[Browse], &[key('/')], "Find cards by name", "find"),
    row(Action::CopyPath, &[Browse], &[key('y')], "Copy the path of what is shown", ""),
    row(Action::ShowWarnings, &[Browse], &[key('!')], "What could not be read", ""),
    row(Action::Refresh, &[Browse], &[key('r')], "Read the workspace again", ""),
    row(Action::Up, READING, &[key('k'), on(KeyCode::Up)], "Up", ""),
    row(Action::Down, READING, &[key('j'), on(KeyCode::Down)], "Down", ""),
    row(Action::Left, READING, &[key('h'), on(KeyCode::Left)], "Left", ""),
    row(Action::Right, READING, &[key('l'), on(KeyCode::Right)], "Right", ""),
    row(Action::HalfUp, READING, &[ctrl('u')], "Half a page up", ""),
    row(Action::HalfDown, READING, &[ctrl('d')], "Half a page down", ""),
    row(Action::PageUp, READING, &[on(KeyCode::PageUp)], "Page up", ""),
    row(Action::PageDown, READING, &[on(KeyCode::PageDown), key(' ')], "Page down", ""),
    row(Action::Top, READING, &[key('g'), on(KeyCode::Home)], "To the start", ""),
    row(Action::Bottom, READING, &[key('G'), on(KeyCode::End)], "To the end", ""),
    row(Action::Up, &[Filter], &[on(KeyCode::Up)], "Match above", ""),
    row(Action::Down, &[Filter], &[on(KeyCode::Down), on(KeyCode::Tab)], "Match below", "next"),
    row(Action::Enter, &[Filter], &[on(KeyCode::Enter)], "Open the match", "open"),
    row(Action::Close, &[Filter], &[on(KeyCode::Esc)], "Leave the search", "leave"),
    row(Action::Enter, &[Editing], &[on(KeyCode::Enter)], "Take the text", "take"),
    row(Action::Close, &[Editing], &[on(KeyCode::Esc)], "Leave it as it was", "leave"),
    row(
        Action::Close,
        &[Question],
        &[on(KeyCode::Esc), on(KeyCode::Enter)],
        "Leave everything as it is",
        "no",
    ),
    row(Action::Enter, &[Text], &[on(KeyCode::Esc)], "Take the text", "done"),
    row(
        Action::Memorize,
        &[Capture],
        &[ctrl('r'), alt(KeyCode::Enter), key('m')],
        "Memorize what was recognised",
        "memorize",
    ),
    row(Action::NextPane, &[Capture, Review], &[on(KeyCode::Tab)], "Next field", "fields"),
    row(Action::PrevPane, &[Capture, Review], &[on(KeyCode::BackTab)], "Field before", ""),
    row(Action::OpenFile, &[Capture], &[ctrl('o')], "Open a file by its path", "open file"),
    row(Action::EditSession, &[Capture], &[alt(KeyCode::Char('s'))], "Change the session id", ""),
    row(Action::Close, &[Capture], &[on(KeyCode::Esc)], "Back; asks where text would be lost", "back"),
    row(Action::Accept, &[Review], &[key('y')], "Accept: write exactly what is shown", "accept"),
    row(Action::Reject, &[Review], &[key('x')], "Reject: no card is written", "reject"),
    row(Action::EditBody, &[Review], &[key('e')], "Change the text", "text"),
    row(Action::EditName, &[Review], &[key('n')], "Change the name", "name"),
    row(Action::EditTags, &[Review], &[key('t')], "Add a tag", "tag"),
    row(Action::ToggleRetarget, &[Review], &[key('f')], "Whether links follow a rename", ""),
    row(Action::Enter, &[Review], &[on(KeyCode::Enter)], "Change or press what has the focus", ""),
    row(Action::Close, &[Review], &[on(KeyCode::Esc), key('q')], "Back without a decision", "back"),
    row(Action::Enter, &[Help], &[on(KeyCode::Enter)], "Do what is selected", "do it"),
    row(Action::Close, &[Help], &[on(KeyCode::Esc), key('q'), key('?')], "Close the help", "close"),
    row(
        Action::Close,
        &[Message],
        &[on(KeyCode::Esc), key('q'), on(KeyCode::Enter)],
        "Close the message",
        "close",
    ),
    row(Action::Help, &[Browse, Capture, Review], &[key('?')], "What can be done here", "help"),
    row(Action::Quit, &[Browse], &[key('q')], "Leave the program", "quit"),
    row(
        Action::Quit,
        &[Browse, Filter, Capture, Review, Editing, Text, Question, Help, Message],
        &[ctrl('c')],
        "Leave the program at once",
        "",
    ),
];

const fn row(
    action: Action,
    scopes: &'static [Scope],
    keys: &'static [Key],
    help: &'static str,
    footer: &'static str,
) -> Row {
    Row { action, scopes, keys, help, footer }
}

/// The rows that hold in a scope, in the order of the table.
pub fn rows(scope: Scope) -> impl Iterator<Item = &'static Row> {
    TABLE.iter().filter(move |row| row.scopes.contains(&scope))
}

/// The action behind a key in a scope.
pub fn lookup(scope: Scope, key: Key) -> Option<Action> {
    rows(scope).find(|row| row.keys.contains(&key)).map(|row| row.action)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    const SCOPES: &[Scope] = &[Browse, Filter, Capture, Review, Editing, Text, Question, Help, Message];

    #[test]
    fn no_key_has_two_meanings_in_one_scope() {
        for &scope in SCOPES {
            let mut seen = HashMap::new();
            for row in rows(scope) {
                for key in row.keys {
                    let before = seen.insert(key.label(), row.help);
                    assert_eq!(before, None, "{} in {scope:?}: {}", key.label(), row.help);
                }
            }
        }
    }

    #[test]
    fn nothing_is_bound_only_to_keys_that_a_multiplexer_or_terminal_takes() {
        let taken = |key: &Key| {
            let label = key.label();
            ["Ctrl-A", "Ctrl-B", "Ctrl-S", "Ctrl-Q"].contains(&label.as_str())
                || matches!(key.code, KeyCode::F(_))
                || (key.code == KeyCode::Enter && key.modifiers.contains(KeyModifiers::CONTROL))
        };
        for row in TABLE {
            assert!(!row.keys.iter().all(taken), "{:?}", row.action);
        }
    }
}
