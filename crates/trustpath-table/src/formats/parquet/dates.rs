//! Dates and times, which are stored as whole numbers, as texts of ISO 8601.

use ::parquet::basic::{ConvertedType, LogicalType, TimeUnit, Type};
use ::parquet::schema::types::ColumnDescriptor;

/// What the numbers of a column count.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum DateUnit {
    /// Days since 1970.
    Days,
    /// Fractions of a second since 1970; the number says how many of them make a second.
    Fractions { per_second: i64, utc: bool },
}

impl DateUnit {
    /// A number as text: `2024-02-29`, or `2024-02-29T12:30:00.25Z`.
    pub fn text(self, number: i64) -> String {
        let Self::Fractions { per_second, utc } = self else { return date(number) };
        let (seconds, fraction) = (number.div_euclid(per_second), number.rem_euclid(per_second));
        let (days, second) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
        let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
        let mut text = format!("{}T{hour:02}:{minute:02}:{second:02}", date(days));
        if fraction > 0 {
            let digits = per_second.ilog10() as usize;
            let fraction = format!("{fraction:0digits$}");
            text += &format!(".{}", fraction.trim_end_matches('0'));
        }
        if utc {
            text.push('Z');
        }
        text
    }
}

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

/// The date of a day since 1970, in the Gregorian calendar before its introduction too.
///
/// Years begin in March here, so that the day that leap years have more is the last one; 400 years have 146,097 days.
fn date(days: i64) -> String {
    let days = days.saturating_add(719_468);
    let (era, day) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = era * 400 + year + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_dates() {
        for (day, expected) in [
            (0, "1970-01-01"),
            (-1, "1969-12-31"),
            (59, "1970-03-01"),
            (11_016, "2000-02-29"),
            (19_782, "2024-02-29"),
            (-141_427, "1582-10-15"),
            (47_541, "2100-03-01"),
        ] {
            assert_eq!(DateUnit::Days.text(day), expected);
        }
        DateUnit::Days.text(i64::MAX);
        DateUnit::Days.text(i64::MIN);
    }

    #[test]
    fn fractions_of_seconds_are_times() {
        let millis = DateUnit::Fractions { per_second: 1_000, utc: true };
        assert_eq!(millis.text(1_709_209_800_250), "2024-02-29T12:30:00.25Z");
        assert_eq!(millis.text(-1), "1969-12-31T23:59:59.999Z");
        let nanos = DateUnit::Fractions { per_second: 1_000_000_000, utc: false };
        assert_eq!(nanos.text(1_000_000_005), "1970-01-01T00:00:01.000000005");
        nanos.text(i64::MIN);
        nanos.text(i64::MAX);
    }
}
