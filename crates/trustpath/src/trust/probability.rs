//! The probability that a label is right, from the rank of its instance.
//!
//! ```text
//! P(right | v) = k(v) · 1 / (1 + exp(−a − b logit(1 − v) + 0.4 ln s))
//! ```
//!
//! where `v` is the share of the pool that scores at least as high. The two parameters are fitted to the held-out labels by
//! penalised maximum likelihood: the penalty stands for what is typical of pools, and decides where labels are few.
//! Folds keep a share `s` of the labels of a class, with which more labels come out wrong than with all of them.
//! `k(v)` is the share of known instances at that rank: 1 in closed pools, in open ones `π₀` times the density of the
//! held-out labels' ranks (Grenander's estimate, which falls with `v`), at most 1.

use super::density::{density_at, falling_density};
use super::precision::{Calibration, HeldOut};

/// Mean and standard deviation of the intercept and the slope over typical pools.
const PRIOR: [(f64, f64); 2] = [(1.5, 1.5), (0.9, 0.5)];
/// The power of the number of labels with which the odds of a wrong one fall; chosen on validation classes.
const LEARNING: f64 = 0.4;
/// Newton steps, at most: the objective is convex in two unknowns.
const STEPS: usize = 50;

/// The fitted curve.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct RightCurve {
    intercept: f64,
    slope: f64,
    /// Upper ends of intervals of ranks, and the share of known instances in each.
    known: Vec<(f64, f64)>,
}

impl RightCurve {
    /// Fits the curve to held-out labels.
    pub(crate) fn of(calibration: &Calibration) -> Self {
        let held_out = &calibration.held_out;
        let point = |label: &HeldOut| (scale(label.rank), f64::from(u8::from(label.right)), label.weight);
        let points: Vec<(f64, f64, f64)> = held_out.iter().map(point).collect();
        let mut at = PRIOR.map(|(mean, _)| mean);
        for _ in 0..STEPS {
            let mut gradient = [0.0; 2];
            let mut hessian = [0.0; 3];
            for k in 0..2 {
                let (mean, deviation) = PRIOR[k];
                gradient[k] = (at[k] - mean) / (deviation * deviation);
                hessian[2 * k] = 1.0 / (deviation * deviation);
            }
            for &(z, right, weight) in &points {
                let p = sigmoid(at[0] + at[1] * z);
                let w = weight * p * (1.0 - p);
                gradient[0] += weight * (p - right);
                gradient[1] += weight * (p - right) * z;
                hessian[0] += w;
                hessian[1] += w * z;
                hessian[2] += w * z * z;
            }
            let determinant = hessian[0] * hessian[2] - hessian[1] * hessian[1];
            let step = [
                (hessian[2] * gradient[0] - hessian[1] * gradient[1]) / determinant,
                (hessian[0] * gradient[1] - hessian[1] * gradient[0]) / determinant,
            ];
            // The curvature of the logistic function is bounded, so a short enough Newton step always descends.
            let length = (step[0].abs().max(step[1].abs()) / 1.0).max(1.0);
            at[0] -= step[0] / length;
            at[1] -= step[1] / length;
            if step[0].abs() + step[1].abs() < 1e-10 {
                break;
            }
        }
        // A label of a higher rank is never less probable.
        let slope = at[1].max(0.0);
        let intercept = at[0] - LEARNING * calibration.kept_share.ln();
        Self { intercept, slope, known: known_shares(calibration) }
    }

    /// Intercept and slope, and the shares of known instances: the upper end of each interval of ranks, and the share in it.
    pub fn parts(&self) -> (f64, f64, &[(f64, f64)]) {
        (self.intercept, self.slope, &self.known)
    }

    /// A curve from its [parts](Self::parts).
    pub fn from_parts(intercept: f64, slope: f64, known: Vec<(f64, f64)>) -> Self {
        Self { intercept, slope, known }
    }

    /// The probability at this rank.
    pub fn at(&self, rank: f64) -> f64 {
        density_at(&self.known, rank) * sigmoid(self.intercept + self.slope * scale(rank))
    }
}

fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// `logit(1 − v)`, bounded so that the best and the worst of a pool are not infinitely far away.
fn scale(rank: f64) -> f64 {
    let v = rank.clamp(0.005, 0.995);
    ((1.0 - v) / v).ln()
}

/// The share of known instances by rank: `π₀` times the density of the held-out labels' ranks.
fn known_shares(calibration: &Calibration) -> Vec<(f64, f64)> {
    if calibration.known >= 1.0 || calibration.held_out.is_empty() {
        return Vec::new();
    }
    let ranks: Vec<(f64, f64)> = calibration.held_out.iter().map(|label| (label.rank, label.weight)).collect();
    let share = |(end, density): (f64, f64)| (end, (calibration.known * density).min(1.0));
    falling_density(&ranks).into_iter().map(share).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    fn draw(n: usize, seed: u64, p: impl Fn(f64) -> f64) -> Calibration {
        let mut random = Random::stream(seed, 0);
        let one = |_| {
            let rank = random.uniform();
            HeldOut { rank, right: random.uniform() < p(rank), weight: 1.0, class: 0, predicted: 0, stands_in: false }
        };
        Calibration::new((0..n).map(one).collect(), 1.0)
    }

    #[test]
    fn many_labels_find_the_curve_and_none_leave_the_typical_one() {
        let truth = |v: f64| sigmoid(0.3 + 1.4 * scale(v));
        let curve = RightCurve::of(&draw(5000, 1, truth));
        for v in [0.05, 0.3, 0.6, 0.95] {
            assert!((curve.at(v) - truth(v)).abs() < 0.03, "{v}");
        }
        let typical = RightCurve::of(&Calibration::default());
        assert_eq!((typical.intercept, typical.slope), (PRIOR[0].0, PRIOR[1].0));
    }

    #[test]
    fn it_falls_with_rank_whatever_the_labels_say() {
        for known in [1.0, 0.6] {
            let mut calibration = draw(30, 7, |v| v);
            calibration.known = known;
            let curve = RightCurve::of(&calibration);
            let values: Vec<f64> = (0..=100).map(|i| curve.at(i as f64 / 100.0)).collect();
            assert!(values.windows(2).all(|pair| pair[1] <= pair[0] + 1e-12));
        }
    }

    #[test]
    fn in_an_open_pool_the_last_ranks_are_novel() {
        // Held-out labels rank in the first half of the pool, half of which is known.
        let mut calibration = draw(200, 3, |_| 1.0);
        calibration.held_out.iter_mut().for_each(|label| label.rank /= 2.0);
        calibration.known = 0.5;
        let curve = RightCurve::of(&calibration);
        assert!(curve.at(0.2) > 0.9 && curve.at(0.8) < 0.05, "{} {}", curve.at(0.2), curve.at(0.8));
    }
}
