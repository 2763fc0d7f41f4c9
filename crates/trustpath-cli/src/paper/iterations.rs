//! ICI(n): n instances of each class a round, until 15 of each are taken in.

use std::rc::Rc;

use trustpath_episodes::stats::Estimate;
use trustpath_report::{Axis, Column, Curve, CurvePoint, Curves, Table};

use super::dataset::Dataset;
use super::error::Result;
use super::experiment::{Experiment, Pool};
use super::finding::Finding;
use super::lab::{Lab, Scores, difference};
use super::verdict::{Comparison, Verdict};

const STEPS: [usize; 6] = [1, 2, 3, 5, 8, 15];
/// Instances of each class that are taken in altogether.
const CAP: usize = 15;

/// Compares the steps.
pub fn find(lab: &Lab) -> Result<Finding> {
    let mut finding = Finding::new(
        "Selecting in rounds",
        "accuracy is better when instances are selected in several rounds: 6 of each class in two rounds, ICI(3), is \
         better than 8 in one, ICI(8).",
    );
    let mut heads = vec![Column::left("Dataset"), Column::left("Model")];
    heads.extend(["0", "1 round", "2 rounds", "3 rounds"].map(Column::right));
    heads.push(Column::right(format!("all {CAP}")));
    let mut table = Table::new(heads);
    for dataset in &lab.datasets {
        let mut runs = Vec::new();
        for step in STEPS {
            let experiment = Experiment::new(1, Pool::Transductive)
                .with(|m| (m.step, m.cap) = (step, Some(CAP)));
            let scores = lab.run(dataset, &experiment)?;
            let mut cells = vec![dataset.title(), format!("ICI({step})")];
            for round in 0..4 {
                let beyond = round > rounds(step);
                let accuracy = Estimate::of(&scores.after(round))?;
                cells.push(if beyond { "–".into() } else { accuracy.percent() });
            }
            cells.push(Estimate::of(&scores.after(rounds(step)))?.percent());
            table.push(cells)?;
            runs.push((step, scores));
        }
        finding.figure(format!("iterations-{}", dataset.name), figure(dataset, &runs)?);
        finding.verdicts.extend(verdicts(dataset, &runs)?);
    }
    let caption = "Accuracy in % of ICI(n), 5-way 1-shot transductive, after rounds that take in n of each class.";
    finding
        .blocks
        .insert(0, trustpath_report::DocumentBlock::Table { caption: caption.into(), table });
    Ok(finding)
}

/// Rounds until all are taken in.
fn rounds(step: usize) -> usize {
    CAP.div_ceil(step)
}

fn figure(dataset: &Dataset, runs: &[(usize, Rc<Scores>)]) -> Result<trustpath_report::Figure> {
    let mut curves = Vec::new();
    let mut width = 0.0f64;
    for (step, scores) in runs {
        let mut points = Vec::new();
        for round in 0..=rounds(*step) {
            let accuracy = Estimate::of(&scores.after(round))?;
            width = width.max(accuracy.half_width);
            let x = (round * step).min(CAP) as f64;
            points.push(CurvePoint { x, y: 100.0 * accuracy.mean, error: 0.0 });
        }
        curves.push(Curve { name: format!("ICI({step})"), points });
    }
    let curves = Curves {
        title: format!("Selecting n of each class a round, ICI(n), on {}", dataset.title()),
        subtitle: format!(
            "5-way 1-shot transductive, the same {} episodes for all; each mean is known to ±{:.1}",
            runs.first().map_or(0, |run| run.1.0.len()),
            100.0 * width
        ),
        x: Axis::new("Selected instances of each class").whole(),
        y: Axis::new("Accuracy").unit("%"),
        curves,
        ..Curves::default()
    };
    Ok(curves.figure()?)
}

fn verdicts(dataset: &Dataset, runs: &[(usize, Rc<Scores>)]) -> Result<Vec<Verdict>> {
    let after = |step: usize, round: usize| {
        let run = runs.iter().find(|run| run.0 == step);
        run.map_or_else(Vec::new, |(_, scores)| scores.after(round))
    };
    let few = Comparison::new(
        "ICI(3) after 2 rounds − ICI(8) after 1",
        difference(&after(3, 2), &after(8, 1))?,
    );
    let all = Comparison::new(
        "ICI(5) after 3 rounds − ICI(15) after 1",
        difference(&after(5, rounds(5)), &after(15, 1))?,
    );
    Ok(vec![
        Verdict::larger(dataset.title(), "6 in two rounds are better than 8 in one", &few),
        Verdict::larger(dataset.title(), "15 in three rounds are better than 15 in one", &all),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_reach_the_cap() {
        assert_eq!(STEPS.map(rounds), [15, 8, 5, 3, 2, 1]);
    }
}
