//! From pictures to a file of features.
//!
//! Pictures are read, decoded and resized in batches, on all threads, while the features of the batch
//! before are computed; so no more than two batches are in memory, however many pictures there are.
//! Features gather in a file beside the result (`partial`), from which an extraction that was
//! interrupted goes on; at the end they become the result (`file`), which `trustpath label`, `bench`
//! and `check` read. A result that is there already is brought up to date: of pictures that are the same
//! as then, features are kept (`kept`).

mod file;
mod kept;
mod partial;

use std::collections::HashSet;
use std::path::Path;

use half::f16;
use rayon::prelude::*;

use crate::backbone::Backbone;
use crate::dataset::Dataset;
use crate::fingerprint::Fingerprint;
use crate::weights::Precision;
use crate::{Error, Result};
use file::{FeatureFile, Rows};
use kept::{Gathered, Kept};
use partial::{Partial, SKIPPED, WHOLE};

/// Pictures of a batch for each thread.
const BATCH: usize = 16;

/// How to extract.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Extraction {
    /// The precision of the features.
    pub precision: Precision,
    /// Whether pictures that cannot be read are left out; else the first of them ends it.
    pub skip_bad: bool,
}

/// Sees how an extraction goes, and may stop it.
pub trait Watch {
    /// It begins; `done` pictures of `all` were there already.
    fn begin(&mut self, done: usize, all: usize);

    /// That many pictures more are done.
    fn advance(&mut self, pictures: usize);

    /// Whether to stop now; what is done is kept.
    fn stop(&self) -> bool {
        false
    }
}

/// How an extraction ended.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// The file is written.
    Finished {
        /// Features in it.
        rows: usize,
        /// Rows of the dataset that were left out, each with what is wrong with its picture.
        skipped: Vec<(usize, Error)>,
    },
    /// It was stopped; the same extraction goes on from here.
    Stopped {
        /// Pictures that are done.
        done: usize,
        /// Pictures there are.
        all: usize,
    },
}

impl Extraction {
    /// Writes the features of all pictures of a dataset to `out`, whose ending says the format:
    /// `.safetensors`, or `.npy` with `NAME-labels.csv` beside it.
    ///
    /// Runs on the threads of the current rayon pool. If an extraction of the same features to the
    /// same place was interrupted, it goes on with that. Where `out` is a `.safetensors` file that the
    /// same backbone made, the features of all pictures that have not been written since are kept.
    ///
    /// # Errors
    /// If a picture cannot be read and bad ones are not to be skipped, none can, a feature is not
    /// finite, or the files cannot be written.
    pub fn run(
        &self,
        backbone: &dyn Backbone,
        dataset: &Dataset,
        out: &Path,
        watch: &mut dyn Watch,
    ) -> Result<Outcome> {
        let target = FeatureFile::new(out, self.precision, backbone.dim())?;
        let all = dataset.len();
        let width = target.width() * backbone.dim();
        let from = self.origin(backbone, dataset);
        let kept = match target.is_lasting() {
            true => Kept::read(out, &from.backbone, width),
            false => Kept::default(),
        };
        let is_new = |row: &usize| kept.get(from.stamps[*row]).is_none();
        let new: Vec<usize> = (0..all).filter(is_new).collect();
        if new.is_empty() && kept.is_whole(&from.pictures) {
            watch.begin(all, all);
            return Ok(Outcome::Finished { rows: all, skipped: Vec::new() });
        }
        let before = all - new.len();
        let mut partial = Partial::open(out, from.fingerprint(&new), width)?;
        let begun = partial.done().min(new.len());
        watch.begin(before + begun, all);
        let batch = BATCH * rayon::current_num_threads();
        let rows = |first: usize| &new[first..(first + batch).min(new.len())];
        let mut ready = self.load(backbone, dataset, rows(begun))?;
        while !ready.is_empty() {
            if watch.stop() {
                return Ok(Outcome::Stopped { done: before + partial.done(), all });
            }
            let first = partial.done();
            let (features, next) = rayon::join(
                || backbone.features(&ready.values),
                || self.load(backbone, dataset, rows(first + ready.bad.len())),
            );
            let records = self.records(dataset, rows(first), &ready, &features?)?;
            partial.append(&records)?;
            watch.advance(ready.bad.len());
            ready = next?;
        }
        self.finish(partial, &target, dataset, &from, (&kept, &new))
    }

    /// Reads some pictures and makes them ready.
    fn load(&self, backbone: &dyn Backbone, dataset: &Dataset, rows: &[usize]) -> Result<Batch> {
        let input = backbone.input();
        let mut values = vec![0.0; rows.len() * input.values()];
        let read = |(&row, values): (&usize, &mut [f32])| {
            dataset.picture(row).map(|picture| input.prepare(&picture, values))
        };
        let pictures = rows.par_iter().zip(values.par_chunks_exact_mut(input.values()));
        let read: Vec<Result<()>> = pictures.map(read).collect();
        if !self.skip_bad
            && let Some(error) = read.iter().find_map(|read| read.as_ref().err())
        {
            return Err(error.clone());
        }
        Ok(Batch { values, bad: read.iter().map(Result::is_err).collect() })
    }

    /// The features of a batch as records.
    fn records(
        &self,
        dataset: &Dataset,
        rows: &[usize],
        batch: &Batch,
        features: &[f32],
    ) -> Result<Vec<u8>> {
        let mut records = Vec::new();
        let each = features.chunks_exact(features.len() / batch.bad.len());
        for ((feature, &bad), &row) in each.zip(&batch.bad).zip(rows) {
            records.push(if bad { SKIPPED } else { WHOLE });
            for &value in feature {
                let finite = match self.precision {
                    Precision::F16 => {
                        let half = f16::from_f32(value);
                        records.extend(half.to_le_bytes());
                        half.is_finite()
                    }
                    Precision::F32 => {
                        records.extend(value.to_le_bytes());
                        value.is_finite()
                    }
                };
                if !finite && !bad {
                    let remedy = if value.is_finite() {
                        "that is too large for f16, so write f32"
                    } else {
                        "the weights do not suit these pictures"
                    };
                    let id = dataset.id(row).to_owned();
                    return Err(Error::Feature { id, value, remedy });
                }
            }
        }
        Ok(records)
    }

    fn finish(
        &self,
        partial: Partial,
        target: &FeatureFile,
        dataset: &Dataset,
        from: &Origin,
        (kept, new): (&Kept, &[usize]),
    ) -> Result<Outcome> {
        let gone: Vec<usize> = partial.skipped()?.into_iter().map(|record| new[record]).collect();
        let mut skipped = Vec::new();
        for &row in &gone {
            // What was skipped before an interruption is read again to tell why.
            let error = match dataset.picture(row) {
                Err(error) => error,
                Ok(_) => {
                    let reason = "it could not be read when its turn came".into();
                    Error::Picture { name: dataset.id(row).into(), reason }
                }
            };
            skipped.push((row, error));
        }
        if let (Some((_, first)), true) = (skipped.first(), gone.len() == dataset.len()) {
            let (name, first) = (dataset.origin().to_owned(), first.to_string());
            partial.remove()?;
            return Err(Error::AllBad { name, pictures: skipped.len(), first });
        }
        let left = dataset.without(&gone);
        let rows = Rows {
            ids: ids(&left),
            labels: (0..left.len()).map(|row| left.class(row)).collect(),
            classes: dataset.classes(),
            stamps: left.stamps(),
            backbone: from.backbone.clone(),
            pictures: from.pictures.clone(),
        };
        let features = Gathered { kept, stamps: &from.stamps, computed: new, partial: &partial };
        target.write(&features, &rows)?;
        partial.remove()?;
        Ok(Outcome::Finished { rows: left.len(), skipped })
    }

    fn origin(&self, backbone: &dyn Backbone, dataset: &Dataset) -> Origin {
        let mut by = Fingerprint::new();
        by.number(backbone.identity());
        by.number(self.precision as u64);
        let stamps = dataset.stamps();
        let mut all = Fingerprint::new();
        all.number(u64::from(self.skip_bad));
        all.add(dataset.origin().as_bytes());
        dataset.classes().iter().for_each(|class| all.add(class.as_bytes()));
        for (row, &stamp) in stamps.iter().enumerate() {
            all.add(dataset.id(row).as_bytes());
            all.number(dataset.class(row).map_or(u64::MAX, |class| class as u64));
            all.number(stamp);
        }
        let text = |print: Fingerprint| format!("{:016x}", print.get());
        Origin { backbone: text(by), pictures: text(all), stamps }
    }
}

/// What features are made from.
struct Origin {
    /// Tells backbones apart, by which and in which precision features are made.
    backbone: String,
    /// Tells pictures apart, with their names, classes and order.
    pictures: String,
    /// Tells each picture apart.
    stamps: Vec<u64>,
}

impl Origin {
    /// Tells an extraction of some rows from all others.
    fn fingerprint(&self, rows: &[usize]) -> u64 {
        let mut all = Fingerprint::new();
        all.add(self.backbone.as_bytes());
        all.add(self.pictures.as_bytes());
        rows.iter().for_each(|&row| all.number(row as u64));
        all.get()
    }
}

/// Pictures that are ready.
struct Batch {
    values: Vec<f32>,
    /// Which of them could not be read; their values are zero.
    bad: Vec<bool>,
}

impl Batch {
    fn is_empty(&self) -> bool {
        self.bad.is_empty()
    }
}

/// The ids of all rows; where one stands for several pictures, with the class before it.
fn ids(dataset: &Dataset) -> Vec<String> {
    let rows = 0..dataset.len();
    let mut seen = HashSet::new();
    if rows.clone().all(|row| seen.insert(dataset.id(row))) {
        return rows.map(|row| dataset.id(row).to_owned()).collect();
    }
    let with_class = |row| {
        let class = dataset.class(row).map_or("", |class| dataset.classes()[class].as_str());
        format!("{class}/{}", dataset.id(row))
    };
    rows.map(with_class).collect()
}

#[cfg(test)]
mod tests;
