//! `trustpath data`, on the small datasets of the vision crate's tests.

use super::*;
use std::fs;

fn vision(name: &str) -> String {
    path(&["..", "trustpath-vision", "tests", "data", name])
}

#[track_caller]
pub fn refused(args: &[&str], code: i32, expected: &[&str]) -> String {
    let output = trustpath().args(args).assert().code(code).get_output().clone();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.starts_with("error: ") && said.lines().count() == 1, "not one line: {said}");
    for part in expected {
        assert!(said.contains(part), "\"{part}\" is missing: {said}");
    }
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn a_check_counts_and_draws() {
    let folder = tempfile::tempdir().unwrap();
    let sheet = text(&folder.path().join("sheet.png"));
    let csv = vision("datasets/mini-csv");
    let said = stdout(&["data", "check", &csv, "--dataset", "csv", "--sheet", &sheet]);
    assert!(said.contains("read as csv: 12 images of 6 classes, each 12 × 12 pixels"), "{said}");
    assert!(said.contains("n01930112  test        2          –"), "{said}");
    assert!(said.ends_with("sheet.png: 6 rows of images\n"), "{said}");
    assert_eq!(fs::read(&sheet).unwrap()[1..4], *b"PNG");
}

#[test]
fn a_check_says_what_is_missing_and_where_to_get_it() {
    let said = refused(
        &["data", "check", &vision("datasets/mini-cache"), "--all"],
        2,
        &["mini-cache has to be repaired", "its split train is not what was published"],
    );
    for part in [
        "read as mini-imagenet: 24 images of 6 classes, each 12 × 12 pixels",
        "train  2 of 64       8      38400  differs",
        "n01532829  train       4        600",
        "train lacks 62 classes: n01704323, ",
        "few-shot-ssl-public",
    ] {
        assert!(said.contains(part), "\"{part}\" is missing: {said}");
    }
}

#[test]
fn images_that_cannot_be_read_are_listed_and_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let (data, pack) = (folder.path().join("data"), text(&folder.path().join("pack")));
    fs::create_dir_all(data.join("cat")).unwrap();
    fs::copy(vision("images/whole.png"), data.join("cat/1.png")).unwrap();
    fs::write(data.join("cat/2.png"), b"no image").unwrap();
    let data = text(&data);
    let said = refused(&["data", "check", &data], 2, &["1 image cannot be read"]);
    assert!(said.contains("cat/2.png cannot be read as an image: its contents are not those of a PNG"), "{said}");
    refused(&["data", "pack", &data, "--out", &pack], 2, &["cat/2.png", "--skip-bad"]);
    let said = stdout(&["data", "pack", &data, "--out", &pack, "--skip-bad", "--size", "16"]);
    assert!(said.starts_with("1 image of data in") && said.contains("skipped 1 image:"), "{said}");
    let said = stdout(&["data", "check", &pack]);
    assert!(said.contains("1 image of 1 class, each 16 × 16 pixels"), "{said}");
    // A shard that was cut off on its way.
    let shard = fs::read_dir(&pack).unwrap().map(|file| file.unwrap().path());
    let shard = shard.into_iter().find(|path| path.extension().is_some_and(|e| e == "shard")).unwrap();
    let bytes = fs::read(&shard).unwrap();
    fs::write(&shard, &bytes[..bytes.len() / 2]).unwrap();
    refused(&["data", "check", &pack], 2, &["cut off or of another pack"]);
}

#[test]
fn what_cannot_be_right_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (here, file) = (text(folder.path()), text(&folder.path().join("file")));
    fs::write(&file, b"").unwrap();
    let good = vision("archives/good.zip");
    refused(&["data", "check", &here], 2, &["holds no images"]);
    refused(&["data", "check", "nowhere"], 2, &["no such file or folder"]);
    refused(&["data", "check", &file], 2, &["not those of a folder, zip, tar"]);
    refused(&["data", "check", &good, "--dataset", "imagenet"], 2, &["cifar-fs"]);
    refused(&["data", "check", &good, "--dataset", "cub"], 2, &["CUB_200_2011.tgz"]);
    refused(&["data", "check", &vision("archives/climbs.zip")], 2, &["leads out of the archive"]);
    refused(&["data", "pack", &good, "--out", &file], 1, &["cannot be written"]);
    refused(&["data", "pack", &good, "--out", &here, "--size", "100000"], 2, &["1 to 4096"]);
    refused(&["data", "pack", &good, "--out", &here, "--quality", "0"], 2, &["1 to 100"]);
    refused(&["data", "pack", &good, "--out", &here, "--split", "val"], 2, &["not divided"]);
    let sheet = text(&folder.path().join("no/such/sheet.png"));
    refused(&["data", "check", &good, "--sheet", &sheet], 1, &["sheet.png"]);
}
