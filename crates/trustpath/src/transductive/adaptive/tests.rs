use super::*;
use crate::Features;
use crate::task::arg_max;

/// Instances of a class lean towards its axis; `signed` takes the positive offset off.
fn features(truth: &[usize], dims: usize, signed: bool) -> Vec<f64> {
    let value = |i: usize, j: usize| {
        let noise = ((i * 7919 + j * 104_729 + i * j) as f64 * 0.618).sin();
        let lean = if j % 7 == truth[i] { 1.1 } else { 0.0 };
        lean + 0.55 * noise + if signed { 0.0 } else { 0.6 }
    };
    truth
        .iter()
        .enumerate()
        .flat_map(|(i, _)| (0..dims).map(move |j| (i, j)))
        .map(|(i, j)| value(i, j))
        .collect()
}

fn adapt(
    values: &[f64],
    dims: usize,
    labels: &[usize],
    unlabeled: usize,
    classes: usize,
) -> Adapted {
    let instances = Features::new(values, values.len() / dims, dims).unwrap().normalize().unwrap();
    let task = Task { instances: &instances, labels, unlabeled, classes, truth: None };
    AdaptiveParams::default().check().unwrap().adapt(&task).unwrap()
}

/// Support first, then the pool with the counts given.
fn truth(counts: &[usize]) -> Vec<usize> {
    let mut pool: Vec<usize> =
        counts.iter().enumerate().flat_map(|(k, &count)| vec![k; count]).collect();
    // A fixed shuffle: a prime that divides no length used here.
    let n = pool.len();
    pool = (0..n).map(|i| pool[(i * 101) % n]).collect();
    (0..counts.len()).chain(pool).collect()
}

fn hits(p: &Matrix, truth: &[usize]) -> usize {
    p.iter_rows().zip(truth).filter(|(p, t)| arg_max(p) == **t).count()
}

#[test]
fn balanced_and_imbalanced_pools_are_told_apart_and_labelled() {
    for (counts, balanced) in [([15, 15, 15, 15], true), ([40, 10, 7, 3], false)] {
        for signed in [false, true] {
            for dims in [35, 140] {
                let truth = truth(&counts);
                let found = adapt(&features(&truth, dims, signed), dims, &truth[..4], 60, 4);
                assert_eq!(
                    found.balanced, balanced,
                    "{counts:?} {signed} {dims} {}",
                    found.evidence
                );
                let right = hits(&found.posterior.unlabeled, &truth[4..]);
                assert!(right >= 54, "{counts:?} {signed} {dims}: {right} of 60");
                assert!((found.marginal.iter().sum::<f64>() - 1.0).abs() < 1e-12);
                let largest = counts.iter().max().unwrap();
                let share = *largest as f64 / 60.0;
                assert!((found.marginal[0] - share).abs() < 0.15, "{:?}", found.marginal);
            }
        }
    }
}

#[test]
fn the_order_of_instances_and_the_names_of_classes_do_not_matter() {
    let (dims, n) = (90, 47);
    let truth = truth(&[22, 15, 10]);
    let values = features(&truth, dims, false);
    let found = adapt(&values, dims, &truth[..3], n, 3);
    let row = |i: usize| values[i * dims..(i + 1) * dims].to_vec();

    let order: Vec<usize> = (0..n).map(|i| (i * 11 + 5) % n).collect();
    let mut shuffled: Vec<f64> = (0..3).flat_map(row).collect();
    shuffled.extend(order.iter().flat_map(|i| row(i + 3)));
    let other = adapt(&shuffled, dims, &truth[..3], n, 3);
    for (at, &i) in order.iter().enumerate() {
        for k in 0..3 {
            let (a, b) = (found.posterior.unlabeled[(i, k)], other.posterior.unlabeled[(at, k)]);
            assert!((a - b).abs() < 1e-7, "{i} {k}: {a} {b}");
        }
    }

    let renamed = adapt(&values, dims, &[2, 0, 1], n, 3);
    for i in 0..n {
        for k in 0..3 {
            let (a, b) =
                (found.posterior.unlabeled[(i, k)], renamed.posterior.unlabeled[(i, (k + 2) % 3)]);
            assert!((a - b).abs() < 1e-9);
        }
    }
}

#[test]
fn a_query_apart_is_labelled_and_changes_nothing() {
    let dims = 60;
    let truth = truth(&[14, 14, 14]);
    let values = features(&truth, dims, false);
    let whole = adapt(&values[..33 * dims], dims, &truth[..3], 30, 3);
    assert!(whole.posterior.query.is_none());
    let apart = adapt(&values, dims, &truth[..3], 30, 3);
    let query = apart.posterior.query.unwrap();
    assert_eq!((query.rows(), query.cols()), (12, 3));
    assert!(hits(&query, &truth[33..]) >= 10);
    for (a, b) in
        whole.posterior.unlabeled.as_slice().iter().zip(apart.posterior.unlabeled.as_slice())
    {
        assert!((a - b).abs() < 1e-7, "{a} {b}");
    }
}

#[test]
fn odd_tasks_have_finite_answers() {
    let finite = |found: &Adapted| {
        let all = [Some(&found.posterior.unlabeled), found.posterior.query.as_ref()];
        for p in all.into_iter().flatten() {
            for row in p.iter_rows() {
                assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-9, "{row:?}");
            }
        }
        assert!(found.marginal.iter().all(|m| m.is_finite()) && found.evidence.is_finite());
    };
    let dims = 20;
    // One unlabeled instance, and none with a query.
    let mut values = features(&[0, 1], dims, false);
    let near: Vec<f64> = (0..dims).map(|j| 0.8 * values[j] + 0.2 * values[dims + j]).collect();
    values.extend(near);
    let one = adapt(&values, dims, &[0, 1], 1, 2);
    finite(&one);
    assert!(one.posterior.unlabeled[(0, 0)] > 0.5);
    let none = adapt(&values, dims, &[0, 1], 0, 2);
    finite(&none);
    assert!(none.posterior.query.unwrap()[(0, 0)] > 0.5);
    // A class with a single instance in the pool, a class with none, and duplicates.
    for counts in [[20, 9, 1], [20, 10, 0]] {
        let truth = truth(&counts);
        finite(&adapt(&features(&truth, dims, false), dims, &truth[..3], 30, 3));
    }
    let twice: Vec<f64> = values.repeat(6);
    finite(&adapt(&twice, dims, &[0, 1, 0], 15, 2));
    // All the same point.
    finite(&adapt(&[1.0; 40], 4, &[0, 1], 8, 2));
}

#[test]
fn the_number_of_threads_does_not_matter() {
    // More rows than two strips.
    let dims = 8;
    let truth = truth(&[2000, 1500, 1000]);
    let values = features(&truth, dims, true);
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| adapt(&values, dims, &truth[..3], 4500, 3))
    };
    assert_eq!(run(1), run(3));
}

#[test]
fn parameters_out_of_range_are_refused() {
    let default = AdaptiveParams::default();
    let wrong = [
        AdaptiveParams { sharpness: [0.0, 1.0], ..default },
        AdaptiveParams { belief: [1.0, f64::NAN], ..default },
        AdaptiveParams { free: (5, 1.5), ..default },
        AdaptiveParams { priced: (5, 0.0), ..default },
        AdaptiveParams { cap: -1.0, ..default },
        AdaptiveParams { scatter: 1.0, ..default },
        AdaptiveParams { smoothing: 2.0, ..default },
        AdaptiveParams { sharpness: [1.0, f64::INFINITY], ..default },
    ];
    for params in wrong {
        assert!(matches!(params.check(), Err(Error::Parameter { .. })), "{params:?}");
    }
}
