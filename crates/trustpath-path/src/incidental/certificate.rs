//! Certificates: how far from optimal a reported solution can be, computed independently of the solver.
//!
//! For ICI-R the certificate is the relative duality gap. The dual of `min_B Σᵢ ρ_λ(yᵢ − Bᵀqᵢ)` is
//!
//! ```text
//! max over θ of   ⟨θ, Y⟩ − ½‖θ‖²    with   Qᵀθ = 0,  ‖θᵢ‖ ≤ λ.
//! ```
//!
//! The clipped residuals `θᵢ = min(1, λ/‖rᵢ‖) rᵢ`, projected on `Qᵀθ = 0` and scaled back into the balls, are feasible;
//! so the primal value exceeds the minimum by at most the difference of the two values, whatever the solver did.

use std::ops::Range;

use crate::Matrix;
use crate::linalg::vector::dot_in_order;

/// `(primal − dual) / primal` at coefficients on the orthonormal coordinates `q`, for responses in groups that share
/// one norm. Zero where there is nothing to explain.
pub(crate) fn relative_gap<'a>(
    q: &Matrix,
    labels: &[usize],
    groups: impl Iterator<Item = (Range<usize>, &'a [f64])>,
    lambda: f64,
) -> f64 {
    let (mut primal, mut dual) = (0.0, 0.0);
    for (classes, b) in groups {
        let (p, d) = primal_and_dual(q, labels, classes, b, lambda);
        primal += p;
        dual += d;
    }
    if primal > 0.0 { (primal - dual) / primal } else { 0.0 }
}

fn primal_and_dual(q: &Matrix, labels: &[usize], classes: Range<usize>, b: &[f64], lambda: f64) -> (f64, f64) {
    let (n, d, c) = (q.rows(), q.cols(), classes.len());
    let mut primal = 0.0;
    let mut theta = Matrix::zeros(n, c);
    let mut projection = vec![0.0; c * d];
    for i in 0..n {
        let theta = theta.row_mut(i);
        for (k, theta) in theta.iter_mut().enumerate() {
            *theta = f64::from(labels[i] == classes.start + k) - dot_in_order(q.row(i), &b[k * d..]);
        }
        let norm = dot_in_order(theta, theta).sqrt();
        let clip = if norm > lambda { lambda / norm } else { 1.0 };
        primal += if norm > lambda { lambda * (norm - 0.5 * lambda) } else { 0.5 * norm * norm };
        for (k, theta) in theta.iter_mut().enumerate() {
            *theta *= clip;
            for (a, q) in q.row(i).iter().enumerate() {
                projection[k * d + a] += q * *theta;
            }
        }
    }
    let (mut largest, mut linear, mut square) = (0.0f64, 0.0, 0.0);
    for i in 0..n {
        let mut norm2 = 0.0;
        for (k, &theta) in theta.row(i).iter().enumerate() {
            let theta = theta - dot_in_order(q.row(i), &projection[k * d..]);
            norm2 += theta * theta;
            if labels[i] == classes.start + k {
                linear += theta;
            }
        }
        largest = largest.max(norm2);
        square += norm2;
    }
    let largest = largest.sqrt();
    let scale = if largest > lambda { lambda / largest } else { 1.0 };
    (primal, scale * linear - 0.5 * scale * scale * square)
}
