//! Episodes: any part of them, so that others can run the rest.

use std::borrow::Cow;

use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods, ToPyArray};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use trustpath::reduce::default_dimensions;
use trustpath_episodes::stats::Estimate;
use trustpath_episodes::{
    AccuracySummary, Approach, Classes, Distractors, Drawn, Episode, EpisodeShape, Episodes,
    Finished, Method, Queries, Setting, Split, Unlabeled, embedded, evaluate_features,
};

use crate::arrays::{Floats, all_labels};
use crate::errors::{engine, of_episodes};
use crate::work::work;

/// What the episodes look like.
#[derive(FromPyObject)]
pub struct TaskOptions {
    #[pyo3(item)]
    way: usize,
    #[pyo3(item)]
    shot: usize,
    #[pyo3(item)]
    queries: usize,
    #[pyo3(item)]
    setting: String,
    #[pyo3(item)]
    unlabeled: usize,
    #[pyo3(item)]
    up_to: bool,
    #[pyo3(item)]
    distractors: (usize, usize),
    #[pyo3(item)]
    dirichlet: Option<f64>,
    #[pyo3(item)]
    seed: u64,
}

/// What runs on them; what is not given stays as it is.
#[derive(FromPyObject)]
pub struct MethodOptions {
    #[pyo3(item)]
    method: String,
    #[pyo3(item)]
    penalty: Option<String>,
    #[pyo3(item)]
    reduction: Option<String>,
    #[pyo3(item)]
    dim: Option<usize>,
    #[pyo3(item)]
    neighbors: Option<usize>,
    #[pyo3(item)]
    classifier: Option<String>,
    #[pyo3(item)]
    selector: Option<String>,
    #[pyo3(item)]
    step: Option<usize>,
    #[pyo3(item)]
    cap: Option<usize>,
    #[pyo3(item)]
    alpha: Option<f64>,
    #[pyo3(item)]
    compat: Option<bool>,
}

impl TaskOptions {
    fn task(&self) -> PyResult<EpisodeShape> {
        let Self { way, shot, queries, .. } = *self;
        let setting = match self.setting.as_str() {
            "inductive" => Setting::Inductive,
            "transductive" => Setting::Transductive,
            "semi" => Setting::SemiSupervised {
                unlabeled: match self.up_to {
                    true => Unlabeled::UpTo(self.unlabeled),
                    false => Unlabeled::Exactly(self.unlabeled),
                },
                distractors: Distractors {
                    classes: self.distractors.0,
                    per_class: self.distractors.1,
                },
            },
            other => {
                let sentence = format!(
                    "setting = {other:?} is not usable: choose 'inductive', 'transductive' or 'semi'"
                );
                return Err(PyValueError::new_err(sentence));
            }
        };
        let queries = match self.dirichlet {
            None => Queries::PerClass(queries),
            Some(alpha) => Queries::Dirichlet { total: way.saturating_mul(queries), alpha },
        };
        Ok(EpisodeShape { way, shot, queries, setting })
    }
}

impl MethodOptions {
    fn approach(&self, way: usize, seed: u64) -> PyResult<Approach> {
        let base = Method { d: default_dimensions(way), seed, ..Method::default() };
        let own = Method {
            model: base.model,
            penalty: parse(&self.penalty)?.or(base.penalty),
            reduction: match &self.reduction {
                Some(name) => name.parse().map_err(engine)?,
                None => base.reduction,
            },
            d: self.dim.unwrap_or(base.d),
            neighbors: self.neighbors.unwrap_or(base.neighbors),
            classifier: match &self.classifier {
                Some(name) => name.parse().map_err(engine)?,
                None => base.classifier,
            },
            selector: parse(&self.selector)?.unwrap_or(base.selector),
            step: self.step.unwrap_or(base.step),
            cap: self.cap.or(base.cap),
            alpha: self.alpha.unwrap_or(base.alpha),
            compat: self.compat.unwrap_or(base.compat),
            seed,
        };
        let approach = Approach::named(&self.method, &own).map_err(|_| {
            let names = Approach::names().join(", ");
            let sentence =
                format!("method = {:?} is not usable: choose one of {names}", self.method);
            PyValueError::new_err(sentence)
        })?;
        if matches!(approach, Approach::Transductive { .. }) && own != base {
            let sentence = format!(
                "{} runs with its published parameters: give no options of self-taught learning",
                self.method
            );
            return Err(PyValueError::new_err(sentence));
        }
        approach.build().map_err(of_episodes)?;
        Ok(approach)
    }
}

fn parse<T: std::str::FromStr<Err = trustpath_episodes::Error>>(
    name: &Option<String>,
) -> PyResult<Option<T>> {
    name.as_deref().map(|name| name.parse().map_err(of_episodes)).transpose()
}

/// Some of the episodes, counted from 0.
struct Some<'a> {
    all: Drawn<'a>,
    from: usize,
    count: usize,
}

impl Episodes for Some<'_> {
    fn count(&self) -> usize {
        self.count
    }

    fn setting(&self) -> Setting {
        self.all.setting()
    }

    fn get(&self, index: usize) -> trustpath_episodes::Result<Cow<'_, Episode>> {
        self.all.get(self.from + index)
    }
}

/// Accuracies of `count` episodes, from number `from` on: those of the plain classifier and after every round.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "Python names them")]
pub fn evaluate(
    py: Python<'_>,
    x: Floats,
    labels: &Bound<'_, PyArray1<i64>>,
    names: Vec<String>,
    task: TaskOptions,
    method: MethodOptions,
    from: usize,
    count: usize,
    threads: Option<usize>,
) -> PyResult<Vec<Vec<f64>>> {
    let classes = Classes::new(all_labels(labels)?, names, "the features")
        .map_err(|error| PyValueError::new_err(error.to_string()))?;
    let (approach, seed, task) = (method.approach(task.way, task.seed)?, task.seed, task.task()?);
    let finished = work(py, threads, move |mut stop| {
        let sampler = task.check_classes(&classes).map_err(of_episodes)?;
        let episodes = Some { all: Drawn { sampler, seed, count: from + count }, from, count };
        let run = |x: &trustpath::Features<'_>| {
            Ok(evaluate_features(x, &episodes, approach, Vec::new(), &mut stop))
        };
        Python::attach(|py| x.features(py, run))?.map_err(of_episodes)
    })?;
    Ok(finished.into_iter().map(|episode| episode.accuracies).collect())
}

/// Means and intervals of the accuracies of episodes.
#[pyfunction]
pub fn summary<'py>(py: Python<'py>, accuracies: Vec<Vec<f64>>) -> PyResult<Bound<'py, PyDict>> {
    let finished: Vec<Finished> = accuracies
        .into_iter()
        .enumerate()
        .map(|(k, accuracies)| Finished { episode: k as u64, accuracies, seconds: 0.0 })
        .collect();
    let summary = AccuracySummary::of(&finished).map_err(of_episodes)?;
    let estimate = |estimate: &Estimate| -> PyResult<Bound<'py, PyDict>> {
        let out = PyDict::new(py);
        out.set_item("mean", estimate.mean)?;
        out.set_item("half_width", estimate.half_width)?;
        out.set_item("episodes", estimate.episodes)?;
        Ok(out)
    };
    let rounds: PyResult<Vec<_>> = summary.rounds.iter().map(estimate).collect();
    let out = PyDict::new(py);
    out.set_item("plain", estimate(&summary.plain)?)?;
    out.set_item("rounds", rounds?)?;
    out.set_item("final", estimate(&summary.last)?)?;
    out.set_item("gain", estimate(&summary.gain)?)?;
    Ok(out)
}

/// The names of all methods.
#[pyfunction]
pub fn methods() -> Vec<&'static str> {
    Approach::names()
}

/// Features of real images, their labels, and the names of the classes.
type Dataset<'py> = (Bound<'py, PyArray2<f32>>, Bound<'py, PyArray1<i64>>, Vec<String>);

/// Features that come with the package.
#[pyfunction]
pub fn dataset<'py>(py: Python<'py>, name: &str, split: &str) -> PyResult<Dataset<'py>> {
    let split = match split {
        "novel" => Split::Novel,
        "validation" => Split::Validation,
        other => {
            let sentence =
                format!("split = {other:?} is not usable: choose 'novel' or 'validation'");
            return Err(PyValueError::new_err(sentence));
        }
    };
    let table = embedded::load(name, split).map_err(of_episodes)?;
    let features = table.features().to_pyarray(py).reshape([table.rows(), table.dims()])?;
    let labels: Vec<i64> = table.labels().iter().map(|&label| label as i64).collect();
    Ok((features, labels.into_pyarray(py), table.class_names().to_vec()))
}
