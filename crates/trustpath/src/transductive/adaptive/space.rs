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
//! direction). Neighbours need all pairs, so this is done only where the Gram matrix is computed anyway, for pools no larger
//! than `D`; larger pools average over enough instances without it. A query moves towards its neighbours in the pool, which
//! do not move towards it.

use crate::Matrix;
use crate::linalg::{cholesky, gram, simd, vector};
use crate::transductive::geometry::{most_similar, product, unit_rows};

/// Added to the diagonal of the Gram matrix, so that duplicate instances do not stop its factorisation.
const JITTER: f64 = 1e-10;

/// The rows of `x`, of which the first `pool` are the pool, smoothed and in as few coordinates as represent them exactly.
pub(super) fn build(x: Matrix, pool: usize, neighbors: usize, weight: f64) -> Matrix {
    if pool > x.cols() {
        return x;
    }
    let all = x.rows();
    let rotate = all <= x.cols();
    let gram = inner_products(&x, if rotate { all } else { pool });
    let moves = moves(&gram, pool, neighbors);
    smooth(if rotate { span(gram) } else { x }, &moves, weight)
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
fn moves(gram: &Matrix, pool: usize, neighbors: usize) -> Vec<Vec<(usize, f64)>> {
    let all = gram.rows();
    let mean: Vec<f64> =
        gram.iter_rows().map(|row| vector::sum(&row[..pool]) / pool as f64).collect();
    let centre = vector::sum(&mean[..pool]) / pool as f64;
    // Rows are on the unit sphere.
    let norm: Vec<f64> = mean.iter().map(|m| (1.0 - 2.0 * m + centre).max(1e-24).sqrt()).collect();
    let mut moves: Vec<Vec<(usize, f64)>> = vec![Vec::with_capacity(2 * neighbors); all];
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

fn smooth(x: Matrix, moves: &[Vec<(usize, f64)>], weight: f64) -> Matrix {
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
        let with_query = build(x.clone(), 7, 3, 0.15);
        let wide = smooth(x.clone(), &moves(&inner_products(&x, 7), 7, 3), 0.15);
        let pool = Matrix::from_vec(7, 20, x.as_slice()[..140].to_vec()).unwrap();
        let alone = build(pool, 7, 3, 0.15);
        for i in 0..7 {
            for j in 0..7 {
                let dot = |m: &Matrix| vector::dot(m.row(i), m.row(j));
                assert!((dot(&with_query) - dot(&alone)).abs() < 1e-8);
                assert!((dot(&with_query) - dot(&wide)).abs() < 1e-8);
            }
        }
    }

    #[test]
    fn smoothing_brings_neighbours_together() {
        let x = rows(12, 30);
        let moves = moves(&inner_products(&x, 12), 12, 3);
        assert!(moves.iter().all(|m| !m.is_empty()));
        let y = smooth(x.clone(), &moves, 0.3);
        let near = |m: &Matrix| {
            let pairs = moves.iter().enumerate();
            pairs.map(|(i, row)| vector::dot(m.row(i), m.row(row[0].0))).sum::<f64>()
        };
        assert!(near(&y) > near(&x));
    }
}
