//! Apache Parquet: every numeric column is a feature, or one column holds lists of features.
//!
//! Entire columns are read, one row group after another; features that stay in the file are decoded
//! in blocks of rows (`blocks.rs`). A few bytes of run-length code can mean any number of
//! values, so the number of values is compared with the size of the file beforehand.

mod blocks;
mod columns;
mod dates;
mod source;
mod write;
mod zstd;

use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Once};

use ::parquet::basic::{Compression, Type};
use ::parquet::column::page::PageReader;
use ::parquet::column::reader::ColumnReader;
use ::parquet::errors::ParquetError;
use ::parquet::file::reader::{FileReader, RowGroupReader, SerializedFileReader};
use ::parquet::file::serialized_reader::SerializedPageReader;
use ::parquet::schema::types::ColumnDescriptor;

use super::raw::{CarriedColumn, FEATURE_NAMES, RawTable, ReadOptions, no_column};
use crate::input::Input;
use crate::labels::FileLabels;
use crate::missing::ReadingNote;
use crate::{Error, Result};
use blocks::ParquetBlocks;
use columns::is_number;
use dates::date_unit;
use source::ParquetBytes;
pub(super) use write::write;
use zstd::ZstdPages;

/// Dense features take more than a bit each. Of sparse ones, such as counts of words, nearly all are the same zero: runs of it
/// take three bytes each, which are then compressed.
const VALUES_PER_BYTE: u64 = 256;
/// The number of values that is allowed in a file of any size: 256 MiB of features.
const VALUES_ALWAYS_ALLOWED: u64 = 1 << 26;
/// The same of rows, each of which takes more memory than a feature and has something of its own.
const ROWS_PER_BYTE: u64 = 64;
const ROWS_ALWAYS_ALLOWED: u64 = 1 << 20;
/// Bytes of the texts of a file, at most: a dictionary of a few kilobytes may say the same long text in every row.
const MOST_TEXT: u64 = 1 << 30;

/// Reads features and, where there are columns for them, labels and ids.
pub(super) fn read(input: Input, options: ReadOptions) -> Result<RawTable> {
    let name = input.name.clone();
    guarded(&name, || ParquetTable::open(input, options)?.read(options))
}

/// Turns a panic into an error: the decoder does not check everything that a damaged file may say
/// before it relies on it. The message of such a panic is not printed.
fn guarded<T>(file: &str, work: impl FnOnce() -> Result<T>) -> Result<T> {
    static HOOK: Once = Once::new();
    thread_local! {
        static QUIET: Cell<bool> = const { Cell::new(false) };
    }
    HOOK.call_once(|| {
        let print = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !QUIET.get() {
                print(info);
            }
        }));
    });
    QUIET.set(true);
    let done = catch_unwind(AssertUnwindSafe(work));
    QUIET.set(false);
    done.unwrap_or_else(|_| Err(Error::damaged(file, "its pages contradict each other")))
}

/// Whether a column holds a text or a date in every row.
fn is_flat_text_or_date(column: &ColumnDescriptor) -> bool {
    let shown = column.physical_type() == Type::BYTE_ARRAY || date_unit(column).is_some();
    column.max_rep_level() == 0 && shown
}

/// Some rows of a row group.
#[derive(Debug, Clone, Copy)]
struct RowSpan {
    /// The first of them, counted from the first row of the file.
    first: usize,
    /// Rows of the row group before it.
    skip: usize,
    /// The largest number of rows to read.
    take: usize,
}

struct ParquetTable {
    reader: SerializedFileReader<ParquetBytes>,
    source: Arc<ParquetBytes>,
    file: String,
    most_values: u64,
    most_rows: u64,
    /// Bytes of the texts that were read so far.
    text: AtomicU64,
    label: Option<usize>,
    id: Option<usize>,
    /// In a labels file.
    origin: Option<usize>,
    features: Vec<usize>,
    /// Whether the only feature column holds lists.
    lists: bool,
    /// Columns that are passed on to the result.
    carried: Vec<usize>,
    notes: Vec<ReadingNote>,
}

impl ParquetTable {
    fn open(input: Input, options: ReadOptions) -> Result<Self> {
        let (file, length) = (input.name.clone(), input.length);
        let source = ParquetBytes(Arc::new(input));
        let reader = SerializedFileReader::new(source.clone()).map_err(|e| failure(&file, &e))?;
        let source = Arc::new(source);
        let schema = reader.metadata().file_metadata().schema_descr_ptr();
        let roots: Vec<&String> = schema.columns().iter().map(|column| &column.path().parts()[0]).collect();
        let (label, id) = (options.find_label(&roots), options.find_id(&roots));
        let origin = options.find_origin(&roots).filter(|&i| schema.column(i).max_rep_level() == 0);
        if let (Some(name), None, false) = (options.id, id, options.labels_only) {
            return Err(no_column(&file, name, &roots));
        }
        if !options.labels_only {
            options.check_columns(&roots, &file)?;
        }
        let numeric = |i: usize| is_number(&schema.column(i));
        let is_list = |i: usize| schema.column(i).max_rep_level() == 1 && numeric(i);
        let named = |i: usize| options.is_named_feature(roots[i]);
        let others: Vec<usize> = (0..roots.len())
            .filter(|&i| Some(i) != label && Some(i) != id && !options.labels_only)
            .filter(|&i| !roots[i].starts_with("__index_level_"))
            .collect();
        if let Some(&i) = others.iter().find(|&&i| named(i) == Some(true) && !numeric(i)) {
            return Err(Error::Dtype {
                file: format!("{file} (column {:?})", roots[i]),
                dtype: schema.column(i).physical_type().to_string(),
                expected: "features must be numeric; name other columns of features",
            });
        }
        let some = |wanted: &dyn Fn(usize) -> bool| others.iter().copied().filter(|&i| wanted(i)).collect::<Vec<_>>();
        let lists = some(&|i| is_list(i) && named(i) != Some(false));
        let features = match &lists[..] {
            [] => {
                let flat = |i: usize| schema.column(i).max_rep_level() == 0 && numeric(i);
                some(&|i| flat(i) && options.is_feature(roots[i], false))
            }
            &[only] => vec![only],
            _ => {
                FEATURE_NAMES.iter().find_map(|n| lists.iter().find(|&&i| roots[i] == n)).copied().into_iter().collect()
            }
        };
        let to_carry = |i: usize| options.is_named_to_carry(roots[i]) && numeric(i) && !is_list(i);
        let carried = some(&|i| {
            let is_shown = is_flat_text_or_date(&schema.column(i));
            !features.contains(&i) && options.is_carried(roots[i], is_shown) && (is_shown || to_carry(i))
        });
        if features.is_empty() && !options.labels_only && options.text.is_none() {
            let names: Vec<&str> = roots.iter().map(|root| root.as_str()).collect();
            let remedy = match lists[..] {
                [] => "give numeric columns, or one column of lists called \"features\"",
                _ => "there are several columns of lists, so name one in the feature columns",
            };
            return Err(Error::no_features(file, format!("the columns {}", names.join(", ")), remedy));
        }
        let mut notes: Vec<ReadingNote> = label.and_then(|i| options.label_note(roots[i])).into_iter().collect();
        if lists.is_empty() {
            let texts = some(&|i| !numeric(i));
            notes.extend(options.text_note(texts.into_iter().map(|i| roots[i].clone()).collect()));
        }
        let lists = !options.labels_only && !lists.is_empty();
        let most_values = VALUES_ALWAYS_ALLOWED.saturating_add(length.saturating_mul(VALUES_PER_BYTE));
        let text = AtomicU64::new(0);
        let most_rows = ROWS_ALWAYS_ALLOWED.saturating_add(length.saturating_mul(ROWS_PER_BYTE));
        Ok(Self {
            reader,
            source,
            file,
            most_values,
            most_rows,
            text,
            label,
            id,
            origin,
            features,
            lists,
            carried,
            notes,
        })
    }

    fn read(self, options: ReadOptions) -> Result<RawTable> {
        self.check_size()?;
        let (mut features, mut ids) = (Vec::new(), self.id.map(|_| Vec::new()));
        let (mut names, mut numbers) = (Vec::new(), Vec::new());
        let mut origins = self.origin.map(|_| Vec::new());
        let root = |i: usize| self.descriptor(i).path().parts()[0].clone();
        let mut carried: Vec<_> =
            self.carried.iter().map(|&i| CarriedColumn { name: root(i), texts: Vec::new() }).collect();
        let dims = if self.lists { self.list_length()? } else { self.features.len() };
        let starts = self.group_starts();
        let rows = starts[starts.len() - 1];
        let in_file = options.in_memory.filter(|_| options.stays_in_file(rows, dims));
        for (group, &first) in starts[..starts.len() - 1].iter().enumerate() {
            let group = &*self.group(group)?;
            let all = RowSpan { first, skip: 0, take: usize::MAX };
            if self.lists && in_file.is_none() {
                let mut reader = self.column(group, self.features[0], 0)?;
                self.read_lists(&mut reader, all, dims, &mut features)?;
            } else if in_file.is_none() && dims > 0 {
                self.read_columns(group, all, &mut features)?;
            }
            self.read_labels(group, &mut names, &mut numbers)?;
            if let (Some(column), Some(ids)) = (self.id, &mut ids) {
                ids.extend(self.read_ids(group, column, first)?);
            }
            if let (Some(column), Some(origins)) = (self.origin, &mut origins) {
                origins.extend(self.cells(group, column)?.into_iter().map(Option::unwrap_or_default));
            }
            for (&column, carried) in self.carried.iter().zip(&mut carried) {
                carried.texts.extend(self.cells(group, column)?);
            }
        }
        let labels = match self.label {
            None => None,
            // One column has one type in all row groups.
            Some(_) if numbers.is_empty() => Some(FileLabels::from_names(names)),
            Some(_) => Some(FileLabels::from_numbers(numbers, &self.file)?),
        };
        if options.labels_only {
            return Ok(RawTable { origins, ..RawTable::of_labels(labels, ids) });
        }
        let empty = if options.text.is_some() { rows == 0 } else { features.is_empty() };
        if empty && in_file.is_none() {
            return Err(Error::no_features(self.file, "no rows", "write at least one row"));
        }
        let columns = (!self.lists).then(|| self.features.iter().map(|&i| root(i)).collect());
        let notes = self.notes.clone();
        let mut all_columns: Vec<String> =
            (0..self.reader.metadata().file_metadata().schema_descr().num_columns()).map(root).collect();
        all_columns.dedup();
        let raw = RawTable { rows, dims, columns, all_columns, ids, labels, carried, notes, ..RawTable::default() };
        if let Some(in_memory) = in_file {
            self.check_count(rows.saturating_mul(dims) as u64)?;
            let blocks = ParquetBlocks::new(self, starts, dims, in_memory);
            return Ok(RawTable { in_file: Some(Arc::new(blocks)), ..raw });
        }
        let rows = features.len().checked_div(dims).unwrap_or(rows);
        Ok(RawTable { rows, features, ..raw })
    }

    /// Adds the labels of a row group: names, or numbers where the column has no texts.
    fn read_labels(&self, group: &dyn RowGroupReader, names: &mut Vec<String>, numbers: &mut Vec<f64>) -> Result<()> {
        let Some(column) = self.label else { return Ok(()) };
        if let Some(texts) = self.texts(group, column)? {
            names.extend(texts.into_iter().map(Option::unwrap_or_default));
        } else {
            let mut reader = self.column(group, column, 0)?;
            let chunk = self.numbers(&mut reader, column, usize::MAX, |label| label)?;
            numbers.extend(chunk.with_nulls().map(|n| n.unwrap_or(f64::NAN)));
        }
        Ok(())
    }

    fn group(&self, group: usize) -> Result<Box<dyn RowGroupReader + '_>> {
        self.reader.get_row_group(group).map_err(|e| failure(&self.file, &e))
    }

    /// The pages of a column of a row group.
    fn pages(&self, group: &dyn RowGroupReader, column: usize) -> Result<Box<dyn PageReader>> {
        let pages = || -> ::parquet::errors::Result<Box<dyn PageReader>> {
            let place = group.metadata().column(column);
            if !matches!(place.compression(), Compression::ZSTD(_)) {
                return group.get_column_page_reader(column);
            }
            let rows = usize::try_from(group.metadata().num_rows())?;
            let plain = place.clone().into_builder();
            let plain = plain.set_compression(Compression::UNCOMPRESSED).build()?;
            let pages = SerializedPageReader::new(Arc::clone(&self.source), &plain, rows, None)?;
            Ok(Box::new(ZstdPages(pages)))
        };
        pages().map_err(|e| failure(&self.file, &e))
    }

    /// The first row of each row group and the number of rows, as the file announces them.
    fn group_starts(&self) -> Vec<usize> {
        let mut starts = vec![0usize];
        for group in self.reader.metadata().row_groups() {
            let rows = usize::try_from(group.num_rows()).unwrap_or(0);
            starts.push(starts[starts.len() - 1].saturating_add(rows));
        }
        starts
    }

    /// The length of the first list, which all others must have too.
    fn list_length(&self) -> Result<usize> {
        for group in 0..self.reader.num_row_groups() {
            let mut reader = self.column(&*self.group(group)?, self.features[0], 0)?;
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
        for &column in self.features.iter().chain(&self.label).chain(&self.id).chain(&self.origin).chain(&self.carried)
        {
            let before = values;
            for group in 0..self.reader.num_row_groups() {
                let group = self.group(group)?;
                let place = group.metadata().column(column);
                let start = place.dictionary_page_offset().unwrap_or(place.data_page_offset());
                // The decoder assumes that neither is negative.
                if start < 0 || place.compressed_size() < 0 {
                    let reason = "a column begins before the start of the file";
                    return Err(Error::damaged(&self.file, reason));
                }
                let mut pages = self.pages(&*group, column)?;
                while let Some(page) = pages.get_next_page().map_err(damaged)? {
                    if page.is_data_page() {
                        values = values.saturating_add(page.num_values().into());
                    }
                }
            }
            if self.descriptor(column).max_rep_level() == 0 && values - before > self.most_rows {
                return Err(self.too_many(values - before));
            }
        }
        self.check_count(values)
    }

    fn too_many(&self, values: u64) -> Error {
        let reason = format!("it announces {values} values, far more than its bytes can hold");
        Error::damaged(&self.file, reason)
    }

    /// Counts the bytes of a text; whether all texts so far may be held in memory.
    fn has_room(&self, text: &[u8]) -> bool {
        let length = text.len() as u64;
        self.text.fetch_add(length, Ordering::Relaxed).saturating_add(length) <= MOST_TEXT
    }

    fn check_count(&self, values: u64) -> Result<()> {
        if values > self.most_values { Err(self.too_many(values)) } else { Ok(()) }
    }

    /// Appends the features of some rows, where each feature is a column.
    fn read_columns(&self, group: &dyn RowGroupReader, span: RowSpan, features: &mut Vec<f32>) -> Result<()> {
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

    /// Appends the features of some rows, which are the next lists of `reader`.
    fn read_lists(&self, reader: &mut ColumnReader, span: RowSpan, dims: usize, features: &mut Vec<f32>) -> Result<()> {
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
}

fn failure(file: &str, error: &ParquetError) -> Error {
    let reason = error.to_string();
    if reason.contains("Disabled feature at compile time") {
        return Error::NotBuilt {
            file: format!("the compression of {file}"),
            remedy: "write the file with snappy, gzip or zstd, or without compression",
        };
    }
    Error::damaged(file, reason)
}
