//! The binary, run as people run it.

mod audit;
mod bad_input;
mod bench;
mod check;
mod data;
mod demo;
mod extract;
mod help;
mod images;
mod label;
mod lists;
mod methods;
mod progress;
mod stopping;

use std::path::{Path, PathBuf};

use assert_cmd::Command;
use serde_json::Value;

/// A small bench on the embedded features.
const SMALL: [&str; 3] = ["bench", "--episodes", "8"];

fn trustpath() -> Command {
    Command::new(assert_cmd::cargo::cargo_bin!("trustpath"))
}

/// A table of the tables' tests: six rows of three features and three classes, in every format.
fn table(name: &str) -> String {
    path(&["..", "trustpath-table", "tests", "tables", name])
}

/// A shortened list of episodes.
fn list(name: &str) -> String {
    path(&["..", "trustpath-episodes", "tests", "lists", name])
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

/// The JSON of a successful run, without the time it took.
fn json(args: &[&str]) -> Value {
    let args = [args, &["--json"]].concat();
    let mut value: Value = serde_json::from_str(&stdout(&args)).unwrap();
    value["speed"].take();
    value
}
