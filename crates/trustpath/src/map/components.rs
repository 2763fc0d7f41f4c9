//! The leading principal components, by subspace iteration on the landmarks.
//!
//! ```text
//! V ← orth(Xᵀ X V),  X the centred landmarks;    Z = (X − mean) V, rotated to the principal axes
//! ```
//!
//! A few iterations suffice: the components are a means to fast distances, not a result.

use faer::{Mat, MatRef, Par, Side, linalg::matmul::matmul};
use rayon::prelude::*;

use super::noise;
use crate::Matrix;

/// Enough dimensions for the neighbourhoods of a picture.
const MOST: usize = 50;
/// Directions beyond those kept, which speed up the others.
const SPARE: usize = 8;
const ITERATIONS: usize = 4;
/// Rows projected together.
const BLOCK: usize = 256;

/// Principal coordinates of all instances, row by row, the largest component first.
#[derive(Debug)]
pub(super) struct Leading {
    pub d: usize,
    values: Vec<f32>,
}

impl Leading {
    pub fn row(&self, i: usize) -> &[f32] {
        &self.values[i * self.d..(i + 1) * self.d]
    }
}

/// Coordinates of all rows of `x` on the leading principal components of the `landmarks` among them.
pub(super) fn leading(x: &Matrix, landmarks: &[usize], seed: u64) -> Leading {
    let dims = x.cols();
    let mut mean = vec![0.0; dims];
    for &i in landmarks {
        mean.iter_mut().zip(x.row(i)).for_each(|(m, v)| *m += v / landmarks.len() as f64);
    }
    let centered = Matrix::from_fn(landmarks.len(), dims, |k, j| x.row(landmarks[k])[j] - mean[j]);
    let axes = axes(centered.view(), seed);

    let d = axes.ncols();
    let shift: Vec<f64> =
        (0..d).map(|a| mean.iter().enumerate().map(|(j, m)| m * axes[(j, a)]).sum()).collect();
    let mut values = vec![0.0f32; x.rows() * d];
    values.par_chunks_mut(BLOCK * d).enumerate().for_each(|(block, out)| {
        let (from, rows) = (block * BLOCK, out.len() / d);
        let mut projected = Mat::zeros(rows, d);
        let accum = faer::Accum::Replace;
        matmul(
            projected.as_mut(),
            accum,
            x.view().subrows(from, rows),
            axes.as_ref(),
            1.0,
            Par::Seq,
        );
        for (k, out) in out.chunks_exact_mut(d).enumerate() {
            out.iter_mut()
                .enumerate()
                .for_each(|(a, v)| *v = (projected[(k, a)] - shift[a]) as f32);
        }
    });
    Leading { d, values }
}

/// Orthonormal axes, the one with the largest variance first.
fn axes(x: MatRef<'_, f64>, seed: u64) -> Mat<f64> {
    let dims = x.ncols();
    let wide = (MOST + SPARE).min(dims);
    let mut v = Mat::from_fn(dims, wide, |i, j| noise(seed, i * wide + j)[0]);
    for _ in 0..ITERATIONS {
        v = v.qr().compute_thin_Q();
        v = x.transpose() * (x * &v);
    }
    let v = v.qr().compute_thin_Q();
    let z = x * &v;
    // Fails only when the iteration inside does, which finite input does not bring about; the axes stay unsorted then.
    let Ok(eigen) = (z.transpose() * &z).self_adjoint_eigen(Side::Lower) else { return v };
    let kept = MOST.min(wide);
    let rotation = Mat::from_fn(wide, kept, |i, j| eigen.U()[(i, wide - 1 - j)]);
    v * rotation
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reduce::Reduce;
    use crate::reduce::pca::PcaParams;
    use crate::reduce::testing::clusters;

    #[test]
    fn agrees_with_the_exact_components() {
        let x = clusters(6, 30, 90, 3.0);
        let rows: Vec<usize> = (0..180).collect();
        let ours = leading(x.unit(), &rows, 1);
        let exact = PcaParams { d: 5 }.check().unwrap().reduce(&x, 180).unwrap().x;
        for a in 0..5 {
            let sign = (f64::from(ours.row(3)[a]) * exact[(3, a)]).signum();
            for i in 0..180 {
                assert!((f64::from(ours.row(i)[a]) * sign - exact[(i, a)]).abs() < 1e-4, "{i} {a}");
            }
        }
    }
}
