use super::*;
use crate::Features;
use crate::transductive::tests::{awkward_pools, overlapping_pools};

fn adapt(task: &Task<'_>) -> Adapted {
    AdaptiveParams::default().check().unwrap().adapt(task).unwrap()
}

/// The adaptive mode on one labelled instance per class, then this number of unlabeled ones per class in a fixed order,
/// and their classes. Instances lean towards the axis of their class; `signed` features have no positive offset.
fn adapt_to(counts: &[usize], dims: usize, signed: bool) -> (Adapted, Vec<usize>) {
    let sorted: Vec<usize> =
        counts.iter().enumerate().flat_map(|(k, &count)| vec![k; count]).collect();
    // 101 is prime and divides no length used here.
    let n = sorted.len();
    let truth: Vec<usize> =
        (0..counts.len()).chain((0..n).map(|i| sorted[(i * 101) % n])).collect();
    let value = |at: usize| {
        let (i, j) = (at / dims, at % dims);
        let noise = ((i * 7919 + j * 104_729 + i * j) as f64 * 0.618).sin();
        let lean = if j % 7 == truth[i] { 1.1 } else { 0.0 };
        lean + 0.55 * noise + if signed { 0.0 } else { 0.6 }
    };
    let values: Vec<f64> = (0..truth.len() * dims).map(value).collect();
    let instances = Features::new(&values[..], truth.len(), dims).unwrap().normalize().unwrap();
    let (labels, classes) = (&truth[..counts.len()], counts.len());
    let found = adapt(&Task { instances: &instances, labels, unlabeled: n, classes, truth: None });
    (found, truth[counts.len()..].to_vec())
}

#[test]
fn balanced_and_imbalanced_pools_are_distinguished_and_labelled() {
    for (counts, balanced) in [([15, 15, 15, 15], true), ([40, 10, 7, 3], false)] {
        for signed in [false, true] {
            for dims in [35, 140] {
                let (found, truth) = adapt_to(&counts, dims, signed);
                let case = format!("{counts:?} {signed} {dims} {}", found.evidence);
                assert_eq!(found.balanced, balanced, "{case}");
                let labels = found.posterior.query_labels();
                let right = labels.iter().zip(&truth).filter(|(l, t)| l == t).count();
                assert!(right >= 54, "{case}: {right} of 60");
                assert!((found.marginal.iter().sum::<f64>() - 1.0).abs() < 1e-12);
                let share = counts[0] as f64 / 60.0;
                assert!((found.marginal[0] - share).abs() < 0.15, "{:?}", found.marginal);
            }
        }
    }
}

#[test]
fn awkward_pools_have_finite_evidence() {
    for pool in awkward_pools().into_iter().chain(overlapping_pools()) {
        for unlabeled in [pool.truth.len(), 0] {
            let found = adapt(&pool.task_with(unlabeled));
            assert!(found.marginal.iter().all(|m| m.is_finite()) && found.evidence.is_finite());
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
