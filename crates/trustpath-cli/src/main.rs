//! The `trustpath` command: labels for unlabeled data, and which of them can be trusted.

mod args;
mod audit;
mod bench;
mod check;
mod cli;
mod data;
mod demo;
mod error;
mod extract;
mod features;
mod help;
mod images;
mod interrupt;
mod label;
mod memory;
mod method;
mod paper;
mod predict;
mod print;
mod progress;
mod results;
mod run;
mod sample;
mod shell;
mod spec_args;
mod train;

use std::io::Write;
use std::process::ExitCode;

use cli::{Cli, Command};
use error::Result;

fn main() -> ExitCode {
    match cli::parse().and_then(dispatch) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // A closed standard error must not change the exit status.
            let _ = writeln!(std::io::stderr(), "error: {error}");
            ExitCode::from(error.exit_code())
        }
    }
}

fn dispatch(cli: Cli) -> Result<()> {
    interrupt::listen();
    match cli.command {
        None => print::stdout(cli::INTRODUCTION),
        Some(Command::Label(args)) => label::run(&args),
        Some(Command::Predict(args)) => predict::run(&args),
        Some(Command::Audit(args)) => audit::run(&args),
        Some(Command::Sample(args)) => sample::run(&args),
        Some(Command::Demo(args)) => demo::run(&args),
        Some(Command::Bench(args)) => bench::run(&args),
        Some(Command::Paper(args)) => paper::run(&args),
        Some(Command::Train(args)) => train::run(&args),
        Some(Command::Extract(args)) => extract::run(&args),
        Some(Command::Check(args)) => check::run(&args),
        Some(Command::Data(args)) => data::run(&args),
        Some(Command::Help(args)) => help::run(&args),
        Some(Command::Completions(args)) => shell::completions(&args),
        Some(Command::Man(args)) => shell::man(&args),
    }
}
