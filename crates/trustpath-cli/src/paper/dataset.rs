//! The features that targets run on: those in the binary, from files, or of images.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use trustpath_bench::{FeatureTable, Split, embedded};
use trustpath_report::Image;
use trustpath_vision::dataset::{Dataset as Images, DatasetKind};

use super::PaperArgs;
use crate::bench::novel;
use crate::error::{Error, Result};
use crate::features::read_table;
use crate::images::ExtractedImages;
use crate::run::Runner;

/// Features by name.
#[derive(Debug)]
pub struct PaperDataset {
    /// Its name on the command line, unique among the datasets of a run.
    pub name: String,
    novel: Cow<'static, FeatureTable>,
    /// The classes on which settings are chosen; files have none.
    validation: Option<&'static FeatureTable>,
    /// The images, and which of them each row is.
    pub images: Option<(ExtractedImages, Vec<usize>)>,
}

impl PaperDataset {
    fn embedded(name: &str) -> Result<Self> {
        let novel = Cow::Borrowed(embedded::load(name, Split::Novel)?);
        let validation = Some(embedded::load(name, Split::Validation)?);
        Ok(Self { name: name.to_owned(), novel, validation, images: None })
    }

    fn file(features: &str, labels: Option<&PathBuf>) -> Result<Self> {
        let (name, path) = name_and_path(features);
        let table = read_table(&path, labels.map(PathBuf::as_path), None)?;
        Ok(Self { name, novel: Cow::Owned(table), validation: None, images: None })
    }

    fn of_images(argument: &str, args: &PaperArgs, runner: &Runner) -> Result<Self> {
        let (name, path) = name_and_path(argument);
        let all = Images::open(&path, name.parse::<DatasetKind>().ok())?;
        let (threads, progress) = (&runner.pool, runner.progress);
        let images = args.extraction.extract(&path, &novel(all)?, threads, progress)?;
        let (table, rows) = images.table()?;
        Ok(Self { name, novel: Cow::Owned(table), validation: None, images: Some((images, rows)) })
    }

    /// The image of a row; none where there are only features.
    pub fn image(&self, row: usize) -> Option<Image> {
        let (images, rows) = self.images.as_ref()?;
        images.image(rows[row])
    }

    /// The features of a split. A file counts as both.
    pub fn table(&self, split: Split) -> &FeatureTable {
        match (split, self.validation) {
            (Split::Validation, Some(table)) => table,
            _ => &self.novel,
        }
    }

    /// Whether it has separate classes on which settings are chosen.
    pub fn has_validation(&self) -> bool {
        self.validation.is_some()
    }

    pub fn is_file(&self) -> bool {
        matches!(self.novel, Cow::Owned(_))
    }

    /// Its name in tables and figures.
    pub fn title(&self) -> String {
        if self.is_file() { self.name.clone() } else { self.name.to_uppercase() }
    }
}

/// Opens the datasets that the options name; the two in the binary if they name none.
pub fn open(args: &PaperArgs, runner: &Runner) -> Result<Vec<PaperDataset>> {
    let PaperArgs { features, labels, images, extraction, .. } = args;
    let usage = |text: String| Err(Error::Usage(text));
    if !labels.is_empty() && labels.len() != features.len() {
        return usage(format!(
            "{} labels files were given for {} features files: give --labels once for each --features, in the same \
             order, or not at all",
            labels.len(),
            features.len()
        ));
    }
    if images.is_empty() && extraction.is_given() {
        let why = "a network computes features of images: give them by --images, or drop --backbone, --weights and the \
                   options that go with them";
        return usage(why.into());
    }
    if images.len() > 1 && extraction.cache.is_some() {
        return usage("--cache keeps the features of one --images: drop it, or give one at a time".into());
    }
    let mut names: Vec<&str> = args.datasets.iter().map(String::as_str).collect();
    if names.is_empty() && features.is_empty() && images.is_empty() {
        names.extend(embedded::DATASETS);
    }
    let embedded = names.into_iter().map(PaperDataset::embedded);
    let files = features.iter().enumerate().map(|(i, file)| PaperDataset::file(file, labels.get(i)));
    let images = images.iter().map(|images| PaperDataset::of_images(images, args, runner));
    let datasets: Vec<PaperDataset> = embedded.chain(files).chain(images).collect::<Result<_>>()?;
    for (i, PaperDataset { name, .. }) in datasets.iter().enumerate() {
        if datasets[..i].iter().any(|before| before.name == *name) {
            return usage(format!(
                "two sets of features are called \"{name}\": give each its own name, --features NAME=FILE or --images NAME=PATH"
            ));
        }
    }
    Ok(datasets)
}

/// `NAME=FILE`, or a file whose stem is its name. An argument that exists as a file is one, even with an equals sign.
fn name_and_path(argument: &str) -> (String, PathBuf) {
    let file = Path::new(argument);
    match argument.split_once('=').filter(|_| !file.exists()) {
        Some((name, path)) if !name.is_empty() && !name.contains(['/', '\\']) => (name.to_owned(), path.into()),
        _ => {
            let stem = file.file_stem().unwrap_or(file.as_os_str());
            (stem.to_string_lossy().into_owned(), file.into())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_go_by_their_name_or_stem() {
        let named = |name: &str, path: &str| (name.to_owned(), PathBuf::from(path));
        assert_eq!(name_and_path("wrn=a/b.npy"), named("wrn", "a/b.npy"));
        assert_eq!(name_and_path("a/b.npy"), named("b", "a/b.npy"));
        assert_eq!(name_and_path("a=b/c=d.npy"), named("a", "b/c=d.npy"));
        assert_eq!(name_and_path("./x=1/c.npy"), named("c", "./x=1/c.npy"));
    }

    #[test]
    fn datasets_need_different_names_and_one_labels_file_each() {
        let titles = |line: &str| -> std::result::Result<Vec<String>, String> {
            let args = crate::paper::tests::args(line, Path::new("out"));
            let runner = Runner::new(Some(1), crate::progress::ProgressMode::Quiet).unwrap();
            let datasets = open(&args, &runner).map_err(|e| e.to_string())?;
            Ok(datasets.iter().map(PaperDataset::title).collect())
        };
        assert_eq!(titles("all").unwrap(), ["CIFAR-FS", "CUB"]);
        for (line, expected) in [
            ("all --dataset cub --dataset cub", "two sets of features are called \"cub\""),
            ("all --labels l.npy", "1 labels files were given for 0 features files"),
            ("all --dataset mini", "mini"),
            ("all --dataset mini", "cub"),
        ] {
            let error = titles(line).unwrap_err();
            assert!(error.contains(expected), "{error}");
        }
    }
}
