//! Where a pool is, and what its columns are called.

use std::path::PathBuf;

use super::given::Given;
use super::held::Held;
use super::{Pool, check_unique};
use crate::format::is_stream;
use crate::input::Input;
use crate::read::{Wanted, read};
use crate::table::{beside, check_finite, read_labels};
use crate::{Error, Format, Result};

/// Bytes that features take in memory at most, if nothing else is said
/// ([`PoolFile::in_memory_up_to`]).
pub const IN_MEMORY: u64 = 256 << 20;

/// A file of instances, and where their labels are.
///
/// Labels stand in a column of the file, in a labels file that is given, or in one beside the
/// features (`NAME-labels.csv`). A labels file has one label a row in the order of the features, or
/// an id and a label for some of them. A label is missing where its cell is empty, null or NaN, or
/// −1 among whole numbers.
///
/// Ids stand in a column (`id`) or an array (`ids`), and are else the numbers of the rows from 0. If
/// the features have none but the labels file has one for each row that is no row number, in the
/// order of the features, those are taken.
///
/// ```
/// use trustpath_table::PoolFile;
/// let folder = tempfile::tempdir().unwrap();
/// let path = folder.path().join("pool.csv");
/// std::fs::write(&path, "id,a,b,label\nx.jpg,1,2,auk\ny.jpg,3,4,\nz.jpg,5,6,gull\n").unwrap();
/// let pool = PoolFile::new(path).read()?;
/// assert_eq!(pool.ids(), ["x.jpg", "y.jpg", "z.jpg"]);
/// assert_eq!(pool.labels(), [Some(0), None, Some(1)]);
/// assert_eq!(pool.class_names(), ["auk", "gull"]);
/// # Ok::<(), trustpath_table::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct PoolFile {
    features: PathBuf,
    format: Option<Format>,
    labels: Option<PathBuf>,
    label_column: Option<String>,
    id_column: Option<String>,
    look_beside: bool,
    in_memory: u64,
}

impl PoolFile {
    /// The file at `path`; `-` is standard input.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self {
            features: path.into(),
            format: None,
            labels: None,
            label_column: None,
            id_column: None,
            look_beside: true,
            in_memory: IN_MEMORY,
        }
    }

    /// Reads it as this format, whatever its name ends in.
    pub fn format(mut self, format: Format) -> Self {
        self.format = Some(format);
        self
    }

    /// Takes the labels from this file, whatever the features file holds itself.
    pub fn labels(mut self, path: impl Into<PathBuf>) -> Self {
        self.labels = Some(path.into());
        self
    }

    /// Calls the label column by this name instead of `label`; where columns have no names, by its
    /// number from 0, or from −1 backwards.
    pub fn label_column(mut self, name: impl Into<String>) -> Self {
        self.label_column = Some(name.into());
        self
    }

    /// Calls the id column by this name instead of `id`, or by its number.
    pub fn id_column(mut self, name: impl Into<String>) -> Self {
        self.id_column = Some(name.into());
        self
    }

    /// Looks for no labels beside the features: what is to be predicted needs none.
    pub fn not_beside(mut self) -> Self {
        self.look_beside = false;
        self
    }

    /// Keeps features in memory up to so many bytes, at four bytes a value; larger ones stay in their
    /// file and are read from there when they are needed. That takes a `.npy` in C order, a
    /// `.safetensors` or a `.parquet`; others are read whole whatever their size.
    ///
    /// Of a parquet file a piece of a row group is in memory at a time, and rows in ascending order cost
    /// one pass over the file; to jump about in it costs more.
    pub fn in_memory_up_to(mut self, bytes: u64) -> Self {
        self.in_memory = bytes;
        self
    }

    /// Reads the pool. It may be without labels: see [`Pool::check_labels`].
    ///
    /// # Errors
    /// Whatever is wrong with the files, in a sentence.
    pub fn read(&self) -> Result<Pool> {
        if self.labels.as_deref().is_some_and(is_stream) && is_stream(&self.features) {
            return Err(Error::Read {
                file: "standard input".into(),
                reason: "it cannot be both the features and the labels".into(),
            });
        }
        let wanted = Wanted {
            label: self.label_column.as_deref(),
            id: self.id_column.as_deref(),
            labels_only: false,
            in_memory: Some(self.in_memory),
        };
        let format = self.format.map_or_else(|| Format::of(&self.features), Ok)?;
        let input = Input::open(&self.features)?;
        let source = input.name.clone();
        let raw = read(input, format, wanted)?;
        check_finite(&raw.features, raw.dims, 0, raw.columns.as_deref(), &source)?;
        if let Some(ids) = &raw.ids {
            if ids.len() != raw.rows {
                let reason = format!("it has {} ids for {} rows", ids.len(), raw.rows);
                return Err(Error::damaged(source, reason));
            }
            check_unique(ids, &source)?;
        }

        let apart = self.labels.clone().or_else(|| match raw.labels {
            None if self.look_beside => beside(&self.features),
            _ => None,
        });
        let given = match apart {
            Some(path) => {
                let labels_source = path.display().to_string();
                let found = read_labels(&path, wanted)?;
                let labels = found.labels.ok_or_else(|| Error::NoLabels {
                    file: labels_source.clone(),
                    remedy: format!(
                        "it has no \"{}\"; name the label column",
                        wanted.label_column()
                    ),
                })?;
                // Names inside the features file belong to the labels there, if it has any.
                let inside = raw.class_names.filter(|_| raw.labels.is_none());
                let names = found.class_names.or(inside);
                Given { labels, ids: found.ids, names, source: labels_source }
            }
            None => {
                let names = raw.class_names;
                let labels = raw.labels;
                Given::inside(labels, names, raw.rows, &source)
            }
        };
        let placed = given.place(raw.ids, raw.rows, &source)?;
        Ok(Pool {
            features: raw.stored.map_or(Held::Memory(raw.features), Held::Stored),
            dims: raw.dims,
            columns: raw.columns,
            ids: placed.ids,
            labels: placed.labels,
            class_names: placed.class_names,
            source,
            labels_source: placed.source,
        })
    }
}
