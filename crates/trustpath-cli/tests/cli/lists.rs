//! Lists of fixed episodes.

use std::fs::File;

use trustpath_bench::embedded;
use trustpath_table::npy;

use super::*;

/// The features on which the official code was run, as arrays in a folder.
fn reference(dataset: &str, folder: &CommandFolder) -> String {
    let file = format!("trustpath-bench/tests/reference/{dataset}-novel.safetensors.split.gz");
    let table = embedded::unpacked(&fs::read(of_crate(&file)).unwrap(), dataset.into()).unwrap();
    let (rows, dims) = (table.rows(), table.dims());
    let create = |name: &str| File::create(folder.path(name)).unwrap();
    npy::write_f32(&mut create("novel.npy"), &[rows, dims], table.features()).unwrap();
    let classes: Vec<i32> = table.labels().iter().map(|&label| label as i32).collect();
    npy::write_i32(&mut create("novel-labels.npy"), &[rows], &classes).unwrap();
    folder.at("novel.npy")
}

#[test]
fn a_list_is_compared_with_the_official_scores() {
    let folder = CommandFolder::new();
    let (list, features) = (list("cub-1shot-transductive"), reference("cub", &folder));
    let result = json(&format!("bench --episode-list {list} --features {features} --compat"));
    assert_eq!(result["method"]["compat"], true);
    let names: Vec<&Value> = result["compared"].as_array().unwrap().iter().map(|c| &c["name"]).collect();
    assert_eq!(names, ["official icic", "official icir", "official lr"]);
    // The means of the list's README.
    let [_, icir, lr] = [0, 1, 2].map(|i| &result["compared"][i]);
    assert!((icir["accuracy"]["mean"].as_f64().unwrap() - 0.8797).abs() < 5e-5);
    assert!((lr["accuracy"]["mean"].as_f64().unwrap() - 0.7977).abs() < 5e-5);
    // The same classifier, and the same method within the paired interval.
    let difference = |compared: &Value, key: &str| compared["difference"][key].as_f64().unwrap();
    assert!(difference(lr, "mean").abs() < 1e-3);
    assert!(difference(icir, "mean").abs() <= difference(icir, "half_width"));
}

#[test]
fn coordinates_take_the_place_of_a_reduction() {
    let folder = CommandFolder::new();
    let (list, features) = (list("cub-1shot-transductive"), reference("cub", &folder));
    let bench = format!("bench --episode-list {list} --features {features} --episodes 5");
    let coordinates = format!("--coordinates {list}/official-lle.npy");
    let given = json(&format!("{bench} --compat {coordinates}"));
    assert_ne!(given["scores"], json(&format!("{bench} --compat"))["scores"]);
    contains(given["episodes"].as_str().unwrap(), &["ranked by the coordinates of"]);
    refused(&format!("{bench} {coordinates} --method pt-map"), 2, &["choose --method icir or icic"]);
    refused(&format!("{bench} --coordinates {features}"), 2, &["coordinates have three axes"]);
}

#[test]
fn exported_episodes_come_back_as_they_were() {
    let folder = CommandFolder::new();
    let place = folder.at("list");
    let options = "--dataset cub --setting semi --unlabeled left:40 --distractors 1:3";
    let drawn = small(&format!("{options} --export-episodes {place}"));
    let listed = json(&format!("bench --episode-list {place}"));
    assert_eq!(listed["scores"], drawn["scores"]);
    let beginning = json(&format!("bench --episode-list {place} --episodes 3"));
    let scores = |run: &Value| run["scores"].as_array().unwrap().clone();
    assert_eq!(scores(&beginning), scores(&drawn)[..3]);
}
