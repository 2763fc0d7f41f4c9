//! The rows that score highest with each row, where every row is a query and a candidate.
//!
//! The score of `x` for a query `q` is `⟨q, x⟩ − h(x)`, as in `scan.rs`. The inner product of two rows serves both, so only half of
//! all products are computed: block `b` of rows is multiplied with the blocks `b`, `b + 1`, …, half of the way around, and each
//! product is read once for the rows of `b` and once for those of the other block. In one sweep every block takes one part of either
//! kind, so that sweeps are parallel over blocks, and lists are the same for any number of threads.

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use rayon::prelude::*;

use super::scan::NONE;
use crate::linalg::simd;

/// Rows of a block.
const BLOCK: usize = 512;
/// Rows of a block that are multiplied at once, so that the product stays in cache.
const QUERIES: usize = 256;
/// Scores that are skipped together where none of them belongs into a list.
const SKIP: usize = 64;
const LANES: usize = 16;

/// Lists of the best so far of the rows of a block, best first; of equals, the lower row.
#[derive(Debug)]
struct Lists {
    room: usize,
    score: Vec<f32>,
    index: Vec<u32>,
    /// The last score of each list.
    last: Vec<f32>,
}

impl Lists {
    fn new(rows: usize, room: usize) -> Self {
        Self {
            room,
            score: vec![f32::NEG_INFINITY; rows * room],
            index: vec![NONE; rows * room],
            last: vec![f32::NEG_INFINITY; rows],
        }
    }

    fn insert(&mut self, row: usize, score: f32, j: u32) {
        let (from, end) = (row * self.room, self.room - 1);
        let (scores, indices) = (&mut self.score[from..=from + end], &mut self.index[from..=from + end]);
        let before =
            |at: usize, scores: &[f32], indices: &[u32]| score > scores[at] || score == scores[at] && j < indices[at];
        if !before(end, scores, indices) {
            return;
        }
        let mut at = end;
        while at > 0 && before(at - 1, scores, indices) {
            (scores[at], indices[at]) = (scores[at - 1], indices[at - 1]);
            at -= 1;
        }
        (scores[at], indices[at]) = (score, j);
        self.last[row] = scores[end];
    }
}

/// Rows, row-major, and what is subtracted from the score of each.
#[derive(Debug, Clone, Copy)]
pub(super) struct AllRows<'a> {
    pub rows: &'a [f32],
    pub dims: usize,
    pub half: &'a [f32],
}

impl AllRows<'_> {
    /// For each row the `room` rows that score highest with it, best first, without itself: lists that end with [`NONE`] where
    /// there are fewer.
    pub(super) fn best(&self, room: usize) -> Vec<u32> {
        let n = self.half.len();
        let blocks = n.div_ceil(BLOCK);
        let lists = || -> Vec<Lists> { (0..blocks).map(|b| Lists::new(BLOCK.min(n - b * BLOCK), room)).collect() };
        let (mut own, mut other) = (lists(), lists());
        for ahead in 0..=blocks / 2 {
            // Half-way around, a pair of blocks would meet twice.
            let pairs = if 2 * ahead == blocks { ahead } else { blocks };
            other.rotate_left(ahead);
            own[..pairs].par_iter_mut().zip(&mut other[..pairs]).enumerate().for_each_init(
                Vec::new,
                |inner, (b, (own, other))| {
                    self.meet(b, (b + ahead) % blocks, own, other, inner);
                },
            );
            other.rotate_right(ahead);
        }
        let merged = own
            .par_iter()
            .zip(&other)
            .flat_map_iter(|(own, other)| (0..own.last.len()).flat_map(move |row| merge(own, other, row)));
        merged.collect()
    }

    /// Compares the rows of block `b` with those of block `c`.
    fn meet(&self, b: usize, c: usize, own: &mut Lists, other: &mut Lists, inner: &mut Vec<f32>) {
        let dims = self.dims;
        let n = self.half.len();
        let candidates = c * BLOCK..((c + 1) * BLOCK).min(n);
        let count = candidates.len();
        for first in (b * BLOCK..((b + 1) * BLOCK).min(n)).step_by(QUERIES) {
            let queries = first..(first + QUERIES).min((b + 1) * BLOCK).min(n);
            inner.resize(inner.len().max(queries.len() * count), 0.0);
            let inner = &mut inner[..queries.len() * count];
            let rows = |of: std::ops::Range<usize>| {
                let len = of.len();
                MatRef::from_row_major_slice(&self.rows[of.start * dims..of.end * dims], len, dims)
            };
            matmul(
                MatMut::from_column_major_slice_mut(&mut *inner, count, queries.len()),
                Accum::Replace,
                rows(candidates.clone()),
                rows(queries.clone()).transpose(),
                1.0,
                Par::Seq,
            );
            for (q, inner) in queries.zip(inner.chunks_exact(count)) {
                let half = &self.half[candidates.clone()];
                let row = q - b * BLOCK;
                if b == c {
                    // A row is not its own neighbour.
                    read_own(own, row, &inner[..row], &half[..row], candidates.start);
                    let after = row + 1;
                    let from = candidates.start + after;
                    read_own(own, row, &inner[after..], &half[after..], from);
                } else {
                    read_own(own, row, inner, half, candidates.start);
                    read_other(other, inner, self.half[q], q as u32);
                }
            }
        }
    }
}

/// Scores of candidates, numbered from `first`, for one row.
fn read_own(lists: &mut Lists, row: usize, inner: &[f32], half: &[f32], first: usize) {
    for (part, (inner, half)) in inner.chunks(SKIP).zip(half.chunks(SKIP)).enumerate() {
        let last = lists.last[row];
        let is_near = simd::dispatch(
            (inner, half, last),
            #[inline(always)]
            |(inner, half, last)| any(inner.len(), |l| inner[l] - half[l] >= last),
        );
        if is_near {
            for (at, (inner, half)) in inner.iter().zip(half).enumerate() {
                let score = inner - half;
                if score >= lists.last[row] {
                    lists.insert(row, score, (first + part * SKIP + at) as u32);
                }
            }
        }
    }
}

/// Scores of one candidate `j` for many rows.
fn read_other(lists: &mut Lists, inner: &[f32], half: f32, j: u32) {
    for (part, inner) in inner.chunks(SKIP).enumerate() {
        let from = part * SKIP;
        let last = &lists.last[from..from + inner.len()];
        let is_near = simd::dispatch(
            (inner, half, last),
            #[inline(always)]
            |(inner, half, last)| any(inner.len(), |l| inner[l] - half >= last[l]),
        );
        if is_near {
            for (at, inner) in inner.iter().enumerate() {
                let score = inner - half;
                if score >= lists.last[from + at] {
                    lists.insert(from + at, score, j);
                }
            }
        }
    }
}

/// Whether the condition holds for one of `0..len`, without branches.
#[inline(always)]
fn any(len: usize, condition: impl Fn(usize) -> bool) -> bool {
    let mut any = [false; LANES];
    let full = len / LANES * LANES;
    for from in (0..full).step_by(LANES) {
        for l in 0..LANES {
            any[l] |= condition(from + l);
        }
    }
    (full..len).for_each(|at| any[0] |= condition(at));
    any.into_iter().fold(false, |any, one| any | one)
}

/// Both lists of a row as one.
fn merge(a: &Lists, b: &Lists, row: usize) -> Vec<u32> {
    let room = a.room;
    let of = |lists: &Lists| -> Vec<(f32, u32)> {
        let range = row * room..(row + 1) * room;
        lists.score[range.clone()].iter().copied().zip(lists.index[range].iter().copied()).collect()
    };
    let mut all = of(a);
    all.extend(of(b));
    all.sort_by(|x, y| y.0.total_cmp(&x.0).then(x.1.cmp(&y.1)));
    all.into_iter().take(room).map(|(_, j)| j).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_sorting_finds() {
        // Small whole numbers: no rounding, and many ties. Odd and even numbers of blocks, and one that is not full.
        for n in [40, BLOCK + 1, 2 * BLOCK, 3 * BLOCK, 4 * BLOCK - 7] {
            let (dims, room) = (3, 9);
            let value = |i: usize, j: usize| ((i * 7 + j * 5 + i * i * (j + 1)) % 11) as f32 - 5.0;
            let rows: Vec<f32> = (0..n * dims).map(|at| value(at / dims, at % dims)).collect();
            let half: Vec<f32> = (0..n).map(|i| (i % 3) as f32).collect();
            let best = AllRows { rows: &rows, dims, half: &half }.best(room);
            for (i, list) in best.chunks(room).enumerate() {
                let score = |j: usize| (0..dims).map(|a| value(i, a) * value(j, a)).sum::<f32>() - half[j];
                let mut all: Vec<usize> = (0..n).filter(|&j| j != i).collect();
                all.sort_by(|&a, &b| score(b).total_cmp(&score(a)).then(a.cmp(&b)));
                let wanted: Vec<u32> = all[..room].iter().map(|&j| j as u32).collect();
                assert_eq!(list, wanted, "{n} {i}");
            }
        }
        let few = AllRows { rows: &[1.0, 2.0], dims: 1, half: &[0.0; 2] };
        assert_eq!(few.best(3), [1, NONE, NONE, 0, NONE, NONE]);
    }
}
