//! Instances that are added to a labelled pool.

use super::*;

/// Rows of features near one of three axes, with ids and the labels of every fifth row.
fn rows(range: std::ops::Range<usize>, labels: bool) -> String {
    let mut text = "id,a,b,c,d,label\n".to_owned();
    for row in range {
        let noise = |k: usize| 0.4 + 0.3 * ((row * 7 + k * 13) as f64 * 1.3).sin();
        let mut x = [noise(0), noise(1), noise(2), noise(3)];
        x[row % 3] += 1.4;
        let label = if labels && row % 5 == 0 { ["auk", "gull", "tern"][row % 3] } else { "" };
        text += &format!("r{row},{},{},{},{},{label}\n", x[0], x[1], x[2], x[3]);
    }
    text
}

#[test]
fn adding_instances_gives_what_one_run_gives() {
    let both = rows(0..80, true) + rows(80..100, true).split_once('\n').unwrap().1;
    let folder = folder_with(&[
        ("old.csv", rows(0..80, true).as_bytes()),
        ("new.csv", rows(80..100, true).as_bytes()),
        ("both.csv", both.as_bytes()),
        ("more.csv", b"id,label\nr81,auk\nr2,tern\nr99,wren\n"),
        ("other.csv", b"id,a,b,label\nx,1,2,\n"),
    ]);
    let run = |args: &[&str]| succeeds(&folder, &[args, &["--quiet"]].concat());
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
    run(&["label", "old.csv", "--model", "m.safetensors", "--keep-pool"]);
    let said = run(&[
        "label",
        "--update",
        "m.safetensors",
        "new.csv",
        "--out",
        "updated.csv",
        "--model",
        "m2.safetensors",
        "--keep-pool",
    ]);
    assert!(said.contains("20 instances were added to the 80 of m.safetensors"), "{said}");
    run(&["label", "both.csv", "--out", "scratch.csv", "--model", "s.safetensors", "--keep-pool"]);
    assert_eq!(read("updated.csv"), read("scratch.csv"), "bit for bit");
    let model = |name: &str| fs::read(folder.path().join(name)).unwrap();
    assert_eq!(model("m2.safetensors"), model("s.safetensors"));

    // Labels of old and new instances, also of a class that is new.
    run(&["label", "--update", "m.safetensors", "new.csv", "--labels", "more.csv", "--out", "more-out.csv"]);
    let labelled = read("more-out.csv");
    let of = |id: &str| labelled.lines().find(|l| l.starts_with(&format!("{id},"))).unwrap().to_owned();
    assert!(of("r81").starts_with("r81,auk,1.0,") && of("r99").starts_with("r99,wren,1.0,"), "{}", of("r81"));
    assert!(of("r2").starts_with("r2,tern,1.0,") && of("r5").starts_with("r5,tern,1.0,"));

    // The model still predicts, and what does not fit is refused with a sentence.
    run(&["predict", "m2.safetensors", "new.csv"]);
    run(&["label", "old.csv", "--model", "plain.safetensors"]);
    let refuse = |args: &[&str], parts: &[&str]| refused(&folder, args, 2, parts);
    refuse(&["label", "--update", "plain.safetensors", "new.csv"], &["plain.safetensors", "--keep-pool"]);
    refuse(&["label", "--update", "m.safetensors", "other.csv"], &["other.csv", "2 features, the model 4"]);
    refuse(&["label", "--update", "m.safetensors", "old.csv"], &["\"r0\" twice"]);
    refuse(
        &["label", "--update", "m.safetensors", "new.csv", "--model", "m.safetensors"],
        &["would replace m.safetensors"],
    );
    refuse(&["label", "--update", "new.csv", "new.csv"], &["new.csv"]);
}
