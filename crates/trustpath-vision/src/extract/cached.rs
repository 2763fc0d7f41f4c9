//! Features of an earlier extraction to the same file, for the images that have not changed.

use std::collections::HashMap;
use std::io::{self, Write};
use std::path::Path;

use safetensors::tensor::{Dtype, SafeTensors};

use super::partial::{COMPLETE, PartialFile};

/// The names under which a file records its backbone and its images; the word "pictures" is part of the format.
pub(super) const BACKBONE: &str = "backbone";
pub(super) const IMAGES: &str = "pictures";
pub(super) const STAMPS: &str = "stamps";

/// Features by the stamps of their images.
#[derive(Default)]
pub(super) struct CachedFeatures {
    file: Vec<u8>,
    /// Where in the file the features begin, and the bytes of each.
    first: usize,
    width: usize,
    rows: HashMap<u64, usize>,
    /// The fingerprint of all that the file holds.
    images: String,
}

impl CachedFeatures {
    /// What the file at `path` holds, if the same backbone made it; nothing if it is no such file.
    pub fn read(path: &Path, backbone: &str, width: usize) -> Self {
        std::fs::read(path).ok().and_then(|bytes| Self::parse(bytes, backbone, width)).unwrap_or_default()
    }

    fn parse(bytes: Vec<u8>, backbone: &str, width: usize) -> Option<Self> {
        let (length, header) = SafeTensors::read_metadata(&bytes).ok()?;
        let about = header.metadata().as_ref()?;
        if about.get(BACKBONE)? != backbone {
            return None;
        }
        let file = SafeTensors::deserialize(&bytes).ok()?;
        let stamps = file.tensor(STAMPS).ok().filter(|stamps| stamps.dtype() == Dtype::I64)?;
        let stamps = stamps.data().as_chunks().0.iter().map(|&bytes| u64::from_le_bytes(bytes));
        let rows: HashMap<u64, usize> = stamps.clone().zip(0..).collect();
        let (first, end) = header.info("features")?.data_offsets;
        let images = about.get(IMAGES).cloned().unwrap_or_default();
        // Data begin after the header and the eight bytes of its length.
        let begin = 8 + length + first;
        let fits = end - first == stamps.count() * width;
        fits.then_some(Self { file: bytes, first: begin, width, rows, images })
    }

    /// Whether the file holds exactly what is wanted.
    pub fn is_up_to_date(&self, images: &str) -> bool {
        !self.rows.is_empty() && self.images == images
    }

    /// The feature of an image.
    pub fn get(&self, stamp: u64) -> Option<&[u8]> {
        let start = self.first + self.rows.get(&stamp)? * self.width;
        self.file.get(start..start + self.width)
    }
}

/// All features of a dataset: those of the file, and between them those that were computed.
pub(super) struct FeatureRows<'a> {
    pub cached: &'a CachedFeatures,
    /// The stamps of all rows.
    pub stamps: &'a [u64],
    /// Rows that were computed, ascending: the records of `partial`.
    pub computed: &'a [usize],
    pub partial: &'a PartialFile,
}

impl FeatureRows<'_> {
    /// Writes the features of all rows that have one.
    pub fn write(&self, w: &mut impl Write) -> io::Result<()> {
        let (mut next, mut computed) = (0, self.computed.iter());
        self.partial.each(|state, feature| {
            let row = computed.next().copied().unwrap_or(next);
            self.write_cached(w, next..row)?;
            next = row + 1;
            if state == COMPLETE { w.write_all(feature) } else { Ok(()) }
        })?;
        self.write_cached(w, next..self.stamps.len())
    }

    fn write_cached(&self, w: &mut impl Write, rows: std::ops::Range<usize>) -> io::Result<()> {
        let mut cached = self.stamps[rows].iter().filter_map(|&stamp| self.cached.get(stamp));
        cached.try_for_each(|feature| w.write_all(feature))
    }
}
