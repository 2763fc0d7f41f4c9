//! What `label` promises is kept on average: over a hundred draws of every kind of pool the share of wrong labels among the
//! trusted ones is at most what was asked for, up to two standard errors. The example `trust_quality` has larger pools.

#[path = "../../examples/trust_quality/cases.rs"]
mod cases;

use cases::{Case, Given};
use rayon::prelude::*;
use trustpath::label::Verdict;
use trustpath::spec::LabelSpec;
use trustpath::{Features, label};
use trustpath_bench::{Split, embedded};

const DRAWS: u64 = 100;
const TARGET: f64 = 0.8;

/// Small pools of either embedded dataset: eight classes of twenty instances.
const SMALL: Case = Case {
    name: "eight classes, 5 each",
    classes: 8,
    given: Given::Each(5),
    missing: 0.0,
    long_tailed: false,
    per_class: 20,
};

/// Wrong share among the trusted, share of the pool that is trusted, and share of the labelled classes' instances that are taken
/// to be none of these.
fn outcome(dataset: &str, case: &Case, seed: u64) -> (f64, f64, f64) {
    let table = embedded::load(dataset, Split::Validation).unwrap();
    let draw = case.draw(table, seed).unwrap();
    let features = Features::new(&draw.values[..], draw.truth.len(), table.dims()).unwrap();
    let spec = LabelSpec { precision: Some(TARGET), seed, ..LabelSpec::default() };
    let found = label(&features, &draw.given).classes(draw.classes).spec(&spec).run().unwrap();
    let open: Vec<usize> = (0..draw.truth.len()).filter(|&i| draw.given[i].is_none()).collect();
    let trusted = &found.trusted.rows;
    assert!(trusted.iter().all(|&i| found.verdicts[i] == Verdict::Trusted));
    let wrong = trusted.iter().filter(|&&i| found.labels[i] != Some(draw.truth[i])).count();
    let known: Vec<usize> = open.iter().copied().filter(|&i| draw.truth[i] < draw.classes).collect();
    let alarms = known.iter().filter(|&&i| found.verdicts[i] == Verdict::NoneOfThese).count();
    let of = |part: usize, all: usize| part as f64 / all.max(1) as f64;
    (of(wrong, trusted.len()), of(trusted.len(), open.len()), of(alarms, known.len()))
}

/// Mean and standard error.
fn mean(values: impl Iterator<Item = f64> + Clone) -> (f64, f64) {
    let n = values.clone().count() as f64;
    let mean = values.clone().sum::<f64>() / n;
    let variance = values.map(|v| (v - mean).powi(2)).sum::<f64>() / (n - 1.0);
    (mean, (variance / n).sqrt())
}

fn check(case: Case, least_coverage: f64) {
    let one = |seed: u64| outcome(embedded::DATASETS[seed as usize % 2], &case, seed);
    let draws: Vec<(f64, f64, f64)> = (0..DRAWS).into_par_iter().map(one).collect();
    let (wrong, error) = mean(draws.iter().map(|draw| draw.0));
    let (coverage, _) = mean(draws.iter().map(|draw| draw.1));
    let (alarms, _) = mean(draws.iter().map(|draw| draw.2));
    let name = case.name;
    println!("{name}: {wrong:.3} ± {error:.3} wrong of {coverage:.2}, alarms {alarms:.3}");
    assert!(wrong <= 1.0 - TARGET + 2.0 * error, "{name}: {wrong} ± {error}");
    assert!(coverage >= least_coverage, "{name}: only {coverage} trusted");
    assert!(alarms < 0.1, "{name}: {alarms} taken for none of these");
}

#[test]
fn with_as_many_labels_of_each_class() {
    check(SMALL, 0.4);
}

#[test]
fn with_a_random_sample() {
    check(Case { name: "random sample", given: Given::Random(5), ..SMALL }, 0.2);
}

#[test]
fn with_pools_of_other_balance_than_the_labels() {
    check(Case { name: "1:10", long_tailed: true, per_class: 40, ..SMALL }, 0.4);
}

#[test]
fn with_one_label_in_half_of_the_classes() {
    check(Case { name: "half of the classes one label", given: Given::HalfOne, ..SMALL }, 0.0);
}

#[test]
fn with_classes_that_have_no_label() {
    check(Case { name: "a quarter of the classes missing", missing: 0.25, ..SMALL }, 0.05);
}

#[test]
fn with_labels_picked_for_being_typical() {
    check(Case { name: "typical labels", given: Given::Typical(5), per_class: 40, ..SMALL }, 0.0);
}

#[test]
fn with_five_classes() {
    check(Case { name: "five classes", classes: 5, ..SMALL }, 0.2);
}

#[test]
fn with_one_label_of_each_class_nothing_is_promised() {
    let case = Case { given: Given::Each(1), ..SMALL };
    for dataset in embedded::DATASETS {
        assert!((0..5).all(|seed| outcome(dataset, &case, seed).1 == 0.0));
    }
}
