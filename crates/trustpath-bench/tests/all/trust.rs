//! What `label` promises holds on average: over a hundred draws of every kind of pool the share of wrong labels among
//! the trusted ones is at most what was asked for, up to two standard errors. The example `trust_quality` has larger
//! pools.

#[path = "../../examples/trust_quality/cases.rs"]
mod cases;

use cases::{Given, PoolCase};
use rayon::prelude::*;
use trustpath::label::Verdict;
use trustpath::spec::LabelSpec;
use trustpath_bench::pools::share;
use trustpath_bench::stats::MeanEstimate;
use trustpath_bench::{Split, embedded};

const DRAWS: u64 = 100;
const TARGET: f64 = 0.8;

/// Small pools of either embedded dataset: eight classes of twenty instances.
const SMALL: PoolCase = PoolCase {
    name: "eight classes, 5 each",
    classes: 8,
    given: Given::Each(5),
    missing: 0.0,
    long_tailed: false,
    per_class: 20,
};

/// Wrong share among the trusted, share of the pool that is trusted, and share of the labelled classes' instances that are taken
/// to be none of these.
fn outcome(dataset: &str, case: &PoolCase, seed: u64) -> [f64; 3] {
    let table = embedded::load(dataset, Split::Validation).unwrap();
    let pool = case.draw(table, seed).unwrap();
    let labelling = pool.label(&LabelSpec { precision: Some(TARGET), seed, ..LabelSpec::default() }).unwrap();
    let trusted = &labelling.trusted.rows;
    assert!(trusted.iter().all(|&i| labelling.verdicts[i] == Verdict::Trusted));
    let open = pool.open();
    let known: Vec<usize> = open.iter().copied().filter(|&i| pool.truth[i] < pool.classes).collect();
    let wrong = share(trusted, |i| labelling.labels[i] != Some(pool.truth[i]));
    let alarms = share(&known, |i| labelling.verdicts[i] == Verdict::NoneOfThese);
    [wrong.unwrap_or(0.0), trusted.len() as f64 / open.len() as f64, alarms.unwrap_or(0.0)]
}

fn check(case: PoolCase, least_coverage: f64) {
    let one = |seed: u64| outcome(embedded::DATASETS[seed as usize % 2], &case, seed);
    let draws: Vec<[f64; 3]> = (0..DRAWS).into_par_iter().map(one).collect();
    let mean = |at: usize| MeanEstimate::of(&draws.iter().map(|draw| draw[at]).collect::<Vec<_>>()).unwrap();
    let (name, wrong, coverage, alarms) = (case.name, mean(0), mean(1).mean, mean(2).mean);
    // The interval has 1.96 standard errors on either side.
    let (wrong, error) = (wrong.mean, wrong.half_width / 1.96);
    println!("{name}: {wrong:.3} ± {error:.3} wrong of {coverage:.2}, alarms {alarms:.3}");
    assert!(wrong <= 1.0 - TARGET + 2.0 * error, "{name}: {wrong} ± {error}");
    assert!(coverage >= least_coverage, "{name}: only {coverage} trusted");
    assert!(alarms < 0.1, "{name}: {alarms} taken for none of these");
}

#[test]
fn promises_hold_on_average() {
    for (case, least_coverage) in [
        (SMALL, 0.4),
        (PoolCase { name: "random sample", given: Given::Random(5), ..SMALL }, 0.2),
        (PoolCase { name: "1:10", long_tailed: true, per_class: 40, ..SMALL }, 0.4),
        (PoolCase { name: "half of the classes one label", given: Given::HalfOne, ..SMALL }, 0.0),
        (PoolCase { name: "a quarter of the classes missing", missing: 0.25, ..SMALL }, 0.05),
        (PoolCase { name: "typical labels", given: Given::Typical(5), per_class: 40, ..SMALL }, 0.0),
        (PoolCase { name: "five classes", classes: 5, ..SMALL }, 0.2),
    ] {
        check(case, least_coverage);
    }
}

#[test]
fn with_one_label_of_each_class_nothing_is_promised() {
    let case = PoolCase { given: Given::Each(1), ..SMALL };
    for dataset in embedded::DATASETS {
        assert!((0..5).all(|seed| outcome(dataset, &case, seed)[1] == 0.0));
    }
}
