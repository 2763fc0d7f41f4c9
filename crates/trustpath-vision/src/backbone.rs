//! Anything that turns images into features.

use crate::Result;
use crate::fingerprint::Fingerprint;
use crate::network::{Framing, ImageInput, Network};

/// What features are computed by.
#[derive(Debug, Clone, PartialEq)]
pub struct BackboneInfo {
    /// Its name.
    pub name: String,
    /// Numbers per feature.
    pub dim: usize,
    /// The images it takes.
    pub input: ImageInput,
    /// A number that changes with its weights.
    pub fingerprint: u64,
}

impl BackboneInfo {
    /// Of a network with weights of this fingerprint.
    pub(crate) fn of(network: &Network, fingerprint: u64) -> Self {
        Self { name: network.name.into(), dim: network.dim, input: network.input, fingerprint }
    }

    /// A number that identifies how features are made: the network, its weights, and how it takes images.
    pub fn identity(&self) -> u64 {
        let ImageInput { size, framing, mean, std } = &self.input;
        let colours = mean.iter().chain(std).map(|value| value.to_bits().into());
        let mut all = Fingerprint::new();
        all.add(&self.name).number(self.fingerprint).number(*size as u64);
        // Identities that were saved before there were other framings stay the same.
        let framing = match *framing {
            Framing::Squeeze => vec![],
            Framing::Middle { margin } => vec![margin as u64],
            Framing::Shorter { edge, filter } => vec![edge as u64, 1 + filter as u64],
        };
        all.numbers(colours).numbers(framing).get()
    }
}

/// Something that turns images into features.
pub trait Backbone: Sync {
    /// What it is.
    fn info(&self) -> &BackboneInfo;

    /// The features of some images, one after another, each image made ready by [`ImageInput::prepare`].
    ///
    /// # Errors
    /// If they cannot be computed.
    fn features(&self, images: &[f32]) -> Result<Vec<f32>>;
}
