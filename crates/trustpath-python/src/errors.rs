//! The engine's sentences as Python's exceptions.

use pyo3::PyErr;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use trustpath_episodes as episodes;

/// What the engine refuses is a `ValueError`; what it could not finish a `RuntimeError`.
pub fn engine(error: trustpath::Error) -> PyErr {
    use trustpath::Error::{NotConverged, Rows, Stopped, Stored};
    let sentence = error.to_string();
    match error {
        NotConverged { .. } | Rows { .. } | Stopped | Stored { .. } => {
            PyRuntimeError::new_err(sentence)
        }
        _ => PyValueError::new_err(sentence),
    }
}

/// The same for episodes.
pub fn of_episodes(error: episodes::Error) -> PyErr {
    PyValueError::new_err(error.to_string())
}
