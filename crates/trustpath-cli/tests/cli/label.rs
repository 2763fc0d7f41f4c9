//! Labels for a user's own data, from file to file.

use super::*;

const CLASSES: [&str; 3] = ["auk", "<script>", "gull, grey"];

/// A table in which the first instances have labels.
fn csv(rows: Range<usize>, labelled: usize) -> String {
    let first = rows.start;
    leaning(rows, |i| if i < first + labelled { CLASSES[(i - first) % 3] } else { "" })
}

/// A pool of three classes in a folder: `pool.csv` with a few labels, `new.csv` with none.
pub fn pool() -> CommandFolder {
    CommandFolder::with([("pool.csv", csv(0..90, 30)), ("new.csv", csv(1002..1014, 0))])
}

#[test]
fn every_instance_gets_a_label_and_a_reason() {
    let folder = pool();
    let said = folder.prints("label pool.csv --out out.jsonl --suggest 4");
    contains(&said, &["90 instances, 5 features each; 30 labels of 3 classes given"]);
    contains(
        &said,
        &[
            "promise ",
            "with 90 % confidence at least 90 %",
            "estimate ",
            "Label next: n",
            "Every second one is random.",
        ],
    );
    let spent = said.lines().last().unwrap();
    let memory = !cfg!(target_os = "linux") || spent.contains(" s, peak memory 0.");
    assert!(spent.contains(" s") && memory, "{spent}");
    let text = folder.read("out.jsonl");
    let rows: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(rows.len(), 90);
    let mut suggested = Vec::new();
    for (i, row) in rows.iter().enumerate() {
        assert_eq!(row["id"], format!("n{i}"));
        assert_eq!(row["label"], CLASSES[i % 3], "{row}");
        assert_eq!(row["verdict"] == "given", i < 30);
        assert!((0.0..=1.0).contains(&row["credibility"].as_f64().unwrap()));
        contains(row["reason"].as_str().unwrap(), &["nearest labelled: n"]);
        suggested.extend(row["suggested"].as_u64().map(|rank| (rank, row["origin"].as_str().unwrap())));
        assert!(row["suggested"].is_u64() || row["origin"] == "");
    }
    suggested.sort_unstable();
    assert_eq!(suggested, [(1, "chosen"), (2, "random"), (3, "chosen"), (4, "random")]);
}

#[test]
fn results_are_the_same_for_any_number_of_threads_and_in_every_format() {
    let folder = pool();
    for format in ["csv", "tsv", "parquet", "npz", "npy", "safetensors", "jsonl"] {
        let bytes = |threads: usize| {
            let name = format!("out-{threads}.{format}");
            folder.prints(&format!("label pool.csv --out {name} --threads {threads}"));
            folder.bytes(&name)
        };
        assert_eq!(bytes(1), bytes(2), "{format}");
    }
}

#[test]
fn streams_in_and_out() {
    let folder = pool();
    let plain = folder.prints("label pool.csv --out -");
    let start = "id,label,probability,credibility,distance,round,verdict,reason\nn0,auk,";
    assert!(plain.starts_with(start), "{}", &plain[..200]);
    assert_eq!(plain.lines().count(), 91);
    let piped = outputs(folder.command("label - --out -").write_stdin(folder.bytes("pool.csv"))).0;
    assert_eq!(piped, plain);
    assert_eq!(folder.prints("label pool.csv --out - --exact"), plain, "small pools are exact anyway");
}

#[test]
fn a_page_is_self_contained_and_names_are_text() {
    let folder = pool();
    folder.prints("label pool.csv --report page.html");
    let page = folder.read("page.html");
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("n42"));
    assert!(!page.contains("=\"http") && !page.contains("url(http"), "nothing is fetched");
    assert!(!page.contains("\"<script>\""), "a class named <script> must not open one");
}

#[test]
fn too_few_labels_promise_nothing_and_say_so() {
    let folder = pool();
    let said = folder.prints("label pool.csv --precision 0.99 --out out.csv");
    contains(&said, &["Nothing is trusted yet", "90 % confidence that 99 % are right", "labels have to be held out"]);
    assert!(!folder.read("out.csv").contains(",trusted,"));
    folder.write("one.csv", csv(0..60, 3));
    contains(&folder.prints("label one.csv"), &["every class has only one", "are not detected"]);
}

#[test]
fn a_saved_model_labels_new_instances() {
    let folder = pool();
    folder.prints("label pool.csv --model m.safetensors");
    let text = folder.prints("predict m.safetensors new.csv --out -");
    assert_eq!(text.lines().count(), 13);
    for (i, line) in text.lines().skip(1).enumerate() {
        let label = ["auk", "<script>", "\"gull, grey\""][i % 3];
        assert!(line.starts_with(&format!("n{},{label},", 1002 + i)), "{line}");
    }
    contains(&folder.prints("predict m.safetensors new.csv"), &["12 instances", "auk 4"]);
}

#[test]
fn models_and_features_that_do_not_fit_are_refused() {
    let folder = pool();
    folder.prints("label pool.csv --model m.safetensors");
    let model = folder.bytes("m.safetensors");
    folder.write("cut.safetensors", &model[..model.len() / 2]);
    folder.write("other.csv", "id,a,b\n1,2,3\n2,3,4\n");
    folder.write("named.csv", "id,a,b,c,d,x\n1,1,2,3,4,5\n");
    let kind = b"trustpath-label-3";
    let place = model.windows(kind.len()).position(|bytes| bytes == kind).unwrap();
    let mut other = model;
    other[place + kind.len() - 1] = b'9';
    folder.write("kind.safetensors", other);
    for (files, expected) in [
        ("cut.safetensors new.csv", ["cut.safetensors", "truncated"]),
        ("missing.safetensors new.csv", ["missing.safetensors", "cannot read"]),
        ("pool.csv new.csv", ["pool.csv", ""]),
        ("m.safetensors other.csv", ["other.csv", "features"]),
        ("m.safetensors named.csv", ["named.csv", "\"x\""]),
        ("kind.safetensors new.csv", ["kind.safetensors", "was not saved by trustpath label"]),
    ] {
        folder.refuses(&format!("predict {files}"), 2, &expected);
    }
}

#[test]
fn data_that_cannot_be_labelled_is_refused() {
    let folder = pool();
    let cases: [(&str, &str, &[&str]); 7] = [
        ("one.csv", "a,b,label\n1,2,auk\n3,4,\n5,6,auk\n", &["auk"]),
        ("none.csv", "a,b,label\n1,2,\n3,4,\n", &["label"]),
        ("nan.csv", "a,b,label\n1,nan,auk\n3,4,gull\n", &[]),
        ("zero.csv", "a,b,label\n1,2,auk\n0,0,\n3,1,gull\n5,5,\n", &["instance \"1\" (row 1) in zero.csv are zero"]),
        ("same.csv", "a,b,label\n1,2,auk\n1,2,gull\n1,2,\n", &["identical"]),
        ("twice.csv", "id,a,b,label\nx,1,2,auk\nx,3,4,gull\n", &["x"]),
        ("empty.csv", "", &[]),
    ];
    for (name, text, expected) in cases {
        folder.write(name, text);
        let in_file = if name == "same.csv" { "" } else { name };
        folder.refuses(&format!("label {name}"), 2, &[&[in_file], expected].concat());
    }
    folder.refuses("label absent.csv", 2, &["absent.csv", "cannot read"]);
    for (options, code, expected) in [
        ("--precision 1.5", 2, "precision = 1.5"),
        ("--credibility 0", 2, "credibility = 0"),
        ("--confidence 1", 2, "confidence = 1"),
        ("--precision 0.9 --credibility 0.6", 2, "only one of"),
        ("--average --confidence 0.8", 2, "has no confidence"),
        ("--average --per-class", 2, "for all classes together"),
        ("--report page.txt", 2, "page.txt must end in .html"),
        ("--model m.bin", 2, "m.bin must end in .safetensors"),
        ("--out absent/out.csv", 1, "cannot write absent/out.csv"),
        ("--report absent/page.html", 1, "absent/page.html"),
        ("--out out.what", 2, "out.what"),
    ] {
        folder.refuses(&format!("label pool.csv {options}"), code, &[expected]);
    }
    if Path::new("/dev/full").exists() {
        folder.refuses("label pool.csv --out /dev/full --out-format csv", 1, &["/dev/full"]);
    }
    assert_eq!(folder.names().len(), 9, "nothing else may be left behind");
}

#[test]
fn two_instances_are_enough() {
    let folder = CommandFolder::with([("p.csv", "a,b,label\n1,2,auk\n2,1,gull\n")]);
    contains(&folder.prints("label p.csv"), &["2 instances, 2 features each; 2 labels of 2 classes given"]);
    folder.write("q.csv", "a,b,label\n1,2,auk\n2,1,gull\n1,2.2,\n");
    folder.prints("label q.csv --report q.html --model q.safetensors");
}

#[test]
fn the_sample_is_labelled_well() {
    let folder = CommandFolder::new();
    folder.prints("sample try --dataset cifar-fs --size 20 --labels 3");
    folder.prints("label try/pool.npy --labels try/labels.csv --out out.csv");
    let column = |file: &str| -> Vec<String> {
        folder.read(file).lines().skip(1).map(|l| l.split(',').nth(1).unwrap_or_default().to_owned()).collect()
    };
    let (ours, truth) = (column("out.csv"), column("try/truth.csv"));
    let right = ours.iter().zip(&truth).filter(|(a, b)| a == b).count();
    assert_eq!(ours.len(), 400);
    // Three labels per class of twenty: the plain classifier has about 56 %.
    assert!(right > 265, "{right} of 400");
    folder.refuses("sample t --size 5 --labels 5", 2, &["--labels 5"]);
}

/// `--json` is the result, and progress has its own option.
#[test]
fn results_as_json() {
    let folder = pool();
    for (line, verdicts) in [("label pool.csv --suggest 3", &["given", "trusted"][..]), ("audit pool.csv", &["fits"])] {
        let (printed, said) = outputs(&mut folder.command(&format!("{line} --json --progress json")));
        let result: Value = serde_json::from_str(&printed).unwrap();
        assert_eq!(result["source"], "pool.csv");
        for verdict in verdicts {
            assert!(result["verdicts"][verdict].as_u64().unwrap() > 0, "{result}");
        }
        let stages: Vec<Value> = said.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(stages[0]["stage"], "reading pool.csv", "{said}");
        assert!(stages.len() > 3, "{said}");
        assert!(result["seconds"].as_f64().unwrap() > 0.0);
    }
    assert!(folder.prints_json("check pool.csv --json")["classes"]["auk"].as_u64().unwrap() > 0);
    folder.refuses("label pool.csv --json --out -", 2, &["--json", "--out -"]);
}

/// `trustpath label --out - | head` once ended with an error.
#[cfg(unix)]
#[test]
fn a_reader_that_stops_early_ends_the_command_quietly() {
    let folder = CommandFolder::with([("big.csv", csv(0..4000, 30))]);
    let binary = assert_cmd::cargo::cargo_bin!("trustpath").display();
    for format in ["csv", "tsv", "jsonl", "parquet", "npz", "npy", "safetensors"] {
        let check = format!("'{binary}' check big.csv --out - --out-format {format}");
        let mut bash = Command::new("bash");
        bash.args(["-c", &format!("set -o pipefail; {check} | head -c 1 >/dev/null")]);
        assert_eq!(outputs(bash.current_dir(folder.path(""))).1, "", "{format}");
    }
}

/// Columns of text were refused.
#[test]
fn columns_of_text_are_copied_to_the_result_and_the_report() {
    let text = csv(0..60, 12);
    let lines = text.lines().enumerate().map(|(i, line)| match i {
        0 => format!("{line},page url,taken\n"),
        _ => format!("{line},https://example.org/{i},2024-01-{:02}\n", i % 28 + 1),
    });
    let folder = CommandFolder::with([("p.csv", lines.collect::<String>())]);
    let said = folder.prints("label p.csv --out out.csv --report r.html");
    contains(&said, &["not features: 'page url', 'taken'"]);
    let out = folder.read("out.csv");
    let mut lines = out.lines();
    assert!(lines.next().unwrap().ends_with(",page_url,taken"), "{out}");
    assert!(lines.next().unwrap().ends_with(",https://example.org/1,2024-01-02"), "{out}");
    contains(&folder.read("r.html"), &["page url: https://example.org/1"]);
    folder.prints("label p.csv --out out.csv --carry taken");
    let out = folder.read("out.csv");
    assert!(out.lines().next().unwrap().ends_with(",reason,taken"), "{out}");
    let audited = outputs(folder.command("audit p.csv --out - --carry").arg("page url")).0;
    contains(audited.lines().nth(1).unwrap(), &["https://example.org/"]);
    folder.refuses("label p.csv --carry nosuch", 2, &["no column \"nosuch\""]);
}

#[test]
fn without_labels_it_says_what_to_label_first() {
    // Three groups of twelve around three axes, each with a text.
    let mut pool = String::from("id,a,b,c,note\n");
    for i in 0..36 {
        let x = |axis: usize| f64::from(u8::from(i % 3 == axis)) + 0.05 * ((i * 3 + axis) as f64).sin();
        pool += &format!("r{i},{},{},{},text {i}\n", x(0), x(1), x(2));
    }
    let folder = CommandFolder::with([("p.csv", pool)]);
    folder.refuses("label p.csv", 2, &["p.csv has no labels"]);
    let said = folder.prints("label p.csv --suggest 3 --out first.csv");
    contains(&said, &["No instance has a label yet", "Label first: r"]);
    let table = folder.read("first.csv");
    let mut lines = table.lines();
    assert_eq!(lines.next(), Some("id,label,suggested,origin,note"));
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
    folder.write("first.csv", labels);
    assert_eq!(folder.prints_json("label p.csv --labels first.csv --closed --json")["labelled"], 3);
    let report = "label p.csv --suggest 3 --report r.html";
    folder.refuses(report, 2, &["no instance of p.csv has a label", "--report"]);
    assert!(!folder.path("r.html").exists());
}

#[test]
fn labels_of_chosen_instances_do_not_check_the_promise() {
    let folder = CommandFolder::with([("p.csv", csv(0..90, 0)), ("new.csv", csv(1002..1014, 0))]);
    let labels = |origin: &str| {
        let line = |i: usize| format!("n{i},\"{}\",{origin}\n", CLASSES[i % 3]);
        format!("id,label,origin\n{}", (0..45).map(line).collect::<String>())
    };
    let trusted = |line: &str| folder.prints_json(line)["verdicts"]["trusted"].as_u64();
    for (origin, is_trusted) in [("random", true), ("", true), ("chosen", false)] {
        folder.write("y.csv", labels(origin));
        let label = "label p.csv --labels y.csv --precision 0.7 --json --model m.safetensors --keep-pool";
        assert_eq!(trusted(label).is_some(), is_trusted, "{origin}");
        // The model keeps origins with its pool.
        let updated = trusted("label new.csv --update m.safetensors --precision 0.7 --json");
        assert_eq!(updated.is_some(), is_trusted, "{origin}");
    }
    folder.prints("check p.csv --labels y.csv --out checked.csv");
    assert!(folder.read("checked.csv").starts_with("id,label,origin\nn0,auk,chosen\n"));
    folder.write("y.csv", labels("Spain"));
    for line in ["label p.csv --labels y.csv", "check p.csv --labels y.csv"] {
        folder.refuses(line, 2, &["y.csv", "the origin in row 0 is \"Spain\"", "unknown, random, chosen or blank"]);
    }
    folder.prints("audit p.csv --labels y.csv");
}
