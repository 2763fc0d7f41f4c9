//! Results as text: separated values and JSON lines.

use std::io::{self, Write};

use super::{Cell, ResultTable};
use crate::read::csv::needs_mark;

/// Writes a header and a line for each row, fields quoted where they must be.
pub(super) fn write_csv(table: &ResultTable, delimiter: u8, w: &mut dyn Write) -> io::Result<()> {
    let mut csv = csv::WriterBuilder::new().delimiter(delimiter).from_writer(w);
    csv.write_record(table.columns.iter().map(|(name, _)| name))?;
    let mut field = String::new();
    for row in 0..table.rows() {
        for (_, column) in &table.columns {
            field.clear();
            match column.cell(row) {
                Cell::Text(text) => {
                    if needs_mark(text) {
                        field.push('\'');
                    }
                    field.push_str(text);
                }
                // Unlike the plain form, this one is short for very small and large numbers too.
                Cell::Number(number) => field = format!("{number:?}"),
                Cell::Count(count) => field = count.to_string(),
                Cell::Flag(flag) => field = flag.to_string(),
                Cell::Nothing => {}
            }
            csv.write_field(&field)?;
        }
        csv.write_record(None::<&[u8]>)?;
    }
    csv.flush()
}

/// Writes an object for each row.
pub(super) fn write_jsonl(table: &ResultTable, w: &mut dyn Write) -> io::Result<()> {
    for row in 0..table.rows() {
        for (place, (name, column)) in table.columns.iter().enumerate() {
            // Names are letters, digits and _: there is nothing to escape.
            write!(w, "{}\"{name}\":", if place == 0 { "{" } else { "," })?;
            match column.cell(row) {
                Cell::Text(text) => serde_json::to_writer(&mut *w, text)?,
                Cell::Number(number) => serde_json::to_writer(&mut *w, &number)?,
                Cell::Count(count) => serde_json::to_writer(&mut *w, &count)?,
                Cell::Flag(flag) => serde_json::to_writer(&mut *w, &flag)?,
                Cell::Nothing => w.write_all(b"null")?,
            }
        }
        w.write_all(b"}\n")?;
    }
    Ok(())
}
