//! Packs, of the small tieredImageNet of the datasets' tests.

use std::path::Path;

use trustpath_vision::dataset::{Dataset, DatasetKind, DatasetSplit};
use trustpath_vision::pack::{PackParams, PackSummary};

fn tiered() -> Dataset {
    Dataset::open(&super::data("datasets/tiered"), None).unwrap()
}

fn pack(params: PackParams, out: &Path) -> PackSummary {
    params.write(&tiered(), out, || ()).unwrap()
}

fn refusal(path: &Path) -> String {
    Dataset::open(path, None).unwrap_err().to_string()
}

#[test]
fn a_pack_is_the_dataset_it_was_made_of() {
    let out = tempfile::tempdir().unwrap();
    // So small that a split needs several shards.
    let packed = pack(PackParams { shard_bytes: 1 << 10, size: 24, ..PackParams::default() }, out.path());
    assert_eq!((packed.images, packed.kept, packed.skipped.len()), (15, 15, 0));
    assert!(packed.files.len() > 6, "{:?}", packed.files);
    let before = tiered();
    let after = Dataset::open(out.path(), Some(DatasetKind::TieredImagenet)).unwrap();
    assert_eq!((after.name(), after.kind()), ("tiered-imagenet", DatasetKind::TieredImagenet));
    for split in DatasetSplit::ALL {
        let (before, after) = (before.split(split).unwrap(), after.split(split).unwrap());
        assert_eq!(before.classes(), after.classes());
        for row in 0..before.len() {
            assert_eq!((before.id(row), before.class(row)), (after.id(row), after.class(row)));
            assert_eq!(before.image(row).unwrap(), after.image(row).unwrap());
        }
    }
    // The same again, byte for byte.
    let again = tempfile::tempdir().unwrap();
    pack(PackParams { shard_bytes: 1 << 10, size: 24, ..PackParams::default() }, again.path());
    for (file, _) in &packed.files {
        let read = |folder: &Path| std::fs::read(folder.join(file)).unwrap();
        assert_eq!(read(out.path()), read(again.path()), "{file}");
    }
}

#[test]
fn larger_images_become_squares_of_the_size() {
    let out = tempfile::tempdir().unwrap();
    let params = PackParams { size: 16, splits: vec![DatasetSplit::Test], ..PackParams::default() };
    assert_eq!(pack(params.clone(), out.path()).kept, 4);
    let after = Dataset::open(out.path(), None).unwrap();
    assert_eq!((after.splits(), after.len()), (vec![DatasetSplit::Test], 5));
    let owl = tiered().split(DatasetSplit::Test).unwrap().image(4).unwrap();
    assert_eq!(after.image(4).unwrap(), owl.resized(16));
    // As JPEG it is near.
    pack(PackParams { quality: Some(95), ..params }, out.path());
    let near = Dataset::open(out.path(), None).unwrap().image(4).unwrap();
    let exact = owl.resized(16);
    let apart = near.rgb.iter().zip(&exact.rgb).map(|(a, b)| f64::from(a.abs_diff(*b)));
    let mean = apart.sum::<f64>() / near.rgb.len() as f64;
    assert!(mean > 0.0 && mean < 20.0, "{mean}");
}

#[test]
fn packs_that_are_cut_mixed_or_incomplete_are_refused() {
    let out = tempfile::tempdir().unwrap();
    let at = |name: &str| out.path().join(name);
    let packed = pack(PackParams::default(), out.path());
    let (val, test) = (at("tiered-imagenet-val-000.shard"), at("tiered-imagenet-test-000.shard"));
    let whole = std::fs::read(&val).unwrap();
    std::fs::write(&val, &whole[1..]).unwrap();
    assert!(refusal(out.path()).contains("cut off or of another pack"));
    let mut changed = whole.clone();
    changed[100] ^= 1;
    std::fs::write(&val, changed).unwrap();
    assert!(refusal(out.path()).contains("its checksum is not what"));
    std::fs::remove_file(&val).unwrap();
    assert!(refusal(out.path()).contains("it is not there; copy it too"));
    std::fs::copy(&test, &val).unwrap();
    assert!(refusal(out.path()).contains("another pack"));
    std::fs::write(&val, whole).unwrap();
    assert_eq!(Dataset::open(out.path(), None).unwrap().len(), 15);
    let index = std::fs::read_to_string(at("tiered-imagenet-val.pack")).unwrap();
    std::fs::write(at("tiered-imagenet-val.pack"), &index[..index.len() / 2]).unwrap();
    assert!(refusal(out.path()).contains("cut off or damaged"));
    for (file, _) in packed.files.iter().filter(|(file, _)| file.ends_with(".pack")) {
        std::fs::remove_file(at(file)).unwrap();
    }
    assert!(refusal(out.path()).contains("shards (*.shard) but no index"));
}

#[test]
fn parameters_out_of_range_are_refused() {
    let refused = |params: PackParams| params.check().unwrap_err().to_string();
    assert!(refused(PackParams { size: 0, ..PackParams::default() }).contains("give 1 to 4096"));
    assert!(refused(PackParams { quality: Some(0), ..PackParams::default() }).contains("give 1 to 100"));
    assert!(refused(PackParams { shard_bytes: 0, ..PackParams::default() }).contains("shard size"));
}
