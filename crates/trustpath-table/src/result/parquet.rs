//! Results as Apache Parquet: one row group, compressed with snappy.

use std::io::{self, Write};
use std::sync::Arc;

use ::parquet::basic::Compression;
use ::parquet::column::writer::ColumnWriterImpl;
use ::parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use ::parquet::errors::{ParquetError, Result as ParquetResult};
use ::parquet::file::properties::WriterProperties;
use ::parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use ::parquet::schema::parser::parse_message_type;

use super::{Cell, Column, ResultTable, signed};

/// Writes the table.
pub(super) fn write(table: &ResultTable, w: &mut dyn Write) -> io::Result<()> {
    // The writer wants to be sent between threads, which not every writer here can be.
    let mut bytes = Vec::new();
    write_bytes(table, &mut bytes).map_err(|error| match error {
        ParquetError::External(source) => io::Error::other(source.to_string()),
        other => io::Error::other(other.to_string()),
    })?;
    w.write_all(&bytes)
}

fn write_bytes(table: &ResultTable, bytes: &mut Vec<u8>) -> ParquetResult<()> {
    let fields: Vec<String> =
        table.columns.iter().map(|(name, column)| field(name, column)).collect();
    let schema = parse_message_type(&format!("message results {{ {} }}", fields.join(" ")))?;
    let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
    let mut file = SerializedFileWriter::new(bytes, Arc::new(schema), Arc::new(properties))?;
    let mut group = file.next_row_group()?;
    for (_, column) in &table.columns {
        let Some(mut writer) = group.next_column()? else { break };
        match column {
            Column::Text(_) | Column::OptionalText(_) => {
                put::<ByteArrayType>(&mut writer, column, |cell| match cell {
                    Cell::Text(text) => Some(ByteArray::from(text)),
                    _ => None,
                })?
            }
            Column::Number(_) | Column::OptionalNumber(_) => {
                put::<DoubleType>(&mut writer, column, |cell| match cell {
                    Cell::Number(number) => Some(number),
                    _ => None,
                })?
            }
            Column::Count(_) | Column::OptionalCount(_) => {
                put::<Int64Type>(&mut writer, column, |cell| match cell {
                    Cell::Count(count) => Some(signed(count)),
                    _ => None,
                })?
            }
            Column::Flag(_) => put::<BoolType>(&mut writer, column, |cell| match cell {
                Cell::Flag(flag) => Some(flag),
                _ => None,
            })?,
        }
        writer.close()?;
    }
    group.close()?;
    file.close()?;
    Ok(())
}

fn field(name: &str, column: &Column) -> String {
    let (presence, kind, meaning) = match column {
        Column::Text(_) => ("required", "binary", " (UTF8)"),
        Column::OptionalText(_) => ("optional", "binary", " (UTF8)"),
        Column::Number(_) => ("required", "double", ""),
        Column::OptionalNumber(_) => ("optional", "double", ""),
        Column::Count(_) => ("required", "int64", ""),
        Column::OptionalCount(_) => ("optional", "int64", ""),
        Column::Flag(_) => ("required", "boolean", ""),
    };
    format!("{presence} {kind} {name}{meaning};")
}

fn put<T: DataType>(
    writer: &mut SerializedColumnWriter,
    column: &Column,
    value: impl Fn(Cell) -> Option<T::T>,
) -> ParquetResult<()> {
    let cells: Vec<Option<T::T>> = column.cells().map(value).collect();
    let optional = matches!(
        column,
        Column::OptionalText(_) | Column::OptionalNumber(_) | Column::OptionalCount(_)
    );
    let levels: Vec<i16> = cells.iter().map(|cell| i16::from(cell.is_some())).collect();
    let values: Vec<T::T> = cells.into_iter().flatten().collect();
    let typed: &mut ColumnWriterImpl<T> = writer.typed::<T>();
    typed.write_batch(&values, optional.then_some(&levels), None)?;
    Ok(())
}
