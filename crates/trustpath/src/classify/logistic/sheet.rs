//! One value per class and sample.
//!
//! A *sheet* holds them class by class: class `k` is the slice `k·stride ..`, padded with zeros to a multiple of [`LANES`]
//! samples. So every loop below runs over complete vectors of samples, and the compiler unrolls it for the vector unit that
//! [`simd::dispatch`](crate::linalg::simd::dispatch) finds at run time: all functions are inlined into the one that is
//! dispatched. Sums are taken in one fixed order with fused multiply-adds, so no result depends on the unit.

use crate::Matrix;
use crate::linalg::exp::exp;
use crate::linalg::vector::{LANES, block, block_mut};

/// The length of one class of a sheet with `samples` samples.
#[inline(always)]
pub(super) fn stride(samples: usize) -> usize {
    samples.next_multiple_of(LANES)
}

/// A symmetric matrix cut into panels of [`LANES`] columns, each stored row after row: the order in which
/// [`SymmetricPanels::times`] reads it.
#[derive(Debug, Default)]
pub(super) struct SymmetricPanels {
    samples: usize,
    panels: Vec<f64>,
}

impl SymmetricPanels {
    /// The length of one class of a sheet this multiplies.
    #[inline(always)]
    pub(super) fn stride(&self) -> usize {
        stride(self.samples)
    }

    /// Copies the rows and columns of `matrix` that are listed in `rows`.
    #[inline(always)]
    pub(super) fn gather(&mut self, matrix: &Matrix, rows: &[usize]) {
        self.samples = rows.len();
        self.panels.clear();
        self.panels.resize(stride(self.samples) * self.samples, 0.0);
        let mut panels = self.panels.chunks_exact_mut(LANES);
        for columns in rows.chunks(LANES) {
            for (&row, block) in rows.iter().zip(&mut panels) {
                let row = matrix.row(row);
                for (value, &column) in block.iter_mut().zip(columns) {
                    *value = row[column];
                }
            }
        }
    }

    /// `out = K v` for a sheet `v` whose classes sum to zero: the last class is minus the sum of the others, so its product
    /// need not be computed.
    #[inline(always)]
    pub(super) fn times(&self, classes: usize, v: &[f64], out: &mut [f64]) {
        let stride = stride(self.samples);
        let free = classes - 1;
        let mut class = 0;
        while class < free {
            let (from, to) = (class * stride, (class + 4).min(free) * stride);
            let (v, out) = (&v[from..to], &mut out[from..to]);
            match free - class {
                1 => self.columns::<1>(stride, v, out),
                2 => self.columns::<2>(stride, v, out),
                3 => self.columns::<3>(stride, v, out),
                _ => self.columns::<4>(stride, v, out),
            }
            class += 4;
        }
        let (free, last) = out.split_at_mut(free * stride);
        last.fill(0.0);
        for class in free.chunks_exact(stride) {
            for (last, value) in last.iter_mut().zip(class) {
                *last -= value;
            }
        }
    }

    #[inline(always)]
    fn columns<const N: usize>(&self, stride: usize, v: &[f64], out: &mut [f64]) {
        let v: [&[f64]; N] = std::array::from_fn(|k| &v[k * stride..k * stride + self.samples]);
        for (at, panel) in self.panels.chunks_exact(LANES * self.samples).enumerate() {
            let mut total = [[0.0; LANES]; N];
            for (j, block) in panel.chunks_exact(LANES).enumerate() {
                for k in 0..N {
                    let scale = v[k][j];
                    for l in 0..LANES {
                        total[k][l] = block[l].mul_add(scale, total[k][l]);
                    }
                }
            }
            for (k, total) in total.into_iter().enumerate() {
                *block_mut(out, k * stride + at * LANES) = total;
            }
        }
    }
}

/// `p = softmax f`, sample by sample; the padding of `p` is zero.
#[inline(always)]
pub(super) fn softmax(samples: usize, classes: usize, f: &[f64], p: &mut [f64]) {
    let stride = stride(samples);
    for at in (0..stride).step_by(LANES) {
        let mut highest = *block(f, at);
        for k in 1..classes {
            let f = block(f, k * stride + at);
            for l in 0..LANES {
                highest[l] = if f[l] > highest[l] { f[l] } else { highest[l] };
            }
        }
        let mut total = [0.0; LANES];
        for k in 0..classes {
            let (f, p) = (block(f, k * stride + at), block_mut(p, k * stride + at));
            for l in 0..LANES {
                p[l] = exp(f[l] - highest[l]);
                total[l] += p[l];
            }
        }
        for (l, total) in total.iter_mut().enumerate() {
            *total = if at + l < samples { 1.0 / *total } else { 0.0 };
        }
        for k in 0..classes {
            let p = block_mut(p, k * stride + at);
            for l in 0..LANES {
                p[l] *= total[l];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panels_multiply_like_the_matrix() {
        let entry = |i: usize, j: usize| ((i * j + i + j) as f64).sin();
        let matrix = Matrix::from_fn(20, 20, entry);
        let rows = [3, 7, 19, 0, 1, 12, 5, 8, 8, 17, 2];
        let mut panels = SymmetricPanels::default();
        panels.gather(&matrix, &rows);
        let stride = stride(rows.len());
        for classes in 2..12 {
            let mut v = vec![0.0; classes * stride];
            for j in 0..rows.len() {
                for k in 0..classes - 1 {
                    v[k * stride + j] = ((k + 2 * j) as f64).cos();
                    v[(classes - 1) * stride + j] -= v[k * stride + j];
                }
            }
            let mut out = vec![f64::NAN; v.len()];
            panels.times(classes, &v, &mut out);
            for k in 0..classes {
                for (i, &row) in rows.iter().enumerate() {
                    let expected: f64 =
                        rows.iter().enumerate().map(|(j, &column)| entry(row, column) * v[k * stride + j]).sum();
                    assert!((out[k * stride + i] - expected).abs() < 1e-12);
                }
                assert!(out[k * stride + rows.len()..(k + 1) * stride].iter().all(|&v| v == 0.0));
            }
        }
    }

    #[test]
    fn softmax_is_the_textbook_formula_with_zero_padding() {
        let (samples, classes) = (11, 3);
        let stride = stride(samples);
        let f: Vec<f64> = (0..classes * stride).map(|i| 30.0 * (i as f64).sin()).collect();
        let mut p = vec![f64::NAN; f.len()];
        softmax(samples, classes, &f, &mut p);
        for i in 0..stride {
            let total: f64 = (0..classes).map(|k| f[k * stride + i].exp()).sum();
            for k in 0..classes {
                let expected = if i < samples { f[k * stride + i].exp() / total } else { 0.0 };
                assert!((p[k * stride + i] - expected).abs() <= 1e-14 * expected);
            }
        }
    }
}
