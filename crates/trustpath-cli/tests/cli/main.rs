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
mod serve;
mod stopping;
mod texts;
mod update;

use std::fmt::Display;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::{Command as Process, Stdio};

use assert_cmd::Command;
use serde_json::Value;
use tempfile::TempDir;

/// A small bench on the embedded features.
const SMALL: &str = "bench --episodes 4";

/// The command with the words of a line as its arguments; '' is an empty one.
fn process(line: &str) -> Process {
    let mut process = Process::new(assert_cmd::cargo::cargo_bin!("trustpath"));
    // Weights that happen to be installed must not change what is printed.
    process.env_remove("VIRTUAL_ENV").env_remove("CONDA_PREFIX");
    process.args(line.split_whitespace().map(|word| word.trim_matches('\'')));
    process
}

fn trustpath(line: &str) -> Command {
    Command::from_std(process(line))
}

/// A temporary folder with files, in which the command is run.
struct CommandFolder(TempDir);

impl CommandFolder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn with<T: AsRef<[u8]>>(files: impl IntoIterator<Item = (&'static str, T)>) -> Self {
        let folder = Self::new();
        files.into_iter().for_each(|(name, content)| folder.write(name, content));
        folder
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// The path of a file as an argument.
    fn at(&self, name: &str) -> String {
        self.path(name).display().to_string()
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    fn bytes(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap()
    }

    /// Writes a file, and makes the folders above it.
    fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    fn remove(&self, name: &str) {
        fs::remove_file(self.path(name)).unwrap();
    }

    /// What is in the folder, sorted.
    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// The command in this folder.
    fn command(&self, line: &str) -> Command {
        let mut command = trustpath(line);
        command.current_dir(self.0.path());
        command
    }

    /// The same as a process with pipes, which can be stopped.
    fn process(&self, line: &str) -> Process {
        let mut process = process(line);
        process.current_dir(self.0.path()).stdout(Stdio::piped()).stderr(Stdio::piped());
        process
    }

    /// The standard output of a command that succeeds.
    #[track_caller]
    fn prints(&self, line: &str) -> String {
        outputs(&mut self.command(line)).0
    }

    #[track_caller]
    fn prints_json(&self, line: &str) -> Value {
        serde_json::from_str(&self.prints(line)).unwrap()
    }

    /// Checks that a command fails like this.
    #[track_caller]
    fn refuses(&self, line: &str, code: i32, expected: &[&str]) {
        fails(&mut self.command(line), code, expected);
    }
}

/// Standard output and standard error of a command that succeeds.
#[track_caller]
fn outputs(command: &mut Command) -> (String, String) {
    let output = command.assert().success().get_output().clone();
    (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
}

/// What a command prints that succeeds and has nothing to say on standard error.
#[track_caller]
fn stdout(line: &str) -> String {
    let (printed, said) = outputs(&mut trustpath(line));
    assert!(said.is_empty(), "no progress where there is no terminal: {said}");
    printed
}

/// The JSON of a successful run, without the time it took.
fn json(line: &str) -> Value {
    let mut value: Value = serde_json::from_str(&stdout(&format!("{line} --json"))).unwrap();
    value["speed"].take();
    value
}

/// The JSON of a small bench on the embedded features.
fn small(options: &str) -> Value {
    json(&format!("{SMALL} {options}"))
}

/// Checks that a run ends with this exit status and one sentence on standard error that contains these parts; returns
/// its standard output.
#[track_caller]
fn fails(command: &mut Command, code: i32, expected: &[&str]) -> String {
    let output = command.assert().code(code).get_output().clone();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.starts_with("error: ") && said.lines().count() == 1, "not a sentence: {said}");
    contains(&said, expected);
    String::from_utf8(output.stdout).unwrap()
}

/// The same for a command outside any folder, which prints no result.
#[track_caller]
fn refused(line: &str, code: i32, expected: &[&str]) {
    assert_eq!(fails(&mut trustpath(line), code, expected), "");
}

#[track_caller]
fn contains(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "\"{part}\" is missing: {text}");
    }
}

/// A table of five features, in which instance `i` leans towards axis `i mod 3`.
fn leaning<T: Display>(rows: Range<usize>, label: impl Fn(usize) -> T) -> String {
    let mut text = String::from("id,label,a,b,c,d,e\n");
    for i in rows {
        text += &format!("n{i},\"{}\"", label(i));
        for j in 0..5 {
            let noise = 0.4 * ((i * 7 + j * 3) as f64).sin();
            text += &format!(",{:.4}", if j == i % 3 { 2.0 } else { 0.5 } + noise);
        }
        text.push('\n');
    }
    text
}

/// A NumPy file with this header and data.
fn npy(descr: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    let header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}\n");
    [b"\x93NUMPY\x01\x00", &(header.len() as u16).to_le_bytes()[..], header.as_bytes(), data].concat()
}

/// A table of the tables' tests: six rows of three features and three classes, in every format.
fn table(name: &str) -> String {
    of_crate(&format!("trustpath-table/tests/tables/{name}"))
}

/// A shortened list of episodes.
fn list(name: &str) -> String {
    of_crate(&format!("trustpath-bench/tests/lists/{name}"))
}

/// A file of a crate.
fn of_crate(path: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path).display().to_string()
}
