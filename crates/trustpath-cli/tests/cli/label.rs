//! Labels for a user's own data, from file to file.

use super::*;

/// A pool of three classes in a folder: `pool.csv` with a few labels, `new.csv` with none.
pub fn pool() -> TempDir {
    let (pool, new) = (csv(90, 0, |i| i < 15), csv(12, 1000, |_| false));
    folder_with(&[("pool.csv", pool.as_bytes()), ("new.csv", new.as_bytes())])
}

/// Instance `i` leans towards axis `i mod 3`.
fn csv(rows: usize, first: usize, labelled: impl Fn(usize) -> bool) -> String {
    let mut text = String::from("id,label,a,b,c,d,e\n");
    for i in 0..rows {
        let label = if labelled(i) { ["auk", "<script>", "gull, grey"][i % 3] } else { "" };
        text += &format!("n{},\"{label}\"", first + i);
        for j in 0..5 {
            let noise = 0.4 * (((first + i) * 7 + j * 3) as f64).sin();
            text += &format!(",{:.4}", if j == i % 3 { 2.0 } else { 0.5 } + noise);
        }
        text.push('\n');
    }
    text
}

#[test]
fn every_instance_gets_a_label_and_a_reason() {
    let folder = pool();
    let said = succeeds(&folder, &["label", "pool.csv", "--out", "out.jsonl", "--suggest", "4"]);
    assert!(said.contains("90 instances, 5 features each; 15 labels of 3 classes given"), "{said}");
    assert!(said.contains("estimated precision") && said.contains("Label next: n"), "{said}");
    let spent = said.lines().last().unwrap();
    let memory = !cfg!(target_os = "linux") || spent.contains(" s, peak memory 0.");
    assert!(spent.contains(" s") && memory, "{spent}");
    let text = fs::read_to_string(folder.path().join("out.jsonl")).unwrap();
    let rows: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(rows.len(), 90);
    let mut suggested = Vec::new();
    for (i, row) in rows.iter().enumerate() {
        assert_eq!(row["id"], format!("n{i}"));
        assert_eq!(row["label"], ["auk", "<script>", "gull, grey"][i % 3], "{row}");
        assert_eq!(row["verdict"] == "given", i < 15);
        let credibility = row["credibility"].as_f64().unwrap();
        assert!((0.0..=1.0).contains(&credibility));
        let reason = row["reason"].as_str().unwrap();
        assert!(reason.contains("nearest labelled: n"), "{reason}");
        suggested.extend(row["suggested"].as_u64());
    }
    suggested.sort_unstable();
    assert_eq!(suggested, [1, 2, 3, 4]);
}

#[test]
fn results_are_the_same_for_any_number_of_threads_and_in_every_format() {
    let folder = pool();
    for format in ["csv", "tsv", "parquet", "npz", "npy", "safetensors", "jsonl"] {
        let bytes = |threads: &str| {
            let name = format!("out-{threads}.{format}");
            succeeds(&folder, &["label", "pool.csv", "--out", &name, "--threads", threads]);
            fs::read(folder.path().join(name)).unwrap()
        };
        assert_eq!(bytes("1"), bytes("2"), "{format}");
    }
}

#[test]
fn labels_are_judged_in_any_reduction_and_small_pools_are_exact_anyway() {
    let folder = pool();
    let plain = succeeds(&folder, &["label", "pool.csv", "--out", "-"]);
    assert_eq!(succeeds(&folder, &["label", "pool.csv", "--out", "-", "--exact"]), plain);
    for reduction in ["lle", "ltsa", "isomap", "se", "pca", "mds"] {
        let args = ["label", "pool.csv", "--out", "-", "--reduction", reduction];
        let out = succeeds(&folder, &args);
        assert_eq!(out.lines().count(), 91, "{reduction}");
        assert_ne!(out, plain, "{reduction}");
    }
    trustpath_in(&folder, &["label", "pool.csv", "--reduction", "umap"]).assert().code(2);
}

#[test]
fn streams_in_and_out() {
    let folder = pool();
    let input = fs::read(folder.path().join("pool.csv")).unwrap();
    let mut command = trustpath_in(&folder, &["label", "-", "--out", "-"]);
    let text = printed(command.write_stdin(input));
    let start = "id,label,probability,credibility,novelty,round,verdict,reason\nn0,auk,";
    assert!(text.starts_with(start), "{}", &text[..200]);
    assert_eq!(text.lines().count(), 91);
}

#[test]
fn a_page_is_self_contained_and_names_are_text() {
    let folder = pool();
    succeeds(&folder, &["label", "pool.csv", "--report", "page.html"]);
    let page = fs::read_to_string(folder.path().join("page.html")).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("n42"));
    assert!(!page.contains("=\"http") && !page.contains("url(http"), "nothing is fetched");
    assert!(!page.contains("\"<script>\""), "a class named <script> must not open one");
}

#[test]
fn too_few_labels_promise_nothing_and_say_so() {
    let folder = pool();
    let args = ["label", "pool.csv", "--precision", "0.99", "--out", "out.csv"];
    let said = succeeds(&folder, &args);
    assert!(said.contains("cannot be promised") && said.contains("at least 99"), "{said}");
    let out = fs::read_to_string(folder.path().join("out.csv")).unwrap();
    assert!(!out.contains(",trusted,"));
    fs::write(folder.path().join("one.csv"), csv(60, 0, |i| i < 3)).unwrap();
    let said = succeeds(&folder, &["label", "one.csv"]);
    assert!(said.contains("every class has only one") && said.contains("are not detected"), "{said}");
}

#[test]
fn a_saved_model_labels_new_instances() {
    let folder = pool();
    succeeds(&folder, &["label", "pool.csv", "--model", "m.safetensors"]);
    let args = ["predict", "m.safetensors", "new.csv", "--out", "-"];
    let text = succeeds(&folder, &args);
    assert_eq!(text.lines().count(), 13);
    for (i, line) in text.lines().skip(1).enumerate() {
        let label = ["auk", "<script>", "\"gull, grey\""][i % 3];
        assert!(line.starts_with(&format!("n{},{label},", 1000 + i)), "{line}");
    }
    let said = succeeds(&folder, &["predict", "m.safetensors", "new.csv"]);
    assert!(said.contains("12 instances") && said.contains("auk 4"), "{said}");
}

#[test]
fn models_and_features_that_do_not_fit_are_refused() {
    let folder = pool();
    succeeds(&folder, &["label", "pool.csv", "--model", "m.safetensors"]);
    let model = fs::read(folder.path().join("m.safetensors")).unwrap();
    fs::write(folder.path().join("cut.safetensors"), &model[..model.len() / 2]).unwrap();
    fs::write(folder.path().join("other.csv"), "id,a,b\n1,2,3\n2,3,4\n").unwrap();
    fs::write(folder.path().join("named.csv"), "id,a,b,c,d,x\n1,1,2,3,4,5\n").unwrap();
    let predict = |model, file, expected: &[&str]| {
        refused(&folder, &["predict", model, file], 2, expected);
    };
    predict("cut.safetensors", "new.csv", &["cut.safetensors", "truncated"]);
    predict("missing.safetensors", "new.csv", &["missing.safetensors", "cannot read"]);
    predict("pool.csv", "new.csv", &["pool.csv"]);
    predict("m.safetensors", "other.csv", &["other.csv", "features"]);
    predict("m.safetensors", "named.csv", &["named.csv", "\"x\""]);
    let kind = b"trustpath-label-2";
    let place = model.windows(kind.len()).position(|bytes| bytes == kind).unwrap();
    let mut other = model;
    other[place + kind.len() - 1] = b'9';
    fs::write(folder.path().join("kind.safetensors"), other).unwrap();
    predict("kind.safetensors", "new.csv", &["was not saved by trustpath label"]);
}

#[test]
fn data_that_cannot_be_labelled_is_refused() {
    let folder = pool();
    let file = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    file("one.csv", "a,b,label\n1,2,auk\n3,4,\n5,6,auk\n");
    file("none.csv", "a,b,label\n1,2,\n3,4,\n");
    file("nan.csv", "a,b,label\n1,nan,auk\n3,4,gull\n");
    file("zero.csv", "a,b,label\n1,2,auk\n0,0,\n3,1,gull\n5,5,\n");
    file("same.csv", "a,b,label\n1,2,auk\n1,2,gull\n1,2,\n");
    file("twice.csv", "id,a,b,label\nx,1,2,auk\nx,3,4,gull\n");
    file("empty.csv", "");
    let label = |args: &[&str], code, expected: &[&str]| {
        refused(&folder, &[&["label"], args].concat(), code, expected);
    };
    label(&["one.csv"], 2, &["one.csv", "auk"]);
    label(&["none.csv"], 2, &["none.csv", "label"]);
    label(&["nan.csv"], 2, &["nan.csv"]);
    label(&["zero.csv"], 2, &["instance \"1\" (row 1) in zero.csv are zero"]);
    label(&["same.csv"], 2, &["identical"]);
    label(&["twice.csv"], 2, &["twice.csv", "x"]);
    label(&["empty.csv"], 2, &["empty.csv"]);
    label(&["absent.csv"], 2, &["absent.csv", "cannot read"]);
    label(&["pool.csv", "--precision", "1.5"], 2, &["precision = 1.5"]);
    label(&["pool.csv", "--credibility", "0"], 2, &["credibility = 0"]);
    label(&["pool.csv", "--per-class", "0"], 2, &["per-class = 0"]);
    label(&["pool.csv", "--precision", "0.9", "--per-class", "3"], 2, &["only one of"]);
    label(&["pool.csv", "--report", "page.txt"], 2, &["page.txt", ".html"]);
    label(&["pool.csv", "--model", "m.bin"], 2, &["m.bin", ".safetensors"]);
    label(&["pool.csv", "--out", "absent/out.csv"], 1, &["absent/out.csv", "cannot write"]);
    label(&["pool.csv", "--report", "absent/page.html"], 1, &["absent/page.html"]);
    label(&["pool.csv", "--out", "out.what"], 2, &["out.what"]);
    if Path::new("/dev/full").exists() {
        label(&["pool.csv", "--out", "/dev/full", "--out-format", "csv"], 1, &["/dev/full"]);
    }
    let left = fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(left, 9, "nothing else may be left behind");
}

#[test]
fn two_instances_are_enough() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("p.csv"), "a,b,label\n1,2,auk\n2,1,gull\n").unwrap();
    let said = succeeds(&folder, &["label", "p.csv"]);
    assert!(said.contains("2 instances, 2 features each; 2 labels of 2 classes given"), "{said}");
    fs::write(folder.path().join("q.csv"), "a,b,label\n1,2,auk\n2,1,gull\n1,2.2,\n").unwrap();
    succeeds(&folder, &["label", "q.csv", "--report", "q.html", "--model", "q.safetensors"]);
}

#[test]
fn the_sample_is_labelled_well() {
    let folder = tempfile::tempdir().unwrap();
    let sample = "sample try --dataset cifar-fs --size 20 --labels 3";
    succeeds(&folder, &sample.split(' ').collect::<Vec<_>>());
    let args = ["label", "try/pool.npy", "--labels", "try/labels.csv", "--out", "out.csv"];
    succeeds(&folder, &args);
    let column = |file: &str| -> Vec<String> {
        let text = fs::read_to_string(folder.path().join(file)).unwrap();
        text.lines().skip(1).map(|l| l.split(',').nth(1).unwrap_or_default().to_owned()).collect()
    };
    let (ours, truth) = (column("out.csv"), column("try/truth.csv"));
    let right = ours.iter().zip(&truth).filter(|(a, b)| a == b).count();
    assert_eq!(ours.len(), 400);
    // Three labels per class of twenty: the plain classifier has about 56 %.
    assert!(right > 265, "{right} of 400");
    refused(&folder, &["sample", "t", "--size", "5", "--labels", "5"], 2, &["--labels 5"]);
}

/// `--json` is the result, and progress has its own option.
#[test]
fn results_as_json() {
    let folder = pool();
    for (args, verdicts) in
        [(&["label", "pool.csv", "--suggest", "3"][..], &["given", "trusted"][..]), (&["audit", "pool.csv"], &["fits"])]
    {
        let output = trustpath_in(&folder, &[args, &["--json", "--progress", "json"]].concat());
        let output = { output }.assert().success().get_output().clone();
        let result: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(result["source"], "pool.csv");
        for verdict in verdicts {
            assert!(result["verdicts"][verdict].as_u64().unwrap() > 0, "{result}");
        }
        let said = String::from_utf8(output.stderr).unwrap();
        let stages: Vec<Value> = said.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(stages[0]["stage"], "reading pool.csv", "{said}");
        assert!(stages.len() > 3, "{said}");
        assert!(result["seconds"].as_f64().unwrap() > 0.0);
    }
    let checked: Value = serde_json::from_str(&succeeds(&folder, &["check", "pool.csv", "--json"])).unwrap();
    assert!(checked["classes"]["auk"].as_u64().unwrap() > 0);
    let both = ["label", "pool.csv", "--json", "--out", "-"];
    refused(&folder, &both, 2, &["--json", "--out -"]);
}

/// `trustpath label --out - | head` once ended with an error.
#[cfg(unix)]
#[test]
fn a_reader_that_stops_early_ends_the_command_quietly() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("big.csv"), csv(4000, 0, |i| i < 30)).unwrap();
    for format in ["csv", "tsv", "jsonl", "parquet", "npz", "npy", "safetensors"] {
        let script =
            format!("set -o pipefail; \"$0\" check big.csv --out - --out-format {format} | head -c 1 >/dev/null");
        let output = Command::new("bash")
            .args(["-c", &script, assert_cmd::cargo::cargo_bin!("trustpath").to_str().unwrap()])
            .current_dir(folder.path())
            .assert()
            .success()
            .get_output()
            .clone();
        assert!(output.stderr.is_empty(), "{format}: {}", String::from_utf8_lossy(&output.stderr));
    }
}

/// Columns of text were refused.
#[test]
fn columns_of_text_are_copied_to_the_result_and_the_report() {
    let folder = tempfile::tempdir().unwrap();
    let text = csv(60, 0, |i| i < 12);
    let lines = text.lines().enumerate().map(|(i, line)| match i {
        0 => format!("{line},page url,taken\n"),
        _ => format!("{line},https://example.org/{i},2024-01-{:02}\n", i % 28 + 1),
    });
    fs::write(folder.path().join("p.csv"), lines.collect::<String>()).unwrap();
    let args = ["label", "p.csv", "--out", "out.csv", "--report", "r.html"];
    let said = succeeds(&folder, &args);
    assert!(said.contains("not features: 'page url', 'taken'"), "{said}");
    let out = fs::read_to_string(folder.path().join("out.csv")).unwrap();
    let mut lines = out.lines();
    assert!(lines.next().unwrap().ends_with(",page_url,taken"), "{out}");
    assert!(lines.next().unwrap().ends_with(",https://example.org/1,2024-01-02"), "{out}");
    let page = fs::read_to_string(folder.path().join("r.html")).unwrap();
    assert!(page.contains("page url: https://example.org/1"));
    succeeds(&folder, &[&args[..4], &["--carry", "taken"]].concat());
    let out = fs::read_to_string(folder.path().join("out.csv")).unwrap();
    assert!(out.lines().next().unwrap().ends_with(",reason,taken"), "{out}");
    let audited = succeeds(&folder, &["audit", "p.csv", "--out", "-", "--carry", "page url"]);
    assert!(audited.lines().nth(1).unwrap().contains("https://example.org/"), "{audited}");
    refused(&folder, &["label", "p.csv", "--carry", "nosuch"], 2, &["no column \"nosuch\""]);
}

#[test]
fn without_labels_it_says_what_to_label_first() {
    // Three groups of twelve around three axes, each with a text.
    let mut pool = String::from("id,a,b,c,note\n");
    for i in 0..36 {
        let x = |axis: usize| f64::from(u8::from(i % 3 == axis)) + 0.05 * ((i * 3 + axis) as f64).sin();
        pool += &format!("r{i},{},{},{},text {i}\n", x(0), x(1), x(2));
    }
    let folder = folder_with(&[("p.csv", pool.as_bytes())]);
    let run = |args: &[&str]| trustpath_in(&folder, &[&["label", "p.csv"], args].concat());
    fails(&mut run(&[]), 2, &["p.csv has no labels"]);
    let said = printed(&mut run(&["--suggest", "3", "--out", "first.csv"]));
    assert!(said.contains("No instance has a label yet") && said.contains("Label first: r"), "{said}");
    let table = fs::read_to_string(folder.path().join("first.csv")).unwrap();
    let mut lines = table.lines();
    assert_eq!(lines.next(), Some("id,label,suggested,note"));
    let mut labels = String::from("id,label\n");
    let mut groups: Vec<usize> = Vec::new();
    for line in lines {
        let number: usize = line[1..].split(',').next().unwrap().parse().unwrap();
        groups.push(number % 3);
        labels += &format!("r{number},class {}\n", number % 3);
    }
    groups.sort_unstable();
    assert_eq!(groups, [0, 1, 2], "one of each group: {table}");
    // Filled in, the file is a labels file.
    fs::write(folder.path().join("first.csv"), labels).unwrap();
    let json = printed(&mut run(&["--labels", "first.csv", "--closed", "--json"]));
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["labelled"], 3);
    let report = &["--suggest", "3", "--report", "r.html"];
    fails(&mut run(report), 2, &["no instance of p.csv has a label", "--report"]);
    assert!(!folder.path().join("r.html").exists());
}
