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
        let var = |name: &str, or: usize| std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(or);
        Self { cells: var("CM", 4) * n.isqrt(), budget: var("BUDGET", 4096), sweeps: var("SWEEPS", 2) }
    }
}

/// The graph of `k` near neighbours, `k < n`.
pub(super) fn search(points: Points<'_>, k: usize, effort: Effort) -> Graph {
    let n = points.len();
    let centre = points.centre();
    let t = ticks();
    let cells = Cells::of(points, &centre, effort.cells);
    eprintln!("partition {:?} cells {}", cpu(t), cells.len());
    let rows = Rows::of(points, &centre, |i| cells.order[i] as usize);
    eprintln!("copied {:?}", cpu(t));
    let (mut index, mut squared) = (vec![0; n * k], vec![0.0; n * k]);
    look_around(&rows, &cells, k, effort.budget, &mut index, &mut squared);
    eprintln!("looked {:?}", cpu(t));
    eprintln!("recall {:?}", recall(&rows, k, &squared));
    for _ in 0..effort.sweeps {
        let t = ticks();
        sweep(&rows, k, &mut index, &mut squared);
        eprintln!("swept {:?} recall {:?}", cpu(t), recall(&rows, k, &squared));
    }
    let recall = recall(&rows, k, &squared);
    drop(rows);
    let mut graph = Graph { k, index: vec![0; n * k], squared: vec![0.0; n * k], recall: Some(recall) };
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

fn ticks() -> f64 {
    let s = std::fs::read_to_string("/proc/self/stat").unwrap();
    let v: Vec<&str> = s.split_whitespace().collect();
    v[13].parse::<f64>().unwrap() / 100.0
}
fn cpu(t: f64) -> f64 {
    ticks() - t
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
