//! `(T − θI) x = b` for a tridiagonal `T` and a `θ` that is all but an eigenvalue.
//!
//! The matrix is so close to singular that the solution is huge, and points where inverse iteration needs it: along the
//! eigenvector. Elimination has to be stable, so it exchanges rows.

use super::Tridiagonal;

/// `P (T − θI) = L U` with row exchanges; `U` has two superdiagonals.
#[derive(Default)]
pub(super) struct ShiftedFactor {
    rows: Vec<EliminationRow>,
}

/// A row of `U`, `1/u₀`, `u₁` and `u₂`, the multiplier, and whether the row was exchanged with the next.
#[derive(Clone, Copy, Default)]
struct EliminationRow {
    inverse: f64,
    first: f64,
    second: f64,
    multiplier: f64,
    exchanged: bool,
}

impl ShiftedFactor {
    /// Replaces the factors by those of another matrix; `norm` is that of `T`.
    pub(super) fn of(&mut self, t: &Tridiagonal, theta: f64, norm: f64) {
        let n = t.diagonal.len();
        let off = |i: usize| t.off.get(i).copied().unwrap_or(0.0);
        // θ is an eigenvalue to rounding, so a pivot may vanish; any tiny number will do in its place.
        let tiny = f64::EPSILON * norm.max(f64::MIN_POSITIVE / f64::EPSILON);
        let safe = |pivot: f64| if pivot.abs() < tiny { tiny.copysign(pivot) } else { pivot };
        self.rows.clear();
        let (mut u0, mut u1) = (t.diagonal[0] - theta, off(0));
        for i in 0..n - 1 {
            let (below, next, after) = (off(i), t.diagonal[i + 1] - theta, off(i + 1));
            if below.abs() > u0.abs() {
                let inverse = 1.0 / below;
                let multiplier = u0 * inverse;
                let (first, second, exchanged) = (next, after, true);
                self.rows.push(EliminationRow { inverse, first, second, multiplier, exchanged });
                (u0, u1) = (u1 - multiplier * next, -multiplier * after);
            } else {
                let inverse = 1.0 / safe(u0);
                let multiplier = below * inverse;
                let row = EliminationRow { inverse, first: u1, multiplier, ..Default::default() };
                self.rows.push(row);
                (u0, u1) = (next - multiplier * u1, after);
            }
        }
        self.rows.push(EliminationRow { inverse: 1.0 / safe(u0), ..Default::default() });
    }

    /// `x ← (T − θI)⁻¹ x`.
    pub(super) fn solve(&self, x: &mut [f64]) {
        let n = x.len();
        for (i, row) in self.rows[..n - 1].iter().enumerate() {
            if row.exchanged {
                x.swap(i, i + 1);
            }
            x[i + 1] -= row.multiplier * x[i];
        }
        let (mut next, mut after) = (0.0, 0.0);
        for (x, row) in x.iter_mut().zip(&self.rows).rev() {
            *x = (*x - row.first * next - row.second * after) * row.inverse;
            (next, after) = (*x, next);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Matrix;

    #[test]
    fn solves_with_and_without_exchanges() {
        for n in [1, 2, 3, 17] {
            // Small diagonal entries among large off-diagonal ones force exchanges of rows.
            let a = Matrix::from_fn(n, n, |i, j| match i.abs_diff(j) {
                0 => 0.01 + (i % 4) as f64,
                1 => 1.0 + 0.1 * i.min(j) as f64,
                _ => 0.0,
            });
            let t = Tridiagonal::of(&a);
            let theta = 0.3;
            let mut factor = ShiftedFactor::default();
            factor.of(&t, theta, 10.0);
            let b: Vec<f64> = (0..n).map(|i| (i as f64 + 1.0).sin()).collect();
            let mut x = b.clone();
            factor.solve(&mut x);
            let mut product = vec![0.0; n];
            t.times(&x, &mut product);
            for i in 0..n {
                assert!((product[i] - theta * x[i] - b[i]).abs() < 1e-12, "n = {n}");
            }
        }
    }
}
