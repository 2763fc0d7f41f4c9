//! The code for large pools gives what the code for small ones gives, on all 12,000 novel pictures of CIFAR-FS.

use trustpath::Features;
use trustpath::label::{LabelParams, Labelling, Limits, Unwatched, Verdict, label};
use trustpath::neighbors::Search;
use trustpath_episodes::{FeatureTable, Split, embedded};

/// Of each class, the first so many have their label given.
const GIVEN: usize = 10;

/// Labels the pool by the first `dims` of its features.
fn run(table: &FeatureTable, dims: usize, limits: Limits) -> Labelling {
    let classes = table.class_names().len();
    let mut seen = vec![0; classes];
    let give = |&label: &usize| {
        seen[label] += 1;
        (seen[label] <= GIVEN).then_some(label)
    };
    let given: Vec<Option<usize>> = table.labels().iter().map(give).collect();
    let values: Vec<f32> =
        (0..table.rows()).flat_map(|row| &table.row(row)[..dims]).copied().collect();
    let features = Features::new(&values[..], table.rows(), dims).unwrap();
    let params = LabelParams { limits, ..LabelParams::default() };
    label(&features, &given, classes, &params, &mut Unwatched).unwrap()
}

fn rows(found: &Labelling, verdict: Verdict) -> Vec<bool> {
    found.verdicts.iter().map(|&v| v == verdict).collect()
}

/// Size of the intersection over that of the union.
fn jaccard(a: &[bool], b: &[bool]) -> f64 {
    let count =
        |f: &dyn Fn(bool, bool) -> bool| a.iter().zip(b).filter(|&(&a, &b)| f(a, b)).count() as f64;
    count(&|a, b| a && b) / count(&|a, b| a || b)
}

#[test]
fn small_and_large_agree_on_twelve_thousand() {
    let table = embedded::load("cifar-fs", Split::Novel).unwrap();
    let blocks = Limits { whole: 0, search: Search::Exact, ..Limits::default() };
    let cells = Limits { search: Search::Cells, ..blocks };
    let parts = Limits { train: 4000, fit: 4000, ..cells };
    let small = run(table, table.dims(), Limits::default());
    let trusted = rows(&small, Verdict::Trusted);
    for (name, limits, same_set, same_labels) in [
        ("read by blocks", blocks, 0.95, 0.97),
        ("and neighbours by cells", cells, 0.95, 0.97),
        ("and fitted to a third", parts, 0.93, 0.97),
    ] {
        let large = run(table, table.dims(), limits);
        let set = jaccard(&trusted, &rows(&large, Verdict::Trusted));
        let equal = small.labels.iter().zip(&large.labels).filter(|(a, b)| a == b).count();
        let labels = equal as f64 / small.labels.len() as f64;
        let recall = large.recall.unwrap();
        println!("{name}: trusted sets {set:.4}, labels {labels:.4}, neighbours {recall:.4}");
        assert!(set > same_set && labels > same_labels, "{name}: {set} {labels}");
    }
}

#[test]
fn where_no_dimension_is_cut_off_they_select_the_same() {
    let table = embedded::load("cifar-fs", Split::Novel).unwrap();
    let small = run(table, 160, Limits::default());
    let blocks = Limits { whole: 0, search: Search::Exact, ..Limits::default() };
    let large = run(table, 160, blocks);
    assert_eq!(large.recall, Some(1.0));
    let differ = small.labels.iter().zip(&large.labels).filter(|(a, b)| a != b).count();
    let set = jaccard(&rows(&small, Verdict::Trusted), &rows(&large, Verdict::Trusted));
    println!("first 160 features: trusted sets {set:.4}, {differ} labels differ");
    // Single precision against double: a tie may fall the other way.
    assert!(differ <= 3 && set > 0.999, "{differ} {set}");
}
