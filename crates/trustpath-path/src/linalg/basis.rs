//! An orthonormal basis of the column space of `X`.
//!
//! The path depends on `X` only through its column space, `H = X(XᵀX)⁺Xᵀ = QQᵀ`. With orthonormal coordinates the
//! least-squares fit is `QᵀY`, and the curvature is as well conditioned as it can be.

use std::convert::Infallible;

use faer::Mat;

use super::eigen;
use crate::Matrix;

/// `X = Q T` with `QᵀQ = I`, and the matrix that turns coefficients on `Q` into coefficients on `X`.
#[derive(Debug, Clone)]
pub struct Basis {
    /// Orthonormal coordinates, one row per instance; as many columns as `X` has rank.
    pub q: Matrix,
    /// `d × rank`: coefficients on `X` are `back` times coefficients on `Q`.
    pub back: Matrix,
}

/// Directions in which `X` has less than this fraction of its largest singular value do not count.
const RANK: f64 = 1e-7;

impl Basis {
    pub fn new(x: &Matrix) -> Self {
        let Ok(back) = way_back(x.rows(), x.cols(), |by| Ok::<_, Infallible>(gram_of_product(x, by)));
        let q = x.view() * back.view();
        Self { q: Matrix::from_view(q.as_ref()), back }
    }
}

/// `(XT)ᵀ(XT)`, or `XᵀX` without a `T`.
pub fn gram_of_product(x: &Matrix, by: Option<&Matrix>) -> Matrix {
    let x = x.view();
    let gram: Mat<f64> = match by {
        None => x.transpose() * x,
        Some(by) => {
            let q = x * by.view();
            q.transpose() * &q
        }
    };
    Matrix::from_view(gram.as_ref())
}

/// [`Basis::back`] of `n` rows of `d` coordinates, from the Gram matrices of `X` and of `XT` alone.
pub fn way_back<E>(
    n: usize,
    d: usize,
    mut gram: impl FnMut(Option<&Matrix>) -> Result<Matrix, E>,
) -> Result<Matrix, E> {
    // Twice is enough: the first pass squares the condition number, the second finds it close to one.
    let first = Matrix::from_view(whiten(gram(None)?, n.min(d)).as_ref());
    let second = whiten(gram(Some(&first))?, first.cols());
    Ok(Matrix::from_view((first.view() * &second).as_ref()))
}

/// `V Λ^(−1/2)` for a Gram matrix `V Λ Vᵀ`, over its at most `rank` directions that count.
fn whiten(gram: Matrix, rank: usize) -> Mat<f64> {
    let d = gram.rows();
    // Fails only when the iteration inside does, which finite input does not bring about; no direction counts then.
    let Ok(eigen) = eigen(gram.view()) else { return Mat::zeros(d, 0) };
    let values = eigen.S();
    let largest = values[d - 1].max(0.0);
    let counting = (0..d).rev().take(rank).take_while(|&j| values[j] > RANK * RANK * largest).count();
    Mat::from_fn(d, counting, |a, j| eigen.U()[(a, d - 1 - j)] / values[d - 1 - j].sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_the_columns_and_drops_what_depends() {
        let x = Matrix::from_fn(20, 4, |i, j| match j {
            3 => 2.0 * (i as f64).sin() - (i as f64).cos(),
            2 => 1e-3 * ((i * i) as f64).sin(),
            1 => (i as f64).cos(),
            _ => (i as f64).sin(),
        });
        let basis = Basis::new(&x);
        assert_eq!(basis.q.cols(), 3);
        let q = basis.q.view();
        let apart = (q.transpose() * q - Mat::<f64>::identity(3, 3)).norm_max();
        assert!(apart < 1e-14, "{apart:e}");
        // X is reproduced by its projection.
        let apart = (q * (q.transpose() * x.view()) - x.view()).norm_max();
        assert!(apart < 1e-12, "{apart:e}");
    }
}
