//! The `labels.json` of a FiftyOneImageClassificationDataset: `classes`, and for each image, by its path without the
//! ending, the number of its class.

use std::path::Path;

use serde_json::{Map, Value, json};

use super::{Exported, json as bytes};
use crate::Result;

/// Given and trusted labels.
pub fn write(exported: &Exported<'_>) -> Result<Vec<u8>> {
    let names = exported.reliable_classes();
    let mut labels = Map::new();
    for (row, label) in exported.reliable() {
        let stem = Path::new(row.id).with_extension("");
        let class = names.binary_search(&label).unwrap_or(0);
        labels.insert(stem.to_string_lossy().into_owned(), Value::from(class));
    }
    bytes(&json!({ "classes": names, "labels": labels }))
}
