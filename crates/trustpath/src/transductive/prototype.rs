//! The nearest prototype: SimpleShot of Wang, Chao, Weinberger and van der Maaten (2019).
//!
//! ```text
//! μ_k = mean of the labelled instances of class k,       p_ik ∝ exp(−½ τ ‖x_i − μ_k‖²)
//! ```
//!
//! on the unit sphere (L2N), optionally with the mean `m` of all labelled and unlabeled instances taken off first,
//! `x ← (x − m)/‖x − m‖` (CL2N; the published variant takes the mean of the base classes, which a user's pool does not
//! have). The labels do not depend on `τ`.

use super::centre::{mean, take_off};
use super::distance::{Distances, class_means};
use super::softmax::softmax;
use super::{Posterior, Transductive, positive};
use crate::task::CheckedTask;
use crate::{Matrix, Result, Task};

/// Parameters of the nearest prototype.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PrototypeParams {
    /// Take the mean of the pool off first (no).
    pub centre: bool,
    /// Sharpness `τ` of the probabilities (10).
    pub sharpness: f64,
}

impl Default for PrototypeParams {
    fn default() -> Self {
        Self { centre: false, sharpness: 10.0 }
    }
}

impl PrototypeParams {
    /// Checks the parameters.
    ///
    /// # Errors
    /// [`Error::Parameter`](crate::Error::Parameter) for a sharpness that is not positive.
    pub fn check(self) -> Result<Prototype> {
        positive("sharpness", self.sharpness)?;
        Ok(Prototype(self))
    }
}

/// The nearest prototype with checked parameters.
#[derive(Debug, Clone)]
pub struct Prototype(PrototypeParams);

impl Transductive for Prototype {
    fn name(&self) -> &'static str {
        if self.0.centre { "simpleshot-cl2n" } else { "simpleshot" }
    }

    fn label(&self, task: &Task<'_>) -> Result<Posterior> {
        let task = CheckedTask::new(task)?;
        let centred;
        let x = if self.0.centre {
            let mut x = task.instances.unit().clone();
            let (mean, rows) = (mean(&x, 0..task.pool), x.rows());
            take_off(&mut x, 0..rows, &mean);
            centred = x;
            &centred
        } else {
            task.instances.unit()
        };
        let prototypes = class_means(x, task.labels, task.classes);
        Ok(Posterior::of(&task, |rows| {
            nearest(&Distances::new(x, rows), &prototypes, self.0.sharpness)
        }))
    }
}

/// `p_ik ∝ exp(−½ τ ‖x_i − μ_k‖²)`.
pub(crate) fn nearest(x: &Distances<'_>, prototypes: &Matrix, sharpness: f64) -> Matrix {
    let mut p = Matrix::zeros(x.len(), prototypes.rows());
    x.to(prototypes, &mut p);
    p.as_mut_slice().iter_mut().for_each(|d| *d *= -0.5 * sharpness);
    softmax(&mut p);
    p
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Features;

    #[test]
    fn the_nearest_prototype_wins_and_the_query_is_kept_apart() {
        let values = [1.0f64, 0.0, 0.0, 1.0, 0.9, 0.1, 0.2, 0.7, 0.6, 0.5];
        let instances = Features::new(&values[..], 5, 2).unwrap().normalize().unwrap();
        for centre in [false, true] {
            let method = PrototypeParams { centre, ..Default::default() }.check().unwrap();
            let task = Task {
                instances: &instances,
                labels: &[0, 1],
                unlabeled: 2,
                classes: 2,
                truth: None,
            };
            let posterior = method.label(&task).unwrap();
            assert!(posterior.unlabeled[(0, 0)] > 0.5 && posterior.unlabeled[(1, 1)] > 0.5);
            let query = posterior.query.unwrap();
            assert_eq!((query.rows(), query.cols()), (1, 2));
            assert!((query.row(0).iter().sum::<f64>() - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn a_sharpness_that_is_none_is_refused() {
        for sharpness in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(PrototypeParams { sharpness, ..Default::default() }.check().is_err());
        }
    }
}
