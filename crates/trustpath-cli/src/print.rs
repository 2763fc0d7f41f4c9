//! Words and numbers for people.

use std::io::{ErrorKind, Write};

use trustpath_episodes::stats::Estimate;

use crate::error::{Error, Result};

/// Writes to standard output. A reader that has seen enough (`| head`) is no error.
pub fn stdout(text: &str) -> Result<()> {
    bytes(text.as_bytes())
}

/// Writes bytes to standard output.
pub fn bytes(bytes: &[u8]) -> Result<()> {
    let mut out = std::io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Err(e) if e.kind() != ErrorKind::BrokenPipe => Err(Error::Print(e.to_string())),
        _ => Ok(()),
    }
}

/// A difference in points of percent, with its sign.
pub fn points(difference: &Estimate) -> String {
    let sign = if difference.mean >= 0.0 { "+" } else { "" };
    format!("{sign}{}", difference.percent())
}

/// A rate with about three digits.
pub fn rate(per_second: f64) -> String {
    let decimals = if per_second >= 100.0 { 0 } else { 1 };
    format!("{per_second:.decimals$}")
}

/// A number of things.
pub fn count(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_have_a_sign() {
        let estimate = |mean| Estimate { mean, half_width: 0.002, episodes: 9 };
        assert_eq!(points(&estimate(0.0123)), "+1.23 ± 0.20");
        assert_eq!(points(&estimate(-0.0123)), "-1.23 ± 0.20");
    }

    #[test]
    fn numbers_agree_with_their_nouns() {
        assert_eq!(count(1, "way", "ways"), "1 way");
        assert_eq!(count(2, "way", "ways"), "2 ways");
        assert_eq!((rate(1234.5), rate(12.34)), ("1234".into(), "12.3".into()));
    }
}
