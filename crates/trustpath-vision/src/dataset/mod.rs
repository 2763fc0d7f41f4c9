//! Datasets: images with classes, divided into classes for training, validation and test.
//!
//! Whatever a dataset comes as (folders, archives, pickles, csv files, shards), a [`Dataset`] is rows of
//! images in one order: classes as their split lists them, and within a class images by name. Images
//! are read when they are asked for, from any thread.

mod check;
mod cifar;
mod class_folders;
mod classes;
mod cub;
mod detect;
mod folder;
mod kind;
mod label_studio;
mod mini;
pub mod pack;
mod pickled;
mod published;
pub(crate) mod store;
mod table;
mod tiered;

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

pub use check::{ClassCheck, Inspection, SplitCheck};
pub use folder::is_unlabeled;
pub use kind::{DatasetKind, DatasetSplit};
pub use published::{PublishedClass, PublishedSplits};

use trustpath_table::Tasks;

use crate::fingerprint::Fingerprint;
use crate::image::{Crop, RgbImage};
use crate::source::{FileTree, Section, file_name, is_archive, is_image};
use crate::{Error, Result};
use store::{ImageLocation, StoredImage};

/// A class and the split it belongs to.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Class {
    pub name: String,
    pub split: Option<DatasetSplit>,
}

/// All that the reader of a kind finds.
#[derive(Debug)]
pub(crate) struct RawDataset {
    pub name: String,
    pub kind: DatasetKind,
    pub classes: Vec<Class>,
    pub items: Vec<StoredImage>,
    pub source: FileTree,
    /// The large files of the source that hold many images.
    pub sections: Vec<Section>,
    /// The tasks of Label Studio that it was read from.
    pub tasks: Option<Arc<Tasks>>,
}

impl RawDataset {
    /// A dataset that is known by the name of its kind.
    fn known(
        kind: DatasetKind,
        classes: Vec<Class>,
        items: Vec<StoredImage>,
        source: FileTree,
        sections: Vec<Section>,
    ) -> Self {
        Self { name: kind.to_string(), kind, classes, items, source, sections, tasks: None }
    }

    /// A dataset that is named after its folder or archive.
    fn unknown(kind: DatasetKind, classes: Vec<Class>, items: Vec<StoredImage>, source: FileTree) -> Self {
        let name = file_name(source.name().trim_end_matches('/')).to_string();
        Self { name, ..Self::known(kind, classes, items, source, Vec::new()) }
    }
}

/// Images with classes.
#[derive(Debug, Clone)]
pub struct Dataset {
    split: Option<DatasetSplit>,
    classes: Vec<String>,
    /// The item of a row, and its class here.
    rows: Vec<(usize, Option<usize>)>,
    raw: Arc<RawDataset>,
}

impl Dataset {
    /// Opens a folder, an archive, a folder of archives, or a csv. Without a kind it is detected.
    ///
    /// ```
    /// use trustpath_vision::dataset::{Dataset, DatasetKind};
    /// # let dir = tempfile::tempdir().unwrap();
    /// # for class in ["cat", "dog"] {
    /// #     std::fs::create_dir(dir.path().join(class)).unwrap();
    /// #     let image = trustpath_vision::image::RgbImage { width: 1, height: 1, rgb: vec![9; 3] };
    /// #     std::fs::write(dir.path().join(class).join("1.png"), image.png()?).unwrap();
    /// # }
    /// # let path = dir.path();
    /// let pets = Dataset::open(path, Some(DatasetKind::Folder))?;
    /// assert_eq!(pets.classes(), ["cat", "dog"]);
    /// assert_eq!((pets.id(1), pets.class(1)), ("dog/1.png", Some(1)));
    /// assert_eq!(pets.image(1)?.width, 1);
    /// # Ok::<(), trustpath_vision::Error>(())
    /// ```
    pub fn open(path: &Path, wanted: Option<DatasetKind>) -> Result<Self> {
        if path.is_file() && table::is_table(&path.to_string_lossy().to_ascii_lowercase()) {
            return Self::complete(table::open(path)?);
        }
        if label_studio::is_at(path) {
            return Self::open_tasks(path, None, None);
        }
        let source = FileTree::open(path)?;
        let kind = detect::kind(&source, wanted)?;
        Self::complete(match kind {
            DatasetKind::Pack => pack::open(source, wanted)?,
            DatasetKind::CifarFs if cifar::is_here(&source) => cifar::read(source)?,
            DatasetKind::Cub | DatasetKind::CubCloserLook if cub::is_here(&source) => cub::read(source, kind)?,
            DatasetKind::MiniImagenet if mini::is_here(&source) => mini::read(source)?,
            DatasetKind::MiniImagenet if table::is_here(&source) => table::read(source, kind)?,
            DatasetKind::TieredImagenet if tiered::is_here(&source) => tiered::read(source)?,
            DatasetKind::Csv => table::read(source, kind)?,
            DatasetKind::Folder => folder::read(source)?,
            known => class_folders::read(source, known)?,
        })
    }

    /// Opens tasks of Label Studio whose images are below `folder`, or below the folder of the tasks. `control` names the control
    /// whose choices are the labels, if there are several.
    ///
    /// # Errors
    /// If the tasks cannot be read or show no images, or an image is not there.
    pub fn open_tasks(path: &Path, folder: Option<&Path>, control: Option<&str>) -> Result<Self> {
        Self::complete(label_studio::open(path, folder, control)?)
    }

    /// Whether a path is that of tasks of Label Studio that show images.
    pub fn is_tasks(path: &Path) -> bool {
        label_studio::is_at(path)
    }

    /// The tasks that it was read from, whose instances have the names of the images.
    pub fn tasks(&self) -> Option<&Arc<Tasks>> {
        self.raw.tasks.as_ref()
    }

    /// Whether a path is that of images, and not of features: a folder, an archive, an image, or a csv or tasks of
    /// Label Studio that name images.
    pub fn is_at(path: &Path) -> bool {
        let name = path.to_string_lossy().to_ascii_lowercase();
        if table::is_table(&name) && !path.is_dir() {
            path.is_file() && table::names_images(path)
        } else {
            path.is_dir() || is_archive(&name) || is_image(&name) || label_studio::is_at(path)
        }
    }

    fn complete(mut raw: RawDataset) -> Result<Self> {
        let origin = raw.source.name();
        if raw.items.is_empty() {
            let hint = raw.kind.home().map(|home| format!("; {home}")).unwrap_or_default();
            return Err(Error::Input(format!(
                "{origin} holds no images of {}: check the path and --dataset{hint}",
                raw.kind
            )));
        }
        raw.items.sort_by(|a, b| {
            // Images without a class come last.
            let order = |item: &StoredImage| item.class.unwrap_or(usize::MAX);
            order(a).cmp(&order(b)).then_with(|| a.id.cmp(&b.id))
        });
        let same = |pair: &&[StoredImage]| pair[0].id == pair[1].id && pair[0].class == pair[1].class;
        if let Some(pair) = raw.items.windows(2).find(same) {
            return Err(Error::read(origin, format!("it names {} twice; keep one", pair[0].id)));
        }
        Ok(Self::view(Arc::new(raw), None))
    }

    /// The classes and rows of a split, or of the entire dataset. There, classes without images are left
    /// out, and a name that is a class of two splits is one class.
    fn view(raw: Arc<RawDataset>, split: Option<DatasetSplit>) -> Self {
        let mut classes: Vec<String> = Vec::new();
        let mut numbers: HashMap<&str, usize> = HashMap::new();
        let mut here = Vec::with_capacity(raw.classes.len());
        let mut used = vec![false; raw.classes.len()];
        raw.items.iter().filter_map(|item| item.class).for_each(|class| used[class] = true);
        for (class, used) in raw.classes.iter().zip(used) {
            let is_here = if split.is_none() { used } else { class.split == split };
            here.push(is_here.then(|| {
                *numbers.entry(&class.name).or_insert_with(|| {
                    classes.push(class.name.clone());
                    classes.len() - 1
                })
            }));
        }
        let row = |(at, item): (usize, &StoredImage)| match item.class {
            Some(class) => here[class].map(|class| (at, Some(class))),
            None => split.is_none().then_some((at, None)),
        };
        let mut rows: Vec<_> = raw.items.iter().enumerate().filter_map(row).collect();
        rows.sort_by_key(|&(at, class)| (class.unwrap_or(usize::MAX), at));
        Self { split, classes, rows, raw }
    }

    /// What it is called: the name of its kind, or that of the folder or file.
    pub fn name(&self) -> &str {
        &self.raw.name
    }

    /// The form it was read in.
    pub fn kind(&self) -> DatasetKind {
        self.raw.kind
    }

    /// Names of the classes.
    pub fn classes(&self) -> &[String] {
        &self.classes
    }

    /// How many images there are.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The name of an image within the dataset.
    pub fn id(&self, row: usize) -> &str {
        &self.item(row).id
    }

    /// The class of an image, as an index into [`classes`](Self::classes).
    pub fn class(&self, row: usize) -> Option<usize> {
        self.rows[row].1
    }

    /// Reads an image: cropped to its box where it has one, and not resized.
    pub fn image(&self, row: usize) -> Result<RgbImage> {
        self.raw.image(self.item(row))
    }

    /// The bytes of an image as they are stored, if it is stored encoded and whole.
    pub fn encoded(&self, row: usize) -> Result<Option<Vec<u8>>> {
        self.raw.encoded(self.item(row))
    }

    /// The file that an image is, if it is not a part of another file.
    pub fn file(&self, row: usize) -> Option<&Path> {
        self.raw.file(self.item(row))
    }

    fn item(&self, row: usize) -> &StoredImage {
        &self.raw.items[self.rows[row].0]
    }

    /// How many images each class has.
    pub fn class_sizes(&self) -> Vec<usize> {
        let mut sizes = vec![0; self.classes.len()];
        self.rows.iter().filter_map(|row| row.1).for_each(|class| sizes[class] += 1);
        sizes
    }

    /// The splits that have a class.
    pub fn splits(&self) -> Vec<DatasetSplit> {
        let has = |split: &DatasetSplit| self.raw.classes.iter().any(|c| c.split == Some(*split));
        DatasetSplit::ALL.into_iter().filter(has).collect()
    }

    /// The split this is, if it is one.
    pub fn current_split(&self) -> Option<DatasetSplit> {
        self.split
    }

    /// One complete split: every class that it lists has images, and classes count from zero.
    ///
    /// # Errors
    /// If there is no such split or a class of it has no images.
    pub fn split(&self, split: DatasetSplit) -> Result<Self> {
        let part = self.peek(split);
        let sizes = part.class_sizes();
        let empty = part.classes.iter().zip(&sizes).filter(|(_, size)| **size == 0);
        let empty: Vec<&String> = empty.map(|(class, _)| class).collect();
        let add = "add the files or archives that hold them";
        let reason = match (part.classes.len(), empty.as_slice()) {
            (0, _) => {
                let has: Vec<String> = self.splits().iter().map(DatasetSplit::to_string).collect();
                match has.as_slice() {
                    [] => "it is not divided; put its classes below folders train, val and test, or choose a dataset with --dataset".into(),
                    has => format!("it has only {}", has.join(" and ")),
                }
            }
            (_, []) => return Ok(part),
            (all, _) if part.is_empty() => format!("none of its {all} classes has images; {add}"),
            (all, [first, ..]) => {
                let count = empty.len();
                format!("{count} of its {all} classes have no images, the first is {first}; {add}")
            }
        };
        let name = self.origin();
        Err(Error::Input(format!("the split {split} of {name} cannot be used: {reason}")))
    }

    /// One split, however incomplete.
    pub fn peek(&self, split: DatasetSplit) -> Self {
        let here: HashSet<usize> = self.rows.iter().map(|row| row.0).collect();
        let mut part = Self::view(self.raw.clone(), Some(split));
        part.rows.retain(|row| here.contains(&row.0));
        part
    }

    /// The folder, archive or file it was opened from.
    pub fn origin(&self) -> &str {
        self.raw.source.name()
    }

    /// For each row a number that stays the same as long as its image does. A file on disk may move to
    /// another folder; where one file holds many images, each number changes with the file.
    pub fn stamps(&self) -> Vec<u64> {
        let source = &self.raw.source;
        let all = source.stamp_of_all();
        let stamp = |row: usize| {
            let item = self.item(row);
            let mut stamp = Fingerprint::new();
            match item.location {
                ImageLocation::File(crop) => {
                    stamp.number(source.stamp(&item.id).unwrap_or(all));
                    if let Some(Crop { x, y, width, height }) = crop {
                        stamp.numbers([x, y, width, height].map(|n| n as u64));
                    }
                    stamp.get()
                }
                _ => stamp.number(all).add(&item.id).get(),
            }
        };
        (0..self.len()).map(stamp).collect()
    }

    /// The dataset without some of its rows.
    pub fn without(&self, rows: &[usize]) -> Self {
        let gone: HashSet<usize> = rows.iter().copied().collect();
        let left = self.rows.iter().enumerate().filter(|(row, _)| !gone.contains(row));
        Self { rows: left.map(|(_, &row)| row).collect(), ..self.clone() }
    }
}
