//! Which network some weights are of.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::path::Path;
use std::str::FromStr;

use serde_json::Value;

use super::{NetworkWeights, transformer};
use crate::network::{Family, Network, SIZES};
use crate::{Error, Result};

impl NetworkWeights {
    /// The network that these weights are of, and the weights under its own names. Without a `name` it is found by the
    /// layout of the weights; `size` is the edge of the images where that is not the usual one.
    ///
    /// ```
    /// # use trustpath_vision::weights::NetworkWeights;
    /// let weights = NetworkWeights::by_name("cifar-fs")?;
    /// let (network, _) = weights.recognise(None, None)?;
    /// assert_eq!(network.name, "resnet12");
    /// # Ok::<(), trustpath_vision::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such network, the weights are of none that is known or of another, or images cannot have that size.
    pub fn recognise(self, name: Option<&str>, size: Option<usize>) -> Result<(Network, NetworkWeights)> {
        if let Some(size) = size.filter(|size| !SIZES.contains(size)) {
            let (least, most) = (SIZES.start(), SIZES.end());
            return Err(Error::Input(format!(
                "images cannot be {size} pixels wide: give {least} to {most} as --input-size"
            )));
        }
        let family = name.and_then(|name| Family::from_str(name).ok());
        let mut network = match (name, family) {
            (Some(name), None) => {
                let network = Network::by_name(name)?;
                let wanted = network.parameters().len();
                // A deeper network has all that a shallower one has.
                let deeper =
                    self.fitting().filter(|other| other.parameters().len() > wanted && self.beyond(other).is_none());
                if let Some(other) = deeper.filter(|_| self.fits(&network)) {
                    let (source, other) = (self.source(), other.name);
                    return Err(Error::Input(format!(
                        "{source} holds no weights of {name}: they are of {other}, so choose that backbone"
                    )));
                }
                network
            }
            _ => {
                let quick = quick_gelu(Path::new(self.source()));
                if let Some(transformer) = transformer::of_weights(&self, family, size, quick)? {
                    return Ok(transformer);
                }
                let fitting = self.fitting().filter(|_| family.is_none());
                fitting.ok_or_else(|| self.unknown(family))?
            }
        };
        if let Some(key) = self.beyond(&network) {
            let (source, name) = (self.source(), network.name);
            return Err(Error::Input(format!(
                "{source} holds no weights of {name}: it has \"{key}\", which {name} does not have, so export it to ONNX and give --backbone model.onnx"
            )));
        }
        if let Some(size) = size {
            network.input.resize(size);
        }
        Ok((network, self))
    }

    /// Whether all parameters of a network are there, of the right shapes.
    pub(super) fn fits(&self, network: &Network) -> bool {
        let wanted = network.parameters();
        let (prefix, _) = self.prefix(&wanted);
        let has = |(key, shape): &(String, Vec<usize>)| {
            self.get(&format!("{prefix}{key}")).is_some_and(|parameter| parameter.shape == *shape)
        };
        wanted.iter().all(has)
    }

    /// A parameter in the stages of a ResNet that this network does not have: the weights are of a deeper one, or one with
    /// other blocks.
    fn beyond(&self, network: &Network) -> Option<&str> {
        let wanted = network.parameters();
        let (prefix, _) = self.prefix(&wanted);
        let known: BTreeSet<&str> = wanted.iter().map(|(key, _)| key.as_str()).collect();
        let in_stage = |key: &str| {
            let number = key.strip_prefix("layer");
            number.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
        };
        let keys = self.iter().filter_map(|(key, _)| key.strip_prefix(&prefix));
        let mut others = keys.filter(|key| in_stage(key) && !known.contains(key));
        others.find(|key| !key.ends_with(".num_batches_tracked"))
    }

    /// The deepest network of fixed sizes whose parameters are all there.
    pub(super) fn fitting(&self) -> Option<Network> {
        let all = Network::NAMES.iter().filter_map(|name| Network::by_name(name).ok());
        all.filter(|network| self.fits(network)).min_by_key(|network| Reverse(network.parameters().len()))
    }

    fn unknown(&self, family: Option<Family>) -> Error {
        let what = match family {
            Some(family) => format!("no weights of {family}"),
            None => "weights of no network that is known".into(),
        };
        let contents = match self.iter().next() {
            Some((key, _)) => format!("it has {} parameters such as \"{key}\"", self.iter().count()),
            None => "it is empty".into(),
        };
        Error::Input(format!(
            "{} holds {what}: {contents}. Known are {}, with the parameter names of their authors (ResNets: torchvision and timm; the last four, ViT-S, B and L: timm, Hugging Face, OpenAI and open_clip); export other models to ONNX and give --backbone model.onnx",
            self.source(),
            [&Network::NAMES[..], &Family::NAMES[..]].concat().join(", ")
        ))
    }
}

/// Whether CLIP's activation function is QuickGELU, by the settings beside its weights: those of Hugging Face or of open_clip.
fn quick_gelu(weights: &Path) -> Option<bool> {
    let folder = if weights.is_dir() { weights } else { weights.parent()? };
    let read =
        |name: &str| -> Option<Value> { serde_json::from_str(&std::fs::read_to_string(folder.join(name)).ok()?).ok() };
    if let Some(config) = read("open_clip_config.json")
        && config["model_cfg"].is_object()
    {
        return Some(config["model_cfg"]["quick_gelu"] == true);
    }
    let config = read("config.json")?;
    let kind = config["model_type"].as_str().filter(|kind| kind.starts_with("clip"))?;
    let vision = if kind == "clip" { &config["vision_config"] } else { &config };
    // What is the default may have been left out.
    Some(vision["hidden_act"].as_str().is_none_or(|name| name == "quick_gelu"))
}
