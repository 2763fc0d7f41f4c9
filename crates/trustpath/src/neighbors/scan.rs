//! The rows that score highest, block by block in single precision.
//!
//! A candidate `x` scores `⟨q, x⟩ − h` with a query `q`. With `h = 0` the best have the largest inner products; with
//! `h = ½‖x‖²` they are the nearest, since `‖q − x‖² = ‖q‖² − 2 (⟨q, x⟩ − ½‖x‖²)`. Inner products come from matrix
//! products of a block of queries with a block of candidates, which stay in cache while they are searched. The scores
//! carry the rounding of single precision, so a search keeps a few more candidates than wanted and measures those again.

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use rayon::prelude::*;

use crate::linalg::simd;

/// Queries in a block.
const QUERIES: usize = 256;
/// Candidates in a block.
const CANDIDATES: usize = 512;
/// Kept beyond those asked for, so that rounding loses none.
pub(super) const SPARE: usize = 8;
/// No candidate.
pub(crate) const NONE: u32 = u32::MAX;

/// Rows to choose from, numbered from `first`.
#[derive(Debug, Clone, Copy)]
pub(super) struct ScannedRows<'a> {
    /// Row-major.
    pub rows: &'a [f32],
    /// Number of columns.
    pub dims: usize,
    /// What is subtracted from the score of each.
    pub half: &'a [f32],
    /// Number of the first.
    pub first: u32,
}

/// For every query the numbers of its best candidates so far, best first; of equals, those that came first.
#[derive(Debug, Default)]
pub(super) struct Shortlists {
    room: usize,
    score: Vec<f32>,
    index: Vec<u32>,
    inner: Vec<f32>,
}

impl Shortlists {
    /// Empties the lists, for this number of queries with room for this number of candidates each.
    pub(super) fn clear(&mut self, queries: usize, room: usize) {
        self.room = room;
        self.score.clear();
        self.score.resize(queries * room, f32::NEG_INFINITY);
        self.index.clear();
        self.index.resize(queries * room, NONE);
    }

    /// The best candidates of a query.
    pub(super) fn of(&self, query: usize) -> &[u32] {
        let list = &self.index[query * self.room..(query + 1) * self.room];
        &list[..list.partition_point(|&j| j != NONE)]
    }

    /// Compares every candidate with every query. `own` is the number of a query among the candidates.
    pub(super) fn scan(&mut self, queries: &[f32], candidates: ScannedRows<'_>, own: impl Fn(usize) -> u32) {
        let dims = candidates.dims;
        let Self { room, score, index, inner } = self;
        for (block, queries) in queries.chunks(QUERIES * dims).enumerate() {
            let count = queries.len() / dims;
            let lists = block * QUERIES * *room..(block * QUERIES + count) * *room;
            let (score, index) = (&mut score[lists.clone()], &mut index[lists]);
            let halves = candidates.half.chunks(CANDIDATES);
            for (part, (rows, half)) in candidates.rows.chunks(CANDIDATES * dims).zip(halves).enumerate() {
                inner.resize(inner.len().max(count * half.len()), 0.0);
                let inner = &mut inner[..count * half.len()];
                matmul(
                    MatMut::from_column_major_slice_mut(&mut *inner, half.len(), count),
                    Accum::Replace,
                    MatRef::from_row_major_slice(rows, half.len(), dims),
                    MatRef::from_row_major_slice(queries, count, dims).transpose(),
                    1.0,
                    Par::Seq,
                );
                let first = candidates.first + (part * CANDIDATES) as u32;
                let lists = score.chunks_exact_mut(*room).zip(index.chunks_exact_mut(*room));
                let rows = inner.chunks_exact(half.len()).zip(lists).enumerate();
                for (q, (inner, (score, index))) in rows {
                    let own = own(block * QUERIES + q);
                    let update = ListUpdate { inner, half, first, own, score, index };
                    simd::dispatch(
                        update,
                        #[inline(always)]
                        |update| update.run(),
                    );
                }
            }
        }
    }
}

/// Has every list of `k` entries written by `settle`, which is given the number of a query and its shortlist of at most
/// `room` candidates. `query` writes the coordinates of a query, and `own` is its number among the candidates.
pub(super) fn search<T: Send>(
    lists: &mut [T],
    k: usize,
    room: usize,
    candidates: ScannedRows<'_>,
    query: impl Fn(usize, &mut [f32]) + Sync,
    own: impl Fn(usize) -> u32 + Sync,
    settle: impl Fn(usize, &[u32], &mut [T]) + Sync,
) {
    let dims = candidates.dims;
    lists.par_chunks_mut(QUERIES * k).enumerate().for_each_init(
        || (Shortlists::default(), vec![0.0; QUERIES * dims]),
        |(best, queries), (block, lists)| {
            let (first, count) = (block * QUERIES, lists.len() / k);
            let queries = &mut queries[..count * dims];
            queries.chunks_exact_mut(dims).enumerate().for_each(|(q, to)| query(first + q, to));
            best.clear(count, room);
            best.scan(queries, candidates, |q| own(first + q));
            for (q, list) in lists.chunks_exact_mut(k).enumerate() {
                settle(first + q, best.of(q), list);
            }
        },
    );
}

/// One query against a block of candidates, the first of which has a number, and the list of the query.
struct ListUpdate<'a> {
    inner: &'a [f32],
    half: &'a [f32],
    first: u32,
    own: u32,
    score: &'a mut [f32],
    index: &'a mut [u32],
}

impl ListUpdate<'_> {
    #[inline(always)]
    fn run(mut self) {
        /// Most candidates are far: this many are skipped after one comparison of their best score.
        const SKIP: usize = 64;
        const LANES: usize = 16;
        let end = self.score.len() - 1;
        let (inner, half) = (self.inner, self.half);
        for at in (0..inner.len() / SKIP * SKIP).step_by(SKIP) {
            let (inner, half) = (&inner[at..at + SKIP], &half[at..at + SKIP]);
            let mut best = [f32::NEG_INFINITY; LANES];
            for at in (0..SKIP).step_by(LANES) {
                for l in 0..LANES {
                    let value = inner[at + l] - half[at + l];
                    best[l] = if value > best[l] { value } else { best[l] };
                }
            }
            let (last, mut any) = (self.score[end], false);
            for l in 0..LANES {
                any |= best[l] > last;
            }
            if any {
                self.insert(at, at + SKIP);
            }
        }
        self.insert(inner.len() / SKIP * SKIP, inner.len());
    }

    /// Inserts what belongs into the list, in descending order.
    fn insert(&mut self, from: usize, to: usize) {
        let end = self.score.len() - 1;
        for at in from..to {
            let value = self.inner[at] - self.half[at];
            let j = self.first + at as u32;
            if value > self.score[end] && j != self.own {
                let mut at = end;
                while at > 0 && value > self.score[at - 1] {
                    self.score[at] = self.score[at - 1];
                    self.index[at] = self.index[at - 1];
                    at -= 1;
                }
                (self.score[at], self.index[at]) = (value, j);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_sorting_finds() {
        // Small whole numbers: no rounding, and many ties.
        let (n, dims, room) = (2500, 3, 9);
        let value = |i: usize, j: usize| ((i * 7 + j * 5 + i * i * (j + 1)) % 11) as f32 - 5.0;
        let rows: Vec<f32> = (0..n * dims).map(|at| value(at / dims, at % dims)).collect();
        let half: Vec<f32> = (0..n).map(|i| (i % 4) as f32).collect();
        let candidates = ScannedRows { rows: &rows, dims, half: &half, first: 10 };
        let mut lists = Shortlists::default();
        lists.clear(300, room);
        lists.scan(&rows[..300 * dims], candidates, |q| 10 + q as u32);
        for q in 0..300 {
            let score = |j: usize| (0..dims).map(|d| value(q, d) * value(j, d)).sum::<f32>() - half[j];
            let mut all: Vec<usize> = (0..n).filter(|&j| j != q).collect();
            all.sort_by(|&a, &b| score(b).total_cmp(&score(a)).then(a.cmp(&b)));
            let expected: Vec<u32> = all[..room].iter().map(|&j| 10 + j as u32).collect();
            assert_eq!(lists.of(q), expected);
        }
    }

    #[test]
    fn a_list_with_room_to_spare_ends_where_candidates_do() {
        let mut lists = Shortlists::default();
        lists.clear(2, 5);
        let candidates = ScannedRows { rows: &[1.0, 2.0, 3.0], dims: 1, half: &[0.0; 3], first: 0 };
        lists.scan(&[1.0, -1.0], candidates, |q| q as u32);
        assert_eq!(lists.of(0), [2, 1]);
        assert_eq!(lists.of(1), [0, 2]);
    }
}
