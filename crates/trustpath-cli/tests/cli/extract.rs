//! `trustpath extract`.

use std::path::{Path, PathBuf};

use tempfile::TempDir;
use trustpath_vision::image::RgbImage;
use trustpath_vision::network::Network;
use trustpath_vision::weights::{FloatPrecision, NetworkWeights, Parameter};

use crate::{stdout, text};

/// A folder with images of two classes and weights of ResNet-12.
struct Birds {
    folder: TempDir,
}

impl Birds {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (class, red) in [("auk", 20), ("gull", 220)] {
            std::fs::create_dir_all(folder.path().join("birds").join(class)).unwrap();
            for i in 0..3u8 {
                let rgb = [red, 40 * i, 90].repeat(5 * 7);
                let image = RgbImage { width: 5, height: 7, rgb };
                let name = folder.path().join(format!("birds/{class}/{i}.png"));
                std::fs::write(name, image.png().unwrap()).unwrap();
            }
        }
        let birds = Self { folder };
        let network = Network::by_name("resnet12").unwrap();
        let made = |(i, (key, shape)): (usize, (String, Vec<usize>))| {
            let count: usize = shape.iter().product();
            let scale = (6.0 * shape[0] as f32 / count as f32).sqrt();
            let value = |j: usize| match shape.len() {
                1 => 1.0,
                _ => scale * (((i * 31 + j * 7919) % 997) as f32 / 498.5 - 1.0),
            };
            let values = (0..count).map(value).collect();
            (format!("module.{key}"), Parameter { shape, values })
        };
        let parameters = network.parameters().into_iter().enumerate().map(made).collect();
        let weights = NetworkWeights::new("made up", parameters);
        weights.write_safetensors(birds.path("w.safetensors"), FloatPrecision::F16).unwrap();
        birds
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn text(&self, name: &str) -> String {
        text(&self.path(name))
    }

    fn args(&self, out: &str) -> Vec<String> {
        let (weights, images) = (self.text("w.safetensors"), self.text("birds"));
        let out = self.text(out);
        ["extract", "--weights", &weights, "--images", &images, "--out", &out].map(String::from).to_vec()
    }

    fn run(&self, out: &str, more: &[&str]) -> String {
        let args = self.args(out);
        let args: Vec<&str> = args.iter().map(String::as_str).chain(more.iter().copied()).collect();
        stdout(&args)
    }
}

#[track_caller]
fn refused(args: &[&str], sentence: &str) {
    super::data::refused(args, 2, &[sentence]);
}

fn same(a: &Path, b: &Path) -> bool {
    std::fs::read(a).unwrap() == std::fs::read(b).unwrap()
}

#[test]
fn extracted_features_are_read_by_check() {
    let birds = Birds::new();
    let said = birds.run("a.safetensors", &[]);
    assert!(said.contains("6 images of 2 classes, 512 features each"), "{said}");
    for out in ["a.safetensors", "a.npy"] {
        birds.run(out, &["--threads", "1"]);
        let checked = stdout(&["check", &birds.text(out)]);
        assert!(checked.contains("6 instances, 512 features each"), "{checked}");
        assert!(checked.contains("ids auk/0.png … gull/2.png"), "{checked}");
        assert!(checked.contains("6 labelled, 0 unlabelled; 2 classes"), "{checked}");
    }
    birds.run("b.npy", &["--threads", "3"]);
    assert!(same(&birds.path("a.npy"), &birds.path("b.npy")), "whatever the threads");
    birds.run("c.npy", &["--dtype", "f32"]);
    let length = |name: &str| std::fs::metadata(birds.path(name)).unwrap().len() - 128;
    assert_eq!(2 * length("b.npy"), length("c.npy"));
}

#[test]
fn bad_images_end_it_or_are_listed() {
    let birds = Birds::new();
    std::fs::write(birds.path("birds/auk/1.png"), "no image").unwrap();
    let args = birds.args("a.npy");
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    refused(&args, "auk/1.png cannot be read as an image");
    let said = birds.run("a.npy", &["--skip-bad"]);
    assert!(said.contains("5 images of 2 classes"), "{said}");
    assert!(said.contains("skipped 1 image:\n  "), "{said}");
}

/// Two processes on one place once wrote over each other, and one asked to free disk space.
#[test]
fn a_second_extraction_to_one_place_is_refused() {
    let birds = Birds::new();
    let lock = trustpath_table::FileLock::acquire(&birds.path("a.npy")).unwrap();
    let args = birds.args("a.npy");
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let process = format!("process {}", std::process::id());
    super::data::refused(&args, 1, &["a.npy is in use by", &process]);
    drop(lock);
    birds.run("a.npy", &[]);
}

#[test]
fn usage_that_cannot_be_right_is_refused() {
    let birds = Birds::new();
    super::data::refused(
        &["extract", "--images", &birds.text("a-labels.csv"), "--out", &birds.text("a.npy")],
        2,
        &["--out would replace", "a-labels.csv"],
    );
    let (weights, images, out) = (birds.text("w.safetensors"), birds.text("birds"), "o.npy");
    let with = |more: &[&str], sentence: &str| {
        refused(&[&["extract", "--images", &images, "--out", out], more].concat(), sentence);
    };
    with(&["--backbone", "wrn28-10"], "wrn28-10 needs weights: give them with --weights");
    with(&["--backbone", "vgg", "--weights", &weights], "there is no backbone named vgg");
    with(&["--backbone", "wrn28-10", "--weights", &weights], "they are of resnet12, so choose that backbone");
    with(&["--weights", "none.safetensors"], "none.safetensors holds no weights that can be read");
    with(&["--mean", "0,0,0"], "are for --weights and for models in ONNX");
    with(&["--weights", &weights, "--output", "x"], "--output for the latter");
    with(&["--weights", &weights, "--std", "0,1,1"], "its std cannot be [0.0, 1.0, 1.0]");
    with(&["--backbone", "siglip"], "siglip needs weights: give them with --weights");
    with(&["--backbone", "siglip", "--weights", &weights], "holds no weights of siglip: it has 80 parameters such as");
    with(&["--weights", &weights, "--mean", "0,0"], "give three numbers such as");
    with(&["--backbone", "m.onnx", "--weights", &weights], "leave out --weights");
    with(&["--backbone", "m.onnx"], "m.onnx cannot be used: ");
    with(&["--weights", &weights, "--split", "test"], "the split test of");
    let missing = ["extract", "--weights", &weights, "--images", "none", "--out", out];
    refused(&missing, "none");
    let csv = ["extract", "--weights", &weights, "--images", &images, "--out", "o.csv"];
    refused(&csv, "give a name that ends in .safetensors or .npy");
}
