//! What `label` promises holds: over a hundred draws of every kind of pool at most a tenth trusts a set of which more is wrong than was
//! asked for, and the mean share of wrong ones is at most that, with and without the draws that trust nothing, up to two standard errors.
//! The promise of the average holds over all draws. The example `trust_quality` has larger pools.

#[path = "../../examples/trust_quality/cases.rs"]
mod cases;

use cases::{BASE, Given, PoolCase};
use rayon::prelude::*;
use trustpath::label::{Trust, Verdict};
use trustpath::spec::LabelSpec;
use trustpath_bench::pools::share;
use trustpath_bench::stats::MeanEstimate;
use trustpath_bench::{Split, embedded};

const DRAWS: u64 = 100;
const TARGET: f64 = 0.8;

/// Small pools of either embedded dataset: eight classes of twenty instances.
const SMALL: PoolCase = PoolCase { name: "eight classes, 5 each", classes: 8, per_class: 20, ..BASE };

/// Wrong share among the trusted with either promise, share of the pool that is trusted with each, and share of the labelled classes' instances that are taken
/// to be none of these.
fn outcome(dataset: &str, case: &PoolCase, seed: u64) -> [f64; 5] {
    let table = embedded::load(dataset, Split::Validation).unwrap();
    let pool = case.draw(table, seed).unwrap();
    let open = pool.open();
    let labelling = pool.label(&LabelSpec { precision: Some(TARGET), seed, ..LabelSpec::default() }).unwrap();
    let trusted = &labelling.trusted.rows;
    assert!(trusted.iter().all(|&i| labelling.verdicts[i] == Verdict::Trusted));
    // The promise of the average trusts the most probable labels, those of equal probability together or not at all.
    let most = labelling.trusted.calibration.trusted(open.len(), Trust::Average(TARGET));
    let mut order: Vec<usize> = open.iter().copied().filter(|&i| labelling.labels[i].is_some()).collect();
    order.sort_by(|&a, &b| labelling.probability[b].total_cmp(&labelling.probability[a]));
    order.truncate(most);
    let wrong = |rows: &[usize]| share(rows, |i| labelling.labels[i] != Some(pool.truth[i])).unwrap_or(0.0);
    let coverage = |rows: &[usize]| rows.len() as f64 / open.len() as f64;
    let known: Vec<usize> = open.iter().copied().filter(|&i| pool.truth[i] < pool.classes).collect();
    let alarms = share(&known, |i| labelling.verdicts[i] == Verdict::NoneOfThese);
    [wrong(trusted), wrong(&order), coverage(trusted), coverage(&order), alarms.unwrap_or(0.0)]
}

fn check(case: PoolCase, least_coverage: [f64; 2]) {
    let one = |seed: u64| outcome(embedded::DATASETS[seed as usize % 2], &case, seed);
    let draws: Vec<[f64; 5]> = (0..DRAWS).into_par_iter().map(one).collect();
    let name = case.name;
    // The interval has 1.96 standard errors on either side.
    let mean =
        |values: Vec<f64>| MeanEstimate::of(&values).map_or((0.0, 0.0), |mean| (mean.mean, mean.half_width / 1.96));
    let column = |at: usize| mean(draws.iter().map(|draw| draw[at]).collect());
    let trusting: Vec<f64> = draws.iter().filter(|draw| draw[2] > 0.0).map(|draw| draw[0]).collect();
    let above = trusting.iter().filter(|&&wrong| wrong > 1.0 - TARGET).count();
    let of_trusting = mean(trusting.clone());
    let coverage = [column(2).0, column(3).0];
    println!(
        "{name}: {} of {DRAWS} draws trust, {above} above; wrong {of_trusting:?}, on average {:?}; coverage {coverage:?}",
        trusting.len(),
        column(1)
    );
    // A tenth, and two standard errors of it.
    assert!(above <= 16, "{name}: {above} of {DRAWS} draws are above");
    for (wrong, error) in [of_trusting, column(0), column(1)] {
        assert!(wrong <= 1.0 - TARGET + 2.0 * error, "{name}: {wrong} ± {error}");
    }
    assert!(coverage[0] >= least_coverage[0] && coverage[1] >= least_coverage[1], "{name}: only {coverage:?} trusted");
    assert!(column(4).0 < 0.1, "{name}: {:?} taken for none of these", column(4));
}

#[test]
fn promises_hold() {
    for (case, least_coverage) in [
        (SMALL, [0.2, 0.4]),
        (PoolCase { name: "random sample", given: Given::Random(5), ..SMALL }, [0.1, 0.2]),
        (PoolCase { name: "1:10", long_tailed: true, per_class: 40, ..SMALL }, [0.2, 0.4]),
        (PoolCase { name: "half of the classes one label", given: Given::HalfOne, ..SMALL }, [0.0; 2]),
        (PoolCase { name: "a quarter of the classes missing", missing: 0.25, ..SMALL }, [0.0, 0.05]),
        (PoolCase { name: "typical labels", given: Given::Typical(5), per_class: 40, ..SMALL }, [0.0; 2]),
        (PoolCase { name: "five classes", classes: 5, ..SMALL }, [0.1, 0.2]),
        (PoolCase { name: "near-copies", per_class: 10, copies: 4, ..SMALL }, [0.0; 2]),
        (PoolCase { name: "5 % of the labels wrong", wrong: 0.05, ..SMALL }, [0.05, 0.1]),
    ] {
        check(case, least_coverage);
    }
}

#[test]
fn with_one_label_of_each_class_nothing_is_promised() {
    let case = PoolCase { given: Given::Each(1), ..SMALL };
    for dataset in embedded::DATASETS {
        assert!((0..5).all(|seed| outcome(dataset, &case, seed)[2] == 0.0));
    }
}
