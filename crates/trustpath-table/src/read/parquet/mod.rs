//! Apache Parquet: every numeric column is a feature, or one column holds lists of features.
//!
//! Columns are read whole, one row group after another; features that stay in the file are decoded a
//! window of rows at a time (`windows.rs`). A few bytes of run-length code can stand for any number of
//! values, so the count is bounded by the size of the file beforehand.

mod chunk;
mod windows;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use ::parquet::basic::LogicalType;
use ::parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use ::parquet::data_type::{ByteArray, DataType, FixedLenByteArray};
use ::parquet::errors::ParquetError;
use ::parquet::file::reader::{FileReader, RowGroupReader, SerializedFileReader};
use ::parquet::schema::types::ColumnDescriptor;

use super::labels::Labels;
use super::{FEATURE_NAMES, Raw, Wanted, no_column};
use crate::input::Input;
use crate::scalar::f16_to_f32;
use crate::{Error, Result};
use chunk::{Chunk, is_number};
use windows::Windows;

/// Rows decoded at a time.
const BATCH: usize = 1 << 16;
/// Lists decoded at a time, each of which is many values.
const LISTS: usize = 1 << 8;
/// Real features take more than a bit each; eight times that is allowed.
const VALUES_PER_BYTE: u64 = 64;
/// So many values are allowed in a file of any size.
const VALUES_ANYWAY: u64 = 1 << 20;

/// Reads features and, where their columns are there, labels and ids.
pub(super) fn read(input: Input, wanted: Wanted) -> Result<Raw> {
    let (name, length, bytes) = input.into_parts();
    guarded(&name, || {
        let reader: Box<dyn FileReader> = match bytes {
            Ok(file) => Box::new(SerializedFileReader::new(file).map_err(|e| failure(&name, &e))?),
            Err(bytes) => {
                let reader = SerializedFileReader::new(bytes::Bytes::from(bytes));
                Box::new(reader.map_err(|e| failure(&name, &e))?)
            }
        };
        Table::new(reader, length, wanted, name.clone())?.read(wanted)
    })
}

/// The decoder checks most but not all of what a damaged file may say before it relies on it.
fn guarded<T>(file: &str, work: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(work))
        .unwrap_or_else(|_| Err(Error::damaged(file, "its pages contradict each other")))
}

/// Some rows of a row group.
#[derive(Debug, Clone, Copy)]
struct Span {
    /// The first of them, counted from the first row of the file.
    first: usize,
    /// Rows of the row group before it.
    skip: usize,
    /// Rows of it at most.
    take: usize,
}

struct Table {
    reader: Box<dyn FileReader>,
    file: String,
    most_values: u64,
    label: Option<usize>,
    id: Option<usize>,
    features: Vec<usize>,
    /// Whether the one feature column holds lists.
    lists: bool,
}

impl Table {
    fn new(reader: Box<dyn FileReader>, length: u64, wanted: Wanted, file: String) -> Result<Self> {
        let schema = reader.metadata().file_metadata().schema_descr_ptr();
        let root = |i: usize| schema.column(i).path().parts()[0].clone();
        let leaves = 0..schema.num_columns();
        let label = leaves.clone().find(|&i| root(i) == wanted.label_column());
        let id = leaves.clone().find(|&i| root(i) == wanted.id_column());
        let most_values = VALUES_ANYWAY.saturating_add(length.saturating_mul(VALUES_PER_BYTE));
        if wanted.labels_only {
            let (features, lists) = (Vec::new(), false);
            return Ok(Self { reader, file, most_values, label, id, features, lists });
        }
        if let (Some(name), None) = (wanted.id, id) {
            return Err(no_column(&file, name, &leaves.map(root).collect::<Vec<_>>()));
        }
        let others = || leaves.clone().filter(|&i| Some(i) != label && Some(i) != id);

        let lists: Vec<usize> = others()
            .filter(|&i| schema.column(i).max_rep_level() == 1 && is_number(&schema.column(i)))
            .collect();
        let named =
            FEATURE_NAMES.iter().find_map(|n| lists.iter().copied().find(|&i| root(i) == *n));
        let (features, is_list) = match (lists.as_slice(), named) {
            ([], _) => {
                let columns: Vec<_> =
                    others().filter(|&i| !root(i).starts_with("__index_level_")).collect();
                if let Some(&i) = columns.iter().find(|&&i| !is_number(&schema.column(i))) {
                    return Err(Error::Dtype {
                        file: format!("{file} (column \"{}\")", root(i)),
                        found: schema.column(i).physical_type().to_string(),
                        expected: "every column but the id and the label must be numeric; drop that column or name it as the id or the label column",
                    });
                }
                (columns, false)
            }
            (&[only], _) => (vec![only], true),
            (_, Some(named)) => (vec![named], true),
            _ => (Vec::new(), true),
        };
        if features.is_empty() {
            let found: Vec<String> = leaves.map(root).collect();
            return Err(Error::NoFeatures {
                file,
                found: format!("the columns {}", found.join(", ")),
                remedy: "give numeric columns, or one column of lists called \"features\"",
            });
        }
        Ok(Self { reader, file, most_values, label, id, features, lists: is_list })
    }

    fn read(self, wanted: Wanted) -> Result<Raw> {
        self.check_size()?;
        let mut features = Vec::new();
        let mut labels: Option<Labels> = None;
        let mut ids = self.id.map(|_| Vec::new());
        let dims = if self.lists { self.list_length()? } else { self.features.len() };
        let starts = self.starts();
        let rows = starts[starts.len() - 1];
        let staying = wanted.in_memory.filter(|_| wanted.stays(rows, dims));
        let stays = staying.is_some();
        for (group, &first) in starts[..starts.len() - 1].iter().enumerate() {
            let group = self.group(group)?;
            let group = group.as_ref();
            let all = Span { first, skip: 0, take: usize::MAX };
            if self.lists && !stays {
                let mut reader = self.column(group, self.features[0], 0)?;
                self.read_lists(&mut reader, all, dims, &mut features)?;
            } else if !stays {
                self.read_columns(group, all, &mut features)?;
            }
            if let Some(column) = self.label {
                let more = self.read_labels(group, column)?;
                labels = Some(match labels {
                    None => more,
                    Some(labels) => join(labels, more),
                });
            }
            if let (Some(column), Some(ids)) = (self.id, &mut ids) {
                ids.extend(self.read_ids(group, column, first)?);
            }
        }
        if self.features.is_empty() {
            let rows = labels.as_ref().map_or(rows, Labels::len);
            return Ok(Raw { rows, labels, ids, ..Raw::default() });
        }
        if features.is_empty() && !stays {
            return Err(Error::NoFeatures {
                file: self.file,
                found: "no rows".into(),
                remedy: "write at least one row",
            });
        }
        let name = |&i: &usize| self.descriptor(i).path().parts()[0].clone();
        let columns = (!self.lists).then(|| self.features.iter().map(name).collect());
        let raw = Raw { dims, columns, ids, labels, ..Raw::default() };
        if let Some(in_memory) = staying {
            self.check_count(rows.saturating_mul(dims) as u64)?;
            let stored = Windows::new(self, starts, dims, in_memory);
            return Ok(Raw { rows, stored: Some(Arc::new(stored)), ..raw });
        }
        Ok(Raw { rows: features.len() / dims, features, ..raw })
    }

    fn group(&self, group: usize) -> Result<Box<dyn RowGroupReader + '_>> {
        self.reader.get_row_group(group).map_err(|e| failure(&self.file, &e))
    }

    /// The row that each row group begins with, and the number of rows, as the file announces them.
    fn starts(&self) -> Vec<usize> {
        let mut starts = vec![0usize];
        for group in self.reader.metadata().row_groups() {
            let rows = usize::try_from(group.num_rows()).unwrap_or(0);
            starts.push(starts[starts.len() - 1].saturating_add(rows));
        }
        starts
    }

    /// The length of the first list, as all others must have it.
    fn list_length(&self) -> Result<usize> {
        for group in 0..self.reader.num_row_groups() {
            let group = self.group(group)?;
            let mut reader = self.column(group.as_ref(), self.features[0], 0)?;
            let first = self.numbers(&mut reader, self.features[0], 1, |_| ())?;
            if !first.values.is_empty() {
                return Ok(first.values.len());
            }
        }
        Ok(0)
    }

    /// Counts the values that the pages announce, without decoding them.
    fn check_size(&self) -> Result<()> {
        let damaged = |e: ParquetError| failure(&self.file, &e);
        let mut values = 0u64;
        for group in 0..self.reader.num_row_groups() {
            let group = self.group(group)?;
            for &column in self.features.iter().chain(&self.label).chain(&self.id) {
                let place = group.metadata().column(column);
                let start = place.dictionary_page_offset().unwrap_or(place.data_page_offset());
                // The decoder takes for granted that neither is negative.
                if start < 0 || place.compressed_size() < 0 {
                    let reason = "a column lies before the file's beginning";
                    return Err(Error::damaged(&self.file, reason));
                }
                let mut pages = group.get_column_page_reader(column).map_err(damaged)?;
                while let Some(page) = pages.get_next_page().map_err(damaged)? {
                    if page.is_data_page() {
                        values = values.saturating_add(page.num_values().into());
                    }
                }
            }
        }
        self.check_count(values)
    }

    fn check_count(&self, values: u64) -> Result<()> {
        if values > self.most_values {
            let reason = format!("it announces {values} values, far more than its bytes can hold");
            return Err(Error::damaged(&self.file, reason));
        }
        Ok(())
    }

    /// Appends the features of some rows, where each is a column.
    fn read_columns(
        &self,
        group: &dyn RowGroupReader,
        span: Span,
        features: &mut Vec<f32>,
    ) -> Result<()> {
        let (start, dims) = (features.len(), self.features.len());
        for (place, &column) in self.features.iter().enumerate() {
            let mut reader = self.column(group, column, span.skip)?;
            let chunk = self.numbers(&mut reader, column, span.take, |value| value as f32)?;
            self.refuse_nulls(&chunk, column, span.first)?;
            if place == 0 {
                features.resize(start + chunk.values.len() * dims, 0.0);
            }
            if features.len() - start != chunk.values.len() * dims {
                return Err(Error::damaged(&self.file, "its columns differ in length"));
            }
            let cells = features[start..].iter_mut().skip(place).step_by(dims);
            cells.zip(&chunk.values).for_each(|(cell, &value)| *cell = value);
        }
        Ok(())
    }

    /// Appends the features of some rows, which are lists that `reader` comes to next.
    fn read_lists(
        &self,
        reader: &mut ColumnReader,
        span: Span,
        dims: usize,
        features: &mut Vec<f32>,
    ) -> Result<()> {
        let column = self.features[0];
        let chunk = self.numbers(reader, column, span.take, |value| value as f32)?;
        self.refuse_nulls(&chunk, column, span.first)?;
        let starts = chunk.repetition.iter().enumerate().filter(|(_, level)| **level == 0);
        let mut starts: Vec<usize> = starts.map(|(place, _)| place).collect();
        starts.push(chunk.values.len());
        for (row, ends) in starts.windows(2).enumerate() {
            let length = ends[1] - ends[0];
            if length != dims {
                let row = span.first + row;
                let reason = format!("row {row} has {length} features but row 0 has {dims}");
                return Err(Error::damaged(&self.file, reason));
            }
        }
        if features.is_empty() {
            *features = chunk.values;
        } else {
            features.extend(chunk.values);
        }
        Ok(())
    }

    fn read_labels(&self, group: &dyn RowGroupReader, column: usize) -> Result<Labels> {
        if let Some(texts) = self.texts(group, column)? {
            let texts = texts.into_iter().map(Option::unwrap_or_default);
            return Ok(Labels::from_names(texts.collect::<Vec<String>>()));
        }
        let mut reader = self.column(group, column, 0)?;
        let chunk = self.numbers(&mut reader, column, usize::MAX, |label| label)?;
        Labels::from_numbers(chunk.with_nulls().map(|value| value.unwrap_or(f64::NAN)), &self.file)
    }

    /// The ids of a row group that begins with row `first`.
    fn read_ids(
        &self,
        group: &dyn RowGroupReader,
        column: usize,
        first: usize,
    ) -> Result<Vec<String>> {
        let missing = |row: usize| Error::Missing {
            file: self.file.clone(),
            place: format!("row {}", first + row),
            column: self.name(column),
        };
        if let Some(texts) = self.texts(group, column)? {
            let id = |(row, id): (usize, Option<String>)| id.ok_or_else(|| missing(row));
            return texts.into_iter().enumerate().map(id).collect();
        }
        // A double does not hold every whole number of 64 bits.
        let all = usize::MAX;
        let chunk = match &mut self.column(group, column, 0)? {
            ColumnReader::Int64ColumnReader(r) if self.is_unsigned(column) => {
                self.chunk(column, r, all, |&v| (v as u64).to_string())?
            }
            ColumnReader::Int64ColumnReader(r) => self.chunk(column, r, all, |&v| v.to_string())?,
            reader => self.numbers(reader, column, all, |id| id.to_string())?,
        };
        let id = |(row, id): (usize, Option<String>)| id.ok_or_else(|| missing(row));
        chunk.with_nulls().enumerate().map(id).collect()
    }

    /// A column chunk of text, if that is what it is.
    fn texts(
        &self,
        group: &dyn RowGroupReader,
        column: usize,
    ) -> Result<Option<Vec<Option<String>>>> {
        let ColumnReader::ByteArrayColumnReader(reader) = &mut self.column(group, column, 0)?
        else {
            return Ok(None);
        };
        let chunk = self.chunk(column, reader, usize::MAX, |text: &ByteArray| text.clone())?;
        let text = |text: Option<ByteArray>| match text.as_ref().map(ByteArray::as_utf8) {
            None => Ok(None),
            Some(Ok(text)) => Ok(Some(text.to_owned())),
            Some(Err(e)) => Err(failure(&self.file, &e)),
        };
        chunk.with_nulls().map(text).collect::<Result<_>>().map(Some)
    }

    /// A column of a row group, after the first `skip` rows of it.
    fn column(
        &self,
        group: &dyn RowGroupReader,
        column: usize,
        skip: usize,
    ) -> Result<ColumnReader> {
        use ColumnReader as R;
        let damaged = |e: ParquetError| failure(&self.file, &e);
        let mut reader = group.get_column_reader(column).map_err(damaged)?;
        let skipped = match &mut reader {
            _ if skip == 0 => Ok(0),
            R::BoolColumnReader(r) => r.skip_records(skip),
            R::Int32ColumnReader(r) => r.skip_records(skip),
            R::Int64ColumnReader(r) => r.skip_records(skip),
            R::Int96ColumnReader(r) => r.skip_records(skip),
            R::FloatColumnReader(r) => r.skip_records(skip),
            R::DoubleColumnReader(r) => r.skip_records(skip),
            R::ByteArrayColumnReader(r) => r.skip_records(skip),
            R::FixedLenByteArrayColumnReader(r) => r.skip_records(skip),
        };
        skipped.map_err(damaged)?;
        Ok(reader)
    }

    /// The next `take` rows of a column of any numeric type, as what `value` makes of them.
    fn numbers<V>(
        &self,
        reader: &mut ColumnReader,
        column: usize,
        take: usize,
        value: impl Fn(f64) -> V,
    ) -> Result<Chunk<V>> {
        let unsigned = self.is_unsigned(column);
        match reader {
            ColumnReader::BoolColumnReader(r) => {
                self.chunk(column, r, take, |&v| value(f64::from(u8::from(v))))
            }
            ColumnReader::Int32ColumnReader(r) if unsigned => {
                self.chunk(column, r, take, |&v| value(f64::from(v as u32)))
            }
            ColumnReader::Int32ColumnReader(r) => {
                self.chunk(column, r, take, |&v| value(f64::from(v)))
            }
            ColumnReader::Int64ColumnReader(r) if unsigned => {
                self.chunk(column, r, take, |&v| value(v as u64 as f64))
            }
            ColumnReader::Int64ColumnReader(r) => self.chunk(column, r, take, |&v| value(v as f64)),
            ColumnReader::FloatColumnReader(r) => {
                self.chunk(column, r, take, |&v| value(f64::from(v)))
            }
            ColumnReader::DoubleColumnReader(r) => self.chunk(column, r, take, |&v| value(v)),
            ColumnReader::FixedLenByteArrayColumnReader(r) => {
                self.chunk(column, r, take, |v: &FixedLenByteArray| match *v.data() {
                    [low, high] => value(f64::from(f16_to_f32(u16::from_le_bytes([low, high])))),
                    _ => value(f64::NAN),
                })
            }
            _ => Err(Error::Dtype {
                file: format!("{} (column {})", self.file, self.name(column)),
                found: self.descriptor(column).physical_type().to_string(),
                expected: "numbers are needed, or text for labels",
            }),
        }
    }

    fn is_unsigned(&self, column: usize) -> bool {
        matches!(
            self.descriptor(column).logical_type_ref(),
            Some(LogicalType::Integer(integer)) if !integer.is_signed
        )
    }

    fn chunk<T: DataType, V>(
        &self,
        column: usize,
        reader: &mut ColumnReaderImpl<T>,
        take: usize,
        convert: impl Fn(&T::T) -> V,
    ) -> Result<Chunk<V>> {
        let mut chunk = Chunk { values: Vec::new(), repetition: Vec::new(), present: Vec::new() };
        let full = self.descriptor(column).max_def_level();
        let batch = if self.descriptor(column).max_rep_level() > 0 { LISTS } else { BATCH };
        let (mut definition, mut values) = (Vec::new(), Vec::new());
        let mut rest = take;
        while rest > 0 {
            definition.clear();
            values.clear();
            let (records, _, _) = reader
                .read_records(
                    batch.min(rest),
                    Some(&mut definition),
                    Some(&mut chunk.repetition),
                    &mut values,
                )
                .map_err(|e| failure(&self.file, &e))?;
            if records == 0 && values.is_empty() {
                break;
            }
            rest -= records;
            chunk.present.extend(definition.iter().map(|&level| level >= full));
            chunk.values.extend(values.iter().map(&convert));
        }
        Ok(chunk)
    }

    /// Refuses rows with nulls among those from row `first` on.
    fn refuse_nulls<V>(&self, chunk: &Chunk<V>, column: usize, first: usize) -> Result<()> {
        let Some(place) = chunk.present.iter().position(|present| !present) else { return Ok(()) };
        let starts = |levels: &[i16]| levels.iter().filter(|&&level| level == 0).count();
        let row = match chunk.repetition.get(..=place) {
            Some(levels) => starts(levels).saturating_sub(1),
            None => place,
        };
        Err(Error::Missing {
            file: self.file.clone(),
            place: format!("row {}", first + row),
            column: self.name(column),
        })
    }

    fn descriptor(&self, column: usize) -> std::sync::Arc<ColumnDescriptor> {
        self.reader.metadata().file_metadata().schema_descr().column(column)
    }

    fn name(&self, column: usize) -> String {
        format!("\"{}\"", self.descriptor(column).path().parts()[0])
    }
}

fn join(labels: Labels, more: Labels) -> Labels {
    match (labels, more) {
        (Labels::Whole(mut a), Labels::Whole(b)) => {
            a.extend(b);
            Labels::Whole(a)
        }
        (Labels::Names(mut a), Labels::Names(b)) => {
            a.extend(b);
            Labels::Names(a)
        }
        // One column has one type in all row groups.
        (labels, _) => labels,
    }
}

fn failure(file: &str, error: &ParquetError) -> Error {
    let reason = error.to_string();
    if reason.contains("Disabled feature at compile time") {
        return Error::NotBuilt {
            file: file.to_owned(),
            remedy: "its compression is not built in; build with the cargo feature `parquet-zstd` if it is zstd, or write it with snappy",
        };
    }
    Error::damaged(file, reason)
}
