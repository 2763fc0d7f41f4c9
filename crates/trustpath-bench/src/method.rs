//! The methods that `bench` compares: self-training, the transductive methods, and `label` itself.

use std::fmt;

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use trustpath::spec::{LabelSpec, Spec, Value};
use trustpath::{Features, Matrix, label};

use crate::episode::gather;
use crate::transductive::{Transductive, TransductiveKind};
use crate::{Episode, Error, IncidentalKind, Result, SelfTrainer, SelfTrainingSpec, Setting};

/// A way to label the queries of an episode, as names and numbers.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum BenchMethod {
    /// Self-training: Algorithm 1.
    SelfTraining(SelfTrainingSpec),
    /// A transductive method with the parameters its authors published; the adaptive mode and UNEM-Gaussian with
    /// parameters that were learned here.
    Transductive(TransductiveKind),
    /// What `trustpath label` runs.
    Label(LabelSpec),
}

impl BenchMethod {
    /// The names on the command line.
    pub fn names() -> Vec<&'static str> {
        [IncidentalKind::NAMES, &["label"], TransductiveKind::NAMES].concat()
    }

    /// The method of a name; self-training has these options, except for its model.
    ///
    /// # Errors
    /// [`Error::Parameter`] for an unknown name.
    pub fn named(name: &str, base: &SelfTrainingSpec) -> Result<Self> {
        if let Ok(model) = name.parse() {
            return Ok(Self::SelfTraining(SelfTrainingSpec { model, ..base.clone() }));
        }
        if name == "label" {
            return Ok(Self::Label(LabelSpec { seed: base.seed, ..LabelSpec::default() }));
        }
        let expected = format!("choose one of {}", Self::names().join(", "));
        let method = name.parse().map_err(|_| Error::parameter("method", name, expected))?;
        Ok(Self::Transductive(method))
    }

    /// All methods; self-training has these options, except for its model.
    pub fn all(base: &SelfTrainingSpec) -> Vec<Self> {
        Self::names().into_iter().filter_map(|name| Self::named(name, base).ok()).collect()
    }

    /// The method, ready to run.
    ///
    /// # Errors
    /// When a parameter is outside its domain.
    pub fn build(&self) -> Result<Learner> {
        Ok(match self {
            Self::SelfTraining(spec) => Learner::SelfTraining(Box::new(spec.build()?)),
            Self::Transductive(kind) => Learner::Transductive(kind.build()?),
            Self::Label(spec) => {
                spec.trust()?;
                Learner::Label(spec.clone())
            }
        })
    }
}

impl fmt::Display for BenchMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SelfTraining(spec) => spec.model.fmt(f),
            Self::Transductive(kind) => kind.fmt(f),
            Self::Label(_) => f.pad("label"),
        }
    }
}

/// The name of the method, and all options that it has.
impl Serialize for BenchMethod {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let options = match self {
            Self::SelfTraining(spec) => spec.values(),
            Self::Transductive(_) => Vec::new(),
            Self::Label(spec) => spec.values(),
        };
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("name", &self.to_string())?;
        for (name, value) in options {
            match value {
                Value::Flag(value) => map.serialize_entry(name, &value)?,
                Value::Count(value) => map.serialize_entry(name, &value)?,
                Value::Number(value) => map.serialize_entry(name, &value)?,
                Value::Text(value) => map.serialize_entry(name, &value)?,
                _ => map.serialize_entry(name, &())?,
            }
        }
        map.end()
    }
}

impl From<&SelfTrainingSpec> for BenchMethod {
    fn from(spec: &SelfTrainingSpec) -> Self {
        Self::SelfTraining(spec.clone())
    }
}

impl From<TransductiveKind> for BenchMethod {
    fn from(kind: TransductiveKind) -> Self {
        Self::Transductive(kind)
    }
}

/// A method, ready to run.
#[derive(Debug)]
#[non_exhaustive]
pub enum Learner {
    /// Self-training.
    SelfTraining(Box<SelfTrainer>),
    /// A transductive method.
    Transductive(Box<dyn Transductive>),
    /// The pipeline of `label`.
    Label(LabelSpec),
}

impl Learner {
    /// Accuracies on the queries of an episode: of the plain classifier and after every round for self-training, the one
    /// there is for other methods. Self-training ranks by the coordinates, where they are given; other methods have none.
    ///
    /// # Errors
    /// When the method fails.
    pub fn accuracies(
        &self,
        features: &Features<'_>,
        episode: &Episode,
        setting: &Setting,
        coordinates: Option<&Matrix>,
    ) -> Result<Vec<f64>> {
        let labels = match self {
            Self::Label(spec) => label_queries(spec, features, episode, setting)?,
            Self::SelfTraining(learner) => {
                let instances = gather(features, episode, setting)?;
                let task = episode.task(&instances, setting);
                let outcome = match coordinates {
                    None => learner.run(&task),
                    Some(coordinates) => learner.run_on(&task, coordinates),
                };
                return Ok(outcome?.accuracy);
            }
            Self::Transductive(method) => {
                let instances = gather(features, episode, setting)?;
                let posterior = method.label(&episode.task(&instances, setting))?;
                posterior.query_labels().into_iter().map(Some).collect()
            }
        };
        let truth = &episode.query.labels;
        let right = labels.iter().zip(truth).filter(|(label, truth)| **label == Some(**truth));
        Ok(vec![right.count() as f64 / truth.len().max(1) as f64])
    }
}

/// Labels of the queries by `label` on the support and the unlabeled instances; none for a query that is found to belong
/// to none of the classes. Queries that are not in the pool are labelled by the model that `label` trains.
fn label_queries(
    spec: &LabelSpec,
    features: &Features<'_>,
    episode: &Episode,
    setting: &Setting,
) -> Result<Vec<Option<usize>>> {
    let dims = features.dims();
    let copy = |rows: &mut dyn Iterator<Item = usize>| -> Result<Vec<f64>> {
        let mut values = Vec::new();
        for row in rows {
            let start = values.len();
            values.resize(start + dims, 0.0);
            features.block(row, &mut values[start..])?;
        }
        Ok(values)
    };
    let (support, pool) = (&episode.support, episode.pool(setting));
    let values = copy(&mut support.rows.iter().chain(pool).copied())?;
    let rows = support.rows.len() + pool.len();
    let mut given: Vec<Option<usize>> = support.labels.iter().copied().map(Some).collect();
    given.resize(rows, None);
    let labelling = label(&Features::new(&values[..], rows, dims)?, &given).spec(spec).run()?;
    if *setting == Setting::Transductive {
        return Ok(labelling.labels[support.rows.len()..].to_vec());
    }
    let values = copy(&mut episode.query.rows.iter().copied())?;
    let queries = Features::new(&values[..], episode.query.rows.len(), dims)?;
    Ok(labelling.model.predict(&queries)?.labels)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip() {
        let base = SelfTrainingSpec { step: 3, ..SelfTrainingSpec::default() };
        for name in BenchMethod::names() {
            let method = BenchMethod::named(name, &base).unwrap();
            assert_eq!(method.to_string(), name);
            method.build().unwrap();
        }
        assert_eq!(BenchMethod::all(&base).len(), BenchMethod::names().len());
        let icic = SelfTrainingSpec { model: IncidentalKind::IciC, ..base.clone() };
        assert_eq!(BenchMethod::named("icic", &base).unwrap(), BenchMethod::SelfTraining(icic));
        assert!(BenchMethod::named("nonsense", &base).is_err());
    }

    #[test]
    fn a_method_is_serialized_with_all_its_options() {
        let json = serde_json::to_value(BenchMethod::SelfTraining(SelfTrainingSpec::default())).unwrap();
        assert_eq!(json["name"], "icir");
        assert_eq!(json["reduction"], "lle");
        assert_eq!(json["step"], 5);
        assert!(json["cap"].is_null() && json["compat"] == false && json["alpha"] == 0.5);
        let json = serde_json::to_value(BenchMethod::Transductive(TransductiveKind::PtMap)).unwrap();
        assert_eq!(json, serde_json::json!({ "name": "pt-map" }));
    }
}
