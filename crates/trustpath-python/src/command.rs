//! The command line, which is the same code as in the program `trustpath`.

use std::ffi::OsString;

use pyo3::prelude::*;

/// Runs the command with these arguments, the first of which is the name of the program, and returns its exit status.
/// It handles Ctrl-C itself from then on, so it is for processes that do nothing else.
#[pyfunction]
pub fn main(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| trustpath_cli::main_with(arguments))
}
