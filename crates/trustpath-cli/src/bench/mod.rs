//! `trustpath bench`: any method on episodes of any features.

mod all;
mod data;
mod journal;
mod report;
mod task;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;
use trustpath_bench::SelfTrainingSpec;
use trustpath_bench::reduce::{DEFAULT_D, default_dimensions};
use trustpath_bench::stats::{MeanEstimate, paired_difference};
use trustpath_bench::transductive::TransductiveKind;
use trustpath_bench::{
    BenchMethod, Drawn, EpisodeCoordinates, EpisodeList, EpisodeShape, Episodes, FeatureTable, Finished, ListMeta,
    Listed, WithCoordinates, first_of, fnv1a, last_of, read_scores,
};
use trustpath_report::Table;

use crate::args::ProgressArgs;
use crate::error::{Error, Result};
use crate::files::CommandFiles;
use crate::method::{Against, MethodArgs};
use crate::run::Runner;
use crate::values::{THREADS, up_to};
use crate::{interrupt, print};
pub use all::median;
use data::BenchDataArgs;
pub use data::novel;
use journal::JournalArgs;
use report::{Accuracy, Compared, Report, Score};
use task::TaskArgs;

/// Accuracy of any method on episodes drawn from any features.
#[derive(Debug, Args)]
#[command(after_help = AFTER)]
pub struct BenchArgs {
    #[command(flatten)]
    data: BenchDataArgs,
    #[command(flatten)]
    task: TaskArgs,
    // Before the method, whose options include the seed that is declared here.
    #[command(flatten)]
    run: BenchRunArgs,
    #[command(flatten)]
    method: MethodArgs,
    #[command(flatten)]
    journal: JournalArgs,
    #[command(flatten)]
    output: BenchOutputArgs,
}

/// Which episodes, and against what.
#[derive(Debug, Args)]
#[command(next_help_heading = "Run")]
struct BenchRunArgs {
    /// Number of episodes; the paper has 2000 [default: 600, or the complete list]
    #[arg(long, value_name = "N", value_parser = up_to::<10_000_000>)]
    episodes: Option<usize>,
    /// Random seed of the episodes and of the random selector
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Threads; the result is the same for any number [default: one per core]
    #[arg(long, value_name = "N", value_parser = up_to::<THREADS>)]
    threads: Option<usize>,
    /// Run the fixed episodes in this folder; if official-NAME-accuracy.npy is beside them, show the paired difference
    /// to it
    #[arg(long, value_name = "DIR")]
    episode_list: Option<PathBuf>,
    /// Rank by these coordinates instead of a reduction: an npy file of episodes × instances × dimensions, the support of
    /// an episode first
    #[arg(long, value_name = "FILE", requires = "episode_list")]
    coordinates: Option<PathBuf>,
    /// Also write the episodes to this folder, for other programs
    #[arg(long, value_name = "DIR", conflicts_with = "episode_list")]
    export_episodes: Option<PathBuf>,
    /// Compare with a second method on the same episodes: plain (the classifier alone), or the
    /// options in which it differs, as in selector=co, model=icic,step=3 or method=pt-map
    #[arg(long, value_name = "OPTIONS", value_parser = Against::parse)]
    against: Option<Against>,
}

/// How to print.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
struct BenchOutputArgs {
    /// Print JSON, with the accuracies of every episode
    #[arg(long, conflicts_with = "csv")]
    json: bool,
    /// Print CSV
    #[arg(long)]
    csv: bool,
    #[command(flatten)]
    progress: ProgressArgs,
}

const AFTER: &str = "\
Examples:
  trustpath bench --shot 5 --episodes 2000
  trustpath bench --features novel.npy --labels novel-labels.npy --way 10
  trustpath bench --images CUB_200_2011.tgz --dataset cub --weights run/weights.safetensors
  trustpath bench --dataset cub --setting semi --unlabeled left:35 --distractors 3
  trustpath bench --dirichlet 2 --against selector=co
  trustpath bench --method pt-map --dirichlet 2 --against method=bd-cspn
  trustpath bench --method all --dataset cub
  trustpath bench --method label --way all --shot 5 --queries rest --episodes 3 --against plain
  trustpath bench --episode-list cub-1shot-transductive --compat
  trustpath bench --model icic --journal run.jsonl     # Ctrl-C, then the same with --resume

Exit status: 0 on success, 1 on failure, 2 for invalid input or usage, 130 after Ctrl-C.";

const EPISODES: usize = 600;

pub fn run(args: &BenchArgs) -> Result<()> {
    args.journal.files(args.data.files(CommandFiles::default())).check()?;
    let runner = Runner::new(args.run.threads, args.output.progress.get())?;
    let list = args.run.read_list()?;
    let ways = list.as_ref().map_or(args.task.way, |list| Some(list.meta.way));
    // An unusable parameter is reported before any work is done.
    args.check(&args.base(ways.unwrap_or(DEFAULT_D)))?;
    let table = args.data.read(list.as_ref().map(|list| &list.meta), &runner)?;
    let way = ways.unwrap_or_else(|| table.members().iter().filter(|rows| !rows.is_empty()).count());
    let base = args.base(way);
    if args.method.is_all() {
        return all::run(args, &runner, &table, list.as_ref(), way);
    }
    let (method, second) = args.methods(&base)?;
    let self_training = matches!(method, BenchMethod::SelfTraining(_));
    let chosen = args.run.add_coordinates(args.choose(&table, list.as_ref(), way)?)?;
    let journal = |method: &BenchMethod, ending| args.journal.open(&table, &chosen.identity, method, ending);

    let episodes = &*chosen.episodes;
    let main = runner.run("episodes", &table, episodes, &method, journal(&method, "")?)?;
    let mut done = main.finished.len();
    let mut compared = Vec::new();
    if self_training && matches!(args.run.against, Some(Against::Plain)) {
        compared.extend(compare("plain", &main.finished, last_of, scores(&main.finished, first_of)));
    }
    if let Some((name, second)) = &second
        && !interrupt::requested()
    {
        let run = runner.run(name, &table, episodes, second, journal(second, ".against")?)?;
        done = done.min(run.finished.len());
        compared.extend(compare(name, &main.finished, last_of, scores(&run.finished, last_of)));
    }
    if let Some(folder) = &args.run.episode_list {
        for (name, official) in official_scores(folder)? {
            let ours = if name == "lr" && self_training { first_of } else { last_of };
            compared.extend(compare(&format!("official {name}"), &main.finished, ours, official));
        }
    }

    let asked = episodes.count();
    if !main.finished.is_empty() {
        let report = Report {
            version: env!("CARGO_PKG_VERSION"),
            features: table.source(),
            episodes: &chosen.text,
            asked,
            method: &method,
            seed: args.run.seed,
            accuracy: Accuracy::of(&method, &main.finished)?,
            compared: compared.into_iter().collect::<Result<_>>()?,
            speed: main.speed,
            scores: main.finished.iter().map(|f| Score { episode: f.episode, accuracies: &f.accuracies }).collect(),
        };
        args.output.print(&report, Report::csv, Report::text)?;
    }
    if done < asked {
        return Err(Error::Interrupted { done, asked, remedy: args.journal.remedy() });
    }
    Ok(())
}

/// The episodes to run.
struct Chosen<'a> {
    episodes: Box<dyn Episodes + 'a>,
    /// What they are, in words.
    text: String,
    /// What they are, to the last row: for the journal.
    identity: String,
    /// The class sizes of the queries, in a word.
    pool: String,
    /// Labelled instances per class.
    shot: usize,
}

impl<'a> Chosen<'a> {
    fn listed(list: &'a EpisodeList, table: &FeatureTable) -> Result<Self> {
        list.check(table)?;
        let setting = list.meta.setting()?;
        let rows = list.episodes.iter().flat_map(|episode| format!("{episode:?}").into_bytes());
        Ok(Self {
            episodes: Box::new(Listed { list, setting }),
            text: task::describe_list(&list.meta),
            identity: format!("{:?} {:016x}", list.meta, fnv1a(rows)),
            pool: list.meta.setting.clone(),
            shot: list.meta.shot,
        })
    }

    fn drawn(task: EpisodeShape, table: &'a FeatureTable, seed: u64, count: usize) -> Result<Self> {
        Ok(Self {
            episodes: Box::new(Drawn { sampler: task.check(table)?, seed, count }),
            text: format!("{}, seed {seed}", task::describe(&task)),
            identity: format!("{task:?}, seed {seed}"),
            pool: task::pool(&task.queries),
            shot: task.shot,
        })
    }
}

impl BenchArgs {
    /// The options of self-training for this number of classes, where none are given.
    fn base(&self, way: usize) -> SelfTrainingSpec {
        let (dim, seed) = (default_dimensions(way), self.run.seed);
        SelfTrainingSpec { dim, seed, ..SelfTrainingSpec::default() }
    }

    /// The method, and the one to compare it with, with its name.
    fn methods(&self, base: &SelfTrainingSpec) -> Result<(BenchMethod, Option<(&str, BenchMethod)>)> {
        let method = self.method.method(base)?;
        let options = self.method.options(base)?;
        let second = match (&self.run.against, &method) {
            (Some(Against::Method { text, args }), _) => Some((text.as_str(), args.method(&options)?)),
            (Some(Against::Plain), BenchMethod::SelfTraining(_)) | (None, _) => None,
            (Some(Against::Plain), _) => Some(("plain", TransductiveKind::Plain.into())),
        };
        Ok((method, second))
    }

    /// Checks the parameters of all methods that will run.
    fn check(&self, base: &SelfTrainingSpec) -> Result<()> {
        let one = if self.method.is_all() { None } else { Some(self.methods(base)?) };
        if self.run.coordinates.is_some() && !matches!(one, Some((BenchMethod::SelfTraining(_), _))) {
            return Err(Error::Usage(
                "--coordinates take the place of a reduction, which only self-training has: drop them, or choose --method icir or icic".into(),
            ));
        }
        let Some((method, second)) = one else { return all::check(self, base) };
        method.build()?;
        second.map(|(_, second)| second.build()).transpose()?;
        Ok(())
    }

    fn choose<'a>(&self, table: &'a FeatureTable, list: Option<&'a EpisodeList>, way: usize) -> Result<Chosen<'a>> {
        if let Some(list) = list {
            return Chosen::listed(list, table);
        }
        let (task, seed) = (self.task.task(way)?, self.run.seed);
        let count = self.run.episodes.unwrap_or(EPISODES);
        let chosen = Chosen::drawn(task, table, seed, count)?;
        if let Some(folder) = &self.run.export_episodes {
            let drawn = (0..count).map(|i| Ok(chosen.episodes.get(i)?.into_owned()));
            let episodes = drawn.collect::<trustpath_bench::Result<_>>()?;
            EpisodeList { meta: ListMeta::of(&task, table, seed, count), episodes }.write(folder)?;
        }
        Ok(chosen)
    }
}

impl BenchRunArgs {
    /// With the coordinates asked for.
    fn add_coordinates<'a>(&self, chosen: Chosen<'a>) -> Result<Chosen<'a>> {
        let Some(path) = &self.coordinates else { return Ok(chosen) };
        let coordinates = EpisodeCoordinates::read(path)?;
        let bytes = coordinates.values().iter().flat_map(|x| x.to_bits().to_le_bytes());
        Ok(Chosen {
            text: format!("{}, ranked by the coordinates of {}", chosen.text, path.display()),
            identity: format!("{} {:016x}", chosen.identity, fnv1a(bytes)),
            episodes: Box::new(WithCoordinates { episodes: chosen.episodes, coordinates }),
            ..chosen
        })
    }

    /// The list asked for, or its beginning.
    fn read_list(&self) -> Result<Option<EpisodeList>> {
        let mut list = self.episode_list.as_ref().map(EpisodeList::read).transpose()?;
        if let (Some(list), Some(first)) = (&mut list, self.episodes) {
            if first > list.episodes.len() {
                return Err(Error::Usage(format!(
                    "--episodes {first} is more than the {} of the list: ask for fewer",
                    list.episodes.len()
                )));
            }
            list.episodes.truncate(first);
        }
        Ok(list)
    }
}

impl BenchOutputArgs {
    /// Prints a result in the form asked for.
    fn print<R: Serialize>(
        &self,
        result: &R,
        csv: impl FnOnce(&R) -> Result<Table>,
        text: impl FnOnce(&R) -> Result<String>,
    ) -> Result<()> {
        match (self.json, self.csv) {
            (true, _) => print::json(result),
            (_, true) => print::stdout(&csv(result)?.csv()),
            _ => print::stdout(&text(result)?),
        }
    }
}

/// Episodes by number, with a score each.
type Scores = BTreeMap<u64, f64>;

fn scores(finished: &[Finished], score: fn(&Finished) -> f64) -> Scores {
    finished.iter().map(|f| (f.episode, score(f))).collect()
}

/// What the official code scored on the episodes of a list, by name, in the order of the names:
/// `official-NAME-accuracy.npy` beside them.
fn official_scores(folder: &Path) -> Result<Vec<(String, Scores)>> {
    let name = |path: &Path| {
        let file = path.file_name()?.to_str()?;
        Some(file.strip_prefix("official-")?.strip_suffix("-accuracy.npy")?.to_owned())
    };
    let files = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut named: Vec<_> = files.filter_map(|path| Some((name(&path)?, path))).collect();
    named.sort();
    named.into_iter().map(|(name, path)| Ok((name, (0..).zip(read_scores(path)?).collect()))).collect()
}

/// The paired difference to other scores on the episodes that both have; none if there are none.
fn compare(name: &str, finished: &[Finished], score: fn(&Finished) -> f64, theirs: Scores) -> Option<Result<Compared>> {
    let (ours, theirs): (Vec<f64>, Vec<f64>) =
        finished.iter().filter_map(|f| theirs.get(&f.episode).map(|&their| (score(f), their))).unzip();
    let name = name.to_owned();
    let compared = || {
        let accuracy = MeanEstimate::of(&theirs)?;
        Ok(Compared { name, accuracy, difference: paired_difference(&ours, &theirs)? })
    };
    (!ours.is_empty()).then(compared)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods_are_paired_by_the_number_of_the_episode() {
        let finished = |episode, accuracy| Finished { episode, accuracies: vec![0.1, accuracy], seconds: 0.0 };
        let ours = [finished(0, 0.5), finished(2, 0.75), finished(5, 1.0)];
        let theirs = Scores::from([(1, 0.9), (2, 0.5), (5, 0.75)]);
        let compared = compare("other", &ours, last_of, theirs).unwrap().unwrap();
        assert_eq!((compared.accuracy.mean, compared.accuracy.episodes), (0.625, 2));
        assert_eq!((compared.difference.mean, compared.difference.half_width), (0.25, 0.0));
        assert!(compare("none", &ours, last_of, Scores::new()).is_none());
    }
}
