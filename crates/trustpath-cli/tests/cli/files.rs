//! Outputs: none is an input, each has one writer, and all of a command appear together.

use trustpath_table::FileLock;

use super::label::pool;
use super::*;

/// Copies of the pool: features without labels, and a file of labels.
fn apart() -> TempDir {
    let folder = pool();
    succeeds(&folder, &["label", "pool.csv", "--model", "model.safetensors"]);
    let text = fs::read_to_string(folder.path().join("pool.csv")).unwrap();
    let lines = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let (mut features, mut labels) = (String::new(), String::new());
    for cells in lines {
        let after = cells.len() - 5;
        labels += &format!("{}\n", cells[..after].join(","));
        features += &format!("{},{}\n", cells[0], cells[after..].join(","));
    }
    fs::write(folder.path().join("f.csv"), features).unwrap();
    fs::write(folder.path().join("l.csv"), labels).unwrap();
    folder
}

/// The result of a first run was once counted as given labels by the second.
#[test]
fn an_output_is_never_an_input_or_another_output() {
    let folder = apart();
    fs::create_dir(folder.path().join("sub")).unwrap();
    fs::write(folder.path().join("checked.csv"), "id,label\nn0,auk\n").unwrap();
    let before = fs::read(folder.path().join("l.csv")).unwrap();
    let (replaces, both) = ("this command reads: choose another file for", "would both write");
    for (command, expected) in [
        ("label f.csv --labels l.csv --out l.csv", replaces),
        ("label f.csv --labels l.csv --out ./sub/../l.csv", replaces),
        ("label f.csv --labels l.csv --out f.csv", replaces),
        ("label pool.csv --out f-labels.csv --report p.html", ""),
        ("label f.csv --out f-labels.csv", "labels file that this command reads"),
        ("label pool.csv --out o.safetensors --model o.safetensors", both),
        ("label pool.csv --out o.safetensors --model sub/../o.safetensors", both),
        ("label pool.csv --out p.html --out-format csv --report p.html", both),
        ("predict model.safetensors new.csv --out model.safetensors", "the model"),
        ("predict model.safetensors new.csv --out new.csv", replaces),
        ("audit f.csv --labels l.csv --out l.csv", replaces),
        ("audit pool.csv --verified checked.csv --out checked.csv", "the verified labels"),
        ("audit pool.csv --out a.html --out-format csv --report a.html", both),
        ("check f.csv --labels l.csv --out l.csv", replaces),
        ("bench --features f.csv --labels l.csv --journal l.csv", replaces),
        ("data pack sub --out sub", "the dataset"),
    ] {
        let args: Vec<&str> = command.split_whitespace().collect();
        match expected {
            "" => drop(succeeds(&folder, &args)),
            _ => refused(&folder, &args, 2, &[expected]),
        }
        if command.contains("f-labels.csv --report") {
            fs::remove_file(folder.path().join("f-labels.csv")).unwrap();
        }
    }
    assert_eq!(fs::read(folder.path().join("l.csv")).unwrap(), before);
}

#[cfg(unix)]
#[test]
fn links_are_followed_to_the_file() {
    use std::os::unix::fs::symlink;
    let folder = apart();
    symlink("l.csv", folder.path().join("link.csv")).unwrap();
    refused(&folder, &["label", "f.csv", "--labels", "l.csv", "--out", "link.csv"], 2, &["link.csv"]);
    refused(&folder, &["label", "f.csv", "--labels", "link.csv", "--out", "l.csv"], 2, &["l.csv"]);
    symlink("result.csv", folder.path().join("out.csv")).unwrap();
    succeeds(&folder, &["label", "pool.csv", "--out", "out.csv"]);
    assert!(folder.path().join("out.csv").is_symlink());
    assert_eq!(fs::read_to_string(folder.path().join("result.csv")).unwrap().lines().count(), 91);
}

/// Two processes on one journal once wrote over each other, and both succeeded.
#[test]
fn a_second_writer_is_refused_and_the_first_is_named() {
    let folder = pool();
    let process = format!("process {}", std::process::id());
    let lock = FileLock::acquire(&folder.path().join("run.jsonl")).unwrap();
    let bench = ["bench", "--episodes", "2", "--journal", "run.jsonl"];
    refused(&folder, &bench, 1, &["run.jsonl is in use by", &process, "wait until it ends"]);
    drop(lock);
    succeeds(&folder, &bench);
    assert!(!folder.path().join("run.jsonl.lock").exists());
}

#[test]
fn files_of_killed_runs_are_removed() {
    let folder = pool();
    fs::write(folder.path().join(".old.csv.4000000-3.partial"), "half").unwrap();
    succeeds(&folder, &["label", "pool.csv", "--out", "o.csv", "--report", "r.html"]);
    let names = fs::read_dir(folder.path()).unwrap().map(|e| e.unwrap().file_name());
    let mut names: Vec<_> = names.map(|name| name.into_string().unwrap()).collect();
    names.sort();
    assert_eq!(names, ["new.csv", "o.csv", "pool.csv", "r.html"]);
}

/// If one of the files cannot be written, none is replaced.
#[cfg(unix)]
#[test]
fn files_of_a_command_appear_together() {
    let folder = pool();
    fs::write(folder.path().join("r.html"), "old").unwrap();
    // Standard output is full, so that the table, which is written last, fails.
    let full = fs::OpenOptions::new().write(true).open("/dev/full");
    let Ok(full) = full else { return };
    let mut command = std::process::Command::new(assert_cmd::cargo::cargo_bin!("trustpath"));
    command.current_dir(folder.path()).stdout(full).stderr(std::process::Stdio::null());
    let label = ["label", "pool.csv", "--report", "r.html", "--model", "m.safetensors", "--out", "-"];
    let status = command.args(label).status().unwrap();
    assert_eq!(status.code(), Some(1));
    assert_eq!(fs::read_to_string(folder.path().join("r.html")).unwrap(), "old");
    assert!(!folder.path().join("m.safetensors").exists());
}
