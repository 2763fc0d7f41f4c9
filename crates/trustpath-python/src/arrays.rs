//! Arrays of Python, borrowed, and results as arrays.

use numpy::{PyArray1, PyArray2, PyArrayMethods, PyUntypedArrayMethods, ToPyArray};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use trustpath::{Features, Matrix, Values};

use crate::errors;
use crate::work::detached;

/// A C-contiguous numpy matrix of either float type, not copied.
pub enum Floats {
    Single(Py<PyArray2<f32>>),
    Double(Py<PyArray2<f64>>),
}

impl<'py> FromPyObject<'_, 'py> for Floats {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let (floats, is_contiguous) = if let Ok(array) = object.cast::<PyArray2<f32>>() {
            (Self::Single(array.to_owned().unbind()), array.is_c_contiguous())
        } else if let Ok(array) = object.cast::<PyArray2<f64>>() {
            (Self::Double(array.to_owned().unbind()), array.is_c_contiguous())
        } else {
            return Err(PyTypeError::new_err("X must be a two-dimensional array of float32 or float64"));
        };
        let sentence = "X must be stored row by row: give a C-contiguous array";
        if is_contiguous { Ok(floats) } else { Err(PyValueError::new_err(sentence)) }
    }
}

impl Floats {
    /// Lends the values to `work`, which runs without the interpreter.
    pub fn lend<R: Send>(
        &self,
        py: Python<'_>,
        work: impl Send + FnOnce(Values<'_>, usize, usize) -> R,
    ) -> PyResult<R> {
        match self {
            Self::Single(array) => {
                let array = array.bind(py).try_readonly()?;
                let (values, shape) = (array.as_slice()?, array.shape());
                let (rows, dims) = (shape[0], shape[1]);
                detached(py, || work(Values::F32(values), rows, dims))
            }
            Self::Double(array) => {
                let array = array.bind(py).try_readonly()?;
                let (values, shape) = (array.as_slice()?, array.shape());
                let (rows, dims) = (shape[0], shape[1]);
                detached(py, || work(Values::F64(values), rows, dims))
            }
        }
    }

    /// Lends checked features.
    pub fn features<R: Send>(
        &self,
        py: Python<'_>,
        work: impl Send + FnOnce(&Features<'_>) -> trustpath::Result<R>,
    ) -> PyResult<R> {
        let checked = |values: Values<'_>, rows, dims| work(&Features::new(values, rows, dims)?);
        self.lend(py, checked)?.map_err(errors::engine)
    }

    /// The values copied into a matrix of double precision.
    pub fn matrix(&self, py: Python<'_>) -> PyResult<Matrix> {
        let copy = |values: Values<'_>, rows, dims| {
            let mut matrix = Matrix::zeros(rows, dims);
            Features::new(values, rows, dims)?.block(0, matrix.as_mut_slice())?;
            Ok(matrix)
        };
        self.lend(py, copy)?.map_err(errors::engine)
    }
}

/// A matrix as an array.
pub fn to_array<'py>(py: Python<'py>, matrix: &Matrix) -> PyResult<Bound<'py, PyArray2<f64>>> {
    matrix.as_slice().to_pyarray(py).reshape([matrix.rows(), matrix.cols()])
}

/// A matrix from an array.
pub fn to_matrix(array: &Bound<'_, PyArray2<f64>>) -> PyResult<Matrix> {
    let array = array.try_readonly()?;
    let (rows, cols) = (array.shape()[0], array.shape()[1]);
    Matrix::from_vec(rows, cols, array.as_array().iter().copied().collect()).map_err(errors::engine)
}

/// Labels as indices of classes; −1 means none.
pub fn labels(array: &Bound<'_, PyArray1<i64>>) -> PyResult<Vec<Option<usize>>> {
    let array = array.try_readonly()?;
    Ok(array.as_array().iter().map(|&label| usize::try_from(label).ok()).collect())
}

/// Labels of which none is missing.
pub fn all_labels(array: &Bound<'_, PyArray1<i64>>) -> PyResult<Vec<usize>> {
    let missing = |row| PyValueError::new_err(format!("instance {row} has no label: every instance needs one here"));
    let labels = labels(array)?.into_iter().enumerate();
    labels.map(|(row, label)| label.ok_or_else(|| missing(row))).collect()
}

/// Numbers, −1 where there is none.
pub fn numbers(labels: impl IntoIterator<Item = Option<usize>>) -> Vec<i64> {
    labels.into_iter().map(|label| label.map_or(-1, |label| label as i64)).collect()
}
