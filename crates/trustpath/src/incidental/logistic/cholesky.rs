//! A Cholesky factorisation for the few dozen unknowns of one step, which leaves directions without curvature alone.
//!
//! `K = LLᵀ`, by columns. A pivot that has lost all but 10⁻¹³ of its size is a direction in which the problem is
//! flat; its unknown is pinned to zero, so that the step stays one of descent. General-purpose factorisations spend
//! longer on dispatch than this one on its work.

use pulp::{Simd, WithSimd};

use super::lanes::{Layout, run};

/// Relative size of a pivot that is rounding.
const FLAT: f64 = 1e-13;

/// The factor of a symmetric positive semi-definite matrix.
#[derive(Debug, Default)]
pub(super) struct Cholesky {
    order: usize,
    /// The order, filled up to whole vectors.
    stride: usize,
    /// Column `j` of `L` at `j · stride`. Its diagonal lies in `inverse`; there and above it the column is zero, so that
    /// whole vectors may be used from the one that holds the diagonal.
    factor: Vec<f64>,
    /// `1/Lⱼⱼ`, zero where pinned; before elimination, the pivot that counts as zero.
    inverse: Vec<f64>,
    /// A right-hand side, filled up.
    side: Vec<f64>,
}

impl Cholesky {
    /// Factorises the matrix of which `fill(j, …)` writes column `j` from the diagonal down, and returns the size that
    /// its diagonal has when the direction is not flat.
    pub fn factorise(&mut self, order: usize, mut fill: impl FnMut(usize, &mut [f64]) -> f64) {
        self.order = order;
        self.stride = Layout::new(order).width();
        self.factor.clear();
        self.factor.resize(order * self.stride, 0.0);
        self.inverse.resize(order, 0.0);
        for j in 0..order {
            let column = &mut self.factor[j * self.stride + j..j * self.stride + order];
            let size = fill(j, column);
            self.inverse[j] = FLAT * size.max(column[0]);
        }
        run(Eliminate(self));
    }

    /// Whether unknown `j` is pinned: no curvature is left to it.
    pub fn is_pinned(&self, j: usize) -> bool {
        self.inverse[j] == 0.0
    }

    /// Solves `K x = b` in place.
    pub fn solve(&mut self, x: &mut [f64]) {
        self.side.clear();
        self.side.extend_from_slice(x);
        self.side.resize(self.stride, 0.0);
        run(Substitute(self));
        x.copy_from_slice(&self.side[..self.order]);
    }
}

struct Eliminate<'a>(&'a mut Cholesky);

impl WithSimd for Eliminate<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Cholesky { order, stride, factor, inverse, .. } = self.0;
        for j in 0..*order {
            let (head, tail) = factor.split_at_mut((j + 1) * *stride);
            let column = &mut head[j * *stride..];
            let pivot = column[j];
            let flat = pivot <= inverse[j];
            inverse[j] = if flat { 0.0 } else { 1.0 / pivot.sqrt() };
            let first = j / S::F64_LANES;
            column[first * S::F64_LANES..=j].fill(0.0);
            let scale = simd.splat_f64s(inverse[j]);
            for value in &mut S::as_mut_simd_f64s(column).0[first..] {
                *value = simd.mul_f64s(scale, *value);
            }
            if flat {
                continue;
            }
            let scaled = S::as_simd_f64s(column).0;
            for (i, target) in (j + 1..*order).zip(tail.chunks_exact_mut(*stride)) {
                let factor = simd.splat_f64s(-column[i]);
                let from = i / S::F64_LANES;
                let target = &mut S::as_mut_simd_f64s(target).0[from..];
                for (target, &scaled) in target.iter_mut().zip(&scaled[from..]) {
                    *target = simd.mul_add_e_f64s(factor, scaled, *target);
                }
            }
        }
    }
}

struct Substitute<'a>(&'a mut Cholesky);

impl WithSimd for Substitute<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Cholesky { stride, factor, inverse, side, .. } = self.0;
        let columns = || factor.chunks_exact(*stride).zip(inverse.iter()).enumerate();
        for (j, (column, inverse)) in columns() {
            side[j] *= inverse;
            let known = simd.splat_f64s(-side[j]);
            let from = j / S::F64_LANES;
            let side = &mut S::as_mut_simd_f64s(side).0[from..];
            for (side, &entry) in side.iter_mut().zip(&S::as_simd_f64s(column).0[from..]) {
                *side = simd.mul_add_e_f64s(known, entry, *side);
            }
        }
        for (j, (column, inverse)) in columns().rev() {
            let from = j / S::F64_LANES;
            let known = &S::as_simd_f64s(side).0[from..];
            let mut sum = simd.splat_f64s(0.0);
            for (&known, &entry) in known.iter().zip(&S::as_simd_f64s(column).0[from..]) {
                sum = simd.mul_add_e_f64s(known, entry, sum);
            }
            side[j] = (side[j] - simd.reduce_sum_f64s(sum)) * inverse;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solves_a_definite_system() {
        let order = 21;
        let k = |i: usize, j: usize| {
            if i == j { 5.0 + i as f64 } else { 1.0 / (1.0 + i.abs_diff(j) as f64) }
        };
        let mut cholesky = Cholesky::default();
        cholesky.factorise(order, |j, column| {
            column.iter_mut().enumerate().for_each(|(i, entry)| *entry = k(j + i, j));
            column[0]
        });
        let mut x: Vec<f64> = (0..order).map(|i| i as f64).collect();
        cholesky.solve(&mut x);
        for i in 0..order {
            let product: f64 = (0..order).map(|j| k(i, j) * x[j]).sum();
            assert!((product - i as f64).abs() < 1e-13);
        }
    }

    /// Two equal columns: one of the two unknowns is pinned and the other does the work.
    #[test]
    fn pins_a_flat_direction() {
        let mut cholesky = Cholesky::default();
        cholesky.factorise(2, |_, column| {
            column.fill(2.0);
            2.0
        });
        let mut x = [4.0, 4.0];
        cholesky.solve(&mut x);
        assert!((x[0] - 2.0).abs() < 1e-14 && x[1] == 0.0);
    }
}
