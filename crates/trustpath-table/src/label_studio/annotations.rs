//! The label of a task, from what people said about it.
//!
//! - Only results of the type `choices` that are about the entire task count. Others, such as boxes, are left out and
//!   counted in a note; a file that has no other results is refused.
//! - Annotations that were cancelled (skipped) count for nothing.
//! - If one is marked as ground truth, it is the label.
//! - Otherwise the label is the choice of most annotators; a note counts the tasks where as many chose another one.
//! - An annotation with several choices is refused, since an instance has one label.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::{ControlNames, Tasks};
use crate::formats::raw::no_column;
use crate::missing::ReadingNote;
use crate::printable::quoted_list;
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
pub(super) fn labels(tasks: &Tasks, wanted: Option<&str>) -> Result<(Vec<Option<String>>, Vec<ReadingNote>)> {
    let Tasks { file, tasks, ids, .. } = tasks;
    let (mut controls, mut other_types, mut left_out) = (BTreeSet::new(), BTreeSet::new(), 0);
    for result in tasks.iter().flat_map(|task| list(task, "annotations")).flat_map(results) {
        let name = |key: &str| result[key].as_str().unwrap_or_default();
        if is_choice(result) {
            controls.insert(name("from_name"));
        } else {
            other_types.insert(name("type"));
            left_out += 1;
        }
    }
    let control = one_control(file, &controls, wanted)?;
    let other_types = quoted_list(other_types, usize::MAX);
    if controls.is_empty() && left_out > 0 {
        let remedy = format!(
            "its annotations are {other_types}, and only choices about entire tasks are read: add a Choices control to the labelling interface, or give labels by id in a labels file"
        );
        return Err(Error::no_labels(file, remedy));
    }
    let (mut labels, mut undecided) = (Vec::with_capacity(tasks.len()), 0);
    for (task, id) in tasks.iter().zip(ids) {
        let mut votes: BTreeMap<String, usize> = BTreeMap::new();
        for annotation in decisive(task) {
            match answer_of(annotation, control) {
                TaskAnswer::Label(label) => *votes.entry(label).or_default() += 1,
                TaskAnswer::Several(labels) => return Err(several(file, id, &labels)),
                TaskAnswer::Cancelled | TaskAnswer::Empty => {}
            }
        }
        let most = votes.values().max().copied();
        let mut leaders = votes.into_iter().filter(|(_, count)| Some(*count) == most);
        let (leader, tied) = (leaders.next(), leaders.next().is_some());
        undecided += usize::from(tied);
        labels.push(leader.filter(|_| !tied).map(|(label, _)| label));
    }
    let mut notes = Vec::new();
    if undecided > 0 {
        notes.push(ReadingNote::Sentence(format!(
            "{undecided} tasks of {file} have no label, since as many annotators chose one as another: mark the right annotation as ground truth."
        )));
    }
    if left_out > 0 {
        notes.push(ReadingNote::Sentence(format!(
            "{left_out} results of {file} are of other types than choices ({other_types}) and were left out."
        )));
    }
    Ok((labels, notes))
}

/// The annotations of a task that count: those marked as ground truth, if there are any.
fn decisive(task: &Map<String, Value>) -> Vec<&Value> {
    let annotations = list(task, "annotations").filter(|annotation| annotation["was_cancelled"] != true);
    let (truth, others): (Vec<_>, Vec<_>) = annotations.partition(|annotation| annotation["ground_truth"] == true);
    if truth.is_empty() { others } else { truth }
}

fn several(file: &str, id: &str, labels: &[String]) -> Error {
    let reason = format!(
        "task {id} has {} choices ({}), but an instance has one label here; keep one of them in each annotation",
        labels.len(),
        quoted_list(labels, usize::MAX)
    );
    Error::damaged(file, reason)
}

/// The control whose choices are the labels: the one that is asked for, the only one, or the one called label.
fn one_control<'a>(file: &str, controls: &BTreeSet<&'a str>, wanted: Option<&'a str>) -> Result<Option<&'a str>> {
    match wanted {
        Some(wanted) if controls.contains(wanted) || controls.is_empty() => Ok(Some(wanted)),
        Some(wanted) => Err(no_column(file, wanted, &Vec::from_iter(controls))),
        None if controls.len() > 1 && !controls.contains(USUAL) => {
            let names = quoted_list(controls, usize::MAX);
            let reason =
                format!("its annotations are of several controls ({names}); name one of them as the label column");
            Err(Error::damaged(file, reason))
        }
        None if controls.len() > 1 => Ok(Some(USUAL)),
        None => Ok(controls.first().copied()),
    }
}
