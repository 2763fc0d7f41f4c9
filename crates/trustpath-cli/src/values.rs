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

/// Reads a positive number.
pub fn positive(text: &str) -> std::result::Result<usize, String> {
    match text.parse() {
        Ok(0) | Err(_) => Err("give an integer of at least 1".into()),
        Ok(number) => Ok(number),
    }
}
