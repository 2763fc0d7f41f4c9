//! Packs: a dataset as a few files of small images, which are quick to copy.
//!
//! Each split is an index `NAME-SPLIT.pack` and shards `NAME-SPLIT-000.shard`, `-001`, …, which are nothing
//! but encoded images one after the other. The index is text: classes, and for each shard its size and
//! checksum and the images in it. Splits are independent, so that any of them can be copied alone; the
//! index is written last, so that a split with an index is complete.
//!
//! An image with both sides within the size of the pack keeps the very bytes it is stored as: enlarging
//! would add bytes but nothing to see, and [`RgbImage::resized`](crate::image::RgbImage::resized) does it
//! as well when the image is used. All others become squares of that size, losslessly as PNG or, if a
//! quality is given, as JPEG.

mod index;
mod read;
mod write;

use std::path::Path;

pub(crate) use read::open;
pub use write::PackSummary;

pub use crate::source::SHARD_ENDING;

use crate::dataset::{Dataset, DatasetSplit};
use crate::{Error, Result};

/// Ending of the index of a split.
pub const INDEX_ENDING: &str = ".pack";

/// How to pack.
#[derive(Debug, Clone, PartialEq)]
pub struct PackParams {
    /// Edge of the largest image.
    pub size: usize,
    /// Quality of JPEG, 1 to 100; without it images are resized losslessly.
    pub quality: Option<u8>,
    /// The most bytes a shard has, unless a single image has more.
    pub shard_bytes: usize,
    /// The splits to pack; all there are if empty.
    pub splits: Vec<DatasetSplit>,
    /// Whether images that cannot be read are left out and listed.
    pub skip_bad: bool,
}

impl Default for PackParams {
    fn default() -> Self {
        Self { size: 84, quality: None, shard_bytes: 48 << 20, splits: Vec::new(), skip_bad: false }
    }
}

impl PackParams {
    /// Checks the numbers.
    ///
    /// # Errors
    /// If one is out of its range.
    pub fn check(&self) -> Result<()> {
        for (name, value, least, most) in [
            ("size", self.size, 1, 4096),
            ("quality", self.quality.unwrap_or(100).into(), 1, 100),
            ("shard size in bytes", self.shard_bytes, 1 << 10, 1 << 40),
        ] {
            if !(least..=most).contains(&value) {
                let remedy = format!("give {least} to {most}");
                return Err(Error::Input(format!("the {name} cannot be {value}: {remedy}")));
            }
        }
        Ok(())
    }

    /// Packs a dataset into a folder, which is created if it does not exist. `done` is called for each image.
    ///
    /// ```
    /// # use trustpath_vision::{dataset::Dataset, pack::PackParams, image::RgbImage};
    /// # let (from, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    /// # std::fs::create_dir(from.path().join("cat")).unwrap();
    /// # let image = RgbImage { width: 99, height: 1, rgb: vec![7; 297] };
    /// # std::fs::write(from.path().join("cat/1.png"), image.png()?).unwrap();
    /// # let (from, to) = (from.path(), to.path());
    /// let cats = Dataset::open(from, None)?;
    /// let packed = PackParams { size: 32, ..PackParams::default() }.write(&cats, to, || ())?;
    /// let again = Dataset::open(to, None)?;
    /// assert_eq!((packed.images, again.id(0)), (1, "cat/1.png"));
    /// assert_eq!(again.image(0)?, cats.image(0)?.resized(32));
    /// # Ok::<(), trustpath_vision::Error>(())
    /// ```
    ///
    /// # Errors
    /// If a number is out of its range, an image cannot be read, or a file cannot be written.
    pub fn write(&self, dataset: &Dataset, out: &Path, done: impl Fn() + Sync) -> Result<PackSummary> {
        self.check()?;
        write::write(self, dataset, out, &done)
    }
}
