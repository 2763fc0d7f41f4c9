//! Results as NumPy arrays: one structured array, or an archive with one array per column.

use std::io::{self, Write};

use zip::write::{SimpleFileOptions, ZipWriter};

use super::npy::write_header;
use crate::result::{Column, ColumnKind};
use crate::{Error, Output, Result, ResultTable};

/// Text of fixed width takes the room of the longest in every row; no more than this in total.
const MOST_BYTES: usize = 1 << 31;

struct ArrayColumn<'a> {
    name: &'a str,
    column: &'a Column,
    /// Characters of the longest text.
    width: usize,
}

/// The columns as arrays, unless their texts are too long for it.
fn arrays(table: &ResultTable) -> Result<Vec<ArrayColumn<'_>>> {
    let mut bytes = 0usize;
    let mut arrays = Vec::new();
    for (name, column) in &table.columns {
        // NumPy has no text of width 0.
        let width = column.texts().map(|text| text.chars().count()).max().unwrap_or(0).max(1);
        bytes = bytes.saturating_add(width.saturating_mul(4).saturating_mul(column.len()));
        if bytes > MOST_BYTES {
            let reason = format!(
                "one text has {width} characters, and an array needs that much room in every row; write .parquet, .jsonl or .csv"
            );
            return Err(Error::Column { column: name.clone(), reason });
        }
        arrays.push(ArrayColumn { name, column, width });
    }
    Ok(arrays)
}

impl ArrayColumn<'_> {
    fn descr(&self) -> String {
        match self.column.kind() {
            ColumnKind::Text => format!("'<U{}'", self.width),
            ColumnKind::Number => "'<f8'".into(),
            ColumnKind::Count => "'<i8'".into(),
            ColumnKind::Flag => "'|b1'".into(),
        }
    }

    fn write_cell(&self, row: usize, w: &mut dyn Write) -> io::Result<()> {
        if self.column.kind() != ColumnKind::Text {
            return self.column.write_bytes(row, w);
        }
        let text = self.column.text(row).unwrap_or_default();
        let mut padded = text.chars().chain(std::iter::repeat('\0')).take(self.width);
        padded.try_for_each(|c| w.write_all(&u32::from(c).to_le_bytes()))
    }
}

/// Writes one array whose elements are the rows.
pub(super) fn write_npy(table: &ResultTable, output: &Output) -> Result<()> {
    let (arrays, rows) = (arrays(table)?, table.rows());
    let field = |array: &ArrayColumn| format!("('{}', {})", array.name, array.descr());
    let fields: Vec<String> = arrays.iter().map(field).collect();
    output.write(|mut w| {
        write_header(&mut w, &format!("[{}]", fields.join(", ")), &[rows])?;
        (0..rows).try_for_each(|row| arrays.iter().try_for_each(|array| array.write_cell(row, w)))
    })
}

/// Writes an archive with one array per column.
pub(super) fn write_npz(table: &ResultTable, output: &Output) -> Result<()> {
    let (arrays, rows) = (arrays(table)?, table.rows());
    let options = SimpleFileOptions::default().compression_method(zip::CompressionMethod::Deflated);
    output.write(|w| {
        let mut archive = ZipWriter::new_stream(w);
        for array in &arrays {
            archive.start_file(format!("{}.npy", array.name), options)?;
            let mut buffered = io::BufWriter::new(&mut archive);
            write_header(&mut buffered, &array.descr(), &[rows])?;
            (0..rows).try_for_each(|row| array.write_cell(row, &mut buffered))?;
            buffered.flush()?;
        }
        archive.finish()?;
        Ok(())
    })
}
