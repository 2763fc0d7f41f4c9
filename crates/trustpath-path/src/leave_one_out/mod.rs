//! The leave-one-out path: where every label of an instance vanishes on a path to which its label did not contribute.
//!
//! A label regressed together with all others pulls the fit towards itself, in small sets entirely. So each instance is judged by the
//! fit without it, which is in closed form at every `λ`:
//!
//! ```text
//! β(λ) = (XᵀWX + ridge I)⁻¹ XᵀWY,     wᵢ = vᵢ min(1, λ/‖yᵢ − β(λ)ᵀxᵢ‖)            reweighted least squares = Huber regression
//! hᵢ(λ) = wᵢ xᵢᵀ (XᵀWX + ridge I)⁻¹ xᵢ,    fᵢ⁻(λ) = (β(λ)ᵀxᵢ − hᵢ(λ) yᵢ) / (1 − hᵢ(λ))
//! λ(i, k) = the smallest λ with ‖e_k − fᵢ⁻(λ')‖ ≤ λ'  for all λ' ≥ λ
//! ```
//!
//! `X` has a constant column, and `vᵢ ∝ 1/√(instances of its class)`: coordinates are centred, so that without the two a
//! class that has most instances would have nothing to be recognised by, and a small one would be overruled. A row that
//! was not fitted has `h = 0`. The path goes from large `λ` to small, each solution the start of the next one.

use rayon::prelude::*;

use crate::linalg::block::{inner, multiply, times};
use crate::linalg::cholesky;
use crate::linalg::vector::dot_in_order;
use crate::one_hot_fit::{Fitted, LabelDescent, class_sums};
use crate::{Error, Matrix, Result};

mod ridge;

use ridge::LEAST_REMAINDER;

pub use crate::one_hot_fit::ROWS;
pub use ridge::choose as choose_ridge;

/// Values of `λ`.
const POINTS: usize = 16;
/// The largest, above `√2`, the distance of two labels.
const LARGEST: f64 = 1.6;
/// The smallest: labels that fit better than this are all right.
const SMALLEST: f64 = 0.12;
/// Reweighted solutions at every `λ`. The path starts each from the one above, which is near.
const REWEIGHTED: usize = 3;
/// The place of a row that was not fitted.
pub const NOT_FITTED: u32 = u32::MAX;

/// The solution at one `λ`.
#[derive(Debug)]
struct Step {
    lambda: f64,
    beta: Matrix,
    /// `(XᵀWX + ridge I)⁻¹`.
    inverse: Matrix,
    /// Of every fitted row.
    weight: Vec<f64>,
    /// `‖γᵢ‖` of every fitted row, of the fit without it.
    gamma: Vec<f64>,
}

/// A path fitted to some rows, which judges every row without its label.
#[derive(Debug)]
pub struct LeaveOneOutPath {
    steps: Vec<Step>,
    /// Rows that it was fitted to, ascending.
    pub fitted: Vec<usize>,
    /// The label that each of them was fitted with.
    labels: Vec<usize>,
    classes: usize,
}

impl LeaveOneOutPath {
    /// Fits the path to these rows of `x`, with the label that each of all rows has.
    pub fn fit(x: &Matrix, fitted: Vec<usize>, labels: &[usize], classes: usize, ridge: f64) -> Result<Self> {
        let x = design(x, &fitted);
        let labels: Vec<usize> = fitted.iter().map(|&row| labels[row]).collect();
        let by_class = class_weights(&labels, classes);
        let ratio = (SMALLEST / LARGEST).powf(1.0 / (POINTS - 1) as f64);
        let mut residual = vec![0.0; fitted.len()];
        let mut steps: Vec<Step> = Vec::with_capacity(POINTS);
        for k in 0..POINTS {
            let lambda = LARGEST * ratio.powi(k as i32);
            let mut weight = Vec::new();
            let (mut beta, mut inverse) = Default::default();
            for _ in 0..REWEIGHTED {
                let reweighted = |(r, v): (&f64, &f64)| if *r > lambda { v * lambda / r } else { *v };
                weight = residual.iter().zip(&by_class).map(reweighted).collect();
                (beta, inverse) = solve(&x, &labels, classes, &weight, ridge)?;
                residual = Fitted::new(&beta).residuals(&x, &labels).collect();
            }
            let remainders = remainders(&x, &inverse, &weight);
            let gamma = residual.iter().zip(remainders).map(|(r, left)| (r / left - lambda).max(0.0)).collect();
            steps.push(Step { lambda, beta, inverse, weight, gamma });
        }
        Ok(Self { steps, fitted, labels, classes })
    }

    /// The grid, descending.
    pub fn lambda(&self) -> Vec<f64> {
        self.steps.iter().map(|step| step.lambda).collect()
    }

    /// `‖γᵢ(λ)‖` of the fit without `i`, one row per `λ`, one column per fitted row.
    pub fn gamma_norm(&self) -> Result<Matrix> {
        let norms: Vec<f64> = self.steps.iter().flat_map(|step| step.gamma.clone()).collect();
        Matrix::from_vec(self.steps.len(), self.fitted.len(), norms)
    }

    /// Whether the given label of each row is that of another fitted row as well; else nothing can be said about it.
    pub fn has_others(&self, corrected: &[usize], given: &[usize]) -> Vec<bool> {
        let mut members = vec![0usize; self.classes];
        self.labels.iter().for_each(|&label| members[label] += 1);
        let mut counted = vec![0; given.len()];
        for &row in self.fitted.iter().filter(|&&row| corrected[row] == given[row]) {
            counted[row] = 1;
        }
        given.iter().zip(counted).map(|(&label, counted)| members[label] > counted).collect()
    }

    /// Whether each class has a label that it was fitted with.
    pub fn classes_with_labels(&self) -> Vec<bool> {
        let mut seen = vec![false; self.classes];
        self.labels.iter().for_each(|&label| seen[label] = true);
        seen
    }

    /// The place of every row of `x` among the fitted ones, for [`judge_block`](Self::judge_block).
    pub fn places(&self, rows: usize) -> Vec<u32> {
        let mut places = vec![NOT_FITTED; rows];
        self.fitted.iter().enumerate().for_each(|(at, &row)| places[row] = at as u32);
        places
    }

    /// Where every label of every row of a block vanishes.
    pub fn judge_block(&self, x: &[f64], place: &[u32]) -> Vec<f64> {
        let (rows, c) = (place.len(), self.classes);
        let d = x.len() / rows.max(1);
        let mut descents = vec![LabelDescent::default(); rows * c];
        let (mut f, mut bent) = (vec![0.0; rows * c], vec![0.0; rows * d]);
        for (k, step) in self.steps.iter().enumerate() {
            multiply(x, rows, step.beta.view(), &mut f);
            if place.iter().any(|&place| place != NOT_FITTED) {
                multiply(x, rows, step.inverse.view(), &mut bent);
            }
            let before = k.checked_sub(1).map(|k| self.steps[k].lambda);
            for at in 0..rows {
                let here = at * c..(at + 1) * c;
                let f = &mut f[here.clone()];
                if place[at] != NOT_FITTED {
                    let (row, fit) = (at * d..(at + 1) * d, place[at] as usize);
                    let h = step.weight[fit] * dot_in_order(&x[row.clone()], &bent[row]);
                    f[self.labels[fit]] -= h;
                    let scale = 1.0 / (1.0 - h).max(LEAST_REMAINDER);
                    f.iter_mut().for_each(|f| *f *= scale);
                }
                let square = dot_in_order(f, f) + 1.0;
                for (f, descent) in f.iter().zip(&mut descents[here]) {
                    descent.down(before, step.lambda, square - 2.0 * f);
                }
            }
        }
        descents.iter().map(|descent| descent.vanish).collect()
    }
}

/// `β` and `(XᵀWX + ridge I)⁻¹`.
fn solve(x: &Matrix, labels: &[usize], classes: usize, weights: &[f64], ridge: f64) -> Result<(Matrix, Matrix)> {
    let d = x.cols();
    let mut factor = inner(x, &weighted(x, weights), 1.0);
    (0..d).for_each(|j| factor[(j, j)] += ridge);
    if !cholesky::factor(factor.as_mut_slice(), d, 0.0) {
        let what = "the regression of the audit";
        return Err(Error::NotConverged { what, iterations: 0, reached: ridge, tolerance: 0.0 });
    }
    let inverse = cholesky::inverse(factor.as_slice(), d);
    let sums = class_sums(x, labels, weights, classes);
    let mut beta = Matrix::zeros(d, classes);
    multiply(inverse.as_slice(), d, sums.view(), beta.as_mut_slice());
    Ok((beta, inverse))
}

/// `WX`.
pub(super) fn weighted(x: &Matrix, weights: &[f64]) -> Matrix {
    let mut weighted = x.clone();
    let rows = weighted.as_mut_slice().par_chunks_exact_mut(x.cols()).zip(weights);
    rows.for_each(|(row, w)| row.iter_mut().for_each(|v| *v *= w));
    weighted
}

/// `1 − hᵢ`.
fn remainders(x: &Matrix, inverse: &Matrix, weight: &[f64]) -> Vec<f64> {
    let bent = times(x, inverse.view());
    let rows = x.iter_rows().zip(bent.iter_rows()).zip(weight);
    rows.map(|((x, bent), w)| (1.0 - w * dot_in_order(x, bent)).max(LEAST_REMAINDER)).collect()
}

/// The coordinates of some rows, and a constant.
pub fn design(x: &Matrix, rows: &[usize]) -> Matrix {
    let d = x.cols();
    Matrix::from_fn(rows.len(), d + 1, |i, j| if j < d { x[(rows[i], j)] } else { 1.0 })
}

/// The weight of every instance by the size of its class: `vᵢ ∝ 1/√members`, on average 1.
pub(super) fn class_weights(labels: &[usize], classes: usize) -> Vec<f64> {
    let mut members = vec![0.0f64; classes];
    labels.iter().for_each(|&label| members[label] += 1.0);
    let weights: Vec<f64> = labels.iter().map(|&label| members[label].sqrt().recip()).collect();
    let mean = weights.iter().sum::<f64>() / labels.len().max(1) as f64;
    weights.into_iter().map(|weight| weight / mean).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// The closed form against fits that leave the instance out.
    #[test]
    fn the_leave_one_out_fit_is_that_of_the_others() {
        let mut random = Random::stream(4, 0);
        let labels: Vec<usize> = (0..40).map(|i| i % 3).collect();
        let x = Matrix::from_fn(40, 5, |i, j| ((i % 3 * 5 + j) as f64).sin() + 0.8 * random.normal());
        let weights: Vec<f64> = (0..40).map(|i| 0.4 + 0.6 * (i as f64).sin().abs()).collect();
        for left in [0, 7, 39] {
            let others: Vec<usize> = (0..40).filter(|&i| i != left).collect();
            let judge = |fitted: Vec<usize>| {
                let labels: Vec<usize> = fitted.iter().map(|&row| labels[row]).collect();
                let weight: Vec<f64> = fitted.iter().map(|&row| weights[row]).collect();
                let (beta, inverse) = solve(&design(&x, &fitted), &labels, 3, &weight, 0.5).unwrap();
                // A small λ, so that every label has left and vanishes where its residual is.
                let step = Step { lambda: 1e-9, beta, inverse, weight, gamma: Vec::new() };
                let path = LeaveOneOutPath { steps: vec![step], fitted, labels, classes: 3 };
                path.judge_block(design(&x, &[left]).as_slice(), &[path.places(40)[left]])
            };
            // Judged by the fit that contains it, minus its label; and by the one that does not.
            let (mine, theirs) = (judge((0..40).collect()), judge(others));
            for (a, b) in mine.iter().zip(&theirs) {
                assert!((a - b).abs() < 1e-10, "{mine:?} {theirs:?}");
            }
        }
    }
}
