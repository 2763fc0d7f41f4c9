//! BAVARDAGE: Hu, Pateux and Gripon, "Adaptive Dimension Reduction and Variational Inference for Transductive Few-Shot
//! Classification" (2023).
//!
//! A mixture of Gaussians with unknown class frequencies, `π ~ Dirichlet(α₀)`, and class means shrunk towards the origin by
//! `β₀` pseudo-instances, fitted by variational inference in the `K − 1` dimensions in which the class means differ. After five
//! iterations of soft k-means with `exp(−10 ‖x − μₖ‖²)`, five times:
//!
//! ```text
//! nₖ = Σᵢ rᵢₖ over all rows,    mₖ = Σᵢ rᵢₖ yᵢ / (β₀ + nₖ),     Q = orthonormal basis of the span of the mₖ − m₁
//! log rᵢₖ = ψ(α₀ + nₖ − labelledₖ) − ½ T ‖Qᵀ(yᵢ − mₖ)‖² − (K − 1)/(2 (β₀ + nₖ)) + constant
//! ```
//!
//! `α₀ = 2`, `β₀ = 10`. `O(nKD)` per iteration.
//!
//! The mean of the labelled rows is subtracted, because it does not depend on how unequal the unlabeled classes are, and
//! `T = 50`, the default of the authors' mixture (`σ² = 0.02`). On validation classes the mean of the pool instead is up to
//! 2.4 points better on balanced pools and up to four points worse on Dirichlet(2) ones (docs/peers.md).
//!
//! The method was published with the mean and the covariance of base classes, which a pool comes without.
//!
//! A separate query is transformed alike and gets `r` under the last parameters.

use super::softmax::{nearest, softmax};
use super::{Posterior, Transductive};
use trustpath::task::CheckedTask;
use trustpath::{Matrix, Result, Task};
use trustpath_path::linalg::geometry::{Distances, centre, class_means, mean, product, scaled_distances};
use trustpath_path::linalg::vector;

/// A direction whose part outside the span of the others is shorter than this, relatively, adds nothing to it.
const DEPENDENT: f64 = 1e-8;

/// Sharpness of soft k-means.
const START_SHARPNESS: f64 = 10.0;
/// Sharpness `T` of the mixture.
const SHARPNESS: f64 = 50.0;
/// Concentration `α₀` of the class frequencies.
const CONCENTRATION: f64 = 2.0;
/// Pseudo-instances `β₀` at the origin.
const SHRINKAGE: f64 = 10.0;
/// Iterations of soft k-means, and of the mixture.
const ITERATIONS: usize = 5;

#[derive(Debug)]
pub(super) struct Bavardage;

impl Transductive for Bavardage {
    fn label(&self, task: &Task<'_>) -> Result<Posterior> {
        let task = CheckedTask::new(task)?;
        let mut x = task.instances.unit().clone();
        let all = 0..x.rows();
        let middle = mean(&x, 0..task.labelled);
        centre(&mut x, all, &middle);
        let mixture = fit(&x, start(&x, &task), &task);
        Ok(Posterior::of(&task, |rows| mixture.probabilities(&x, rows)))
    }
}

/// A mixture in few dimensions.
struct Mixture {
    /// `Q`, one row per dimension.
    basis: Matrix,
    /// `Qᵀ mₖ`, one row per class.
    centres: Matrix,
    /// What does not depend on the row, per class.
    offset: Vec<f64>,
}

impl Mixture {
    fn probabilities(&self, x: &Matrix, rows: std::ops::Range<usize>) -> Matrix {
        let mut z = Matrix::zeros(rows.len(), self.basis.rows());
        let part = x.view().subrows(rows.start, rows.len());
        product(&mut z, part, self.basis.view().transpose(), 1.0);
        let mut p = scaled_distances(&z, 0..rows.len(), &self.centres, -0.5 * SHARPNESS);
        for i in 0..p.rows() {
            vector::add_scaled(p.row_mut(i), 1.0, &self.offset);
        }
        softmax(&mut p);
        p
    }
}

/// The assignments of soft k-means.
fn start(x: &Matrix, task: &CheckedTask<'_>) -> Matrix {
    let open = task.labelled..task.pool;
    let labelled = Matrix::one_hot(task.labels, task.classes);
    let pool = Distances::new(x, 0..task.pool);
    let mut means = class_means(x, task.labels, task.classes);
    let mut r = Matrix::zeros(0, task.classes);
    for _ in 0..ITERATIONS {
        r = nearest(x, open.clone(), &means, 2.0 * START_SHARPNESS);
        means = shrunk_means(&pool, &labelled, &r, 0.0);
    }
    r
}

fn fit(x: &Matrix, start: Matrix, task: &CheckedTask<'_>) -> Mixture {
    let open = task.labelled..task.pool;
    let labelled = Matrix::one_hot(task.labels, task.classes);
    let shots = counts(&labelled, &Matrix::zeros(0, task.classes));
    let pool = Distances::new(x, 0..task.pool);
    // Without any iteration there is no mixture: one is made in any case.
    let mut mixture = mixture_of(&pool, &labelled, &start, &shots);
    for _ in 1..ITERATIONS {
        let r = mixture.probabilities(x, open.clone());
        mixture = mixture_of(&pool, &labelled, &r, &shots);
    }
    mixture
}

/// The mixture under these assignments.
fn mixture_of(pool: &Distances<'_>, labelled: &Matrix, r: &Matrix, shots: &[f64]) -> Mixture {
    let means = shrunk_means(pool, labelled, r, SHRINKAGE);
    let basis = span_of_differences(&means);
    let mut centres = Matrix::zeros(means.rows(), basis.rows());
    product(&mut centres, means.view(), basis.view().transpose(), 1.0);
    let dims = means.rows() as f64 - 1.0;
    let offset =
        |(count, shots): (&f64, &f64)| digamma(CONCENTRATION + count - shots) - 0.5 * dims / (SHRINKAGE + count);
    let offset = counts(labelled, r).iter().zip(shots).map(offset).collect();
    Mixture { basis, centres, offset }
}

/// The weight of every class over the labelled and the unlabeled rows.
fn counts(labelled: &Matrix, r: &Matrix) -> Vec<f64> {
    let mut counts = vec![0.0; labelled.cols()];
    labelled.iter_rows().chain(r.iter_rows()).for_each(|p| vector::add_scaled(&mut counts, 1.0, p));
    counts
}

/// `Σᵢ rᵢₖ xᵢ / (β₀ + nₖ)`.
fn shrunk_means(pool: &Distances<'_>, labelled: &Matrix, r: &Matrix, shrinkage: f64) -> Matrix {
    let (x, split) = (pool.instances(), labelled.rows());
    let mut means = Matrix::zeros(labelled.cols(), x.ncols());
    product(&mut means, labelled.view().transpose(), x.subrows(0, split), 1.0);
    if r.rows() > 0 {
        let mut sums = Matrix::zeros(means.rows(), means.cols());
        product(&mut sums, r.view().transpose(), x.subrows(split, r.rows()), 1.0);
        vector::add_scaled(means.as_mut_slice(), 1.0, sums.as_slice());
    }
    for (k, count) in counts(labelled, r).iter().enumerate() {
        means.row_mut(k).iter_mut().for_each(|v| *v /= shrinkage + count);
    }
    means
}

/// An orthonormal basis of the span of the differences between rows, one row per dimension.
fn span_of_differences(rows: &Matrix) -> Matrix {
    let mut basis: Vec<Vec<f64>> = Vec::new();
    for k in 1..rows.rows() {
        let mut row = rows.row(k).to_vec();
        vector::add_scaled(&mut row, -1.0, rows.row(0));
        let length = vector::norm(&row);
        // Twice, because rounding leaves a part in the span the first time.
        for _ in 0..2 {
            for b in &basis {
                let part = vector::dot(&row, b);
                vector::add_scaled(&mut row, -part, b);
            }
        }
        let left = vector::norm(&row);
        if left > DEPENDENT * length {
            row.iter_mut().for_each(|v| *v /= left);
            basis.push(row);
        }
    }
    Matrix::from_fn(basis.len(), rows.cols(), |k, j| basis[k][j])
}

/// `ψ(x)`, the derivative of `log Γ`, for a positive `x`: `ψ(x) = ψ(x + 1) − 1/x` until the asymptotic series is exact.
fn digamma(mut x: f64) -> f64 {
    let mut value = 0.0;
    while x < 12.0 {
        value -= 1.0 / x;
        x += 1.0;
    }
    let s = 1.0 / (x * x);
    let series = 1.0 / 12.0 - s * (1.0 / 120.0 - s * (1.0 / 252.0 - s * (1.0 / 240.0 - s / 132.0)));
    value + x.ln() - 0.5 / x - s * series
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::pool;

    #[test]
    fn digamma_has_its_known_values() {
        const EULER: f64 = 0.577_215_664_901_532_9;
        assert!((digamma(1.0) + EULER).abs() < 1e-13);
        assert!((digamma(0.5) + EULER + 2.0 * 2f64.ln()).abs() < 1e-13);
        assert!((digamma(4.0) + EULER - (1.0 + 0.5 + 1.0 / 3.0)).abs() < 1e-13);
        assert!((digamma(20.5) - (digamma(19.5) + 1.0 / 19.5)).abs() < 1e-13);
    }

    #[test]
    fn the_basis_spans_all_differences_and_no_more() {
        let rows = Matrix::from_fn(4, 6, |k, j| ((k + 2) as f64 * (j + 1) as f64).sin());
        let mut with_copy = Matrix::zeros(5, 6);
        for k in 0..5 {
            with_copy.row_mut(k).copy_from_slice(rows.row(k.min(3)));
        }
        let basis = span_of_differences(&with_copy);
        assert_eq!(basis.rows(), 3);
        for (k, l) in [(0, 1), (1, 3), (2, 0)] {
            let mut left = rows.row(k).to_vec();
            vector::add_scaled(&mut left, -1.0, rows.row(l));
            for b in basis.iter_rows() {
                let part = vector::dot(&left, b);
                vector::add_scaled(&mut left, -part, b);
            }
            assert!(vector::norm(&left) < 1e-12);
        }
    }

    #[test]
    fn frequent_classes_are_preferred() {
        let pool = pool(1, &[40, 8, 4], 0.9);
        let p = Bavardage.label(&pool.task()).unwrap();
        let right = p.query_labels().iter().zip(&pool.truth).filter(|(a, b)| a == b).count();
        assert!(right >= 45, "{right} of 52");
    }
}
