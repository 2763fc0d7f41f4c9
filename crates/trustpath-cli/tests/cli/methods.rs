//! Methods other than self-training, through the same command.

use super::*;

#[test]
fn a_method_has_one_accuracy_and_is_compared_in_pairs() {
    let both = small("--method pt-map --against method=bd-cspn");
    assert_eq!(both["method"]["name"], "pt-map");
    assert!(both["accuracy"]["plain"].is_null() && both["accuracy"]["rounds"].is_null());
    assert_eq!(both["scores"][3]["accuracies"].as_array().unwrap().len(), 1);
    let compared = &both["compared"][0];
    assert_eq!(compared["name"], "method=bd-cspn");
    assert_eq!(compared["accuracy"], small("--method bd-cspn")["accuracy"]["final"]);

    let table = stdout(&format!("{SMALL} --method pt-map"));
    contains(&table, &["pt-map, with its published parameters"]);
    assert!(!table.contains("plain") && !table.contains("round"), "{table}");
    assert_eq!(stdout(&format!("{SMALL} --method pt-map --csv")).lines().count(), 2);
}

#[test]
fn the_plain_classifier_is_the_start_of_self_training() {
    for setting in ["inductive", "transductive", "semi"] {
        let run = |options: &str| small(&format!("--setting {setting} {options}"));
        let (plain, icir) = (run("--method plain"), run("--method icir"));
        assert_eq!(plain["accuracy"]["final"], icir["accuracy"]["plain"], "{setting}");
        assert_eq!(icir["scores"], run("")["scores"], "{setting}");
        let against = run("--method simpleshot --against plain");
        assert_eq!(against["compared"][0]["accuracy"], plain["accuracy"]["final"], "{setting}");
    }
    let table = stdout(&format!("{SMALL} --method plain"));
    contains(&table, &["plain: logistic regression on the labelled instances"]);
}

#[test]
fn every_number_of_threads_and_a_journal_give_the_same() {
    let folder = CommandFolder::new();
    for method in ["laplacianshot", "soft-kmeans", "laplace-learning"] {
        let journal = format!("--journal {}", folder.at(method));
        let run = |more: &str| small(&format!("--method {method} --setting semi --dirichlet inf {more}"));
        let first = run(&format!("--threads 1 {journal}"));
        assert_eq!(first, run("--threads 2"), "{method}");
        assert_eq!(first, run(&format!("{journal} --resume")), "{method}");
    }
}

/// Pool and shots, and the names and accuracies of the methods.
type MethodsOfCell = (String, u64, Vec<(String, Value)>);

/// The cells of a table of all methods.
fn cells(result: &Value) -> Vec<MethodsOfCell> {
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
        let value = |column| f64::from(u8::from(row % 5 == column)) + ((row * 7 + column * 3) as f64).sin();
        let values: Vec<String> = (0..6).map(|column| format!("{:.4}", value(column))).collect();
        csv += &format!("{},c{}\n", values.join(","), row % 5);
    }
    let folder = CommandFolder::with([("corners.csv", csv)]);
    let corners = format!("bench --features {} --episodes 2", folder.at("corners.csv"));
    let all = format!("{corners} --method all --journal {}", folder.at("all"));
    let result = json(&all);
    let cells = cells(&result);
    let kinds: Vec<(&str, u64)> = cells.iter().map(|c| (c.0.as_str(), c.1)).collect();
    assert_eq!(kinds, [("balanced", 1), ("balanced", 5), ("Dirichlet(2)", 1), ("Dirichlet(2)", 5)]);
    for (pool, shot, rows) in &cells {
        assert_eq!(rows.len(), 20, "{pool} {shot}");
        let means: Vec<f64> = rows.iter().map(|row| row.1["mean"].as_f64().unwrap()).collect();
        assert!(means.is_sorted_by(|a, b| a >= b), "the best comes first: {means:?}");
    }
    let alone = json(&format!("{corners} --method pt-map"));
    let pt_map = cells[0].2.iter().find(|row| row.0 == "pt-map").unwrap();
    assert_eq!(pt_map.1, alone["accuracy"]["final"]);
    assert!(result["cells"][0]["methods"][0]["difference"].is_null());
    assert!(result["cells"][0]["methods"][19]["difference"]["mean"].as_f64().unwrap() <= 0.0);

    // The same from its journals, as csv and as a table.
    assert_eq!(stdout(&format!("{all} --resume --csv")).lines().count(), 1 + 4 * 20);
    contains(&stdout(&format!("{all} --resume")), &["to the best", "Dirichlet(2)"]);
}

#[test]
fn a_list_gives_all_episodes() {
    let list = list("cub-1shot-transductive");
    let cells = cells(&json(&format!("bench --method all --episode-list {list} --episodes 2")));
    assert_eq!((cells.len(), cells[0].0.as_str(), cells[0].1), (1, "transductive", 1));
}
