//! Pictures wherever features are taken: their features are made first, and kept in a file.

mod extraction;
mod network;

use std::path::{Path, PathBuf};

use clap::Args;
use rayon::ThreadPool;
use rayon::prelude::*;
use trustpath_episodes::FeatureTable;
use trustpath_report::Image;
use trustpath_report::label_page::{LabelReport, Thumbnail};
use trustpath_table::PoolFile;
use trustpath_vision::Error as VisionError;
use trustpath_vision::dataset::{Dataset, Kind, Split};
use trustpath_vision::extract::Extraction;
use trustpath_vision::picture::Picture;

pub use extraction::extract;
pub use network::NetworkArgs;

use crate::cli::choice;
use crate::error::{Error, Result};
use crate::print;
use crate::progress::Progress;

/// How features of pictures are made, and where they are kept.
#[derive(Debug, Clone, PartialEq, Args)]
#[command(next_help_heading = "Pictures")]
pub struct PictureArgs {
    /// Leave out pictures that cannot be read, and list them
    #[arg(long)]
    skip_bad: bool,
    /// File that keeps the features, so that only new and changed pictures need time [default: beside
    /// the pictures, PICTURES-NETWORK.safetensors]
    #[arg(long, value_name = "FILE.safetensors")]
    cache: Option<PathBuf>,
    #[command(flatten)]
    network: NetworkArgs,
}

impl PictureArgs {
    /// Whether anything was asked for that only pictures have.
    pub fn is_given(&self) -> bool {
        self.skip_bad || self.cache.is_some() || self.network.is_given()
    }

    /// Whether the file that keeps the features was named.
    pub fn has_cache(&self) -> bool {
        self.cache.is_some()
    }

    /// Makes the features of pictures, or takes those that are kept.
    pub fn extract(
        &self,
        path: &Path,
        dataset: &Dataset,
        threads: &ThreadPool,
        progress: Progress,
    ) -> Result<Pictures> {
        let chosen = self.network.open(threads.current_num_threads())?;
        let split = dataset.current_split();
        let cache = match &self.cache {
            Some(cache) if cache.extension().is_some_and(|ending| ending == "safetensors") => {
                cache.clone()
            }
            Some(cache) => {
                let name = cache.display();
                return Err(Error::Usage(format!("--cache {name} must end in .safetensors")));
            }
            None => beside(path, split, &chosen.stem),
        };
        let extraction = Extraction { skip_bad: self.skip_bad, ..Extraction::default() };
        let backbone = chosen.backbone.as_ref();
        let extracted = extract(extraction, backbone, dataset, &cache, threads, progress);
        let extracted = extracted.map_err(|error| match error {
            Error::Vision(VisionError::Write { name, reason }) if self.cache.is_none() => {
                let reason = format!("{reason}, which --cache FILE avoids");
                Error::Vision(VisionError::Write { name, reason })
            }
            error => error,
        })?;
        let new = dataset.len() - extracted.before;
        let anew = match new {
            0 => "all there already".into(),
            _ if extracted.before > 0 => format!("{new} of them new"),
            _ => "all new".into(),
        };
        let mut said = format!(
            "{}: features of {} by {}, {anew}; kept in {}\n",
            path.display(),
            print::count(dataset.len(), "picture", "pictures"),
            chosen.words,
            cache.display(),
        );
        said += &extracted.list();
        if new > 0 {
            said += chosen.advice();
        }
        progress.say(&said);
        let gone: Vec<usize> = extracted.skipped.iter().map(|(row, _)| *row).collect();
        Ok(Pictures {
            name: format!("{} ({})", path.display(), chosen.words),
            dataset: dataset.without(&gone),
            cache,
            maker: Maker { words: chosen.words, identity: backbone.identity() },
        })
    }
}

/// Pictures instead of features, and which of them.
#[derive(Debug, Clone, PartialEq, Args)]
#[command(next_help_heading = "Pictures")]
pub struct SourceArgs {
    /// What the pictures are [default: found out]
    #[arg(long, value_parser = choice::<Kind>(&Kind::NAMES))]
    dataset: Option<Kind>,
    /// Only these classes of a divided dataset [default: all]
    #[arg(long, value_parser = choice::<Split>(&Split::NAMES))]
    split: Option<Split>,
    #[command(flatten)]
    pictures: PictureArgs,
}

impl SourceArgs {
    /// Refuses options that only pictures have, where features are given.
    pub fn check(&self, path: &Path, is_pictures: bool) -> Result<()> {
        if is_pictures
            || !(self.pictures.is_given() || self.dataset.is_some() || self.split.is_some())
        {
            return Ok(());
        }
        let sentence = format!(
            "{} is read as features, for which there is no network, dataset or split: leave those options out, or give pictures",
            path.display()
        );
        Err(Error::Usage(sentence))
    }

    /// The pictures at `path`. Where labels lie apart, a csv among them says nothing of them.
    pub fn open(&self, path: &Path, labels_apart: bool) -> Result<Dataset> {
        let kind = self.dataset.or(labels_apart.then_some(Kind::Folder));
        let whole = Dataset::open(path, kind)?;
        Ok(self.split.map_or(Ok(whole.clone()), |split| whole.split(split))?)
    }

    /// Makes the features of these pictures.
    pub fn extract(
        &self,
        path: &Path,
        dataset: &Dataset,
        threads: &ThreadPool,
        progress: Progress,
    ) -> Result<Pictures> {
        self.pictures.extract(path, dataset, threads, progress)
    }
}

/// By what features were made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Maker {
    /// In words.
    pub words: String,
    /// A number that tells it from others.
    pub identity: u64,
}

/// Pictures whose features are in a file.
#[derive(Debug)]
pub struct Pictures {
    /// Where they are, and by what their features were made.
    pub name: String,
    /// By what their features were made.
    pub maker: Maker,
    /// The file of features.
    pub cache: PathBuf,
    /// Its rows.
    dataset: Dataset,
}

/// Edge and quality of thumbnails, and about how many bytes one takes.
const EDGE: usize = 84;
const QUALITY: u8 = 78;
const BYTES: usize = 2600;

impl Pictures {
    /// The features of those that have a class, and the row of each among the pictures.
    pub fn table(&self) -> Result<(FeatureTable, Vec<usize>)> {
        let pool = PoolFile::new(&self.cache).read()?.called(&self.name);
        let mut rows = Vec::new();
        let mut labels = Vec::new();
        for (row, label) in pool.labels().iter().enumerate() {
            let Some(label) = label else { continue };
            rows.push(row);
            labels.push(*label);
        }
        if rows.is_empty() {
            let sentence = format!(
                "no picture of {} has a class: put those of each class in a folder named after it",
                self.name
            );
            return Err(Error::Usage(sentence));
        }
        let mut features = vec![0.0; rows.len() * pool.dims()];
        pool.gather(&rows, &mut features)?;
        let names = pool.class_names().to_vec();
        Ok((FeatureTable::new(features, pool.dims(), labels, names, &self.name)?, rows))
    }

    /// A picture, small.
    fn small(&self, row: usize) -> Option<Picture> {
        self.dataset.picture(row).ok().map(|picture| picture.within(EDGE))
    }

    /// A picture for a figure; none if it has gone since.
    pub fn image(&self, row: usize) -> Option<Image> {
        let picture = self.small(row)?;
        Image::new(picture.width, picture.height, picture.rgb).ok()
    }

    fn thumbnail(&self, row: usize) -> Option<Thumbnail> {
        let bytes = self.small(row)?.jpeg(QUALITY).ok()?;
        Some(Thumbnail { bytes, mime: "image/jpeg".into() })
    }

    /// Gives the instances of a page their pictures, as many as it has room for; `rows` are theirs.
    pub fn illustrate(&self, report: &mut LabelReport, rows: &[usize]) -> Result<()> {
        let worth = report.thumbnails_that_fit(BYTES)?;
        let pictures: Vec<Option<Thumbnail>> =
            worth.par_iter().map(|&at| self.thumbnail(rows[at])).collect();
        let all = report.instances.len();
        if worth.len() < all {
            report.notes.push(format!(
                "The pictures of {} of {all} instances are on this page, so that it stays small: first those that are suggested or doubtful, then some of every class.",
                worth.len()
            ));
        }
        for (at, picture) in worth.into_iter().zip(pictures) {
            report.instances[at].thumbnail = picture;
        }
        Ok(())
    }
}

/// The default file of features: beside the pictures, named after them, their split and the network.
fn beside(pictures: &Path, split: Option<Split>, network: &str) -> PathBuf {
    // Of "." and "..", the name is another.
    let whole = match pictures.file_name() {
        Some(_) => pictures.to_owned(),
        None => pictures.canonicalize().unwrap_or_else(|_| pictures.to_owned()),
    };
    let name = whole.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let endings = [".zip", ".tar.gz", ".tgz", ".tar", ".csv", ".tsv"];
    let short = endings.iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(&name);
    let split = split.map(|split| format!("-{split}")).unwrap_or_default();
    whole.with_file_name(format!("{short}{split}-{network}.safetensors"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_are_kept_beside_the_pictures() {
        let of = |path: &str, split| beside(Path::new(path), split, "net");
        assert_eq!(of("a/photos/", None), Path::new("a/photos-net.safetensors"));
        assert_eq!(of("a/photos.v2", None), Path::new("a/photos.v2-net.safetensors"));
        assert_eq!(of("cub.tar.gz", Some(Split::Test)), Path::new("cub-test-net.safetensors"));
        assert!(of(".", None).is_absolute());
    }
}
