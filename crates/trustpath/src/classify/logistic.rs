//! Multinomial logistic regression.
//!
//! ```text
//! min over W, b   ½ ‖W‖² + C Σᵢ ℓ(W xᵢ + b, yᵢ),   ℓ(f, y) = log Σ_k exp f_k − f_y
//! ```
//!
//! with the intercept `b` free of penalty and fixed by `Σ_k b_k = 0`: scikit-learn's objective, solved to a certified
//! distance from its minimum. At the minimum `W = αᵀX` with `α = C (Y − P)`, so that with fewer samples than features
//! everything happens on the Gram matrix, which all rounds of an episode share.

mod blocks;
mod curvature;
mod design;
mod memory;
#[cfg_attr(not(test), expect(dead_code, reason = "for pools of many labels"))]
mod most_probable;
mod newton;
mod scores;
mod strips;
#[cfg_attr(not(test), expect(dead_code, reason = "for pools of many labels"))]
mod wide;

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, Par};
use pulp::Arch;

use super::lanes::SymmetricPanels;
use super::samples::Samples;
use super::{Classify, Model, Trainer, shares_gram};
use crate::{Error, Instances, Matrix, Result};
use design::{Design, Primal, Span};
#[cfg_attr(not(test), expect(unused_imports, reason = "for pools of many labels"))]
pub(crate) use most_probable::most_probable;
use newton::{Newton, Rules, Solve};
use scores::Scores;

/// Parameters of logistic regression.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LogisticParams {
    /// Weight `C` of the loss against the penalty (10).
    pub c: f64,
    /// The weights are within `tolerance · C` of the exact ones, in Frobenius norm (10⁻¹¹).
    pub tolerance: f64,
    /// Newton steps before giving up (100; half a dozen are usual).
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
    /// [`Error::Parameter`].
    pub fn check(self) -> Result<Logistic> {
        if !(self.c > 0.0 && self.c.is_finite()) {
            return Err(Error::parameter("C", self.c, "it must be a positive number"));
        }
        if !(self.tolerance > 0.0 && self.tolerance < 1.0) {
            let expected = "it must lie between 0 and 1";
            return Err(Error::parameter("tolerance", self.tolerance, expected));
        }
        if self.iterations == 0 {
            return Err(Error::parameter("iterations", 0, "at least one is needed"));
        }
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
    /// `α`, one row a class, one column an instance of the episode, zero outside the training rows.
    Span(Matrix),
    /// `W`, one row a class.
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
    newton: Newton,
    panels: SymmetricPanels,
}

impl<'a> LogisticTrainer<'a> {
    fn new(params: LogisticParams, instances: &'a Instances, classes: usize) -> Self {
        let mut trainer = Self {
            params,
            instances,
            classes,
            weights: Weights::default(),
            newton: Newton::default(),
            panels: SymmetricPanels::default(),
        };
        trainer.forget();
        trainer
    }

    fn forget(&mut self) {
        self.weights = Weights::Span(Matrix::zeros(self.classes, self.instances.len()));
        self.newton.intercept.clear();
        self.newton.intercept.resize(self.classes, 0.0);
    }

    fn solve(&mut self, design: impl Design, labels: &[usize]) -> Result<()> {
        let LogisticParams { c, tolerance, iterations } = self.params;
        let rules = Rules { c, tolerance, iterations };
        Arch::new().dispatch(Solve { newton: &mut self.newton, design, labels, rules })
    }

    /// Solves for `α`. Starts from the last one if all its rows are still there: without some of them, what is left
    /// would be no classifier.
    fn train_in_span(&mut self, samples: &Samples) -> Result<()> {
        self.gather_gram(samples);
        let stride = self.panels.stride();
        self.newton.resize(stride, samples.len(), self.classes);
        let mut alpha = match std::mem::take(&mut self.weights) {
            Weights::Span(alpha) => alpha,
            Weights::Primal(_) => Matrix::zeros(self.classes, self.instances.len()),
        };
        for (class, theta) in self.newton.theta.chunks_exact_mut(stride).enumerate() {
            let alpha = alpha.row_mut(class);
            for (theta, &row) in theta.iter_mut().zip(&samples.rows) {
                // Taken, so that of a row named twice the first has it all.
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

    /// The Gram matrix of the samples: a part of the episode's, or computed for them alone.
    fn gather_gram(&mut self, samples: &Samples) {
        if shares_gram(self.instances) {
            self.panels.gather(self.instances.gram(), &samples.rows);
        } else {
            let (n, x) = (samples.len(), samples.features(self.instances));
            let mut gram = Matrix::zeros(n, n);
            let out = MatMut::from_row_major_slice_mut(gram.as_mut_slice(), n, n);
            matmul(out, Accum::Replace, x.view(), x.view().transpose(), 1.0, Par::Seq);
            self.panels.gather(&gram, &(0..n).collect::<Vec<_>>());
        }
    }

    /// Solves for `W`, starting from the last one.
    fn train_in_primal(&mut self, samples: &Samples) -> Result<()> {
        let design = Primal { x: samples.features(self.instances), classes: self.classes };
        let (stride, dims) = (design.coordinates(), self.instances.dims());
        let last = self.linear_weights();
        self.newton.resize(stride, samples.len(), self.classes);
        for (theta, last) in self.newton.theta.chunks_exact_mut(stride).zip(last.iter_rows()) {
            theta[..dims].copy_from_slice(last);
        }
        self.solve(design, &samples.labels)?;
        let theta = &self.newton.theta;
        let weights = Matrix::from_fn(self.classes, dims, |k, d| theta[k * stride + d]);
        self.weights = Weights::Primal(weights);
        Ok(())
    }

    /// `W`, one row a class.
    fn linear_weights(&self) -> Matrix {
        match &self.weights {
            Weights::Span(alpha) => {
                let (k, d) = (alpha.rows(), self.instances.dims());
                let mut weights = Matrix::zeros(k, d);
                let out = MatMut::from_row_major_slice_mut(weights.as_mut_slice(), k, d);
                let (alpha, x) = (alpha.view(), self.instances.unit().view());
                matmul(out, Accum::Replace, alpha, x, 1.0, Par::Seq);
                weights
            }
            Weights::Primal(weights) => weights.clone(),
        }
    }
}

impl Trainer for LogisticTrainer<'_> {
    fn train(&mut self, rows: &[usize], labels: &[usize]) -> Result<()> {
        let trained =
            Samples::new(rows, labels, self.instances, self.classes).and_then(|samples| {
                match samples.len() < self.instances.dims() {
                    true => self.train_in_span(&samples),
                    false => self.train_in_primal(&samples),
                }
            });
        if trained.is_err() {
            self.forget();
        }
        trained
    }

    fn probabilities(&self, rows: &[usize]) -> Matrix {
        let intercept = &self.newton.intercept;
        let score = |left, right| Arch::new().dispatch(Scores { left, rows, right, intercept });
        match &self.weights {
            Weights::Span(alpha) if shares_gram(self.instances) => {
                score(self.instances.gram(), alpha)
            }
            Weights::Span(_) => score(self.instances.unit(), &self.linear_weights()),
            Weights::Primal(weights) => score(self.instances.unit(), weights),
        }
    }

    fn model(&self) -> Model {
        let intercept = self.newton.intercept.clone();
        Model::Logistic(LogisticModel { weights: self.linear_weights(), intercept })
    }
}

/// A trained logistic regression: `softmax(W x + b)`.
#[derive(Debug, Clone, PartialEq)]
pub struct LogisticModel {
    /// `W`, one row a class, one column a feature.
    pub weights: Matrix,
    /// `b`, which sums to zero.
    pub intercept: Vec<f64>,
}

impl LogisticModel {
    pub(crate) fn probabilities(&self, x: &Matrix) -> Matrix {
        let rows: Vec<usize> = (0..x.rows()).collect();
        let (right, intercept) = (&self.weights, &self.intercept[..]);
        Arch::new().dispatch(Scores { left: x, rows: &rows, right, intercept })
    }
}

#[cfg(test)]
mod tests;
