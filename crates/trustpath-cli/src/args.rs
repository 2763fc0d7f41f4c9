//! Options that commands share.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;
use rayon::{ThreadPool, ThreadPoolBuilder};
use trustpath_explain::{Extractor, SavedModel};
use trustpath_table::{
    Format, MissingLabels, Output, PartlyLabelledFile, PartlyLabelledTable, ReadingNote, TaskContent, Tensor,
    task_content,
};
use trustpath_text::folder;
use trustpath_vision::dataset::{Dataset, DatasetKind};
use trustpath_vision::torch::{is_torch, read_matrix};

use crate::error::{Error, Result};
use crate::files::CommandFiles;
use crate::images::{ExtractedImages, SourceArgs};
use crate::progress::ProgressMode;
use crate::texts::{self, EmbeddedTexts, Texts};
use crate::values::{THREADS, choice, up_to};

/// Instances, and the labels of some.
#[derive(Debug, Clone, PartialEq, Args)]
#[command(next_help_heading = "Input")]
pub struct InputArgs {
    /// Features, one row per instance: .npy, .npz, .safetensors, .csv, .tsv, .jsonl, .parquet or
    /// .pt; - is standard input. Or images: a folder, a zip or tar, or a csv of file names. Or
    /// texts: a table and --text, or a folder of .txt files. Or a JSON export of Label Studio, of images or texts
    #[arg(value_name = "FEATURES|IMAGES|TEXTS")]
    pub features: PathBuf,
    /// Labels: one per row in order, empty if missing, or pairs of id and label for some rows [default: inside
    /// the features file, or NAME-labels.* beside it]
    #[arg(long, value_name = "FILE")]
    pub labels: Option<PathBuf>,
    /// Name of the label column; without a header its number from 0, or from -1 backwards [default:
    /// label]
    #[arg(long, value_name = "NAME", allow_hyphen_values = true)]
    label_column: Option<String>,
    /// Name of the id column [default: id; without one, ids are row numbers from 0]
    #[arg(long, value_name = "NAME", allow_hyphen_values = true)]
    id_column: Option<String>,
    /// Column of texts, which are turned into features: .csv, .tsv, .jsonl or .parquet; a folder of .txt files needs no column
    #[arg(long, value_name = "NAME")]
    text: Option<String>,
    /// Format of the features [default: by the ending of the name, csv for standard input]
    #[arg(long, value_parser = choice::<Format>(&Format::NAMES))]
    format: Option<Format>,
    /// Markers of missing labels, separated by commas; '' for empty cells only [default: ?, -, -1, NA,
    /// None, null, unknown, unlabeled and similar, see trustpath help labels]
    #[arg(long, value_name = "TEXT,…", allow_hyphen_values = true, value_delimiter = ',')]
    missing: Option<Vec<String>>,
    /// The rows of the labels file are in the order of the features; ignore its ids
    #[arg(long)]
    pub labels_in_order: bool,
    /// Columns of features, separated by commas; NAME* for all that begin like this, or one column of lists, or the
    /// name of an array [default: all numeric columns]
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    feature_columns: Option<Vec<String>>,
    /// Columns to copy to the result and the report, separated by commas; '' for none [default: all columns of text]
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    carry: Option<Vec<String>>,
}

/// The labels that a command needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// Some instances have a label, others do not.
    Some,
    /// Only instances with a label are used.
    Given,
    /// No labels are needed, and none are searched for beside the features.
    None,
    /// Labels are used where there are any.
    Any,
}

impl Wanted {
    /// Whether it takes labels of two classes.
    pub fn needs_labels(self) -> bool {
        matches!(self, Self::Some | Self::Given)
    }

    /// Refuses image folders that do not give these labels, with the remedy.
    pub fn check(self, images: &Dataset) -> Result<()> {
        let labelled = (0..images.len()).filter(|&row| images.class(row).is_some()).count();
        let name = images.origin();
        if self.needs_labels() && labelled == 0 {
            return Err(Error::Usage(format!(
                "no image of {name} has a label: put some of each class in a folder named after it, or give --labels FILE with file names and labels; see trustpath help labels"
            )));
        }
        if self == Self::Some && labelled == images.len() {
            return Err(Error::Usage(format!(
                "every image of {name} has a label, so there is nothing to label: put images without a label in a folder named unlabeled, or give the labels of some by --labels; to find wrong labels, use trustpath audit"
            )));
        }
        Ok(())
    }
}

/// Instances, and their images or texts if they have any.
#[derive(Debug)]
pub struct LoadedInstances {
    pub pool: PartlyLabelledTable,
    /// The images, row by row.
    pub images: Option<ExtractedImages>,
    /// What the features were made with, if they were texts.
    pub texts: Option<EmbeddedTexts>,
}

impl LoadedInstances {
    /// By what the features were made, if that is known.
    pub fn extractor(&self) -> Option<&Extractor> {
        let texts = self.texts.as_ref().map(|texts| &texts.extractor);
        self.images.as_ref().map(|images| &images.extractor).or(texts)
    }

    /// What a saved model needs to represent new texts.
    pub fn representation(&self) -> BTreeMap<String, Tensor> {
        self.texts.as_ref().map(|texts| texts.representation.clone()).unwrap_or_default()
    }
}

impl InputArgs {
    /// Reads the instances; the features of images are extracted first. None of these files may be an output
    /// among `files`.
    pub fn read(
        &self,
        wanted: Wanted,
        files: CommandFiles,
        source: &SourceArgs,
        saved: Option<(&SavedModel, &Path)>,
        threads: &ThreadPool,
        progress: ProgressMode,
    ) -> Result<LoadedInstances> {
        if self.is_texts() {
            let model = source.text_model(saved)?;
            self.files(wanted, source.images.files(files)).check()?;
            let (pool, texts) = self.texts(wanted)?.embed(model, saved, threads, progress)?;
            return Ok(LoadedInstances { pool, images: None, texts: Some(texts) });
        }
        let is_images = self.is_images();
        source.check(&self.features, is_images)?;
        let files = self.files(wanted, source.images.files(files));
        files.check()?;
        let images = is_images.then(|| self.images(wanted, source, threads, progress)).transpose()?;
        if let (Some(images), None) = (&images, &source.images.cache) {
            files.reads("the file of extracted features", [&images.cache]).check()?;
        }
        let stage = progress.task(&format!("reading {}", self.features.display()), Instant::now());
        let mut pool = match &images {
            Some(images) => self.table_of(images, wanted)?,
            None => self.file(wanted)?.read()?,
        };
        stage.step();
        drop(stage);
        if let (Some(tasks), None) = (images.as_ref().and_then(|images| images.dataset.tasks()), &self.labels) {
            let notes = tasks.labels(self.label_column.as_deref())?.1;
            pool = notes.into_iter().fold(pool, PartlyLabelledTable::with_note);
        }
        if wanted.needs_labels() {
            pool.check_labels()?;
        }
        Ok(LoadedInstances { pool, images, texts: None })
    }

    /// Opens the images, and computes their features.
    fn images(
        &self,
        wanted: Wanted,
        source: &SourceArgs,
        threads: &ThreadPool,
        progress: ProgressMode,
    ) -> Result<ExtractedImages> {
        // Where the labels are in a separate file, a csv among the images is ignored.
        let otherwise = self.labels.is_some().then_some(DatasetKind::Folder);
        let dataset = source.dataset.open(&self.features, otherwise, self.label_column.as_deref())?;
        // Extraction takes time, so missing labels are reported before it.
        if self.labels.is_none() {
            wanted.check(&dataset)?;
        }
        source.images.extract(&self.features, &dataset, threads, progress)
    }

    /// Reads the features of images, and their labels.
    fn table_of(&self, images: &ExtractedImages, wanted: Wanted) -> Result<PartlyLabelledTable> {
        // The choices of tasks are the labels of the cache already.
        let label_column = self.label_column.clone().filter(|_| images.dataset.tasks().is_none());
        let mut file = Self { label_column, ..self.clone() }.file_at(&images.cache, wanted);
        // Labels of a cache are numbers of classes, with -1 for images that have none.
        if self.labels.is_none() {
            file = file.missing(MissingLabels::only(["-1"]));
        }
        let mut pool = file.read()?;
        if self.labels.is_none() {
            pool = pool.without_notes(|note| matches!(note, ReadingNote::Missing(_)));
        }
        Ok(pool.called(&images.name).with_tasks(images.dataset.tasks().cloned()))
    }

    /// Which labels mean that there is none.
    pub fn missing_labels(&self) -> MissingLabels {
        self.missing.as_ref().map_or_else(MissingLabels::usual, MissingLabels::only)
    }

    /// The column of texts that people read: the one that features are made of, or else one that is called text.
    pub fn text_column(&self, pool: &PartlyLabelledTable) -> Option<String> {
        let wanted = self.text.clone().or_else(|| self.text_of_tasks());
        let wanted = wanted.as_deref().unwrap_or(texts::COLUMN);
        let column = pool.carried().iter().find(|column| column.name.eq_ignore_ascii_case(wanted));
        column.map(|column| column.name.clone())
    }

    pub fn is_texts(&self) -> bool {
        self.text.is_some()
            || (self.format.is_none() && folder::is_at(&self.features))
            || self.text_of_tasks().is_some()
    }

    /// Reads the texts and their labels, without features.
    pub fn texts(&self, wanted: Wanted) -> Result<Texts> {
        let texts = match self.text.clone().or_else(|| self.text_of_tasks()) {
            Some(column) if !self.features.is_dir() => Texts::new(self.file(wanted)?.text(&column).read()?, &column)?,
            _ => Texts::of_folder(&self.features, |file| Ok(self.file_at(file, wanted).text(texts::COLUMN).read()?))?,
        };
        if wanted.needs_labels() {
            texts.pool.check_labels()?;
        }
        Ok(texts)
    }

    pub fn files(&self, wanted: Wanted, files: CommandFiles) -> CommandFiles {
        if self.is_images() {
            return files.reads("the images", [&self.features]).reads("the labels file", &self.labels);
        }
        let mut paths = self.file_at(&self.features, wanted).files().into_iter();
        files.reads("the features file", paths.next()).reads("the labels file", paths)
    }

    /// Where the instances are. What `torch.save` wrote is read at once.
    pub fn file(&self, wanted: Wanted) -> Result<PartlyLabelledFile> {
        let names = |names: &[String]| names.iter().filter(|n| !n.is_empty()).cloned().collect();
        let mut file = self.file_at(&self.features, wanted);
        file = self.feature_columns.iter().fold(file, |file, columns| file.feature_columns(names(columns)));
        file = self.carry.iter().fold(file, |file, columns| file.carry(names(columns)));
        if self.format.is_none() && is_torch(&self.features) {
            let matrix = read_matrix(&self.features, self.feature_columns.as_deref())?;
            file = file.array(matrix.values, matrix.dims);
        }
        Ok(file)
    }

    pub fn is_images(&self) -> bool {
        self.format.is_none() && Dataset::is_at(&self.features)
    }

    /// These features, with the options about labels.
    fn file_at(&self, features: &Path, wanted: Wanted) -> PartlyLabelledFile {
        let mut file = PartlyLabelledFile::new(features).missing(self.missing_labels());
        file = self.labels.iter().fold(file, |file, labels| file.labels(labels));
        file = self.label_column.iter().fold(file, |file, name| file.label_column(name));
        file = self.id_column.iter().fold(file, |file, name| file.id_column(name));
        file = self.format.iter().fold(file, |file, format| file.format(*format));
        file = if self.labels_in_order { file.labels_in_order() } else { file };
        if wanted == Wanted::None { file.not_beside() } else { file }
    }

    /// Adds the labels of the labels file, which may name any instance of the pool.
    pub fn add_labels(&self, pool: PartlyLabelledTable) -> Result<PartlyLabelledTable> {
        let Some(labels) = &self.labels else { return Ok(pool) };
        let (label, id) = (self.label_column.as_deref(), self.id_column.as_deref());
        Ok(pool.with_labels_of(labels, label, id, &self.missing_labels())?)
    }

    /// The key of the texts of Label Studio tasks.
    fn text_of_tasks(&self) -> Option<String> {
        match task_content(&self.features)? {
            TaskContent::Texts(key) => Some(key),
            _ => None,
        }
    }
}

/// Where the result goes.
#[derive(Debug, Clone, PartialEq, Args)]
#[command(next_help_heading = "Output")]
pub struct OutputArgs {
    /// File for the result: .csv, .tsv, .jsonl, .parquet, .npz, .npy or .safetensors, or .json for Label Studio; - is
    /// standard output
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Format of the result [default: by the ending of the name, csv for standard output]
    #[arg(long, requires = "out", value_parser = choice::<Format>(&Format::NAMES))]
    out_format: Option<Format>,
}

impl OutputArgs {
    /// Where the result goes, if anywhere. An output that cannot be written is refused at once.
    pub fn output(&self) -> Result<Option<Output>> {
        let Some(path) = &self.out else { return Ok(None) };
        let output = self.out_format.iter().fold(Output::new(path), |output, format| output.as_format(*format));
        output.check()?;
        Ok(Some(output))
    }

    pub fn files(&self, files: CommandFiles) -> CommandFiles {
        files.writes("--out", &self.out)
    }
}

/// How to run.
#[derive(Debug, Clone, Default, PartialEq, Args)]
#[command(next_help_heading = "Run")]
pub struct RunArgs {
    /// Threads; the result is the same for any number [default: one per core]
    #[arg(long, value_name = "N", value_parser = up_to::<THREADS>)]
    pub threads: Option<usize>,
    #[command(flatten)]
    pub progress: ProgressArgs,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}

impl RunArgs {
    /// Refuses two results on standard output.
    pub fn check(&self, output: Option<&Output>) -> Result<()> {
        if self.json && output.is_some_and(Output::is_stream) {
            return Err(Error::Usage(
                "--json and --out - both write to standard output: give a file for one of them".into(),
            ));
        }
        Ok(())
    }
}

/// Threads and progress of a command without a seed.
#[derive(Debug, Clone, Default, PartialEq, Args)]
pub struct WorkArgs {
    /// Number of threads; the result is the same for any number [default: one per core]
    #[arg(long, value_name = "N", value_parser = up_to::<THREADS>)]
    threads: Option<usize>,
    #[command(flatten)]
    pub progress: ProgressArgs,
}

/// How progress is shown.
#[derive(Debug, Clone, Default, PartialEq, Args)]
pub struct ProgressArgs {
    /// Hide progress
    #[arg(long)]
    quiet: bool,
    /// Progress on standard error: a bar, lines of JSON, or none [default: bar on a terminal]
    #[arg(long, value_enum, conflicts_with = "quiet")]
    progress: Option<ProgressMode>,
}

impl WorkArgs {
    pub fn pool(&self) -> Result<ThreadPool> {
        pool(self.threads)
    }
}

impl ProgressArgs {
    pub fn get(&self) -> ProgressMode {
        self.progress.unwrap_or(if self.quiet { ProgressMode::Quiet } else { ProgressMode::Bar })
    }
}

/// A pool of this many threads, or one thread per core.
pub fn pool(threads: Option<usize>) -> Result<ThreadPool> {
    let threads = threads.unwrap_or(0);
    let built = ThreadPoolBuilder::new().num_threads(threads).build();
    built.map_err(|e| Error::Threads { threads, reason: e.to_string() })
}
