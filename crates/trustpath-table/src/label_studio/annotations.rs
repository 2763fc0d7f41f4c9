//! The label of a task, from what people said about it.
//!
//! - Only results of the type `choices` that are about the entire task count. Others, such as boxes, are left out and counted in
//!   a note; a file that has no other results is refused.
//! - Annotations that were cancelled (skipped) count for nothing.
//! - If one is marked as ground truth, it is the label.
//! - Otherwise the label is the choice of most annotators; where as many chose another one, there is none, which a note counts.
//! - An annotation with several choices is refused, since an instance has one label.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::ControlNames;
use crate::missing::ReadingNote;
use crate::{Error, Result};

/// The name of the control that is read where there are several.
const USUAL: &str = "label";
/// Keys of a value that is about a part of the task.
const OF_PART: [&str; 4] = ["x", "start", "points", "vertices"];

/// What one annotation says about a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TaskAnswer {
    /// This label.
    Label(String),
    /// It was skipped.
    Cancelled,
    /// Nothing was chosen.
    Empty,
    /// More than one label.
    Several(Vec<String>),
}

/// What an annotation says, by the control of this name, or by any if none is given.
pub fn answer_of(annotation: &Value, control: Option<&str>) -> TaskAnswer {
    if annotation["was_cancelled"] == true {
        return TaskAnswer::Cancelled;
    }
    let of_control = |result: &&Value| control.is_none_or(|name| result["from_name"] == name);
    let mut chosen: Vec<String> = choices(annotation)
        .filter(of_control)
        .filter_map(|result| result["value"]["choices"].as_array())
        .flatten()
        .filter_map(|choice| choice.as_str().map(Into::into))
        .collect();
    chosen.dedup();
    match chosen.len() {
        0 => TaskAnswer::Empty,
        1 => TaskAnswer::Label(chosen.remove(0)),
        _ => TaskAnswer::Several(chosen),
    }
}

fn results(annotation: &Value) -> impl Iterator<Item = &Value> {
    annotation["result"].as_array().into_iter().flatten()
}

fn is_choice(result: &Value) -> bool {
    let of_part = OF_PART.iter().any(|key| result["value"].get(key).is_some());
    result["type"] == "choices" && !of_part
}

/// The results of an annotation that are choices about the entire task.
fn choices(annotation: &Value) -> impl Iterator<Item = &Value> {
    results(annotation).filter(|result| is_choice(result))
}

pub(super) fn list<'a>(task: &'a Map<String, Value>, key: &str) -> impl Iterator<Item = &'a Value> {
    task.get(key).and_then(Value::as_array).into_iter().flatten()
}

/// The names of control and object that the first choice has.
pub(super) fn control(tasks: &[Map<String, Value>]) -> Option<ControlNames> {
    let mut controls = tasks
        .iter()
        .flat_map(|task| list(task, "annotations").chain(list(task, "predictions")))
        .flat_map(choices)
        .filter_map(|result| {
            let name = |key: &str| result[key].as_str().map(Into::into);
            Some(ControlNames { from: name("from_name")?, to: name("to_name")?, key: None })
        })
        .peekable();
    let first = controls.peek().cloned();
    controls.find(|names| names.from == USUAL).or(first)
}

/// The label of each task.
pub(super) fn labels(
    file: &str,
    tasks: &[Map<String, Value>],
    ids: &[String],
    wanted: Option<&str>,
) -> Result<(Vec<Option<String>>, Vec<ReadingNote>)> {
    let counted = |task: &Map<String, Value>| -> Vec<Value> {
        list(task, "annotations").filter(|a| a["was_cancelled"] != true).cloned().collect()
    };
    let (mut controls, mut others) = (BTreeMap::<String, usize>::new(), BTreeMap::new());
    for result in tasks.iter().flat_map(|task| list(task, "annotations")).flat_map(results) {
        if is_choice(result) {
            *controls.entry(name_of(result, "from_name")).or_default() += 1
        } else {
            *others.entry(name_of(result, "type")).or_insert(0usize) += 1
        }
    }
    let control = one_control(file, &controls, wanted)?;
    let types = || others.keys().map(|name| format!("{name:?}")).collect::<Vec<_>>().join(", ");
    if controls.is_empty() && !others.is_empty() {
        return Err(Error::NoLabels {
            file: file.into(),
            remedy: format!(
                "its annotations are {}, and only choices about entire tasks are read: add a Choices control to the labelling interface, or give labels by id in a labels file",
                types()
            ),
        });
    }
    let (mut labels, mut undecided) = (Vec::with_capacity(tasks.len()), 0);
    for (task, id) in tasks.iter().zip(ids) {
        let annotations = counted(task);
        let truth: Vec<Value> = annotations.iter().filter(|a| a["ground_truth"] == true).cloned().collect();
        let mut votes: Vec<(String, usize)> = Vec::new();
        for annotation in if truth.is_empty() { &annotations } else { &truth } {
            let label = match answer_of(annotation, control.as_deref()) {
                TaskAnswer::Label(label) => label,
                TaskAnswer::Several(labels) => {
                    return Err(several(file, id, &labels));
                }
                TaskAnswer::Cancelled | TaskAnswer::Empty => continue,
            };
            match votes.iter_mut().find(|(known, _)| *known == label) {
                Some((_, count)) => *count += 1,
                None => votes.push((label, 1)),
            }
        }
        let most = votes.iter().map(|(_, count)| *count).max();
        let mut first = votes.into_iter().filter(|(_, count)| Some(*count) == most);
        let (label, tied) = (first.next(), first.next().is_some());
        undecided += usize::from(tied);
        labels.push(label.filter(|_| !tied).map(|(label, _)| label));
    }
    let mut notes = Vec::new();
    if undecided > 0 {
        notes.push(ReadingNote::Sentence(format!(
            "{undecided} tasks of {file} have no label, since as many annotators chose one as another: mark the right annotation as ground truth to settle it."
        )));
    }
    if !others.is_empty() {
        notes.push(ReadingNote::Sentence(format!(
            "{} results of {file} are of other types than choices ({}) and were left out.",
            others.values().sum::<usize>(),
            types()
        )));
    }
    Ok((labels, notes))
}

fn several(file: &str, id: &str, labels: &[String]) -> Error {
    let labels: Vec<String> = labels.iter().map(|label| format!("{label:?}")).collect();
    Error::damaged(
        file,
        format!(
            "task {id} has {} choices ({}), but an instance has one label here; keep one of them in each annotation",
            labels.len(),
            labels.join(", ")
        ),
    )
}

fn name_of(result: &Value, key: &str) -> String {
    result[key].as_str().unwrap_or_default().to_owned()
}

/// The control whose choices are the labels: the one that is asked for, the only one, or the one called label.
fn one_control(file: &str, found: &BTreeMap<String, usize>, wanted: Option<&str>) -> Result<Option<String>> {
    let names: Vec<String> = found.keys().cloned().collect();
    match wanted {
        Some(wanted) if found.contains_key(wanted) || found.is_empty() => Ok(Some(wanted.into())),
        Some(wanted) => Err(crate::formats::raw::no_column(file, wanted, &names)),
        None if found.len() > 1 && !found.contains_key(USUAL) => {
            let names: Vec<String> = names.iter().map(|name| format!("{name:?}")).collect();
            Err(Error::damaged(
                file,
                format!(
                    "its annotations are of several controls ({}); name one of them as the label column",
                    names.join(", ")
                ),
            ))
        }
        None if found.len() > 1 => Ok(Some(USUAL.into())),
        None => Ok(names.into_iter().next()),
    }
}
