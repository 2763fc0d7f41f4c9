//! The `trustpath` command.

mod paper;

use clap::Parser;

#[derive(Parser)]
#[command(version, about)]
enum Command {
    /// Reproduces a result of the paper.
    Paper(paper::PaperArgs),
}

fn main() -> std::process::ExitCode {
    let Command::Paper(args) = Command::parse();
    match paper::run(&args) {
        Ok(()) => std::process::ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            std::process::ExitCode::FAILURE
        }
    }
}
