//! Nearest neighbours of many instances, without a matrix of all pairs.
//!
//! Inner products are taken in single precision, a block of instances against a block of candidates at a time; of each
//! instance the best few more than asked for are kept, and those are measured in double precision. So the graph is
//! exact but for candidates whose inner products agree to about six digits with the last one kept.

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use rayon::prelude::*;

use super::measured;
use crate::Instances;

/// Instances of a block.
const QUERIES: usize = 128;
/// Candidates of a block: their inner products with the instances of a block stay in cache.
const CANDIDATES: usize = 1024;
/// Candidates kept beyond those asked for, so that rounding loses none.
const SPARE: usize = 8;

/// Writes the `k` nearest of each of the first `n` instances, nearest first, and their squared distances.
pub(super) fn search(
    instances: &Instances,
    n: usize,
    k: usize,
    index: &mut [usize],
    squared: &mut [f64],
) {
    let d = instances.dims();
    let single: Vec<f32> = instances.unit().as_slice()[..n * d].iter().map(|&v| v as f32).collect();
    let kept = (k + SPARE).min(n - 1);
    index
        .par_chunks_mut(QUERIES * k)
        .zip(squared.par_chunks_mut(QUERIES * k))
        .enumerate()
        .for_each_init(
            || vec![0.0f32; QUERIES * CANDIDATES],
            |inner, (block, (index, squared))| {
                let first = block * QUERIES;
                let queries = index.len() / k;
                let mut best = vec![Shortlist::new(kept); queries];
                scan(&single, d, n, first, inner, &mut best);
                let lists = index.chunks_exact_mut(k).zip(squared.chunks_exact_mut(k));
                for ((q, shortlist), (index, squared)) in best.iter().enumerate().zip(lists) {
                    let mut exact: Vec<(f64, usize)> = shortlist
                        .index
                        .iter()
                        .map(|&j| (measured(instances, first + q, j), j))
                        .collect();
                    exact.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
                    for (slot, (distance, j)) in exact[..k].iter().enumerate() {
                        (index[slot], squared[slot]) = (*j, *distance);
                    }
                }
            },
        );
}

/// Shows every candidate to every instance of the block that begins at `first`.
fn scan(
    single: &[f32],
    d: usize,
    n: usize,
    first: usize,
    inner: &mut [f32],
    best: &mut [Shortlist],
) {
    let queries = best.len();
    let block = MatRef::from_row_major_slice(&single[first * d..(first + queries) * d], queries, d);
    for from in (0..n).step_by(CANDIDATES) {
        let count = CANDIDATES.min(n - from);
        let candidates =
            MatRef::from_row_major_slice(&single[from * d..(from + count) * d], count, d);
        let inner = &mut inner[..queries * count];
        matmul(
            MatMut::from_column_major_slice_mut(&mut *inner, count, queries),
            Accum::Replace,
            candidates,
            block.transpose(),
            1.0,
            Par::Seq,
        );
        for ((q, best), inner) in best.iter_mut().enumerate().zip(inner.chunks_exact(count)) {
            best.look(inner, from, first + q);
        }
    }
}

/// The candidates with the largest inner products, in descending order.
#[derive(Debug, Clone)]
struct Shortlist {
    inner: Vec<f32>,
    index: Vec<usize>,
    room: usize,
}

impl Shortlist {
    fn new(room: usize) -> Self {
        Self { inner: Vec::with_capacity(room + 1), index: Vec::with_capacity(room + 1), room }
    }

    fn look(&mut self, inner: &[f32], from: usize, own: usize) {
        /// Most candidates are far: this many are passed over at a glance.
        const GLANCE: usize = 32;
        for (chunk, values) in inner.chunks(GLANCE).enumerate() {
            let last = if self.inner.len() < self.room {
                f32::NEG_INFINITY
            } else {
                self.inner[self.room - 1]
            };
            if !values.iter().fold(false, |any, &v| any | (v > last)) {
                continue;
            }
            for (offset, &value) in values.iter().enumerate() {
                let j = from + chunk * GLANCE + offset;
                if j != own {
                    self.insert(value, j);
                }
            }
        }
    }

    fn insert(&mut self, value: f32, j: usize) {
        let at = self.inner.partition_point(|&kept| kept >= value);
        if at < self.room {
            self.inner.insert(at, value);
            self.index.insert(at, j);
            self.inner.truncate(self.room);
            self.index.truncate(self.room);
        }
    }
}
