//! Messages name the input in a way that helps, and obey nothing that a file says.

use super::*;

/// A column of labels, and rows of two features with ids `n0`, `n1`, ….
fn table(label: impl Fn(usize) -> String, more: &str) -> String {
    let row = |i: usize| {
        let side = if i.is_multiple_of(2) { 1.0 } else { -1.0 };
        format!("n{i},{:.3},{:.3},{}\n", side + 0.01 * i as f64, 1.0 - side * 0.02 * i as f64, label(i))
    };
    format!("id,a,b,kind\n{}{more}", (0..40).map(row).collect::<String>())
}

fn named(i: usize) -> String {
    ["x", "y"][i % 2].into()
}

#[test]
fn nothing_is_left_to_label_where_every_row_has_a_label() {
    let folder = folder_with(&[("all.csv", table(named, "").as_bytes())]);
    let args = ["label", "all.csv", "--label-column", "kind"];
    let said = succeeds(&folder, &args);
    assert!(said.starts_with("Every instance has a label, so nothing is left to label."), "{said}");
    assert!(said.contains("trustpath audit"), "{said}");
    let json = succeeds(&folder, &[&args[..], &["--json"]].concat());
    let json: Value = serde_json::from_str(&json).unwrap();
    assert!(json["notes"][0].as_str().unwrap().contains("nothing is left to label"), "{json}");
}

#[test]
fn values_that_cannot_be_used_are_named_by_file_and_id() {
    let zero = table(named, "late,0,0,\n");
    let large = table(named, "late,1e39,0,\n");
    let folder = folder_with(&[("zero.csv", zero.as_bytes()), ("large.csv", large.as_bytes())]);
    for command in ["label", "check"] {
        let args = |file| [command, file, "--label-column", "kind"];
        let expected = ["instance \"late\" (row 40) in zero.csv", "drop it"];
        refused(&folder, &args("zero.csv"), 2, &expected);
        let expected = ["feature \"a\" of row 40 in large.csv", "too large for a 32-bit number"];
        refused(&folder, &args("large.csv"), 2, &expected);
    }
}

#[test]
fn a_label_column_that_does_not_exist_is_named() {
    let folder = folder_with(&[("t.csv", table(named, "").as_bytes())]);
    for command in ["label", "audit", "check"] {
        let args = [command, "t.csv", "--label-column", "nosuch"];
        refused(&folder, &args, 2, &["t.csv has no column \"nosuch\"", "\"kind\""]);
    }
}

#[test]
fn control_characters_reach_no_terminal() {
    let hostile = |i: usize| {
        let name = ["a\u{1b}[31m", "b\u{1b}]0;title\u{7}"][i % 2];
        if i < 12 { name.into() } else { String::new() }
    };
    let folder = folder_with(&[("t.csv", table(hostile, "").as_bytes())]);
    let name = "no\u{1b}[2Jsuch.csv";
    for args in [
        &["label", "t.csv", "--label-column", "kind", "--suggest", "3"][..],
        &["check", "t.csv", "--label-column", "kind"],
        &["audit", "t.csv", "--label-column", "kind"],
        &["check", name],
        &["check", "t.csv", "--feature-columns", "a\u{1b}[2J"],
        &["bench", "--method", "\u{1b}[2J"],
    ] {
        let output = trustpath_in(&folder, args).output().unwrap();
        let all = [output.stdout, output.stderr].concat();
        assert!(!all.iter().any(|&byte| byte == 0x1b || byte == 7), "{args:?}");
    }
}

#[test]
fn a_message_is_one_line_of_bounded_length() {
    let long = "x".repeat(100_000);
    let folder = folder_with(&[("t.csv", format!("a,b,label\n1,{long},u\n2,3,v\n").as_bytes())]);
    for args in [
        &["check", "t.csv", "--feature-columns", "a,b"][..],
        &["check", "t.csv", "--feature-columns", &long],
        &["bench", "--method", &long],
    ] {
        let output = trustpath_in(&folder, args).output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.chars().count() < 1300 && said.lines().count() == 1, "{} bytes", said.len());
    }
}
