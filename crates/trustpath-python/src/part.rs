//! The rows of a path that one machine of several holds.

use numpy::{IntoPyArray, PyArray1, PyArray2, PyReadonlyArray1};
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use rayon::ThreadPool;
use trustpath::incidental::linear::{EvalPoint, InMemoryRows, Knot, RowSource, Sum};

use crate::arrays::{Floats, all_labels, to_array, to_matrix};
use crate::errors;
use crate::options::Threads;
use crate::path::credibility;
use crate::results::{dict, rows};
use crate::work::pool;

/// Rows, and the threads that sum over them.
#[pyclass(module = "trustpath._trustpath")]
pub struct Part {
    rows: InMemoryRows,
    pool: ThreadPool,
}

/// Where sums are taken: coefficients, λ, first class, number of responses, slot.
type Place<'py> = (PyReadonlyArray1<'py, f64>, f64, usize, usize, usize);
/// A solved point of the path: λ, first class, coefficients, tangent.
type Solved = (f64, usize, Vec<f64>, Vec<f64>);

fn knots(solved: Vec<Solved>) -> Vec<Knot> {
    let knot = |(lambda, first, b, tangent)| Knot { lambda, first, b, tangent };
    solved.into_iter().map(knot).collect()
}

impl Part {
    /// Works on the threads, without the interpreter.
    fn on_threads<R: Send>(
        &mut self,
        py: Python<'_>,
        work: impl Send + FnOnce(&mut InMemoryRows) -> trustpath::Result<R>,
    ) -> PyResult<R> {
        let Self { rows, pool } = self;
        py.detach(|| pool.install(|| work(rows))).map_err(errors::engine)
    }

    fn check(&self, instance: usize) -> PyResult<()> {
        if instance < self.rows.len() {
            return Ok(());
        }
        Err(PyIndexError::new_err(format!("there is no instance {instance} in this block")))
    }
}

/// Reads a place, and checks the number of its coefficients.
fn place<'a>(place: &'a Place<'_>, dims: usize) -> PyResult<EvalPoint<'a>> {
    let (b, lambda, first, responses, slot) = place;
    let b = b.as_slice()?;
    if b.len() != responses * dims {
        let sentence = format!("{} coefficients for {responses} responses of {dims} coordinates", b.len());
        return Err(PyValueError::new_err(sentence));
    }
    Ok(EvalPoint { b, lambda: *lambda, first: *first, responses: *responses, slot: *slot })
}

#[pymethods]
impl Part {
    #[new]
    fn new(
        py: Python<'_>,
        x: Floats,
        labels: &Bound<'_, PyArray1<i64>>,
        classes: usize,
        threads: Threads,
    ) -> PyResult<Self> {
        let rows = InMemoryRows::new(x.matrix(py)?, &all_labels(labels)?, classes);
        Ok(Self { rows: rows.map_err(errors::engine)?, pool: pool(threads)? })
    }

    /// `(XT)ᵀ(XT)`.
    fn gram<'py>(
        &mut self,
        py: Python<'py>,
        by: Option<&Bound<'py, PyArray2<f64>>>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let by = by.map(to_matrix).transpose()?;
        to_array(py, &self.on_threads(py, |rows| rows.gram(by.as_ref()))?)
    }

    /// `X ← XT`.
    fn project(&mut self, py: Python<'_>, by: &Bound<'_, PyArray2<f64>>) -> PyResult<()> {
        let by = to_matrix(by)?;
        self.on_threads(py, |rows| rows.project(&by))
    }

    /// A sum over the rows.
    fn add_up<'py>(
        &mut self,
        py: Python<'py>,
        kind: &str,
        at: Place<'py>,
        vector: Option<PyReadonlyArray1<'py, f64>>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let at = place(&at, self.rows.dims())?;
        let vector = vector.as_ref().map(|vector| vector.as_slice()).transpose()?;
        let sum = match (kind, vector) {
            ("gradient", _) => Sum::Gradient,
            ("curvature", _) => Sum::Curvature,
            ("gram", _) => Sum::Gram,
            ("product", Some(vector)) if vector.len() == at.b.len() => Sum::Product(vector),
            _ => {
                return Err(PyValueError::new_err(format!("there is no sum {kind:?} with this vector")));
            }
        };
        let mut out = vec![0.0; sum.len(self.rows.dims(), at.responses)];
        self.on_threads(py, |rows| rows.sum_over_rows(sum, at, &mut out))?;
        Ok(out.into_pyarray(py))
    }

    /// The largest norm.
    fn largest(&mut self, py: Python<'_>, at: Place<'_>) -> PyResult<f64> {
        let at = place(&at, self.rows.dims())?;
        self.on_threads(py, |rows| rows.largest(at))
    }

    /// The norm of one instance.
    fn norm(&mut self, py: Python<'_>, at: Place<'_>, instance: usize) -> PyResult<f64> {
        self.check(instance)?;
        let at = place(&at, self.rows.dims())?;
        self.on_threads(py, |rows| rows.norm(at, instance))
    }

    /// Coordinates and label of one instance.
    fn row<'py>(&mut self, py: Python<'py>, instance: usize) -> PyResult<(Bound<'py, PyArray1<f64>>, usize)> {
        self.check(instance)?;
        let row = self.rows.row(instance).map_err(errors::engine)?;
        Ok((row.x.into_pyarray(py), row.label))
    }

    /// Records the instances that left zero between two knots, and returns those that need an exact search.
    fn cross<'py>(
        &mut self,
        py: Python<'py>,
        low: Vec<Solved>,
        high: Vec<Solved>,
        exact: bool,
    ) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let (low, high) = (knots(low), knots(high));
        if low.len() != high.len() {
            return Err(PyValueError::new_err("the two knots must have the same groups"));
        }
        let left = self.on_threads(py, |rows| rows.cross(&low, &high, exact))?;
        Ok(rows(left).into_pyarray(py))
    }

    /// Records where an instance left zero.
    fn settle(&mut self, instance: usize, lambda: f64) -> PyResult<()> {
        self.check(instance)?;
        self.rows.settle(instance, lambda).map_err(errors::engine)
    }

    /// Where the instances vanished on the path down to `last`.
    fn vanished<'py>(&self, py: Python<'py>, last: f64) -> PyResult<Bound<'py, PyDict>> {
        let vanished = self.rows.vanished(last);
        let credible: Vec<f64> = vanished.vanish.iter().map(|&lambda| credibility(lambda)).collect();
        dict!(py, {
            "credibility": credible.into_pyarray(py),
            "vanish": vanished.vanish.into_pyarray(py),
            "vanish_grid": vanished.vanish_grid.into_pyarray(py),
            "reenters": vanished.reenters.into_pyarray(py),
        })
    }
}
