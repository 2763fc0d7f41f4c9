//! The formats of tables, by the ending of a file's name or as the user says.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use crate::{Error, Result};

/// A format that features are read from and results are written to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// One NumPy array.
    Npy,
    /// A zip archive of NumPy arrays.
    Npz,
    /// Tensors after a JSON header.
    Safetensors,
    /// Comma-separated text.
    Csv,
    /// Tab-separated text.
    Tsv,
    /// One JSON object a line.
    Jsonl,
    /// Apache Parquet.
    Parquet,
}

impl Format {
    /// The names of all formats, which are the endings of their files as well.
    pub const NAMES: [&'static str; 7] =
        ["npy", "npz", "safetensors", "csv", "tsv", "jsonl", "parquet"];

    const ALL: [Self; 7] =
        [Self::Npy, Self::Npz, Self::Safetensors, Self::Csv, Self::Tsv, Self::Jsonl, Self::Parquet];

    /// The format that the ending of `path` says; `-`, a standard stream, is csv.
    ///
    /// ```
    /// use trustpath_table::Format;
    /// assert_eq!(Format::of("pool.PARQUET".as_ref())?, Format::Parquet);
    /// assert_eq!(Format::of("-".as_ref())?, Format::Csv);
    /// # Ok::<(), trustpath_table::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::UnknownFormat`] for any other ending.
    pub fn of(path: &Path) -> Result<Self> {
        if is_stream(path) {
            return Ok(Self::Csv);
        }
        extension(path).parse().map_err(|_| Error::UnknownFormat {
            file: path.display().to_string(),
            expected: "a name that ends in .npy, .npz, .safetensors, .csv, .tsv, .jsonl or .parquet, or name the format",
        })
    }

    /// Between fields of text.
    pub(crate) fn delimiter(self) -> u8 {
        if self == Self::Tsv { b'\t' } else { b',' }
    }
}

impl FromStr for Format {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        let name = if name == "ndjson" { "jsonl" } else { name };
        let found = Self::NAMES.iter().position(|&known| known == name);
        found.map(|place| Self::ALL[place]).ok_or_else(|| Error::UnknownFormat {
            file: format!("\"{name}\""),
            expected: "npy, npz, safetensors, csv, tsv, jsonl or parquet",
        })
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(Self::NAMES[*self as usize])
    }
}

/// Whether `path` stands for standard input or output.
pub(crate) fn is_stream(path: &Path) -> bool {
    path == Path::new("-")
}

/// The ending of a file's name in lower case.
pub(crate) fn extension(path: &Path) -> String {
    path.extension().unwrap_or_default().to_string_lossy().to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_has_its_name() {
        for (name, format) in Format::NAMES.into_iter().zip(Format::ALL) {
            assert_eq!(format.to_string(), name);
            assert_eq!(name.parse(), Ok(format));
            assert_eq!(Format::of(Path::new(&format!("a.b.{name}"))), Ok(format));
        }
        assert_eq!(Format::of(Path::new("a.ndjson")), Ok(Format::Jsonl));
        for path in ["a", "a.pickle", ".npy", ""] {
            let error = Format::of(Path::new(path)).unwrap_err();
            assert!(error.to_string().contains(".parquet"), "{error}");
        }
    }
}
