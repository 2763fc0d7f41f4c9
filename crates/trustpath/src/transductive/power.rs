//! The power transform, which makes skewed features more like Gaussian ones: `x ← √x`, back on the unit sphere.
//!
//! Of Hu, Gripon and Pateux, "Leveraging the Feature Distribution in Transfer-based Few-Shot Learning" (2021), with their
//! power ½ and offset `ε = 10⁻⁶`. They have features that are never negative. Where a small part is (below a tenth of the
//! sum of absolute values, as after a leaky rectifier), it is cut off: `√(max(x, 0) + ε)`. Where more is, zero is no end
//! of the scale, and the root keeps the sign: `sign(x) √|x|`.

use super::centre::unit;
use crate::Matrix;

const OFFSET: f64 = 1e-6;
/// The share of the negative part from which it means something.
const SIGNED_FROM: f64 = 0.1;

/// Transforms all rows; the first `pool` decide whether signs matter.
pub(crate) fn power(x: &mut Matrix, pool: usize) {
    let seen = &x.as_slice()[..pool * x.cols()];
    let (negative, all) =
        seen.iter().fold((0.0, 0.0), |(negative, all), v| (negative - v.min(0.0), all + v.abs()));
    if negative < SIGNED_FROM * all {
        x.as_mut_slice().iter_mut().for_each(|v| *v = (v.max(0.0) + OFFSET).sqrt());
    } else {
        x.as_mut_slice().iter_mut().for_each(|v| *v = v.signum() * v.abs().sqrt());
    }
    for i in 0..x.rows() {
        unit(x.row_mut(i));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_negative_part_is_cut_off_and_a_large_one_kept() {
        let mut few = Matrix::from_vec(1, 3, vec![0.64, 0.36, -0.01]).unwrap();
        power(&mut few, 1);
        assert!((few[(0, 0)] - 0.8).abs() < 1e-5 && (0.0..2e-3).contains(&few[(0, 2)]));
        let mut many = Matrix::from_vec(1, 2, vec![0.64, -0.36]).unwrap();
        power(&mut many, 1);
        assert!((many[(0, 0)] - 0.8).abs() < 1e-12 && (many[(0, 1)] + 0.6).abs() < 1e-12);
    }

    #[test]
    fn the_query_has_no_say() {
        let rows = [vec![0.64, 0.36], vec![0.1, -5.0]];
        let mut x = Matrix::from_vec(2, 2, rows.concat()).unwrap();
        power(&mut x, 1);
        assert!(x[(1, 1)] > 0.0 && x[(1, 1)] < 1e-2);
    }
}
