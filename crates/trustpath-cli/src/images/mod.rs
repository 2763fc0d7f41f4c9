//! Images wherever features are accepted: their features are computed first, and kept in a file.

mod network;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::Args;
use rayon::ThreadPool;
use rayon::prelude::*;
use trustpath_bench::FeatureTable;
use trustpath_explain::{Extractor, SavedModel};
use trustpath_report::Image;
use trustpath_report::label_page::{LabelReport, Thumbnail};
use trustpath_table::{Error as TableError, PartlyLabelledFile};
use trustpath_text::TextModel;
use trustpath_vision::Error as VisionError;
use trustpath_vision::backbone::Backbone;
use trustpath_vision::dataset::{Dataset, DatasetKind, DatasetSplit};
use trustpath_vision::extract::{ExtractOutcome, Extraction};
use trustpath_vision::image::RgbImage;

pub use network::NetworkArgs;

use crate::error::{Error, Result};
use crate::files::CommandFiles;
use crate::print;
use crate::progress::{ProgressMode, ProgressObserver};
use crate::values::choice;

/// Which dataset, and which classes of it.
#[derive(Debug, Clone, PartialEq, Args)]
pub struct DatasetArgs {
    /// Dataset layout [default: auto-detect]
    #[arg(long, value_parser = choice::<DatasetKind>(&DatasetKind::NAMES))]
    dataset: Option<DatasetKind>,
    /// Only the classes of this split of the dataset [default: all]
    #[arg(long, value_parser = choice::<DatasetSplit>(&DatasetSplit::NAMES))]
    split: Option<DatasetSplit>,
    /// Folder or archive of the images of Label Studio tasks: the root of its local storage, or its media folder [default:
    /// the folder of the tasks]
    #[arg(long, value_name = "PATH")]
    image_folder: Option<PathBuf>,
}

impl DatasetArgs {
    fn is_given(&self) -> bool {
        self.dataset.is_some() || self.split.is_some() || self.image_folder.is_some()
    }

    /// Opens the images at `path`, which are of the kind `otherwise` if none is asked for. `control` names the control of
    /// Label Studio whose choices are the labels.
    pub fn open(&self, path: &Path, otherwise: Option<DatasetKind>, control: Option<&str>) -> Result<Dataset> {
        let all = match (Dataset::is_tasks(path), &self.image_folder) {
            (true, folder) => Dataset::open_tasks(path, folder.as_deref(), control)?,
            (false, None) => Dataset::open(path, self.dataset.or(otherwise))?,
            (false, Some(folder)) => {
                return Err(Error::Usage(format!(
                    "--image-folder {} is for tasks of Label Studio (.json), which {} is not: leave it out",
                    folder.display(),
                    path.display()
                )));
            }
        };
        Ok(self.split.map_or_else(|| Ok(all.clone()), |split| all.split(split))?)
    }
}

/// How features of images are computed, and where they are kept.
#[derive(Debug, Clone, PartialEq, Args)]
#[command(next_help_heading = "Images")]
pub struct ImageArgs {
    /// Skip images that cannot be read, and list them
    #[arg(long)]
    skip_bad: bool,
    /// File that keeps the features, so that only new and changed images are computed [default: beside
    /// the images, IMAGES-NETWORK.safetensors]
    #[arg(long, value_name = "FILE.safetensors")]
    pub cache: Option<PathBuf>,
    #[command(flatten)]
    network: NetworkArgs,
}

impl ImageArgs {
    /// Whether an option was given that applies to images only.
    pub fn is_given(&self) -> bool {
        self.skip_bad || self.cache.is_some() || self.network.is_given()
    }

    pub fn files(&self, files: CommandFiles) -> CommandFiles {
        self.network.files(files).writes("--cache", &self.cache)
    }

    /// Computes the features of images, except for those that are in the file already.
    pub fn extract(
        &self,
        path: &Path,
        dataset: &Dataset,
        threads: &ThreadPool,
        progress: ProgressMode,
    ) -> Result<ExtractedImages> {
        let chosen = self.network.open(threads.current_num_threads())?;
        let default = || beside(path, dataset.current_split(), &chosen.stem);
        let cache = self.cache.clone().unwrap_or_else(default);
        if cache.extension().is_none_or(|ending| ending != "safetensors") {
            return Err(Error::Usage(format!("--cache {} must end in .safetensors", cache.display())));
        }
        let extraction = Extraction { skip_bad: self.skip_bad, ..Extraction::default() };
        let backbone = chosen.backbone.as_ref();
        let extracted = extract(extraction, backbone, dataset, &cache, threads, progress);
        let extracted = extracted.map_err(|error| match error {
            Error::Vision(
                VisionError::Write { name, reason } | VisionError::Table(TableError::Write { file: name, reason }),
            ) if self.cache.is_none() => {
                let reason = format!("{reason}, which --cache FILE avoids");
                Error::Vision(VisionError::Write { name, reason })
            }
            error => error,
        })?;
        let new = dataset.len() - extracted.before;
        let state = match (new, extracted.before) {
            (0, _) => "all there already".into(),
            (_, 0) => "all new".into(),
            _ => format!("{new} of them new"),
        };
        let mut text = format!(
            "{}: features of {} by {}, {state}; kept in {}\n",
            path.display(),
            print::count(dataset.len(), "image", "images"),
            chosen.words,
            cache.display(),
        );
        text += &skipped(extracted.skipped.iter().map(|(_, error)| error));
        if new > 0 {
            text += chosen.advice();
        }
        progress.say(&text);
        let gone: Vec<usize> = extracted.skipped.iter().map(|(row, _)| *row).collect();
        Ok(ExtractedImages {
            name: format!("{} ({})", path.display(), chosen.words),
            dataset: dataset.without(&gone),
            cache,
            extractor: Extractor { description: chosen.words, identity: backbone.info().identity() },
        })
    }
}

/// Images instead of features, and which of them.
#[derive(Debug, Clone, PartialEq, Args)]
#[command(next_help_heading = "Images")]
pub struct SourceArgs {
    #[command(flatten)]
    pub dataset: DatasetArgs,
    #[command(flatten)]
    pub images: ImageArgs,
}

impl SourceArgs {
    /// Refuses options that apply to images only, where features are given.
    pub fn check(&self, path: &Path, is_images: bool) -> Result<()> {
        if is_images || !(self.images.is_given() || self.dataset.is_given()) {
            return Ok(());
        }
        Err(Error::Usage(format!(
            "{} is read as features, for which there is no network, dataset or split: leave those options out, or give images",
            path.display()
        )))
    }

    /// How texts are to be represented: as the model that is to be used was trained, or else as the options say.
    pub fn text_model(&self, saved: Option<(&SavedModel, &Path)>) -> Result<TextModel> {
        let ImageArgs { skip_bad, cache, network } = &self.images;
        if *skip_bad || cache.is_some() || self.dataset.is_given() {
            return Err(Error::Usage(
                "--skip-bad, --cache, --dataset, --split and --image-folder are for images: leave them out for texts"
                    .into(),
            ));
        }
        network.text_model(saved)
    }
}

/// Images whose features are in a file.
#[derive(Debug)]
pub struct ExtractedImages {
    /// Where they are, and the network that computed their features.
    pub name: String,
    /// By what their features were made.
    pub extractor: Extractor,
    /// The file of features.
    pub cache: PathBuf,
    /// Its rows.
    pub dataset: Dataset,
}

/// Edge of the images of a figure.
const EDGE: usize = 84;

impl ExtractedImages {
    /// The features of those that have a class, and the row of each among the images.
    pub fn table(&self) -> Result<(FeatureTable, Vec<usize>)> {
        let pool = PartlyLabelledFile::new(&self.cache).read()?.called(&self.name);
        let labelled = pool.labels().iter().enumerate().filter_map(|(row, label)| Some((row, (*label)?)));
        let (rows, labels): (Vec<usize>, Vec<usize>) = labelled.unzip();
        if rows.is_empty() {
            return Err(Error::Usage(format!(
                "no image of {} has a class: put those of each class in a folder named after it",
                self.name
            )));
        }
        let mut features = vec![0.0; rows.len() * pool.dims()];
        pool.gather(&rows, &mut features)?;
        let names = pool.class_names().to_vec();
        Ok((FeatureTable::new(features, pool.dims(), labels, names, &self.name)?, rows))
    }

    /// An image for a figure; none if it can no longer be read.
    pub fn image(&self, row: usize) -> Option<Image> {
        let image = self.dataset.image(row).ok()?.within(EDGE);
        Image::new(image.width, image.height, image.rgb).ok()
    }

    fn thumbnail(&self, row: usize) -> Option<Thumbnail> {
        let bytes = self.dataset.image(row).ok()?.thumbnail().ok()?;
        Some(Thumbnail { bytes, mime: "image/jpeg".into() })
    }

    /// Gives the instances of a page their images, as many as it has room for; `rows` are theirs.
    pub fn illustrate(&self, report: &mut LabelReport, rows: &[usize]) -> Result<()> {
        let make = |worth: &[usize]| worth.par_iter().map(|&at| self.thumbnail(rows[at])).collect();
        Ok(report.illustrate(RgbImage::THUMBNAIL_BYTES, make)?)
    }

    /// The same without some of its rows.
    pub fn without(self, rows: &[usize]) -> Self {
        Self { dataset: self.dataset.without(rows), ..self }
    }
}

/// How many bad images are named; the rest are counted.
const NAMED: usize = 20;

/// What an extraction has done.
pub struct Extracted {
    /// Images that had their features before.
    pub before: usize,
    pub skipped: Vec<(usize, VisionError)>,
    pub took: Duration,
}

/// A line for each image that was skipped, below a line with their number.
pub fn skipped<'a>(bad: impl ExactSizeIterator<Item = &'a VisionError>) -> String {
    match bad.len() {
        0 => String::new(),
        count => format!("skipped {}:\n{}", print::count(count, "image", "images"), list(bad)),
    }
}

/// A line for each image that cannot be read.
pub fn list<'a>(bad: impl ExactSizeIterator<Item = &'a VisionError>) -> String {
    let more = print::more(bad.len(), NAMED).map(|more| format!("  {more}\n"));
    bad.take(NAMED).map(|error| format!("  {error}\n")).chain(more).collect()
}

/// Brings the features of a dataset in a file up to date.
pub fn extract(
    extraction: Extraction,
    backbone: &dyn Backbone,
    dataset: &Dataset,
    out: &Path,
    threads: &ThreadPool,
    progress: ProgressMode,
) -> Result<Extracted> {
    let mut observer = ProgressObserver::new(progress);
    let start = Instant::now();
    match threads.install(|| extraction.run(backbone, dataset, out, &mut observer))? {
        ExtractOutcome::Stopped { done, all } => Err(Error::Paused { done, all }),
        ExtractOutcome::Finished { skipped, .. } => {
            Ok(Extracted { before: observer.before, skipped, took: start.elapsed() })
        }
    }
}

/// The default file of features: beside the images, named after them, their split and the network.
fn beside(images: &Path, split: Option<DatasetSplit>, network: &str) -> PathBuf {
    // Of "." and "..", the name is another.
    let whole = match images.file_name() {
        Some(_) => images.to_owned(),
        None => images.canonicalize().unwrap_or_else(|_| images.to_owned()),
    };
    let name = whole.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let endings = [".zip", ".tar.gz", ".tgz", ".tar", ".csv", ".tsv", ".json"];
    let short = endings.iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(&name);
    let split = split.map(|split| format!("-{split}")).unwrap_or_default();
    whole.with_file_name(format!("{short}{split}-{network}.safetensors"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_are_kept_beside_the_images() {
        let of = |path: &str, split| beside(Path::new(path), split, "net");
        assert_eq!(of("a/photos/", None), Path::new("a/photos-net.safetensors"));
        assert_eq!(of("a/photos.v2", None), Path::new("a/photos.v2-net.safetensors"));
        assert_eq!(of("cub.tar.gz", Some(DatasetSplit::Test)), Path::new("cub-test-net.safetensors"));
        assert!(of(".", None).is_absolute());
    }
}
