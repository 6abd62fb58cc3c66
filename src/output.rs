//! What the program prints and with which status it ends. A closed pipe ends it quietly.

use reme_core::answer::Answer;
use std::io::{ErrorKind, Write};
use std::process::ExitCode;

/// What a job leaves to be printed.
pub enum Outcome {
    /// The answer envelope; its text alone without `--json`.
    Answer(Answer),
    /// One JSON value a line with `--json`, the text without; `success` decides the status.
    Printed {
        /// What `--json` prints.
        json: Vec<serde_json::Value>,
        /// What a person reads.
        text: String,
        /// Whether the job did what was asked.
        success: bool,
    },
    /// The call was wrong; status 2.
    Usage(String),
    /// Everything has been said already.
    Silent,
}

/// Why the arguments could not be taken.
pub struct Refusal {
    /// The message, as it is printed.
    pub message: String,
    /// Whether the caller asked for JSON.
    pub json: bool,
    /// Whether this is help or a version rather than a fault.
    pub benign: bool,
}

/// Prints why the arguments could not be taken, or the help that they asked for.
pub fn refuse(refusal: &Refusal) -> ExitCode {
    if refusal.benign {
        return status(print(&refusal.message), 0);
    }
    finish(Outcome::Usage(refusal.message.clone()), refusal.json)
}

/// Prints an outcome and gives the exit status.
pub fn finish(outcome: Outcome, json: bool) -> ExitCode {
    match outcome {
        Outcome::Silent => ExitCode::SUCCESS,
        Outcome::Usage(message) => {
            if json {
                let answer = Answer::failure("usage", message.trim());
                return status(print(&line(&serde_json::json!(answer))), 2);
            }
            note(message.trim_end());
            ExitCode::from(2)
        }
        Outcome::Answer(answer) => {
            let code = u8::from(!answer.success);
            if json {
                status(print(&line(&serde_json::json!(answer))), code)
            } else if answer.success {
                status(print(&with_newline(&answer.answer)), code)
            } else {
                note(&answer.answer);
                ExitCode::from(code)
            }
        }
        Outcome::Printed { json: values, text, success } => {
            let text = if json { values.iter().map(line).collect() } else { with_newline(&text) };
            status(print(&text), u8::from(!success))
        }
    }
}

/// Says something to the person beside the answer.
pub fn note(message: &str) {
    // A closed standard error must not end the job.
    let _ = writeln!(std::io::stderr().lock(), "{}", shown(message));
}

fn line(value: &serde_json::Value) -> String {
    format!("{value}\n")
}

fn with_newline(text: &str) -> String {
    if text.is_empty() || text.ends_with('\n') { text.to_owned() } else { format!("{text}\n") }
}

/// Writes to standard output; text for a terminal loses what would drive it.
fn print(text: &str) -> std::io::Result<()> {
    use std::io::IsTerminal;
    let mut out = std::io::stdout().lock();
    if out.is_terminal() {
        out.write_all(shown(text).as_bytes())?;
    } else {
        out.write_all(text.as_bytes())?;
    }
    out.flush()
}

fn status(printed: std::io::Result<()>, code: u8) -> ExitCode {
    match printed {
        Ok(()) => ExitCode::from(code),
        Err(error) if error.kind() == ErrorKind::BrokenPipe => ExitCode::from(code),
        Err(error) => {
            note(&format!("cannot write the answer: {error}"));
            ExitCode::from(1)
        }
    }
}

/// Text with what would drive a terminal made visible, line by line.
fn shown(text: &str) -> String {
    text.split('\n').map(reme_ui::text::clean).collect::<Vec<_>>().join("\n")
}
