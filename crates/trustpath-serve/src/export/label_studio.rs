//! Tasks of Label Studio: answers of people as annotations, the rest as predictions with scores ([`TaskWriter`]).

use serde_json::Value;
use trustpath::label::Verdict;
use trustpath_table::{TaskRow, TaskWriter};

use super::{ExportRow, Exported, json as bytes};
use crate::Result;

/// All instances as tasks.
pub fn write(exported: &Exported<'_>) -> Result<Vec<u8>> {
    let source = exported.source();
    let pool = source.pool();
    let object = if source.has_images() { "image" } else { "text" };
    let writer = TaskWriter::new(pool.tasks().map(AsRef::as_ref), object);
    let column = pool.carried().iter().find(|c| Some(c.name.as_str()) == source.text_column());
    let task = |row: ExportRow<'_>| {
        // A label that the task itself has is an annotation already.
        let annotated = row.verdict == Verdict::Given && pool.tasks().is_some();
        writer.task(&TaskRow {
            id: row.id,
            shown: column.and_then(|column| column.texts[row.row].as_deref()),
            verdict: Some(row.verdict.name()),
            answer: row.checked.then_some(row.label),
            predicted: row.label.filter(|_| !row.checked && !annotated).map(|l| (l, row.probability)),
        })
    };
    bytes(&exported.rows().map(task).collect::<Vec<Value>>())
}
