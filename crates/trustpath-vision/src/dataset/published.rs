//! The published divisions of datasets into classes for training, validation and test, as facts: which
//! class is in which split, and how many images it has.

use super::{DatasetKind, DatasetSplit};

/// A published division of a dataset.
#[derive(Debug, Clone, PartialEq)]
pub struct PublishedSplits {
    /// Classes, in the order of their split.
    pub classes: Vec<PublishedClass>,
    /// How many images a split has, where that is not known class by class.
    pub totals: Vec<(DatasetSplit, usize)>,
}

/// A class of a division.
#[derive(Debug, Clone, PartialEq)]
pub struct PublishedClass {
    /// Where it belongs.
    pub split: DatasetSplit,
    /// Its name.
    pub name: String,
    /// How many images it has, where that was published.
    pub images: Option<usize>,
}

impl PublishedSplits {
    /// The published division; none for other datasets.
    pub fn of(kind: DatasetKind) -> Option<Self> {
        let text = match kind {
            DatasetKind::CifarFs => include_str!("lists/cifar-fs.txt"),
            DatasetKind::Cub => include_str!("lists/cub.txt"),
            DatasetKind::CubCloserLook => return Some(closer_look(Self::of(DatasetKind::Cub)?)),
            DatasetKind::MiniImagenet => include_str!("lists/mini-imagenet.txt"),
            DatasetKind::TieredImagenet => include_str!("lists/tiered-imagenet.txt"),
            DatasetKind::Folder | DatasetKind::Csv | DatasetKind::Pack => return None,
        };
        Some(parse(text))
    }

    /// The classes of a split, in order.
    pub fn split(&self, split: DatasetSplit) -> impl Iterator<Item = &PublishedClass> {
        self.classes.iter().filter(move |listed| listed.split == split)
    }

    /// How many images a split has in all.
    pub fn images(&self, split: DatasetSplit) -> Option<usize> {
        match self.totals.iter().find(|(of, _)| *of == split) {
            Some(&(_, total)) => Some(total),
            None => self.split(split).map(|listed| listed.images).sum(),
        }
    }
}

/// Lines of split, class and number; the class `*` means all of a split. The texts are part of the program and
/// read by the tests.
fn parse(text: &str) -> PublishedSplits {
    let mut lists = PublishedSplits { classes: Vec::new(), totals: Vec::new() };
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let mut words = line.split(' ');
        let split = words.next().and_then(|word| word.parse().ok());
        let (Some(split), Some(class)) = (split, words.next()) else { continue };
        let images = words.next().and_then(|word| word.parse().ok());
        match (class, images) {
            ("*", Some(total)) => lists.totals.push((split, total)),
            _ => lists.classes.push(PublishedClass { split, name: class.into(), images }),
        }
    }
    lists
}

/// The division of "A Closer Look at Few-shot Classification" (Chen et al. 2019): of the classes in the
/// order of their numbers, every second is for training, and the others by turns for validation and test.
fn closer_look(mut lists: PublishedSplits) -> PublishedSplits {
    lists.classes.sort_by(|a, b| a.name.cmp(&b.name));
    for (number, listed) in lists.classes.iter_mut().enumerate() {
        listed.split = match number % 4 {
            0 | 2 => DatasetSplit::Train,
            1 => DatasetSplit::Val,
            _ => DatasetSplit::Test,
        };
    }
    lists.classes.sort_by_key(|listed| listed.split);
    lists
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn the_divisions_have_the_published_sizes() {
        for (kind, classes, images) in [
            (DatasetKind::CifarFs, [64, 16, 20], [38400, 9600, 12000]),
            (DatasetKind::MiniImagenet, [64, 16, 20], [38400, 9600, 12000]),
            (DatasetKind::TieredImagenet, [351, 97, 160], [448_695, 124_261, 206_209]),
            (DatasetKind::Cub, [100, 50, 50], [5891, 2932, 2965]),
            (DatasetKind::CubCloserLook, [100, 50, 50], [5885, 2950, 2953]),
        ] {
            let lists = PublishedSplits::of(kind).unwrap();
            let of = |split| (lists.split(split).count(), lists.images(split).unwrap());
            let sizes = DatasetSplit::ALL.map(of);
            assert_eq!(sizes.map(|s| s.0), classes, "{kind}");
            assert_eq!(sizes.map(|s| s.1), images, "{kind}");
            let names: HashSet<&str> = lists.classes.iter().map(|l| l.name.as_str()).collect();
            assert_eq!(names.len(), lists.classes.len(), "{kind}");
        }
    }

    #[test]
    fn the_two_divisions_of_cub_differ() {
        let feat = PublishedSplits::of(DatasetKind::Cub).unwrap();
        let closer = PublishedSplits::of(DatasetKind::CubCloserLook).unwrap();
        let of = |lists: &PublishedSplits, class: &str| {
            lists.classes.iter().find(|l| l.name == class).map(|l| l.split).unwrap()
        };
        assert_eq!(of(&feat, "001.Black_footed_Albatross"), DatasetSplit::Val);
        assert_eq!(of(&closer, "001.Black_footed_Albatross"), DatasetSplit::Train);
        assert_eq!(of(&closer, "002.Laysan_Albatross"), DatasetSplit::Val);
        assert_eq!(of(&closer, "004.Groove_billed_Ani"), DatasetSplit::Test);
    }
}
