//! The parts of COCO that a classification needs: `images`, `categories`, and one annotation per image without a box.

use serde_json::{Value, json};

use super::{Exported, json as bytes};
use crate::Result;

/// Given and trusted labels.
pub fn write(exported: &Exported<'_>) -> Result<Vec<u8>> {
    let names = exported.reliable_classes();
    let (mut images, mut annotations) = (Vec::new(), Vec::new());
    for (row, label) in exported.reliable() {
        let id = images.len() + 1;
        let (width, height) = exported.source().size(row.row).unzip();
        images.push(json!({ "id": id, "file_name": row.id, "width": width, "height": height }));
        let category = names.binary_search(&label).unwrap_or(0) + 1;
        annotations.push(json!({
            "id": id, "image_id": id, "category_id": category,
            "score": (row.probability * 1e4).round() / 1e4, "checked": row.checked,
        }));
    }
    let category = |(k, name): (usize, &&str)| json!({ "id": k + 1, "name": name });
    let categories: Vec<Value> = names.iter().enumerate().map(category).collect();
    bytes(&json!({ "images": images, "categories": categories, "annotations": annotations }))
}
