//! Images to train on, all of one size.

use rayon::prelude::*;
use tch::{Device, Tensor};

use super::Torch;
use crate::Result;
use crate::dataset::Dataset;

/// Above this many bytes the images stay in main memory, and batches of them are copied to the device.
const ON_DEVICE: usize = 8 << 30;

/// Square images as bytes, and the class of each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrainingImages {
    /// Image × row × column × colour.
    pub bytes: Vec<u8>,
    /// Width and height of each image.
    pub size: usize,
    /// Class of each image.
    pub labels: Vec<usize>,
    /// Names of the classes.
    pub classes: Vec<String>,
}

impl TrainingImages {
    /// Reads an entire dataset, resized; `each` is called for every image that is read.
    pub fn load(dataset: &Dataset, size: usize, each: &(dyn Fn() + Sync)) -> Result<Self> {
        let mut bytes = vec![0; dataset.len() * size * size * 3];
        let places = bytes.par_chunks_exact_mut(size * size * 3).enumerate();
        places.try_for_each(|(row, place)| -> Result<()> {
            place.copy_from_slice(&dataset.image(row)?.resized(size).rgb);
            each();
            Ok(())
        })?;
        let labels = (0..dataset.len()).filter_map(|row| dataset.class(row)).collect();
        Ok(Self { bytes, size, labels, classes: dataset.classes().to_vec() })
    }

    /// On the device of the network, if they fit there.
    pub(super) fn tensor(&self, device: Device) -> Torch<Tensor> {
        let size = self.size as i64;
        let bytes = Tensor::f_from_slice(&self.bytes)?.f_view([-1, size, size, 3])?;
        if self.bytes.len() > ON_DEVICE { Ok(bytes) } else { bytes.f_to_device(device) }
    }
}
