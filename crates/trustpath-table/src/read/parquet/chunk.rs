//! Columns, and what they hold in one row group.

use ::parquet::basic::{LogicalType, Type};
use ::parquet::schema::types::ColumnDescriptor;

/// The values of a column in one row group.
pub(super) struct Chunk<V> {
    pub values: Vec<V>,
    /// For lists, one level a value: 0 where a row begins.
    pub repetition: Vec<i16>,
    /// Where nulls are possible, whether a value is there.
    pub present: Vec<bool>,
}

impl<V: Clone> Chunk<V> {
    /// The values with the nulls between them.
    pub fn with_nulls(&self) -> impl Iterator<Item = Option<V>> {
        let mut values = self.values.iter().cloned();
        let rows = self.present.len().max(self.values.len());
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
        Type::INT32 | Type::INT64 => matches!(logical, None | Some(LogicalType::Integer(_))),
        Type::FIXED_LEN_BYTE_ARRAY => matches!(logical, Some(LogicalType::Float16)),
        _ => false,
    }
}
