//! Finding labels that were made wrong on purpose: the table of `docs/measured/audit.md`.
//!
//! Classes and rows of every set are drawn at random, a share of the labels is made wrong (any other class, or the most similar one), and the
//! audit and the confidence of a cross-validated logistic regression look for them.

use std::path::{Path, PathBuf};

use trustpath::{Features, audit};
use trustpath_bench::noise::{Detection, Detector, LabelNoise, flip, flip_to, most_similar};
use trustpath_bench::{FeatureTable, Random, Result, Split, TableFile, embedded};

use crate::{head, mean, percent};

/// Sizes of the sets, and their numbers of classes.
const SIZES: [(usize, usize); 6] = [(50, 5), (100, 10), (200, 10), (500, 20), (2000, 40), (10_000, 100)];
/// Shares of wrong labels.
const SHARES: [f64; 3] = [0.03, 0.1, 0.2];
/// Instances up to which the logistic regression is run as well: beyond, it takes minutes per draw.
const CONFIDENCE: usize = 500;

/// The table over the embedded datasets.
pub fn report(split: Split, draws: u64, at_most: usize) -> Result<()> {
    head_of_table();
    for dataset in embedded::DATASETS {
        rows(dataset, embedded::load(dataset, split)?, draws, at_most)?;
    }
    Ok(())
}

/// The table over all features of a folder, `NAME.npy` beside `NAME-labels.npy`. Novel classes (`NAME-test`) are left out: options are
/// chosen by this table.
pub fn report_folder(folder: &Path, draws: u64, at_most: usize) -> Result<()> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|ending| ending == "npy"))
        .collect();
    files.sort();
    head_of_table();
    for file in files {
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if !name.ends_with("-labels") && !name.ends_with("-test") {
            rows(&name, &TableFile::new(&file).read()?, draws, at_most)?;
        }
    }
    Ok(())
}

fn head_of_table() {
    head(
        "set | labels | classes | noise | wrong | AUROC | of confidence | at the number of errors | of confidence | \
         precision of suspects | recall of suspects | estimated wrong | interval | inside",
    );
}

/// What one draw gave.
struct Found {
    path: Detection,
    confidence: Option<Detection>,
    /// Suspects, those among them that are wrong, and all that are wrong.
    counts: [f64; 3],
    /// Estimated share of wrong labels, and its interval.
    estimate: Option<[f64; 3]>,
}

fn rows(name: &str, table: &FeatureTable, draws: u64, at_most: usize) -> Result<()> {
    for (size, classes) in SIZES.into_iter().filter(|(size, _)| *size <= at_most) {
        let classes = classes.min(table.class_names().len());
        // Nine tenths of the size are enough.
        let available: usize = table.members().iter().map(|m| m.len().min(size / classes)).sum();
        if 10 * available < 9 * size && classes == table.class_names().len() {
            continue;
        }
        for noise in ["random", "similar"] {
            for share in SHARES {
                let found: Vec<Found> =
                    (0..draws).map(|draw| one(table, size, classes, noise, share, draw)).collect::<Result<_>>()?;
                print(name, size, classes, noise, share, &found);
            }
        }
    }
    Ok(())
}

fn one(table: &FeatureTable, size: usize, classes: usize, noise: &str, share: f64, draw: u64) -> Result<Found> {
    let mut random = Random::stream(draw, size as u64);
    let all: Vec<usize> = (0..table.class_names().len()).collect();
    let (mut rows, mut truth) = (Vec::new(), Vec::new());
    for (class, of) in random.choose(&all, classes).into_iter().enumerate() {
        let members = &table.members()[of];
        rows.extend(random.choose(members, (size / classes).min(members.len())));
        truth.resize(rows.len(), class);
    }
    let values = table.gather(&rows);
    let features = Features::new(&values[..], rows.len(), table.dims())?;
    let instances = features.normalize()?;
    let labels = match noise {
        "random" => flip(&truth, classes, LabelNoise::Symmetric, share, draw)?,
        _ => flip_to(&truth, &most_similar(&instances, &truth, classes), share, draw)?,
    };
    let wrong: Vec<bool> = labels.iter().zip(&truth).map(|(a, b)| a != b).collect();
    let audited = audit(&features, &labels).classes(classes).run()?;
    let confidence = (size <= CONFIDENCE).then(|| {
        let found = Detector::Confidence.examine(&features, &instances, &labels, classes)?;
        Ok::<_, trustpath_bench::Error>(Detection::of(&found.score, &found.suspect, &wrong))
    });
    let count = |of: &dyn Fn(usize) -> bool| (0..rows.len()).filter(|&i| of(i)).count() as f64;
    let n = rows.len() as f64;
    Ok(Found {
        path: Detection::of(&audited.score, &audited.suspect, &wrong),
        confidence: confidence.transpose()?,
        counts: [count(&|i| audited.suspect[i]), count(&|i| audited.suspect[i] && wrong[i]), count(&|i| wrong[i])],
        estimate: audited.wrong.map(|w| [w.count / n, w.low / n, w.high / n]),
    })
}

fn print(name: &str, size: usize, classes: usize, noise: &str, share: f64, found: &[Found]) {
    let path = |figure: fn(&Detection) -> f64| percent(found.iter().map(|f| figure(&f.path)));
    let other = |figure: fn(&Detection) -> f64| {
        let known: Vec<f64> = found.iter().filter_map(|f| f.confidence.as_ref().map(figure)).collect();
        percent(known.into_iter())
    };
    // Over all draws together: a draw without suspects has no precision.
    let total = |at: usize| found.iter().map(|f| f.counts[at]).sum::<f64>();
    let ratio = |part: f64, all: f64| {
        if all > 0.0 { format!("{:.0}", 100.0 * part / all) } else { "–".into() }
    };
    let estimates: Vec<[f64; 3]> = found.iter().filter_map(|f| f.estimate).collect();
    let at = |k: usize| percent(estimates.iter().map(|e| e[k]).collect::<Vec<_>>().into_iter());
    let inside: Vec<f64> = estimates.iter().map(|e| f64::from(u8::from(e[1] <= share && share <= e[2]))).collect();
    let inside = if inside.is_empty() { "–".into() } else { format!("{:.0}", 100.0 * mean(inside.into_iter())) };
    println!(
        "| {name} | {size} | {classes} | {noise} | {:.0} | {} | {} | {} | {} | {} | {} | {} | {} to {} | {inside} |",
        100.0 * share,
        path(|d| d.auroc),
        other(|d| d.auroc),
        path(|d| d.at_errors),
        other(|d| d.at_errors),
        ratio(total(1), total(0)),
        ratio(total(1), total(2)),
        at(0),
        at(1),
        at(2),
    );
}
