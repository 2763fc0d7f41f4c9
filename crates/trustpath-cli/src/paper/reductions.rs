//! Other reductions to five dimensions.

use std::rc::Rc;

use trustpath::reduce::Method;
use trustpath_episodes::stats::Estimate;
use trustpath_report::{Axis, Bar, BarSeries, Bars, Best, Column, Table};

use super::dataset::Dataset;
use super::error::Result;
use super::experiment::{Experiment, Pool};
use super::finding::Finding;
use super::lab::{Lab, Scores, difference};
use super::published::REDUCTIONS;
use super::verdict::{Comparison, Holds, Verdict, points};

/// Reductions, and how far the episodes are thinned: multidimensional scaling is iterative and slow.
const METHODS: [(Method, usize); 6] = [
    (Method::Isomap, 1),
    (Method::Pca, 1),
    (Method::Ltsa, 1),
    (Method::Mds, 4),
    (Method::Lle, 1),
    (Method::Spectral, 1),
];
/// The spread of the paper's means without MDS, in points: from 70.10 (LTSA) to 72.43 (SE).
const SPREAD: f64 = 2.33;

/// Compares the reductions.
pub fn find(lab: &Lab) -> Result<Finding> {
    let mut finding = Finding::new(
        "Reductions",
        "accuracy is comparable for most reductions, within 2.33 points of each other, but for MDS, which is worse.",
    );
    let mut heads = vec![Column::left("Reduction"), Column::right("miniImageNet (paper)")];
    let mut columns: Vec<Vec<String>> =
        vec![REDUCTIONS.iter().map(|(_, accuracy)| accuracy.text()).collect()];
    let mut series = Vec::new();
    for dataset in &lab.datasets {
        let mut runs = Vec::new();
        for (method, thinned) in METHODS {
            let experiment =
                Experiment::new(1, Pool::Transductive).thin(thinned).with(|m| m.reduction = method);
            runs.push((method, lab.run(dataset, &experiment)?));
        }
        let (mut cells, mut counts, mut bars) = (Vec::new(), Vec::new(), Vec::new());
        for (_, scores) in &runs {
            let accuracy = Estimate::of(&scores.last())?;
            cells.push(accuracy.percent());
            counts.push(accuracy.episodes.to_string());
            let gain = scores.gain()?;
            bars.push(Bar { value: 100.0 * gain.mean, error: 100.0 * gain.half_width });
        }
        columns.extend([cells, counts]);
        heads.push(Column::right(dataset.title()));
        heads.push(Column::right("episodes"));
        series.push(BarSeries { name: dataset.title(), bars });
        finding.verdicts.extend(verdicts(dataset, &runs)?);
    }
    let mut table = Table::new(heads);
    for (i, (name, _)) in REDUCTIONS.iter().enumerate() {
        let cells = columns.iter().map(|column| column[i].clone());
        table.push(std::iter::once(name.to_uppercase()).chain(cells))?;
    }
    table.bold_best(1, Best::Highest);
    for dataset in 0..lab.datasets.len() {
        table.bold_best(2 + 2 * dataset, Best::Highest);
    }
    finding.table(
        "Accuracy in % of ICIR by reduction to five dimensions, 5-way 1-shot transductive. MDS is slow and runs on \
         fewer episodes.",
        table,
    );
    let bars = Bars {
        title: "What ICIR adds to the plain classifier, by reduction".into(),
        subtitle: "5-way 1-shot transductive; paired differences with 95% intervals".into(),
        y: Axis::new("Gain in accuracy").unit("points"),
        groups: REDUCTIONS.iter().map(|(name, _)| name.to_uppercase()).collect(),
        series,
        decimals: Some(1),
    };
    finding.figure("reductions", bars.figure()?);
    Ok(finding)
}

fn verdicts(dataset: &Dataset, runs: &[(Method, Rc<Scores>)]) -> Result<Vec<Verdict>> {
    let (mds, others): (Vec<_>, Vec<_>) = runs.iter().partition(|run| run.0 == Method::Mds);
    let mut ranked = Vec::new();
    for (method, scores) in others {
        ranked.push((Estimate::of(&scores.last())?.mean, method, scores));
    }
    ranked.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut verdicts = Vec::new();
    if let (Some(worst), Some(best)) = (ranked.first(), ranked.last()) {
        let spread = difference(&best.2.last(), &worst.2.last())?;
        // Comparable: surely no farther apart than in the paper.
        let mut room = spread;
        room.mean = SPREAD / 100.0 - spread.mean;
        verdicts.push(Verdict::new(
            dataset.title(),
            format!("all reductions but MDS are comparable (within {SPREAD} points)"),
            Holds::above_zero(&room),
            format!("best − worst is {} − {} = {} points", best.1, worst.1, points(&spread)),
        ));
    }
    let mut comparisons = Vec::new();
    for (_, mds) in mds {
        for (_, method, scores) in &ranked {
            let name = format!("{method} − mds");
            comparisons.push(Comparison::new(name, difference(&scores.last(), &mds.last())?));
        }
    }
    let claim = "MDS is worse than the other reductions";
    verdicts.push(Verdict::all_larger(dataset.title(), claim, &comparisons));
    Ok(verdicts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_in_the_order_of_the_paper() {
        for ((method, _), (name, _)) in METHODS.iter().zip(&REDUCTIONS) {
            assert_eq!(method.name(), *name);
        }
        let means = REDUCTIONS.iter().filter(|r| r.0 != "mds").map(|r| r.1.0);
        let spread = means.clone().fold(0.0, f64::max) - means.fold(100.0, f64::min);
        assert!((spread - SPREAD).abs() < 1e-9);
    }
}
