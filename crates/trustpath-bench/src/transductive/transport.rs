//! Optimal transport with entropy (Cuturi 2013), from many instances to few classes.
//!
//! ```text
//! min over P ≥ 0 of   Σᵢₖ Pᵢₖ Cᵢₖ + (1/λ) Σᵢₖ Pᵢₖ log Pᵢₖ    with   Σₖ Pᵢₖ = 1,   Σᵢ Pᵢₖ = n/K
//! ```
//!
//! has the solution `Pᵢₖ = uᵢ exp(−λ Cᵢₖ) vₖ`. The Sinkhorn-Knopp algorithm rescales to the two marginals in turn, which
//! takes hundreds of sweeps where classes overlap. Eliminating `uᵢ` leaves a convex problem in the `K` numbers
//! `a = log v`:
//!
//! ```text
//! min over a of   Σᵢ log Σₖ exp(aₖ − λ Cᵢₖ) − (n/K) Σₖ aₖ
//! ```
//!
//! with the gradient `Σᵢ Pᵢₖ − n/K` and the Hessian `diag(Σᵢ Pᵢ) − PᵀP`. Newton's method satisfies the marginals in a few
//! steps of `O(nK²)`: the step `d` is shortened by the factor `log(1 + D)/D`, with `D` the range of `d`. This descends from
//! any start, because third derivatives of such a function are at most `D` times its second ones (Sun and Tran-Dinh 2019).
//!
//! A point outside the pool belongs to class `k` in proportion to `exp(−λ Cₖ) vₖ`.

use super::softmax::{exponentials, normalise};
use trustpath::Matrix;
use trustpath_path::linalg::{cholesky, simd, vector};

/// Relative tolerance of the column sums; row sums are exact to rounding.
const TOLERANCE: f64 = 1e-7;
/// Maximum number of Newton steps.
const STEPS: usize = 200;
/// A pivot of the Hessian below this, relative to a class's share, counts as zero.
const FLOOR: f64 = 1e-13;
/// Lower bound of a column sum, against division by zero.
const LEAST: f64 = 1e-200;

/// The scaling `v` of the classes; each call starts from that of the last.
#[derive(Debug)]
pub(crate) struct Transport {
    lambda: f64,
    v: Vec<f64>,
    /// `exp(−λ C)` and the plan, with classes as rows.
    kernel: Matrix,
    plan: Matrix,
    /// One over the sum over the classes, per instance; the sum over the instances, per class.
    sums: Vec<f64>,
    columns: Vec<f64>,
    hessian: Vec<f64>,
    direction: Vec<f64>,
}

impl Transport {
    /// For `n` instances and `classes` classes.
    pub fn new(lambda: f64, n: usize, classes: usize) -> Self {
        Self {
            lambda,
            v: vec![1.0; classes],
            kernel: Matrix::zeros(classes, n),
            plan: Matrix::zeros(classes, n),
            sums: vec![0.0; n],
            columns: vec![0.0; classes],
            hessian: vec![0.0; classes * classes],
            direction: vec![0.0; classes],
        }
    }

    /// Replaces costs by the plan with columns of one size.
    pub fn plan(&mut self, costs: &mut Matrix) {
        self.plan_with(costs, &vec![1.0; costs.cols()]);
    }

    /// Replaces costs by the plan with columns in proportion to these positive class sizes.
    pub fn plan_with(&mut self, costs: &mut Matrix, sizes: &[f64]) {
        let scale = costs.rows() as f64 / sizes.iter().sum::<f64>();
        let shares: Vec<f64> = sizes.iter().map(|size| size * scale).collect();
        self.exponentiate(costs);
        for (i, row) in costs.iter_rows().enumerate() {
            row.iter().enumerate().for_each(|(k, g)| self.kernel[(k, i)] = *g);
        }
        let share = costs.rows() as f64 / costs.cols() as f64;
        for _ in 0..STEPS {
            simd::dispatch(
                &mut *self,
                #[inline(always)]
                |transport| transport.scale_rows(),
            );
            let off = self.columns.iter().zip(&shares).map(|(c, s)| (c - s).abs()).fold(0.0, f64::max);
            if off <= TOLERANCE * share {
                break;
            }
            simd::dispatch(
                (&mut *self, share),
                #[inline(always)]
                |(transport, share)| transport.fill_hessian(share),
            );
            self.step(share, &shares);
        }
        self.scale(costs);
    }

    /// The plan with exact row sums, and its column sums.
    #[inline(always)]
    fn scale_rows(&mut self) {
        self.sums.fill(0.0);
        for (row, v) in self.kernel.iter_rows().zip(&self.v) {
            vector::add_scaled(&mut self.sums, *v, row);
        }
        self.sums.iter_mut().for_each(|sum| *sum = 1.0 / *sum);
        for k in 0..self.v.len() {
            let v = self.v[k];
            let kernel = self.kernel.row(k).iter().zip(&self.sums);
            for (p, (g, u)) in self.plan.row_mut(k).iter_mut().zip(kernel) {
                *p = v * g * u;
            }
            self.columns[k] = vector::sum(self.plan.row(k));
        }
    }

    /// The upper triangle of the Hessian. The objective does not change when a constant is added to all of `a`, so that
    /// direction is given some curvature.
    #[inline(always)]
    fn fill_hessian(&mut self, share: f64) {
        let classes = self.v.len();
        for k in 0..classes {
            for l in k..classes {
                let diagonal = if k == l { self.columns[k] } else { 0.0 };
                let together = vector::dot(self.plan.row(k), self.plan.row(l));
                self.hessian[k * classes + l] = diagonal - together + share / classes as f64;
            }
        }
    }

    /// A Newton step, or a Sinkhorn step where the Hessian is singular because a class is nearly empty.
    fn step(&mut self, share: f64, shares: &[f64]) {
        let classes = self.v.len();
        if !cholesky::factor(&mut self.hessian, classes, FLOOR * share) {
            for ((v, column), share) in self.v.iter_mut().zip(&self.columns).zip(shares) {
                *v *= share / column.max(LEAST);
            }
            return;
        }
        for ((d, column), share) in self.direction.iter_mut().zip(&self.columns).zip(shares) {
            *d = share - column;
        }
        cholesky::solve(&self.hessian, classes, &mut self.direction);
        let low = self.direction.iter().copied().fold(f64::INFINITY, f64::min);
        let high = self.direction.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let range = high - low;
        let part = if range > 0.0 { range.ln_1p() / range } else { 1.0 };
        for (v, d) in self.v.iter_mut().zip(&self.direction) {
            *v *= (part * d).exp();
        }
    }

    /// Replaces costs by probabilities under the scaling of the last plan, without constraining the class sizes.
    pub fn assign(&self, costs: &mut Matrix) {
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
    fn both_marginals_are_satisfied() {
        for lambda in [1.0, 10.0, 60.0, 300.0] {
            let mut plan = costs();
            Transport::new(lambda, 12, 3).plan(&mut plan);
            for row in plan.iter_rows() {
                assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-14);
            }
            for k in 0..3 {
                let sum: f64 = plan.iter_rows().map(|row| row[k]).sum();
                assert!((sum - 4.0).abs() < 8.0 * TOLERANCE, "λ {lambda}: column {k} has {sum}");
            }
        }
    }

    #[test]
    fn unequal_class_sizes_are_satisfied() {
        let mut plan = costs();
        Transport::new(10.0, 12, 3).plan_with(&mut plan, &[2.0, 1.0, 5.0]);
        for (k, size) in [3.0, 1.5, 7.5].into_iter().enumerate() {
            let sum: f64 = plan.iter_rows().map(|row| row[k]).sum();
            assert!((sum - size).abs() < 1e-5, "column {k} has {sum}");
        }
    }

    #[test]
    fn the_plan_is_that_of_very_many_sinkhorn_sweeps() {
        let mut sweeps = costs();
        sweeps.as_mut_slice().iter_mut().for_each(|c| *c = (-10.0 * *c).exp());
        for _ in 0..20_000 {
            for k in 0..3 {
                let sum: f64 = sweeps.iter_rows().map(|row| row[k]).sum();
                (0..12).for_each(|i| sweeps[(i, k)] *= 4.0 / sum);
            }
            normalise(&mut sweeps);
        }
        let mut plan = costs();
        Transport::new(10.0, 12, 3).plan(&mut plan);
        for (ours, theirs) in plan.as_slice().iter().zip(sweeps.as_slice()) {
            assert!((ours - theirs).abs() < 1e-6, "{ours} {theirs}");
        }
    }

    #[test]
    fn the_plan_is_a_scaled_kernel_and_other_points_get_the_same_scaling() {
        let (mut plan, mut again) = (costs(), costs());
        let mut transport = Transport::new(10.0, 12, 3);
        transport.plan(&mut plan);
        transport.assign(&mut again);
        assert_eq!(plan, again);
        // Cross ratios of a scaled matrix are those of the matrix.
        let (c, p) = (costs(), &plan);
        let ratio = (p[(0, 0)] * p[(7, 2)] / (p[(0, 2)] * p[(7, 0)])).ln();
        let expected = -10.0 * (c[(0, 0)] + c[(7, 2)] - c[(0, 2)] - c[(7, 0)]);
        assert!((ratio - expected).abs() < 1e-11);
    }

    #[test]
    fn a_class_far_from_all_instances_still_gets_its_share() {
        let mut plan = Matrix::from_fn(6, 2, |i, k| if k == 1 { 20.0 + i as f64 } else { 0.0 });
        Transport::new(10.0, 6, 2).plan(&mut plan);
        let sum: f64 = plan.iter_rows().map(|row| row[1]).sum();
        assert!((sum - 3.0).abs() < 1e-5, "{sum}");
        assert!(plan[(0, 1)] > plan[(5, 1)]);
    }
}
