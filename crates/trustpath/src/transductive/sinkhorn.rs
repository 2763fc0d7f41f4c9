//! Optimal transport with entropy, by Sinkhorn and Knopp's scaling (Cuturi 2013).
//!
//! ```text
//! min over P ≥ 0 of   Σᵢₖ Pᵢₖ Cᵢₖ + (1/λ) Σᵢₖ Pᵢₖ log Pᵢₖ    with   Σₖ Pᵢₖ = 1,   Σᵢ Pᵢₖ = n/K
//! ```
//!
//! has the solution `Pᵢₖ = uᵢ exp(−λ Cᵢₖ) vₖ`; `u` and `v` are found by meeting the two marginals in turn. A point that
//! came later belongs to class `k` in proportion to `exp(−λ Cₖ) vₖ`.

use super::softmax::{exponentials, normalise};
use crate::Matrix;
use crate::linalg::{simd, vector};

/// Rows are met to this, in any entry; columns exactly, but for the last scaling of the rows.
const TOLERANCE: f64 = 1e-6;
/// Sweeps at the most, as in the code of PT-MAP.
const SWEEPS: usize = 1000;
/// Columns of a kernel that vanish beside others are kept from zero.
const LEAST: f64 = 1e-200;

/// The scalings, kept between calls as a start for the next.
#[derive(Debug)]
pub(crate) struct Sinkhorn {
    lambda: f64,
    /// Scaling of the classes.
    v: Vec<f64>,
    u: Vec<f64>,
    /// The kernel with classes as rows: a sweep goes along the instances.
    kernel: Matrix,
    sums: Vec<f64>,
}

impl Sinkhorn {
    /// For `n` instances and `classes` classes.
    pub fn new(lambda: f64, n: usize, classes: usize) -> Self {
        Self {
            lambda,
            v: vec![1.0; classes],
            u: vec![1.0; n],
            kernel: Matrix::zeros(classes, n),
            sums: vec![0.0; n],
        }
    }

    /// Replaces costs by the plan.
    pub fn plan(&mut self, costs: &mut Matrix) {
        self.exponentiate(costs);
        for (i, row) in costs.iter_rows().enumerate() {
            row.iter().enumerate().for_each(|(k, g)| self.kernel[(k, i)] = *g);
        }
        simd::dispatch(&mut *self, |sinkhorn| sinkhorn.sweep());
        self.scale(costs);
    }

    /// Meets the marginals in turn.
    #[inline(always)]
    fn sweep(&mut self) {
        let share = self.u.len() as f64 / self.v.len() as f64;
        for sweep in 0..SWEEPS {
            self.sums.fill(0.0);
            for (row, v) in self.kernel.iter_rows().zip(&self.v) {
                vector::add_scaled(&mut self.sums, *v, row);
            }
            let mut off = 0.0f64;
            for (u, sum) in self.u.iter_mut().zip(&self.sums) {
                off = off.max((*u * sum - 1.0).abs());
                *u = 1.0 / sum;
            }
            // How far the columns had moved the rows; in the first sweep the rows are those of another kernel.
            if sweep > 0 && off < TOLERANCE {
                break;
            }
            for (row, v) in self.kernel.iter_rows().zip(&mut self.v) {
                *v = share / vector::dot(row, &self.u).max(LEAST);
            }
        }
    }

    /// Replaces costs of points that came later by their probabilities.
    pub fn extend(&self, costs: &mut Matrix) {
        self.exponentiate(costs);
        self.scale(costs);
    }

    fn exponentiate(&self, costs: &mut Matrix) {
        costs.as_mut_slice().iter_mut().for_each(|c| *c *= -self.lambda);
        exponentials(costs);
    }

    fn scale(&self, kernel: &mut Matrix) {
        for i in 0..kernel.rows() {
            kernel.row_mut(i).iter_mut().zip(&self.v).for_each(|(g, v)| *g *= v);
        }
        normalise(kernel);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn costs() -> Matrix {
        Matrix::from_fn(12, 3, |i, k| 0.5 + 0.5 * ((i * 5 + k * (i + 2)) as f64).sin())
    }

    #[test]
    fn both_marginals_are_met() {
        for lambda in [1.0, 10.0, 60.0] {
            let mut plan = costs();
            Sinkhorn::new(lambda, 12, 3).plan(&mut plan);
            for row in plan.iter_rows() {
                assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-14);
            }
            for k in 0..3 {
                let sum: f64 = plan.iter_rows().map(|row| row[k]).sum();
                assert!((sum - 4.0).abs() < 12.0 * TOLERANCE, "λ {lambda}: column {k} has {sum}");
            }
        }
    }

    #[test]
    fn the_plan_is_a_scaled_kernel_and_points_that_come_later_follow_it() {
        let (mut plan, mut again) = (costs(), costs());
        let mut sinkhorn = Sinkhorn::new(10.0, 12, 3);
        sinkhorn.plan(&mut plan);
        sinkhorn.extend(&mut again);
        assert_eq!(plan, again);
        // Cross ratios of a scaled matrix are those of the matrix.
        let (c, p) = (costs(), &plan);
        let ratio = (p[(0, 0)] * p[(7, 2)] / (p[(0, 2)] * p[(7, 0)])).ln();
        let expected = -10.0 * (c[(0, 0)] + c[(7, 2)] - c[(0, 2)] - c[(7, 0)]);
        assert!((ratio - expected).abs() < 1e-11);
    }

    #[test]
    fn a_class_that_is_far_from_everything_still_gets_its_share() {
        let mut plan = Matrix::from_fn(6, 2, |i, k| if k == 1 { 20.0 + i as f64 } else { 0.0 });
        Sinkhorn::new(10.0, 6, 2).plan(&mut plan);
        let sum: f64 = plan.iter_rows().map(|row| row[1]).sum();
        assert!((sum - 3.0).abs() < 1e-3, "{sum}");
        assert!(plan[(0, 1)] > plan[(5, 1)]);
    }
}
