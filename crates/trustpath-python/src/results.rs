//! Results that stay in Rust, so that tables and pages can be made of them later.

use numpy::IntoPyArray;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use trustpath_explain::{ColumnValues, ResultColumns};
use trustpath_report::label_page::LabelReport;

use crate::arrays::numbers;

/// A column: its name, what its values are, and the values.
pub type PyColumn<'py> = (&'static str, &'static str, Bound<'py, PyAny>);

/// The columns of a table, or the one that is named. Rows and classes are numbers, −1 where there is none.
pub fn columns<'py, R: ResultColumns>(py: Python<'py>, result: &R, only: Option<&str>) -> PyResult<Vec<PyColumn<'py>>> {
    let mut out = Vec::new();
    for column in R::columns().iter().filter(|column| only.is_none_or(|name| name == column.name)) {
        let Some(values) = (column.values)(result) else { continue };
        let some = |values: Vec<usize>| rows(values).into_pyarray(py).into_any();
        let optional = |values| numbers(values).into_pyarray(py).into_any();
        let (kind, values) = match values {
            ColumnValues::Row(values) => ("row", some(values)),
            ColumnValues::Class(values) => ("class", some(values)),
            ColumnValues::OptionalClass(values) => ("class", optional(values)),
            ColumnValues::OptionalCount(values) => ("count", optional(values)),
            ColumnValues::Number(values) => ("number", values.into_pyarray(py).into_any()),
            ColumnValues::Text(values) => ("text", values.into_pyobject(py)?),
        };
        out.push((column.name, kind, values));
    }
    Ok(out)
}

/// Numbers of rows or classes, none of them missing.
pub fn rows(values: Vec<usize>) -> Vec<i64> {
    numbers(values.into_iter().map(Some))
}

/// The page as text.
pub fn html((page, _): (LabelReport, Vec<usize>)) -> PyResult<String> {
    page.html().map_err(|error| PyValueError::new_err(error.to_string()))
}

/// A Python dict of names and values.
macro_rules! dict {
    ($py:expr, { $($name:literal: $value:expr),* $(,)? }) => {{
        let out = pyo3::types::PyDict::new($py);
        $(out.set_item($name, $value)?;)*
        Ok(out)
    }};
}
pub(crate) use dict;
