//! Transductive information maximisation: TIM-GD of Boudiaf et al., "Transductive Information Maximization for Few-Shot
//! Learning" (2020), and α-TIM of Veilleux et al., "Realistic Evaluation of Transductive Few-Shot Learning" (2021).
//!
//! ```text
//! min over μ of   a · cross-entropy of the labelled − b · H(mean of p over the unlabeled) + c · mean of H(p)
//!                 with pᵢₖ ∝ exp(−½ τ ‖xᵢ − μₖ‖²)
//! ```
//!
//! starting from the class means, by a thousand steps of Adam. `H` is Shannon's entropy in TIM-GD, where `b` ten times `a`
//! and `c` nearly forces classes to be equally frequent; in α-TIM it is Tsallis' with equal weights ([`super::information`]). Defaults are those of the authors' code: `τ = 15`, a learning rate of 10⁻⁴,
//! and `α` 2 below five shots and 7 from five shots on. `O(nKD)` per step.
//!
//! A separate query gets `p` under the last `μ`.

use super::adam::Adam;
use super::information::Information;
use super::softmax::{nearest, softmax};
use super::{Posterior, Transductive, positive, require};
use trustpath::task::CheckedTask;
use trustpath::{Matrix, Result, Task};
use trustpath_path::linalg::geometry::{Distances, class_means, product};
use trustpath_path::linalg::vector;

/// Shots from which α-TIM takes the larger of its `α`.
const MANY_SHOTS: usize = 5;

/// The measure of uncertainty of the unlabeled instances.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Entropy {
    /// `−Σ p log p`.
    Shannon,
    /// `(1 − Σ pᵅ)/(α − 1)` for this `α`, or for the published one at the number of shots.
    Tsallis(Option<f64>),
}

/// Parameters of information maximisation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TimParams {
    /// The entropy of both the marginal and the conditional term.
    pub entropy: Entropy,
    /// The weights `a`, `b`, `c`.
    pub weights: [f64; 3],
    /// Sharpness `τ` (15).
    pub sharpness: f64,
    /// Adam's learning rate (10⁻⁴).
    pub rate: f64,
    /// Number of steps (1000).
    pub steps: usize,
}

impl TimParams {
    /// TIM-GD as published: Shannon's entropy, weights 0.1, 1 and 0.1.
    pub fn tim_gd() -> Self {
        let (entropy, weights) = (Entropy::Shannon, [0.1, 1.0, 0.1]);
        Self { entropy, weights, sharpness: 15.0, rate: 1e-4, steps: 1000 }
    }

    /// α-TIM as published: α-entropies, equal weights.
    pub fn alpha_tim() -> Self {
        Self { entropy: Entropy::Tsallis(None), weights: [1.0; 3], ..Self::tim_gd() }
    }
}

checked! {
    /// Information maximisation with checked parameters.
    TimParams => Tim, |p| {
        positive("sharpness", p.sharpness)?;
        positive("rate", p.rate)?;
        for weight in p.weights {
            let valid = weight >= 0.0 && weight.is_finite();
            require("weights", weight, valid, "none may be negative")?;
        }
        match p.entropy {
            Entropy::Tsallis(Some(alpha)) => {
                let valid = alpha > 1.0 && alpha.is_finite();
                require("alpha", alpha, valid, "it must be above 1; 1 is Shannon's")
            }
            _ => Ok(()),
        }
    }
}

impl Transductive for Tim {
    fn name(&self) -> &'static str {
        match self.0.entropy {
            Entropy::Shannon => "tim-gd",
            Entropy::Tsallis(_) => "alpha-tim",
        }
    }

    fn label(&self, task: &Task<'_>) -> Result<Posterior> {
        let task = CheckedTask::new(task)?;
        let x = task.instances.unit();
        let mut prototypes = class_means(x, task.labels, task.classes);
        if !task.unlabeled.is_empty() {
            let mut adam = Adam::new(prototypes.as_slice().len(), self.0.rate);
            let mut descent = Descent::new(&self.0, &task);
            for _ in 0..self.0.steps {
                descent.differentiate(&prototypes);
                adam.step(prototypes.as_mut_slice(), descent.gradient.as_slice());
            }
        }
        Ok(Posterior::of(&task, |rows| nearest(x, rows, &prototypes, self.0.sharpness)))
    }
}

/// The gradient of the objective, with its work space.
struct Descent<'a> {
    task: &'a CheckedTask<'a>,
    information: Information,
    sharpness: f64,
    pool: Distances<'a>,
    /// Probabilities, then derivatives with respect to the scores.
    p: Matrix,
    gradient: Matrix,
}

impl<'a> Descent<'a> {
    fn new(params: &TimParams, task: &'a CheckedTask<'a>) -> Self {
        let (classes, dims) = (task.classes, task.instances.dims());
        let published = if task.labelled < MANY_SHOTS * classes { 2.0 } else { 7.0 };
        let alpha = match params.entropy {
            Entropy::Shannon => None,
            Entropy::Tsallis(alpha) => Some(alpha.unwrap_or(published)),
        };
        Self {
            task,
            information: Information { weights: params.weights, alpha },
            sharpness: params.sharpness,
            pool: Distances::new(task.instances.unit(), 0..task.pool),
            p: Matrix::zeros(task.pool, classes),
            gradient: Matrix::zeros(classes, dims),
        }
    }

    /// The gradient at these prototypes.
    fn differentiate(&mut self, prototypes: &Matrix) {
        self.pool.to(prototypes, &mut self.p);
        self.p.as_mut_slice().iter_mut().for_each(|d| *d *= -0.5 * self.sharpness);
        softmax(&mut self.p);
        self.information.differentiate(&mut self.p, self.task.labels);
        // The score τ(xᵀμ − ½‖x‖² − ½‖μ‖²) has the derivative τ(x − μ).
        product(&mut self.gradient, self.p.view().transpose(), self.pool.instances(), self.sharpness);
        for k in 0..self.task.classes {
            let sum: f64 = self.p.iter_rows().map(|row| row[k]).sum();
            vector::add_scaled(self.gradient.row_mut(k), -self.sharpness * sum, prototypes.row(k));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::pool;

    /// The objective as defined in the module documentation.
    fn objective(params: &TimParams, task: &CheckedTask<'_>, alpha: Option<f64>, mu: &Matrix) -> f64 {
        let p = nearest(task.instances.unit(), 0..task.pool, mu, params.sharpness);
        Information { weights: params.weights, alpha }.value(&p, task.labels)
    }

    #[test]
    fn the_gradient_is_that_of_the_objective() {
        let pool = pool(2, &[6; 3], 0.6);
        let task = pool.checked();
        for (params, alpha) in [
            (TimParams::tim_gd(), None),
            (TimParams::alpha_tim(), Some(2.0)),
            (TimParams { entropy: Entropy::Tsallis(Some(3.5)), ..TimParams::tim_gd() }, Some(3.5)),
        ] {
            let mut descent = Descent::new(&params, &task);
            let mut mu = class_means(task.instances.unit(), task.labels, 3);
            descent.differentiate(&mu);
            for at in [(0, 0), (1, 3), (2, 5)] {
                let h = 1e-5;
                let mut value = |shift: f64| {
                    mu[at] += shift;
                    let value = objective(&params, &task, alpha, &mu);
                    mu[at] -= shift;
                    value
                };
                let slope = (value(h) - value(-h)) / (2.0 * h);
                let given = descent.gradient[at];
                assert!((slope - given).abs() < 1e-7, "{alpha:?} {at:?}: {slope} {given}");
            }
        }
    }

    #[test]
    fn the_objective_falls() {
        let pool = pool(1, &[9; 4], 0.6);
        let task = pool.checked();
        let params = TimParams::tim_gd();
        let start = class_means(task.instances.unit(), task.labels, 4);
        let mut mu = start.clone();
        let mut descent = Descent::new(&params, &task);
        let mut adam = Adam::new(mu.as_slice().len(), params.rate);
        for _ in 0..100 {
            descent.differentiate(&mu);
            adam.step(mu.as_mut_slice(), descent.gradient.as_slice());
        }
        let (before, after) = (objective(&params, &task, None, &start), objective(&params, &task, None, &mu));
        assert!(after < before, "{before} {after}");
    }
}
