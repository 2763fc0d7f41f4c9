//! `trustpath bench` on episodes of self-training.

use super::*;

fn mean(value: &Value) -> f64 {
    value["mean"].as_f64().unwrap()
}

#[test]
fn rounds_gain_over_the_plain_classifier() {
    let result = json(&["bench", "--episodes", "40"]);
    let accuracy = &result["accuracy"];
    let rounds = accuracy["rounds"].as_array().unwrap();
    let (plain, last) = (mean(&accuracy["plain"]), mean(&accuracy["final"]));
    assert!(rounds.len() >= 3 && mean(rounds.last().unwrap()) == last);
    assert!((mean(&accuracy["gain"]) - (last - plain)).abs() < 1e-12);
    assert!(last > plain && plain > 0.7, "{plain} {last}");
    assert_eq!(result["scores"].as_array().unwrap().len(), 40);
    assert_eq!(result["scores"][39]["episode"], 39);
    assert_eq!(result["method"]["model"], "icir");
}

#[test]
fn the_three_outputs_say_the_same() {
    let options = ["bench", "--episodes", "8", "--dataset", "cub", "--shot", "5", "--against", "plain"];
    let result = json(&options);
    let last = &result["accuracy"]["final"];
    let table = stdout(&options);
    assert!(table.contains("cub (novel classes): 5-way 5-shot, transductive, 15 queries per class"));
    assert!(table.contains(&format!("{:.2} ± ", 100.0 * mean(last))), "{table}");
    assert!(table.contains("episodes per second"));
    let csv = stdout(&[&options[..], &["--csv"]].concat());
    let row = csv.lines().find(|line| line.starts_with("final,")).unwrap();
    assert_eq!(row, format!("final,{},{},8", mean(last), last["half_width"]));
    // Against the plain classifier the difference is the gain.
    assert_eq!(result["compared"][0]["difference"], result["accuracy"]["gain"]);
}

#[test]
fn every_number_of_threads_gives_the_same_bits() {
    for options in [
        &["--model", "icic", "--penalty", "elementwise"][..],
        &["--setting", "semi", "--unlabeled", "left:20", "--distractors", "2:5", "--cap", "10"],
        &["--selector", "ra", "--dirichlet", "2", "--against", "selector=cn"],
    ] {
        let run = |threads| small(&[options, &["--threads", threads]].concat());
        assert_eq!(run("1"), run("2"), "{options:?}");
    }
}

#[test]
fn another_seed_gives_other_episodes() {
    let scores = |seed| small(&["--seed", seed])["scores"].take();
    assert_eq!(scores("5"), scores("5"));
    assert_ne!(scores("5"), scores("6"));
}

/// All six rows of a table are in every episode.
const TINY: &str = "bench --way 3 --shot 1 --queries 1 --reduction none --episodes 5";

#[test]
fn every_format_is_read() {
    let result = |features: &str, labels: Option<&str>| {
        let (features, labels) = (table(features), labels.map(table));
        let mut args: Vec<&str> = TINY.split(' ').collect();
        args.extend(["--features", &features]);
        args.extend(labels.iter().flat_map(|labels| ["--labels", labels]));
        let mut result = json(&args);
        result["features"].take();
        result
    };
    // Classes that are named in the file keep its order, others are sorted.
    let named = result("stored.npz", None);
    assert_eq!(result("f32.safetensors", None), named);
    let sorted = result("plain.csv", None);
    for (features, labels) in [
        ("pandas.parquet", None),
        ("tabs.tsv", None),
        ("deflated.npz", None),
        ("f4.npy", Some("y-text.npy")),
        ("f8.npy", Some("y.txt")),
    ] {
        assert_eq!(result(features, labels), sorted, "{features}");
    }
    assert_eq!(named["accuracy"]["plain"]["episodes"], 5);
}

#[test]
fn settings_differ_as_they_should() {
    let (inductive, semi) = (small(&["--setting", "inductive"]), small(&["--setting", "semi"]));
    let transductive = small(&[]);
    // The same seed draws the same queries in each setting, so the plain classifier is the same.
    assert_eq!(inductive["accuracy"]["plain"], transductive["accuracy"]["plain"]);
    assert_eq!(inductive["accuracy"]["plain"], semi["accuracy"]["plain"]);
    assert_eq!(inductive["accuracy"]["rounds"].as_array().unwrap().len(), 0);
    assert_eq!(inductive["accuracy"]["gain"]["mean"], 0.0);
    // One round takes five of each class, so a cap of five shows from the second on.
    let capped = small(&["--setting", "semi", "--cap", "5"]);
    assert_eq!(capped["accuracy"]["rounds"][0], semi["accuracy"]["rounds"][0]);
    assert_ne!(capped["accuracy"]["final"], semi["accuracy"]["final"]);
}

#[test]
fn a_second_method_runs_on_the_same_episodes() {
    let both = small(&["--against", "selector=co,step=3"]);
    let alone = small(&["--selector", "co", "--step", "3"]);
    let compared = &both["compared"][0];
    assert_eq!(compared["name"], "selector=co,step=3");
    assert_eq!(compared["accuracy"], alone["accuracy"]["final"]);
    let difference = mean(&both["accuracy"]["final"]) - mean(&alone["accuracy"]["final"]);
    assert!((mean(&compared["difference"]) - difference).abs() < 1e-12);
}
