//! Reading tensors: first the header, whose sizes are compared with the bytes available, then each tensor on demand.

use std::collections::BTreeMap;
use std::io::Read;

use ::safetensors::tensor::{Metadata, TensorInfo};

use crate::input::Input;
use crate::scalar::Scalar;
use crate::{Error, Result};

/// Bound on the length of the header, as in the reference implementation.
const LONGEST: u64 = 100_000_000;

pub(crate) struct TensorReader {
    input: Input,
    header: Metadata,
    /// Offset of the first tensor.
    start: u64,
}

impl TensorReader {
    /// Reads the header. Types, shapes and places are checked against each other and the length.
    pub fn open(mut input: Input) -> Result<Self> {
        let short = |name: &str| Error::damaged(name, "it ends within its header");
        let mut length = [0; 8];
        input.read_exact(&mut length).map_err(|_| short(&input.name))?;
        let length = u64::from_le_bytes(length);
        let available = input.length.saturating_sub(8);
        if length > LONGEST || length > available {
            let reason = format!("it announces a header of {length} bytes");
            return Err(Error::damaged(input.name, reason));
        }
        let mut header = vec![0; length as usize];
        input.read_exact(&mut header).map_err(|_| short(&input.name))?;
        let header: Metadata = serde_json::from_slice(&header)
            .map_err(|e| Error::damaged(&input.name, format!("its header is not valid ({e})")))?;
        let (expected, available) = (header.data_len() as u64, available - length);
        if expected > available {
            return Err(Error::Truncated { file: input.name, expected, available });
        }
        if expected < available {
            let reason = format!("{} bytes belong to no tensor", available - expected);
            return Err(Error::damaged(input.name, reason));
        }
        Ok(Self { input, header, start: 8 + length })
    }

    /// The name of the file that errors use.
    pub fn name(&self) -> &str {
        &self.input.name
    }

    /// A tensor as errors call it.
    pub fn called(&self, name: &str) -> String {
        format!("{} ({name})", self.name())
    }

    /// The names of the tensors, sorted.
    pub fn names(&self) -> Vec<String> {
        let mut names = self.header.offset_keys();
        names.sort_unstable();
        names
    }

    pub fn has(&self, name: &str) -> bool {
        self.header.info(name).is_some()
    }

    pub fn metadata(&self) -> BTreeMap<String, String> {
        self.header.metadata().iter().flatten().map(|(k, v)| (k.clone(), v.clone())).collect()
    }

    /// The type and shape of a tensor.
    pub fn scalar(&self, name: &str, expected: &'static str) -> Result<(Scalar, Vec<usize>)> {
        let info = self.info(name)?;
        let scalar = Scalar::from_dtype(info.dtype).ok_or_else(|| Error::Dtype {
            file: self.called(name),
            dtype: format!("{:?}", info.dtype),
            expected,
        })?;
        Ok((scalar, info.shape.clone()))
    }

    /// The bytes of a tensor.
    pub fn bytes(&self, name: &str) -> Result<Vec<u8>> {
        let (begin, end) = self.info(name)?.data_offsets;
        let mut bytes = vec![0; end - begin];
        let read = self.input.read_exact_at(&mut bytes, self.place(name)?);
        read.map_err(|e| Error::damaged(self.name(), e))?;
        Ok(bytes)
    }

    /// The offset of a tensor in the file.
    pub fn place(&self, name: &str) -> Result<u64> {
        Ok(self.start + self.info(name)?.data_offsets.0 as u64)
    }

    pub fn into_input(self) -> Input {
        self.input
    }

    fn info(&self, name: &str) -> Result<&TensorInfo> {
        self.header.info(name).ok_or_else(|| Error::damaged(self.name(), format!("it has no tensor \"{name}\"")))
    }
}
