//! Tasks of Label Studio: read, labelled and written, as texts, as images and beside features.

use serde_json::json;

use super::images::Photos;
use super::serve::Serving;
use super::texts::questions;
use super::*;

/// An export of texts: every fourth task is annotated, and what the project had beside it.
fn export() -> Vec<Value> {
    let task = |(row, (id, text, kind)): (usize, (String, String, &str))| {
        let result = json!([{ "id": "Xy1", "from_name": "kind", "to_name": "body", "type": "choices",
            "origin": "manual", "value": { "choices": [kind] } }]);
        let annotation = json!({ "id": 900 + row, "completed_by": 1, "result": result, "was_cancelled": false,
            "ground_truth": false, "created_at": "2024-05-01T10:00:00Z", "lead_time": 2.5, "task": 100 + row });
        let annotations = if row % 4 == 0 { json!([annotation]) } else { json!([]) };
        json!({ "id": 100 + row, "annotations": annotations, "file_upload": "q.csv", "drafts": [], "predictions": [],
            "data": { "text": text, "source": id }, "meta": {}, "total_annotations": 1, "project": 3 })
    };
    questions().into_iter().enumerate().map(task).collect()
}

fn read(folder: &TempDir, name: &str) -> Vec<Value> {
    serde_json::from_slice(&fs::read(folder.path().join(name)).unwrap()).unwrap()
}

fn choice(part: &Value) -> &str {
    part["result"][0]["value"]["choices"][0].as_str().unwrap()
}

#[test]
fn an_export_of_texts_becomes_predictions() {
    let text = Value::from(export()).to_string();
    let folder = folder_with(&[("tasks.json", text.as_bytes())]);
    let said = succeeds(&folder, &["check", "tasks.json"]);
    assert!(said.contains("48 texts") && said.contains("12 labelled"), "{said}");
    succeeds(&folder, &["label", "tasks.json", "--closed", "--out", "predictions.json", "--quiet"]);
    let tasks = read(&folder, "predictions.json");
    let kinds: Vec<&str> = questions().into_iter().map(|(.., kind)| kind).collect();
    let mut right = 0;
    for (row, task) in tasks.iter().enumerate() {
        assert_eq!((&task["id"], &task["data"]["text"]), (&json!(100 + row), &export()[row]["data"]["text"]));
        if row % 4 == 0 {
            assert_eq!(choice(&task["annotations"][0]), kinds[row]);
            assert!(task.get("predictions").is_none());
        } else {
            let prediction = &task["predictions"][0];
            let score = prediction["score"].as_f64().unwrap();
            assert!((0.0..=1.0).contains(&score), "{prediction}");
            assert_eq!(prediction["result"][0]["to_name"], "body");
            right += usize::from(choice(prediction) == kinds[row]);
        }
    }
    assert!(tasks.len() == 48 && right >= 30, "{right} of 36");
    // Another format has the same labels, and other names are refused with the right ones.
    let csv = succeeds(&folder, &["label", "tasks.json", "--closed", "--out", "-", "--quiet"]);
    assert!(csv.contains("\n101,"), "{csv}");
    refused(&folder, &["label", "tasks.json", "--text", "body"], 2, &["no column \"body\"", "\"text\""]);
    refused(&folder, &["label", "tasks.json", "--label-column", "x"], 2, &["no column \"x\"", "\"kind\""]);
    refused(&folder, &["label", "tasks.json", "--out", "tasks.json"], 2, &["would replace tasks.json"]);
    let audit = succeeds(&folder, &["audit", "tasks.json", "--out", "audit.json", "--quiet"]);
    assert!(audit.contains("12"), "{audit}");
    assert_eq!(read(&folder, "audit.json").len(), 12);
}

#[test]
fn tasks_are_the_labels_of_features() {
    let text = Value::from(export()).to_string();
    let rows = questions().into_iter().enumerate().map(|(row, (.., kind))| {
        let at = ["card", "pin", "transfer"].iter().position(|k| *k == kind).unwrap();
        let mut x = [0.3, 0.3, 0.3].map(|v: f64| v + 0.1 * (row as f64 * 1.7).sin());
        x[at] += 1.0 + 0.05 * (row as f64).cos();
        format!("{},{},{}\n", x[0], x[1], x[2])
    });
    let csv = "a,b,c\n".to_owned() + &rows.collect::<String>();
    let folder = folder_with(&[("tasks.json", text.as_bytes()), ("x.csv", csv.as_bytes())]);
    succeeds(&folder, &["label", "x.csv", "--labels", "tasks.json", "--out", "p.json", "--quiet"]);
    let tasks = read(&folder, "p.json");
    assert_eq!((&tasks[5]["id"], choice(&tasks[5]["predictions"][0])), (&json!(105), "card"));
    refused(&folder, &["label", "tasks.json", "--format", "jsonl"], 2, &["tasks.json"]);
}

#[test]
fn an_export_of_images_becomes_predictions() {
    let photos = Photos::new(3, 4);
    let mut tasks = Vec::new();
    let mut add = |class: usize, i: usize, address: String| {
        let name = ["auk", "gull", "wren"][class];
        let result =
            json!([{ "from_name": "label", "to_name": "image", "type": "choices", "value": { "choices": [name] } }]);
        let annotations = if i < 3 { json!([{ "result": result }]) } else { json!([]) };
        tasks.push(json!({ "id": tasks.len() + 1, "data": { "image": address }, "annotations": annotations }));
    };
    for (class, name) in ["auk", "gull", "wren"].into_iter().enumerate() {
        for i in 0..3 {
            add(class, i, format!("/data/local-files/?d={name}/{i}.png"));
        }
        for i in 3..7 {
            let below = ["", "unlabeled/"][i % 2];
            add(
                class,
                i,
                match i {
                    3 => format!("/data/upload/7/0a1b2c3d-{name}-{i}.png"),
                    _ => format!("/data/local-files/?d={below}{name}-{i}.png"),
                },
            );
        }
    }
    fs::write(photos.path("tasks.json"), Value::from(tasks.clone()).to_string()).unwrap();
    let run = |args: &[&str]| photos.run(args);
    fails(&mut run(&["label", "tasks.json"]), 2, &["task 1 shows auk/0.png", "--image-folder"]);
    let args = ["label", "tasks.json", "--image-folder", "photos", "--out", "p.json", "--quiet"];
    run(&args).assert().success();
    assert!(
        photos.path("tasks-resnet12.safetensors").exists()
            || fs::read_dir(photos.path(""))
                .unwrap()
                .any(|e| { e.unwrap().file_name().to_string_lossy().starts_with("tasks-") })
    );
    let written: Vec<Value> = serde_json::from_str(&photos.read("p.json")).unwrap();
    assert_eq!(written.len(), 21);
    let of = |id: u64| written.iter().find(|task| task["id"] == id).unwrap();
    assert_eq!(choice(&of(1)["annotations"][0]), "auk");
    assert_eq!(of(4)["data"]["image"], "/data/upload/7/0a1b2c3d-auk-3.png");
    assert!(of(4).get("annotations").is_none());
    // A label that was added since is used, although the features were kept.
    tasks[3]["annotations"] = json!([{ "result": of(8)["annotations"][0]["result"] }]);
    fs::write(photos.path("tasks.json"), Value::from(tasks.clone()).to_string()).unwrap();
    run(&args).assert().success();
    let written: Vec<Value> = serde_json::from_str(&photos.read("p.json")).unwrap();
    assert_eq!(choice(&written.iter().find(|task| task["id"] == 4).unwrap()["annotations"][0]), "gull");

    tasks[4]["data"]["image"] = "https://example.org/auk-4.png".into();
    fs::write(photos.path("web.json"), Value::from(tasks.clone()).to_string()).unwrap();
    fails(
        &mut run(&["label", "web.json", "--image-folder", "photos"]),
        2,
        &["task 5", "https://example.org", "download"],
    );
    tasks[4] = tasks[5].clone();
    tasks[4]["id"] = 99.into();
    fs::write(photos.path("twice.json"), Value::from(tasks).to_string()).unwrap();
    fails(
        &mut run(&["label", "twice.json", "--image-folder", "photos"]),
        2,
        &["task 6 and task 99 show the same image"],
    );
    fails(&mut run(&["label", "photos", "--image-folder", "photos"]), 2, &["--image-folder photos is for tasks"]);
}

#[test]
fn a_backend_keeps_its_address_and_records_annotations() {
    let text = Value::from(export()).to_string();
    let folder = folder_with(&[("tasks.json", text.as_bytes())]);
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let port = port.to_string();
    let args = ["tasks.json", "--labels", "answers.csv", "--label-studio", "--port", &port];
    let serving = Serving::start(&folder, &args);
    let address = serving.address.clone();
    let task = &export()[1];
    let annotation = json!({ "result": [{ "from_name": "kind", "to_name": "body", "type": "choices", "value": { "choices": ["pin"] } }] });
    let body =
        json!({ "action": "ANNOTATION_CREATED", "annotation": annotation, "task": task, "project": { "id": 3 } });
    let said = serving.ask("POST label-studio/webhook", &body.to_string());
    assert!(said.contains("\"recorded\":1"), "{said}");
    assert!(serving.ask("GET label-studio/health", "").contains("\"UP\""));
    serving.kill();
    let serving = Serving::start(&folder, &args);
    assert_eq!(serving.address, address, "the token and the port stay");
    let printed = serving.end();
    assert!(printed.contains(&format!("{address}label-studio/webhook")), "{printed}");
    assert!(printed.contains("answers.csv: 13 labels, 1 of them checked by a person"), "{printed}");
    fs::write(folder.path().join("answers.csv.token"), "x").unwrap();
    refused(&folder, &[&["serve"], &args[..]].concat(), 1, &["answers.csv.token"]);
}
