//! What of a dataset is there, compared with what was published of it.

use std::collections::HashMap;

use rayon::prelude::*;

use super::{Dataset, DatasetSplit, PublishedSplits};
use crate::{Error, Result};

/// A split, or all of a dataset that is not divided.
#[derive(Debug, Clone, PartialEq)]
pub struct SplitCheck {
    /// Which split; none for classes that belong to none.
    pub split: Option<DatasetSplit>,
    /// How many images it should have, where that was published.
    pub expected: Option<usize>,
    /// Its classes, those that were published first.
    pub classes: Vec<ClassCheck>,
}

/// A class.
#[derive(Debug, Clone, PartialEq)]
pub struct ClassCheck {
    /// Its name.
    pub name: String,
    /// How many images are there.
    pub images: usize,
    /// How many there should be, where that was published.
    pub expected: Option<usize>,
}

impl SplitCheck {
    /// How many images are there.
    pub fn images(&self) -> usize {
        self.classes.iter().map(|class| class.images).sum()
    }

    /// How many classes have images.
    pub fn classes_here(&self) -> usize {
        self.classes.iter().filter(|class| class.images > 0).count()
    }

    /// Whether nothing of it is there.
    pub fn is_absent(&self) -> bool {
        self.images() == 0
    }

    /// Whether all of it is there, and nothing else.
    pub fn is_whole(&self) -> bool {
        self.classes.iter().all(ClassCheck::is_whole) && self.expected.is_none_or(|expected| expected == self.images())
    }
}

impl ClassCheck {
    /// Whether it has as many images as it should, and at least one.
    pub fn is_whole(&self) -> bool {
        self.images > 0 && self.expected.is_none_or(|expected| expected == self.images)
    }
}

/// What reading every image showed.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Inspection {
    /// Rows whose images cannot be read, and why.
    pub unreadable: Vec<(usize, Error)>,
    /// The least width and the least height.
    pub smallest: Option<(usize, usize)>,
    /// The greatest width and the greatest height.
    pub largest: Option<(usize, usize)>,
}

impl Dataset {
    /// Compares classes and their sizes with the published ones, split by split.
    pub fn check(&self) -> Vec<SplitCheck> {
        let lists = PublishedSplits::of(self.kind());
        let mut splits: Vec<Option<DatasetSplit>> = self.splits().into_iter().map(Some).collect();
        if self.raw.classes.iter().any(|class| class.split.is_none()) {
            splits.push(None);
        }
        splits.into_iter().map(|split| self.check_split(split, lists.as_ref())).collect()
    }

    fn check_split(&self, split: Option<DatasetSplit>, lists: Option<&PublishedSplits>) -> SplitCheck {
        let mut sizes = vec![0; self.raw.classes.len()];
        let classes = self.raw.items.iter().filter_map(|item| item.class);
        classes.for_each(|class| sizes[class] += 1);
        let published: HashMap<&str, Option<usize>> =
            lists.iter().flat_map(|lists| &lists.classes).map(|listed| (listed.name.as_str(), listed.images)).collect();
        let classes = self.raw.classes.iter().zip(sizes).filter(|(class, _)| class.split == split);
        let classes = classes.map(|(class, images)| ClassCheck {
            name: class.name.clone(),
            images,
            expected: published.get(class.name.as_str()).copied().flatten(),
        });
        let expected = split.zip(lists).and_then(|(split, lists)| lists.images(split));
        SplitCheck { split, expected, classes: classes.collect() }
    }

    /// Reads every image, on all threads; `done` is called for each.
    pub fn inspect(&self, done: impl Fn() + Sync) -> Inspection {
        let size = |row: usize| {
            let read = self.image(row);
            done();
            read.map(|image| (image.width, image.height))
        };
        let sizes: Vec<Result<(usize, usize)>> = (0..self.len()).into_par_iter().map(size).collect();
        let extreme = |pick: fn(usize, usize) -> usize| {
            sizes.iter().flatten().copied().reduce(|a, b| (pick(a.0, b.0), pick(a.1, b.1)))
        };
        let (smallest, largest) = (extreme(usize::min), extreme(usize::max));
        let unreadable = |(row, size): (usize, Result<_>)| size.err().map(|error| (row, error));
        Inspection { unreadable: sizes.into_iter().enumerate().filter_map(unreadable).collect(), smallest, largest }
    }
}
