//! A Cholesky factorisation for the few dozen unknowns of one step, which leaves directions without curvature alone.
//!
//! `K = LLᵀ`, by columns. A pivot that has lost all but 10⁻¹³ of its diagonal is a direction in which the problem is
//! flat; its unknown is pinned to zero, so that the step stays one of descent. General-purpose factorisations spend
//! longer on dispatch than this one on its work.

use super::lanes::vectorised;

/// The factor of a symmetric positive semi-definite matrix.
#[derive(Debug, Default)]
pub(super) struct Cholesky {
    order: usize,
    /// Column `j` of `L` at `j · order`, of which entries `j..` are used.
    factor: Vec<f64>,
    /// `1/Lⱼⱼ`, zero where pinned.
    inverse: Vec<f64>,
}

impl Cholesky {
    /// Factorises the matrix whose entry `(i, j)`, `i ≥ j`, is `entry(i, j)`.
    pub fn factorise(&mut self, order: usize, mut entry: impl FnMut(usize, usize) -> f64) {
        self.order = order;
        self.factor.resize(order * order, 0.0);
        self.inverse.resize(order, 0.0);
        for j in 0..order {
            for i in j..order {
                self.factor[j * order + i] = entry(i, j);
            }
            self.inverse[j] = self.factor[j * order + j];
        }
        vectorised(
            #[inline(always)]
            || self.eliminate(),
        );
    }

    #[inline(always)]
    fn eliminate(&mut self) {
        let order = self.order;
        for j in 0..order {
            let (head, tail) = self.factor.split_at_mut((j + 1) * order);
            let column = &mut head[j * order..];
            let pivot = column[j];
            if pivot <= 1e-13 * self.inverse[j] || pivot <= 0.0 {
                self.inverse[j] = 0.0;
                column[j..].fill(0.0);
                continue;
            }
            let inverse = 1.0 / pivot.sqrt();
            self.inverse[j] = inverse;
            for value in &mut column[j..] {
                *value *= inverse;
            }
            for (offset, target) in tail.chunks_exact_mut(order).enumerate() {
                let i = j + 1 + offset;
                let factor = -column[i];
                for (t, &c) in target[i..].iter_mut().zip(&column[i..]) {
                    *t = factor.mul_add(c, *t);
                }
            }
        }
    }

    /// Solves `K x = b` in place.
    pub fn solve(&self, x: &mut [f64]) {
        vectorised(
            #[inline(always)]
            || {
                let order = self.order;
                for j in 0..order {
                    let column = &self.factor[j * order..(j + 1) * order];
                    x[j] *= self.inverse[j];
                    let (head, tail) = x.split_at_mut(j + 1);
                    for (t, &c) in tail.iter_mut().zip(&column[j + 1..]) {
                        *t = (-head[j]).mul_add(c, *t);
                    }
                }
                for j in (0..order).rev() {
                    let column = &self.factor[j * order..(j + 1) * order];
                    let mut sums = [0.0; 4];
                    for (s, (t, c)) in x[j + 1..].iter().zip(&column[j + 1..]).enumerate() {
                        sums[s % 4] += t * c;
                    }
                    x[j] = (x[j] - (sums[0] + sums[1] + sums[2] + sums[3])) * self.inverse[j];
                }
            },
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solves_a_definite_system() {
        let k = [[4.0, 1.0, 0.5], [1.0, 3.0, -1.0], [0.5, -1.0, 2.0]];
        let mut cholesky = Cholesky::default();
        cholesky.factorise(3, |i, j| k[i][j]);
        let mut x = [1.0, 2.0, 3.0];
        cholesky.solve(&mut x);
        for i in 0..3 {
            let product: f64 = (0..3).map(|j| k[i][j] * x[j]).sum();
            assert!((product - (i + 1) as f64).abs() < 1e-14);
        }
    }

    /// Two equal columns: one of the two unknowns is pinned and the other does the work.
    #[test]
    fn pins_a_flat_direction() {
        let mut cholesky = Cholesky::default();
        cholesky.factorise(2, |_, _| 2.0);
        let mut x = [4.0, 4.0];
        cholesky.solve(&mut x);
        assert!((x[0] - 2.0).abs() < 1e-14 && x[1] == 0.0);
    }
}
