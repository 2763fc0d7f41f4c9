//! `trustpath bench` on episodes of self-training.

use super::*;

fn mean(value: &Value) -> f64 {
    value["mean"].as_f64().unwrap()
}

#[test]
fn rounds_gain_over_the_plain_classifier() {
    let result = json("bench --episodes 40");
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
    let line = "bench --episodes 8 --dataset cub --shot 5 --against plain";
    let result = json(line);
    let last = &result["accuracy"]["final"];
    let head = "cub (novel classes): 5-way 5-shot, transductive, 15 queries per class";
    contains(&stdout(line), &[head, &format!("{:.2} ± ", 100.0 * mean(last)), "episodes per second"]);
    let csv = stdout(&format!("{line} --csv"));
    let row = csv.lines().find(|line| line.starts_with("final,")).unwrap();
    assert_eq!(row, format!("final,{},{},8", mean(last), last["half_width"]));
    // Against the plain classifier the difference is the gain.
    assert_eq!(result["compared"][0]["difference"], result["accuracy"]["gain"]);
}

#[test]
fn every_number_of_threads_gives_the_same_bits() {
    for options in [
        "--model icic --penalty elementwise",
        "--setting semi --unlabeled left:20 --distractors 2:5 --cap 10",
        "--selector ra --dirichlet 2 --against selector=cn",
    ] {
        let run = |threads| small(&format!("{options} --threads {threads}"));
        assert_eq!(run(1), run(2), "{options}");
    }
}

#[test]
fn another_seed_gives_other_episodes() {
    let scores = |seed| small(&format!("--seed {seed}"))["scores"].take();
    assert_eq!(scores(5), scores(5));
    assert_ne!(scores(5), scores(6));
}

/// All six rows of a table are in every episode.
const TINY: &str = "bench --way 3 --shot 1 --queries 1 --reduction none --episodes 5";

#[test]
fn every_format_is_read() {
    let result = |features: &str, labels: Option<&str>| {
        let labels = labels.map_or(String::new(), |labels| format!("--labels {}", table(labels)));
        let mut result = json(&format!("{TINY} --features {} {labels}", table(features)));
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
    let [inductive, transductive, semi] =
        ["inductive", "transductive", "semi"].map(|setting| small(&format!("--setting {setting}")));
    // The same seed draws the same queries in each setting, so the plain classifier is the same.
    assert_eq!(inductive["accuracy"]["plain"], transductive["accuracy"]["plain"]);
    assert_eq!(inductive["accuracy"]["plain"], semi["accuracy"]["plain"]);
    assert_eq!(inductive["accuracy"]["rounds"].as_array().unwrap().len(), 0);
    assert_eq!(inductive["accuracy"]["gain"]["mean"], 0.0);
    // One round takes five of each class, so a cap of five shows from the second on.
    let capped = small("--setting semi --cap 5");
    assert_eq!(capped["accuracy"]["rounds"][0], semi["accuracy"]["rounds"][0]);
    assert_ne!(capped["accuracy"]["final"], semi["accuracy"]["final"]);
}

#[test]
fn a_second_method_runs_on_the_same_episodes() {
    let both = small("--against selector=co,step=3");
    let alone = small("--selector co --step 3");
    let compared = &both["compared"][0];
    assert_eq!(compared["name"], "selector=co,step=3");
    assert_eq!(compared["accuracy"], alone["accuracy"]["final"]);
    let difference = mean(&both["accuracy"]["final"]) - mean(&alone["accuracy"]["final"]);
    assert!((mean(&compared["difference"]) - difference).abs() < 1e-12);
}
