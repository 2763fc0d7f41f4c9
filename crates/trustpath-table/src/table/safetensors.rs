//! Safetensors: a JSON header with names, types and places, and the bytes.
//!
//! Class names are a JSON array of strings under the metadata key `class_names`.

use std::fs;
use std::path::Path;

use ::safetensors::tensor::TensorView;
use ::safetensors::{Dtype, SafeTensors};

use super::{FEATURE_NAMES, LABEL_NAMES, Labels, NAME_FEATURES, Raw, matrix_shape};
use crate::scalar::Scalar;
use crate::{Error, Result};

/// Reads the file at `path`.
pub(super) fn open(path: &Path) -> Result<Raw> {
    let bytes = fs::read(path).map_err(|e| Error::read(path, e))?;
    read(&bytes, &path.display().to_string())
}

/// Reads the tensors of features, labels and the class names from the bytes of a file.
pub(super) fn read(bytes: &[u8], file: &str) -> Result<Raw> {
    let damaged = |e| Error::damaged(file, format!("{e:?}"));
    let tensors = SafeTensors::deserialize(bytes).map_err(damaged)?;
    let (_, header) = SafeTensors::read_metadata(bytes).map_err(damaged)?;
    let first = |names: &[&'static str]| {
        names.iter().find_map(|&name| tensors.tensor(name).ok().map(|tensor| (name, tensor)))
    };

    let Some((name, tensor)) = first(&FEATURE_NAMES) else {
        let mut names = tensors.names();
        names.sort_unstable();
        let found = if names.is_empty() { "nothing".into() } else { names.join(", ") };
        return Err(Error::NoFeatures { file: file.to_owned(), found, remedy: NAME_FEATURES });
    };
    let named = format!("{file} ({name})");
    let (rows, dims) = matrix_shape(&named, tensor.shape())?;
    let scalar = scalar(&tensor, &named, "features must be f16, bf16, f32, f64 or integers")?;
    let features = scalar.to_f32s(tensor.data());

    let labels = first(&LABEL_NAMES)
        .map(|(name, tensor)| read_labels(&tensor, format!("{file} ({name})")))
        .transpose()?;
    let class_names = header
        .metadata()
        .as_ref()
        .and_then(|metadata| metadata.get("class_names"))
        .map(|names| {
            serde_json::from_str(names).map_err(|_| {
                Error::damaged(file, "its metadata class_names is no JSON array of strings")
            })
        })
        .transpose()?;
    Ok(Raw { features, rows, dims, labels, class_names })
}

fn read_labels(tensor: &TensorView, file: String) -> Result<Labels> {
    let scalar = scalar(tensor, &file, "labels must be integers")?;
    if tensor.shape().iter().filter(|&&n| n != 1).count() > 1 {
        return Err(Error::Shape {
            file,
            found: tensor.shape().to_vec(),
            expected: "labels must be one-dimensional, one for each row of the features",
        });
    }
    let labels = scalar.to_i64s(tensor.data());
    labels.map(Labels::Whole).map_err(|e| Error::Label {
        file,
        row: e.index,
        value: e.value.to_string(),
        expected: "labels must be whole numbers".into(),
    })
}

fn scalar(tensor: &TensorView, file: &str, expected: &'static str) -> Result<Scalar> {
    Ok(match tensor.dtype() {
        Dtype::BOOL => Scalar::Bool,
        Dtype::I8 => Scalar::I8,
        Dtype::I16 => Scalar::I16,
        Dtype::I32 => Scalar::I32,
        Dtype::I64 => Scalar::I64,
        Dtype::U8 => Scalar::U8,
        Dtype::U16 => Scalar::U16,
        Dtype::U32 => Scalar::U32,
        Dtype::U64 => Scalar::U64,
        Dtype::F16 => Scalar::F16,
        Dtype::BF16 => Scalar::Bf16,
        Dtype::F32 => Scalar::F32,
        Dtype::F64 => Scalar::F64,
        other => {
            let found = format!("{other:?}");
            return Err(Error::Dtype { file: file.to_owned(), found, expected });
        }
    })
}
