//! Methods by class balance, present classes, pool size, ways and shots, on features of yours, on the same episodes.
//!
//! ```text
//! peers grid FEATURES.npy EPISODES METHOD,METHOD,…            all settings that the classes are large enough for
//! peers list FEATURES.npy FOLDER EPISODES METHOD,METHOD,…     the first episodes of a fixed list
//!     --filter TEXT     only settings whose words contain this; may be given several times, for any of them
//!     --threads N       default: one per core; accuracies are the same for any number
//! ```
//!
//! Labels are expected in FEATURES-labels.npy. Prints one line per setting and method, in the order in which settings
//! finish, separated by tabs: features, setting, method, accuracy in %, half its 95% interval, paired difference to the
//! first method, half its interval, processor milliseconds per episode (the mean; wall time where the system does not
//! say), episodes. Settings of more than 75 queries have fewer episodes in proportion; slow methods a tenth, at least
//! twenty, and only up to 300 queries (paddle up to 12,000 queries times ways).

mod shapes;

use std::io::Write;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::Instant;

use shapes::PeerSetting;
use trustpath::Features;
use trustpath_bench::SelfTrainingSpec;
use trustpath_bench::processor::thread_time;
use trustpath_bench::stats::{MeanEstimate, paired_difference};
use trustpath_bench::{BenchMethod, Episode, EpisodeList, FeatureTable, Learner, Setting, TableFile};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error + Send + Sync>>;

/// Methods of many steps, which run on a tenth of the episodes.
const SLOW: [&str; 4] = ["tim-gd", "alpha-tim", "icic", "ilpc"];
/// The most queries that they run on.
const SLOW_QUERIES: usize = 300;
/// The fewest episodes that they run on, where there are as many.
const SLOW_EPISODES: usize = 20;
/// The most queries times ways that PADDLE's thousand iterations run on.
const PADDLE_PAIRS: usize = 12_000;

/// Takes the values of an option out of the arguments.
fn take_values(arguments: &mut Vec<String>, option: &str) -> Result<Vec<String>> {
    let mut values = Vec::new();
    while let Some(at) = arguments.iter().position(|argument| argument == option) {
        arguments.remove(at);
        if at == arguments.len() {
            return Err(format!("{option} needs a value").into());
        }
        values.push(arguments.remove(at));
    }
    Ok(values)
}

/// Episodes of a setting.
struct SettingEpisodes {
    text: String,
    setting: Setting,
    episodes: Vec<Episode>,
}

/// A method that runs on a part of the episodes of every setting.
struct Peer {
    name: String,
    learner: Learner,
}

impl Peer {
    fn named(name: &str) -> Result<Self> {
        let method = BenchMethod::named(name, &SelfTrainingSpec::default())?;
        Ok(Self { name: name.to_owned(), learner: method.build()? })
    }

    /// On how many episodes of a setting it runs.
    fn count(&self, group: &SettingEpisodes) -> usize {
        let all = group.episodes.len();
        let Some(first) = group.episodes.first() else { return 0 };
        let queries = first.query.len();
        let pairs = queries * first.classes.len();
        match SLOW.contains(&self.name.as_str()) {
            true if queries > SLOW_QUERIES => 0,
            true => (all / 10).max(SLOW_EPISODES).min(all),
            false if self.name == "paddle" && pairs > PADDLE_PAIRS => 0,
            false => all,
        }
    }
}

/// Runs every method on every setting and prints a setting when all its methods are done.
fn compare(
    source: &str,
    table: &FeatureTable,
    groups: &[SettingEpisodes],
    peers: &[Peer],
    threads: usize,
) -> Result<()> {
    // Checked once: that takes longer than most episodes.
    let features = Features::new(table.features(), table.rows(), table.dims())?;
    let mut tasks: Vec<(usize, usize, usize)> = Vec::new();
    for (g, group) in groups.iter().enumerate() {
        for (p, peer) in peers.iter().enumerate() {
            tasks.extend((0..peer.count(group)).map(|episode| (g, p, episode)));
        }
    }
    let (next, (send, receive)) = (AtomicUsize::new(0), mpsc::channel());
    std::thread::scope(|scope| -> Result<()> {
        for _ in 0..threads {
            let (send, next, tasks, features) = (send.clone(), &next, &tasks, &features);
            scope.spawn(move || {
                // Parallel parts of a method run on the one thread of a pool, so that no other episode is timed with
                // them.
                let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
                while let Some(&(g, p, episode)) = tasks.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let run = || score(features, &groups[g], &peers[p].learner, episode);
                    let outcome =
                        pool.as_ref().map_err(|error| error.to_string().into()).and_then(|pool| pool.install(run));
                    if send.send(((g, p, episode), outcome)).is_err() {
                        return;
                    }
                }
            });
        }
        drop(send);
        let mut scores: Vec<Vec<Vec<(f64, f64)>>> =
            groups.iter().map(|group| peers.iter().map(|peer| vec![(0.0, 0.0); peer.count(group)]).collect()).collect();
        let mut left: Vec<usize> = scores.iter().map(|scores| scores.iter().map(Vec::len).sum()).collect();
        for ((g, p, episode), outcome) in receive {
            // Let the other threads run dry before the error is shown.
            scores[g][p][episode] = outcome.inspect_err(|_| next.store(tasks.len(), Ordering::Relaxed))?;
            left[g] -= 1;
            if left[g] == 0 {
                print(source, &groups[g].text, peers, &scores[g])?;
            }
        }
        Ok(())
    })
}

/// The accuracy of a method on an episode, and how many milliseconds it took.
fn score(features: &Features<'_>, group: &SettingEpisodes, learner: &Learner, episode: usize) -> Result<(f64, f64)> {
    let (wall, start) = (Instant::now(), thread_time());
    let accuracies = learner.accuracies(features, &group.episodes[episode], &group.setting, None)?;
    let spent = match (start, thread_time()) {
        (Some(start), Some(end)) => end - start,
        _ => wall.elapsed(),
    };
    Ok((accuracies.last().copied().unwrap_or_default(), 1e3 * spent.as_secs_f64()))
}

/// A line for every method of a setting.
fn print(source: &str, text: &str, peers: &[Peer], scores: &[Vec<(f64, f64)>]) -> Result<()> {
    let mut out = std::io::stdout().lock();
    let first: Vec<f64> = scores[0].iter().map(|(accuracy, _)| *accuracy).collect();
    for (peer, scores) in peers.iter().zip(scores).filter(|(_, scores)| !scores.is_empty()) {
        let accuracies: Vec<f64> = scores.iter().map(|(accuracy, _)| *accuracy).collect();
        let both = accuracies.len().min(first.len());
        let accuracy = MeanEstimate::of(&accuracies)?;
        let difference = paired_difference(&accuracies[..both], &first[..both])?;
        let time: f64 = scores.iter().map(|(_, time)| *time).sum();
        writeln!(
            out,
            "{source}\t{text}\t{}\t{:.2}\t{:.2}\t{:+.2}\t{:.2}\t{:.3}\t{}",
            peer.name,
            100.0 * accuracy.mean,
            100.0 * accuracy.half_width,
            100.0 * difference.mean,
            100.0 * difference.half_width,
            time / scores.len() as f64,
            scores.len(),
        )?;
    }
    Ok(out.flush()?)
}

fn main() -> Result<()> {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let filters = take_values(&mut arguments, "--filter")?;
    let threads = take_values(&mut arguments, "--threads")?.last().map(|threads| threads.parse()).transpose()?;
    if let Some(other) = arguments.iter().find(|argument| argument.starts_with("--")) {
        return Err(format!("{other} is not an option").into());
    }
    let usage = "see the top of this example for its arguments";
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let [command, path, ref rest @ ..] = words[..] else { return Err(usage.into()) };
    let table = TableFile::new(path).read()?;
    let source = path.rsplit('/').next().unwrap_or(path).trim_end_matches(".npy");
    let (groups, names): (Vec<SettingEpisodes>, &str) = match (command, rest) {
        ("list", &[folder, count, names]) => {
            let mut list = EpisodeList::read(folder)?;
            list.check(&table)?;
            list.episodes.truncate(count.parse()?);
            let text = folder.rsplit('/').find(|part| !part.is_empty()).unwrap_or(folder);
            let setting = list.meta.setting()?;
            (vec![SettingEpisodes { text: text.to_owned(), setting, episodes: list.episodes }], names)
        }
        ("grid", &[count, names]) => {
            let count = count.parse()?;
            let wanted =
                |shape: &PeerSetting| filters.is_empty() || filters.iter().any(|filter| shape.text().contains(filter));
            let group = |shape: PeerSetting| {
                let episodes = shape.episodes(&table, count)?;
                Some(SettingEpisodes { text: shape.text(), setting: Setting::Transductive, episodes })
            };
            (shapes::all().into_iter().filter(wanted).filter_map(group).collect(), names)
        }
        _ => return Err(usage.into()),
    };
    let peers: Vec<Peer> = names.split(',').map(Peer::named).collect::<Result<_>>()?;
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    compare(source, &table, &groups, &peers, threads.unwrap_or_else(cores))
}
