//! Drives the real application without a terminal: events in, effects answered at once, frames out.

// Each test crate uses a part of this; helpers of tests may stop the test.
#![allow(dead_code, clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use chrono::{DateTime, FixedOffset, NaiveDate};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;
use ratatui::layout::Size;
use ratatui::style::Style;
use reme_core::catalog::{CardEntry, CardFacts, Day, SessionEntry, Snapshot};
use reme_core::dialog::{Line, Record};
use reme_core::message::time::Zone;
use reme_core::message::{Msg, Role};
use reme_core::workspace::RelPath;
use reme_ui::app::App;
use reme_ui::context::Setting;
use reme_ui::effect::{Answer, Effect, Request, Ticket};
use reme_ui::event::{Event, Input};
use reme_ui::pane::laid::{Laid, Sheet};
use reme_ui::pane::names::{Names, Sayings};
use reme_ui::terminal::Pictures;
use reme_ui::theme::Theme;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::Arc;

/// What lies on the pretended disk.
#[derive(Clone, Debug, Default)]
pub struct World {
    pub snapshot: Snapshot,
    pub texts: BTreeMap<String, String>,
    pub records: BTreeMap<String, Record>,
}

pub fn path(path: &str) -> RelPath {
    RelPath::new(path).unwrap()
}

pub fn date(text: &str) -> NaiveDate {
    text.parse().unwrap()
}

impl World {
    /// Nothing yet.
    pub fn empty() -> World {
        World { snapshot: Snapshot { complete: true, ..Snapshot::default() }, ..World::default() }
    }

    /// Two days with three cards, one of them with a fault, and a dialog.
    pub fn sample() -> World {
        let mut world = World::empty();
        world.card(
            "2026-06-20",
            "database-choice",
            "Which database the shop uses, and why",
            &["SQLite", "shop"],
            8,
        );
        world.card("2026-06-20", "login-refactor", "How the login was rebuilt", &["auth"], 0);
        world.card("2026-06-18", "trip-to-旅行", "Plans for the autumn", &[], 3);
        world.page("2026-06-20", "# 2026-06-20\n\n- [[daily/2026-06-20/database-choice.md]]: the database\n- [[login-refactor]]\n- [[daily/2026-06-18/gone.md]]\n");
        world.dialog("session-a");
        world
    }

    pub fn card(&mut self, day: &str, name: &str, description: &str, tags: &[&str], lines: usize) {
        let file = path(&format!("daily/{day}/{name}.md"));
        let mut text = format!(
            "---\nname: {name}\ndescription: {description}\nsession_id: session-a\nsource_conversation: \"[[session/dialog/session-a.jsonl]]\"\nmemory_tags:\n"
        );
        for tag in tags {
            text.push_str(&format!("- {tag}\n"));
        }
        text.push_str("---\n\n## Decisions\n\n- Chose **SQLite** over Postgres: 40 MB of data [^1]\n");
        for line in 1..=lines {
            text.push_str(&format!("- Point {line} of what was said about it\n"));
        }
        text.push_str("\n[^1]: [[session/dialog/session-a.jsonl#m%203]]\n");
        self.texts.insert(file.to_string(), text);
        let facts = CardFacts {
            name: name.to_owned(),
            description: description.to_owned(),
            session_id: Some("session-a".to_owned()),
            source: Some("session/dialog/session-a.jsonl".to_owned()),
            tags: tags.iter().map(|tag| (*tag).to_owned()).collect(),
            ..CardFacts::default()
        };
        self.day(day).cards.push(CardEntry { path: file, facts: Some(facts) });
    }

    pub fn page(&mut self, day: &str, text: &str) {
        let file = path(&format!("daily/{day}.md"));
        self.texts.insert(file.to_string(), text.to_owned());
        self.day(day).page = Some(file);
    }

    pub fn dialog(&mut self, id: &str) {
        let file = path(&format!("session/dialog/{id}.jsonl"));
        let say = |role, number: usize, text: &str| {
            let mut message = Msg::text_message(role, text);
            message.id = Some(format!("m {number}"));
            message.created_at = Some(format!("2026-06-20T09:{number:02}:00"));
            Line::Message(message)
        };
        let mut lines = vec![
            say(Role::User, 1, "Which database should the shop use?"),
            say(Role::Assistant, 2, "How much data is there?"),
            say(Role::User, 3, "40 MB."),
            Line::Damaged(b"{\"name\":\"us".to_vec()),
        ];
        lines.extend((4..30).map(|number| say(Role::Assistant, number, "Then SQLite is enough for it.")));
        self.records.insert(file.to_string(), Record { lines });
        self.snapshot.sessions.push(SessionEntry { id: id.to_owned(), path: file, size: 1234 });
    }

    /// The day, made where it is missing; newest first.
    pub fn day(&mut self, day: &str) -> &mut Day {
        let date = date(day);
        let days = &mut self.snapshot.days;
        if !days.iter().any(|day| day.date == date) {
            days.push(Arc::new(Day { date, page: None, cards: Vec::new() }));
            days.sort_by_key(|day| std::cmp::Reverse(day.date));
        }
        Arc::make_mut(days.iter_mut().find(|day| day.date == date).unwrap())
    }

    fn names(&self) -> Names {
        let zone = Zone::Fixed(FixedOffset::east_opt(0).unwrap());
        let mut names = Names::default();
        for (file, record) in &self.records {
            names.add(&path(file), Arc::new(Sayings::of(record, zone)));
        }
        names
    }

    /// What the pretended disk answers; the request itself where a test has to.
    fn answers(&self, request: Request) -> Result<Vec<Answer>, Request> {
        let zone = Zone::Fixed(FixedOffset::east_opt(0).unwrap());
        Ok(match request {
            Request::LoadCatalog => {
                let mut listed = self.snapshot.clone();
                listed.complete = false;
                for day in &mut listed.days {
                    Arc::make_mut(day).cards.iter_mut().for_each(|card| card.facts = None);
                }
                vec![Answer::Catalog(Arc::new(listed)), Answer::Catalog(Arc::new(self.snapshot.clone()))]
            }
            Request::PatchCatalog(..) => vec![Answer::Catalog(Arc::new(self.snapshot.clone()))],
            Request::Open(sheet, path, width, theme) => {
                let missing = || format!("cannot read {path}: no such file");
                let laid = match sheet {
                    Sheet::Markdown => {
                        let (names, records) = (self.names(), self.records.keys());
                        let records: Vec<RelPath> = records.map(|record| self::path(record)).collect();
                        let lay =
                            |text: &String| Laid { records, ..Laid::of_file(text, width, &theme, &names) };
                        self.texts.get(path.as_str()).map(lay)
                    }
                    Sheet::Dialog => self
                        .records
                        .get(path.as_str())
                        .map(|record| Laid::of_dialog(record, width, &theme, zone)),
                };
                vec![Answer::Opened(laid.map(Arc::new).ok_or_else(missing))]
            }
            other => return Err(other),
        })
    }
}

/// The application on a pretended disk.
pub struct Harness {
    pub app: App,
    pub world: World,
    pub terminal: Terminal<TestBackend>,
    /// What was put on the clipboard.
    pub copied: Vec<String>,
    pub left: bool,
    /// How many requests of each kind were made.
    pub asked: HashMap<&'static str, usize>,
    /// What the disk does not answer, in order.
    pub pending: Vec<(Ticket, Request)>,
}

impl Harness {
    pub fn new(world: World, width: u16, height: u16) -> Harness {
        Harness::waiting(world, width, height, None)
    }

    pub fn waiting(world: World, width: u16, height: u16, waiting: Option<&str>) -> Harness {
        let setting = Setting {
            workspace: "/home/ana/notes/.reme".to_owned(),
            zone: Zone::Fixed(FixedOffset::east_opt(0).unwrap()),
            now: DateTime::UNIX_EPOCH,
            today: date("2026-06-20"),
            size: Size::new(width, height),
            theme: Arc::new(Theme::default()),
            pictures: Pictures::default(),
            waiting: waiting.map(Into::into),
        };
        let (app, effects) = App::start(setting);
        let terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
        let mut harness = Harness {
            app,
            world,
            terminal,
            copied: Vec::new(),
            left: false,
            asked: HashMap::new(),
            pending: Vec::new(),
        };
        harness.settle(effects);
        harness
    }

    fn settle(&mut self, effects: Vec<Effect>) {
        let mut effects = VecDeque::from(effects);
        while let Some(effect) = effects.pop_front() {
            match effect {
                Effect::Ask(ticket, request) => {
                    *self.asked.entry(kind(&request)).or_default() += 1;
                    match self.world.answers(request) {
                        Ok(answers) => effects.extend(self.hear(ticket, answers)),
                        Err(request) => self.pending.push((ticket, request)),
                    }
                }
                Effect::Cancel(_) => {}
                Effect::Copy(text) => self.copied.push(text),
                Effect::Quit => self.left = true,
            }
        }
    }

    fn hear(&mut self, ticket: Ticket, answers: Vec<Answer>) -> Vec<Effect> {
        answers.into_iter().flat_map(|answer| self.app.update(Event::Loaded(ticket, answer))).collect()
    }

    /// Answers what is pending now; what that asks for in turn is pending next.
    pub fn answer(&mut self, mut answers: impl FnMut(Request) -> Vec<Answer>) -> &mut Self {
        for (ticket, request) in std::mem::take(&mut self.pending) {
            let effects = self.hear(ticket, answers(request));
            self.settle(effects);
        }
        self
    }

    pub fn send(&mut self, event: Event) -> &mut Self {
        let effects = self.app.update(event);
        self.settle(effects);
        self
    }

    /// Presses keys: `j`, `Enter`, `Ctrl-d`; blanks between them.
    pub fn keys(&mut self, keys: &str) -> &mut Self {
        for key in keys.split_whitespace() {
            self.send(Event::Input(Input::Key(parse(key))));
        }
        self
    }

    pub fn resize(&mut self, width: u16, height: u16) -> &mut Self {
        self.terminal.backend_mut().resize(width, height);
        self.send(Event::Resize(width, height))
    }

    pub fn mouse(&mut self, kind: MouseEventKind, column: u16, row: u16) -> &mut Self {
        let mouse = MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE };
        self.send(Event::Input(Input::Mouse(mouse)))
    }

    pub fn click(&mut self, column: u16, row: u16) -> &mut Self {
        self.mouse(MouseEventKind::Down(MouseButton::Left), column, row)
    }

    pub fn buffer(&mut self) -> Buffer {
        self.terminal.draw(|frame| self.app.view(frame)).unwrap();
        self.terminal.backend().buffer().clone()
    }

    /// The screen as text.
    pub fn text(&mut self) -> String {
        let buffer = self.buffer();
        rows(&buffer).into_iter().map(|(text, _)| text.trim_end().to_owned() + "\n").collect()
    }

    /// The screen as text, and below it which runs of cells have which style.
    pub fn screen(&mut self) -> String {
        let buffer = self.buffer();
        let mut legend: Vec<Style> = Vec::new();
        let mut text = String::new();
        let mut styles = String::new();
        for (row, cells) in rows(&buffer) {
            text.push_str(row.trim_end());
            text.push('\n');
            for style in cells {
                let at = legend.iter().position(|known| *known == style).unwrap_or_else(|| {
                    legend.push(style);
                    legend.len() - 1
                });
                let mark = if at == 0 { '.' } else { char::from_u32(0x60 + at as u32).unwrap() };
                styles.push(mark);
            }
            let kept = styles.trim_end_matches('.').len();
            styles.truncate(kept);
            styles.push('\n');
        }
        let legend = legend.iter().enumerate().map(|(at, style)| {
            let mark = if at == 0 { '.' } else { char::from_u32(0x60 + at as u32).unwrap() };
            format!("{mark} {}\n", describe(*style))
        });
        format!("{text}---\n{styles}---\n{}", legend.collect::<String>())
    }
}

/// Each row's text and the style of each of its cells.
fn rows(buffer: &Buffer) -> Vec<(String, Vec<Style>)> {
    let width = usize::from(buffer.area.width).max(1);
    let row = |cells: &[ratatui::buffer::Cell]| {
        let mut text = String::new();
        let mut skip = 0;
        for cell in cells {
            if skip == 0 {
                text.push_str(cell.symbol());
                skip = reme_ui::text::width(cell.symbol()).max(1);
            }
            skip -= 1;
        }
        (text, cells.iter().map(|cell| cell.style()).collect())
    };
    buffer.content.chunks(width).map(row).collect()
}

fn describe(style: Style) -> String {
    let mut parts = Vec::new();
    if let Some(colour) = style.fg.filter(|colour| *colour != ratatui::style::Color::Reset) {
        parts.push(format!("{colour}"));
    }
    if let Some(colour) = style.bg.filter(|colour| *colour != ratatui::style::Color::Reset) {
        parts.push(format!("on {colour}"));
    }
    if !style.add_modifier.is_empty() {
        parts.push(format!("{:?}", style.add_modifier));
    }
    if parts.is_empty() { "plain".to_owned() } else { parts.join(" ") }
}

fn kind(request: &Request) -> &'static str {
    match request {
        Request::LoadCatalog => "load",
        Request::PatchCatalog(..) => "patch",
        Request::Open(..) => "open",
        _ => "other",
    }
}

fn parse(name: &str) -> KeyEvent {
    let (modifiers, name) = match name.strip_prefix("Ctrl-") {
        Some(rest) => (KeyModifiers::CONTROL, rest),
        None => (KeyModifiers::NONE, name),
    };
    let code = match name {
        "Enter" => KeyCode::Enter,
        "Esc" => KeyCode::Esc,
        "Tab" => KeyCode::Tab,
        "S-Tab" => KeyCode::BackTab,
        "Backspace" => KeyCode::Backspace,
        "Up" => KeyCode::Up,
        "Down" => KeyCode::Down,
        "Left" => KeyCode::Left,
        "Right" => KeyCode::Right,
        "PgUp" => KeyCode::PageUp,
        "PgDn" => KeyCode::PageDown,
        "Home" => KeyCode::Home,
        "End" => KeyCode::End,
        "Space" => KeyCode::Char(' '),
        one => KeyCode::Char(one.chars().next().unwrap()),
    };
    KeyEvent::new(code, modifiers)
}
