//! Settings of a workspace, with ReMe's names and defaults.
//!
//! Owns which settings the engine reads and how they are spelt; never looks for files or the environment (the
//! binary layers flags, environment and files, each through [`Config::set`] or [`Config::merge_yaml`]).

use super::path::RelPath;
use serde_yaml::Value;

/// The settings that the engine reads.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// Folder of day pages and cards.
    pub daily_dir: String,
    /// Folder of records and images.
    pub session_dir: String,
    /// Folder of resources.
    pub resource_dir: String,
    /// Folder of long-term memories.
    pub digest_dir: String,
    /// IANA time zone; `None`: the system's.
    pub timezone: Option<chrono_tz::Tz>,
    /// Frontmatter key of the tags.
    pub tag_key: String,
    /// Pictures that one call may carry.
    pub max_image_num: usize,
    /// How many days a commit can be undone.
    pub undo_days: u32,
    /// How many mebibytes of undo records are kept; the oldest go first.
    pub undo_mib: u32,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            daily_dir: "daily".into(),
            session_dir: "session".into(),
            resource_dir: "resource".into(),
            digest_dir: "digest".into(),
            timezone: None,
            tag_key: "memory_tags".into(),
            max_image_num: 5,
            undo_days: 30,
            undo_mib: 64,
        }
    }
}

/// A setting that cannot be used, with what would do.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
pub enum ConfigError {
    /// The text is no YAML mapping.
    #[error("the configuration cannot be read: {why}; correct it, or remove the file to use the defaults")]
    Syntax {
        /// What the parser says, with line and column where it knows them.
        why: String,
    },
    /// One setting has a value that it cannot have.
    #[error("{key}: {given:?} cannot be used: {why}")]
    Value {
        /// The dotted key.
        key: String,
        /// What was given.
        given: String,
        /// What would do.
        why: String,
    },
}

/// Larger texts are no configuration.
const MAX_BYTES: usize = 1 << 20;

/// Reads one value into its setting; the error says what would do.
type Setter = fn(&mut Config, &str) -> Result<(), String>;

/// The settings by their dotted keys, as ReMe spells them.
const SETTINGS: [(&str, Setter); 9] = [
    ("daily_dir", |config, text| folder(text).map(|dir| config.daily_dir = dir)),
    ("session_dir", |config, text| folder(text).map(|dir| config.session_dir = dir)),
    ("resource_dir", |config, text| folder(text).map(|dir| config.resource_dir = dir)),
    ("digest_dir", |config, text| folder(text).map(|dir| config.digest_dir = dir)),
    ("timezone", |config, text| timezone(text).map(|zone| config.timezone = zone)),
    ("components.tag_index.default.tag_key", |config, text| tag_key(text).map(|key| config.tag_key = key)),
    ("components.agent_wrapper.default.context_config.max_image_num", |config, text| {
        number(text).map(|images| config.max_image_num = images)
    }),
    ("undo.days", |config, text| number(text).map(|days| config.undo_days = days)),
    ("undo.mebibytes", |config, text| number(text).map(|size| config.undo_mib = size)),
];

impl Config {
    /// Reads a whole configuration over the defaults, with what a person should know about it.
    pub fn from_yaml(text: &str) -> Result<(Config, Vec<String>), ConfigError> {
        let mut config = Config::default();
        let warnings = config.merge_yaml(text)?;
        Ok((config, warnings))
    }

    /// Reads a configuration over the present one. Keys of others (ReMe's jobs, the service, models) are left
    /// to them; a top-level key that is nearly one of the engine's gets a warning.
    pub fn merge_yaml(&mut self, text: &str) -> Result<Vec<String>, ConfigError> {
        if text.len() > MAX_BYTES {
            return Err(ConfigError::Syntax { why: format!("it is larger than {MAX_BYTES} bytes") });
        }
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let value: Value =
            serde_yaml::from_str(text).map_err(|error| ConfigError::Syntax { why: error.to_string() })?;
        let mut changed = self.clone();
        let mut warnings = Vec::new();
        match value {
            Value::Null => {}
            Value::Mapping(_) => changed.merge("", &value, &mut warnings)?,
            _ => return Err(ConfigError::Syntax { why: "it is not a list of `key: value` lines".into() }),
        }
        *self = changed;
        Ok(warnings)
    }

    /// Changes one setting by its dotted key; `false`: the engine has no such setting.
    pub fn set(&mut self, key: &str, value: &str) -> Result<bool, ConfigError> {
        let Some((_, setter)) = SETTINGS.iter().find(|(name, _)| *name == key) else { return Ok(false) };
        match setter(self, value.trim()) {
            Ok(()) => Ok(true),
            Err(why) => Err(ConfigError::Value { key: key.into(), given: value.into(), why }),
        }
    }

    fn merge(&mut self, prefix: &str, value: &Value, warnings: &mut Vec<String>) -> Result<(), ConfigError> {
        let scalar = match value {
            Value::Mapping(entries) => {
                for (name, value) in entries {
                    let Some(name) = name.as_str() else { continue };
                    let key = if prefix.is_empty() { name.to_owned() } else { format!("{prefix}.{name}") };
                    self.merge(&key, value, warnings)?;
                }
                return Ok(());
            }
            // ReMe takes an empty value as "not set" too.
            Value::Null => return Ok(()),
            Value::String(text) => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            Value::Bool(_) | Value::Sequence(_) | Value::Tagged(_) => None,
        };
        let known = SETTINGS.iter().any(|(name, _)| *name == prefix);
        match scalar {
            Some(text) if known => self.set(prefix, &text).map(|_| ()),
            None if known => Err(ConfigError::Value {
                key: prefix.into(),
                given: serde_yaml::to_string(value).unwrap_or_default().trim().into(),
                why: "give a single text or number".into(),
            }),
            _ => {
                warnings.extend(misspelt(prefix));
                Ok(())
            }
        }
    }
}

fn misspelt(key: &str) -> Option<String> {
    let names: Vec<&str> = SETTINGS.iter().map(|(name, _)| *name).collect();
    let near = similar::get_close_matches(key, &names, 1, 0.85);
    // `metadata_dir` and others of ReMe's own are near, yet right.
    let nearest = near.first().filter(|_| !matches!(key, "metadata_dir" | "mem_session_dir"))?;
    Some(format!("{key} is not a setting and was ignored; did you mean {nearest}?"))
}

fn folder(text: &str) -> Result<String, String> {
    let text = text.trim_end_matches('/');
    RelPath::new(text).map(|path| path.as_str().to_owned()).map_err(|error| error.why)
}

fn tag_key(text: &str) -> Result<String, String> {
    let usable =
        !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.'));
    if usable { Ok(text.into()) } else { Err("give a frontmatter key, such as memory_tags".into()) }
}

fn number<N: std::str::FromStr>(text: &str) -> Result<N, String> {
    text.parse().map_err(|_| "give a whole number, 0 or more".into())
}

fn timezone(text: &str) -> Result<Option<chrono_tz::Tz>, String> {
    if text.is_empty() {
        return Ok(None);
    }
    text.parse().map(Some).map_err(|_| match nearest_zone(text) {
        Some(zone) => format!("there is no such time zone; did you mean {zone}?"),
        None => "there is no such time zone; give one such as Europe/Berlin, or leave it empty".into(),
    })
}

fn nearest_zone(text: &str) -> Option<&'static str> {
    let wanted = text.to_lowercase().replace([' ', '-'], "_");
    let zones = || chrono_tz::TZ_VARIANTS.iter().map(|zone| zone.name());
    let city = |zone: &str| zone.rsplit('/').next().unwrap_or_default().to_lowercase();
    if let Some(zone) = zones().find(|zone| zone.to_lowercase() == wanted || city(zone) == wanted) {
        return Some(zone);
    }
    let names: Vec<&str> = zones().collect();
    similar::get_close_matches(text, &names, 1, 0.6).first().copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_python_systems_keys() {
        let (config, warnings) = Config::from_yaml(
            "app_name: ReMe\nmetadata_dir: metadata\nmem_session_dir: mem_session\nsession_dir: sess/x\n\
             daily_dir: d\nresource_dir: r/\ndigest_dir: g\ntimezone: Asia/Shanghai\nlanguage: ''\n\
             enable_logo: true\nplugins: []\nservice: {port: 2420}\ncomponents:\n  tag_index:\n    default:\n      \
             tag_key: tags\n  agent_wrapper:\n    default:\n      context_config:\n        max_image_num: 6\n",
        )
        .unwrap();
        let expected = Config {
            daily_dir: "d".into(),
            session_dir: "sess/x".into(),
            resource_dir: "r".into(),
            digest_dir: "g".into(),
            timezone: Some(chrono_tz::Asia::Shanghai),
            tag_key: "tags".into(),
            max_image_num: 6,
            ..Config::default()
        };
        assert_eq!((config, warnings), (expected, Vec::new()));
    }

    #[test]
    fn nothing_set_is_the_default() {
        for text in ["", "# only a comment\n", "timezone: ''\n", "timezone:\ndaily_dir:\n", "\u{feff}{}\n"] {
            assert_eq!(Config::from_yaml(text), Ok((Config::default(), Vec::new())), "{text:?}");
        }
    }

    #[test]
    fn a_misspelt_key_is_named() {
        let (_, warnings) = Config::from_yaml("daily_dirs: d\ntime_zone: UTC\n").unwrap();
        assert_eq!(
            warnings,
            [
                "daily_dirs is not a setting and was ignored; did you mean daily_dir?",
                "time_zone is not a setting and was ignored; did you mean timezone?"
            ]
        );
    }

    #[track_caller]
    fn check_refused(key: &str, value: &str, word: &str) {
        let mut config = Config::default();
        let error = config.set(key, value).unwrap_err().to_string();
        assert!(error.starts_with(key) && error.contains(word), "{error}");
        assert_eq!(config, Config::default());
    }

    #[test]
    fn refused_values() {
        check_refused("timezone", "Asia/Shangai", "did you mean Asia/Shanghai?");
        check_refused("timezone", "asia/shanghai", "did you mean Asia/Shanghai?");
        check_refused("timezone", "new york", "did you mean America/New_York?");
        check_refused("timezone", "!", "such as Europe/Berlin");
        check_refused("daily_dir", "../elsewhere", "inside the workspace");
        check_refused("session_dir", "/var/x", "absolute");
        check_refused("digest_dir", "", "empty");
        check_refused("components.agent_wrapper.default.context_config.max_image_num", "-1", "whole number");
        check_refused("components.tag_index.default.tag_key", "a: b", "frontmatter key");
        check_refused("undo.days", "many", "whole number");
    }

    #[test]
    fn broken_texts_change_nothing() {
        let mut config = Config::default();
        for text in
            ["daily_dir: [a, b]", "daily_dir: d\ntimezone: Nowhere", "- a\n- b", "a: b: c", "daily_dir: true"]
        {
            let error = config.merge_yaml(text).unwrap_err();
            assert!(!error.to_string().is_empty());
            assert_eq!(config, Config::default(), "{text:?}");
        }
    }

    #[test]
    fn keys_of_others_are_theirs() {
        assert_eq!(Config::default().set("service.port", "8181"), Ok(false));
    }
}
