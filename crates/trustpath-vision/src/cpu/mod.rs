//! Features on the CPU, in plain Rust.
//!
//! An [`Engine`] is a network and its weights, made ready once: batch normalisations are folded into
//! the convolutions (`fuse`), 3×3 convolutions go by Winograd's tiles (`winograd`), all products
//! through one kernel (`gemm`), and a plan says what runs when (`plan`). Groups of images run
//! on the threads of the current rayon pool; the feature of an image has the same bits whatever the
//! threads and whatever other images it is computed with.

mod attention;
mod block;
mod conv;
mod depthwise;
pub mod encoder;
mod epilogue;
mod fuse;
mod gemm;
mod plan;
mod pointwise;
mod pool;
#[cfg(test)]
mod tests;
mod tokens;
mod winograd;

use std::fmt;
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

use crate::backbone::{Backbone, BackboneInfo};
use crate::network::Network;
use crate::weights::NetworkWeights;
use crate::{Error, Result};
use block::{Block16, LANES, MapShape};
use plan::{PlanSegment, Workspace};

/// Images that run on one thread together.
const GROUP: usize = 16;
const COLOURS: usize = 3;

/// A network that is ready to compute features.
///
/// ```
/// use trustpath_vision::cpu::Engine;
/// use trustpath_vision::network::Network;
/// use trustpath_vision::weights::{Parameter, NetworkWeights};
///
/// let network = Network::by_name("resnet12")?;
/// # let tenth = |(key, shape): (String, Vec<usize>)| {
/// #     let values = vec![0.1; shape.iter().product()];
/// #     (key, Parameter { shape, values })
/// # };
/// # let weights = NetworkWeights::new("made up", network.parameters().into_iter().map(tenth).collect());
/// let engine = Engine::new(&network, weights)?;
/// let grey = vec![0.0; 2 * 3 * 84 * 84];
/// let features = engine.features(&grey)?;
/// assert_eq!(features.len(), 2 * 512);
/// # Ok::<(), trustpath_vision::Error>(())
/// ```
pub struct Engine {
    info: BackboneInfo,
    segments: Vec<PlanSegment>,
    /// Memory of groups that are not under way.
    spare: Mutex<Vec<GroupMemory>>,
}

/// Memory for one group.
#[derive(Default)]
struct GroupMemory {
    workspace: Workspace,
    input: Vec<Block16>,
    output: Vec<Block16>,
}

impl Engine {
    /// Makes a network ready; `weights` may carry prefixes and extras.
    ///
    /// # Errors
    /// If the weights are not those of the network, or its description makes no sense.
    pub fn new(network: &Network, weights: NetworkWeights) -> Result<Self> {
        let weights = weights.for_network(network)?;
        let segments = plan::plan(fuse::fuse(network, &weights)?);
        Ok(Self { info: BackboneInfo::of(network, weights.fingerprint()), segments, spare: Mutex::default() })
    }

    /// The features of images, one after another: each image is its three colours, normalised, as
    /// 3 × size × size values, and each feature `dim` values.
    ///
    /// # Errors
    /// If the values are not those of a number of images.
    pub fn features(&self, images: &[f32]) -> Result<Vec<f32>> {
        let BackboneInfo { name, dim, input, .. } = &self.info;
        let each = input.values();
        if !images.len().is_multiple_of(each) {
            let (values, size) = (images.len(), input.size);
            return Err(Error::Input(format!(
                "{values} values are no images of 3 × {size} × {size} as {name} takes them: resize them first"
            )));
        }
        let count = images.len() / each;
        let mut features = vec![0.0; count * dim];
        // As many groups for every thread, all of about the same size.
        let threads = rayon::current_num_threads();
        let groups = count.div_ceil(GROUP).next_multiple_of(threads).max(1);
        let group = count.div_ceil(groups).max(1);
        images
            .par_chunks(group * each)
            .zip(features.par_chunks_mut(group * dim))
            .for_each(|(images, features)| self.group(images, features));
        Ok(features)
    }

    fn group(&self, images: &[f32], features: &mut [f32]) {
        let spare = || self.spare.lock().unwrap_or_else(PoisonError::into_inner);
        let mut memory = spare().pop().unwrap_or_default();
        let GroupMemory { workspace, input, output } = &mut memory;
        let size = self.info.input.size;
        let mut shape = MapShape { channels: COLOURS, height: size, width: size };
        let count = images.len() / (COLOURS * size * size);
        input.clear();
        for image in images.chunks_exact(COLOURS * size * size) {
            input.extend((0..size * size).map(|at| {
                let mut block = Block16::ZERO;
                (0..COLOURS).for_each(|c| block.0[c] = image[c * size * size + at]);
                block
            }));
        }
        for segment in &self.segments {
            shape = segment.output;
            output.resize(count * shape.blocks(), Block16::ZERO);
            segment.run(input, output, workspace);
            std::mem::swap(input, output);
        }
        let features = features.chunks_exact_mut(self.info.dim);
        for (feature, map) in features.zip(input.chunks_exact(shape.blocks())) {
            mean(shape, map, feature);
        }
        spare().push(memory);
    }
}

/// The mean of a map over its positions.
fn mean(shape: MapShape, map: &[Block16], feature: &mut [f32]) {
    for (feature, map) in feature.chunks_mut(LANES).zip(map.chunks_exact(shape.positions())) {
        for (lane, feature) in feature.iter_mut().enumerate() {
            let sum: f32 = map.iter().map(|block| block.0[lane]).sum();
            *feature = sum / shape.positions() as f32;
        }
    }
}

impl Backbone for Engine {
    fn info(&self) -> &BackboneInfo {
        &self.info
    }

    fn features(&self, images: &[f32]) -> Result<Vec<f32>> {
        self.features(images)
    }
}

impl fmt::Debug for Engine {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_struct("Engine").field("network", &self.info.name).finish_non_exhaustive()
    }
}
