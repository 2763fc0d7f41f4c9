//! Nearest neighbours of points in single precision: exact, or for very many nearly so.

use rayon::prelude::*;

use super::cells::{self, Effort};
use super::points::{Points, Rows};
use super::{Neighbors, check_positive};
use crate::linalg::scan::{Candidates, QUERIES, SPARE, Shortlists};
use crate::{Error, Result};

/// Points up to which everyone is compared with everyone.
pub const EXACT_POINTS: usize = 20_000;

/// How to look for neighbours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Search {
    /// Exactly up to [`EXACT_POINTS`] points, and beyond in the cells around each.
    #[default]
    Auto,
    /// Everyone among everyone, in time that grows with the square of the number of points.
    Exact,
    /// In the cells around each, however few points there are.
    Cells,
}

/// The `k` nearest neighbours of each of `n` points, by number of the point and squared distance, in single precision.
///
/// Neighbours are in ascending distance, equal distances in ascending number, and no point is its own neighbour.
#[derive(Debug, Clone, PartialEq)]
pub struct Graph {
    pub(super) k: usize,
    pub(super) index: Vec<u32>,
    pub(super) squared: Vec<f32>,
    pub(super) recall: Option<f64>,
}

impl Graph {
    /// The `k` nearest neighbours of each of the points.
    ///
    /// Distances are measured in single precision. Candidates come from inner products of that precision, so that an
    /// exact search may miss a neighbour only where squared distances agree to about six digits of squared lengths.
    ///
    /// # Errors
    /// [`Error::TooFewForNeighbors`] unless there are more than `k` points, [`Error::Parameter`] for `k = 0`.
    pub fn of(points: Points<'_>, k: usize, search: Search) -> Result<Self> {
        let n = points.len();
        check_positive("neighbors", k)?;
        if n <= k {
            return Err(Error::TooFewForNeighbors { rows: n, neighbors: k });
        }
        if search == Search::Cells || search == Search::Auto && n > EXACT_POINTS {
            return Ok(cells::search(points, k, Effort::of(n)));
        }
        let rows = Rows::of(points, &points.centre(), |i| i);
        let all: Vec<usize> = (0..n).collect();
        let (mut index, mut squared) = (vec![0; n * k], vec![0.0; n * k]);
        exact_lists(&rows, &all, k, &mut index, &mut squared);
        Ok(Self { k, index, squared, recall: None })
    }

    /// Number of points.
    pub fn len(&self) -> usize {
        self.index.len() / self.k
    }

    /// Never true: a graph without points cannot be built.
    pub fn is_empty(&self) -> bool {
        self.index.is_empty()
    }

    /// Neighbours of each point.
    pub fn k(&self) -> usize {
        self.k
    }

    /// The neighbours of point `i`, nearest first.
    pub fn indices(&self, i: usize) -> &[u32] {
        &self.index[i * self.k..(i + 1) * self.k]
    }

    /// Their squared distances.
    pub fn squared_distances(&self, i: usize) -> &[f32] {
        &self.squared[i * self.k..(i + 1) * self.k]
    }

    /// The share of the `k` nearest that was found, measured on a thousand points; `None` for an exact search.
    pub fn recall(&self) -> Option<f64> {
        self.recall
    }
}

impl From<&Graph> for Neighbors {
    fn from(graph: &Graph) -> Self {
        Self {
            k: graph.k,
            index: graph.index.iter().map(|&j| j as usize).collect(),
            squared: graph.squared.iter().map(|&v| f64::from(v)).collect(),
        }
    }
}

/// Writes the `k` nearest among all rows of each of the rows named.
pub(super) fn exact_lists(
    rows: &Rows,
    which: &[usize],
    k: usize,
    index: &mut [u32],
    squared: &mut [f32],
) {
    let dims = rows.dims;
    let candidates = Candidates { rows: &rows.values, half: &rows.half, first: 0 };
    let lists = index.par_chunks_mut(QUERIES * k).zip(squared.par_chunks_mut(QUERIES * k));
    which.par_chunks(QUERIES).zip(lists).for_each_init(
        || (Shortlists::default(), Vec::new()),
        |(best, queries), (which, (index, squared))| {
            queries.clear();
            which.iter().for_each(|&i| queries.extend_from_slice(rows.row(i)));
            best.clear(which.len(), (k + SPARE).min(rows.len() - 1));
            best.scan(queries, dims, candidates, |q| which[q] as u32);
            let lists = index.chunks_exact_mut(k).zip(squared.chunks_exact_mut(k));
            for ((q, &i), (index, squared)) in which.iter().enumerate().zip(lists) {
                settle(rows, i, best.of(q), index, squared);
            }
        },
    );
}

/// Measures a shortlist and writes the nearest of it, nearest first; there must be enough.
pub(super) fn settle(
    rows: &Rows,
    i: usize,
    shortlist: &[u32],
    index: &mut [u32],
    squared: &mut [f32],
) {
    let mut measured: Vec<(f32, u32)> = shortlist.iter().map(|&j| (0.0, j)).collect();
    rows.measure(i, &mut measured);
    measured.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    for ((index, squared), (distance, j)) in index.iter_mut().zip(squared).zip(measured) {
        (*index, *squared) = (j, distance);
    }
}
