//! Newton's method on `(γ, m)` for many free groups side by side.

use pulp::{Simd, WithSimd};

use super::start;
use crate::linalg::exp::exponentiate;
use crate::linalg::lanes::{Layout, Vector, View, ViewMut, run};

/// Most instances solved at once.
pub(super) const PACK: usize = 64;
/// Newton steps before an instance gets a better start.
const STEPS: usize = 8;
/// Error from which one more step is exact to rounding, so that the residual may follow it to first order.
const NEARLY: f64 = 1e-8;

/// Free instances side by side.
#[derive(Debug)]
pub(super) struct Packed {
    classes: usize,
    /// Which instances these are.
    rows: Vec<usize>,
    layout: Layout,
    y: Vec<f64>,
    eta: Vec<f64>,
    pub gamma: Vec<f64>,
    pub multiplier: Vec<f64>,
    pub residual: Vec<f64>,
    weight: Vec<f64>,
    error: Vec<f64>,
    /// Relative error before the last step.
    size: Vec<f64>,
}

impl Packed {
    pub fn new(classes: usize) -> Self {
        let layout = Layout::new(PACK);
        Self {
            classes,
            rows: Vec::new(),
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

    /// Where the number of a lane and a class lies.
    pub fn at(&self, lane: usize, class: usize) -> usize {
        self.layout.at(lane, self.classes, class)
    }

    /// Takes `(y, η, γ)` of every instance of `rows` and class, and the instances' multipliers.
    pub fn load(&mut self, rows: &[usize], state: impl Fn(usize, usize) -> (f64, f64, f64), multiplier: &[f64]) {
        self.rows = rows.to_vec();
        self.layout = Layout::new(rows.len());
        for lane in 0..self.layout.width() {
            // Spare lanes repeat the first instance.
            let i = rows.get(lane).copied().unwrap_or(rows[0]);
            self.multiplier[lane] = multiplier[i];
            for k in 0..self.classes {
                let at = self.at(lane, k);
                (self.y[at], self.eta[at], self.gamma[at]) = state(i, k);
            }
        }
    }

    /// Minimises over `γ` in every lane: Newton's method from where it is, and from a better start where that fails.
    pub fn solve(&mut self, label: impl Fn(usize) -> usize, tau: f64) {
        if !run(Newton { packed: self, tau }) {
            for lane in 0..self.rows.len() {
                if self.is_lost(lane) {
                    self.restart(lane, label(self.rows[lane]), tau);
                }
            }
            run(Newton { packed: self, tau });
        }
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

    /// Puts one lane where Newton's method is sure to converge.
    fn restart(&mut self, lane: usize, label: usize, tau: f64) {
        let eta: Vec<f64> = (0..self.classes).map(|k| self.eta[self.at(lane, k)]).collect();
        let start = start::near(&eta, label, tau);
        self.multiplier[lane] = start.multiplier;
        for (k, gamma) in start.gamma.iter().enumerate() {
            let at = self.at(lane, k);
            self.gamma[at] = *gamma;
        }
    }
}

/// Newton's method on all lanes; whether it converged in every one.
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
