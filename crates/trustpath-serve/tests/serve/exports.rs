//! Every format, read back by another reader where there is one.

use std::fs::{self, DirEntry};
use std::io;
use std::path::Path;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::pool::{CLASSES, Running, Wish};

/// A session with images whose names and classes are hostile.
fn hostile() -> (TempDir, Running) {
    let id = |i: usize| match i {
        0 => "../../a&b<i>.jpg".into(),
        1 => "x/a.jpg".into(),
        4 => "y/a.jpg".into(),
        i => format!("shot {i}"),
    };
    let (folder, session) = Running::fresh(&Wish { images: true, id, ..Wish::default() });
    session.label_truly(0..21);
    session.label(&[2, 5, 8], "../<tern> & \"co\"");
    session.post("answer", &json!({ "rows": [21], "to": "none-of-these" }));
    (folder, session)
}

/// A session with a model whose images are files.
fn of_files() -> (TempDir, Running) {
    let (folder, session) = Running::fresh(&Wish { images: true, files: true, ..Wish::default() });
    session.label_truly(0..12);
    session.updated();
    (folder, session)
}

/// The names of the files in a folder, sorted.
fn names(folder: &Path) -> Vec<String> {
    let name = |entry: io::Result<DirEntry>| entry.unwrap().file_name().into_string().unwrap();
    let mut names: Vec<String> = fs::read_dir(folder).unwrap().map(name).collect();
    names.sort();
    names
}

fn file(session: &Running, name: &str) -> Vec<u8> {
    let (status, head, body) = session.get_bytes(&format!("export/{name}"));
    assert_eq!(status, 200, "{}", String::from_utf8_lossy(&body));
    assert!(head.contains(&format!("filename=\"{name}\"")), "{head}");
    body
}

#[test]
fn every_listed_format_can_be_downloaded_and_read() {
    let (_folder, session) = hostile();
    assert_eq!(session.get("state")["exports"].as_array().unwrap().len(), 10);
    let read = |name: &str| serde_json::from_slice::<Value>(&file(&session, name)).unwrap();

    let csv = String::from_utf8(file(&session, "result.csv")).unwrap();
    assert!(csv.starts_with("id,label,probability,") && csv.lines().count() == 61, "{csv}");
    let lines = String::from_utf8(file(&session, "result.jsonl")).unwrap();
    let first: Value = serde_json::from_str(lines.lines().next().unwrap()).unwrap();
    assert_eq!((&first["id"], &first["verdict"]), (&"../../a&b<i>.jpg".into(), &"given".into()));
    assert_eq!(file(&session, "result.parquet")[..4], *b"PAR1");
    let verified = String::from_utf8(file(&session, "verified.csv")).unwrap();
    assert_eq!(verified.lines().count(), 22, "21 labels that people gave");
    assert_eq!(file(&session, "labels.csv"), verified.as_bytes());

    let tasks = read("label-studio.json");
    assert_eq!(tasks.as_array().unwrap().len(), 60);
    let choice = &tasks[2]["annotations"][0]["result"][0];
    assert_eq!(choice["value"]["choices"][0], "../<tern> & \"co\"");
    assert_eq!((&choice["type"], &choice["to_name"]), (&"choices".into(), &"image".into()));
    assert_eq!(tasks[21]["annotations"][0]["result"], json!([]));
    let predicted = &tasks[30]["predictions"][0];
    assert!(predicted["score"].as_f64().unwrap() <= 1.0 && tasks[30]["annotations"].is_null());

    let coco = read("coco.json");
    let (images, notes) = (coco["images"].as_array().unwrap(), coco["annotations"].as_array().unwrap());
    assert!(images.len() >= 21 && images.len() == notes.len());
    let category = notes[2]["category_id"].as_u64().unwrap() as usize;
    assert_eq!(coco["categories"][category - 1]["name"], "../<tern> & \"co\"");
    assert_eq!((&images[0]["width"], &images[0]["file_name"]), (&1.into(), &"../../a&b<i>.jpg".into()));

    let cvat = String::from_utf8(file(&session, "cvat.xml")).unwrap();
    let xml = roxmltree::Document::parse(&cvat).unwrap();
    let tagged: Vec<_> = xml.descendants().filter(|node| node.has_tag_name("image")).collect();
    assert_eq!(tagged.len(), images.len());
    assert_eq!(tagged[0].attribute("name"), Some("../../a&b<i>.jpg"));
    let tag = tagged[2].children().find(|node| node.has_tag_name("tag")).unwrap();
    assert_eq!(tag.attribute("label"), Some("../<tern> & \"co\""));
    assert_eq!(tag.attribute("source"), Some("manual"));

    let fiftyone = read("fiftyone.json");
    let class = fiftyone["labels"]["x/a"].as_u64().unwrap() as usize;
    assert_eq!(fiftyone["classes"][class], "gull");

    let metadata = String::from_utf8(file(&session, "metadata.jsonl")).unwrap();
    let none: Value = serde_json::from_str(metadata.lines().nth(21).unwrap()).unwrap();
    assert_eq!((&none["label"], &none["verdict"]), (&Value::Null, &"none of these".into()));
}

#[test]
fn a_cleaned_folder_stays_inside_itself() {
    let (folder, session) = hostile();
    let done = session.post("export-folder", &json!({}));
    let at = folder.path().join("labels-images");
    assert_eq!(done["folder"], at.display().to_string());
    assert_eq!(names(&at), ["___tern_ & _co_", "auk", "gull", "tern"]);
    let gulls = names(&at.join("gull"));
    assert!(gulls.contains(&"a.jpg".into()) && gulls.contains(&"a-2.jpg".into()), "{gulls:?}");
    assert!(at.join("auk/a&b_i_.jpg").is_file());
    let (status, again) = session.try_post("export-folder", &json!({}));
    assert!(status == 400 && again["error"].as_str().unwrap().contains("exists already"));
    assert!(!names(folder.path().parent().unwrap()).contains(&"a&b<i>.jpg".into()));
}

#[test]
fn a_folder_of_links_leads_to_the_images() {
    let (folder, session) = of_files();
    let done = session.post("export-folder", &json!({ "links": true }));
    let mut count = 0;
    for class in CLASSES {
        for entry in fs::read_dir(folder.path().join("labels-images").join(class)).unwrap() {
            let path = entry.unwrap().path();
            let row = path.file_stem().unwrap().to_string_lossy()[5..8].parse::<usize>().unwrap();
            let original = folder.path().join(format!("shots/{row}.gif"));
            assert_eq!(fs::read(&path).unwrap(), fs::read(&original).unwrap());
            #[cfg(unix)]
            assert_eq!(fs::read_link(&path).unwrap(), fs::canonicalize(&original).unwrap());
            count += 1;
        }
    }
    assert!(done["files"] == count && count >= 12, "{done}");
}

#[test]
fn two_exports_at_a_time_do_not_mix() {
    let (folder, session) = of_files();
    let originals = || -> Vec<Vec<u8>> {
        let shot = |row| fs::read(folder.path().join(format!("shots/{row}.gif"))).unwrap();
        (0..60).map(shot).collect()
    };
    let before = originals();
    let export = |links: bool| session.try_post("export-folder", &json!({ "links": links }));
    let answers = std::thread::scope(|scope| {
        let threads = [true, false, true, false].map(|links| scope.spawn(move || export(links)));
        threads.map(|thread| thread.join().unwrap())
    });
    let (done, refused): (Vec<_>, Vec<_>) = answers.iter().partition(|(status, _)| *status == 200);
    assert!(done.len() == 1 && done[0].1["files"].as_u64() >= Some(12), "{answers:?}");
    let sentence = |answer: &Value| answer["error"].as_str().unwrap().contains("exists already");
    assert!(refused.iter().all(|(_, answer)| sentence(answer)), "{answers:?}");
    assert_eq!(originals(), before);
}

#[test]
fn an_image_that_is_not_there_any_more_is_left_out() {
    let (folder, session) = of_files();
    fs::remove_file(folder.path().join("shots/4.gif")).unwrap();
    session.post("export-folder", &json!({ "links": true }));
    let made = folder.path().join("labels-images").join(CLASSES[1]);
    assert!(made.join("shot 001.jpg").is_file() && !made.join("shot 004.jpg").exists());
}

#[test]
fn data_without_images_offer_no_image_formats() {
    let (_folder, session) = Running::fresh(&Wish { texts: true, ..Wish::default() });
    assert_eq!(session.get_bytes("export/cvat.xml").0, 404);
    assert_eq!(session.get_bytes("export/result.csv").0, 400, "there is no model yet");
    session.label_truly(0..9);
    let tasks: Value = serde_json::from_slice(&file(&session, "label-studio.json")).unwrap();
    assert_eq!(tasks[1]["data"]["text"], "the gull calls <b>1</b> times");
    assert_eq!(session.try_post("export-folder", &json!({})).0, 400);
}
