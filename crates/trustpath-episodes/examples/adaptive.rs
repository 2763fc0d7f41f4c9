//! The adaptive mode against the nearest prototype, over fixed episode lists and over what a pool may look like.
//!
//! ```text
//! adaptive list <folder>...          episode lists of the novel classes
//! adaptive grid <episodes> [filter]  balance × size × ways × shots, on the validation classes
//! adaptive large                     every instance of the validation classes, few labels, balanced and long-tailed
//! ```

use std::error::Error;
use std::time::Instant;

use trustpath::transductive::{Adaptive, AdaptiveParams, Prototype, PrototypeParams, Transductive};
use trustpath::{Features, Matrix};
use trustpath_episodes::stats::{Estimate, paired_difference};
use trustpath_episodes::{
    Drawn, Episode, EpisodeList, Episodes, FeatureTable, ListMeta, Listed, Queries, Random,
    Setting, Split, Task, embedded,
};

type Outcome<T> = Result<T, Box<dyn Error>>;

const DATASETS: [&str; 2] = ["cifar-fs", "cub"];

struct Methods {
    adaptive: Adaptive,
    prototype: Prototype,
}

/// Accuracies of both, how often the pool was held to be balanced, and milliseconds an episode.
struct Scores {
    adaptive: Vec<f64>,
    prototype: Vec<f64>,
    balanced: f64,
    milliseconds: f64,
}

fn accuracy(p: &Matrix, truth: &[usize]) -> f64 {
    let label = |p: &[f64]| (0..p.len()).max_by(|&a, &b| p[a].total_cmp(&p[b]));
    let hits = p.iter_rows().zip(truth).filter(|(p, t)| label(p) == Some(**t)).count();
    hits as f64 / truth.len() as f64
}

impl Methods {
    fn scores(&self, table: &FeatureTable, episodes: &dyn Episodes) -> Outcome<Scores> {
        let features = Features::new(table.features(), table.rows(), table.dims())?;
        let mut scores =
            Scores { adaptive: vec![], prototype: vec![], balanced: 0.0, milliseconds: 0.0 };
        for index in 0..episodes.count() {
            let episode = episodes.get(index)?;
            self.episode(&features, &episode, &episodes.setting(), &mut scores)?;
        }
        scores.balanced /= episodes.count() as f64;
        scores.milliseconds /= episodes.count() as f64;
        Ok(scores)
    }

    fn episode(
        &self,
        features: &Features<'_>,
        episode: &Episode,
        setting: &Setting,
        scores: &mut Scores,
    ) -> Outcome<()> {
        let pool = episode.pool(setting);
        let apart: &[usize] =
            if matches!(setting, Setting::Transductive) { &[] } else { &episode.query.rows };
        let rows = episode.support.rows.iter().chain(pool).chain(apart);
        let instances = features.gather(rows.copied())?;
        let task = trustpath::Task {
            instances: &instances,
            labels: &episode.support.labels,
            unlabeled: pool.len(),
            classes: episode.classes.len(),
            truth: None,
        };
        let start = Instant::now();
        let found = self.adaptive.adapt(&task)?;
        scores.milliseconds += start.elapsed().as_secs_f64() * 1e3;
        scores.balanced += f64::from(u8::from(found.balanced));
        let plain = self.prototype.label(&task)?;
        for (posterior, to) in
            [(&found.posterior, &mut scores.adaptive), (&plain, &mut scores.prototype)]
        {
            let p = posterior.query.as_ref().unwrap_or(&posterior.unlabeled);
            to.push(accuracy(p, &episode.query.labels));
        }
        Ok(())
    }
}

fn report(what: &str, scores: &Scores) -> Outcome<()> {
    let of = |s: &[f64]| Estimate::of(s).map(|e| e.percent());
    let gain = paired_difference(&scores.adaptive, &scores.prototype)?;
    println!(
        "{what:44} adaptive {}  prototype {}  gain {}  balanced {:.2}  {:.2} ms",
        of(&scores.adaptive)?,
        of(&scores.prototype)?,
        gain.percent(),
        scores.balanced,
        scores.milliseconds
    );
    Ok(())
}

fn grid(methods: &Methods, count: usize, filter: &str) -> Outcome<()> {
    let sizes = [(2, 30), (5, 20), (5, 75), (5, 300), (5, 1500), (15, 300), (20, 300), (50, 1500)];
    for (way, total) in sizes {
        for dataset in DATASETS {
            let table = embedded::load(dataset, Split::Validation)?;
            for shot in [1, 5] {
                for alpha in [0.5, 1.0, 2.0, 8.0, 20.0, f64::INFINITY] {
                    let queries = if alpha.is_finite() {
                        Queries::Dirichlet { total, alpha }
                    } else {
                        Queries::PerClass(total / way)
                    };
                    let what = format!("{dataset} {way}-way {shot}-shot n={total} alpha={alpha}");
                    let task = Task { way, shot, queries, setting: Setting::Transductive };
                    // What the classes are too few or too small for is left out.
                    let Ok(sampler) = task.check(table) else { continue };
                    if !what.contains(filter) || sampler.draw(1, 0).is_err() {
                        continue;
                    }
                    let count = (count * 75 / total).clamp(20, count);
                    let drawn = Drawn { sampler, seed: 77, count };
                    report(&what, &methods.scores(table, &drawn)?)?;
                }
            }
        }
    }
    Ok(())
}

/// Labels for a few of all instances; with a tail, class `k` of `K` keeps a share of `10^(−k/(K−1))`.
fn large(methods: &Methods) -> Outcome<()> {
    for dataset in DATASETS {
        let table = embedded::load(dataset, Split::Validation)?;
        for shot in [1, 5, 20] {
            for tail in [false, true] {
                let mut episodes = vec![];
                for seed in 0..3 {
                    let mut random = Random::stream(5, seed);
                    let mut members: Vec<Vec<usize>> = table.members().to_vec();
                    random.shuffle(&mut members);
                    let last = (members.len() - 1) as f64;
                    let mut episode =
                        Episode { classes: (0..members.len()).collect(), ..Episode::default() };
                    let mut pool = vec![];
                    for (class, mut rows) in members.into_iter().enumerate() {
                        random.shuffle(&mut rows);
                        let share = if tail { 10f64.powf(-(class as f64) / last) } else { 1.0 };
                        let left = ((rows.len() - shot) as f64 * share).round() as usize;
                        episode.support.rows.extend(&rows[..shot]);
                        episode.support.labels.extend(vec![class; shot]);
                        pool.extend(rows[shot..].iter().take(left).map(|&row| (row, class)));
                    }
                    random.shuffle(&mut pool);
                    (episode.query.rows, episode.query.labels) = pool.into_iter().unzip();
                    episodes.push(episode);
                }
                let meta = ListMeta::of(&Task { shot, ..Task::default() }, table, 5, 3);
                let list = EpisodeList { meta, episodes };
                let listed = Listed { list: &list, setting: Setting::Transductive };
                let what = format!("{dataset} all classes, {shot} labels, tail={tail}");
                report(&what, &methods.scores(table, &listed)?)?;
            }
        }
    }
    Ok(())
}

fn main() -> Outcome<()> {
    let methods = Methods {
        adaptive: AdaptiveParams::default().check()?,
        prototype: PrototypeParams::default().check()?,
    };
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["list", ref folders @ ..] => {
            for folder in folders {
                let list = EpisodeList::read(folder)?;
                let dataset = DATASETS.iter().find(|name| folder.contains(**name));
                let table = embedded::load(dataset.ok_or("no dataset in the name")?, Split::Novel)?;
                let listed = Listed { list: &list, setting: list.meta.setting()? };
                let name = folder.rsplit('/').find(|part| !part.is_empty()).unwrap_or(folder);
                report(name, &methods.scores(table, &listed)?)?;
            }
        }
        ["grid", count] => grid(&methods, count.parse()?, "")?,
        ["grid", count, filter] => grid(&methods, count.parse()?, filter)?,
        ["large"] => large(&methods)?,
        _ => return Err("see the head of this example for its arguments".into()),
    }
    Ok(())
}
