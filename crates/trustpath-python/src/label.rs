//! Labels for what has none, and the model that remains.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods, ToPyArray};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple};
use trustpath::label::Trust;
use trustpath::spec::{LabelSpec, Spec};
use trustpath::{Features, Matrix, Origin};
use trustpath_explain::{DataInfo, FrontEnd, LabelResult, PredictResult, Predictions, SavedModel, SavedPool};
use trustpath_table::{MissingLabels, ReadingNote};

use crate::arrays::{Floats, labels as read, numbers, to_array};
use crate::errors;
use crate::options::{Options, Threads};
use crate::results::{PyColumn, columns, dict, html, rows};
use crate::texts::Texts;
use crate::work::{Stop, work};

/// A labelled pool.
#[pyclass(frozen, module = "trustpath._trustpath")]
pub struct Labelling {
    labelling: trustpath::label::Labelling,
    dims: usize,
    labels: Vec<Option<usize>>,
    classes: Vec<String>,
    trust: Trust,
    closed: bool,
}

/// The representation of a pool, which does not depend on labels.
#[pyclass(frozen, module = "trustpath._trustpath")]
pub struct Represented(Arc<trustpath::represent::Represented>);

/// Represents a pool, for any number of calls of [`label`].
#[pyfunction]
pub fn represent_pool(py: Python<'_>, x: Floats, options: Options<'_>) -> PyResult<Represented> {
    work(py, options.threads()?, move |mut stop: Stop| {
        let represent = |x: &Features<'_>| trustpath::represent::Represented::of(x, &mut stop);
        Ok(Represented(Arc::new(Python::attach(|py| x.features(py, represent))?)))
    })
}

/// Labels instances: `labels` are indices into `classes`, −1 where there is none, and `origins` the names of their origins.
#[pyfunction]
#[pyo3(signature = (x, labels, classes, options, kept=None, origins=None))]
pub fn label(
    py: Python<'_>,
    x: Floats,
    labels: &Bound<'_, PyArray1<i64>>,
    classes: Vec<String>,
    options: Options<'_>,
    kept: Option<PyRef<'_, Represented>>,
    origins: Option<Vec<String>>,
) -> PyResult<Labelling> {
    let origins = read_origins(origins)?;
    let (labels, spec) = (read(labels)?, options.label_spec()?);
    let (trust, closed) = (spec.trust().map_err(errors::engine)?, spec.closed);
    let kept = kept.map(|kept| kept.0.clone());
    work(py, options.threads()?, move |mut stop: Stop| {
        let labelled = Python::attach(|py| {
            x.features(py, |x| {
                let mut pool = trustpath::label(x, &labels).origins(&origins).classes(classes.len()).spec(&spec);
                if let Some(kept) = &kept {
                    pool = pool.on(kept);
                }
                Ok((pool.run_observed(&mut stop)?, x.dims()))
            })
        });
        let (labelling, dims) = labelled?;
        Ok(Labelling { labelling, dims, labels, classes, trust, closed })
    })
}

/// Origins by their names.
fn read_origins(names: Option<Vec<String>>) -> PyResult<Vec<Origin>> {
    let names = names.unwrap_or_default();
    names.iter().map(|name| name.parse()).collect::<trustpath::Result<_>>().map_err(errors::engine)
}

/// The names of the options of labelling, with their defaults as text.
#[pyfunction]
pub fn label_options() -> Vec<(&'static str, String)> {
    let values = LabelSpec::default().values().into_iter();
    values.map(|(name, value)| (name, value.to_string())).collect()
}

/// Judges distinct labels, each with its number: whether each means that there is none, and what a user should know. The
/// note on missing labels comes first, and only if it is asked for.
#[pyfunction]
pub fn missing_labels(
    labels: Vec<(String, usize)>,
    markers: Option<Vec<String>>,
    list_missing: bool,
) -> (Vec<bool>, Vec<String>) {
    let rules = markers.map_or_else(MissingLabels::usual, MissingLabels::only);
    let labels: Vec<(&str, usize)> = labels.iter().map(|(text, n)| (text.as_str(), *n)).collect();
    let judged = rules.judge(&labels);
    let told = |note: &&ReadingNote| list_missing || !matches!(note, ReadingNote::Missing(_));
    let setting = |name: &str, value: &str| FrontEnd::Python.setting(name, value);
    let notes = judged.notes.iter().filter(told).map(|note| note.sentence(setting));
    (judged.missing, notes.collect())
}

impl Labelling {
    /// How far each instance is from all labels; not a number where unknown classes were not looked for.
    fn novelty(&self) -> Vec<f64> {
        let unknown = || vec![f64::NAN; self.labels.len()];
        self.labelling.novelty.as_ref().map_or_else(unknown, |novelty| novelty.score.clone())
    }

    fn result<'a>(&'a self, ids: &'a [String], source: &'a str) -> LabelResult<'a> {
        let Self { labelling, dims, labels, classes, trust, closed } = self;
        let data = DataInfo { source, dims: *dims, ids, labels, classes };
        let (trust, closed, front_end) = (*trust, *closed, FrontEnd::Python);
        LabelResult { data, labelling, trust, closed, front_end }
    }
}

#[pymethods]
impl Labelling {
    /// What becomes attributes of the estimator.
    fn attributes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let labelling = &self.labelling;
        let verdicts: Vec<&str> = labelling.verdicts.iter().map(|&v| v.name()).collect();
        dict!(py, {
            "label": numbers(labelling.labels.iter().copied()).into_pyarray(py),
            "probability": labelling.probability.clone().into_pyarray(py),
            "credibility": labelling.credibility.clone().into_pyarray(py),
            "accepted_in": numbers(labelling.accepted_in.iter().copied()).into_pyarray(py),
            "verdict": verdicts,
            "rounds": labelling.rounds.len(),
            "suggestions": rows(labelling.suggestions.iter().map(|next| next.row).collect()).into_pyarray(py),
            "suggestion_origins": labelling.suggestions.iter().map(|next| next.origin.name()).collect::<Vec<_>>(),
            "lambda": labelling.lambda.clone().into_pyarray(py),
            "gamma_norm": to_array(py, &labelling.gamma_norm)?,
            "cut": labelling.trusted.cut,
            "promised": labelling.trusted.trust.precision().filter(|_| !labelling.trusted.rows.is_empty()),
            "curve": labelling.trusted.curve.clone(),
            "classes": labelling.trusted.classes.iter().map(|class| (class.share > 0.0, class.labels, class.needed)).collect::<Vec<_>>(),
            "estimate": labelling.trusted.estimate.map(|e| (e.precision, e.interval.0, e.interval.1)),
            "distance": self.novelty().into_pyarray(py),
            "labeller": labelling.labeller,
        })
    }

    /// The columns of the table, or one of them.
    fn columns<'py>(&self, py: Python<'py>, ids: Vec<String>, only: Option<&str>) -> PyResult<Vec<PyColumn<'py>>> {
        columns(py, &self.result(&ids, ""), only)
    }

    /// What a user should know before relying on the labels.
    fn notes(&self) -> Vec<String> {
        let ids = vec![String::new(); self.labels.len()];
        self.result(&ids, "").notes()
    }

    /// The page, as `trustpath label --report` writes it.
    fn page(slf: Py<Self>, py: Python<'_>, ids: Vec<String>, source: String, threads: Threads) -> PyResult<String> {
        work(py, threads, move |_| html(slf.get().result(&ids, &source).page()))
    }

    /// The trained model, with the type of its classes, the names of its features, what stands in for zeros, and how texts
    /// were represented.
    fn model(
        &self,
        class_type: Option<String>,
        columns: Option<Vec<String>>,
        centre: Option<Vec<f64>>,
        texts: Option<PyRef<'_, Texts>>,
    ) -> Model {
        let (model, class_names) = (self.labelling.model.clone(), self.classes.clone());
        let (extractor, representation) = (None, BTreeMap::new());
        let mut model =
            SavedModel { model, class_names, class_type, columns, centre, extractor, representation, pool: None };
        if let Some(texts) = texts {
            texts.save(&mut model);
        }
        Model(model)
    }
}

/// A trained model, for instances that come later.
#[pyclass(frozen, module = "trustpath._trustpath")]
pub struct Model(SavedModel);

/// Features, a label of each row or −1, names, and origins if there are any.
type PoolArrays<'py> = (Bound<'py, PyArray2<f32>>, Bound<'py, PyArray1<i64>>, Vec<String>, Option<Vec<&'static str>>);

#[pymethods]
impl Model {
    /// A model from the contents of its file.
    #[new]
    fn new(bytes: Vec<u8>) -> PyResult<Self> {
        SavedModel::from_bytes(bytes, "the model").map(Self).map_err(errors::model)
    }

    /// Reads a file that `save`, or `trustpath label --model`, wrote.
    #[staticmethod]
    fn load(path: PathBuf) -> PyResult<Self> {
        SavedModel::read(&path).map(Self).map_err(errors::model)
    }

    /// Writes the file that `trustpath predict` reads.
    fn save(&self, path: PathBuf) -> PyResult<()> {
        self.0.write(&path).map_err(errors::model)
    }

    /// The same for features that were made as those of another model were.
    fn with_extractor_of(&self, other: PyRef<'_, Self>) -> Self {
        let SavedModel { extractor, representation, .. } = other.0.clone();
        Self(SavedModel { extractor, representation, ..self.0.clone() })
    }

    /// The same with the pool that it was trained on, so that instances can be added to it; `ids` are their names, or row
    /// numbers.
    fn with_pool(
        &self,
        x: &Bound<'_, PyArray2<f32>>,
        labels: &Bound<'_, PyArray1<i64>>,
        ids: Option<Vec<String>>,
        origins: Option<Vec<String>>,
    ) -> PyResult<Self> {
        let (features, labels) = (x.readonly().as_slice()?.to_vec(), read(labels)?);
        let numbers = || (0..labels.len()).map(|row| row.to_string()).collect();
        let ids = ids.unwrap_or_else(numbers);
        let pool = Some(SavedPool { features, ids, labels, origins: read_origins(origins)? });
        Ok(Self(SavedModel { pool, ..self.0.clone() }))
    }

    /// The features, labels, names and origins of the pool that it was trained on, if it keeps them.
    fn pool<'py>(&self, py: Python<'py>) -> PyResult<Option<PoolArrays<'py>>> {
        let Some(pool) = &self.0.pool else { return Ok(None) };
        let rows = pool.ids.len();
        let x = pool.features.to_pyarray(py).reshape([rows, pool.features.len() / rows.max(1)])?;
        let labels = numbers(pool.labels.iter().copied()).into_pyarray(py);
        let origins = (!pool.origins.is_empty()).then(|| pool.origins.iter().map(|origin| origin.name()).collect());
        Ok(Some((x, labels, pool.ids.clone(), origins)))
    }

    /// What it was trained on.
    fn about<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        dict!(py, {
            "classes": &self.0.class_names,
            "class_type": &self.0.class_type,
            "columns": &self.0.columns,
            "centre": &self.0.centre,
            "features": self.0.model.projection.mean.len(),
            "cut": self.0.model.trust.cut,
        })
    }

    /// The representation of texts that it was trained with.
    fn texts(&self, installed: Option<PathBuf>) -> PyResult<Texts> {
        Texts::of(&self.0, installed.as_deref())
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyTuple>> {
        let bytes = slf.get().0.to_bytes().map_err(errors::model)?;
        (slf.get_type(), (PyBytes::new(slf.py(), &bytes),)).into_pyobject(slf.py())
    }

    /// Labels new instances: the most probable class, class probabilities, credibility, verdicts, and the columns of the table
    /// that `trustpath predict` writes.
    fn predict<'py>(
        slf: Py<Self>,
        py: Python<'py>,
        x: Floats,
        ids: Option<Vec<String>>,
        threads: Threads,
    ) -> PyResult<Bound<'py, PyDict>> {
        let model = slf.clone_ref(py);
        let predicted =
            work(py, threads, move |_| Python::attach(|py| x.features(py, |x| model.get().0.model.predict(x))))?;
        let (probabilities, labels) = known_classes(&predicted.probabilities, slf.get().0.model.classes());
        let probabilities = to_array(py, &probabilities)?;
        let verdicts: Vec<&str> = predicted.verdicts.iter().map(|&v| v.name()).collect();
        let credibility = predicted.credibility.clone();
        let unlike = slf.get().0.model.are_unlike_pool(&predicted.rank);
        let columns = ids.map(|ids| {
            let mut predictions = Predictions::default();
            predictions.append(predicted);
            let classes = &slf.get().0.class_names;
            let data = DataInfo { source: "", dims: 0, ids: &ids, labels: &[], classes };
            columns(py, &PredictResult { data, predictions: &predictions, unlike }, None)
        });
        dict!(py, {
            "label": rows(labels).into_pyarray(py),
            "probabilities": probabilities,
            "credibility": credibility.into_pyarray(py),
            "verdict": verdicts,
            "unlike": unlike,
            "columns": columns.transpose()?,
        })
    }
}

/// The probabilities of the first `classes` classes, given that it is one of these, and the most probable of them.
fn known_classes(probabilities: &Matrix, classes: usize) -> (Matrix, Vec<usize>) {
    let mut known = Matrix::from_fn(probabilities.rows(), classes, |i, k| probabilities[(i, k)]);
    let mut labels = Vec::with_capacity(known.rows());
    for i in 0..known.rows() {
        let row = known.row_mut(i);
        let total: f64 = row.iter().sum();
        if total > 0.0 && classes < probabilities.cols() {
            row.iter_mut().for_each(|p| *p /= total);
        }
        labels.push((0..classes).max_by(|&a, &b| row[a].total_cmp(&row[b]).then(b.cmp(&a))).unwrap_or(0));
    }
    (known, labels)
}
