//! What was read of a pool: its ids and labels, and notes about them.

use trustpath_explain::FrontEnd;
use trustpath_table::{Column, PartlyLabelledTable, ReadingNote, ResultTable};

use crate::error::Result;

/// Ids and labels as they were read.
pub fn labels(pool: &PartlyLabelledTable) -> Result<ResultTable> {
    let name = |label: &Option<usize>| label.map(|class| pool.class_names()[class].clone());
    let mut table = ResultTable::default();
    table.push("id", Column::Text(pool.ids().to_vec()))?;
    table.push("label", Column::OptionalText(pool.labels().iter().map(name).collect()))?;
    table.set_tasks(pool.tasks().cloned());
    Ok(table)
}

/// What a user should know about how the pool was read, as sentences.
pub fn pool_notes(pool: &PartlyLabelledTable) -> Vec<String> {
    notes(pool.notes())
}

/// These notes as sentences.
pub fn notes<'a>(notes: impl IntoIterator<Item = &'a ReadingNote>) -> Vec<String> {
    let setting = |name: &str, value: &str| FrontEnd::CommandLine.setting(name, value);
    notes.into_iter().map(|note| note.sentence(setting)).collect()
}
