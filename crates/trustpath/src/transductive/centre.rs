//! Taking a mean off, and going back to the unit sphere: `x ← (x − m)/‖x − m‖`.

use std::ops::Range;

use crate::Matrix;
use crate::linalg::{simd, vector};

/// A row that is this near to the mean has no direction but rounding.
const NOTHING: f64 = 1e-12;

/// The mean of these rows.
pub(crate) fn mean(x: &Matrix, rows: Range<usize>) -> Vec<f64> {
    let scale = 1.0 / rows.len().max(1) as f64;
    let mut mean = vec![0.0; x.cols()];
    rows.for_each(|i| vector::add_scaled(&mut mean, 1.0, x.row(i)));
    mean.iter_mut().for_each(|m| *m *= scale);
    mean
}

/// Takes the mean off these rows, and puts them on the sphere. A row at the mean stays at the origin, as far from every
/// class as from any other.
pub(crate) fn take_off(x: &mut Matrix, rows: Range<usize>, mean: &[f64]) {
    for i in rows {
        let row = x.row_mut(i);
        vector::add_scaled(row, -1.0, mean);
        unit(row);
    }
}

/// `x ← x/‖x‖`; what has no length becomes zero.
pub(crate) fn unit(row: &mut [f64]) {
    let norm = simd::dispatch(&*row, vector::norm);
    if norm > NOTHING {
        row.iter_mut().for_each(|v| *v /= norm);
    } else {
        row.fill(0.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_on_the_sphere_but_for_one_at_the_mean() {
        let mut x = Matrix::from_vec(3, 2, vec![1.0, 0.0, 0.0, 1.0, 0.5, 0.5]).unwrap();
        let mean = mean(&x, 0..2);
        take_off(&mut x, 0..3, &mean);
        let half = 0.5f64.sqrt();
        for (value, expected) in x.as_slice().iter().zip([half, -half, -half, half, 0.0, 0.0]) {
            assert!((value - expected).abs() < 1e-15);
        }
    }
}
