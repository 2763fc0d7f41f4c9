//! The `trustpath` command: labels for unlabeled data, and which of them can be trusted.
//!
//! The program (`bin/trustpath.rs`) and the Python package both call [`main_with`], so that there is one command.

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
mod files;
mod gone;
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
mod reading;
mod repeated;
mod results;
mod run;
mod sample;
mod serve;
mod shell;
mod spec_args;
mod texts;
mod train;
mod values;

use std::ffi::OsString;
use std::io::Write;

use clap::CommandFactory;
use cli::{Cli, Command};
use error::Result;
use trustpath_table::printable_sentence;

/// Runs the command with these arguments, the first of which is the name of the program, and returns its exit status.
/// Everything that was printed is flushed, and Ctrl-C is handled from here on.
pub fn main_with(args: impl IntoIterator<Item = OsString>) -> u8 {
    let status = match cli::parse(args).and_then(|cli| cli.map_or(Ok(()), dispatch)) {
        Ok(()) => 0,
        Err(error) => {
            // A closed standard error must not change the exit status.
            let sentence = printable_sentence(&error.to_string());
            let _ = writeln!(std::io::stderr(), "error: {sentence}");
            error.exit_code()
        }
    };
    // Only programs in Rust do this by themselves.
    let _ = std::io::stdout().flush();
    status
}

fn dispatch(cli: Cli) -> Result<()> {
    interrupt::listen();
    match cli.command {
        None => print::stdout(cli::INTRODUCTION),
        Some(Command::Label(args)) => label::run(&args),
        Some(Command::Predict(args)) => predict::run(&args),
        Some(Command::Audit(args)) => audit::run(&args),
        Some(Command::Serve(args)) => serve::run(&args),
        Some(Command::Sample(args)) => sample::run(&args),
        Some(Command::Demo(args)) => demo::run(&args),
        Some(Command::Bench(args)) => bench::run(&args),
        Some(Command::Paper(args)) => paper::run(&args),
        Some(Command::Train(args)) => train::run(&args),
        Some(Command::Extract(args)) => extract::run(&args),
        Some(Command::Check(args)) => check::run(&args),
        Some(Command::Data(args)) => data::run(&args),
        Some(Command::Help(args)) => help::run(&args, &Cli::command()),
        Some(Command::Completions(args)) => shell::completions(&args, Cli::command()),
        Some(Command::Man(args)) => shell::man(&args, Cli::command()),
    }
}
