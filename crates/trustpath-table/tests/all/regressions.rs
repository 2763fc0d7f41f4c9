//! Files that once made a reader hang, print a panic or misread them.

use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::Duration;

use trustpath_table::PartlyLabelledFile;

use crate::testing::{Folder, refused};

fn file(name: &str) -> PartlyLabelledFile {
    let folder: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/regressions");
    PartlyLabelledFile::new(folder.join(name))
}

/// A page header announces a long list, which the decoder skipped far beyond the end of the file.
#[cfg(feature = "parquet")]
#[test]
fn a_list_beyond_the_end_of_a_parquet_file_ends() {
    let (send, receive) = mpsc::channel();
    std::thread::spawn(move || {
        // Nobody listens any more where the deadline has passed.
        let _ = send.send(file("fz_timeout.parquet").read());
    });
    let read = receive.recv_timeout(Duration::from_secs(300)).expect("reading ends");
    refused(read, &["cannot parse", "fz_timeout.parquet"]);
}

/// The decoder panics on an empty dictionary page; the message of the panic must not be printed.
#[cfg(feature = "parquet")]
#[test]
fn a_panic_of_the_parquet_decoder_is_an_error() {
    refused(file("pq1.parquet").read(), &["cannot parse", "its pages contradict each other"]);
}

#[test]
fn terminal_escapes_in_a_cell_are_shown_as_text() {
    let error = refused(file("esc.csv").read(), &["line 3", r#""x\u{1b}[2J" is not a number"#]);
    assert!(!error.to_string().contains('\u{1b}'));
}

#[test]
fn a_key_that_comes_twice_is_refused() {
    refused(file("dupkeys.jsonl").read(), &["line 1 has the key \"a\" twice"]);
}

/// One long text in every row, which a dictionary says in a few bytes.
#[cfg(feature = "parquet")]
#[test]
fn long_texts_of_a_dictionary_are_refused_before_they_fill_the_memory() {
    use parquet::data_type::{ByteArray, ByteArrayType, DoubleType};
    let folder = Folder::new();
    let path = folder.path("pool.parquet");
    let long = ByteArray::from(vec![b'x'; 1 << 20]);
    write_parquet(&path, "message m { required double a; required binary note (UTF8); }", |writer, column| {
        if column == 0 {
            writer.typed::<DoubleType>().write_batch(&[1.0; 3000], None, None).unwrap();
        } else {
            writer.typed::<ByteArrayType>().write_batch(&vec![long.clone(); 3000], None, None).unwrap();
        }
    });
    refused(PartlyLabelledFile::new(&path).read(), &["pool.parquet", "\"note\"", "more than 1024 MiB", "shorten"]);
}

#[cfg(feature = "parquet")]
fn write_parquet(
    path: &Path,
    schema: &str,
    put: impl Fn(&mut parquet::file::writer::SerializedColumnWriter<'_>, usize),
) {
    use parquet::file::{properties::WriterProperties, writer::SerializedFileWriter};
    let schema = std::sync::Arc::new(parquet::schema::parser::parse_message_type(schema).unwrap());
    let properties = WriterProperties::builder().set_compression(parquet::basic::Compression::SNAPPY);
    let properties = properties.set_dictionary_page_size_limit(4 << 20).build();
    let file = std::fs::File::create(path).unwrap();
    let mut writer = SerializedFileWriter::new(file, schema, properties.into()).unwrap();
    let mut group = writer.next_row_group().unwrap();
    let mut column = 0;
    while let Some(mut writer) = group.next_column().unwrap() {
        put(&mut writer, column);
        writer.close().unwrap();
        column += 1;
    }
    group.close().unwrap();
    writer.close().unwrap();
}

/// A sparse file without a line break, and a line of commas alone.
#[test]
fn endless_lines_are_refused() {
    let folder = Folder::new();
    for name in ["pool.csv", "pool.jsonl"] {
        let path = folder.file(name, "");
        std::fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(3 << 30).unwrap();
        refused(PartlyLabelledFile::new(&path).read(), &[name, "a line of more than 32 MiB", "one line for each"]);
        let features = folder.file("features.csv", "a,b\n1,2\n");
        let labels = PartlyLabelledFile::new(features).labels(&path).read();
        refused(labels, &[name, "too large"]);
    }
    let commas = folder.file("commas.csv", vec![b','; 2 << 20]);
    refused(PartlyLabelledFile::new(&commas).read(), &["commas.csv", "2097153 columns", "at most 1048576"]);
    let features = folder.file("features.csv", "a,b\n1,2\n");
    refused(PartlyLabelledFile::new(features).labels(commas).read(), &["commas.csv", "2097153 columns"]);
}

/// Counts of words are nearly all the same zero, of which runs take a few bytes; far more of them are still refused.
#[cfg(feature = "parquet")]
#[test]
fn sparse_features_are_read_and_absurd_numbers_refused() {
    use parquet::data_type::{FloatType, Int32Type};
    let folder = Folder::new();
    let path = folder.path("words.parquet");
    let (rows, dims) = (1500, 1500);
    let schema = "message m { required group features (LIST) { repeated group list { required float element; } } }";
    write_parquet(&path, schema, |writer, _| {
        let repetition: Vec<i16> = (0..rows * dims).map(|at| i16::from(at % dims != 0)).collect();
        let mut values = vec![0.0; rows * dims];
        values.iter_mut().step_by(dims + 1).for_each(|value| *value = 1.0);
        writer.typed::<FloatType>().write_batch(&values, Some(&vec![1; rows * dims]), Some(&repetition)).unwrap();
    });
    let table = PartlyLabelledFile::new(&path).read().unwrap();
    assert_eq!((table.rows(), table.dims()), (rows, dims));
    let path = folder.path("runs.parquet");
    write_parquet(&path, "message m { required int32 a; }", |writer, _| {
        let zeros = vec![0; 1 << 20];
        (0..3).for_each(|_| assert_eq!(writer.typed::<Int32Type>().write_batch(&zeros, None, None).unwrap(), 1 << 20));
    });
    refused(PartlyLabelledFile::new(&path).read(), &["runs.parquet", "announces 3145728 values"]);
}
