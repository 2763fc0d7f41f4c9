//! The incidental parameters under the group penalty, many instances at a time.
//!
//! ```text
//! min_γ  log Σₖ exp(ηₖ + γₖ) − (η_t + γ_t) + τ‖γ‖₂
//! ```
//!
//! If `γ ≠ 0` then `p − y = −τ γ/‖γ‖` with `p = p(η + γ)`. Writing `m = ‖γ‖/τ` and `r = p − y`, that is
//!
//! ```text
//! γ + m r = 0,     ‖r‖² = τ²,
//! ```
//!
//! smooth through `m = 0`, where `γ` vanishes: a held group is continued to small negative `m`. With
//! `A = diag p − ppᵀ`, `k = p/(1 + m p)` and `D = A(I + mA)⁻¹ = diag k − kkᵀ/Σk`, Newton's method on `(γ, m)` and the
//! derivatives of `r` cost a few multiplications per class:
//!
//! ```text
//! ∂r/∂η = D − (Dr)(Dr)ᵀ/(rᵀDr),     ∂r/∂log τ = τ² Dr/(rᵀDr).
//! ```

mod packed;
mod start;

use pulp::Simd;

use self::packed::{PACK, Packed};
use crate::linalg::lanes::{Layout, Vector, View, ViewMut};

/// `γ` and `m` of all instances, and free ones packed side by side to work on.
#[derive(Debug)]
pub(super) struct Groups {
    classes: usize,
    layout: Layout,
    pub gamma: Vec<f64>,
    pub multiplier: Vec<f64>,
    packed: Packed,
}

impl Groups {
    pub fn new(classes: usize, layout: Layout) -> Self {
        Self { classes, layout, gamma: layout.room(classes), multiplier: layout.room(1), packed: Packed::new(classes) }
    }

    /// Minimises over every free group, starting from the last solution, and writes its residual; clears the others.
    pub fn minimise(&mut self, labels: &[usize], free: &[f64], eta: &[f64], tau: f64, residual: &mut [f64]) {
        let Self { classes, layout, gamma, multiplier, packed } = self;
        let at = |i: usize, k: usize| layout.at(i, *classes, k);
        let (free, held): (Vec<usize>, Vec<usize>) = (0..labels.len()).partition(|&i| free[i] > 0.0);
        for i in held.into_iter().filter(|&i| std::mem::take(&mut multiplier[i]) != 0.0) {
            (0..*classes).for_each(|k| gamma[at(i, k)] = 0.0);
        }
        for rows in free.chunks(PACK) {
            let state = |i: usize, k: usize| (f64::from(u8::from(k == labels[i])), eta[at(i, k)], gamma[at(i, k)]);
            packed.load(rows, state, multiplier);
            packed.solve(|i| labels[i], tau);
            for (lane, &i) in rows.iter().enumerate() {
                multiplier[i] = packed.multiplier[lane];
                for k in 0..*classes {
                    let (from, to) = (packed.at(lane, k), at(i, k));
                    gamma[to] = packed.gamma[from];
                    residual[to] = packed.residual[from];
                }
            }
        }
    }
}

/// One-hot labels, residuals, multipliers and statuses of a group of instances.
type State<'a, S> = (View<'a, S>, View<'a, S>, Vector<S>, Vector<S>);

/// Where free, puts `∂r/∂η` (pairs `1 ≤ h ≤ k`) and `∂r/∂log τ` in place of what is there; the former without its
/// second term if `firm`. `work` has room for two numbers per class.
#[inline(always)]
pub(super) fn bend<S: Simd>(
    (y, residual, multiplier, free): State<'_, S>,
    tau: Vector<S>,
    firm: bool,
    (pairs, drift): (&mut ViewMut<'_, S>, &mut ViewMut<'_, S>),
    work: &mut ViewMut<'_, S>,
) {
    let classes = y.kinds();
    let (zero, one) = (tau.like(0.0), tau.like(1.0));
    let (mut weights, mut mean, mut bend) = (zero, zero, zero);
    for k in 0..classes {
        let p = residual.get(k) + y.get(k);
        let weight = p / multiplier.mul_add(p, one);
        work.set(k, weight);
        weights = weights + weight;
        mean = weight.mul_add(residual.get(k), mean);
    }
    let inverse = one / weights;
    mean = mean * inverse;
    for k in 0..classes {
        let bent = work.get(k) * (residual.get(k) - mean);
        work.set(classes + k, bent);
        bend = residual.get(k).mul_add(bent, bend);
    }
    let inverse_bend = one / bend;
    let mut pair = 0;
    for k in 0..classes {
        let (share, turn) = (work.get(k) * inverse, work.get(classes + k) * inverse_bend);
        drift.set(k, free.above(zero, tau * tau * turn, drift.get(k)));
        for h in 1..=k {
            let diagonal = if h == k { work.get(k) } else { zero };
            let mut value = diagonal - share * work.get(h);
            if !firm {
                value = value - turn * work.get(classes + h);
            }
            pairs.set(pair, free.above(zero, value, pairs.get(pair)));
            pair += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use pulp::WithSimd;

    use super::*;
    use crate::linalg::lanes::run;

    /// Solves one problem: the groups, the residual and the one-hot label of a single instance.
    fn solve(eta: &[f64], label: usize, tau: f64) -> (Groups, Vec<f64>, Vec<f64>) {
        let (classes, layout) = (eta.len(), Layout::new(1));
        let mut groups = Groups::new(classes, layout);
        let (mut residual, mut y, mut lanes) = (layout.room(classes), layout.room(classes), layout.room(classes));
        y[layout.at(0, classes, label)] = 1.0;
        for k in 0..classes {
            lanes[layout.at(0, classes, k)] = eta[k];
        }
        groups.minimise(&[label], &[1.0], &lanes, tau, &mut residual);
        (groups, residual, y)
    }

    /// From barely free to absurdly mislabelled, the first-order condition holds.
    #[test]
    fn residual_is_opposite_to_gamma_and_as_long_as_tau() {
        let etas: [&[f64]; 5] = [
            &[0.3, -0.2, 0.1, 0.0, 0.4],
            &[-3.0, 5.0, 4.9, 0.0, 1.0],
            &[-40.0, 60.0, 0.0, 0.0, 0.0],
            &[-500.0, 300.0, 299.0, 0.0, 0.0],
            &[1.0, -1.0],
        ];
        for eta in etas {
            for tau in [1e-6, 1e-3, 0.1] {
                let (groups, residual, _) = solve(eta, 0, tau);
                let at = |k: usize| groups.layout.at(0, eta.len(), k);
                let gamma = |k: usize| groups.gamma[at(k)];
                let norm = (0..eta.len()).map(|k| gamma(k) * gamma(k)).sum::<f64>().sqrt();
                assert!(groups.multiplier[0] > 0.0, "{eta:?} {tau}");
                // The logits themselves are only known to their own rounding.
                let rounding = eta.iter().fold(1.0, |m: f64, e| m.max(e.abs())) * 1e-15;
                for k in 0..eta.len() {
                    let defect = residual[at(k)] / tau + gamma(k) / norm;
                    assert!(defect.abs() <= 1e-12 + 10.0 * rounding, "{eta:?} {tau}: {defect:e}");
                }
            }
        }
    }

    /// Pairs and drift of a single instance.
    struct Derivatives<'a>(&'a Groups, &'a [f64], &'a [f64], f64);

    impl WithSimd for Derivatives<'_> {
        type Output = (Vec<f64>, Vec<f64>);

        #[inline(always)]
        fn with_simd<S: Simd>(self, simd: S) -> Self::Output {
            let Self(groups, residual, y, tau) = self;
            let (classes, layout) = (groups.classes, groups.layout);
            let view = |numbers, kinds| View::new(simd, numbers, kinds).group(0);
            let (multiplier, free) = (view(&groups.multiplier, 1).get(0), Vector::splat(simd, 1.0));
            let state = (view(y, classes), view(residual, classes), multiplier, free);
            let numbers = classes * (classes - 1) / 2;
            let [mut pairs, mut drift, mut work] = [numbers, classes, 2 * classes].map(|kinds| layout.room(kinds));
            let mut in_pairs = ViewMut::new(simd, &mut pairs, numbers);
            let mut in_drift = ViewMut::new(simd, &mut drift, classes);
            let mut in_work = ViewMut::new(simd, &mut work, 2 * classes);
            bend(state, Vector::splat(simd, tau), false, (&mut in_pairs, &mut in_drift), &mut in_work);
            let first = |numbers: Vec<f64>| numbers.into_iter().step_by(S::F64_LANES).collect();
            (first(pairs), first(drift))
        }
    }

    #[test]
    fn derivatives_agree_with_differences() {
        let (eta, tau, step) = ([-0.5, 0.9, 0.2, -0.1], 0.3, 1e-6);
        let (groups, residual, y) = solve(&eta, 0, tau);
        let (pairs, drift) = run(Derivatives(&groups, &residual, &y, tau));
        // The difference of the residual of class `k` when `η` of class `h` and `log τ` move by this.
        let difference = |k: usize, (h, by_eta, by_tau): (usize, f64, f64)| {
            let [up, down] = [1.0, -1.0].map(|sign| {
                let mut eta = eta;
                eta[h] += sign * by_eta;
                solve(&eta, 0, tau * f64::exp(sign * by_tau)).1[groups.layout.at(0, 4, k)]
            });
            (up - down) / (2.0 * step)
        };
        for (k, drift) in drift.iter().enumerate() {
            assert!((difference(k, (0, 0.0, step)) - drift).abs() < 1e-8);
            for h in 1..=k {
                let pair = pairs[k * (k - 1) / 2 + h - 1];
                assert!((difference(k, (h, step, 0.0)) - pair).abs() < 1e-8);
            }
        }
    }
}
