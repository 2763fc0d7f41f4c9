//! Finding labels that were made wrong on purpose: the table of `docs/measured/audit.md`.
//!
//! Classes and rows of every set are drawn at random, a share of the labels is made wrong (any other class, or the most similar one), and the
//! audit and the confidence of a cross-validated logistic regression look for them.

use trustpath::{Features, audit};
use trustpath_bench::noise::{Detection, Detector, LabelNoise, flip, flip_to, most_similar};
use trustpath_bench::pools::{self, head};
use trustpath_bench::{FeatureTable, Random, Result, Split, embedded};

use crate::percent;

/// Sizes of the sets, and their numbers of classes.
const SIZES: [(usize, usize); 6] = [(50, 5), (100, 10), (200, 10), (500, 20), (2000, 40), (10_000, 100)];
/// Shares of wrong labels.
const SHARES: [f64; 3] = [0.03, 0.1, 0.2];
/// Instances up to which the logistic regression is run as well: beyond, it takes minutes per draw.
const CONFIDENCE: usize = 500;

const COLUMNS: &str = "set | labels | classes | noise | wrong | AUROC | of confidence | at the number of errors | \
    of confidence | precision of suspects | recall of suspects | estimated wrong | interval | inside";

/// The table over the embedded datasets.
pub fn report(split: Split, draws: u64, at_most: usize) -> Result<()> {
    println!("{}", head(COLUMNS));
    embedded::DATASETS.iter().try_for_each(|dataset| rows(dataset, embedded::load(dataset, split)?, draws, at_most))
}

/// The table over all features of a folder, `NAME.npy` beside `NAME-labels.npy`. Novel classes (`NAME-test`) are left out: options are
/// chosen by this table.
pub fn report_folder(folder: &str, draws: u64, at_most: usize) -> Result<()> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<String> = entries.map(|entry| entry.path().to_string_lossy().into_owned()).collect();
    let others = ["-labels.npy", "-test.npy"];
    files.retain(|file| file.ends_with(".npy") && !others.iter().any(|other| file.ends_with(other)));
    files.sort();
    println!("{}", head(COLUMNS));
    for file in files {
        let (name, table) = pools::open(&file)?;
        rows(&name, &table, draws, at_most)?;
    }
    Ok(())
}

/// What one draw gave.
struct AuditDraw {
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
                let audits: Vec<AuditDraw> =
                    (0..draws).map(|draw| one(table, size, classes, noise, share, draw)).collect::<Result<_>>()?;
                print(name, size, classes, noise, share, &audits);
            }
        }
    }
    Ok(())
}

fn one(table: &FeatureTable, size: usize, classes: usize, noise: &str, share: f64, draw: u64) -> Result<AuditDraw> {
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
        let suspicion = Detector::Confidence.examine(&features, &instances, &labels, classes)?;
        Ok::<_, trustpath_bench::Error>(Detection::of(&suspicion.score, &suspicion.suspect, &wrong))
    });
    let count = |of: &dyn Fn(usize) -> bool| (0..rows.len()).filter(|&i| of(i)).count() as f64;
    let n = rows.len() as f64;
    Ok(AuditDraw {
        path: Detection::of(&audited.score, &audited.suspect, &wrong),
        confidence: confidence.transpose()?,
        counts: [count(&|i| audited.suspect[i]), count(&|i| audited.suspect[i] && wrong[i]), count(&|i| wrong[i])],
        estimate: audited.wrong.map(|w| [w.count / n, w.low / n, w.high / n]),
    })
}

fn print(name: &str, size: usize, classes: usize, noise: &str, share: f64, audits: &[AuditDraw]) {
    let path = |figure: fn(&Detection) -> f64| percent(&audits.iter().map(|a| figure(&a.path)).collect::<Vec<_>>());
    let other = |figure: fn(&Detection) -> f64| {
        percent(&audits.iter().filter_map(|a| a.confidence.as_ref().map(figure)).collect::<Vec<_>>())
    };
    // Over all draws together: a draw without suspects has no precision.
    let total = |at: usize| audits.iter().map(|a| a.counts[at]).sum::<f64>();
    let whole = |share: f64| if share.is_nan() { "–".into() } else { format!("{:.0}", 100.0 * share) };
    let estimates: Vec<[f64; 3]> = audits.iter().filter_map(|a| a.estimate).collect();
    let at = |k: usize| percent(&estimates.iter().map(|e| e[k]).collect::<Vec<_>>());
    let inside = estimates.iter().filter(|e| e[1] <= share && share <= e[2]).count() as f64 / estimates.len() as f64;
    println!(
        "| {name} | {size} | {classes} | {noise} | {:.0} | {} | {} | {} | {} | {} | {} | {} | {} to {} | {} |",
        100.0 * share,
        path(|d| d.auroc),
        other(|d| d.auroc),
        path(|d| d.at_errors),
        other(|d| d.at_errors),
        whole(total(1) / total(0)),
        whole(total(1) / total(2)),
        at(0),
        at(1),
        at(2),
        whole(inside),
    );
}
