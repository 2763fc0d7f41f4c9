//! How many of the true neighbours a graph has, measured on a few instances with all their features.

use faer::MatRef;
use rayon::prelude::*;

use super::kept::STRIP;
use super::smoothing::NEIGHBORS;
use crate::limits::RECALL_ROWS;
use crate::linalg::block::multiply;
use crate::power::power;
use crate::{Features, Instances, Matrix, Result};

/// Instances whose exact neighbours are computed, to see which share of them the graph has.
#[derive(Debug, Clone)]
pub struct RecallSample {
    /// Their rows.
    pub rows: Vec<usize>,
    /// Their features, powered, one row each.
    x: Matrix,
    /// Inner product and row of the nearest of each so far, nearest first.
    pub nearest: Vec<Vec<(f64, usize)>>,
}

impl RecallSample {
    /// The rows of a pool of this size that are compared with all others.
    pub fn rows(n: usize) -> Vec<usize> {
        let count = RECALL_ROWS.min(n);
        (0..count).map(|k| k * n / count).collect()
    }

    /// These rows of a pool, whose features come in the same order.
    ///
    /// # Errors
    /// [`Error::ZeroVector`](crate::Error::ZeroVector).
    pub fn new(rows: Vec<usize>, features: &Features<'_>, signed: bool) -> Result<Self> {
        Ok(Self::of_instances(rows, features.normalize()?, signed))
    }

    /// Of the pool itself.
    pub(super) fn of(features: &Features<'_>, signed: bool) -> Result<Self> {
        let rows = Self::rows(features.rows());
        let instances = features.gather(rows.iter().copied())?;
        Ok(Self::of_instances(rows, instances, signed))
    }

    fn of_instances(rows: Vec<usize>, instances: Instances, signed: bool) -> Self {
        let mut x = instances.into_unit();
        power(&mut x, signed);
        Self { nearest: vec![Vec::new(); rows.len()], rows, x }
    }

    /// Compares all with the rows of a block, which are powered and at unit length.
    pub(super) fn compare(&mut self, first: usize, block: &[f64]) {
        let d = self.x.cols();
        let count = block.len() / d;
        let sample = self.x.as_slice().par_chunks(STRIP / 8 * d);
        let lists = self.nearest.par_chunks_mut(STRIP / 8).zip(self.rows.par_chunks(STRIP / 8));
        sample.zip(lists).for_each(|(x, (nearest, rows))| {
            let mut inner = vec![0.0; rows.len() * count];
            let block = MatRef::from_row_major_slice(block, count, d);
            multiply(x, rows.len(), block.transpose(), &mut inner);
            for ((inner, nearest), &row) in inner.chunks_exact(count).zip(nearest).zip(rows) {
                for (at, &inner) in inner.iter().enumerate().filter(|(at, _)| first + at != row) {
                    add(nearest, inner, first + at);
                }
            }
        });
    }

    /// The share of their neighbours that a graph has: `has(k, row)` says whether it has the row for the `k`-th of them.
    pub(super) fn recall(&self, has: impl Fn(usize, usize) -> bool) -> f64 {
        let (mut found, mut all) = (0, 0);
        for (k, nearest) in self.nearest.iter().enumerate() {
            found += nearest.iter().filter(|(_, other)| has(k, *other)).count();
            all += nearest.len();
        }
        found as f64 / all.max(1) as f64
    }
}

/// Inserts a row into a list if it is nearer than the last; of equals, the one that came first stays first.
fn add(nearest: &mut Vec<(f64, usize)>, inner: f64, row: usize) {
    if nearest.len() < NEIGHBORS || inner > nearest[NEIGHBORS - 1].0 {
        let place = nearest.partition_point(|(kept, _)| *kept >= inner);
        nearest.insert(place, (inner, row));
        nearest.truncate(NEIGHBORS);
    }
}
