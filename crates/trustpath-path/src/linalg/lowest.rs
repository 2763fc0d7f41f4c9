//! The `k` lowest eigenpairs of a tridiagonal matrix, transformed back to the matrix it came from.
//!
//! Sturm counts bracket the eigenvalues; then, from a fixed start, rounds of
//!
//! ```text
//! zⱼ ← (T − θⱼ I)⁻¹ zⱼ,   Z ← orthonormal basis of Z,   Rayleigh–Ritz: eigenpairs (θ, Z) of Zᵀ T Z
//! ```
//!
//! until `‖T z − θ z‖ ≤ 10⁻¹⁴ √n ‖T‖`. Repeated and clustered eigenvalues are the rule here, not the exception (each
//! component of a neighbourhood graph adds a zero), and are the reason for the common orthonormalisation: vectors of one
//! cluster share a shift, and each new start adds what the ones before it lack. A last count certifies that no eigenvalue
//! below the highest one found was missed. Where that fails, or a residual stays large, shifts as fine as rounding allows
//! are tried, and then the dense solver.

use faer::Mat;

use super::shifted::ShiftedFactor;
use super::sturm::{LANES, Sturm};
use super::{Tridiagonal, eigen, vector};
use crate::{Matrix, Result, random};

const ROUNDS: usize = 8;
/// Widths of the brackets, relative to `‖T‖`. Shifts as coarse as the first do unless the cut between wanted and
/// unwanted eigenvalues goes through a cluster tighter than that.
const BRACKETS: [f64; 2] = [1e-9, 0.0];

/// Some eigenpairs, in ascending order of the eigenvalues.
#[derive(Debug, Clone)]
pub struct Eigenpairs {
    /// The eigenvalues.
    pub values: Vec<f64>,
    /// The eigenvectors, one *row* each, of unit length.
    pub vectors: Matrix,
}

impl Tridiagonal {
    /// The number of eigenvalues below `sigma`.
    pub fn count_below(&self, sigma: f64) -> usize {
        Sturm::new(&self.diagonal, &self.off).count(&[sigma; LANES])[0]
    }

    /// The `k ≤ n` lowest eigenpairs.
    ///
    /// # Errors
    /// [`NotConverged`](crate::Error::NotConverged), which only a matrix with entries that are not finite can bring about.
    pub fn lowest(&self, k: usize) -> Result<Eigenpairs> {
        let mut pairs = match self.by_inverse_iteration(k) {
            Some(pairs) => pairs,
            None => self.dense(k)?,
        };
        self.turn_back(&mut pairs.vectors);
        Ok(pairs)
    }

    fn by_inverse_iteration(&self, k: usize) -> Option<Eigenpairs> {
        BRACKETS.iter().find_map(|&width| InverseIteration::new(self, k, width).run())
    }

    /// The same of `T` by the dense solver, at many times the cost.
    fn dense(&self, k: usize) -> Result<Eigenpairs> {
        let n = self.diagonal.len();
        let mut t = Mat::zeros(n, n);
        for i in 0..n {
            t[(i, i)] = self.diagonal[i];
            if i > 0 {
                t[(i, i - 1)] = self.off[i - 1];
            }
        }
        let eigen = eigen(t.as_ref())?;
        Ok(Eigenpairs {
            values: (0..k).map(|j| eigen.S()[j]).collect(),
            vectors: Matrix::from_fn(k, n, |j, i| eigen.U()[(i, j)]),
        })
    }
}

struct InverseIteration<'a> {
    t: &'a Tridiagonal,
    sturm: Sturm<'a>,
    theta: Vec<f64>,
    /// The vectors, one row each, and `T` times them.
    z: Matrix,
    tz: Matrix,
    factor: ShiftedFactor,
}

impl<'a> InverseIteration<'a> {
    fn new(t: &'a Tridiagonal, k: usize, width: f64) -> Self {
        let n = t.diagonal.len();
        let sturm = Sturm::new(&t.diagonal, &t.off);
        let brackets = sturm.bracket(k, width * sturm.bound);
        let mut state = 0;
        let z = Matrix::from_fn(k, n, |_, _| noise(&mut state));
        Self {
            t,
            sturm,
            theta: brackets.iter().map(|&(low, high)| low.midpoint(high)).collect(),
            z,
            tz: Matrix::zeros(k, n),
            factor: ShiftedFactor::default(),
        }
    }

    /// `None` when it did not converge to the pairs wanted.
    fn run(mut self) -> Option<Eigenpairs> {
        let n = self.t.diagonal.len();
        let tolerance = 1e-14 * (n as f64).sqrt() * self.sturm.bound;
        for round in 0..ROUNDS {
            for j in 0..self.theta.len() {
                self.factor.of(self.t, self.theta[j], self.sturm.bound);
                self.factor.solve(self.z.row_mut(j));
                if round == 0 {
                    // From noise, the first solve finds the neighbourhood, the second the vector.
                    normalize(self.z.row_mut(j))?;
                    self.factor.solve(self.z.row_mut(j));
                }
            }
            orthonormalize(&mut self.z)?;
            let residual = self.rayleigh_ritz()?;
            if residual <= tolerance {
                let highest = self.theta.last().copied().unwrap_or(0.0) - 4.0 * tolerance;
                let below = self.sturm.count(&[highest; LANES])[0];
                let complete = below < self.theta.len().max(1);
                return complete.then_some(Eigenpairs { values: self.theta, vectors: self.z });
            }
        }
        None
    }

    /// The eigenpairs of `T` within the span of `Z`, and the largest `‖T z − θ z‖` of them.
    fn rayleigh_ritz(&mut self) -> Option<f64> {
        let k = self.theta.len();
        for j in 0..k {
            self.t.times(self.z.row(j), self.tz.row_mut(j));
        }
        let small = Mat::from_fn(k, k, |i, j| dot(self.z.row(i), self.tz.row(j)));
        let eigen = eigen(small.as_ref()).ok()?;
        rotate(&mut self.z, eigen.U());
        rotate(&mut self.tz, eigen.U());
        let mut worst = 0.0f64;
        for j in 0..k {
            let theta = eigen.S()[j];
            self.theta[j] = theta;
            let square = self.z.row(j).iter().zip(self.tz.row(j)).map(|(z, tz)| tz - theta * z);
            worst = worst.max(square.map(|r| r * r).sum::<f64>().sqrt());
        }
        worst.is_finite().then_some(worst)
    }
}

impl Tridiagonal {
    /// `y = T x`.
    pub(super) fn times(&self, x: &[f64], y: &mut [f64]) {
        for (i, y) in y.iter_mut().enumerate() {
            let before = if i > 0 { self.off[i - 1] * x[i - 1] } else { 0.0 };
            let after = if i + 1 < x.len() { self.off[i] * x[i + 1] } else { 0.0 };
            *y = self.diagonal[i] * x[i] + before + after;
        }
    }
}

/// Orthonormal rows with the same span, by Gram–Schmidt done twice. `None` when a row vanishes.
fn orthonormalize(z: &mut Matrix) -> Option<()> {
    let n = z.cols();
    for j in 0..z.rows() {
        let (before, row) = z.as_mut_slice().split_at_mut(j * n);
        let row = &mut row[..n];
        normalize(row)?;
        for _ in 0..2 {
            for other in before.chunks_exact(n) {
                let along = dot(other, row);
                row.iter_mut().zip(other).for_each(|(x, o)| *x -= along * o);
            }
            normalize(row)?;
        }
    }
    Some(())
}

/// Replaces rows `zᵢ` by `Σᵢ uᵢⱼ zᵢ`.
fn rotate(z: &mut Matrix, u: faer::MatRef<'_, f64>) {
    let old = z.clone();
    z.as_mut_slice().fill(0.0);
    for j in 0..old.rows() {
        let row = z.row_mut(j);
        for i in 0..old.rows() {
            let factor = u[(i, j)];
            row.iter_mut().zip(old.row(i)).for_each(|(z, o)| *z += factor * o);
        }
    }
}

/// `aᵀb`. `vector::dot` adds the partial sums up in another order, which would change the last bits of every embedding.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let (sums, rest) = vector::partial_sums(a, b, |sum, a, b| sum + a * b);
    sums.iter().sum::<f64>() + rest
}

/// `None` when the vector is zero or not finite.
fn normalize(x: &mut [f64]) -> Option<()> {
    let norm = dot(x, x).sqrt();
    if !(norm > 0.0 && norm.is_finite()) {
        return None;
    }
    x.iter_mut().for_each(|x| *x /= norm);
    Some(())
}

/// A fixed sequence that looks like noise in `[−½, ½)` (Weyl's, mixed), so that no start is orthogonal to the eigenvectors wanted.
pub fn noise(state: &mut u64) -> f64 {
    *state = state.wrapping_add(random::GOLDEN);
    (random::multiply_twice(*state) >> 11) as f64 / (1u64 << 53) as f64 - 0.5
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `Q diag(values) Qᵀ` with a fixed, dense orthogonal `Q`.
    fn with_spectrum(values: &[f64]) -> Matrix {
        let n = values.len();
        let mut state = 7;
        let mut q = Matrix::from_fn(n, n, |_, _| noise(&mut state));
        orthonormalize(&mut q).unwrap();
        let entry = |i: usize, j: usize| (0..n).map(|k| values[k] * q[(k, i)] * q[(k, j)]).sum();
        Matrix::from_fn(n, n, |i, j| entry(i.max(j), i.min(j)))
    }

    /// Values, residuals and orthonormality of the `k` lowest pairs, against the dense solver.
    fn check(a: &Matrix, k: usize) {
        let n = a.rows();
        let t = Tridiagonal::of(a);
        let pairs = t.lowest(k).unwrap();
        let eigen = eigen(a.view()).unwrap();
        let norm = (0..n).fold(f64::MIN_POSITIVE, |m: f64, j| m.max(eigen.S()[j].abs()));
        for j in 0..k {
            assert!((pairs.values[j] - eigen.S()[j]).abs() <= 1e-13 * norm, "n={n} k={k} j={j}");
            let z = pairs.vectors.row(j);
            for i in 0..n {
                let residual = dot(a.row(i), z) - pairs.values[j] * z[i];
                assert!(residual.abs() <= 2e-13 * norm, "n={n} k={k} j={j}: {residual:e}");
            }
            for other in 0..=j {
                let expected = f64::from(u8::from(other == j));
                assert!((dot(z, pairs.vectors.row(other)) - expected).abs() <= 1e-13);
            }
            let between = if j + 1 < n { eigen.S()[j].midpoint(eigen.S()[j + 1]) } else { 2.0 * norm };
            if between - eigen.S()[j] > 1e-12 * norm {
                assert_eq!(t.count_below(between), j + 1);
            }
        }
    }

    /// The same, by inverse iteration itself and not by its fallback.
    fn check_converged(a: &Matrix, k: usize) {
        check(a, k);
        assert!(Tridiagonal::of(a).by_inverse_iteration(k).is_some(), "n = {}, k = {k}", a.rows());
    }

    #[test]
    fn agrees_with_the_dense_solver_at_every_size() {
        for n in 1..=40 {
            let spread: Vec<f64> = (0..n).map(|i| (f64::from(i) * 0.77).sin() + 0.1).collect();
            let a = with_spectrum(&spread);
            [1, 3, n as usize].iter().for_each(|&k| check(&a, k.min(n as usize)));
            check_converged(&a, 6.min(n as usize));
        }
        let wide: Vec<f64> = (0..155).map(|i| f64::from(i) * 0.01).collect();
        check(&with_spectrum(&wide), 6);
    }

    #[test]
    fn copes_with_repeated_and_clustered_eigenvalues() {
        let tail = |n: usize| (0..n).map(|i| 0.07 + 0.01 * i as f64);
        for zeros in [1, 2, 5, 9] {
            let repeated: Vec<f64> = vec![0.0; zeros].into_iter().chain(tail(71)).collect();
            let a = with_spectrum(&repeated);
            [2, 5, 6, 12].iter().for_each(|&k| check_converged(&a, k));
            assert_eq!(Tridiagonal::of(&a).count_below(1e-12), zeros);
        }
        let clustered = [0.0, 1e-15, 1e-13, 1e-11, 1e-9, 1e-8, 1e-7, 1e-4, 1.0001e-4];
        let clustered: Vec<f64> = clustered.into_iter().chain(tail(60)).collect();
        let a = with_spectrum(&clustered);
        (1..=11).for_each(|k| check_converged(&a, k));
    }

    #[test]
    fn copes_with_matrices_that_are_tridiagonal_diagonal_or_zero() {
        check(&Matrix::zeros(9, 9), 4);
        check(&Matrix::from_fn(12, 12, |i, j| if i == j { (i % 3) as f64 } else { 0.0 }), 6);
        // Two equal blocks that do not touch: every eigenvalue is double.
        let blocks = Matrix::from_fn(30, 30, |i, j| match i.abs_diff(j) {
            0 => 2.0,
            1 if i / 15 == j / 15 => -1.0,
            _ => 0.0,
        });
        check(&blocks, 7);
        // Wilkinson's W₂₁⁺: pairs that agree to working precision though no coupling is small.
        let wilkinson = Matrix::from_fn(21, 21, |i, j| match i.abs_diff(j) {
            0 => -(i as f64 - 10.0).abs(),
            1 => 1.0,
            _ => 0.0,
        });
        check_converged(&wilkinson, 6);
    }

    #[test]
    fn the_dense_fallback_gives_the_same() {
        let values: Vec<f64> = (0..33).map(|i| f64::from(i * i) * 0.01).collect();
        let t = Tridiagonal::of(&with_spectrum(&values));
        let (fast, mut dense) = (t.lowest(4).unwrap(), t.dense(4).unwrap());
        t.turn_back(&mut dense.vectors);
        for j in 0..4 {
            assert!((fast.values[j] - dense.values[j]).abs() < 1e-13);
            let cosine = dot(fast.vectors.row(j), dense.vectors.row(j));
            assert!((cosine.abs() - 1.0).abs() < 1e-12);
        }
    }
}
