//! Wrong labels among the given ones.

use super::*;

/// Instances of three classes, instance 7, 31, 64 and 100 with the label of another.
fn labelled(rows: usize) -> String {
    let mut text = String::from("id,a,b,c,d,label\n");
    for i in 0..rows {
        let class = if [7, 31, 64, 100].contains(&i) { (i + 1) % 3 } else { i % 3 };
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
    let folder = folder_with(&[("train.csv", labelled(150).as_bytes())]);
    let args = ["audit", "train.csv", "--out", "suspects.csv", "--report", "audit.html"];
    let said = succeeds(&folder, &args);
    assert!(said.contains("150 labelled instances"), "{said}");
    assert!(said.contains("of 150 labels are wrong") && said.contains("interval"), "{said}");
    let table = fs::read_to_string(folder.path().join("suspects.csv")).unwrap();
    let mut first: Vec<&str> = table.lines().skip(1).take(4).collect();
    first.sort_unstable();
    for (line, start) in first.iter().zip(["n100,tern,gull,", "n31,tern,gull,", "n64,tern,gull,", "n7,tern,gull,"]) {
        assert!(line.starts_with(start) && line.contains(",suspect,"), "{line}");
    }
    assert!(table.matches(",suspect,").count() <= 5, "{table}");
    let page = fs::read_to_string(folder.path().join("audit.html")).unwrap();
    assert!(page.contains("n31") && page.contains("estimated wrong"));
    refused(&folder, &["audit", "train.csv", "--precision", "1.5"], 2, &["precision = 1.5"]);
}

#[test]
fn few_labels_are_ranked_without_a_verdict() {
    let folder = folder_with(&[("train.csv", labelled(60).as_bytes())]);
    let said = succeeds(&folder, &["audit", "train.csv", "--out", "suspects.csv"]);
    assert!(said.contains("0 suspects") && said.contains("too few labels to say"), "{said}");
    let table = fs::read_to_string(folder.path().join("suspects.csv")).unwrap();
    let mut first: Vec<&str> = table.lines().skip(1).take(2).collect();
    first.sort_unstable();
    assert!(first[0].starts_with("n31,tern,gull,") && first[1].starts_with("n7,tern,gull,"), "{table}");
}

#[test]
fn verified_labels_leave_the_suspects() {
    let answers = b"id,label\nn7,gull\nn8,tern\n";
    let nonsense: [(&str, &[u8], &str); 3] = [
        ("unknown.csv", b"id,label\nn999,gull\n", "\"n999\""),
        ("class.csv", b"id,label\nn7,puffin\n", "\"n7\" is \"puffin\""),
        ("twice.csv", b"id,label\nn7,gull\nn7,auk\n", "both"),
    ];
    let train = labelled(150);
    let mut files: Vec<(&str, &[u8])> = vec![("train.csv", train.as_bytes()), ("checked.csv", answers)];
    files.extend(nonsense.iter().map(|(name, text, _)| (*name, *text)));
    let folder = folder_with(&files);
    let args = ["audit", "train.csv", "--verified", "checked.csv", "--out", "suspects.csv"];
    let said = succeeds(&folder, &args);
    assert!(said.contains("2 labels were checked by a person, 1 wrong"), "{said}");
    let table = fs::read_to_string(folder.path().join("suspects.csv")).unwrap();
    let line = |id: &str| table.lines().find(|line| line.starts_with(id)).unwrap().to_owned();
    assert!(line("n7,").contains(",corrected,") && line("n8,").contains(",confirmed,"), "{table}");
    assert!(line("n31,").contains(",suspect,"), "{table}");
    for (name, _, part) in nonsense {
        refused(&folder, &["audit", "train.csv", "--verified", name], 2, &[name, part]);
    }
    refused(&folder, &["audit", "train.csv", "--verified", "nowhere.csv"], 2, &["nowhere.csv"]);
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
