//! What is run on episodes: self-taught learning with all its choices, or a method that labels the pool at once.

use std::fmt;

use serde::Serialize;
use trustpath::transductive::{self, Transductive};
use trustpath::{SelfTaught, Task};

use crate::method::as_text;
use crate::{Error, Method, Model, Result};

/// A way to label the queries of an episode, as names and numbers.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Approach {
    /// Rounds of selection: Algorithm 1.
    SelfTaught(Method),
    /// All at once.
    Transductive {
        /// By which method, with its published parameters.
        #[serde(serialize_with = "as_text")]
        name: transductive::Method,
    },
}

impl Approach {
    /// The names on the command line.
    pub fn names() -> Vec<&'static str> {
        let models = ["icir", "icic"].into_iter();
        models.chain(transductive::Method::ALL.map(transductive::Method::name)).collect()
    }

    /// The approach of a name; self-taught learning is `base` but for its model.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a name that is none.
    pub fn named(name: &str, base: &Method) -> Result<Self> {
        if let Ok(model) = name.parse::<Model>() {
            return Ok(Self::SelfTaught(Method { model, ..base.clone() }));
        }
        let expected = "choose one of trustpath bench --help";
        let method = name.parse().map_err(|_| Error::parameter("method", name, expected))?;
        Ok(Self::Transductive { name: method })
    }

    /// All approaches, with this self-taught learning but for its model.
    pub fn all(base: &Method) -> Vec<Self> {
        Self::names().into_iter().filter_map(|name| Self::named(name, base).ok()).collect()
    }

    /// The learner of this approach.
    ///
    /// # Errors
    /// When a parameter is outside its domain.
    pub fn build(&self) -> Result<Learner> {
        Ok(match self {
            Self::SelfTaught(method) => Learner::SelfTaught(Box::new(method.build()?)),
            Self::Transductive { name } => Learner::Transductive(name.build()?),
        })
    }
}

impl fmt::Display for Approach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SelfTaught(method) => method.model.fmt(f),
            Self::Transductive { name } => name.fmt(f),
        }
    }
}

impl From<&Method> for Approach {
    fn from(method: &Method) -> Self {
        Self::SelfTaught(method.clone())
    }
}

impl From<transductive::Method> for Approach {
    fn from(name: transductive::Method) -> Self {
        Self::Transductive { name }
    }
}

/// An approach ready to run.
#[derive(Debug)]
pub enum Learner {
    /// Rounds of selection.
    SelfTaught(Box<SelfTaught>),
    /// All at once.
    Transductive(Box<dyn Transductive>),
}

impl Learner {
    /// Accuracies on the query of a task whose truth is given: of the plain classifier and after every round, or the one
    /// there is.
    ///
    /// # Errors
    /// When the learner fails.
    pub fn accuracies(&self, task: &Task<'_>) -> Result<Vec<f64>> {
        match self {
            Self::SelfTaught(learner) => Ok(learner.run(task)?.accuracy),
            Self::Transductive(method) => {
                let labels = method.label(task)?.query_labels();
                let truth = task.truth.unwrap_or_default();
                let right = labels.iter().zip(truth).filter(|(label, truth)| label == truth);
                Ok(vec![right.count() as f64 / truth.len().max(1) as f64])
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_go_there_and_back() {
        let base = Method { step: 3, ..Method::default() };
        for name in Approach::names() {
            let approach = Approach::named(name, &base).unwrap();
            assert_eq!(approach.to_string(), name);
            approach.build().unwrap();
        }
        assert_eq!(Approach::all(&base).len(), Approach::names().len());
        let icic = Method { model: Model::IciC, ..base.clone() };
        assert_eq!(Approach::named("icic", &base).unwrap(), Approach::SelfTaught(icic));
        assert!(Approach::named("nonsense", &base).is_err());
    }
}
