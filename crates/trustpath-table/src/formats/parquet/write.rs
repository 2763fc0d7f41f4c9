//! Results as Apache Parquet: one row group, compressed with snappy.

use std::io;
use std::sync::Arc;

use ::parquet::basic::Compression;
use ::parquet::data_type::{BoolType, ByteArrayType, DataType, DoubleType, Int64Type};
use ::parquet::errors::Result as ParquetResult;
use ::parquet::file::properties::WriterProperties;
use ::parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use ::parquet::schema::parser::parse_message_type;

use crate::result::{Column, signed};
use crate::{Output, Result, ResultTable};

pub(in super::super) fn write(table: &ResultTable, output: &Output) -> Result<()> {
    output.write(|w| {
        // The Parquet writer must be `Send`, which not every writer here is.
        let mut bytes = Vec::new();
        write_bytes(table, &mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
        w.write_all(&bytes)
    })
}

fn write_bytes(table: &ResultTable, bytes: &mut Vec<u8>) -> ParquetResult<()> {
    let fields: Vec<String> = table.columns.iter().map(|(name, column)| field(name, column)).collect();
    let schema = parse_message_type(&format!("message results {{ {} }}", fields.join(" ")))?;
    let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
    let mut file = SerializedFileWriter::new(bytes, Arc::new(schema), Arc::new(properties))?;
    let mut group = file.next_row_group()?;
    for (_, column) in &table.columns {
        let Some(mut writer) = group.next_column()? else { break };
        let w = &mut writer;
        match column {
            Column::Text(v) => put::<ByteArrayType>(w, v.iter().map(|t| Some(t.as_str().into())), false),
            Column::OptionalText(v) => put::<ByteArrayType>(w, v.iter().map(|t| t.as_deref().map(Into::into)), true),
            Column::Number(v) => put::<DoubleType>(w, v.iter().copied().map(Some), false),
            Column::OptionalNumber(v) => put::<DoubleType>(w, v.iter().copied(), true),
            Column::Count(v) => put::<Int64Type>(w, v.iter().map(|&n| Some(signed(n))), false),
            Column::OptionalCount(v) => put::<Int64Type>(w, v.iter().map(|n| n.map(signed)), true),
            Column::Flag(v) => put::<BoolType>(w, v.iter().copied().map(Some), false),
        }?;
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
    cells: impl Iterator<Item = Option<T::T>> + Clone,
    optional: bool,
) -> ParquetResult<()> {
    let levels: Option<Vec<i16>> = optional.then(|| cells.clone().map(|cell| cell.is_some().into()).collect());
    let values: Vec<T::T> = cells.flatten().collect();
    writer.typed::<T>().write_batch(&values, levels.as_deref(), None)?;
    Ok(())
}
