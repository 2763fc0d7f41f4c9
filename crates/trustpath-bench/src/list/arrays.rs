//! The arrays of an episode list, checked when read and written atomically.

use std::path::Path;

use serde_json::{Map, Value, json};
use trustpath_table as table;
use trustpath_table::npy::{self, NpyArray};

use crate::{Error, Result, write_atomically};

/// A row and its position in the episode's classes, if it has one.
type Placed = (usize, Option<usize>);

/// An array whose first axis counts the episodes.
pub(super) struct Grid {
    file: String,
    values: Vec<i64>,
    /// Values of one episode.
    width: usize,
    shape: Vec<usize>,
}

impl Grid {
    /// Opens an array of `episodes` by `axes`, where `None` is any length.
    pub fn open(folder: &Path, name: &str, episodes: usize, axes: &[Option<usize>]) -> Result<Self> {
        let path = folder.join(format!("{name}.npy"));
        let array = NpyArray::open(&path)?;
        let file = path.display().to_string();
        let fits = array.shape.first() == Some(&episodes)
            && array.shape.len() == axes.len() + 1
            && axes.iter().zip(&array.shape[1..]).all(|(axis, &n)| axis.is_none_or(|a| a == n));
        if !fits {
            return Err(Error::Table(table::Error::Shape {
                file,
                shape: array.shape,
                expected: "this does not match meta.json; write the list again",
            }));
        }
        let values = array.to_i64s()?;
        Ok(Self { file, width: values.len() / episodes, values, shape: array.shape })
    }

    fn episode(&self, index: usize) -> &[i64] {
        &self.values[index * self.width..][..self.width]
    }

    /// The values of an episode as row numbers.
    pub fn rows(&self, index: usize) -> Result<Vec<usize>> {
        self.episode(index).iter().map(|&value| self.row(value)).collect()
    }

    fn row(&self, value: i64) -> Result<usize> {
        let reason = || Error::damaged(&self.file, format!("{value} is not a row number"));
        usize::try_from(value).map_err(|_| reason())
    }
}

/// The queries or the unlabeled rows of all episodes.
pub(super) struct Part {
    rows: Grid,
    /// The label of each row, where the order is given.
    labels: Option<Grid>,
    way: usize,
}

impl Part {
    pub fn open(folder: &Path, name: &str, episodes: usize, way: usize) -> Result<Self> {
        let (flat, label) = (format!("{name}_flat"), format!("{name}_label"));
        if !folder.join(format!("{flat}.npy")).is_file() {
            let rows = Grid::open(folder, name, episodes, &[Some(way), None])?;
            return Ok(Self { rows, labels: None, way });
        }
        let rows = Grid::open(folder, &flat, episodes, &[None])?;
        let labels = Grid::open(folder, &label, episodes, &[Some(rows.shape[1])])?;
        Ok(Self { rows, labels: Some(labels), way })
    }

    /// The rows of an episode in the order presented, without the padding.
    pub fn rows(&self, index: usize) -> Result<Vec<Placed>> {
        let rows = self.rows.episode(index);
        let mut found = Vec::new();
        for (place, &row) in rows.iter().enumerate().filter(|&(_, &row)| row != -1) {
            let label = match &self.labels {
                None => Some(place / self.rows.shape[2]),
                Some(labels) => match labels.episode(index)[place] {
                    -1 => None,
                    label => Some(labels.row(label)?),
                },
            };
            if label.is_some_and(|label| label >= self.way) {
                let reason = format!("a label is not below the {} ways", self.way);
                return Err(Error::damaged(&self.rows.file, reason));
            }
            found.push((self.rows.row(row)?, label));
        }
        Ok(found)
    }
}

/// Writes arrays into a folder and records their shapes.
pub(super) struct Writer<'a> {
    folder: &'a Path,
    episodes: usize,
    way: usize,
    pub shapes: Map<String, Value>,
}

impl<'a> Writer<'a> {
    pub fn new(folder: &'a Path, episodes: usize, way: usize) -> Self {
        Self { folder, episodes, way, shapes: Map::new() }
    }

    /// Writes an array of row numbers with these axes per episode.
    pub fn rows<'b>(&mut self, name: &str, axes: &[usize], rows: impl Iterator<Item = &'b usize>) -> Result<()> {
        self.write(name, axes, rows.map(|&row| Some(row)))
    }

    /// Writes the four arrays of the queries or the unlabeled rows, with room for at least `size` per class.
    pub fn part(&mut self, name: &str, episodes: Vec<Vec<Placed>>, size: usize) -> Result<()> {
        let of_class = |episode: &[Placed], class| {
            let rows = episode.iter().filter(move |(_, label)| *label == Some(class));
            rows.map(|&(row, _)| row).collect::<Vec<_>>()
        };
        let by_class: Vec<Vec<usize>> =
            episodes.iter().flat_map(|episode| (0..self.way).map(move |class| of_class(episode, class))).collect();
        let width = episodes.iter().map(Vec::len).max().unwrap_or(0).max(self.way * size);
        let size = by_class.iter().map(Vec::len).max().unwrap_or(0).max(size);

        let rows = by_class.iter().flat_map(|rows| padded(rows.iter().map(|&row| Some(row)), size));
        self.write(name, &[self.way, size], rows)?;
        if width == 0 {
            return Ok(());
        }
        let flat = episodes.iter().flat_map(|e| padded(e.iter().map(|&(row, _)| Some(row)), width));
        self.write(&format!("{name}_flat"), &[width], flat)?;
        let labels = episodes.iter().flat_map(|e| padded(e.iter().map(|&(_, label)| label), width));
        self.write(&format!("{name}_label"), &[width], labels)?;
        let counts = by_class.iter().map(|rows| Some(rows.len()));
        self.write(&format!("{name}_count"), &[self.way], counts)
    }

    /// Writes an array in which `None` is −1.
    fn write(&mut self, name: &str, axes: &[usize], values: impl Iterator<Item = Option<usize>>) -> Result<()> {
        let path = self.folder.join(format!("{name}.npy"));
        let narrow = |value: Option<usize>| value.map_or(Ok(-1), i32::try_from);
        let values: std::result::Result<Vec<i32>, _> = values.map(narrow).collect();
        let values = values.map_err(|_| Error::write(&path, "a row number exceeds 32 bits"))?;
        let shape = [&[self.episodes], axes].concat();
        write_atomically(&path, |w| npy::write_i32(w, &shape, &values))?;
        self.shapes.insert(name.into(), json!([shape, "int32"]));
        Ok(())
    }
}

fn padded(values: impl Iterator<Item = Option<usize>>, width: usize) -> impl Iterator<Item = Option<usize>> {
    values.chain(std::iter::repeat(None)).take(width)
}
