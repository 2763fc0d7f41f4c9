//! Where features come from.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::PossibleValuesParser;
use trustpath_bench::{FeatureTable, ListMeta, Split, embedded};
use trustpath_table::PartlyLabelledFile;
use trustpath_vision::dataset::{Dataset, DatasetKind, DatasetSplit};

use crate::error::{Error, Result};
use crate::features::read_table;
use crate::files::CommandFiles;
use crate::images::ImageArgs;
use crate::run::Runner;

/// A file of features, images, or a dataset inside the program.
#[derive(Debug, Args)]
#[command(next_help_heading = "Features")]
pub struct BenchDataArgs {
    /// Features, one row per instance: .npy, .npz, .safetensors, .csv, .tsv, .jsonl, .parquet or .pt
    #[arg(long, value_name = "FILE", conflicts_with_all = ["dataset", "split", "images"])]
    features: Option<PathBuf>,
    /// Labels, one per row, in the same formats or .txt [default: inside the features file, or
    /// NAME-labels.* beside it]
    #[arg(long, value_name = "FILE", requires = "features")]
    labels: Option<PathBuf>,
    /// Name of the label column of .csv, .tsv and .parquet; without a header its number from 0, or
    /// from -1 backwards [default: label]
    #[arg(long, value_name = "NAME", requires = "features", allow_hyphen_values = true)]
    label_column: Option<String>,
    /// Images: a folder of class folders, a zip or tar of them, a csv, or a known dataset; their features
    /// are extracted by a network first, and kept
    #[arg(long, value_name = "PATH")]
    images: Option<PathBuf>,
    /// Features that come with the program, cifar-fs or cub [default: that of the episode list, else
    /// cifar-fs]; with --images, the layout of the dataset [default: auto-detect]
    #[arg(long, value_parser = PossibleValuesParser::new(DatasetKind::NAMES), hide_possible_values = true)]
    dataset: Option<String>,
    /// Classes of that dataset: novel or validation; test and val are the same. With --images also
    /// train [default: novel, or all if the images have no splits]
    #[arg(long, value_parser = PossibleValuesParser::new(SPLITS), hide_possible_values = true)]
    split: Option<String>,
    #[command(flatten)]
    extraction: ImageArgs,
}

const SPLITS: [&str; 5] = ["novel", "validation", "test", "val", "train"];

impl BenchDataArgs {
    /// Reads the features; a list of episodes may name the dataset it was drawn from.
    pub fn read(&self, list: Option<&ListMeta>, runner: &Runner) -> Result<Cow<'static, FeatureTable>> {
        if let Some(path) = &self.images {
            return Ok(Cow::Owned(self.extract(path, runner)?));
        }
        if self.extraction.is_given() {
            let sentence = "--backbone, --weights and the options below them are for images: give them by --images, or drop these options";
            return Err(Error::Usage(sentence.into()));
        }
        if let Some(path) = &self.features {
            return Ok(Cow::Owned(read_table(path, self.labels.as_deref(), self.label_column.as_deref())?));
        }
        Ok(Cow::Borrowed(embedded::load(self.embedded_dataset(list), self.embedded_split()?)?))
    }

    /// The dataset inside the program that is meant; a list of episodes may name it.
    fn embedded_dataset(&self, list: Option<&ListMeta>) -> &str {
        let of_list = list.and_then(|meta| embedded::DATASETS.into_iter().find(|name| meta.dataset.starts_with(name)));
        self.dataset.as_deref().or(of_list).unwrap_or(embedded::DATASETS[0])
    }

    pub fn files(&self, files: CommandFiles) -> CommandFiles {
        let features = self.features.as_ref().map(|path| {
            let file = PartlyLabelledFile::new(path);
            self.labels.iter().fold(file, |file, labels| file.labels(labels)).files()
        });
        let mut paths = features.into_iter().flatten();
        let files = files.reads("the features file", paths.next());
        let files = files.reads("the labels file", paths).reads("the images", &self.images);
        self.extraction.files(files)
    }

    fn embedded_split(&self) -> Result<Split> {
        match self.split.as_deref() {
            None | Some("novel" | "test") => Ok(Split::Novel),
            Some("validation" | "val") => Ok(Split::Validation),
            Some(other) => Err(Error::Usage(format!(
                "no features of the split {other} come with the program: give novel or validation, or images by --images"
            ))),
        }
    }

    fn extract(&self, path: &Path, runner: &Runner) -> Result<FeatureTable> {
        let kind = self.dataset.as_deref().map(str::parse).transpose()?;
        let whole = Dataset::open(path, kind)?;
        let dataset = match self.split.as_deref() {
            Some("train") => whole.split(DatasetSplit::Train)?,
            Some("val" | "validation") => whole.split(DatasetSplit::Val)?,
            Some(_) => whole.split(DatasetSplit::Test)?,
            None => novel(whole)?,
        };
        let images = self.extraction.extract(path, &dataset, &runner.pool, runner.progress)?;
        Ok(images.table()?.0)
    }
}

/// The novel classes of a dataset, or all where it is not divided.
pub fn novel(whole: Dataset) -> Result<Dataset> {
    if whole.splits().contains(&DatasetSplit::Test) { Ok(whole.split(DatasetSplit::Test)?) } else { Ok(whole) }
}
