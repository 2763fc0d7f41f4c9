//! UNEM-Gaussian: Zhou, Shakeri, Sadraoui, Kaaniche, Pesquet and Ben Ayed, "UNEM: UNrolled Generalized EM for Transductive
//! Few-Shot Learning" (CVPR 2025).
//!
//! PADDLE's iteration ([`super::paddle`]) with ten steps, each with its own weight `λ` of the class frequencies and its own
//! temperature `T`, on features scaled by `s`:
//!
//! ```text
//! pᵢₖ ∝ exp( (−½ s² ‖xᵢ − μₖ‖² + λₗ (log πₖ + 1)) / Tₗ ),      πₖ = mean of pᵢₖ,      l = 1 … 10,
//! μₖ ← mean of class k, labelled rows counted once, unlabeled ones by pᵢₖ,
//! ```
//!
//! starting from the class means, and without the `π` term in the first step. `s`, `λ` and `T` are learned by gradient descent
//! through the steps: the cross-entropy of the last `p` on episodes of validation classes, for each number of shots, by Adam with a rate of 0.1, halved every 50 of 100 steps.
//!
//! **The parameters here are our own.** The authors publish theirs, for features of five networks that are not scaled to unit
//! length and for pools of all test classes; their scale fits no other features. `scripts/learn_unem.py` learns them as the
//! authors do, but on unit-length rows and on episodes of four kinds of validation features at once (docs/peers.md says which),
//! for 1, 5 and 20 shots. Other numbers of shots use the nearest of these on a logarithmic scale. `O(nKD)` per step.
//!
//! A separate query gets `p` under the last `μ` and `π`.

use super::softmax::softmax;
use super::{Posterior, Transductive, positive};
use trustpath::task::CheckedTask;
use trustpath::{Matrix, Result, Task};
use trustpath_path::linalg::geometry::{Distances, class_means, class_sums, product, scaled_distances};

/// Added to the frequencies under the logarithm, as in the authors' code.
const OFFSET: f64 = 1e-6;
/// Number of steps.
const STEPS: usize = 10;

/// What is learned.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct UnemParams {
    /// The scale `s` of the features.
    pub scale: f64,
    /// The weight `λ` of the class frequencies in each step.
    pub lambda: [f64; STEPS],
    /// The temperature `T` of each step.
    pub temperature: [f64; STEPS],
}

/// Shots, and what was learned for them.
const LEARNED: [(f64, UnemParams); 3] = [
    // LEARNED
    (
        1.0,
        UnemParams {
            scale: 6.430,
            lambda: [1.313, 1.247, 1.346, 1.623, 1.707, 1.196, 0.999, 1.284, 1.066, 0.218],
            temperature: [2.288, 2.693, 1.960, 1.341, 1.170, 1.117, 1.111, 1.121, 1.153, 3.766],
        },
    ),
    (
        5.0,
        UnemParams {
            scale: 6.381,
            lambda: [1.313, 3.145, 2.229, 1.578, 1.284, 1.118, 0.964, 0.823, 0.761, 1.259],
            temperature: [1.149, 1.387, 1.489, 1.609, 1.701, 1.713, 1.640, 1.503, 1.400, 2.160],
        },
    ),
    (
        20.0,
        UnemParams {
            scale: 6.458,
            lambda: [1.313, 2.620, 2.020, 1.692, 1.516, 1.420, 1.362, 1.299, 1.196, 1.276],
            temperature: [1.610, 1.749, 1.781, 1.839, 1.874, 1.828, 1.670, 1.460, 1.332, 1.740],
        },
    ),
    // END
];

impl UnemParams {
    /// What was learned for this number of labelled rows per class.
    pub fn learned(shots: f64) -> Self {
        let far = |&(at, _): &(f64, Self)| (shots.max(1.0) / at).ln().abs();
        let nearest = LEARNED.iter().min_by(|a, b| far(a).total_cmp(&far(b)));
        nearest.map_or(LEARNED[0].1, |&(_, params)| params)
    }

    /// Checks the parameters.
    ///
    /// # Errors
    /// [`Error::Parameter`](trustpath::Error::Parameter) for a parameter outside its domain.
    pub fn check(self) -> Result<Unem> {
        positive("scale", self.scale)?;
        self.lambda.into_iter().try_for_each(|lambda| positive("lambda", lambda))?;
        self.temperature.into_iter().try_for_each(|t| positive("temperature", t))?;
        Ok(Unem(Some(self)))
    }
}

/// UNEM-Gaussian with these parameters, or with those that were learned for the number of shots.
#[derive(Debug, Clone, Default)]
pub struct Unem(Option<UnemParams>);

impl Transductive for Unem {
    fn name(&self) -> &'static str {
        "unem-gaussian"
    }

    fn label(&self, task: &Task<'_>) -> Result<Posterior> {
        let task = CheckedTask::new(task)?;
        let x = task.instances.unit();
        let shots = task.labelled as f64 / task.classes as f64;
        let params = self.0.unwrap_or_else(|| UnemParams::learned(shots));
        let mut fit = Fit::new(&params, x, &task);
        for step in 0..STEPS {
            fit.step(step);
        }
        let Fit { p, before, log_shares, .. } = fit;
        Ok(Posterior::with_query(&task, p, |_, rows| {
            let mut p = scaled_distances(x, rows, &before, 1.0);
            params.assign(&mut p, STEPS - 1, &log_shares);
            p
        }))
    }
}

impl UnemParams {
    /// Replaces squared distances by probabilities.
    fn assign(&self, p: &mut Matrix, step: usize, log_shares: &[f64]) {
        let (lambda, temperature) = (self.lambda[step], self.temperature[step]);
        let half = 0.5 * self.scale * self.scale;
        for i in 0..p.rows() {
            for (d, share) in p.row_mut(i).iter_mut().zip(log_shares) {
                *d = (lambda * share - half * *d) / temperature;
            }
        }
        softmax(p);
    }
}

/// The state between steps.
struct Fit<'a> {
    params: &'a UnemParams,
    unlabeled: Distances<'a>,
    support: (Matrix, Vec<f64>),
    prototypes: Matrix,
    /// Those that the last probabilities were computed with.
    before: Matrix,
    /// `log πₖ + 1` that the last probabilities were computed with.
    log_shares: Vec<f64>,
    next_log_shares: Vec<f64>,
    p: Matrix,
    sums: Matrix,
}

impl<'a> Fit<'a> {
    fn new(params: &'a UnemParams, x: &'a Matrix, task: &CheckedTask<'_>) -> Self {
        let unlabeled = Distances::new(x, task.labelled..task.pool);
        let prototypes = class_means(x, task.labels, task.classes);
        Self {
            params,
            p: Matrix::zeros(unlabeled.len(), task.classes),
            unlabeled,
            support: class_sums(x, task.labels, task.classes),
            before: prototypes.clone(),
            log_shares: vec![0.0; task.classes],
            next_log_shares: vec![0.0; task.classes],
            sums: Matrix::zeros(task.classes, x.cols()),
            prototypes,
        }
    }

    fn step(&mut self, step: usize) {
        let Self { params, unlabeled, support, prototypes, before, p, sums, .. } = self;
        before.as_mut_slice().copy_from_slice(prototypes.as_slice());
        self.log_shares.copy_from_slice(&self.next_log_shares);
        unlabeled.to(prototypes, p);
        params.assign(p, step, &self.log_shares);
        if unlabeled.len() == 0 {
            return;
        }
        product(sums, p.view().transpose(), unlabeled.instances(), 1.0);
        for k in 0..prototypes.rows() {
            let weight: f64 = p.iter_rows().map(|row| row[k]).sum();
            self.next_log_shares[k] = (weight / unlabeled.len() as f64 + OFFSET).ln() + 1.0;
            let parts = sums.row(k).iter().zip(support.0.row(k));
            for (mu, (sum, labelled)) in prototypes.row_mut(k).iter_mut().zip(parts) {
                *mu = (sum + labelled) / (weight + support.1[k]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::pool;

    #[test]
    fn parameters_belong_to_the_nearest_number_of_shots() {
        for (shots, at) in [(1.0, 0), (2.0, 0), (2.3, 1), (5.0, 1), (9.0, 1), (11.0, 2), (500.0, 2)] {
            assert_eq!(UnemParams::learned(shots), LEARNED[at].1, "{shots}");
        }
        for (_, params) in LEARNED {
            params.check().unwrap();
        }
    }

    #[test]
    fn the_first_step_knows_no_frequencies_and_later_ones_follow_them() {
        let pool = pool(1, &[30, 6, 3], 0.9);
        let task = pool.checked();
        let params = UnemParams { scale: 3.0, lambda: [2.0; STEPS], temperature: [1.5; STEPS] };
        let x = task.instances.unit();
        let mut fit = Fit::new(&params, x, &task);
        fit.step(0);
        let means = class_means(x, task.labels, 3);
        let mut direct = scaled_distances(x, task.labelled..task.pool, &means, -4.5 / 1.5);
        softmax(&mut direct);
        for (a, b) in fit.p.as_slice().iter().zip(direct.as_slice()) {
            assert!((a - b).abs() < 1e-12);
        }
        fit.step(1);
        let shares: Vec<f64> = (0..3).map(|k| direct.iter_rows().map(|p| p[k]).sum::<f64>() / 39.0).collect();
        for (found, share) in fit.log_shares.iter().zip(shares) {
            assert!((found - share.ln() - 1.0).abs() < 1e-4);
        }
    }

    #[test]
    fn parameters_out_of_range_are_refused() {
        let params = LEARNED[0].1;
        for bad in [0.0, -1.0, f64::NAN] {
            assert!(UnemParams { scale: bad, ..params }.check().is_err());
            assert!(UnemParams { lambda: [bad; STEPS], ..params }.check().is_err());
            assert!(UnemParams { temperature: [bad; STEPS], ..params }.check().is_err());
        }
    }
}
