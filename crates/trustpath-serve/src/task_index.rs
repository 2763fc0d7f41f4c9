//! Which instance a task of Label Studio is about.
//!
//! The ids of tasks are those of a project and say nothing in another one, so that a task is found by what it shows: its text, or the
//! file of its image. Where several instances show the same, the one with the id of the task is taken, or else the first.

use std::collections::HashMap;

use serde_json::Value;
use trustpath_table::{ImageAddress, TaskContent};

use crate::source::SessionPool;

/// Instances by what they show.
#[derive(Debug)]
pub struct TaskIndex {
    /// Rows by text, or by the address of an image.
    by_content: HashMap<String, Vec<usize>>,
    by_id: HashMap<String, usize>,
    /// The id of the task of each row, if it was read from one.
    ids: Vec<Option<String>>,
}

impl TaskIndex {
    /// The instances of a pool.
    pub fn new(source: &dyn SessionPool) -> Self {
        let pool = source.pool();
        let mut by_content: HashMap<String, Vec<usize>> = HashMap::new();
        let tasks = pool.tasks();
        let key = tasks.and_then(|tasks| match tasks.content() {
            TaskContent::Images(key) | TaskContent::Texts(key) => Some(key),
            TaskContent::Unclear(_) => None,
        });
        let shown = source.text_column();
        let column = pool.carried().iter().find(|column| Some(column.name.as_str()) == shown);
        for (row, id) in pool.ids().iter().enumerate() {
            let of_task = || tasks?.data(id)?.get(key.as_ref()?)?.as_str().map(Into::into);
            let text = column.and_then(|column| column.texts[row].clone()).or_else(of_task);
            if let Some(text) = text {
                by_content.entry(text).or_default().push(row);
            }
        }
        let by_id = pool.ids().iter().cloned().zip(0..).collect();
        let id = |id: &String| Some(tasks?.ids()[tasks?.place(id)?].clone());
        Self { by_content, by_id, ids: pool.ids().iter().map(id).collect() }
    }

    /// The row of a task, as Label Studio sends it.
    pub fn find(&self, task: &Value) -> Option<usize> {
        let data = task["data"].as_object()?;
        let id = match &task["id"] {
            Value::Number(id) => Some(id.to_string()),
            Value::String(id) => Some(id.clone()),
            _ => None,
        };
        for text in data.values().filter_map(Value::as_str) {
            if let Some(rows) = self.by_content.get(text) {
                let same = |row: &&usize| id.is_some() && self.ids[**row] == id;
                return rows.iter().find(same).or(rows.first()).copied();
            }
        }
        let files = data.values().filter_map(Value::as_str).filter_map(ImageAddress::of);
        let mut names = files.flat_map(|address| match address {
            ImageAddress::Files(names) => names,
            ImageAddress::Elsewhere => Vec::new(),
        });
        let by_file = names.find_map(|name| self.by_id.get(&name).copied());
        by_file.or_else(|| self.by_id.get(data.get("id")?.as_str()?).copied())
    }
}
