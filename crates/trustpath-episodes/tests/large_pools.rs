//! The code for large pools gives what the code for small ones gives, on all 12,000 novel pictures of CIFAR-FS.

use trustpath::Features;
use trustpath::label::{LabelParams, Labelling, Limits, Unwatched, Verdict, label};
use trustpath_episodes::{FeatureTable, Split, embedded};

/// Of each class, the first so many have their label given.
const GIVEN: usize = 10;

fn run(table: &FeatureTable, limits: Limits) -> Labelling {
    let classes = table.class_names().len();
    let mut seen = vec![0; classes];
    let give = |&label: &usize| {
        seen[label] += 1;
        (seen[label] <= GIVEN).then_some(label)
    };
    let given: Vec<Option<usize>> = table.labels().iter().map(give).collect();
    let features = Features::new(table.features(), table.rows(), table.dims()).unwrap();
    let params = LabelParams { limits, ..LabelParams::default() };
    label(&features, &given, classes, &params, &mut Unwatched).unwrap()
}

fn rows(found: &Labelling, verdict: Verdict) -> Vec<bool> {
    found.verdicts.iter().map(|&v| v == verdict).collect()
}

/// Size of the intersection over that of the union.
fn jaccard(a: &[bool], b: &[bool]) -> f64 {
    let count = |f: &dyn Fn(bool, bool) -> bool| {
        a.iter().zip(b).filter(|&(&a, &b)| f(a, b)).count() as f64
    };
    count(&|a, b| a && b) / count(&|a, b| a || b)
}

#[test]
fn small_and_large_agree_on_twelve_thousand() {
    let table = embedded::load("cifar-fs", Split::Novel).unwrap();
    let small = run(table, Limits::default());
    let trusted = rows(&small, Verdict::Trusted);
    let parts = Limits { whole: 0, train: 4000, fit: 4000, ..Limits::default() };
    for (name, limits, same_set, same_labels) in [
        ("blocks, fitted to all", Limits { whole: 0, ..Limits::default() }, 0.98, 0.99),
        ("blocks, fitted to a third", parts, 0.95, 0.98),
    ] {
        let large = run(table, limits);
        let set = jaccard(&trusted, &rows(&large, Verdict::Trusted));
        let equal = small.labels.iter().zip(&large.labels).filter(|(a, b)| a == b).count();
        let labels = equal as f64 / small.labels.len() as f64;
        println!("{name}: trusted sets {set:.4}, labels {labels:.4}");
        assert!(set > same_set && labels > same_labels, "{name}: {set} {labels}");
    }
}
