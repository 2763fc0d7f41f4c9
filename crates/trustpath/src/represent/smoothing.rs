//! Smoothing: every instance moves towards its nearest neighbours.
//!
//! ```text
//! z ← ((1 − a) x + a Σⱼ wᵢⱼ zⱼ),   twice;   wᵢⱼ ∝ max(0, cos)⁴ over the k nearest, a = ½, k = 10
//! ```
//!
//! An instance whose weights are all zero stays where it is.

use std::ops::{AddAssign, Mul, MulAssign};

use rayon::prelude::*;

use crate::neighbors::{Neighbors, edge_weight};

/// Neighbours that an instance moves towards.
pub(super) const NEIGHBORS: usize = 10;
/// How far it moves.
pub(super) const SMOOTHING: f64 = 0.5;

/// Moves every row of `x` towards its neighbours, twice. The second time ends in place, so that there are never more than
/// two copies.
pub(super) fn smooth(x: &mut [f64], columns: usize, graph: &Neighbors) {
    let mut once = x.to_vec();
    move_towards(&mut once, x, columns, graph, |weight| weight);
    move_towards(x, &once, columns, graph, |weight| weight);
}

/// `xᵢ ← (1 − a) xᵢ + a Σⱼ wᵢⱼ zⱼ`, for every row of `x`. `weight` turns a weight into the factor of a row.
pub(super) fn move_towards<T>(x: &mut [T], z: &[T], columns: usize, graph: &Neighbors, weight: impl Fn(f64) -> T + Sync)
where
    T: Copy + Send + Sync + Mul<Output = T> + AddAssign + MulAssign,
{
    let keep = weight(1.0 - SMOOTHING);
    x.par_chunks_exact_mut(columns).enumerate().for_each(|(i, x)| {
        let weights = graph.squared_distances(i).iter().map(|&squared| edge_weight(squared));
        let total: f64 = weights.clone().sum();
        if total == 0.0 {
            return;
        }
        x.iter_mut().for_each(|x| *x *= keep);
        for (j, w) in graph.indices(i).zip(weights) {
            let w = weight(SMOOTHING * w / total);
            let from = &z[j * columns..(j + 1) * columns];
            x.iter_mut().zip(from).for_each(|(x, &z)| *x += w * z);
        }
    });
}
