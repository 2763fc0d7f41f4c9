//! The lowest eigenpairs of a large symmetric matrix that is used only in products: filtered subspace iteration.
//!
//! ```text
//! X ← p(M) X,   X ← orthonormal basis of X, free of the vectors known,   Rayleigh–Ritz: eigenpairs (θ, X) of Xᵀ M X
//! ```
//!
//! `X` holds the vectors wanted and some to spare, the highest Ritz value of which is `a`. `p` is the Chebyshev polynomial
//! that is at most one on `[a, b]`, the unwanted rest of the spectrum, and grows as fast as a polynomial can below: a
//! degree of about `√(b / (a − θ))` gains a factor of `e²` on the error of the pair `θ`. The degree of each round is the
//! highest at which the vectors of the block stay apart in double precision. Vectors are never orthogonalised within
//! a filter, so that nearly all the time goes to products with `M`.
//!
//! The span of the vectors wanted is determined as well as the gap above them lets it be: its angle to the exact one is
//! at most `‖M X − X Θ‖ / gap`. So the iteration stops at
//!
//! ```text
//! ‖M x − θ x‖ ≤ max(10⁻⁷ gap, 10⁻¹² ‖M‖)       of every pair wanted
//! ```
//!
//! or, once it has cost [`BUDGET`] rows of products, at [`LOOSE`] `‖M‖`: beyond some ten thousand rows the gaps of an
//! alignment matrix become too small to resolve in reasonable time, and the pairs that are then confused are those that
//! differ by about as little.
//!
//! Restarted Lanczos iteration, which faer has, is as fast where the lowest eigenvalues are well apart, as in spectral
//! embedding. On the alignment matrices of LLE and LTSA it had not converged after eighty times the time (5,000 instances).

use faer::Mat;
use rayon::prelude::*;

use super::block::{add_times, inner, times};
use super::lowest::noise;
use super::operator::Operator;
use super::sparse::Factors;
use super::{eigen, eigen_failed};
use crate::{Error, Matrix, Result};

/// Residual asked for, relative to the gap above the vectors wanted.
const OF_GAP: f64 = 1e-7;
/// Residual that always suffices, relative to `‖M‖`.
const FLOOR: f64 = 1e-12;
/// Residual that suffices once [`BUDGET`] is spent, relative to `‖M‖`.
pub(crate) const LOOSE: f64 = 1e-6;
/// Rows of products, `n` per product, after which [`LOOSE`] suffices.
const BUDGET: usize = 10_000_000;
/// How many times the budget, or products, until the iteration gives up.
const MOST: usize = 20;
/// Growth of the lowest vector over the unwanted ones in a round.
const GROWTH: f64 = 1e7;
/// Degree of a filter from which adding vectors pays: the block ends within a cluster then, and beyond it the spectrum is
/// likely to rise.
const LONG: usize = 400;
/// Vectors that may be added for that reason.
const WIDER: usize = 48;
/// Degrees of a filter.
const DEGREES: (usize, usize) = (6, 1000);
/// Steps of Lanczos' method for the upper end of the spectrum.
const STEPS: usize = 12;

/// What was found.
#[derive(Debug)]
pub(crate) struct Lowest {
    /// The eigenvalues of the vectors wanted, in ascending order.
    pub values: Vec<f64>,
    /// The vectors, one column each, orthonormal.
    pub vectors: Matrix,
    /// An upper bound of the moduli of all eigenvalues.
    pub norm: f64,
    /// Products of `M` with a block that it took.
    pub products: usize,
    /// The largest `‖M x − θ x‖`.
    pub residual: f64,
}

/// The `k` lowest eigenpairs of `M` among the vectors orthogonal to the orthonormal columns of `known`, which `M` must leave
/// among themselves.
///
/// # Errors
/// [`Error::NotConverged`].
pub(crate) fn lowest(m: &mut dyn Operator, known: &Matrix, k: usize) -> Result<Lowest> {
    let n = m.size();
    let room = n - known.cols();
    let width = block_width(k).min(room);
    let mut state = 0;
    let mut x = Matrix::zeros(n, width);
    x.as_mut_slice().fill_with(|| noise(&mut state));
    let (bound, norm) = upper_end(m, &mut state)?;
    let mut space = Subspace { m, known, products: 0, mx: Matrix::zeros(n, width), x, state };
    space.orthonormalize()?;
    let (mut values, mut residuals) = space.rayleigh_ritz()?;
    loop {
        let width = values.len();
        let residual = residuals[..k].iter().fold(0.0, |a: f64, &b| a.max(b));
        let gap = if width > k { values[k] - residuals[k] - values[k - 1] } else { norm };
        let spent = n * space.products;
        let tolerance = if spent < BUDGET { FLOOR } else { LOOSE } * norm;
        let tolerance = tolerance.max(OF_GAP * gap);
        if residual <= tolerance || n == width + known.cols() {
            values.truncate(k);
            let vectors = Matrix::from_fn(n, k, |i, j| space.x[(i, j)]);
            return Ok(Lowest { values, vectors, norm, products: space.products, residual });
        }
        if spent > MOST * BUDGET.max(n) {
            return Err(Error::NotConverged {
                what: "the eigenvalue solver of the neighbourhood graph",
                iterations: space.products,
                reached: residual / norm,
                tolerance: tolerance / norm,
            });
        }
        let most = (block_width(k) + WIDER).min(room);
        let mut filter = Filter::new(values[0], values[width - 1], bound);
        if filter.degree > LONG && width < most {
            space.widen((most - width).min(WIDER / 2));
        } else {
            let last = spent + n * filter.degree >= BUDGET;
            let goal = if last { tolerance.max(LOOSE * norm) } else { tolerance };
            filter.shorten(values[k - 1], residual / goal);
            space.apply(filter);
        }
        space.orthonormalize()?;
        (values, residuals) = space.rayleigh_ritz()?;
    }
}

/// `p`, scaled such that it is one at the lowest eigenvalue.
struct Filter {
    low: f64,
    centre: f64,
    half: f64,
    degree: usize,
}

impl Filter {
    fn new(low: f64, edge: f64, bound: f64) -> Self {
        // An edge that is all but the bottom, where the block lies in a null space, would make the filter empty.
        let edge = edge.max(low + 1e-9 * (bound - low));
        let (centre, half) = (edge.midpoint(bound), 0.5 * (bound - edge));
        let apart = ((centre - low) / half).acosh();
        let degree = ((GROWTH.acosh() / apart) as usize).clamp(DEGREES.0, DEGREES.1);
        Self { low, centre, half, degree }
    }

    /// A degree no higher than it takes to lower the residual of the pair at `theta` by a factor, with some to spare.
    fn shorten(&mut self, theta: f64, factor: f64) {
        const SPARE: f64 = 10.0;
        let apart = ((self.centre - theta) / self.half).max(1.0).acosh();
        let enough = (SPARE * factor.max(1.0)).acosh() / apart;
        // Infinite at the edge itself.
        if enough < self.degree as f64 {
            self.degree = (enough as usize + 1).max(DEGREES.0);
        }
    }
}

/// Vectors of a block for `k` wanted: more spare vectors mean fewer products, each of which costs more. Products are fastest
/// for multiples of eight.
fn block_width(k: usize) -> usize {
    (k + (k / 2).max(8)).next_multiple_of(8)
}

struct Subspace<'a> {
    m: &'a mut dyn Operator,
    known: &'a Matrix,
    products: usize,
    x: Matrix,
    /// `M X`; a second block while filtering.
    mx: Matrix,
    state: u64,
}

impl Subspace<'_> {
    /// `X ← p(M) X`.
    fn apply(&mut self, filter: Filter) {
        let Filter { low, centre, half, degree } = filter;
        let first = half / (low - centre);
        let mut sigma = first;
        let factors = |scale: f64, old: f64| Factors { product: scale, own: -scale * centre, old };
        self.m.apply(&self.x, factors(sigma / half, 0.0), &mut self.mx);
        for _ in 1..degree {
            let next = 1.0 / (2.0 / first - sigma);
            self.m.apply(&self.mx, factors(2.0 * next / half, -sigma * next), &mut self.x);
            std::mem::swap(&mut self.x, &mut self.mx);
            sigma = next;
        }
        std::mem::swap(&mut self.x, &mut self.mx);
        self.products += degree;
    }

    /// Adds new vectors.
    fn widen(&mut self, more: usize) {
        let (n, width) = (self.x.rows(), self.x.cols());
        let (old, state) = (&self.x, &mut self.state);
        let entry = |i, j| if j < width { old[(i, j)] } else { noise(state) };
        self.x = Matrix::from_fn(n, width + more, entry);
        self.mx = Matrix::zeros(n, width + more);
    }

    /// Orthonormal columns with the same span, orthogonal to those known. Directions that were lost are replaced by noise.
    fn orthonormalize(&mut self) -> Result<()> {
        let width = self.x.cols();
        let mut clean = 0;
        for _ in 0..8 {
            let along = inner(self.known, &self.x, 1.0);
            add_times(&mut self.x, -1.0, self.known, along.view());
            let gram = inner(&self.x, &self.x, 1.0);
            let scale: Vec<f64> = (0..width)
                .map(|j| gram[(j, j)].sqrt().recip())
                .map(|s| if s.is_finite() { s } else { 0.0 })
                .collect();
            let scaled = Mat::from_fn(width, width, |a, b| gram[(a, b)] * scale[a] * scale[b]);
            let eigen = eigen(scaled.as_ref())?;
            let lost = |j: usize| eigen.S()[j] <= 1e-11;
            let turn = Mat::from_fn(width, width, |a, j| {
                if lost(j) { 0.0 } else { scale[a] * eigen.U()[(a, j)] / eigen.S()[j].sqrt() }
            });
            self.x = times(&self.x, turn.as_ref());
            let lost: Vec<usize> = (0..width).filter(|&j| lost(j)).collect();
            for &j in &lost {
                (0..self.x.rows()).for_each(|i| self.x[(i, j)] = noise(&mut self.state));
            }
            // The first pass squares the condition number, the second finds it close to one.
            clean = if lost.is_empty() { clean + 1 } else { 0 };
            if clean == 2 {
                return Ok(());
            }
        }
        Err(eigen_failed())
    }

    /// The eigenpairs of `M` within the span of `X`: their values, and `‖M x − θ x‖` of each.
    fn rayleigh_ritz(&mut self) -> Result<(Vec<f64>, Vec<f64>)> {
        let width = self.x.cols();
        self.m.apply(&self.x, Factors::PRODUCT, &mut self.mx);
        self.products += 1;
        let small = inner(&self.x, &self.mx, 1.0);
        let small = Mat::from_fn(width, width, |a, b| 0.5 * (small[(a, b)] + small[(b, a)]));
        let eigen = eigen(small.as_ref())?;
        self.x = times(&self.x, eigen.U());
        self.mx = times(&self.mx, eigen.U());
        let values: Vec<f64> = (0..width).map(|j| eigen.S()[j]).collect();
        let strip = self.x.rows().div_ceil(16) * width;
        let pairs = self.x.as_slice().par_chunks(strip).zip(self.mx.as_slice().par_chunks(strip));
        let squares: Vec<Vec<f64>> = pairs
            .map(|(x, mx)| {
                let mut sum = vec![0.0; width];
                for (x, mx) in x.chunks_exact(width).zip(mx.chunks_exact(width)) {
                    for j in 0..width {
                        let r = mx[j] - values[j] * x[j];
                        sum[j] += r * r;
                    }
                }
                sum
            })
            .collect();
        let residuals: Vec<f64> =
            (0..width).map(|j| squares.iter().map(|s| s[j]).sum::<f64>().sqrt()).collect();
        let finite = residuals.iter().all(|r| r.is_finite());
        finite.then_some((values, residuals)).ok_or_else(eigen_failed)
    }
}

/// Upper bounds of the spectrum and of its moduli: the outermost Ritz values of a few steps of Lanczos' method, and the
/// length of what the last step leaves over.
fn upper_end(m: &mut dyn Operator, state: &mut u64) -> Result<(f64, f64)> {
    let n = m.size();
    let steps = STEPS.min(n);
    let mut basis = Matrix::zeros(n, 1);
    basis.as_mut_slice().fill_with(|| noise(state));
    let length = inner(&basis, &basis, 1.0)[(0, 0)].sqrt();
    basis.as_mut_slice().iter_mut().for_each(|v| *v /= length);
    let mut t = Mat::<f64>::zeros(steps, steps);
    let mut last = basis.clone();
    let mut next = Matrix::zeros(n, 1);
    let mut over = 0.0;
    for step in 0..steps {
        m.apply(&last, Factors::PRODUCT, &mut next);
        for _ in 0..2 {
            let along = inner(&basis, &next, 1.0);
            add_times(&mut next, -1.0, &basis, along.view());
            t[(step, step)] += along[(step, 0)];
        }
        over = inner(&next, &next, 1.0)[(0, 0)].sqrt();
        if step + 1 == steps || over <= f64::EPSILON * t[(0, 0)].abs() {
            break;
        }
        t[(step + 1, step)] = over;
        next.as_mut_slice().iter_mut().for_each(|v| *v /= over);
        std::mem::swap(&mut last, &mut next);
        let entry = |i, j| if j <= step { basis[(i, j)] } else { last[(i, 0)] };
        basis = Matrix::from_fn(n, step + 2, entry);
    }
    let eigen = eigen(t.as_ref())?;
    let (lowest, highest) = (eigen.S()[0] - over, eigen.S()[steps - 1] + over);
    Ok((highest, highest.max(-lowest).max(f64::MIN_POSITIVE)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::Tridiagonal;
    use crate::linalg::operator::ScaledSquare;
    use crate::linalg::sparse::Csr;

    /// Differences along a closed chain, some links of which are weak: `BᵀB` is its Laplacian.
    fn chain(n: usize, weak: &[usize], strength: f64) -> Csr {
        let mut b = Csr::new(n);
        for i in 0..n {
            let s = if weak.contains(&i) { strength } else { 1.0 };
            b.push_row([(i, s), ((i + 1) % n, -s)]);
            b.push_row([(i, 0.5), ((i + 7) % n, if s < 1.0 { -0.5 } else { 0.1 })]);
        }
        b
    }

    fn dense(b: &Csr, n: usize, scale: f64) -> Matrix {
        let mut m = Matrix::zeros(n, n);
        for i in 0..b.rows() {
            let (index, value) = b.row(i);
            for (&p, x) in index.iter().zip(value) {
                for (&q, y) in index.iter().zip(value) {
                    m[(p as usize, q as usize)] += scale * x * y;
                }
            }
        }
        m
    }

    /// Values, and the projector on the vectors, against the dense solver.
    fn check(b: Csr, n: usize, scale: f64, k: usize) {
        let exact = Tridiagonal::of(&dense(&b, n, scale)).lowest(k + 1).unwrap();
        let found = lowest(&mut ScaledSquare::new(b, scale), &Matrix::zeros(n, 0), k).unwrap();
        let gap = exact.values[k] - exact.values[k - 1];
        for (a, b) in exact.values.iter().zip(&found.values) {
            assert!((a - b).abs() < 1e-12 * found.norm, "{a:e} {b:e}");
        }
        for i in 0..n {
            for j in 0..n {
                let ours: f64 = (0..k).map(|c| found.vectors[(i, c)] * found.vectors[(j, c)]).sum();
                let theirs: f64 =
                    (0..k).map(|c| exact.vectors[(c, i)] * exact.vectors[(c, j)]).sum();
                assert!((ours - theirs).abs() < 1e-7, "{i} {j}: {ours} {theirs}, gap {gap:e}");
            }
        }
    }

    #[test]
    fn agrees_with_the_dense_solver_at_both_ends() {
        let weak = [0, 31, 77, 120, 160, 200];
        for (scale, k) in [(1.0, 6), (1.0, 3), (-1.0, 5), (0.01, 10)] {
            check(chain(240, &weak, 1e-3), 240, scale, k);
        }
    }

    #[test]
    fn blocks_as_wide_as_the_space_are_exact() {
        check(chain(24, &[3, 9], 0.1), 24, 1.0, 7);
    }

    #[test]
    fn known_vectors_are_left_out() {
        let n = 240;
        let b = chain(n, &[0, 77, 160], 1e-3);
        let all = lowest(&mut ScaledSquare::new(b.clone(), 1.0), &Matrix::zeros(n, 0), 5).unwrap();
        let known = Matrix::from_fn(n, 2, |i, j| all.vectors[(i, j)]);
        let rest = lowest(&mut ScaledSquare::new(b, 1.0), &known, 3).unwrap();
        for (a, b) in all.values[2..].iter().zip(&rest.values) {
            assert!((a - b).abs() < 1e-12 * all.norm);
        }
        for a in 0..2 {
            for b in 0..3 {
                let dot: f64 = (0..n).map(|i| known[(i, a)] * rest.vectors[(i, b)]).sum();
                assert!(dot.abs() < 1e-13);
            }
        }
    }

    #[test]
    fn the_number_of_threads_does_not_matter() {
        let run = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let b = chain(500, &[0, 250], 1e-2);
                lowest(&mut ScaledSquare::new(b, 1.0), &Matrix::zeros(500, 0), 4).unwrap().vectors
            })
        };
        assert_eq!(run(1), run(3));
    }
}
