//! The options of self-training on episodes: every choice that Algorithm 1 leaves open.

use super::field::choice_fields;
use super::spec;
use crate::Result;
use crate::choice::choices;
use crate::classify::ClassifierKind;
use crate::incidental::{IciCParams, IciRParams, Incidental, Penalty};
use crate::judge::{CoefficientNorm, Confidence, Ici, Judge, Nearest, Random, Rule, Selector};
use crate::labeller::{Quota, SelfTrainer, SelfTraining};
use crate::reduce::lle::Lle;
use crate::reduce::{DEFAULT_D, DEFAULT_NEIGHBORS, Reduce, Reduction};

/// Where the official code's ICI-C path ends, relative to `λ_max`.
const OFFICIAL_ICIC_RATIO: f64 = 0.01;

choices! {
    /// The model with incidental parameters.
    #[derive(Default)]
    #[non_exhaustive]
    pub enum IncidentalKind("model") {
        /// Linear regression, ICI-R.
        #[default]
        IciR = "icir",
        /// Logistic regression, ICI-C.
        IciC = "icic",
    }
}

spec! {
    /// The options of self-training.
    pub struct SelfTrainingSpec {
        ["Method", "NAME"]
        /// Model with incidental parameters: icir (linear) or icic (logistic)
        model: IncidentalKind = IncidentalKind::IciR,
        ["Method", "NAME"]
        /// Penalty on the incidental parameters: one norm per instance (group) or per entry (elementwise)
        /// [default: group for icir, elementwise for icic, as the official code has it]
        penalty: Option<Penalty> = None,
        ["Method", "NAME"]
        /// Reduction whose coordinates the model reads
        reduction: Reduction = Reduction::Lle,
        ["Method", "D"]
        /// Dimensions to reduce to [default: as many as ways, but at least 5]
        dim: usize = DEFAULT_D,
        ["Method", "K"]
        /// Neighbours in lle, ltsa and isomap
        neighbors: usize = DEFAULT_NEIGHBORS,
        ["Method", "NAME"]
        /// Classifier that gives the pseudo-labels
        classifier: ClassifierKind = ClassifierKind::Logistic,
        ["Method", "NAME"]
        /// How instances are selected: ici (by credibility), ra (at random), nn (nearest training instance), co
        /// (confidence of the classifier), cn (norm of the incidental parameter)
        selector: Selector = Selector::Ici,
        ["Method", "N"]
        /// Instances of each pseudo-class accepted per round
        step: usize = 5,
        ["Method", "N|none"]
        /// Instances of each pseudo-class accepted in total, or none for no limit; the paper has 15, 25 and 45 with 15,
        /// 30 and 50 unlabeled [default: none]
        cap: Option<usize> = None,
        ["Method", "A"]
        /// Weight of the coefficients' penalty in icic, relative to that of the incidental parameters
        alpha: f64 = 0.5,
        ["Method", "true|false"]
        /// Follow the rules of the official code: credibility on a grid with ties in row order, scikit-learn's choice of
        /// null vectors in lle, the path of icic down to a hundredth
        compat: bool = false,
        ["Run", "N"]
        /// Random seed of the episodes and of the random selector
        seed: u64 = 0,
    }
}

choice_fields!(IncidentalKind, Penalty, ClassifierKind, Selector);

impl SelfTrainingSpec {
    /// Self-training with these options.
    ///
    /// # Errors
    /// When a parameter is outside its domain.
    pub fn build(&self) -> Result<SelfTrainer> {
        let quota = Quota::PerRound { step: self.step, cap: self.cap };
        let labeller = SelfTraining::new(self.classifier.build(), self.judge()?, quota)?;
        Ok(labeller.with_reduction(self.reduction()?))
    }

    /// The reduction.
    ///
    /// # Errors
    /// When a parameter is outside its domain.
    pub fn reduction(&self) -> Result<Box<dyn Reduce>> {
        let (d, neighbors, compat) = (self.dim, self.neighbors, self.compat);
        match self.reduction {
            Reduction::Lle => {
                Ok(Box::new(Lle { d, neighbors, compat, ..Default::default() }.check()?))
            }
            other => other.build(d, neighbors),
        }
    }

    /// The model with incidental parameters.
    ///
    /// # Errors
    /// When a parameter is outside its domain.
    pub fn incidental(&self) -> Result<Box<dyn Incidental>> {
        Ok(match self.model {
            IncidentalKind::IciR => {
                let default = IciRParams::default();
                let penalty = self.penalty.unwrap_or(default.penalty);
                Box::new(IciRParams { penalty, ..default }.check()?)
            }
            IncidentalKind::IciC => {
                let default = IciCParams::default();
                let penalty = self.penalty.unwrap_or(default.penalty);
                let mut params = IciCParams { alpha: self.alpha, penalty, ..default };
                if self.compat {
                    params.grid.ratio = OFFICIAL_ICIC_RATIO;
                }
                Box::new(params.check()?)
            }
        })
    }

    fn judge(&self) -> Result<Box<dyn Judge>> {
        Ok(match self.selector {
            Selector::Ici => {
                let rule = if self.compat { Rule::Grid } else { Rule::Continuous };
                Box::new(Ici { model: self.incidental()?, rule })
            }
            Selector::Random => Box::new(Random { seed: self.seed }),
            Selector::Nearest => Box::new(Nearest),
            Selector::Confidence => Box::new(Confidence),
            Selector::CoefficientNorm => Box::new(CoefficientNorm { model: self.incidental()? }),
        })
    }
}
