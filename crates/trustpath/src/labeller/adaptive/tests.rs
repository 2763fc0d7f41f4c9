use super::*;
use crate::Features;
use crate::testing::{awkward_pools, overlapping_pools};

fn adapt(params: AdaptiveParams, task: &Task<'_>) -> Adapted {
    params.check().unwrap().adapt(task).unwrap()
}

/// The adaptive mode on one labelled instance per class, then this number of unlabeled ones per class in a fixed order,
/// and their classes. Instances lean towards the axis of their class; `signed` features have no positive offset.
fn adapt_to(counts: &[usize], dims: usize, signed: bool) -> (Adapted, Vec<usize>) {
    let offset = if signed { 0.0 } else { 0.6 };
    adapt_to_leaning(AdaptiveParams::default(), counts, dims, 1.1, offset)
}

/// The same for instances that lean by this much, about this offset.
fn adapt_to_leaning(
    params: AdaptiveParams,
    counts: &[usize],
    dims: usize,
    lean: f64,
    offset: f64,
) -> (Adapted, Vec<usize>) {
    let sorted: Vec<usize> = counts.iter().enumerate().flat_map(|(k, &count)| vec![k; count]).collect();
    // 101 is prime and divides no length used here.
    let n = sorted.len();
    let truth: Vec<usize> = (0..counts.len()).chain((0..n).map(|i| sorted[(i * 101) % n])).collect();
    let value = |at: usize| {
        let (i, j) = (at / dims, at % dims);
        let noise = ((i * 7919 + j * 104_729 + i * j) as f64 * 0.618).sin();
        let lean = if j % 7 == truth[i] { lean } else { 0.0 };
        lean + 0.55 * noise + offset
    };
    let values: Vec<f64> = (0..truth.len() * dims).map(value).collect();
    let instances = Features::new(&values[..], truth.len(), dims).unwrap().normalize().unwrap();
    let (labels, classes) = (&truth[..counts.len()], counts.len());
    let task = Task { instances: &instances, labels, unlabeled: n, classes, truth: None };
    let adapted = adapt(params, &task);
    (adapted, truth[counts.len()..].to_vec())
}

#[test]
fn balanced_and_imbalanced_pools_are_distinguished_and_labelled() {
    for (counts, balanced) in [([15, 15, 15, 15], true), ([40, 10, 7, 3], false)] {
        for signed in [false, true] {
            for dims in [35, 140] {
                let (adapted, truth) = adapt_to(&counts, dims, signed);
                let case = format!("{counts:?} {signed} {dims} {}", adapted.balance);
                assert_eq!(adapted.balance > 0.5, balanced, "{case}");
                let labels = adapted.posterior.query_labels();
                let right = labels.iter().zip(&truth).filter(|(l, t)| l == t).count();
                assert!(right >= 54, "{case}: {right} of 60");
                assert!((adapted.marginal.iter().sum::<f64>() - 1.0).abs() < 1e-12);
                let share = counts[0] as f64 / 60.0;
                assert!((adapted.marginal[0] - share).abs() < 0.15, "{:?}", adapted.marginal);
            }
        }
    }
}

#[test]
fn the_schedule_gives_what_its_script_gives() {
    // Printed by `scripts/learn_adaptive.py reference`, which states the loop a second time: the probability of balance, and the
    // posterior of every fifteenth instance.
    let expected = [
        (
            [15, 15, 15, 15],
            0.9994405,
            [
                [0.997189, 7.6e-05, 0.002729, 7e-06],
                [5e-06, 0.999991, 4e-06, 1e-06],
                [1.2e-05, 4e-06, 0.999983, 1e-06],
                [1e-06, 4e-06, 1e-06, 0.999995],
            ],
        ),
        (
            [20, 17, 13, 10],
            0.2433052,
            [
                [0.753275, 0.008272, 0.229198, 0.009255],
                [0.977638, 0.003185, 0.012183, 0.006994],
                [0.007102, 0.979281, 0.007971, 0.005645],
                [0.005848, 0.003906, 0.97712, 0.013126],
            ],
        ),
        (
            [40, 10, 7, 3],
            0.0022897,
            [
                [0.911344, 0.073879, 0.011245, 0.003533],
                [0.974478, 0.007226, 0.004177, 0.014119],
                [0.993148, 0.003272, 0.001707, 0.001873],
                [0.030511, 0.963154, 0.004369, 0.001966],
            ],
        ),
    ];
    for (counts, balance, rows) in expected {
        let learned = AdaptiveParams { balance: 0.0, ..AdaptiveParams::default() };
        let (adapted, _) = adapt_to_leaning(learned, &counts, 140, 0.4, 0.6);
        let near = (adapted.balance - balance).abs() < 2e-5;
        assert!(near, "{counts:?}: {} instead of {balance}", adapted.balance);
        // The script follows both branches always, here one of less than a tenth is left out.
        let tolerance = if (0.1..0.9).contains(&balance) { 2e-5 } else { 2e-3 };
        for (at, row) in rows.iter().enumerate() {
            let given = adapted.posterior.unlabeled.row(15 * at);
            let near = given.iter().zip(row).all(|(a, b)| (a - b).abs() < tolerance);
            assert!(near, "{counts:?}: {given:?} instead of {row:?}");
        }
    }
}

#[test]
fn awkward_pools_have_probabilities() {
    for pool in awkward_pools().into_iter().chain(overlapping_pools()) {
        for unlabeled in [pool.truth.len(), 0] {
            let adapted = adapt(AdaptiveParams::default(), &pool.task_with(unlabeled));
            assert!(adapted.marginal.iter().all(|m| m.is_finite()) && adapted.balance.is_finite());
        }
    }
}

#[test]
fn the_number_of_threads_does_not_matter() {
    // More rows than two blocks.
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| adapt_to(&[2000, 1500, 1000], 8, true))
    };
    assert_eq!(run(1), run(3));
}
