use super::*;

/// The table without the lines that hold times.
fn numbers(text: &str) -> Vec<&str> {
    text.lines().filter(|line| !line.contains("per second") && !line.starts_with("ms ")).collect()
}

#[test]
fn the_demo_prints_accuracies_and_draws_them() {
    let folder = tempfile::tempdir().unwrap();
    let run = |threads: &str| {
        let args = ["demo", "--episodes", "6", "--threads", threads];
        succeeds(&folder, &args)
    };
    let first = run("1");
    for expected in [
        "cifar-fs 1-shot",
        "cub 5-shot",
        "plain classifier",
        "ICI-R, round 3",
        "gain over plain",
        "episodes per second",
    ] {
        assert!(first.contains(expected), "{expected} is missing:\n{first}");
    }
    let png = std::fs::read(folder.path().join("trustpath-demo/accuracy.png")).unwrap();
    let svg = std::fs::read_to_string(folder.path().join("trustpath-demo/accuracy.svg")).unwrap();
    assert!(png.starts_with(b"\x89PNG") && svg.starts_with("<svg"));
    let next: Vec<&str> = first.lines().rev().take(2).collect();
    assert!(next[1].contains("trustpath bench") && next[0].contains("trustpath paper"));

    let second = run("2").replace("2 threads", "1 thread");
    assert_eq!(numbers(&first), numbers(&second));
}

#[test]
fn the_table_is_printed_even_if_the_figure_cannot_be_written() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("file");
    std::fs::write(&place, "").unwrap();
    let said = stdout(&["demo", "--episodes", "2", "--output", &text(&place)]);
    assert!(said.contains("gain over plain"));
    assert!(said.contains("No figure: cannot write") && said.contains("choose a folder"), "{said}");
}

#[test]
fn help_has_examples_and_exit_status() {
    let help = stdout(&["--help"]);
    assert!(help.contains("trustpath demo") && help.contains("Exit status"));
    assert_eq!(stdout(&["--version"]), concat!("trustpath ", env!("CARGO_PKG_VERSION"), "\n"));
    let help = stdout(&["bench", "--help"]);
    let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
    for expected in ["Examples:", "[possible values: ici, ra, nn, co, cn, ls]", "--against"] {
        assert!(help.contains(expected), "{expected} is missing:\n{help}");
    }
}

#[test]
fn without_a_command_it_explains_itself_and_writes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let said = succeeds(&folder, &[]);
    assert!(said.contains("trustpath demo") && said.contains("trustpath label"), "{said}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn the_demo_as_json() {
    let folder = tempfile::tempdir().unwrap();
    let said = succeeds(&folder, &["demo", "--episodes", "3", "--json"]);
    let cells: Value = serde_json::from_str(&said).unwrap();
    assert_eq!(cells.as_array().unwrap().len(), 4);
    assert!(cells[0]["final"].as_f64().unwrap() > cells[0]["plain"].as_f64().unwrap() - 0.2);
}
