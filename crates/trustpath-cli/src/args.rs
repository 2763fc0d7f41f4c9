//! Options that commands share.

mod tasks;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;
use rayon::{ThreadPool, ThreadPoolBuilder};
use trustpath_explain::{Extractor, SavedModel};
use trustpath_table::{Format, MissingLabels, Output, PartlyLabelledFile, PartlyLabelledTable, ReadingNote, Tensor};
use trustpath_text::folder;
use trustpath_vision::dataset::Dataset;
use trustpath_vision::torch::{is_torch, read_matrix};

use crate::cli::{choice, positive};
use crate::error::{Error, Result};
use crate::files::CommandFiles;
use crate::images::{ExtractedImages, SourceArgs};
use crate::progress::Progress;
use crate::texts::{self, EmbeddedTexts, Texts};
pub use crate::wanted::Wanted;

/// Instances, and the labels of some.
#[derive(Debug, Clone, PartialEq, Args)]
#[command(next_help_heading = "Input")]
pub struct InputArgs {
    /// Features, one row per instance: .npy, .npz, .safetensors, .csv, .tsv, .jsonl, .parquet or
    /// .pt; - is standard input. Or images: a folder, a zip or tar, or a csv of file names. Or
    /// texts: a table and --text, or a folder of .txt files. Or a JSON export of Label Studio, of images or texts
    #[arg(value_name = "FEATURES|IMAGES|TEXTS")]
    features: PathBuf,
    /// Labels: one per row in order, empty if missing, or pairs of id and label for some rows [default: inside
    /// the features file, or NAME-labels.* beside it]
    #[arg(long, value_name = "FILE")]
    labels: Option<PathBuf>,
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
    labels_in_order: bool,
    /// Columns of features, separated by commas; NAME* for all that begin like this, or one column of lists, or the
    /// name of an array [default: all numeric columns]
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    feature_columns: Option<Vec<String>>,
    /// Columns to copy to the result and the report, separated by commas; '' for none [default: all columns of text]
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    carry: Option<Vec<String>>,
}

/// Instances, and their images or texts if they have any.
#[derive(Debug)]
pub struct LoadedInstances {
    /// Features and labels.
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
        progress: Progress,
    ) -> Result<LoadedInstances> {
        if self.is_texts() {
            let model = source.text_model(saved)?;
            self.files(wanted, source.files(files)).check()?;
            let (pool, texts) = self.texts(wanted)?.embed(model, saved, threads, progress)?;
            return Ok(LoadedInstances { pool, images: None, texts: Some(texts) });
        }
        let is_images = self.is_images();
        source.check(&self.features, is_images)?;
        let files = self.files(wanted, source.files(files));
        files.check()?;
        let images = if is_images {
            let (labels, control) = (self.labels.is_some(), self.label_column.as_deref());
            let dataset = source.open(&self.features, labels, control)?;
            // Extraction takes time, so missing labels are reported before it.
            if self.labels.is_none() {
                wanted.check(&dataset)?;
            }
            Some(source.extract(&self.features, &dataset, threads, progress)?)
        } else {
            None
        };
        if let (Some(images), false) = (&images, source.has_cache()) {
            files.reads("the file of extracted features", [&images.cache]).check()?;
        }
        let in_cache = images.is_some() && self.labels.is_none();
        let mut pool = {
            let name = format!("reading {}", self.features.display());
            let stage = progress.task(&name, Instant::now());
            let file = match &images {
                // The choices of tasks are the labels of the cache already.
                Some(images) if images.tasks().is_some() => {
                    Self { label_column: None, ..self.clone() }.of(&images.cache)
                }
                Some(images) => self.of(&images.cache),
                None => self.file()?,
            };
            // Labels of a cache are numbers of classes, with -1 for images that have none.
            let file = if in_cache { file.missing(MissingLabels::only(["-1"])) } else { file };
            let file = if wanted == Wanted::None { file.not_beside() } else { file };
            let pool = file.read()?;
            stage.step();
            if in_cache { pool.without_notes(|note| matches!(note, ReadingNote::Missing(_))) } else { pool }
        };
        if let Some(images) = &images {
            pool = pool.called(&images.name).with_tasks(images.tasks().cloned());
            if let (Some(tasks), None) = (images.tasks(), &self.labels) {
                let notes = tasks.labels(self.label_column.as_deref())?.1;
                pool = notes.into_iter().fold(pool, PartlyLabelledTable::with_note);
            }
        }
        if wanted.needs_labels() {
            pool.check_labels()?;
        }
        Ok(LoadedInstances { pool, images, texts: None })
    }

    /// Where the instances are.
    pub fn features(&self) -> &Path {
        &self.features
    }

    /// The labels file that was given.
    pub fn labels_file(&self) -> Option<&Path> {
        self.labels.as_deref()
    }

    /// Whether labels follow the order of the features although they have ids.
    pub fn is_in_order(&self) -> bool {
        self.labels_in_order
    }

    /// Without a labels file that does not exist yet.
    pub fn with_labels_that_exist(mut self) -> Self {
        self.labels = self.labels.filter(|labels| labels.exists());
        self
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

    /// Whether they are texts.
    pub fn is_texts(&self) -> bool {
        self.text.is_some()
            || (self.format.is_none() && folder::is_at(&self.features))
            || self.text_of_tasks().is_some()
    }

    /// Reads the texts and their labels, without features.
    pub fn texts(&self, wanted: Wanted) -> Result<Texts> {
        let read = |file: PartlyLabelledFile, column: &str| -> Result<PartlyLabelledTable> {
            let file = file.text(column);
            Ok((if wanted == Wanted::None { file.not_beside() } else { file }).read()?)
        };
        let column = self.text.clone().or_else(|| self.text_of_tasks());
        let texts = match &column {
            Some(column) if !self.features.is_dir() => Texts::new(read(self.file()?, column)?, column)?,
            _ => Texts::of_folder(&self.features, |file| read(self.of(file), texts::COLUMN))?,
        };
        if wanted.needs_labels() {
            texts.pool.check_labels()?;
        }
        Ok(texts)
    }

    /// With the files that are read.
    pub fn files(&self, wanted: Wanted, files: CommandFiles) -> CommandFiles {
        if self.is_images() {
            return files.reads("the images", [&self.features]).reads("the labels file", &self.labels);
        }
        let file = self.of(&self.features);
        let file = if wanted == Wanted::None { file.not_beside() } else { file };
        let mut paths = file.files().into_iter();
        files.reads("the features file", paths.next()).reads("the labels file", paths)
    }

    /// Where the instances are. What `torch.save` wrote is read at once.
    pub fn file(&self) -> Result<PartlyLabelledFile> {
        let names = |names: &[String]| names.iter().filter(|n| !n.is_empty()).cloned().collect();
        let mut file = self.of(&self.features);
        if let Some(columns) = &self.feature_columns {
            file = file.feature_columns(names(columns));
        }
        if let Some(columns) = &self.carry {
            file = file.carry(names(columns));
        }
        if self.format.is_none() && is_torch(&self.features) {
            let matrix = read_matrix(&self.features, self.feature_columns.as_deref())?;
            file = file.array(matrix.values, matrix.dims);
        }
        Ok(file)
    }

    /// Whether they are images.
    pub fn is_images(&self) -> bool {
        self.format.is_none() && Dataset::is_at(&self.features)
    }

    fn of(&self, features: &Path) -> PartlyLabelledFile {
        let mut file = PartlyLabelledFile::new(features);
        if let Some(labels) = &self.labels {
            file = file.labels(labels);
        }
        if let Some(name) = &self.label_column {
            file = file.label_column(name);
        }
        if let Some(name) = &self.id_column {
            file = file.id_column(name);
        }
        if let Some(format) = self.format {
            file = file.format(format);
        }
        file = file.missing(self.missing_labels());
        if self.labels_in_order {
            file = file.labels_in_order();
        }
        file
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
        let mut output = Output::new(path);
        if let Some(format) = self.out_format {
            output = output.as_format(format);
        }
        output.check()?;
        Ok(Some(output))
    }

    /// With the file that is written.
    pub fn files(&self, files: CommandFiles) -> CommandFiles {
        files.writes("--out", &self.out)
    }
}

/// How to run.
#[derive(Debug, Clone, Default, PartialEq, Args)]
#[command(next_help_heading = "Run")]
pub struct RunArgs {
    /// Threads; the result is the same for any number [default: one per core]
    #[arg(long, value_name = "N", value_parser = positive)]
    pub threads: Option<usize>,
    #[command(flatten)]
    progress: ProgressArgs,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}

impl RunArgs {
    /// How progress is shown.
    pub fn progress(&self) -> Progress {
        self.progress.get()
    }

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
    #[arg(long, value_name = "N", value_parser = positive)]
    threads: Option<usize>,
    #[command(flatten)]
    progress: ProgressArgs,
}

/// How progress is shown.
#[derive(Debug, Clone, Default, PartialEq, Args)]
pub struct ProgressArgs {
    /// Hide progress
    #[arg(long)]
    quiet: bool,
    /// Progress on standard error: a bar, lines of JSON, or none [default: bar on a terminal]
    #[arg(long, value_parser = choice::<Progress>(&Progress::NAMES), conflicts_with = "quiet")]
    progress: Option<Progress>,
}

impl WorkArgs {
    /// The threads that were asked for.
    pub fn pool(&self) -> Result<ThreadPool> {
        pool(self.threads)
    }

    /// How progress is shown.
    pub fn progress(&self) -> Progress {
        self.progress.get()
    }
}

impl ProgressArgs {
    /// How progress is shown.
    pub fn get(&self) -> Progress {
        self.progress.unwrap_or_else(|| Progress::new(self.quiet))
    }
}

/// A pool of this many threads, or one thread per core.
pub fn pool(threads: Option<usize>) -> Result<ThreadPool> {
    let threads = threads.unwrap_or(0);
    let built = ThreadPoolBuilder::new().num_threads(threads).build();
    built.map_err(|e| Error::Threads { threads, reason: e.to_string() })
}
