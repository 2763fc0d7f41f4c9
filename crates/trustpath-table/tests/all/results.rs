//! Results are read back unchanged from every format, whatever their texts hold.

use std::collections::BTreeSet;
use std::fs;
use std::io::Cursor;
use std::path::PathBuf;

use proptest::collection::btree_set;
use proptest::prelude::*;
use trustpath_table::npy::NpyArray;
use trustpath_table::{Column, Error, Output, PartlyLabelledFile, ResultTable};

use crate::format_names;
use crate::testing::{Folder, refused};

const IDS: [&str; 6] =
    ["plain", "say \"hi\", you", "two\nlines\tand a tab", "é✓𝛌 <script>", "=HYPERLINK(\"http://x\")", "'@already"];
const LABELS: [Option<&str>; 6] = [Some("auk"), Some("-5 below"), None, Some("gull, herring"), Some("=1+1"), None];

fn table_of<const N: usize>(columns: [(&str, Column); N]) -> ResultTable {
    let mut table = ResultTable::default();
    columns.into_iter().for_each(|(name, column)| table.push(name, column).unwrap());
    table
}

fn table() -> ResultTable {
    table_of([
        ("id", Column::Text(IDS.map(String::from).to_vec())),
        ("label", Column::OptionalText(LABELS.map(|l| l.map(String::from)).to_vec())),
        ("probability", Column::Number(vec![1.0 / 3.0, 1e-300, 0.0, 1.0, 0.5, 0.25])),
        ("credibility", Column::OptionalNumber(vec![Some(0.1), None, Some(1.0), None, None, None])),
        ("rows", Column::Count(vec![0, 1, 2, 3, 4, 1 << 40])),
        ("round", Column::OptionalCount(vec![None, Some(1), Some(2), None, None, Some(9)])),
        ("trusted", Column::Flag(vec![true, false, true, true, false, false])),
    ])
}

fn written(table: &ResultTable, folder: &Folder, format: &str) -> PathBuf {
    let path = folder.path(&format!("results.{format}"));
    table.write(&Output::new(&path)).unwrap();
    path
}

/// The names of the labels that the labels file `table` gives to `ids`, for every format that can
/// be read as a labels file, which a structured array cannot.
fn labels_read_back(ids: &[String], table: &ResultTable) -> Vec<(&'static str, Vec<Option<String>>)> {
    let folder = Folder::new();
    let values = Column::Number(vec![0.5; ids.len()]);
    let features = table_of([("id", Column::Text(ids.to_vec())), ("a", values)]);
    let features = written(&features, &folder, "jsonl");
    let read = |format| {
        let labels = folder.path(&format!("labels.{format}"));
        table.write(&Output::new(&labels)).unwrap();
        let read = PartlyLabelledFile::new(&features).labels(labels).read();
        let read = read.unwrap_or_else(|error| panic!("{format}: {error}"));
        assert_eq!(read.ids(), ids, "{format}");
        let name = |label: &Option<usize>| label.map(|class| read.class_names()[class].clone());
        (format, read.labels().iter().map(name).collect())
    };
    format_names().filter(|format| *format != "npy").map(read).collect()
}

#[test]
fn labels_are_read_back_for_the_instances_they_were_written_for() {
    let ids: Vec<String> = IDS.iter().rev().map(|&id| id.into()).collect();
    for (format, names) in labels_read_back(&ids, &table()) {
        let names: Vec<Option<&str>> = names.iter().map(Option::as_deref).collect();
        assert_eq!(names, LABELS.iter().rev().copied().collect::<Vec<_>>(), "{format}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_read_back_unchanged(texts in btree_set("[ -~éλ\n\t'=+@,\"-]{1,9}", 1..8)) {
        // csv does not keep blanks around a text, and a label must not look like a missing one.
        let texts: BTreeSet<String> = texts.iter().map(|text| format!("{}.", text.trim())).collect();
        let ids: Vec<String> = texts.into_iter().collect();
        let labels: Vec<String> = ids.iter().rev().cloned().collect();
        let columns = [("id", Column::Text(ids.clone())), ("label", Column::Text(labels.clone()))];
        for (format, names) in labels_read_back(&ids, &table_of(columns)) {
            let names: Vec<String> = names.into_iter().flatten().collect();
            prop_assert_eq!(&names, &labels, "{}", format);
        }
    }
}

#[test]
fn separated_values() {
    let folder = Folder::new();
    for (format, delimiter) in [("csv", b','), ("tsv", b'\t')] {
        let path = written(&table(), &folder, format);
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
    let folder = Folder::new();
    let text = fs::read_to_string(written(&table(), &folder, "jsonl")).unwrap();
    let rows: Vec<serde_json::Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
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
    let folder = Folder::new();
    let bytes = fs::read(written(&table(), &folder, "npz")).unwrap();
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).unwrap();
    let mut array = |name: &str| {
        let entry = archive.by_name(&format!("{name}.npy")).unwrap();
        let size = entry.size();
        NpyArray::read(entry, size, name.into()).unwrap()
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
    let folder = Folder::new();
    let bytes = fs::read(written(&table(), &folder, "npy")).unwrap();
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
    let folder = Folder::new();
    let bytes = fs::read(written(&table(), &folder, "safetensors")).unwrap();
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
    let folder = Folder::new();
    let file = fs::File::open(written(&table(), &folder, "parquet")).unwrap();
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
    assert_eq!(rows[1][2..], [Field::Double(1e-300), Field::Null, Field::Long(1), Field::Long(1), Field::Bool(false),]);
}

#[test]
fn a_failure_leaves_no_partial_file() {
    let folder = Folder::new();
    let write = |name: &str| table().write(&Output::new(folder.path(name)));
    refused(write("missing/r.csv"), &["choose a folder that exists"]);
    let error = refused(write("r.xlsx"), &[]);
    assert!(matches!(error, Error::UnknownFormat { .. }), "{error}");
    // A text that would make an array too wide does not change the old file.
    let path = folder.file("r.npz", b"old");
    let mut texts = vec![String::new(); 600];
    texts[0] = "x".repeat(1 << 20);
    let wide = table_of([("reason", Column::Text(texts))]);
    refused(wide.write(&Output::new(&path)), &["\"reason\"", ".parquet"]);
    assert_eq!(fs::read(&path).unwrap(), b"old");
    assert_eq!(folder.names(), ["r.npz"]);
    if cfg!(target_os = "linux") {
        for format in format_names() {
            let full = Output::new("/dev/full").as_format(format.parse().unwrap());
            let error = refused(table().write(&full), &[]);
            assert!(matches!(error, Error::Write { .. }), "{format}: {error}");
        }
    }
}

#[test]
fn a_table_without_rows_is_written() {
    let folder = Folder::new();
    let empty = table_of([("id", Column::Text(vec![])), ("p", Column::OptionalNumber(vec![]))]);
    format_names().for_each(|format| drop(written(&empty, &folder, format)));
    assert_eq!(fs::read_to_string(folder.path("results.csv")).unwrap(), "id,p\n");
}
