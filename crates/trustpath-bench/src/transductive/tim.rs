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
use super::{Posterior, Transductive};
use trustpath::task::CheckedTask;
use trustpath::{Matrix, Result, Task};
use trustpath_path::linalg::geometry::{Distances, class_means, product};
use trustpath_path::linalg::vector;

/// Shots from which α-TIM takes the larger of its `α`.
const MANY_SHOTS: usize = 5;

/// Sharpness `τ`.
const SHARPNESS: f64 = 15.0;
/// Adam's learning rate.
const RATE: f64 = 1e-4;
/// Number of steps.
const STEPS: usize = 1000;

/// The measure of uncertainty of the unlabeled instances.
#[derive(Debug, Clone, Copy)]
pub(super) enum Entropy {
    /// `−Σ p log p`.
    Shannon,
    /// `(1 − Σ pᵅ)/(α − 1)` for the published `α` at the number of shots.
    Tsallis,
}

/// Information maximisation.
#[derive(Debug)]
pub(super) struct Tim {
    /// The entropy of both the marginal and the conditional term.
    pub entropy: Entropy,
    /// The weights `a`, `b`, `c`.
    pub weights: [f64; 3],
}

impl Tim {
    /// TIM-GD as published.
    pub const GD: Self = Self { entropy: Entropy::Shannon, weights: [0.1, 1.0, 0.1] };
    /// α-TIM as published.
    pub const ALPHA: Self = Self { entropy: Entropy::Tsallis, weights: [1.0; 3] };

    fn information(&self, task: &CheckedTask<'_>) -> Information {
        let alpha = if task.labelled < MANY_SHOTS * task.classes { 2.0 } else { 7.0 };
        let alpha = match self.entropy {
            Entropy::Shannon => None,
            Entropy::Tsallis => Some(alpha),
        };
        Information { weights: self.weights, alpha }
    }
}

impl Transductive for Tim {
    fn label(&self, task: &Task<'_>) -> Result<Posterior> {
        let task = CheckedTask::new(task)?;
        let x = task.instances.unit();
        let mut prototypes = class_means(x, task.labels, task.classes);
        if !task.unlabeled.is_empty() {
            let mut adam = Adam::new(prototypes.as_slice().len(), RATE);
            let mut descent = Descent::new(self.information(&task), &task);
            for _ in 0..STEPS {
                descent.differentiate(&prototypes);
                adam.step(prototypes.as_mut_slice(), descent.gradient.as_slice());
            }
        }
        Ok(Posterior::of(&task, |rows| nearest(x, rows, &prototypes, SHARPNESS)))
    }
}

/// The gradient of the objective, with its work space.
struct Descent<'a> {
    task: &'a CheckedTask<'a>,
    information: Information,
    pool: Distances<'a>,
    /// Probabilities, then derivatives with respect to the scores.
    p: Matrix,
    gradient: Matrix,
}

impl<'a> Descent<'a> {
    fn new(information: Information, task: &'a CheckedTask<'a>) -> Self {
        let (classes, dims) = (task.classes, task.instances.dims());
        Self {
            task,
            information,
            pool: Distances::new(task.instances.unit(), 0..task.pool),
            p: Matrix::zeros(task.pool, classes),
            gradient: Matrix::zeros(classes, dims),
        }
    }

    /// The gradient at these prototypes.
    fn differentiate(&mut self, prototypes: &Matrix) {
        self.pool.to(prototypes, &mut self.p);
        self.p.as_mut_slice().iter_mut().for_each(|d| *d *= -0.5 * SHARPNESS);
        softmax(&mut self.p);
        self.information.differentiate(&mut self.p, self.task.labels);
        // The score τ(xᵀμ − ½‖x‖² − ½‖μ‖²) has the derivative τ(x − μ).
        product(&mut self.gradient, self.p.view().transpose(), self.pool.instances(), SHARPNESS);
        for k in 0..self.task.classes {
            let sum: f64 = self.p.iter_rows().map(|row| row[k]).sum();
            vector::add_scaled(self.gradient.row_mut(k), -SHARPNESS * sum, prototypes.row(k));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::pool;

    /// The objective as defined in the module documentation.
    fn objective(information: &Information, task: &CheckedTask<'_>, mu: &Matrix) -> f64 {
        let p = nearest(task.instances.unit(), 0..task.pool, mu, SHARPNESS);
        information.value(&p, task.labels)
    }

    #[test]
    fn the_gradient_is_that_of_the_objective() {
        let pool = pool(2, &[6; 3], 0.6);
        let task = pool.checked();
        for information in [
            Tim::GD.information(&task),
            Tim::ALPHA.information(&task),
            Information { alpha: Some(3.5), ..Tim::GD.information(&task) },
        ] {
            let mut descent = Descent::new(information, &task);
            let mut mu = class_means(task.instances.unit(), task.labels, 3);
            descent.differentiate(&mu);
            for at in [(0, 0), (1, 3), (2, 5)] {
                let h = 1e-5;
                let mut value = |shift: f64| {
                    mu[at] += shift;
                    let value = objective(&information, &task, &mu);
                    mu[at] -= shift;
                    value
                };
                let slope = (value(h) - value(-h)) / (2.0 * h);
                let given = descent.gradient[at];
                assert!((slope - given).abs() < 1e-7, "{information:?} {at:?}: {slope} {given}");
            }
        }
    }

    #[test]
    fn the_objective_falls() {
        let pool = pool(1, &[9; 4], 0.6);
        let task = pool.checked();
        let information = Tim::GD.information(&task);
        let start = class_means(task.instances.unit(), task.labels, 4);
        let mut mu = start.clone();
        let mut descent = Descent::new(information, &task);
        let mut adam = Adam::new(mu.as_slice().len(), RATE);
        for _ in 0..100 {
            descent.differentiate(&mu);
            adam.step(mu.as_mut_slice(), descent.gradient.as_slice());
        }
        let (before, after) = (objective(&information, &task, &start), objective(&information, &task, &mu));
        assert!(after < before, "{before} {after}");
    }
}
