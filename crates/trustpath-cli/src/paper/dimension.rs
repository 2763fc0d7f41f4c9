//! The reduced dimension d.

use std::rc::Rc;

use trustpath::reduce::Method;
use trustpath_episodes::Split;
use trustpath_episodes::stats::Estimate;
use trustpath_report::{Axis, Best, Column, Curve, CurvePoint, Curves, Interval, Table};

use super::dataset::Dataset;
use super::error::Result;
use super::experiment::{Experiment, Pool};
use super::finding::Finding;
use super::lab::{Lab, Scores, difference};
use super::published::DIMENSION;
use super::verdict::{Comparison, Verdict, points};

/// The paper's default.
const CHOSEN: usize = 5;
/// Without a reduction.
const NONE: usize = 512;
/// Dimensions, and how far the episodes are thinned: the model has d · c unknowns, which makes large d slow.
const DIMENSIONS: [(usize, usize); 6] =
    [(2, 1), (CHOSEN, 1), (10, 1), (20, 4), (50, 20), (NONE, 4)];

/// Compares the dimensions.
pub fn find(lab: &Lab) -> Result<Finding> {
    let mut finding = Finding::new(
        "Reduced dimension",
        "a dimension much smaller than the number of instances is best, d = 5, and no reduction at all is worst.",
    );
    let mut heads = vec![Column::left("d"), Column::right("miniImageNet (paper)")];
    let mut columns: Vec<Vec<String>> =
        vec![DIMENSION.iter().map(|(_, accuracy)| accuracy.text()).collect()];
    let mut curves = vec![Curve {
        name: "miniImageNet (paper)".into(),
        points: DIMENSION
            .iter()
            .map(|&(d, accuracy)| CurvePoint { x: d as f64, y: accuracy.0, error: accuracy.1 })
            .collect(),
    }];
    for dataset in &lab.datasets {
        let runs = run(lab, dataset)?;
        let (mut cells, mut differences, mut counts) = (Vec::new(), Vec::new(), Vec::new());
        let mut curve = Curve { name: dataset.title(), points: Vec::new() };
        for (d, scores) in &runs {
            let accuracy = Estimate::of(&scores.last())?;
            cells.push(accuracy.percent());
            counts.push(accuracy.episodes.to_string());
            differences.push(if *d == CHOSEN { "–".into() } else { points(&versus(&runs, *d)?) });
            let x = if *d == NONE { dataset.table(Split::Novel).dims() } else { *d } as f64;
            let (y, error) = (100.0 * accuracy.mean, 100.0 * accuracy.half_width);
            curve.points.push(CurvePoint { x, y, error });
        }
        curves.push(curve);
        heads.push(Column::right(dataset.title()));
        heads.push(Column::right(format!("d = {CHOSEN} better by")));
        heads.push(Column::right("episodes"));
        columns.extend([cells, differences, counts]);
        finding.verdicts.extend(verdicts(dataset, &runs)?);
    }
    let mut table = Table::new(heads);
    for (i, (d, _)) in DIMENSIONS.into_iter().enumerate() {
        let name = if d == NONE { "none".into() } else { d.to_string() };
        table.push(std::iter::once(name).chain(columns.iter().map(|column| column[i].clone())))?;
    }
    table.bold_best(1, Best::Highest);
    for dataset in 0..lab.datasets.len() {
        table.bold_best(2 + 3 * dataset, Best::Highest);
    }
    finding.table(
        "Accuracy in % of ICIR by dimension, 5-way 1-shot transductive. Large d are slow and run on fewer episodes; \
         differences are paired on those.",
        table,
    );
    finding.figure("dimension", figure(curves)?);
    Ok(finding)
}

type Runs = Vec<(usize, Rc<Scores>)>;

fn run(lab: &Lab, dataset: &Dataset) -> Result<Runs> {
    let run = |(d, thinned): (usize, usize)| {
        let experiment = Experiment::new(1, Pool::Transductive)
            .thin(thinned)
            .with(|m| if d == NONE { m.reduction = Method::Identity } else { m.d = d });
        Ok((d, lab.run(dataset, &experiment)?))
    };
    DIMENSIONS.into_iter().map(run).collect()
}

/// What d = 5 is better by.
fn versus(runs: &Runs, d: usize) -> Result<Estimate> {
    let of = |d| runs.iter().find(|run| run.0 == d).map_or_else(Vec::new, |run| run.1.last());
    difference(&of(CHOSEN), &of(d))
}

fn verdicts(dataset: &Dataset, runs: &Runs) -> Result<Vec<Verdict>> {
    let mut comparisons = Vec::new();
    for (d, _) in runs.iter().filter(|run| run.0 != CHOSEN) {
        let name = if *d == NONE { "no reduction".into() } else { format!("d = {d}") };
        comparisons.push(Comparison::new(format!("d = {CHOSEN} − {name}"), versus(runs, *d)?));
    }
    let none = Comparison::new(format!("d = {CHOSEN} − no reduction"), versus(runs, NONE)?);
    Ok(vec![
        Verdict::all_larger(dataset.title(), "d = 5 is the best dimension", &comparisons),
        Verdict::larger(dataset.title(), "d = 5 is better than no reduction", &none),
    ])
}

fn figure(curves: Vec<Curve>) -> Result<trustpath_report::Figure> {
    let curves = Curves {
        title: "Accuracy by reduced dimension".into(),
        subtitle:
            "5-way 1-shot transductive ICIR; the last point of each curve is without a reduction"
                .into(),
        x: Axis::new("Dimension d").log(),
        y: Axis::new("Accuracy").unit("%"),
        curves,
        interval: Interval::Bars,
    };
    Ok(curves.figure()?)
}
