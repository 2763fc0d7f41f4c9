//! The accuracy of all labels, and the coverage and precision of the trusted ones.

use std::path::Path;

use trustpath::spec::LabelSpec;
use trustpath_episodes::stats::{Estimate, paired_difference};
use trustpath_episodes::{FeatureTable, Result, Split, embedded};

use crate::draw::{Balance, Draw, Drawing};
use crate::{head, percent};

const LABELS: [usize; 3] = [1, 5, 20];
const TARGETS: [f64; 2] = [0.9, 0.95];
const ACCURACY: &str = "dataset | labels per class | pool | plain | label | gain | set aside";

/// The trusted set of one draw.
struct Trusted {
    coverage: f64,
    precision: f64,
}

/// One draw.
struct Run {
    plain: f64,
    label: f64,
    set_aside: f64,
    credible: Trusted,
    /// Precision of the credible labels, estimated by cross-validation.
    estimate: Option<f64>,
    /// For every target, the trusted set if the target can be guaranteed.
    guaranteed: [Option<Trusted>; TARGETS.len()],
}

/// Writes every draw into a folder, for other programs.
pub fn write_draws(split: Split, draws: u64, folder: &Path) -> Result<()> {
    for_every_cell(split, |dataset, drawing, table| {
        for seed in 0..draws {
            let balance = if drawing.balance == Balance::Even { "balanced" } else { "long-tailed" };
            let name = format!("{dataset}-{}-{balance}-{seed}.npy", drawing.labels);
            Drawing { seed, ..drawing }.from(table).write(&folder.join(name))?;
        }
        Ok(())
    })
}

pub fn report(split: Split, draws: u64) -> Result<()> {
    head(ACCURACY);
    let mut cells = Vec::new();
    for_every_cell(split, |dataset, drawing, table| {
        let runs = runs(drawing, table, draws, LabelSpec::default())?;
        let head = format!("| {dataset} | {} | {} |", drawing.labels, drawing.balance.name());
        println!("{head} {}", accuracy_cells(&runs)?);
        cells.push(format!("{head} {}", trusted_cells(&runs)));
        Ok(())
    })?;
    println!();
    head("dataset | labels per class | pool | coverage | precision | estimate | at 0.9 | at 0.95");
    cells.iter().for_each(|row| println!("{row}"));
    Ok(())
}

/// Accuracy when it is known that every class has labels. With one label per class, novel instances are not looked for
/// anyway.
pub fn report_closed(split: Split, draws: u64) -> Result<()> {
    head(ACCURACY);
    // The folds only serve the estimate of precision.
    let params = LabelSpec { closed: true, folds: 2, ..Default::default() };
    for_every_cell(split, |dataset, drawing, table| {
        if drawing.labels > 1 {
            let cells = accuracy_cells(&runs(drawing, table, draws, params.clone())?)?;
            println!("| {dataset} | {} | {} | {cells}", drawing.labels, drawing.balance.name());
        }
        Ok(())
    })
}

fn runs(drawing: Drawing, table: &FeatureTable, draws: u64, params: LabelSpec) -> Result<Vec<Run>> {
    let run = |seed| {
        let draw = Drawing { seed, ..drawing }.from(table);
        Run::of(&draw, &LabelSpec { seed, ..params.clone() })
    };
    (0..draws).map(run).collect()
}

fn for_every_cell(
    split: Split,
    mut visit: impl FnMut(&str, Drawing, &FeatureTable) -> Result<()>,
) -> Result<()> {
    for dataset in embedded::DATASETS {
        let table = embedded::load(dataset, split)?;
        for labels in LABELS {
            for balance in Balance::ALL {
                let drawing = Drawing { labels, balance, at_most: usize::MAX, seed: 0 };
                visit(dataset, drawing, table)?;
            }
        }
    }
    Ok(())
}

impl Run {
    fn of(draw: &Draw<'_>, params: &LabelSpec) -> Result<Self> {
        let found = draw.label(params)?;
        let open = draw.open();
        // Novel instances have no label: they are never trusted, and do not affect the threshold.
        let known: Vec<usize> =
            open.iter().copied().filter(|&i| found.labels[i].is_some()).collect();
        let trusted = |cut: f64| {
            let at: Vec<usize> =
                known.iter().copied().filter(|&i| found.credibility[i] >= cut).collect();
            let coverage = at.len() as f64 / open.len() as f64;
            Trusted { coverage, precision: draw.accuracy(&found.labels, &at) }
        };
        let pool: Vec<f64> = known.iter().map(|&i| found.credibility[i]).collect();
        let calibration = &found.trusted.calibration;
        Ok(Self {
            plain: draw.plain_accuracy()?,
            label: draw.accuracy(&found.labels, &open),
            set_aside: 1.0 - known.len() as f64 / open.len() as f64,
            credible: trusted(0.5),
            estimate: calibration.estimate(0.5).map(|(precision, _)| precision),
            guaranteed: TARGETS.map(|target| calibration.cut(&pool, target).map(trusted)),
        })
    }
}

fn accuracy_cells(runs: &[Run]) -> Result<String> {
    let of = |f: fn(&Run) -> f64| runs.iter().map(f).collect::<Vec<_>>();
    let (plain, label) = (of(|r| r.plain), of(|r| r.label));
    Ok(format!(
        "{} | {} | {} | {} |",
        Estimate::of(&plain)?.percent(),
        Estimate::of(&label)?.percent(),
        paired_difference(&label, &plain)?.percent(),
        percent(runs.iter().map(|r| r.set_aside)),
    ))
}

fn trusted_cells(runs: &[Run]) -> String {
    let estimates: Option<Vec<f64>> = runs.iter().map(|r| r.estimate).collect();
    let mut cells = format!(
        "{} | {} | {} |",
        percent(runs.iter().map(|r| r.credible.coverage)),
        percent(runs.iter().map(|r| r.credible.precision)),
        estimates.map_or("none".into(), |estimates| percent(estimates.into_iter())),
    );
    for target in 0..TARGETS.len() {
        let kept: Vec<_> = runs.iter().filter_map(|r| r.guaranteed[target].as_ref()).collect();
        cells += &match kept.len() {
            0 => format!(" 0 of {} |", runs.len()),
            count => format!(
                " {} right of {} ({count} of {}) |",
                percent(kept.iter().map(|t| t.precision)),
                percent(kept.iter().map(|t| t.coverage)),
                runs.len(),
            ),
        };
    }
    cells
}
