//! Outputs: none is an input, each has one writer, and all of a command appear together.

use trustpath_table::FileLock;

use super::label::pool;
use super::*;

/// Copies of the pool: features without labels, and a file of labels.
fn apart() -> CommandFolder {
    let folder = pool();
    folder.prints("label pool.csv --model model.safetensors");
    let (mut features, mut labels) = (String::new(), String::new());
    for line in folder.read("pool.csv").lines() {
        let cells: Vec<&str> = line.split(',').collect();
        let (named, values) = cells.split_at(cells.len() - 5);
        labels += &format!("{}\n", named.join(","));
        features += &format!("{},{}\n", cells[0], values.join(","));
    }
    folder.write("f.csv", features);
    folder.write("l.csv", labels);
    folder
}

/// The result of a first run was once counted as given labels by the second.
#[test]
fn an_output_is_never_an_input_or_another_output() {
    let folder = apart();
    fs::create_dir(folder.path("sub")).unwrap();
    folder.write("checked.csv", "id,label\nn0,auk\n");
    let before = folder.bytes("l.csv");
    let (replaces, both) = ("this command reads: choose another file for", "would both write");
    folder.prints("label pool.csv --out f-labels.csv --report p.html");
    folder.remove("f-labels.csv");
    for (line, expected) in [
        ("label f.csv --labels l.csv --out l.csv", replaces),
        ("label f.csv --labels l.csv --out ./sub/../l.csv", replaces),
        ("label f.csv --labels l.csv --out f.csv", replaces),
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
        folder.refuses(line, 2, &[expected]);
    }
    assert_eq!(folder.bytes("l.csv"), before);
}

#[cfg(unix)]
#[test]
fn links_are_followed_to_the_file() {
    use std::os::unix::fs::symlink;
    let folder = apart();
    symlink("l.csv", folder.path("link.csv")).unwrap();
    folder.refuses("label f.csv --labels l.csv --out link.csv", 2, &["link.csv"]);
    folder.refuses("label f.csv --labels link.csv --out l.csv", 2, &["l.csv"]);
    symlink("result.csv", folder.path("out.csv")).unwrap();
    folder.prints("label pool.csv --out out.csv");
    assert!(folder.path("out.csv").is_symlink());
    assert_eq!(folder.read("result.csv").lines().count(), 91);
}

/// Two processes on one journal once wrote over each other, and both succeeded.
#[test]
fn a_second_writer_is_refused_and_the_first_is_named() {
    let folder = CommandFolder::new();
    let process = format!("process {}", std::process::id());
    let lock = FileLock::acquire(&folder.path("run.jsonl")).unwrap();
    let bench = "bench --episodes 2 --journal run.jsonl";
    folder.refuses(bench, 1, &["run.jsonl is in use by", &process, "wait until it ends"]);
    drop(lock);
    folder.prints(bench);
    assert_eq!(folder.names(), ["run.jsonl"]);
}

#[test]
fn files_of_killed_runs_are_removed() {
    let folder = pool();
    folder.write(".old.csv.4000000-3.partial", "half");
    folder.prints("label pool.csv --out o.csv --report r.html");
    assert_eq!(folder.names(), ["new.csv", "o.csv", "pool.csv", "r.html"]);
}

/// If one of the files cannot be written, none is replaced.
#[cfg(unix)]
#[test]
fn files_of_a_command_appear_together() {
    let folder = pool();
    folder.write("r.html", "old");
    // Standard output is full, so that the table, which is written last, fails.
    let Ok(full) = fs::OpenOptions::new().write(true).open("/dev/full") else { return };
    let mut label = folder.process("label pool.csv --report r.html --model m.safetensors --out -");
    assert_eq!(label.stdout(full).status().unwrap().code(), Some(1));
    assert_eq!(folder.read("r.html"), "old");
    assert!(!folder.path("m.safetensors").exists());
}
