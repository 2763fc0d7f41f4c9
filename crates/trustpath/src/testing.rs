//! Data that the tests of this crate and of trustpath-bench share.

// Each of the two uses a part of it.
#![allow(dead_code)]

use proptest::prelude::*;
use trustpath::task::{CheckedTask, Task};
use trustpath::{Features, Instances, Matrix};

/// `groups` clusters of `each` points in `dims` dimensions, the further apart the larger `spread`.
pub fn clusters(groups: usize, each: usize, dims: usize, spread: f64) -> Instances {
    instances(groups * each, dims, |i, j| {
        let group = i / each;
        let center = ((group * 7 + j * 3 + group * j) as f64 * 1.3).sin();
        spread * center + ((i * 131 + j * 71 + i * j * 17) as f64 * 0.61).sin()
    })
}

pub fn instances(rows: usize, dims: usize, entry: impl FnMut(usize, usize) -> f64) -> Instances {
    let matrix = Matrix::from_fn(rows, dims, entry);
    Features::new(matrix.as_slice(), rows, dims).unwrap().normalize().unwrap()
}

/// Instances of which the first are labelled.
pub struct TestPool {
    pub rows: Vec<Vec<f64>>,
    pub labels: Vec<usize>,
    /// The classes of the others.
    pub truth: Vec<usize>,
    pub instances: Instances,
}

/// Clusters around axes, spread by `noise`: `shots` labelled instances per class, then these numbers of unlabeled ones.
pub fn pool(shots: usize, sizes: &[usize], noise: f64) -> TestPool {
    let (classes, dims) = (sizes.len(), sizes.len() + 4);
    let mut state = 12345u64;
    let mut random = || {
        // A linear congruential generator is random enough for a cloud of points.
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    let mut row =
        |class: usize| -> Vec<f64> { (0..dims).map(|j| f64::from(u8::from(j == class)) + noise * random()).collect() };
    let labels: Vec<usize> = (0..classes * shots).map(|i| i / shots).collect();
    let truth: Vec<usize> = sizes.iter().enumerate().flat_map(|(class, &size)| vec![class; size]).collect();
    let rows = labels.iter().chain(&truth).map(|&class| row(class)).collect();
    TestPool::new(rows, labels, truth)
}

impl TestPool {
    pub fn new(rows: Vec<Vec<f64>>, labels: Vec<usize>, truth: Vec<usize>) -> Self {
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

    pub fn labelled_rows(&self) -> Vec<Vec<f64>> {
        self.rows[..self.labels.len()].to_vec()
    }
}

/// A balanced and an imbalanced pool, of classes that overlap.
pub fn overlapping_pools() -> [TestPool; 2] {
    [pool(2, &[12; 3], 0.9), pool(1, &[22, 15, 10], 0.9)]
}

/// Pools with few or identical instances, or with classes that are nearly missing.
pub fn awkward_pools() -> Vec<TestPool> {
    let direction = |values: [f64; 3]| values.to_vec();
    let duplicates = [[1.0, 0.0, 0.1], [0.0, 1.0, 0.0], [0.8, 0.2, 0.1]].repeat(6);
    let duplicates: Vec<Vec<f64>> = duplicates.into_iter().map(direction).collect();
    let mut pools = vec![
        TestPool::new(vec![vec![1.0; 4]; 10], vec![0, 1], vec![0; 8]),
        TestPool::new(duplicates, vec![0, 1, 0], vec![0; 15]),
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
        pools.push(TestPool::new(rows, vec![0, 1], truth));
    }
    pools
}

/// A training problem with at least one sample of every class; rows may occur twice.
#[derive(Debug, Clone)]
pub struct Problem {
    pub values: Vec<f64>,
    pub dims: usize,
    pub classes: usize,
    pub rows: Vec<usize>,
    pub labels: Vec<usize>,
}

impl Problem {
    pub fn instances(&self) -> Instances {
        let rows = self.values.len() / self.dims;
        Features::new(&self.values[..], rows, self.dims).unwrap().normalize().unwrap()
    }
}

/// Random problems: up to 6 classes, 40 instances and 60 features, so that either samples or features can be more.
pub fn problems() -> impl Strategy<Value = Problem> {
    (2usize..7, 1usize..60, 8usize..41).prop_flat_map(|(classes, dims, instances)| {
        (
            prop::collection::vec(0.1f64..2.0, instances * dims),
            prop::collection::vec((0..instances, 0..classes), classes..50),
        )
            .prop_map(move |(values, mut samples)| {
                samples.iter_mut().take(classes).enumerate().for_each(|(k, sample)| sample.1 = k);
                let (rows, labels) = samples.into_iter().unzip();
                Problem { values, dims, classes, rows, labels }
            })
    })
}
