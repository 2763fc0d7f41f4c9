//! Logistic regression on many samples of many classes.
//!
//! The objective is that of [`Logistic`](super::Logistic), in the primal, and nothing of size samples × classes is stored:
//! a limited-memory quasi-Newton method (L-BFGS, `history.rs`) on sums over strips of samples (`sums.rs`).
//!
//! The samples are expressed relative to their mean `μ` in the basis `V` of their principal components, `z = Vᵀ(x − μ)`, and
//! a coordinate that is always one carries the intercept. There the covariance of the samples is nearly diagonal, so that a
//! simple approximation of the curvature (`preconditioner.rs`) is a good starting point for every step. The penalty does not
//! change: `‖W V‖ = ‖W‖`.
//!
//! # Stopping
//! At a gradient of norm `C · max(10⁻³ √K, 2·10⁻⁶ √n)` for `K` classes, of which each has its share. The objective,
//! minimised over the intercept, is strongly convex with modulus one, so the weights are about as close to the exact ones as
//! that, those of one class to `10⁻³ C`; no score of an instance of unit length is off by more, and by far less where there
//! are many samples, since these add curvature. The second bound is the limit of single
//! precision: scores are known to about 10⁻⁶, and `n` such errors of random sign add up to a fraction of `C √n` times it.

mod history;
mod preconditioner;
mod sums;

use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatMut, MatRef, Par, Side};
use rayon::prelude::*;

use super::LogisticModel;
use crate::limits::BASIS_ROWS;
use crate::linalg::vector::{add_scaled, dot, norm};
use crate::{Error, Matrix, Result};
use history::LbfgsHistory;
use preconditioner::Preconditioner;
use sums::{LabelledRows, STRIP};

/// Goal for the norm of the gradient of one class, relative to `C`.
const TOLERANCE: f64 = 1e-3;
/// What single precision can reach, relative to `C √n`.
const ROUNDING: f64 = 2e-6;
/// Steps before giving up.
const ITERATIONS: usize = 1000;
/// Points that a line search tries before it takes the last of them.
const TRIALS: usize = 30;
/// The preconditioner is recomputed after this many steps, and more often at the beginning.
const REFRESH: usize = 8;

/// Logistic regression on many samples; each training starts from the last.
#[derive(Debug)]
pub(crate) struct LbfgsLogistic {
    c: f64,
    model: LogisticModel,
    steps: usize,
}

impl LbfgsLogistic {
    /// With weight `c` of the loss against the penalty, all weights zero.
    pub fn new(c: f64, classes: usize, dims: usize) -> Self {
        let model = LogisticModel { weights: Matrix::zeros(classes, dims), intercept: vec![0.0; classes] };
        Self { c, model, steps: 0 }
    }

    /// Trains on row-major samples, starting from the last result. A training that fails does not change the model.
    ///
    /// # Errors
    /// [`Error::OneClass`], [`Error::Shape`], [`Error::NotFinite`], [`Error::LabelOutOfRange`],
    /// [`Error::ClassWithoutSupport`], [`Error::NotConverged`].
    pub fn train(&mut self, x: &[f32], labels: &[u32]) -> Result<()> {
        self.check(x, labels)?;
        let (classes, dims) = (self.model.weights.rows(), self.model.weights.cols());
        let frame = Frame::of(x, dims);
        let z = frame.coordinates(x);
        let samples = LabelledRows { z: &z, dims: dims + 1, labels, classes };
        let mut w = frame.enter(&self.model);
        self.steps = minimise(self.c, samples, &mut w)?;
        self.model = frame.leave(&w, classes);
        Ok(())
    }

    /// The result of the last training.
    pub fn model(&self) -> &LogisticModel {
        &self.model
    }

    fn check(&self, x: &[f32], labels: &[u32]) -> Result<()> {
        let (classes, dims) = (self.model.weights.rows(), self.model.weights.cols());
        let (rows, expected) = (labels.len(), labels.len() * dims);
        if classes < 2 {
            return Err(Error::OneClass { classes });
        }
        if x.len() != expected {
            return Err(Error::Shape { rows, dims, expected, given: x.len() });
        }
        if let Some(at) = x.iter().position(|v| !v.is_finite()) {
            let value = f64::from(x[at]);
            return Err(Error::NotFinite { row: at / dims, column: at % dims, value });
        }
        let mut seen = vec![false; classes];
        for (row, label) in labels.iter().map(|&label| label as usize).enumerate() {
            *seen.get_mut(label).ok_or(Error::LabelOutOfRange { row, label, classes })? = true;
        }
        match seen.iter().position(|seen| !seen) {
            Some(class) => Err(Error::ClassWithoutSupport { class }),
            None => Ok(()),
        }
    }
}

/// The norm of the gradient at which the solver stops, for samples of this number of classes.
fn goal(c: f64, samples: usize, classes: usize) -> f64 {
    c * (TOLERANCE * (classes as f64).sqrt()).max(ROUNDING * (samples as f64).sqrt())
}

/// Minimises the objective from `w`: one row per class, the last column the intercept. Returns the number of steps.
fn minimise(c: f64, samples: LabelledRows<'_>, w: &mut [f64]) -> Result<usize> {
    let goal = goal(c, samples.labels.len(), samples.classes);
    let mut history = LbfgsHistory::default();
    let (mut g, first) = gradient(c, samples, w, true);
    let mut preconditioner = first.unwrap_or_default();
    for step in 0..ITERATIONS {
        if norm(&g) <= goal {
            return Ok(step);
        }
        let mut direction: Vec<f64> = g.iter().map(|g| -g).collect();
        history.apply(|v| preconditioner.divide(v), &mut direction);
        let slope = dot(&g, &direction);
        let refresh = step.is_power_of_two() || step % REFRESH == 0;
        let (mut at, mut go) = (0.0, 1.0);
        let (mut next, mut updated) = (Vec::new(), None);
        for _ in 0..TRIALS {
            add_scaled(w, go - at, &direction);
            at = go;
            (next, updated) = gradient(c, samples, w, refresh);
            // The slope has not turned to the same steepness the other way: on a convex curve, the step is not too long.
            let slope_there = dot(&next, &direction);
            if slope_there <= -0.5 * slope {
                break;
            }
            go = at * (slope / (slope - slope_there)).max(0.1);
        }
        direction.iter_mut().for_each(|v| *v *= at);
        let change: Vec<f64> = next.iter().zip(&g).map(|(next, g)| next - g).collect();
        history.push(direction, change);
        (g, preconditioner) = (next, updated.unwrap_or(preconditioner));
    }
    let (what, reached) = ("logistic regression on many samples", norm(&g));
    Err(Error::NotConverged { what, iterations: ITERATIONS, reached, tolerance: goal })
}

/// The gradient, and the preconditioner if requested.
fn gradient(c: f64, samples: LabelledRows<'_>, w: &[f64], with_curvature: bool) -> (Vec<f64>, Option<Preconditioner>) {
    let single: Vec<f32> = w.iter().map(|&v| v as f32).collect();
    let sums = samples.sums(&single, with_curvature);
    let dims = samples.dims;
    let price = |j: usize| f64::from(u8::from(j + 1 != dims));
    let preconditioner = with_curvature.then(|| Preconditioner::new(c, &sums, dims, price));
    let mut g = sums.gradient;
    for (at, (g, w)) in g.iter_mut().zip(w).enumerate() {
        *g = c * *g + price(at % dims) * w;
    }
    (g, preconditioner)
}

/// The mean of the samples, and their principal components as columns.
struct Frame {
    mean: Vec<f64>,
    basis: Mat<f64>,
}

impl Frame {
    fn of(x: &[f32], dims: usize) -> Self {
        let rows = x.len() / dims;
        let mut mean = vec![0.0; dims];
        for row in x.chunks_exact(dims) {
            mean.iter_mut().zip(row).for_each(|(mean, &v)| *mean += f64::from(v));
        }
        mean.iter_mut().for_each(|mean| *mean /= rows as f64);
        let every = rows.div_ceil(BASIS_ROWS).max(1);
        let some: Vec<f64> = x
            .chunks_exact(dims)
            .step_by(every)
            .flat_map(|row| row.iter().zip(&mean).map(|(&v, mean)| f64::from(v) - mean))
            .collect();
        let some = MatRef::from_row_major_slice(&some, some.len() / dims, dims);
        let mut covariance = Mat::zeros(dims, dims);
        matmul(&mut covariance, Accum::Replace, some.transpose(), some, 1.0, Par::Seq);
        let basis = match covariance.self_adjoint_eigen(Side::Lower) {
            Ok(eigen) => eigen.U().to_owned(),
            Err(_) => Mat::identity(dims, dims),
        };
        Self { mean, basis }
    }

    /// `Vᵀ(x − μ)` and a one, of every row.
    fn coordinates(&self, x: &[f32]) -> Vec<f32> {
        let d = self.mean.len();
        let mut z = vec![0.0; x.len() / d * (d + 1)];
        let strips = z.par_chunks_mut(STRIP * (d + 1)).zip(x.par_chunks(STRIP * d));
        strips.for_each(|(z, x)| {
            let rows = x.len() / d;
            let centred: Vec<f64> = x
                .chunks_exact(d)
                .flat_map(|row| row.iter().zip(&self.mean).map(|(&v, mean)| f64::from(v) - mean))
                .collect();
            let centred = MatRef::from_row_major_slice(&centred, rows, d);
            let mut turned = vec![0.0; rows * d];
            let to = MatMut::from_row_major_slice_mut(&mut turned, rows, d);
            matmul(to, Accum::Replace, centred, &self.basis, 1.0, Par::Seq);
            for (z, turned) in z.chunks_exact_mut(d + 1).zip(turned.chunks_exact(d)) {
                z.iter_mut().zip(turned).for_each(|(z, &v)| *z = v as f32);
                z[d] = 1.0;
            }
        });
        z
    }

    /// A model as weights of the coordinates: `W V`, and the intercept at the mean.
    fn enter(&self, model: &LogisticModel) -> Vec<f64> {
        let (c, d) = (model.weights.rows(), self.mean.len());
        let turned = model.weights.view() * &self.basis;
        let mut w = vec![0.0; c * (d + 1)];
        for (k, w) in w.chunks_exact_mut(d + 1).enumerate() {
            w[..d].iter_mut().enumerate().for_each(|(j, w)| *w = turned[(k, j)]);
            w[d] = model.intercept[k] + dot(model.weights.row(k), &self.mean);
        }
        w
    }

    /// The inverse of [`enter`](Self::enter).
    fn leave(&self, w: &[f64], classes: usize) -> LogisticModel {
        let d = self.mean.len();
        let turned = Mat::from_fn(classes, d, |k, j| w[k * (d + 1) + j]);
        let weights = Matrix::from_view((turned * self.basis.transpose()).as_ref());
        let mut intercept: Vec<f64> =
            (0..classes).map(|k| w[k * (d + 1) + d] - dot(weights.row(k), &self.mean)).collect();
        let level = intercept.iter().sum::<f64>() / classes as f64;
        intercept.iter_mut().for_each(|b| *b -= level);
        LogisticModel { weights, intercept }
    }
}

#[cfg(test)]
mod tests;
