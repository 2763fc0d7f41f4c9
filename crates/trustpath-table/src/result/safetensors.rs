//! Results as tensors.

use super::{Cell, Column, ResultTable, signed};
use crate::tensors::Entry;

/// The tensors of all columns.
pub(super) fn entries(table: &ResultTable) -> Vec<Entry> {
    table.columns.iter().flat_map(|(name, column)| of_column(name, column)).collect()
}

fn of_column(name: &str, column: &Column) -> Vec<Entry> {
    let entry = |name: String, dtype, bytes: Vec<u8>, count| Entry {
        name,
        dtype,
        shape: vec![count],
        bytes,
    };
    let rows = column.len();
    match column {
        Column::Text(_) | Column::OptionalText(_) => {
            let mut bytes = Vec::new();
            let mut offsets = 0i64.to_le_bytes().to_vec();
            for text in column.texts() {
                bytes.extend(text.as_bytes());
                offsets.extend((bytes.len() as i64).to_le_bytes());
            }
            let length = bytes.len();
            vec![
                entry(format!("{name}.bytes"), "U8", bytes, length),
                entry(format!("{name}.offsets"), "I64", offsets, rows + 1),
            ]
        }
        Column::Number(_) | Column::OptionalNumber(_) => {
            let number = |cell| match cell {
                Cell::Number(number) => number,
                _ => f64::NAN,
            };
            let bytes = column.cells().flat_map(|cell| number(cell).to_le_bytes()).collect();
            vec![entry(name.to_owned(), "F64", bytes, rows)]
        }
        Column::Count(_) | Column::OptionalCount(_) => {
            let count = |cell| match cell {
                Cell::Count(count) => signed(count),
                _ => -1,
            };
            let bytes = column.cells().flat_map(|cell| count(cell).to_le_bytes()).collect();
            vec![entry(name.to_owned(), "I64", bytes, rows)]
        }
        Column::Flag(flags) => {
            let bytes = flags.iter().map(|&flag| u8::from(flag)).collect();
            vec![entry(name.to_owned(), "BOOL", bytes, rows)]
        }
    }
}
