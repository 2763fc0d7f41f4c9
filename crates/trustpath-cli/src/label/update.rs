//! Instances that are added to the pool of a saved model.
//!
//! The features, ids and labels of the pool are taken from the model, so that nothing of it is extracted, embedded or read again. The labelling is run on
//! all instances together: neighbours, components, cross-validation and thresholds depend on every one of them, and the result is, bit for bit, that
//! of one run on both.

use std::path::Path;

use rayon::ThreadPool;
use trustpath_explain::SavedModel;
use trustpath_table::ReadingNote;

use crate::args::{InputArgs, LoadedInstances, Wanted};
use crate::error::{Error, Result};
use crate::files::CommandFiles;
use crate::images::SourceArgs;
use crate::progress::ProgressMode;

/// Reads the new instances, represented as the pool of the model was, and puts them after it.
pub fn read(
    model: &Path,
    input: &InputArgs,
    files: CommandFiles,
    source: &SourceArgs,
    threads: &ThreadPool,
    progress: ProgressMode,
) -> Result<LoadedInstances> {
    let saved = SavedModel::read(model)?;
    let name = model.display();
    let Some(kept) = &saved.pool else {
        return Err(Error::Usage(format!(
            "{name} does not keep the pool that it was trained on, so that nothing can be added to it: write it again with trustpath label --model {name} --keep-pool"
        )));
    };
    let files = files.reads("the model", [model]).reads("the labels file", &input.labels);
    // The labels file is about other instances too.
    let mut new = input.clone();
    new.labels = None;
    let by = Some((&saved, model));
    let mut instances = new.read(Wanted::Any, files, source, by, threads, progress)?;
    if let Some(extractor) = instances.extractor() {
        saved.check_extractor(extractor, model)?;
    } else if saved.extractor.is_some() {
        return Err(Error::Usage(format!(
            "{name} keeps features of images or texts: give the new ones as images or texts too"
        )));
    }
    let added = instances.pool;
    added.check_features(saved.model.projection.mean.len(), saved.columns.as_deref())?;
    let pool = kept.table(&saved.class_names, &name.to_string())?;
    let (before, count) = (pool.rows(), added.rows());
    let both = input.add_labels(pool.with_more(added)?)?;
    instances.pool = both.with_note(ReadingNote::Sentence(format!(
        "{count} instances were added to the {before} of {name}, and all were labelled together, as in one run from the start."
    )));
    Ok(instances)
}
