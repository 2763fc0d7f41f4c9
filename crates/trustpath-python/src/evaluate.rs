//! Few-shot episodes: any range of them, so that several machines can share the work.

use std::borrow::Cow;

use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods, ToPyArray};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use trustpath::spec::Spec;
use trustpath_bench::SelfTrainingSpec;
use trustpath_bench::reduce::default_dimensions;
use trustpath_bench::stats::MeanEstimate;
use trustpath_bench::{
    AccuracySummary, BenchMethod, Classes, Distractors, Drawn, Episode, EpisodeShape, Episodes, Finished, Queries,
    Setting, Split, Unlabeled, embedded, evaluate_features,
};

use crate::arrays::{Floats, all_labels};
use crate::errors::of_episodes;
use crate::options::{Options, unusable};
use crate::results::dict;
use crate::work::work;

/// Options of the episodes.
const TASK: [&str; 9] = ["way", "shot", "queries", "setting", "unlabeled", "up_to", "distractors", "dirichlet", "seed"];
impl Options<'_> {
    fn task(&self) -> PyResult<EpisodeShape> {
        let way = self.count("way", 2)?.unwrap_or(5);
        let queries = self.count("queries", 1)?.unwrap_or(15);
        let unlabeled = self.count("unlabeled", 0)?.unwrap_or(15);
        let unlabeled = match self.flag("up_to")? {
            Some(true) => Unlabeled::UpTo(unlabeled),
            _ => Unlabeled::Exactly(unlabeled),
        };
        let (classes, per_class) = self.pair("distractors")?.unwrap_or((0, 15));
        let distractors = Distractors { classes, per_class };
        let settings = [
            ("inductive", Setting::Inductive),
            ("transductive", Setting::Transductive),
            ("semi", Setting::SemiSupervised { unlabeled, distractors }),
        ];
        Ok(EpisodeShape {
            way,
            shot: self.count("shot", 1)?.unwrap_or(1),
            queries: match self.number("dirichlet")? {
                None => Queries::PerClass(queries),
                Some(alpha) => Queries::Dirichlet { total: way.saturating_mul(queries), alpha },
            },
            setting: self.choice("setting", &settings)?.unwrap_or(Setting::Transductive),
        })
    }

    fn method(&self, way: usize) -> PyResult<BenchMethod> {
        let name = self.text("method")?.unwrap_or_else(|| "icir".to_owned());
        let mut given: SelfTrainingSpec = self.spec()?;
        let plain = SelfTrainingSpec { seed: given.seed, ..SelfTrainingSpec::default() };
        let method = BenchMethod::named(&name, &given).map_err(of_episodes)?;
        if !matches!(method, BenchMethod::SelfTraining(_)) && given != plain {
            return Err(PyValueError::new_err(format!(
                "{name} runs with its own parameters: give no options of self-training"
            )));
        }
        given.dim = self.count("dim", 0)?.unwrap_or(default_dimensions(way));
        let method = BenchMethod::named(&name, &given).map_err(of_episodes)?;
        method.build().map_err(of_episodes)?;
        Ok(method)
    }
}

/// A range of the episodes.
struct EpisodeRange<'a> {
    all: Drawn<'a>,
    from: usize,
    count: usize,
}

impl Episodes for EpisodeRange<'_> {
    fn count(&self) -> usize {
        self.count
    }

    fn setting(&self) -> Setting {
        self.all.setting()
    }

    fn get(&self, index: usize) -> trustpath_bench::Result<Cow<'_, Episode>> {
        self.all.get(self.from + index)
    }
}

/// Accuracies of `count` episodes, from number `from` on: those of the plain classifier and after every round.
#[pyfunction]
pub fn evaluate(
    py: Python<'_>,
    x: Floats,
    labels: &Bound<'_, PyArray1<i64>>,
    names: Vec<String>,
    options: Options<'_>,
    from: usize,
    count: usize,
) -> PyResult<Vec<Vec<f64>>> {
    let names_of_spec = SelfTrainingSpec::OPTIONS.iter().map(|option| option.name);
    let of_training: Vec<&str> = names_of_spec.filter(|name| !["model", "seed"].contains(name)).collect();
    options.only(&[&TASK[..], &of_training, &["method", "n_jobs"]].concat())?;
    let classes = Classes::new(all_labels(labels)?, names, "the features")
        .map_err(|error| PyValueError::new_err(error.to_string()))?;
    let seed = options.count("seed", 0)?.unwrap_or(0) as u64;
    let task = options.task()?;
    let method = options.method(task.way)?;
    let threads = options.threads()?;
    let finished = work(py, threads, move |mut stop| {
        let sampler = task.check_classes(&classes).map_err(of_episodes)?;
        let episodes = EpisodeRange { all: Drawn { sampler, seed, count: from + count }, from, count };
        let run = |x: &trustpath::Features<'_>| Ok(evaluate_features(x, &episodes, method, Vec::new(), &mut stop));
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
    let estimate = |estimate: &MeanEstimate| -> PyResult<Bound<'py, PyDict>> {
        dict!(py, {
            "mean": estimate.mean,
            "half_width": estimate.half_width,
            "episodes": estimate.episodes,
        })
    };
    let rounds: PyResult<Vec<_>> = summary.rounds.iter().map(estimate).collect();
    dict!(py, {
        "plain": estimate(&summary.plain)?,
        "rounds": rounds?,
        "final": estimate(&summary.last)?,
        "gain": estimate(&summary.gain)?,
    })
}

/// The names of all methods.
#[pyfunction]
pub fn methods() -> Vec<&'static str> {
    BenchMethod::names()
}

/// Features of real images, their labels, and the names of the classes.
type Dataset<'py> = (Bound<'py, PyArray2<f32>>, Bound<'py, PyArray1<i64>>, Vec<String>);

/// Features that come with the package.
#[pyfunction]
pub fn dataset<'py>(py: Python<'py>, name: &str, split: &str) -> PyResult<Dataset<'py>> {
    let split = match split {
        "novel" => Split::Novel,
        "validation" => Split::Validation,
        _ => {
            return Err(unusable("split", format_args!("'{split}'"), "choose 'novel' or 'validation'"));
        }
    };
    let table = embedded::load(name, split).map_err(of_episodes)?;
    let features = table.features().to_pyarray(py).reshape([table.rows(), table.dims()])?;
    let labels: Vec<i64> = table.labels().iter().map(|&label| label as i64).collect();
    Ok((features, labels.into_pyarray(py), table.class_names().to_vec()))
}
