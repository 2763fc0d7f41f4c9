//! Tasks of [Label Studio](https://labelstud.io): its JSON export is read, and tasks with predictions are written.
//!
//! An export is a list of tasks. `data` holds what is labelled, an image or a text; `annotations` what people said:
//!
//! ```text
//! [{"id": 7, "data": {"text": "…"}, "annotations": [{"result": [
//!     {"from_name": "label", "to_name": "text", "type": "choices", "value": {"choices": ["refund"]}}]}]}]
//! ```
//!
//! The label of a task follows from its annotations (`annotations.rs`), the file of an image from its address
//! (`images.rs`). Tasks are written with the data and the annotations that they had, and with predictions (`write.rs`).
//! The labelling interface is not part of an export; where it is known, it names the parts (`interface.rs`).

mod annotations;
mod images;
mod interface;
mod write;

use std::collections::HashMap;
use std::io::BufReader;
use std::path::Path;

use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::formats::raw::{CarriedColumn, RawTable, ReadOptions, no_column};
use crate::input::Input;
use crate::labels::FileLabels;
use crate::{Error, Result};
pub use annotations::{TaskAnswer, answer_of};
use annotations::{control, list as list_of};
pub use images::ImageAddress;
pub use interface::ControlNames;
pub(crate) use write::write;
pub use write::{MODEL_VERSION, TaskRow, TaskWriter};

/// Keys of `data` that trustpath writes, and that are no texts to be labelled.
const WRITTEN_KEYS: [&str; 2] = ["id", "verdict"];

/// What the tasks of a file show.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TaskContent {
    /// Images, whose addresses are under this key of `data`.
    Images(String),
    /// Texts under this key of `data`.
    Texts(String),
    /// Something else, or one of several texts: the keys.
    Unclear(Vec<String>),
}

/// The tasks of a file.
#[derive(Debug, Clone, PartialEq)]
pub struct Tasks {
    file: String,
    /// The tasks as they were read.
    tasks: Vec<Map<String, Value>>,
    /// The id of each: the task's, that in its data, or its place in the file.
    ids: Vec<String>,
    /// The place of each by its name as an instance.
    places: HashMap<String, usize>,
}

impl Tasks {
    /// Reads a file.
    ///
    /// # Errors
    /// If it cannot be read, or is no list of tasks.
    pub fn read(path: &Path) -> Result<Self> {
        Self::of(Input::open(path)?)
    }

    fn of(input: Input) -> Result<Self> {
        let file = input.name.clone();
        let damaged = |e: serde_json::Error| Error::damaged(&file, e);
        let read: Value = serde_json::from_reader(BufReader::new(input)).map_err(damaged)?;
        let remedy = "give the JSON export of Label Studio, a list of tasks with \"data\" each (not JSON-MIN), or features in another format";
        let other = |contents: &str| Error::no_features(&file, contents, remedy);
        let Value::Array(values) = read else { return Err(other("JSON that is not a list")) };
        if values.is_empty() {
            return Err(other("an empty list"));
        }
        let task = |value: Value| match value {
            Value::Object(task) if task.get("data").is_some_and(Value::is_object) => Ok(task),
            _ => Err(other("objects without \"data\"")),
        };
        let tasks = values.into_iter().map(task).collect::<Result<Vec<_>>>()?;
        let of_tasks: Option<Vec<String>> = tasks.iter().map(|task| scalar(task.get("id")?)).collect();
        let in_data = || tasks.iter().map(|task| scalar(data(task)?.get("id")?)).collect();
        let places = || (0..tasks.len()).map(|place| place.to_string()).collect();
        let ids = of_tasks.or_else(in_data).unwrap_or_else(places);
        let places = ids.iter().cloned().zip(0..).collect();
        Ok(Self { file, tasks, ids, places })
    }

    /// The file that they were read from.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// The id of each task: its `id` if all have one, or else the `id` in its data, or its place in the file from 0.
    pub fn ids(&self) -> &[String] {
        &self.ids
    }

    /// What the first task shows.
    pub fn content(&self) -> TaskContent {
        content(&self.tasks[0])
    }

    /// The text of each task under a key of its data; a number counts as one.
    pub fn values<'a>(&'a self, key: &'a str) -> impl Iterator<Item = Option<String>> + 'a {
        self.tasks.iter().map(move |task| scalar(data(task)?.get(key)?))
    }

    /// The label of each task, of the control of this name where there are several, and what a user should know.
    ///
    /// # Errors
    /// If the annotations are no single choices, or of several controls.
    pub fn labels(&self, control: Option<&str>) -> Result<(Vec<Option<String>>, Vec<crate::ReadingNote>)> {
        annotations::labels(self, control)
    }

    /// The same tasks, whose instances have these names in a pool: those of the files of their images.
    pub fn called(mut self, keys: Vec<String>) -> Self {
        self.places = keys.into_iter().zip(0..).collect();
        self
    }

    /// The place of the task of an instance.
    pub fn place(&self, key: &str) -> Option<usize> {
        self.places.get(key).copied()
    }

    /// The data of the task of an instance.
    pub fn data(&self, key: &str) -> Option<&Map<String, Value>> {
        data(&self.tasks[self.place(key)?])
    }
}

/// Whether a file is a list of tasks, and what the first one shows. Everything else about the file is left to
/// [`Tasks::read`].
pub fn task_content(path: &Path) -> Option<TaskContent> {
    if crate::formats::extension(path) != "json" {
        return None;
    }
    let bytes = std::fs::read(path).ok()?;
    let tasks: Vec<&RawValue> = serde_json::from_slice(&bytes).ok()?;
    let first: Map<String, Value> = serde_json::from_str(tasks.first()?.get()).ok()?;
    Some(content(&first))
}

fn data(task: &Map<String, Value>) -> Option<&Map<String, Value>> {
    task.get("data")?.as_object()
}

/// A text or a number.
fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

fn content(task: &Map<String, Value>) -> TaskContent {
    let texts = data(task).into_iter().flatten().filter(|(key, _)| !WRITTEN_KEYS.contains(&key.as_str()));
    let texts: Vec<(&str, &str)> = texts.filter_map(|(key, value)| Some((key.as_str(), value.as_str()?))).collect();
    let named = |name: &str| texts.iter().find(|(key, _)| key.eq_ignore_ascii_case(name));
    let is_image = |(_, text): &&(&str, &str)| ImageAddress::of(text).is_some();
    let image = named("image").filter(is_image).or_else(|| texts.iter().find(is_image));
    if let Some((key, _)) = image {
        return TaskContent::Images((*key).to_owned());
    }
    match (named("text"), texts.as_slice()) {
        (Some((key, _)), _) | (None, [(key, _)]) => TaskContent::Texts((*key).to_owned()),
        _ => TaskContent::Unclear(texts.iter().map(|(key, _)| (*key).to_owned()).collect()),
    }
}

/// Reads labels, or texts with labels; tasks hold no features.
pub(crate) fn read(input: Input, options: ReadOptions) -> Result<RawTable> {
    let tasks = Tasks::of(input)?;
    let (labels, notes) = tasks.labels(options.label)?;
    let (ids, labels) = (Some(tasks.ids.clone()), Some(FileLabels::Names(labels)));
    if options.labels_only {
        let raw = RawTable::of_labels(labels, ids);
        return Ok(RawTable { notes, tasks: Some(tasks.into()), ..raw });
    }
    let file = tasks.file.as_str();
    let Some(text) = options.text else {
        let remedy = "name the key of their texts as the text column, or give the features in a file of their own and the tasks as the labels file";
        return Err(Error::no_features(file, "tasks of Label Studio", remedy));
    };
    // A key is a column if the first task has it.
    let first = data(&tasks.tasks[0]).into_iter().flatten();
    let names: Vec<String> = first.filter(|(_, value)| value.is_string()).map(|(key, _)| key.clone()).collect();
    if !names.iter().any(|name| name == text) {
        return Err(no_column(file, text, &names));
    }
    options.check_columns(&names, file)?;
    let carried = names.into_iter().filter(|name| options.is_carried(name, true)).map(|name| {
        let texts = tasks.values(&name).map(|text| text.filter(|text| !text.is_empty()));
        CarriedColumn { texts: texts.collect(), name }
    });
    let carried = carried.collect();
    let rows = tasks.tasks.len();
    Ok(RawTable { rows, ids, labels, carried, notes, tasks: Some(tasks.into()), ..RawTable::default() })
}

#[cfg(test)]
mod tests;
