//! The accuracy of all labels. The example `trust_quality` measures the trusted ones.

use std::path::Path;

use trustpath::spec::{LabelSpec, LabellerKind};
use trustpath_bench::pools::{self, head, share};
use trustpath_bench::stats::{MeanEstimate, paired_difference};
use trustpath_bench::{FeatureTable, Result, Split, embedded};

use crate::draw::{Balance, Draw, Drawing};
use crate::{columns, percent};

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

/// The embedded datasets; `closed` says that every class is known to have labels. With one label per class, novel
/// instances are not looked for anyway.
pub fn report(split: Split, draws: u64, at_most: usize, closed: bool) -> Result<()> {
    println!("{}", head("dataset | labels per class | pool | plain | label | gain | set aside"));
    // The folds only serve the estimate of precision.
    let folds = if closed { 2 } else { LabelSpec::default().folds };
    for_every_cell(split, at_most, |dataset, drawing, table| {
        if closed && drawing.labels == 1 {
            return Ok(());
        }
        let accuracies = |seed| {
            let draw = Drawing { seed, ..drawing }.from(table);
            let (label, set_aside, _) = labelled(&draw, &LabelSpec { closed, folds, seed, ..LabelSpec::default() })?;
            Ok([draw.plain_accuracy()?, label, set_aside])
        };
        let [plain, label, set_aside] = columns(&(0..draws).map(accuracies).collect::<Result<Vec<_>>>()?);
        println!(
            "| {dataset} | {} | {} | {} | {} | {} | {} |",
            drawing.labels,
            drawing.balance.name(),
            MeanEstimate::of(&plain)?.percent(),
            MeanEstimate::of(&label)?.percent(),
            paired_difference(&label, &plain)?.percent(),
            percent(&set_aside),
        );
        Ok(())
    })
}

/// The same over files of features: pools of 20 classes and of all of them, of up to 60 instances each, with also random labels, and the
/// accuracy of every labeller that may be chosen.
pub fn report_files(files: &[String], draws: u64, at_most: usize) -> Result<()> {
    let at_most = at_most.min(60);
    let titles = "features | classes | labels per class | pool | plain | classifier | no rounds | rounds | label | \
        label − plain | label − rounds | set aside | rounds chosen";
    println!("{}", head(titles));
    for file in files {
        let (name, table) = pools::open(file)?;
        let available = table.class_names().len();
        let every = [available].into_iter().filter(|&available| available > 20);
        for classes in [20.min(available)].into_iter().chain(every) {
            for (labels, balance) in [1, 2, 5, 20].into_iter().flat_map(|n| Balance::ALL.map(|balance| (n, balance))) {
                let of = |seed| labellers(&Drawing { labels, balance, classes, at_most, seed }.from(&table), seed);
                let runs: Vec<[f64; 7]> = (0..draws).map(of).collect::<Result<_>>()?;
                let by_column = columns(&runs);
                let [plain, _, _, rounds, label, set_aside, chosen] = &by_column;
                println!(
                    "| {name} | {classes} | {labels} | {} | {} | {} | {} | {} | {} |",
                    balance.name(),
                    by_column[..5].iter().map(|column| percent(column)).collect::<Vec<_>>().join(" | "),
                    paired_difference(label, plain)?.percent(),
                    paired_difference(label, rounds)?.percent(),
                    percent(set_aside),
                    percent(chosen),
                );
            }
        }
    }
    Ok(())
}

/// Accuracy of the plain classifier, of every labeller that may be chosen in a large pool, and as chosen; share that is reported to be of no class; and whether rounds
/// were chosen.
fn labellers(draw: &Draw, seed: u64) -> Result<[f64; 7]> {
    // All classes are known here; the folds only serve the estimate of precision.
    let fixed = |labeller| {
        let spec = LabelSpec { labeller, folds: 2, closed: true, seed, ..LabelSpec::default() };
        labelled(draw, &spec).map(|(accuracy, ..)| accuracy)
    };
    let (accuracy, set_aside, chosen) = labelled(draw, &LabelSpec { seed, ..LabelSpec::default() })?;
    Ok([
        draw.plain_accuracy()?,
        fixed(LabellerKind::Classifier)?,
        fixed(LabellerKind::NoRounds)?,
        fixed(LabellerKind::Rounds)?,
        accuracy,
        set_aside,
        f64::from(u8::from(chosen == "rounds")),
    ])
}

/// The accuracy of the labels, the share that is set aside, and the labeller.
fn labelled(draw: &Draw, spec: &LabelSpec) -> Result<(f64, f64, &'static str)> {
    let labelling = draw.pool.label(spec)?;
    let of_open = |is: &dyn Fn(usize) -> bool| share(&draw.pool.open(), is).unwrap_or(f64::NAN);
    let accuracy = of_open(&|i| labelling.labels[i] == Some(draw.pool.truth[i]));
    Ok((accuracy, of_open(&|i| labelling.labels[i].is_none()), labelling.labeller))
}

fn for_every_cell(
    split: Split,
    at_most: usize,
    mut visit: impl FnMut(&str, Drawing, &FeatureTable) -> Result<()>,
) -> Result<()> {
    for dataset in embedded::DATASETS {
        let table = embedded::load(dataset, split)?;
        for (labels, balance) in [1, 5, 20].into_iter().flat_map(|n| Balance::STRATIFIED.map(|balance| (n, balance))) {
            visit(dataset, Drawing { labels, balance, classes: usize::MAX, at_most, seed: 0 }, table)?;
        }
    }
    Ok(())
}
