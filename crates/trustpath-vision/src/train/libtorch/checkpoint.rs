//! What a training is resumed from: one file, written completely or not at all.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};
use trustpath_table::{Tensor, TensorFile};

use super::{Epoch, Recipe};
use crate::{Error, Result};

/// Name of the file in the folder of a run.
const FILE: &str = "checkpoint.safetensors";
/// The key of its metadata.
const KEY: &str = "trustpath.training";

/// Named numbers with their axes.
pub(super) type TrainingState = BTreeMap<String, (Vec<usize>, Vec<f32>)>;

/// What is being trained, and how far it came.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Progress {
    pub network: String,
    pub classes: Vec<String>,
    pub recipe: Recipe,
    pub epochs: Vec<Epoch>,
}

/// Writes a checkpoint into the folder of a run.
pub(super) fn write(folder: &Path, progress: &Progress, state: TrainingState) -> Result<()> {
    let mut file = TensorFile::default();
    let words = serde_json::to_string(progress).map_err(|e| refuse(e.to_string()))?;
    file.metadata.insert(KEY.into(), words);
    let tensor = |(shape, values)| Tensor::F32 { shape, values };
    file.tensors = state.into_iter().map(|(key, value)| (key, tensor(value))).collect();
    Ok(file.write(folder.join(FILE))?)
}

/// The checkpoint in the folder of a run, if there is one.
pub(super) fn read(folder: &Path) -> Result<Option<(Progress, TrainingState)>> {
    let path = folder.join(FILE);
    if !path.exists() {
        return Ok(None);
    }
    let file = TensorFile::read(&path)?;
    let words = file.metadata.get(KEY).ok_or_else(|| refuse("it is not of a training".into()))?;
    let progress = serde_json::from_str(words).map_err(|e| refuse(e.to_string()))?;
    let state = file.tensors.into_iter().map(|(key, tensor)| match tensor {
        Tensor::F32 { shape, values } => Ok((key, (shape, values))),
        Tensor::F64 { .. } => Err(refuse(format!("{key} is of 64 bits"))),
    });
    Ok(Some((progress, state.collect::<Result<_>>()?)))
}

pub(super) fn refuse(reason: String) -> Error {
    let remedy = "give another folder with --out";
    Error::Input(format!("training cannot be resumed from the checkpoint: {reason}; {remedy}"))
}
