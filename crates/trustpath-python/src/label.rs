//! Labels for what has none, and the model that remains.

use numpy::{IntoPyArray, PyArray1, PyArray2, PyArray3, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use trustpath::classify::LogisticModel;
use trustpath::label::{
    FrozenPath, LabelModel, LabelParams, Labeller, Labelling, Prediction, Projection, Trust,
    label as run,
};
use trustpath_findings::About;
use trustpath_findings::label::{Summary, page, reason, verdict};

use crate::arrays::{Floats, labels as read, numbers, to_array, to_matrix};
use crate::errors;
use crate::work::{Stop, work};

/// The parameters of `label`, by name.
#[derive(FromPyObject)]
pub struct Params {
    #[pyo3(item)]
    labeller: String,
    #[pyo3(item)]
    trust: (String, f64),
    #[pyo3(item)]
    none_of_these: bool,
    #[pyo3(item)]
    suggest: usize,
    #[pyo3(item)]
    folds: usize,
    #[pyo3(item)]
    seed: u64,
    #[pyo3(item)]
    threads: Option<usize>,
}

impl Params {
    fn read(&self) -> PyResult<LabelParams> {
        let unknown = |what, value: &str, expected| {
            PyValueError::new_err(format!("{what} = {value:?} is not usable: {expected}"))
        };
        let labeller = match self.labeller.as_str() {
            "auto" => Labeller::Auto,
            "adaptive" => Labeller::Adaptive,
            "rounds" => Labeller::Rounds,
            other => {
                return Err(unknown("labeller", other, "choose 'auto', 'adaptive' or 'rounds'"));
            }
        };
        let trust = match (self.trust.0.as_str(), self.trust.1) {
            ("credibility", cut) => Trust::Credibility(cut),
            ("precision", target) => Trust::Precision(target),
            ("per_class", quota) => Trust::PerClass(quota as usize),
            (other, _) => {
                return Err(unknown(
                    "trust",
                    other,
                    "choose 'credibility', 'precision' or 'per_class'",
                ));
            }
        };
        let Self { none_of_these, suggest, folds, seed, .. } = *self;
        Ok(LabelParams {
            labeller,
            trust,
            none_of_these,
            suggest,
            folds,
            seed,
            ..LabelParams::default()
        })
    }
}

/// Labels instances: `labels` count into `classes`, −1 where there is none.
#[pyfunction]
pub fn label<'py>(
    py: Python<'py>,
    x: Floats,
    labels: &Bound<'py, PyArray1<i64>>,
    classes: usize,
    params: Params,
) -> PyResult<Bound<'py, PyDict>> {
    let (labels, read) = (read(labels)?, params.read()?);
    let found = work(py, params.threads, move |mut stop: Stop| {
        Python::attach(|py| x.features(py, |x| run(x, &labels, classes, &read, &mut stop)))
    })?;
    columns(py, found)
}

fn columns(py: Python<'_>, found: Labelling) -> PyResult<Bound<'_, PyDict>> {
    let out = PyDict::new(py);
    out.set_item("label", numbers(found.labels).into_pyarray(py))?;
    out.set_item("judged_as", numbers(found.judged_as.into_iter().map(Some)).into_pyarray(py))?;
    out.set_item("probability", found.probability.into_pyarray(py))?;
    out.set_item("credibility", found.credibility.into_pyarray(py))?;
    out.set_item("rival", numbers(found.rival.into_iter().map(Some)).into_pyarray(py))?;
    out.set_item("rival_credibility", found.rival_credibility.into_pyarray(py))?;
    out.set_item("accepted_in", numbers(found.accepted_in).into_pyarray(py))?;
    let verdicts: Vec<&str> = found.verdicts.iter().map(|&v| verdict(v)).collect();
    out.set_item("verdict", verdicts)?;
    out.set_item("rounds", found.rounds.len())?;
    out.set_item("adaptive", found.adaptive)?;
    out.set_item("suggestions", numbers(found.suggestions.into_iter().map(Some)).into_pyarray(py))?;
    out.set_item("lambda", found.lambda.into_pyarray(py))?;
    out.set_item("gamma_norm", to_array(py, &found.gamma_norm)?)?;
    out.set_item("followed", numbers(found.followed.into_iter().map(Some)).into_pyarray(py))?;
    out.set_item("recall", found.recall)?;
    out.set_item("cut", found.trusted.cut)?;
    out.set_item("promised", found.trusted.promised)?;
    out.set_item("estimate", found.trusted.estimate)?;
    out.set_item("model", Model(found.model))?;
    Ok(out)
}

/// The page about labels, as `trustpath label --report` writes it.
#[pyfunction]
pub fn label_page(
    py: Python<'_>,
    x: Floats,
    labels: &Bound<'_, PyArray1<i64>>,
    classes: Vec<String>,
    ids: Vec<String>,
    source: String,
    params: Params,
) -> PyResult<String> {
    let (labels, read) = (read(labels)?, params.read()?);
    work(py, params.threads, move |mut stop: Stop| {
        Python::attach(|py| {
            x.features(py, |x| {
                let found = run(x, &labels, classes.len(), &read, &mut stop)?;
                let about = About {
                    source: &source,
                    dims: x.dims(),
                    ids: &ids,
                    labels: &labels,
                    classes: &classes,
                };
                let summary = Summary::new(&about, &found, read.trust, !read.none_of_these);
                let reasons: Vec<String> =
                    (0..ids.len()).map(|row| reason(&about, &found, row)).collect();
                Ok(page(&about, &found, &summary, &reasons)?.0)
            })
        })?
        .html()
        .map_err(|error| PyValueError::new_err(error.to_string()))
    })
}

/// A trained model, for instances that come later.
#[pyclass(frozen, module = "trustpath._trustpath")]
pub struct Model(LabelModel);

#[pymethods]
impl Model {
    /// Puts a model together from its parts.
    #[new]
    fn new(parts: &Bound<'_, PyDict>) -> PyResult<Self> {
        let part = |name: &str| {
            let missing = || PyValueError::new_err(format!("the model has no {name}"));
            parts.get_item(name)?.ok_or_else(missing)
        };
        let matrix = |name| to_matrix(part(name)?.cast::<PyArray2<f64>>()?);
        let vector = |name| -> PyResult<Vec<f64>> {
            let array = part(name)?;
            let array = array.cast::<PyArray1<f64>>()?.try_readonly()?;
            Ok(array.as_array().iter().copied().collect())
        };
        let beta = part("beta")?;
        let beta = beta.cast::<PyArray3<f64>>()?.try_readonly()?;
        let (d, c) = (beta.shape()[1], beta.shape()[2]);
        let each = |values: Vec<f64>| trustpath::Matrix::from_vec(d, c, values);
        let flat: Vec<f64> = beta.as_array().iter().copied().collect();
        let beta: trustpath::Result<_> =
            flat.chunks(usize::max(d * c, 1)).map(|values| each(values.to_vec())).collect();
        let model = LabelModel {
            projection: Projection {
                signed: part("signed")?.extract()?,
                mean: vector("mean")?,
                basis: matrix("basis")?,
            },
            classifier: LogisticModel {
                weights: matrix("weights")?,
                intercept: vector("intercept")?,
            },
            path: FrozenPath { lambda: vector("lambda")?, beta: beta.map_err(errors::engine)? },
            cut: part("cut")?.extract()?,
        };
        model.check().map_err(errors::engine)?;
        Ok(Self(model))
    }

    /// The parts of the model.
    fn parts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let LabelModel { projection, classifier, path, cut } = &self.0;
        let beta: Vec<f64> = path.beta.iter().flat_map(|b| b.as_slice()).copied().collect();
        let (d, c) = (path.dims(), classifier.intercept.len());
        let out = PyDict::new(py);
        out.set_item("signed", projection.signed)?;
        out.set_item("mean", projection.mean.clone().into_pyarray(py))?;
        out.set_item("basis", to_array(py, &projection.basis)?)?;
        out.set_item("weights", to_array(py, &classifier.weights)?)?;
        out.set_item("intercept", classifier.intercept.clone().into_pyarray(py))?;
        out.set_item("lambda", path.lambda.clone().into_pyarray(py))?;
        out.set_item("beta", beta.into_pyarray(py).reshape([path.beta.len(), d, c])?)?;
        out.set_item("cut", cut)?;
        Ok(out)
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyTuple>> {
        let py = slf.py();
        let parts = (slf.get().parts(py)?,).into_pyobject(py)?;
        (slf.get_type(), parts).into_pyobject(py)
    }

    /// Labels new instances.
    fn predict<'py>(
        &self,
        py: Python<'py>,
        x: Floats,
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let model = self.0.clone();
        let found: Prediction =
            work(py, threads, move |_| Python::attach(|py| x.features(py, |x| model.predict(x))))?;
        let out = PyDict::new(py);
        out.set_item("label", numbers(found.labels.into_iter().map(Some)).into_pyarray(py))?;
        out.set_item("probabilities", to_array(py, &found.probabilities)?)?;
        out.set_item("credibility", found.credibility.into_pyarray(py))?;
        out.set_item("rival", numbers(found.rival.into_iter().map(Some)).into_pyarray(py))?;
        out.set_item("trusted", found.trusted.into_pyarray(py))?;
        Ok(out)
    }
}
