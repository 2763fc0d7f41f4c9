//! Wrong labels among the given ones.

use super::*;
use std::fs;

/// Sixty instances of three classes, instance 7 and 31 with the label of another.
fn labelled() -> String {
    let mut text = String::from("id,a,b,c,d,label\n");
    for i in 0..60 {
        let class = if [7, 31].contains(&i) { (i + 1) % 3 } else { i % 3 };
        text += &format!("n{i}");
        for j in 0..4 {
            let noise = 0.4 * ((i * 7 + j * 3) as f64).sin();
            text += &format!(",{:.4}", if j == i % 3 { 2.0 } else { 0.5 } + noise);
        }
        text += &format!(",{}\n", ["auk", "gull", "tern"][class]);
    }
    text
}

#[test]
fn flipped_labels_are_found_and_put_right() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("train.csv"), labelled()).unwrap();
    let mut command = trustpath();
    command.current_dir(folder.path());
    let args = ["audit", "train.csv", "--out", "suspects.csv", "--report", "audit.html"];
    let output = command.args(args).assert().success().get_output().clone();
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(
        said.contains("60 labelled instances") && said.contains("2 suspects (3.3 %)"),
        "{said}"
    );
    let table = fs::read_to_string(folder.path().join("suspects.csv")).unwrap();
    let mut first: Vec<&str> = table.lines().skip(1).take(2).collect();
    first.sort_unstable();
    assert!(first[0].starts_with("n31,tern,gull,"), "{}", first[0]);
    assert!(first[1].starts_with("n7,tern,gull,"), "{}", first[1]);
    assert_eq!(table.matches(",suspect,").count(), 2);
    let page = fs::read_to_string(folder.path().join("audit.html")).unwrap();
    assert!(page.contains("n31"));
}

#[test]
fn nothing_to_audit_is_a_sentence() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("none.csv"), "a,b,label\n1,2,\n3,4,\n").unwrap();
    let mut command = trustpath();
    command.current_dir(folder.path()).args(["audit", "none.csv"]);
    let output = command.assert().code(2).get_output().clone();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.starts_with("error: ") && said.contains("none.csv"), "{said}");
}

#[test]
fn a_file_or_the_demo_is_needed_and_not_both() {
    for (args, expected) in [
        (&["audit"][..], "<FEATURES|PICTURES>"),
        (&["audit", "train.csv", "--demo"], "cannot be used with"),
    ] {
        let output = trustpath().args(args).assert().code(2).get_output().clone();
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.starts_with("error: ") && said.contains(expected), "{said}");
    }
}
