//! The command `reme`: reads arguments and environment, runs one job or the interface, prints the answer.
//!
//! Owns standard output, standard error and the exit status: 0 success, 1 the job failed, 2 wrong usage.

mod arguments;
mod demo;
mod job;
mod locate;
mod log;
mod output;
mod settings;
mod tui;

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments = match arguments::read(std::env::args_os()) {
        Ok(arguments) => arguments,
        Err(refusal) => return output::refuse(&refusal),
    };
    match &arguments.what {
        arguments::What::Interface { workspace } => {
            output::finish(tui::run(&arguments, workspace.as_deref()), arguments.json)
        }
        arguments::What::Job { job, values } => {
            let call = job::Call::new(&arguments, values);
            output::finish((job.run)(&call), arguments.json)
        }
    }
}
