//! ICI-C's α = λ₁/λ₂, the price of β relative to γ, chosen on the validation classes.

use std::rc::Rc;

use trustpath_episodes::stats::Estimate;
use trustpath_episodes::{Model, Split};
use trustpath_report::{Axis, Best, Column, Curve, CurvePoint, Curves, Interval, Table};

use super::dataset::Dataset;
use super::error::Result;
use super::experiment::{Experiment, Pool};
use super::finding::Finding;
use super::lab::{Lab, Scores, difference};
use super::verdict::{Holds, Verdict, points};

/// The paper's choice.
const CHOSEN: f64 = 0.5;
const GRID: [f64; 8] = [0.05, 0.1, 0.25, CHOSEN, 1.0, 2.0, 4.0, 8.0];
/// Sixteen runs of the slower model: half of the episodes tell α as well.
const THINNED: usize = 2;
/// A loss that does not matter, in accuracy: half a point, the width of the paper's own intervals.
const SMALL: f64 = 0.005;

/// Tries the grid.
pub fn find(lab: &Lab) -> Result<Finding> {
    let mut finding = Finding::new(
        "α of ICI-C",
        "accuracy on the validation classes is highest around α = 0.5, which is used everywhere.",
    );
    let mut heads = vec![Column::left("α")];
    let mut columns: Vec<Vec<String>> = Vec::new();
    for dataset in &lab.datasets {
        let mut runs = Vec::new();
        for alpha in GRID {
            let experiment = Experiment::new(1, Pool::Transductive)
                .on(Split::Validation)
                .thin(THINNED)
                .with(|m| (m.model, m.alpha) = (Model::IciC, alpha));
            runs.push((alpha, lab.run(dataset, &experiment)?));
        }
        let (mut cells, mut differences, mut curve) = (Vec::new(), Vec::new(), Vec::new());
        for (alpha, scores) in &runs {
            let accuracy = Estimate::of(&scores.last())?;
            let better = difference(&scores.last(), &chosen(&runs))?;
            cells.push(accuracy.percent());
            differences.push(if *alpha == CHOSEN { "–".into() } else { points(&better) });
            let error = 100.0 * better.half_width;
            curve.push(CurvePoint { x: *alpha, y: 100.0 * accuracy.mean, error });
        }
        heads.push(Column::right(dataset.title()));
        heads.push(Column::right(format!("better than α = {CHOSEN} by")));
        columns.extend([cells, differences]);
        if !dataset.has_validation() {
            finding.say(format!(
                "{} has no validation classes: α is tried on all of its classes, which flatters the best.",
                dataset.title()
            ));
        }
        finding.figure(format!("alpha-{}", dataset.name), figure(dataset, curve)?);
        finding.verdicts.push(verdict(dataset, &runs)?);
    }
    let mut table = Table::new(heads);
    for (i, alpha) in GRID.into_iter().enumerate() {
        let cells = columns.iter().map(|column| column[i].clone());
        table.push(std::iter::once(alpha.to_string()).chain(cells))?;
    }
    for dataset in 0..lab.datasets.len() {
        table.bold_best(1 + 2 * dataset, Best::Highest);
    }
    finding.table(
        format!(
            "Accuracy in % of ICIC by α on the validation classes, 5-way 1-shot transductive, {} episodes.",
            Experiment::new(1, Pool::Transductive).thin(THINNED).episodes(lab.episodes)
        ),
        table,
    );
    Ok(finding)
}

type Runs = [(f64, Rc<Scores>)];

fn chosen(runs: &Runs) -> Vec<f64> {
    runs.iter().find(|run| run.0 == CHOSEN).map_or_else(Vec::new, |run| run.1.last())
}

fn verdict(dataset: &Dataset, runs: &Runs) -> Result<Verdict> {
    let mut best = (CHOSEN, difference(&chosen(runs), &chosen(runs))?);
    for (alpha, scores) in runs {
        let better = difference(&scores.last(), &chosen(runs))?;
        if better.mean > best.1.mean {
            best = (*alpha, better);
        }
    }
    let (alpha, better) = best;
    let evidence = if alpha == CHOSEN {
        "it is the best of the grid".into()
    } else {
        format!("the best of the grid is α = {alpha}, better by {} points", points(&better))
    };
    let claim = format!("α = {CHOSEN} is as good as any (within half a point)");
    Ok(Verdict::new(dataset.title(), claim, as_good(&better), evidence))
}

/// Whether what the best is better by is surely small, or surely not.
fn as_good(better: &Estimate) -> Holds {
    let mut room = *better;
    room.mean = SMALL - better.mean;
    Holds::above_zero(&room)
}

fn figure(dataset: &Dataset, points: Vec<CurvePoint>) -> Result<trustpath_report::Figure> {
    let curves = Curves {
        title: format!("ICIC by α on the validation classes of {}", dataset.title()),
        subtitle: format!(
            "5-way 1-shot transductive; bars: 95% interval of the difference to α = {CHOSEN}"
        ),
        x: Axis::new("α = λ₁/λ₂").log(),
        y: Axis::new("Accuracy").unit("%"),
        curves: vec![Curve { name: dataset.title(), points }],
        interval: Interval::Bars,
    };
    Ok(curves.figure()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_a_point_decides() {
        let decide = |mean| as_good(&Estimate { mean, half_width: 0.002, episodes: 9 });
        assert_eq!([0.0, 0.004, 0.008].map(decide), [Holds::Yes, Holds::Open, Holds::No]);
    }
}
