//! From pictures to a file of features.
//!
//! Pictures are read, decoded and resized in batches, on all threads, while the features of the batch
//! before are computed; so no more than two batches are in memory, however many pictures there are.
//! Features gather in a file beside the result (`partial`), from which an extraction that was
//! interrupted goes on; at the end they become the result (`file`), which `trustpath label`, `bench`
//! and `check` read.

mod file;
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
        /// Pictures that were left out, each with what is wrong with it.
        skipped: Vec<(String, Error)>,
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
    /// same place was interrupted, it goes on with that.
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
        let mut partial = Partial::open(out, self.fingerprint(backbone, dataset), width)?;
        let begun = partial.done().min(all);
        watch.begin(begun, all);
        let batch = BATCH * rayon::current_num_threads();
        let rows = |first: usize| first..(first + batch).min(all);
        let mut ready = self.load(backbone, dataset, rows(begun))?;
        while !ready.is_empty() {
            if watch.stop() {
                return Ok(Outcome::Stopped { done: partial.done(), all });
            }
            let first = partial.done();
            let (features, next) = rayon::join(
                || backbone.features(&ready.values),
                || self.load(backbone, dataset, rows(first + ready.bad.len())),
            );
            let records = self.records(dataset, first, &ready, &features?)?;
            partial.append(&records)?;
            watch.advance(ready.bad.len());
            ready = next?;
        }
        self.finish(partial, &target, dataset)
    }

    /// Reads some pictures and makes them ready.
    fn load(
        &self,
        backbone: &dyn Backbone,
        dataset: &Dataset,
        rows: std::ops::Range<usize>,
    ) -> Result<Batch> {
        let input = backbone.input();
        let mut values = vec![0.0; rows.len() * input.values()];
        let read = |(row, values): (usize, &mut [f32])| {
            dataset.picture(row).map(|picture| input.prepare(&picture, values))
        };
        let pictures = rows.into_par_iter().zip(values.par_chunks_exact_mut(input.values()));
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
        first: usize,
        batch: &Batch,
        features: &[f32],
    ) -> Result<Vec<u8>> {
        let mut records = Vec::new();
        let each = features.chunks_exact(features.len() / batch.bad.len());
        for (i, (feature, &bad)) in each.zip(&batch.bad).enumerate() {
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
                    let id = dataset.id(first + i).to_owned();
                    return Err(Error::Feature { id, value, remedy });
                }
            }
        }
        Ok(records)
    }

    fn finish(&self, partial: Partial, target: &FeatureFile, dataset: &Dataset) -> Result<Outcome> {
        let gone = partial.skipped()?;
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
            skipped.push((dataset.id(row).to_owned(), error));
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
        };
        target.write(&partial, &rows)?;
        partial.remove()?;
        Ok(Outcome::Finished { rows: left.len(), skipped })
    }

    /// Tells an extraction from all others.
    fn fingerprint(&self, backbone: &dyn Backbone, dataset: &Dataset) -> u64 {
        let mut all = Fingerprint::new();
        all.number(u64::from(self.skip_bad));
        all.add(backbone.name().as_bytes());
        all.number(backbone.fingerprint());
        let input = backbone.input();
        all.number(input.size as u64);
        let colours = input.mean.iter().chain(&input.std);
        colours.for_each(|value| all.number(u64::from(value.to_bits())));
        all.add(dataset.origin().as_bytes());
        dataset.classes().iter().for_each(|class| all.add(class.as_bytes()));
        for row in 0..dataset.len() {
            all.add(dataset.id(row).as_bytes());
            all.number(dataset.class(row).map_or(u64::MAX, |class| class as u64));
        }
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
