//! Near neighbours of very many points: searched in the cells around each, then among neighbours of neighbours.
//!
//! 1. The points are sorted into about `4 √n` cells (`partition.rs`), and copied in the order of the cells.
//! 2. The points of a cell are compared with those of the nearest cells, as many as hold [`Effort::budget`] points,
//!    by matrix products (`scan.rs`). This finds most neighbours, but near the border of a cell some lie in a cell that was
//!    too far away to be searched.
//! 3. Sweeps over neighbours of neighbours find most of these (`refine.rs`).
//! 4. For a thousand points the exact neighbours are computed, which gives the share that was found.
//!
//! All of this is a function of the points alone: the same for any number of threads.

use std::ops::Range;

use rayon::prelude::*;

use super::Neighbors;
use super::exact::{among_all, measure_shortlist};
use super::partition::{CellTable, Cells};
use super::points::{CentredPoints, Points, ascending};
use super::refine::{Halo, Refinement};
use super::scan::{SPARE, ScannedRows, Shortlists};
use crate::limits::{COMPARED, RECALL_POINTS, TWO_SWEEPS};

/// How thorough the search is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Effort {
    /// Number of cells.
    pub cells: usize,
    /// Smallest number of points that each point is compared with.
    pub budget: usize,
    /// Sweeps over neighbours of neighbours.
    pub sweeps: usize,
}

impl Effort {
    pub fn of(n: usize) -> Self {
        Self { cells: 4 * n.isqrt(), budget: COMPARED, sweeps: 1 + usize::from(n <= TWO_SWEEPS) }
    }

    /// Points that the cells around a point hold at least: enough for `k` neighbours of each.
    pub fn budget_for(self, k: usize) -> usize {
        // Points other than the point itself.
        self.budget.max(k + SPARE + 1)
    }
}

/// The graph of `k` near neighbours, `k < n`.
pub(super) fn search(points: Points<'_>, k: usize, effort: Effort) -> Neighbors {
    let centre = points.centre();
    let cells = Cells::of(points, &centre, effort.cells);
    let points = CentredPoints::of(points, &centre, |i| cells.order[i] as usize);
    let table = &cells.table;
    let own = 0..table.len();
    let lists = search_around(&points, table, own, |cell| table.start[cell], k, effort);
    let mut refinement = Refinement::new(&points, k, lists);
    (0..effort.sweeps).for_each(|_| refinement.sweep(&Halo::default()));
    let lists = refinement.lists;
    let recall = recall(&points, k, &lists);
    drop(points);
    // From the order of the cells back to that of the points.
    let mut ordered = vec![(0.0, 0); lists.len()];
    for (list, &i) in lists.chunks_exact(k).zip(&cells.order) {
        let to = &mut ordered[i as usize * k..(i as usize + 1) * k];
        for (to, &(far, j)) in to.iter_mut().zip(list) {
            *to = (far, cells.order[j as usize]);
        }
        to.sort_unstable_by(ascending);
    }
    drop(lists);
    Neighbors::from_lists(k, &ordered, Some(recall))
}

/// Compares the points of these cells with those of the cells around each. `place` is where the points of a cell begin among
/// `points`, of which those of the first of these cells are the first.
pub(super) fn search_around(
    points: &CentredPoints,
    table: &CellTable,
    own: Range<usize>,
    place: impl Fn(usize) -> usize + Sync,
    k: usize,
    effort: Effort,
) -> Vec<(f32, u32)> {
    let (dims, n) = (points.dims, table.points());
    let budget = effort.budget_for(k);
    let size = |cell: usize| table.start[cell + 1] - table.start[cell];
    let mut lists = vec![(0.0, 0); own.clone().map(size).sum::<usize>() * k];
    let mut parts = Vec::with_capacity(own.len());
    let mut rest = &mut lists[..];
    for cell in own {
        let (part, after) = rest.split_at_mut(size(cell) * k);
        parts.push((cell, part));
        rest = after;
    }
    parts.into_par_iter().for_each_init(
        || (Shortlists::default(), Vec::new()),
        |(best, around), (cell, lists)| {
            let (from, to) = (place(cell), place(cell) + size(cell));
            best.clear(to - from, (k + SPARE).min(n - 1));
            around.clear();
            table.around(cell, dims, budget, around);
            for &other in &*around {
                let (first, end) = (place(other), place(other) + size(other));
                let rows = &points.values[first * dims..end * dims];
                let (half, first) = (&points.half[first..end], first as u32);
                let queries = &points.values[from * dims..to * dims];
                best.scan(queries, ScannedRows { rows, dims, half, first }, |q| (from + q) as u32);
            }
            for (q, list) in lists.chunks_exact_mut(k).enumerate() {
                measure_shortlist(points, from + q, best.of(q), list);
            }
        },
    );
    lists
}

/// The share of the `k` nearest that lists hold, over evenly spread points; neighbours at the distance of the `k`-th count.
pub(super) fn recall(points: &CentredPoints, k: usize, lists: &[(f32, u32)]) -> f64 {
    let n = points.len();
    let count = RECALL_POINTS.min(n);
    let which: Vec<usize> = (0..count).map(|at| at * n / count).collect();
    let nearest = among_all(points, &which, k);
    let mut hits = 0;
    for (&i, nearest) in which.iter().zip(nearest.chunks_exact(k)) {
        let list = &lists[i * k..(i + 1) * k];
        hits += list.iter().filter(|(distance, _)| *distance <= nearest[k - 1].0).count();
    }
    hits as f64 / (count * k) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Error;
    use crate::neighbors::Search;
    use crate::random::mix;

    fn uniform(at: u64) -> f32 {
        (mix(at) >> 40) as f32 / (1u64 << 24) as f32 - 0.5
    }

    /// Clusters of very different sizes, half of the coordinates being noise.
    fn clusters(n: usize, dims: usize) -> Vec<f32> {
        (0..n * dims)
            .map(|at| {
                let (i, j) = (at / dims, at % dims);
                let cluster = (mix(i as u64) % 400).isqrt();
                let width = if j < dims / 2 { 1.0 } else { 0.2 };
                4.0 * uniform(cluster * 1000 + j as u64) + width * uniform(7 << 40 | at as u64)
            })
            .collect()
    }

    fn brute_force(values: &[f32], dims: usize, extra: &[f32], i: usize) -> Vec<(f64, u32)> {
        let row = |i: usize| &values[i * dims..(i + 1) * dims];
        let mut all: Vec<(f64, u32)> = (0..values.len() / dims)
            .filter(|&j| j != i)
            .map(|j| {
                let apart = row(i).iter().zip(row(j)).map(|(a, b)| f64::from(a - b).powi(2));
                (apart.sum::<f64>() + f64::from(extra[i]) + f64::from(extra[j]), j as u32)
            })
            .collect();
        all.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        all
    }

    fn same_as_brute_force(graph: &Neighbors, values: &[f32], dims: usize, extra: &[f32]) {
        for i in 0..graph.len() {
            let all = brute_force(values, dims, extra, i);
            let nearest = &all[..graph.k()];
            let lists = graph.list(i).iter().zip(graph.squared_distances(i));
            for ((&j, &squared), &(distance, expected)) in lists.zip(nearest) {
                assert!((squared - distance).abs() <= 1e-5 * (1.0 + distance));
                // Another one is right where both are equally far up to rounding.
                let theirs = all.iter().find(|(_, other)| *other == j).map(|(d, _)| *d);
                let apart = theirs.map(|theirs| (theirs - distance).abs());
                assert!(j == expected || apart.is_some_and(|a| a <= 1e-5 * (1.0 + distance)));
            }
        }
    }

    #[test]
    fn searching_every_cell_is_brute_force() {
        let (n, dims) = (700, 19);
        // Far from the origin, where inner products alone would have few digits left.
        let values: Vec<f32> = clusters(n, dims).iter().map(|v| v + 100.0).collect();
        let points = Points::new(&values, n, dims).unwrap();
        let effort = Effort { cells: 40, budget: n, sweeps: 0 };
        let none = vec![0.0; n];
        let graph = search(points, 7, effort);
        assert_eq!(graph.recall(), Some(1.0));
        same_as_brute_force(&graph, &values, dims, &none);
        let exact = Neighbors::search(points, 7, Search::Exact).unwrap();
        assert_eq!((exact.len(), exact.recall()), (n, None));
        same_as_brute_force(&exact, &values, dims, &none);

        let extra: Vec<f32> = (0..n).map(|i| 2.0 * (uniform(i as u64) + 0.5)).collect();
        let points = points.with_extra(&extra).unwrap();
        same_as_brute_force(&search(points, 7, effort), &values, dims, &extra);
        let exact = Neighbors::search(points, 7, Search::Exact).unwrap();
        same_as_brute_force(&exact, &values, dims, &extra);
    }

    #[test]
    fn finds_most_neighbours_of_many_points() {
        let (n, dims) = (20_000, 32);
        let values = clusters(n, dims);
        let points = Points::new(&values, n, dims).unwrap();
        let effort = Effort { budget: 1024, ..Effort::of(n) };
        let without = search(points, 10, Effort { sweeps: 0, ..effort });
        let graph = search(points, 10, effort);
        let exact = Neighbors::search(points, 10, Search::Exact).unwrap();
        let mut hits = 0;
        for i in 0..n {
            let list = exact.list(i);
            hits += graph.list(i).iter().filter(|j| list.contains(j)).count();
        }
        let share = hits as f64 / (n * 10) as f64;
        let recall = graph.recall().unwrap();
        assert!(share >= 0.95 && (recall - share).abs() < 0.01, "{share} {recall}");
        assert!(without.recall().unwrap() < recall - 0.01, "{:?} {recall}", without.recall());
    }

    #[test]
    fn sorts_out_copies() {
        let (n, k) = (6000, 5);
        // Every other point is one and the same; the others come in threes.
        let values: Vec<f32> = (0..n)
            .flat_map(|i| match i % 2 {
                0 => [1.0, 2.0, 3.0],
                _ => [uniform(i as u64 / 6), uniform(i as u64 / 6 + 9000), 0.0],
            })
            .collect();
        let points = Points::new(&values, n, 3).unwrap();
        let graph = search(points, k, Effort { cells: 300, budget: 1000, sweeps: 1 });
        for i in 0..n {
            let mut list = graph.list(i).to_vec();
            let zeros = graph.squared_distances(i).iter().filter(|&&d| d == 0.0).count();
            assert_eq!(zeros, if i % 2 == 0 { k } else { 2 });
            list.sort_unstable();
            list.dedup();
            assert!(list.len() == k && !list.contains(&(i as u32)));
        }
        let same = vec![1.5; 4000 * 2];
        let points = Points::new(&same, 4000, 2).unwrap();
        let graph = search(points, k, Effort::of(4000));
        assert_eq!(graph.recall(), Some(1.0));
        assert!(graph.squared.iter().all(|&d| d == 0.0));
    }

    #[test]
    fn as_many_neighbours_as_there_are() {
        let values = clusters(12, 3);
        let points = Points::new(&values, 12, 3).unwrap();
        for cells in [1, 5, 12] {
            let graph = search(points, 11, Effort { cells, budget: 1, sweeps: 2 });
            same_as_brute_force(&graph, &values, 3, &[0.0; 12]);
        }
        let error = Neighbors::search(points, 12, Search::Auto).unwrap_err();
        assert_eq!(error, Error::TooFewForNeighbors { rows: 12, neighbors: 12 });
        let graph = Neighbors::search(points, 11, Search::Auto).unwrap();
        same_as_brute_force(&graph, &values, 3, &[0.0; 12]);
    }

    #[test]
    fn the_number_of_threads_does_not_matter() {
        let (n, dims) = (3000, 20);
        let values = clusters(n, dims);
        let effort = Effort { cells: 100, budget: 200, sweeps: 2 };
        let with = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let points = Points::new(&values, n, dims).unwrap();
                let exact = Neighbors::search(points, 6, Search::Exact).unwrap();
                (search(points, 6, effort), exact)
            })
        };
        assert_eq!(with(1), with(3));
    }

    #[test]
    fn refuses_what_has_no_distance() {
        assert!(matches!(Points::new(&[], 0, 2), Err(Error::Empty { .. })));
        assert!(matches!(Points::new(&[1.0; 5], 2, 3), Err(Error::Shape { .. })));
        assert!(matches!(Points::new(&[1.0, f32::NAN], 1, 2), Err(Error::NotFinite { .. })));
        assert!(matches!(Points::new(&[1e30, 0.0], 1, 2), Err(Error::Parameter { .. })));
        let points = Points::new(&[1.0, 2.0], 2, 1).unwrap();
        assert!(matches!(points.with_extra(&[0.0]), Err(Error::Shape { .. })));
        assert!(matches!(points.with_extra(&[0.0, -1.0]), Err(Error::Parameter { .. })));
        assert!(matches!(points.with_extra(&[0.0, f32::NAN]), Err(Error::Parameter { .. })));
    }
}
