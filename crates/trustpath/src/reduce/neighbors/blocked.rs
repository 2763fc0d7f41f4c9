//! Nearest neighbours of many instances, without a matrix of all pairs.
//!
//! Inner products are taken in single precision, a block of instances against a block of candidates at a time; of each
//! instance the best few more than asked for are kept, and those are measured in double precision. So the graph is
//! exact but for candidates whose inner products agree to about six digits with the last one kept.

use rayon::prelude::*;

use super::measured;
use crate::Instances;
use crate::linalg::scan::{Candidates, QUERIES, SPARE, Shortlists};

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
    let candidates = Candidates { rows: &single, half: &vec![0.0; n], first: 0 };
    let kept = (k + SPARE).min(n - 1);
    index
        .par_chunks_mut(QUERIES * k)
        .zip(squared.par_chunks_mut(QUERIES * k))
        .enumerate()
        .for_each_init(Shortlists::default, |best, (block, (index, squared))| {
            let first = block * QUERIES;
            let queries = index.len() / k;
            best.clear(queries, kept);
            let rows = &single[first * d..(first + queries) * d];
            best.scan(rows, d, candidates, |q| (first + q) as u32);
            let lists = index.chunks_exact_mut(k).zip(squared.chunks_exact_mut(k));
            for (q, (index, squared)) in lists.enumerate() {
                let mut exact: Vec<(f64, usize)> = best
                    .of(q)
                    .iter()
                    .map(|&j| (measured(instances, first + q, j as usize), j as usize))
                    .collect();
                exact.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
                for (slot, (distance, j)) in exact[..k].iter().enumerate() {
                    (index[slot], squared[slot]) = (*j, *distance);
                }
            }
        });
}
