//! Which dataset, and which part of it.

use std::fmt;
use std::str::FromStr;

use crate::{Error, Result};

/// A part of a dataset; no class is in two of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Split {
    /// Base classes, on which a network is trained.
    Train,
    /// Classes on which it is chosen.
    Val,
    /// Novel classes, on which it is judged.
    Test,
}

impl Split {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Train, Self::Val, Self::Test];
    /// Their names.
    pub const NAMES: [&'static str; 3] = ["train", "val", "test"];
}

impl fmt::Display for Split {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.pad(Self::NAMES[*self as usize])
    }
}

impl FromStr for Split {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        let at = Self::NAMES.iter().position(|known| *known == name);
        at.map(|at| Self::ALL[at]).ok_or_else(|| Error::Unknown {
            what: "split",
            name: name.into(),
            known: Self::NAMES.join(", "),
        })
    }
}

/// A dataset that is known by name, or a form that any dataset may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// CIFAR-FS: class folders, or CIFAR-100's own archive for Python.
    CifarFs,
    /// CUB-200-2011 cropped to its boxes, divided as FEAT does.
    Cub,
    /// CUB-200-2011 cropped to its boxes, divided as "A Closer Look at Few-shot Classification" does.
    CubCloserLook,
    /// miniImageNet: either form of pickles, or csv files and a folder of images.
    MiniImagenet,
    /// tieredImageNet: pickles of PNGs, or class folders.
    TieredImagenet,
    /// Any folder of class folders, maybe below `train`, `val` and `test`.
    Folder,
    /// Any csv of file names and labels.
    Csv,
    /// Shards written by [`crate::pack`].
    Pack,
}

impl Kind {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::CifarFs,
        Self::Cub,
        Self::CubCloserLook,
        Self::MiniImagenet,
        Self::TieredImagenet,
        Self::Folder,
        Self::Csv,
        Self::Pack,
    ];
    /// Their names.
    pub const NAMES: [&'static str; 8] = [
        "cifar-fs",
        "cub",
        "cub-closer-look",
        "mini-imagenet",
        "tiered-imagenet",
        "folder",
        "csv",
        "pack",
    ];

    /// Where to get it, for the datasets that others publish.
    pub fn home(self) -> Option<&'static str> {
        match self {
            Self::CifarFs => Some(
                "CIFAR-FS is on the page of R2D2 (Bertinetto et al., github.com/bertinetto/r2d2); cifar-100-python.tar.gz of the CIFAR-100 page (www.cs.toronto.edu/~kriz/cifar.html) does as well",
            ),
            Self::Cub | Self::CubCloserLook => Some(
                "CUB_200_2011.tgz is on the CUB-200-2011 page of Caltech Vision (www.vision.caltech.edu/datasets/cub_200_2011)",
            ),
            Self::MiniImagenet => Some(
                "mini-imagenet-cache-*.pkl are linked from the page of few-shot-ssl-public (Ren et al., github.com/renmengye/few-shot-ssl-public); the csv files are in github.com/twitter-research/meta-learning-lstm, the images on www.image-net.org",
            ),
            Self::TieredImagenet => Some(
                "tiered-imagenet.tar with *_images_png.pkl and *_labels.pkl is linked from the page of few-shot-ssl-public (Ren et al., github.com/renmengye/few-shot-ssl-public)",
            ),
            Self::Folder | Self::Csv | Self::Pack => None,
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let at = Self::ALL.iter().position(|kind| kind == self);
        f.pad(at.map_or("", |at| Self::NAMES[at]))
    }
}

impl FromStr for Kind {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        let at = Self::NAMES.iter().position(|known| *known == name);
        at.map(|at| Self::ALL[at]).ok_or_else(|| Error::Unknown {
            what: "dataset",
            name: name.into(),
            known: Self::NAMES.join(", "),
        })
    }
}
