//! Pictures to learn from, all of one size.

use tch::{Device, Tensor};

use super::torch::Torch;

/// Above so many bytes pictures stay in main memory, and batches of them travel.
const ON_DEVICE: usize = 8 << 30;

/// Square pictures as bytes, and the class of each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pictures {
    /// Picture × row × column × colour.
    pub bytes: Vec<u8>,
    /// Edge of each picture.
    pub size: usize,
    /// Class of each picture.
    pub labels: Vec<usize>,
    /// Names of the classes.
    pub classes: Vec<String>,
}

impl Pictures {
    /// Where the network computes, if they fit there well.
    pub(super) fn tensor(&self, device: Device) -> Torch<Tensor> {
        let size = self.size as i64;
        let bytes = Tensor::f_from_slice(&self.bytes)?.f_view([-1, size, size, 3])?;
        if self.bytes.len() > ON_DEVICE { Ok(bytes) } else { bytes.f_to_device(device) }
    }
}
