//! Locally linear embedding (Roweis and Saul 2000): the paper's reduction.
//!
//! Each instance is written as a combination of its `k` neighbours, and coordinates are sought that fulfil the same
//! combinations:
//!
//! ```text
//! wᵢ = argmin ‖xᵢ − Σⱼ wᵢⱼ xⱼ‖² + R‖wᵢ‖²,  Σⱼ wᵢⱼ = 1:   (Cᵢ + R I) wᵢ ∝ 1,   Cᵢ = ((xₐ − xᵢ)ᵀ(x_b − xᵢ))ₐb
//! min Σᵢ ‖zᵢ − Σⱼ wᵢⱼ zⱼ‖² = tr Zᵀ M Z,   M = (I − W)ᵀ(I − W),   ZᵀZ = I,  Zᵀ1 = 0
//! ```
//!
//! with `R = reg · tr Cᵢ`, or `reg` itself where all neighbours are duplicates of `xᵢ`. `Z` are the lowest eigenvectors
//! of `M` but the constant one.
//!
//! `M 1 = 0` always. When the neighbourhood graph falls into pieces, `M` has other null vectors besides, and which of
//! them a solver returns first is rounding noise. Here exactly the constant vector is deflated, `M + c 11ᵀ/n`, and the
//! rest of the null space is kept: it tells the pieces apart.
//!
//! scikit-learn drops the first of the lowest `d + 1` eigenvectors, whatever it is. Where the nullity is one, that is the
//! constant. Where it is `m`, LAPACK's first vector is in effect a random direction of the null space (its squared
//! overlap with the constant averages `1/m` over real episodes). [`LleParams::compat`] drops such a direction too: the
//! projection of a fixed, patternless vector on the null space, so that runs repeat.

use rayon::prelude::*;

use super::neighbors::{Neighbors, well_apart};
use super::order::Order;
use super::pieces::Pieces;
use super::{
    DEFAULT_D, DEFAULT_NEIGHBORS, DENSE_ROWS, Embedding, Reduce, check_dimensions, check_graph,
    check_instances, check_positive, columns, sparse,
};
use crate::linalg::Tridiagonal;
use crate::linalg::operator::Square;
use crate::linalg::sparse::Csr;
use crate::{Error, Instances, Matrix, Result};

/// An eigenvalue below this, relative to `‖M‖`, is zero.
pub(super) const NULL: f64 = 1e-12;

/// Parameters of [`Lle`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LleParams {
    /// Number of dimensions (5).
    pub d: usize,
    /// Number of neighbours (5).
    pub neighbors: usize,
    /// Regulariser of the local Gram matrices, relative to their trace (10⁻³).
    pub reg: f64,
    /// Drop what scikit-learn would, instead of the constant vector (no).
    pub compat: bool,
}

impl Default for LleParams {
    fn default() -> Self {
        Self { d: DEFAULT_D, neighbors: DEFAULT_NEIGHBORS, reg: 1e-3, compat: false }
    }
}

impl LleParams {
    /// Checks what can be checked without data.
    ///
    /// # Errors
    /// [`Error::Parameter`].
    pub fn check(self) -> Result<Lle> {
        check_positive("d", self.d)?;
        check_positive("neighbors", self.neighbors)?;
        if !(self.reg > 0.0 && self.reg.is_finite()) {
            return Err(Error::parameter("reg", self.reg, "it must be positive and finite"));
        }
        Ok(Lle(self))
    }
}

/// Locally linear embedding.
#[derive(Debug, Clone)]
pub struct Lle(LleParams);

impl Reduce for Lle {
    fn name(&self) -> &'static str {
        "lle"
    }

    fn neighbors(&self, _: usize) -> Option<usize> {
        Some(self.0.neighbors)
    }

    fn reduce_on(
        &self,
        instances: &Instances,
        n: usize,
        graph: Option<&Neighbors>,
    ) -> Result<Embedding> {
        let LleParams { d, neighbors, reg, .. } = self.0;
        check_instances(instances, n)?;
        let graph = check_graph(graph, n, neighbors)?;
        check_dimensions(d, n - 1)?;
        if n <= DENSE_ROWS {
            self.dense(alignment(instances, graph, reg))
        } else {
            self.sparse(instances, graph)
        }
    }
}

impl Lle {
    fn dense(&self, mut m: Matrix) -> Result<Embedding> {
        let LleParams { d, compat, .. } = self.0;
        let norm = norm(&m);
        if !compat {
            deflate_constant(&mut m, norm);
        }
        let skip = usize::from(compat);
        let tridiagonal = Tridiagonal::of(&m);
        let nullity = tridiagonal.count_below(NULL * norm) + 1 - skip;
        let mut vectors = tridiagonal.lowest(d + skip)?.vectors;
        if compat {
            turn_first(&mut vectors, nullity.min(d + 1));
        }
        Ok(Embedding { x: columns(&vectors, skip), nullity: Some(nullity), iteration: None })
    }

    /// The same from products with `B = I − W`.
    fn sparse(&self, instances: &Instances, graph: &Neighbors) -> Result<Embedding> {
        let LleParams { d, compat, reg, .. } = self.0;
        let (n, order) = (graph.len(), Order::of(graph));
        let mut m = Square::new(reconstruction(instances, graph, reg, &order), 1.0);
        let pieces = Pieces::of(graph).reordered(&order);
        let mut found = sparse::coordinates(&mut m, &pieces, &vec![1.0; n], d)?;
        found.x = order.undo(&found.x);
        if !compat {
            return Ok(found);
        }
        let constant = (n as f64).sqrt().recip();
        let mut vectors = Matrix::from_fn(d + 1, n, |j, i| match j.checked_sub(1) {
            None => constant,
            Some(j) => found.x[(i, j)],
        });
        turn_first(&mut vectors, found.nullity.unwrap_or(1).min(d + 1));
        Ok(Embedding { x: columns(&vectors, 1), ..found })
    }
}

/// Turns the first `nullity` rows among themselves, by a reflection, such that the first becomes the direction of the
/// null space nearest to a fixed, patternless vector.
fn turn_first(vectors: &mut Matrix, nullity: usize) {
    if nullity < 2 {
        return;
    }
    let project = |k: usize| -> f64 {
        vectors.row(k).iter().enumerate().map(|(i, v)| v * ((i * i) as f64).sin()).sum()
    };
    let mut mirror: Vec<f64> = (0..nullity).map(project).collect();
    let length = mirror.iter().map(|a| a * a).sum::<f64>().sqrt();
    // Away from the first axis on the side where nothing cancels.
    mirror[0] += length.copysign(mirror[0]);
    let square: f64 = mirror.iter().map(|a| a * a).sum();
    if square == 0.0 {
        return;
    }
    for i in 0..vectors.cols() {
        let along: f64 = mirror.iter().enumerate().map(|(k, a)| a * vectors[(k, i)]).sum();
        for (k, a) in mirror.iter().enumerate() {
            vectors[(k, i)] -= 2.0 * along / square * a;
        }
    }
}

/// `M = (I − W)ᵀ(I − W)`, summed over the instances.
fn alignment(instances: &Instances, graph: &Neighbors, reg: f64) -> Matrix {
    let n = graph.len();
    let mut m = Matrix::zeros(n, n);
    let mut weights = Weights::new(graph.indices(0).len(), instances.dims());
    for i in 0..n {
        let w = weights.of(instances, graph, i, reg);
        m[(i, i)] += 1.0;
        for (&a, &wa) in graph.indices(i).iter().zip(w) {
            m[(i, a)] -= wa;
            m[(a, i)] -= wa;
            for (&b, &wb) in graph.indices(i).iter().zip(w) {
                m[(a, b)] += wa * wb;
            }
        }
    }
    m
}

/// `I − W`, one row an instance, in the order given.
fn reconstruction(instances: &Instances, graph: &Neighbors, reg: f64, order: &Order) -> Csr {
    let (n, k) = (graph.len(), graph.indices(0).len());
    let mut weights = vec![0.0; n * k];
    weights.par_chunks_exact_mut(k).enumerate().for_each_init(
        || Weights::new(k, instances.dims()),
        |workspace, (i, w)| w.copy_from_slice(workspace.of(instances, graph, i, reg)),
    );
    let mut b = Csr::new(n);
    for (at, &i) in order.at.iter().enumerate() {
        let weights = &weights[i * k..(i + 1) * k];
        let others = graph.indices(i).iter().zip(weights).map(|(&j, w)| (order.place[j], -w));
        b.push_row(std::iter::once((at, 1.0)).chain(others));
    }
    b
}

/// `‖M‖∞`, an upper bound of the spectrum.
pub(super) fn norm(m: &Matrix) -> f64 {
    m.iter_rows().fold(0.0, |largest, row| row.iter().map(|x| x.abs()).sum::<f64>().max(largest))
}

/// `M + c 11ᵀ/n`: the constant vector moves from the bottom of the spectrum to `c`, all others stay.
pub(super) fn deflate_constant(m: &mut Matrix, c: f64) {
    let each = c / m.rows() as f64;
    m.as_mut_slice().iter_mut().for_each(|x| *x += each);
}

/// Workspace for the weights of one instance.
struct Weights {
    k: usize,
    gram: Vec<f64>,
    weights: Vec<f64>,
    /// `xₐ − xᵢ`, for neighbours too close for the Gram matrix.
    differences: Matrix,
}

impl Weights {
    fn new(k: usize, dims: usize) -> Self {
        let differences = Matrix::zeros(k, dims);
        Self { k, gram: vec![0.0; k * k], weights: vec![0.0; k], differences }
    }

    fn of(&mut self, instances: &Instances, graph: &Neighbors, i: usize, reg: f64) -> &[f64] {
        let k = self.k;
        self.local_gram(instances, graph, i);
        let trace: f64 = (0..k).map(|a| self.gram[a * k + a]).sum();
        let ridge = if trace > 0.0 { reg * trace } else { reg };
        for a in 0..k {
            self.gram[a * k + a] += ridge;
        }
        cholesky(&mut self.gram, k);
        self.weights.fill(1.0);
        solve(&self.gram, &mut self.weights);
        let total: f64 = self.weights.iter().sum();
        self.weights.iter_mut().for_each(|w| *w /= total);
        &self.weights
    }

    /// The lower triangle of `Cᵢ`.
    fn local_gram(&mut self, instances: &Instances, graph: &Neighbors, i: usize) {
        let (k, index) = (self.k, graph.indices(i));
        if well_apart(instances, graph, i) {
            let gram = instances.gram();
            let to_i = gram.row(i);
            for (a, &ja) in index.iter().enumerate() {
                let to_a = gram.row(ja);
                for (b, &jb) in index[..=a].iter().enumerate() {
                    self.gram[a * k + b] = (to_a[jb] - to_i[ja]) + (to_i[i] - to_i[jb]);
                }
            }
        } else {
            let unit = instances.unit();
            for (a, &j) in index.iter().enumerate() {
                let points = unit.row(j).iter().zip(unit.row(i));
                let row = self.differences.row_mut(a);
                row.iter_mut().zip(points).for_each(|(to, (x, center))| *to = x - center);
            }
            for a in 0..k {
                for b in 0..=a {
                    let (row, other) = (self.differences.row(a), self.differences.row(b));
                    self.gram[a * k + b] = row.iter().zip(other).map(|(x, y)| x * y).sum();
                }
            }
        }
    }
}

/// `C = L Lᵀ` in place, in the lower triangle, with the inverse of the diagonal of `L` on the diagonal. The ridge keeps
/// every pivot positive.
fn cholesky(c: &mut [f64], k: usize) {
    for a in 0..k {
        let (above, row) = c.split_at_mut(a * k);
        for b in 0..a {
            let other = &above[b * k..b * k + k];
            let inner: f64 = row[..b].iter().zip(other).map(|(x, y)| x * y).sum();
            row[b] = (row[b] - inner) * other[b];
        }
        let square: f64 = row[..a].iter().map(|x| x * x).sum();
        row[a] = 1.0 / (row[a] - square).sqrt();
    }
}

/// `x ← (L Lᵀ)⁻¹ x`.
fn solve(l: &[f64], x: &mut [f64]) {
    let k = x.len();
    for a in 0..k {
        let row = &l[a * k..a * k + k];
        let inner: f64 = row[..a].iter().zip(&*x).map(|(l, x)| l * x).sum();
        x[a] = (x[a] - inner) * row[a];
    }
    for a in (0..k).rev() {
        let inner: f64 = (a + 1..k).map(|b| l[b * k + a] * x[b]).sum();
        x[a] = (x[a] - inner) * l[a * k + a];
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reduce::testing::{classes, clusters, instances, max_difference, projector};

    fn lle(d: usize, compat: bool) -> Lle {
        LleParams { d, compat, ..Default::default() }.check().unwrap()
    }

    #[test]
    fn weights_reconstruct_and_sum_to_one() {
        let x = clusters(1, 12, 4, 1.0);
        let graph = Neighbors::of(&x, 12, 5).unwrap();
        let mut weights = Weights::new(5, x.dims());
        for i in 0..12 {
            let w = weights.of(&x, &graph, i, 1e-3).to_vec();
            assert!((w.iter().sum::<f64>() - 1.0).abs() < 1e-13);
            // (C + R I) w must be constant: the stationarity of the objective under Σw = 1.
            weights.local_gram(&x, &graph, i);
            let c = |a: usize, b: usize| weights.gram[a.max(b) * 5 + a.min(b)];
            let ridge = 1e-3 * (0..5).map(|a| c(a, a)).sum::<f64>();
            let gradient: Vec<f64> = (0..5)
                .map(|a| ridge * w[a] + (0..5).map(|b| c(a, b) * w[b]).sum::<f64>())
                .collect();
            assert!(gradient.iter().all(|g| (g - gradient[0]).abs() < 1e-13));
        }
    }

    #[test]
    fn near_duplicates_get_the_weights_of_their_true_differences() {
        // Six points 1e-9 apart on a line through one of them: by the Gram matrix all differences would be noise.
        let at = [0.0, 1.0, -1.0, 2.0, -2.0, 3.0];
        let x = instances(6, 3, |i, j| [1.0, 1e-9 * at[i], 0.5][j]);
        let graph = Neighbors::of(&x, 6, 5).unwrap();
        let w = Weights::new(5, 3).of(&x, &graph, 0, 1e-3).to_vec();
        // The same problem, magnified, solved by hand: C = t tᵀ, so w ∝ 1 − t (Σt)/(R + Σt²).
        let t: Vec<f64> = graph.indices(0).iter().map(|&j| at[j]).collect();
        let (sum, squares): (f64, f64) = (t.iter().sum(), t.iter().map(|t| t * t).sum());
        let expected: Vec<f64> =
            t.iter().map(|t| 1.0 - t * sum / (1e-3 * squares + squares)).collect();
        let total: f64 = expected.iter().sum();
        for (w, expected) in w.iter().zip(&expected) {
            assert!((w - expected / total).abs() < 1e-6);
        }
    }

    /// The spectra below have ‖M‖ ≈ 30 and gaps ≈ 1e-6, so that a vector is determined to ε‖M‖/gap ≈ 6e-9.
    const CONDITIONED: f64 = 5e-8;

    #[test]
    fn both_variants_agree_where_the_graph_holds_together() {
        let x = clusters(3, 14, 8, 0.7);
        let (ours, compat) = (lle(4, false).reduce(&x, 42), lle(4, true).reduce(&x, 42));
        let (ours, compat) = (ours.unwrap(), compat.unwrap());
        assert_eq!((ours.nullity, compat.nullity), (Some(1), Some(1)));
        assert!(max_difference(&projector(&ours.x), &projector(&compat.x)) < CONDITIONED);
    }

    #[test]
    fn a_graph_in_pieces_is_reported_and_its_pieces_told_apart() {
        let x = clusters(5, 12, 8, 30.0);
        for compat in [false, true] {
            assert_eq!(lle(4, compat).reduce(&x, 60).unwrap().nullity, Some(5));
        }
        // Four dimensions are exactly what five pieces leave besides the constant.
        let z = lle(4, false).reduce(&x, 60).unwrap().x;
        for i in 0..60 {
            let first = z.row(i / 12 * 12);
            assert!(z.row(i).iter().zip(first).all(|(a, b)| (a - b).abs() < CONDITIONED));
        }
        let expected =
            Matrix::from_fn(60, 60, |i, j| f64::from(i / 12 == j / 12) / 12.0 - 1.0 / 60.0);
        assert!(max_difference(&projector(&z), &expected) < CONDITIONED);
        for dimension in 0..4 {
            assert!((0..60).map(|i| z[(i, dimension)]).sum::<f64>().abs() < 1e-12);
        }
    }

    #[test]
    fn more_pieces_than_dimensions_still_give_coordinates_without_the_constant() {
        let x = clusters(9, 8, 16, 40.0);
        let embedding = lle(3, false).reduce(&x, 72).unwrap();
        assert_eq!(embedding.nullity, Some(9));
        for dimension in 0..3 {
            assert!((0..72).map(|i| embedding.x[(i, dimension)]).sum::<f64>().abs() < 1e-12);
        }
    }

    /// The difference of the projectors that the dense and the sparse way come to, and what the latter reports.
    fn difference(lle: &Lle, x: &Instances) -> (f64, Embedding) {
        let graph = Neighbors::of(x, x.len(), lle.0.neighbors).unwrap();
        let dense = lle.dense(alignment(x, &graph, lle.0.reg)).unwrap();
        let sparse = lle.sparse(x, &graph).unwrap();
        assert_eq!(dense.nullity, sparse.nullity);
        (max_difference(&projector(&dense.x), &projector(&sparse.x)), sparse)
    }

    #[test]
    fn products_lead_to_the_same_coordinates_as_the_matrix() {
        // Where the gap above the last dimension vanishes, what is wanted is a matter of rounding in both.
        for (x, d, neighbors) in [
            (classes(2000, 20, 64, 15, 0.3), 19, 10),
            (classes(2000, 8, 32, 5, 0.6), 10, 5),
            (classes(1200, 8, 32, 6, 0.2), 7, 10),
            (clusters(6, 150, 12, 1.0), 5, 8),
        ] {
            let lle = LleParams { d, neighbors, ..Default::default() }.check().unwrap();
            let (difference, sparse) = difference(&lle, &x);
            let iteration = sparse.iteration.unwrap();
            assert!(difference < 1e-6, "{difference:e} {iteration:?}");
        }
    }

    #[test]
    fn products_tell_pieces_apart_too() {
        // Five pieces leave four contrasts, and two dimensions for what lies within them.
        let x = clusters(5, 60, 8, 30.0);
        for d in [4, 6] {
            let (difference, sparse) = difference(&lle(d, false), &x);
            assert!(difference < 1e-6, "{d}: {difference:e}");
            assert_eq!((sparse.nullity, sparse.iteration.is_none()), (Some(5), d == 4));
        }
        // Fewer dimensions than contrasts: those of the larger pieces, whichever rounding would have chosen.
        let x = instances(300, 8, |i, j| {
            let group = [0, 1, 2, 2, 3, 3, 3, 3, 3, 3][i % 10];
            30.0 * ((group * 7 + j * 3 + group * j) as f64 * 1.3).sin()
                + ((i * 131 + j * 71 + i * j * 17) as f64 * 0.61).sin()
        });
        let graph = Neighbors::of(&x, 300, 5).unwrap();
        let z = lle(1, false).sparse(&x, &graph).unwrap().x;
        assert!((0..300).all(|i| (z[(i, 0)] > 0.0) == (i % 10 > 3)));
    }

    #[test]
    fn products_drop_what_the_matrix_would_when_compatible() {
        let x = clusters(3, 80, 8, 0.7);
        let params = LleParams { d: 4, neighbors: 8, compat: true, ..Default::default() };
        let lle = params.check().unwrap();
        assert!(difference(&lle, &x).0 < 1e-6);
    }

    #[test]
    fn duplicates_are_no_harm() {
        // Instances 0 to 6 coincide, so that all neighbours of each are at distance zero.
        let x = instances(30, 6, |i, j| {
            let i = if i < 7 { 0 } else { i };
            ((i * 13 + j * 7 + i * j) as f64 * 0.7).sin()
        });
        for compat in [false, true] {
            let z = lle(5, compat).reduce(&x, 30).unwrap().x;
            assert!(z.as_slice().iter().all(|z| z.is_finite()));
        }
    }

    #[test]
    fn only_the_first_n_count() {
        let (all, head) = (clusters(4, 10, 6, 1.0), 30);
        let alone = instances(head, 6, |i, j| all.unit()[(i, j)]);
        let (a, b) = (lle(3, false).reduce(&all, head), lle(3, false).reduce(&alone, head));
        assert!(max_difference(&projector(&a.unwrap().x), &projector(&b.unwrap().x)) < 1e-9);
    }

    #[test]
    fn refuses_parameters_out_of_range() {
        for params in [
            LleParams { d: 0, ..Default::default() },
            LleParams { neighbors: 0, ..Default::default() },
            LleParams { reg: 0.0, ..Default::default() },
            LleParams { reg: f64::NAN, ..Default::default() },
        ] {
            assert!(matches!(params.check(), Err(Error::Parameter { .. })), "{params:?}");
        }
    }
}
