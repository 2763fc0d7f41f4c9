//! Agreement with the official code on complete episode lists, with and without its coordinates.
//!
//! ```sh
//! cargo run --release -p trustpath-bench --example parity -- LISTS FEATURES
//! ```
//!
//! `LISTS` holds folders such as `cub-1shot-transductive`, each with `official-icir-accuracy.npy` and, for the first row,
//! `official-lle.npy`; `FEATURES` holds `cub-test.npy` with `cub-test-labels.npy`. For each list: the share of episodes with
//! exactly the official accuracy, the paired difference in points with its 95% interval, and whether two one-sided tests at
//! 5% find it within 0.3 points.

use std::error::Error;
use std::path::Path;

use trustpath::NoObserver;
use trustpath_bench::stats::paired_difference;
use trustpath_bench::{
    EpisodeCoordinates, EpisodeList, Episodes, FeatureTable, Listed, SelfTrainingSpec, TableFile, WithCoordinates,
    evaluate, last_of, read_scores,
};

/// The margin of equivalence, in accuracy.
const MARGIN: f64 = 0.003;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(lists), Some(features)) = (arguments.next(), arguments.next()) else {
        return Err("give the folder of the lists and the folder of the features".into());
    };
    for dataset in ["cifar-fs", "cub"] {
        let folder = Path::new(&features);
        let table = TableFile::new(folder.join(format!("{dataset}-test.npy")))
            .labels(folder.join(format!("{dataset}-test-labels.npy")))
            .read()?;
        for shot in [1, 5] {
            let name = format!("{dataset}-{shot}shot-transductive");
            let folder = Path::new(&lists).join(&name);
            let list = EpisodeList::read(&folder)?;
            let official = read_scores(folder.join("official-icir-accuracy.npy"))?;
            let listed = Listed { list: &list, setting: list.meta.setting()? };
            let file = folder.join("official-lle.npy");
            if file.is_file() {
                let coordinates = EpisodeCoordinates::read(file)?;
                let episodes = WithCoordinates { episodes: Box::new(listed.clone()), coordinates };
                report(&name, "official coordinates", &table, &episodes, &official)?;
            }
            report(&name, "own coordinates", &table, &listed, &official)?;
        }
    }
    Ok(())
}

fn report(
    list: &str,
    what: &str,
    table: &FeatureTable,
    episodes: &dyn Episodes,
    official: &[f64],
) -> Result<(), Box<dyn Error>> {
    let method = SelfTrainingSpec { compat: true, ..SelfTrainingSpec::default() };
    let finished = evaluate(table, episodes, &method, Vec::new(), &mut NoObserver)?;
    let ours: Vec<f64> = finished.iter().map(last_of).collect();
    let same = ours.iter().zip(official).filter(|(a, b)| (*a - *b).abs() < 1e-9).count();
    let difference = paired_difference(&ours, official)?;
    // Two one-sided tests at 5% are a 90% interval within the margin.
    let narrow = difference.half_width * 1.645 / 1.96;
    let equivalent = difference.mean.abs() + narrow <= MARGIN;
    println!(
        "{list}, {what}: {:.1}% identical, {:+.2} ± {:.2} points, {} within 0.3",
        100.0 * same as f64 / ours.len() as f64,
        100.0 * difference.mean,
        100.0 * difference.half_width,
        if equivalent { "shown" } else { "not shown" }
    );
    Ok(())
}
