//! Rows in this process: strips of them on threads.

use faer::Mat;

use super::record::{Record, Vanished, interpolated};
use super::rows::{Rows, Scratch};
use super::strips::{At, Knot, Row, Strips, Sum};
use crate::incidental::check_labels;
use crate::{Error, Matrix, Result};

/// Instances of this process, which are all there are or a part of them.
///
/// Two parts of the same instances, each as it would be on a machine of its own:
///
/// ```
/// use trustpath::Matrix;
/// use trustpath::incidental::linear::{At, Local, Strips, Sum};
///
/// let x = |i: usize, j: usize| ((i * 3 + j) as f64).sin();
/// let mut whole = Local::new(Matrix::from_fn(10, 2, x), &[0, 1, 0, 1, 0, 1, 0, 1, 0, 1], 2)?;
/// let mut first = Local::new(Matrix::from_fn(4, 2, x), &[0, 1, 0, 1], 2)?;
/// let mut second = Local::new(Matrix::from_fn(6, 2, |i, j| x(i + 4, j)), &[0, 1, 0, 1, 0, 1], 2)?;
///
/// // On coordinates as they are; a path makes them orthonormal.
/// let same = Matrix::from_fn(2, 2, |i, j| f64::from(u8::from(i == j)));
/// [&mut whole, &mut first, &mut second].into_iter().try_for_each(|part| part.project(&same))?;
/// let at = At { b: &[0.1, 0.2, 0.3, 0.4], lambda: 0.5, first: 0, responses: 2, memory: 0 };
/// let [mut all, mut a, mut b] = [[0.0; 5]; 3];
/// whole.add_up(Sum::Gradient, at, &mut all)?;
/// first.add_up(Sum::Gradient, at, &mut a)?;
/// second.add_up(Sum::Gradient, at, &mut b)?;
/// for ((all, a), b) in all.iter().zip(a).zip(b) {
///     assert!((all - (a + b)).abs() < 1e-14);
/// }
/// # Ok::<(), trustpath::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Local {
    /// Coordinates as they were given, until they are projected.
    given: Option<Matrix>,
    rows: Rows,
    labels: Vec<usize>,
    memories: Vec<Memory>,
    record: Record,
    scratch: Scratch,
}

/// Norms, and the coefficients that they belong to.
#[derive(Debug, Clone, Default)]
struct Memory {
    b: Vec<f64>,
    first: usize,
    norms: Vec<f64>,
}

impl Local {
    /// Instances with coordinates `x`, one row each, and labels.
    ///
    /// # Errors
    /// When labels and instances differ in number, or a label is not below `classes`.
    pub fn new(x: Matrix, labels: &[usize], classes: usize) -> Result<Self> {
        check_labels(labels, x.rows(), classes)?;
        let mut local = Self { given: Some(x), ..Self::orthonormal(&Matrix::default()) };
        local.relabel(labels);
        Ok(local)
    }

    /// Instances with orthonormal coordinates, whose labels come later.
    pub(super) fn orthonormal(q: &Matrix) -> Self {
        Self {
            given: None,
            rows: Rows::new(q),
            labels: Vec::new(),
            memories: Vec::new(),
            record: Record::default(),
            scratch: Scratch::default(),
        }
    }

    /// Gives all instances other labels; nothing is noted of them yet.
    pub(super) fn relabel(&mut self, labels: &[usize]) {
        self.labels = labels.to_vec();
        self.rows.relabel(labels);
        self.memories.clear();
        self.record = Record::new(labels.len());
    }

    /// What was noted on the way down to `last`.
    pub fn vanished(&self, last: f64) -> Vanished {
        self.record.finish(last)
    }

    /// The norms that a memory holds: those of the last gradient that named it.
    pub(super) fn norms(&self, memory: usize) -> &[f64] {
        &self.memories[memory].norms
    }

    /// Orthonormal coordinates, one row an instance.
    pub(super) fn coordinates(&self) -> Matrix {
        let mut q = Matrix::zeros(self.rows.len(), self.rows.dims());
        (0..q.rows()).for_each(|i| self.rows.copy(i, q.row_mut(i)));
        q
    }

    /// Fills the memory with the norms at `at`, if it holds others.
    fn ready(&mut self, at: At<'_>) {
        let memory = self.memories.get(at.memory);
        if !memory.is_some_and(|memory| memory.b == at.b && memory.first == at.first) {
            let mut sums = vec![0.0; Sum::Gradient.len(self.rows.dims(), at.responses)];
            self.evaluate(at, &mut sums);
        }
    }

    fn evaluate(&mut self, at: At<'_>, out: &mut [f64]) {
        if self.memories.len() <= at.memory {
            self.memories.resize_with(at.memory + 1, Memory::default);
        }
        let memory = &mut self.memories[at.memory];
        memory.b.clear();
        memory.b.extend_from_slice(at.b);
        memory.first = at.first;
        memory.norms.resize(self.rows.len(), 0.0);
        self.rows.evaluate(at, &mut memory.norms, out, &mut self.scratch);
    }

    /// One instance.
    pub(super) fn get(&self, i: usize) -> Row {
        let mut row = Row::default();
        self.read(i, &mut row);
        row
    }

    fn read(&self, i: usize, row: &mut Row) {
        row.x.resize(self.rows.dims(), 0.0);
        self.rows.copy(i, &mut row.x);
        row.label = self.labels[i];
    }
}

impl Strips for Local {
    fn len(&self) -> usize {
        self.given.as_ref().map_or(self.rows.len(), Matrix::rows)
    }

    fn dims(&self) -> usize {
        self.given.as_ref().map_or(self.rows.dims(), Matrix::cols)
    }

    fn gram(&mut self, by: Option<&Matrix>) -> Result<Matrix> {
        let Some(x) = &self.given else { return Err(Error::Projected) };
        let x = x.view();
        let gram: Mat<f64> = match by {
            None => x.transpose() * x,
            Some(by) => {
                let q = x * by.view();
                q.transpose() * &q
            }
        };
        Ok(Matrix::from_view(gram.as_ref()))
    }

    fn project(&mut self, by: &Matrix) -> Result<()> {
        let Some(x) = self.given.take() else { return Err(Error::Projected) };
        let q: Mat<f64> = x.view() * by.view();
        self.rows = Rows::new(&Matrix::from_view(q.as_ref()));
        self.rows.relabel(&self.labels);
        self.memories.clear();
        Ok(())
    }

    fn add_up(&mut self, sum: Sum<'_>, at: At<'_>, out: &mut [f64]) -> Result<()> {
        match sum {
            Sum::Gradient => self.evaluate(at, out),
            other => self.rows.add_up(other, at, out, &mut self.scratch),
        }
        Ok(())
    }

    fn largest(&mut self, at: At<'_>) -> Result<f64> {
        self.ready(at);
        Ok(self.norms(at.memory).iter().copied().fold(0.0, f64::max))
    }

    fn norm(&mut self, at: At<'_>, instance: usize) -> Result<f64> {
        self.ready(at);
        Ok(self.norms(at.memory)[instance])
    }

    fn row(&mut self, instance: usize) -> Result<Row> {
        Ok(self.get(instance))
    }

    fn cross(&mut self, low: &[Knot], high: &[Knot], exact: bool) -> Result<Vec<usize>> {
        let Some(Knot { lambda, .. }) = low.first() else { return Ok(Vec::new()) };
        for (group, knot) in low.iter().enumerate() {
            self.ready(knot.at(self.rows.dims(), group));
        }
        let leaves = |memories: &[Memory], g: usize, i: usize| memories[g].norms[i] > *lambda;
        let memories = &self.memories[..low.len()];
        let is_zero = |i: usize| (0..low.len()).all(|g| !leaves(memories, g, i));
        let left = self.record.cross(*lambda, high[0].lambda, is_zero);
        if exact {
            return Ok(left);
        }
        let mut row = Row::default();
        for i in left {
            self.read(i, &mut row);
            let root = interpolated(&row, low, high, |g| leaves(&self.memories, g, i));
            self.record.settle(i, root);
        }
        Ok(Vec::new())
    }

    fn settle(&mut self, instance: usize, lambda: f64) -> Result<()> {
        self.record.settle(instance, lambda);
        Ok(())
    }
}
