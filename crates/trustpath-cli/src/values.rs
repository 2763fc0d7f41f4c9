//! Values of flags.

use std::str::FromStr;

use clap::builder::{PossibleValuesParser, TypedValueParser};

/// Reads a value by its name; the error for an unknown one lists these.
pub fn choice<T>(names: &'static [&'static str]) -> impl TypedValueParser<Value = T>
where
    T: FromStr<Err: std::error::Error + Send + Sync + 'static> + Clone + Send + Sync + 'static,
{
    PossibleValuesParser::new(names).try_map(|name| name.parse::<T>())
}

/// Threads at most: each takes memory and time to start.
pub const THREADS: usize = 1024;
/// Pixels of a side of an image that is computed with, at most.
pub const PIXELS: usize = 4096;

/// Reads a number from 1 up to a largest one.
pub fn up_to<const MOST: usize>(text: &str) -> std::result::Result<usize, String> {
    match text.parse() {
        Ok(number) if (1..=MOST).contains(&number) => Ok(number),
        _ => Err(format!("give an integer from 1 to {MOST}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_two_ends() {
        assert_eq!((up_to::<THREADS>("1"), up_to::<THREADS>("1024")), (Ok(1), Ok(1024)));
        for text in ["0", "1025", "-1", "x", "", "99999999999999999999999"] {
            assert_eq!(up_to::<THREADS>(text).unwrap_err(), "give an integer from 1 to 1024", "{text}");
        }
    }
}
