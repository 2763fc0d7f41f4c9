//! Label propagation (Zhu and Ghahramani 2002) and label spreading (Zhou et al., "Learning with Local and Global
//! Consistency", 2004), as scikit-learn defines them.
//!
//! On a graph of all labelled and unlabeled instances with weights `W`, class weights `F` spread to neighbours:
//!
//! ```text
//! propagation   F ← rows of W F divided by their sums;   labelled rows stay one-hot
//! spreading     F ← α S F + (1 − α) Y,                   S = D^(−½) W D^(−½) without its diagonal
//! ```
//!
//! until the sum of all changes is below 10⁻³. `W` is `exp(−γ ‖xᵢ − xⱼ‖²)` with `γ = 20`, or one for the seven nearest
//! instances (counting the instance itself) and zero otherwise. A graph method: `O(n²D)` for the weights and `n²K` per
//! iteration with the first kernel.
//!
//! A separate query gets the mean of `F` over all instances weighted by the kernel, or over the seven nearest, like
//! scikit-learn's `predict_proba`.

use std::ops::Range;

use super::geometry::{most_similar, product};
use super::softmax::normalise;
use super::{Posterior, Transductive, positive, require};
use crate::linalg::exp::exponentiate;
use crate::linalg::{simd, vector};
use crate::task::CheckedTask;
use crate::{Matrix, Result, Task};

/// The weight between two instances.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kernel {
    /// `exp(−γ ‖xᵢ − xⱼ‖²)` for this `γ`.
    Rbf(f64),
    /// One if among this number of nearest instances, counting the instance itself.
    Nearest(usize),
}

/// Parameters of label propagation and label spreading.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LabelPropagationParams {
    /// The weights of the graph (`Rbf(20)`).
    pub kernel: Kernel,
    /// `α` of label spreading (0.2); `None` for label propagation.
    pub alpha: Option<f64>,
    /// Sum of all changes at which to stop (10⁻³).
    pub tolerance: f64,
    /// Maximum number of iterations (1000 for propagation, 30 for spreading).
    pub iterations: usize,
}

impl LabelPropagationParams {
    /// Label propagation with scikit-learn's parameters.
    pub fn propagation() -> Self {
        Self { kernel: Kernel::Rbf(20.0), alpha: None, tolerance: 1e-3, iterations: 1000 }
    }

    /// Label spreading with scikit-learn's parameters.
    pub fn spreading() -> Self {
        Self { alpha: Some(0.2), iterations: 30, ..Self::propagation() }
    }
}

checked! {
    /// Label propagation or spreading with checked parameters.
    LabelPropagationParams => LabelPropagation, |p| {
        match p.kernel {
            Kernel::Rbf(gamma) => positive("gamma", gamma)?,
            Kernel::Nearest(k) => require("neighbors", k as f64, k > 0, "at least one is needed")?,
        }
        positive("tolerance", p.tolerance)?;
        let alpha = p.alpha.unwrap_or(0.5);
        require("alpha", alpha, alpha > 0.0 && alpha < 1.0, "it must be between 0 and 1")
    }
}

impl Transductive for LabelPropagation {
    fn name(&self) -> &'static str {
        if self.0.alpha.is_some() { "label-spreading" } else { "label-propagation" }
    }

    fn label(&self, task: &Task<'_>) -> Result<Posterior> {
        let task = CheckedTask::new(task)?;
        let f = self.propagate(&task);
        let own = f.as_slice()[task.labelled * task.classes..].to_vec();
        let unlabeled = Matrix::from_vec(task.unlabeled.len(), task.classes, own)?;
        Ok(Posterior::with_query(&task, unlabeled, |_, rows| {
            let mut p = Matrix::zeros(rows.len(), task.classes);
            self.weights(&task, rows).multiply(&f, &mut p);
            normalise(&mut p);
            p
        }))
    }
}

impl LabelPropagation {
    /// Weights from these rows to the pool.
    fn weights(&self, task: &CheckedTask<'_>, rows: Range<usize>) -> Weights {
        let near = |row: usize| &task.instances.gram().row(row)[..task.pool];
        match self.0.kernel {
            Kernel::Rbf(gamma) => {
                let mut w = Matrix::zeros(rows.len(), task.pool);
                for (i, row) in rows.enumerate() {
                    for (w, k) in w.row_mut(i).iter_mut().zip(near(row)) {
                        *w = -2.0 * gamma * (1.0 - k).max(0.0);
                    }
                }
                simd::dispatch(
                    w.as_mut_slice(),
                    #[inline(always)]
                    |w| exponentiate(w),
                );
                Weights::Dense(w)
            }
            Kernel::Nearest(k) => {
                let nearest = |row: usize| {
                    let others = if row < task.pool { k - 1 } else { k };
                    let mut near = most_similar(near(row), row, others);
                    near.extend((row < task.pool).then_some(row));
                    near.into_iter().map(|j| (j, 1.0)).collect()
                };
                Weights::Sparse(rows.map(nearest).collect())
            }
        }
    }

    /// Iterates until nothing changes much; rows of the result are probabilities.
    fn propagate(&self, task: &CheckedTask<'_>) -> Matrix {
        let mut weights = self.weights(task, 0..task.pool);
        if self.0.alpha.is_some() {
            weights.normalise();
        }
        let mut f = Matrix::zeros(task.pool, task.classes);
        for (i, &label) in task.labels.iter().enumerate() {
            f[(i, label)] = 1.0;
        }
        let mut next = Matrix::zeros(task.pool, task.classes);
        for _ in 0..self.0.iterations {
            weights.multiply(&f, &mut next);
            match self.0.alpha {
                None => clamp(task, &mut next),
                Some(alpha) => {
                    next.as_mut_slice().iter_mut().for_each(|v| *v *= alpha);
                    for (i, &label) in task.labels.iter().enumerate() {
                        next[(i, label)] += 1.0 - alpha;
                    }
                }
            }
            std::mem::swap(&mut f, &mut next);
            let pairs = f.as_slice().iter().zip(next.as_slice());
            if pairs.map(|(a, b)| (a - b).abs()).sum::<f64>() < self.0.tolerance {
                break;
            }
        }
        normalise(&mut f);
        f
    }
}

/// Divides unlabeled rows by their sums and makes labelled rows one-hot.
fn clamp(task: &CheckedTask<'_>, f: &mut Matrix) {
    for i in task.labelled..task.pool {
        let sum: f64 = f.row(i).iter().sum();
        // A row that no label has reached yet stays zero.
        if sum > 0.0 {
            f.row_mut(i).iter_mut().for_each(|v| *v /= sum);
        }
    }
    for (i, &label) in task.labels.iter().enumerate() {
        f.row_mut(i).fill(0.0);
        f[(i, label)] = 1.0;
    }
}

/// Weights of a graph.
enum Weights {
    Dense(Matrix),
    /// Column numbers and weights of every row.
    Sparse(Vec<Vec<(usize, f64)>>),
}

impl Weights {
    /// `out = W f`.
    fn multiply(&self, f: &Matrix, out: &mut Matrix) {
        match self {
            Self::Dense(w) => product(out, w.view(), f.view(), 1.0),
            Self::Sparse(rows) => {
                out.as_mut_slice().fill(0.0);
                for (i, row) in rows.iter().enumerate() {
                    for &(j, w) in row {
                        vector::add_scaled(out.row_mut(i), w, f.row(j));
                    }
                }
            }
        }
    }

    /// `D^(−½) W D^(−½)` without the diagonal, where `D` holds the column sums without the diagonal.
    fn normalise(&mut self) {
        let n = match self {
            Self::Dense(w) => w.rows(),
            Self::Sparse(rows) => rows.len(),
        };
        let mut sums = vec![0.0; n];
        self.each(|i, j, w| {
            if i == j {
                *w = 0.0;
            }
            sums[j] += *w;
        });
        // A node without incoming edges neither gives nor receives anything.
        let scale: Vec<f64> = sums.iter().map(|s| if *s > 0.0 { s.sqrt() } else { 1.0 }).collect();
        self.each(|i, j, w| *w /= scale[i] * scale[j]);
    }

    fn each(&mut self, mut change: impl FnMut(usize, usize, &mut f64)) {
        match self {
            Self::Dense(matrix) => {
                for i in 0..matrix.rows() {
                    matrix.row_mut(i).iter_mut().enumerate().for_each(|(j, w)| change(i, j, w));
                }
            }
            Self::Sparse(rows) => {
                for (i, row) in rows.iter_mut().enumerate() {
                    row.iter_mut().for_each(|(j, w)| change(i, *j, w));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Features;

    /// Three of twelve instances are labelled; two more are the query.
    fn label(params: LabelPropagationParams) -> Posterior {
        let row = |i: usize, j: usize| {
            (1.3 * (i * 4 + j) as f64).sin() + if j == i % 3 { 2.0 } else { 0.0 }
        };
        let values: Vec<f64> = (0..14 * 4).map(|at| row(at / 4, at % 4)).collect();
        let instances = Features::new(&values[..], 14, 4).unwrap().normalize().unwrap();
        let (labels, unlabeled, classes) = (&[0, 1, 2], 9, 3);
        let task = Task { instances: &instances, labels, unlabeled, classes, truth: None };
        params.check().unwrap().label(&task).unwrap()
    }

    /// Rows 3, 7 and 11 of `label_distributions_`, and `predict_proba` of the query, by scikit-learn 1.9 with a tolerance
    /// of 1e-9.
    #[test]
    fn the_result_is_that_of_scikit_learn() {
        let (rbf, knn) = (Kernel::Rbf(2.0), Kernel::Nearest(4));
        let expected = [
            (
                (rbf, None),
                "0.804321609 0.121898784 0.073779607 0.169306761 0.738338522 0.092354717 0.598905741 0.257223896 \
                 0.143870363 0.771477242 0.156503934 0.072018823 0.153855902 0.743615594 0.102528504",
            ),
            (
                (rbf, Some(0.2)),
                "0.892244437 0.030837049 0.076918514 0.029012193 0.891632743 0.079355065 0.491709702 0.309421843 \
                 0.198868455 0.793480844 0.139302689 0.067216467 0.090050866 0.806102519 0.103846615",
            ),
            (
                (knn, None),
                "1 0 0 0.666666667 0.333333333 0 1 0 0 1 0 0 0.416666667 0.333333333 0.25",
            ),
            (
                (knn, Some(0.2)),
                "1 0 0 0.029063392 0.970936608 0 1 0 0 1 0 0 0.25958629 0.496350575 0.244063135",
            ),
        ];
        for ((kernel, alpha), expected) in expected {
            let params =
                LabelPropagationParams { kernel, alpha, tolerance: 1e-9, iterations: 100_000 };
            let Posterior { unlabeled, query } = label(params);
            let query = query.unwrap();
            let found =
                [unlabeled.row(0), unlabeled.row(4), unlabeled.row(8), query.row(0), query.row(1)];
            for (found, expected) in found.concat().iter().zip(expected.split(' ')) {
                let expected: f64 = expected.parse().unwrap();
                assert!(
                    (found - expected).abs() < 1e-7,
                    "{kernel:?} {alpha:?}: {found} {expected}"
                );
            }
        }
    }

    #[test]
    fn an_instance_that_no_label_reaches_gets_uniform_probabilities() {
        let values = [1.0f64, 0.0, 0.0, 1.0, -1.0, -0.9, -0.9, -1.0, -1.0, -1.0];
        let instances = Features::new(&values[..], 5, 2).unwrap().normalize().unwrap();
        let (labels, unlabeled, classes) = (&[0, 1], 3, 2);
        let task = Task { instances: &instances, labels, unlabeled, classes, truth: None };
        let kernel = Kernel::Nearest(2);
        let params = LabelPropagationParams { kernel, ..LabelPropagationParams::propagation() };
        let p = params.check().unwrap().label(&task).unwrap().unlabeled;
        assert!(p.as_slice().iter().all(|p| *p == 0.5), "{p:?}");
    }
}
