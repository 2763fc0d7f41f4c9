//! Safetensors: features, labels and ids by the names of their tensors.
//!
//! Class names are a JSON array of strings under the metadata key `class_names`. Texts, for which there is no tensor
//! type, are two tensors: `NAME.bytes` with all of them one after another in UTF-8, and `NAME.offsets` with the offset
//! at which each begins, followed by the offset at which the last ends; or a JSON array under the metadata key `NAME`.

use super::raw::{RawTable, ReadOptions, check_label_shape, matrix_shape, no_column, no_feature_array};
use crate::block_file::ArrayInFile;
use crate::input::Input;
use crate::labels::FileLabels;
use crate::result::{Column, ColumnKind};
use crate::scalar::Scalar;
use crate::tensors::{self, TensorEntry, TensorReader};
use crate::{Error, Output, Result, ResultTable};

/// Reads the tensors of features, labels and ids, and the class names.
pub(super) fn read(input: Input, options: ReadOptions) -> Result<RawTable> {
    let file = TensorReader::open(input)?;
    let (labels, ids) = (labels(&file, options)?, ids(&file, options)?);
    if let (Some(name), None, false) = (options.id, &ids, options.labels_only) {
        return Err(no_column(file.name(), name, &file.names()));
    }
    let class_names = json_list(&file, "class_names")?;
    if options.labels_only {
        return Ok(RawTable { class_names, ..RawTable::of_labels(labels, ids) });
    }
    let name = options
        .feature_names()
        .into_iter()
        .find(|name| file.has(name))
        .ok_or_else(|| no_feature_array(file.name(), &file.names()))?;
    let (scalar, shape) = file.scalar(name, "features must be f16, bf16, f32, f64 or integers")?;
    let (rows, dims) = matrix_shape(&file.called(name), &shape)?;
    let (start, input) = (file.place(name)?, file.into_input());
    let array = ArrayInFile { input, start, rows, dims, scalar, big_endian: false };
    Ok(RawTable { labels, ids, class_names, ..array.into_table(options)? })
}

/// The labels under the first name that has some.
fn labels(file: &TensorReader, options: ReadOptions) -> Result<Option<FileLabels>> {
    for name in options.label_names() {
        if let Some(names) = texts(file, name)? {
            return Ok(Some(FileLabels::from_names(names)));
        }
        if file.has(name) {
            let (scalar, shape) = file.scalar(name, "labels must be integers")?;
            let called = file.called(name);
            check_label_shape(&called, &shape)?;
            return FileLabels::from_array(scalar, &file.bytes(name)?, &called).map(Some);
        }
    }
    Ok(None)
}

/// The ids under the first name that has some.
fn ids(file: &TensorReader, options: ReadOptions) -> Result<Option<Vec<String>>> {
    for name in options.id_names() {
        if let Some(ids) = texts(file, name)? {
            return Ok(Some(ids));
        }
        if file.has(name) {
            let (scalar, _) = file.scalar(name, "ids must be integers or texts")?;
            let numbers = scalar.to_i64s(&file.bytes(name)?);
            let numbers = numbers.map_err(|e| Error::damaged(file.called(name), e))?;
            return Ok(Some(numbers.iter().map(i64::to_string).collect()));
        }
    }
    Ok(None)
}

/// The texts of that name, if there are any.
fn texts(file: &TensorReader, name: &str) -> Result<Option<Vec<String>>> {
    let (bytes, offsets) = (format!("{name}.bytes"), format!("{name}.offsets"));
    if !file.has(&bytes) || !file.has(&offsets) {
        return json_list(file, name);
    }
    let wrong = Error::damaged(file.called(name), "its texts and offsets do not fit");
    let (scalar, _) = file.scalar(&offsets, "offsets must be integers")?;
    let places = scalar.to_i64s(&file.bytes(&offsets)?).map_err(|_| wrong.clone())?;
    let (Scalar::U8, _) = file.scalar(&bytes, "texts must be u8")? else { return Err(wrong) };
    let bytes = file.bytes(&bytes)?;
    let text = |ends: &[i64]| {
        let (begin, end) = (usize::try_from(ends[0]).ok()?, usize::try_from(ends[1]).ok()?);
        Some(std::str::from_utf8(bytes.get(begin..end)?).ok()?.to_owned())
    };
    places.windows(2).map(text).collect::<Option<_>>().map(Some).ok_or(wrong)
}

/// The JSON array of strings under a metadata key, if there is one.
fn json_list(file: &TensorReader, name: &str) -> Result<Option<Vec<String>>> {
    let Some(text) = file.metadata().remove(name) else { return Ok(None) };
    serde_json::from_str(&text)
        .map(Some)
        .map_err(|_| Error::damaged(file.name(), format!("its metadata {name} is not a JSON array of strings")))
}

/// Writes one tensor per column, two for a column of texts.
pub(super) fn write(table: &ResultTable, output: &Output) -> Result<()> {
    let entries = table.columns.iter().flat_map(|(name, column)| entries(name, column)).collect();
    output.write(|w| tensors::write(w, &Default::default(), entries))
}

fn entries(name: &str, column: &Column) -> Vec<TensorEntry> {
    let entry = |name: String, dtype, length, bytes| TensorEntry { name, dtype, shape: vec![length], bytes };
    let mut bytes = Vec::new();
    let dtype = match column.kind() {
        ColumnKind::Text => {
            let mut offsets = 0i64.to_le_bytes().to_vec();
            for text in column.texts() {
                bytes.extend(text.as_bytes());
                offsets.extend((bytes.len() as i64).to_le_bytes());
            }
            return vec![
                entry(format!("{name}.bytes"), "U8", bytes.len(), bytes),
                entry(format!("{name}.offsets"), "I64", column.len() + 1, offsets),
            ];
        }
        ColumnKind::Number => "F64",
        ColumnKind::Count => "I64",
        ColumnKind::Flag => "BOOL",
    };
    for row in 0..column.len() {
        column.write_bytes(row, &mut bytes).expect("memory takes all bytes");
    }
    vec![entry(name.to_owned(), dtype, column.len(), bytes)]
}
