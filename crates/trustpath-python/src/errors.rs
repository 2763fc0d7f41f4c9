//! Errors of the engine as exceptions of Python.

use pyo3::PyErr;
use pyo3::exceptions::{PyOSError, PyRuntimeError, PyValueError};
use trustpath_bench as episodes;
use trustpath_explain::ModelError;
use trustpath_table::printable_sentence;

/// Input that the engine refuses is a `ValueError`; work that it could not finish a `RuntimeError`.
pub fn engine(error: trustpath::Error) -> PyErr {
    use trustpath::Error::{NotConverged, Rows, Stopped, Stored};
    let sentence = printable_sentence(&error.to_string());
    match error {
        NotConverged { .. } | Rows { .. } | Stopped | Stored { .. } => PyRuntimeError::new_err(sentence),
        _ => PyValueError::new_err(sentence),
    }
}

/// An error of the episodes.
pub fn of_episodes(error: episodes::Error) -> PyErr {
    PyValueError::new_err(printable_sentence(&error.to_string()))
}

/// A model that cannot be read or written.
pub fn model(error: ModelError) -> PyErr {
    use trustpath_table::Error::{Read, Write};
    let sentence = printable_sentence(&error.to_string());
    match error {
        ModelError::Table(Read { .. } | Write { .. }) => PyOSError::new_err(sentence),
        _ => PyValueError::new_err(sentence),
    }
}
