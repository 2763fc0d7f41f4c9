//! The code for large pools gives the results of the code for small ones, on novel images of CIFAR-FS.

use trustpath::label::{Labelling, Verdict};
use trustpath::neighbors::Search;
use trustpath::spec::LabelSpec;
use trustpath::{Features, Limits, label};
use trustpath_episodes::{FeatureTable, Split, embedded};

/// Given labels per class.
const GIVEN: usize = 10;
/// Rows per class; the dataset has 600.
const ROWS: usize = 100;

/// Labels a pool of this number of rows per class by the first `dims` of their features.
fn run(table: &FeatureTable, per_class: usize, dims: usize, limits: Limits) -> Labelling {
    let members = table.members().iter().enumerate();
    let (values, given): (Vec<&[f32]>, Vec<Option<usize>>) = members
        .flat_map(|(class, rows)| rows.iter().take(per_class).enumerate().map(move |r| (class, r)))
        .map(|(class, (i, &row))| (&table.row(row)[..dims], (i < GIVEN).then_some(class)))
        .unzip();
    let values = values.concat();
    let features = Features::new(&values[..], given.len(), dims).unwrap();
    // Only self-training in memory reads the similarity graph.
    let limits = Limits { graph_labels: 0, ..limits };
    // The folds only serve the estimate of precision. In large pools the graph that unknown classes are found on has other
    // neighbours.
    let spec = LabelSpec { folds: 2, closed: true, precision: Some(0.8), ..LabelSpec::default() };
    label(&features, &given).spec(&spec).limits(limits).run().unwrap()
}

/// How far two labellings agree: intersection over union of the trusted sets, and the share of equal labels.
fn agreement(small: &Labelling, large: &Labelling) -> (f64, f64) {
    let trusted = |found: &Labelling, i: usize| found.verdicts[i] == Verdict::Trusted;
    let rows = 0..small.labels.len();
    let both = rows.clone().filter(|&i| trusted(small, i) && trusted(large, i)).count();
    let either = rows.clone().filter(|&i| trusted(small, i) || trusted(large, i)).count();
    let equal = rows.clone().filter(|&i| small.labels[i] == large.labels[i]).count();
    (both as f64 / either as f64, equal as f64 / rows.len() as f64)
}

/// Reads the pool by blocks; then also finds neighbours by cells; then also fits to a part of the rows.
fn agrees(per_class: usize, part: usize) {
    let table = embedded::load("cifar-fs", Split::Novel).unwrap();
    let blocks = Limits { in_memory: 0, search: Search::Exact, ..Limits::default() };
    let cells = Limits { search: Search::Cells, ..blocks };
    let parts = Limits { train: part, fit: part, ..cells };
    let small = run(table, per_class, table.dims(), Limits::default());
    for (name, limits, same_set, same_labels) in [
        ("read by blocks", blocks, 0.95, 0.97),
        ("and neighbours by cells", cells, 0.95, 0.97),
        ("and fitted to a part", parts, 0.93, 0.97),
    ] {
        let large = run(table, per_class, table.dims(), limits);
        let (set, labels) = agreement(&small, &large);
        let recall = large.recall.unwrap();
        println!("{name}: trusted sets {set:.4}, labels {labels:.4}, neighbours {recall:.4}");
        assert!(set > same_set && labels > same_labels, "{name}: {set} {labels}");
    }
}

#[test]
fn small_and_large_pools_agree() {
    agrees(ROWS, 1500);
}

/// The figures of `docs/scale.md`.
#[test]
#[ignore = "takes minutes without optimisation"]
fn small_and_large_pools_agree_on_all_12000_images() {
    agrees(600, 4000);
}

#[test]
fn results_are_the_same_where_no_dimension_is_cut_off() {
    let table = embedded::load("cifar-fs", Split::Novel).unwrap();
    let small = run(table, ROWS, 160, Limits::default());
    let blocks = Limits { in_memory: 0, search: Search::Exact, ..Limits::default() };
    let large = run(table, ROWS, 160, blocks);
    assert_eq!(large.recall, Some(1.0));
    let (set, labels) = agreement(&small, &large);
    println!("first 160 features: trusted sets {set:.4}, labels {labels:.4}");
    // Single precision against double: a tie may be broken the other way.
    assert!(set > 0.999 && labels > 0.999, "{set} {labels}");
}
