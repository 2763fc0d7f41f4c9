//! Methods other than self-training, through the same command.

use super::*;

#[test]
fn a_method_has_one_accuracy_and_is_compared_in_pairs() {
    let both = small(&["--method", "pt-map", "--against", "method=bd-cspn"]);
    assert_eq!(both["method"]["name"], "pt-map");
    assert!(both["accuracy"]["plain"].is_null() && both["accuracy"]["rounds"].is_null());
    assert_eq!(both["scores"][3]["accuracies"].as_array().unwrap().len(), 1);
    let alone = small(&["--method", "bd-cspn"]);
    let compared = &both["compared"][0];
    assert_eq!(compared["name"], "method=bd-cspn");
    assert_eq!(compared["accuracy"], alone["accuracy"]["final"]);

    let table = stdout(&[&SMALL[..], &["--method", "pt-map"]].concat());
    assert!(table.contains("pt-map, with its published parameters"), "{table}");
    assert!(!table.contains("plain") && !table.contains("round"), "{table}");
    let csv = stdout(&[&SMALL[..], &["--method", "pt-map", "--csv"]].concat());
    assert_eq!(csv.lines().count(), 2, "{csv}");
}

#[test]
fn the_plain_classifier_is_the_start_of_self_training() {
    for setting in ["inductive", "transductive", "semi"] {
        let run = |options: &[&str]| small(&[&["--setting", setting], options].concat());
        let (plain, icir) = (run(&["--method", "plain"]), run(&["--method", "icir"]));
        assert_eq!(plain["accuracy"]["final"], icir["accuracy"]["plain"], "{setting}");
        assert_eq!(icir["scores"], run(&[])["scores"], "{setting}");
        let against = run(&["--method", "simpleshot", "--against", "plain"]);
        assert_eq!(against["compared"][0]["accuracy"], plain["accuracy"]["final"], "{setting}");
    }
    let table = stdout(&[&SMALL[..], &["--method", "plain"]].concat());
    assert!(table.contains("plain: logistic regression on the labelled instances"), "{table}");
}

#[test]
fn every_number_of_threads_and_a_journal_give_the_same() {
    let folder = tempfile::tempdir().unwrap();
    for method in ["laplacianshot", "soft-kmeans", "laplace-learning"] {
        let journal = text(&folder.path().join(method));
        let run = |more: &[&str]| {
            let options = ["--method", method, "--setting", "semi", "--dirichlet", "inf"];
            small(&[&options, more].concat())
        };
        let first = run(&["--threads", "1", "--journal", &journal]);
        assert_eq!(first, run(&["--threads", "2"]), "{method}");
        assert_eq!(first, run(&["--journal", &journal, "--resume"]), "{method}");
    }
}

/// Pool and shots, and the names and accuracies of the methods.
type Cell = (String, u64, Vec<(String, Value)>);

/// The cells of a table of all methods.
fn cells(result: &Value) -> Vec<Cell> {
    let row = |row: &Value| (row["name"].as_str().unwrap().to_owned(), row["accuracy"].clone());
    let cells = result["cells"].as_array().unwrap().iter().map(|cell| {
        let rows = cell["methods"].as_array().unwrap().iter().map(row).collect();
        (cell["pool"].as_str().unwrap().to_owned(), cell["shot"].as_u64().unwrap(), rows)
    });
    cells.collect()
}

#[test]
fn all_methods_stand_side_by_side_on_the_same_episodes() {
    // Five classes in few dimensions: most methods are slow in the 512 of the embedded features.
    let mut csv = String::from("a,b,c,d,e,f,label\n");
    for row in 0..500 {
        let value =
            |column| f64::from(u8::from(row % 5 == column)) + ((row * 7 + column * 3) as f64).sin();
        let values: Vec<String> = (0..6).map(|column| format!("{:.4}", value(column))).collect();
        csv += &format!("{},c{}\n", values.join(","), row % 5);
    }
    let folder = folder_with(&[("corners.csv", csv.as_bytes())]);
    let features = text(&folder.path().join("corners.csv"));
    let journal = text(&folder.path().join("all"));
    let all = ["bench", "--method", "all", "--features", &features, "--episodes", "2"];
    let result = json(&[&all[..], &["--journal", &journal]].concat());
    let cells = cells(&result);
    let kinds: Vec<(&str, u64)> = cells.iter().map(|c| (c.0.as_str(), c.1)).collect();
    let expected = [("balanced", 1), ("balanced", 5), ("Dirichlet(2)", 1), ("Dirichlet(2)", 5)];
    assert_eq!(kinds, expected);
    for (pool, shot, rows) in &cells {
        assert_eq!(rows.len(), 20, "{pool} {shot}");
        let means: Vec<f64> = rows.iter().map(|row| row.1["mean"].as_f64().unwrap()).collect();
        assert!(means.windows(2).all(|w| w[0] >= w[1]), "the best comes first: {means:?}");
    }
    let alone = json(&["bench", "--features", &features, "--episodes", "2", "--method", "pt-map"]);
    let pt_map = cells[0].2.iter().find(|row| row.0 == "pt-map").unwrap();
    assert_eq!(pt_map.1, alone["accuracy"]["final"]);
    assert!(result["cells"][0]["methods"][0]["difference"].is_null());
    assert!(result["cells"][0]["methods"][19]["difference"]["mean"].as_f64().unwrap() <= 0.0);

    // The same from its journals, as csv and as a table.
    let resumed = [&all[..], &["--journal", &journal, "--resume"]].concat();
    let csv = stdout(&[&resumed[..], &["--csv"]].concat());
    assert_eq!(csv.lines().count(), 1 + 4 * 20);
    let table = stdout(&resumed);
    assert!(table.contains("to the best") && table.contains("Dirichlet(2)"), "{table}");
}

#[test]
fn a_list_gives_all_episodes() {
    let list = list("cub-1shot-transductive");
    let options = ["bench", "--method", "all", "--episode-list", &list, "--episodes", "2"];
    let cells = cells(&json(&options));
    assert_eq!((cells.len(), cells[0].0.as_str(), cells[0].1), (1, "transductive", 1));
}
