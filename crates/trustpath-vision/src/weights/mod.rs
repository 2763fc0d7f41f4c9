//! Weights: what a checkpoint holds, in the precision in which networks are run.
//!
//! Keys are those of the published checkpoints and may carry a prefix (`module.`, `encoder.`,
//! `base.`, …) that says in what the network was wrapped when it was saved;
//! [`NetworkWeights::for_network`] finds and drops it, and ignores classifiers, counters and
//! whatever else a checkpoint holds.

mod file;
mod package;
mod pth;
pub mod published;
mod recognise;
mod transformer;
pub(crate) use pth::read_tensors;

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::path::Path;

use crate::fingerprint::Fingerprint;
use crate::network::Network;
use crate::{Error, Result};
pub use file::FloatPrecision;
pub use package::Package;

/// Weights that come with the program, in as many parts as it takes for packages to be small enough.
static SHIPPED: [[&[u8]; 2]; NetworkWeights::SHIPPED.len()] =
    [[trustpath_data_resnet12_1::RESNET12, trustpath_data_resnet12_2::RESNET12]];

/// The numbers of a parameter and their axes, row-major.
#[derive(Debug, Clone, PartialEq)]
pub struct Parameter {
    /// The axes.
    pub shape: Vec<usize>,
    /// The numbers.
    pub values: Vec<f32>,
}

/// Parameters by their keys, in order of the keys.
///
/// ```
/// use trustpath_vision::network::Network;
/// use trustpath_vision::weights::{Parameter, NetworkWeights};
///
/// let network = Network::by_name("resnet12")?;
/// let ones = |(key, shape): (String, Vec<usize>)| {
///     let values = vec![1.0; shape.iter().product()];
///     (format!("module.base.{key}"), Parameter { shape, values })
/// };
/// let saved = network.parameters().into_iter().map(ones).collect();
/// let weights = NetworkWeights::new("checkpoint.pth", saved).for_network(&network)?;
/// assert_eq!(weights.get("layer1.0.conv1.weight").unwrap().shape, [64, 3, 3, 3]);
/// # Ok::<(), trustpath_vision::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct NetworkWeights {
    source: String,
    parameters: BTreeMap<String, Parameter>,
}

impl NetworkWeights {
    /// Parameters that came from `source`, which is what errors call them.
    pub fn new(source: impl Into<String>, parameters: BTreeMap<String, Parameter>) -> Self {
        Self { source: source.into(), parameters }
    }

    /// Where they came from.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The parameter of that key.
    pub fn get(&self, key: &str) -> Option<&Parameter> {
        self.parameters.get(key)
    }

    /// The numbers of the parameter of that key, which has this shape.
    ///
    /// # Errors
    /// If it is missing or has another shape.
    pub fn shaped(&self, key: &str, shape: &[usize]) -> Result<&[f32]> {
        let reason = match self.get(key) {
            Some(parameter) if parameter.shape == shape => return Ok(&parameter.values),
            Some(parameter) => {
                format!("\"{key}\" is of shape {:?}, not {shape:?}", parameter.shape)
            }
            None => format!("it lacks \"{key}\""),
        };
        Err(file::refuse(&self.source, reason, "give the complete weights of this model"))
    }

    /// All keys and parameters, in order of the keys.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Parameter)> {
        self.parameters.iter().map(|(key, parameter)| (key.as_str(), parameter))
    }

    /// Weights of ResNet-12 that come with the program, by the dataset on whose 64 base classes they
    /// were trained; the first is the default.
    pub const SHIPPED: [&'static str; 1] = ["cifar-fs"];

    /// Weights that come with the program, or else of a file. To read a file that has the name of
    /// shipped weights, give its folder too, as in `./cifar-fs`.
    ///
    /// ```
    /// # use trustpath_vision::weights::NetworkWeights;
    /// assert!(NetworkWeights::by_name("cifar-fs")?.get("layer1.0.conv1.weight").is_some());
    /// assert!(NetworkWeights::by_name("none.pth").is_err());
    /// # Ok::<(), trustpath_vision::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Weights`] if it is a file that cannot be read or is damaged.
    pub fn by_name(name: &str) -> Result<Self> {
        match Self::SHIPPED.iter().position(|&shipped| shipped == name) {
            Some(index) => Self::from_safetensors(&SHIPPED[index].concat(), name),
            None => Self::read(Path::new(name)),
        }
    }

    /// Exactly the parameters of a network, under its own keys.
    ///
    /// # Errors
    /// If some of them are missing, have another shape, or have values that are not finite.
    pub fn for_network(mut self, network: &Network) -> Result<Self> {
        let wanted = network.parameters();
        let (prefix, present) = self.prefix(&wanted);
        if present * 2 < wanted.len() {
            return Err(self.of_another(network));
        }
        let all = wanted.len();
        let mut parameters = BTreeMap::new();
        for (key, expected) in wanted {
            let Some(parameter) = self.parameters.remove(&format!("{prefix}{key}")) else {
                let (file, missing) = (self.source, all - present);
                return Err(Error::Input(format!(
                    "{file} lacks {missing} of the {all} parameters of {}, the first of them \"{key}\": give a complete checkpoint",
                    network.name
                )));
            };
            if parameter.shape != expected {
                return Err(Error::Input(format!(
                    "\"{key}\" in {} is of shape {:?}, but that of {} is {expected:?}: give weights of the same variant",
                    self.source, parameter.shape, network.name
                )));
            }
            if parameter.values.iter().any(|value| !value.is_finite()) {
                let reason = format!("\"{key}\" has values that are not finite");
                let remedy = "its training diverged, so give another checkpoint";
                return Err(file::refuse(&self.source, reason, remedy));
            }
            parameters.insert(key, parameter);
        }
        Ok(Self { source: self.source, parameters })
    }

    /// A number that changes with the weights.
    pub fn fingerprint(&self) -> u64 {
        let mut all = Fingerprint::new();
        for (key, parameter) in self.iter() {
            all.add(key).numbers(parameter.values.iter().map(|value| value.to_bits().into()));
        }
        all.get()
    }

    /// The prefix under which most of the wanted keys are found, and how many those are; the
    /// shortest such.
    fn prefix(&self, wanted: &[(String, Vec<usize>)]) -> (String, usize) {
        let probe = wanted.first().map_or("", |(key, _)| key.as_str());
        let prefixes = self.parameters.keys().filter_map(|key| key.strip_suffix(probe));
        let counted = prefixes.filter(|prefix| prefix.ends_with('.')).chain([""]).map(|prefix| {
            let has = |key: &str| self.parameters.contains_key(&format!("{prefix}{key}"));
            (prefix, wanted.iter().filter(|(key, _)| has(key)).count())
        });
        let best = counted.min_by_key(|(prefix, count)| (Reverse(*count), prefix.len()));
        best.map_or((String::new(), 0), |(prefix, count)| (prefix.to_owned(), count))
    }

    /// Says of which network the weights are, if it is a known one.
    fn of_another(self, network: &Network) -> Error {
        let remedy = match self.fitting().filter(|other| other.name != network.name) {
            Some(other) => format!("they are of {}, so choose that backbone", other.name),
            None => match self.parameters.keys().next() {
                Some(key) => format!("it has keys such as \"{key}\"; give a checkpoint of it"),
                None => "it is empty; give a checkpoint of it".into(),
            },
        };
        Error::Input(format!("{} holds no weights of {}: {remedy}", self.source, network.name))
    }
}

#[cfg(test)]
mod tests;
