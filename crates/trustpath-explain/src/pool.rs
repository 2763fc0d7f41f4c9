//! The pool that a model was trained on, kept in the model's file.

use std::collections::BTreeMap;

use trustpath::Origin;
use trustpath_table::{PartlyLabelledTable, Result, Tensor};

/// Features, ids and given labels of a pool.
#[derive(Debug, Clone, PartialEq)]
pub struct SavedPool {
    /// The features in row-major order, with the precision that the pool had in memory.
    pub features: Vec<f32>,
    /// The id of each instance.
    pub ids: Vec<String>,
    /// The given labels, as numbers of the classes of the model.
    pub labels: Vec<Option<usize>>,
    /// The origin of each; empty if nobody says anything.
    pub origins: Vec<Origin>,
}

impl SavedPool {
    /// What is kept of a pool.
    ///
    /// # Errors
    /// When its features cannot be read.
    pub fn of(pool: &PartlyLabelledTable) -> Result<Self> {
        let (ids, labels) = (pool.ids().to_vec(), pool.labels().to_vec());
        Ok(Self { features: pool.all_features()?, ids, labels, origins: pool.origins(Origin::NAMES)? })
    }

    /// The pool again; errors call it `source`.
    ///
    /// # Errors
    /// When two instances have the same id, or a feature is not finite.
    pub fn table(&self, classes: &[String], source: &str) -> Result<PartlyLabelledTable> {
        let dims = self.features.len() / self.ids.len().max(1);
        let Self { features, ids, labels, origins } = self.clone();
        let table = PartlyLabelledTable::new(features, dims, ids, labels, classes.to_vec(), source)?;
        Ok(table.with_origins(origins.into_iter().map(Origin::name)))
    }

    /// As tensors, with −1 for no label, and numbers of origins.
    pub(crate) fn tensors(&self, dims: usize) -> [(String, Tensor); 3] {
        let number = |label: &Option<usize>| label.map_or(-1.0, |class| class as f64);
        let labels: Vec<f64> = self.labels.iter().map(number).collect();
        let rows = self.features.len() / dims.max(1);
        let features = Tensor::F32 { shape: vec![rows, dims], values: self.features.clone() };
        let labels = Tensor::F64 { shape: vec![labels.len()], values: labels };
        let origins: Vec<f64> = self.origins.iter().map(|&origin| f64::from(origin as u8)).collect();
        let origins = Tensor::F64 { shape: vec![origins.len()], values: origins };
        [("pool.features".into(), features), ("pool.labels".into(), labels), ("pool.origins".into(), origins)]
    }

    /// From tensors, which it takes; `None` if they do not fit together.
    pub(crate) fn take(
        tensors: &mut BTreeMap<String, Tensor>,
        ids: Vec<String>,
        classes: usize,
        dims: usize,
    ) -> Option<Self> {
        let (Tensor::F32 { values: features, .. }, Tensor::F64 { values: labels, .. }) =
            (tensors.remove("pool.features")?, tensors.remove("pool.labels")?)
        else {
            return None;
        };
        let class = |&label: &f64| match label {
            -1.0 => Some(None),
            label if label >= 0.0 && label < classes as f64 && label.fract() == 0.0 => Some(Some(label as usize)),
            _ => None,
        };
        let labels = labels.iter().map(class).collect::<Option<Vec<_>>>()?;
        // Files of earlier versions have no origins.
        let origins = match tensors.remove("pool.origins") {
            Some(Tensor::F64 { values, .. }) => values,
            Some(_) => return None,
            None => Vec::new(),
        };
        let origin = |&number: &f64| Origin::ALL.into_iter().find(|&origin| f64::from(origin as u8) == number);
        let origins = origins.iter().map(origin).collect::<Option<Vec<_>>>()?;
        let fits = labels.len() == ids.len() && (origins.is_empty() || origins.len() == ids.len());
        let fits = fits && features.len() == ids.len() * dims && !ids.is_empty();
        fits.then_some(Self { features, ids, labels, origins })
    }
}
