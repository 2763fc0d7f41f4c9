//! Decoding columns: numbers of any type, and texts.

use std::sync::Arc;

use ::parquet::basic::{LogicalType, Type};
use ::parquet::column::reader::{ColumnReader, ColumnReaderImpl, get_column_reader};
use ::parquet::data_type::{ByteArray, DataType, FixedLenByteArray};
use ::parquet::errors::ParquetError;
use ::parquet::file::reader::{FileReader, RowGroupReader};
use ::parquet::schema::types::ColumnDescriptor;

use super::dates::date_unit;
use super::{MOST_TEXT, ParquetTable, failure};
use crate::scalar::f16_to_f32;
use crate::{Error, Result};

/// Rows decoded at a time.
const ROWS_AT_ONCE: usize = 1 << 16;
/// Lists decoded at a time, each of which has many values.
const LISTS_AT_ONCE: usize = 1 << 8;

/// The values of a column in one row group.
pub(super) struct ColumnChunk<V> {
    pub values: Vec<V>,
    /// For lists, one level per value: 0 where a row begins.
    pub repetition: Vec<i16>,
    /// Where nulls are possible, whether a value is present.
    present: Vec<bool>,
}

impl<V> ColumnChunk<V> {
    /// The values with the nulls between them.
    pub fn with_nulls(self) -> impl Iterator<Item = Option<V>> {
        let rows = self.present.len().max(self.values.len());
        let mut values = self.values.into_iter();
        (0..rows).map(move |row| {
            let present = self.present.get(row).is_none_or(|&present| present);
            if present { values.next() } else { None }
        })
    }
}

/// Whether a column holds numbers.
pub(super) fn is_number(column: &ColumnDescriptor) -> bool {
    let logical = column.logical_type_ref();
    match column.physical_type() {
        Type::FLOAT | Type::DOUBLE | Type::BOOLEAN => true,
        // Dates, times and decimals are stored as integers too, but mean something else.
        Type::INT32 | Type::INT64 => {
            matches!(logical, None | Some(LogicalType::Integer(_))) && date_unit(column).is_none()
        }
        Type::FIXED_LEN_BYTE_ARRAY => matches!(logical, Some(LogicalType::Float16)),
        _ => false,
    }
}

impl ParquetTable {
    /// A column of a row group, after its first `skip` rows.
    pub(super) fn column(&self, group: &dyn RowGroupReader, column: usize, skip: usize) -> Result<ColumnReader> {
        use ColumnReader as R;
        let damaged = |e: ParquetError| failure(&self.file, &e);
        let mut reader = get_column_reader(self.descriptor(column), self.pages(group, column)?);
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

    /// The next `take` rows of a column of any numeric type, converted by `value`.
    pub(super) fn numbers<V>(
        &self,
        reader: &mut ColumnReader,
        column: usize,
        take: usize,
        value: impl Fn(f64) -> V,
    ) -> Result<ColumnChunk<V>> {
        use ColumnReader as R;
        let unsigned = self.is_unsigned(column);
        match reader {
            R::BoolColumnReader(r) => self.chunk(column, r, take, |&v| value(u8::from(v).into())),
            R::Int32ColumnReader(r) if unsigned => self.chunk(column, r, take, |&v| value(f64::from(v as u32))),
            R::Int32ColumnReader(r) => self.chunk(column, r, take, |&v| value(v.into())),
            R::Int64ColumnReader(r) if unsigned => self.chunk(column, r, take, |&v| value(v as u64 as f64)),
            R::Int64ColumnReader(r) => self.chunk(column, r, take, |&v| value(v as f64)),
            R::FloatColumnReader(r) => self.chunk(column, r, take, |&v| value(v.into())),
            R::DoubleColumnReader(r) => self.chunk(column, r, take, |&v| value(v)),
            R::FixedLenByteArrayColumnReader(r) => {
                self.chunk(column, r, take, |v: &FixedLenByteArray| match *v.data() {
                    [low, high] => value(f16_to_f32(u16::from_le_bytes([low, high])).into()),
                    _ => value(f64::NAN),
                })
            }
            _ => Err(Error::Dtype {
                file: format!("{} (column {})", self.file, self.name(column)),
                dtype: self.descriptor(column).physical_type().to_string(),
                expected: "numbers are needed, or text for labels",
            }),
        }
    }

    /// A column of text, if that is what it is.
    pub(super) fn texts(&self, group: &dyn RowGroupReader, column: usize) -> Result<Option<Vec<Option<String>>>> {
        let ColumnReader::ByteArrayColumnReader(reader) = &mut self.column(group, column, 0)? else {
            return Ok(None);
        };
        let owned = |text: &ByteArray| match text.as_utf8() {
            Ok(_) if !self.has_room(text.data()) => Ok(String::new()),
            text => text.map(str::to_owned),
        };
        let chunk = self.chunk(column, reader, usize::MAX, owned)?;
        if !self.has_room(&[]) {
            let (column, most) = (self.name(column), MOST_TEXT >> 20);
            let reason = format!(
                "with the column {column} its texts take more than {most} MiB; shorten them or leave the column out"
            );
            return Err(Error::too_large(&self.file, reason));
        }
        let texts: std::result::Result<_, _> = chunk.with_nulls().map(Option::transpose).collect();
        texts.map(Some).map_err(|e| failure(&self.file, &e))
    }

    /// The ids of a row group that begins with row `first`.
    pub(super) fn read_ids(&self, group: &dyn RowGroupReader, column: usize, first: usize) -> Result<Vec<String>> {
        let id = |(row, id): (usize, Option<String>)| id.ok_or_else(|| self.missing(column, first + row));
        self.cells(group, column)?.into_iter().enumerate().map(id).collect()
    }

    /// A column of a row group as texts, also where it holds numbers.
    pub(super) fn cells(&self, group: &dyn RowGroupReader, column: usize) -> Result<Vec<Option<String>>> {
        if let Some(texts) = self.texts(group, column)? {
            return Ok(texts);
        }
        let all = usize::MAX;
        let chunk = match (&mut self.column(group, column, 0)?, date_unit(&self.descriptor(column))) {
            (ColumnReader::Int32ColumnReader(r), Some(unit)) => self.chunk(column, r, all, |&v| unit.text(v.into()))?,
            (ColumnReader::Int64ColumnReader(r), Some(unit)) => self.chunk(column, r, all, |&v| unit.text(v))?,
            // A double does not hold every integer of 64 bits.
            (ColumnReader::Int64ColumnReader(r), _) if self.is_unsigned(column) => {
                self.chunk(column, r, all, |&v| (v as u64).to_string())?
            }
            (ColumnReader::Int64ColumnReader(r), _) => self.chunk(column, r, all, |&v| v.to_string())?,
            (reader, _) => self.numbers(reader, column, all, |id| id.to_string())?,
        };
        Ok(chunk.with_nulls().collect())
    }

    fn chunk<T: DataType, V>(
        &self,
        column: usize,
        reader: &mut ColumnReaderImpl<T>,
        take: usize,
        convert: impl Fn(&T::T) -> V,
    ) -> Result<ColumnChunk<V>> {
        let (mut converted, mut repetition, mut present) = (Vec::new(), Vec::new(), Vec::new());
        let descriptor = self.descriptor(column);
        let full = descriptor.max_def_level();
        let at_once = if descriptor.max_rep_level() > 0 { LISTS_AT_ONCE } else { ROWS_AT_ONCE };
        let (mut levels, mut values) = (Vec::new(), Vec::new());
        let mut rest = take;
        while rest > 0 {
            levels.clear();
            values.clear();
            let rows = at_once.min(rest);
            let (records, _, _) = reader
                .read_records(rows, Some(&mut levels), Some(&mut repetition), &mut values)
                .map_err(|e| failure(&self.file, &e))?;
            if records == 0 && values.is_empty() {
                break;
            }
            rest -= records;
            present.extend(levels.iter().map(|&level| level >= full));
            converted.extend(values.iter().map(&convert));
        }
        Ok(ColumnChunk { values: converted, repetition, present })
    }

    /// Refuses nulls in rows that begin with row `first`.
    pub(super) fn refuse_nulls<V>(&self, chunk: &ColumnChunk<V>, column: usize, first: usize) -> Result<()> {
        let Some(place) = chunk.present.iter().position(|present| !present) else { return Ok(()) };
        let starts = |levels: &[i16]| levels.iter().filter(|&&level| level == 0).count();
        let row = match chunk.repetition.get(..=place) {
            Some(levels) => starts(levels).saturating_sub(1),
            None => place,
        };
        Err(self.missing(column, first + row))
    }

    fn missing(&self, column: usize, row: usize) -> Error {
        Error::missing(&self.file, format!("row {row}"), self.name(column))
    }

    fn is_unsigned(&self, column: usize) -> bool {
        let descriptor = self.descriptor(column);
        let logical = descriptor.logical_type_ref();
        matches!(logical, Some(LogicalType::Integer(integer)) if !integer.is_signed)
    }

    pub(super) fn descriptor(&self, column: usize) -> Arc<ColumnDescriptor> {
        self.reader.metadata().file_metadata().schema_descr().column(column)
    }

    fn name(&self, column: usize) -> String {
        format!("{:?}", self.descriptor(column).path().parts()[0])
    }
}
