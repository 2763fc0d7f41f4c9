//! Tasks with what people and the model said about them, as Label Studio imports them.
//!
//! A task that was read keeps its id, its data and its annotations; others get their data from the columns of the
//! table. A label of a person is an annotation, a label of the model a prediction with its score:
//!
//! ```text
//! {"data": {"text": "…", "verdict": "trusted"}, "predictions": [{"model_version": "trustpath-0.1.0", "score": 0.93, "result": [
//!     {"from_name": "label", "to_name": "text", "type": "choices", "value": {"choices": ["refund"]}}]}]}
//! ```
//!
//! The labelling interface that tasks without annotations fit is
//!
//! ```xml
//! <View><Text name="text" value="$text"/><Choices name="label" toName="text"><Choice value="…"/></Choices></View>
//! ```
//!
//! with `Image`, `image` and `$image` for images.

use serde_json::{Map, Value, json};

use super::{ControlNames, ImageAddress, TaskAnswer, TaskContent, Tasks, answer_of, control, data, list_of};
use crate::result::{CellValue, ColumnKind};
use crate::{Column, Output, Result, ResultTable};

/// The name of the model in Label Studio.
pub const MODEL_VERSION: &str = concat!("trustpath-", env!("CARGO_PKG_VERSION"));

/// Columns of results that are no data of the task.
const RESULT_COLUMNS: &str = "id label probability credibility novelty round verdict reason suggested rival score \
    suggested_credibility";

/// What is known about a task.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TaskRow<'a> {
    /// The name of its instance.
    pub id: &'a str,
    /// What the task shows, where it was not read from a task; the id if nothing else.
    pub shown: Option<&'a str>,
    /// `given`, `trusted`, `doubtful`, …
    pub verdict: Option<&'a str>,
    /// What a person chose; `Some(None)` for none of the labels.
    pub answer: Option<Option<&'a str>>,
    /// The label of the model, and the probability that it is right.
    pub predicted: Option<(&'a str, f64)>,
}

/// Writes tasks.
#[derive(Debug, Clone)]
pub struct TaskWriter<'a> {
    tasks: Option<&'a Tasks>,
    names: ControlNames,
}

impl<'a> TaskWriter<'a> {
    /// For instances that were read from these tasks, or else are shown by an object of this name: `image` or `text`.
    pub fn new(tasks: Option<&'a Tasks>, object: &str) -> Self {
        let object = match tasks.map(Tasks::content) {
            Some(TaskContent::Images(key) | TaskContent::Texts(key)) => key,
            _ => object.to_owned(),
        };
        let usual = || ControlNames { from: "label".into(), to: object.clone(), key: None };
        Self { tasks, names: tasks.and_then(|tasks| control(&tasks.tasks)).unwrap_or_else(usual) }
    }

    /// With the names of this interface.
    pub fn with_names(mut self, names: ControlNames) -> Self {
        self.names = names;
        self
    }

    /// The result that chooses a label.
    pub fn result(&self, label: &str) -> Value {
        let ControlNames { from, to, .. } = &self.names;
        json!([{ "from_name": from, "to_name": to, "type": "choices", "value": { "choices": [label] } }])
    }

    /// A prediction.
    pub fn prediction(&self, label: &str, score: f64, version: &str) -> Value {
        let score = if score.is_finite() { (score.clamp(0.0, 1.0) * 1e4).round() / 1e4 } else { 0.0 };
        json!({ "model_version": version, "score": score, "result": self.result(label) })
    }

    /// A task.
    pub fn task(&self, row: &TaskRow<'_>) -> Value {
        let original = self.tasks.and_then(|tasks| Some(&tasks.tasks[tasks.place(row.id)?]));
        let mut task = Map::new();
        let mut shown = Map::new();
        match original {
            Some(original) => {
                task.extend(original.get("id").map(|id| ("id".to_owned(), id.clone())));
                shown.extend(data(original).cloned().unwrap_or_default());
            }
            None => {
                let text = row.shown.unwrap_or(row.id);
                shown.insert(self.names.to.clone(), text.into());
                shown.insert("id".into(), row.id.into());
            }
        }
        if let Some(verdict) = row.verdict {
            shown.entry("verdict").or_insert_with(|| verdict.into());
        }
        task.insert("data".into(), shown.into());
        let annotations: Vec<Value> = match (row.answer, original) {
            // What the task had says more than the label alone.
            (Some(Some(label)), Some(original)) if self.has(original, label) => annotations_of(original),
            (Some(label), _) => {
                let result = label.map_or_else(|| json!([]), |label| self.result(label));
                vec![json!({ "result": result })]
            }
            (None, Some(original)) => annotations_of(original),
            (None, None) => Vec::new(),
        };
        if !annotations.is_empty() {
            task.insert("annotations".into(), annotations.into());
        }
        if let Some((label, score)) = row.predicted {
            task.insert("predictions".into(), json!([self.prediction(label, score, MODEL_VERSION)]));
        }
        task.into()
    }

    /// Whether an annotation of a task says this already.
    fn has(&self, task: &Map<String, Value>, label: &str) -> bool {
        let answer = TaskAnswer::Label(label.into());
        list_of(task, "annotations").any(|annotation| answer_of(annotation, Some(&self.names.from)) == answer)
    }
}

/// The annotations of a task without what belongs to the project that it was exported from, such as its users.
fn annotations_of(task: &Map<String, Value>) -> Vec<Value> {
    let keys = ["result", "was_cancelled", "ground_truth", "lead_time"];
    let reduced = |annotation: &Value| {
        keys.into_iter().filter_map(|key| Some((key.to_owned(), annotation.get(key)?.clone()))).collect()
    };
    list_of(task, "annotations").map(reduced).collect()
}

/// Writes a table of results: given labels as annotations, others as predictions, and of an audit the suggested label
/// of every suspect.
pub(crate) fn write(table: &ResultTable, output: &Output) -> Result<()> {
    let column = |name: &str| table.columns().iter().find(|(n, _)| n == name).map(|(_, c)| c);
    let text = |name: &str, row: usize| column(name)?.text(row);
    let number = |name: &str, row: usize| match column(name)?.cell(row) {
        CellValue::Number(number) => Some(number),
        _ => None,
    };
    let is_shown = |name: &str, column: &Column| {
        column.kind() == ColumnKind::Text && !RESULT_COLUMNS.split(' ').any(|result| result == name)
    };
    let mut names = table.columns().iter().filter(|(name, column)| is_shown(name, column)).map(|(name, _)| name);
    let shown = names.clone().find(|name| *name == "text").or_else(|| names.next()).map_or("id", String::as_str);
    let first = (table.rows() > 0).then(|| text(shown, 0).or(text("id", 0))).flatten();
    let object = if first.and_then(ImageAddress::of).is_some() { "image" } else { "text" };
    let writer = TaskWriter::new(table.tasks.as_deref(), object);
    let suggested = column("suggested").filter(|column| matches!(column, Column::Text(_)));
    let tasks = (0..table.rows()).map(|row| {
        let (label, verdict) = (text("label", row), text("verdict", row));
        // An audit and labels that were read are about given labels only.
        let given = suggested.is_some() || verdict.is_none_or(|verdict| verdict == "given");
        let predicted = if given {
            let wrong = number("probability_wrong", row).or(number("score", row)).unwrap_or(0.0);
            let suspect = suggested.filter(|_| verdict == Some("suspect"));
            suspect.and_then(|column| column.text(row)).map(|label| (label, wrong))
        } else {
            label.map(|label| (label, number("probability", row).unwrap_or(0.0)))
        };
        let (id, answer) = (text("id", row).unwrap_or_default(), label.filter(|_| given).map(Some));
        writer.task(&TaskRow { id, shown: text(shown, row), verdict, answer, predicted })
    });
    output.write(|w| {
        w.write_all(b"[")?;
        for (row, task) in tasks.enumerate() {
            w.write_all(if row == 0 { b"\n" } else { b",\n" })?;
            serde_json::to_writer(&mut *w, &task)?;
        }
        w.write_all(b"\n]\n")
    })
}
