//! Results as comma- or tab-separated text.

use crate::result::CellValue;
use crate::{Output, Result, ResultTable};

/// Whether the text is written with an apostrophe before it: because a spreadsheet would run it as a
/// formula, or because it begins with an apostrophe that would be removed in reading.
fn needs_mark(text: &str) -> bool {
    let text = text.trim_start_matches('\'');
    text.starts_with(['=', '+', '-', '@', '\t', '\r']) && text.parse::<f64>().is_err()
}

/// The text without the apostrophe that [`needs_mark`] asks for in writing.
pub(super) fn without_mark(text: &str) -> &str {
    text.strip_prefix('\'').filter(|rest| needs_mark(rest)).unwrap_or(text)
}

/// Writes a header and one line per row, with fields quoted where needed.
pub(in crate::formats) fn write<const DELIMITER: u8>(table: &ResultTable, output: &Output) -> Result<()> {
    output.write(|w| {
        let mut csv = csv::WriterBuilder::new().delimiter(DELIMITER).from_writer(w);
        csv.write_record(table.columns.iter().map(|(name, _)| name))?;
        for row in 0..table.rows() {
            for (_, column) in &table.columns {
                match column.cell(row) {
                    CellValue::Text(text) if needs_mark(text) => csv.write_field(format!("'{text}"))?,
                    CellValue::Text(text) => csv.write_field(text)?,
                    // Unlike Display, Debug is short for very small and large numbers too.
                    CellValue::Number(number) => csv.write_field(format!("{number:?}"))?,
                    CellValue::Count(count) => csv.write_field(count.to_string())?,
                    CellValue::Flag(flag) => csv.write_field(flag.to_string())?,
                    CellValue::Missing => csv.write_field("")?,
                }
            }
            csv.write_record(None::<&[u8]>)?;
        }
        csv.flush()
    })
}
