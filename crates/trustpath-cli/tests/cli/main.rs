//! The binary, run as users run it.

mod audit;
mod bad_input;
mod bench;
mod check;
mod data;
mod demo;
mod embeddings;
mod extract;
mod files;
mod help;
mod images;
mod killing;
mod label;
mod label_studio;
mod lists;
mod messages;
mod methods;
mod progress;
mod serve;
mod stopping;
mod texts;
mod update;

use std::fs;
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use serde_json::Value;
use tempfile::TempDir;

/// A small bench on the embedded features.
const SMALL: [&str; 3] = ["bench", "--episodes", "4"];

fn trustpath() -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("trustpath"));
    // Weights that happen to be installed must not change what is printed.
    command.env_remove("VIRTUAL_ENV").env_remove("CONDA_PREFIX");
    command
}

/// The command in a folder.
fn trustpath_in(folder: &TempDir, args: &[&str]) -> Command {
    let mut command = trustpath();
    command.current_dir(folder.path()).args(args);
    command
}

/// A folder with files in it.
fn folder_with(files: &[(&str, &[u8])]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in files {
        fs::write(folder.path().join(name), bytes).unwrap();
    }
    folder
}

/// A NumPy file with this header and data.
fn npy(descr: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    let header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}\n");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend(data);
    bytes
}

/// The standard output of a command that succeeds.
#[track_caller]
fn printed(command: &mut Command) -> String {
    let output = command.assert().success().get_output().clone();
    String::from_utf8(output.stdout).unwrap()
}

/// The standard output of a successful run in a folder.
#[track_caller]
fn succeeds(folder: &TempDir, args: &[&str]) -> String {
    printed(&mut trustpath_in(folder, args))
}

/// Checks that a run in a folder fails like this.
#[track_caller]
fn refused(folder: &TempDir, args: &[&str], code: i32, expected: &[&str]) {
    fails(&mut trustpath_in(folder, args), code, expected);
}

/// Checks that a run ends with this exit status and one sentence on standard error that contains these parts; returns
/// its standard output.
#[track_caller]
fn fails(command: &mut Command, code: i32, expected: &[&str]) -> Vec<u8> {
    let output = command.assert().code(code).get_output().clone();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.starts_with("error: ") && said.lines().count() == 1, "not a sentence: {said}");
    for part in expected {
        assert!(said.contains(part), "\"{part}\" is missing: {said}");
    }
    output.stdout
}

/// A table of the tables' tests: six rows of three features and three classes, in every format.
fn table(name: &str) -> String {
    path(&["..", "trustpath-table", "tests", "tables", name])
}

/// A shortened list of episodes.
fn list(name: &str) -> String {
    path(&["..", "trustpath-bench", "tests", "lists", name])
}

fn path(parts: &[&str]) -> String {
    let mut path = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    path.extend(parts);
    path.display().to_string()
}

fn text(path: &Path) -> String {
    path.display().to_string()
}

/// What a successful run prints.
fn stdout(args: &[&str]) -> String {
    let output = trustpath().args(args).assert().success().get_output().clone();
    assert!(output.stderr.is_empty(), "no progress where there is no terminal");
    String::from_utf8(output.stdout).unwrap()
}

/// The JSON of a small bench on the embedded features.
fn small(options: &[&str]) -> Value {
    json(&[&SMALL, options].concat())
}

/// The JSON of a successful run, without the time it took.
fn json(args: &[&str]) -> Value {
    let args = [args, &["--json"]].concat();
    let mut value: Value = serde_json::from_str(&stdout(&args)).unwrap();
    value["speed"].take();
    value
}
