//! Properties that every method must have, and pools to test them on.

use super::*;
use crate::{Features, Instances};

/// Instances of which the first are labelled.
pub(super) struct Pool {
    pub rows: Vec<Vec<f64>>,
    pub labels: Vec<usize>,
    /// The classes of the others.
    pub truth: Vec<usize>,
    pub instances: Instances,
}

/// Clusters around axes, spread by `noise`: `shots` labelled instances per class, then these numbers of unlabeled ones.
pub(super) fn pool(shots: usize, sizes: &[usize], noise: f64) -> Pool {
    let (classes, dims) = (sizes.len(), sizes.len() + 4);
    let mut state = 12345u64;
    let mut random = || {
        // A linear congruential generator is random enough for a cloud of points.
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    let mut row = |class: usize| -> Vec<f64> {
        (0..dims).map(|j| f64::from(u8::from(j == class)) + noise * random()).collect()
    };
    let labels: Vec<usize> = (0..classes * shots).map(|i| i / shots).collect();
    let truth: Vec<usize> =
        sizes.iter().enumerate().flat_map(|(class, &size)| vec![class; size]).collect();
    let rows = labels.iter().chain(&truth).map(|&class| row(class)).collect();
    Pool::new(rows, labels, truth)
}

impl Pool {
    fn new(rows: Vec<Vec<f64>>, labels: Vec<usize>, truth: Vec<usize>) -> Self {
        let values = rows.concat();
        let features = Features::new(&values[..], rows.len(), rows[0].len()).unwrap();
        Self { instances: features.normalize().unwrap(), rows, labels, truth }
    }

    /// The task in which all instances without a label are unlabeled.
    pub fn task(&self) -> Task<'_> {
        self.task_with(self.rows.len() - self.labels.len())
    }

    /// The task in which only the first of them are unlabeled and the rest is the query.
    pub fn task_with(&self, unlabeled: usize) -> Task<'_> {
        let classes = self.labels.iter().max().unwrap() + 1;
        Task { instances: &self.instances, labels: &self.labels, unlabeled, classes, truth: None }
    }

    pub fn checked(&self) -> CheckedTask<'_> {
        CheckedTask::new(&self.task()).unwrap()
    }

    fn labelled_rows(&self) -> Vec<Vec<f64>> {
        self.rows[..self.labels.len()].to_vec()
    }
}

/// A balanced and an imbalanced pool, of classes that overlap.
pub(super) fn overlapping_pools() -> [Pool; 2] {
    [pool(2, &[12; 3], 0.9), pool(1, &[22, 15, 10], 0.9)]
}

/// Pools with few or identical instances, or with classes that are nearly missing.
pub(super) fn awkward_pools() -> Vec<Pool> {
    let direction = |values: [f64; 3]| values.to_vec();
    let duplicates = [[1.0, 0.0, 0.1], [0.0, 1.0, 0.0], [0.8, 0.2, 0.1]].repeat(6);
    let duplicates: Vec<Vec<f64>> = duplicates.into_iter().map(direction).collect();
    let mut pools = vec![
        Pool::new(vec![vec![1.0; 4]; 10], vec![0, 1], vec![0; 8]),
        Pool::new(duplicates, vec![0, 1, 0], vec![0; 15]),
        pool(1, &[20, 9, 1], 0.9),
        pool(1, &[20, 10, 0], 0.9),
    ];
    // One unlabeled instance; all the same; two opposite.
    for unlabeled in [
        vec![direction([1.0, 0.2, 0.0])],
        vec![direction([1.0, 1.0, 1.0]); 9],
        vec![direction([1.0, 0.0, 0.0]), direction([-1.0, 0.0, 0.0])],
    ] {
        let mut rows = vec![direction([1.0, 0.0, 0.1]), direction([0.0, 1.0, 0.0])];
        let truth = vec![0; unlabeled.len()];
        rows.extend(unlabeled);
        pools.push(Pool::new(rows, vec![0, 1], truth));
    }
    pools
}

fn all() -> impl Iterator<Item = Box<dyn Transductive>> {
    TransductiveKind::ALL.into_iter().map(|method| method.build().unwrap())
}

fn assert_close(left: &Matrix, right: &Matrix, method: &dyn Transductive) {
    assert_eq!(left.rows(), right.rows());
    for (a, b) in left.as_slice().iter().zip(right.as_slice()) {
        assert!((a - b).abs() < 1e-7, "{}: {a} {b}", method.name());
    }
}

fn assert_probabilities(p: &Matrix, method: &dyn Transductive) {
    for row in p.iter_rows() {
        assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-9, "{}: {row:?}", method.name());
        assert!(row.iter().all(|p| (0.0..=1.0).contains(p)), "{}: {row:?}", method.name());
    }
}

#[test]
fn separate_clusters_are_found() {
    for shots in [1, 5] {
        let pool = pool(shots, &[15; 4], 0.4);
        for method in all() {
            let p = method.label(&pool.task()).unwrap();
            assert_eq!(p.query_labels(), pool.truth, "{}", method.name());
            assert_probabilities(&p.unlabeled, &*method);
        }
    }
}

#[test]
fn the_order_of_the_instances_does_not_matter() {
    for pool in overlapping_pools() {
        let n = pool.truth.len();
        let order: Vec<usize> = (0..n).map(|i| (i * 7 + 3) % n).collect();
        let mut rows = pool.labelled_rows();
        rows.extend(order.iter().map(|&i| pool.rows[pool.labels.len() + i].clone()));
        let shuffled = Pool::new(rows, pool.labels.clone(), pool.truth.clone());
        for method in all() {
            let before = method.label(&pool.task()).unwrap().unlabeled;
            let after = method.label(&shuffled.task()).unwrap().unlabeled;
            let expected = Matrix::from_fn(n, 3, |i, k| before[(order[i], k)]);
            assert_close(&expected, &after, &*method);
        }
    }
}

#[test]
fn the_numbering_of_the_classes_does_not_matter() {
    for pool in overlapping_pools() {
        let number = [2, 0, 1];
        let labels: Vec<usize> = pool.labels.iter().map(|&l| number[l]).collect();
        for method in all() {
            let before = method.label(&pool.task()).unwrap().unlabeled;
            let after = method.label(&Task { labels: &labels, ..pool.task() }).unwrap().unlabeled;
            let back = Matrix::from_fn(after.rows(), 3, |i, k| after[(i, number[k])]);
            assert_close(&before, &back, &*method);
        }
    }
}

#[test]
fn each_query_is_classified_by_itself_and_changes_nothing() {
    // The last two of every class are the query.
    let pool = pool(2, &[10; 3], 0.5);
    let (query, others): (Vec<_>, Vec<_>) =
        pool.rows[6..].iter().cloned().enumerate().partition(|(i, _)| i % 10 >= 8);
    let rows_of = |part: Vec<(usize, Vec<f64>)>| part.into_iter().map(|(_, row)| row).collect();
    let (query, others): (Vec<Vec<f64>>, Vec<Vec<f64>>) = (rows_of(query), rows_of(others));
    let label = |query: &[Vec<f64>], unlabeled: usize, method: &dyn Transductive| {
        let rows = [&pool.labelled_rows(), &others[..unlabeled], query].concat();
        let separate = Pool::new(rows, pool.labels.clone(), Vec::new());
        method.label(&separate.task_with(unlabeled)).unwrap()
    };
    for method in all() {
        let without = label(&[], others.len(), &*method);
        assert!(without.query.is_none());
        for unlabeled in [others.len(), 0] {
            let together = label(&query, unlabeled, &*method);
            assert_eq!(together.unlabeled.rows(), unlabeled);
            if unlabeled > 0 {
                assert_close(&together.unlabeled, &without.unlabeled, &*method);
            }
            assert_eq!(together.query_labels(), [0, 0, 1, 1, 2, 2], "{}", method.name());
            let together = together.query.unwrap();
            for i in 0..6 {
                let alone = label(&query[i..=i], unlabeled, &*method).query.unwrap();
                assert_close(&alone, &Matrix::from_fn(1, 3, |_, k| together[(i, k)]), &*method);
            }
        }
    }
}

#[test]
fn awkward_pools_still_give_probabilities() {
    for pool in awkward_pools() {
        for method in all() {
            for unlabeled in [pool.rows.len() - pool.labels.len(), 0] {
                let p = method.label(&pool.task_with(unlabeled)).unwrap();
                assert_probabilities(&p.unlabeled, &*method);
                p.query.iter().for_each(|query| assert_probabilities(query, &*method));
            }
        }
    }
}

/// As `label` meets them: many classes with one label, of very different sizes, with duplicates.
#[test]
fn pools_of_many_unequal_classes_give_probabilities() {
    let sizes: Vec<usize> = (0..30).map(|class| 2 + 600 / (3 + class * class)).collect();
    let base = pool(1, &sizes, 0.5);
    let mut rows = base.rows.clone();
    let mut truth = base.truth.clone();
    for i in (0..base.truth.len()).step_by(7) {
        rows.push(base.rows[base.labels.len() + i].clone());
        truth.push(base.truth[i]);
    }
    let pool = Pool::new(rows, base.labels.clone(), truth);
    for kind in TransductiveKind::ALL {
        // These take a thousand steps, whatever the pool.
        if matches!(kind, TransductiveKind::Tim | TransductiveKind::AlphaTim) {
            continue;
        }
        let method = kind.build().unwrap();
        let p = method.label(&pool.task()).unwrap();
        assert_probabilities(&p.unlabeled, &*method);
        let right = p.query_labels().iter().zip(&pool.truth).filter(|(a, b)| a == b).count();
        println!("{}: {right} of {}", method.name(), pool.truth.len());
    }
}

#[test]
fn invalid_tasks_are_refused() {
    let pool = pool(1, &[4; 3], 0.5);
    for method in all() {
        let task = Task { labels: &[0, 1, 1], ..pool.task() };
        assert!(matches!(method.label(&task), Err(Error::ClassWithoutSupport { class: 2 })));
        let task = Task { labels: &[0, 1, 3], ..pool.task() };
        assert!(matches!(method.label(&task), Err(Error::LabelOutOfRange { .. })));
        assert!(method.label(&pool.task_with(99)).is_err());
    }
}

#[test]
fn parameters_out_of_range_are_refused() {
    fn refused<T>(params: impl IntoIterator<Item = Result<T>>) {
        for (i, found) in params.into_iter().enumerate() {
            assert!(matches!(found, Err(Error::Parameter { .. })), "number {i}");
        }
    }
    let not_positive = [0.0, -1.0, f64::NAN, f64::INFINITY];
    refused(not_positive.map(|epsilon| BdCspnParams { epsilon }.check()));
    refused(
        not_positive.map(|sharpness| PrototypeParams { sharpness, ..Default::default() }.check()),
    );
    refused(
        not_positive.map(|lambda| {
            LaplacianShotParams { lambda: Some(lambda), ..Default::default() }.check()
        }),
    );
    let base = SoftKmeansParams::default();
    refused(not_positive.map(|lambda| SoftKmeansParams { lambda, ..base }.check()));
    refused([0.0, 1.5, f64::NAN].map(|step| SoftKmeansParams { step, ..base }.check()));
    refused([LaplaceParams { neighbors: 0 }.check()]);
    let base = ProtoLpParams::default();
    refused([
        ProtoLpParams { lambda: 0.0, ..base }.check(),
        ProtoLpParams { smoothness: -1.0, ..base }.check(),
        ProtoLpParams { mix: 1.5, ..base }.check(),
        ProtoLpParams { step: 0.0, ..base }.check(),
        ProtoLpParams { components: 0, ..base }.check(),
    ]);
    refused(not_positive.map(|lambda| PaddleParams { lambda, ..Default::default() }.check()));
    let base = BavardageParams::default();
    refused(not_positive.map(|sharpness| BavardageParams { sharpness, ..base }.check()));
    refused(not_positive.map(|shrinkage| BavardageParams { shrinkage, ..base }.check()));
    let base = IlpcParams::default();
    refused([
        IlpcParams { neighbors: 0, ..base }.check(),
        IlpcParams { accepted: 0, ..base }.check(),
        IlpcParams { alpha: 1.0, ..base }.check(),
        IlpcParams { power: 0.0, ..base }.check(),
    ]);
    let base = TimParams::alpha_tim();
    refused([
        TimParams { entropy: Entropy::Tsallis(Some(1.0)), ..base }.check(),
        TimParams { weights: [1.0, -1.0, 1.0], ..base }.check(),
        TimParams { rate: 0.0, ..base }.check(),
        TimParams { sharpness: f64::NAN, ..base }.check(),
    ]);
    let base = AdaptiveParams::default();
    refused([
        AdaptiveParams { signed: 2.0, ..base }.check(),
        AdaptiveParams { balance: f64::NAN, ..base }.check(),
    ]);
}
