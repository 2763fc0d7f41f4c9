//! Progress for programs.

use super::*;

#[test]
fn progress_comes_as_lines_of_json() {
    let folder = Folder::new();
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
