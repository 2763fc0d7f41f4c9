//! Results as NumPy arrays: one structured array, or an archive with one for each column.

use std::io::{self, Write};

use zip::write::{SimpleFileOptions, ZipWriter};

use super::{Cell, Column, ResultTable, signed};
use crate::npy::write_header;
use crate::{Error, Result};

/// Text of fixed width takes the room of the longest in every row; no more than this altogether.
const MOST_BYTES: usize = 1 << 31;

/// A column as an array.
pub(super) struct ArrayColumn<'a> {
    name: &'a str,
    column: &'a Column,
    /// Characters of the longest text.
    width: usize,
}

/// The columns as arrays, if their texts are not too long for it.
pub(super) fn arrays(table: &ResultTable) -> Result<Vec<ArrayColumn<'_>>> {
    let mut bytes = 0usize;
    let mut arrays = Vec::new();
    for (name, column) in &table.columns {
        // NumPy knows no text of no width.
        let width = column.texts().map(|text| text.chars().count()).max().unwrap_or(0).max(1);
        bytes = bytes.saturating_add(width.saturating_mul(4).saturating_mul(column.len()));
        if bytes > MOST_BYTES {
            return Err(Error::Column {
                column: name.clone(),
                reason: format!(
                    "one text has {width} characters, and an array would take so much room in every row; write .parquet, .jsonl or .csv"
                ),
            });
        }
        arrays.push(ArrayColumn { name, column, width });
    }
    Ok(arrays)
}

impl ArrayColumn<'_> {
    fn descr(&self) -> String {
        match self.column {
            Column::Text(_) | Column::OptionalText(_) => format!("'<U{}'", self.width),
            Column::Number(_) | Column::OptionalNumber(_) => "'<f8'".into(),
            Column::Count(_) | Column::OptionalCount(_) => "'<i8'".into(),
            Column::Flag(_) => "'|b1'".into(),
        }
    }

    fn write_cell(&self, row: usize, w: &mut dyn Write) -> io::Result<()> {
        match (self.column.cell(row), self.column) {
            (Cell::Text(text), _) => self.write_text(text, w),
            (Cell::Number(number), _) => w.write_all(&number.to_le_bytes()),
            (Cell::Count(count), _) => w.write_all(&signed(count).to_le_bytes()),
            (Cell::Flag(flag), _) => w.write_all(&[flag.into()]),
            (Cell::Nothing, Column::OptionalText(_)) => self.write_text("", w),
            (Cell::Nothing, Column::OptionalCount(_)) => w.write_all(&(-1i64).to_le_bytes()),
            (Cell::Nothing, _) => w.write_all(&f64::NAN.to_le_bytes()),
        }
    }

    fn write_text(&self, text: &str, w: &mut dyn Write) -> io::Result<()> {
        let padded = text.chars().chain(std::iter::repeat('\0')).take(self.width);
        padded.into_iter().try_for_each(|c| w.write_all(&u32::from(c).to_le_bytes()))
    }
}

/// Writes one array whose elements are the rows.
pub(super) fn write_npy(arrays: &[ArrayColumn], rows: usize, w: &mut dyn Write) -> io::Result<()> {
    let fields: Vec<String> =
        arrays.iter().map(|array| format!("('{}', {})", array.name, array.descr())).collect();
    let mut w = w;
    write_header(&mut w, &format!("[{}]", fields.join(", ")), &[rows])?;
    (0..rows).try_for_each(|row| arrays.iter().try_for_each(|array| array.write_cell(row, w)))
}

/// Writes an archive with an array for each column.
pub(super) fn write_npz(arrays: &[ArrayColumn], rows: usize, w: &mut dyn Write) -> io::Result<()> {
    let mut archive = ZipWriter::new_stream(w);
    let options = SimpleFileOptions::default().compression_method(zip::CompressionMethod::Deflated);
    for array in arrays {
        archive.start_file(format!("{}.npy", array.name), options)?;
        let mut buffered = io::BufWriter::new(&mut archive);
        write_header(&mut buffered, &array.descr(), &[rows])?;
        (0..rows).try_for_each(|row| array.write_cell(row, &mut buffered))?;
        buffered.flush()?;
    }
    archive.finish()?;
    Ok(())
}
