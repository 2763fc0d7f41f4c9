//! Multinomial logistic regression.
//!
//! ```text
//! min over W, b   ½ ‖W‖² + C Σᵢ ℓ(W xᵢ + b, yᵢ),   ℓ(f, y) = log Σ_k exp f_k − f_y
//! ```
//!
//! with the intercept `b` not penalised and fixed by `Σ_k b_k = 0`: scikit-learn's objective, solved to a certified
//! distance from its minimum. At the minimum `W = αᵀX` with `α = C (Y − P)`, so with fewer samples than features all work is
//! done on the Gram matrix, which all rounds of an episode share.

mod curvature;
mod design;
mod lbfgs;
mod most_probable;
mod newton;
mod sheet;

use super::samples::Samples;
use super::{Classify, TrainedModel, Trainer, check_solver, shares_gram};
use crate::linalg::block::multiply;
use crate::linalg::simd;
use crate::linalg::vector::fused;
use crate::{Instances, Matrix, Result};
use design::{LogisticRows, Primal, Span};
pub(crate) use lbfgs::LbfgsLogistic;
pub(crate) use most_probable::most_probable;
use newton::NewtonClassifier;
use sheet::SymmetricPanels;

/// Parameters of logistic regression.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LogisticParams {
    /// Weight `C` of the loss against the penalty (10).
    pub c: f64,
    /// The weights are within `tolerance · C` of the exact ones, in Frobenius norm (10⁻¹¹).
    pub tolerance: f64,
    /// Newton steps before giving up (100; about six are usual).
    pub iterations: usize,
}

impl Default for LogisticParams {
    fn default() -> Self {
        Self { c: 10.0, tolerance: 1e-11, iterations: 100 }
    }
}

impl LogisticParams {
    /// Checks the parameters.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter).
    pub fn check(self) -> Result<Logistic> {
        check_solver(self.c, self.tolerance, self.iterations)?;
        Ok(Logistic(self))
    }
}

/// Multinomial logistic regression, its parameters checked.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Logistic(LogisticParams);

impl Classify for Logistic {
    fn name(&self) -> &'static str {
        "lr"
    }

    fn trainer<'a>(&self, instances: &'a Instances, classes: usize) -> Box<dyn Trainer + 'a> {
        Box::new(LogisticTrainer::new(self.0, instances, classes))
    }
}

/// The weights of the last training.
#[derive(Debug)]
enum Weights {
    /// `α`, one row per class, one column per instance of the episode, zero outside the training rows.
    Span(Matrix),
    /// `W`, one row per class.
    Primal(Matrix),
}

impl Default for Weights {
    fn default() -> Self {
        Self::Span(Matrix::default())
    }
}

#[derive(Debug)]
struct LogisticTrainer<'a> {
    params: LogisticParams,
    instances: &'a Instances,
    classes: usize,
    weights: Weights,
    newton: NewtonClassifier,
    panels: SymmetricPanels,
}

impl<'a> LogisticTrainer<'a> {
    fn new(params: LogisticParams, instances: &'a Instances, classes: usize) -> Self {
        let mut trainer = Self {
            params,
            instances,
            classes,
            weights: Weights::default(),
            newton: NewtonClassifier::default(),
            panels: SymmetricPanels::default(),
        };
        trainer.forget();
        trainer
    }

    /// Discards the last training.
    fn forget(&mut self) {
        self.weights = Weights::Span(Matrix::zeros(self.classes, self.instances.len()));
        self.newton.intercept.clear();
        self.newton.intercept.resize(self.classes, 0.0);
    }

    fn solve(&mut self, design: impl LogisticRows, labels: &[usize]) -> Result<()> {
        simd::dispatch(
            (&mut self.newton, design, labels, self.params),
            #[inline(always)]
            |(newton, design, labels, params)| newton.solve(&design, labels, params),
        )
    }

    /// Solves for `α`. Starts from the last `α` if all its rows are still training rows; what is left of it without some of
    /// them would not be a useful start.
    fn train_in_span(&mut self, samples: &Samples) -> Result<()> {
        self.gather_gram(samples);
        let stride = self.panels.stride();
        self.newton.resize(stride, samples.rows.len(), self.classes);
        let mut alpha = match std::mem::take(&mut self.weights) {
            Weights::Span(alpha) => alpha,
            Weights::Primal(_) => Matrix::zeros(self.classes, self.instances.len()),
        };
        for (class, theta) in self.newton.theta.chunks_exact_mut(stride).enumerate() {
            let alpha = alpha.row_mut(class);
            for (theta, &row) in theta.iter_mut().zip(&samples.rows) {
                // Taken, so that of a row given twice the first occurrence gets all of the weight.
                *theta = std::mem::take(&mut alpha[row]);
            }
        }
        if alpha.as_slice().iter().any(|&left| left != 0.0) {
            alpha.as_mut_slice().fill(0.0);
            self.newton.theta.fill(0.0);
            self.newton.intercept.fill(0.0);
        }
        let panels = std::mem::take(&mut self.panels);
        let solved = self.solve(Span { gram: &panels, classes: self.classes }, &samples.labels);
        self.panels = panels;
        solved?;
        for (class, theta) in self.newton.theta.chunks_exact(stride).enumerate() {
            let alpha = alpha.row_mut(class);
            for (theta, &row) in theta.iter().zip(&samples.rows) {
                alpha[row] += theta;
            }
        }
        self.weights = Weights::Span(alpha);
        Ok(())
    }

    /// The Gram matrix of the samples: a part of the episode's, or computed for the samples alone.
    fn gather_gram(&mut self, samples: &Samples) {
        if shares_gram(self.instances) {
            self.panels.gather(self.instances.gram(), &samples.rows);
        } else {
            let (n, x) = (samples.rows.len(), samples.features(self.instances));
            let mut gram = Matrix::zeros(n, n);
            multiply(x.as_slice(), n, x.view().transpose(), gram.as_mut_slice());
            self.panels.gather(&gram, &(0..n).collect::<Vec<_>>());
        }
    }

    /// Solves for `W`, starting from the last one.
    fn train_in_primal(&mut self, samples: &Samples) -> Result<()> {
        let design = Primal { x: samples.features(self.instances), classes: self.classes };
        let (stride, dims) = (design.coordinates(), self.instances.dims());
        let last = self.linear_weights();
        self.newton.resize(stride, samples.rows.len(), self.classes);
        for (theta, last) in self.newton.theta.chunks_exact_mut(stride).zip(last.iter_rows()) {
            theta[..dims].copy_from_slice(last);
        }
        self.solve(design, &samples.labels)?;
        let theta = &self.newton.theta;
        let weights = Matrix::from_fn(self.classes, dims, |k, d| theta[k * stride + d]);
        self.weights = Weights::Primal(weights);
        Ok(())
    }

    /// `W`, one row per class.
    fn linear_weights(&self) -> Matrix {
        match &self.weights {
            Weights::Span(alpha) => {
                let x = self.instances.unit().view();
                let mut weights = Matrix::zeros(alpha.rows(), x.ncols());
                multiply(alpha.as_slice(), alpha.rows(), x, weights.as_mut_slice());
                weights
            }
            Weights::Primal(weights) => weights.clone(),
        }
    }
}

impl Trainer for LogisticTrainer<'_> {
    fn train(&mut self, rows: &[usize], labels: &[usize]) -> Result<()> {
        let trained = Samples::new(rows, labels, self.instances, self.classes).and_then(|samples| {
            if samples.rows.len() < self.instances.dims() {
                self.train_in_span(&samples)
            } else {
                self.train_in_primal(&samples)
            }
        });
        if trained.is_err() {
            self.forget();
        }
        trained
    }

    fn probabilities(&self, rows: &[usize]) -> Matrix {
        let intercept = &self.newton.intercept;
        match &self.weights {
            Weights::Span(alpha) if shares_gram(self.instances) => {
                probabilities(self.instances.gram(), rows, alpha, intercept)
            }
            _ => probabilities(self.instances.unit(), rows, &self.linear_weights(), intercept),
        }
    }

    fn model(&self) -> Box<dyn TrainedModel> {
        let intercept = self.newton.intercept.clone();
        Box::new(LogisticModel { weights: self.linear_weights(), intercept })
    }
}

/// A trained logistic regression: `softmax(W x + b)`.
#[derive(Debug, Clone, PartialEq)]
pub struct LogisticModel {
    /// `W`, one row per class, one column per feature.
    pub weights: Matrix,
    /// `b`, which sums to zero.
    pub intercept: Vec<f64>,
}

impl LogisticModel {
    /// The same of these rows.
    pub(crate) fn probabilities_of(&self, x: &Matrix, rows: &[usize]) -> Matrix {
        probabilities(x, rows, &self.weights, &self.intercept)
    }

    pub(crate) fn probabilities(&self, x: &Matrix) -> Matrix {
        let rows: Vec<usize> = (0..x.rows()).collect();
        probabilities(x, &rows, &self.weights, &self.intercept)
    }
}

/// `softmax(left[rows] · rightᵀ + intercept)`, one row per instance; `right` has one row per class.
fn probabilities(left: &Matrix, rows: &[usize], right: &Matrix, intercept: &[f64]) -> Matrix {
    simd::dispatch(
        (left, rows, right, intercept),
        #[inline(always)]
        |(left, rows, right, intercept)| {
            let (samples, classes) = (rows.len(), intercept.len());
            let stride = sheet::stride(samples);
            let mut scores = vec![0.0; classes * stride];
            let mut p = vec![0.0; classes * stride];
            for (i, &row) in rows.iter().enumerate() {
                for (k, intercept) in intercept.iter().enumerate() {
                    scores[k * stride + i] = intercept + fused::dot(left.row(row), right.row(k));
                }
            }
            sheet::softmax(samples, classes, &scores, &mut p);
            Matrix::from_fn(samples, classes, |i, k| p[k * stride + i])
        },
    )
}

#[cfg(test)]
mod tests;
