//! Newton's method, each step by conjugate gradients.
//!
//! At scores `f = X Wᵀ + 1 bᵀ` with errors `E = P − Y`, the Newton step of the weights, the intercept minimised out, solves
//!
//! ```text
//! (I + C Xᵀ D̃ X) δ = −g,   g = W + C (E + D 1 s₀ᵀ)ᵀ X,   s₀ = −G⁻¹ Eᵀ1
//! ```
//!
//! with the [`LogisticCurvature`] `D̃`, `D`, `G`. The objective minimised over `b` is strongly convex in `W` with modulus one, so
//! `‖W − W*‖ ≤ ‖g‖` up to the second order in the error of `b`: the norm of `g` is the certificate that ends the
//! iteration, with a last step `s₀` of the intercept.
//!
//! Conjugate gradients update the image of every vector along with the vector, which leaves one product with the data per
//! step, and none for the new scores. The matrix is the identity plus a moderate part, with a condition number below ten on
//! real features: a preconditioner would cost more than the steps it saves.

use super::LogisticParams;
use super::curvature::LogisticCurvature;
use super::design::LogisticRows;
use super::sheet::stride;
use crate::linalg::vector::fused;
use crate::{Error, Result};

/// Conjugate gradient steps at most, more than any well-posed problem takes; the Newton iteration continues from there.
const INNER_STEPS: usize = 1000;

/// A step that moves no score by more than this keeps the curvature within a factor of e: it cannot overshoot.
const SAFE_MOVE: f64 = 0.5;

/// No step moves a score by more than this: where probabilities are saturated, the curvature is only valid nearby.
const LARGEST_MOVE: f64 = 10.0;

/// Points that a line search tries, each closer than the one before, until it takes the last.
const TRIALS: usize = 60;

/// The solution, and the workspace that is reused by the next training.
#[derive(Debug, Default)]
pub(super) struct NewtonClassifier {
    /// Coordinates of the weights.
    pub theta: Vec<f64>,
    /// The intercept, which sums to zero.
    pub intercept: Vec<f64>,
    curvature: LogisticCurvature,
    scores: Vec<f64>,
    error: Vec<f64>,
    bent: Vec<f64>,
    residual: Moved,
    direction: Moved,
    step: Moved,
}

/// A vector of weights, its image, and the change of the intercept that minimises the loss along it.
#[derive(Debug, Default)]
struct Moved {
    theta: Vec<f64>,
    image: Vec<f64>,
    shift: Vec<f64>,
}

impl Moved {
    fn resize(&mut self, coordinates: usize, scores: usize, classes: usize) {
        reset(&mut self.theta, coordinates);
        reset(&mut self.image, scores);
        reset(&mut self.shift, classes);
    }

    /// `‖·‖²` of the weights.
    #[inline(always)]
    fn square(&self, design: &impl LogisticRows) -> f64 {
        design.inner(&self.theta, &self.theta, &self.image).max(0.0)
    }

    #[inline(always)]
    fn add(&mut self, scale: f64, other: &Self) {
        fused::add_scaled(&mut self.theta, scale, &other.theta);
        fused::add_scaled(&mut self.image, scale, &other.image);
        fused::add_scaled(&mut self.shift, scale, &other.shift);
    }
}

impl NewtonClassifier {
    /// Prepares for a training; the coordinates become zero, the intercept stays.
    pub(super) fn resize(&mut self, coordinates: usize, samples: usize, classes: usize) {
        let (coordinates, scores) = (classes * coordinates, classes * stride(samples));
        reset(&mut self.theta, coordinates);
        self.intercept.resize(classes, 0.0);
        self.curvature.resize(samples, classes);
        for sheet in [&mut self.scores, &mut self.error, &mut self.bent] {
            reset(sheet, scores);
        }
        for moved in [&mut self.residual, &mut self.direction, &mut self.step] {
            moved.resize(coordinates, scores, classes);
        }
    }

    /// Trains, starting from the present coordinates and intercept.
    #[inline(always)]
    pub(super) fn solve(&mut self, design: &impl LogisticRows, labels: &[usize], params: LogisticParams) -> Result<()> {
        let LogisticParams { c, tolerance, iterations } = params;
        let goal = tolerance * c;
        let samples = labels.len() as f64;
        // The last step of the intercept leaves an error of its square per sample.
        let last_shift = (0.01 * tolerance / samples).sqrt();
        // The size of a gradient with every sample misclassified.
        let scale = c * samples.sqrt();
        let mut reached = f64::INFINITY;
        self.set_scores(design, labels);
        for _ in 0..iterations {
            self.set_gradient(design, c);
            let square = self.residual.square(design);
            let rounding = design.rounding(&self.residual.theta);
            reached = square.max(rounding).sqrt();
            let shift = self.step.shift.iter().fold(0.0, |most: f64, s| most.max(s.abs()));
            if reached <= goal && shift <= last_shift {
                fused::add_scaled(&mut self.intercept, 1.0, &self.step.shift);
                let mean = self.intercept.iter().sum::<f64>() / self.intercept.len() as f64;
                self.intercept.iter_mut().for_each(|b| *b -= mean);
                return Ok(());
            }
            if reached > goal && square <= 4.0 * rounding {
                self.clear_null_part(design, labels);
                continue;
            }
            if reached > goal {
                // In proportion to the gradient, for quadratic convergence, but no further than the goal requires.
                let forcing = (10.0 * reached / scale).min(0.3).max(0.3 * goal / reached);
                let target = (forcing * forcing * square).max(rounding);
                self.conjugate_gradients(design, c, square, target);
            }
            self.advance(design, labels, c);
        }
        let what = "logistic regression";
        Err(Error::NotConverged { what, iterations, reached, tolerance: goal })
    }

    /// Scores and errors of the coordinates and the intercept.
    #[inline(always)]
    fn set_scores(&mut self, design: &impl LogisticRows, labels: &[usize]) {
        design.image(&self.theta, &mut self.scores);
        shift_classes(&mut self.scores, &self.intercept);
        self.set_errors(labels);
    }

    /// Copies of one instance can share their weight in any proportion. A change of that proportion has no image, so no step
    /// removes it, and its rounding errors can hide the gradient. The coordinates of the minimum, `C (Y − P)`, have no such
    /// part, so they are set to that at the present scores.
    #[inline(always)]
    fn clear_null_part(&mut self, design: &impl LogisticRows, labels: &[usize]) {
        fused::add_scaled(&mut self.theta, 1.0, &self.residual.theta);
        self.set_scores(design, labels);
    }

    /// `E = P − Y` at the scores.
    #[inline(always)]
    fn set_errors(&mut self, labels: &[usize]) {
        self.curvature.set_scores(&self.scores);
        self.error.copy_from_slice(self.curvature.probabilities());
        let stride = self.error.len() / self.intercept.len();
        for (i, &label) in labels.iter().enumerate() {
            self.error[label * stride + i] -= 1.0;
        }
    }

    /// Starts the step at `(0, s₀)` and writes the residual `−g` and its image.
    #[inline(always)]
    fn set_gradient(&mut self, design: &impl LogisticRows, c: f64) {
        let stride = self.error.len() / self.intercept.len();
        self.curvature.factor();
        for (shift, error) in self.step.shift.iter_mut().zip(self.error.chunks_exact(stride)) {
            *shift = -fused::total(error);
        }
        self.curvature.solve(&mut self.step.shift);
        self.step.theta.fill(0.0);
        self.step.image.fill(0.0);
        self.curvature.bend(&self.step.image, &self.step.shift, &mut self.bent);
        fused::add_scaled(&mut self.bent, 1.0, &self.error);
        for (residual, theta) in self.residual.theta.iter_mut().zip(&self.theta) {
            *residual = -theta;
        }
        design.add_adjoint(-c, &self.bent, &mut self.residual.theta);
        design.image(&self.residual.theta, &mut self.residual.image);
    }

    /// Steps until the squared norm of the residual, `square` at the start, falls to `target`. The product that measures a
    /// residual also serves the step from there, so one more step is taken than the target requires.
    #[inline(always)]
    fn conjugate_gradients(&mut self, design: &impl LogisticRows, c: f64, mut square: f64, target: f64) {
        let Self { curvature, bent, residual, direction, step, .. } = self;
        direction.theta.copy_from_slice(&residual.theta);
        direction.image.copy_from_slice(&residual.image);
        for _ in 0..INNER_STEPS {
            curvature.intercept_response(&direction.image, &mut direction.shift);
            let bend = curvature.bend(&direction.image, &direction.shift, bent);
            let length = square / (direction.square(design) + c * bend);
            step.add(length, direction);
            if square <= target {
                break;
            }
            fused::add_scaled(&mut residual.theta, -length, &direction.theta);
            design.add_adjoint(-c * length, bent, &mut residual.theta);
            design.image(&residual.theta, &mut residual.image);
            let next = residual.square(design);
            if next == 0.0 {
                break;
            }
            fused::scale_add(&mut direction.theta, next / square, &residual.theta);
            fused::scale_add(&mut direction.image, next / square, &residual.image);
            square = next;
        }
    }

    /// Moves along the step, all the way or to where the objective no longer falls steeply.
    #[inline(always)]
    fn advance(&mut self, design: &impl LogisticRows, labels: &[usize], c: f64) {
        // The penalty's slope along the step is `pull + at · stretch`.
        let pull = design.inner(&self.theta, &self.step.theta, &self.step.image);
        let stretch = self.step.square(design);
        shift_classes(&mut self.step.image, &self.step.shift);
        let slope = pull + c * fused::dot(&self.error, &self.step.image);
        let largest = self.step.image.iter().fold(0.0, |most: f64, v| most.max(v.abs()));
        let (mut at, mut go) = (0.0, (LARGEST_MOVE / largest).min(1.0));
        for _ in 0..TRIALS {
            fused::add_scaled(&mut self.scores, go - at, &self.step.image);
            self.set_errors(labels);
            at = go;
            if at * largest <= SAFE_MOVE {
                break;
            }
            let slope_there = pull + at * stretch + c * fused::dot(&self.error, &self.step.image);
            if slope_there <= -0.5 * slope {
                break;
            }
            go = at * slope / (slope - slope_there);
        }
        fused::add_scaled(&mut self.theta, at, &self.step.theta);
        for (intercept, shift) in self.intercept.iter_mut().zip(&self.step.shift) {
            *intercept += at * shift;
        }
    }
}

fn reset(values: &mut Vec<f64>, length: usize) {
    values.clear();
    values.resize(length, 0.0);
}

/// Adds one number per class to a sheet. The padding changes too, which does no harm: every use of scores is weighted by
/// probabilities or errors, whose padding is zero.
#[inline(always)]
fn shift_classes(sheet: &mut [f64], shift: &[f64]) {
    let stride = sheet.len() / shift.len();
    for (class, shift) in sheet.chunks_exact_mut(stride).zip(shift) {
        class.iter_mut().for_each(|score| *score += shift);
    }
}
