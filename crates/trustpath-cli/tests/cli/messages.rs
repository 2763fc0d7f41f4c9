//! Messages name the input in a way that helps, and obey nothing that a file says.

use super::*;

/// A table in which every row has a label, in the column `kind`.
fn labelled() -> String {
    leaning(0..40, |i| ["x", "y"][i % 2]).replace("label", "kind")
}

#[test]
fn nothing_is_left_to_label_where_every_row_has_a_label() {
    let folder = CommandFolder::with([("all.csv", labelled())]);
    let said = folder.prints("label all.csv --label-column kind");
    assert!(said.starts_with("Every instance has a label, so nothing is left to label."), "{said}");
    contains(&said, &["trustpath audit"]);
    let json = folder.prints_json("label all.csv --label-column kind --json");
    contains(json["notes"][0].as_str().unwrap(), &["nothing is left to label"]);
}

#[test]
fn values_and_columns_that_cannot_be_used_are_named() {
    let folder = CommandFolder::with([
        ("all.csv", labelled()),
        ("zero.csv", labelled() + "late,,0,0,0,0,0\n"),
        ("large.csv", labelled() + "late,,1e39,0,0,0,0\n"),
    ]);
    for command in ["label", "check"] {
        let zero = format!("{command} zero.csv --label-column kind");
        folder.refuses(&zero, 2, &["instance \"late\" (row 40) in zero.csv", "drop it"]);
        let large = format!("{command} large.csv --label-column kind");
        folder.refuses(&large, 2, &["feature \"a\" of row 40 in large.csv", "too large for a 32-bit number"]);
    }
    for command in ["label", "audit", "check"] {
        let line = format!("{command} all.csv --label-column nosuch");
        folder.refuses(&line, 2, &["all.csv has no column \"nosuch\"", "\"kind\""]);
    }
}

#[test]
fn control_characters_reach_no_terminal() {
    let hostile = |i: usize| if i < 12 { ["a\u{1b}[31m", "b\u{1b}]0;title\u{7}"][i % 2] } else { "" };
    let folder = CommandFolder::with([("t.csv", leaning(0..40, hostile))]);
    for line in [
        "label t.csv --suggest 3",
        "check t.csv",
        "audit t.csv",
        "check no\u{1b}[2Jsuch.csv",
        "check t.csv --feature-columns a\u{1b}[2J",
        "bench --method \u{1b}[2J",
    ] {
        let output = folder.command(line).output().unwrap();
        let all = [output.stdout, output.stderr].concat();
        assert!(!all.iter().any(|&byte| byte == 0x1b || byte == 7), "{line:?}");
    }
}

#[test]
fn a_message_is_one_line_of_bounded_length() {
    let long = "x".repeat(100_000);
    let folder = CommandFolder::with([("t.csv", format!("a,b,label\n1,{long},u\n2,3,v\n"))]);
    for line in [
        "check t.csv --feature-columns a,b",
        &format!("check t.csv --feature-columns {long}"),
        &format!("bench --method {long}"),
    ] {
        let output = folder.command(line).output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.chars().count() < 1300 && said.lines().count() == 1, "{} bytes", said.len());
    }
}
