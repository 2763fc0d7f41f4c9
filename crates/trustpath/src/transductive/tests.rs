//! What every method must do, and pools to try it on.

use super::centre::unit;
use super::distance::{Distances, class_means};
use super::refine::{Moves, refine_from};
use super::*;
use crate::{Features, Instances};

/// Instances with labels of the first of them: `classes · shots` labelled, the rest in class order.
pub(super) struct Pool {
    pub rows: Vec<Vec<f64>>,
    pub labels: Vec<usize>,
    pub truth: Vec<usize>,
    pub classes: usize,
    pub instances: Instances,
}

/// Clusters around axes, spread by `noise`.
pub(super) fn pool(classes: usize, shots: usize, unlabeled: usize, noise: f64) -> Pool {
    let dims = classes + 4;
    let mut state = 12345u64;
    let mut random = || {
        // A linear congruence is random enough for a cloud of points.
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    let mut row = |class: usize| -> Vec<f64> {
        (0..dims).map(|j| f64::from(u8::from(j == class)) + noise * random()).collect()
    };
    let labels: Vec<usize> = (0..classes * shots).map(|i| i / shots).collect();
    let truth: Vec<usize> = (0..classes * unlabeled).map(|i| i / unlabeled).collect();
    let rows: Vec<Vec<f64>> = labels.iter().chain(&truth).map(|&class| row(class)).collect();
    Pool { instances: instances(&rows), rows, labels, truth, classes }
}

fn instances(rows: &[Vec<f64>]) -> Instances {
    let values = rows.concat();
    Features::new(&values[..], rows.len(), rows[0].len()).unwrap().normalize().unwrap()
}

impl Pool {
    /// All that have no label are the pool.
    pub fn task(&self) -> Task<'_> {
        self.task_with(self.rows.len() - self.labels.len())
    }

    /// The first so many that have no label are the pool; the rest is the query.
    pub fn task_with(&self, unlabeled: usize) -> Task<'_> {
        Task {
            instances: &self.instances,
            labels: &self.labels,
            unlabeled,
            classes: self.classes,
            truth: None,
        }
    }

    /// Keeps some rows, by their number.
    pub fn keep(&mut self, keep: impl Fn(usize) -> bool) {
        let labelled = self.labels.len();
        let numbered = std::mem::take(&mut self.rows).into_iter().enumerate();
        self.rows = numbered.filter(|(i, _)| keep(*i)).map(|(_, row)| row).collect();
        let truth = std::mem::take(&mut self.truth).into_iter().enumerate();
        self.truth = truth.filter(|(i, _)| keep(labelled + i)).map(|(_, t)| t).collect();
        self.instances = instances(&self.rows);
    }
}

/// The sum that moving prototypes lower: `Σ p d + (1/λ) Σ p log p`, and the labelled's distances to their own.
pub(super) struct Objective<'a> {
    pool: &'a Pool,
    lambda: f64,
}

impl<'a> Objective<'a> {
    pub fn new(pool: &'a Pool, lambda: f64) -> Self {
        Self { pool, lambda }
    }

    fn value(&self, x: &Matrix, mu: &Matrix, p: &Matrix) -> f64 {
        let labelled = self.pool.labels.len();
        let mut d = Matrix::zeros(x.rows(), self.pool.classes);
        Distances::new(x, 0..x.rows()).to(mu, &mut d);
        let own: f64 = self.pool.labels.iter().enumerate().map(|(i, &y)| d[(i, y)]).sum();
        let mut sum = own;
        for i in 0..p.rows() {
            for (k, p) in p.row(i).iter().enumerate() {
                sum += p * (d[(labelled + i, k)] + p.max(1e-300).ln() / self.lambda);
            }
        }
        sum
    }

    /// Moves prototypes one turn after another, and sees the sum fall by more than rounding and `tolerance`.
    pub fn falls_under(&mut self, assign: &mut dyn FnMut(&mut Matrix), tolerance: f64) {
        let task = self.pool.task();
        let task = CheckedTask::new(&task).unwrap();
        let x = pt_map::prepare(&task);
        let mut mu = class_means(&x, task.labels, task.classes);
        let mut p = refine_from(&x, &task, Moves { epochs: 0, step: 0.2 }, &mut mu, assign);
        let first = self.value(&x, &mu, &p);
        let mut before = first;
        for turn in 0..20 {
            p = refine_from(&x, &task, Moves { epochs: 1, step: 0.2 }, &mut mu, assign);
            let after = self.value(&x, &mu, &p);
            assert!(after <= before + tolerance, "turn {turn}: {before} {after}");
            before = after;
        }
        assert!(before < first - 1e-3, "{first} {before}");
    }
}

fn all() -> impl Iterator<Item = Box<dyn Transductive>> {
    TransductiveKind::ALL.into_iter().map(|method| method.build().unwrap())
}

fn close(left: &Matrix, right: &Matrix) -> bool {
    let pairs = left.as_slice().iter().zip(right.as_slice());
    left.rows() == right.rows() && pairs.into_iter().all(|(a, b)| (a - b).abs() < 1e-7)
}

#[test]
fn clusters_that_are_apart_are_found() {
    for shots in [1, 5] {
        let pool = pool(4, shots, 15, 0.4);
        for method in all() {
            let p = method.label(&pool.task()).unwrap().unlabeled;
            for (row, &truth) in p.iter_rows().zip(&pool.truth) {
                assert_eq!(crate::task::arg_max(row), truth, "{}", method.name());
                assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-12, "{}", method.name());
                assert!(row.iter().all(|p| (0.0..=1.0).contains(p)), "{}", method.name());
            }
        }
    }
}

#[test]
fn the_order_of_the_instances_does_not_matter() {
    let pool = pool(3, 2, 12, 0.9);
    let order: Vec<usize> = (0..36).map(|i| (i * 7 + 3) % 36).collect();
    let mut rows = pool.rows[..6].to_vec();
    rows.extend(order.iter().map(|&i| pool.rows[6 + i].clone()));
    let shuffled = Pool { instances: instances(&rows), rows, ..pool_like(&pool) };
    for method in all() {
        let (one, other) = (method.label(&pool.task()), method.label(&shuffled.task()));
        let (one, other) = (one.unwrap().unlabeled, other.unwrap().unlabeled);
        let back = Matrix::from_fn(36, 3, |i, k| one[(order[i], k)]);
        assert!(close(&back, &other), "{}", method.name());
    }
}

#[test]
fn the_names_of_the_classes_do_not_matter() {
    let pool = pool(3, 2, 12, 0.9);
    let renamed = [2, 0, 1];
    let labels = pool.labels.iter().map(|&l| renamed[l]).collect();
    let other = Pool { labels, ..pool_like(&pool) };
    for method in all() {
        let (one, other) = (method.label(&pool.task()), method.label(&other.task()));
        let (one, other) = (one.unwrap().unlabeled, other.unwrap().unlabeled);
        let back = Matrix::from_fn(36, 3, |i, k| other[(i, renamed[k])]);
        assert!(close(&one, &back), "{}", method.name());
    }
}

fn pool_like(pool: &Pool) -> Pool {
    Pool {
        rows: pool.rows.clone(),
        labels: pool.labels.clone(),
        truth: pool.truth.clone(),
        classes: pool.classes,
        instances: instances(&pool.rows),
    }
}

#[test]
fn a_query_apart_is_classified_by_itself() {
    // The last two of every class are the query.
    let mut pool = pool(3, 2, 10, 0.5);
    let last = |row: usize| row >= 6 && (row - 6) % 10 >= 8;
    let query: Vec<Vec<f64>> = (0..36).filter(|&i| last(i)).map(|i| pool.rows[i].clone()).collect();
    pool.keep(|row| !last(row));
    let of = |query: &[Vec<f64>], unlabeled: usize, method: &dyn Transductive| {
        let mut rows = pool.rows[..6 + unlabeled].to_vec();
        rows.extend_from_slice(query);
        let apart = Pool { instances: instances(&rows), rows, ..pool_like(&pool) };
        method.label(&apart.task_with(unlabeled)).unwrap()
    };
    for method in all() {
        for unlabeled in [24, 0] {
            let together = of(&query, unlabeled, &*method);
            let p = together.query.unwrap();
            assert_eq!((together.unlabeled.rows(), p.rows()), (unlabeled, 6));
            for (i, row) in p.iter_rows().enumerate() {
                assert_eq!(crate::task::arg_max(row), i / 2, "{}", method.name());
                let alone = of(&query[i..=i], unlabeled, &*method).query.unwrap();
                assert!(close(&alone, &Matrix::from_vec(1, 3, row.to_vec()).unwrap()));
            }
        }
    }
}

#[test]
fn awkward_pools_give_probabilities_all_the_same() {
    let direction = |values: [f64; 3]| {
        let mut row = values.to_vec();
        unit(&mut row);
        row
    };
    // One unlabeled instance; all the same; two opposite.
    for unlabeled in [
        vec![direction([1.0, 0.2, 0.0])],
        vec![direction([1.0, 1.0, 1.0]); 9],
        vec![direction([1.0, 0.0, 0.0]), direction([-1.0, 0.0, 0.0])],
    ] {
        let mut rows = vec![direction([1.0, 0.0, 0.1]), direction([0.0, 1.0, 0.0])];
        rows.extend(unlabeled);
        let truth = vec![0; rows.len() - 2];
        let labels = vec![0, 1];
        let pool = Pool { instances: instances(&rows), rows, labels, truth, classes: 2 };
        for method in all() {
            let p = method.label(&pool.task()).unwrap().unlabeled;
            for row in p.iter_rows() {
                assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-9, "{}: {row:?}", method.name());
            }
        }
    }
}

#[test]
fn what_is_no_task_is_refused() {
    let pool = pool(3, 1, 4, 0.5);
    for method in all() {
        let task = Task { labels: &[0, 1, 1], ..pool.task() };
        assert!(matches!(method.label(&task), Err(Error::ClassWithoutSupport { class: 2 })));
        let task = Task { labels: &[0, 1, 3], ..pool.task() };
        assert!(matches!(method.label(&task), Err(Error::LabelOutOfRange { .. })));
        assert!(method.label(&pool.task_with(99)).is_err());
    }
}
