//! Wrong labels among the given ones.

use super::*;

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
fn flipped_labels_are_found_and_corrected() {
    let folder = folder_with(&[("train.csv", labelled().as_bytes())]);
    let args = ["audit", "train.csv", "--out", "suspects.csv", "--report", "audit.html"];
    let said = succeeds(&folder, &args);
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
fn data_without_labels_and_invalid_usage_are_refused() {
    let folder = folder_with(&[("none.csv", b"a,b,label\n1,2,\n3,4,\n")]);
    refused(&folder, &["audit", "none.csv"], 2, &["none.csv"]);
    // A file or the demo is needed, and not both.
    let both = ["audit", "train.csv", "--demo"];
    fails(trustpath().args(both), 2, &["cannot be used with"]);
    fails(trustpath().arg("audit"), 2, &["<FEATURES|"]);
}
