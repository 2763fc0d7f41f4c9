//! The curvature of the logarithmic loss once the intercept has been minimised out.
//!
//! Sample `i` with probabilities `pᵢ` has curvature `Dᵢ = diag pᵢ − pᵢ pᵢᵀ`. The intercept is shared by all samples;
//! when the scores move by `v`, its minimum moves by
//!
//! ```text
//! s = −G⁻¹ Σᵢ Dᵢ vᵢ,   G = Σᵢ Dᵢ,
//! ```
//!
//! and the loss then curves by `D̃ v = D (v + 1 sᵀ)`, with `D̃` symmetric and positive semidefinite. `G` is `c × c` with null
//! vector `1`, and is inverted on the vectors that sum to zero.

use super::sheet;
use crate::linalg::vector::{LANES, block, block_mut, fused};

/// The probabilities of all samples, and the factor of their `G`.
#[derive(Debug, Default)]
pub(super) struct LogisticCurvature {
    samples: usize,
    classes: usize,
    /// Sheet of probabilities.
    p: Vec<f64>,
    /// Per sample: `Σ_k p_k v_k`.
    mean: Vec<f64>,
    /// Lower Cholesky factor of `G` plus a multiple of `1 1ᵀ`, row by row.
    factor: Vec<f64>,
}

impl LogisticCurvature {
    /// Prepares for `samples` samples of `classes` classes.
    #[inline(always)]
    pub(super) fn resize(&mut self, samples: usize, classes: usize) {
        let stride = sheet::stride(samples);
        (self.samples, self.classes) = (samples, classes);
        self.p.resize(classes * stride, 0.0);
        self.mean.resize(stride, 0.0);
        self.factor.resize(classes * classes, 0.0);
    }

    /// Sets the probabilities to the softmax of scores.
    #[inline(always)]
    pub(super) fn set_scores(&mut self, scores: &[f64]) {
        sheet::softmax(self.samples, self.classes, scores, &mut self.p);
    }

    /// The probabilities.
    #[inline(always)]
    pub(super) fn probabilities(&self) -> &[f64] {
        &self.p
    }

    /// Forms and factors `G` for the probabilities.
    #[inline(always)]
    pub(super) fn factor(&mut self) {
        let (c, stride) = (self.classes, sheet::stride(self.samples));
        let class = |k: usize| &self.p[k * stride..(k + 1) * stride];
        let mut trace = 0.0;
        for k in 0..c {
            // Diagonals as sums of what the other classes share, not as p − p²: exact for probabilities near one.
            self.factor[k * c + k] = 0.0;
            for l in 0..k {
                let shared = fused::dot(class(k), class(l));
                self.factor[k * c + l] = -shared;
                self.factor[k * c + k] += shared;
                self.factor[l * c + l] += shared;
                trace += 2.0 * shared;
            }
        }
        // Any multiple of 1 1ᵀ will do: it only affects the null vector, which no argument has a component in.
        let level = trace.max(f64::MIN_POSITIVE) / (c * c) as f64;
        self.factor.iter_mut().for_each(|entry| *entry += level);
        cholesky(&mut self.factor, c);
    }

    /// `t ← G⁻¹ t` for a `t` that sums to zero.
    #[inline(always)]
    pub(super) fn solve(&self, t: &mut [f64]) {
        let (c, factor) = (self.classes, &self.factor);
        for k in 0..c {
            let known: f64 = (0..k).map(|l| factor[k * c + l] * t[l]).sum();
            t[k] = (t[k] - known) / factor[k * c + k];
        }
        for k in (0..c).rev() {
            let known: f64 = (k + 1..c).map(|l| factor[l * c + k] * t[l]).sum();
            t[k] = (t[k] - known) / factor[k * c + k];
        }
    }

    /// Writes how the intercept's minimum moves when the scores move by `v`.
    #[inline(always)]
    pub(super) fn intercept_response(&mut self, v: &[f64], shift: &mut [f64]) {
        let (p, mean) = (&self.p[..], &mut self.mean[..]);
        let stride = mean.len();
        mean.fill(0.0);
        for (p, v) in p.chunks_exact(stride).zip(v.chunks_exact(stride)) {
            for i in 0..stride {
                mean[i] = p[i].mul_add(v[i], mean[i]);
            }
        }
        for (k, shift) in shift.iter_mut().enumerate() {
            let mut total = [0.0; LANES];
            for at in (0..stride).step_by(LANES) {
                let (p, v) = (block(p, k * stride + at), block(v, k * stride + at));
                let mean = block(mean, at);
                for l in 0..LANES {
                    total[l] = p[l].mul_add(mean[l] - v[l], total[l]);
                }
            }
            *shift = fused::total(&total);
        }
        self.solve(shift);
    }

    /// `h = D (v + 1 shiftᵀ)`; returns `⟨v, h⟩`.
    #[inline(always)]
    pub(super) fn bend(&self, v: &[f64], shift: &[f64], h: &mut [f64]) -> f64 {
        let p = &self.p[..];
        let stride = self.mean.len();
        let mut product = [0.0; LANES];
        for at in (0..stride).step_by(LANES) {
            let mut mean = [0.0; LANES];
            for (k, shift) in shift.iter().enumerate() {
                let (p, v) = (block(p, k * stride + at), block(v, k * stride + at));
                for l in 0..LANES {
                    mean[l] = p[l].mul_add(v[l] + shift, mean[l]);
                }
            }
            for (k, shift) in shift.iter().enumerate() {
                let (p, v) = (block(p, k * stride + at), block(v, k * stride + at));
                let h = block_mut(h, k * stride + at);
                for l in 0..LANES {
                    h[l] = p[l] * (v[l] + shift - mean[l]);
                    product[l] = h[l].mul_add(v[l], product[l]);
                }
            }
        }
        fused::total(&product)
    }
}

/// Lower Cholesky factor in place; the upper triangle is left as it is. `G` may be singular up to rounding, so pivots are
/// kept positive.
#[inline(always)]
fn cholesky(a: &mut [f64], n: usize) {
    for i in 0..n {
        for j in 0..=i {
            let known: f64 = (0..j).map(|k| a[i * n + k] * a[j * n + k]).sum();
            let rest = a[i * n + j] - known;
            a[i * n + j] = if i == j { rest.max(f64::EPSILON * a[i * n + i]).sqrt() } else { rest / a[j * n + j] };
        }
    }
}
