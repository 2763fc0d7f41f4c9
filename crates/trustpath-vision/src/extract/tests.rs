use std::collections::BTreeMap;
use std::path::PathBuf;

use trustpath_table::{PartlyLabelledFile, PartlyLabelledTable, TableFile};

use super::*;
use crate::backbone::BackboneInfo;
use crate::cpu::Engine;
use crate::image::RgbImage;
use crate::network::{Builder, ImageInput, Network};
use crate::weights::{NetworkWeights, Parameter};

const SIZE: usize = 6;
const DIM: usize = 16;

/// A convolution whose weights are around `about`.
fn engine(about: f32) -> Engine {
    let mut b = Builder::default();
    b.conv("c", Builder::IMAGE, (3, DIM), 3, 1);
    let input = ImageInput { size: SIZE, mean: [0.4; 3], std: [0.2; 3], ..ImageInput::default() };
    let network = Network { name: "tiny", nodes: b.nodes(), dim: DIM, input };
    let values = (0..DIM * 27).map(|i| about + (i % 7) as f32 / 7.0).collect();
    let parameter = Parameter { shape: vec![DIM, 3, 3, 3], values };
    let weights = BTreeMap::from([("c.weight".to_string(), parameter)]);
    Engine::new(&network, NetworkWeights::new("tiny", weights)).unwrap()
}

/// Two classes with `each` images of different sizes.
struct ImageFolder(tempfile::TempDir);

impl ImageFolder {
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

    /// Extracts by weights around `about`, and says how it went.
    fn run(
        &self,
        extraction: Extraction,
        (about, stop_at): (f32, Option<usize>),
        out: &str,
    ) -> (CountingObserver, Result<ExtractOutcome>) {
        let mut observer = CountingObserver { stop_at, ..CountingObserver::default() };
        let outcome = extraction.run(&engine(about), &self.dataset(), &self.path(out), &mut observer);
        (observer, outcome)
    }

    fn extract(&self, extraction: Extraction, out: &str) -> Result<ExtractOutcome> {
        self.run(extraction, (0.0, None), out).1
    }

    fn refused(&self, extraction: Extraction, out: &str, sentence: &str) {
        let error = self.extract(extraction, out).unwrap_err().to_string();
        assert!(error.contains(sentence), "{error}");
    }

    fn features(&self, name: &str) -> PartlyLabelledTable {
        PartlyLabelledFile::new(self.path(name)).read().unwrap()
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

const F32: Extraction = Extraction { precision: FloatPrecision::F32, skip_bad: false };
const F16: Extraction = Extraction { precision: FloatPrecision::F16, skip_bad: false };
const SKIPPING: Extraction = Extraction { skip_bad: true, ..F16 };

#[test]
fn written_features_are_read_by_the_other_commands() {
    let folder = ImageFolder::new(3);
    let dataset = folder.dataset();
    let engine = engine(0.0);
    let mut expected = Vec::new();
    for row in 0..6 {
        let mut values = vec![0.0; 3 * SIZE * SIZE];
        engine.info().input.prepare(&dataset.image(row).unwrap(), &mut values);
        expected.extend(engine.features(&values).unwrap());
    }
    for (extraction, tolerance) in [(F32, 0.0), (F16, 1e-3)] {
        for name in ["out.npy", "out.safetensors"] {
            let (count, outcome) = folder.run(extraction, (0.0, None), name);
            assert_eq!(outcome.unwrap(), ExtractOutcome::Finished { rows: 6, skipped: vec![] });
            assert_eq!(count.done, 6);
            let pool = folder.features(name);
            assert_eq!(pool.ids()[0], "auk/000.png");
            assert_eq!(pool.ids()[5], "wren/002.png");
            assert_eq!(pool.class_names(), ["auk", "wren"]);
            assert_eq!(pool.labels(), [0, 0, 0, 1, 1, 1].map(Some));
            for (feature, expected) in pool.features().unwrap().iter().zip(&expected) {
                let difference = (feature - expected).abs();
                assert!(difference <= tolerance * expected.abs(), "{feature} is not {expected}");
            }
            let table = TableFile::new(folder.path(name)).read().unwrap();
            assert_eq!(table.class_names(), ["auk", "wren"]);
            assert!(!folder.path(&format!("{name}.partial")).exists());
        }
    }
}

#[test]
fn an_interrupted_extraction_is_resumed() {
    let folder = ImageFolder::new(60);
    folder.extract(F16, "whole.safetensors").unwrap();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    let run = |stop_at| {
        let (count, outcome) = pool.install(|| folder.run(F16, (0.0, stop_at), "cut.safetensors"));
        (count, outcome.unwrap())
    };
    let (_, ExtractOutcome::Stopped { done, all: 120 }) = run(Some(40)) else { panic!() };
    assert!((40..120).contains(&done), "{done}");
    assert!(!folder.path("cut.safetensors").exists());
    // A crash may cut a record.
    let partial = folder.path("cut.safetensors.partial");
    let bytes = std::fs::read(&partial).unwrap();
    std::fs::write(&partial, &bytes[..bytes.len() - 5]).unwrap();
    let (second, outcome) = run(None);
    assert!(matches!(outcome, ExtractOutcome::Finished { rows: 120, .. }));
    assert_eq!((second.begun, second.done), (done - 1, 120));
    let read = |name: &str| std::fs::read(folder.path(name)).unwrap();
    assert!(read("cut.safetensors") == read("whole.safetensors"));
    assert!(!partial.exists());
}

#[test]
fn an_extraction_by_another_backbone_starts_again() {
    let folder = ImageFolder::new(60);
    folder.run(F32, (0.0, Some(20)), "o.npy").1.unwrap();
    for extraction in [F32, F16, SKIPPING] {
        let (count, outcome) = folder.run(extraction, (0.5, Some(20)), "o.npy");
        assert_eq!(count.begun, 0);
        assert!(matches!(outcome.unwrap(), ExtractOutcome::Stopped { .. }));
    }
    std::fs::write(folder.path("o.npy.partial"), "something else").unwrap();
    folder.extract(F32, "o.npy").unwrap();
    assert_eq!(folder.features("o.npy").rows(), 120);
}

#[test]
fn bad_images_are_reported_or_skipped() {
    let folder = ImageFolder::new(4);
    let bytes = std::fs::read(folder.path("birds/auk/001.png")).unwrap();
    std::fs::write(folder.path("birds/auk/001.png"), &bytes[..bytes.len() / 2]).unwrap();
    std::fs::write(folder.path("birds/wren/003.png"), "no image").unwrap();
    for sentence in ["auk/001.png", "--skip-bad"] {
        folder.refused(F16, "o.npy", sentence);
    }
    let outcome = folder.extract(SKIPPING, "o.npy").unwrap();
    let ExtractOutcome::Finished { rows: 6, skipped } = outcome else { panic!("{outcome:?}") };
    let rows: Vec<usize> = skipped.iter().map(|(row, _)| *row).collect();
    assert_eq!(rows, [1, 7]);
    let pool = folder.features("o.npy");
    assert_eq!(pool.ids()[..2], ["auk/000.png", "auk/002.png"]);
    assert_eq!(pool.labels(), [0, 0, 0, 1, 1, 1].map(Some));
    for class in ["auk", "wren"] {
        for i in 0..4 {
            std::fs::write(folder.path(&format!("birds/{class}/00{i}.png")), "none").unwrap();
        }
    }
    folder.refused(SKIPPING, "o.npy", "none of the 8 images of");
}

/// Counts the images that it is given.
struct CountingBackbone(Engine, std::sync::atomic::AtomicUsize);

impl Backbone for CountingBackbone {
    fn info(&self) -> &BackboneInfo {
        self.0.info()
    }

    fn features(&self, images: &[f32]) -> Result<Vec<f32>> {
        let images_here = images.len() / self.info().input.values();
        self.1.fetch_add(images_here, std::sync::atomic::Ordering::Relaxed);
        self.0.features(images)
    }
}

#[test]
fn the_network_sees_no_image_that_cannot_be_read() {
    let folder = ImageFolder::new(40);
    let skip = Extraction { skip_bad: true, ..F32 };
    folder.extract(skip, "all.npy").unwrap();
    let bad: Vec<usize> = (0..80).filter(|i| i % 40 < 35 && i % 7 != 0).collect();
    for i in &bad {
        let class = ["auk", "wren"][i / 40];
        std::fs::write(folder.path(&format!("birds/{class}/{:03}.png", i % 40)), "").unwrap();
    }
    let backbone = CountingBackbone(engine(0.0), Default::default());
    let out = folder.path("some.npy");
    skip.run(&backbone, &folder.dataset(), &out, &mut CountingObserver::default()).unwrap();
    assert_eq!(backbone.1.into_inner(), 80 - bad.len());
    let good: Vec<usize> = (0..80).filter(|i| !bad.contains(i)).collect();
    let mut values = vec![0.0; good.len() * DIM];
    folder.features("all.npy").gather(&good, &mut values).unwrap();
    assert_eq!(folder.features("some.npy").features().unwrap(), values);
}

#[test]
fn places_that_cannot_be_written_are_refused() {
    let folder = ImageFolder::new(1);
    folder.refused(F16, "o.csv", "give a name that ends in .safetensors or .npy");
    folder.refused(F16, "none/o.npy", "none/o.npy: No such file");
    std::fs::write(folder.path("o-labels.npy"), "").unwrap();
    folder.refused(F16, "o.npy", "o-labels.npy is beside");
}

#[test]
fn features_too_large_for_f16_are_refused() {
    let folder = ImageFolder::new(1);
    let run = |extraction| folder.run(extraction, (1e4, None), "o.safetensors").1;
    let error = run(F16).unwrap_err().to_string();
    assert!(error.contains("too large for f16, so write f32"), "{error}");
    assert!(run(F32).is_ok());
}

/// Begins of a run and its result, as the features of each id.
fn brought_up_to_date(folder: &ImageFolder, extraction: Extraction) -> (usize, Vec<(String, Vec<f32>)>) {
    let (count, outcome) = folder.run(extraction, (0.0, None), "o.safetensors");
    outcome.unwrap();
    let pool = folder.features("o.safetensors");
    let rows = pool.features().unwrap().chunks_exact(pool.dims()).map(<[f32]>::to_vec);
    (count.begun, pool.ids().iter().cloned().zip(rows).collect())
}

#[test]
fn features_of_unchanged_images_are_reused() {
    let folder = ImageFolder::new(4);
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
    assert_eq!(begun, if cfg!(unix) { 6 } else { 5 });
    let anew = |name: &str| {
        folder.extract(F16, name).unwrap();
        std::fs::read(folder.path(name)).unwrap()
    };
    assert!(anew("o.safetensors") == anew("anew.safetensors"), "reused or computed, the same");
    let of = |rows: &[(String, Vec<f32>)], id: &str| rows.iter().find(|row| row.0 == id).map(|row| row.1.clone());
    assert_eq!(of(&second, "wren/000b.png"), of(&first, "auk/000.png"));
    assert_eq!(of(&second, "auk/001.png"), of(&first, "wren/003.png"));
    assert_ne!(of(&second, "auk/001.png"), of(&first, "auk/001.png"));
    // Another precision, other weights, or no file of features at all: nothing can be reused.
    assert_eq!(brought_up_to_date(&folder, F32).0, 0);
    assert_eq!(folder.run(F32, (0.5, None), "o.safetensors").0.begun, 0);
    std::fs::write(folder.path("o.safetensors"), "something else").unwrap();
    assert_eq!(brought_up_to_date(&folder, F16), (0, second));
}

#[test]
fn bad_images_are_tried_again_while_others_are_reused() {
    let folder = ImageFolder::new(3);
    let whole = std::fs::read(folder.path("birds/auk/001.png")).unwrap();
    std::fs::write(folder.path("birds/auk/001.png"), "no image").unwrap();
    assert_eq!(brought_up_to_date(&folder, SKIPPING).1.len(), 5);
    let (begun, rows) = brought_up_to_date(&folder, SKIPPING);
    assert_eq!((begun, rows.len()), (5, 5));
    folder.refused(F16, "o.safetensors", "auk/001.png");
    std::fs::write(folder.path("birds/auk/001.png"), whole).unwrap();
    let (begun, rows) = brought_up_to_date(&folder, F16);
    assert_eq!((begun, rows.len()), (5, 6));
}
