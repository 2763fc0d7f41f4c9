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

use super::lanes::{Layout, exp, vectorised};
use super::single;

/// Most instances solved at once.
const PACK: usize = 64;
/// Newton steps before an instance gets a better start.
const STEPS: usize = 8;
/// Error from which one more step is exact to rounding, so that the residual may follow it to first order.
const NEARLY: f64 = 1e-8;

/// `γ` and `m` of all instances, laid out in blocks, and free ones packed side by side to work on.
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
        packed.width = packed.rows.len().next_multiple_of(8);
        for lane in 0..packed.width {
            // Spare lanes repeat the first instance.
            let i = packed.rows.get(lane).copied().unwrap_or(packed.rows[0]);
            packed.multiplier[lane] = multiplier[i];
            for k in 0..*classes {
                let (to, from) = (k * PACK + lane, layout.at(i, *classes, k));
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
                let (from, to) = (k * PACK + lane, layout.at(i, *classes, k));
                gamma[to] = packed.gamma[from];
                residual[to] = packed.residual[from];
            }
        }
        packed.rows.clear();
    }
}

/// Free instances side by side: number `k · PACK + lane` is that of class `k`.
#[derive(Debug)]
struct Packed {
    rows: Vec<usize>,
    width: usize,
    y: Vec<f64>,
    eta: Vec<f64>,
    gamma: Vec<f64>,
    multiplier: Vec<f64>,
    residual: Vec<f64>,
    weight: Vec<f64>,
    error: Vec<f64>,
    /// Relative error before the last step.
    size: Vec<f64>,
    /// Sums over the classes.
    sums: [[f64; PACK]; 5],
}

impl Packed {
    fn new(classes: usize) -> Self {
        let room = || vec![0.0; classes * PACK];
        Self {
            rows: Vec::with_capacity(PACK),
            width: 0,
            y: room(),
            eta: room(),
            gamma: room(),
            multiplier: vec![0.0; PACK],
            residual: room(),
            weight: room(),
            error: room(),
            size: vec![0.0; PACK],
            sums: [[0.0; PACK]; 5],
        }
    }

    /// Newton's method on all lanes; whether it settled in every one.
    fn newton(&mut self, tau: f64) -> bool {
        vectorised(
            #[inline(always)]
            || {
                for _ in 0..STEPS {
                    self.softmax();
                    self.step(tau);
                    if !(0..self.width).any(|lane| self.is_lost(lane)) {
                        return true;
                    }
                }
                false
            },
        )
    }

    /// Whether a lane is not at its solution. Beyond `m = −1/p` there are others, which are not ours.
    #[inline(always)]
    fn is_lost(&self, lane: usize) -> bool {
        !(self.size[lane] <= NEARLY && self.multiplier[lane] > -0.5)
    }

    /// `r` at `η + γ`; its entry at the label is minus the sum of the others, exact when `p_t` is near one.
    #[inline(always)]
    fn softmax(&mut self) {
        let width = self.width;
        let [top, all, others, ..] = &mut self.sums;
        let (top, all, others) = (&mut top[..width], &mut all[..width], &mut others[..width]);
        top.fill(f64::NEG_INFINITY);
        all.fill(0.0);
        others.fill(0.0);
        for (eta, gamma) in self.eta.chunks_exact(PACK).zip(self.gamma.chunks_exact(PACK)) {
            for l in 0..width {
                let logit = eta[l] + gamma[l];
                top[l] = if logit > top[l] { logit } else { top[l] };
            }
        }
        for (k, residual) in self.residual.chunks_exact_mut(PACK).enumerate() {
            let residual = &mut residual[..width];
            let (eta, gamma) = (&self.eta[k * PACK..][..width], &self.gamma[k * PACK..][..width]);
            let y = &self.y[k * PACK..][..width];
            for l in 0..width {
                residual[l] = exp(eta[l] + gamma[l] - top[l]);
            }
            for l in 0..width {
                all[l] += residual[l];
                others[l] += (1.0 - y[l]) * residual[l];
            }
        }
        for l in 0..width {
            all[l] = 1.0 / all[l];
        }
        for (residual, y) in self.residual.chunks_exact_mut(PACK).zip(self.y.chunks_exact(PACK)) {
            let (residual, y) = (&mut residual[..width], &y[..width]);
            for l in 0..width {
                residual[l] = ((1.0 - y[l]) * residual[l] - y[l] * others[l]) * all[l];
            }
        }
    }

    /// One Newton step, `r` following to first order.
    #[inline(always)]
    fn step(&mut self, tau: f64) {
        let width = self.width;
        let size = &mut self.size[..width];
        let multiplier = &mut self.multiplier[..width];
        let [square, weights, mean_r, mean_e, along] = &mut self.sums;
        let (square, weights) = (&mut square[..width], &mut weights[..width]);
        let (mean_r, mean_e) = (&mut mean_r[..width], &mut mean_e[..width]);
        let along = &mut along[..width];
        for sums in [&mut *square, &mut *weights, &mut *mean_r, &mut *mean_e, &mut *size] {
            sums.fill(0.0);
        }
        let classes = self.y.len() / PACK;
        for k in 0..classes {
            let (y, r) = (&self.y[k * PACK..][..width], &self.residual[k * PACK..][..width]);
            let gamma = &self.gamma[k * PACK..][..width];
            let weight = &mut self.weight[k * PACK..][..width];
            let error = &mut self.error[k * PACK..][..width];
            for l in 0..width {
                let p = r[l] + y[l];
                weight[l] = p / (1.0 + multiplier[l] * p);
                error[l] = gamma[l] + multiplier[l] * r[l];
                let large = error[l].abs();
                size[l] = if large > size[l] { large } else { size[l] };
                square[l] = r[l].mul_add(r[l], square[l]);
                weights[l] += weight[l];
                mean_r[l] = weight[l].mul_add(r[l], mean_r[l]);
                mean_e[l] = weight[l].mul_add(error[l], mean_e[l]);
            }
        }
        let bend = weights;
        for l in 0..width {
            mean_r[l] /= bend[l];
            mean_e[l] /= bend[l];
            bend[l] = 0.0;
            along[l] = 0.0;
            let excess = (square[l] / (tau * tau) - 1.0).abs();
            let error = size[l] / (1.0 + (multiplier[l] * tau).abs());
            size[l] = if excess > error { excess } else { error };
        }
        for k in 0..classes {
            let r = &self.residual[k * PACK..][..width];
            let weight = &self.weight[k * PACK..][..width];
            let error = &self.error[k * PACK..][..width];
            for l in 0..width {
                bend[l] += r[l] * weight[l] * (r[l] - mean_r[l]);
                along[l] += r[l] * weight[l] * (error[l] - mean_e[l]);
            }
        }
        let (step, shift) = (square, along);
        for l in 0..width {
            step[l] = (0.5 * (step[l] - tau * tau) - shift[l]) / bend[l];
            shift[l] = 0.0;
        }
        for k in 0..classes {
            let (y, r) = (&self.y[k * PACK..][..width], &self.residual[k * PACK..][..width]);
            let weight = &self.weight[k * PACK..][..width];
            let error = &mut self.error[k * PACK..][..width];
            let gamma = &mut self.gamma[k * PACK..][..width];
            for l in 0..width {
                let image = error[l] - mean_e[l] + step[l] * (r[l] - mean_r[l]);
                let change = multiplier[l] * weight[l] * image - (error[l] + step[l] * r[l]);
                gamma[l] += change;
                error[l] = change;
                shift[l] += (r[l] + y[l]) * change;
            }
        }
        for k in 0..classes {
            let y = &self.y[k * PACK..][..width];
            let change = &self.error[k * PACK..][..width];
            let r = &mut self.residual[k * PACK..][..width];
            for l in 0..width {
                r[l] += (r[l] + y[l]) * (change[l] - shift[l]);
            }
        }
        for l in 0..width {
            multiplier[l] += step[l];
        }
    }

    /// Puts one lane where Newton's method is sure to settle.
    fn restart(&mut self, lane: usize, label: usize, tau: f64) {
        let eta: Vec<f64> = self.eta.iter().skip(lane).step_by(PACK).copied().collect();
        let start = single::near(&eta, label, tau);
        self.multiplier[lane] = start.multiplier;
        for (k, gamma) in start.gamma.iter().enumerate() {
            self.gamma[k * PACK + lane] = *gamma;
        }
    }
}

/// Derivatives of the residuals of one block, as if every group in it were free.
#[derive(Debug)]
pub(super) struct Bend {
    width: usize,
    weight: Vec<f64>,
    bent: Vec<f64>,
    inverse_weights: Vec<f64>,
    inverse_bend: Vec<f64>,
}

impl Bend {
    pub fn new(classes: usize, width: usize) -> Self {
        Self {
            width,
            weight: vec![0.0; classes * width],
            bent: vec![0.0; classes * width],
            inverse_weights: vec![0.0; width],
            inverse_bend: vec![0.0; width],
        }
    }

    #[inline(always)]
    pub fn compute(&mut self, y: &[f64], residual: &[f64], multiplier: &[f64]) {
        let width = self.width;
        let multiplier = &multiplier[..width];
        let (weights, mean) = (&mut self.inverse_weights[..width], &mut self.inverse_bend[..width]);
        weights.fill(0.0);
        mean.fill(0.0);
        for (k, weight) in self.weight.chunks_exact_mut(width).enumerate() {
            let (y, r) = (&y[k * width..][..width], &residual[k * width..][..width]);
            for l in 0..width {
                let p = r[l] + y[l];
                weight[l] = p / (1.0 + multiplier[l] * p);
                weights[l] += weight[l];
                mean[l] = weight[l].mul_add(r[l], mean[l]);
            }
        }
        for l in 0..width {
            weights[l] = 1.0 / weights[l];
            mean[l] *= weights[l];
        }
        for (k, bent) in self.bent.chunks_exact_mut(width).enumerate() {
            let (weight, r) = (&self.weight[k * width..][..width], &residual[k * width..][..width]);
            for l in 0..width {
                bent[l] = weight[l] * (r[l] - mean[l]);
            }
        }
        let bend = mean;
        bend.fill(0.0);
        for (bent, r) in self.bent.chunks_exact(width).zip(residual.chunks_exact(width)) {
            for l in 0..width {
                bend[l] = r[l].mul_add(bent[l], bend[l]);
            }
        }
        for l in 0..width {
            bend[l] = 1.0 / bend[l];
        }
    }

    /// Where `free`, puts `∂r/∂η` (pairs `1 ≤ h ≤ k`) and `∂r/∂log τ` in place of what is there.
    #[inline(always)]
    pub fn replace(&self, free: &[f64], tau: f64, pairs: &mut [f64], drift: &mut [f64]) {
        let width = self.width;
        let free = &free[..width];
        let (inverse_weights, inverse_bend) =
            (&self.inverse_weights[..width], &self.inverse_bend[..width]);
        for (drift, bent) in drift.chunks_exact_mut(width).zip(self.bent.chunks_exact(width)) {
            for l in 0..width {
                let value = tau * tau * bent[l] * inverse_bend[l];
                drift[l] = if free[l] > 0.0 { value } else { drift[l] };
            }
        }
        let mut pair = pairs.chunks_exact_mut(width);
        for k in 1..self.weight.len() / width {
            let (weight, bent) =
                (&self.weight[k * width..][..width], &self.bent[k * width..][..width]);
            for h in 1..=k {
                let other = &self.weight[h * width..][..width];
                let other_bent = &self.bent[h * width..][..width];
                let Some(pair) = pair.next() else { return };
                let diagonal = if h == k { 1.0 } else { 0.0 };
                for l in 0..width {
                    let value = weight[l] * (diagonal - other[l] * inverse_weights[l])
                        - bent[l] * other_bent[l] * inverse_bend[l];
                    pair[l] = if free[l] > 0.0 { value } else { pair[l] };
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Solves one problem: the groups, the residual and the one-hot label, each in a block of eight lanes.
    fn solve(eta: &[f64], label: usize, tau: f64) -> (Groups, Vec<f64>, Vec<f64>) {
        let (classes, layout) = (eta.len(), Layout::new(8));
        let spread = |f: &dyn Fn(usize) -> f64| (0..8 * classes).map(|a| f(a / 8)).collect();
        let mut groups = Groups::new(classes, layout);
        let mut residual = layout.room(classes);
        let lanes: Vec<f64> = spread(&|k| eta[k]);
        groups.minimise(&[label; 8], &[1.0; 8], &lanes, tau, &mut residual);
        (groups, residual, spread(&|k| if k == label { 1.0 } else { 0.0 }))
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
                let gamma = |k: usize| groups.gamma[8 * k];
                let norm = (0..eta.len()).map(|k| gamma(k) * gamma(k)).sum::<f64>().sqrt();
                assert!(groups.multiplier[0] > 0.0, "{eta:?} {tau}");
                // The logits themselves are only known to their own rounding.
                let rounding = eta.iter().fold(1.0, |m: f64, e| m.max(e.abs())) * 1e-15;
                for k in 0..eta.len() {
                    let defect = residual[8 * k] / tau + gamma(k) / norm;
                    assert!(defect.abs() <= 1e-12 + 10.0 * rounding, "{eta:?} {tau}: {defect:e}");
                }
            }
        }
    }

    #[test]
    fn derivatives_agree_with_differences() {
        let (eta, tau, step) = ([-0.5, 0.9, 0.2, -0.1], 0.3, 1e-6);
        let (groups, residual, y) = solve(&eta, 0, tau);
        let mut bend = Bend::new(4, 8);
        bend.compute(&y, &residual, &groups.multiplier);
        let (mut pairs, mut drift) = (vec![0.0; 6 * 8], vec![0.0; 4 * 8]);
        bend.replace(&[1.0; 8], tau, &mut pairs, &mut drift);
        let up = solve(&eta, 0, tau * f64::exp(step)).1;
        let down = solve(&eta, 0, tau * f64::exp(-step)).1;
        for k in 0..4 {
            let difference = (up[8 * k] - down[8 * k]) / (2.0 * step);
            assert!((difference - drift[8 * k]).abs() < 1e-8);
        }
        for h in 1..4 {
            let (mut plus, mut minus) = (eta, eta);
            plus[h] += step;
            minus[h] -= step;
            let (up, down) = (solve(&plus, 0, tau).1, solve(&minus, 0, tau).1);
            for k in h..4 {
                let difference = (up[8 * k] - down[8 * k]) / (2.0 * step);
                assert!((difference - pairs[8 * (k * (k - 1) / 2 + h - 1)]).abs() < 1e-8);
            }
        }
    }
}
