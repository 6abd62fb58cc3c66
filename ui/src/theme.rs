//! Themes: roles, not colours, become styles.
//!
//! Owns the list of roles, the built-in themes and how many colours a terminal is trusted with. It asks neither
//! terminal nor environment: both arrive as parameters. Made by `terminal` at the start, read by every view.

use ratatui::style::{Color, Modifier, Style};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;
use std::str::FromStr;

/// Declares the roles together with their names in theme files, so that neither list can lag.
macro_rules! roles {
    ($($(#[$doc:meta])* $role:ident = $name:literal,)*) => {
        /// What a piece of the screen is.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Role { $($(#[$doc])* $role,)* }

        impl Role {
            /// Every role.
            pub const ALL: &[Role] = &[$(Role::$role,)*];

            /// The role's name in a theme file.
            pub fn name(self) -> &'static str {
                match self { $(Role::$role => $name,)* }
            }
        }
    };
}

roles! {
    /// Plain words.
    Text = "text",
    /// What matters less.
    Dim = "dim",
    /// What matters more.
    Accent = "accent",
    /// Headings of cards.
    Heading = "heading",
    /// Bold words.
    Strong = "strong",
    /// Words in italics.
    Emphasis = "emphasis",
    /// Frames.
    Border = "border",
    /// The frame that has the focus.
    BorderFocus = "border_focus",
    /// A pane's title.
    Title = "title",
    /// The selected item of the focused list.
    Selection = "selection",
    /// The selected item elsewhere.
    SelectionDim = "selection_dim",
    /// A tag.
    Tag = "tag",
    /// A tag that is not taken.
    TagOff = "tag_off",
    /// Code in a line, and blocks without a language.
    Code = "code",
    /// A link.
    Link = "link",
    /// The selected link.
    LinkFocus = "link_focus",
    /// Quoted text.
    Quote = "quote",
    /// A line that is added.
    Added = "added",
    /// The new words of a changed line.
    AddedWord = "added_word",
    /// A line that is removed.
    Removed = "removed",
    /// The old words of a changed line.
    RemovedWord = "removed_word",
    /// Something went as asked.
    Good = "good",
    /// Something to look at.
    Warning = "warning",
    /// Something went wrong.
    Error = "error",
    /// The person in a dialog.
    User = "user",
    /// The assistant in a dialog.
    Assistant = "assistant",
    /// Anyone else in a dialog.
    Other = "other",
    /// A key in the footer and the help.
    Key = "key",
    /// Top bar and footer.
    Bar = "bar",
    /// A button.
    Button = "button",
    /// The button that has the focus.
    ButtonFocus = "button_focus",
    /// A button that cannot be pressed.
    ButtonOff = "button_off",
    /// An input field.
    Field = "field",
    /// The text cursor.
    Cursor = "cursor",
    /// The movable part of a scrollbar.
    Thumb = "thumb",
    /// Comments in code.
    CodeComment = "code_comment",
    /// Keywords in code.
    CodeKeyword = "code_keyword",
    /// Strings in code.
    CodeString = "code_string",
    /// Numbers and constants in code.
    CodeNumber = "code_number",
    /// Names of functions in code.
    CodeFunction = "code_function",
    /// Types and tags in code.
    CodeType = "code_type",
}

/// The terminal's background.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ground {
    /// Dark, also when it is not known.
    #[default]
    Dark,
    /// Light.
    Light,
}

/// How many colours the terminal is trusted with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Colours {
    /// None; only bold, dim, underline and reverse.
    None,
    /// The sixteen that the person's own palette names.
    Sixteen,
    /// The 256 of xterm.
    Indexed,
    /// Any.
    #[default]
    All,
}

impl Colours {
    /// What the environment promises; `env` looks up one variable.
    pub fn promised(env: &dyn Fn(&str) -> Option<String>) -> Colours {
        let get = |name: &str| env(name).unwrap_or_default();
        let term = get("TERM");
        if !get("NO_COLOR").is_empty() || term == "dumb" {
            return Colours::None;
        }
        let colorterm = get("COLORTERM").to_ascii_lowercase();
        if matches!(colorterm.as_str(), "truecolor" | "24bit") || term.ends_with("-direct") {
            return Colours::All;
        }
        if ["kitty", "ghostty", "alacritty", "wezterm", "foot"].iter().any(|name| term.contains(name)) {
            return Colours::All;
        }
        if term.contains("256color") { Colours::Indexed } else { Colours::Sixteen }
    }
}

/// Why a theme file was not taken.
#[derive(Debug, thiserror::Error)]
pub enum ThemeError {
    /// It could not be read.
    #[error("cannot read the theme {path}: {source}")]
    Read {
        /// The file.
        path: String,
        /// The system's own error.
        source: std::io::Error,
    },
    /// It is no theme.
    #[error("the theme {path} is not usable: {message}. themes/dark.yaml shows what a theme looks like")]
    Content {
        /// The file.
        path: String,
        /// What was met.
        message: String,
    },
}

/// A style for each role.
#[derive(Clone, Debug, PartialEq)]
pub struct Theme {
    name: String,
    styles: Vec<Style>,
}

impl Default for Theme {
    fn default() -> Self {
        Theme::builtin(Ground::Dark, Colours::All)
    }
}

const DARK: &str = include_str!("../../themes/dark.yaml");
const LIGHT: &str = include_str!("../../themes/light.yaml");
const ANSI16: &str = include_str!("../../themes/ansi16.yaml");
const MONO: &str = include_str!("../../themes/mono.yaml");

impl Theme {
    /// The built-in theme for a terminal.
    pub fn builtin(ground: Ground, colours: Colours) -> Theme {
        let source = match (colours, ground) {
            (Colours::None, _) => MONO,
            (Colours::Sixteen, _) => ANSI16,
            (_, Ground::Dark) => DARK,
            (_, Ground::Light) => LIGHT,
        };
        let plain = Theme { name: "plain".into(), styles: vec![Style::new(); Role::ALL.len()] };
        // A test holds the built-in files readable; a plain screen is still a working one.
        plain.overlaid(source, colours).unwrap_or(plain)
    }

    /// The built-in theme with what a file says laid over it.
    pub fn from_file(path: &Path, ground: Ground, colours: Colours) -> Result<Theme, ThemeError> {
        let shown = path.display().to_string();
        let source = std::fs::read_to_string(path)
            .map_err(|source| ThemeError::Read { path: shown.clone(), source })?;
        Theme::builtin(ground, colours)
            .overlaid(&source, colours)
            .map_err(|message| ThemeError::Content { path: shown, message })
    }

    /// The theme's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How a role looks.
    pub fn style(&self, role: Role) -> Style {
        self.styles.get(role as usize).copied().unwrap_or_default()
    }

    fn overlaid(&self, source: &str, colours: Colours) -> Result<Theme, String> {
        let file: File = serde_yaml::from_str(source).map_err(|error| error.to_string())?;
        let mut theme = Theme { name: file.name.clone(), styles: self.styles.clone() };
        for (name, look) in &file.roles {
            let Some(role) = Role::ALL.iter().find(|role| role.name() == name) else {
                return Err(format!("it names a role {name:?} that does not exist"));
            };
            if let Some(style) = theme.styles.get_mut(*role as usize) {
                *style = look.style(&file.colours, colours)?;
            }
        }
        Ok(theme)
    }
}

/// A theme file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    name: String,
    #[serde(default)]
    colours: BTreeMap<String, String>,
    roles: BTreeMap<String, Look>,
}

/// How one role looks in a theme file.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Look {
    fg: Option<String>,
    bg: Option<String>,
    bold: bool,
    dim: bool,
    italic: bool,
    underline: bool,
    reverse: bool,
    strike: bool,
}

impl Look {
    fn style(&self, named: &BTreeMap<String, String>, colours: Colours) -> Result<Style, String> {
        let colour = |given: &Option<String>| match given {
            Some(given) if colours != Colours::None => {
                let value = named.get(given).unwrap_or(given);
                let colour = Color::from_str(value)
                    .map_err(|_| format!("{given:?} is no colour; write #rrggbb, a name or 0 to 255"))?;
                Ok(Some(reduce(colour, colours)))
            }
            _ => Ok::<_, String>(None),
        };
        let mut style = Style { fg: colour(&self.fg)?, bg: colour(&self.bg)?, ..Style::new() };
        for (on, modifier) in [
            (self.bold, Modifier::BOLD),
            (self.dim, Modifier::DIM),
            (self.italic, Modifier::ITALIC),
            (self.underline, Modifier::UNDERLINED),
            (self.reverse, Modifier::REVERSED),
            (self.strike, Modifier::CROSSED_OUT),
        ] {
            if on {
                style = style.add_modifier(modifier);
            }
        }
        Ok(style)
    }
}

/// The nearest colour that the terminal has.
fn reduce(colour: Color, colours: Colours) -> Color {
    match (colour, colours) {
        (Color::Rgb(r, g, b), Colours::Indexed) => Color::Indexed(nearest_indexed(r, g, b)),
        (Color::Rgb(r, g, b), Colours::Sixteen) => nearest_named(r, g, b),
        (Color::Indexed(_), Colours::Sixteen) => Color::Reset,
        (colour, _) => colour,
    }
}

/// Xterm's 256 colours: a 6×6×6 cube with these steps, and 24 greys.
fn nearest_indexed(r: u8, g: u8, b: u8) -> u8 {
    const STEPS: [u8; 6] = [0, 95, 135, 175, 215, 255];
    let step = |value: u8| {
        STEPS
            .iter()
            .enumerate()
            .min_by_key(|(_, step)| step.abs_diff(value))
            .map_or((0, 0), |(at, step)| (u8::try_from(at).unwrap_or(0), *step))
    };
    let ((ri, rs), (gi, gs), (bi, bs)) = (step(r), step(g), step(b));
    let mean = (u32::from(r) + u32::from(g) + u32::from(b)) / 3;
    let grey_at = u8::try_from(mean.saturating_sub(3) / 10).unwrap_or(23).min(23);
    let grey = 8 + 10 * grey_at;
    if distance((r, g, b), (grey, grey, grey)) < distance((r, g, b), (rs, gs, bs)) {
        232 + grey_at
    } else {
        16 + 36 * ri + 6 * gi + bi
    }
}

fn nearest_named(r: u8, g: u8, b: u8) -> Color {
    const NAMED: [(Color, (u8, u8, u8)); 8] = [
        (Color::Black, (0, 0, 0)),
        (Color::Red, (205, 60, 60)),
        (Color::Green, (60, 180, 90)),
        (Color::Yellow, (205, 180, 60)),
        (Color::Blue, (80, 120, 220)),
        (Color::Magenta, (190, 90, 200)),
        (Color::Cyan, (60, 180, 200)),
        (Color::White, (220, 220, 220)),
    ];
    let nearest = NAMED.iter().min_by_key(|(_, near)| distance((r, g, b), *near));
    nearest.map_or(Color::Reset, |(colour, _)| *colour)
}

fn distance(a: (u8, u8, u8), b: (u8, u8, u8)) -> u32 {
    let square = |x: u8, y: u8| u32::from(x.abs_diff(y)).pow(2);
    square(a.0, b.0) + square(a.1, b.1) + square(a.2, b.2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_built_in_theme_names_every_role() {
        for source in [DARK, LIGHT, ANSI16, MONO] {
            let file: File = serde_yaml::from_str(source).unwrap();
            for role in Role::ALL {
                assert!(file.roles.contains_key(role.name()), "{} lacks {}", file.name, role.name());
            }
            let plain = Theme { name: String::new(), styles: vec![Style::new(); Role::ALL.len()] };
            plain.overlaid(source, Colours::All).unwrap();
        }
    }

    #[test]
    fn the_environment_says_how_many_colours() {
        for (vars, expected) in [
            (&[("TERM", "xterm-256color"), ("COLORTERM", "truecolor")][..], Colours::All),
            (&[("TERM", "xterm-256color")], Colours::Indexed),
            (&[("TERM", "screen")], Colours::Sixteen),
            (&[("TERM", "no-such-term")], Colours::Sixteen),
            (&[], Colours::Sixteen),
            (&[("TERM", "dumb"), ("COLORTERM", "truecolor")], Colours::None),
            (&[("NO_COLOR", "1"), ("COLORTERM", "truecolor")], Colours::None),
            (&[("NO_COLOR", ""), ("COLORTERM", "truecolor")], Colours::All),
            (&[("TERM", "xterm-kitty")], Colours::All),
        ] {
            let env = |name: &str| vars.iter().find(|(key, _)| *key == name).map(|(_, v)| (*v).to_owned());
            assert_eq!(Colours::promised(&env), expected, "{vars:?}");
        }
    }

    #[test]
    fn no_theme_uses_more_than_was_promised() {
        for ground in [Ground::Dark, Ground::Light] {
            for colours in [Colours::None, Colours::Sixteen, Colours::Indexed] {
                let theme = Theme::builtin(ground, colours);
                for role in Role::ALL {
                    let style = theme.style(*role);
                    for colour in [style.fg, style.bg].into_iter().flatten() {
                        assert!(colours != Colours::None, "{role:?}");
                        assert!(!matches!(colour, Color::Rgb(..)), "{role:?} {colours:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn text_can_be_told_from_its_background() {
        // Relative luminance, as WCAG defines it; the grounds are what such terminals commonly have.
        let light = |colour: (u8, u8, u8)| {
            let part = |value: u8| {
                let value = f64::from(value) / 255.0;
                if value <= 0.03928 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
            };
            0.2126 * part(colour.0) + 0.7152 * part(colour.1) + 0.0722 * part(colour.2)
        };
        for (ground, back) in [(Ground::Dark, (0x1a, 0x1b, 0x26)), (Ground::Light, (0xfa, 0xfa, 0xf7))] {
            let theme = Theme::builtin(ground, Colours::All);
            for role in Role::ALL {
                let style = theme.style(*role);
                let rgb =
                    |colour| if let Some(Color::Rgb(r, g, b)) = colour { Some((r, g, b)) } else { None };
                let (Some(fg), bg) = (rgb(style.fg), rgb(style.bg).unwrap_or(back)) else { continue };
                let (a, b) = (light(fg), light(bg));
                let contrast = (a.max(b) + 0.05) / (a.min(b) + 0.05);
                let least =
                    if matches!(role, Role::Border | Role::Thumb | Role::ButtonOff) { 1.4 } else { 4.0 };
                assert!(contrast >= least, "{ground:?} {role:?}: {contrast:.2}");
            }
        }
    }

    #[test]
    fn a_file_is_laid_over_the_built_in_theme() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("mine.yaml");
        std::fs::write(&path, "name: mine\nroles:\n  heading: {fg: \"#ff0000\", bold: true}\n").unwrap();
        let theme = Theme::from_file(&path, Ground::Dark, Colours::All).unwrap();
        assert_eq!(theme.style(Role::Heading), Style::new().fg(Color::Rgb(255, 0, 0)).bold());
        assert_eq!(theme.style(Role::Link), Theme::default().style(Role::Link));
        for (text, part) in [
            ("name: x\nroles:\n  headin: {}\n", "headin"),
            ("name: x\nroles:\n  link: {fg: blurple}\n", "blurple"),
            ("[", "mine.yaml"),
        ] {
            std::fs::write(&path, text).unwrap();
            let error = Theme::from_file(&path, Ground::Dark, Colours::All).unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        }
    }
}
