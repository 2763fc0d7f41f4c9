//! Methods by class balance, present classes, pool size, ways and shots, on features of your own, on the same episodes.
//!
//! ```text
//! peers grid FEATURES.npy EPISODES METHOD,METHOD,… [FILTER]   all settings that the classes are large enough for
//! peers pool FEATURES.npy SHOTS EPISODES METHOD,METHOD,…      all classes, and all other rows as queries, as label meets them
//! peers list FEATURES.npy FOLDER EPISODES METHOD,METHOD,…     the first episodes of a fixed list
//! ```
//!
//! Labels are expected in FEATURES-labels.npy. Every line has the features, the setting, the method, its accuracy in % with
//! its 95% interval, the paired difference to the first method, and the median milliseconds per episode. Episodes of more
//! than 75 queries are fewer in proportion, but at least 20.

use std::error::Error;

use trustpath::NoObserver;
use trustpath::spec::SelfTrainingSpec;
use trustpath_episodes::stats::{Estimate, paired_difference};
use trustpath_episodes::{
    Drawn, Episode, EpisodeList, EpisodeShape, Episodes, FeatureTable, LabelledRows, ListMeta,
    Listed, Method, Queries, Setting, TableFile, evaluate, last_of,
};

type Outcome<T> = Result<T, Box<dyn Error>>;

const SEED: u64 = 17;

/// A shape of pools: classes, labels of each, queries, and the concentration of their class sizes.
#[derive(Clone, Copy)]
struct Cell {
    way: usize,
    shot: usize,
    queries: usize,
    alpha: f64,
    /// Classes that the queries belong to.
    present: usize,
}

impl Cell {
    fn text(&self) -> String {
        let Self { way, shot, queries, alpha, present } = self;
        let pool = match (alpha.is_finite(), present < way) {
            (true, _) => format!("Dirichlet({alpha})"),
            (_, true) => format!("{present} of {way} classes present"),
            _ => "balanced".to_owned(),
        };
        format!("{way}-way {shot}-shot, n = {queries}, {pool}")
    }

    /// Its episodes; none where the classes are too few or too small.
    fn episodes(&self, table: &FeatureTable, count: usize) -> Option<EpisodeList> {
        let Self { way, shot, queries: total, alpha, present } = *self;
        let queries = match alpha.is_finite() {
            true => Queries::Dirichlet { total, alpha },
            false => Queries::PerClass(total / present),
        };
        let shape = EpisodeShape { way, shot, queries, setting: Setting::Transductive };
        let sampler = shape.check(table).ok()?;
        let count = (count * 75 / total).clamp(20, count.max(20));
        let drawn = Drawn { sampler, seed: SEED, count };
        let episodes: Option<Vec<Episode>> = (0..count)
            .map(|index| Some(without_absent(drawn.get(index).ok()?.into_owned(), present)))
            .collect();
        Some(EpisodeList { meta: ListMeta::of(&shape, table, SEED, count), episodes: episodes? })
    }
}

/// The episode with the queries of its first classes alone.
fn without_absent(episode: Episode, present: usize) -> Episode {
    let kept = episode.query.pairs().filter(|(_, label)| *label < present);
    let (rows, labels) = kept.unzip();
    Episode { query: LabelledRows { rows, labels }, ..episode }
}

/// All settings.
fn cells() -> Vec<Cell> {
    const BALANCED: f64 = f64::INFINITY;
    let cell = |way, shot, queries, alpha, present| Cell { way, shot, queries, alpha, present };
    let mut cells = Vec::new();
    for shot in [1, 5] {
        for alpha in [BALANCED, 20.0, 8.0, 2.0, 1.0, 0.5] {
            cells.push(cell(5, shot, 75, alpha, 5));
        }
        cells.push(cell(5, shot, 75, BALANCED, 3));
        cells.push(cell(20, shot, 75, BALANCED, 5));
        for alpha in [BALANCED, 2.0] {
            cells.push(cell(2, shot, 30, alpha, 2));
            cells.push(cell(5, shot, 20, alpha, 5));
            cells.push(cell(5, shot, 250, alpha, 5));
            cells.push(cell(5, shot, 1500, alpha, 5));
            cells.push(cell(16, shot, 240, alpha, 16));
            cells.push(cell(50, shot, 750, alpha, 50));
        }
    }
    for alpha in [BALANCED, 2.0] {
        cells.push(cell(5, 20, 75, alpha, 5));
    }
    cells
}

/// Prints a line for every method.
fn compare(
    source: &str,
    what: &str,
    table: &FeatureTable,
    list: &EpisodeList,
    names: &[&str],
) -> Outcome<()> {
    let listed = Listed { list, setting: list.meta.setting()? };
    let mut first: Vec<f64> = Vec::new();
    for name in names {
        let method = Method::named(name, &SelfTrainingSpec::default())?;
        let done = evaluate(table, &listed, method, Vec::new(), &mut NoObserver)?;
        let scores: Vec<f64> = done.iter().map(last_of).collect();
        let mut seconds: Vec<f64> = done.iter().map(|done| done.seconds).collect();
        seconds.sort_by(f64::total_cmp);
        if first.is_empty() {
            first = scores.clone();
        }
        println!(
            "{source}\t{what}\t{name}\t{}\t{}\t{:.2}\t{}",
            Estimate::of(&scores)?.percent(),
            paired_difference(&scores, &first)?.percent(),
            1e3 * seconds[seconds.len() / 2],
            scores.len(),
        );
    }
    Ok(())
}

fn main() -> Outcome<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let (command, path, rest) = match arguments[..] {
        [command, path, ref rest @ ..] => (command, path, rest),
        _ => return Err("see the top of this example for its arguments".into()),
    };
    let table = TableFile::new(path).read()?;
    let source = path.rsplit('/').next().unwrap_or(path).trim_end_matches(".npy");
    match (command, rest) {
        ("pool", [shot, count, names]) => {
            let way = table.members().iter().filter(|rows| !rows.is_empty()).count();
            let (shot, queries, setting) = (shot.parse()?, Queries::Rest, Setting::Transductive);
            let shape = EpisodeShape { way, shot, queries, setting };
            let drawn = Drawn { sampler: shape.check(&table)?, seed: SEED, count: count.parse()? };
            let episodes = (0..drawn.count).map(|index| Ok(drawn.get(index)?.into_owned()));
            let episodes = episodes.collect::<Outcome<Vec<Episode>>>()?;
            let meta = ListMeta::of(&shape, &table, SEED, episodes.len());
            let names: Vec<&str> = names.split(',').collect();
            let what = format!("{way} classes, {shot} labels of each, all other rows");
            compare(source, &what, &table, &EpisodeList { meta, episodes }, &names)
        }
        ("list", [folder, count, names]) => {
            let mut list = EpisodeList::read(folder)?;
            list.episodes.truncate(count.parse()?);
            let what = folder.rsplit('/').find(|part| !part.is_empty()).unwrap_or(folder);
            let names: Vec<&str> = names.split(',').collect();
            compare(source, what, &table, &list, &names)
        }
        ("grid", [count, names, filter @ ..]) => {
            let names: Vec<&str> = names.split(',').collect();
            let filter = filter.first().copied().unwrap_or_default();
            for cell in cells().iter().filter(|cell| cell.text().contains(filter)) {
                if let Some(list) = cell.episodes(&table, count.parse()?) {
                    compare(source, &cell.text(), &table, &list, &names)?;
                }
            }
            Ok(())
        }
        _ => Err("see the top of this example for its arguments".into()),
    }
}
