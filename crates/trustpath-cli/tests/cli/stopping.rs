//! Runs that are interrupted and resumed.

use std::io::{BufRead, BufReader};
use std::time::Duration;

use super::*;

#[test]
fn a_truncated_journal_is_resumed_to_the_same_result() {
    let folder = CommandFolder::new();
    let journal = format!("--journal {}", folder.at("run.jsonl"));
    let lines = || folder.read("run.jsonl").lines().count();
    let run = |more: &str| json(&format!("bench --against classifier=knn {journal} --episodes {more}"));
    let whole = run("8");
    let written = folder.bytes("run.jsonl");
    folder.write("run.jsonl", &written[..written.len() / 2]);
    assert_eq!(run("8 --resume"), whole);
    assert_eq!(lines(), 1 + 8);

    // More episodes add to those that are there.
    let more = run("11 --resume");
    assert_eq!(more["scores"].as_array().unwrap()[..8], whole["scores"].as_array().unwrap()[..]);
    assert_eq!(lines(), 1 + 11);

    // With other settings, or without --resume, the journal is left alone.
    for (options, expected) in [
        ("--shot 5 --resume", "written with other settings"),
        ("--dataset cub --resume", "written with other settings"),
        ("", "already holds a run"),
    ] {
        refused(&format!("{SMALL} {journal} {options}"), 2, &[expected, "run.jsonl"]);
    }
}

/// Presses Ctrl-C.
#[cfg(unix)]
pub fn interrupt(child: &std::process::Child) {
    assert!(Process::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
}

#[cfg(unix)]
#[test]
fn an_interrupt_prints_what_is_done() {
    let folder = CommandFolder::new();
    let mut child = folder.process("bench --episodes 1000000 --journal run.jsonl").spawn().unwrap();
    let lines = || fs::read_to_string(folder.path("run.jsonl")).unwrap_or_default().lines().count();
    while lines() < 10 {
        assert!(child.try_wait().unwrap().is_none(), "it ended before the tenth episode");
        std::thread::sleep(Duration::from_millis(20));
    }
    interrupt(&child);
    let output = child.wait_with_output().unwrap();
    let (table, said) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert_eq!(output.status.code(), Some(130), "{said}");
    contains(&table, &["of the 1000000 asked for", "gain over plain"]);
    assert!(said.starts_with("error: interrupted after ") && said.contains("--resume"), "{said}");

    // The journal has the results of an uninterrupted run.
    let resumed = small(&format!("--journal {} --resume", folder.at("run.jsonl")));
    assert_eq!(resumed, small(""));
}

#[cfg(unix)]
#[test]
fn an_interrupted_labelling_leaves_nothing() {
    let folder = CommandFolder::new();
    folder.prints("sample try --size 150");
    let label = "label try/pool.npy --labels try/labels.csv --progress json \
                 --out out.csv --report page.html --model m.safetensors";
    // On a busy machine a run may end before the signal arrives; then there is another.
    loop {
        let mut child = folder.process(label).spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let stage = "{\"stage\":\"representing the pool\",\"done\":0";
        assert!(lines.by_ref().map(Result::unwrap).any(|line| line.starts_with(stage)));
        interrupt(&child);
        let last = lines.map(Result::unwrap).last().unwrap();
        let status = child.wait().unwrap();
        if status.success() {
            ["out.csv", "page.html", "m.safetensors"].iter().for_each(|name| folder.remove(name));
            continue;
        }
        assert_eq!(status.code(), Some(130));
        assert!(last.starts_with("error: the run was stopped"), "{last}");
        assert_eq!(folder.names(), ["try"], "only the sample may be left");
        return;
    }
}
