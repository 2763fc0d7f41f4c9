//! Searches that compare each row with every candidate.
//!
//! Without a Gram matrix, inner products are taken in single precision, a block of queries against a block of candidates
//! at a time (`scan.rs`); a few more candidates than asked for are kept for each query and measured precisely. So the
//! lists are exact except for candidates whose inner products agree to about six digits with the last one kept.

use rayon::prelude::*;

use super::pairs::AllRows;
use super::points::{CentredPoints, ascending};
use super::scan::{NONE, SPARE, ScannedRows, search};
use super::{CLOSE, Neighbors, measured};
use crate::linalg::{simd, vector};
use crate::{Instances, Matrix};

/// Candidates that are skipped together where none of them is near enough.
const CHUNK: usize = 16;

/// The `k` nearest of each of the first `n` instances, nearest first, by the Gram matrix.
pub(super) fn by_gram(instances: &Instances, n: usize, k: usize) -> Vec<(f64, u32)> {
    let mut lists = vec![(f64::INFINITY, 0); n * k];
    for (i, list) in lists.chunks_exact_mut(k).enumerate() {
        let gram = &instances.gram().row(i)[..n];
        for (chunk, inners) in gram.chunks(CHUNK).enumerate() {
            // Most instances are far from most others, so that most chunks are skipped.
            let last = list[k - 1].0;
            if !inners.iter().fold(false, |any, &inner| any | (2.0 - 2.0 * inner < last)) {
                continue;
            }
            for (offset, &inner) in inners.iter().enumerate() {
                let j = chunk * CHUNK + offset;
                let mut distance = 2.0 - 2.0 * inner;
                if distance >= list[k - 1].0 || j == i {
                    continue;
                }
                if distance < CLOSE {
                    distance = measured(instances, i, j);
                }
                insert(list, distance, j as u32);
            }
        }
    }
    lists
}

/// Inserts a candidate into a list in ascending distance if it is nearer than the last; of equals, those that came first
/// stay first.
pub(super) fn insert<D: Copy + PartialOrd>(list: &mut [(D, u32)], distance: D, j: u32) {
    let last = list.len() - 1;
    if distance < list[last].0 {
        let mut at = last;
        while at > 0 && distance < list[at - 1].0 {
            list[at] = list[at - 1];
            at -= 1;
        }
        list[at] = (distance, j);
    }
}

/// The `k` nearest of each of the first `n` instances, nearest first, block by block.
pub(super) fn by_blocks(instances: &Instances, n: usize, k: usize) -> Vec<(f64, u32)> {
    let dims = instances.dims();
    let rows: Vec<f32> = instances.unit().as_slice()[..n * dims].iter().map(|&v| v as f32).collect();
    let all = AllRows { rows: &rows, dims, half: &vec![0.0; n] };
    settle(instances.unit(), &all.best((k + SPARE).min(n - 1)), n, k)
}

/// The `k` nearest of each row of `x`, nearest first, among those that are nearest in a projection: `u`, row-major in single
/// precision, with the squared length of each row of `x` from the origin of the projection.
///
/// What the projection cut off two rows is taken to be perpendicular; about twice as many candidates as wanted are measured.
pub(super) fn by_projection(x: &Matrix, u: &[f32], square: &[f64], k: usize) -> Vec<(f64, u32)> {
    let n = x.rows();
    let half: Vec<f32> = square.iter().map(|square| (0.5 * square) as f32).collect();
    let all = AllRows { rows: u, dims: u.len() / n, half: &half };
    settle(x, &all.best((2 * k + SPARE).min(n - 1)), n, k)
}

/// Measures shortlists, and keeps the nearest of each.
fn settle(x: &Matrix, shortlists: &[u32], n: usize, k: usize) -> Vec<(f64, u32)> {
    let mut lists = vec![(0.0, 0); n * k];
    let shortlists = shortlists.par_chunks_exact(shortlists.len() / n);
    lists.par_chunks_exact_mut(k).zip(shortlists).enumerate().for_each(|(i, (list, shortlist))| {
        let mut exact: Vec<(f64, u32)> = shortlist.iter().map(|&j| (0.0, j)).collect();
        simd::dispatch(
            (x, i, &mut exact),
            #[inline(always)]
            |(x, i, exact)| {
                for (far, j) in exact {
                    *far = vector::squared_difference(x.row(i), x.row(*j as usize));
                }
            },
        );
        exact.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        list.copy_from_slice(&exact[..k]);
    });
    lists
}

/// The `k` nearest, among all points, of each of the points named.
pub(super) fn among_all(points: &CentredPoints, which: &[usize], k: usize) -> Vec<(f32, u32)> {
    let CentredPoints { dims, values, half, .. } = points;
    let candidates = ScannedRows { rows: values, dims: *dims, half, first: 0 };
    let mut lists = vec![(0.0, 0); which.len() * k];
    search(
        &mut lists,
        k,
        (k + SPARE).min(points.len() - 1),
        candidates,
        |q, to| to.copy_from_slice(points.row(which[q])),
        |q| which[q] as u32,
        |q, shortlist, list| measure_shortlist(points, which[q], shortlist, list),
    );
    lists
}

/// Measures a shortlist and writes the nearest of it, nearest first; it must be at least as long as the list.
pub(super) fn measure_shortlist(points: &CentredPoints, i: usize, shortlist: &[u32], list: &mut [(f32, u32)]) {
    let mut measured: Vec<(f32, u32)> = shortlist.iter().map(|&j| (0.0, j)).collect();
    points.measure(i, &mut measured);
    measured.sort_unstable_by(ascending);
    list.copy_from_slice(&measured[..list.len()]);
}

/// For every row the `k` rows of `among` with which it has the largest inner products, without distances; of equals the
/// lower row, and never itself.
pub fn nearest_among(x: &Matrix, among: &[usize], k: usize) -> Neighbors {
    let (dims, k) = (x.cols(), k.max(1));
    let mut among = among.to_vec();
    among.sort_unstable();
    among.dedup();
    let single = |row: usize, to: &mut [f32]| {
        to.iter_mut().zip(x.row(row)).for_each(|(to, &v)| *to = v as f32);
    };
    let mut rows = vec![0.0f32; among.len() * dims];
    rows.chunks_exact_mut(dims).zip(&among).for_each(|(to, &row)| single(row, to));
    let candidates = ScannedRows { rows: &rows, dims, half: &vec![0.0; among.len()], first: 0 };
    let mut index = vec![NONE; x.rows() * k];
    search(
        &mut index,
        k,
        k + SPARE,
        candidates,
        single,
        |q| among.binary_search(&q).map_or(NONE, |at| at as u32),
        |q, shortlist, list| {
            let shortlist = shortlist.iter().map(|&at| among[at as usize]);
            let mut measured: Vec<(f64, usize)> = simd::dispatch(
                (x, q, shortlist),
                #[inline(always)]
                |(x, q, shortlist)| shortlist.map(|j| (vector::dot(x.row(q), x.row(j)), j)).collect(),
            );
            measured.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
            list.iter_mut().zip(measured).for_each(|(to, (_, j))| *to = j as u32);
        },
    );
    Neighbors { k, index, ..Neighbors::default() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::clusters;

    fn same_as_brute_force(x: &Matrix, among: &[usize], k: usize) {
        let lists = nearest_among(x, among, k);
        assert_eq!(lists.len(), x.rows());
        for row in 0..x.rows() {
            let inner = |j: usize| vector::dot(x.row(row), x.row(j));
            let mut all: Vec<usize> = among.iter().copied().filter(|&j| j != row).collect();
            all.sort_by(|&a, &b| inner(b).total_cmp(&inner(a)).then(a.cmp(&b)));
            all.truncate(k);
            assert_eq!(lists.indices(row).collect::<Vec<_>>(), all);
        }
    }

    #[test]
    fn the_nearest_among_some_rows_agree_with_brute_force() {
        let among: Vec<usize> = (0..600).filter(|i| i * i % 7 == 2).collect();
        same_as_brute_force(clusters(5, 120, 40, 0.7).unit(), &among, 3);
        // Lists are short where there are few candidates.
        let x = clusters(2, 10, 4, 1.0);
        same_as_brute_force(x.unit(), &[4, 11], 3);
        assert_eq!(nearest_among(x.unit(), &[], 3).indices(0).len(), 0);
    }

    #[test]
    fn of_many_copies_the_lowest_rows_are_nearest_whatever_the_order_given() {
        let x = Matrix::from_fn(90, 5, |i, j| f64::from(u8::from(i % 2 == j)));
        let among: Vec<usize> = (0..90).rev().collect();
        let lists = nearest_among(&x, &among, 3);
        assert!(lists.indices(0).eq([2, 4, 6]));
        assert!(lists.indices(7).eq([1, 3, 5]));
    }
}
