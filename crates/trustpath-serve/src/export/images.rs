//! Formats of images, as JSON.

use std::path::Path;

use serde_json::{Map, Value, json};

use super::{ExportRow, Exported, json as bytes};
use crate::Result;

fn rounded(probability: f64) -> f64 {
    (probability * 1e4).round() / 1e4
}

/// The parts of COCO that a classification needs: `images`, `categories`, and one annotation without a box for each given or
/// trusted label.
pub fn coco(exported: &Exported<'_>) -> Result<Vec<u8>> {
    let names = exported.reliable_classes();
    let (mut images, mut annotations) = (Vec::new(), Vec::new());
    for (row, label) in exported.reliable() {
        let id = images.len() + 1;
        let (width, height) = exported.source().size(row.row).unzip();
        images.push(json!({ "id": id, "file_name": row.id, "width": width, "height": height }));
        let category = names.binary_search(&label).unwrap_or(0) + 1;
        annotations.push(json!({
            "id": id, "image_id": id, "category_id": category,
            "score": rounded(row.probability), "checked": row.checked,
        }));
    }
    let category = |(k, name): (usize, &&str)| json!({ "id": k + 1, "name": name });
    let categories: Vec<Value> = names.iter().enumerate().map(category).collect();
    bytes(&json!({ "images": images, "categories": categories, "annotations": annotations }))
}

/// The `labels.json` of a FiftyOneImageClassificationDataset: `classes`, and for each image with a given or trusted label, by
/// its path without the ending, the number of its class.
pub fn fiftyone(exported: &Exported<'_>) -> Result<Vec<u8>> {
    let names = exported.reliable_classes();
    let mut labels = Map::new();
    for (row, label) in exported.reliable() {
        let stem = Path::new(row.id).with_extension("");
        let class = names.binary_search(&label).unwrap_or(0);
        labels.insert(stem.to_string_lossy().into_owned(), Value::from(class));
    }
    bytes(&json!({ "classes": names, "labels": labels }))
}

/// The `metadata.jsonl` of a Hugging Face `imagefolder`: one object per image with its `file_name`. It lies in the folder of
/// the images.
pub fn metadata(exported: &Exported<'_>) -> Result<Vec<u8>> {
    let line = |row: ExportRow<'_>| {
        let line = json!({
            "file_name": row.id,
            "label": row.label,
            "verdict": row.verdict.name(),
            "probability": rounded(row.probability),
            "checked": row.checked,
        });
        format!("{line}\n")
    };
    Ok(exported.rows().map(line).collect::<String>().into_bytes())
}
