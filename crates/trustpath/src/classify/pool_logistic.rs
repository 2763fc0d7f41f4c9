//! Logistic regression on pools of any size.
//!
//! Up to [`Limits::certified`] instances of not too many classes it is solved to a certified minimum in double precision;
//! beyond, in single precision with sums in double ([`LbfgsLogistic`]).

use super::{Classify, LbfgsLogistic, Logistic, LogisticParams, Model, Trainer, most_probable};
use crate::limits::Limits;
use crate::{Instances, Matrix, Result};

/// Of the classifier's weights, relative to `C`.
const TOLERANCE: f64 = 1e-5;

/// Logistic regression on pools of any size.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PoolLogistic {
    /// Solves for a certified minimum, up to the limit.
    certified: Logistic,
    c: f64,
    limits: Limits,
}

impl PoolLogistic {
    pub fn new(limits: Limits) -> Result<Self> {
        let params = LogisticParams { tolerance: TOLERANCE, ..Default::default() };
        Ok(Self { certified: params.check()?, c: params.c, limits })
    }
}

impl Classify for PoolLogistic {
    fn name(&self) -> &'static str {
        "lr"
    }

    fn trainer<'a>(&self, instances: &'a Instances, classes: usize) -> Box<dyn Trainer + 'a> {
        if self.limits.certifies(instances.len(), classes) {
            return self.certified.trainer(instances, classes);
        }
        let solver = LbfgsLogistic::new(self.c, classes, instances.dims());
        Box::new(LbfgsTrainer { instances, solver })
    }
}

struct LbfgsTrainer<'a> {
    instances: &'a Instances,
    solver: LbfgsLogistic,
}

impl Trainer for LbfgsTrainer<'_> {
    fn train(&mut self, rows: &[usize], labels: &[usize]) -> Result<()> {
        let unit = self.instances.unit();
        let x: Vec<f32> = rows.iter().flat_map(|&row| unit.row(row)).map(|&v| v as f32).collect();
        let labels: Vec<u32> = labels.iter().map(|&label| label as u32).collect();
        self.solver.train(&x, &labels)
    }

    fn probabilities(&self, rows: &[usize]) -> Matrix {
        self.solver.model().probabilities(self.instances.gather(rows).unit())
    }

    fn label(&self, rows: &[usize]) -> (Vec<usize>, Vec<f64>) {
        most_probable(self.solver.model(), self.instances.unit(), rows)
    }

    fn model(&self) -> Model {
        Model::Logistic(self.solver.model().clone())
    }
}
