//! The accuracy of all labels. The example `trust_quality` measures the trusted ones.

use std::path::Path;

use trustpath::spec::{LabelSpec, LabellerKind};
use trustpath_bench::stats::{Estimate, paired_difference};
use trustpath_bench::{Error, FeatureTable, Result, Split, embedded};
use trustpath_table::TableFile;

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
pub fn write_draws(split: Split, draws: u64, at_most: usize, folder: &Path) -> Result<()> {
    for_every_cell(split, at_most, |dataset, drawing, table| {
        for seed in 0..draws {
            let balance = if drawing.balance == Balance::Even { "balanced" } else { "long-tailed" };
            let name = format!("{dataset}-{}-{balance}-{seed}.npy", drawing.labels);
            Drawing { seed, ..drawing }.from(table).write(&folder.join(name))?;
        }
        Ok(())
    })
}

pub fn report(split: Split, draws: u64, at_most: usize) -> Result<()> {
    head(ACCURACY);
    for_every_cell(split, at_most, |dataset, drawing, table| {
        let runs = runs(drawing, table, draws, LabelSpec::default())?;
        let head = format!("| {dataset} | {} | {} |", drawing.labels, drawing.balance.name());
        println!("{head} {}", accuracy_cells(&runs)?);
        Ok(())
    })
}

/// The same over files of features: pools of 20 classes and of all of them, of up to 60 instances each, with also random labels, and the
/// accuracy of every labeller that may be chosen.
pub fn report_files(files: &[String], draws: u64, at_most: usize) -> Result<()> {
    let at_most = at_most.min(60);
    head(
        "features | classes | labels per class | pool | plain | classifier | no rounds | rounds | label | label − plain | label − rounds | set aside | rounds chosen",
    );
    for file in files {
        let name = Path::new(file).file_stem().unwrap_or_default().to_string_lossy();
        let table = TableFile::new(file).read()?;
        let every = [usize::MAX].into_iter().filter(|_| table.class_names().len() > 20);
        for classes in [20].into_iter().chain(every) {
            for labels in [1, 2, 5, 20] {
                for balance in Balance::ALL {
                    let drawing = Drawing { labels, balance, classes, at_most, seed: 0 };
                    let of = |seed| labellers(&Drawing { seed, ..drawing }.from(&table), seed);
                    let runs: Vec<[f64; 7]> = (0..draws).map(of).collect::<Result<_>>()?;
                    let classes = classes.min(table.class_names().len());
                    let head = format!("| {name} | {classes} | {labels} | {} |", balance.name());
                    println!("{head} {}", labeller_cells(&runs)?);
                }
            }
        }
    }
    Ok(())
}

/// Accuracy of the plain classifier, of every labeller that may be chosen in a large pool, and as chosen; share that is reported to be of no class; and whether rounds
/// were chosen.
fn labellers(draw: &Draw<'_>, seed: u64) -> Result<[f64; 7]> {
    let open = draw.open();
    let of = |labeller| {
        // All classes are known here; the folds only serve the estimate of precision.
        let folds = if labeller == LabellerKind::Auto { 5 } else { 2 };
        let closed = labeller != LabellerKind::Auto;
        draw.label(&LabelSpec { labeller, folds, closed, seed, ..LabelSpec::default() })
    };
    let fixed = |labeller| Ok::<_, Error>(draw.accuracy(&of(labeller)?.labels, &open));
    let chosen = of(LabellerKind::Auto)?;
    let set_aside = open.iter().filter(|&&i| chosen.labels[i].is_none()).count();
    Ok([
        draw.plain_accuracy()?,
        fixed(LabellerKind::Classifier)?,
        fixed(LabellerKind::NoRounds)?,
        fixed(LabellerKind::Rounds)?,
        draw.accuracy(&chosen.labels, &open),
        set_aside as f64 / open.len() as f64,
        f64::from(u8::from(chosen.labeller == "rounds")),
    ])
}

fn labeller_cells(runs: &[[f64; 7]]) -> Result<String> {
    let of = |at: usize| runs.iter().map(|run| run[at]).collect::<Vec<_>>();
    let mean = |at: usize| percent(of(at).into_iter());
    let means = (0..5).map(mean).collect::<Vec<_>>().join(" | ");
    Ok(format!(
        "{means} | {} | {} | {} | {} |",
        paired_difference(&of(4), &of(0))?.percent(),
        paired_difference(&of(4), &of(3))?.percent(),
        mean(5),
        mean(6),
    ))
}

/// Accuracy when it is known that every class has labels. With one label per class, novel instances are not looked for
/// anyway.
pub fn report_closed(split: Split, draws: u64, at_most: usize) -> Result<()> {
    head(ACCURACY);
    // The folds only serve the estimate of precision.
    let params = LabelSpec { closed: true, folds: 2, ..Default::default() };
    for_every_cell(split, at_most, |dataset, drawing, table| {
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
    at_most: usize,
    mut visit: impl FnMut(&str, Drawing, &FeatureTable) -> Result<()>,
) -> Result<()> {
    for dataset in embedded::DATASETS {
        let table = embedded::load(dataset, split)?;
        for labels in LABELS {
            for balance in Balance::STRATIFIED {
                let classes = usize::MAX;
                let drawing = Drawing { labels, balance, classes, at_most, seed: 0 };
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
