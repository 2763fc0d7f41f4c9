use super::*;

/// The table without the lines that hold times.
fn numbers(text: &str) -> Vec<&str> {
    text.lines().filter(|line| !line.contains("per second") && !line.starts_with("ms ")).collect()
}

#[test]
fn the_demo_prints_accuracies_and_draws_them() {
    let folder = CommandFolder::new();
    let first = folder.prints("demo --episodes 6 --threads 1");
    contains(&first, &["cifar-fs 1-shot", "cub 5-shot", "plain classifier", "ICI-R, round 3"]);
    contains(&first, &["gain over plain", "episodes per second"]);
    assert!(folder.bytes("trustpath-demo/accuracy.png").starts_with(b"\x89PNG"));
    assert!(folder.read("trustpath-demo/accuracy.svg").starts_with("<svg"));
    let next: Vec<&str> = first.lines().rev().take(2).collect();
    assert!(next[1].contains("trustpath bench") && next[0].contains("trustpath paper"));

    let second = folder.prints("demo --episodes 6 --threads 2").replace("2 threads", "1 thread");
    assert_eq!(numbers(&first), numbers(&second));
}

#[test]
fn the_table_is_printed_even_if_the_figure_cannot_be_written() {
    let said = CommandFolder::with([("file", "")]).prints("demo --episodes 2 --output file");
    contains(&said, &["gain over plain", "No figure: cannot write", "choose a folder"]);
}

#[test]
fn help_has_examples_and_exit_status() {
    contains(&stdout("--help"), &["trustpath demo", "Exit status"]);
    assert_eq!(stdout("--version"), concat!("trustpath ", env!("CARGO_PKG_VERSION"), "\n"));
    let help = stdout("bench --help");
    let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
    contains(&help, &["Examples:", "[possible values: ici, ra, nn, co, cn, ls, loo]", "--against"]);
}

#[test]
fn without_a_command_it_explains_itself_and_writes_nothing() {
    let folder = CommandFolder::new();
    contains(&folder.prints(""), &["trustpath demo", "trustpath label"]);
    assert!(folder.names().is_empty());
}

#[test]
fn the_demo_as_json() {
    let columns = CommandFolder::new().prints_json("demo --episodes 3 --json");
    assert_eq!(columns.as_array().unwrap().len(), 4);
    assert!(columns[0]["final"].as_f64().unwrap() > columns[0]["plain"].as_f64().unwrap() - 0.2);
}

#[test]
fn progress_comes_as_lines_of_json() {
    let folder = CommandFolder::new();
    let demo = |options: &str| outputs(&mut folder.command(&format!("demo --episodes 4 {options}"))).1;
    let lines: Vec<Value> = demo("--progress json").lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let stages: std::collections::BTreeSet<&str> = lines.iter().map(|line| line["stage"].as_str().unwrap()).collect();
    assert_eq!(stages.len(), 4, "{stages:?}");
    for stage in stages {
        let of_stage: Vec<&Value> = lines.iter().filter(|line| line["stage"] == stage).collect();
        let (first, last) = (of_stage[0], of_stage[of_stage.len() - 1]);
        assert_eq!((&first["done"], &first["total"]), (&0.into(), &4.into()));
        assert_eq!(last["done"], 4);
        assert!(last["elapsed_s"].as_f64().unwrap() >= 0.0);
    }
    for silent in ["--quiet", "--progress none", ""] {
        assert_eq!(demo(silent), "", "no bar where there is no terminal");
    }
    folder.refuses("demo --quiet --progress json", 2, &["--quiet", "--progress"]);
}
