//! Tasks of Label Studio: read, labelled and written, as texts, as images and beside features.

use serde_json::json;

use super::images::{CLASSES, photos};
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

/// A folder with the export as `tasks.json`.
fn exported() -> CommandFolder {
    CommandFolder::with([("tasks.json", Value::from(export()).to_string())])
}

fn read(folder: &CommandFolder, name: &str) -> Vec<Value> {
    serde_json::from_str(&folder.read(name)).unwrap()
}

fn choice(part: &Value) -> &str {
    part["result"][0]["value"]["choices"][0].as_str().unwrap()
}

#[test]
fn an_export_of_texts_becomes_predictions() {
    let folder = exported();
    contains(&folder.prints("check tasks.json"), &["48 texts", "12 labelled"]);
    folder.prints("label tasks.json --closed --out predictions.json --quiet");
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
            assert!((0.0..=1.0).contains(&prediction["score"].as_f64().unwrap()), "{prediction}");
            assert_eq!(prediction["result"][0]["to_name"], "body");
            right += usize::from(choice(prediction) == kinds[row]);
        }
    }
    assert!(tasks.len() == 48 && right >= 30, "{right} of 36");
    // Another format has the same labels, and other names are refused with the right ones.
    contains(&folder.prints("label tasks.json --closed --out - --quiet"), &["\n101,"]);
    folder.refuses("label tasks.json --text body", 2, &["no column \"body\"", "\"text\""]);
    folder.refuses("label tasks.json --label-column x", 2, &["no column \"x\"", "\"kind\""]);
    folder.refuses("label tasks.json --out tasks.json", 2, &["would replace tasks.json"]);
    contains(&folder.prints("audit tasks.json --out audit.json --quiet"), &["12"]);
    assert_eq!(read(&folder, "audit.json").len(), 12);
}

#[test]
fn tasks_are_the_labels_of_features() {
    let folder = exported();
    let rows = questions().into_iter().enumerate().map(|(row, (.., kind))| {
        let at = ["card", "pin", "transfer"].iter().position(|k| *k == kind).unwrap();
        let mut x = [0.3, 0.3, 0.3].map(|v: f64| v + 0.1 * (row as f64 * 1.7).sin());
        x[at] += 1.0 + 0.05 * (row as f64).cos();
        format!("{},{},{}\n", x[0], x[1], x[2])
    });
    folder.write("x.csv", format!("a,b,c\n{}", rows.collect::<String>()));
    folder.prints("label x.csv --labels tasks.json --out p.json --quiet");
    let tasks = read(&folder, "p.json");
    assert_eq!((&tasks[5]["id"], choice(&tasks[5]["predictions"][0])), (&json!(105), "card"));
    folder.refuses("label tasks.json --format jsonl", 2, &["tasks.json"]);
}

#[test]
fn an_export_of_images_becomes_predictions() {
    let folder = photos(3, 4);
    let mut tasks = Vec::new();
    for name in CLASSES {
        for i in 0..7 {
            let address = match i {
                0..3 => format!("/data/local-files/?d={name}/{i}.png"),
                3 => format!("/data/upload/7/0a1b2c3d-{name}-{i}.png"),
                _ => format!("/data/local-files/?d={}{name}-{i}.png", ["", "unlabeled/"][i % 2]),
            };
            let value = json!({ "choices": [name] });
            let result = json!([{ "from_name": "label", "to_name": "image", "type": "choices", "value": value }]);
            let annotations = if i < 3 { json!([{ "result": result }]) } else { json!([]) };
            tasks.push(json!({ "id": tasks.len() + 1, "data": { "image": address }, "annotations": annotations }));
        }
    }
    let write = |name: &str, tasks: &[Value]| folder.write(name, Value::from(tasks).to_string());
    write("tasks.json", &tasks);
    folder.refuses("label tasks.json", 2, &["task 1 shows auk/0.png", "--image-folder"]);
    let label = "label tasks.json --image-folder photos --out p.json --quiet";
    folder.prints(label);
    assert!(folder.names().iter().any(|name| name.starts_with("tasks-resnet12")), "{:?}", folder.names());
    let written = read(&folder, "p.json");
    assert_eq!(written.len(), 21);
    let of = |id: u64| written.iter().find(|task| task["id"] == id).unwrap();
    assert_eq!(choice(&of(1)["annotations"][0]), "auk");
    assert_eq!(of(4)["data"]["image"], "/data/upload/7/0a1b2c3d-auk-3.png");
    assert!(of(4).get("annotations").is_none());
    // A label that was added since is used, although the features were kept.
    tasks[3]["annotations"] = json!([{ "result": of(8)["annotations"][0]["result"] }]);
    write("tasks.json", &tasks);
    folder.prints(label);
    let written = read(&folder, "p.json");
    assert_eq!(choice(&written.iter().find(|task| task["id"] == 4).unwrap()["annotations"][0]), "gull");

    tasks[4]["data"]["image"] = "https://example.org/auk-4.png".into();
    write("web.json", &tasks);
    let web = ["task 5", "https://example.org", "download"];
    folder.refuses("label web.json --image-folder photos", 2, &web);
    tasks[4] = tasks[5].clone();
    tasks[4]["id"] = 99.into();
    write("twice.json", &tasks);
    let twice = ["task 6 and task 99 show the same image"];
    folder.refuses("label twice.json --image-folder photos", 2, &twice);
    folder.refuses("label photos --image-folder photos", 2, &["--image-folder photos is for tasks"]);
}

#[test]
fn a_backend_keeps_its_address_and_records_annotations() {
    let folder = exported();
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let line = format!("serve tasks.json --labels answers.csv --label-studio --port {port}");
    let serving = Serving::start(&folder, &line);
    let address = serving.address.clone();
    let task = &export()[1];
    let annotation = json!({ "result": [{ "from_name": "kind", "to_name": "body", "type": "choices", "value": { "choices": ["pin"] } }] });
    let body =
        json!({ "action": "ANNOTATION_CREATED", "annotation": annotation, "task": task, "project": { "id": 3 } });
    contains(&serving.ask("POST label-studio/webhook", &body.to_string()), &["\"recorded\":1"]);
    contains(&serving.ask("GET label-studio/health", ""), &["\"UP\""]);
    serving.kill();
    let serving = Serving::start(&folder, &line);
    assert_eq!(serving.address, address, "the token and the port stay");
    let printed = serving.end();
    contains(&printed, &[&format!("{address}label-studio/webhook")]);
    contains(&printed, &["answers.csv: 13 labels, 1 of them checked by a person"]);
    folder.write("answers.csv.token", "x");
    folder.refuses(&line, 1, &["answers.csv.token"]);
}
