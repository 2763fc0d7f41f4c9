//! Coordinates on the leading principal components, by subspace iteration on the landmarks.
//!
//! ```text
//! V ← orth(Xᵀ X V),  X the centred landmarks;    Z = (X − mean) V, rotated to the principal axes
//! ```
//!
//! A few iterations suffice: the components are a means to fast distances, not a result.

use faer::{Mat, MatRef, Side};
use rayon::prelude::*;

use super::{COMPONENTS, noise};
use trustpath::Matrix;
use trustpath_path::linalg::block::multiply;
use trustpath_path::linalg::pca::{centred, subspace};

/// Directions beyond those used, which speed up the others.
const SPARE: usize = 8;
const ITERATIONS: usize = 4;
/// Rows projected together.
const BLOCK: usize = 256;

/// Principal coordinates of all instances, row by row, the largest component first.
#[derive(Debug)]
pub(super) struct PrincipalCoordinates {
    pub d: usize,
    values: Vec<f32>,
}

impl PrincipalCoordinates {
    pub fn row(&self, i: usize) -> &[f32] {
        &self.values[i * self.d..(i + 1) * self.d]
    }
}

/// Coordinates of all rows of `x` on the leading principal components of the `landmarks` among them.
pub(super) fn leading(x: &Matrix, landmarks: &[usize]) -> PrincipalCoordinates {
    let dims = x.cols();
    let (mean, centred) = centred(landmarks.iter().map(|&i| x.row(i)), dims);
    let axes = axes(centred.view());

    let d = axes.ncols();
    let shift: Vec<f64> = (0..d).map(|a| mean.iter().enumerate().map(|(j, m)| m * axes[(j, a)]).sum()).collect();
    let mut values = vec![0.0f32; x.rows() * d];
    values.par_chunks_mut(BLOCK * d).enumerate().for_each(|(block, out)| {
        let (from, rows) = (block * BLOCK * dims, out.len() / d);
        let mut projected = vec![0.0; out.len()];
        multiply(&x.as_slice()[from..from + rows * dims], rows, axes.as_ref(), &mut projected);
        for (out, projected) in out.chunks_exact_mut(d).zip(projected.chunks_exact(d)) {
            for ((out, v), shift) in out.iter_mut().zip(projected).zip(&shift) {
                *out = (v - shift) as f32;
            }
        }
    });
    PrincipalCoordinates { d, values }
}

/// Orthonormal axes, the one with the largest variance first.
fn axes(x: MatRef<'_, f64>) -> Mat<f64> {
    let dims = x.ncols();
    let wide = (COMPONENTS + SPARE).min(dims);
    let start = Mat::from_fn(dims, wide, |i, j| noise(i * wide + j)[0]);
    let v = subspace(start, ITERATIONS, |v| x.transpose() * (x * v));
    let z = x * &v;
    // Fails only when the iteration inside does, which finite input does not bring about; the axes stay unsorted then.
    let Ok(eigen) = (z.transpose() * &z).self_adjoint_eigen(Side::Lower) else { return v };
    let leading = COMPONENTS.min(wide);
    let rotation = Mat::from_fn(wide, leading, |i, j| eigen.U()[(i, wide - 1 - j)]);
    v * rotation
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::clusters;
    use trustpath_path::linalg::pca::principal_axes;

    #[test]
    fn agrees_with_the_exact_components() {
        let x = clusters(6, 30, 90, 3.0);
        let rows: Vec<usize> = (0..180).collect();
        let ours = leading(x.unit(), &rows);
        let (mean, basis) = principal_axes(x.unit(), 5).unwrap();
        let along =
            |row: &[f64], axis: &[f64]| -> f64 { row.iter().zip(&mean).zip(axis).map(|((x, m), v)| (x - m) * v).sum() };
        let exact = Matrix::from_fn(180, 5, |i, a| along(x.unit().row(i), basis.row(a)));
        for a in 0..5 {
            let sign = (f64::from(ours.row(3)[a]) * exact[(3, a)]).signum();
            for i in 0..180 {
                assert!((f64::from(ours.row(i)[a]) * sign - exact[(i, a)]).abs() < 1e-4, "{i} {a}");
            }
        }
    }
}
