//! Writing packs.

use std::io::Write;
use std::path::Path;

use rayon::prelude::*;

use super::index::{self, Index, Shard, crc};
use super::{INDEX_ENDING, PackParams, SHARD_ENDING};
use crate::dataset::{Dataset, DatasetSplit};
use crate::{Error, Result};

/// Images that are encoded together before they are written.
const AT_ONCE: usize = 512;

/// What was packed.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct PackSummary {
    /// The files written, with their sizes in bytes.
    pub files: Vec<(String, usize)>,
    /// How many images.
    pub images: usize,
    /// How many of them kept their bytes.
    pub kept: usize,
    /// Images left out, and why.
    pub skipped: Vec<(String, Error)>,
}

impl PackSummary {
    /// All bytes written.
    pub fn bytes(&self) -> usize {
        self.files.iter().map(|file| file.1).sum()
    }
}

pub(super) fn write(
    params: &PackParams,
    dataset: &Dataset,
    out: &Path,
    done: &(impl Fn() + Sync),
) -> Result<PackSummary> {
    std::fs::create_dir_all(out).map_err(|e| Error::write(out, &e))?;
    let asked = |split: &DatasetSplit| params.splits.contains(split);
    let splits = match (params.splits.is_empty(), dataset.splits().is_empty()) {
        (false, _) => DatasetSplit::ALL.into_iter().filter(asked).map(Some).collect(),
        (true, true) => vec![None],
        // What a dataset has not been given yet is not packed, half a split is refused.
        (true, false) => {
            let has = |split: &DatasetSplit| !dataset.peek(*split).is_empty();
            dataset.splits().into_iter().filter(has).map(Some).collect()
        }
    };
    let mut packed = PackSummary::default();
    for split in splits {
        let part = match split {
            Some(split) => dataset.split(split)?,
            None => dataset.clone(),
        };
        SplitWriter::new(params, &part, out).run(done, &mut packed)?;
    }
    Ok(packed)
}

struct SplitWriter<'a> {
    params: &'a PackParams,
    dataset: &'a Dataset,
    out: &'a Path,
    stem: String,
    index: Index,
    /// The shard that is being filled.
    shard: Shard,
    bytes: Vec<u8>,
}

impl<'a> SplitWriter<'a> {
    fn new(params: &'a PackParams, dataset: &'a Dataset, out: &'a Path) -> Self {
        let split = dataset.current_split();
        let part = split.map_or(String::new(), |split| format!("-{split}"));
        // The name may be that of any folder, also of a hidden one, or empty.
        let plain = |c: char| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '_' };
        let name: String = dataset.name().chars().map(plain).collect();
        let index = Index {
            name: dataset.name().into(),
            kind: dataset.kind(),
            split,
            classes: dataset.classes().to_vec(),
            shards: Vec::new(),
        };
        let name = Some(name.trim_start_matches('.')).filter(|name| !name.is_empty());
        let stem = format!("{}{part}", name.unwrap_or("pack"));
        Self { params, dataset, out, stem, index, shard: Shard::default(), bytes: Vec::new() }
    }

    fn run(mut self, done: &(impl Fn() + Sync), packed: &mut PackSummary) -> Result<()> {
        let rows: Vec<usize> = (0..self.dataset.len()).collect();
        for some in rows.chunks(AT_ONCE) {
            let encode = |&row: &usize| {
                let encoded = self.encode(row);
                done();
                encoded
            };
            let encoded: Vec<_> = some.par_iter().map(encode).collect();
            for (&row, encoded) in some.iter().zip(encoded) {
                match encoded {
                    Ok((bytes, kept)) => {
                        packed.kept += usize::from(kept);
                        packed.images += 1;
                        self.push(row, &bytes, packed)?;
                    }
                    Err(error) if self.params.skip_bad => {
                        packed.skipped.push((self.dataset.id(row).into(), error));
                    }
                    Err(error) => return Err(error),
                }
            }
        }
        self.flush(packed)?;
        let file = format!("{}{INDEX_ENDING}", self.stem);
        self.save(file, self.index.text().as_bytes(), packed)
    }

    /// The bytes of an image, and whether they are those it is stored as.
    fn encode(&self, row: usize) -> Result<(Vec<u8>, bool)> {
        let size = self.params.size;
        // Always decoded: an image that cannot be read is found here, not where the pack is used.
        let image = self.dataset.image(row)?;
        let fits = image.width <= size && image.height <= size;
        if fits && let Some(bytes) = self.dataset.encoded(row)? {
            return Ok((bytes, true));
        }
        let image = if fits { image } else { image.resized(size) };
        Ok((self.params.quality.map_or_else(|| image.png(), |quality| image.jpeg(quality))?, false))
    }

    fn push(&mut self, row: usize, bytes: &[u8], packed: &mut PackSummary) -> Result<()> {
        if self.bytes.len() + bytes.len() > self.params.shard_bytes {
            self.flush(packed)?;
        }
        self.bytes.extend_from_slice(bytes);
        self.shard.images.push(index::PackedImage {
            class: self.dataset.class(row),
            len: bytes.len(),
            id: self.dataset.id(row).into(),
        });
        Ok(())
    }

    fn flush(&mut self, packed: &mut PackSummary) -> Result<()> {
        if self.shard.images.is_empty() {
            return Ok(());
        }
        let file = format!("{}-{:03}{SHARD_ENDING}", self.stem, self.index.shards.len());
        let bytes = std::mem::take(&mut self.bytes);
        self.save(file.clone(), &bytes, packed)?;
        let shard = std::mem::take(&mut self.shard);
        self.index.shards.push(Shard { file, crc: crc(&bytes), bytes: bytes.len() as u64, ..shard });
        Ok(())
    }

    /// Writes a file, complete or not at all.
    fn save(&self, file: String, bytes: &[u8], packed: &mut PackSummary) -> Result<()> {
        trustpath_table::write_atomically(self.out.join(&file), |w| w.write_all(bytes))?;
        packed.files.push((file, bytes.len()));
        Ok(())
    }
}
