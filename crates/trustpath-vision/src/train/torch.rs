//! libtorch: its result, where it computes, and what its complaints mean.

use serde::{Deserialize, Serialize};
use tch::{Cuda, Device, Kind, TchError};

use crate::{Error, Result};

/// The result of a call into libtorch.
pub(super) type Torch<T> = std::result::Result<T, TchError>;

impl From<TchError> for Error {
    fn from(error: TchError) -> Self {
        let reason = error.to_string();
        if reason.contains("out of memory") {
            return Error::GpuMemory;
        }
        // What follows the first line is where in libtorch it was.
        Error::Torch { reason: reason.lines().next().unwrap_or_default().to_string() }
    }
}

/// Where to train.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Where {
    /// On the GPU if there is one.
    Auto,
    /// On the GPU; refused if there is none.
    Cuda,
    /// On the processor, in 32 bits.
    Cpu,
}

impl Where {
    /// The names of all, for the command line.
    pub const NAMES: [&'static str; 3] = ["auto", "cuda", "cpu"];

    /// Refuses what is not there, before much work is done for it.
    pub fn check(self) -> Result<()> {
        self.device().map(|_| ())
    }

    pub(super) fn device(self) -> Result<Device> {
        match self {
            Where::Cpu => Ok(Device::Cpu),
            _ if Cuda::is_available() => Ok(Device::Cuda(0)),
            Where::Auto => Ok(Device::Cpu),
            Where::Cuda => Err(Error::NoGpu),
        }
    }
}

impl std::str::FromStr for Where {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        match name {
            "auto" => Ok(Where::Auto),
            "cuda" => Ok(Where::Cuda),
            "cpu" => Ok(Where::Cpu),
            _ => Err(Error::Recipe { what: "the device is auto, cuda or cpu" }),
        }
    }
}

/// In what the network computes: GPUs are many times faster in 16 bits.
pub(super) fn kind(device: Device) -> Kind {
    if device.is_cuda() { Kind::BFloat16 } else { Kind::Float }
}
