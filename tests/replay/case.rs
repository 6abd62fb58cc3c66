//! One recording as it lies in its folder, and the workspace that it presupposes.

use super::Files;
use chrono::{DateTime, NaiveDateTime, Utc};
use reme_core::card::Card;
use reme_core::memorize::auto::Request;
use reme_core::workspace::Config;
use serde_json::{Map, Value};
use std::fs;
use std::path::Path;

pub struct Case {
    pub name: String,
    /// What was sent.
    pub input: Value,
    /// What came back; null where nothing did.
    pub response: Value,
    /// Which files were added, deleted, modified.
    pub changes: Value,
    /// The files of interest, afterwards.
    pub files: Files,
    before: Files,
    note: String,
}

impl Case {
    pub fn load(folder: &Path) -> Case {
        let json = |name: &str| match fs::read(folder.join(name)) {
            Ok(bytes) => serde_json::from_slice(&bytes).unwrap_or(Value::Null),
            Err(_) => Value::Null,
        };
        let response = json("response.json");
        Case {
            name: folder.file_name().unwrap().to_string_lossy().into_owned(),
            input: json("input.json"),
            response: response.get("json").cloned().unwrap_or(Value::Null),
            changes: json("changes.json"),
            files: super::files(&folder.join("files")),
            note: fs::read_to_string(folder.join("notes.md")).unwrap_or_default(),
            before: super::files(&folder.join("files_before")),
        }
    }

    /// A key of the answer's metadata; null where it has none.
    pub fn metadata(&self, key: &str) -> &Value {
        &self.response["metadata"][key]
    }

    pub fn success(&self) -> bool {
        self.response["success"] == true
    }

    /// The card that the answer names.
    pub fn card_path(&self) -> Option<&str> {
        self.metadata("path").as_str()
    }

    /// A recorded text file.
    pub fn text(&self, path: &str) -> Option<&str> {
        std::str::from_utf8(self.files.get(path)?).ok()
    }

    /// The parameters, as a service would hand them on.
    pub fn request(&self) -> Request {
        let body = &self.input["json"];
        Request {
            session_id: text(&body["session_id"]),
            messages: body["messages"].clone(),
            date: body["date"].as_str().map(str::to_owned),
            hint: body["memory_hint"].as_str().map(str::to_owned),
            include_images: body["include_images"] == true,
            force: false,
        }
    }

    /// ReMe's default zone, and what a recording set besides.
    pub fn config(&self) -> Config {
        let mut config = Config { timezone: Some(chrono_tz::Asia::Shanghai), ..Config::default() };
        if self.name.starts_with("f_tz_utc") {
            config.timezone = Some(chrono_tz::UTC);
        }
        if self.name == "x13_config_overrides" {
            config.daily_dir = "d".to_owned();
            config.session_dir = "sess/x".to_owned();
            config.tag_key = "tags".to_owned();
            config.max_image_num = 6;
        }
        config
    }

    /// When the call was recorded: the time of the latest block, which ReMe stamps itself.
    pub fn now(&self) -> DateTime<Utc> {
        let records = self.files.iter().filter(|(path, _)| path.ends_with(".jsonl"));
        let lines = records.flat_map(|(_, bytes)| bytes.split(|byte| *byte == b'\n'));
        let stamps = lines
            .filter_map(|line| serde_json::from_slice::<Value>(line).ok())
            .filter_map(|line| line["content"].as_array().cloned())
            .flatten()
            .filter_map(|block| block["created_at"].as_str()?.parse::<NaiveDateTime>().ok());
        let recorded = NaiveDateTime::parse_from_str("2026-12-01 12:00", "%Y-%m-%d %H:%M").unwrap();
        stamps.max().unwrap_or(recorded).and_utc()
    }

    /// The files before the call. Cards that the recording leaves out because they did not change are taken
    /// from the answer's index, a renamed one under its former name.
    pub fn seeds(&self) -> Files {
        let mut seeds = self.before.clone();
        let created = self.metadata("created") == true;
        let notes = self.metadata("index")["notes"].as_array().cloned().unwrap_or_default();
        for note in notes {
            let Some(path) = note["path"].as_str() else { continue };
            let own = Some(path) == self.card_path();
            if own && created {
                continue;
            }
            let former = self.deleted().into_iter().find(|gone| own && gone.ends_with(".md"));
            let seed = former.clone().unwrap_or_else(|| path.to_owned());
            let added = self.changes["added"].to_string();
            for image in note["source_images"].as_array().into_iter().flatten().filter_map(Value::as_str) {
                let image = image.trim_start_matches("[[").trim_end_matches("]]");
                if own && !added.contains(image) && !image.contains("://") {
                    seeds.entry(image.to_owned()).or_insert_with(|| b"stored before".to_vec());
                }
            }
            let mut fields = note.as_object().cloned().unwrap_or_default();
            fields.remove("path");
            let modified = own && self.metadata("modified") == true;
            if modified {
                fields.insert("description".to_owned(), "as it was before".into());
                fields.remove(&self.config().tag_key);
            }
            if let Some(former) = former {
                let stem = former.rsplit('/').next().unwrap().trim_end_matches(".md").to_owned();
                fields.insert("name".to_owned(), stem.into());
            }
            let body = self.text(path).and_then(|text| text.split("\n---\n").nth(1)).unwrap_or("\nbody");
            seeds.entry(seed).or_insert_with(|| card(&fields, body.trim_start()));
        }
        seeds
    }

    /// The name that ReMe's model asked for and did not get, where the recording notes it.
    pub fn refused_name(&self) -> Option<String> {
        let asked = self.note.split_once("LLM asked for name '")?.1;
        self.card_path().is_none().then(|| asked.split('\'').next().unwrap_or_default().to_owned())
    }

    /// A card of the call's session that the answer does not name.
    pub fn added_card(&self) -> Option<&str> {
        let session = text(&self.input["json"]["session_id"]);
        let added = self.changes["added"].as_array()?;
        added.iter().filter_map(Value::as_str).find(|path| {
            let card = path.ends_with(".md").then(|| self.text(path)).flatten().map(Card::parse);
            card.is_some_and(|card| card.get("session_id") == Some(session.as_str()))
        })
    }

    /// Paths that the call deleted.
    fn deleted(&self) -> Vec<String> {
        let list = self.changes["deleted"].as_array().cloned().unwrap_or_default();
        list.iter().filter_map(|path| path.as_str().map(str::to_owned)).collect()
    }
}

/// A value as a person would type it.
fn text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn card(fields: &Map<String, Value>, body: &str) -> Vec<u8> {
    let yaml = serde_yaml::to_string(fields).unwrap();
    format!("---\n{yaml}---\n\n{body}").into_bytes()
}
