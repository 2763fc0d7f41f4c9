//! Features that `torch.save` wrote: a tensor of two axes, or a dictionary that holds one.
//!
//! The file is a pickle, which is read as inert data: nothing in it is ever called.

use std::path::Path;

use crate::weights::read_tensors;
use crate::{Error, Result};

/// Whether the ending of a name says that `torch.save` wrote the file.
pub fn is_torch(path: &Path) -> bool {
    path.extension().is_some_and(|e| e.eq_ignore_ascii_case("pt") || e.eq_ignore_ascii_case("pth"))
}

/// A matrix, row after row.
#[derive(Debug, Clone, PartialEq)]
pub struct TorchMatrix {
    /// Its numbers.
    pub values: Vec<f32>,
    /// Numbers per row.
    pub dims: usize,
}

/// Reads the matrix of floating-point numbers in a file; `names` chooses among several.
///
/// # Errors
/// [`Error::Input`] if it cannot be read, or holds no such matrix or several.
pub fn read_matrix(path: &Path, names: Option<&[String]>) -> Result<TorchMatrix> {
    let file = path.display();
    let remedy = "save the features alone, as torch.save(x, path) with one row per instance";
    let refused = |reason: &str| Error::Input(format!("cannot read {file} as features of PyTorch: {reason}; {remedy}"));
    let tensors = read_tensors(path).map_err(|error| match error {
        Error::Pickle { reason, .. } | Error::Read { reason, .. } | Error::Weights { reason, .. } => refused(&reason),
        error => error,
    })?;
    let described: Vec<String> =
        tensors.iter().take(8).map(|(name, tensor)| format!("{name:?} of shape {:?}", tensor.shape)).collect();
    let wanted = |name: &String| names.is_none_or(|names| names.contains(name));
    let mut matrices = tensors
        .into_iter()
        .filter(|(name, tensor)| tensor.shape.len() == 2 && !tensor.values.is_empty() && wanted(name));
    match (matrices.next(), matrices.next()) {
        (Some((_, tensor)), None) => Ok(TorchMatrix { dims: tensor.shape[1], values: tensor.values }),
        (Some(_), Some(_)) => {
            let sentence = format!(
                "{file} holds several matrices ({}): name one with --feature-columns, or {remedy}",
                described.join(", ")
            );
            Err(Error::Input(sentence))
        }
        (None, _) if described.is_empty() => Err(refused("it holds no tensor of floating-point numbers")),
        (None, _) => Err(refused(&format!("it holds {}", described.join(", ")))),
    }
}
