//! Linear support vector machines, one for every pair of classes.
//!
//! ```text
//! min over w, ρ   ½ ‖w‖² + C Σᵢ max(0, 1 − yᵢ (wᵀxᵢ − ρ)),   yᵢ = ±1,
//! ```
//!
//! for each pair of classes on the samples of the two, and a vote over all pairs: libsvm's and scikit-learn's `SVC` with
//! a linear kernel, of which the machine is solved on the Gram matrix ([`smo`]). A support vector machine has no
//! probabilities; what stands for them ([`votes`]) is largest for the class elected.

mod smo;
mod votes;

use super::samples::Samples;
use super::{Classify, Model, Trainer, shares_gram};
use crate::{Error, Instances, Matrix, Result};
use smo::Machine;

/// Parameters of the support vector machines.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SvmParams {
    /// Weight `C` of the loss against the penalty (10).
    pub c: f64,
    /// Largest violation of the optimality conditions, on the scale where the margin is 1 (10⁻⁶).
    pub tolerance: f64,
    /// Steps per pair of classes before giving up (one million).
    pub iterations: usize,
}

impl Default for SvmParams {
    fn default() -> Self {
        Self { c: 10.0, tolerance: 1e-6, iterations: 1_000_000 }
    }
}

impl SvmParams {
    /// Checks the parameters.
    ///
    /// # Errors
    /// [`Error::Parameter`].
    pub fn check(self) -> Result<Svm> {
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
        Ok(Svm(self))
    }
}

/// Linear support vector machines, the parameters checked.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Svm(SvmParams);

impl Classify for Svm {
    fn name(&self) -> &'static str {
        "svm"
    }

    fn trainer<'a>(&self, instances: &'a Instances, classes: usize) -> Box<dyn Trainer + 'a> {
        let (params, pairs) = (self.0, Vec::new());
        Box::new(SvmTrainer { params, instances, classes, pairs, work: Workspace::default() })
    }
}

#[derive(Debug)]
struct SvmTrainer<'a> {
    params: SvmParams,
    instances: &'a Instances,
    classes: usize,
    /// One machine per pair of classes; none before the first training.
    pairs: Vec<Pair>,
    work: Workspace,
}

/// The machine of one pair: its decision is `Σᵢ βᵢ K(xᵢ, ·) − ρ`.
#[derive(Debug, Default)]
struct Pair {
    rows: Vec<usize>,
    beta: Vec<f64>,
    rho: f64,
}

#[derive(Debug, Default)]
struct Workspace {
    gram: Vec<f64>,
    y: Vec<f64>,
    gradient: Vec<f64>,
}

impl Pair {
    /// Trains on the samples of classes `k` and `l`, starting from where `self` is.
    fn train(
        &mut self,
        (k, l): (usize, usize),
        samples: &Samples,
        instances: &Instances,
        params: SvmParams,
        work: &mut Workspace,
    ) -> Result<()> {
        let Workspace { gram, y, gradient } = work;
        let last = std::mem::take(self);
        y.clear();
        for (&row, &label) in samples.rows.iter().zip(&samples.labels) {
            if label == k || label == l {
                self.rows.push(row);
                y.push(if label == k { 1.0 } else { -1.0 });
            }
        }
        last.start(&self.rows, y, params.c, &mut self.beta);
        gram.clear();
        for &row in &self.rows {
            if shares_gram(instances) {
                let from = instances.gram().row(row);
                gram.extend(self.rows.iter().map(|&column| from[column]));
            } else {
                let x = instances.unit();
                gram.extend(self.rows.iter().map(|&column| dot(x.row(row), x.row(column))));
            }
        }
        let SvmParams { c, tolerance, iterations } = params;
        let machine = Machine { gram, y, c, tolerance, iterations };
        self.rho = machine.solve(&mut self.beta, gradient)?;
        Ok(())
    }

    /// Writes the multipliers that carry over to `rows` with labels `y`, or zeros if those are not feasible.
    fn start(&self, rows: &[usize], y: &[f64], c: f64, beta: &mut Vec<f64>) {
        let mut old = self.rows.iter().zip(&self.beta).peekable();
        for (row, y) in rows.iter().zip(y) {
            while old.next_if(|(old, _)| *old < row).is_some() {}
            let carried = old.next_if(|(old, _)| *old == row).map_or(0.0, |(_, &beta)| beta);
            beta.push(if carried * y > 0.0 { carried } else { 0.0 });
        }
        if beta.iter().sum::<f64>().abs() > 1e-12 * c {
            beta.fill(0.0);
        }
    }
}

impl SvmTrainer<'_> {
    fn linear(&self) -> SvmModel {
        let mut weights = Matrix::zeros(self.pairs.len(), self.instances.dims());
        for (i, pair) in self.pairs.iter().enumerate() {
            let weights = weights.row_mut(i);
            for (&row, &beta) in pair.rows.iter().zip(&pair.beta).filter(|&(_, &beta)| beta != 0.0)
            {
                let x = self.instances.unit().row(row);
                weights.iter_mut().zip(x).for_each(|(w, x)| *w += beta * x);
            }
        }
        let intercept = self.pairs.iter().map(|pair| -pair.rho).collect();
        SvmModel { classes: self.classes, weights, intercept }
    }
}

impl Trainer for SvmTrainer<'_> {
    fn train(&mut self, rows: &[usize], labels: &[usize]) -> Result<()> {
        let mut pairs = std::mem::take(&mut self.pairs);
        let samples = Samples::new(rows, labels, self.instances, self.classes)?;
        pairs.resize_with(votes::pairs(self.classes).count(), Pair::default);
        for (pair, classes) in pairs.iter_mut().zip(votes::pairs(self.classes)) {
            pair.train(classes, &samples, self.instances, self.params, &mut self.work)?;
        }
        self.pairs = pairs;
        Ok(())
    }

    fn probabilities(&self, rows: &[usize]) -> Matrix {
        let mut p = Matrix::zeros(rows.len(), self.classes);
        let mut decisions = vec![0.0; self.pairs.len()];
        let linear = (!shares_gram(self.instances)).then(|| self.linear());
        for (i, &row) in rows.iter().enumerate() {
            if let Some(linear) = &linear {
                linear.decide(self.instances.unit().row(row), &mut decisions);
            } else {
                let gram = self.instances.gram().row(row);
                for (decision, pair) in decisions.iter_mut().zip(&self.pairs) {
                    let terms = pair.rows.iter().zip(&pair.beta).map(|(&row, b)| b * gram[row]);
                    *decision = terms.sum::<f64>() - pair.rho;
                }
            }
            votes::probabilities(&decisions, p.row_mut(i));
        }
        p
    }

    fn model(&self) -> Model {
        Model::Svm(self.linear())
    }
}

/// Trained support vector machines: a linear decision per pair of classes, and a vote.
#[derive(Debug, Clone, PartialEq)]
pub struct SvmModel {
    /// Number of classes.
    pub classes: usize,
    /// One row per pair `(k, l)`, `k < l`, in lexicographic order: positive decisions are for `k`.
    pub weights: Matrix,
    /// One per pair.
    pub intercept: Vec<f64>,
}

impl SvmModel {
    fn decide(&self, x: &[f64], decisions: &mut [f64]) {
        for (i, decision) in decisions.iter_mut().enumerate() {
            *decision = dot(self.weights.row(i), x) + self.intercept[i];
        }
    }

    pub(super) fn probabilities(&self, x: &Matrix) -> Matrix {
        let mut p = Matrix::zeros(x.rows(), self.classes);
        let mut decisions = vec![0.0; self.intercept.len()];
        for (i, x) in x.iter_rows().enumerate() {
            self.decide(x, &mut decisions);
            votes::probabilities(&decisions, p.row_mut(i));
        }
        p
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
