use serde_json::json;

use super::*;
use crate::testing::{Folder, refused, strings};
use crate::{Column, Format, Output, PartlyLabelledFile, ReadingNote, ResultTable};

fn choice(label: &str) -> Value {
    json!({ "id": "x1", "from_name": "kind", "to_name": "t", "type": "choices", "value": { "choices": [label] } })
}

fn annotation(labels: &[&str]) -> Value {
    let result: Vec<Value> = labels.iter().map(|label| choice(label)).collect();
    json!({ "id": 5, "completed_by": 1, "result": result, "was_cancelled": false, "ground_truth": false, "lead_time": 3.1 })
}

fn task(id: u64, annotations: Vec<Value>) -> Value {
    json!({ "id": id, "data": { "question": format!("what is {id}?"), "lang": "en" }, "annotations": annotations, "meta": {} })
}

fn tasks(tasks: &[Value]) -> Result<Tasks> {
    Tasks::of(Input::memory(Value::from(tasks).to_string().into_bytes(), "t.json"))
}

fn labels(list: &[Value]) -> Result<(Vec<Option<String>>, Vec<ReadingNote>)> {
    tasks(list)?.labels(None)
}

#[test]
fn annotators_vote_and_ground_truth_decides() {
    let cancelled = json!({ "result": [choice("bus")], "was_cancelled": true });
    let mut truth = annotation(&["car"]);
    truth["ground_truth"] = true.into();
    let (votes, notes) = labels(&[
        task(11, vec![annotation(&["bus"])]),
        task(12, vec![annotation(&["bus"]), annotation(&["car"]), annotation(&["car"])]),
        task(13, vec![annotation(&["bus"]), annotation(&["car"])]),
        task(14, vec![annotation(&["bus"]), annotation(&["bus"]), truth]),
        task(15, vec![cancelled]),
        task(16, vec![annotation(&[])]),
        task(17, vec![]),
    ])
    .unwrap();
    let votes: Vec<Option<&str>> = votes.iter().map(Option::as_deref).collect();
    assert_eq!(votes, [Some("bus"), Some("car"), None, Some("car"), None, None, None]);
    assert!(matches!(&notes[..], [ReadingNote::Sentence(text)] if text.starts_with("1 tasks")), "{notes:?}");
}

#[test]
fn what_is_no_single_choice_is_said() {
    refused(labels(&[task(3, vec![annotation(&["a", "b"])])]), &["t.json", "task 3 has 2 choices", "\"a\", \"b\""]);
    let rectangle = json!({ "from_name": "b", "to_name": "i", "type": "rectanglelabels", "value": { "x": 1, "rectanglelabels": ["a"] } });
    let only = json!({ "result": [rectangle] });
    refused(labels(&[task(3, vec![only])]), &["\"rectanglelabels\"", "Choices"]);
    let both = json!({ "result": [rectangle, choice("a")] });
    let (votes, notes) = labels(&[task(3, vec![both])]).unwrap();
    assert_eq!((votes, notes.len()), (vec![Some("a".into())], 1));
    // A choice about a part of an image is none about the image.
    let mut part = choice("b");
    part["value"]["x"] = 3.into();
    assert_eq!(answer_of(&json!({ "result": [part, choice("a")] }), None), TaskAnswer::Label("a".into()));
}

#[test]
fn one_of_several_controls_is_chosen() {
    let mut other = choice("good");
    other["from_name"] = "quality".into();
    let list = [task(1, vec![json!({ "result": [other, choice("bus")] })])];
    refused(labels(&list), &["several controls", "\"kind\", \"quality\"", "label column"]);
    let texts = tasks(&list).unwrap().labels(Some("kind")).unwrap().0;
    assert_eq!(texts, [Some("bus".to_owned())]);
    refused(tasks(&list).unwrap().labels(Some("x")), &["no column \"x\"", "\"kind\""]);
}

#[test]
fn files_that_are_no_exports_are_refused() {
    let read = |text: &str| Tasks::of(Input::memory(text.as_bytes().to_vec(), "t.json"));
    refused(read("{}"), &["t.json", "not a list", "Label Studio"]);
    refused(read("[]"), &["empty list"]);
    refused(read("[{\"image\":\"a.png\",\"choice\":\"x\"}]"), &["without \"data\"", "JSON-MIN"]);
    refused(read("[1]"), &["without \"data\""]);
    refused(read("[{\"data\":{}}"), &["cannot parse t.json"]);
    let deep = format!("[{{\"data\":{}", "[".repeat(100_000));
    refused(read(&deep), &["cannot parse t.json"]);
}

#[test]
fn content_is_what_the_data_show() {
    let content = |data: Value| tasks(&[json!({ "data": data })]).unwrap().content();
    assert_eq!(content(json!({ "url": "/data/upload/1/a.jpg", "text": "x" })), TaskContent::Images("url".into()));
    assert_eq!(content(json!({ "text": "x", "lang": "en" })), TaskContent::Texts("text".into()));
    assert_eq!(content(json!({ "id": "7", "body": "x", "n": 3 })), TaskContent::Texts("body".into()));
    let unclear = content(json!({ "title": "x", "body": "y" }));
    assert_eq!(unclear, TaskContent::Unclear(vec!["body".into(), "title".into()]));
}

#[test]
fn texts_and_labels_are_read_and_predictions_are_written() {
    let folder = Folder::new();
    let kinds = ["bus", "car", "bus", "car"].map(|kind| vec![annotation(&[kind])]).into_iter();
    let annotations = kinds.chain([vec![], vec![]]);
    let export: Vec<Value> = (40..).zip(annotations).map(|(id, annotations)| task(id, annotations)).collect();
    let path = folder.file("tasks.json", Value::from(export).to_string());
    assert_eq!(task_content(&path), Some(TaskContent::Unclear(vec!["lang".into(), "question".into()])));
    let pool = PartlyLabelledFile::new(&path).text("question").read().unwrap();
    assert_eq!(pool.ids(), ["40", "41", "42", "43", "44", "45"]);
    assert_eq!(pool.labels(), [Some(0), Some(1), Some(0), Some(1), None, None]);
    assert_eq!(pool.carried().len(), 2);
    refused(PartlyLabelledFile::new(&path).text("title").read(), &["no column \"title\"", "\"question\""]);
    refused(PartlyLabelledFile::new(&path).read(), &["tasks of Label Studio", "text column"]);

    let mut table = ResultTable::default();
    let of = |value: fn(usize) -> &'static str| Column::Text((0..6).map(|at| value(at).into()).collect());
    table.push("id", Column::Text(pool.ids().to_vec())).unwrap();
    table.push("label", of(|at| ["bus", "car"][at % 2])).unwrap();
    table.push("probability", Column::Number(vec![1.0, 1.0, 1.0, 1.0, 0.87654, f64::NAN])).unwrap();
    table.push("verdict", of(|at| ["given", "trusted"][usize::from(at > 3)])).unwrap();
    table.set_tasks(pool.tasks().cloned());
    let out = folder.path("predictions.json");
    table.write(&Output::new(&out)).unwrap();
    let written: Vec<Value> = serde_json::from_slice(&std::fs::read(&out).unwrap()).unwrap();
    assert_eq!(written.len(), 6);
    assert_eq!(written[0]["annotations"][0]["result"], json!([choice("bus")]));
    assert!(written[0]["annotations"][0].get("completed_by").is_none(), "users belong to a project");
    assert!(written[0].get("predictions").is_none());
    let [prediction] = &written[4]["predictions"].as_array().unwrap()[..] else { panic!() };
    assert_eq!((&prediction["score"], &prediction["model_version"]), (&json!(0.8765), &json!(MODEL_VERSION)));
    let result = &prediction["result"][0];
    assert_eq!((&result["from_name"], &result["to_name"]), (&json!("kind"), &json!("t")));
    assert_eq!(written[4]["data"], json!({ "question": "what is 44?", "lang": "en", "verdict": "trusted" }));
    assert_eq!((&written[4]["id"], &written[5]["predictions"][0]["score"]), (&json!(44), &json!(0.0)));
    // What was written is read again, with the same labels.
    let again = PartlyLabelledFile::new(&out).text("question").read().unwrap();
    assert_eq!(again.labels(), pool.labels());
}

#[test]
fn tasks_are_labels_for_features() {
    let folder = Folder::new();
    // Ids of tasks are numbers, which must not be taken for rows.
    let export: Vec<Value> = (0..6).map(|n| task(1 + n, vec![annotation(&[["a", "b"][n as usize % 2]])])).collect();
    let tasks = folder.file("tasks.json", Value::from(export).to_string());
    let read = |features: &str| PartlyLabelledFile::new(folder.file("x.csv", features)).labels(&tasks).read();
    let pool = read("p,q\n1,2\n2,1\n1,3\n3,1\n1,4\n4,1\n").unwrap();
    assert_eq!(pool.labels()[0..3], [Some(0), Some(1), Some(0)]);
    assert_eq!((pool.ids()[0].as_str(), pool.tasks().unwrap().ids().len()), ("1", 6));
    refused(read("id,p,q\n6,1,2\n5,2,1\n"), &["tasks.json has a label for \"1\""]);
    let pool = read("id,p,q\n6,1,2\n5,2,1\n4,1,1\n3,1,1\n2,1,1\n1,1,1\n").unwrap();
    assert_eq!(pool.labels()[0..2], [Some(1), Some(0)]);
}

#[test]
fn tables_without_tasks_become_tasks() {
    let folder = Folder::new();
    let mut table = ResultTable::default();
    table.push("id", Column::Text(strings(&["a.jpg", "b.jpg"]))).unwrap();
    table.push("label", Column::OptionalText(vec![Some("auk".into()), None])).unwrap();
    table.push("verdict", Column::Text(strings(&["doubtful", "none of these"]))).unwrap();
    let out = folder.path("out");
    table.write(&Output::new(&out).as_format(Format::Json)).unwrap();
    let written: Value = serde_json::from_slice(&std::fs::read(&out).unwrap()).unwrap();
    assert_eq!(written[0]["data"]["image"], "a.jpg");
    assert_eq!(written[0]["predictions"][0]["result"][0]["to_name"], "image");
    assert_eq!(written[1], json!({ "data": { "image": "b.jpg", "id": "b.jpg", "verdict": "none of these" } }));
}
