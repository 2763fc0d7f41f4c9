//! The regularisation path itself, and the reductions before it.

use numpy::{IntoPyArray, PyArray1, PyArray2};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use trustpath::incidental::linear::Roots;
use trustpath::incidental::logistic::Scaling;
use trustpath::incidental::{Grid, IciCParams, IciR, IciRParams, Incidental, Keep, Penalty};
use trustpath_bench::reduce::{DEFAULT_NEIGHBORS, ReductionKind};

use crate::arrays::{Floats, all_labels, to_array};
use crate::errors;
use crate::options::Options;
use crate::results::dict;
use crate::work::work;

impl Options<'_> {
    fn grid(&self, default: Grid) -> PyResult<Grid> {
        Ok(Grid {
            points: self.count("points", 2)?.unwrap_or(default.points),
            ratio: self.number("ratio")?.unwrap_or(default.ratio),
        })
    }

    /// ICI-R.
    pub fn linear(&self) -> PyResult<IciR> {
        let penalties = [("group", Penalty::Group), ("elementwise", Penalty::Elementwise)];
        let roots = [("exact", Roots::Exact), ("interpolated", Roots::Interpolated)];
        let default = IciRParams::default();
        let params = IciRParams {
            penalty: self.choice("penalty", &penalties)?.unwrap_or(Penalty::Group),
            grid: self.grid(default.grid)?,
            tolerance: self.number("tolerance")?.unwrap_or(default.tolerance),
            roots: self.choice("roots", &roots)?.unwrap_or(Roots::Exact),
        };
        params.check().map_err(errors::engine)
    }

    fn logistic(&self) -> PyResult<Box<dyn Incidental>> {
        let default = IciCParams::default();
        let penalties = [("group", Penalty::Group), ("elementwise", Penalty::Elementwise)];
        let scalings = Scaling::ALL.map(|scaling| (scaling.name(), scaling));
        let params = IciCParams {
            penalty: self.choice("penalty", &penalties)?.unwrap_or(default.penalty),
            scaling: self.choice("scaling", &scalings)?.unwrap_or(default.scaling),
            alpha: self.number("alpha")?.unwrap_or(default.alpha),
            grid: self.grid(default.grid)?,
            tolerance: self.number("tolerance")?.unwrap_or(default.tolerance),
        };
        Ok(Box::new(params.check().map_err(errors::engine)?))
    }
}

/// The path of instances with coordinates `x` under these labels.
#[pyfunction]
pub fn path<'py>(
    py: Python<'py>,
    x: Floats,
    labels: &Bound<'py, PyArray1<i64>>,
    classes: usize,
    options: Options<'py>,
) -> PyResult<Bound<'py, PyDict>> {
    let labels = all_labels(labels)?;
    let linear = options.choice("model", &[("icir", true), ("icic", false)])?.unwrap_or(true);
    let model: Box<dyn Incidental> = if linear { Box::new(options.linear()?) } else { options.logistic()? };
    let wanted = |name| Ok::<_, PyErr>(options.flag(name)?.unwrap_or(false));
    let keep = Keep { gamma: wanted("gamma")?, beta: false, certificate: wanted("certificate")? };
    let x = x.matrix(py)?;
    let walked = work(py, options.threads()?, move |_| model.path(&x, &labels, classes, keep).map_err(errors::engine))?;
    // ICI-C's λ is a price of another kind: there, credibility is relative to the path.
    let credible = |&lambda: &f64| {
        if linear { credibility(lambda) } else { 1.0 - lambda / walked.lambda[0] }
    };
    let credible: Vec<f64> = walked.vanish.iter().map(credible).collect();
    let out: PyResult<Bound<'_, PyDict>> = dict!(py, {
        "credibility": credible.into_pyarray(py),
        "vanish": walked.vanish.into_pyarray(py),
        "vanish_grid": walked.vanish_grid.into_pyarray(py),
        "reenters": walked.reenters.into_pyarray(py),
        "lambda": walked.lambda.into_pyarray(py),
    });
    let out = out?;
    if keep.certificate {
        out.set_item("certificate", walked.certificate.into_pyarray(py))?;
    }
    if let Some(norms) = &walked.gamma_norm {
        out.set_item("gamma_norm", to_array(py, norms)?)?;
    }
    Ok(out)
}

/// Few coordinates of instances.
#[pyfunction]
pub fn reduce<'py>(py: Python<'py>, x: Floats, options: Options<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let method: ReductionKind = options.parsed("method")?.unwrap_or(ReductionKind::Lle);
    let size = |name| Ok::<_, PyErr>(options.count(name, 1)?.unwrap_or(DEFAULT_NEIGHBORS));
    let reduction = method.build(size("dim")?, size("neighbors")?).map_err(errors::engine)?;
    let embedding = work(py, options.threads()?, move |_| {
        Python::attach(|py| x.features(py, |x| reduction.reduce(&x.normalize()?, x.rows())))
    })?;
    to_array(py, &embedding.x)
}

/// Credibility of a label that vanishes at `lambda`, where no other label is compared: monotone, from 1 at 0 to 0 at `√2`.
pub fn credibility(lambda: f64) -> f64 {
    (1.0 - lambda / std::f64::consts::SQRT_2).max(0.0)
}
