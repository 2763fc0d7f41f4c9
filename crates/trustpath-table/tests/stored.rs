//! Features that stay in their file: the same numbers as those in memory, and what is wrong told when
//! they are read.

use std::fs;
use std::path::{Path, PathBuf};

use trustpath_table::{Error, Pool, PoolFile, Tensor, TensorFile, npy};

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tables").join(name)
}

/// All rows, read so many at a time.
fn all(pool: &Pool, at_once: usize) -> Vec<f32> {
    let mut values = vec![0.0; pool.rows() * pool.dims()];
    for (block, out) in values.chunks_mut(at_once * pool.dims()).enumerate() {
        pool.read(block * at_once, out).unwrap();
    }
    values
}

/// Reads a file both ways, and compares everything.
#[track_caller]
fn same(file: &PoolFile) -> Pool {
    let memory = file.read().unwrap();
    let whole = memory.features().expect("small files are in memory");
    let mut last = None;
    for bytes in [0, 60] {
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
        last = Some(stored);
    }
    // There and back, in any order.
    let stored = last.unwrap();
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

fn npy_file(folder: &Path, rows: usize, dims: usize, values: &[f32]) -> PathBuf {
    let path = folder.join("x.npy");
    let mut bytes = Vec::new();
    npy::write_f32(&mut bytes, &[rows, dims], values).unwrap();
    fs::write(&path, bytes).unwrap();
    path
}

#[test]
fn arrays_of_every_type_and_byte_order() {
    for name in ["f2.npy", "f4.npy", "f8.npy", "i2.npy", "big-f4.npy"] {
        same(&PoolFile::new(fixture(name)));
    }
    for name in ["f16.safetensors", "bf16.safetensors", "f32.safetensors", "f64.safetensors"] {
        let pool = same(&PoolFile::new(fixture(name)));
        assert!(pool.labels().iter().all(Option::is_some), "{name} has its labels");
    }
    // More than is converted at a time.
    let folder = tempfile::tempdir().unwrap();
    same(&PoolFile::new(npy_file(folder.path(), 300, 500, &values(150_000))));
}

#[test]
fn what_has_no_rows_in_order_is_read_whole() {
    let folder = tempfile::tempdir().unwrap();
    let csv = folder.path().join("x.csv");
    fs::write(&csv, "a,b\n1,2\n3,4\n").unwrap();
    for file in [fixture("fortran.npy"), fixture("stored.npz"), fixture("keys.jsonl"), csv] {
        let pool = PoolFile::new(&file).in_memory_up_to(0).read().unwrap();
        assert!(pool.features().is_some(), "{}", file.display());
    }
}

#[test]
fn the_bound_is_in_bytes_of_single_precision() {
    let file = |bytes| PoolFile::new(fixture("f8.npy")).in_memory_up_to(bytes).read().unwrap();
    let bytes = 4 * (file(u64::MAX).rows() * file(u64::MAX).dims()) as u64;
    assert!(file(bytes).features().is_some());
    assert!(file(bytes - 1).features().is_none());
}

#[test]
fn a_late_value_that_is_not_finite_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let (rows, dims) = (5000, 40);
    let mut wrong = values(rows * dims);
    wrong[4321 * dims + 7] = f32::NAN;
    let path = npy_file(folder.path(), rows, dims, &wrong);
    let in_memory = PoolFile::new(&path).read().unwrap_err();
    let pool = PoolFile::new(&path).in_memory_up_to(0).read().unwrap();
    let error = pool.check_values().unwrap_err();
    assert_eq!(error.to_string(), in_memory.to_string());
    assert!(matches!(error, Error::NotFinite { row: 4321, .. }), "{error}");
    let mut out = vec![0.0; 2 * dims];
    assert_eq!(pool.read(4320, &mut out).unwrap_err().to_string(), error.to_string());
    pool.read(4322, &mut out).unwrap();
}

#[test]
fn a_file_that_shrinks_gives_a_sentence() {
    let folder = tempfile::tempdir().unwrap();
    let (rows, dims) = (200, 10);
    let array = npy_file(folder.path(), rows, dims, &values(rows * dims));
    let tensors = folder.path().join("x.safetensors");
    let mut file = TensorFile::default();
    let features = Tensor::F32 { shape: vec![rows, dims], values: values(rows * dims) };
    file.tensors.insert("features".into(), features);
    file.write(&tensors).unwrap();
    for path in [array, tensors] {
        let pool = PoolFile::new(&path).in_memory_up_to(0).read().unwrap();
        let length = fs::metadata(&path).unwrap().len();
        let open = fs::OpenOptions::new().write(true).open(&path).unwrap();
        open.set_len(length - 4000).unwrap();
        let mut out = vec![0.0; dims];
        pool.read(0, &mut out).unwrap();
        let error = pool.read(rows - 1, &mut out).unwrap_err();
        let expected =
            Error::Truncated { file: path.display().to_string(), expected: 8000, found: 4000 };
        assert_eq!(error, expected);
        assert_eq!(pool.check_values().unwrap_err(), expected);
    }
}

#[cfg(feature = "parquet")]
mod parquet {
    use std::sync::Arc;

    use ::parquet::data_type::{ByteArrayType, DoubleType, FloatType};
    use ::parquet::file::properties::WriterProperties;
    use ::parquet::file::writer::SerializedFileWriter;
    use ::parquet::schema::parser::parse_message_type;

    use super::*;

    const DIMS: usize = 4;

    fn write(
        path: &Path,
        schema: &str,
        group_rows: &[usize],
        mut put: impl FnMut(&mut ::parquet::file::writer::SerializedColumnWriter<'_>, usize, usize),
    ) {
        let schema = Arc::new(parse_message_type(schema).unwrap());
        // Small pages, so that windows begin within and between them.
        let properties = WriterProperties::builder()
            .set_data_page_row_count_limit(7)
            .set_write_batch_size(3)
            .build();
        let file = fs::File::create(path).unwrap();
        let mut writer = SerializedFileWriter::new(file, schema, Arc::new(properties)).unwrap();
        let mut first = 0;
        for &rows in group_rows {
            let mut group = writer.next_row_group().unwrap();
            while let Some(mut column) = group.next_column().unwrap() {
                put(&mut column, first, rows);
                column.close().unwrap();
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

    /// Columns of doubles and labels; `wrong` replaces one value, none being null.
    fn columns(path: &Path, groups: &[usize], wrong: Option<(usize, usize, Option<f64>)>) {
        let mut column = 0;
        write(path, COLUMNS, groups, |writer, first, rows| {
            let rows = first..first + rows;
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
            column = (column + 1) % (DIMS + 1);
        });
    }

    /// One column of lists; `ragged` has one value less.
    fn lists(path: &Path, groups: &[usize], ragged: Option<usize>) {
        let schema = "message m { required group features (LIST) { repeated group list { \
            required float element; } } }";
        write(path, schema, groups, |writer, first, rows| {
            let (mut values, mut repetition) = (Vec::new(), Vec::new());
            for row in first..first + rows {
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
    fn parquet_by_windows_within_row_groups() {
        for name in ["pandas.parquet", "list.parquet", "fixed.parquet", "gzip.parquet"] {
            same(&PoolFile::new(fixture(name)));
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.parquet");
        for groups in [&[53][..], &[20, 1, 0, 40]] {
            columns(&path, groups, None);
            let pool = same(&PoolFile::new(&path));
            assert_eq!(pool.columns().unwrap(), ["a", "b", "c", "d"]);
            assert_eq!(pool.labels()[..3], [Some(0), Some(1), Some(0)]);
            let mut row = [0.0; DIMS];
            pool.read(33, &mut row).unwrap();
            assert_eq!(row, [0, 1, 2, 3].map(|column| value(33, column) as f32));
            lists(&path, groups, None);
            same(&PoolFile::new(&path));
        }
    }

    #[test]
    fn what_is_wrong_in_a_late_row_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.parquet");
        let stored = || PoolFile::new(&path).in_memory_up_to(200).read().unwrap();
        let sentence = |part: &str| {
            let error = stored().check_values().unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
            assert_eq!(PoolFile::new(&path).read().unwrap_err().to_string(), error);
        };
        columns(&path, &[30, 30], Some((45, 2, Some(f64::INFINITY))));
        sentence("feature \"c\" of row 45 in ");
        columns(&path, &[30, 30], Some((45, 1, None)));
        sentence("row 45, column \"b\" is missing");
        lists(&path, &[30, 30], Some(52));
        sentence("row 52 has 3 features but row 0 has 4");

        columns(&path, &[30, 30], None);
        let pool = stored();
        let mut out = [0.0; DIMS];
        pool.read(59, &mut out).unwrap();
        fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(200).unwrap();
        let error = pool.read(40, &mut out).unwrap_err();
        assert!(matches!(error, Error::Damaged { .. }), "{error}");
    }

    #[test]
    fn damaged_files_are_errors_and_never_panics() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["pandas.parquet", "list.parquet", "fixed.parquet"] {
            let bytes = fs::read(fixture(name)).unwrap();
            let copy = folder.path().join(name);
            for place in 0..bytes.len() {
                let change = [1, 0x80, 0xff][place % 3];
                let mut changed = bytes.clone();
                changed[place] ^= change;
                let _ = fs::remove_file(&copy);
                fs::write(&copy, changed).unwrap();
                let read = PoolFile::new(&copy).in_memory_up_to(30).read();
                if let Err(error) = read.and_then(|pool| pool.check_values()) {
                    let panicked = error.to_string().contains("contradict each other");
                    assert!(!panicked, "{name} changed at {place} by {change:#x}");
                }
            }
        }
    }
}
