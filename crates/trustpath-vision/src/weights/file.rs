//! Weights in safetensors files.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::str::FromStr;

use half::{bf16, f16};
use safetensors::tensor::{Dtype, SafeTensorError, SafeTensors, TensorView};
use trustpath_table::write_atomically;

use super::{Parameter, Weights};
use crate::{Error, Result};

/// How exactly numbers are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Precision {
    /// 16 bits, of which 11 are significant.
    #[default]
    F16,
    /// 32 bits.
    F32,
}

impl Precision {
    /// The names of both.
    pub const NAMES: [&'static str; 2] = ["f16", "f32"];
}

impl FromStr for Precision {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        match name {
            "f16" => Ok(Self::F16),
            "f32" => Ok(Self::F32),
            _ => Err(Error::Unknown {
                what: "precision",
                name: name.into(),
                known: Self::NAMES.join(", "),
            }),
        }
    }
}

const WRITE_ANEW: &str = "copy it again, or write it anew";

impl Weights {
    /// Reads a file of weights, safetensors or of PyTorch, whichever its contents are.
    ///
    /// # Errors
    /// [`Error::Weights`] if it cannot be read or is damaged.
    pub fn read(path: impl AsRef<Path>) -> Result<Self> {
        match super::pth::is_checkpoint(path.as_ref()) {
            true => Self::read_pth(path),
            false => Self::read_safetensors(path),
        }
    }

    /// Reads a safetensors file. Tensors of other types than f16, bf16, f32 and f64 are left out:
    /// they are counters, not weights.
    ///
    /// # Errors
    /// [`Error::Weights`] if it cannot be read or is damaged.
    pub fn read_safetensors(path: impl AsRef<Path>) -> Result<Self> {
        let source = path.as_ref().display().to_string();
        let bytes = std::fs::read(path).map_err(|e| Error::Weights {
            file: source.clone(),
            reason: e.to_string(),
            remedy: "check that the path is right and may be read",
        })?;
        Self::from_safetensors(&bytes, &source)
    }

    /// Reads the bytes of a safetensors file that is called `source`.
    pub(super) fn from_safetensors(bytes: &[u8], source: &str) -> Result<Self> {
        let file = SafeTensors::deserialize(bytes).map_err(|e| Error::Weights {
            file: source.into(),
            reason: said(&e),
            remedy: WRITE_ANEW,
        })?;
        let mut parameters = BTreeMap::new();
        for (key, view) in file.iter() {
            if let Some(values) = values(&view) {
                let shape = view.shape().to_vec();
                parameters.insert(key.to_owned(), Parameter { shape, values });
            }
        }
        Ok(Self::new(source, parameters))
    }

    /// Writes a safetensors file, whole or not at all; the same weights give the same bytes.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write_safetensors(&self, path: impl AsRef<Path>, precision: Precision) -> Result<()> {
        let path = path.as_ref();
        let refuse = |e: SafeTensorError| Error::Weights {
            file: path.display().to_string(),
            reason: said(&e),
            remedy: "give every parameter as many values as its shape says",
        };
        let (dtype, coded): (_, Vec<Vec<u8>>) = match precision {
            Precision::F16 => (Dtype::F16, self.coded(|x| f16::from_f32(x).to_le_bytes())),
            Precision::F32 => (Dtype::F32, self.coded(f32::to_le_bytes)),
        };
        let views = self.iter().zip(&coded).map(|((key, parameter), bytes)| {
            TensorView::new(dtype, parameter.shape.clone(), bytes).map(|view| (key, view))
        });
        let views = views.collect::<std::result::Result<Vec<_>, _>>().map_err(refuse)?;
        let bytes = safetensors::serialize(views, None).map_err(refuse)?;
        Ok(write_atomically(path, |w| w.write_all(&bytes))?)
    }

    fn coded<const N: usize>(&self, code: impl Fn(f32) -> [u8; N]) -> Vec<Vec<u8>> {
        let coded = |p: &Parameter| p.values.iter().flat_map(|&x| code(x)).collect();
        self.iter().map(|(_, parameter)| coded(parameter)).collect()
    }
}

fn values(view: &TensorView) -> Option<Vec<f32>> {
    Some(match view.dtype() {
        Dtype::F16 => each(view.data(), |b| f16::from_le_bytes(b).to_f32()),
        Dtype::BF16 => each(view.data(), |b| bf16::from_le_bytes(b).to_f32()),
        Dtype::F32 => each(view.data(), f32::from_le_bytes),
        Dtype::F64 => each(view.data(), |b| f64::from_le_bytes(b) as f32),
        _ => return None,
    })
}

fn each<const N: usize>(bytes: &[u8], decode: impl Fn([u8; N]) -> f32) -> Vec<f32> {
    bytes.as_chunks().0.iter().map(|&chunk| decode(chunk)).collect()
}

/// What is wrong, in words.
fn said(error: &SafeTensorError) -> String {
    match error {
        SafeTensorError::HeaderTooSmall => "it is too short to be a safetensors file".into(),
        SafeTensorError::HeaderTooLarge | SafeTensorError::InvalidHeaderLength => {
            "it announces a header that is longer than the file, so it is cut off or no safetensors file".into()
        }
        SafeTensorError::MetadataIncompleteBuffer => {
            "its data are not as long as its header says, so it is cut off".into()
        }
        other => other.to_string(),
    }
}
