//! When does ICI find every correctly labelled instance? Conditions C1 to C3 of the paper's theorem, for an episode
//! whose true labels are known.
//!
//! The pseudo-labels are `Y = Xβ* + γ* + ε` with `γ* = Y − Y_true`, which is `+1` and `−1` in two entries of every
//! wrongly labelled row. Let `S` be the support of `vec(γ*)`, `Ũ` an orthonormal basis of the complement of the columns
//! of `I_c ⊗ X` (so that `ŨᵀŨ = I_c ⊗ (I − H)`), and `μ = max over i ∉ S of ‖Ũᵢ‖²`.
//!
//! ```text
//! C1  restricted eigenvalue   λ_min(Ũ_SᵀŨ_S) = C_min > 0
//! C2  irrepresentability      ‖Ũ_{Sᶜ}ᵀ Ũ_S (Ũ_SᵀŨ_S)⁻¹‖_∞ ≤ 1 − η,   η ∈ (0, 1]
//! C3  large error             min over S of |γ*| > h = λη / √(C_min μ) + λ ‖(Ũ_SᵀŨ_S)⁻¹ sign(γ*_S)‖_∞
//! ```
//!
//! With `λ ≥ 2σ√μ/η · √(log cn)` and probability `1 − 2/(cn)`, C1 and C2 imply that no correctly labelled instance is taken
//! for a wrong one, and with C3 the wrong ones are found exactly, by the minimum of `½‖Ũ(y − γ)‖² + λ‖γ‖₁`. (The paper
//! prints this problem without the `½`, and proves the theorem with it.) All of it separates by class, since `ŨᵀŨ` does.
//!
//! `H`, the noise `ε = (I − H) Y_true` and `σ` are of one and the same regression, on the columns of `X` as they are. ICI-R
//! has no intercept, and without one the noise of centred coordinates has a mean of `1/c`, not of zero as the theorem
//! supposes. For the regression with an intercept, give `X` a column of ones: its noise has mean zero by construction.

use faer::linalg::solvers::Solve;
use faer::{Mat, Side};

use crate::labels::check_labels;
use crate::linalg::basis::Basis;
use crate::linalg::vector::dot_in_order;
use crate::{Matrix, Result};

/// Eigenvalues up to this count as zero: `I − H` is a projector, so that its eigenvalues have rounding of this order.
const ZERO: f64 = 1e-10;

/// What the theorem asks of one episode.
#[derive(Debug, Clone, PartialEq)]
pub struct Identifiability {
    /// Number of wrongly labelled instances.
    pub wrong: usize,
    /// Size of `S`: two entries for every wrong instance.
    pub support: usize,
    /// `C_min`; 1 when nothing is wrong.
    pub c_min: f64,
    /// `η`, positive where C2 holds; 1 when nothing is wrong.
    pub eta: f64,
    /// `μ`.
    pub mu: f64,
    /// Size of the noise: the root of its mean square, which is its standard deviation where its mean is zero.
    pub sigma: f64,
    /// The smallest `λ` that the theorem allows; infinite where C2 fails.
    pub lambda: f64,
    /// The `λ` from which on no error is found at all, `max |(I − H)Y|` of the pseudo-labels. Where it is below
    /// [`lambda`](Self::lambda), the theorem holds because nothing is found.
    pub lambda_max: f64,
    /// The smallest error that is found for sure at that `λ`; infinite where C1 or C2 fails, 0 when nothing is wrong.
    pub h: f64,
    /// C1 holds.
    pub restricted_eigenvalue: bool,
    /// C1 and C2 hold.
    pub irrepresentability: bool,
    /// C1, C2 and C3 hold.
    pub large_error: bool,
    /// The noise `ε`, one row per instance: the residuals of the least-squares fit of the true labels on `X`.
    pub noise: Matrix,
}

/// Checks the conditions for instances with coordinates `x`, their true labels and their pseudo-labels (which for
/// labelled instances are the true ones).
///
/// # Errors
/// When labels and instances differ in number or a label is out of range.
pub fn identifiability(x: &Matrix, truth: &[usize], pseudo: &[usize], classes: usize) -> Result<Identifiability> {
    check_labels(truth, x.rows(), classes)?;
    check_labels(pseudo, x.rows(), classes)?;
    let n = x.rows();
    let q = Basis::new(x).q;
    let noise = residuals(&q, truth, classes);
    let values = noise.as_slice();
    let sigma = (values.iter().map(|e| e * e).sum::<f64>() / values.len() as f64).sqrt();
    let left = residuals(&q, pseudo, classes);
    let lambda_max = left.as_slice().iter().fold(0.0, |most: f64, r| most.max(r.abs()));
    let wrong = (0..n).filter(|&i| truth[i] != pseudo[i]).count();

    let mut worst = Conditions { c_min: 1.0, overlap: 0.0, mu: 0.0, sign: 0.0 };
    for class in 0..classes {
        worst.include_class(&q, truth, pseudo, class);
    }
    let Conditions { c_min, overlap, mu, sign } = worst;
    let eta = 1.0 - overlap;
    let restricted_eigenvalue = c_min > ZERO;
    let irrepresentability = restricted_eigenvalue && eta > 0.0;
    let (lambda, h) = if irrepresentability {
        let lambda = 2.0 * sigma * mu.sqrt() / eta * ((classes * n) as f64).ln().sqrt();
        let h = lambda * eta / (c_min * mu).sqrt() + lambda * sign;
        (lambda, if wrong == 0 { 0.0 } else { h })
    } else {
        (f64::INFINITY, f64::INFINITY)
    };
    Ok(Identifiability {
        wrong,
        support: 2 * wrong,
        c_min,
        eta,
        mu,
        sigma,
        lambda,
        lambda_max,
        h,
        restricted_eigenvalue,
        irrepresentability,
        // Every entry of γ* on its support is 1 in size.
        large_error: irrepresentability && h < 1.0,
        noise,
    })
}

/// The worst over the classes seen so far.
struct Conditions {
    c_min: f64,
    /// `‖Ũ_{Sᶜ}ᵀ Ũ_S (Ũ_SᵀŨ_S)⁻¹‖_∞`.
    overlap: f64,
    mu: f64,
    /// `‖(Ũ_SᵀŨ_S)⁻¹ sign(γ*_S)‖_∞`.
    sign: f64,
}

impl Conditions {
    fn include_class(&mut self, q: &Matrix, truth: &[usize], pseudo: &[usize], class: usize) {
        let in_support = |i: usize| truth[i] != pseudo[i] && (truth[i] == class || pseudo[i] == class);
        let support: Vec<usize> = (0..truth.len()).filter(|&i| in_support(i)).collect();
        let others: Vec<usize> = (0..truth.len()).filter(|&i| !in_support(i)).collect();
        let entry = |i: usize, j: usize| f64::from(i == j) - dot_in_order(q.row(i), q.row(j));
        self.mu = others.iter().map(|&i| entry(i, i)).fold(self.mu, f64::max);
        if support.is_empty() {
            return;
        }
        let size = support.len();
        let gram = Mat::from_fn(size, size, |a, b| entry(support[a], support[b]));
        let smallest = gram.self_adjoint_eigenvalues(Side::Lower).map_or(0.0, |values| values[0]);
        self.c_min = self.c_min.min(smallest);
        // Without C1 the inverse does not exist, and C2 and C3 are undefined.
        let Some(factor) = gram.llt(Side::Lower).ok().filter(|_| smallest > ZERO) else {
            (self.overlap, self.sign) = (f64::INFINITY, f64::INFINITY);
            return;
        };
        let signs = Mat::from_fn(size, 1, |a, _| if pseudo[support[a]] == class { 1.0 } else { -1.0 });
        let solved = factor.solve(&signs);
        self.sign = (0..size).map(|a| solved[(a, 0)].abs()).fold(self.sign, f64::max);
        let cross = Mat::from_fn(size, others.len(), |a, b| entry(support[a], others[b]));
        let solved = factor.solve(&cross);
        for column in 0..others.len() {
            let row_sum = (0..size).map(|a| solved[(a, column)].abs()).sum();
            self.overlap = self.overlap.max(row_sum);
        }
    }
}

/// `(I − H) Y` of labels, with `H = qqᵀ`.
fn residuals(q: &Matrix, labels: &[usize], classes: usize) -> Matrix {
    let y = Matrix::one_hot(labels, classes);
    let fit = q.view() * (q.view().transpose() * y.view());
    Matrix::from_fn(labels.len(), classes, |i, k| y[(i, k)] - fit[(i, k)])
}

#[cfg(test)]
mod tests;
