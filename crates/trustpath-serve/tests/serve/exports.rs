//! Every format, read back by another reader where there is one.

use std::fs;

use serde_json::Value;

use crate::pool::{Running, Wish};

/// A session with images whose names and classes are hostile.
fn session(folder: &std::path::Path) -> Running {
    let id = |i: usize| match i {
        0 => "../../a&b<i>.jpg".into(),
        1 => "x/a.jpg".into(),
        4 => "y/a.jpg".into(),
        i => format!("shot {i}"),
    };
    let session = Running::start(folder, &Wish { images: true, id, ..Wish::default() });
    session.label_truly(0..21);
    session.label(&[2, 5, 8], "../<tern> & \"co\"");
    session.post("answer", &serde_json::json!({ "rows": [21], "to": "none-of-these" }));
    session
}

fn file(session: &Running, name: &str) -> Vec<u8> {
    let (status, head, body) = session.get_bytes(&format!("export/{name}"));
    assert_eq!(status, 200, "{}", String::from_utf8_lossy(&body));
    assert!(head.contains(&format!("filename=\"{name}\"")), "{head}");
    body
}

#[test]
fn every_listed_format_can_be_downloaded_and_read() {
    let folder = tempfile::tempdir().unwrap();
    let session = session(folder.path());
    let listed = session.get("state")["exports"].as_array().unwrap().len();
    assert_eq!(listed, 10);
    let json = |name: &str| serde_json::from_slice::<Value>(&file(&session, name)).unwrap();

    let csv = String::from_utf8(file(&session, "result.csv")).unwrap();
    assert!(csv.starts_with("id,label,probability,") && csv.lines().count() == 61, "{csv}");
    let lines = String::from_utf8(file(&session, "result.jsonl")).unwrap();
    let first: Value = serde_json::from_str(lines.lines().next().unwrap()).unwrap();
    assert_eq!((&first["id"], &first["verdict"]), (&"../../a&b<i>.jpg".into(), &"given".into()));
    assert_eq!(file(&session, "result.parquet")[..4], *b"PAR1");
    let verified = String::from_utf8(file(&session, "verified.csv")).unwrap();
    assert_eq!(verified.lines().count(), 22, "21 labels that people gave");
    assert_eq!(file(&session, "labels.csv"), verified.as_bytes());

    let tasks = json("label-studio.json");
    assert_eq!(tasks.as_array().unwrap().len(), 60);
    let choice = &tasks[2]["annotations"][0]["result"][0];
    assert_eq!(choice["value"]["choices"][0], "../<tern> & \"co\"");
    assert_eq!((&choice["type"], &choice["to_name"]), (&"choices".into(), &"image".into()));
    assert_eq!(tasks[21]["annotations"][0]["result"], serde_json::json!([]));
    let predicted = &tasks[30]["predictions"][0];
    assert!(predicted["score"].as_f64().unwrap() <= 1.0 && tasks[30]["annotations"].is_null());

    let coco = json("coco.json");
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

    let fiftyone = json("fiftyone.json");
    let class = fiftyone["labels"]["x/a"].as_u64().unwrap() as usize;
    assert_eq!(fiftyone["classes"][class], "gull");

    let metadata = String::from_utf8(file(&session, "metadata.jsonl")).unwrap();
    let none: Value = serde_json::from_str(metadata.lines().nth(21).unwrap()).unwrap();
    assert_eq!((&none["label"], &none["verdict"]), (&Value::Null, &"none of these".into()));
    session.end();
}

#[test]
fn a_cleaned_folder_stays_inside_itself() {
    let folder = tempfile::tempdir().unwrap();
    let session = session(folder.path());
    let done = session.post("export-folder", &serde_json::json!({}));
    let at = folder.path().join("labels-images");
    assert_eq!(done["folder"], at.display().to_string());
    let mut classes: Vec<_> =
        fs::read_dir(&at).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    classes.sort();
    assert_eq!(classes, ["___tern_ & _co_", "auk", "gull", "tern"].map(String::from), "{classes:?}");
    let gulls: Vec<_> =
        fs::read_dir(at.join("gull")).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    assert!(gulls.contains(&"a.jpg".into()) && gulls.contains(&"a-2.jpg".into()), "{gulls:?}");
    assert!(at.join("auk/a&b_i_.jpg").is_file());
    let (status, again) = session.try_post("export-folder", &serde_json::json!({}));
    assert!(status == 400 && again["error"].as_str().unwrap().contains("exists already"));
    session.end();
    assert_eq!(
        fs::read_dir(folder.path().parent().unwrap())
            .unwrap()
            .filter(|e| e.as_ref().unwrap().file_name() == "a&b<i>.jpg")
            .count(),
        0
    );
}

#[test]
fn a_folder_of_links_leads_to_the_images() {
    let folder = tempfile::tempdir().unwrap();
    let wish = Wish { images: true, files: true, ..Wish::default() };
    let session = Running::start(folder.path(), &wish);
    session.label_truly(0..12);
    session.settled();
    let done = session.post("export-folder", &serde_json::json!({ "links": true }));
    let made = folder.path().join("labels-images");
    let mut count = 0;
    for class in crate::pool::CLASSES {
        for entry in fs::read_dir(made.join(class)).unwrap() {
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
    session.end();
}

#[test]
fn two_exports_at_a_time_do_not_mix() {
    let folder = tempfile::tempdir().unwrap();
    let wish = Wish { images: true, files: true, ..Wish::default() };
    let session = Running::start(folder.path(), &wish);
    session.label_truly(0..12);
    session.settled();
    let originals = || -> Vec<Vec<u8>> {
        let shot = |row| fs::read(folder.path().join(format!("shots/{row}.gif"))).unwrap();
        (0..60).map(shot).collect()
    };
    let before = originals();
    let export = |links: bool| session.try_post("export-folder", &serde_json::json!({ "links": links }));
    let answers = std::thread::scope(|scope| {
        let threads = [true, false, true, false].map(|links| scope.spawn(move || export(links)));
        threads.map(|thread| thread.join().unwrap())
    });
    let done: Vec<_> = answers.iter().filter(|(status, _)| *status == 200).collect();
    assert!(done.len() == 1 && done[0].1["files"].as_u64() >= Some(12), "{answers:?}");
    for (_, answer) in answers.iter().filter(|(status, _)| *status != 200) {
        assert!(answer["error"].as_str().unwrap().contains("exists already"), "{answers:?}");
    }
    assert_eq!(originals(), before);
    session.end();
}

#[test]
fn an_image_that_is_not_there_any_more_is_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let wish = Wish { images: true, files: true, ..Wish::default() };
    let session = Running::start(folder.path(), &wish);
    session.label_truly(0..12);
    fs::remove_file(folder.path().join("shots/4.gif")).unwrap();
    session.post("export-folder", &serde_json::json!({ "links": true }));
    let made = folder.path().join("labels-images").join(crate::pool::CLASSES[1]);
    assert!(made.join("shot 001.jpg").is_file() && !made.join("shot 004.jpg").exists());
    session.end();
}

#[test]
fn data_without_images_offer_no_image_formats() {
    let folder = tempfile::tempdir().unwrap();
    let session = Running::start(folder.path(), &Wish { texts: true, ..Wish::default() });
    assert_eq!(session.get_bytes("export/cvat.xml").0, 404);
    assert_eq!(session.get_bytes("export/result.csv").0, 400, "there is no model yet");
    session.label_truly(0..9);
    let tasks: Value = serde_json::from_slice(&file(&session, "label-studio.json")).unwrap();
    assert_eq!(tasks[1]["data"]["text"], "the gull calls <b>1</b> times");
    assert_eq!(session.try_post("export-folder", &serde_json::json!({})).0, 400);
    session.end();
}
