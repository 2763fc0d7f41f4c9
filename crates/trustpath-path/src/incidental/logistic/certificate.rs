//! How far a solution is from optimal, computed directly from the data.
//!
//! The certificate is the worst relative violation of the optimality conditions of the *full* problem in
//! `(a₀, β, γ)`, from `x`, the labels and the solution on the original scale alone, without any code of the solver:
//! with `r = p(a₀ + xβ + γ) − y` and `pen*` the dual norm,
//!
//! * intercept: `|Σᵢ rᵢₖ| / Σᵢ|rᵢₖ|`;
//! * a row of `β` with `gⱼ = Σᵢ (xᵢⱼ − x̄ⱼ) rᵢ`: the distance of `−gⱼ` from `nλwⱼ ∂pen(βⱼ)`, over `nλwⱼ`;
//! * each `γᵢ`: the distance of `−rᵢ` from `nλw_γ ∂pen(γᵢ)`, over `nλw_γ`.
//!
//! (With the intercept's condition, centring `x` changes nothing but the rounding.) The problem is convex: zero means
//! optimal.

use super::Penalty;
use super::design::Design;
use crate::Matrix;

/// A solution on the original scale, over the classes present.
pub(super) struct Solution<'a> {
    pub intercept: &'a [f64],
    pub beta: &'a Matrix,
    pub gamma: &'a Matrix,
}

/// Worst relative violation of the optimality conditions at `lambda`.
pub(super) fn certify(
    x: &Matrix,
    labels: &[usize],
    design: &Design,
    penalty: Penalty,
    lambda: f64,
    solution: &Solution<'_>,
) -> f64 {
    let classes = solution.intercept.len();
    let mu = x.rows() as f64 * lambda;
    let mut residual = vec![0.0; classes];
    let mut sums = vec![(0.0, 0.0); classes];
    let mut gradient = Matrix::zeros(design.dims, classes);
    let mut worst = 0.0_f64;
    for (i, &label) in labels.iter().enumerate() {
        residual_of(x.row(i), label, solution, i, &mut residual);
        for (sum, r) in sums.iter_mut().zip(&residual) {
            *sum = (sum.0 + r, sum.1 + r.abs());
        }
        for (j, &column) in design.columns.iter().enumerate() {
            let centred = x[(i, column)] - design.mean[j];
            for (g, r) in gradient.row_mut(j).iter_mut().zip(&residual) {
                *g += centred * r;
            }
        }
        let tau = mu * design.incidental_weight;
        worst = worst.max(distance(penalty, solution.gamma.row(i), &residual, tau));
    }
    for (sum, size) in sums {
        worst = worst.max(sum.abs() / size.max(f64::MIN_POSITIVE));
    }
    for (j, &column) in design.columns.iter().enumerate() {
        let price = mu * design.weight[j];
        worst = worst.max(distance(penalty, solution.beta.row(column), gradient.row(j), price));
    }
    worst
}

/// `p(a₀ + xβ + γ) − y` of one instance.
fn residual_of(x: &[f64], label: usize, solution: &Solution<'_>, i: usize, out: &mut [f64]) {
    for (k, eta) in out.iter_mut().enumerate() {
        *eta = solution.intercept[k] + solution.gamma[(i, k)];
        *eta += x.iter().enumerate().map(|(j, x)| x * solution.beta[(j, k)]).sum::<f64>();
    }
    let top = out.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let all: f64 = out.iter().map(|eta| (eta - top).exp()).sum();
    let mut others = 0.0;
    for (k, value) in out.iter_mut().enumerate() {
        *value = (*value - top).exp() / all;
        if k != label {
            others += *value;
        }
    }
    out[label] = -others;
}

/// Distance of `−gradient` from `price · ∂pen(value)`, in the dual norm and over `price`.
fn distance(penalty: Penalty, value: &[f64], gradient: &[f64], price: f64) -> f64 {
    let entries = value.iter().zip(gradient);
    match penalty {
        Penalty::Elementwise => entries.fold(0.0, |worst: f64, (&v, &g)| {
            worst.max(match v {
                0.0 => g.abs() / price - 1.0,
                _ => (g / price + v.signum()).abs(),
            })
        }),
        Penalty::Group => {
            let norm = value.iter().map(|v| v * v).sum::<f64>().sqrt();
            let square = |f: &dyn Fn(f64, f64) -> f64| entries.map(|(&v, &g)| f(v, g).powi(2)).sum::<f64>().sqrt();
            if norm == 0.0 { (square(&|_, g| g / price) - 1.0).max(0.0) } else { square(&|v, g| g / price + v / norm) }
        }
    }
}
