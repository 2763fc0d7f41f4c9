//! The power transform: features of rectified networks are skewed, and their square roots are nearly Gaussian.
//!
//! ```text
//! x ← √(x₊ + ε)      where less than `signed` of the mass Σ|x| is negative (rectified features)
//! x ← sign(x) √|x|   elsewhere (signed features)
//! x ← x / ‖x‖
//! ```

use super::unit;
use crate::Matrix;
use crate::linalg::simd;

/// `ε`: keeps the root of an entry that is zero from being the only one without a share in the direction.
const FLOOR: f64 = 1e-6;

/// The transformed rows. The sign rule looks at the first `pool` rows alone: a query changes nothing for the others.
pub(super) fn transform(x: &Matrix, pool: usize, signed: f64) -> Matrix {
    let seen = &x.as_slice()[..pool * x.cols()];
    let negative: f64 = seen.iter().map(|v| (-v).max(0.0)).sum();
    let mass: f64 = seen.iter().map(|v| v.abs()).sum();
    let rectified = negative < signed * mass;
    let mut y = x.clone();
    simd::dispatch(
        y.as_mut_slice(),
        #[inline(always)]
        |values| {
            if rectified {
                values.iter_mut().for_each(|v| *v = (v.max(0.0) + FLOOR).sqrt());
            } else {
                values.iter_mut().for_each(|v| *v = v.abs().sqrt().copysign(*v));
            }
        },
    );
    for i in 0..y.rows() {
        unit(y.row_mut(i));
    }
    y
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rectified_and_signed_features_each_have_their_root() {
        let rectified = Matrix::from_vec(1, 3, vec![0.64, 0.36, -1e-3]).unwrap();
        let y = transform(&rectified, 1, 0.1);
        assert!((y[(0, 0)] / y[(0, 1)] - 0.8 / 0.6).abs() < 1e-5 && y[(0, 2)] > 0.0);
        let signed = Matrix::from_vec(1, 2, vec![0.64, -0.36]).unwrap();
        let y = transform(&signed, 1, 0.1);
        assert!((y[(0, 0)] - 0.8).abs() < 1e-12 && (y[(0, 1)] + 0.6).abs() < 1e-12);
    }

    #[test]
    fn the_query_has_no_say_in_the_sign_rule() {
        let x = Matrix::from_vec(2, 2, vec![0.8, 0.6, -0.8, -0.6]).unwrap();
        let y = transform(&x, 1, 0.1);
        assert!(
            y.row(1).iter().all(|v| *v > 0.0),
            "the query's negative part is cut like the pool's"
        );
    }
}
