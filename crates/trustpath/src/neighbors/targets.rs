//! The nearest of some points to any number of others, which come later and in blocks.
//!
//! Plain nearest neighbours prefer hubs: points that are near to far too many others, and say little about any of them. A point is
//! therefore compared with what is near to *it* (Conneau et al., "Word translation without parallel data", 2018, after Jégou et al.):
//!
//! ```text
//! nearest   the largest ⟨q, xⱼ⟩ − sⱼ,       sⱼ the inner product of xⱼ with its own k-th neighbour
//! ```
//!
//! so that a point is near where it would be among the neighbours of that neighbour. Up to [`COMPARED_TARGETS`] points each
//! query is compared with all; beyond, with those of the cells around the nearest mean of a cell. What is found for a query depends
//! on that query alone: not on the others of its block, nor on the number of threads.

use rayon::prelude::*;

use super::partition::Cells;
use super::points::{Points, ascending, measure};
use super::scan::{self, NONE, SPARE, ScannedRows, Shortlists};
use crate::limits::{CELLS_PER_ROOT, COMPARED_TARGETS};
use crate::linalg::simd;
use crate::{Error, Result};

/// Queries that are compared together.
const QUERIES: usize = 256;
/// Means of cells that are measured again, so that rounding in products of blocks does not decide which is the nearest.
const MEANS: usize = 3;

/// Part of its squared length by which the inner product of a query with a target falls short of that where the two may coincide.
const NEAR: f32 = 1e-3;
/// Their squared distance, as a part of the squared length, up to which they do: that of roundings to half precision.
const COINCIDES: f32 = 1e-6;

/// Points that others are compared with.
#[derive(Debug, Clone)]
pub(crate) struct Targets {
    dims: usize,
    /// Cell by cell.
    values: Vec<f32>,
    /// What is subtracted from the score of each.
    shift: Vec<f32>,
    /// The number of each.
    number: Vec<u32>,
    /// The place of each number.
    place: Vec<u32>,
    means: Vec<f32>,
    half_means: Vec<f32>,
    /// Runs of places in the cells around each cell.
    around: Vec<Vec<std::ops::Range<usize>>>,
}

/// The nearest targets of some queries.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct NearestTargets {
    k: usize,
    /// Inner products and numbers, the highest score first; lists that are shorter end with [`NONE`].
    lists: Vec<(f32, u32)>,
}

impl NearestTargets {
    /// Inner product and number of the nearest targets of a query.
    pub fn of(&self, query: usize) -> impl Iterator<Item = (f32, usize)> + Clone {
        let list = &self.lists[query * self.k..(query + 1) * self.k];
        list.iter().take_while(|(_, j)| *j != NONE).map(|&(inner, j)| (inner, j as usize))
    }
}

impl Targets {
    /// Of row-major points, with what is subtracted from the score of each.
    ///
    /// # Errors
    /// As [`Points::new`].
    pub fn new(values: &[f32], dims: usize, shift: &[f32]) -> Result<Self> {
        let n = shift.len();
        let points = Points::new(values, n, dims)?;
        let few = n <= COMPARED_TARGETS;
        let count = if few { 1 } else { CELLS_PER_ROOT * n.isqrt() };
        let cells = Cells::of(points, &vec![0.0; dims], count);
        let (table, number) = (cells.table, cells.order);
        let around = |cell: usize| {
            let mut list = Vec::new();
            table.around(cell, dims, COMPARED_TARGETS, &mut list);
            list.sort_unstable();
            let mut runs: Vec<std::ops::Range<usize>> = Vec::new();
            for cell in list {
                let run = table.start[cell]..table.start[cell + 1];
                match runs.last_mut() {
                    Some(last) if last.end == run.start => last.end = run.end,
                    _ => runs.push(run),
                }
            }
            runs
        };
        let around = (0..table.len()).into_par_iter().map(around).collect();
        let mut place = vec![0; n];
        number.iter().enumerate().for_each(|(at, &j)| place[j as usize] = at as u32);
        Ok(Self {
            dims,
            values: number.iter().flat_map(|&j| points.row(j as usize)).copied().collect(),
            shift: number.iter().map(|&j| shift[j as usize]).collect(),
            half_means: half_squares(&table.means, dims),
            means: table.means,
            around,
            place,
            number,
        })
    }

    /// The same targets with other values that are subtracted from their scores.
    pub fn shifted(mut self, shift: &[f32]) -> Self {
        self.shift = self.number.iter().map(|&j| shift[j as usize]).collect();
        self
    }

    /// The `k` nearest of each query, row-major. A query may be one of the targets: `own` is then the number of that one, which is
    /// left out. Where that is not known, one target that coincides with the query is.
    ///
    /// # Errors
    /// [`Error::Dimensions`] for queries of other dimensions.
    pub fn nearest(
        &self,
        queries: &[f32],
        k: usize,
        own: impl Fn(usize) -> Option<usize> + Sync,
    ) -> Result<NearestTargets> {
        let dims = self.dims;
        if !queries.len().is_multiple_of(dims) {
            return Err(Error::Dimensions { expected: dims, given: queries.len() % dims });
        }
        let count = queries.len() / dims;
        let cell = self.nearest_cells(queries);
        let mut order: Vec<u32> = (0..count as u32).collect();
        order.sort_unstable_by_key(|&q| (cell[q as usize], q));
        // Queries of one cell, not too many of them together.
        let same = |a: &u32, b: &u32| cell[*a as usize] == cell[*b as usize];
        let groups: Vec<&[u32]> = order.chunk_by(same).flat_map(|group| group.chunks(QUERIES)).collect();
        let own = |q: u32| own(q as usize).map_or(NONE, |j| self.place[j]);
        let compare = |(best, rows): &mut (Shortlists, Vec<f32>), group: &&[u32]| {
            rows.clear();
            let row = |q: u32| &queries[q as usize * dims..(q as usize + 1) * dims];
            group.iter().for_each(|&q| rows.extend_from_slice(row(q)));
            best.clear(group.len(), k + SPARE);
            for run in &self.around[cell[group[0] as usize] as usize] {
                let candidates = ScannedRows {
                    rows: &self.values[run.start * dims..run.end * dims],
                    dims,
                    half: &self.shift[run.clone()],
                    first: run.start as u32,
                };
                best.scan(rows, candidates, |at| own(group[at]));
            }
            let list = |(at, &q): (usize, &u32)| self.settle(row(q), best.of(at), k, own(q) == NONE);
            group.iter().enumerate().flat_map(list).collect::<Vec<(f32, u32)>>()
        };
        let lists_of_groups: Vec<Vec<(f32, u32)>> = groups.par_iter().map_init(Default::default, compare).collect();
        let mut lists = vec![(0.0, NONE); count * k];
        let of_queries = lists_of_groups.iter().flat_map(|lists| lists.chunks_exact(k));
        for (list, &q) in of_queries.zip(&order) {
            lists[q as usize * k..(q as usize + 1) * k].copy_from_slice(list);
        }
        Ok(NearestTargets { k, lists })
    }

    /// The cell whose mean is nearest to each query.
    fn nearest_cells(&self, queries: &[f32]) -> Vec<u32> {
        let dims = self.dims;
        let mut nearest = vec![0; queries.len() / dims];
        if self.around.len() == 1 {
            return nearest;
        }
        let row = |q: usize| &queries[q * dims..(q + 1) * dims];
        let candidates = ScannedRows { rows: &self.means, dims, half: &self.half_means, first: 0 };
        scan::search(
            &mut nearest,
            1,
            MEANS,
            candidates,
            |q, to| to.copy_from_slice(row(q)),
            |_| NONE,
            |q, shortlist, nearest| {
                let mut far: Vec<(f32, u32)> = shortlist.iter().map(|&m| (0.0, m)).collect();
                measure(row(q), &self.means, &mut far);
                nearest[0] = far.into_iter().min_by(ascending).map_or(0, |(_, m)| m);
            },
        );
        nearest
    }

    /// Measures a shortlist of places again, in an order of summation that does not depend on blocks, and keeps the nearest; but for one
    /// that coincides with the query, if the query may be one of the targets.
    fn settle(&self, query: &[f32], shortlist: &[u32], k: usize, may_coincide: bool) -> Vec<(f32, u32)> {
        let dims = self.dims;
        let row = |at: u32| &self.values[at as usize * dims..(at as usize + 1) * dims];
        let mut measured: Vec<(f32, f32, u32)> = shortlist
            .iter()
            .map(|&at| {
                let inner = simd::dispatch(
                    (query, row(at)),
                    #[inline(always)]
                    |(a, b)| inner_product(a, b),
                );
                (inner - self.shift[at as usize], inner, self.number[at as usize])
            })
            .collect();
        measured.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.2.cmp(&b.2)));
        let square: f32 = query.iter().map(|v| v * v).sum();
        let coincides = |&(_, inner, j): &(f32, f32, u32)| {
            let mut far = [(0.0, self.place[j as usize])];
            let near = may_coincide && inner > (1.0 - NEAR) * square;
            if near {
                measure(query, &self.values, &mut far);
            }
            near && far[0].0 <= COINCIDES * square
        };
        if let Some(at) = measured.iter().position(coincides) {
            measured.remove(at);
        }
        measured.resize(k, (0.0, 0.0, NONE));
        measured.into_iter().map(|(_, inner, j)| (inner, j)).collect()
    }
}

/// `½‖x‖²` of every row.
fn half_squares(rows: &[f32], dims: usize) -> Vec<f32> {
    let half = |row: &[f32]| 0.5 * row.iter().map(|v| v * v).sum::<f32>();
    rows.chunks_exact(dims).map(half).collect()
}

/// `Σᵢ aᵢ bᵢ`, in a fixed order of lanes.
#[inline(always)]
fn inner_product(a: &[f32], b: &[f32]) -> f32 {
    const LANES: usize = 16;
    let (a16, b16) = (a.chunks_exact(LANES), b.chunks_exact(LANES));
    let tail: f32 = a16.remainder().iter().zip(b16.remainder()).map(|(a, b)| a * b).sum();
    let mut lanes = [0.0f32; LANES];
    for (a, b) in a16.zip(b16) {
        for l in 0..LANES {
            lanes[l] = a[l].mul_add(b[l], lanes[l]);
        }
    }
    lanes.iter().sum::<f32>() + tail
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    fn points(n: usize, dims: usize, stream: u64) -> Vec<f32> {
        let mut random = Random::stream(5, stream);
        let row = |i: usize, random: &mut Random| -> Vec<f32> {
            let mut row: Vec<f32> = (0..dims).map(|_| random.normal() as f32).collect();
            row[i % dims] += 4.0;
            let norm = row.iter().map(|v| v * v).sum::<f32>().sqrt();
            row.iter().map(|v| v / norm).collect()
        };
        (0..n).flat_map(|i| row(i * i % 31, &mut random)).collect()
    }

    fn exact(values: &[f32], dims: usize, shift: &[f32], query: &[f32], k: usize) -> Vec<usize> {
        let score = |j: usize| {
            let inner = values[j * dims..(j + 1) * dims].iter().zip(query).map(|(a, b)| a * b);
            inner.sum::<f32>() - shift[j]
        };
        let mut all: Vec<usize> = (0..shift.len()).collect();
        all.sort_by(|&a, &b| score(b).total_cmp(&score(a)));
        all.truncate(k);
        all
    }

    #[test]
    fn nearly_all_of_the_nearest_are_found_whatever_the_blocks_and_the_threads() {
        let (dims, k) = (12, 6);
        for n in [5, 900, 3 * COMPARED_TARGETS] {
            let values = points(n, dims, 0);
            let shift: Vec<f32> = (0..n).map(|i| 0.1 * ((i * 7) as f32).sin()).collect();
            let targets = Targets::new(&values, dims, &shift).unwrap();
            let queries = points(700, dims, 1);
            let nearest = targets.nearest(&queries, k, |_| None).unwrap();
            let mut same = 0;
            for (q, query) in queries.chunks(dims).enumerate() {
                let exact = exact(&values, dims, &shift, query, k);
                same += nearest.of(q).filter(|(_, j)| exact.contains(j)).count();
            }
            assert!(same * 100 >= 97 * 700 * k.min(n), "{n}: {same}");
            let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
            for block in [1, 77, 512] {
                let parts = pool.install(|| {
                    let of_block = |queries| targets.nearest(queries, k, |_| None).unwrap().lists;
                    queries.chunks(block * dims).flat_map(of_block).collect::<Vec<_>>()
                });
                assert_eq!(parts, nearest.lists);
            }
        }
    }

    #[test]
    fn a_target_is_not_its_own_neighbour() {
        let values = points(40, 5, 2);
        let targets = Targets::new(&values, 5, &[0.0; 40]).unwrap();
        let nearest = targets.nearest(&values, 3, Some).unwrap();
        assert!((0..40).all(|q| nearest.of(q).count() == 3 && nearest.of(q).all(|(_, j)| j != q)));
        assert!(matches!(targets.nearest(&values[1..], 3, Some), Err(Error::Dimensions { .. })));
    }
}
