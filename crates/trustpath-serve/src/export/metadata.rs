//! The `metadata.jsonl` of a Hugging Face `imagefolder`: one object per image with its `file_name`. It lies in the folder of
//! the images.

use serde_json::json;

use super::Exported;
use crate::Result;

/// Every image.
pub fn write(exported: &Exported<'_>) -> Result<Vec<u8>> {
    let mut text = String::new();
    for row in exported.rows() {
        let line = json!({
            "file_name": row.id,
            "label": row.label,
            "verdict": row.verdict.name(),
            "probability": (row.probability * 1e4).round() / 1e4,
            "checked": row.checked,
        });
        text.push_str(&format!("{line}\n"));
    }
    Ok(text.into_bytes())
}
