//! The same small table, written in every format by the usual tools, is read as the same.

use std::fs;
use std::io::{Cursor, Read, Write};

use trustpath_table::{Error, FeatureTable, PartlyLabelledFile, TableFile};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use crate::testing::{Folder, refused};
use crate::{assert_did_not_panic, fixture, with_one_byte_changed};

fn file(name: &str) -> TableFile {
    TableFile::new(fixture(name))
}

/// Checks features and names, whatever the numbers of the classes are.
fn assert_is_the_table(table: &FeatureTable, names: [&str; 3], context: &str) {
    assert_eq!((table.rows(), table.dims()), (6, 3), "{context}");
    let expected: Vec<f32> = (0..18).map(|k| k as f32 * 0.25 - 1.0).collect();
    assert_eq!(table.features(), expected, "{context}");
    let name = |row: usize| table.class_names()[table.labels()[row]].as_str();
    for row in 0..6 {
        assert_eq!(name(row), names[row % 3], "{context}, row {row}");
    }
}

const BIRDS: [&str; 3] = ["wren", "auk", "gull"];
const NUMBERS: [&str; 3] = ["0", "1", "2"];

#[test]
fn npy_with_labels_beside() {
    for name in ["f2.npy", "f4.npy", "f8.npy", "big-f4.npy", "fortran.npy"] {
        let numbers = ["y-int16.npy", "y-float.npy"].map(|labels| (labels, NUMBERS));
        let birds = ["y-text.npy", "y-bytes.npy", "y.txt", "y.csv"].map(|labels| (labels, BIRDS));
        for (labels, names) in numbers.into_iter().chain(birds) {
            let table = file(name).labels(fixture(labels)).read().unwrap();
            assert_is_the_table(&table, names, &format!("{name} with {labels}"));
        }
    }
    let whole = file("i2.npy").labels(fixture("y.txt")).read().unwrap();
    assert_eq!(whole.row(1), [-1.0, 0.0, 1.0]);
}

#[test]
fn labels_are_found_beside_by_their_name() {
    let folder = Folder::new();
    let features = folder.path("novel.npy");
    fs::copy(fixture("f4.npy"), &features).unwrap();
    let error = refused(TableFile::new(&features).read(), &["novel-labels.npy"]);
    assert!(matches!(error, Error::NoLabels { .. }));
    fs::copy(fixture("y.txt"), folder.path("novel_labels.txt")).unwrap();
    assert_is_the_table(&TableFile::new(&features).read().unwrap(), BIRDS, "beside");
    fs::copy(fixture("y-int16.npy"), folder.path("novel-labels.npy")).unwrap();
    assert_is_the_table(&TableFile::new(&features).read().unwrap(), NUMBERS, "preferred");
}

#[test]
fn formats_with_labels_inside() {
    let names = "stored.npz deflated.npz f16.safetensors bf16.safetensors f32.safetensors f64.safetensors index.csv \
        plain.csv tabs.tsv list.jsonl keys.jsonl";
    for name in names.split(' ') {
        assert_is_the_table(&file(name).read().unwrap(), BIRDS, name);
    }
    assert_is_the_table(&file("positional.npz").read().unwrap(), NUMBERS, "positional.npz");
    let table = file("headless.csv").label_column("-1").read().unwrap();
    assert_is_the_table(&table, BIRDS, "headless.csv");
    // Names stay in the order in which a file gives them.
    assert_eq!(file("f16.safetensors").read().unwrap().class_names(), BIRDS);
    // Labels that are given replace those inside, names and all.
    let table = file("stored.npz").labels(fixture("y-int16.npy")).read().unwrap();
    assert_is_the_table(&table, NUMBERS, "replaced");
}

#[cfg(feature = "parquet")]
#[test]
fn parquet_with_columns_or_lists() {
    for (name, names) in [("pandas", BIRDS), ("gzip", BIRDS), ("list", NUMBERS)] {
        let name = format!("{name}.parquet");
        assert_is_the_table(&file(&name).read().unwrap(), names, &name);
    }
    let table = file("fixed.parquet").label_column("kind").read().unwrap();
    assert_is_the_table(&table, BIRDS, "fixed.parquet");

    for name in ["polars-zstd.parquet", "zstd-v2.parquet"] {
        assert_is_the_table(&file(name).read().unwrap(), BIRDS, name);
        let in_file = PartlyLabelledFile::new(fixture(name)).in_memory_up_to(0).read().unwrap();
        in_file.check_values().unwrap();
    }
}

#[cfg(feature = "parquet")]
#[test]
fn parquet_that_is_no_table() {
    refused(file("null.parquet").read(), &["row 1", "\"b\"", "is missing"]);
    refused(file("ragged.parquet").read(), &["row 1 has 1 features but row 0 has 2"]);
    let numbers = file("pandas.parquet").label_column("a").read();
    refused(numbers, &["label -0.25 of row 1", "whole numbers or names"]);
    let none = file("list.parquet").label_column("none").read();
    refused(none, &["no column \"none\"", "\"embedding\""]);
}

#[cfg(not(feature = "parquet"))]
#[test]
fn parquet_that_is_not_built_in() {
    assert!(matches!(file("pandas.parquet").read(), Err(Error::NotBuilt { .. })));
}

#[test]
fn files_that_are_no_tables_are_refused() {
    type Refusal = (TableFile, fn(&Error) -> bool);
    let cases: [Refusal; 13] = [
        (file("none.npy"), |e| matches!(e, Error::Read { .. })),
        (file("make.py"), |e| matches!(e, Error::UnknownFormat { .. })),
        (file("pickled.npy"), |e| matches!(e, Error::Pickled { .. })),
        (file("pickled.npz"), |e| matches!(e, Error::Pickled { .. })),
        (file("nameless.npz"), |e| matches!(e, Error::NoFeatures { .. })),
        (file("cube.npy"), |e| matches!(e, Error::Shape { .. })),
        (file("y-text.npy"), |e| matches!(e, Error::Shape { .. })),
        (file("f4.npy"), |e| matches!(e, Error::NoLabels { .. })),
        (file("headless.csv"), |e| matches!(e, Error::NoLabels { .. })),
        (file("f4.npy").labels(fixture("y-short.npy")), |e| matches!(e, Error::LabelCount { labels: 5, rows: 6, .. })),
        (file("f4.npy").labels(fixture("y-fraction.npy")), |e| matches!(e, Error::Label { row: 0, .. })),
        (file("f4.npy").labels(fixture("cube.npy")), |e| matches!(e, Error::Shape { .. })),
        (file("f4.npy").labels(fixture("none.txt")), |e| matches!(e, Error::Read { .. })),
    ];
    for (file, expected) in cases {
        let error = refused(file.read(), &[]);
        assert!(expected(&error), "{file:?}: {error:?}");
    }
}

#[test]
fn a_file_of_another_format_is_refused() {
    let folder = Folder::new();
    for ending in ["npy", "npz", "safetensors", "parquet"] {
        let others = ["plain.csv", "stored.npz", "y.txt"].into_iter();
        for other in others.filter(|other| !other.ends_with(ending)) {
            let copy = folder.file(&format!("t.{ending}"), fs::read(fixture(other)).unwrap());
            let error = refused(TableFile::new(&copy).read(), &[]);
            let known = matches!(error, Error::Damaged { .. } | Error::NotBuilt { .. });
            assert!(known, "{other} as {ending}: {error:?}");
        }
    }
}

/// Cuts each file in hundreds of ways, and changes each of its bytes.
#[test]
fn damaged_files_are_errors_and_never_panics() {
    let folder = Folder::new();
    let names = "f4.npy deflated.npz stored.npz f16.safetensors plain.csv list.jsonl keys.jsonl pandas.parquet \
        list.parquet fixed.parquet";
    for name in names.split(' ').filter(|name| cfg!(feature = "parquet") || !name.ends_with("parquet")) {
        let bytes = fs::read(fixture(name)).unwrap();
        let read = |bytes: &[u8]| TableFile::new(folder.file(name, bytes)).labels(fixture("y.txt")).read();
        assert!(read(&bytes).is_ok(), "{name}");
        // Text has no end mark: a last line may lose digits, or its line break.
        let is_text = name.ends_with("csv") || name.ends_with("jsonl");
        for end in (0..bytes.len()).step_by(1 + bytes.len() / 300) {
            assert!(read(&bytes[..end]).is_err() || is_text, "{name} cut at {end}");
        }
        for (place, changed) in with_one_byte_changed(&bytes) {
            assert_did_not_panic(read(&changed), &format!("{name} changed at {place}"));
        }
    }
}

fn npz(entries: &[(&str, &[u8], usize)]) -> Vec<u8> {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(zip::CompressionMethod::Deflated);
    for &(name, bytes, zeros) in entries {
        archive.start_file(name, options).unwrap();
        archive.write_all(bytes).unwrap();
        std::io::copy(&mut std::io::repeat(0).take(zeros as u64), &mut archive).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

fn header(shape: &str) -> Vec<u8> {
    let text = format!("{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}\n");
    [b"\x93NUMPY\x01\0", &(text.len() as u16).to_le_bytes()[..], text.as_bytes()].concat()
}

#[test]
fn a_zip_bomb_takes_no_memory() {
    let folder = Folder::new();
    let read = |bytes: &[u8]| TableFile::new(folder.file("bomb.npz", bytes)).labels(fixture("y.txt")).read();
    // 64 MB of zeros behind a small array stay where they are.
    let table = read(&npz(&[("features.npy", &header("(6, 3)"), 64 << 20)])).unwrap();
    assert_eq!(table.features(), [0.0; 18]);
    // An array that announces terabytes and holds nothing is not believed.
    let error = read(&npz(&[("features.npy", &header("(1000000000, 512)"), 72)])).unwrap_err();
    assert!(matches!(error, Error::Truncated { available: 72, .. }), "{error:?}");
    // Neither is a directory that says that the entry is that large.
    let mut lie = npz(&[("features.npy", &header("(500000000, 2)"), 72)]);
    let size = (header("(500000000, 2)").len() as u32 + 72).to_le_bytes();
    let directory = lie.windows(4).position(|w| w == b"PK\x01\x02").unwrap();
    assert_eq!(lie[directory + 24..][..4], size);
    lie[directory + 24..][..4].copy_from_slice(&4_000_001_000u32.to_le_bytes());
    let error = read(&lie).unwrap_err();
    assert!(matches!(error, Error::Truncated { .. } | Error::Damaged { .. }), "{error:?}");
}
