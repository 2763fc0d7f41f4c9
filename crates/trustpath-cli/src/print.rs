//! Text and numbers as they are printed.

use std::io::{ErrorKind, Write};

use trustpath_bench::stats::MeanEstimate;
pub use trustpath_explain::count;
use trustpath_report::{Table, TableColumn};
use trustpath_table::printable;

use crate::error::{Error, Result};

/// Writes a text to standard output, without control characters of names in it. A pipe that was closed early (`| head`) is not an error.
pub fn stdout(text: &str) -> Result<()> {
    bytes(printable(text).as_bytes())
}

pub fn json(value: &impl serde::Serialize) -> Result<()> {
    let text = serde_json::to_string_pretty(value).map_err(|e| Error::Print(e.to_string()))?;
    stdout(&(text + "\n"))
}

pub fn bytes(bytes: &[u8]) -> Result<()> {
    let mut out = std::io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Err(e) if e.kind() != ErrorKind::BrokenPipe => Err(Error::Print(e.to_string())),
        _ => Ok(()),
    }
}

/// A table with columns of words, then columns of numbers.
pub fn table<W: Into<String>, N: Into<String>>(
    words: impl IntoIterator<Item = W>,
    numbers: impl IntoIterator<Item = N>,
) -> Table {
    let words = words.into_iter().map(TableColumn::left);
    Table::new(words.chain(numbers.into_iter().map(TableColumn::right)).collect())
}

/// How many of `all` are not among the first `shown`, in words; nothing if there are none.
pub fn more(all: usize, shown: usize) -> Option<String> {
    (all > shown).then(|| format!("and {} more", all - shown))
}

/// A difference in percentage points, with its sign.
pub fn points(difference: &MeanEstimate) -> String {
    let (mean, half) = (100.0 * difference.mean, 100.0 * difference.half_width);
    if half.is_finite() { format!("{mean:+.2} ± {half:.2}") } else { format!("{mean:+.2}") }
}

/// A rate with about three digits.
pub fn rate(per_second: f64) -> String {
    let decimals = if per_second >= 100.0 { 0 } else { 1 };
    format!("{per_second:.decimals$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_have_a_sign() {
        let estimate = |mean| MeanEstimate { mean, half_width: 0.002, episodes: 9 };
        assert_eq!(points(&estimate(0.0123)), "+1.23 ± 0.20");
        assert_eq!(points(&estimate(-0.0123)), "-1.23 ± 0.20");
        assert_eq!(points(&MeanEstimate { half_width: f64::INFINITY, ..estimate(0.01) }), "+1.00");
    }

    #[test]
    fn rates_have_about_three_digits() {
        assert_eq!((rate(1234.5), rate(12.34)), ("1234".into(), "12.3".into()));
    }
}
