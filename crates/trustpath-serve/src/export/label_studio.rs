//! Tasks of Label Studio: a list of objects with `data`, and `annotations` (what people said) or `predictions` (what the
//! model found, with a score). The labelling interface that they fit is
//!
//! ```xml
//! <View><Image name="image" value="$image"/><Choices name="label" toName="image"><Choice value="…"/></Choices></View>
//! ```
//!
//! with `Text` and `$text` for texts and tables.

use serde_json::{Value, json};

use super::{ExportRow, Exported, json as bytes};
use crate::Result;

/// The name of the model in Label Studio.
const VERSION: &str = concat!("trustpath-", env!("CARGO_PKG_VERSION"));

/// All instances as tasks.
pub fn write(exported: &Exported<'_>) -> Result<Vec<u8>> {
    let source = exported.source();
    let pool = source.pool();
    let object = if source.has_images() { "image" } else { "text" };
    let column = pool.carried().iter().find(|c| Some(c.name.as_str()) == source.text_column());
    let task = |row: ExportRow<'_>| {
        let shown = column.and_then(|column| column.texts[row.row].as_deref()).unwrap_or(row.id);
        let choice = |label: &str| json!([{ "from_name": "label", "to_name": object, "type": "choices", "value": { "choices": [label] } }]);
        let mut task = json!({ "data": { object: shown, "id": row.id, "verdict": trustpath_explain::label::verdict_name(row.verdict) } });
        match row.label {
            _ if row.checked => {
                let result = row.label.map_or_else(|| json!([]), choice);
                task["annotations"] = json!([{ "result": result }]);
            }
            Some(label) => {
                let score = (row.probability * 1e4).round() / 1e4;
                task["predictions"] =
                    json!([{ "model_version": VERSION, "score": score, "result": choice(label) }]);
            }
            None => {}
        }
        task
    };
    bytes(&exported.rows().map(task).collect::<Vec<Value>>())
}
