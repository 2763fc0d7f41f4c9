//! Features that stay in their file: the same numbers as those in memory, and errors when they are read.

use std::fs;
use std::path::PathBuf;

use trustpath_table::{Error, PartlyLabelledFile, PartlyLabelledTable, Tensor, TensorFile, npy};

use crate::fixture;
use crate::testing::Folder;

/// All rows, read `at_once` at a time.
fn all(table: &PartlyLabelledTable, at_once: usize) -> Vec<f32> {
    let mut values = vec![0.0; table.rows() * table.dims()];
    for (block, out) in values.chunks_mut(at_once * table.dims()).enumerate() {
        table.read(block * at_once, out).unwrap();
    }
    values
}

/// Reads a file in memory and in blocks, and compares everything.
#[track_caller]
fn assert_same(file: &PartlyLabelledFile) -> PartlyLabelledTable {
    let memory = file.read().unwrap();
    let whole = memory.features().expect("small files are in memory");
    let in_blocks = |bytes| {
        let stored = file.clone().in_memory_up_to(bytes).read().unwrap();
        assert!(stored.features().is_none());
        assert_eq!((stored.rows(), stored.dims()), (memory.rows(), memory.dims()));
        assert_eq!(stored.columns(), memory.columns());
        assert_eq!((stored.ids(), stored.labels()), (memory.ids(), memory.labels()));
        assert_eq!(stored.class_names(), memory.class_names());
        for at_once in [1, 5, 64, stored.rows()] {
            let bits = |values: &[f32]| values.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
            assert_eq!(bits(&all(&stored, at_once)), bits(whole), "{at_once} at once");
        }
        stored.check_values().unwrap();
        stored
    };
    in_blocks(0);
    let stored = in_blocks(60);
    // Rows in any order.
    let rows: Vec<usize> = (0..stored.rows()).rev().chain([0, 1, 2, 0]).collect();
    let mut gathered = vec![0.0; rows.len() * stored.dims()];
    let mut expected = gathered.clone();
    stored.gather(&rows, &mut gathered).unwrap();
    memory.gather(&rows, &mut expected).unwrap();
    assert_eq!(gathered, expected);
    stored
}

fn values(n: usize) -> Vec<f32> {
    (0..n).map(|i| (i as f32 * 0.37).sin() * 100.0).collect()
}

fn npy_file(folder: &Folder, rows: usize, dims: usize, values: &[f32]) -> PathBuf {
    let mut bytes = Vec::new();
    npy::write_f32(&mut bytes, &[rows, dims], values).unwrap();
    folder.file("x.npy", bytes)
}

#[test]
fn arrays_of_every_type_and_byte_order() {
    for name in ["f2.npy", "f4.npy", "f8.npy", "i2.npy", "big-f4.npy"] {
        assert_same(&PartlyLabelledFile::new(fixture(name)));
    }
    for name in ["f16.safetensors", "bf16.safetensors", "f32.safetensors", "f64.safetensors"] {
        let table = assert_same(&PartlyLabelledFile::new(fixture(name)));
        assert!(table.labels().iter().all(Option::is_some), "{name} has its labels");
    }
    // More values than are converted at a time.
    let folder = Folder::new();
    assert_same(&PartlyLabelledFile::new(npy_file(&folder, 300, 500, &values(150_000))));
}

#[test]
fn files_that_cannot_be_read_in_blocks_are_in_memory() {
    let folder = Folder::new();
    let csv = folder.file("x.csv", "a,b\n1,2\n3,4\n");
    for file in [fixture("fortran.npy"), fixture("stored.npz"), fixture("keys.jsonl"), csv] {
        let table = PartlyLabelledFile::new(&file).in_memory_up_to(0).read().unwrap();
        assert!(table.features().is_some(), "{}", file.display());
    }
}

#[test]
fn the_bound_counts_four_bytes_per_value() {
    let file = |bytes| PartlyLabelledFile::new(fixture("f8.npy")).in_memory_up_to(bytes).read().unwrap();
    let bytes = 4 * (file(u64::MAX).rows() * file(u64::MAX).dims()) as u64;
    assert!(file(bytes).features().is_some());
    assert!(file(bytes - 1).features().is_none());
}

#[test]
fn a_late_value_that_is_not_finite_is_named() {
    let folder = Folder::new();
    let (rows, dims) = (5000, 40);
    let mut wrong = values(rows * dims);
    wrong[4321 * dims + 7] = f32::NAN;
    let path = npy_file(&folder, rows, dims, &wrong);
    let in_memory = PartlyLabelledFile::new(&path).read().unwrap_err();
    let table = PartlyLabelledFile::new(&path).in_memory_up_to(0).read().unwrap();
    let error = table.check_values().unwrap_err();
    assert_eq!(error.to_string(), in_memory.to_string());
    assert!(matches!(error, Error::NotFinite { row: 4321, .. }), "{error}");
    let mut out = vec![0.0; 2 * dims];
    assert_eq!(table.read(4320, &mut out).unwrap_err().to_string(), error.to_string());
    table.read(4322, &mut out).unwrap();
}

#[test]
fn a_file_that_was_shortened_is_refused() {
    let folder = Folder::new();
    let (rows, dims) = (200, 10);
    let array = npy_file(&folder, rows, dims, &values(rows * dims));
    let tensors = folder.path("x.safetensors");
    let mut file = TensorFile::default();
    let features = Tensor::F32 { shape: vec![rows, dims], values: values(rows * dims) };
    file.tensors.insert("features".into(), features);
    file.write(&tensors).unwrap();
    for path in [array, tensors] {
        let table = PartlyLabelledFile::new(&path).in_memory_up_to(0).read().unwrap();
        let length = fs::metadata(&path).unwrap().len();
        let open = fs::OpenOptions::new().write(true).open(&path).unwrap();
        open.set_len(length - 4000).unwrap();
        let mut out = vec![0.0; dims];
        table.read(0, &mut out).unwrap();
        let error = table.read(rows - 1, &mut out).unwrap_err();
        let expected = Error::Truncated { file: path.display().to_string(), expected: 8000, available: 4000 };
        assert_eq!(error, expected);
        assert_eq!(table.check_values().unwrap_err(), expected);
    }
}

#[cfg(feature = "parquet")]
mod parquet {
    use std::ops::Range;
    use std::sync::Arc;

    use ::parquet::data_type::{ByteArrayType, DoubleType, FloatType};
    use ::parquet::file::properties::WriterProperties;
    use ::parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
    use ::parquet::schema::parser::parse_message_type;

    use super::*;
    use crate::testing::refused;
    use crate::{assert_did_not_panic, with_one_byte_changed};

    const DIMS: usize = 4;

    fn write(
        path: &PathBuf,
        schema: &str,
        group_rows: &[usize],
        put: impl Fn(&mut SerializedColumnWriter<'_>, usize, Range<usize>),
    ) {
        let schema = Arc::new(parse_message_type(schema).unwrap());
        // Small pages, so that blocks begin within and between them.
        let properties = WriterProperties::builder().set_data_page_row_count_limit(7).set_write_batch_size(3).build();
        let file = fs::File::create(path).unwrap();
        let mut writer = SerializedFileWriter::new(file, schema, Arc::new(properties)).unwrap();
        let mut first = 0;
        for &rows in group_rows {
            let mut group = writer.next_row_group().unwrap();
            let mut column = 0;
            while let Some(mut writer) = group.next_column().unwrap() {
                put(&mut writer, column, first..first + rows);
                writer.close().unwrap();
                column += 1;
            }
            group.close().unwrap();
            first += rows;
        }
        writer.close().unwrap();
    }

    fn value(row: usize, column: usize) -> f64 {
        ((row * 7 + column) as f64 * 0.31).sin()
    }

    const COLUMNS: &str = "message m { required double a; optional double b; required double c; \
        required double d; required binary label (UTF8); }";

    /// Columns of doubles and labels; `wrong` replaces one value, by null if it is `None`.
    fn columns(path: &PathBuf, groups: &[usize], wrong: Option<(usize, usize, Option<f64>)>) {
        write(path, COLUMNS, groups, |writer, column, rows| {
            if column == DIMS {
                let labels: Vec<_> = rows.map(|row| ["x", "y"][row % 2].into()).collect();
                writer.typed::<ByteArrayType>().write_batch(&labels, None, None).unwrap();
            } else {
                let cell = |row| match wrong {
                    Some((r, c, value)) if (r, c) == (row, column) => value,
                    _ => Some(value(row, column)),
                };
                let cells: Vec<Option<f64>> = rows.map(cell).collect();
                let levels: Vec<i16> = cells.iter().map(|c| i16::from(c.is_some())).collect();
                let levels = (column == 1).then_some(&levels[..]);
                let present: Vec<f64> = cells.into_iter().flatten().collect();
                writer.typed::<DoubleType>().write_batch(&present, levels, None).unwrap();
            }
        });
    }

    /// One column of lists; row `ragged` has one value less.
    fn lists(path: &PathBuf, groups: &[usize], ragged: Option<usize>) {
        let schema = "message m { required group features (LIST) { repeated group list { \
            required float element; } } }";
        write(path, schema, groups, |writer, _, rows| {
            let (mut values, mut repetition) = (Vec::new(), Vec::new());
            for row in rows {
                let dims = DIMS - usize::from(ragged == Some(row));
                values.extend((0..dims).map(|column| value(row, column) as f32));
                repetition.extend((0..dims).map(|column| i16::from(column > 0)));
            }
            let definition = vec![1; values.len()];
            let typed = writer.typed::<FloatType>();
            typed.write_batch(&values, Some(&definition), Some(&repetition)).unwrap();
        });
    }

    #[test]
    fn parquet_in_blocks_within_row_groups() {
        for name in ["pandas.parquet", "list.parquet", "fixed.parquet", "gzip.parquet"] {
            assert_same(&PartlyLabelledFile::new(fixture(name)));
        }
        let folder = Folder::new();
        let path = folder.path("x.parquet");
        for groups in [&[53][..], &[20, 1, 0, 40]] {
            columns(&path, groups, None);
            let table = assert_same(&PartlyLabelledFile::new(&path));
            assert_eq!(table.columns().unwrap(), ["a", "b", "c", "d"]);
            assert_eq!(table.labels()[..3], [Some(0), Some(1), Some(0)]);
            let mut row = [0.0; DIMS];
            table.read(33, &mut row).unwrap();
            assert_eq!(row, [0, 1, 2, 3].map(|column| value(33, column) as f32));
            lists(&path, groups, None);
            assert_same(&PartlyLabelledFile::new(&path));
        }
    }

    #[test]
    fn errors_in_a_late_row_are_named() {
        let folder = Folder::new();
        let path = folder.path("x.parquet");
        let stored = || PartlyLabelledFile::new(&path).in_memory_up_to(200).read().unwrap();
        let sentence = |part: &str| {
            let error = refused(stored().check_values(), &[part]).to_string();
            refused(PartlyLabelledFile::new(&path).read(), &[&error]);
        };
        columns(&path, &[30, 30], Some((45, 2, Some(f64::INFINITY))));
        sentence("feature \"c\" of row 45 in ");
        columns(&path, &[30, 30], Some((45, 1, None)));
        sentence("row 45, column \"b\" is missing");
        lists(&path, &[30, 30], Some(52));
        sentence("row 52 has 3 features but row 0 has 4");

        columns(&path, &[30, 30], None);
        let table = stored();
        let mut out = [0.0; DIMS];
        table.read(59, &mut out).unwrap();
        fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(200).unwrap();
        let error = table.read(40, &mut out).unwrap_err();
        assert!(matches!(error, Error::Damaged { .. }), "{error}");
    }

    #[test]
    fn damaged_files_are_errors_and_never_panics() {
        let folder = Folder::new();
        for name in ["pandas.parquet", "list.parquet", "fixed.parquet"] {
            for (place, changed) in with_one_byte_changed(&fs::read(fixture(name)).unwrap()) {
                let file = PartlyLabelledFile::new(folder.file(name, changed)).in_memory_up_to(30);
                let read = file.read().and_then(|table| table.check_values());
                assert_did_not_panic(read, &format!("{name} changed at {place}"));
            }
        }
    }
}
