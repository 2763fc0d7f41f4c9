//! `(T − θI) x = b` for a tridiagonal `T` and a `θ` that is all but an eigenvalue.
//!
//! That close to singular the solution is huge, and points where inverse iteration wants it: along the eigenvector.
//! What matters is that elimination is stable, so it exchanges rows.

use super::Tridiagonal;

/// `P (T − θI) = L U` with row exchanges; `U` has two superdiagonals.
#[derive(Default)]
pub(super) struct Factor {
    /// Row by row: `1/u₀`, `u₁`, `u₂`, the multiplier, and whether the row changed places with the next.
    rows: Vec<Row>,
}

#[derive(Clone, Copy)]
struct Row {
    inverse: f64,
    first: f64,
    second: f64,
    multiplier: f64,
    exchanged: bool,
}

impl Factor {
    /// Factorises anew; `norm` is that of `T`.
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
                self.rows.push(Row {
                    inverse,
                    first: next,
                    second: after,
                    multiplier,
                    exchanged: true,
                });
                (u0, u1) = (u1 - multiplier * next, -multiplier * after);
            } else {
                let inverse = 1.0 / safe(u0);
                let multiplier = below * inverse;
                self.rows.push(Row {
                    inverse,
                    first: u1,
                    second: 0.0,
                    multiplier,
                    exchanged: false,
                });
                (u0, u1) = (next - multiplier * u1, after);
            }
        }
        let inverse = 1.0 / safe(u0);
        self.rows.push(Row { inverse, first: 0.0, second: 0.0, multiplier: 0.0, exchanged: false });
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
            // Small diagonal entries among large couplings force rows to change places.
            let a = Matrix::from_fn(n, n, |i, j| match i.abs_diff(j) {
                0 => 0.01 + (i % 4) as f64,
                1 => 1.0 + 0.1 * i.min(j) as f64,
                _ => 0.0,
            });
            let t = Tridiagonal::of(&a);
            let theta = 0.3;
            let mut factor = Factor::default();
            factor.of(&t, theta, 10.0);
            let b: Vec<f64> = (0..n).map(|i| (i as f64 + 1.0).sin()).collect();
            let mut x = b.clone();
            factor.solve(&mut x);
            for i in 0..n {
                let mut product = (t.diagonal[i] - theta) * x[i];
                if i > 0 {
                    product += t.off[i - 1] * x[i - 1];
                }
                if i + 1 < n {
                    product += t.off[i] * x[i + 1];
                }
                assert!((product - b[i]).abs() < 1e-12, "n = {n}");
            }
        }
    }
}
