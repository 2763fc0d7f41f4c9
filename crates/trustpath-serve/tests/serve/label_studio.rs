//! The requests that Label Studio sends to a machine learning backend, as its code writes them.

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::pool::{CLASSES, Running, Wish};

const INTERFACE: &str = r#"<View><Text name="body" value="$text"/><Choices name="bird" toName="body">
    <Choice value="auk"/><Choice value="gull"/><Choice value="tern"/></Choices></View>"#;

fn task(id: usize, row: usize) -> Value {
    json!({ "id": id, "data": { "text": format!("the {} calls <b>{row}</b> times", CLASSES[row % 3]) }, "meta": {},
        "project": 3, "annotations": [], "predictions": [] })
}

fn predict(session: &Running, tasks: &[Value]) -> Vec<Value> {
    let body = json!({ "tasks": tasks, "model_version": "x", "project": "3.1700000000", "label_config": INTERFACE,
        "params": { "login": null, "password": null, "context": null } });
    session.post("label-studio/predict", &body)["results"].as_array().unwrap().clone()
}

fn annotated(action: &str, task: &Value, choices: &[&str]) -> Value {
    let result = json!([{ "id": "a1", "type": "choices", "from_name": "bird", "to_name": "body", "origin": "manual",
        "value": { "choices": choices } }]);
    let result = if choices.is_empty() { json!([]) } else { result };
    json!({ "action": action, "annotation": { "id": 9, "result": result, "was_cancelled": false, "task": task["id"] },
        "project": { "id": 3, "title": "birds", "label_config": INTERFACE }, "task": task })
}

fn start() -> (TempDir, Running) {
    Running::fresh(&Wish { texts: true, label_studio: true, ..Wish::default() })
}

#[test]
fn annotations_are_recorded_and_tasks_are_predicted() {
    let (folder, session) = start();
    assert_eq!(session.get("label-studio/health")["status"], "UP");
    let setup = json!({ "project": "3.1700000000", "schema": INTERFACE, "hostname": "", "access_token": "" });
    let first = session.post("label-studio/setup", &setup)["model_version"].clone();
    assert!(first.as_str().unwrap().starts_with("trustpath-"), "{first}");
    let empty = predict(&session, &[task(100, 0)]);
    assert_eq!((empty.len(), &empty[0]["result"]), (1, &json!([])), "there is no model yet");

    for row in 0..15 {
        let said = annotated("ANNOTATION_CREATED", &task(100 + row, row), &[CLASSES[row % 3]]);
        assert_eq!(session.post("label-studio/webhook", &said)["recorded"], 1);
        assert_eq!(session.post("label-studio/webhook", &said)["recorded"], 0, "sent twice");
    }
    let changed = annotated("ANNOTATION_UPDATED", &task(114, 14), &["auk"]);
    assert_eq!(session.post("label-studio/webhook", &changed)["recorded"], 1);
    let state = session.updated();
    assert_eq!(state["counts"]["checked"], 15);

    let tasks: Vec<Value> = (20..40).map(|row| task(500 + row, row)).collect();
    let predicted = predict(&session, &tasks);
    let right =
        predicted.iter().zip(20..).filter(|(p, row)| p["result"][0]["value"]["choices"] == json!([CLASSES[row % 3]]));
    assert!(predicted.len() == 20 && right.count() > 15, "{predicted:?}");
    let (result, score) = (&predicted[0]["result"][0], predicted[0]["score"].as_f64().unwrap());
    assert_eq!((&result["from_name"], &result["to_name"]), (&json!("bird"), &json!("body")));
    assert!(score > 0.0 && score <= 1.0);
    let version = session.post("label-studio/setup", &setup)["model_version"].clone();
    assert!(version != first && predicted[0]["model_version"] == version, "{version}");
    assert_eq!(predict(&session, &[task(114, 14)])[0]["result"][0]["value"]["choices"], json!(["auk"]));
    let unknown = json!({ "id": 1, "data": { "text": "something else" } });
    assert_eq!(predict(&session, std::slice::from_ref(&unknown))[0]["result"], json!([]));

    let ended = session.end().unwrap();
    assert_eq!(ended.checked, 15);
    let labels = std::fs::read_to_string(folder.path().join("labels.csv")).unwrap();
    assert!(labels.contains("shot 014.jpg,auk,checked"), "{labels}");
}

#[test]
fn what_is_no_label_is_ignored_and_said() {
    let (_folder, session) = start();
    let send = |body: &Value| session.post("label-studio/webhook", body);
    let ignored = |body: &Value, part: &str| {
        let answer = send(body);
        assert_eq!(answer["recorded"], 0, "{answer}");
        assert!(answer["ignored"][0].as_str().unwrap().contains(part), "{answer}");
    };
    ignored(&annotated("ANNOTATION_CREATED", &task(1, 1), &[]), "chooses nothing");
    ignored(&annotated("ANNOTATION_CREATED", &task(1, 1), &["auk", "gull"]), "several choices");
    let unknown = json!({ "id": 7, "data": { "text": "unknown" } });
    ignored(&annotated("ANNOTATION_CREATED", &unknown, &["auk"]), "task 7 is not in the data");
    assert_eq!(send(&json!({ "action": "TASKS_CREATED", "tasks": [] }))["status"], "ignored");
    assert_eq!(send(&json!({ "action": "START_TRAINING", "project": {} }))["status"], "ok");
    let mut skipped = annotated("ANNOTATION_CREATED", &task(1, 1), &[]);
    skipped["annotation"]["was_cancelled"] = true.into();
    assert_eq!(send(&skipped)["recorded"], 1);
    let several = json!({ "action": "ANNOTATIONS_CREATED", "project": {},
        "annotation": [annotated("", &task(2, 2), &["tern"])["annotation"], annotated("", &task(3, 3), &["auk"])["annotation"]],
        "task": [task(2, 2), task(3, 3)] });
    assert_eq!(send(&several)["recorded"], 2);
    let counts = session.get("state")["counts"].clone();
    assert_eq!((&counts["skipped"], &counts["checked"]), (&json!(1), &json!(2)));
    // A name that the labels file could not hold is refused with a sentence.
    let (status, answer) =
        session.try_post("label-studio/webhook", &annotated("ANNOTATION_CREATED", &task(4, 4), &["AUK"]));
    assert!(status == 400 && answer["error"].as_str().unwrap().contains("\"auk\" already"), "{answer}");
    assert_eq!(session.try_post("label-studio/predict", &json!({})).0, 400);
    assert_eq!(session.try_post("label-studio/train", &json!({})).0, 404);
}

#[test]
fn the_token_guards_it_and_without_the_option_there_is_none() {
    let (folder, session) = start();
    let (host, _) = session.parts();
    for path in ["/health", "/label-studio/health", "/00000000000000000000000000000000/label-studio/health"] {
        let (status, ..) = session.raw(format!("GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n").as_bytes());
        assert_eq!(status, 403, "{path}");
    }
    session.end();
    let without = Running::start(folder.path(), &Wish { texts: true, ..Wish::default() });
    assert_eq!(without.get_bytes("label-studio/health").0, 404);
    without.end();
}

#[test]
fn images_are_found_by_their_addresses() {
    let (folder, session) = Running::fresh(&Wish { images: true, label_studio: true, ..Wish::default() });
    let at = |address: &str| json!({ "id": 1, "data": { "image": address } });
    let interface = r#"<View><Image name="image" value="$image"/><Choices name="label" toName="image"/></View>"#;
    for (row, address) in [(3, "/data/local-files/?d=shot%20003.jpg"), (4, "/data/upload/2/0a1b2c3d-shot 004.jpg")] {
        let mut said = annotated("ANNOTATION_CREATED", &at(address), &[CLASSES[row % 3]]);
        said["annotation"]["result"][0]["from_name"] = "label".into();
        said["project"]["label_config"] = interface.into();
        assert_eq!(session.post("label-studio/webhook", &said)["recorded"], 1, "{address}");
    }
    session.end();
    let labels = std::fs::read_to_string(folder.path().join("labels.csv")).unwrap();
    assert!(labels.contains("shot 003.jpg,auk") && labels.contains("shot 004.jpg,gull"), "{labels}");
}
