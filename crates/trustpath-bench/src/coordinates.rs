//! Coordinates of episodes that another program has computed, in place of those of a reduction.
//!
//! An array of *E* episodes by *n* instances by *d* dimensions, in NumPy's format: the instances of an episode are its
//! support, then its unlabeled rows (in the transductive setting its queries), in the order presented. Classifiers read the
//! features as always; only what ranks the pseudo-labels reads these.

use std::borrow::Cow;
use std::path::Path;

use trustpath::Matrix;
use trustpath_table as table;
use trustpath_table::npy::NpyArray;

use crate::{Episode, Episodes, Error, Result, Setting};

/// Coordinates of the instances of episodes.
#[derive(Debug, Clone, PartialEq)]
pub struct Coordinates {
    file: String,
    values: Vec<f64>,
    episodes: usize,
    rows: usize,
    dims: usize,
}

impl Coordinates {
    /// Reads them.
    ///
    /// # Errors
    /// If the file is missing or damaged, has another shape, or holds a number that is not finite.
    pub fn read(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let array = NpyArray::open(path)?;
        let file = path.display().to_string();
        let &[episodes, rows, dims] = &array.shape[..] else {
            return Err(Error::Table(table::Error::Shape {
                file,
                shape: array.shape,
                expected: "coordinates have three axes: episodes, instances and dimensions",
            }));
        };
        let values = array.to_f64s()?;
        if let Some(at) = values.iter().position(|value| !value.is_finite()) {
            let episode = at / (rows * dims);
            return Err(Error::damaged(file, format!("episode {episode} has a number that is not finite")));
        }
        Ok(Self { file, values, episodes, rows, dims })
    }

    /// The values, episode after episode.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Those of an episode, one row per instance.
    ///
    /// # Errors
    /// If there is no such episode, or it has another number of instances.
    fn of(&self, index: usize, instances: usize) -> Result<Matrix> {
        let refuse = |reason: String| Err(Error::EpisodeMismatch { file: self.file.clone(), episode: index, reason });
        if index >= self.episodes {
            return refuse(format!("there are coordinates of {} episodes", self.episodes));
        }
        if instances != self.rows {
            return refuse(format!(
                "it has {instances} instances to rank and the file has coordinates of {}",
                self.rows
            ));
        }
        let size = self.rows * self.dims;
        Ok(Matrix::from_vec(self.rows, self.dims, self.values[index * size..][..size].to_vec())?)
    }
}

/// Episodes together with their coordinates.
pub struct WithCoordinates<'a> {
    /// The episodes.
    pub episodes: Box<dyn Episodes + 'a>,
    /// Their coordinates.
    pub coordinates: Coordinates,
}

impl Episodes for WithCoordinates<'_> {
    fn count(&self) -> usize {
        self.episodes.count()
    }

    fn setting(&self) -> Setting {
        self.episodes.setting()
    }

    fn get(&self, index: usize) -> Result<Cow<'_, Episode>> {
        self.episodes.get(index)
    }

    fn coordinates(&self, index: usize, instances: usize) -> Result<Option<Matrix>> {
        self.coordinates.of(index, instances).map(Some)
    }
}
