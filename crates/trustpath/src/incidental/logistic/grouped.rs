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

use pulp::{Simd, WithSimd};

use super::exp::exponentiate;
use super::lanes::{Group, GroupMut, Layout, Vector, View, ViewMut, run};
use super::single;

/// Most instances solved at once.
const PACK: usize = 64;
/// Newton steps before an instance gets a better start.
const STEPS: usize = 8;
/// Error from which one more step is exact to rounding, so that the residual may follow it to first order.
const NEARLY: f64 = 1e-8;

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
        Self {
            classes,
            layout,
            gamma: layout.room(classes),
            multiplier: layout.room(1),
            packed: Packed::new(classes),
        }
    }

    /// Minimises over every free group, starting from the last solution, and writes its residual; clears the others.
    pub fn minimise(
        &mut self,
        labels: &[usize],
        free: &[f64],
        eta: &[f64],
        tau: f64,
        residual: &mut [f64],
    ) {
        for i in 0..labels.len() {
            if free[i] > 0.0 {
                self.packed.rows.push(i);
                if self.packed.rows.len() == PACK {
                    self.flush(labels, eta, tau, residual);
                }
            } else if self.multiplier[i] != 0.0 {
                self.multiplier[i] = 0.0;
                for k in 0..self.classes {
                    self.gamma[self.layout.at(i, self.classes, k)] = 0.0;
                }
            }
        }
        if !self.packed.rows.is_empty() {
            self.flush(labels, eta, tau, residual);
        }
    }

    /// Solves the instances packed so far.
    fn flush(&mut self, labels: &[usize], eta: &[f64], tau: f64, residual: &mut [f64]) {
        let Self { classes, layout, gamma, multiplier, packed } = self;
        packed.layout = Layout::new(packed.rows.len());
        for lane in 0..packed.layout.width() {
            // Spare lanes repeat the first instance.
            let i = packed.rows.get(lane).copied().unwrap_or(packed.rows[0]);
            packed.multiplier[lane] = multiplier[i];
            for k in 0..*classes {
                let (to, from) = (packed.layout.at(lane, *classes, k), layout.at(i, *classes, k));
                packed.y[to] = if k == labels[i] { 1.0 } else { 0.0 };
                packed.eta[to] = eta[from];
                packed.gamma[to] = gamma[from];
            }
        }
        if !packed.newton(tau) {
            for lane in 0..packed.rows.len() {
                if packed.is_lost(lane) {
                    packed.restart(lane, labels[packed.rows[lane]], tau);
                }
            }
            packed.newton(tau);
        }
        for (lane, &i) in packed.rows.iter().enumerate() {
            multiplier[i] = packed.multiplier[lane];
            for k in 0..*classes {
                let (from, to) = (packed.layout.at(lane, *classes, k), layout.at(i, *classes, k));
                gamma[to] = packed.gamma[from];
                residual[to] = packed.residual[from];
            }
        }
        packed.rows.clear();
    }
}

/// Free instances side by side.
#[derive(Debug)]
struct Packed {
    classes: usize,
    rows: Vec<usize>,
    layout: Layout,
    y: Vec<f64>,
    eta: Vec<f64>,
    gamma: Vec<f64>,
    multiplier: Vec<f64>,
    residual: Vec<f64>,
    weight: Vec<f64>,
    error: Vec<f64>,
    /// Relative error before the last step.
    size: Vec<f64>,
}

impl Packed {
    fn new(classes: usize) -> Self {
        let layout = Layout::new(PACK);
        Self {
            classes,
            rows: Vec::with_capacity(PACK),
            layout,
            y: layout.room(classes),
            eta: layout.room(classes),
            gamma: layout.room(classes),
            multiplier: layout.room(1),
            residual: layout.room(classes),
            weight: layout.room(classes),
            error: layout.room(classes),
            size: layout.room(1),
        }
    }

    /// Newton's method on all lanes; whether it settled in every one.
    fn newton(&mut self, tau: f64) -> bool {
        run(Newton { packed: self, tau })
    }

    /// Whether a lane is not at its solution. Beyond `m = −1/p` there are others, which are not ours.
    #[inline(always)]
    fn is_lost(&self, lane: usize) -> bool {
        !(self.size[lane] <= NEARLY && self.multiplier[lane] > -0.5)
    }

    /// `r` at `η + γ`; its entry at the label is minus the sum of the others, exact when `p_t` is near one.
    #[inline(always)]
    fn softmax<S: Simd>(&mut self, simd: S) {
        let (classes, groups) = (self.classes, self.layout.groups);
        let (zero, one) = (Vector::splat(simd, 0.0), Vector::splat(simd, 1.0));
        let view = |numbers| View::new(simd, numbers, classes);
        let (y, eta, gamma) = (view(&self.y), view(&self.eta), view(&self.gamma));
        let mut residual = ViewMut::new(simd, &mut self.residual, classes);
        for g in 0..groups {
            let (eta, gamma, mut residual) = (eta.group(g), gamma.group(g), residual.group(g));
            let mut top = Vector::splat(simd, f64::NEG_INFINITY);
            for k in 0..classes {
                top = top.max(eta.get(k) + gamma.get(k));
            }
            for k in 0..classes {
                residual.set(k, eta.get(k) + gamma.get(k) - top);
            }
        }
        exponentiate(&mut self.residual[..groups * classes * S::F64_LANES]);
        let mut residual = ViewMut::new(simd, &mut self.residual, classes);
        for g in 0..groups {
            let (y, mut residual) = (y.group(g), residual.group(g));
            let (mut all, mut others) = (zero, zero);
            for k in 0..classes {
                all = all + residual.get(k);
                others = (one - y.get(k)).mul_add(residual.get(k), others);
            }
            let inverse = one / all;
            for k in 0..classes {
                let y = y.get(k);
                residual.set(k, ((one - y) * residual.get(k) - y * others) * inverse);
            }
        }
    }

    /// One Newton step, `r` following to first order.
    #[inline(always)]
    fn step<S: Simd>(&mut self, simd: S, tau: f64) {
        let classes = self.classes;
        let (zero, one) = (Vector::splat(simd, 0.0), Vector::splat(simd, 1.0));
        let tau = Vector::splat(simd, tau);
        let y = View::new(simd, &self.y, classes);
        let mut gamma = ViewMut::new(simd, &mut self.gamma, classes);
        let mut multiplier = ViewMut::new(simd, &mut self.multiplier, 1);
        let mut residual = ViewMut::new(simd, &mut self.residual, classes);
        let mut weight = ViewMut::new(simd, &mut self.weight, classes);
        let mut error = ViewMut::new(simd, &mut self.error, classes);
        let mut size = ViewMut::new(simd, &mut self.size, 1);
        for g in 0..self.layout.groups {
            let (y, mut gamma, mut residual) = (y.group(g), gamma.group(g), residual.group(g));
            let (mut weight, mut error) = (weight.group(g), error.group(g));
            let m = multiplier.group(g).get(0);
            let (mut largest, mut square, mut weights) = (zero, zero, zero);
            let (mut mean_r, mut mean_e) = (zero, zero);
            for k in 0..classes {
                let r = residual.get(k);
                let p = r + y.get(k);
                let w = p / m.mul_add(p, one);
                let e = m.mul_add(r, gamma.get(k));
                weight.set(k, w);
                error.set(k, e);
                largest = largest.max(e.abs());
                square = r.mul_add(r, square);
                weights = weights + w;
                mean_r = w.mul_add(r, mean_r);
                mean_e = w.mul_add(e, mean_e);
            }
            let inverse = one / weights;
            (mean_r, mean_e) = (mean_r * inverse, mean_e * inverse);
            let excess = square / (tau * tau) - one;
            size.group(g).set(0, excess.abs().max(largest / (one + (m * tau).abs())));
            let (mut bend, mut along) = (zero, zero);
            for k in 0..classes {
                let weighted = residual.get(k) * weight.get(k);
                bend = weighted.mul_add(residual.get(k) - mean_r, bend);
                along = weighted.mul_add(error.get(k) - mean_e, along);
            }
            let half = Vector::splat(simd, 0.5) * tau * tau;
            let step = (half * excess - along) / bend;
            let mut shift = zero;
            for k in 0..classes {
                let (r, e) = (residual.get(k), error.get(k));
                let image = weight.get(k) * (e - mean_e + step * (r - mean_r));
                let change = m * image - (e + step * r);
                gamma.set(k, gamma.get(k) + change);
                error.set(k, change);
                shift = (r + y.get(k)).mul_add(change, shift);
            }
            for k in 0..classes {
                let r = residual.get(k);
                residual.set(k, (r + y.get(k)).mul_add(error.get(k) - shift, r));
            }
            multiplier.group(g).set(0, m + step);
        }
    }

    /// Puts one lane where Newton's method is sure to settle.
    fn restart(&mut self, lane: usize, label: usize, tau: f64) {
        let at = |k: usize| self.layout.at(lane, self.classes, k);
        let eta: Vec<f64> = (0..self.classes).map(|k| self.eta[at(k)]).collect();
        let start = single::near(&eta, label, tau);
        self.multiplier[lane] = start.multiplier;
        for (k, gamma) in start.gamma.iter().enumerate() {
            self.gamma[at(k)] = *gamma;
        }
    }
}

struct Newton<'a> {
    packed: &'a mut Packed,
    tau: f64,
}

impl WithSimd for Newton<'_> {
    type Output = bool;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> bool {
        for _ in 0..STEPS {
            self.packed.softmax(simd);
            self.packed.step(simd, self.tau);
            if !(0..self.packed.rows.len()).any(|lane| self.packed.is_lost(lane)) {
                return true;
            }
        }
        false
    }
}

/// One-hot labels, residuals, multipliers and statuses of a group of instances.
type State<'a, S> = (Group<'a, S>, Group<'a, S>, Vector<S>, Vector<S>);

/// Where free, puts `∂r/∂η` (pairs `1 ≤ h ≤ k`) and `∂r/∂log τ` in place of what is there. `work` has room for two
/// numbers per class.
#[inline(always)]
pub(super) fn bend<S: Simd>(
    (y, residual, multiplier, free): State<'_, S>,
    tau: Vector<S>,
    pairs: &mut GroupMut<'_, S>,
    drift: &mut GroupMut<'_, S>,
    work: &mut GroupMut<'_, S>,
) {
    let classes = y.kinds();
    let (zero, one) = (tau - tau, tau / tau);
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
            let value = diagonal - share * work.get(h) - turn * work.get(classes + h);
            pairs.set(pair, free.above(zero, value, pairs.get(pair)));
            pair += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Solves one problem: the groups, the residual and the one-hot label of a single instance.
    fn solve(eta: &[f64], label: usize, tau: f64) -> (Groups, Vec<f64>, Vec<f64>) {
        let (classes, layout) = (eta.len(), Layout::new(1));
        let mut groups = Groups::new(classes, layout);
        let (mut residual, mut y, mut lanes) =
            (layout.room(classes), layout.room(classes), layout.room(classes));
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
            let state = (
                view(y, classes),
                view(residual, classes),
                view(&groups.multiplier, 1).get(0),
                Vector::splat(simd, 1.0),
            );
            let numbers = classes * (classes - 1) / 2;
            let (mut pairs, mut drift, mut work) =
                (layout.room(numbers), layout.room(classes), layout.room(2 * classes));
            bend(
                state,
                Vector::splat(simd, tau),
                &mut ViewMut::new(simd, &mut pairs, numbers).group(0),
                &mut ViewMut::new(simd, &mut drift, classes).group(0),
                &mut ViewMut::new(simd, &mut work, 2 * classes).group(0),
            );
            let first = |numbers: Vec<f64>| numbers.into_iter().step_by(S::F64_LANES).collect();
            (first(pairs), first(drift))
        }
    }

    #[test]
    fn derivatives_agree_with_differences() {
        let (eta, tau, step) = ([-0.5, 0.9, 0.2, -0.1], 0.3, 1e-6);
        let (groups, residual, y) = solve(&eta, 0, tau);
        let (pairs, drift) = run(Derivatives(&groups, &residual, &y, tau));
        let difference = |up: Vec<f64>, down: Vec<f64>, k: usize| {
            let at = groups.layout.at(0, 4, k);
            (up[at] - down[at]) / (2.0 * step)
        };
        for k in 0..4 {
            let up = solve(&eta, 0, tau * f64::exp(step)).1;
            let down = solve(&eta, 0, tau * f64::exp(-step)).1;
            assert!((difference(up, down, k) - drift[k]).abs() < 1e-8);
        }
        for h in 1..4 {
            let (mut plus, mut minus) = (eta, eta);
            plus[h] += step;
            minus[h] -= step;
            for k in h..4 {
                let (up, down) = (solve(&plus, 0, tau).1, solve(&minus, 0, tau).1);
                let pair = pairs[k * (k - 1) / 2 + h - 1];
                assert!((difference(up, down, k) - pair).abs() < 1e-8);
            }
        }
    }
}
