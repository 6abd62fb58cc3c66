//! Text copied from a chat page whose labels stand alone on their lines.
//!
//! Owns what is dropped as page furniture: buttons, reasoning times, the line under the entry field. Called by
//! the readers of copied pages.

use super::builder::Builder;
use super::labels::{Label, Side};
use super::turns::{self, Turns};
use super::{Reading, content};
use crate::message::{Block, Msg, Role};

/// What is particular to one page.
pub(super) struct Page {
    pub format: &'static str,
    /// Labels in lower case, blanks as on the page.
    pub user: &'static [&'static str],
    pub assistant: &'static [&'static str],
    /// The assistant's name, which older copies repeat below its label.
    pub name: &'static str,
}

/// The longest label in bytes, with room to spare.
const LONGEST_LABEL: usize = 64;

fn cut<'a>(text: &'a str, page: &Page) -> Turns<'a> {
    turns::cut(text, |line| {
        let line = line.trim();
        let first = line.chars().next()?.to_ascii_lowercase();
        let may_be = |labels: &[&str]| labels.iter().any(|label| label.starts_with(first));
        if line.len() > LONGEST_LABEL || !(may_be(page.user) || may_be(page.assistant)) {
            return None;
        }
        let label = line.replace(['\u{a0}', '\u{202f}'], " ").to_lowercase();
        let role = if page.user.contains(&label.as_str()) {
            Role::User
        } else if page.assistant.contains(&label.as_str()) {
            Role::Assistant
        } else {
            return None;
        };
        Some(Label { side: Side::Speaks(role), stamp: None, rest: "" })
    })
}

/// Whether both labels of the page are there.
pub(super) fn shows(text: &str, page: &Page) -> bool {
    let found = cut(text, page);
    [Role::User, Role::Assistant]
        .iter()
        .all(|role| found.turns.iter().any(|turn| turn.label.side == Side::Speaks(*role)))
}

/// Reads a copied page.
pub(super) fn read(text: &str, page: &Page) -> Reading {
    let found = cut(text, page);
    let mut builder = Builder::default();
    if let Some(first) = found.preamble().next() {
        builder.skip(first, "page furniture");
    }
    for turn in found.turns {
        let Side::Speaks(role) = turn.label.side else { continue };
        let (text, pictures) = without_furniture(&turn.body(), role, page);
        let mut content = vec![Block::text(text)];
        content.extend((0..pictures).map(|_| content::mention("image/*")));
        builder.push(&format!("line {}", turn.line), Msg { content, ..Msg::text_message(role, "") });
    }
    Reading { format: page.format, sessions: vec![builder.finish()], warnings: Vec::new() }
}

const BUTTONS: &[&str] = &[
    "copy code",
    "复制代码",
    "複製程式碼",
    "copier le code",
    "code kopieren",
    "copiar código",
    "copia codice",
    "show more",
    "ask anything",
    "询问任何问题",
    "有问题，尽管问",
];
const PICTURES: &[&str] =
    &["uploaded image", "已上传的图片", "已上传图像", "image importée", "hochgeladenes bild"];
const DISCLAIMERS: &[&str] =
    &["can make mistakes", "可能会犯错", "也可能会犯错", "peut commettre des erreurs"];

/// The words of a turn, and how many pictures it mentions.
fn without_furniture(body: &str, role: Role, page: &Page) -> (String, usize) {
    let mut pictures = 0;
    let mut lines: Vec<&str> = Vec::new();
    for line in body.lines() {
        let lower = line.trim().to_lowercase();
        let disclaimer = lower.starts_with(&page.name.to_lowercase())
            && DISCLAIMERS.iter().any(|words| lower.contains(words));
        if PICTURES.contains(&lower.as_str()) {
            pictures += 1;
        } else if !BUTTONS.contains(&lower.as_str()) && !disclaimer {
            lines.push(line);
        }
    }
    // The reasoning time stands on either side of the assistant's label.
    if role == Role::User {
        trim_end_lines(&mut lines, is_reasoning_time);
    } else {
        let furniture =
            |line: &str| line.trim().is_empty() || line.trim() == page.name || is_reasoning_time(line);
        let start = lines.iter().position(|line| !furniture(line)).unwrap_or(lines.len());
        lines.drain(..start);
    }
    (lines.join("\n"), pictures)
}

fn trim_end_lines(lines: &mut Vec<&str>, drop: impl Fn(&str) -> bool) {
    while lines.last().is_some_and(|line| line.trim().is_empty() || drop(line)) {
        lines.pop();
    }
}

fn is_reasoning_time(line: &str) -> bool {
    let line = line.trim();
    let short = line.chars().count() <= 40 && line.contains(|c: char| c.is_ascii_digit());
    let opening =
        ["Thought for ", "Reasoned for ", "已思考", "思考了", "Réflexion durant ", "Pensó durante "];
    short && (opening.iter().any(|start| line.starts_with(start)) || line.ends_with(" nachgedacht"))
}
