//! The readers, each with valid files to begin with.

use std::fs;
use std::path::{Path, PathBuf};

use trustpath::Features;
use trustpath_bench::{EpisodeList, Finished, Journal};
use trustpath_explain::SavedModel;
use trustpath_table::{Format, PartlyLabelledFile, PartlyLabelledTable, TableFile};
use trustpath_vision::dataset::Dataset;
use trustpath_vision::image::RgbImage;
use trustpath_vision::torch::read_matrix;
use trustpath_vision::weights::NetworkWeights;

/// Reads a file, and returns the error message if it is refused.
type Read = fn(&Path) -> Result<(), String>;

/// A reader.
pub struct Target {
    pub name: String,
    /// The name of the file, in a folder that holds copies of `others`.
    pub file: String,
    pub seeds: Vec<Vec<u8>>,
    pub others: Vec<(String, Vec<u8>)>,
    pub read: Read,
}

impl Target {
    fn new(name: impl Into<String>, file: impl Into<String>, seeds: Vec<Vec<u8>>, read: Read) -> Self {
        let (name, file) = (name.into(), file.into());
        assert!(!seeds.is_empty(), "{name} has nothing to begin with");
        Self { name, file, seeds, others: Vec::new(), read }
    }

    fn beside(mut self, others: Vec<(String, Vec<u8>)>) -> Self {
        self.others = others;
        self
    }
}

/// All readers.
pub fn all() -> Vec<Target> {
    let mut targets = Vec::new();
    // Tasks hold no features.
    for format in Format::NAMES.into_iter().filter(|format| *format != "json") {
        targets.push(Target::new(format!("table {format}"), format!("t.{format}"), tables(format), table));
    }
    let features = vec![("f.npy".to_owned(), read_file(&data("trustpath-table/tests/tables/f4.npy")))];
    for ending in ["csv", "tsv", "txt", "npy", "jsonl", "parquet"] {
        let mut seeds = tables(ending);
        seeds.push(b"id,label\n0,auk\n1,gull\n3,\n".to_vec());
        seeds.push(b"auk\ngull\nauk\n\n\ngull\n".to_vec());
        let target = Target::new(format!("labels {ending}"), format!("y.{ending}"), seeds, labels);
        targets.push(target.beside(features.clone()));
    }
    targets.push(Target::new("tasks", "t.json", tables("json"), tasks));
    let checked = vec![b"id,label\n0,auk\n1,gull\n".to_vec(), b"1,auk\n".to_vec()];
    targets.push(Target::new("verified labels", "checked.csv", checked, verified).beside(features));
    targets.push(Target::new("model", "m.safetensors", vec![saved_model()], model));
    targets.push(Target::new("weights", "w.pth", in_folder("trustpath-vision/tests/data/checkpoints", "pth"), weights));
    let tensors = in_folder("trustpath-vision/tests/data/tensors", "pt");
    targets.push(Target::new("tensor", "x.pt", tensors, tensor));
    for ending in ["png", "jpg", "webp", "gif", "bmp", "tiff", "ppm"] {
        let seeds = in_folder("trustpath-vision/tests/data/images", ending);
        targets.push(Target::new(format!("image {ending}"), format!("i.{ending}"), seeds, image));
    }
    for ending in ["zip", "tar", "tar.gz"] {
        let seeds = in_folder("trustpath-vision/tests/data/archives", ending);
        targets.push(Target::new(format!("archive {ending}"), format!("a.{ending}"), seeds, dataset));
    }
    for (folder, file) in [
        ("mini-cache", "mini-imagenet-cache-test.pkl"),
        ("mini-category", "miniImageNet_category_split_test.pickle"),
        ("tiered", "test_images_png.pkl"),
        ("tiered", "test_labels.pkl"),
        ("cifar-100", "cifar-100-python.tar.gz"),
    ] {
        let others = folder_files(&data("trustpath-vision/tests/data/datasets").join(folder));
        let seed = others.iter().find(|(name, _)| name == file).unwrap().1.clone();
        let target = Target::new(format!("pickle {file}"), file, vec![seed], dataset_around);
        targets.push(target.beside(others));
    }
    for (list, file) in [
        ("cub-1shot-transductive", "meta.json"),
        ("cub-1shot-transductive", "support.npy"),
        ("cifar-fs-1shot-imbalanced", "query_flat.npy"),
        ("cub-5shot-semi35", "unlabel_flat.npy"),
    ] {
        let others = folder_files(&data("trustpath-bench/tests/lists").join(list));
        let seed = others.iter().find(|(name, _)| name == file).unwrap().1.clone();
        let target = Target::new(format!("episodes {file}"), file, vec![seed], episodes);
        targets.push(target.beside(others));
    }
    targets.push(Target::new("journal", "run.jsonl", vec![written_journal()], journal));
    targets
}

/// A file of the tests of another crate.
fn data(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path)
}

fn read_file(path: &Path) -> Vec<u8> {
    fs::read(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// The files of a folder by name, in order.
fn folder_files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let entries = fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let files = entries.map(|entry| entry.unwrap().path()).filter(|path| path.is_file());
    let name = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
    let mut files: Vec<_> = files.map(|path| (name(&path), read_file(&path))).collect();
    files.sort();
    files
}

/// The files of a folder with this ending, unless they are large.
fn in_folder(folder: &str, ending: &str) -> Vec<Vec<u8>> {
    let files = folder_files(&data(folder)).into_iter();
    let files = files.filter(|(name, bytes)| name.ends_with(&format!(".{ending}")) && bytes.len() < 1 << 16);
    files.map(|(_, bytes)| bytes).collect()
}

fn tables(ending: &str) -> Vec<Vec<u8>> {
    let folders = ["trustpath-table/tests/tables", "trustpath-table/tests/regressions"];
    folders.iter().flat_map(|folder| in_folder(folder, ending)).collect()
}

fn text(error: impl ToString) -> String {
    error.to_string()
}

fn use_table(table: &PartlyLabelledTable) -> Result<(), String> {
    table.check_values().map_err(text)?;
    table.check_labels().map_err(text)
}

fn table(path: &Path) -> Result<(), String> {
    let in_memory = PartlyLabelledFile::new(path).read().map_err(text);
    let in_file = PartlyLabelledFile::new(path).in_memory_up_to(0).read().map_err(text);
    let _ = TableFile::new(path).read().map(|table| table.check_finite());
    let _ = in_file.and_then(|table| use_table(&table));
    in_memory.and_then(|table| use_table(&table))
}

fn labels(path: &Path) -> Result<(), String> {
    let features = path.with_file_name("f.npy");
    let _ = PartlyLabelledFile::new(&features).labels(path).labels_in_order().read();
    let table = PartlyLabelledFile::new(&features).labels(path).read().map_err(text)?;
    use_table(&table)
}

fn tasks(path: &Path) -> Result<(), String> {
    let table = PartlyLabelledFile::new(path).text("text").read().map_err(text)?;
    table.check_labels().map_err(text)
}

fn verified(path: &Path) -> Result<(), String> {
    let labels = path.with_file_name("y.csv");
    fs::write(&labels, "auk\ngull\nauk\ngull\nauk\ngull\n").map_err(text)?;
    let file = PartlyLabelledFile::new(path.with_file_name("f.npy")).labels(labels);
    file.read().map_err(text)?.read_verified(path).map(drop).map_err(text)
}

const DIMS: usize = 4;

fn points(rows: usize) -> Vec<f32> {
    (0..rows * DIMS).map(|i| 1.5 + ((i * 7 + i / DIMS % 3 * 50) as f32).sin()).collect()
}

fn saved_model() -> Vec<u8> {
    let values = points(30);
    let given: Vec<Option<usize>> = (0..30).map(|i| (i < 9).then_some(i % 3)).collect();
    let features = Features::new(&values[..], 30, DIMS).unwrap();
    let model = trustpath::label(&features, &given).classes(3).run().unwrap().model;
    let class_names = ["a", "b", "c"].map(String::from).to_vec();
    let columns = Some((0..DIMS).map(|i| format!("x{i}")).collect());
    let saved = SavedModel {
        model,
        class_names,
        class_type: None,
        columns,
        centre: None,
        extractor: None,
        representation: Default::default(),
        pool: None,
    };
    saved.to_bytes().unwrap()
}

/// A model that is accepted can be used.
fn model(path: &Path) -> Result<(), String> {
    let saved = SavedModel::read(path).map_err(text)?;
    let dims = saved.model.projection.mean.len();
    if dims == DIMS {
        let values = points(5);
        let features = Features::new(&values[..], 5, DIMS).map_err(text)?;
        saved.model.predict(&features).map(drop).map_err(text)?;
    }
    Ok(())
}

fn weights(path: &Path) -> Result<(), String> {
    NetworkWeights::read(path).map(drop).map_err(text)
}

fn tensor(path: &Path) -> Result<(), String> {
    read_matrix(path, None).map(drop).map_err(text)
}

fn image(path: &Path) -> Result<(), String> {
    let bytes = fs::read(path).map_err(text)?;
    let _ = RgbImage::decode_as_stored(&bytes, "i");
    RgbImage::decode(&bytes, "i").map(drop).map_err(text)
}

fn dataset(path: &Path) -> Result<(), String> {
    let dataset = Dataset::open(path, None).map_err(text)?;
    dataset.check();
    (0..dataset.len().min(4)).try_for_each(|row| dataset.image(row).map(drop)).map_err(text)
}

fn dataset_around(path: &Path) -> Result<(), String> {
    dataset(path.parent().unwrap_or(path))
}

fn episodes(path: &Path) -> Result<(), String> {
    EpisodeList::read(path.parent().unwrap_or(path)).map(drop).map_err(text)
}

const CONFIGURATION: &str = "settings";

fn written_journal() -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.jsonl");
    let (mut journal, _) = Journal::open(&path, &CONFIGURATION, false).unwrap();
    for episode in 0..5 {
        let accuracies = vec![0.5, 1.0 / (episode + 3) as f64];
        journal.record(&Finished { episode, accuracies, seconds: 1e-3 }).unwrap();
    }
    read_file(&path)
}

fn journal(path: &Path) -> Result<(), String> {
    Journal::open(path, &CONFIGURATION, true).map(drop).map_err(text)
}
