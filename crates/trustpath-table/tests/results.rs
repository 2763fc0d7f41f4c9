//! Results come back from every format as they were, whatever their texts hold.

use std::collections::BTreeSet;
use std::fs;
use std::io::{Cursor, Read};
use std::path::{Path, PathBuf};

use proptest::collection::btree_set;
use proptest::prelude::*;
use trustpath_table::npy::Array;
use trustpath_table::{Column, Error, Format, Output, PoolFile, ResultTable};

const IDS: [&str; 6] = [
    "plain",
    "say \"hi\", you",
    "two\nlines\tand a tab",
    "é✓𝛌 <script>",
    "=HYPERLINK(\"http://x\")",
    "'@already",
];
const LABELS: [Option<&str>; 6] =
    [Some("auk"), Some("-5 below"), None, Some("gull, herring"), Some("=1+1"), None];

fn table() -> ResultTable {
    let mut table = ResultTable::default();
    let columns = [
        ("id", Column::Text(IDS.map(String::from).to_vec())),
        ("label", Column::OptionalText(LABELS.map(|l| l.map(String::from)).to_vec())),
        ("probability", Column::Number(vec![1.0 / 3.0, 1e-300, 0.0, 1.0, 0.5, 0.25])),
        ("credibility", Column::OptionalNumber(vec![Some(0.1), None, Some(1.0), None, None, None])),
        ("rows", Column::Count(vec![0, 1, 2, 3, 4, 1 << 40])),
        ("round", Column::OptionalCount(vec![None, Some(1), Some(2), None, None, Some(9)])),
        ("trusted", Column::Flag(vec![true, false, true, true, false, false])),
    ];
    for (name, column) in columns {
        table.push(name, column).unwrap();
    }
    table
}

fn written(folder: &Path, format: &str) -> PathBuf {
    let path = folder.join(format!("results.{format}"));
    table().write(&Output::new(&path)).unwrap();
    path
}

/// Ids and labels, read as a labels file, belong to the instances they were written for.
#[test]
fn every_format_but_the_structured_array_is_read_as_labels() {
    let folder = tempfile::tempdir().unwrap();
    let mut features = ResultTable::default();
    features.push("id", Column::Text(IDS.iter().rev().map(|&id| id.into()).collect())).unwrap();
    features.push("a", Column::Number(vec![0.5; 6])).unwrap();
    let pool = folder.path().join("pool.jsonl");
    features.write(&Output::new(&pool)).unwrap();
    for format in Format::NAMES {
        if format == "npy" || (format == "parquet" && !cfg!(feature = "parquet")) {
            continue;
        }
        let read = PoolFile::new(&pool).labels(written(folder.path(), format)).read();
        let read = read.unwrap_or_else(|error| panic!("{format}: {error}"));
        let names: Vec<Option<&str>> = read
            .labels()
            .iter()
            .map(|label| label.map(|class| read.class_names()[class].as_str()))
            .collect();
        assert_eq!(names, LABELS.iter().rev().copied().collect::<Vec<_>>(), "{format}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    /// Whatever the texts are, they come back the same from every format that holds labels.
    #[test]
    fn any_texts_survive(texts in btree_set("[ -~éλ\n\t'=+@,\"-]{1,9}", 1..8)) {
        // Blanks around a text are not kept by csv, and a label must not read as missing.
        let texts: BTreeSet<String> = texts
            .iter()
            .map(|text| format!("{}.", text.trim()))
            .collect();
        let texts: Vec<String> = texts.into_iter().collect();
        let mut table = ResultTable::default();
        table.push("id", Column::Text(texts.clone())).unwrap();
        table.push("label", Column::Text(texts.iter().rev().cloned().collect())).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let mut features = ResultTable::default();
        features.push("id", Column::Text(texts.clone())).unwrap();
        features.push("a", Column::Count(vec![1; texts.len()])).unwrap();
        let pool = folder.path().join("pool.csv");
        features.write(&Output::new(&pool)).unwrap();
        for format in Format::NAMES {
            if format == "npy" || (format == "parquet" && !cfg!(feature = "parquet")) {
                continue;
            }
            let labels = folder.path().join(format!("y.{format}"));
            table.write(&Output::new(&labels)).unwrap();
            let read = PoolFile::new(&pool).labels(labels).read().unwrap();
            prop_assert_eq!(read.ids(), &texts[..], "{}", format);
            let name = |label: &Option<usize>| read.class_names()[label.unwrap()].clone();
            let names: Vec<String> = read.labels().iter().map(name).collect();
            prop_assert_eq!(names, texts.iter().rev().cloned().collect::<Vec<_>>(), "{}", format);
        }
    }
}

#[test]
fn separated_values() {
    let folder = tempfile::tempdir().unwrap();
    for (format, delimiter) in [("csv", b','), ("tsv", b'\t')] {
        let path = written(folder.path(), format);
        let mut reader = csv::ReaderBuilder::new().delimiter(delimiter).from_path(&path).unwrap();
        let names: Vec<_> = table().columns().iter().map(|(name, _)| name.clone()).collect();
        assert_eq!(reader.headers().unwrap().iter().collect::<Vec<_>>(), names);
        let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
        assert_eq!(rows.len(), 6);
        let column = |k: usize| rows.iter().map(|row| row[k].to_owned()).collect::<Vec<_>>();
        assert_eq!(column(0)[..4], IDS[..4]);
        assert_eq!(column(0)[4], "'=HYPERLINK(\"http://x\")");
        assert_eq!(column(0)[5], "''@already");
        assert_eq!(column(1), ["auk", "'-5 below", "", "gull, herring", "'=1+1", ""]);
        let numbers: Vec<f64> = column(2).iter().map(|n| n.parse().unwrap()).collect();
        assert_eq!(numbers, [1.0 / 3.0, 1e-300, 0.0, 1.0, 0.5, 0.25]);
        assert_eq!(column(3), ["0.1", "", "1.0", "", "", ""]);
        assert_eq!(column(5), ["", "1", "2", "", "", "9"]);
        assert_eq!(column(6)[..2], ["true", "false"]);
    }
}

#[test]
fn json_lines() {
    let folder = tempfile::tempdir().unwrap();
    let text = fs::read_to_string(written(folder.path(), "jsonl")).unwrap();
    let rows: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(rows.len(), 6);
    for (row, (id, label)) in rows.iter().zip(IDS.iter().zip(LABELS)) {
        assert_eq!((row["id"].as_str(), row["label"].as_str()), (Some(*id), label));
    }
    assert_eq!(rows[1]["probability"], 1e-300);
    assert!(rows[1]["credibility"].is_null() && rows[0]["round"].is_null());
    assert_eq!((&rows[5]["rows"], &rows[0]["trusted"]), (&(1u64 << 40).into(), &true.into()));
}

#[test]
fn an_archive_of_arrays() {
    let folder = tempfile::tempdir().unwrap();
    let bytes = fs::read(written(folder.path(), "npz")).unwrap();
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).unwrap();
    let mut array = |name: &str| {
        let entry = archive.by_name(&format!("{name}.npy")).unwrap();
        let size = entry.size();
        Array::read(entry, size, name.into()).unwrap()
    };
    assert_eq!(array("id").to_strings().unwrap(), IDS);
    assert_eq!(array("label").to_strings().unwrap(), LABELS.map(Option::unwrap_or_default));
    assert_eq!(array("probability").to_f64s().unwrap()[..2], [1.0 / 3.0, 1e-300]);
    assert!(array("credibility").to_f64s().unwrap()[1].is_nan());
    assert_eq!(array("round").to_i64s().unwrap(), [-1, 1, 2, -1, -1, 9]);
    assert_eq!(array("trusted").to_i64s().unwrap(), [1, 0, 1, 1, 0, 0]);
}

#[test]
fn a_structured_array() {
    let folder = tempfile::tempdir().unwrap();
    let bytes = fs::read(written(folder.path(), "npy")).unwrap();
    let end = bytes.iter().position(|&b| b == b'\n').unwrap() + 1;
    assert_eq!(end % 64, 0);
    let header = std::str::from_utf8(&bytes[10..end]).unwrap();
    let widest = |texts: &[&str]| texts.iter().map(|t| t.chars().count()).max().unwrap();
    let (id, label) = (widest(&IDS), widest(&LABELS.map(Option::unwrap_or_default)));
    let expected = format!(
        "{{'descr': [('id', '<U{id}'), ('label', '<U{label}'), ('probability', '<f8'), ('credibility', '<f8'), ('rows', '<i8'), ('round', '<i8'), ('trusted', '|b1')], 'fortran_order': False, 'shape': (6,), }}"
    );
    assert_eq!(header.trim_end(), expected);
    let size = 4 * (id + label) + 4 * 8 + 1;
    assert_eq!(bytes.len() - end, 6 * size);
    let second = &bytes[end + size..][..size];
    let text: String = second[..4 * id]
        .chunks(4)
        .map(|c| char::from_u32(u32::from_le_bytes(c.try_into().unwrap())).unwrap())
        .collect();
    assert_eq!(text.trim_end_matches('\0'), IDS[1]);
    let number = |at: usize| second[4 * (id + label) + at..][..8].try_into().unwrap();
    assert_eq!(f64::from_le_bytes(number(0)), 1e-300);
    assert_eq!(i64::from_le_bytes(number(24)), 1);
}

#[test]
fn tensors() {
    let folder = tempfile::tempdir().unwrap();
    let bytes = fs::read(written(folder.path(), "safetensors")).unwrap();
    let tensors = safetensors::SafeTensors::deserialize(&bytes).unwrap();
    let i64s = |name: &str| -> Vec<i64> {
        let data = tensors.tensor(name).unwrap().data();
        data.chunks(8).map(|c| i64::from_le_bytes(c.try_into().unwrap())).collect()
    };
    assert_eq!(i64s("round"), [-1, 1, 2, -1, -1, 9]);
    let offsets = i64s("id.offsets");
    let text = tensors.tensor("id.bytes").unwrap().data();
    let texts: Vec<&str> = offsets
        .windows(2)
        .map(|ends| std::str::from_utf8(&text[ends[0] as usize..ends[1] as usize]).unwrap())
        .collect();
    assert_eq!(texts, IDS);
    assert_eq!(tensors.tensor("trusted").unwrap().data(), [1, 0, 1, 1, 0, 0]);
}

#[cfg(feature = "parquet")]
#[test]
fn parquet_rows() {
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::Field;
    let folder = tempfile::tempdir().unwrap();
    let file = fs::File::open(written(folder.path(), "parquet")).unwrap();
    let reader = SerializedFileReader::new(file).unwrap();
    let rows: Vec<Vec<Field>> = reader
        .get_row_iter(None)
        .unwrap()
        .map(|row| row.unwrap().get_column_iter().map(|(_, field)| field.clone()).collect())
        .collect();
    assert_eq!(rows.len(), 6);
    for (row, (id, label)) in rows.iter().zip(IDS.iter().zip(LABELS)) {
        let label = label.map_or(Field::Null, |label| Field::Str(label.into()));
        assert_eq!((&row[0], &row[1]), (&Field::Str((*id).into()), &label));
    }
    assert_eq!(
        rows[1][2..],
        [Field::Double(1e-300), Field::Null, Field::Long(1), Field::Long(1), Field::Bool(false),]
    );
}

#[test]
fn nothing_half_written_is_left() {
    let folder = tempfile::tempdir().unwrap();
    let error = table().write(&Output::new(folder.path().join("missing/r.csv"))).unwrap_err();
    assert!(error.to_string().contains("choose a folder that exists"), "{error}");
    let error = table().write(&Output::new(folder.path().join("r.xlsx"))).unwrap_err();
    assert!(matches!(error, Error::UnknownFormat { .. }), "{error}");
    // A text that would make an array too wide leaves the old file alone.
    let path = folder.path().join("r.npz");
    fs::write(&path, b"old").unwrap();
    let mut wide = ResultTable::default();
    let mut texts = vec![String::new(); 600];
    texts[0] = "x".repeat(1 << 20);
    wide.push("reason", Column::Text(texts)).unwrap();
    let error = wide.write(&Output::new(&path)).unwrap_err().to_string();
    assert!(error.contains("\"reason\"") && error.contains(".parquet"), "{error}");
    assert_eq!(fs::read(&path).unwrap(), b"old");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    if cfg!(target_os = "linux") {
        for format in Format::NAMES {
            if format == "parquet" && !cfg!(feature = "parquet") {
                continue;
            }
            let full = Output::new("/dev/full").as_format(format.parse().unwrap());
            let error = table().write(&full).unwrap_err();
            assert!(matches!(error, Error::Write { .. }), "{format}: {error}");
        }
    }
}

#[test]
fn an_empty_table_is_a_table() {
    let folder = tempfile::tempdir().unwrap();
    let mut empty = ResultTable::default();
    empty.push("id", Column::Text(vec![])).unwrap();
    empty.push("p", Column::OptionalNumber(vec![])).unwrap();
    for format in Format::NAMES {
        if format == "parquet" && !cfg!(feature = "parquet") {
            continue;
        }
        empty.write(&Output::new(folder.path().join(format!("e.{format}")))).unwrap();
    }
    let mut text = String::new();
    fs::File::open(folder.path().join("e.csv")).unwrap().read_to_string(&mut text).unwrap();
    assert_eq!(text, "id,p\n");
}
