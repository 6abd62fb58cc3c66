//! The command line's grammar: `reme <job> key=value … --key value … words`, or `reme [WORKSPACE]`.
//!
//! clap gives the options, the help and the errors, from the table of jobs; this module adds `key=value` words
//! and reads each value as the type that the job declares for it.

use crate::job::{JOBS, Job, Kind, Param};
use crate::output::Refusal;
use clap::{Arg, ArgAction, ArgMatches, Command};
use serde_json::{Map, Value};
use std::ffi::OsString;
use std::io::Read;
use std::path::PathBuf;

/// What the command line asks for.
pub struct Arguments {
    /// The job or the interface.
    pub what: What,
    /// `--workspace`.
    pub workspace: Option<PathBuf>,
    /// `--json`.
    pub json: bool,
    /// `--set a.b=c`, and dotted keys of a job, in order.
    pub settings: Vec<(String, String)>,
}

/// A job with its values, or the interface.
pub enum What {
    /// `reme [WORKSPACE]`.
    Interface {
        /// The folder named as the first word.
        workspace: Option<PathBuf>,
    },
    /// `reme <job> …`.
    Job {
        /// Which.
        job: &'static Job,
        /// Its values by declared key; a repeated key has its last value.
        values: Map<String, Value>,
    },
}

/// Reads the command line.
pub fn read(arguments: impl IntoIterator<Item = OsString>) -> Result<Arguments, Refusal> {
    let given: Vec<OsString> = arguments.into_iter().collect();
    let json = given.iter().any(|word| word == "--json");
    let matches = command().try_get_matches_from(&given).map_err(|error| Refusal {
        message: error.to_string(),
        json,
        benign: !error.use_stderr(),
    })?;
    interpret(&matches).map_err(|message| Refusal { message, json, benign: false })
}

/// The whole grammar, as clap knows it.
pub fn command() -> Command {
    let shared = |command: Command| {
        command
            .arg(
                Arg::new("workspace")
                    .long("workspace")
                    .value_name("DIR")
                    .help("The memory workspace [env: REME_WORKSPACE]")
                    .value_parser(clap::value_parser!(PathBuf))
                    .global(true),
            )
            .arg(
                Arg::new("json")
                    .long("json")
                    .help("Print one JSON object instead of text")
                    .action(ArgAction::SetTrue)
                    .global(true),
            )
            .arg(
                Arg::new("set")
                    .long("set")
                    .value_name("KEY=VALUE")
                    .help("A setting for this call, such as timezone=Europe/Oslo")
                    .action(ArgAction::Append)
                    .global(true),
            )
    };
    let root = Command::new("reme")
        .about("Keep what mattered in your conversations with AI assistants")
        .long_about(
            "Keep what mattered in your conversations with AI assistants.\n\n\
             `reme` alone opens the interface on your workspace, `reme DIR` on another one;\n\
             `reme demo` shows it on a sample.",
        )
        .version(env!("CARGO_PKG_VERSION"))
        .allow_external_subcommands(true)
        .external_subcommand_value_parser(clap::value_parser!(OsString))
        .override_usage("reme [WORKSPACE]\n       reme <JOB> [KEY=VALUE]... [OPTIONS]")
        .subcommand_help_heading("Jobs");
    shared(root).subcommands(JOBS.iter().map(subcommand))
}

fn subcommand(job: &Job) -> Command {
    let mut command = Command::new(job.name).about(job.about).arg(
        Arg::new("words")
            .value_name("KEY=VALUE")
            .help("Values by key, or in the order of the options below")
            .num_args(0..)
            .action(ArgAction::Append),
    );
    for param in job.params {
        let arg = Arg::new(param.name).long(long_name(param)).help(param.about).action(ArgAction::Append);
        command = command.arg(match param.kind {
            Kind::Flag => arg.num_args(0..=1).require_equals(true).default_missing_value("true"),
            _ => arg.value_name("VALUE").allow_hyphen_values(true),
        });
    }
    command
}

/// `session_id` is `--session-id`, as options are spelt; the underscore form is accepted too.
fn long_name(param: &Param) -> String {
    param.name.replace('_', "-")
}

fn interpret(matches: &ArgMatches) -> Result<Arguments, String> {
    let mut settings = Vec::new();
    for matches in [Some(matches), matches.subcommand().map(|(_, inner)| inner)].into_iter().flatten() {
        let given = matches.try_get_many::<String>("set").ok().flatten().into_iter().flatten();
        for word in given {
            let (key, value) = word.split_once('=').ok_or_else(|| {
                format!("--set takes KEY=VALUE, such as timezone=Europe/Oslo; got {word:?}")
            })?;
            settings.push((key.to_owned(), value.to_owned()));
        }
        settings.dedup();
    }
    let mut workspace = matches.get_one::<PathBuf>("workspace").cloned();
    let mut json = matches.get_flag("json");
    let what = match matches.subcommand() {
        None => What::Interface { workspace: None },
        Some((name, inner)) => match JOBS.iter().find(|job| job.name == name) {
            Some(job) => {
                workspace = inner.get_one::<PathBuf>("workspace").cloned().or(workspace);
                json |= inner.get_flag("json");
                What::Job { job, values: values(job, inner, &mut settings)? }
            }
            None => interface(name, inner)?,
        },
    };
    Ok(Arguments { what, workspace, json, settings })
}

/// A first word that is no job is a workspace if it looks like a folder.
fn interface(word: &str, rest: &ArgMatches) -> Result<What, String> {
    let path = PathBuf::from(word);
    if !word.contains('/') && !word.contains(std::path::MAIN_SEPARATOR) && !path.is_dir() {
        let nearest = JOBS
            .iter()
            .map(|job| (strsim::jaro_winkler(job.name, word), job.name))
            .max_by(|a, b| a.0.total_cmp(&b.0))
            .filter(|(score, _)| *score > 0.6);
        let hint = nearest.map_or(String::new(), |(_, name)| format!(" Did you mean `reme {name}`?"));
        return Err(format!(
            "{word:?} is no job and no folder here.{hint}\n`reme help` lists the jobs; `reme ./{word}` would open a workspace of that name."
        ));
    }
    if rest.get_many::<OsString>("").is_some_and(|mut more| more.next().is_some()) {
        return Err("the interface takes one workspace and nothing else; see `reme help`".to_owned());
    }
    Ok(What::Interface { workspace: Some(path) })
}

/// The job's values: options first, then `key=value` words and bare words in the order of the command line.
fn values(
    job: &'static Job,
    matches: &ArgMatches,
    settings: &mut Vec<(String, String)>,
) -> Result<Map<String, Value>, String> {
    let mut values = Map::new();
    for param in job.params {
        if let Some(text) = matches.get_many::<String>(param.name).and_then(Iterator::last) {
            values.insert(param.name.to_owned(), typed(param, text)?);
        }
    }
    for word in matches.get_many::<String>("words").into_iter().flatten() {
        match word.split_once('=') {
            Some((key, text)) if job.param(key).is_some() => {
                if let Some(param) = job.param(key) {
                    values.insert(param.name.to_owned(), typed(param, text)?);
                }
            }
            Some((key, text)) if is_dotted(key) => settings.push((key.to_owned(), text.to_owned())),
            Some((key, _)) if is_key(key) => return Err(unknown_key(job, key)),
            _ => {
                let free = job.params.iter().find(|param| !values.contains_key(param.name));
                let param = free.ok_or_else(|| format!("`reme {}` cannot place {word:?}", job.name))?;
                values.insert(param.name.to_owned(), typed(param, word)?);
            }
        }
    }
    for param in job.params.iter().filter(|param| param.required) {
        if !values.contains_key(param.name) {
            return Err(format!("{} is required; see `reme {} --help`", param.name, job.name));
        }
    }
    Ok(values)
}

fn is_key(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
}

fn is_dotted(text: &str) -> bool {
    text.contains('.') && text.split('.').all(is_key)
}

fn unknown_key(job: &Job, key: &str) -> String {
    let known: Vec<&str> = job.params.iter().map(|param| param.name).collect();
    format!("`reme {}` has no value {key:?}; it takes: {}", job.name, known.join(", "))
}

/// A value as its declared type; `@file` and `-` read it from a file or standard input, `@@x` is `@x`.
fn typed(param: &Param, text: &str) -> Result<Value, String> {
    if param.kind == Kind::Input {
        return Ok(Value::from(text));
    }
    let text = match text.strip_prefix('@') {
        Some(literal) if literal.starts_with('@') => literal.to_owned(),
        Some(path) => {
            let bytes = std::fs::read(path)
                .map_err(|error| format!("{}: cannot read {path}: {error}", param.name))?;
            utf8(param, bytes)?
        }
        None if text == "-" => {
            let mut bytes = Vec::new();
            let read = std::io::stdin().lock().read_to_end(&mut bytes);
            read.map_err(|error| format!("{}: cannot read standard input: {error}", param.name))?;
            utf8(param, bytes)?
        }
        None => text.to_owned(),
    };
    match param.kind {
        Kind::Text | Kind::Input => Ok(Value::from(text)),
        Kind::Flag => match text.trim().to_ascii_lowercase().as_str() {
            "true" | "1" | "yes" | "on" | "" => Ok(Value::Bool(true)),
            "false" | "0" | "no" | "off" | "null" | "none" => Ok(Value::Bool(false)),
            _ => Err(format!("{} is true or false; got {text:?}", param.name)),
        },
        Kind::Json => {
            serde_json::from_str(&text).map_err(|error| format!("{} is not valid JSON: {error}", param.name))
        }
    }
}

fn utf8(param: &Param, bytes: Vec<u8>) -> Result<String, String> {
    String::from_utf8(bytes).map_err(|error| format!("{} is not valid UTF-8: {error}", param.name))
}
