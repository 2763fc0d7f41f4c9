//! From images to a file of features.
//!
//! Images are read, decoded and resized in batches, on all threads, while the features of the previous batch are
//! computed; so no more than two batches are in memory, however many images there are. Features are collected in a file
//! beside the result (`partial`), from which an interrupted extraction is resumed; at the end they become the result
//! (`file`), which `trustpath label`, `bench` and `check` read. An existing result is brought up to date: features of
//! unchanged images are reused (`cached`).

mod cached;
mod file;
mod partial;
mod rows;

use std::path::{Path, PathBuf};

use half::f16;
use rayon::prelude::*;
use trustpath_table::Format;

use crate::backbone::Backbone;
use crate::dataset::Dataset;
use crate::fingerprint::Fingerprint;
use crate::weights::FloatPrecision;
use crate::{Error, Result};
use cached::{CachedFeatures, FeatureRows};
use file::FeatureFile;
use partial::{COMPLETE, PartialFile, SKIPPED};
pub use rows::FeatureBlocks;

/// Images of a batch for each thread.
const BATCH: usize = 16;

/// How to extract.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Extraction {
    /// The precision of the features.
    pub precision: FloatPrecision,
    /// Whether images that cannot be read are left out; else the first of them ends it.
    pub skip_bad: bool,
}

/// Observes how an extraction goes, and may stop it.
pub trait ExtractObserver {
    /// It begins; `done` of `all` images have their features already.
    fn begin(&mut self, done: usize, all: usize);

    /// This many more images are done.
    fn advance(&mut self, images: usize);

    /// Whether to stop now; what is done is not lost.
    fn stop(&self) -> bool {
        false
    }
}

/// How an extraction ended.
#[derive(Debug, Clone, PartialEq)]
pub enum ExtractOutcome {
    /// The file is written.
    Finished {
        /// Features in it.
        rows: usize,
        /// Rows of the dataset that were left out, and why each image cannot be read.
        skipped: Vec<(usize, Error)>,
    },
    /// It was stopped; running it again resumes it.
    Stopped {
        /// Images that are done.
        done: usize,
        /// All images.
        all: usize,
    },
}

impl Extraction {
    /// The file of labels that is written beside the features `out`, if their format has no room for labels.
    pub fn labels_file(out: &Path) -> Option<PathBuf> {
        (Format::of(out) == Ok(Format::Npy)).then(|| file::beside(out, "csv"))
    }

    /// Writes the features of all images of a dataset to `out`, whose ending says the format:
    /// `.safetensors`, or `.npy` with `NAME-labels.csv` beside it.
    ///
    /// Runs on the threads of the current rayon pool. An interrupted extraction of the same features to the same place is
    /// resumed. Where `out` is a `.safetensors` file that the same backbone made, the features of all images that have not
    /// changed since are reused.
    ///
    /// # Errors
    /// If an image cannot be read and bad ones are not to be skipped, none can, a feature is not
    /// finite, or the files cannot be written.
    pub fn run(
        &self,
        backbone: &dyn Backbone,
        dataset: &Dataset,
        out: &Path,
        observer: &mut dyn ExtractObserver,
    ) -> Result<ExtractOutcome> {
        let dim = backbone.info().dim;
        let target = FeatureFile::new(out, self.precision, dim)?;
        let all = dataset.len();
        let width = target.width() * dim;
        let from = self.origin(backbone, dataset);
        let cached = if target.records_origin() {
            CachedFeatures::read(out, &from.backbone, width)
        } else {
            CachedFeatures::default()
        };
        let is_new = |row: &usize| cached.get(from.stamps[*row]).is_none();
        let new: Vec<usize> = (0..all).filter(is_new).collect();
        if new.is_empty() && cached.is_up_to_date(&from.images) {
            observer.begin(all, all);
            return Ok(ExtractOutcome::Finished { rows: all, skipped: Vec::new() });
        }
        let before = all - new.len();
        let mut partial = PartialFile::open(out, from.fingerprint(&new), width)?;
        let begun = partial.done.min(new.len());
        observer.begin(before + begun, all);
        let batch = BATCH * rayon::current_num_threads();
        let rows = |first: usize| &new[first..(first + batch).min(new.len())];
        let mut ready = self.load(backbone, dataset, rows(begun))?;
        while !ready.bad.is_empty() {
            if observer.stop() {
                return Ok(ExtractOutcome::Stopped { done: before + partial.done, all });
            }
            let first = partial.done;
            let (features, next) = rayon::join(
                || {
                    if ready.values.is_empty() { Ok(Vec::new()) } else { backbone.features(&ready.values) }
                },
                || self.load(backbone, dataset, rows(first + ready.bad.len())),
            );
            let features = features?;
            let each = features.chunks_exact(dim);
            let records = self.records(dataset, rows(first), &ready, each, width)?;
            partial.append(&records)?;
            observer.advance(ready.bad.len());
            ready = next?;
        }
        self.finish(partial, &target, dataset, &from, (&cached, &new))
    }

    /// Reads some images and makes them ready.
    fn load(&self, backbone: &dyn Backbone, dataset: &Dataset, rows: &[usize]) -> Result<Batch> {
        let input = backbone.info().input;
        let mut values = vec![0.0; rows.len() * input.values()];
        let read = |(&row, values): (&usize, &mut [f32])| dataset.image(row).map(|image| input.prepare(&image, values));
        let images = rows.par_iter().zip(values.par_chunks_exact_mut(input.values()));
        let read: Vec<Result<()>> = images.map(read).collect();
        if !self.skip_bad
            && let Some(error) = read.iter().find_map(|read| read.as_ref().err())
        {
            return Err(error.clone());
        }
        let bad: Vec<bool> = read.iter().map(Result::is_err).collect();
        // The values of images that can be read move together; the network sees no others.
        let mut end = 0;
        for (place, _) in bad.iter().enumerate().filter(|(_, bad)| !**bad) {
            let start = place * input.values();
            values.copy_within(start..start + input.values(), end);
            end += input.values();
        }
        values.truncate(end);
        Ok(Batch { values, bad })
    }

    /// The features of a batch as records.
    fn records(
        &self,
        dataset: &Dataset,
        rows: &[usize],
        batch: &Batch,
        mut features: std::slice::ChunksExact<f32>,
        width: usize,
    ) -> Result<Vec<u8>> {
        let mut records = Vec::new();
        for (&bad, &row) in batch.bad.iter().zip(rows) {
            if bad {
                records.push(SKIPPED);
                records.resize(records.len() + width, 0);
                continue;
            }
            records.push(COMPLETE);
            for &value in features.next().unwrap_or_default() {
                let finite = match self.precision {
                    FloatPrecision::F16 => {
                        let half = f16::from_f32(value);
                        records.extend(half.to_le_bytes());
                        half.is_finite()
                    }
                    FloatPrecision::F32 => {
                        records.extend(value.to_le_bytes());
                        value.is_finite()
                    }
                };
                if !finite {
                    let remedy = if value.is_finite() {
                        "that is too large for f16, so write f32"
                    } else {
                        "the weights do not suit these images"
                    };
                    let id = dataset.id(row);
                    let sentence = format!("the feature of {id} contains {value}: {remedy}");
                    return Err(Error::Input(sentence));
                }
            }
        }
        Ok(records)
    }

    fn finish(
        &self,
        partial: PartialFile,
        target: &FeatureFile,
        dataset: &Dataset,
        from: &ExtractedFrom,
        (cached, new): (&CachedFeatures, &[usize]),
    ) -> Result<ExtractOutcome> {
        let gone: Vec<usize> = partial.skipped()?.into_iter().map(|record| new[record]).collect();
        let mut skipped = Vec::new();
        for &row in &gone {
            // An image that was skipped before an interruption is read again to report why.
            let error = dataset.image(row).err().unwrap_or_else(|| Error::Image {
                name: dataset.id(row).into(),
                reason: "it could not be read earlier".into(),
            });
            skipped.push((row, error));
        }
        if let (Some((_, first)), true) = (skipped.first(), gone.len() == dataset.len()) {
            let (name, all) = (dataset.origin(), skipped.len());
            partial.remove()?;
            return Err(Error::Input(format!("none of the {all} images of {name} can be read; {first}")));
        }
        let left = dataset.without(&gone);
        let features = FeatureRows { cached, stamps: &from.stamps, computed: new, partial: &partial };
        target.write(&features, &left, from)?;
        partial.remove()?;
        Ok(ExtractOutcome::Finished { rows: left.len(), skipped })
    }

    fn origin(&self, backbone: &dyn Backbone, dataset: &Dataset) -> ExtractedFrom {
        let (mut by, mut all) = (Fingerprint::new(), Fingerprint::new());
        by.number(backbone.info().identity()).number(self.precision as u64);
        let stamps = dataset.stamps();
        all.number(u64::from(self.skip_bad)).add(dataset.origin());
        dataset.classes().iter().fold(&mut all, Fingerprint::add);
        for (row, &stamp) in stamps.iter().enumerate() {
            let class = dataset.class(row).map_or(u64::MAX, |class| class as u64);
            all.add(dataset.id(row)).number(class).number(stamp);
        }
        let text = |print: Fingerprint| format!("{:016x}", print.get());
        ExtractedFrom { backbone: text(by), images: text(all), stamps }
    }
}

/// What features are made from.
struct ExtractedFrom {
    /// Tells backbones apart, by which and in which precision features are made.
    backbone: String,
    /// Tells images apart, with their names, classes and order.
    images: String,
    /// Tells each image apart.
    stamps: Vec<u64>,
}

impl ExtractedFrom {
    /// Tells an extraction of some rows from all others.
    fn fingerprint(&self, rows: &[usize]) -> u64 {
        let mut all = Fingerprint::new();
        all.add(&self.backbone).add(&self.images);
        all.numbers(rows.iter().map(|&row| row as u64)).get()
    }
}

/// Images that are ready.
struct Batch {
    /// The values of those that could be read.
    values: Vec<f32>,
    /// Which of all could not be read.
    bad: Vec<bool>,
}

#[cfg(test)]
mod tests;
