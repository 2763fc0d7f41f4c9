//! The `trustpath` command: how far unlabeled data can be trusted, measured on few-shot episodes.

mod args;
mod bench;
mod check;
mod cli;
mod demo;
mod error;
mod help;
mod interrupt;
mod method;
mod paper;
mod print;
mod progress;
mod run;
mod shell;
mod summary;

use std::io::Write;
use std::process::ExitCode;

use cli::{Cli, Command};
use error::Result;

fn main() -> ExitCode {
    match cli::parse().and_then(dispatch) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Where standard error is closed too there is nobody left to tell.
            let _ = writeln!(std::io::stderr(), "error: {error}");
            ExitCode::from(error.exit_code())
        }
    }
}

fn dispatch(cli: Cli) -> Result<()> {
    interrupt::listen();
    match cli.command {
        None => demo::run(&demo::DemoArgs::default()),
        Some(Command::Demo(args)) => demo::run(&args),
        Some(Command::Bench(args)) => bench::run(&args),
        Some(Command::Paper(args)) => Ok(paper::run(&args)?),
        Some(Command::Check(args)) => check::run(&args),
        Some(Command::Help(args)) => help::run(&args),
        Some(Command::Completions(args)) => shell::completions(&args),
        Some(Command::Man(args)) => shell::man(&args),
    }
}
