//! Which columns hold dates or points in time.

use ::parquet::basic::{ConvertedType, LogicalType, TimeUnit, Type};
use ::parquet::schema::types::ColumnDescriptor;

use crate::formats::dates::DateUnit;

/// The unit of a column, if it holds dates or points in time.
pub(super) fn date_unit(column: &ColumnDescriptor) -> Option<DateUnit> {
    if !matches!(column.physical_type(), Type::INT32 | Type::INT64) {
        return None;
    }
    let fractions = |unit: &TimeUnit, utc| {
        let per_second = match unit {
            TimeUnit::MILLIS => 1_000,
            TimeUnit::MICROS => 1_000_000,
            TimeUnit::NANOS => 1_000_000_000,
        };
        Some(DateUnit::Fractions { per_second, utc })
    };
    match (column.logical_type_ref(), column.converted_type()) {
        (Some(LogicalType::Date), _) | (None, ConvertedType::DATE) => Some(DateUnit::Days),
        (Some(LogicalType::Timestamp(time)), _) => fractions(&time.unit, time.is_adjusted_to_u_t_c),
        (None, ConvertedType::TIMESTAMP_MILLIS) => fractions(&TimeUnit::MILLIS, true),
        (None, ConvertedType::TIMESTAMP_MICROS) => fractions(&TimeUnit::MICROS, true),
        _ => None,
    }
}
