//! Settings in force: defaults, the user's configuration, the environment, `--set`, the last one winning.

use crate::arguments::Arguments;
use reme_core::distill::{Distiller, offline::Offline};
use reme_core::workspace::Config;
use std::path::PathBuf;
use std::sync::Arc;

/// The user's configuration file, whether or not it exists.
pub fn user_file() -> Option<PathBuf> {
    use etcetera::BaseStrategy;
    let base = etcetera::choose_base_strategy().ok()?;
    Some(base.config_dir().join("reme").join("config.yaml"))
}

/// The user's configuration as text; empty when there is none.
pub fn user_text() -> Result<String, String> {
    let Some(path) = user_file() else { return Ok(String::new()) };
    match std::fs::read_to_string(&path) {
        Ok(text) => Ok(text),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(String::new()),
        Err(error) => Err(format!("cannot read the configuration {}: {error}", path.display())),
    }
}

/// A text value at the top of the user's configuration; a leading `~/` is the home folder.
pub fn user_path(key: &str) -> Result<Option<PathBuf>, String> {
    let value: serde_yaml::Value = serde_yaml::from_str(&user_text()?).unwrap_or_default();
    let Some(named) = value.get(key).and_then(serde_yaml::Value::as_str) else { return Ok(None) };
    let path = match named.strip_prefix("~/") {
        Some(rest) => etcetera::home_dir().map_err(|error| error.to_string())?.join(rest),
        None => std::path::absolute(named).map_err(|error| format!("cannot use {named}: {error}"))?,
    };
    Ok(Some(path))
}

/// The theme file that the user's configuration names.
pub fn theme() -> Result<Option<PathBuf>, String> {
    user_path("theme")
}

/// The engine's settings for this call.
pub fn config(arguments: &Arguments) -> Result<Config, String> {
    let text = user_text()?;
    let (mut config, warnings) = Config::from_yaml(&text).map_err(|error| match user_file() {
        Some(path) => format!("the configuration {} cannot be used: {error}", path.display()),
        None => error.to_string(),
    })?;
    for warning in warnings {
        crate::output::note(&warning);
    }
    for (key, value) in &arguments.settings {
        config.set(key, value).map_err(|error| error.to_string())?;
    }
    Ok(config)
}

/// The distiller of this name; the embedded one when none is named.
pub fn distiller(name: Option<&str>) -> Result<Arc<dyn Distiller>, String> {
    match name {
        None | Some("offline") => Ok(Arc::new(Offline)),
        Some(other) => Err(format!("there is no distiller {other:?}; this version has: offline")),
    }
}
