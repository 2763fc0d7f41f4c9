//! Tasks of Label Studio as input, and labels that are added to instances.

use trustpath_table::{PartlyLabelledTable, TaskContent, task_content};

use super::InputArgs;
use crate::error::Result;

impl InputArgs {
    /// Without the labels file, which is about other instances too.
    pub fn without_labels(mut self) -> Self {
        self.labels = None;
        self
    }

    /// Adds the labels of the labels file, which may name any instance of the pool.
    pub fn add_labels(&self, pool: PartlyLabelledTable) -> Result<PartlyLabelledTable> {
        let Some(labels) = &self.labels else { return Ok(pool) };
        let (label, id) = (self.label_column.as_deref(), self.id_column.as_deref());
        Ok(pool.with_labels_of(labels, label, id, &self.missing_labels())?)
    }

    /// The key of the texts of Label Studio tasks.
    pub(super) fn text_of_tasks(&self) -> Option<String> {
        match task_content(&self.features)? {
            TaskContent::Texts(key) => Some(key),
            _ => None,
        }
    }
}
