//! Which dataset, and which part of it.

/// A part of a dataset; no class is in two of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DatasetSplit {
    /// Base classes, on which a network is trained.
    Train,
    /// Classes on which it is chosen.
    Val,
    /// Novel classes, on which it is judged.
    Test,
}

crate::named::named!(DatasetSplit, "split", [Train = "train", Val = "val", Test = "test"]);

/// A dataset that is known by name, or a form that any dataset may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DatasetKind {
    /// CIFAR-FS: class folders, or the archive of CIFAR-100 for Python.
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
    /// Any csv of file names and labels, or tasks of Label Studio.
    Csv,
    /// Shards written by [`crate::pack`].
    Pack,
}

crate::named::named!(
    DatasetKind,
    "dataset",
    [
        CifarFs = "cifar-fs",
        Cub = "cub",
        CubCloserLook = "cub-closer-look",
        MiniImagenet = "mini-imagenet",
        TieredImagenet = "tiered-imagenet",
        Folder = "folder",
        Csv = "csv",
        Pack = "pack",
    ]
);

impl DatasetKind {
    /// Where to get it, for the datasets that others publish.
    pub fn home(self) -> Option<&'static str> {
        match self {
            Self::CifarFs => Some(
                "CIFAR-FS is on the page of R2D2 (Bertinetto et al., github.com/bertinetto/r2d2); cifar-100-python.tar.gz of the CIFAR-100 page (www.cs.toronto.edu/~kriz/cifar.html) can be used as well",
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
