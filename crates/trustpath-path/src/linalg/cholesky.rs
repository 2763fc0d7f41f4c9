//! Cholesky factorisation `A = LLᵀ` of a small symmetric matrix, in place.
//!
//! For the few dozen unknowns of a Newton step, general-purpose factorisations spend longer on dispatch than this one on
//! its work. Row `j` of the storage holds column `j` of `L` from the diagonal on (that is, `Lᵀ`), the diagonal inverted.
//! [`factor`] refuses a matrix that is not definite; [`PinnedFactor`] leaves directions without curvature alone.

use pulp::{Simd, WithSimd};
use rayon::prelude::*;

use super::lanes::{Layout, run};
use super::simd;
use super::vector::{self, LANES, block, dot, fused};
use crate::Matrix;

/// Relative size below which a pivot is rounding error.
const FLAT: f64 = 1e-13;

/// Blocks of a row that are summed at a time, as many as the registers hold.
const WIDE: usize = 4;

/// Factors row-major `n × n` `a`, of which the upper triangle is read. Returns `false`, leaving `a` unusable, when a pivot
/// is not above `floor`.
pub fn factor(a: &mut [f64], n: usize, floor: f64) -> bool {
    simd::dispatch(
        a,
        #[inline(always)]
        |a| eliminate::<false>(a, n, n, |_, pivot| (pivot > floor).then(|| 1.0 / pivot.sqrt())),
    )
}

/// Factors `a + s I` with the smallest `s` of `0, 2 floor, 32 floor, …` that makes every pivot exceed `floor`; `write` puts
/// the upper triangle of `a` in place. Returns whether `s = 0` was enough. For entries that are not numbers no `s` is, and the
/// factor has none either.
pub fn factor_shifted(a: &mut [f64], n: usize, floor: f64, write: impl Fn(&mut [f64])) -> bool {
    let mut shift = 0.0;
    loop {
        write(a);
        (0..n).for_each(|j| a[j * n + j] += shift);
        if factor(a, n, floor) || !shift.is_finite() {
            return shift == 0.0;
        }
        shift = f64::max(2.0 * floor, 16.0 * shift);
    }
}

/// Solves `A x = b` in place, given what [`factor`] left in `l`.
pub fn solve(l: &[f64], n: usize, b: &mut [f64]) {
    simd::dispatch(
        b,
        #[inline(always)]
        |b| {
            substitute::<false>(l, n, |j| l[j * n + j], b);
            for j in (0..n).rev() {
                let row = &l[j * n..(j + 1) * n];
                b[j] = (b[j] - dot(&row[j + 1..], &b[j + 1..])) * row[j];
            }
        },
    );
}

/// The inverse, given what [`factor`] left in `l`.
pub fn inverse(l: &[f64], n: usize) -> Matrix {
    let mut inverse = Matrix::from_fn(n, n, |i, j| f64::from(u8::from(i == j)));
    inverse.as_mut_slice().par_chunks_exact_mut(n.max(1)).for_each(|row| solve(l, n, row));
    inverse
}

/// `y ← y + s x`, rounded once per entry if `FUSED`, else twice.
#[inline(always)]
fn add_scaled<const FUSED: bool>(y: &mut [f64], s: f64, x: &[f64]) {
    if FUSED { fused::add_scaled(y, s, x) } else { vector::add_scaled(y, s, x) }
}

/// Factors `n` rows that lie `stride` apart. `inverse(j, pivot)` is `1/Lⱼⱼ`; zero leaves unknown `j` out, and `None` gives up.
///
/// Every row is written once: what the rows above subtract from it is summed in registers, in their order.
#[inline(always)]
fn eliminate<const FUSED: bool>(
    a: &mut [f64],
    n: usize,
    stride: usize,
    inverse: impl Fn(usize, f64) -> Option<f64>,
) -> bool {
    for j in 0..n {
        let (above, row) = a.split_at_mut(j * stride);
        for from in (j..n).step_by(WIDE * LANES) {
            let to = &mut row[from..n.min(from + WIDE * LANES)];
            match to.len().div_ceil(LANES) {
                1 => subtract_rows::<FUSED, 1>(above, stride, (j, from), to),
                2 => subtract_rows::<FUSED, 2>(above, stride, (j, from), to),
                3 => subtract_rows::<FUSED, 3>(above, stride, (j, from), to),
                _ => subtract_rows::<FUSED, WIDE>(above, stride, (j, from), to),
            }
        }
        let Some(inverse) = inverse(j, row[j]) else { return false };
        row[j + 1..n].iter_mut().for_each(|v| *v *= inverse);
        row[j] = inverse;
    }
    true
}

/// Subtracts from columns `from..` of row `j`, which fill at most `N` blocks, what the rows above it have in them.
#[inline(always)]
fn subtract_rows<const FUSED: bool, const N: usize>(
    above: &[f64],
    stride: usize,
    (j, from): (usize, usize),
    to: &mut [f64],
) {
    let mut sums = [[0.0; LANES]; N];
    sums.as_flattened_mut()[..to.len()].copy_from_slice(to);
    for k in 0..j {
        let (scale, row) = (-above[k * stride + j], &above[k * stride + from..]);
        // Blocks may end in the next row: what is read there is not written back. After the last row there is none.
        if row.len() >= N * LANES {
            for (at, sums) in sums.iter_mut().enumerate() {
                let row = block(row, at * LANES);
                for l in 0..LANES {
                    sums[l] = if FUSED { row[l].mul_add(scale, sums[l]) } else { sums[l] + scale * row[l] };
                }
            }
        } else {
            add_scaled::<FUSED>(&mut sums.as_flattened_mut()[..to.len()], scale, &row[..to.len()]);
        }
    }
    to.copy_from_slice(&sums.as_flattened()[..to.len()]);
}

/// Solves `L x = b` in place, given `1/Lⱼⱼ`.
#[inline(always)]
fn substitute<const FUSED: bool>(l: &[f64], stride: usize, inverse: impl Fn(usize) -> f64, b: &mut [f64]) {
    for j in 0..l.len() / stride.max(1) {
        b[j] *= inverse(j);
        let known = b[j];
        add_scaled::<FUSED>(&mut b[j + 1..], -known, &l[j * stride + j + 1..(j + 1) * stride]);
    }
}

/// The factor of a symmetric positive semi-definite matrix.
///
/// A pivot that has lost all but 10⁻¹³ of its size belongs to a direction in which the problem is flat; its unknown is
/// pinned to zero, so that a Newton step remains one of descent.
#[derive(Debug, Default)]
pub struct PinnedFactor {
    order: usize,
    /// Distance between rows: the order, rounded up to complete vectors.
    stride: usize,
    /// Row `j` is zero up to and including the diagonal, so that vectors may be read from the one with the diagonal on.
    rows: Vec<f64>,
    /// `1/Lⱼⱼ`, zero where pinned; before elimination, the largest pivot that counts as zero.
    inverse: Vec<f64>,
    /// A right-hand side, padded to complete vectors.
    side: Vec<f64>,
}

impl PinnedFactor {
    /// Factors the matrix of which `fill(j, …)` writes column `j` from the diagonal down. `fill` returns the size that its
    /// diagonal has when the direction is not flat.
    pub fn factor(&mut self, order: usize, mut fill: impl FnMut(usize, &mut [f64]) -> f64) {
        self.order = order;
        self.stride = Layout::new(order).width();
        let Self { stride, rows, inverse, .. } = self;
        rows.clear();
        rows.resize(order * *stride, 0.0);
        inverse.resize(order, 0.0);
        for j in 0..order {
            let column = &mut rows[j * *stride + j..j * *stride + order];
            let size = fill(j, column);
            inverse[j] = FLAT * size.max(column[0]);
        }
        simd::dispatch(
            (&mut *rows, &mut *inverse),
            #[inline(always)]
            |(rows, inverse)| {
                let unless_flat =
                    |j: usize, pivot: f64| Some(if pivot <= inverse[j] { 0.0 } else { 1.0 / pivot.sqrt() });
                eliminate::<true>(rows, order, *stride, unless_flat)
            },
        );
        for j in 0..order {
            inverse[j] = rows[j * *stride + j];
            rows[j * *stride..=j * *stride + j].fill(0.0);
        }
    }

    /// Whether unknown `j` is pinned.
    pub fn is_pinned(&self, j: usize) -> bool {
        self.inverse[j] == 0.0
    }

    /// Solves `A x = b` in place.
    pub fn solve(&mut self, x: &mut [f64]) {
        let Self { stride, rows, inverse, side, .. } = self;
        side.clear();
        side.extend_from_slice(x);
        side.resize(*stride, 0.0);
        simd::dispatch(
            &mut side[..],
            #[inline(always)]
            |side| substitute::<true>(rows, *stride, |j| inverse[j], side),
        );
        run(SubstituteBack(self));
        x.copy_from_slice(&self.side[..self.order]);
    }
}

/// Solves `Lᵀ x = b` in place.
struct SubstituteBack<'a>(&'a mut PinnedFactor);

impl WithSimd for SubstituteBack<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let PinnedFactor { order, stride, rows, inverse, side } = self.0;
        for j in (0..*order).rev() {
            let from = j / S::F64_LANES;
            let row = S::as_simd_f64s(&rows[j * *stride..(j + 1) * *stride]).0;
            let mut sum = simd.splat_f64s(0.0);
            for (&known, &entry) in S::as_simd_f64s(side).0[from..].iter().zip(&row[from..]) {
                sum = simd.mul_add_e_f64s(known, entry, sum);
            }
            side[j] = (side[j] - simd.reduce_sum_f64s(sum)) * inverse[j];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_factors_solve_a_definite_system() {
        let n = 21;
        let entry = |i: usize, j: usize| 1.0 / (1.0 + i.abs_diff(j) as f64) + if i == j { 4.0 + i as f64 } else { 0.0 };
        let x: Vec<f64> = (0..n).map(|i| (i as f64).sin()).collect();
        let b: Vec<f64> = (0..n).map(|i| (0..n).map(|j| entry(i, j) * x[j]).sum()).collect();
        let mut a: Vec<f64> = (0..n * n).map(|k| entry(k / n, k % n)).collect();
        let (mut plain, mut pinned) = (b.clone(), b);
        assert!(factor(&mut a, n, 0.0));
        solve(&a, n, &mut plain);
        let mut factor = PinnedFactor::default();
        factor.factor(n, |j, column| {
            column.iter_mut().enumerate().for_each(|(i, to)| *to = entry(j + i, j));
            column[0]
        });
        factor.solve(&mut pinned);
        for ((x, plain), pinned) in x.iter().zip(plain).zip(pinned) {
            assert!((x - plain).abs() < 1e-13 && (x - pinned).abs() < 1e-13);
        }
    }

    #[test]
    fn an_indefinite_matrix_is_refused_or_shifted() {
        let a = [1.0, 2.0, 2.0, 1.0];
        assert!(!factor(&mut a.clone(), 2, 0.0));
        let mut shifted = a;
        assert!(!factor_shifted(&mut shifted, 2, 1e-3, |to| to.copy_from_slice(&a)));
        let mut x = [3.0, 3.0];
        solve(&shifted, 2, &mut x);
        assert!(x[0].is_finite() && (x[0] - x[1]).abs() < 1e-12);
    }

    /// Two equal columns: one of the two unknowns is pinned, and the other carries the solution.
    #[test]
    fn a_flat_direction_is_pinned() {
        let mut factor = PinnedFactor::default();
        factor.factor(2, |_, column| {
            column.fill(2.0);
            2.0
        });
        let mut x = [4.0, 4.0];
        factor.solve(&mut x);
        assert!((x[0] - 2.0).abs() < 1e-14 && x[1] == 0.0 && factor.is_pinned(1));
    }
}
