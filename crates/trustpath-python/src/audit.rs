//! Which of the given labels are likely wrong.

use numpy::{IntoPyArray, PyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use trustpath::audit as run;
use trustpath_findings::About;
use trustpath_findings::audit::Labelled;

use crate::arrays::{Floats, all_labels, numbers, to_array};
use crate::work::work;

/// Audits the labels of all instances.
#[pyfunction]
pub fn audit<'py>(
    py: Python<'py>,
    x: Floats,
    labels: &Bound<'py, PyArray1<i64>>,
    classes: usize,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyDict>> {
    let labels = all_labels(labels)?;
    let found = work(py, threads, move |_| {
        Python::attach(|py| x.features(py, |x| run(x, &labels, classes)))
    })?;
    let rows = |rows: Vec<usize>| numbers(rows.into_iter().map(Some));
    let out = PyDict::new(py);
    out.set_item("credibility", found.credibility.into_pyarray(py))?;
    out.set_item("suggested", rows(found.suggested).into_pyarray(py))?;
    out.set_item("suggested_credibility", found.suggested_credibility.into_pyarray(py))?;
    out.set_item("suspect", found.suspect.into_pyarray(py))?;
    out.set_item("ranking", rows(found.ranking).into_pyarray(py))?;
    out.set_item("lambda", found.lambda.into_pyarray(py))?;
    out.set_item("gamma_norm", to_array(py, &found.gamma_norm)?)?;
    Ok(out)
}

/// The page about an audit, as `trustpath audit --report` writes it.
#[pyfunction]
pub fn audit_page(
    py: Python<'_>,
    x: Floats,
    labels: &Bound<'_, PyArray1<i64>>,
    classes: Vec<String>,
    ids: Vec<String>,
    source: String,
    threads: Option<usize>,
) -> PyResult<String> {
    let all = all_labels(labels)?;
    work(py, threads, move |_| {
        Python::attach(|py| {
            x.features(py, |x| {
                let found = run(x, &all, classes.len())?;
                let labels: Vec<Option<usize>> = all.into_iter().map(Some).collect();
                let about = About {
                    source: &source,
                    dims: x.dims(),
                    ids: &ids,
                    labels: &labels,
                    classes: &classes,
                };
                let labelled = Labelled::of(about);
                let reasons: Vec<String> =
                    (0..ids.len()).map(|at| labelled.reason(&found, at)).collect();
                Ok(labelled.page(&found, &reasons)?.0)
            })
        })?
        .html()
        .map_err(|error| PyValueError::new_err(error.to_string()))
    })
}
