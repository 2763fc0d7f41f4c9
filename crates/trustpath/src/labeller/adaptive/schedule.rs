//! Quantities of the loop that change with its progress and with the pool.
//!
//! A pool is described by covariates `z` ([`PoolShape::covariates`]), and a quantity of an epoch at progress `t` (0 in the first, 1 in the
//! last) is a line in both,
//!
//! ```text
//! q(t, z) = f( a + (b − a) t + Σ_j s_j z_j ),
//! ```
//!
//! with `f` the exponential for positive quantities, the logistic function for shares, and the identity for those that may have
//! either sign (`γ`, `v` and `d`). The constants `a`, `b` and `s` are in
//! [`super::learned`].

use crate::Matrix;
use crate::labeller::adaptive::balance;
use crate::linalg::vector;

/// Covariates of a pool before its first pass, with a leading one.
pub(super) const BEFORE: usize = 7;
/// Covariates after the first pass.
pub(super) const AFTER: usize = 12;

/// A line over the epochs and the covariates, before `f`.
pub(super) struct Line {
    /// Its values in the first and in the last epoch of a pool whose covariates are zero.
    pub ends: [f64; 2],
    /// One per covariate, without the leading one.
    pub slopes: &'static [f64],
}

impl Line {
    fn at(&self, covariates: &[f64], progress: f64) -> f64 {
        let [from, to] = self.ends;
        let slopes = self.slopes.iter().zip(&covariates[1..]);
        from + (to - from) * progress + slopes.map(|(s, z)| s * z).sum::<f64>()
    }

    /// As a positive quantity.
    pub fn positive(&self, covariates: &[f64], progress: f64) -> f64 {
        self.at(covariates, progress).exp()
    }

    /// As a share, between 0 and 1.
    pub fn share(&self, covariates: &[f64], progress: f64) -> f64 {
        logistic(self.at(covariates, progress))
    }

    /// As it is.
    pub fn value(&self, covariates: &[f64], progress: f64) -> f64 {
        self.at(covariates, progress)
    }
}

/// The quantities of one branch in one pass.
pub(super) struct Branch {
    /// `λ` in units of one over the spread of the pool (positive).
    pub sharpness: Line,
    /// Of the free branch, the worth of the belief in its marginal, in instances per class; of the priced branch, the cap on
    /// the logarithm of prices (positive).
    pub marginal: Line,
    /// How far a prototype moves towards the mean of its class (share).
    pub step: Line,
    /// How many instances a labelled one counts for in that mean (positive).
    pub labelled: Line,
    /// Weight of the neighbours' labels in the likelihood.
    pub neighbors: Line,
    /// How much less sharp a class of larger spread is.
    pub spread: Line,
    /// What a class of larger spread pays.
    pub breadth: Line,
}

/// All learned constants.
pub(super) struct Learned {
    /// The free branch in its two passes.
    pub free: [Branch; 2],
    /// The priced branch in its two passes.
    pub priced: [Branch; 2],
    /// Share by which a row moves towards its neighbours.
    pub smoothing: [f64; BEFORE],
    /// Weight of the scatter within classes in the metric of the free branch's second pass.
    pub metric: [f64; AFTER],
    /// The same of the priced branch.
    pub priced_metric: [f64; AFTER],
    /// Share of the first pass's marginal in the belief of the second.
    pub belief: [f64; AFTER],
    /// Log-odds that the pool is balanced.
    pub balance: [f64; AFTER],
}

/// `1/(1 + e^(−v))`.
pub(super) fn logistic(v: f64) -> f64 {
    1.0 / (1.0 + (-v).exp())
}

/// A share or log-odds that does not change over the epochs: `Σ_j c_j z_j`.
pub(super) fn combined(constants: &[f64], covariates: &[f64]) -> f64 {
    constants.iter().zip(covariates).map(|(c, z)| c * z).sum()
}

/// What the covariates are computed from.
#[derive(Debug, Clone, Copy)]
pub(super) struct PoolShape {
    pub classes: usize,
    pub labelled: usize,
    pub unlabeled: usize,
    /// `1 − ‖mean‖²` of the unit rows, before smoothing.
    pub spread: f64,
    /// Effective number of dimensions about the mean, `(Σ e_j)² / Σ e_j²` of the covariance's eigenvalues `e`.
    pub dimensions: f64,
    /// Whether neighbours are used.
    pub graph: bool,
}

impl PoolShape {
    /// Unlabeled instances per class, in units of 15.
    fn load(&self) -> f64 {
        self.unlabeled.max(1) as f64 / (15 * self.classes) as f64
    }

    /// Number of classes, instances and labels per class, spread and dimensions, each as a logarithm about a usual value, and
    /// whether there are no neighbours.
    pub fn covariates(&self) -> [f64; BEFORE] {
        [
            1.0,
            (self.classes as f64 / 5.0).ln(),
            self.load().ln(),
            (self.labelled as f64 / self.classes as f64).ln(),
            self.spread.ln() + 0.7,
            self.dimensions.ln() - 3.3,
            if self.graph { 0.0 } else { 1.0 },
        ]
    }

    /// Adds what the first pass found: how far its two marginals are from uniform, each and together, how certain the free
    /// branch is, and for how many instances the branches agree (the last two as log-odds).
    pub fn covariates_after(&self, free: &Matrix, priced: &Matrix, unweighted: &[f64]) -> [f64; AFTER] {
        let (n, classes) = (free.rows(), self.classes);
        let deviation = |marginal: &[f64]| {
            let freedom = (classes as f64 - 1.0) / 4.0;
            (balance::ratio(marginal, n) / freedom / self.load().powf(0.6) + 0.05).ln()
        };
        let [from_free, from_priced] = [&super::mixture::marginal(free), unweighted].map(deviation);
        let rows = || free.iter_rows().zip(priced.iter_rows());
        let mean = |sum: f64| if n == 0 { 0.5 } else { sum / n as f64 };
        let certain = mean(rows().map(|(f, _)| f.iter().copied().fold(0.0, f64::max)).sum());
        let same = |f: &[f64], p: &[f64]| vector::arg_max(f) == vector::arg_max(p);
        let agree = mean(rows().map(|(f, p)| f64::from(u8::from(same(f, p)))).sum());
        let log_odds = |share: f64, limit: f64| {
            let share = share.clamp(limit, 1.0 - limit);
            (share / (1.0 - share)).ln() - 2.0
        };
        let mut all = [0.0; AFTER];
        all[..BEFORE].copy_from_slice(&self.covariates());
        all[BEFORE..].copy_from_slice(&[
            (from_free - 1.15) / 2.0,
            (from_priced - 1.15) / 2.0,
            (from_free + from_priced - 2.3) / 2.0,
            log_odds(certain, 1e-3),
            log_odds(agree, 0.02),
        ]);
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_goes_from_one_end_to_the_other_and_follows_the_covariates() {
        let line = Line { ends: [0.0, 2.0], slopes: &[0.5, -1.0] };
        assert_eq!(line.value(&[1.0, 0.0, 0.0], 0.25), 0.5);
        assert_eq!(line.value(&[1.0, 2.0, 3.0], 1.0), 0.0);
        assert_eq!(line.positive(&[1.0, 0.0, 0.0], 0.0), 1.0);
        assert_eq!(line.share(&[1.0, 0.0, 0.0], 0.0), 0.5);
    }

    #[test]
    fn usual_pools_have_covariates_near_zero_and_an_empty_one_has_finite_ones() {
        let pool = PoolShape { classes: 5, labelled: 5, unlabeled: 75, spread: 0.5, dimensions: 27.0, graph: true };
        let z = pool.covariates();
        assert_eq!(z[0], 1.0);
        assert!(z[1..].iter().all(|z| z.abs() < 0.1), "{z:?}");
        let empty = PoolShape { unlabeled: 0, ..pool };
        let none = Matrix::zeros(0, 5);
        let z = empty.covariates_after(&none, &none, &[0.2; 5]);
        assert!(z.iter().all(|z| z.is_finite()), "{z:?}");
    }
}
