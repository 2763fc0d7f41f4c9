//! The regularisation path itself, and the reductions before it.

use numpy::{IntoPyArray, PyArray1, PyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use trustpath::incidental::linear::Roots;
use trustpath::incidental::{Grid, IciCParams, IciR, IciRParams, Incidental, Keep, Penalty};
use trustpath::label::credibility;
use trustpath::reduce::Method;

use crate::arrays::{Floats, all_labels, to_array};
use crate::errors;
use crate::work::work;

/// A model with incidental parameters, by name.
#[derive(FromPyObject)]
pub struct Settings {
    #[pyo3(item)]
    model: String,
    #[pyo3(item)]
    penalty: Option<String>,
    #[pyo3(item)]
    points: usize,
    #[pyo3(item)]
    ratio: f64,
    #[pyo3(item)]
    tolerance: Option<f64>,
    #[pyo3(item)]
    exact: bool,
    #[pyo3(item)]
    alpha: f64,
}

impl Settings {
    fn unknown(what: &str, value: &str, expected: &str) -> PyErr {
        PyValueError::new_err(format!("{what} = {value:?} is not usable: {expected}"))
    }

    fn grid(&self) -> Grid {
        Grid { points: self.points, ratio: self.ratio }
    }

    /// ICI-R.
    pub fn linear(&self) -> PyResult<IciR> {
        let penalty = match self.penalty.as_deref() {
            None | Some("group") => Penalty::Group,
            Some("elementwise") => Penalty::Elementwise,
            Some(other) => {
                return Err(Self::unknown("penalty", other, "choose 'group' or 'elementwise'"));
            }
        };
        let roots = if self.exact { Roots::Exact } else { Roots::Interpolated };
        let default = IciRParams::default();
        let tolerance = self.tolerance.unwrap_or(default.tolerance);
        let params = IciRParams { penalty, grid: self.grid(), tolerance, roots };
        params.check().map_err(errors::engine)
    }

    fn logistic(&self) -> PyResult<Box<dyn Incidental>> {
        let default = IciCParams::default();
        let penalty = match self.penalty.as_deref() {
            None => default.penalty,
            Some("elementwise") => Penalty::Elementwise,
            Some("group") => Penalty::Group,
            Some(other) => {
                return Err(Self::unknown("penalty", other, "choose 'group' or 'elementwise'"));
            }
        };
        let tolerance = self.tolerance.unwrap_or(default.tolerance);
        let params =
            IciCParams { penalty, alpha: self.alpha, grid: self.grid(), tolerance, ..default };
        Ok(Box::new(params.check().map_err(errors::engine)?))
    }

    fn model(&self) -> PyResult<Box<dyn Incidental>> {
        match self.model.as_str() {
            "icir" => Ok(Box::new(self.linear()?)),
            "icic" => self.logistic(),
            other => Err(Self::unknown("model", other, "choose 'icir' or 'icic'")),
        }
    }
}

/// The path of instances with coordinates `x` under these labels; whether to keep `‖γ‖` and certificates.
#[pyfunction]
pub fn path<'py>(
    py: Python<'py>,
    x: Floats,
    labels: &Bound<'py, PyArray1<i64>>,
    classes: usize,
    settings: Settings,
    keep: (bool, bool),
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyDict>> {
    let (labels, model) = (all_labels(labels)?, settings.model()?);
    let linear = settings.model == "icir";
    let x = x.matrix(py)?;
    let found = work(py, threads, move |_| {
        let keep = Keep { gamma: keep.0, beta: false, certificate: keep.1 };
        model.path(&x, &labels, classes, keep).map_err(errors::engine)
    })?;
    let out = PyDict::new(py);
    // ICI-C's λ is a price of another kind: there, credibility is relative to the path.
    let credible = |&lambda: &f64| match linear {
        true => credibility(lambda),
        false => 1.0 - lambda / found.lambda[0],
    };
    let credible: Vec<f64> = found.vanish.iter().map(credible).collect();
    out.set_item("credibility", credible.into_pyarray(py))?;
    out.set_item("vanish", found.vanish.into_pyarray(py))?;
    out.set_item("vanish_grid", found.vanish_grid.into_pyarray(py))?;
    out.set_item("reenters", found.reenters.into_pyarray(py))?;
    out.set_item("lambda", found.lambda.into_pyarray(py))?;
    if keep.1 {
        out.set_item("certificate", found.certificate.into_pyarray(py))?;
    }
    if let Some(norms) = &found.gamma_norm {
        out.set_item("gamma_norm", to_array(py, norms)?)?;
    }
    Ok(out)
}

/// Few coordinates of instances.
#[pyfunction]
pub fn reduce<'py>(
    py: Python<'py>,
    x: Floats,
    method: &str,
    dim: usize,
    neighbors: usize,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let method: Method = method.parse().map_err(errors::engine)?;
    let reduction = method.build(dim, neighbors).map_err(errors::engine)?;
    let embedding = work(py, threads, move |_| {
        Python::attach(|py| x.features(py, |x| reduction.reduce(&x.normalize()?, x.rows())))
    })?;
    to_array(py, &embedding.x)
}
