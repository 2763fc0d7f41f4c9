//! The adaptive mode against the nearest prototype, over fixed episode lists and over pools of many shapes.
//!
//! ```text
//! adaptive list <folder>...          episode lists of the novel classes
//! adaptive grid <episodes> [filter]  balance × size × ways × shots, on the validation classes
//! adaptive large                     every instance of the validation classes, few labels, balanced and long-tailed
//! ```

use std::time::Instant;

use trustpath::Features;
use trustpath::labeller::{Adaptive, AdaptiveParams};
use trustpath_bench::pools::{long_tailed, shuffled_classes};
use trustpath_bench::stats::{MeanEstimate, paired_difference};
use trustpath_bench::transductive::{Posterior, Transductive, TransductiveKind};
use trustpath_bench::{
    Drawn, Episode, EpisodeList, EpisodeRows, EpisodeShape, Episodes, FeatureTable, ListMeta, Listed, Queries, Random,
    Setting, Split, embedded, gather,
};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

struct Methods {
    adaptive: Adaptive,
    prototype: Box<dyn Transductive>,
}

fn accuracy(posterior: &Posterior, truth: &[usize]) -> f64 {
    let labels = posterior.query_labels();
    labels.iter().zip(truth).filter(|(l, t)| l == t).count() as f64 / truth.len() as f64
}

impl Methods {
    /// Prints the accuracies of both, how often the pool was taken to be balanced, and milliseconds per episode.
    fn report(&self, what: &str, table: &FeatureTable, episodes: &dyn Episodes) -> Result<()> {
        let features = Features::new(table.features(), table.rows(), table.dims())?;
        let (mut adaptive, mut prototype) = (vec![], vec![]);
        let (mut balanced, mut seconds) = (0, 0.0);
        for index in 0..episodes.count() {
            let (episode, setting) = (episodes.get(index)?, episodes.setting());
            let instances = gather(&features, &episode, &setting)?;
            let task = episode.task(&instances, &setting);
            let start = Instant::now();
            let adapted = self.adaptive.adapt(&task)?;
            seconds += start.elapsed().as_secs_f64();
            balanced += usize::from(adapted.balance > 0.5);
            adaptive.push(accuracy(&adapted.posterior, &episode.query.labels));
            prototype.push(accuracy(&self.prototype.label(&task)?, &episode.query.labels));
        }
        let n = episodes.count() as f64;
        println!(
            "{what:44} adaptive {}  prototype {}  gain {}  balanced {:.2}  {:.2} ms",
            MeanEstimate::of(&adaptive)?.percent(),
            MeanEstimate::of(&prototype)?.percent(),
            paired_difference(&adaptive, &prototype)?.percent(),
            balanced as f64 / n,
            1e3 * seconds / n
        );
        Ok(())
    }

    fn lists(&self, folders: &[&str]) -> Result<()> {
        for folder in folders {
            let list = EpisodeList::read(folder)?;
            let dataset = embedded::DATASETS.iter().find(|name| folder.contains(**name));
            let table = embedded::load(dataset.ok_or("no dataset in the name")?, Split::Novel)?;
            let listed = Listed { list: &list, setting: list.meta.setting()? };
            let name = folder.rsplit('/').find(|part| !part.is_empty()).unwrap_or(folder);
            self.report(name, table, &listed)?;
        }
        Ok(())
    }

    fn grid(&self, count: usize, filter: &str) -> Result<()> {
        let sizes = [(2, 30), (5, 20), (5, 75), (5, 300), (5, 1500), (15, 300), (20, 300), (50, 1500)];
        let alphas = [0.5, 1.0, 2.0, 8.0, 20.0, f64::INFINITY];
        for (way, total) in sizes {
            let count = (count * 75 / total).clamp(20, count);
            for dataset in embedded::DATASETS {
                let table = embedded::load(dataset, Split::Validation)?;
                for (shot, alpha) in [1, 5].into_iter().flat_map(|s| alphas.map(|a| (s, a))) {
                    let balanced = alpha.is_infinite();
                    let queries =
                        if balanced { Queries::PerClass(total / way) } else { Queries::Dirichlet { total, alpha } };
                    let what = format!("{dataset} {way}-way {shot}-shot n={total} alpha={alpha}");
                    let shape = EpisodeShape { way, shot, queries, setting: Setting::Transductive };
                    // Shapes with more or larger classes than the dataset has are left out.
                    let Ok(sampler) = shape.check(table) else { continue };
                    if what.contains(filter) && sampler.draw(1, 0).is_ok() {
                        self.report(&what, table, &Drawn { sampler, seed: 77, count })?;
                    }
                }
            }
        }
        Ok(())
    }

    fn large(&self) -> Result<()> {
        for dataset in embedded::DATASETS {
            let table = embedded::load(dataset, Split::Validation)?;
            for (shot, tail) in [1, 5, 20].into_iter().flat_map(|s| [(s, false), (s, true)]) {
                let shape = EpisodeShape { shot, ..EpisodeShape::default() };
                let meta = ListMeta::of(&shape, table, 5, 3);
                let episodes = (0..3).map(|seed| large_episode(table, shot, tail, seed)).collect();
                let list = EpisodeList { meta, episodes };
                let listed = Listed { list: &list, setting: Setting::Transductive };
                let what = format!("{dataset} all classes, {shot} labels, tail={tail}");
                self.report(&what, table, &listed)?;
            }
        }
        Ok(())
    }
}

/// All instances, with labels for a few; with a tail, class `k` of `K` keeps a share of `10^(−k/(K−1))`.
fn large_episode(table: &FeatureTable, shot: usize, tail: bool, seed: u64) -> Episode {
    let mut random = Random::stream(5, seed);
    let classes = shuffled_classes(table, usize::MAX, &mut random);
    let count = classes.len();
    let mut episode = Episode { classes: (0..count).collect(), ..Episode::default() };
    let mut pool = vec![];
    for (class, (_, rows)) in classes.into_iter().enumerate() {
        let share = if tail { long_tailed(class, count) } else { 1.0 };
        let left = ((rows.len() - shot) as f64 * share).round() as usize;
        episode.support.rows.extend(&rows[..shot]);
        episode.support.labels.extend(vec![class; shot]);
        pool.extend(rows[shot..].iter().take(left).map(|&row| (row, class)));
    }
    random.shuffle(&mut pool);
    let (rows, labels) = pool.into_iter().unzip();
    Episode { query: EpisodeRows { rows, labels }, ..episode }
}

fn main() -> Result<()> {
    let methods =
        Methods { adaptive: AdaptiveParams::default().check()?, prototype: TransductiveKind::SimpleShot.build()? };
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["list", ref folders @ ..] => methods.lists(folders),
        ["grid", count] => methods.grid(count.parse()?, ""),
        ["grid", count, filter] => methods.grid(count.parse()?, filter),
        ["large"] => methods.large(),
        _ => Err("see the top of this example for its arguments".into()),
    }
}
