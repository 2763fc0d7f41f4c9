//! Which of the given labels are likely wrong.

use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use trustpath::spec::AuditSpec;

use trustpath_explain::{AuditResult, AuditedRows, DataInfo, FrontEnd};

use crate::arrays::{Floats, labels as read};
use crate::options::{Options, Threads};
use crate::results::{PyColumn, columns, dict, html, rows};
use crate::work::{Stop, work};

/// An audit of instances all of which have a label.
#[pyclass(frozen, module = "trustpath._trustpath")]
pub struct Audit {
    audit: trustpath::Audit,
    dims: usize,
    labels: Vec<Option<usize>>,
    labelled: AuditedRows,
    classes: Vec<String>,
}

/// Audits the labels of all instances.
#[pyfunction]
pub fn audit(
    py: Python<'_>,
    x: Floats,
    labels: &Bound<'_, PyArray1<i64>>,
    classes: Vec<String>,
    verified: Vec<(usize, usize)>,
    options: Options<'_>,
) -> PyResult<Audit> {
    let (labels, spec) = (read(labels)?, options.spec::<AuditSpec>()?);
    work(py, options.threads()?, move |mut stop: Stop| {
        let labelled = AuditedRows::new(&labels);
        let audited = Python::attach(|py| {
            x.features(py, |x| {
                let audit = trustpath::audit(x, &labelled.labels).classes(classes.len()).spec(&spec);
                Ok((audit.verified(&verified).run_observed(&mut stop)?, x.dims()))
            })
        });
        let (audit, dims) = audited?;
        Ok(Audit { audit, dims, labels, labelled, classes })
    })
}

impl Audit {
    fn result<'a>(&'a self, ids: &'a [String], source: &'a str) -> AuditResult<'a> {
        let Self { audit, dims, labels, labelled, classes } = self;
        let data = DataInfo { source, dims: *dims, ids, labels, classes };
        AuditResult { data, labelled, audit, front_end: FrontEnd::Python }
    }
}

#[pymethods]
impl Audit {
    /// What becomes attributes of the result.
    fn attributes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let audit = &self.audit;
        dict!(py, {
            "credibility": audit.credibility.clone().into_pyarray(py),
            "suggested": rows(audit.suggested.clone()).into_pyarray(py),
            "suggested_credibility": audit.suggested_credibility.clone().into_pyarray(py),
            "score": audit.score.clone().into_pyarray(py),
            "probability_wrong": audit.probability.clone().into_pyarray(py),
            "suspect": audit.suspect.clone().into_pyarray(py),
            "wrong": audit.wrong.map(|wrong| (wrong.count, wrong.low, wrong.high)),
            "precision_of_suspects": audit.wrong.map_or(f64::NAN, |wrong| wrong.among_suspects),
            "notes": self.result(&vec![String::new(); self.labels.len()], "").notes(),
            "ranking": rows(audit.ranking.clone()).into_pyarray(py),
            "lambda": audit.lambda.clone().into_pyarray(py),
        })
    }

    /// The columns of the table, or one of them.
    fn columns<'py>(&self, py: Python<'py>, ids: Vec<String>, only: Option<&str>) -> PyResult<Vec<PyColumn<'py>>> {
        columns(py, &self.result(&ids, ""), only)
    }

    /// The page, as `trustpath audit --report` writes it.
    fn page(slf: Py<Self>, py: Python<'_>, ids: Vec<String>, source: String, threads: Threads) -> PyResult<String> {
        work(py, threads, move |_| html(slf.get().result(&ids, &source).page()))
    }
}
