//! Credibility, and the path that others are judged against once it is frozen.
//!
//! A path is fitted to the one-hot labels of a pool. Any instance with coordinates `x` can then be asked, for any label
//! `k`: from which `λ` on would its parameter be zero?
//!
//! ```text
//! λ(x, k) = the smallest λ with ‖e_k − β(λ')ᵀx‖ ≤ λ'  for all λ' ≥ λ,        credibility = max(0, 1 − λ/√2)
//! ```
//!
//! `√2` is the distance between the corners of two classes. So credibility is 1 where the regression puts an instance
//! right on the corner of its label, ½ where it stands half-way to another one, and 0 where it stands on that other one.

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, Par};
use rayon::prelude::*;

use crate::Matrix;
use crate::incidental::Path;

/// Rows judged together.
const ROWS: usize = 256;

/// Credibility of a label that vanishes at `lambda`: monotone, from 1 at 0 to 0 at `√2`.
pub fn credibility(lambda: f64) -> f64 {
    (1.0 - lambda / std::f64::consts::SQRT_2).max(0.0)
}

/// The coefficients of a path, at every `λ` of its grid.
#[derive(Debug, Clone, PartialEq)]
pub struct FrozenPath {
    /// The grid, descending.
    pub lambda: Vec<f64>,
    /// `β(λ)`, `d × c`, for every `λ`.
    pub beta: Vec<Matrix>,
}

impl FrozenPath {
    /// What is to be kept of a path that kept its coefficients.
    pub(crate) fn of(path: &Path) -> Self {
        Self { lambda: path.lambda.clone(), beta: path.beta.clone().unwrap_or_default() }
    }

    /// Coordinates that it reads.
    pub fn dims(&self) -> usize {
        self.beta.first().map_or(0, Matrix::rows)
    }

    /// The vanishing `λ` of every row of `x` under every label, one row an instance, one column a label. Of longer rows
    /// the first coordinates count.
    pub fn vanish(&self, x: &Matrix) -> Matrix {
        let (d, c) = (self.dims(), self.beta.first().map_or(0, Matrix::cols));
        let mut out = Matrix::zeros(x.rows(), c);
        out.as_mut_slice().par_chunks_mut(ROWS * c).enumerate().for_each(|(block, out)| {
            let rows = out.len() / c;
            let x = x.view().subrows(block * ROWS, rows).subcols(0, d);
            self.walk_down(x, out, c);
        });
        out
    }

    /// From the top of the grid down, every pair of instance and label is followed until it leaves.
    fn walk_down(&self, x: faer::MatRef<'_, f64>, out: &mut [f64], c: usize) {
        let rows = x.nrows();
        let mut fit = vec![0.0; rows * c];
        // The excess ‖r‖ − λ at the λ above, for who is still in; not a number for who has left.
        let mut above = vec![f64::NEG_INFINITY; rows * c];
        for (step, (&lambda, beta)) in self.lambda.iter().zip(&self.beta).enumerate() {
            let to = MatMut::from_row_major_slice_mut(&mut fit, rows, c);
            matmul(to, Accum::Replace, x, beta.view(), 1.0, Par::Seq);
            let sheets =
                fit.chunks_exact(c).zip(out.chunks_exact_mut(c)).zip(above.chunks_exact_mut(c));
            for ((fit, out), above) in sheets {
                let square: f64 = fit.iter().map(|f| f * f).sum();
                for ((f, out), above) in fit.iter().zip(out).zip(above) {
                    if above.is_nan() {
                        continue;
                    }
                    let residual = (square - 2.0 * f + 1.0).max(0.0).sqrt();
                    let excess = residual - lambda;
                    if excess > 0.0 {
                        // Between the two points of the grid the excess is taken to be straight.
                        *out = if step == 0 {
                            residual
                        } else {
                            let before = self.lambda[step - 1];
                            lambda + (before - lambda) * excess / (excess - *above)
                        };
                        *above = f64::NAN;
                    } else {
                        *out = lambda;
                        *above = excess;
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::incidental::{Grid, IciRParams, Incidental, Keep};

    #[test]
    fn the_frozen_path_judges_its_own_instances_as_the_path_did() {
        let x = Matrix::from_fn(60, 3, |i, j| {
            f64::from(u8::from(i % 3 == j)) + 0.4 * ((i * 7 + j * 3) as f64).sin()
        });
        let labels: Vec<usize> =
            (0..60).map(|i| if i % 11 == 0 { (i + 1) % 3 } else { i % 3 }).collect();
        let params = IciRParams { grid: Grid { points: 200, ratio: 0.01 }, ..Default::default() };
        let keep = Keep { beta: true, ..Keep::default() };
        let path = params.check().unwrap().path(&x, &labels, 3, keep).unwrap();
        let frozen = FrozenPath::of(&path);
        let vanish = frozen.vanish(&x);
        for (i, &label) in labels.iter().enumerate() {
            let (ours, theirs) = (vanish[(i, label)], path.vanish[i]);
            assert!((ours - theirs).abs() < 2e-3 * path.lambda[0], "{i}: {ours} {theirs}");
        }
        // A label that fits vanishes before one that does not.
        assert!(vanish[(1, 1)] < vanish[(1, 0)] && vanish[(11, 2)] < vanish[(11, 1)]);
    }

    #[test]
    fn credibility_falls_from_one_to_zero() {
        assert_eq!(credibility(0.0), 1.0);
        assert!((credibility(std::f64::consts::FRAC_1_SQRT_2) - 0.5).abs() < 1e-15);
        assert_eq!(credibility(2.0), 0.0);
    }
}
