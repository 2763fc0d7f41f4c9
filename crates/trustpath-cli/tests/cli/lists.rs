//! Lists of fixed episodes.

use std::fs::File;

use trustpath_bench::embedded;
use trustpath_table::npy;

use super::*;

/// The features on which the official code was run, as arrays in a folder.
fn reference(dataset: &str, folder: &Path) -> String {
    let file = format!("../trustpath-bench/tests/reference/{dataset}-novel.safetensors.split.gz");
    let packed = fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join(file)).unwrap();
    let table = embedded::unpacked(&packed, dataset.into()).unwrap();
    let (rows, dims) = (table.rows(), table.dims());
    let (features, labels) = (folder.join("novel.npy"), folder.join("novel-labels.npy"));
    let mut file = File::create(&features).unwrap();
    npy::write_f32(&mut file, &[rows, dims], table.features()).unwrap();
    let classes: Vec<i32> = table.labels().iter().map(|&label| label as i32).collect();
    npy::write_i32(&mut File::create(&labels).unwrap(), &[rows], &classes).unwrap();
    text(&features)
}

#[test]
fn a_list_is_compared_with_the_official_scores() {
    let list = list("cub-1shot-transductive");
    let folder = tempfile::tempdir().unwrap();
    let features = reference("cub", folder.path());
    let result = json(&["bench", "--episode-list", &list, "--features", &features, "--compat"]);
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
    let list = list("cub-1shot-transductive");
    let folder = tempfile::tempdir().unwrap();
    let features = reference("cub", folder.path());
    let coordinates = format!("{list}/official-lle.npy");
    let base = ["bench", "--episode-list", &list, "--features", &features, "--episodes", "5"];
    let run = |more: &[&str]| json(&[&base[..], more].concat());
    let given = run(&["--compat", "--coordinates", &coordinates]);
    assert_ne!(given["scores"], run(&["--compat"])["scores"]);
    assert!(given["episodes"].as_str().unwrap().contains("ranked by the coordinates of"));
    for (more, expected) in [
        (&["--coordinates", &coordinates, "--method", "pt-map"][..], "choose --method icir or icic"),
        (&["--coordinates", &features], "coordinates have three axes"),
    ] {
        fails(trustpath().args([&base[..], more].concat()), 2, &[expected]);
    }
}

#[test]
fn exported_episodes_come_back_as_they_were() {
    let folder = tempfile::tempdir().unwrap();
    let place = text(&folder.path().join("list"));
    let options = ["--dataset", "cub", "--setting", "semi", "--unlabeled", "left:40", "--distractors", "1:3"];
    let drawn = small(&[&options[..], &["--export-episodes", &place]].concat());
    let listed = json(&["bench", "--episode-list", &place]);
    assert_eq!(listed["scores"], drawn["scores"]);
    let beginning = json(&["bench", "--episode-list", &place, "--episodes", "3"]);
    let scores = |run: &Value| run["scores"].as_array().unwrap().clone();
    assert_eq!(scores(&beginning), scores(&drawn)[..3]);
}
