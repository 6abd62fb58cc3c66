//! What a terminal answers to our questions.
//!
//! Owns the questions and the reading of replies; whatever is no reply was typed by a person and is handed on.
//! Pure: bytes in, facts out. Called by `terminal`.

use crate::theme::Ground;

/// Background colour, kitty pictures, cell size in pixels; last the device attributes, which every terminal
/// answers, so that their reply ends the waiting.
pub(super) const QUESTIONS: &[u8] =
    b"\x1b]11;?\x1b\\\x1b_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\\x1b[16t\x1b[c";

/// How pictures reach the screen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Protocol {
    /// Two coloured half blocks a cell; works everywhere.
    #[default]
    Halfblocks,
    /// Kitty's, with placeholders.
    Kitty,
    /// Sixel.
    Sixel,
    /// iTerm2's.
    Iterm2,
}

/// How a terminal shows pictures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pictures {
    /// In which way.
    pub protocol: Protocol,
    /// The pixels of one cell, width and height.
    pub cell: (u16, u16),
    /// Whether sequences go through tmux.
    pub tmux: bool,
}

impl Default for Pictures {
    fn default() -> Self {
        Pictures { protocol: Protocol::Halfblocks, cell: (10, 20), tmux: false }
    }
}

/// The facts found in what was heard.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Answers {
    pub ground: Option<Ground>,
    pub kitty: bool,
    pub sixel: bool,
    pub cell: Option<(u16, u16)>,
    /// The last question was answered, and so were all before it that ever will be.
    pub complete: bool,
    /// A reply that has begun and not ended.
    pub open: Option<Open>,
    /// What was typed meanwhile.
    pub typed: String,
}

/// The kind of a reply whose end is still to come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Open {
    /// Only the escape character has come.
    Escape,
    /// `ESC [`: ends with a letter.
    Control,
    /// `ESC ]`, `ESC _` or `ESC P`: ends with BEL or `ESC \`.
    Text,
    /// The same, and its `ESC` has come.
    TextEscape,
}

/// Reads what was heard so far.
pub(super) fn parse(heard: &[u8]) -> Answers {
    let mut answers = Answers::default();
    let text = String::from_utf8_lossy(heard);
    let mut rest = text.as_ref();
    while let Some(c) = rest.chars().next() {
        let after = rest.get(c.len_utf8()..).unwrap_or_default();
        if c != '\u{1b}' {
            if !c.is_control() || matches!(c, '\r' | '\n' | '\t' | '\u{7f}') {
                answers.typed.push(c);
            }
            rest = after;
            continue;
        }
        match after.chars().next() {
            None => {
                answers.open = Some(Open::Escape);
                break;
            }
            Some('[') => {
                let body = after.get(1..).unwrap_or_default();
                let Some(end) = body.find(|c: char| matches!(c, '\u{40}'..='\u{7e}')) else {
                    answers.open = Some(Open::Control);
                    break;
                };
                answers.control(body.get(..=end).unwrap_or_default());
                rest = body.get(end + 1..).unwrap_or_default();
            }
            Some(']' | '_' | 'P') => {
                let body = after.get(1..).unwrap_or_default();
                let Some(end) = body.find(['\u{7}', '\u{1b}']) else {
                    answers.open = Some(Open::Text);
                    break;
                };
                let stop = body.get(end..).unwrap_or_default();
                if stop == "\u{1b}" {
                    answers.open = Some(Open::TextEscape);
                    break;
                }
                answers.text(body.get(..end).unwrap_or_default());
                rest = stop.strip_prefix("\u{1b}\\").or(stop.strip_prefix('\u{7}')).unwrap_or(stop);
            }
            Some(_) => rest = after,
        }
    }
    answers
}

impl Answers {
    fn control(&mut self, body: &str) {
        if let Some(attributes) = body.strip_prefix('?').and_then(|body| body.strip_suffix('c')) {
            self.sixel = attributes.split(';').any(|attribute| attribute == "4");
            self.complete = true;
        } else if let Some(sizes) = body.strip_prefix("6;").and_then(|body| body.strip_suffix('t')) {
            let mut sizes = sizes.split(';').filter_map(|size| size.parse::<u16>().ok());
            if let (Some(height @ 4..=256), Some(width @ 2..=256)) = (sizes.next(), sizes.next()) {
                self.cell = Some((width, height));
            }
        }
    }

    fn text(&mut self, body: &str) {
        if let Some(colour) = body.strip_prefix("11;") {
            self.ground = ground(colour);
        } else if body.starts_with("Gi=31") {
            self.kitty = body.ends_with(";OK");
        }
    }

    /// The way to show pictures; some terminals promise one that they draw badly, and `env` names them.
    pub(super) fn pictures(&self, env: &dyn Fn(&str) -> Option<String>) -> Pictures {
        let set = |name: &str| env(name).is_some_and(|value| !value.is_empty());
        let program = env("TERM_PROGRAM").unwrap_or_default();
        let tmux = set("TMUX") || program == "tmux";
        let Some(cell) = self.cell else { return Pictures { tmux, ..Pictures::default() } };
        let unreliable = set("WEZTERM_EXECUTABLE") || set("KONSOLE_VERSION");
        let iterm = matches!(program.as_str(), "iTerm.app" | "WezTerm" | "mintty" | "rio") && !tmux;
        let protocol = match () {
            () if iterm => Protocol::Iterm2,
            () if unreliable => Protocol::Halfblocks,
            () if self.kitty => Protocol::Kitty,
            () if self.sixel => Protocol::Sixel,
            () => Protocol::Halfblocks,
        };
        Pictures { protocol, cell, tmux }
    }
}

/// Whether an `rgb:RRRR/GGGG/BBBB` colour is light.
fn ground(colour: &str) -> Option<Ground> {
    let parts = colour.strip_prefix("rgba:").or(colour.strip_prefix("rgb:"))?;
    let mut shares = parts.split('/').map(|part| {
        let most =
            16u32.checked_pow(u32::try_from(part.len()).ok()?)?.checked_sub(1).filter(|most| *most > 0)?;
        Some(f64::from(u32::from_str_radix(part, 16).ok()?) / f64::from(most))
    });
    let (r, g, b) = (shares.next()??, shares.next()??, shares.next()??);
    Some(if 0.299 * r + 0.587 * g + 0.114 * b > 0.5 { Ground::Light } else { Ground::Dark })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replies_are_told_from_keys() {
        for (heard, expected) in [
            ("", Answers::default()),
            (
                "\x1b]11;rgb:1a1a/1b1b/2626\x1b\\\x1b_Gi=31;OK\x1b\\\x1b[6;20;10t\x1b[?62;4c",
                Answers {
                    ground: Some(Ground::Dark),
                    kitty: true,
                    sixel: true,
                    cell: Some((10, 20)),
                    complete: true,
                    ..Answers::default()
                },
            ),
            (
                "j\x1b]11;rgb:ff/ff/f0\x07q\x1b[?1;2c",
                Answers {
                    ground: Some(Ground::Light),
                    complete: true,
                    typed: "jq".into(),
                    ..Answers::default()
                },
            ),
            ("\x1b]11;rgb:ff", Answers { open: Some(Open::Text), ..Answers::default() }),
            (
                "\x1b]11;rgb:ffff/ffff/ffff\x1b",
                Answers { open: Some(Open::TextEscape), ..Answers::default() },
            ),
            ("\x1b[6;2", Answers { open: Some(Open::Control), ..Answers::default() }),
            ("a\x1b", Answers { open: Some(Open::Escape), typed: "a".into(), ..Answers::default() }),
            ("\x1b[A\x1b[6;0;0t", Answers::default()),
            ("\x1b]11;nonsense\x07", Answers::default()),
            ("\x1b]11;rgb:/-/\x07", Answers::default()),
        ] {
            assert_eq!(parse(heard.as_bytes()), expected, "{heard:?}");
        }
    }

    #[test]
    fn any_cut_of_the_replies_is_read_without_typing_them() {
        let whole = b"\x1b]11;rgb:1a1a/1b1b/2626\x1b\\\x1b_Gi=31;OK\x1b\\\x1b[6;20;10t\x1b[?62;4c";
        for length in 0..=whole.len() {
            assert_eq!(parse(&whole[..length]).typed, "", "{length}");
        }
    }

    #[test]
    fn pictures_need_a_known_cell_size() {
        let none = |_: &str| None;
        let mut answers = Answers { kitty: true, sixel: true, ..Answers::default() };
        assert_eq!(answers.pictures(&none).protocol, Protocol::Halfblocks);
        answers.cell = Some((8, 16));
        assert_eq!(answers.pictures(&none).protocol, Protocol::Kitty);
        answers.kitty = false;
        assert_eq!(answers.pictures(&none).protocol, Protocol::Sixel);
        let konsole = |name: &str| (name == "KONSOLE_VERSION").then(|| "1".to_owned());
        assert_eq!(answers.pictures(&konsole).protocol, Protocol::Halfblocks);
    }
}
