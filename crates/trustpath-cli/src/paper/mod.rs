//! The results of the paper (Wang, Zhang, Yao and Fu, "How to Trust Unlabeled Data? Instance Credibility Inference for
//! Few-Shot Learning"), one file each.
//!
//! A [`Target`] runs [`Experiment`](experiment::Experiment)s in a [`Lab`], which runs each only once, and fills a
//! [`Finding`]: tables and figures of what the paper reports, on the features at hand, and for each conclusion of the
//! paper whether the 95% intervals confirm it. To add a target, write its file with a `TARGET`, list it in [`TARGETS`],
//! and add it to the table in `tests.rs`.

mod ablation;
mod alpha;
mod assumptions;
mod backbones;
mod classifiers;
mod dataset;
mod dimension;
mod episode;
mod errors;
mod experiment;
mod finding;
pub mod frame;
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

use std::path::PathBuf;
use std::time::Instant;

use clap::ValueEnum;
use clap::builder::PossibleValue;
use trustpath_bench::BenchMethod;
use trustpath_report::{Document, DocumentBlock as Block};

use crate::args::ProgressArgs;
use crate::error::Result;
use crate::images::ImageArgs;
use crate::print;
use crate::run::Runner;
use crate::values::{THREADS, up_to};
use dataset::PaperDataset;
use finding::Finding;
use lab::Lab;

/// The result to reproduce, and the features to use.
#[derive(Debug, clap::Args)]
pub struct PaperArgs {
    /// Result to reproduce.
    #[arg(value_enum)]
    pub target: PaperTarget,
    /// Built-in features: cifar-fs or cub; may be repeated [default: both].
    #[arg(long = "dataset", value_name = "NAME")]
    pub datasets: Vec<String>,
    /// Your own features file (npy, npz, safetensors, csv, parquet); may be repeated.
    #[arg(long, value_name = "[NAME=]FILE")]
    pub features: Vec<String>,
    /// Labels file, if the labels are neither in the features file nor next to it; once for each file.
    #[arg(long, value_name = "FILE")]
    pub labels: Vec<PathBuf>,
    /// Images: a folder of class folders, a zip or tar of them, a csv, or a known dataset, of which the novel classes
    /// are used; may be repeated. A NAME such as cub gives the layout of a known dataset.
    #[arg(long, value_name = "[NAME=]PATH")]
    pub images: Vec<String>,
    /// Method of peers and grid, by its name in `bench --method`; may be repeated [default: all for peers; adaptive,
    /// pt-map, bd-cspn, icir and plain for grid].
    #[arg(long = "method", value_name = "NAME",
        value_parser = clap::builder::PossibleValuesParser::new(BenchMethod::names()))]
    pub methods: Vec<String>,
    /// Episodes per experiment; slow methods of peers run a tenth of them, and the report says so.
    #[arg(long, default_value_t = 2000, value_name = "N", value_parser = up_to::<10_000_000>)]
    pub episodes: usize,
    /// Random seed.
    #[arg(long, default_value_t = 0, value_name = "N")]
    pub seed: u64,
    /// Number of threads; results do not depend on it [default: one per core].
    #[arg(long, value_name = "N", value_parser = up_to::<THREADS>)]
    pub threads: Option<usize>,
    /// Folder for the report and its figures.
    #[arg(long, default_value = "trustpath-paper", value_name = "DIR")]
    pub out: PathBuf,
    #[command(flatten)]
    pub progress: ProgressArgs,
    /// How the features of images are computed.
    #[command(flatten)]
    pub extraction: ImageArgs,
}

/// A result of the paper that can be reproduced.
#[derive(Debug, Clone, Copy)]
pub struct PaperTarget {
    name: &'static str,
    /// Its description in the help.
    about: &'static str,
    heading: &'static str,
    /// What the paper reports.
    paper: &'static str,
    find: fn(&Lab, &mut Finding) -> Result<()>,
}

/// All targets, in the order of the report.
const TARGETS: &[PaperTarget] = &[
    table1::TARGET,
    assumptions::TARGET,
    errors::TARGET,
    path::TARGET,
    selectors::TARGET,
    iterations::TARGET,
    initial::TARGET,
    classifiers::TARGET,
    dimension::TARGET,
    reductions::TARGET,
    backbones::TARGET,
    alpha::TARGET,
    episode::TARGET,
    peers::TARGET,
    grid::TARGET,
    PaperTarget {
        name: "all",
        about: "All of them except grid, in one report",
        heading: "",
        paper: "",
        find: |_, _| Ok(()),
    },
];

impl ValueEnum for PaperTarget {
    fn value_variants<'a>() -> &'a [Self] {
        TARGETS
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.name).help(self.about))
    }
}

impl PaperTarget {
    /// The targets it stands for.
    fn each(self) -> Vec<Self> {
        let in_report = |target: &&Self| !["grid", "all"].contains(&target.name);
        match self.name {
            "all" => TARGETS.iter().filter(in_report).copied().collect(),
            _ => vec![self],
        }
    }

    fn run(self, lab: &Lab) -> Result<Finding> {
        let mut finding = Finding::new(self);
        (self.find)(lab, &mut finding)?;
        Ok(finding)
    }
}

/// Reproduces a target: prints it, and writes it with its figures into the folder.
///
/// # Errors
/// When the features cannot be read, an episode fails, or the folder cannot be written.
pub fn run(args: &PaperArgs) -> Result<()> {
    let runner = Runner::new(args.threads, args.progress.get())?;
    let datasets = dataset::open(args, &runner)?;
    runner.pool.install(|| reproduce(Lab::new(datasets, args, &runner)))
}

fn reproduce(lab: Lab) -> Result<()> {
    let args = lab.args;
    let mut findings = Vec::new();
    for target in args.target.each() {
        let start = Instant::now();
        findings.push(target.run(&lab)?);
        let seconds = start.elapsed().as_secs_f64();
        lab.runner.progress.say(&format!("{} done in {seconds:.1} s\n", target.name));
    }
    let document = document(&lab, findings)?;
    let (folder, name) = (args.out.display(), args.target.name);
    document.write(&args.out, name)?;
    let text = finding::text(&document);
    print::stdout(&format!("{text}\nWritten: {folder}/{name}.md, {folder}/{name}.html\n"))
}

fn document(lab: &Lab, findings: Vec<Finding>) -> Result<Document> {
    let datasets: Vec<String> = lab.datasets.iter().map(PaperDataset::title).collect();
    let episodes = match lab.args.target.name {
        "grid" => "At most {} episodes per experiment",
        "peers" | "all" => {
            "{} episodes per experiment (fewer for slow methods of the peers), 5-way, 15 queries per class"
        }
        _ => "{} episodes per experiment, 5-way, 15 queries per class",
    };
    let lead = format!(
        "{}, seed {}, on {}. Intervals are 95%; differences are paired, on the same episodes. A conclusion of the paper \
         is confirmed where the interval of the difference that expresses it lies on its side of zero.",
        episodes.replace("{}", &lab.episodes().to_string()),
        lab.args.seed,
        datasets.join(" and ")
    );
    let mut lead = vec![Block::Paragraph(lead)];
    if lab.args.target.name == "all" {
        let caption = "Which conclusions of the paper hold on these features".into();
        lead.push(Block::Table { caption, table: finding::overview(&findings)? });
    }
    let title = "Instance Credibility Inference: the results of the paper".to_owned();
    let sections = findings.into_iter().map(Finding::section).collect();
    Ok(Document { title, lead, sections })
}
