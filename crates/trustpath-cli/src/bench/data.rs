//! Where features come from.

use std::borrow::Cow;
use std::path::PathBuf;

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use trustpath_episodes::{FeatureTable, ListMeta, Split, TableFile, embedded};

use crate::error::Result;

/// A file of features, or a dataset inside the program.
#[derive(Debug, Args)]
#[command(next_help_heading = "Features")]
pub struct DataArgs {
    /// Features, one row an instance: .npy, .npz, .safetensors, .csv, .tsv, .jsonl or .parquet
    #[arg(long, value_name = "FILE", conflicts_with_all = ["dataset", "split"])]
    features: Option<PathBuf>,
    /// Labels, one for each row, in the same formats or .txt [default: inside the features file, or
    /// NAME-labels.* beside it]
    #[arg(long, value_name = "FILE", requires = "features")]
    labels: Option<PathBuf>,
    /// Name of the label column of .csv, .tsv and .parquet; without a header its number from 0, or
    /// from -1 backwards [default: label]
    #[arg(long, value_name = "NAME", requires = "features", allow_hyphen_values = true)]
    label_column: Option<String>,
    /// Features that come with the program [default: that of the episode list, else cifar-fs]
    #[arg(long, value_parser = PossibleValuesParser::new(embedded::DATASETS))]
    dataset: Option<String>,
    /// Classes of that dataset
    #[arg(long, default_value = "novel", value_parser = split())]
    split: Split,
}

fn split() -> impl TypedValueParser<Value = Split> {
    PossibleValuesParser::new(["novel", "validation"]).map(|name| match name.as_str() {
        "validation" => Split::Validation,
        _ => Split::Novel,
    })
}

impl DataArgs {
    /// Reads the features; a list of episodes may name the dataset it was drawn from.
    pub fn read(&self, list: Option<&ListMeta>) -> Result<Cow<'static, FeatureTable>> {
        if let Some(path) = &self.features {
            let mut file = TableFile::new(path);
            if let Some(name) = &self.label_column {
                file = file.label_column(name);
            }
            if let Some(labels) = &self.labels {
                file = file.labels(labels);
            }
            let table = file.read()?;
            table.check_finite()?;
            return Ok(Cow::Owned(table));
        }
        let of_list = list.and_then(|meta| {
            embedded::DATASETS.into_iter().find(|name| meta.dataset.starts_with(name))
        });
        let dataset = self.dataset.as_deref().or(of_list).unwrap_or(embedded::DATASETS[0]);
        Ok(Cow::Borrowed(embedded::load(dataset, self.split)?))
    }
}
