//! `trustpath extract`.

use super::images::{photos, resnet12};
use super::*;

/// A folder with images of three classes, and weights of ResNet-12 in a file.
fn folder() -> CommandFolder {
    let folder = photos(2, 0);
    folder.write("w.safetensors", resnet12());
    folder
}

const EXTRACT: &str = "extract --weights w.safetensors --images photos";

#[test]
fn extracted_features_are_read_by_check() {
    let folder = folder();
    for (out, options) in [("a.safetensors", ""), ("a.npy", "--threads 1"), ("b.npy", "--threads 3")] {
        let said = folder.prints(&format!("{EXTRACT} --out {out} {options}"));
        contains(&said, &["6 images of 3 classes, 512 features each"]);
        let said = folder.prints(&format!("check {out}"));
        contains(&said, &["6 instances, 512 features each", "ids auk/0.png … wren/1.png"]);
        contains(&said, &["6 labelled, 0 unlabelled; 3 classes"]);
    }
    assert!(folder.bytes("a.npy") == folder.bytes("b.npy"), "whatever the threads");
    folder.prints(&format!("{EXTRACT} --out c.npy --dtype f32"));
    let length = |name: &str| folder.bytes(name).len() - 128;
    assert_eq!(2 * length("b.npy"), length("c.npy"));
}

#[test]
fn bad_images_end_it_or_are_listed() {
    let folder = folder();
    folder.write("photos/auk/1.png", "no image");
    folder.refuses(&format!("{EXTRACT} --out a.npy"), 2, &["auk/1.png cannot be read as an image"]);
    let said = folder.prints(&format!("{EXTRACT} --out a.npy --skip-bad"));
    contains(&said, &["5 images of 3 classes", "skipped 1 image:\n  "]);
}

/// Two processes on one place once wrote over each other, and one asked to free disk space.
#[test]
fn a_second_extraction_to_one_place_is_refused() {
    let folder = folder();
    let lock = trustpath_table::FileLock::acquire(&folder.path("a.npy")).unwrap();
    let process = format!("process {}", std::process::id());
    folder.refuses(&format!("{EXTRACT} --out a.npy"), 1, &["a.npy is in use by", &process]);
    drop(lock);
    folder.prints(&format!("{EXTRACT} --out a.npy"));
}

#[test]
fn usage_that_cannot_be_right_is_refused() {
    let folder = folder();
    folder.refuses("extract --images a-labels.csv --out a.npy", 2, &["--out would replace", "a-labels.csv"]);
    let with = "--weights w.safetensors";
    for (options, sentence) in [
        ("--backbone wrn28-10".to_owned(), "wrn28-10 needs weights: give them with --weights"),
        (format!("--backbone vgg {with}"), "there is no backbone named vgg"),
        (format!("--backbone wrn28-10 {with}"), "they are of resnet12, so choose that backbone"),
        ("--weights none.safetensors".into(), "none.safetensors holds no weights that can be read"),
        ("--mean 0,0,0".into(), "are for --weights and for models in ONNX"),
        (format!("{with} --output x"), "--output for the latter"),
        (format!("{with} --std 0,1,1"), "its std cannot be [0.0, 1.0, 1.0]"),
        ("--backbone siglip".into(), "siglip needs weights: give them with --weights"),
        (format!("--backbone siglip {with}"), "holds no weights of siglip: it has 80 parameters such as"),
        (format!("{with} --mean 0,0"), "give three numbers such as"),
        (format!("--backbone m.onnx {with}"), "leave out --weights"),
        ("--backbone m.onnx".into(), "m.onnx cannot be used: "),
        (format!("{with} --split test"), "the split test of"),
    ] {
        folder.refuses(&format!("extract --images photos --out o.npy {options}"), 2, &[sentence]);
    }
    folder.refuses(&format!("extract {with} --images none --out o.npy"), 2, &["none"]);
    folder.refuses(&format!("{EXTRACT} --out o.csv"), 2, &["give a name that ends in .safetensors or .npy"]);
}
