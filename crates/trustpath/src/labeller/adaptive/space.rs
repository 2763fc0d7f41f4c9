//! The coordinates of the prototypes: few for few instances, with neighbouring instances smoothed.
//!
//! **Span.** `N` instances in `D > N` dimensions span at most `N` of them. With the Gram matrix `G = X Xᵀ = L Lᵀ` the rows
//! of `L` are the same points in `N` coordinates: every inner product, and so everything that follows, is unchanged.
//!
//! **Smoothing.** Each row moves a little towards its neighbours,
//!
//! ```text
//! x_i ← (1 − w) x_i + w Σ_j a_ij x_j / Σ_j a_ij,    then back to the sphere,
//! ```
//!
//! where `a_ij` is the cosine about the mean of the pool, if positive, between `i` and its `neighbors` nearest (in either
//! direction). Neighbours need all pairs, so pools whose Gram matrix is too large have none and are not smoothed: they average over
//! enough instances without it. A query moves towards its neighbours in the pool, which do not move towards it. With the same
//! weights the labels of a row's neighbours enter its likelihood ([`super::mixture`]).

use crate::Matrix;
use crate::limits::GRAM_ROWS;
use crate::linalg::geometry::{mean, most_similar, product, unit_rows};
use crate::linalg::{cholesky, gram, simd, vector};

/// Added to the diagonal of the Gram matrix, so that duplicate instances do not stop its factorisation.
const JITTER: f64 = 1e-10;

/// A neighbour and its weight.
type Neighbor = (usize, f64);

/// The rows, their neighbours, and how they are spread.
pub(super) struct Space {
    /// The rows; the pool comes first.
    pub x: Matrix,
    graph: Vec<Vec<Neighbor>>,
    /// `1 − ‖mean‖²` of the pool.
    pub spread: f64,
    /// Effective number of dimensions of the pool about its mean, `(tr C)² / ‖C‖²` of its covariance `C`.
    pub dimensions: f64,
}

impl Space {
    /// The rows of `x`, of which the first `pool` are the pool, in as few coordinates as represent them exactly.
    pub fn build(x: Matrix, pool: usize, neighbors: usize) -> Self {
        if pool > GRAM_ROWS {
            let (spread, dimensions) = moments(&x, pool);
            return Self { x, graph: Vec::new(), spread, dimensions };
        }
        let all = x.rows();
        let rotate = all <= x.cols();
        let gram = inner_products(&x, if rotate { all } else { pool });
        let centre = Centre::of(&gram, pool);
        let (spread, dimensions) = centre.moments(&gram, pool);
        let graph = moves(&gram, &centre, pool, neighbors);
        Self { x: if rotate { span(gram) } else { x }, graph, spread, dimensions }
    }

    /// Whether rows have neighbours.
    pub fn has_graph(&self) -> bool {
        !self.graph.is_empty()
    }

    /// The neighbours of a row in the pool, whose weights sum to one.
    pub fn neighbors(&self, row: usize) -> &[Neighbor] {
        self.graph.get(row).map_or(&[], Vec::as_slice)
    }

    /// Moves each row by this share towards its neighbours.
    pub fn smooth(&mut self, share: f64) {
        if self.has_graph() {
            self.x = smooth(&self.x, &self.graph, share);
        }
    }

    /// The same neighbours, with the rows in another metric.
    pub fn transformed(&self, transform: impl FnOnce(&mut Matrix)) -> Self {
        let mut x = self.x.clone();
        transform(&mut x);
        Self { x, graph: self.graph.clone(), spread: self.spread, dimensions: self.dimensions }
    }
}

/// Inner products of the rows with the mean of the pool, and the mean with itself.
struct Centre {
    products: Vec<f64>,
    norm: f64,
}

impl Centre {
    fn of(gram: &Matrix, pool: usize) -> Self {
        let mean = |row: &[f64]| vector::sum(&row[..pool]) / pool as f64;
        let products: Vec<f64> = gram.iter_rows().map(mean).collect();
        let norm = vector::sum(&products[..pool]) / pool as f64;
        Self { products, norm }
    }

    /// The spread of the pool and its effective number of dimensions, from the Gram matrix about the mean.
    fn moments(&self, gram: &Matrix, pool: usize) -> (f64, f64) {
        let mut squares = 0.0;
        for (row, m) in gram.iter_rows().zip(&self.products).take(pool) {
            let about = row[..pool].iter().zip(&self.products);
            squares += about.map(|(g, n)| (g - m - n + self.norm).powi(2)).sum::<f64>();
        }
        spread_and_dimensions(self.norm, pool, squares)
    }
}

/// `1 − ‖mean‖²` and `(tr C)² / ‖C‖²`, from the squared length of the mean and `‖C‖²` of the centred rows of unit length.
fn spread_and_dimensions(mean: f64, pool: usize, squares: f64) -> (f64, f64) {
    let spread = (1.0 - mean).max(1e-6);
    let trace = spread * pool as f64;
    (spread, (trace * trace / squares.max(1e-12)).max(1.0))
}

/// The same of pools whose Gram matrix is too large, from their scatter matrix.
fn moments(x: &Matrix, pool: usize) -> (f64, f64) {
    let mean = mean(x, 0..pool);
    let mut scatter = Matrix::zeros(x.cols(), x.cols());
    let rows = x.view().subrows(0, pool);
    product(&mut scatter, rows.transpose(), rows, 1.0);
    let mut squares = 0.0;
    for (row, m) in scatter.iter_rows().zip(&mean) {
        let about = row.iter().zip(&mean);
        squares += about.map(|(s, n)| (s - pool as f64 * m * n).powi(2)).sum::<f64>();
    }
    spread_and_dimensions(vector::dot(&mean, &mean), pool, squares)
}

/// The first `width` columns of `X Xᵀ`.
fn inner_products(x: &Matrix, width: usize) -> Matrix {
    if width == x.rows() {
        return gram(x);
    }
    let mut products = Matrix::zeros(x.rows(), width);
    product(&mut products, x.view(), x.view().subrows(0, width).transpose(), 1.0);
    products
}

/// Coordinates of the rows in their own span: `L` of `G = L Lᵀ`.
fn span(mut gram: Matrix) -> Matrix {
    let n = gram.rows();
    for i in 0..n {
        gram[(i, i)] += JITTER;
    }
    // Always succeeds: a Gram matrix is positive semidefinite up to far less than the jitter.
    cholesky::factor(gram.as_mut_slice(), n, 0.0);
    let mut coordinates = Matrix::zeros(n, n);
    for j in 0..n {
        coordinates[(j, j)] = 1.0 / gram[(j, j)];
        for i in j + 1..n {
            coordinates[(i, j)] = gram[(j, i)];
        }
    }
    coordinates
}

/// For each row its neighbours in the pool and their weights `a_ij / Σ_j a_ij`.
fn moves(gram: &Matrix, about: &Centre, pool: usize, neighbors: usize) -> Vec<Vec<Neighbor>> {
    let all = gram.rows();
    let (mean, centre) = (&about.products, about.norm);
    // Rows are on the unit sphere.
    let norm: Vec<f64> = mean.iter().map(|m| (1.0 - 2.0 * m + centre).max(1e-24).sqrt()).collect();
    let mut moves: Vec<Vec<Neighbor>> = vec![Vec::with_capacity(2 * neighbors); all];
    let mut cosines = vec![0.0; pool];
    for i in 0..all {
        for (j, (cosine, g)) in cosines.iter_mut().zip(gram.row(i)).enumerate() {
            *cosine = (g - mean[i] - mean[j] + centre) / (norm[i] * norm[j]);
        }
        let nearest = most_similar(&cosines, i, neighbors).into_iter();
        for (j, cosine) in nearest.map(|j| (j, cosines[j])).filter(|n| n.1 > 0.0) {
            let mut link = |from: usize, to: usize| {
                if !moves[from].iter().any(|n| n.0 == to) {
                    moves[from].push((to, cosine));
                }
            };
            link(i, j);
            if i < pool {
                link(j, i);
            }
        }
    }
    for row in &mut moves {
        let total: f64 = row.iter().map(|n| n.1).sum();
        row.iter_mut().for_each(|n| n.1 /= total);
    }
    moves
}

fn smooth(x: &Matrix, moves: &[Vec<Neighbor>], weight: f64) -> Matrix {
    let mut y = x.clone();
    simd::dispatch(
        &mut y,
        #[inline(always)]
        |y| {
            for (i, neighbors) in moves.iter().enumerate() {
                let row = y.row_mut(i);
                row.iter_mut().for_each(|v| *v *= 1.0 - weight);
                for &(j, share) in neighbors {
                    vector::add_scaled(row, weight * share, x.row(j));
                }
            }
        },
    );
    unit_rows(&mut y);
    y
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(n: usize, d: usize) -> Matrix {
        let mut x = Matrix::from_fn(n, d, |i, j| ((i * 31 + j * 17) as f64).sin() + 1.2);
        unit_rows(&mut x);
        x
    }

    #[test]
    fn the_span_keeps_every_inner_product() {
        let mut x = rows(6, 20);
        let twice = x.row(0).to_vec();
        x.row_mut(5).copy_from_slice(&twice);
        let y = span(inner_products(&x, 6));
        for i in 0..6 {
            for j in 0..6 {
                let of = |m: &Matrix| vector::dot(m.row(i), m.row(j));
                assert!((of(&x) - of(&y)).abs() < 1e-9, "{i} {j}");
            }
        }
    }

    #[test]
    fn the_span_is_only_a_rotation_and_a_query_moves_no_other_instance() {
        let x = rows(9, 20);
        let smoothed = |x: &Matrix| {
            let mut space = Space::build(x.clone(), 7, 3);
            space.smooth(0.15);
            space.x
        };
        let with_query = smoothed(&x);
        let gram = inner_products(&x, 7);
        let wide = smooth(&x, &moves(&gram, &Centre::of(&gram, 7), 7, 3), 0.15);
        let pool = Matrix::from_vec(7, 20, x.as_slice()[..140].to_vec()).unwrap();
        let alone = smoothed(&pool);
        for i in 0..7 {
            for j in 0..7 {
                let dot = |m: &Matrix| vector::dot(m.row(i), m.row(j));
                assert!((dot(&with_query) - dot(&alone)).abs() < 1e-8);
                assert!((dot(&with_query) - dot(&wide)).abs() < 1e-8);
            }
        }
    }

    #[test]
    fn moments_by_the_gram_and_by_the_scatter_matrix_agree() {
        let x = rows(30, 8);
        let gram = inner_products(&x, 25);
        let [a, b] = [Centre::of(&gram, 25).moments(&gram, 25), moments(&x, 25)];
        assert!((a.0 - b.0).abs() < 1e-12 && (a.1 - b.1).abs() < 1e-9, "{a:?} {b:?}");
        assert!(a.1 > 1.0 && a.1 < 8.0);
    }

    #[test]
    fn smoothing_brings_neighbours_together() {
        let x = rows(12, 30);
        let gram = inner_products(&x, 12);
        let moves = moves(&gram, &Centre::of(&gram, 12), 12, 3);
        assert!(moves.iter().all(|m| !m.is_empty()));
        let y = smooth(&x, &moves, 0.3);
        let near = |m: &Matrix| {
            let pairs = moves.iter().enumerate();
            pairs.map(|(i, row)| vector::dot(m.row(i), m.row(row[0].0))).sum::<f64>()
        };
        assert!(near(&y) > near(&x));
    }
}
