//! The file formats: one table (`formats!`) that names each of them with its reader and writer.
//!
//! | format | features | labels, ids |
//! |---|---|---|
//! | npy | 2-D array, C or Fortran order | – |
//! | npz | array `features`, `embeddings`, `x`, … | arrays `labels`, `y`, …; `ids`; `class_names` |
//! | safetensors | tensor `features`, … | tensors `labels`, …, `ids`, or texts; metadata `class_names` |
//! | csv, tsv | all numeric columns, or those that are named | the label column, the id column |
//! | jsonl | all numeric keys, or one key of lists | the label key, the id key |
//! | json | tasks of Label Studio: texts, no features | choices of annotations, ids of tasks |
//! | parquet | all numeric columns, or one column of lists | the label column, the id column |

mod csv;
mod jsonl;
pub mod npy;
mod npz;
mod numpy_columns;
#[cfg(feature = "parquet")]
mod parquet;
#[cfg(not(feature = "parquet"))]
#[path = "no_parquet.rs"]
mod parquet;
pub(crate) mod raw;
mod safetensors;

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use crate::input::Input;
use crate::label_studio;
use crate::{Error, Output, Result, ResultTable};
pub(crate) use csv::{fields as csv_fields, read_lines};
use raw::{RawTable, ReadOptions};

/// Defines [`Format`] and its table from one entry per format: description, variant, endings (the first is the name of
/// the format), place of the labels, reader and writer.
macro_rules! formats {
    ($($description:literal $variant:ident [$name:literal $(, $other:literal)*] $labels:ident,
        $read:expr, $write:expr;)*) => {
        /// A format that features are read from and results are written to.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Format {
            $(#[doc = concat!($description, ".")] $variant,)*
        }

        /// The formats in the order of the variants of [`Format`].
        const FORMATS: &[FormatSpec] = &[$(FormatSpec {
            format: Format::$variant,
            endings: &[$name $(, $other)*],
            labels: LabelPlace::$labels,
            read: $read,
            write: $write,
        }),*];

        impl Format {
            /// The names of all formats, which are also the endings of their files.
            pub const NAMES: [&'static str; FORMATS.len()] = [$($name),*];
        }
    };
}

formats! {
    "One NumPy array" Npy ["npy"] Outside, npy::read, numpy_columns::write_npy;
    "Zip archive of NumPy arrays" Npz ["npz"] NamedArray, npz::read, numpy_columns::write_npz;
    "Tensors after a JSON header" Safetensors ["safetensors"] NamedArray, safetensors::read, safetensors::write;
    "Comma-separated text" Csv ["csv"] Column, csv::read::<b','>, csv::write::<b','>;
    "Tab-separated text" Tsv ["tsv"] Column, csv::read::<b'\t'>, csv::write::<b'\t'>;
    "One JSON object per line" Jsonl ["jsonl", "ndjson"] Column, jsonl::read, jsonl::write;
    "Tasks of Label Studio" Json ["json"] Column, label_studio::read, label_studio::write;
    "Apache Parquet" Parquet ["parquet"] Column, parquet::read, parquet::write;
}

/// Where a format holds labels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LabelPlace {
    /// Always in another file.
    Outside,
    /// In a separate array.
    NamedArray,
    /// In a column.
    Column,
}

struct FormatSpec {
    format: Format,
    endings: &'static [&'static str],
    labels: LabelPlace,
    read: fn(Input, ReadOptions) -> Result<RawTable>,
    write: fn(&ResultTable, &Output) -> Result<()>,
}

impl Format {
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
        let ending = extension(path);
        ending.parse().map_err(|_| Error::UnknownFormat {
            file: path.display().to_string(),
            remedy: match ending.as_str() {
                "arrow" | "feather" | "ipc" => "Arrow and Feather files are neither read nor written; \
                    write parquet, e.g. with pandas: frame.to_parquet(\"pool.parquet\")"
                    .into(),
                _ => format!("use a name that ends in {}, or name the format", Self::endings()),
            },
        })
    }

    /// The endings of all formats as a phrase: `.npy, .npz, … or .parquet`.
    pub(crate) fn endings() -> String {
        let [others @ .., last] = &Self::NAMES.map(|name| format!(".{name}"));
        format!("{} or {last}", others.join(", "))
    }

    pub(crate) fn label_place(self) -> LabelPlace {
        self.spec().labels
    }

    /// Reads a file of features, or of labels alone.
    pub(crate) fn read(self, input: Input, options: ReadOptions) -> Result<RawTable> {
        (self.spec().read)(input, options)
    }

    pub(crate) fn write(self, table: &ResultTable, output: &Output) -> Result<()> {
        (self.spec().write)(table, output)
    }

    fn spec(self) -> &'static FormatSpec {
        &FORMATS[self as usize]
    }
}

impl FromStr for Format {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        let spec = FORMATS.iter().find(|spec| spec.endings.contains(&name));
        spec.map(|spec| spec.format).ok_or_else(|| Error::UnknownFormat {
            file: format!("{name:?}"),
            remedy: format!("choose one of {}", Self::NAMES.join(", ")),
        })
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.spec().endings[0])
    }
}

/// Whether `path` means standard input or output.
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
    use crate::testing::refused;

    #[test]
    fn endings_name_formats() {
        for (place, spec) in FORMATS.iter().enumerate() {
            assert_eq!(spec.format as usize, place, "the table follows the variants");
            assert_eq!(spec.format.to_string(), spec.endings[0]);
            for ending in spec.endings {
                assert_eq!(ending.parse(), Ok(spec.format));
                assert_eq!(Format::of(Path::new(&format!("a.b.{ending}"))), Ok(spec.format));
            }
        }
        for path in ["a", "a.pickle", ".npy", ""] {
            refused(Format::of(Path::new(path)), &[".json or .parquet"]);
        }
    }
}
