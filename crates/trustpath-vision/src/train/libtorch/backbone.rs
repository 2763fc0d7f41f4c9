//! Features computed by libtorch: on a GPU, a large network is many times faster than on the processor.

use std::sync::{Mutex, PoisonError};

use tch::Tensor;

use super::TrainDevice;
use super::model::TrainableNetwork;
use crate::Result;
use crate::backbone::{Backbone, BackboneInfo};
use crate::network::Network;
use crate::weights::NetworkWeights;

/// A network with its weights on a device of libtorch, in 32 bits.
#[derive(Debug)]
pub struct LibtorchBackbone {
    info: BackboneInfo,
    /// Tensors may move between threads but not be shared.
    model: Mutex<TrainableNetwork>,
}

impl LibtorchBackbone {
    /// Puts a network on a device.
    ///
    /// # Errors
    /// If the weights are not those of the network, or the device is not there.
    pub fn new(network: &Network, weights: NetworkWeights, device: TrainDevice) -> Result<Self> {
        let weights = weights.for_network(network)?;
        let model = TrainableNetwork::trained(network, &weights, device.device()?)?;
        Ok(Self { info: BackboneInfo::of(network, weights.fingerprint()), model: Mutex::new(model) })
    }
}

impl Backbone for LibtorchBackbone {
    fn info(&self) -> &BackboneInfo {
        &self.info
    }

    fn features(&self, images: &[f32]) -> Result<Vec<f32>> {
        let model = self.model.lock().unwrap_or_else(PoisonError::into_inner);
        let size = self.info.input.size as i64;
        let images = Tensor::f_from_slice(images)?.f_view([-1, 3, size, size])?;
        let features = model.features(&images.f_to_device(model.device)?)?;
        Ok(Vec::<f32>::try_from(features.f_view([-1])?)?)
    }
}
