//! Texts to features.

use std::path::{Path, PathBuf};

use numpy::{IntoPyArray, PyArray1};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use trustpath::Observer;
use trustpath_explain::{Extractor, SavedModel};
use trustpath_text::{Error, TextModel, TextRepresentation, TfIdf};

use crate::options::Threads;
use crate::work::{Stop, work};

/// A representation of texts.
#[pyclass(frozen, module = "trustpath._trustpath")]
pub struct Texts(TextRepresentation);

fn refuse(error: Error) -> PyErr {
    // Options are spelled as Python spells them.
    let sentence = error.to_string().replace("--weights", "weights").replace("--text", "X");
    match error {
        Error::Stopped => PyRuntimeError::new_err(sentence),
        _ => PyValueError::new_err(sentence),
    }
}

/// Represents texts, by the representation of this name or these weights or else the best that is there. `installed` is the
/// folder of the installed weights. Returns the representation, the features one after another, and advice.
#[pyfunction]
pub fn represent<'py>(
    py: Python<'py>,
    texts: Vec<String>,
    name: Option<String>,
    weights: Option<PathBuf>,
    installed: Option<PathBuf>,
    threads: Threads,
) -> PyResult<(Texts, Bound<'py, PyArray1<f32>>, Option<String>)> {
    let (by, features, advice) = work(py, threads, move |stop: Stop| {
        let model = TextModel::choose(name.as_deref(), weights.as_deref(), installed.as_deref()).map_err(refuse)?;
        let advice = model.advice();
        let (by, features) = model.represent(&texts, |_| !stop.stop()).map_err(refuse)?;
        Ok((by, features, advice))
    })?;
    Ok((Texts(by), features.into_pyarray(py), advice))
}

#[pymethods]
impl Texts {
    /// Its name.
    fn name(&self) -> &str {
        self.0.description()
    }

    /// The features of texts, one after another.
    fn embed<'py>(
        slf: Py<Self>,
        py: Python<'py>,
        texts: Vec<String>,
        threads: Threads,
    ) -> PyResult<Bound<'py, PyArray1<f32>>> {
        let features =
            work(py, threads, move |stop: Stop| slf.get().0.embed(&texts, |_| !stop.stop()).map_err(refuse))?;
        Ok(features.into_pyarray(py))
    }
}

impl Texts {
    /// Adds to a model what new texts need.
    pub fn save(&self, model: &mut SavedModel) {
        let (description, identity) = (self.0.description().to_owned(), self.0.identity());
        model.extractor = Some(Extractor { description, identity });
        model.representation = self.0.to_tensors();
    }

    /// The representation that a model was trained with.
    pub fn of(model: &SavedModel, installed: Option<&Path>) -> PyResult<Self> {
        let wrong = |sentence: String| PyValueError::new_err(sentence);
        let Some(by) = &model.extractor else {
            return Err(wrong("the model was trained on features, not on texts: give features".into()));
        };
        if !model.representation.is_empty() {
            let tfidf = TfIdf::from_tensors(&model.representation);
            let tfidf = tfidf.ok_or_else(|| {
                wrong("the model is damaged: its text representation does not fit together; save it again".into())
            })?;
            return Ok(Self(TextRepresentation::TfIdf(tfidf)));
        }
        let weights = Some(Path::new(&by.description)).filter(|file| file.exists());
        let name = (weights.is_none()).then_some(TextModel::NAMES[0]);
        match TextModel::choose(name, weights, installed).map_err(refuse)? {
            TextModel::Sentence(model, name) if model.identity() == by.identity => {
                Ok(Self(TextRepresentation::Sentence(model, name)))
            }
            _ => Err(wrong(format!(
                "the model was trained on features by {}, whose weights are not those that are here: put them back, or give features",
                by.description
            ))),
        }
    }
}
