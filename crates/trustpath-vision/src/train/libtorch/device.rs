//! Where libtorch computes, and what its errors mean.

use serde::{Deserialize, Serialize};
use tch::{Cuda, Device, Kind, TchError};

use crate::{Error, Result};

impl From<TchError> for Error {
    fn from(error: TchError) -> Self {
        let reason = error.to_string();
        Error::Training(if reason.contains("out of memory") {
            "the GPU is out of memory: give a smaller --batch, or free memory that others use".into()
        } else {
            // The lines after the first say where in libtorch it happened.
            format!("libtorch failed: {}", reason.lines().next().unwrap_or_default())
        })
    }
}

/// Where to train.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum TrainDevice {
    /// On the GPU if there is one.
    Auto,
    /// On the GPU; refused if there is none.
    Cuda,
    /// On the processor, in 32 bits.
    Cpu,
}

crate::named::named!(TrainDevice, "device", [Auto = "auto", Cuda = "cuda", Cpu = "cpu"]);

impl TrainDevice {
    /// Refuses a device that is not there, before much work is done for it.
    pub fn check(self) -> Result<()> {
        self.device().map(drop)
    }

    pub(super) fn device(self) -> Result<Device> {
        match self {
            TrainDevice::Cpu => Ok(Device::Cpu),
            _ if Cuda::is_available() => Ok(Device::Cuda(0)),
            TrainDevice::Auto => Ok(Device::Cpu),
            TrainDevice::Cuda => Err(Error::Training(
                "a GPU was asked for but libtorch finds none: check that nvidia-smi shows one and that this libtorch was built for CUDA, or train with --device cpu".into(),
            )),
        }
    }
}

/// The precision in which the network computes: GPUs are many times faster in 16 bits.
pub(super) fn kind(device: Device) -> Kind {
    if device.is_cuda() { Kind::BFloat16 } else { Kind::Float }
}
