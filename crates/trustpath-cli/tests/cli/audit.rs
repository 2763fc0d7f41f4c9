//! Wrong labels among the given ones.

use super::*;

/// Instances of three classes; 7, 31, 64 and 100 have the label of another.
fn labelled(rows: usize) -> String {
    leaning(0..rows, |i| ["auk", "gull", "tern"][(i + usize::from([7, 31, 64, 100].contains(&i))) % 3])
}

/// The first rows of a table, by id.
fn first(table: &str, count: usize) -> Vec<&str> {
    let mut first: Vec<&str> = table.lines().skip(1).take(count).collect();
    first.sort_unstable();
    first
}

#[test]
fn flipped_labels_are_found_and_corrected() {
    let folder = CommandFolder::with([("train.csv", labelled(150))]);
    let said = folder.prints("audit train.csv --out suspects.csv --report audit.html");
    contains(&said, &["150 labelled instances", "of 150 labels are wrong", "interval"]);
    let table = folder.read("suspects.csv");
    let expected = ["n100,tern,gull,", "n31,tern,gull,", "n64,tern,gull,", "n7,tern,gull,"];
    for (line, start) in first(&table, 4).iter().zip(expected) {
        assert!(line.starts_with(start) && line.contains(",suspect,"), "{line}");
    }
    assert!(table.matches(",suspect,").count() <= 5, "{table}");
    contains(&folder.read("audit.html"), &["n31", "estimated wrong"]);
    folder.refuses("audit train.csv --precision 1.5", 2, &["precision = 1.5"]);
}

#[test]
fn few_labels_are_ranked_without_a_verdict() {
    let folder = CommandFolder::with([("train.csv", labelled(60))]);
    let said = folder.prints("audit train.csv --out suspects.csv");
    contains(&said, &["0 suspects", "too few labels to say"]);
    let table = folder.read("suspects.csv");
    let first = first(&table, 2);
    assert!(first[0].starts_with("n31,tern,gull,") && first[1].starts_with("n7,tern,gull,"), "{table}");
}

#[test]
fn verified_labels_leave_the_suspects() {
    let folder = CommandFolder::with([("train.csv", labelled(150))]);
    folder.write("checked.csv", "id,label\nn7,gull\nn8,tern\n");
    let said = folder.prints("audit train.csv --verified checked.csv --out suspects.csv");
    contains(&said, &["2 labels were checked by a person, 1 wrong"]);
    let table = folder.read("suspects.csv");
    for (id, verdict) in [("n7,", ",corrected,"), ("n8,", ",confirmed,"), ("n31,", ",suspect,")] {
        assert!(table.lines().any(|line| line.starts_with(id) && line.contains(verdict)), "{id} {table}");
    }
    for (answers, part) in
        [("n999,gull\n", "\"n999\""), ("n7,puffin\n", "\"n7\" is \"puffin\""), ("n7,gull\nn7,auk\n", "both")]
    {
        folder.write("wrong.csv", format!("id,label\n{answers}"));
        folder.refuses("audit train.csv --verified wrong.csv", 2, &["wrong.csv", part]);
    }
    folder.refuses("audit train.csv --verified nowhere.csv", 2, &["nowhere.csv"]);
}

#[test]
fn data_without_labels_and_invalid_usage_are_refused() {
    let folder = CommandFolder::with([("none.csv", "a,b,label\n1,2,\n3,4,\n")]);
    folder.refuses("audit none.csv", 2, &["none.csv"]);
    // A file or the demo is needed, and not both.
    refused("audit train.csv --demo", 2, &["cannot be used with"]);
    refused("audit", 2, &["<FEATURES|"]);
}
