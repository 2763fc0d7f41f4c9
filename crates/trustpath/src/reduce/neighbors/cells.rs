//! Near neighbours of very many points: looked for in the cells around, then among neighbours of neighbours.
//!
//! 1. The points are sorted into about `4 √n` cells (`partition.rs`), and copied in the order of the cells.
//! 2. The points of a cell are compared with those of the nearest cells, as many as hold [`Effort::budget`] points,
//!    by matrix products (`linalg/scan.rs`). This finds most neighbours, but near the border of a cell some lie in a
//!    cell that was too far to be looked at.
//! 3. Sweeps over neighbours of neighbours find most of these (`refine.rs`).
//! 4. For a thousand points all neighbours are looked up among all, which tells the share that was found.
//!
//! All of this is a function of the points alone: the same for any number of threads.

use rayon::prelude::*;

use super::graph::{Graph, exact_lists, settle};
use super::partition::Cells;
use super::points::{Points, Rows};
use super::refine::sweep;
use crate::linalg::scan::{Candidates, SPARE, Shortlists};

/// Points whose neighbours are looked up among all.
const CHECKED: usize = 1000;

/// Cells of average size that are looked at around each.
const AROUND: usize = 64;

/// How hard to look.
#[derive(Debug, Clone, Copy)]
pub(super) struct Effort {
    /// Number of cells.
    pub cells: usize,
    /// Points that each is compared with at least.
    pub budget: usize,
    /// Sweeps over neighbours of neighbours.
    pub sweeps: usize,
}

impl Effort {
    pub fn of(n: usize) -> Self {
        let cells = 4 * n.isqrt();
        Self { cells, budget: AROUND * n.div_ceil(cells), sweeps: 2 }
    }
}

/// The graph of `k` near neighbours, `k < n`.
pub(super) fn search(points: Points<'_>, k: usize, effort: Effort) -> Graph {
    let n = points.len();
    let centre = points.centre();
    let cells = Cells::of(points, &centre, effort.cells);
    let rows = Rows::of(points, &centre, |i| cells.order[i] as usize);
    let (mut index, mut squared) = (vec![0; n * k], vec![0.0; n * k]);
    look_around(&rows, &cells, k, effort.budget, &mut index, &mut squared);
    for _ in 0..effort.sweeps {
        sweep(&rows, k, &mut index, &mut squared);
    }
    let recall = recall(&rows, k, &squared);
    drop(rows);
    let mut graph =
        Graph { k, index: vec![0; n * k], squared: vec![0.0; n * k], recall: Some(recall) };
    let mut list = Vec::with_capacity(k);
    for (at, &i) in cells.order.iter().enumerate() {
        let from = at * k..(at + 1) * k;
        let found = index[from.clone()].iter().map(|&j| cells.order[j as usize]);
        list.clear();
        list.extend(squared[from].iter().copied().zip(found));
        list.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        for (slot, &(distance, j)) in list.iter().enumerate() {
            graph.index[i as usize * k + slot] = j;
            graph.squared[i as usize * k + slot] = distance;
        }
    }
    graph
}

/// Compares the points of every cell with those of the cells around.
fn look_around(
    rows: &Rows,
    cells: &Cells,
    k: usize,
    budget: usize,
    index: &mut [u32],
    squared: &mut [f32],
) {
    let dims = rows.dims;
    // Every list gets its k neighbours: the cells looked at hold as many besides the point itself.
    let budget = budget.max(k + SPARE + 1).min(rows.len());
    let mut parts = Vec::with_capacity(cells.len());
    let (mut index, mut squared) = (index, squared);
    for cell in cells.start.windows(2) {
        let count = (cell[1] - cell[0]) * k;
        let (here, rest) = std::mem::take(&mut index).split_at_mut(count);
        let (there, far) = std::mem::take(&mut squared).split_at_mut(count);
        parts.push((here, there));
        (index, squared) = (rest, far);
    }
    parts.into_par_iter().enumerate().for_each_init(
        || (Shortlists::default(), Vec::new()),
        |(best, around), (cell, (index, squared))| {
            let (from, to) = (cells.start[cell], cells.start[cell + 1]);
            best.clear(to - from, (k + SPARE).min(rows.len() - 1));
            around.clear();
            cells.around(cell, dims, budget, around);
            for &other in &*around {
                let (first, end) = (cells.start[other], cells.start[other + 1]);
                let candidates = Candidates {
                    rows: &rows.values[first * dims..end * dims],
                    half: &rows.half[first..end],
                    first: first as u32,
                };
                let queries = &rows.values[from * dims..to * dims];
                best.scan(queries, dims, candidates, |q| (from + q) as u32);
            }
            let lists = index.chunks_exact_mut(k).zip(squared.chunks_exact_mut(k));
            for (q, (index, squared)) in lists.enumerate() {
                settle(rows, from + q, best.of(q), index, squared);
            }
        },
    );
}

/// The share of the `k` nearest that lists hold, over evenly spread points; what is as near as the last of them counts.
fn recall(rows: &Rows, k: usize, squared: &[f32]) -> f64 {
    let n = rows.len();
    let count = CHECKED.min(n);
    let which: Vec<usize> = (0..count).map(|at| at * n / count).collect();
    let (mut index, mut nearest) = (vec![0; count * k], vec![0.0; count * k]);
    exact_lists(rows, &which, k, &mut index, &mut nearest);
    let mut found = 0;
    for (&i, nearest) in which.iter().zip(nearest.chunks_exact(k)) {
        let list = &squared[i * k..(i + 1) * k];
        found += list.iter().filter(|&&distance| distance <= nearest[k - 1]).count();
    }
    found as f64 / (count * k) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Error;
    use crate::random::mix;
    use crate::reduce::neighbors::{Neighbors, Search};

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

    fn same_as_brute_force(graph: &Graph, values: &[f32], dims: usize, extra: &[f32]) {
        for i in 0..graph.len() {
            let all = brute_force(values, dims, extra, i);
            let nearest = &all[..graph.k()];
            let lists = graph.indices(i).iter().zip(graph.squared_distances(i));
            for ((&j, &squared), &(distance, expected)) in lists.zip(nearest) {
                assert!((f64::from(squared) - distance).abs() <= 1e-5 * (1.0 + distance));
                // Another one is right where both are equally far up to rounding.
                let theirs = all.iter().find(|(_, other)| *other == j).map(|(d, _)| *d);
                let apart = theirs.map(|theirs| (theirs - distance).abs());
                assert!(j == expected || apart.is_some_and(|a| a <= 1e-5 * (1.0 + distance)));
            }
        }
    }

    #[test]
    fn everything_looked_at_is_brute_force() {
        let (n, dims) = (700, 19);
        // Far from the origin, where inner products alone would have few digits left.
        let values: Vec<f32> = clusters(n, dims).iter().map(|v| v + 100.0).collect();
        let points = Points::new(&values, n, dims).unwrap();
        let effort = Effort { cells: 40, budget: n, sweeps: 0 };
        let none = vec![0.0; n];
        let graph = search(points, 7, effort);
        assert_eq!(graph.recall(), Some(1.0));
        same_as_brute_force(&graph, &values, dims, &none);
        let exact = Graph::of(points, 7, Search::Exact).unwrap();
        assert_eq!((exact.len(), exact.recall()), (n, None));
        same_as_brute_force(&exact, &values, dims, &none);

        let extra: Vec<f32> = (0..n).map(|i| 2.0 * (uniform(i as u64) + 0.5)).collect();
        let points = points.with_extra(&extra).unwrap();
        same_as_brute_force(&search(points, 7, effort), &values, dims, &extra);
        let exact = Graph::of(points, 7, Search::Exact).unwrap();
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
        let exact = Graph::of(points, 10, Search::Exact).unwrap();
        let mut found = 0;
        for i in 0..n {
            let list = exact.indices(i);
            found += graph.indices(i).iter().filter(|j| list.contains(j)).count();
        }
        let share = found as f64 / (n * 10) as f64;
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
            let mut list = graph.indices(i).to_vec();
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
        let error = Graph::of(points, 12, Search::Auto).unwrap_err();
        assert_eq!(error, Error::TooFewForNeighbors { rows: 12, neighbors: 12 });
        let graph = Graph::of(points, 11, Search::Auto).unwrap();
        let neighbors = Neighbors::from(&graph);
        assert_eq!(neighbors.indices(3)[0], graph.indices(3)[0] as usize);
        assert_eq!(neighbors.squared_distances(3)[4], f64::from(graph.squared_distances(3)[4]));
    }

    #[test]
    fn threads_do_not_show() {
        let (n, dims) = (3000, 20);
        let values = clusters(n, dims);
        let effort = Effort { cells: 100, budget: 200, sweeps: 2 };
        let with = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let points = Points::new(&values, n, dims).unwrap();
                let exact = Graph::of(points, 6, Search::Exact).unwrap();
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
