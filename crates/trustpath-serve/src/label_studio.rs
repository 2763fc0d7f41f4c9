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

use serde_json::{Value, json};
use trustpath::Origin;
use trustpath_table::{ControlNames, MODEL_VERSION, TaskAnswer, TaskWriter, answer_of};

use crate::answer::Answer;
use crate::http::{HttpRequest, Response};
use crate::journal::Target;
use crate::session::{Session, SessionState};
use crate::{Error, Result};

/// The response to a request, whose path after `label-studio/` is `path`.
pub fn respond(session: &Session, request: &HttpRequest, path: &str) -> Result<Response> {
    let answer = match (request.method.as_str(), path.trim_end_matches('/')) {
        ("GET", "" | "health") => json!({ "status": "UP", "model_class": "trustpath" }),
        ("POST", "setup") => json!({ "model_version": version(&session.lock()) }),
        ("POST", "predict") => predict(session, &request.json()?)?,
        ("POST", "webhook") => webhook(session, &request.json()?)?,
        _ => return Ok(Response::error(404, "there is no such request of Label Studio")),
    };
    Ok(Response::json(&answer))
}

/// The name of the model, with the number of labels that it knows.
fn version(state: &SessionState) -> String {
    match &state.model {
        Some(model) => format!("{MODEL_VERSION}-{}-labels", model.from.answers()),
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
        return Err(Error::refused("the request has no list of tasks"));
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
        let (class, score) = match state.answers.of(row) {
            Answer::NoneOfThese => return None,
            Answer::Given(class) | Answer::Checked(class) => (class, 1.0),
            Answer::Open | Answer::Skipped => (model.label(row)?, model.labelling.probability[row]),
        };
        Some(writer.prediction(&state.answers.classes()[class], score, &version))
    };
    let none = || json!({ "model_version": version, "score": 0.0, "result": [] });
    let results: Vec<Value> = tasks.iter().map(|task| predicted(task).unwrap_or_else(none)).collect();
    Ok(json!({ "results": results }))
}

/// One value, or several.
fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice)
}

/// Records what was annotated.
fn webhook(session: &Session, body: &Value) -> Result<Value> {
    match body["action"].as_str().unwrap_or_default() {
        "ANNOTATION_CREATED" | "ANNOTATION_UPDATED" | "ANNOTATIONS_CREATED" => {}
        "START_TRAINING" => {
            session.update();
            return Ok(json!({ "status": "ok" }));
        }
        _ => return Ok(json!({ "status": "ignored" })),
    }
    let control = names(&body["project"]["label_config"]).map(|names| names.from);
    let (mut recorded, mut ignored) = (0, Vec::new());
    for (annotation, task) in list(&body["annotation"]).iter().zip(list(&body["task"])) {
        match record(session, annotation, task, control.as_deref())? {
            Ok(is_new) => recorded += usize::from(is_new),
            Err(sentence) => ignored.push(sentence),
        }
    }
    Ok(json!({ "status": "ok", "recorded": recorded, "ignored": ignored }))
}

/// Records an annotation and returns whether it says something new, or else a sentence about why it is ignored.
fn record(
    session: &Session,
    annotation: &Value,
    task: &Value,
    control: Option<&str>,
) -> Result<std::result::Result<bool, String>> {
    let id = &task["id"];
    let Some(row) = session.tasks().find(task) else {
        return Ok(Err(format!("task {id} is not in the data of this session")));
    };
    let now = session.lock().answers.of(row);
    let target = match answer_of(annotation, control) {
        TaskAnswer::Label(label) => Target::Label { label },
        TaskAnswer::Cancelled if now == Answer::Open => Target::Skipped,
        TaskAnswer::Cancelled => return Ok(Ok(false)),
        TaskAnswer::Empty => return Ok(Err(format!("the annotation of task {id} chooses nothing"))),
        TaskAnswer::Several(_) => {
            let sentence = "has several choices, but an instance has one label";
            return Ok(Err(format!("the annotation of task {id} {sentence}")));
        }
    };
    // The same annotation may be sent twice.
    if let (Target::Label { label }, Answer::Checked(class)) = (&target, now)
        && session.lock().answers.classes()[class] == *label
    {
        return Ok(Ok(false));
    }
    // Label Studio orders its tasks itself, and does not say how.
    session.answer(&[row], &target, Origin::Unknown)?;
    Ok(Ok(true))
}
