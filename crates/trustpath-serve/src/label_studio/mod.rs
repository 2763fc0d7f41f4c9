//! The requests of Label Studio to a machine learning backend, below `label-studio/`:
//!
//! | request | answer |
//! |---|---|
//! | `GET health` | `{"status": "UP"}` |
//! | `POST setup` | `{"model_version": …}`, which changes with the labels that the model knows, so that old predictions are replaced |
//! | `POST predict` with `tasks` | one prediction per task, in their order; without a label where the model has none |
//! | `POST webhook` | the labels of created and updated annotations are recorded like every other answer |
//!
//! Label Studio sends no token of its own, but it keeps the path of the address that it is given, and the token is part of
//! that ([`Guard`](crate::guard::Guard)). A prediction never waits for the model: it comes from the last one.

mod index;

use serde_json::{Value, json};
use trustpath_table::{ControlNames, MODEL_VERSION, TaskAnswer, TaskWriter, answer_of};

use crate::answer::Answer;
use crate::http::{Request, Response};
use crate::journal::Target;
use crate::session::{Session, State};
use crate::{Error, Result};
pub use index::TaskIndex;

/// The response to a request, whose path after `label-studio/` is `path`.
pub fn respond(session: &Session, request: &Request, path: &str) -> Result<Response> {
    let body = || -> Result<Value> {
        let read = serde_json::from_slice(&request.body);
        read.map_err(|e| Error::Refused(format!("the request cannot be read: {e}")))
    };
    let answer = match (request.method.as_str(), path.trim_end_matches('/')) {
        ("GET", "" | "health") => json!({ "status": "UP", "model_class": "trustpath" }),
        ("POST", "setup") => json!({ "model_version": version(&session.lock()) }),
        ("POST", "predict") => predict(session, &body()?)?,
        ("POST", "webhook") => webhook(session, &body()?)?,
        _ => return Ok(Response::error(404, "there is no such request of Label Studio")),
    };
    Ok(Response::json(&answer))
}

/// The name of the model, with the number of labels that it knows.
fn version(state: &State) -> String {
    match &state.model {
        Some(model) => {
            let labels = model.from.labels.iter().flatten().count() + model.from.none.len();
            format!("{MODEL_VERSION}-{labels}-labels")
        }
        None => MODEL_VERSION.to_owned(),
    }
}

/// The parts of the labelling interface in a request.
fn names(interface: &Value) -> Option<ControlNames> {
    ControlNames::of_interface(interface.as_str()?)
}

/// A prediction for every task.
fn predict(session: &Session, body: &Value) -> Result<Value> {
    let Some(tasks) = body["tasks"].as_array() else {
        return Err(Error::Refused("the request has no list of tasks".into()));
    };
    let source = session.source.as_ref();
    let object = if source.has_images() { "image" } else { "text" };
    let mut writer = TaskWriter::new(source.pool().tasks().map(AsRef::as_ref), object);
    if let Some(names) = names(&body["label_config"]) {
        writer = writer.with_names(names);
    }
    let state = session.lock();
    let version = version(&state);
    let predicted = |task: &Value| {
        let row = session.tasks().find(task)?;
        let model = state.model.as_deref()?;
        let class = match state.answers.of(row) {
            Answer::NoneOfThese => None,
            answer => answer.class().or_else(|| model.label(row)),
        }?;
        let score = match state.answers.of(row).class() {
            Some(_) => 1.0,
            None => model.labelling.probability[row],
        };
        Some(writer.prediction(&state.answers.classes()[class], score, &version))
    };
    let none = || json!({ "model_version": version, "score": 0.0, "result": [] });
    let results: Vec<Value> = tasks.iter().map(|task| predicted(task).unwrap_or_else(none)).collect();
    Ok(json!({ "results": results }))
}

/// Records what was annotated.
fn webhook(session: &Session, body: &Value) -> Result<Value> {
    let list = |value: &Value| match value {
        Value::Array(values) => values.clone(),
        value => vec![value.clone()],
    };
    match body["action"].as_str().unwrap_or_default() {
        "ANNOTATION_CREATED" | "ANNOTATION_UPDATED" | "ANNOTATIONS_CREATED" => {}
        "START_TRAINING" => {
            session.update(false);
            return Ok(json!({ "status": "ok" }));
        }
        _ => return Ok(json!({ "status": "ignored" })),
    }
    let control = names(&body["project"]["label_config"]).map(|names| names.from);
    let (annotations, tasks) = (list(&body["annotation"]), list(&body["task"]));
    let (mut recorded, mut ignored) = (0, Vec::new());
    for (annotation, task) in annotations.iter().zip(&tasks) {
        let id = &task["id"];
        let Some(row) = session.tasks().find(task) else {
            ignored.push(format!("task {id} is not in the data of this session"));
            continue;
        };
        let now = session.lock().answers.of(row);
        let target = match answer_of(annotation, control.as_deref()) {
            TaskAnswer::Label(label) => Target::Label { label },
            TaskAnswer::Cancelled if now == Answer::Open => Target::Skipped,
            TaskAnswer::Cancelled => continue,
            TaskAnswer::Empty => {
                ignored.push(format!("the annotation of task {id} chooses nothing"));
                continue;
            }
            TaskAnswer::Several(_) => {
                ignored.push(format!("the annotation of task {id} has several choices, but an instance has one label"));
                continue;
            }
        };
        // The same annotation may be sent twice.
        let known = now.class().map(|class| session.lock().answers.classes()[class].clone());
        let is_new =
            !matches!((&target, now), (Target::Label { label }, Answer::Checked(_)) if known.as_ref() == Some(label));
        if is_new {
            session.answer(&[row], &target)?;
            recorded += 1;
        }
    }
    Ok(json!({ "status": "ok", "recorded": recorded, "ignored": ignored }))
}
