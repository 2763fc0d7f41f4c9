//! The classifier that is taught, on pools of any size.
//!
//! Logistic regression either way: to a certified minimum in double precision for up to [`CERTIFIED`] instances; for more on
//! an even part of every class, in single precision with sums in double ([`LbfgsLogistic`]).

use super::Limits;
use crate::classify::{
    Classify, LbfgsLogistic, LogisticModel, LogisticParams, Model, Trainer, most_probable,
};
use crate::task::arg_max;
use crate::{Instances, Result};

/// Of the classifier's weights, relative to `C`.
const TOLERANCE: f64 = 1e-5;

/// Instances up to which the minimum is certified.
const CERTIFIED: usize = 4096;

/// A classifier of one representation.
pub(super) struct Learner<'a> {
    instances: &'a Instances,
    classes: usize,
    limits: Limits,
    kind: Kind<'a>,
}

enum Kind<'a> {
    Certified(Box<dyn Trainer + 'a>),
    Lbfgs(LbfgsLogistic),
}

impl<'a> Learner<'a> {
    pub fn new(instances: &'a Instances, classes: usize, limits: Limits) -> Result<Self> {
        let params = LogisticParams { tolerance: TOLERANCE, ..Default::default() };
        let kind = match instances.len() <= CERTIFIED {
            true => Kind::Certified(params.check()?.trainer(instances, classes)),
            false => Kind::Lbfgs(LbfgsLogistic::new(params.c, classes, instances.dims())),
        };
        Ok(Self { instances, classes, limits, kind })
    }

    /// Trains on rows with given labels, and others with theirs; starts from the last training.
    pub fn train(
        &mut self,
        given: &[usize],
        given_labels: &[usize],
        others: &[usize],
        other_labels: &[usize],
    ) -> Result<()> {
        let (mut rows, mut labels) = (Vec::new(), Vec::new());
        for (of, with) in [(given, given_labels), (others, other_labels)] {
            for at in self.limits.to_train(with, self.classes) {
                rows.push(of[at]);
                labels.push(with[at]);
            }
        }
        match &mut self.kind {
            Kind::Certified(trainer) => trainer.train(&rows, &labels),
            Kind::Lbfgs(lbfgs) => {
                let unit = self.instances.unit();
                let x: Vec<f32> =
                    rows.iter().flat_map(|&row| unit.row(row)).map(|&v| v as f32).collect();
                let labels: Vec<u32> = labels.iter().map(|&label| label as u32).collect();
                lbfgs.train(&x, &labels)
            }
        }
    }

    /// The most probable label of each row, and its probability.
    pub fn label(&self, rows: &[usize]) -> (Vec<usize>, Vec<f64>) {
        match &self.kind {
            Kind::Certified(trainer) => {
                let probabilities = trainer.probabilities(rows);
                probabilities.iter_rows().map(|p| (arg_max(p), p[arg_max(p)])).unzip()
            }
            Kind::Lbfgs(lbfgs) => most_probable(lbfgs.model(), self.instances.unit(), rows),
        }
    }

    /// The last training as a model that stands on its own.
    pub fn model(&self) -> LogisticModel {
        match &self.kind {
            Kind::Lbfgs(lbfgs) => lbfgs.model().clone(),
            Kind::Certified(trainer) => match trainer.model() {
                Model::Logistic(model) => model,
                _ => unreachable!("a logistic regression trains a logistic model"),
            },
        }
    }
}
