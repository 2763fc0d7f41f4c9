//! The few vector kernels of the classifiers.
//!
//! A *sheet* holds one value per class and sample, class by class: class `k` is the slice `k·stride ..`, padded with
//! zeros to a multiple of [`LANES`] samples. So every loop below runs over whole vectors of samples, and the compiler
//! unrolls it for whatever vector unit [`pulp::Arch::dispatch`] finds at run time: all functions are inlined into the one
//! that is dispatched. Sums are taken in one fixed order with fused multiply-adds, so no result depends on the unit.

use crate::Matrix;

/// Samples per vector block.
pub(super) const LANES: usize = 8;

pub(super) type Block = [f64; LANES];

/// The length of one class of a sheet with `samples` samples.
#[inline(always)]
pub(super) fn stride(samples: usize) -> usize {
    samples.next_multiple_of(LANES)
}

#[inline(always)]
pub(super) fn load(values: &[f64], at: usize) -> Block {
    let mut block = [0.0; LANES];
    block.copy_from_slice(&values[at..at + LANES]);
    block
}

#[inline(always)]
pub(super) fn store(values: &mut [f64], at: usize, block: Block) {
    values[at..at + LANES].copy_from_slice(&block);
}

#[inline(always)]
pub(super) fn sum(block: Block) -> f64 {
    block.into_iter().fold(0.0, |sum, value| sum + value)
}

/// `Σ aᵢ bᵢ` over slices of equal length, whatever it is.
#[inline(always)]
pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    let (a, b) = (a.chunks_exact(LANES), b.chunks_exact(LANES));
    let mut rest = 0.0;
    for (a, b) in a.remainder().iter().zip(b.remainder()) {
        rest = a.mul_add(*b, rest);
    }
    let mut total = [0.0; LANES];
    for (a, b) in a.zip(b) {
        for l in 0..LANES {
            total[l] = a[l].mul_add(b[l], total[l]);
        }
    }
    sum(total) + rest
}

/// `Σ aᵢ` over a sheet or one class of it.
#[inline(always)]
pub(super) fn total(a: &[f64]) -> f64 {
    let mut total = [0.0; LANES];
    for a in a.chunks_exact(LANES) {
        for l in 0..LANES {
            total[l] += a[l];
        }
    }
    sum(total)
}

/// `maxᵢ |aᵢ|` over a sheet.
#[inline(always)]
pub(super) fn largest(a: &[f64]) -> f64 {
    let mut largest = [0.0; LANES];
    for a in a.chunks_exact(LANES) {
        for l in 0..LANES {
            largest[l] = if a[l].abs() > largest[l] { a[l].abs() } else { largest[l] };
        }
    }
    largest.into_iter().fold(0.0, f64::max)
}

/// `y ← y + a x`.
#[inline(always)]
pub(super) fn add_scaled(y: &mut [f64], a: f64, x: &[f64]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y = a.mul_add(*x, *y);
    }
}

/// `y ← x + a y`.
#[inline(always)]
pub(super) fn scale_add(y: &mut [f64], a: f64, x: &[f64]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y = a.mul_add(*y, *x);
    }
}

/// A symmetric matrix cut into panels of [`LANES`] columns, each stored row after row: what
/// [`SymmetricPanels::times`] reads, in the order in which it reads it.
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

    /// The rows and columns of `matrix` that `rows` names.
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

    /// `out = K v` for a sheet `v` whose classes sum to zero: the last class is minus the sum of the others, so its
    /// product need not be formed.
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
                store(out, k * stride + at * LANES, total);
            }
        }
    }
}

/// `p = softmax f`, sample by sample; the padding of `p` is zero.
#[inline(always)]
pub(super) fn softmax(samples: usize, classes: usize, f: &[f64], p: &mut [f64]) {
    let stride = stride(samples);
    for at in (0..stride).step_by(LANES) {
        let mut highest = load(f, at);
        for k in 1..classes {
            let f = load(f, k * stride + at);
            for l in 0..LANES {
                highest[l] = if f[l] > highest[l] { f[l] } else { highest[l] };
            }
        }
        let mut total = [0.0; LANES];
        for k in 0..classes {
            let mut e = load(f, k * stride + at);
            for l in 0..LANES {
                e[l] = exp_of_nonpositive(e[l] - highest[l]);
                total[l] += e[l];
            }
            store(p, k * stride + at, e);
        }
        for (l, total) in total.iter_mut().enumerate() {
            *total = if at + l < samples { 1.0 / *total } else { 0.0 };
        }
        for k in 0..classes {
            let mut e = load(p, k * stride + at);
            for l in 0..LANES {
                e[l] *= total[l];
            }
            store(p, k * stride + at, e);
        }
    }
}

/// `eˣ` for `x ≤ 0`, to about one unit in the last place; `x` below −708, where `eˣ` leaves the normal numbers, counts
/// as −708. With `x = k ln 2 + r`, `|r| ≤ ½ ln 2`, it is `2ᵏ` times the Taylor polynomial of degree 13 at `r`.
#[inline(always)]
fn exp_of_nonpositive(x: f64) -> f64 {
    const LN_2_HIGH: f64 = f64::from_bits(0x3FE6_2E42_FEE0_0000);
    const LN_2_LOW: f64 = f64::from_bits(0x3DEA_39EF_3579_3C76);
    /// Adding it rounds to an integer, which then sits in the low bits.
    const SHIFTER: f64 = 6_755_399_441_055_744.0;
    let x = if x < -708.0 { -708.0 } else { x };
    let shifted = x.mul_add(std::f64::consts::LOG2_E, SHIFTER);
    let k = shifted - SHIFTER;
    let r = k.mul_add(-LN_2_LOW, k.mul_add(-LN_2_HIGH, x));
    let mut sum = INVERSE_FACTORIAL[13];
    let mut degree = 13;
    while degree > 0 {
        degree -= 1;
        sum = sum.mul_add(r, INVERSE_FACTORIAL[degree]);
    }
    sum * f64::from_bits(shifted.to_bits().wrapping_add(1023) << 52)
}

const INVERSE_FACTORIAL: [f64; 14] = {
    let mut inverse = [1.0; 14];
    let mut factorial = 1.0;
    let mut n = 1;
    while n < 14 {
        factorial *= n as f64;
        inverse[n] = 1.0 / factorial;
        n += 1;
    }
    inverse
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exp_agrees_with_the_standard_library() {
        for i in 0..200_000 {
            let x = -f64::from(i) * 0.00354;
            let x = x.max(-708.0);
            let (ours, theirs) = (exp_of_nonpositive(x), x.exp());
            assert!((ours - theirs).abs() <= 5e-16 * theirs, "{x}: {ours} {theirs}");
        }
        assert_eq!(exp_of_nonpositive(0.0), 1.0);
        assert!(exp_of_nonpositive(-1e300) < 1e-307);
    }

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
                    let expected: f64 = rows
                        .iter()
                        .enumerate()
                        .map(|(j, &column)| entry(row, column) * v[k * stride + j])
                        .sum();
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
