//! Data for the tests of several modules.

use crate::Matrix;

/// 40 classes on 12 coordinates, so that neighbours compete; one label in nine is wrong.
pub fn many_classes(n: usize) -> (Matrix, Vec<usize>) {
    let x = Matrix::from_fn(n, 12, |i, j| {
        let centre = ((i % 40 * 37 + j * 11) as f64).sin();
        centre + 0.5 * ((i * 13 + j * 7 + i * j) as f64).sin()
    });
    (x, (0..n).map(|i| if i % 9 == 0 { (i + 1) % 40 } else { i % 40 }).collect())
}
