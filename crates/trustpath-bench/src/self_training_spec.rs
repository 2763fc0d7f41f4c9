//! The options of self-training on episodes: every choice that Algorithm 1 leaves open.

use trustpath::incidental::linear::Roots;
use trustpath::incidental::logistic::Scaling;
use trustpath::incidental::{IciCParams, IciRParams, Incidental, Penalty};
use trustpath::judge::{Confidence, Ici, Judge, LeaveOneOut, Rule};
use trustpath::labeller::{Quota, SelfTraining};
use trustpath::{Result, choice_fields, declare_spec};
use trustpath_path::choices;

use crate::classifiers::ClassifierKind;
use crate::judges::{CoefficientNorm, LeastSquares, Nearest, RandomOrder, Selector};
use crate::reduce::{DEFAULT_D, DEFAULT_NEIGHBORS, Lle, Reduce, ReductionKind};
use crate::self_trainer::SelfTrainer;

/// Where the official code's ICI-C path ends, relative to `λ_max`.
const OFFICIAL_ICIC_RATIO: f64 = 0.01;
/// Points of the official code's grid.
const GRID: usize = 100;
/// Points of a grid of which only the last counts: enough that each solution starts close to the one before.
const DESCENT: usize = 16;

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

declare_spec! {
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
        reduction: ReductionKind = ReductionKind::Lle,
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
        /// (confidence of the classifier), cn (norm of the incidental parameter), ls (error of the least-squares fit)
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
        ["Method", "NAME"]
        /// Penalty weights of the coordinates in icic: by their standard deviations, as the official code runs glmnet (glmnet), or
        /// the same for all, as the paper prints the equation (paper)
        scaling: Scaling = Scaling::Glmnet,
        ["Method", "true|false"]
        /// Follow the rules of the official code: credibility on a grid with ties in row order, scikit-learn's choice of
        /// null vectors in lle, the path of icic down to a hundredth
        compat: bool = false,
        ["Run", "N"]
        /// Random seed of the episodes and of the random selector
        seed: u64 = 0,
    }
}

choice_fields!(IncidentalKind, ClassifierKind, ReductionKind, Selector);

impl SelfTrainingSpec {
    /// Self-training with these options.
    ///
    /// # Errors
    /// When a parameter is outside its domain.
    pub fn build(&self) -> Result<SelfTrainer> {
        let quota = Quota::PerRound { step: self.step, cap: self.cap };
        let labeller = SelfTraining::new(self.classifier.build(), self.judge()?, quota)?;
        Ok(SelfTrainer::new(labeller, self.reduction()?))
    }

    /// The reduction.
    ///
    /// # Errors
    /// When a parameter is outside its domain.
    pub fn reduction(&self) -> Result<Box<dyn Reduce>> {
        let (d, neighbors) = (self.dim, self.neighbors);
        let reduction = self.reduction.build(d, neighbors)?;
        let compat = self.compat && self.reduction == ReductionKind::Lle;
        Ok(if compat { Box::new(Lle { d, neighbors, compat }) } else { reduction })
    }

    /// The model with incidental parameters.
    ///
    /// # Errors
    /// When a parameter is outside its domain.
    pub fn incidental(&self) -> Result<Box<dyn Incidental>> {
        self.incidental_on(None)
    }

    /// The model with incidental parameters, on a grid of this number of points, between which nothing is solved for.
    fn incidental_on(&self, points: Option<usize>) -> Result<Box<dyn Incidental>> {
        Ok(match self.model {
            IncidentalKind::IciR => {
                let mut params = IciRParams::default();
                params.penalty = self.penalty.unwrap_or(params.penalty);
                if let Some(points) = points {
                    (params.grid.points, params.roots) = (points, Roots::Interpolated);
                }
                Box::new(params.check()?)
            }
            IncidentalKind::IciC => {
                let default = IciCParams::default();
                let penalty = self.penalty.unwrap_or(default.penalty);
                let mut params = IciCParams { alpha: self.alpha, penalty, scaling: self.scaling, ..default };
                params.grid.points = points.unwrap_or(params.grid.points);
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
                let (rule, points) = if self.compat { (Rule::Grid, Some(GRID)) } else { (Rule::Continuous, None) };
                Box::new(Ici { model: self.incidental_on(points)?, rule })
            }
            Selector::Random => Box::new(RandomOrder { seed: self.seed }),
            Selector::Nearest => Box::new(Nearest),
            Selector::Confidence => Box::new(Confidence),
            Selector::CoefficientNorm => Box::new(CoefficientNorm { model: self.incidental_on(Some(DESCENT))? }),
            Selector::LeastSquares => Box::new(LeastSquares),
            Selector::LeaveOneOut => Box::new(LeaveOneOut),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trustpath::Matrix;
    use trustpath::incidental::Keep;
    use trustpath::random;

    #[test]
    fn a_coarse_grid_ends_at_the_same_parameters() {
        let mut random = random::Random::stream(3, 0);
        let x = Matrix::from_fn(60, 5, |i, j| f64::from(i % 5 == j) + 0.4 * random.normal());
        let labels: Vec<usize> = (0..60).map(|i| if i % 6 == 0 { (i + 1) % 5 } else { i % 5 }).collect();
        for model in IncidentalKind::ALL {
            let spec = SelfTrainingSpec { model, ..SelfTrainingSpec::default() };
            let [full, coarse] = [None, Some(DESCENT)].map(|points| {
                let keep = Keep { gamma: true, ..Keep::default() };
                let path = spec.incidental_on(points).unwrap().path(&x, &labels, 5, keep).unwrap();
                let norms = path.gamma_norm.unwrap();
                norms.row(norms.rows() - 1).to_vec()
            });
            assert!(full.iter().any(|norm| *norm > 0.0));
            assert!(full.iter().zip(&coarse).all(|(a, b)| (a - b).abs() < 1e-8), "{model}");
        }
    }

    #[test]
    fn the_equation_of_the_paper_can_be_asked_for() {
        use trustpath::spec::Spec;
        let mut spec = SelfTrainingSpec { model: IncidentalKind::IciC, ..Default::default() };
        let x = Matrix::from_fn(30, 2, |i, j| {
            [1.0, 20.0][j] * (f64::from(i % 2 == j) + 0.3 * ((i * 7 + j * 3) as f64).sin())
        });
        let labels: Vec<usize> = (0..30).map(|i| i / 2 % 2).collect();
        let vanish =
            |spec: &SelfTrainingSpec| spec.incidental().unwrap().path(&x, &labels, 2, Keep::default()).unwrap().vanish;
        let glmnet = vanish(&spec);
        spec.set_text("scaling", "paper").unwrap();
        assert_ne!(glmnet, vanish(&spec));
        assert!(spec.set_text("scaling", "none").is_err());
    }
}
