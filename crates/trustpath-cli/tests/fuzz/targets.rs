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
pub struct FuzzTarget {
    pub name: String,
    /// The name of the file, in a folder that holds copies of `others`.
    pub file: String,
    pub seeds: Vec<Vec<u8>>,
    pub others: Vec<NamedBytes>,
    pub read: Read,
}

type NamedBytes = (String, Vec<u8>);

/// All readers.
pub fn all() -> Vec<FuzzTarget> {
    let mut targets = Vec::new();
    let mut add = |name: String, file: &str, seeds: Vec<Vec<u8>>, others: &[NamedBytes], read: Read| {
        assert!(!seeds.is_empty(), "{name} has nothing to begin with");
        targets.push(FuzzTarget { name, file: file.to_owned(), seeds, others: others.to_vec(), read });
    };
    // Tasks hold no features.
    for format in Format::NAMES.into_iter().filter(|format| *format != "json") {
        add(format!("table {format}"), &format!("t.{format}"), tables(format), &[], table);
    }
    let features = [("f.npy".to_owned(), read_file(&data("trustpath-table/tests/tables/f4.npy")))];
    for ending in ["csv", "tsv", "txt", "npy", "jsonl", "parquet"] {
        let mut seeds = tables(ending);
        seeds.push(b"id,label\n0,auk\n1,gull\n3,\n".to_vec());
        seeds.push(b"auk\ngull\nauk\n\n\ngull\n".to_vec());
        add(format!("labels {ending}"), &format!("y.{ending}"), seeds, &features, labels);
    }
    let checked = vec![b"id,label\n0,auk\n1,gull\n".to_vec(), b"1,auk\n".to_vec()];
    add("tasks".into(), "t.json", tables("json"), &[], tasks);
    add("verified labels".into(), "checked.csv", checked, &features, verified);
    add("model".into(), "m.safetensors", vec![saved_model()], &[], model);
    let checkpoints = in_folder("trustpath-vision/tests/data/checkpoints", "pth");
    add("weights".into(), "w.pth", checkpoints, &[], |path| NetworkWeights::read(path).map(drop).map_err(text));
    let tensors = in_folder("trustpath-vision/tests/data/tensors", "pt");
    add("tensor".into(), "x.pt", tensors, &[], |path| read_matrix(path, None).map(drop).map_err(text));
    add("journal".into(), "run.jsonl", vec![written_journal()], &[], journal);
    for ending in ["png", "jpg", "webp", "gif", "bmp", "tiff", "ppm"] {
        let seeds = in_folder("trustpath-vision/tests/data/images", ending);
        add(format!("image {ending}"), &format!("i.{ending}"), seeds, &[], image);
    }
    for ending in ["zip", "tar", "tar.gz"] {
        let seeds = in_folder("trustpath-vision/tests/data/archives", ending);
        add(format!("archive {ending}"), &format!("a.{ending}"), seeds, &[], dataset);
    }
    let (datasets, lists) = ("trustpath-vision/tests/data/datasets", "trustpath-bench/tests/lists");
    for (what, read, folder, file) in [
        ("pickle", dataset_around as Read, format!("{datasets}/mini-cache"), "mini-imagenet-cache-test.pkl"),
        ("pickle", dataset_around, format!("{datasets}/mini-category"), "miniImageNet_category_split_test.pickle"),
        ("pickle", dataset_around, format!("{datasets}/tiered"), "test_images_png.pkl"),
        ("pickle", dataset_around, format!("{datasets}/tiered"), "test_labels.pkl"),
        ("pickle", dataset_around, format!("{datasets}/cifar-100"), "cifar-100-python.tar.gz"),
        ("episodes", episodes, format!("{lists}/cub-1shot-transductive"), "meta.json"),
        ("episodes", episodes, format!("{lists}/cub-1shot-transductive"), "support.npy"),
        ("episodes", episodes, format!("{lists}/cifar-fs-1shot-imbalanced"), "query_flat.npy"),
        ("episodes", episodes, format!("{lists}/cub-5shot-semi35"), "unlabel_flat.npy"),
    ] {
        let others = folder_files(&data(&folder));
        let seed = others.iter().find(|(name, _)| name == file).unwrap().1.clone();
        add(format!("{what} {file}"), file, vec![seed], &others, read);
    }
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
fn folder_files(folder: &Path) -> Vec<NamedBytes> {
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
    let saved = SavedModel {
        model,
        class_names: ["a", "b", "c"].map(String::from).to_vec(),
        class_type: None,
        columns: Some((0..DIMS).map(|i| format!("x{i}")).collect()),
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
