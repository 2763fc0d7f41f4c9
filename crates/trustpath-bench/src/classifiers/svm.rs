//! Linear support vector machines, one for every pair of classes.
//!
//! ```text
//! min over w, ρ   ½ ‖w‖² + C Σᵢ max(0, 1 − yᵢ (wᵀxᵢ − ρ)),   yᵢ = ±1,
//! ```
//!
//! for each pair of classes on the samples of the two, solved on the Gram matrix by sequential minimal optimisation:
//! libsvm's and scikit-learn's `SVC` with a linear kernel. A positive decision is a vote for the first class of the pair, any
//! other for the second; the class with the most votes wins, the first of them in case of a tie.
//!
//! A support vector machine has no probabilities. In their place is the softmax of scikit-learn's one-vs-rest scores,
//! `votes + s / (3 (|s| + 1))` with `s` the sum of the decisions for the class. Where those would prefer another of several
//! classes with the most votes, the two scores are swapped, so that the winning class always has the largest.

mod smo;
mod votes;

use smo::Machine;
use trustpath::classify::{Classify, Samples, TrainedModel, Trainer, shares_gram};
use trustpath::{Instances, Matrix, Result};
use trustpath_path::linalg::vector::{add_scaled, dot_in_order};

/// Parameters of the support vector machines.
#[derive(Debug, Clone, Copy)]
struct SvmParams {
    /// Weight `C` of the loss against the penalty.
    c: f64,
    /// Largest violation of the optimality conditions, on the scale where the margin is 1.
    tolerance: f64,
    /// Steps per pair of classes before giving up.
    iterations: usize,
}

impl Default for SvmParams {
    fn default() -> Self {
        Self { c: 10.0, tolerance: 1e-6, iterations: 1_000_000 }
    }
}

/// Linear support vector machines.
#[derive(Debug, Default)]
pub(super) struct Svm(SvmParams);

impl Classify for Svm {
    fn name(&self) -> &'static str {
        "svm"
    }

    fn trainer<'a>(&self, instances: &'a Instances, classes: usize) -> Box<dyn Trainer + 'a> {
        Box::new(SvmTrainer { params: self.0, instances, classes, pairs: Vec::new() })
    }
}

#[derive(Debug)]
struct SvmTrainer<'a> {
    params: SvmParams,
    instances: &'a Instances,
    classes: usize,
    /// One machine per pair of classes; none before the first training.
    pairs: Vec<Pair>,
}

/// The machine of one pair: its decision is `Σᵢ βᵢ K(xᵢ, ·) − ρ`.
#[derive(Debug, Default)]
struct Pair {
    rows: Vec<usize>,
    beta: Vec<f64>,
    rho: f64,
}

impl Pair {
    /// Trains on the samples of classes `k` and `l`, starting from the last solution.
    fn train(
        &mut self,
        (k, l): (usize, usize),
        samples: &Samples,
        instances: &Instances,
        params: SvmParams,
    ) -> Result<()> {
        let last = std::mem::take(self);
        let (mut y, mut gram) = (Vec::new(), Vec::new());
        for (&row, &label) in samples.rows.iter().zip(&samples.labels) {
            if label == k || label == l {
                self.rows.push(row);
                y.push(if label == k { 1.0 } else { -1.0 });
            }
        }
        self.beta = last.start(&self.rows, &y, params.c);
        for &row in &self.rows {
            if shares_gram(instances) {
                let from = instances.gram().row(row);
                gram.extend(self.rows.iter().map(|&column| from[column]));
            } else {
                let x = instances.unit();
                gram.extend(self.rows.iter().map(|&column| dot_in_order(x.row(row), x.row(column))));
            }
        }
        self.rho = Machine { gram: &gram, y: &y, params }.solve(&mut self.beta)?;
        Ok(())
    }

    /// The multipliers that carry over to `rows` with labels `y`, or zeros if those are not feasible.
    fn start(&self, rows: &[usize], y: &[f64], c: f64) -> Vec<f64> {
        let mut old = self.rows.iter().zip(&self.beta).peekable();
        let mut beta = Vec::with_capacity(rows.len());
        for (row, y) in rows.iter().zip(y) {
            while old.next_if(|(old, _)| *old < row).is_some() {}
            let carried = old.next_if(|(old, _)| *old == row).map_or(0.0, |(_, &beta)| beta);
            beta.push(if carried * y > 0.0 { carried } else { 0.0 });
        }
        if beta.iter().sum::<f64>().abs() > 1e-12 * c {
            beta.fill(0.0);
        }
        beta
    }
}

impl SvmTrainer<'_> {
    fn linear(&self) -> SvmModel {
        let mut weights = Matrix::zeros(self.pairs.len(), self.instances.dims());
        for (i, pair) in self.pairs.iter().enumerate() {
            let support = pair.rows.iter().zip(&pair.beta).filter(|&(_, &beta)| beta != 0.0);
            for (&row, &beta) in support {
                add_scaled(weights.row_mut(i), beta, self.instances.unit().row(row));
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
            pair.train(classes, &samples, self.instances, self.params)?;
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

    fn model(&self) -> Box<dyn TrainedModel> {
        Box::new(self.linear())
    }
}

/// Trained support vector machines: a linear decision per pair of classes, and a vote.
#[derive(Debug)]
struct SvmModel {
    classes: usize,
    /// One row per pair `(k, l)`, `k < l`, in lexicographic order: positive decisions are for `k`.
    weights: Matrix,
    /// One per pair.
    intercept: Vec<f64>,
}

impl SvmModel {
    fn decide(&self, x: &[f64], decisions: &mut [f64]) {
        for (i, decision) in decisions.iter_mut().enumerate() {
            *decision = dot_in_order(self.weights.row(i), x) + self.intercept[i];
        }
    }
}

impl TrainedModel for SvmModel {
    fn dims(&self) -> usize {
        self.weights.cols()
    }

    fn classes(&self) -> usize {
        self.classes
    }

    fn of_rows(&self, x: &Matrix) -> Matrix {
        let mut p = Matrix::zeros(x.rows(), self.classes);
        let mut decisions = vec![0.0; self.intercept.len()];
        for (i, x) in x.iter_rows().enumerate() {
            self.decide(x, &mut decisions);
            votes::probabilities(&decisions, p.row_mut(i));
        }
        p
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing::problems;
    use trustpath::{Error, Features};

    proptest! {
        #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

        /// Weak duality holds for any `w`, `ρ` and feasible `β`; where the gap is zero, all three are optimal.
        #[test]
        fn the_duality_gap_vanishes(problem in problems()) {
            let x = problem.instances();
            let params = SvmParams::default();
            let classes = problem.classes;
            let mut trainer = SvmTrainer { params, instances: &x, classes, pairs: Vec::new() };
            trainer.train(&problem.rows, &problem.labels).unwrap();
            let model = trainer.linear();
            for (i, (pair, (k, l))) in trainer.pairs.iter().zip(votes::pairs(classes)).enumerate() {
                let w = model.weights.row(i);
                let mut primal = 0.5 * dot_in_order(w, w);
                for (&row, &label) in problem.rows.iter().zip(&problem.labels) {
                    let y = f64::from(i8::from(label == k) - i8::from(label == l));
                    let hinge = (1.0 - y * (dot_in_order(w, x.unit().row(row)) + model.intercept[i])).max(0.0);
                    primal += if y == 0.0 { 0.0 } else { params.c * hinge };
                }
                let dual = pair.beta.iter().map(|b| b.abs()).sum::<f64>() - 0.5 * dot_in_order(w, w);
                let samples = pair.rows.len() as f64;
                prop_assert!(pair.beta.iter().all(|b| b.abs() <= params.c));
                prop_assert!(pair.beta.iter().sum::<f64>().abs() < 1e-10);
                prop_assert!((primal - dual).abs() <= samples * params.c * params.tolerance);
            }
        }
    }

    #[test]
    fn two_opposite_points_are_split_in_the_middle() {
        // The margin is met with both multipliers at 1/2, and the plane is in the middle.
        let x = Features::new(&[2.0, 0.0, -3.0, 0.0][..], 2, 2).unwrap().normalize().unwrap();
        let trained = |params| {
            let mut trainer = SvmTrainer { params, instances: &x, classes: 2, pairs: Vec::new() };
            trainer.train(&[0, 1], &[0, 1]).unwrap();
            trainer.linear()
        };
        let model = trained(SvmParams::default());
        assert_eq!(model.weights.as_slice(), [1.0, 0.0]);
        assert_eq!(model.intercept, [0.0]);
        // With a small C both multipliers stay at C.
        let model = trained(SvmParams { c: 0.1, ..SvmParams::default() });
        assert_eq!((model.weights.as_slice(), &model.intercept[..]), (&[0.2, 0.0][..], &[0.0][..]));
    }

    #[test]
    fn too_few_steps_are_an_error() {
        let x = Features::new(&[2.0, 0.0, -3.0, 0.0][..], 2, 2).unwrap().normalize().unwrap();
        let mut trainer = Svm(SvmParams { iterations: 1, ..SvmParams::default() }).trainer(&x, 2);
        let error = trainer.train(&[0, 1], &[0, 1]).unwrap_err();
        assert!(matches!(error, Error::NotConverged { iterations: 1, .. }), "{error}");
        assert_eq!(trainer.probabilities(&[0]).as_slice(), [0.5, 0.5]);
    }
}
