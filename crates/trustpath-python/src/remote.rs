//! Rows on other machines, read through a function of Python.
//!
//! `ask(block, method, arguments)` calls that method of the [`Part`](crate::part::Part) of one block; `ask(None, …)` calls
//! it on all of them and returns their answers in order, which are added up here.

use numpy::{PyArray1, PyArray2, PyArrayMethods, ToPyArray};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use trustpath::incidental::linear::{EvalPoint, Knot, Row, RowSource, Sum};
use trustpath::{Error, Matrix, Result};

use crate::arrays::{to_array, to_matrix};
use crate::errors;
use crate::options::Options;

/// The rows, and the first exception that reading them raised.
struct Remote {
    ask: Py<PyAny>,
    sizes: Vec<usize>,
    dims: usize,
    raised: Option<PyErr>,
}

/// Coefficients, λ, first class, number of responses, slot.
fn place<'py>(py: Python<'py>, at: EvalPoint<'_>) -> PyResult<Bound<'py, PyTuple>> {
    (at.b.to_pyarray(py), at.lambda, at.first, at.responses, at.slot).into_pyobject(py)
}

fn solved(knots: &[Knot]) -> Vec<(f64, usize, Vec<f64>, Vec<f64>)> {
    let knot = |k: &Knot| (k.lambda, k.first, k.b.clone(), k.tangent.clone());
    knots.iter().map(knot).collect()
}

impl Remote {
    /// Does something with the interpreter, and keeps what it raises.
    fn with<R>(&mut self, work: impl FnOnce(Python<'_>, &Py<PyAny>) -> PyResult<R>) -> Result<R> {
        Python::attach(|py| {
            work(py, &self.ask).map_err(|error| {
                let reason = error.to_string();
                self.raised.get_or_insert(error);
                Error::Rows { reason }
            })
        })
    }

    /// Adds up the answers of all blocks, in their order.
    fn add<'py>(answers: &Bound<'py, PyAny>, out: &mut [f64]) -> PyResult<()> {
        out.fill(0.0);
        for answer in answers.try_iter()? {
            let answer = answer?;
            let answer = answer.cast::<PyArray1<f64>>()?.try_readonly()?;
            out.iter_mut().zip(answer.as_slice()?).for_each(|(sum, part)| *sum += part);
        }
        Ok(())
    }

    /// The block of an instance, and its number there.
    fn find(&self, mut instance: usize) -> (usize, usize) {
        for (block, &size) in self.sizes.iter().enumerate() {
            if instance < size {
                return (block, instance);
            }
            instance -= size;
        }
        (self.sizes.len(), instance)
    }
}

impl RowSource for Remote {
    fn len(&self) -> usize {
        self.sizes.iter().sum()
    }

    fn dims(&self) -> usize {
        self.dims
    }

    fn gram(&mut self, by: Option<&Matrix>) -> Result<Matrix> {
        let dims = by.map_or(self.dims, Matrix::cols);
        self.with(|py, ask| {
            let by = by.map(|by| to_array(py, by)).transpose()?;
            let mut sum = Matrix::zeros(dims, dims);
            for answer in ask.bind(py).call1((py.None(), "gram", (by,)))?.try_iter()? {
                let gram = to_matrix(answer?.cast::<PyArray2<f64>>()?)?;
                sum.as_mut_slice().iter_mut().zip(gram.as_slice()).for_each(|(s, g)| *s += g);
            }
            Ok(sum)
        })
    }

    fn project(&mut self, by: &Matrix) -> Result<()> {
        self.dims = by.cols();
        self.with(|py, ask| ask.bind(py).call1((py.None(), "project", (to_array(py, by)?,))).map(|_| ()))
    }

    fn sum_over_rows(&mut self, sum: Sum<'_>, at: EvalPoint<'_>, out: &mut [f64]) -> Result<()> {
        self.with(|py, ask| {
            let (kind, vector) = match sum {
                Sum::Gradient => ("gradient", None),
                Sum::Curvature => ("curvature", None),
                Sum::Gram => ("gram", None),
                Sum::Product(vector) => ("product", Some(vector.to_pyarray(py))),
            };
            let arguments = (kind, place(py, at)?, vector);
            Self::add(&ask.bind(py).call1((py.None(), "add_up", arguments))?, out)
        })
    }

    fn largest(&mut self, at: EvalPoint<'_>) -> Result<f64> {
        self.with(|py, ask| {
            let answers = ask.bind(py).call1((py.None(), "largest", (place(py, at)?,)))?;
            let largest: Vec<f64> = answers.extract()?;
            Ok(largest.into_iter().fold(0.0, f64::max))
        })
    }

    fn norm(&mut self, at: EvalPoint<'_>, instance: usize) -> Result<f64> {
        let (block, instance) = self.find(instance);
        self.with(|py, ask| ask.bind(py).call1((block, "norm", (place(py, at)?, instance)))?.extract())
    }

    fn row(&mut self, instance: usize) -> Result<Row> {
        let (block, instance) = self.find(instance);
        self.with(|py, ask| {
            let answer = ask.bind(py).call1((block, "row", (instance,)))?;
            let (x, label): (Bound<'_, PyArray1<f64>>, usize) = answer.extract()?;
            Ok(Row { x: x.to_vec()?, label })
        })
    }

    fn cross(&mut self, low: &[Knot], high: &[Knot], exact: bool) -> Result<Vec<usize>> {
        let sizes = self.sizes.clone();
        self.with(|py, ask| {
            let arguments = (solved(low), solved(high), exact);
            let answers = ask.bind(py).call1((py.None(), "cross", arguments))?;
            let (mut left, mut before) = (Vec::new(), 0);
            for (answer, size) in answers.try_iter()?.zip(sizes) {
                let rows: Vec<usize> = answer?.extract()?;
                left.extend(rows.into_iter().map(|row| before + row));
                before += size;
            }
            Ok(left)
        })
    }

    fn settle(&mut self, instance: usize, lambda: f64) -> Result<()> {
        let (block, instance) = self.find(instance);
        self.with(|py, ask| ask.bind(py).call1((block, "settle", (instance, lambda))).map(|_| ()))
    }
}

/// Walks the path of rows on other machines, blocks of `sizes` rows of `dims` coordinates; returns the grid of λ.
#[pyfunction]
pub fn walk(
    py: Python<'_>,
    ask: Py<PyAny>,
    sizes: Vec<usize>,
    dims: usize,
    classes: usize,
    options: Options<'_>,
) -> PyResult<Vec<f64>> {
    options.only(&["penalty", "points", "ratio", "tolerance", "roots"])?;
    let model = options.linear()?;
    let mut rows = Remote { ask, sizes, dims, raised: None };
    let walked = py.detach(|| model.path_over(&mut rows, classes));
    match (walked, rows.raised) {
        (_, Some(raised)) => Err(raised),
        (Err(error), None) => Err(errors::engine(error)),
        (Ok((grid, _)), None) => Ok(grid),
    }
}
