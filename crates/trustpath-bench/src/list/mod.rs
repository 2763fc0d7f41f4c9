//! Episode lists: fixed episodes in files that any program can read.
//!
//! A list is a folder with `meta.json` and NumPy arrays of 32-bit integers, *E* episodes of *c*
//! classes and *m* shots:
//!
//! | array | shape | holds |
//! |---|---|---|
//! | `classes` | *E*, *c* | labels of the classes in the features |
//! | `support` | *E*, *c*, *m* | rows, presented class after class |
//! | `query_flat`, `query_label` | *E*, *Q* | rows in the order presented; their place in `classes` |
//! | `query` | *E*, *c*, *q* | the same rows by class; −1 where a class has fewer |
//! | `query_count` | *E*, *c* | queries of each class |
//! | `unlabel`, `unlabel_flat`, `unlabel_label`, `unlabel_count` | | the same of the unlabeled rows |
//!
//! Row numbers start at 0. `_flat` arrays are as wide as the longest episode and padded with −1 at the end. A distractor is
//! in `unlabel_flat` with the label −1 and not in `unlabel`. When reading, the `_flat` arrays take precedence; where they
//! are missing, the rows are taken class after class, and the `_count` arrays are not needed. `docs/episode-lists.md` has
//! an example.

mod arrays;

use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};
use trustpath_table as table;
use trustpath_table::npy::NpyArray;

use crate::episode::LabelledRows;
use crate::{
    Distractors, Episode, EpisodeShape, Error, FeatureTable, Queries, Result, Setting, Unlabeled, write_atomically,
};
use arrays::{Grid, Part, Writer};

const NOTE: &str = "rows count from 0 into the features; *_flat arrays give the order in which rows were presented, *_label arrays their place in classes (-1: a distractor); support is presented class-major; -1 pads";

/// The origin and the shape of a list: the file `meta.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ListMeta {
    /// Name of the dataset.
    #[serde(default)]
    pub dataset: String,
    /// The features file that row numbers count into.
    #[serde(default)]
    pub features: String,
    /// The labels of those features.
    #[serde(default)]
    pub labels: String,
    /// Number of episodes.
    pub episodes: usize,
    /// Classes of an episode.
    pub way: usize,
    /// Labelled rows of each class.
    pub shot: usize,
    /// Seed of the generator that drew them, whichever it was.
    #[serde(default)]
    pub seed: u64,
    /// `inductive`, `transductive`, `imbalanced`, or `semi` and the number of unlabeled rows.
    pub setting: String,
    /// Unlabeled rows of each class, at most.
    #[serde(rename = "U", default)]
    pub unlabeled: usize,
    /// The concentration of the class proportions of imbalanced queries.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dirichlet_alpha: Option<f64>,
}

impl ListMeta {
    /// The description of `episodes` episodes of this shape, drawn from `table` with `seed`.
    pub fn of(shape: &EpisodeShape, table: &FeatureTable, seed: u64, episodes: usize) -> Self {
        let dirichlet_alpha = match shape.queries {
            Queries::PerClass(_) | Queries::Rest => None,
            Queries::Dirichlet { alpha, .. } => Some(alpha).filter(|alpha| alpha.is_finite()),
        };
        let (setting, unlabeled) = match shape.setting {
            Setting::Inductive => ("inductive".into(), 0),
            Setting::Transductive if dirichlet_alpha.is_some() => ("imbalanced".into(), 0),
            Setting::Transductive => ("transductive".into(), 0),
            Setting::SemiSupervised { unlabeled, .. } => {
                let (Unlabeled::Exactly(u) | Unlabeled::UpTo(u)) = unlabeled;
                // Without a cap, at most an entire class is left.
                let largest = table.members().iter().map(Vec::len).max().unwrap_or(0);
                let u = u.min(largest);
                (format!("semi{u}"), u)
            }
        };
        Self {
            dataset: table.source().to_owned(),
            features: table.source().to_owned(),
            labels: table.source().to_owned(),
            episodes,
            way: shape.way,
            shot: shape.shot,
            seed,
            setting,
            unlabeled,
            dirichlet_alpha,
        }
    }

    /// What an algorithm is given in these episodes.
    ///
    /// # Errors
    /// If the setting has an unknown name.
    pub fn setting(&self) -> Result<Setting> {
        match self.setting.as_str() {
            "inductive" => Ok(Setting::Inductive),
            "transductive" | "imbalanced" => Ok(Setting::Transductive),
            semi if semi.starts_with("semi") => Ok(Setting::SemiSupervised {
                unlabeled: Unlabeled::UpTo(self.unlabeled),
                distractors: Distractors::default(),
            }),
            other => Err(Error::parameter(
                "setting",
                format!("\"{other}\""),
                "a list is inductive, transductive, imbalanced or semi…",
            )),
        }
    }
}

/// Fixed episodes, and their origin.
#[derive(Debug, Clone, PartialEq)]
pub struct EpisodeList {
    /// Origin and shape of the episodes.
    pub meta: ListMeta,
    /// The episodes, in order.
    pub episodes: Vec<Episode>,
}

impl EpisodeList {
    /// Reads the list in a folder.
    ///
    /// # Errors
    /// If a file is missing or damaged, or the arrays do not fit each other.
    pub fn read(folder: impl AsRef<Path>) -> Result<Self> {
        let folder = folder.as_ref();
        let path = folder.join("meta.json");
        let text = fs::read_to_string(&path).map_err(|e| Error::read(&path, e))?;
        let meta: ListMeta = serde_json::from_str(&text).map_err(|e| Error::damaged(path.display(), e))?;
        meta.setting()?;
        let ListMeta { episodes, way, shot, .. } = meta;
        if episodes == 0 || way == 0 || shot == 0 {
            let reason =
                format!("it lists {episodes} episodes of {way} ways and {shot} shots, at least 1 of each is needed");
            return Err(Error::damaged(path.display(), reason));
        }

        let classes = Grid::open(folder, "classes", episodes, &[Some(way)])?;
        let support = Grid::open(folder, "support", episodes, &[Some(way), Some(shot)])?;
        let query = Part::open(folder, "query", episodes, way)?;
        let unlabeled = Part::open(folder, "unlabel", episodes, way)?;
        let episode = |index| {
            let support = support.rows(index)?.into_iter().enumerate();
            let unknown = || Error::damaged(folder.display(), "a query has no label");
            let query = query.rows(index)?.into_iter();
            let query: Vec<(usize, usize)> =
                query.map(|(row, label)| Ok((row, label.ok_or_else(unknown)?))).collect::<Result<_>>()?;
            Ok(Episode {
                classes: classes.rows(index)?,
                support: LabelledRows::new(support.map(|(place, row)| (row, place / shot))),
                unlabeled: LabelledRows::new(unlabeled.rows(index)?),
                query: LabelledRows::new(query),
            })
        };
        let episodes: Result<_> = (0..episodes).map(episode).collect();
        Ok(Self { episodes: episodes?, meta })
    }

    /// Checks that every episode fits the features it is to be run on.
    ///
    /// # Errors
    /// [`Error::EpisodeMismatch`] for the first that does not.
    pub fn check(&self, table: &FeatureTable) -> Result<()> {
        self.episodes.iter().enumerate().try_for_each(|(index, e)| e.check(table, index))
    }

    /// Writes the list into a folder, which is created if needed; `meta.json` is written last.
    ///
    /// # Errors
    /// If the folder cannot be written, or the episodes are not what `meta` says.
    pub fn write(&self, folder: impl AsRef<Path>) -> Result<()> {
        let folder = folder.as_ref();
        let ListMeta { episodes, way, shot, .. } = self.meta;
        let fits = |e: &Episode| e.classes.len() == way && e.support.len() == way * shot;
        if self.episodes.len() != episodes || !self.episodes.iter().all(fits) {
            return Err(Error::parameter(
                "meta",
                format!("{episodes} episodes of {way} ways and {shot} shots"),
                "the episodes are not of that number and shape",
            ));
        }
        fs::create_dir_all(folder).map_err(|e| Error::write(folder, e))?;

        let mut arrays = Writer::new(folder, episodes, way);
        arrays.rows("classes", &[way], self.episodes.iter().flat_map(|e| &e.classes))?;
        arrays.rows("support", &[way, shot], self.episodes.iter().flat_map(|e| &e.support.rows))?;
        let query = |e: &Episode| e.query.pairs().map(|(row, label)| (row, Some(label))).collect();
        arrays.part("query", self.episodes.iter().map(query).collect(), 0)?;
        let unlabeled = |e: &Episode| e.unlabeled.pairs().collect();
        let unlabeled = self.episodes.iter().map(unlabeled).collect();
        arrays.part("unlabel", unlabeled, self.meta.unlabeled)?;

        let path = folder.join("meta.json");
        let mut meta = serde_json::to_value(&self.meta).map_err(|e| Error::write(&path, e))?;
        meta["note"] = NOTE.into();
        meta["arrays"] = arrays.shapes.into();
        Ok(write_atomically(&path, |w| Ok(serde_json::to_writer_pretty(w, &meta)?))?)
    }
}

/// Reads scores, one for each episode: a one-dimensional NumPy array of numbers.
///
/// # Errors
/// If the file is missing, damaged, or of another shape.
pub fn read_scores(path: impl AsRef<Path>) -> Result<Vec<f64>> {
    let path = path.as_ref();
    let array = NpyArray::open(path)?;
    if array.shape.len() != 1 {
        return Err(Error::Table(table::Error::Shape {
            file: path.display().to_string(),
            shape: array.shape,
            expected: "scores must be one-dimensional, one for each episode",
        }));
    }
    Ok(array.to_f64s()?)
}
