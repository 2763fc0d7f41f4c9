//! The results of the paper, one file each.
//!
//! A target runs [`Experiment`](experiment::Experiment)s in a [`Lab`], which runs each only once, and comes back with a
//! [`Finding`]: what the paper reports, tables and figures of the same on the features at hand, and for each conclusion
//! of the paper whether the intervals confirm it.

mod ablation;
mod alpha;
mod assumptions;
mod backbones;
mod classifiers;
mod dataset;
mod dimension;
mod episode;
mod error;
mod errors;
mod experiment;
mod finding;
mod grid;
mod initial;
mod inspect;
mod iterations;
mod lab;
mod mixture;
mod path;
mod peers;
mod published;
mod reductions;
mod selectors;
mod table1;
#[cfg(test)]
mod tests;
mod verdict;

use std::io::Write;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Instant;

use clap::ValueEnum;
use trustpath_episodes::Approach;
use trustpath_report::{Document, DocumentBlock as Block};

use crate::pictures::PictureArgs;
use crate::progress::Progress;
use dataset::Dataset;
pub use error::Error;
use error::Result;
use finding::Finding;
use lab::Lab;

/// What to reproduce, and on which features.
#[derive(Debug, clap::Args)]
pub struct PaperArgs {
    /// The result to reproduce.
    #[arg(value_enum)]
    pub target: Target,
    /// Features in the binary: cifar-fs or cub; may be repeated [default: both].
    #[arg(long = "dataset", value_name = "NAME")]
    pub datasets: Vec<String>,
    /// Features of your own (npy, npz, safetensors, csv, parquet); may be repeated.
    #[arg(long, value_name = "[NAME=]FILE")]
    pub features: Vec<String>,
    /// Their labels, where they are neither inside nor beside the file; once for each file.
    #[arg(long, value_name = "FILE")]
    pub labels: Vec<PathBuf>,
    /// Pictures: a folder of class folders, a zip or tar of them, a csv, or a known dataset, whose novel classes
    /// are taken; may be repeated. NAME says what they are where it is that of a known dataset, such as cub.
    #[arg(long, value_name = "[NAME=]PATH")]
    pub images: Vec<String>,
    /// Methods of peers and grid, by their names in `bench --method`; may be repeated [default: all of them for peers;
    /// adaptive, pt-map, bd-cspn, icir and plain for grid].
    #[arg(long = "method", value_name = "NAME",
        value_parser = clap::builder::PossibleValuesParser::new(Approach::names()))]
    pub methods: Vec<String>,
    /// Episodes of each experiment; slow ones run fewer, and say so.
    #[arg(long, default_value = "2000", value_name = "N")]
    pub episodes: NonZeroUsize,
    /// Seed of the episodes.
    #[arg(long, default_value_t = 0, value_name = "N")]
    pub seed: u64,
    /// Threads [default: one for each core].
    #[arg(long, value_name = "N")]
    pub threads: Option<NonZeroUsize>,
    /// Folder for the report and its figures.
    #[arg(long, default_value = "trustpath-paper", value_name = "DIR")]
    pub out: PathBuf,
    /// Shows no progress.
    #[arg(long)]
    pub quiet: bool,
    /// How their features are made.
    #[command(flatten)]
    pub pictures: PictureArgs,
}

/// The results of the paper.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Target {
    /// Every setting, model and dataset beside the published rows.
    Table1,
    /// Conditions C1 to C3 against improvement.
    Assumptions,
    /// Histogram of the noise.
    Errors,
    /// Regularisation path of one episode.
    Path,
    /// Other ways to select: RA, NN, CO, CN.
    Selectors,
    /// Selecting n a round, ICI(n).
    Iterations,
    /// Improvement by initial accuracy.
    Initial,
    /// Other classifiers: kNN, SVM.
    Classifiers,
    /// Reduced dimension.
    Dimension,
    /// Other reductions.
    Reductions,
    /// Several features files side by side.
    Backbones,
    /// ICI-C by α on the validation classes.
    Alpha,
    /// What each round of one episode selects.
    Episode,
    /// Other methods on balanced and imbalanced pools.
    Peers,
    /// Methods over class balance, pool size, ways and shots; long, and no part of all.
    Grid,
    /// All of them, in one report.
    All,
}

impl Target {
    /// Its name on the command line.
    fn name(self) -> String {
        self.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
    }

    /// The targets it stands for.
    fn each(self) -> Vec<Self> {
        match self {
            Self::All => {
                let each = Self::value_variants().iter().copied();
                each.filter(|target| !matches!(target, Self::All | Self::Grid)).collect()
            }
            one => vec![one],
        }
    }

    fn find(self, lab: &Lab) -> Result<Finding> {
        match self {
            Self::Table1 => table1::find(lab),
            Self::Assumptions => assumptions::find(lab),
            Self::Errors => errors::find(lab),
            Self::Path => path::find(lab),
            Self::Selectors => selectors::find(lab),
            Self::Iterations => iterations::find(lab),
            Self::Initial => initial::find(lab),
            Self::Classifiers => classifiers::find(lab),
            Self::Dimension => dimension::find(lab),
            Self::Reductions => reductions::find(lab),
            Self::Backbones => backbones::find(lab),
            Self::Alpha => alpha::find(lab),
            Self::Episode => episode::find(lab),
            Self::Peers => peers::find(lab),
            Self::Grid => grid::find(lab),
            Self::All => Ok(Finding::new("All", "")),
        }
    }
}

/// Reproduces a target: prints it, and writes it with its figures into the folder.
///
/// # Errors
/// When the features cannot be read, an episode fails, or the folder cannot be written.
pub fn run(args: &PaperArgs) -> Result<()> {
    let threads = args.threads.map_or(0, NonZeroUsize::get);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.map_err(|e| Error::Threads { threads, reason: e.to_string() })?;
    let mut datasets = dataset::open(&args.datasets, &args.features, &args.labels, &args.images)?;
    let progress = Progress::new(args.quiet, false);
    datasets.extend(dataset::extract(&args.images, &args.pictures, &pool, progress)?);
    dataset::check_names(&datasets)?;
    pool.install(|| reproduce(args, datasets))
}

fn reproduce(args: &PaperArgs, datasets: Vec<Dataset>) -> Result<()> {
    let mut lab = Lab::new(datasets, args.episodes.get(), args.seed, args.quiet);
    lab.methods.clone_from(&args.methods);
    lab.notes = Some(args.out.clone());
    let mut findings = Vec::new();
    for target in args.target.each() {
        let start = Instant::now();
        findings.push(target.find(&lab)?);
        if !args.quiet {
            eprintln!("{} done in {:.1} s", target.name(), start.elapsed().as_secs_f64());
        }
    }
    let document = document(&lab, args.target, findings)?;
    document.write(&args.out, &args.target.name())?;
    let name = args.target.name();
    let folder = args.out.display();
    let text = format!(
        "{}\nWritten: {folder}/{name}.md, {folder}/{name}.html\n",
        finding::text(&document)
    );
    // A reader who has seen enough and closed the pipe is no failure: the report is written.
    let _ = std::io::stdout().write_all(text.as_bytes());
    Ok(())
}

fn document(lab: &Lab, target: Target, findings: Vec<Finding>) -> Result<Document> {
    let datasets: Vec<String> = lab.datasets.iter().map(Dataset::title).collect();
    let shape = match target {
        Target::Grid => "of each experiment at most",
        _ => "of each experiment (fewer where it says so), 5-way, 15 queries a class",
    };
    let episodes = format!(
        "{} episodes {shape}, seed {}, on {}. Intervals are 95%; differences are paired, on the same episodes. A \
         conclusion of the paper holds where the interval of the difference that expresses it lies on its side of zero.",
        lab.episodes,
        lab.seed,
        datasets.join(" and ")
    );
    let mut lead = vec![Block::Paragraph(episodes)];
    if target == Target::All {
        let caption = "Which conclusions of the paper hold on these features".into();
        lead.push(Block::Table { caption, table: finding::overview(&findings)? });
    }
    let title = "Instance Credibility Inference: the results of the paper".to_owned();
    let sections = findings.into_iter().map(Finding::section).collect();
    Ok(Document { title, lead, sections })
}
