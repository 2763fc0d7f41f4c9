//! The features that targets run on: those in the binary, files, or of pictures.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use rayon::ThreadPool;
use trustpath_episodes::{FeatureTable, Split, TableFile, embedded};
use trustpath_report::Image;
use trustpath_vision::dataset::{Dataset as Images, Kind};

use super::error::{Error, Result};
use crate::bench::novel;
use crate::images::{ExtractedImages, ImageArgs};
use crate::progress::Progress;

/// Features by name.
#[derive(Debug)]
pub struct Dataset {
    /// Its name on the command line, unique among the datasets of a run.
    pub name: String,
    novel: Cow<'static, FeatureTable>,
    /// The classes settings are chosen on; files have none.
    validation: Option<&'static FeatureTable>,
    /// The pictures, and which of them each row is.
    pictures: Option<(ExtractedImages, Vec<usize>)>,
}

impl Dataset {
    fn embedded(name: &str) -> Result<Self> {
        Ok(Self {
            name: name.to_owned(),
            novel: Cow::Borrowed(embedded::load(name, Split::Novel)?),
            validation: Some(embedded::load(name, Split::Validation)?),
            pictures: None,
        })
    }

    fn file(features: &str, labels: Option<&PathBuf>) -> Result<Self> {
        let (name, path) = name_and_path(features);
        let mut file = TableFile::new(path);
        if let Some(labels) = labels {
            file = file.labels(labels);
        }
        let table = file.read()?;
        table.check_finite()?;
        Ok(Self { name, novel: Cow::Owned(table), validation: None, pictures: None })
    }

    fn of_pictures(
        argument: &str,
        how: &ImageArgs,
        threads: &ThreadPool,
        progress: Progress,
    ) -> Result<Self> {
        let (name, path) = name_and_path(argument);
        let whole = Images::open(&path, name.parse::<Kind>().ok())?;
        let pictures = how.extract(&path, &novel(whole)?, threads, progress)?;
        let (table, rows) = pictures.table()?;
        let pictures = Some((pictures, rows));
        Ok(Self { name, novel: Cow::Owned(table), validation: None, pictures })
    }

    /// Whether it has pictures.
    pub fn has_pictures(&self) -> bool {
        self.pictures.is_some()
    }

    /// The picture of a row; none where there are only features.
    pub fn image(&self, row: usize) -> Option<Image> {
        let (pictures, rows) = self.pictures.as_ref()?;
        pictures.image(rows[row])
    }

    /// The features of a split. A file counts as both.
    pub fn table(&self, split: Split) -> &FeatureTable {
        match (split, self.validation) {
            (Split::Validation, Some(table)) => table,
            _ => &self.novel,
        }
    }

    /// Whether it has classes apart to choose settings on.
    pub fn has_validation(&self) -> bool {
        self.validation.is_some()
    }

    /// Whether it came from a file.
    pub fn is_file(&self) -> bool {
        matches!(self.novel, Cow::Owned(_))
    }

    /// Its name in tables and figures.
    pub fn title(&self) -> String {
        if self.is_file() { self.name.clone() } else { self.name.to_uppercase() }
    }
}

/// The datasets named and the files; the two in the binary if there is neither, nor pictures.
pub fn open(
    names: &[String],
    features: &[String],
    labels: &[PathBuf],
    images: &[String],
) -> Result<Vec<Dataset>> {
    if !labels.is_empty() && labels.len() != features.len() {
        return Err(Error::Labels { labels: labels.len(), features: features.len() });
    }
    let mut datasets: Vec<Dataset> = Vec::new();
    if names.is_empty() && features.is_empty() && images.is_empty() {
        for name in embedded::DATASETS {
            datasets.push(Dataset::embedded(name)?);
        }
    }
    for name in names {
        datasets.push(Dataset::embedded(name)?);
    }
    for (i, file) in features.iter().enumerate() {
        datasets.push(Dataset::file(file, labels.get(i))?);
    }
    Ok(datasets)
}

/// The datasets of pictures, whose features are made first.
pub fn extract(
    images: &[String],
    how: &ImageArgs,
    threads: &ThreadPool,
    progress: Progress,
) -> Result<Vec<Dataset>> {
    match images {
        [] if how.is_given() => Err(Error::NoImages),
        [_, _, ..] if how.has_cache() => Err(Error::OneCache),
        _ => images.iter().map(|i| Dataset::of_pictures(i, how, threads, progress)).collect(),
    }
}

/// Refuses names that cannot be told apart.
pub fn check_names(datasets: &[Dataset]) -> Result<()> {
    for (i, dataset) in datasets.iter().enumerate() {
        if datasets[..i].iter().any(|before| before.name == dataset.name) {
            return Err(Error::SameName { name: dataset.name.clone() });
        }
    }
    Ok(())
}

/// `NAME=FILE`, or a file that goes by its stem. What exists as it stands is a file, equals sign and all.
fn name_and_path(argument: &str) -> (String, PathBuf) {
    let whole = Path::new(argument);
    match argument.split_once('=') {
        Some((name, path))
            if !name.is_empty() && !name.contains(['/', '\\']) && !whole.exists() =>
        {
            (name.to_owned(), path.into())
        }
        _ => {
            let stem = whole.file_stem().unwrap_or(whole.as_os_str());
            (stem.to_string_lossy().into_owned(), whole.into())
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
    fn what_cannot_be_told_apart_is_refused() {
        let twice = ["cub".to_owned(), "cub".to_owned()];
        let twice = open(&twice, &[], &[], &[]).unwrap();
        assert!(matches!(check_names(&twice), Err(Error::SameName { .. })));
        let labels = [PathBuf::from("l.npy")];
        assert!(matches!(
            open(&[], &[], &labels, &[]),
            Err(Error::Labels { labels: 1, features: 0 })
        ));
        let error = open(&["mini".to_owned()], &[], &[], &[]).unwrap_err().to_string();
        assert!(error.contains("mini") && error.contains("cub"), "{error}");
        let names: Vec<String> =
            open(&[], &[], &[], &[]).unwrap().iter().map(Dataset::title).collect();
        assert_eq!(names, ["CIFAR-FS", "CUB"]);
    }
}
