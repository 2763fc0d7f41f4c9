//! `trustpath data`, on the small datasets of the vision crate's tests.

use super::*;

fn vision(name: &str) -> String {
    of_crate(&format!("trustpath-vision/tests/data/{name}"))
}

#[test]
fn a_check_counts_and_draws() {
    let folder = CommandFolder::new();
    let said = folder.prints(&format!("data check {} --dataset csv --sheet sheet.png", vision("datasets/mini-csv")));
    let lines = ["read as csv: 12 images of 6 classes, each 12 × 12 pixels", "n01930112  test        2          –"];
    contains(&said, &lines);
    assert!(said.ends_with("sheet.png: 6 rows of images\n"), "{said}");
    assert_eq!(folder.bytes("sheet.png")[1..4], *b"PNG");
}

#[test]
fn a_check_says_what_is_missing_and_where_to_get_it() {
    let line = format!("data check {} --all", vision("datasets/mini-cache"));
    let wrong = ["mini-cache has to be repaired", "its split train is not what was published"];
    let said = fails(&mut trustpath(&line), 2, &wrong);
    let lines = [
        "read as mini-imagenet: 24 images of 6 classes, each 12 × 12 pixels",
        "train  2 of 64       8      38400  differs",
        "n01532829  train       4        600",
        "train lacks 62 classes: n01704323, ",
        "few-shot-ssl-public",
    ];
    contains(&said, &lines);
}

#[test]
fn images_that_cannot_be_read_are_listed_and_left_out() {
    let folder = CommandFolder::with([("data/cat/2.png", "no image")]);
    fs::copy(vision("images/whole.png"), folder.path("data/cat/1.png")).unwrap();
    let said = fails(&mut folder.command("data check data"), 2, &["1 image cannot be read"]);
    contains(&said, &["cat/2.png cannot be read as an image: its contents are not those of a PNG"]);
    folder.refuses("data pack data --out pack", 2, &["cat/2.png", "--skip-bad"]);
    let said = folder.prints("data pack data --out pack --skip-bad --size 16");
    assert!(said.starts_with("1 image of data in") && said.contains("skipped 1 image:"), "{said}");
    contains(&folder.prints("data check pack"), &["1 image of 1 class, each 16 × 16 pixels"]);
    // A shard that was cut off on its way.
    let mut files = fs::read_dir(folder.path("pack")).unwrap().map(|file| file.unwrap().path());
    let shard = files.find(|path| path.extension().is_some_and(|e| e == "shard")).unwrap();
    let bytes = fs::read(&shard).unwrap();
    fs::write(&shard, &bytes[..bytes.len() / 2]).unwrap();
    folder.refuses("data check pack", 2, &["cut off or of another pack"]);
}

#[test]
fn what_cannot_be_right_is_refused() {
    let folder = CommandFolder::with([("file", "")]);
    fs::create_dir(folder.path("empty")).unwrap();
    let good = vision("archives/good.zip");
    folder.refuses("data check empty", 2, &["holds no images"]);
    folder.refuses("data check nowhere", 2, &["no such file or folder"]);
    folder.refuses("data check file", 2, &["not those of a folder, zip, tar"]);
    folder.refuses(&format!("data check {}", vision("archives/climbs.zip")), 2, &["leads out of the archive"]);
    for (command, options, code, expected) in [
        ("check", "--dataset imagenet", 2, "cifar-fs"),
        ("check", "--dataset cub", 2, "CUB_200_2011.tgz"),
        ("check", "--sheet no/such/sheet.png", 1, "sheet.png"),
        ("pack", "--out file", 1, "cannot be written"),
        ("pack", "--out empty --size 100000", 2, "1 to 4096"),
        ("pack", "--out empty --quality 0", 2, "1 to 100"),
        ("pack", "--out empty --split val", 2, "not divided"),
    ] {
        fails(&mut folder.command(&format!("data {command} {good} {options}")), code, &[expected]);
    }
}
