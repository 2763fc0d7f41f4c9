use std::collections::BTreeMap;
use std::path::PathBuf;

use trustpath_table::{PartlyLabelledFile, TableFile};

use super::*;
use crate::cpu::Engine;
use crate::image::RgbImage;
use crate::network::{Builder, Framing, Network};
use crate::weights::{NetworkWeights, Parameter};

const SIZE: usize = 6;
const DIM: usize = 16;

/// A convolution whose weights are around `about`.
fn engine(about: f32) -> Engine {
    let mut b = Builder::default();
    b.conv("c", Builder::IMAGE, (3, DIM), 3, 1);
    let (mean, std) = ([0.4; 3], [0.2; 3]);
    let (nodes, framing) = (b.nodes(), Framing::Squeeze);
    let network = Network { name: "tiny", nodes, dim: DIM, size: SIZE, framing, mean, std };
    let values = (0..DIM * 27).map(|i| about + (i % 7) as f32 / 7.0).collect();
    let parameter = Parameter { shape: vec![DIM, 3, 3, 3], values };
    let weights = BTreeMap::from([("c.weight".to_string(), parameter)]);
    Engine::new(&network, NetworkWeights::new("tiny", weights)).unwrap()
}

/// Two classes with `each` images of different sizes.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new(each: usize) -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        for class in ["wren", "auk"] {
            std::fs::create_dir_all(folder.path(&format!("birds/{class}"))).unwrap();
            for i in 0..each {
                let (width, height) = (4 + i % 3, 5 + i % 2);
                let shade = |at: usize| (at * 37 + i * 11 + class.len() * 50) as u8;
                let rgb = (0..3 * width * height).map(shade).collect();
                let image = RgbImage { width, height, rgb };
                let name = folder.path(&format!("birds/{class}/{i:03}.png"));
                std::fs::write(name, image.png().unwrap()).unwrap();
            }
        }
        folder
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn dataset(&self) -> Dataset {
        Dataset::open(&self.path("birds"), None).unwrap()
    }

    fn extract(&self, extraction: Extraction, out: &str, observer: &mut dyn ExtractObserver) -> Result<ExtractOutcome> {
        extraction.run(&engine(0.0), &self.dataset(), &self.path(out), observer)
    }
}

#[derive(Default)]
struct CountingObserver {
    begun: usize,
    done: usize,
    stop_at: Option<usize>,
}

impl ExtractObserver for CountingObserver {
    fn begin(&mut self, done: usize, _: usize) {
        self.begun = done;
        self.done = done;
    }

    fn advance(&mut self, images: usize) {
        self.done += images;
    }

    fn stop(&self) -> bool {
        self.stop_at.is_some_and(|at| self.done >= at)
    }
}

const F32: Extraction = Extraction { precision: Precision::F32, skip_bad: false };
const F16: Extraction = Extraction { precision: Precision::F16, skip_bad: false };

#[test]
fn written_features_are_read_by_the_other_commands() {
    let folder = Folder::new(3);
    let dataset = folder.dataset();
    let engine = engine(0.0);
    let mut expected = Vec::new();
    for row in 0..6 {
        let mut values = vec![0.0; 3 * SIZE * SIZE];
        engine.input().prepare(&dataset.image(row).unwrap(), &mut values);
        expected.extend(engine.features(&values).unwrap());
    }
    for (extraction, tolerance) in [(F32, 0.0), (F16, 1e-3)] {
        for name in ["out.npy", "out.safetensors"] {
            let mut count = CountingObserver::default();
            let outcome = folder.extract(extraction, name, &mut count).unwrap();
            assert_eq!(outcome, ExtractOutcome::Finished { rows: 6, skipped: vec![] });
            assert_eq!(count.done, 6);
            let pool = PartlyLabelledFile::new(folder.path(name)).read().unwrap();
            assert_eq!(pool.ids()[0], "auk/000.png");
            assert_eq!(pool.ids()[5], "wren/002.png");
            assert_eq!(pool.class_names(), ["auk", "wren"]);
            assert_eq!(pool.labels(), [0, 0, 0, 1, 1, 1].map(Some));
            for (found, expected) in pool.features().unwrap().iter().zip(&expected) {
                let difference = (found - expected).abs();
                assert!(difference <= tolerance * expected.abs(), "{found} is not {expected}");
            }
            let table = TableFile::new(folder.path(name)).read().unwrap();
            assert_eq!(table.class_names(), ["auk", "wren"]);
            assert!(!folder.path(&format!("{name}.partial")).exists());
        }
    }
}

#[test]
fn an_interrupted_extraction_is_resumed() {
    let folder = Folder::new(60);
    folder.extract(F16, "whole.safetensors", &mut CountingObserver::default()).unwrap();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    let mut first = CountingObserver { stop_at: Some(40), ..CountingObserver::default() };
    let run = |count: &mut CountingObserver| {
        let out = folder.path("cut.safetensors");
        pool.install(|| F16.run(&engine(0.0), &folder.dataset(), &out, count))
    };
    let ExtractOutcome::Stopped { done, all: 120 } = run(&mut first).unwrap() else { panic!() };
    assert!((40..120).contains(&done), "{done}");
    assert!(!folder.path("cut.safetensors").exists());
    // A crash may cut a record.
    let partial = folder.path("cut.safetensors.partial");
    let bytes = std::fs::read(&partial).unwrap();
    std::fs::write(&partial, &bytes[..bytes.len() - 5]).unwrap();
    let mut second = CountingObserver::default();
    assert!(matches!(run(&mut second).unwrap(), ExtractOutcome::Finished { rows: 120, .. }));
    assert_eq!((second.begun, second.done), (done - 1, 120));
    let read = |name: &str| std::fs::read(folder.path(name)).unwrap();
    assert!(read("cut.safetensors") == read("whole.safetensors"));
    assert!(!partial.exists());
}

#[test]
fn an_extraction_by_another_backbone_starts_again() {
    let folder = Folder::new(60);
    let out = folder.path("o.npy");
    let mut count = CountingObserver { stop_at: Some(20), ..CountingObserver::default() };
    F32.run(&engine(0.0), &folder.dataset(), &out, &mut count).unwrap();
    for (extraction, about) in [(F32, 0.5), (F16, 0.5), (Extraction { skip_bad: true, ..F16 }, 0.5)] {
        let mut count = CountingObserver { stop_at: Some(20), ..CountingObserver::default() };
        let outcome = extraction.run(&engine(about), &folder.dataset(), &out, &mut count).unwrap();
        assert_eq!(count.begun, 0);
        assert!(matches!(outcome, ExtractOutcome::Stopped { .. }));
    }
    std::fs::write(folder.path("o.npy.partial"), "something else").unwrap();
    F32.run(&engine(0.0), &folder.dataset(), &out, &mut CountingObserver::default()).unwrap();
    assert_eq!(PartlyLabelledFile::new(out).read().unwrap().rows(), 120);
}

#[test]
fn bad_images_are_reported_or_skipped() {
    let folder = Folder::new(4);
    let bytes = std::fs::read(folder.path("birds/auk/001.png")).unwrap();
    std::fs::write(folder.path("birds/auk/001.png"), &bytes[..bytes.len() / 2]).unwrap();
    std::fs::write(folder.path("birds/wren/003.png"), "no image").unwrap();
    let error = folder.extract(F16, "o.npy", &mut CountingObserver::default()).unwrap_err().to_string();
    assert!(error.contains("auk/001.png") && error.contains("--skip-bad"), "{error}");
    let skip = Extraction { skip_bad: true, ..F16 };
    let outcome = folder.extract(skip, "o.npy", &mut CountingObserver::default()).unwrap();
    let ExtractOutcome::Finished { rows: 6, skipped } = outcome else { panic!("{outcome:?}") };
    let rows: Vec<usize> = skipped.iter().map(|(row, _)| *row).collect();
    assert_eq!(rows, [1, 7]);
    let pool = PartlyLabelledFile::new(folder.path("o.npy")).read().unwrap();
    assert_eq!(pool.ids()[..2], ["auk/000.png", "auk/002.png"]);
    assert_eq!(pool.labels(), [0, 0, 0, 1, 1, 1].map(Some));
    for class in ["auk", "wren"] {
        for i in 0..4 {
            std::fs::write(folder.path(&format!("birds/{class}/00{i}.png")), "none").unwrap();
        }
    }
    let error = folder.extract(skip, "o.npy", &mut CountingObserver::default()).unwrap_err().to_string();
    assert!(error.starts_with("none of the 8 images of"), "{error}");
}

/// Counts the images that it is given.
struct CountingBackbone(Engine, std::sync::atomic::AtomicUsize);

impl Backbone for CountingBackbone {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn dim(&self) -> usize {
        self.0.dim()
    }

    fn input(&self) -> crate::backbone::Input {
        self.0.input()
    }

    fn fingerprint(&self) -> u64 {
        self.0.fingerprint()
    }

    fn features(&self, images: &[f32]) -> Result<Vec<f32>> {
        let images_here = images.len() / self.input().values();
        self.1.fetch_add(images_here, std::sync::atomic::Ordering::Relaxed);
        self.0.features(images)
    }
}

#[test]
fn the_network_sees_no_image_that_cannot_be_read() {
    let folder = Folder::new(40);
    let skip = Extraction { skip_bad: true, ..F32 };
    let all = folder.path("all.npy");
    skip.run(&engine(0.0), &folder.dataset(), &all, &mut CountingObserver::default()).unwrap();
    let expected = PartlyLabelledFile::new(&all).read().unwrap();
    let bad: Vec<usize> = (0..80).filter(|i| i % 40 < 35 && i % 7 != 0).collect();
    for i in &bad {
        let class = ["auk", "wren"][i / 40];
        std::fs::write(folder.path(&format!("birds/{class}/{:03}.png", i % 40)), "").unwrap();
    }
    let backbone = CountingBackbone(engine(0.0), Default::default());
    let out = folder.path("some.npy");
    skip.run(&backbone, &folder.dataset(), &out, &mut CountingObserver::default()).unwrap();
    assert_eq!(backbone.1.into_inner(), 80 - bad.len());
    let table = PartlyLabelledFile::new(&out).read().unwrap();
    let kept: Vec<usize> = (0..80).filter(|i| !bad.contains(i)).collect();
    let mut values = vec![0.0; kept.len() * DIM];
    expected.gather(&kept, &mut values).unwrap();
    assert_eq!(table.features().unwrap(), values);
}

#[test]
fn places_that_cannot_be_written_are_refused() {
    let folder = Folder::new(1);
    let refused = |out: &str, sentence: &str| {
        let error = folder.extract(F16, out, &mut CountingObserver::default()).unwrap_err().to_string();
        assert!(error.contains(sentence), "{error}");
    };
    refused("o.csv", "give a name that ends in .safetensors or .npy");
    refused("none/o.npy", "none/o.npy: No such file");
    std::fs::write(folder.path("o-labels.npy"), "").unwrap();
    refused("o.npy", "o-labels.npy is beside");
}

#[test]
fn features_too_large_for_f16_are_refused() {
    let folder = Folder::new(1);
    let run = |extraction: Extraction| {
        let out = folder.path("o.safetensors");
        extraction.run(&engine(1e4), &folder.dataset(), &out, &mut CountingObserver::default())
    };
    let error = run(F16).unwrap_err().to_string();
    assert!(error.contains("too large for f16, so write f32"), "{error}");
    assert!(run(F32).is_ok());
}

/// Begins of a run and its result, as the features of each id.
fn brought_up_to_date(folder: &Folder, extraction: Extraction) -> (usize, Vec<(String, Vec<f32>)>) {
    let mut count = CountingObserver::default();
    folder.extract(extraction, "o.safetensors", &mut count).unwrap();
    let pool = PartlyLabelledFile::new(folder.path("o.safetensors")).read().unwrap();
    let rows = pool.features().unwrap().chunks_exact(pool.dims()).map(<[f32]>::to_vec);
    (count.begun, pool.ids().iter().cloned().zip(rows).collect())
}

#[test]
fn features_of_unchanged_images_are_reused() {
    let folder = Folder::new(4);
    let (begun, first) = brought_up_to_date(&folder, F16);
    assert_eq!((begun, first.len()), (0, 8));
    assert_eq!(brought_up_to_date(&folder, F16), (8, first.clone()));
    // One moves to another class, one is written anew, one goes, one is new.
    let path = |name: &str| folder.path(&format!("birds/{name}"));
    std::fs::rename(path("auk/000.png"), path("wren/000b.png")).unwrap();
    std::fs::copy(path("wren/003.png"), path("auk/001.png")).unwrap();
    std::fs::remove_file(path("wren/001.png")).unwrap();
    std::fs::copy(path("wren/002.png"), path("auk/009.png")).unwrap();
    let (begun, second) = brought_up_to_date(&folder, F16);
    let kept = if cfg!(unix) { 6 } else { 5 };
    assert_eq!(begun, kept);
    let anew = |name: &str| {
        let out = folder.path(name);
        F16.run(&engine(0.0), &folder.dataset(), &out, &mut CountingObserver::default()).unwrap();
        std::fs::read(out).unwrap()
    };
    assert!(anew("o.safetensors") == anew("anew.safetensors"), "kept or computed, the same");
    let of = |rows: &[(String, Vec<f32>)], id: &str| rows.iter().find(|row| row.0 == id).map(|row| row.1.clone());
    assert_eq!(of(&second, "wren/000b.png"), of(&first, "auk/000.png"));
    assert_eq!(of(&second, "auk/001.png"), of(&first, "wren/003.png"));
    assert_ne!(of(&second, "auk/001.png"), of(&first, "auk/001.png"));
    // Another precision, other weights, or no file of features at all: nothing can be kept.
    assert_eq!(brought_up_to_date(&folder, F32).0, 0);
    let mut count = CountingObserver::default();
    F32.run(&engine(0.5), &folder.dataset(), &folder.path("o.safetensors"), &mut count).unwrap();
    assert_eq!(count.begun, 0);
    std::fs::write(folder.path("o.safetensors"), "something else").unwrap();
    assert_eq!(brought_up_to_date(&folder, F16), (0, second));
}

#[test]
fn bad_images_are_tried_again_while_others_are_reused() {
    let folder = Folder::new(3);
    let whole = std::fs::read(folder.path("birds/auk/001.png")).unwrap();
    std::fs::write(folder.path("birds/auk/001.png"), "no image").unwrap();
    let skip = Extraction { skip_bad: true, ..F16 };
    assert_eq!(brought_up_to_date(&folder, skip).1.len(), 5);
    let (begun, rows) = brought_up_to_date(&folder, skip);
    assert_eq!((begun, rows.len()), (5, 5));
    let error = folder.extract(F16, "o.safetensors", &mut CountingObserver::default()).unwrap_err();
    assert!(error.to_string().contains("auk/001.png"), "{error}");
    std::fs::write(folder.path("birds/auk/001.png"), whole).unwrap();
    let (begun, rows) = brought_up_to_date(&folder, F16);
    assert_eq!((begun, rows.len()), (5, 6));
}
