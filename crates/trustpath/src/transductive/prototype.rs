//! The nearest prototype: SimpleShot of Wang, Chao, Weinberger and van der Maaten (2019).
//!
//! ```text
//! μ_k = mean of the labelled instances of class k,       p_ik ∝ exp(−½ τ ‖x_i − μ_k‖²)
//! ```
//!
//! on the unit sphere (L2N), optionally with the mean `m` of all labelled and unlabeled instances taken off first,
//! `x ← (x − m)/‖x − m‖` (CL2N; the published variant takes the mean of the base classes, which a user's pool does not
//! have). The labels do not depend on `τ`.

use super::{Posterior, Transductive};
use crate::task::CheckedTask;
use crate::{Error, Matrix, Result, Task};

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
    /// [`Error::Parameter`] for a sharpness that is not positive.
    pub fn check(self) -> Result<Prototype> {
        if !(self.sharpness > 0.0 && self.sharpness.is_finite()) {
            return Err(Error::parameter(
                "sharpness",
                self.sharpness,
                "it scales distances, so it must be positive",
            ));
        }
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
        let mut x = task.instances.unit().clone();
        if self.0.centre {
            centre(&mut x, task.pool);
        }
        let prototypes = prototypes(&x, task.labels, task.classes);
        let of = |rows: &[usize]| {
            let mut p = Matrix::zeros(rows.len(), task.classes);
            for (i, &row) in rows.iter().enumerate() {
                for (k, mu) in prototypes.iter_rows().enumerate() {
                    let distance: f64 =
                        x.row(row).iter().zip(mu).map(|(a, b)| (a - b) * (a - b)).sum();
                    p[(i, k)] = -0.5 * self.0.sharpness * distance;
                }
                softmax(p.row_mut(i));
            }
            p
        };
        let query = (!task.transductive()).then(|| of(&task.query));
        Ok(Posterior { unlabeled: of(&task.unlabeled), query })
    }
}

/// Takes the mean of the first `pool` rows off all rows, and puts them back on the sphere. A row at the mean stays at
/// the origin, as far from every class as from any other.
fn centre(x: &mut Matrix, pool: usize) {
    let mut mean = vec![0.0; x.cols()];
    for row in x.iter_rows().take(pool) {
        mean.iter_mut().zip(row).for_each(|(m, v)| *m += v / pool as f64);
    }
    for i in 0..x.rows() {
        let row = x.row_mut(i);
        row.iter_mut().zip(&mean).for_each(|(v, m)| *v -= m);
        let norm = row.iter().map(|v| v * v).sum::<f64>().sqrt();
        if norm > 0.0 {
            row.iter_mut().for_each(|v| *v /= norm);
        }
    }
}

/// The mean of each class's labelled rows, which are the first ones.
fn prototypes(x: &Matrix, labels: &[usize], classes: usize) -> Matrix {
    let mut sums = Matrix::zeros(classes, x.cols());
    let mut counts = vec![0usize; classes];
    for (row, &label) in x.iter_rows().zip(labels) {
        counts[label] += 1;
        sums.row_mut(label).iter_mut().zip(row).for_each(|(s, v)| *s += v);
    }
    for (k, &count) in counts.iter().enumerate() {
        sums.row_mut(k).iter_mut().for_each(|s| *s /= count as f64);
    }
    sums
}

/// `p ← exp(p) / Σ exp(p)`.
fn softmax(p: &mut [f64]) {
    let top = p.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    p.iter_mut().for_each(|v| *v = (*v - top).exp());
    let sum: f64 = p.iter().sum();
    p.iter_mut().for_each(|v| *v /= sum);
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
