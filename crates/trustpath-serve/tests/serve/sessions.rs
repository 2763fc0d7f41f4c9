//! Answers: kept, taken back, learned from, and never lost.

use std::fs;

use serde_json::{Value, json};
use trustpath::random_order;
use trustpath_table::{AnswerKind, FileLock, read_answers};

use crate::pool::{CLASSES, Running, ServedPool, Wish, open};
use trustpath_serve::SessionPool;

#[test]
fn a_killed_session_loses_nothing_and_an_ended_one_leaves_only_its_labels() {
    let (folder, wish) = (tempfile::tempdir().unwrap(), Wish::default());
    let at = |name: &str| folder.path().join(name);
    let session = Running::doomed(folder.path(), &wish);
    session.label_truly(0..7);
    session.post("answer", &json!({ "rows": [8], "to": "none-of-these" }));
    session.post("answer", &json!({ "rows": [9, 10], "to": "label", "label": "little auk" }));
    session.label(&[11], "gull");
    assert_eq!(session.post("undo", &json!({}))["rows"], json!([11]));
    session.post("answer", &json!({ "rows": [12], "to": "skipped" }));
    let before = session.get("state");
    assert!(session.end().is_none());
    assert!(at("labels.csv.journal").exists() && !at("labels.csv").exists());

    // The last line was being written when it was killed.
    let mut journal = fs::read(at("labels.csv.journal")).unwrap();
    journal.extend(b"{\"set\":[{\"id\":\"shot 013.jpg\",\"to\":\"la");
    fs::write(at("labels.csv.journal"), journal).unwrap();
    let session = Running::start(folder.path(), &wish);
    let after = session.get("state");
    for key in ["counts", "classes", "sizes"] {
        assert_eq!(after[key], before[key], "{key}");
    }
    assert_eq!(after["counts"]["checked"], 9);
    // What was answered before the kill can still be taken back.
    session.post("undo", &json!({}));
    assert_eq!(session.get("state")["counts"]["skipped"], 0);
    session.label(&[13], "gull");
    let ended = session.end().unwrap();
    assert_eq!((ended.written, ended.labelled, ended.checked), (true, 10, 10));
    let mut names: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
    names.retain(|name| name != "labels.csv.progress");
    names.sort();
    assert_eq!(names, ["labels.csv", "pool.csv"], "no journal, lock or temporary file");

    let kinds = read_answers(&at("labels.csv")).unwrap();
    assert_eq!(kinds[7], ("shot 008.jpg".into(), AnswerKind::NoneOfThese));
    let pool = ServedPool::read(folder.path(), &wish);
    let label = |row: usize| pool.pool().labels()[row].map(|c| pool.pool().class_names()[c].clone());
    assert_eq!(label(6).as_deref(), Some("auk"));
    assert_eq!((label(8), label(11), label(12)), (None, None, None));
    assert_eq!(label(10).as_deref(), Some("little auk"));

    // Another session knows what was checked, and writes nothing if nothing is answered.
    let session = Running::start(folder.path(), &wish);
    let state = session.get("state");
    assert_eq!((&state["counts"]["checked"], &state["counts"]["none"]), (&json!(10), &json!(1)));
    assert!(!session.end().unwrap().written);
}

#[test]
fn a_journal_is_read_again_after_a_kill_between_writing_and_removing_it() {
    let (folder, wish) = (tempfile::tempdir().unwrap(), Wish::default());
    let session = Running::doomed(folder.path(), &wish);
    session.label_truly(0..4);
    session.post("undo", &json!({}));
    session.end();
    let journal = fs::read(folder.path().join("labels.csv.journal")).unwrap();
    Running::start(folder.path(), &wish).end();
    let labels = fs::read(folder.path().join("labels.csv")).unwrap();
    fs::write(folder.path().join("labels.csv.journal"), journal).unwrap();
    Running::start(folder.path(), &wish).end();
    assert_eq!(fs::read(folder.path().join("labels.csv")).unwrap(), labels);
}

#[test]
fn two_processes_cannot_work_on_one_file_and_other_data_are_refused() {
    let (folder, wish) = (tempfile::tempdir().unwrap(), Wish::default());
    let session = Running::doomed(folder.path(), &wish);
    session.label_truly(0..2);
    let second = FileLock::acquire(&folder.path().join("labels.csv")).unwrap_err().to_string();
    assert!(second.contains("in use by process"), "{second}");
    session.end();
    // The journal is about instances that are not in these data.
    let other = Wish { id: |i| format!("other {i}"), ..wish };
    let error = open(folder.path(), &other).err().unwrap().to_string();
    assert!(error.contains("\"shot 000.jpg\"") && error.contains("labels.csv.journal"), "{error}");
}

#[test]
fn two_tabs_see_the_same_state() {
    let (_folder, session) = Running::fresh(&Wish::default());
    let first = session.get("state");
    session.label(&[3], "auk");
    let version = first["version"].as_u64().unwrap();
    let second = session.get(&format!("state?version={version}"));
    assert_eq!(second["counts"]["checked"], 1, "the other tab gets the answer");
    let mut now = second["version"].as_u64().unwrap();
    // Work in the background may change the state a few times more.
    loop {
        let next = session.get(&format!("state?version={now}"));
        if next["classes"].is_null() {
            break;
        }
        let version = next["version"].as_u64().unwrap();
        assert!(version > now, "nothing is sent twice");
        now = version;
    }
}

#[test]
fn the_model_follows_the_answers() {
    let (_folder, session) = Running::fresh(&Wish::default());
    let state = session.until(|state| state["stage"].is_null() && state["version"].as_u64() > Some(1));
    assert!(state["model"].is_null() && state["queue"][0]["prediction"].is_null());
    // Without any label, one instance of each group comes first.
    let mut groups: Vec<usize> = rows(&state["queue"])[..3].iter().map(|row| row % 3).collect();
    groups.sort_unstable();
    assert_eq!(groups, [0, 1, 2], "{}", state["queue"]);
    assert!(state["outlook"]["sentence"].as_str().unwrap().contains("two classes"));
    session.label_truly(0..12);
    let state = session.updated();
    let queue = state["queue"].as_array().unwrap();
    assert!(queue.len() >= 20 && queue.iter().all(|item| item["row"].as_u64().unwrap() >= 12));
    let right = queue.iter().filter(|item| item["prediction"]["label"] == item["row"].as_u64().unwrap() % 3);
    assert!(right.count() * 10 > 9 * queue.len(), "{queue:?}");
    assert!(queue[0]["prediction"]["near"].as_array().unwrap().len() == 3);

    // An instance that is none of these is not asked for again, and is none of these in the result.
    session.post("answer", &json!({ "rows": [20], "to": "none-of-these" }));
    let state = session.updated();
    let csv = String::from_utf8(session.get_bytes("export/result.csv").2).unwrap();
    let line = csv.lines().find(|line| line.starts_with("shot 020")).unwrap();
    assert!(line.contains(",none of these,") && line.starts_with("shot 020.jpg,,"), "{line}");
    assert!(state["queue"].as_array().unwrap().iter().all(|item| item["row"] != 20));

    // More labels are another point of the curve.
    session.label_truly(30..45);
    let state = session.updated();
    let points = state["points"].as_array().unwrap();
    assert!(points.len() >= 3 && points.last().unwrap()["labels"] == 28, "{points:?}");
    assert!(points.last().unwrap()["coverage"].as_f64().unwrap() > 0.46);
}

#[test]
fn bulk_selections_and_suspects() {
    let (folder, session) = Running::fresh(&Wish::default());
    session.label_truly(0..12);
    // A wrong label: 13 is a gull.
    session.label(&[13], "tern");
    session.updated();
    let all = session.get("class?class=0&least=0");
    let sure = session.get("class?class=0&least=0.99");
    assert!(all["total"].as_u64().unwrap() >= 10 && sure["total"].as_u64() <= all["total"].as_u64());
    let chance: Vec<f64> = all["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| item["prediction"]["probability"].as_f64().unwrap())
        .collect();
    assert!(chance.is_sorted_by(|a, b| a >= b), "{chance:?}");
    let like = session.get("similar?row=15");
    let first: Vec<u64> =
        like["items"].as_array().unwrap()[..8].iter().map(|item| item["row"].as_u64().unwrap() % 3).collect();
    assert_eq!(first, [0; 8], "15 is an auk, and so are the most similar ones");
    let map = session.get("map");
    assert_eq!(map["rows"].as_array().unwrap().len(), 60);
    assert_eq!(map["answered"].as_array().unwrap().iter().filter(|a| **a == true).count(), 13);

    // Only labels that nobody has checked are suspects: none so far, since all were given here.
    session.post("audit", &json!({}));
    session.until(|state| state["audited"] == true && state["stage"].is_null());
    assert_eq!(session.get("suspects")["left"], 0);
    session.end();
    let labels = folder.path().join("labels.csv");
    let given = fs::read_to_string(&labels).unwrap().replace(",checked", ",given");
    fs::write(&labels, given).unwrap();
    let session = Running::start(folder.path(), &Wish::default());
    session.post("audit", &json!({}));
    session.until(|state| state["audited"] == true && state["stage"].is_null());
    let suspects = session.get("suspects");
    let first = &suspects["items"][0];
    assert_eq!((&suspects["left"], &first["item"]["row"]), (&json!(13), &json!(13)));
    assert_eq!((&first["given"], &first["suggested"]), (&json!(2), &json!(1)));
    assert_eq!(first["examples"][1].as_array().unwrap().len(), 3);
    // Keeping, changing and removing take it off the list.
    session.label(&[13], CLASSES[1]);
    session.post("answer", &json!({ "rows": [0], "to": "open" }));
    assert_eq!(session.get("suspects")["left"], 11);
}

#[test]
fn questions_are_in_turn_useful_and_random() {
    let (folder, wish) = (tempfile::tempdir().unwrap(), Wish::default());
    let session = Running::start(folder.path(), &wish);
    let pick = |row: usize| session.post("answer", &json!({ "rows": [row], "to": "label", "label": CLASSES[row % 3] }));
    (0..6).for_each(|row| drop(pick(row)));
    let mut random: Vec<usize> = random_order(0, 60).into_iter().filter(|row| *row >= 6).collect();
    let mut asked = Vec::new();
    for turn in 0..12 {
        let state = session.updated();
        let item = &state["queue"][0];
        let row = item["row"].as_u64().unwrap() as usize;
        assert_eq!(item["origin"], ["chosen", "random"][turn % 2], "turn {turn}: {state}");
        if turn % 2 == 1 {
            assert_eq!(row, random[0], "the next one of the order");
        }
        let second = &state["queue"][1]["origin"];
        assert_eq!(second, ["random", "chosen"][turn % 2], "no other order in advance");
        random.retain(|&other| other != row);
        let label = CLASSES[row % 3];
        let body = json!({ "rows": [row], "origin": item["origin"], "to": "label", "label": label });
        session.post("answer", &body);
        asked.push((format!("shot {row:03}.jpg"), item["origin"].as_str().unwrap().to_owned()));
        if turn == 5 {
            // What is taken back is asked for again, in the same way.
            session.post("undo", &json!({}));
            assert_eq!(session.get("state")["queue"][0]["row"], row);
            session.post("answer", &body);
        }
    }
    session.end();
    let file = fs::read_to_string(folder.path().join("labels.csv")).unwrap();
    assert!(file.starts_with("id,label,answer,origin\nshot 000.jpg,auk,checked,chosen\n"), "{file}");
    for (id, origin) in asked {
        let line = file.lines().find(|line| line.starts_with(&id)).unwrap();
        assert!(line.ends_with(&format!(",{origin}")), "{line}");
    }
    // Another session keeps them.
    let session = Running::start(folder.path(), &wish);
    session.label(&[0], "gull");
    session.end();
    let again = fs::read_to_string(folder.path().join("labels.csv")).unwrap();
    assert_eq!(again, file.replace("000.jpg,auk", "000.jpg,gull"));
}

/// The rows of a list of instances.
fn rows(items: &Value) -> Vec<usize> {
    items.as_array().unwrap().iter().map(|item| item["row"].as_u64().unwrap() as usize).collect()
}

/// Answers these rows of a check; the first answer disagrees with the prediction.
fn answer_check(session: &Running, rows: &[usize]) {
    for (k, &row) in rows.iter().enumerate() {
        session.label(&[row], CLASSES[(row + usize::from(k == 0)) % 3]);
    }
}

#[test]
fn another_session_goes_on_with_the_curve_and_the_check() {
    let (folder, wish) = (tempfile::tempdir().unwrap(), Wish::default());
    let session = Running::doomed(folder.path(), &wish);
    for labelled in [0..12, 12..18, 18..24] {
        session.label_truly(labelled);
        session.updated();
    }
    session.post("check", &json!({ "size": 10 }));
    let checked = rows(&session.get("state")["queue"]);
    answer_check(&session, &checked[..4]);
    let before = session.updated();
    assert!(before["points"].as_array().unwrap().len() >= 3);
    assert!(session.end().is_none(), "as if it were killed");

    let session = Running::start(folder.path(), &wish);
    let after = session.updated();
    assert_eq!((&after["points"], &after["check"]), (&before["points"], &before["check"]));
    assert_eq!((&after["check"]["answered"], &after["check"]["right"]), (&json!(4), &json!(3)));
    assert_eq!(after["outlook"], before["outlook"]);
    // What is left of the sample is asked for first, and its predictions are still hidden.
    let queue = after["queue"].as_array().unwrap();
    for (item, row) in queue.iter().zip(&checked[4..10]) {
        assert!(item["row"] == *row && item["blind"] == true && item["prediction"].is_null());
    }
    session.end();

    // A labels file that was removed begins a new curve.
    fs::remove_file(folder.path().join("labels.csv")).unwrap();
    let session = Running::start(folder.path(), &wish);
    let anew = session.get("state");
    assert_eq!((&anew["points"], &anew["check"]), (&json!([]), &json!(null)));
}

#[test]
fn a_check_hides_predictions_and_measures_precision() {
    let (_folder, session) = Running::fresh(&Wish::default());
    assert_eq!(session.try_post("check", &json!({})).0, 400, "nothing is trusted yet");
    session.label_truly(0..24);
    let state = session.updated();
    assert!(state["model"]["trusted"].as_u64().unwrap() >= 10, "{}", state["model"]);
    session.post("check", &json!({ "size": 10 }));
    let state = session.get("state");
    let queue = &state["queue"].as_array().unwrap()[..10];
    assert!(queue.iter().all(|item| item["blind"] == true && item["prediction"].is_null()));
    answer_check(&session, &rows(&state["queue"])[..10]);
    let check = &session.get("state")["check"];
    assert_eq!((&check["answered"], &check["right"]), (&json!(10), &json!(9)), "{check}");
    assert!(check["interval"][0].as_f64().unwrap() < 0.9 && check["interval"][1].as_f64().unwrap() > 0.9);
}

#[test]
fn a_check_that_cannot_be_kept_is_not_begun() {
    let (folder, session) = Running::fresh(&Wish::default());
    let file = folder.path().join("labels.csv.progress");
    fs::create_dir(&file).unwrap();
    session.label_truly(0..12);
    session.updated();
    let body = json!({ "size": 3 });
    let (status, answer) = session.try_post("check", &body);
    assert!(status == 500 && answer["error"].as_str().unwrap().contains("labels.csv.progress"));
    assert!(session.get("state")["check"].is_null());
    fs::remove_dir(&file).unwrap();
    session.post("check", &body);
    assert_eq!(session.get("state")["check"]["size"], 3);
}
