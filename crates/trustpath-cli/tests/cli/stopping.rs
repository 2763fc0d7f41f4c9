//! Runs that are interrupted and resumed.

use super::*;

#[test]
fn a_truncated_journal_is_resumed_to_the_same_result() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("run.jsonl");
    let journal = text(&place);
    let run = |episodes: &str, more: &[&str]| {
        let options = ["bench", "--against", "classifier=knn", "--journal", &journal];
        json(&[&options[..], &["--episodes", episodes], more].concat())
    };
    let whole = run("8", &[]);
    let written = fs::read(&place).unwrap();
    fs::write(&place, &written[..written.len() / 2]).unwrap();
    assert_eq!(run("8", &["--resume"]), whole);
    assert_eq!(fs::read_to_string(&place).unwrap().lines().count(), 1 + 8);

    // More episodes add to those that are there.
    let more = run("11", &["--resume"]);
    assert_eq!(more["scores"].as_array().unwrap()[..8], whole["scores"].as_array().unwrap()[..]);
    assert_eq!(fs::read_to_string(&place).unwrap().lines().count(), 1 + 11);

    // With other settings, or without --resume, the journal is left alone.
    for (options, expected) in [
        (&["--shot", "5", "--resume"][..], "written with other settings"),
        (&["--dataset", "cub", "--resume"], "written with other settings"),
        (&[], "already holds a run"),
    ] {
        let args = [&SMALL[..], &["--journal", &journal], options].concat();
        fails(trustpath().args(args), 2, &[expected, "run.jsonl"]);
    }
}

/// Tests that send a signal.
#[cfg(unix)]
mod signals {
    use std::io::{BufRead, BufReader};
    use std::process::{self, Child, Stdio};
    use std::time::Duration;

    use super::*;

    fn spawn(folder: &Path, args: &[&str]) -> Child {
        let mut command = process::Command::new(assert_cmd::cargo::cargo_bin!("trustpath"));
        command.current_dir(folder).args(args).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().unwrap()
    }

    /// Presses Ctrl-C.
    fn interrupt(child: &Child) {
        let mut kill = process::Command::new("kill");
        assert!(kill.args(["-INT", &child.id().to_string()]).status().unwrap().success());
    }

    #[test]
    fn an_interrupt_prints_what_is_done() {
        let folder = tempfile::tempdir().unwrap();
        let journal = folder.path().join("run.jsonl");
        let mut child = spawn(folder.path(), &["bench", "--episodes", "1000000", "--journal", &text(&journal)]);
        let lines = || fs::read_to_string(&journal).unwrap_or_default().lines().count();
        while lines() < 10 {
            assert!(child.try_wait().unwrap().is_none(), "it ended before the tenth episode");
            std::thread::sleep(Duration::from_millis(20));
        }
        interrupt(&child);
        let output = child.wait_with_output().unwrap();
        let (table, said) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
        assert_eq!(output.status.code(), Some(130), "{said}");
        assert!(table.contains("of the 1000000 asked for") && table.contains("gain over plain"), "{table}");
        assert!(said.starts_with("error: interrupted after ") && said.contains("--resume"), "{said}");

        // The journal has the results of an uninterrupted run.
        let resumed = small(&["--journal", &text(&journal), "--resume"]);
        assert_eq!(resumed, small(&[]));
    }

    #[test]
    fn an_interrupted_labelling_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        succeeds(&folder, &["sample", "try", "--size", "150"]);
        let outputs = ["out.csv", "page.html", "m.safetensors"];
        let label = "label try/pool.npy --labels try/labels.csv --progress json \
                 --out out.csv --report page.html --model m.safetensors";
        // On a busy machine a run may end before the signal arrives; then there is another.
        loop {
            let mut child = spawn(folder.path(), &label.split_whitespace().collect::<Vec<_>>());
            let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
            let stage = "{\"stage\":\"representing the pool\",\"done\":0";
            assert!(lines.by_ref().map(Result::unwrap).any(|line| line.starts_with(stage)));
            interrupt(&child);
            let last = lines.map(Result::unwrap).last().unwrap();
            let status = child.wait().unwrap();
            if status.success() {
                outputs.iter().for_each(|name| fs::remove_file(folder.path().join(name)).unwrap());
                continue;
            }
            assert_eq!(status.code(), Some(130));
            assert!(last.starts_with("error: the run was stopped"), "{last}");
            let left = fs::read_dir(folder.path()).unwrap().count();
            assert_eq!(left, 1, "only the sample may be left");
            return;
        }
    }
}
