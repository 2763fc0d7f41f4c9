//! Datasets: pictures with classes, divided into classes for training, validation and test.
//!
//! Whatever a dataset comes as (folders, archives, pickles, csv files, shards), a [`Dataset`] is rows of
//! pictures in one order: classes as their split lists them, and within a class pictures by name. Pictures
//! are read when they are asked for, from any thread.

mod check;
mod cifar;
mod cub;
mod detect;
mod folder;
mod kind;
mod listed;
mod lists;
mod mini;
mod named;
mod pickled;
pub(crate) mod stored;
mod table;
mod tiered;

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

pub use check::{ClassCheck, Inspection, SplitCheck};
pub use kind::{Kind, Split};
pub use lists::{Listed, Lists};

use crate::fingerprint::Fingerprint;
use crate::picture::{Crop, Picture};
use crate::source::{Source, is_picture};
use crate::{Error, Result, pack};
use stored::{Item, Store, Stored};

/// A class and the split it belongs to.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Class {
    pub name: String,
    pub split: Option<Split>,
}

/// All that the reader of a kind finds.
#[derive(Debug)]
pub(crate) struct Draft {
    pub name: String,
    pub kind: Kind,
    pub classes: Vec<Class>,
    pub items: Vec<Item>,
    pub store: Store,
}

/// Pictures with classes.
#[derive(Debug, Clone)]
pub struct Dataset {
    name: String,
    split: Option<Split>,
    classes: Vec<String>,
    /// The item of a row, and its class here.
    rows: Vec<(usize, Option<usize>)>,
    draft: Arc<Draft>,
}

/// Opens a pack, which is of the dataset that is wanted.
fn pack_of(wanted: Option<Kind>, source: Source) -> Result<Draft> {
    let draft = pack::open(source)?;
    match wanted {
        Some(kind) if kind != Kind::Pack && kind != draft.kind => {
            let name = draft.store.source.name().to_string();
            let reason = format!("it is a pack of {}, not of {kind}; pack that first", draft.kind);
            Err(Error::Read { name, reason })
        }
        _ => Ok(draft),
    }
}

impl Dataset {
    /// Opens a folder, an archive, a folder of archives, or a csv.
    ///
    /// Without a kind it is found out; what cannot be told apart is asked for by a sentence.
    ///
    /// ```
    /// use trustpath_vision::dataset::{Dataset, Kind};
    /// # let dir = tempfile::tempdir().unwrap();
    /// # for class in ["cat", "dog"] {
    /// #     std::fs::create_dir(dir.path().join(class)).unwrap();
    /// #     let picture = trustpath_vision::picture::Picture { width: 1, height: 1, rgb: vec![9; 3] };
    /// #     std::fs::write(dir.path().join(class).join("1.png"), picture.png()?).unwrap();
    /// # }
    /// # let path = dir.path();
    /// let pets = Dataset::open(path, Some(Kind::Folder))?;
    /// assert_eq!(pets.classes(), ["cat", "dog"]);
    /// assert_eq!((pets.id(1), pets.class(1)), ("dog/1.png", Some(1)));
    /// assert_eq!(pets.picture(1)?.width, 1);
    /// # Ok::<(), trustpath_vision::Error>(())
    /// ```
    pub fn open(path: &Path, wanted: Option<Kind>) -> Result<Self> {
        let file = path.to_string_lossy().to_ascii_lowercase();
        let draft = if path.is_file() && (file.ends_with(".csv") || file.ends_with(".tsv")) {
            table::open(path)?
        } else {
            let source = Source::open(path)?;
            let kind = detect::kind(&source, wanted)?;
            match kind {
                Kind::Pack => pack_of(wanted, source)?,
                Kind::CifarFs if cifar::is_here(&source) => cifar::read(source)?,
                Kind::Cub | Kind::CubCloserLook if cub::is_here(&source) => {
                    cub::read(source, kind)?
                }
                Kind::MiniImagenet if mini::is_here(&source) => mini::read(source)?,
                Kind::MiniImagenet if table::is_here(&source) => table::read(source, kind)?,
                Kind::TieredImagenet if tiered::is_here(&source) => tiered::read(source)?,
                Kind::Csv => table::read(source, kind)?,
                Kind::Folder => folder::read(source)?,
                listed => listed::read(source, listed)?,
            }
        };
        Self::whole(draft)
    }

    /// Whether a path is that of pictures, and not of features: a folder, an archive, a picture, or a csv that
    /// names pictures.
    pub fn is_at(path: &Path) -> bool {
        let name = path.to_string_lossy().to_ascii_lowercase();
        let ends = |endings: &[&str]| endings.iter().any(|ending| name.ends_with(ending));
        if path.is_dir() {
            return true;
        }
        if ends(&[".csv", ".tsv"]) {
            return path.is_file() && table::names_pictures(path);
        }
        ends(&[".zip", ".tar", ".tar.gz", ".tgz"]) || is_picture(&name)
    }

    fn whole(mut draft: Draft) -> Result<Self> {
        if draft.items.is_empty() {
            let name = draft.store.source.name().to_string();
            let hint = draft.kind.home().map(|home| format!("; {home}")).unwrap_or_default();
            return Err(Error::NoPictures { name, kind: draft.kind.to_string(), hint });
        }
        draft.items.sort_by(|a, b| {
            // Pictures without a class come last.
            let order = |item: &Item| item.class.unwrap_or(usize::MAX);
            order(a).cmp(&order(b)).then_with(|| a.id.cmp(&b.id))
        });
        let same = |pair: &&[Item]| pair[0].id == pair[1].id && pair[0].class == pair[1].class;
        if let Some(pair) = draft.items.windows(2).find(same) {
            let name = draft.store.source.name().to_string();
            return Err(Error::Read {
                name,
                reason: format!("it names {} twice; keep one", pair[0].id),
            });
        }
        let draft = Arc::new(draft);
        Ok(Self::view(draft, None))
    }

    /// The classes and rows of a split, or all. Of all, a class without pictures is none, and a name that is a
    /// class of two splits is one.
    fn view(draft: Arc<Draft>, split: Option<Split>) -> Self {
        let mut classes: Vec<String> = Vec::new();
        let mut numbers: HashMap<&str, usize> = HashMap::new();
        let mut here = Vec::with_capacity(draft.classes.len());
        let mut used = vec![false; draft.classes.len()];
        draft.items.iter().filter_map(|item| item.class).for_each(|class| used[class] = true);
        for (class, used) in draft.classes.iter().zip(used) {
            let is_here = if split.is_none() { used } else { class.split == split };
            here.push(is_here.then(|| {
                *numbers.entry(&class.name).or_insert_with(|| {
                    classes.push(class.name.clone());
                    classes.len() - 1
                })
            }));
        }
        let row = |(at, item): (usize, &Item)| match item.class {
            Some(class) => here[class].map(|class| (at, Some(class))),
            None => split.is_none().then_some((at, None)),
        };
        let mut rows: Vec<_> = draft.items.iter().enumerate().filter_map(row).collect();
        rows.sort_by_key(|&(at, class)| (class.unwrap_or(usize::MAX), at));
        Self { name: draft.name.clone(), split, classes, rows, draft }
    }

    /// What it is called: the name of its kind, or that of the folder or file.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it was read as.
    pub fn kind(&self) -> Kind {
        self.draft.kind
    }

    /// Names of the classes.
    pub fn classes(&self) -> &[String] {
        &self.classes
    }

    /// How many pictures there are.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The name of a picture within the dataset.
    pub fn id(&self, row: usize) -> &str {
        &self.item(row).id
    }

    /// The class of a picture, as an index into [`classes`](Self::classes).
    pub fn class(&self, row: usize) -> Option<usize> {
        self.rows[row].1
    }

    /// Reads a picture: cropped to its box where it has one, in its own size.
    pub fn picture(&self, row: usize) -> Result<Picture> {
        self.draft.store.picture(self.item(row))
    }

    /// The bytes of a picture as they are stored, if it is stored encoded and whole.
    pub fn encoded(&self, row: usize) -> Result<Option<Vec<u8>>> {
        self.draft.store.encoded(self.item(row))
    }

    fn item(&self, row: usize) -> &Item {
        &self.draft.items[self.rows[row].0]
    }

    /// How many pictures each class has.
    pub fn class_sizes(&self) -> Vec<usize> {
        let mut sizes = vec![0; self.classes.len()];
        self.rows.iter().filter_map(|row| row.1).for_each(|class| sizes[class] += 1);
        sizes
    }

    /// The splits that have a class.
    pub fn splits(&self) -> Vec<Split> {
        let has = |split: &Split| self.draft.classes.iter().any(|c| c.split == Some(*split));
        Split::ALL.into_iter().filter(has).collect()
    }

    /// The split this is, if it is one.
    pub fn current_split(&self) -> Option<Split> {
        self.split
    }

    /// One split, whole: every class that it lists has pictures, and classes count from zero.
    pub fn split(&self, split: Split) -> Result<Self> {
        let part = self.peek(split);
        let refuse = |reason| Err(Error::Split { name: self.origin().into(), split, reason });
        if part.classes.is_empty() {
            let has: Vec<String> = self.splits().iter().map(Split::to_string).collect();
            return refuse(match has.as_slice() {
                [] => "it is not divided; put its classes below folders train, val and test, or name a dataset by --dataset".into(),
                has => format!("it has only {}", has.join(" and ")),
            });
        }
        let sizes = part.class_sizes();
        let lacking: Vec<&str> = (0..sizes.len())
            .filter(|&class| sizes[class] == 0)
            .map(|class| part.classes[class].as_str())
            .collect();
        match lacking.as_slice() {
            [] => Ok(part),
            _ if part.is_empty() => refuse(format!(
                "none of its {} classes has pictures; add the files or archives that hold them",
                sizes.len()
            )),
            [first, ..] => refuse(format!(
                "{} of its {} classes have no pictures, {first} first; add the files or archives that hold them",
                lacking.len(),
                sizes.len()
            )),
        }
    }

    /// One split, however incomplete.
    pub fn peek(&self, split: Split) -> Self {
        let mut kept = vec![false; self.draft.items.len()];
        self.rows.iter().for_each(|row| kept[row.0] = true);
        let mut part = Self::view(self.draft.clone(), Some(split));
        part.rows.retain(|row| kept[row.0]);
        part
    }

    /// The folder, archive or file it was opened from.
    pub fn origin(&self) -> &str {
        self.draft.store.source.name()
    }

    /// For each row a number that stays as long as its picture does. A file on disk may move to another folder;
    /// where many pictures lie in one file, each changes with the file.
    pub fn stamps(&self) -> Vec<u64> {
        let source = &self.draft.store.source;
        let all = source.stamp_of_all();
        let stamp = |row: usize| {
            let item = self.item(row);
            let mut stamp = Fingerprint::new();
            match item.stored {
                Stored::File(crop) => {
                    stamp.number(source.stamp(&item.id).unwrap_or(all));
                    if let Some(Crop { x, y, width, height }) = crop {
                        [x, y, width, height].iter().for_each(|&n| stamp.number(n as u64));
                    }
                }
                _ => {
                    stamp.number(all);
                    stamp.add(item.id.as_bytes());
                }
            }
            stamp.get()
        };
        (0..self.len()).map(stamp).collect()
    }

    /// The dataset without some of its rows.
    pub fn without(&self, rows: &[usize]) -> Self {
        let gone: HashSet<usize> = rows.iter().copied().collect();
        let mut left = self.clone();
        let mut row = 0;
        left.rows.retain(|_| {
            row += 1;
            !gone.contains(&(row - 1))
        });
        left
    }
}
