//! A pool whose rows are on several machines: the steps of `trustpath::label::regions`, arrays in and arrays out.

pub mod graph;
pub mod learning;
pub mod projection;

use numpy::{
    IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2,
    PyUntypedArrayMethods,
};
use pyo3::prelude::*;
use trustpath::label::regions::KeptRows;
use trustpath::neighbors::Neighbors;

use crate::errors;

/// An array that is given back, or taken as it is.
type Column<'py, T> = Bound<'py, PyArray1<T>>;
/// The same with rows and columns.
type Table<'py, T> = Bound<'py, PyArray2<T>>;

type Single<'py> = PyReadonlyArray1<'py, f32>;
type Rows32<'py> = PyReadonlyArray2<'py, f32>;
type Double<'py> = PyReadonlyArray1<'py, f64>;
type Integers<'py> = PyReadonlyArray1<'py, i64>;
type Positions<'py> = PyReadonlyArray1<'py, u32>;
type Flags<'py> = PyReadonlyArray1<'py, bool>;

fn places(array: &Integers<'_>) -> PyResult<Vec<usize>> {
    Ok(array.as_slice()?.iter().map(|&at| at.max(0) as usize).collect())
}

fn in_rows<'py>(py: Python<'py>, values: Vec<f32>, columns: usize) -> PyResult<Table<'py, f32>> {
    let count = values.len() / columns.max(1);
    values.into_pyarray(py).reshape([count, columns])
}

/// Rows that are kept: coordinates and what is cut off.
fn kept(y: &Rows32<'_>, rho: &Single<'_>) -> PyResult<KeptRows> {
    Ok(KeptRows { dims: y.shape()[1], y: y.as_slice()?.to_vec(), rho: rho.as_slice()?.to_vec() })
}

fn neighbors(ends: &Positions<'_>, squared: &[f32], k: usize) -> PyResult<Neighbors> {
    Neighbors::from_parts(k, ends.as_slice()?.to_vec(), squared).map_err(errors::engine)
}
