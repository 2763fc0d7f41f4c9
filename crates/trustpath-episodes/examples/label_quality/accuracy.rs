//! The accuracy of all labels. The example `trust_quality` measures the trusted ones.

use std::path::Path;

use trustpath::spec::LabelSpec;
use trustpath_episodes::stats::{Estimate, paired_difference};
use trustpath_episodes::{FeatureTable, Result, Split, embedded};

use crate::draw::{Balance, Draw, Drawing};
use crate::{head, percent};

const LABELS: [usize; 3] = [1, 5, 20];
const ACCURACY: &str = "dataset | labels per class | pool | plain | label | gain | set aside";

/// One draw.
struct Run {
    plain: f64,
    label: f64,
    set_aside: f64,
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
    for_every_cell(split, |dataset, drawing, table| {
        let runs = runs(drawing, table, draws, LabelSpec::default())?;
        let head = format!("| {dataset} | {} | {} |", drawing.labels, drawing.balance.name());
        println!("{head} {}", accuracy_cells(&runs)?);
        Ok(())
    })
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
        let set_aside = open.iter().filter(|&&i| found.labels[i].is_none()).count();
        Ok(Self {
            plain: draw.plain_accuracy()?,
            label: draw.accuracy(&found.labels, &open),
            set_aside: set_aside as f64 / open.len() as f64,
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
