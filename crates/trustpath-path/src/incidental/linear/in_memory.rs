//! Rows in this process, summed by several threads.

use super::row_source::{EvalPoint, Knot, Row, RowSource, Sum};
use super::rows::{Rows, Scratch};
use super::segment::{PRECISE, interpolated_vanish};
use crate::incidental::{Record, Vanished};
use crate::labels::check_labels;
use crate::linalg::basis::gram_of_product;
use crate::{Error, Matrix, Result};

/// Instances in the memory of this process: all there are, or a part of them.
#[derive(Debug, Clone, Default)]
pub struct InMemoryRows {
    /// Coordinates as they were given, until they are projected.
    given: Option<Matrix>,
    rows: Rows,
    labels: Vec<usize>,
    cache: Vec<CachedNorms>,
    record: Record,
    scratch: Scratch,
}

/// Norms, and the coefficients that they belong to.
#[derive(Debug, Clone, Default)]
struct CachedNorms {
    b: Vec<f64>,
    first: usize,
    norms: Vec<f64>,
}

impl InMemoryRows {
    /// Instances with coordinates `x`, one row each, and labels.
    ///
    /// # Errors
    /// When labels and instances differ in number, or a label is not below `classes`.
    pub fn new(x: Matrix, labels: &[usize], classes: usize) -> Result<Self> {
        check_labels(labels, x.rows(), classes)?;
        let mut rows = Self { given: Some(x), ..Self::default() };
        rows.relabel(labels);
        Ok(rows)
    }

    /// Instances with orthonormal coordinates, whose labels come later.
    pub(super) fn orthonormal(q: &Matrix) -> Self {
        Self { rows: Rows::new(q), ..Self::default() }
    }

    /// Sets the labels of all instances, and clears what was recorded of them.
    pub(super) fn relabel(&mut self, labels: &[usize]) {
        self.labels = labels.to_vec();
        self.rows.relabel(labels);
        self.cache.clear();
        self.record = Record::new(labels.len());
    }

    /// The vanishing `λ` of a path whose grid ends at `last`.
    pub fn vanished(&self, last: f64) -> Vanished {
        self.record.finish(last)
    }

    /// The norms in a slot: those of the last gradient with that slot.
    pub(super) fn norms(&self, slot: usize) -> &[f64] {
        &self.cache[slot].norms
    }

    /// Orthonormal coordinates, one row per instance.
    pub(super) fn coordinates(&self) -> Matrix {
        Matrix::from_fn(self.rows.len(), self.rows.dims(), |i, a| self.rows.coordinate(i, a))
    }

    /// Makes sure that the slot of `at` holds the norms at that point.
    fn ready(&mut self, at: EvalPoint<'_>) {
        let cached = self.cache.get(at.slot);
        if !cached.is_some_and(|cached| cached.b == at.b && cached.first == at.first) {
            let mut sums = vec![0.0; Sum::Gradient.len(self.rows.dims(), at.responses)];
            self.evaluate(at, &mut sums);
        }
    }

    fn evaluate(&mut self, at: EvalPoint<'_>, out: &mut [f64]) {
        if self.cache.len() <= at.slot {
            self.cache.resize_with(at.slot + 1, CachedNorms::default);
        }
        let cached = &mut self.cache[at.slot];
        cached.b = at.b.to_vec();
        cached.first = at.first;
        cached.norms.resize(self.rows.len(), 0.0);
        self.rows.sum(Sum::Gradient, at, &mut cached.norms, out, &mut self.scratch);
    }

    /// One instance.
    pub(super) fn get(&self, i: usize) -> Row {
        let x = (0..self.rows.dims()).map(|a| self.rows.coordinate(i, a)).collect();
        Row { x, label: self.labels[i] }
    }
}

impl RowSource for InMemoryRows {
    fn len(&self) -> usize {
        self.given.as_ref().map_or(self.rows.len(), Matrix::rows)
    }

    fn dims(&self) -> usize {
        self.given.as_ref().map_or(self.rows.dims(), Matrix::cols)
    }

    fn gram(&mut self, by: Option<&Matrix>) -> Result<Matrix> {
        self.given.as_ref().map(|x| gram_of_product(x, by)).ok_or(Error::Projected)
    }

    fn project(&mut self, by: &Matrix) -> Result<()> {
        let Some(x) = self.given.take() else { return Err(Error::Projected) };
        let q = x.view() * by.view();
        self.rows = Rows::new(&Matrix::from_view(q.as_ref()));
        self.rows.relabel(&self.labels);
        self.cache.clear();
        Ok(())
    }

    fn sum_over_rows(&mut self, sum: Sum<'_>, at: EvalPoint<'_>, out: &mut [f64]) -> Result<()> {
        match sum {
            Sum::Gradient => self.evaluate(at, out),
            other => self.rows.sum(other, at, &mut [], out, &mut self.scratch),
        }
        Ok(())
    }

    fn largest(&mut self, at: EvalPoint<'_>) -> Result<f64> {
        self.ready(at);
        Ok(self.norms(at.slot).iter().copied().fold(0.0, f64::max))
    }

    fn norm(&mut self, at: EvalPoint<'_>, instance: usize) -> Result<f64> {
        self.ready(at);
        Ok(self.norms(at.slot)[instance])
    }

    fn row(&mut self, instance: usize) -> Result<Row> {
        Ok(self.get(instance))
    }

    fn cross(&mut self, low: &[Knot], high: &[Knot], exact: bool) -> Result<Vec<usize>> {
        let Some(Knot { lambda, .. }) = low.first() else { return Ok(Vec::new()) };
        for (group, knot) in low.iter().enumerate() {
            self.ready(knot.point(self.rows.dims(), group));
        }
        let cache = &self.cache[..low.len()];
        let is_zero = |i: usize| cache.iter().all(|cached| cached.norms[i] <= *lambda);
        let left = self.record.cross(*lambda, high[0].lambda, is_zero);
        if exact {
            return Ok(left);
        }
        for i in left {
            let leaves = |g: usize| self.cache[g].norms[i] > *lambda;
            let root = interpolated_vanish(&self.get(i), low, high, PRECISE, leaves);
            self.record.leave(i, root);
        }
        Ok(Vec::new())
    }

    fn settle(&mut self, instance: usize, lambda: f64) -> Result<()> {
        self.record.leave(instance, lambda);
        Ok(())
    }
}
