//! The program `trustpath`.

use std::process::ExitCode;

fn main() -> ExitCode {
    trustpath_cli::main_with(std::env::args_os()).into()
}
