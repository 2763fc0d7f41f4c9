//! Newton's method along the path.

use super::super::conjugate_gradients::{Products, conjugate_gradients};
use super::rows::{CompactRows, Precision, Sums};
use crate::linalg::block::times;
use crate::linalg::cholesky;
use crate::linalg::vector::{add_scaled, dot, norm};
use crate::{Error, Matrix, Result};

/// Newton steps allowed for one `λ`.
const MAX_STEPS: usize = 100;
/// Halvings of one step.
const MAX_HALVINGS: usize = 30;
/// Relative residual at which conjugate gradients end.
const FORCING: f64 = 0.1;
/// A solution that cannot be improved further is accepted up to this multiple of the tolerance.
const STALLED: f64 = 100.0;
/// Fraction of the predicted decrease that a step must achieve.
const ARMIJO: f64 = 1e-4;
/// Relative rounding to be expected of a value: in double precision, and where norms come from products in single precision.
const ROUNDING: [f64; 2] = [1e-13, 1e-6];
/// Single precision leaves an error of about a tenth of this, times `√n`, in a gradient.
const SINGLE: f64 = 1e-5;
/// Curvature that counts as none: the coordinates are orthonormal.
const FLOOR: f64 = 1e-12;

/// The solution at the last `λ`, and how it got there.
#[derive(Debug)]
pub(super) struct CompactSolver<'a> {
    rows: &'a CompactRows,
    /// One row per class.
    b: Matrix,
    /// `dB/dλ` between the last two solutions.
    slope: Option<Matrix>,
    lambda: f64,
    precision: Precision,
    sums: Sums,
}

impl<'a> CompactSolver<'a> {
    pub fn new(rows: &'a CompactRows) -> Self {
        let b = Matrix::zeros(rows.classes(), rows.dims());
        Self { rows, b, slope: None, lambda: f64::INFINITY, precision: Precision::Double, sums: Sums::default() }
    }

    pub fn norms(&self) -> &[f64] {
        &self.sums.norms
    }

    pub fn coefficients(&self) -> &Matrix {
        &self.b
    }

    /// Goes to the least-squares fit, `T(1)` on orthonormal coordinates, and returns `λ_max`.
    pub fn least_squares(&mut self) -> f64 {
        self.b = self.rows.class_sums(|_| 1.0);
        self.sums = self.rows.evaluate(&self.b, f64::INFINITY, Precision::Double);
        self.lambda = self.norms().iter().copied().fold(0.0, f64::max);
        self.lambda
    }

    /// Solves at a smaller `λ`, until the gradient is at most `tolerance · λ`.
    pub fn advance(&mut self, lambda: f64, tolerance: f64) -> Result<()> {
        let (before, from) = (self.b.clone(), self.lambda);
        if let Some(slope) = &self.slope {
            add_scaled(self.b.as_mut_slice(), lambda - from, slope.as_slice());
        }
        self.lambda = lambda;
        let target = tolerance * lambda;
        let single = target >= SINGLE * (self.rows.len() as f64).sqrt();
        self.precision = if single { Precision::Single } else { Precision::Double };
        self.sums = self.rows.evaluate(&self.b, lambda, self.precision);
        let mut products = Products::default();
        for _ in 0..MAX_STEPS {
            if norm(self.sums.gradient.as_slice()) <= target {
                break;
            }
            let step = self.newton_step(products.0)?;
            let length = self.descend(&step);
            if length == 0.0 {
                break;
            }
            products.adapt(length);
        }
        if norm(self.sums.gradient.as_slice()) <= STALLED * target {
            let slope = |i: usize, j: usize| (self.b[(i, j)] - before[(i, j)]) / (lambda - from);
            self.slope = Some(Matrix::from_fn(before.rows(), before.cols(), slope));
            return Ok(());
        }
        Err(Error::NotConverged {
            what: "the incidental regression",
            iterations: MAX_STEPS,
            reached: norm(self.sums.gradient.as_slice()) / lambda,
            tolerance,
        })
    }

    /// An approximate solution of `H s = g`: preconditioned conjugate gradients.
    fn newton_step(&self, products: usize) -> Result<Matrix> {
        let inverse = inverse(&self.sums.gram);
        let precondition = |v: &Matrix| times(v, inverse.view());
        let product = |v: &Matrix| Ok(self.rows.product(&self.b, self.lambda, &self.sums, v));
        let step = conjugate_gradients(&self.sums.gradient, (FORCING, products), product, precondition)?;
        Ok(if norm(step.as_slice()) > 0.0 { step } else { precondition(&self.sums.gradient) })
    }

    /// Moves along `−step` to where the objective is lower, and returns the part of the step taken; 0 if there is no such
    /// point.
    fn descend(&mut self, step: &Matrix) -> f64 {
        let slope = dot(step.as_slice(), self.sums.gradient.as_slice());
        let mut length = 1.0;
        for _ in 0..MAX_HALVINGS {
            let mut b = self.b.clone();
            add_scaled(b.as_mut_slice(), -length, step.as_slice());
            let sums = self.rows.evaluate(&b, self.lambda, self.precision);
            let slack = ROUNDING[usize::from(self.precision == Precision::Single)] * self.sums.value;
            if sums.value <= self.sums.value - ARMIJO * length * slope + slack {
                (self.b, self.sums) = (b, sums);
                return length;
            }
            length *= 0.5;
        }
        0.0
    }
}

/// The inverse of a symmetric positive matrix.
fn inverse(m: &Matrix) -> Matrix {
    let d = m.rows();
    let mut factor = vec![0.0; d * d];
    cholesky::factor_shifted(&mut factor, d, FLOOR, |to| to.copy_from_slice(m.as_slice()));
    cholesky::inverse(&factor, d)
}
