//! The regularisation path of one episode, and over all episodes what the first round takes from its lower left.

use trustpath::incidental::Keep;
use trustpath_report::{Axis, PathLine, PathPlot};

use super::dataset::Dataset;
use super::error::Result;
use super::finding::Finding;
use super::inspect::Specimen;
use super::lab::{Lab, difference};
use super::verdict::{Comparison, Verdict};

/// Draws the paths.
pub fn find(lab: &Lab) -> Result<Finding> {
    let mut finding = Finding::new(
        "The regularisation path",
        "most correctly predicted instances lie in the lower left, where γ vanishes at a small λ, so that those \
         selected are right more often than the others.",
    );
    for dataset in &lab.datasets {
        finding.figure(format!("path-{}", dataset.name), figure(lab, dataset)?);
        let episodes = lab.inspect(dataset)?;
        // An episode whose queries are all of one class takes in nothing; it cannot be compared.
        let begun = || episodes.iter().filter(|episode| !episode.rounds.is_empty());
        let taken: Vec<f64> = begun().map(|episode| episode.rounds[0].share()).collect();
        let all: Vec<f64> = begun().map(|episode| episode.initial).collect();
        let comparison = Comparison::new(
            "share of right pseudo-labels, first selected − all",
            difference(&taken, &all)?,
        );
        let claim = "instances selected along the path are right more often than all are";
        finding.verdicts.push(Verdict::larger(dataset.title(), claim, &comparison));
    }
    finding.say(
        "Shown is the first episode (5-way 1-shot, transductive, first round) in which a fifth to two fifths of the \
         pseudo-labels are wrong. Lines that end in a dot are the five of each class that ICIR takes in first.",
    );
    Ok(finding)
}

fn figure(lab: &Lab, dataset: &Dataset) -> Result<trustpath_report::Figure> {
    let specimen = Specimen::choose(lab, dataset)?;
    let Specimen { number, episode, instances, outcome, method } = &specimen;
    let labels = specimen.first_labels();
    let labelled = episode.support.len();
    let x = method.reduction()?.reduce(instances, instances.len())?.x;
    let keep = Keep { gamma: true, ..Keep::default() };
    let path = method.incidental()?.path(&x, &labels, episode.classes.len(), keep)?;
    let selected = outcome.rounds.first().map_or(&[][..], |round| &round.selected);
    let norms = path.gamma_norm.unwrap_or_default();
    let line = |row: usize| PathLine {
        norms: (0..norms.rows()).map(|k| norms[(k, row)]).collect(),
        correct: labels[row] == episode.query.labels[row - labelled],
        accepted: selected.contains(&row),
    };
    let lines: Vec<PathLine> = (labelled..labels.len()).map(line).collect();
    let right = lines.iter().filter(|line| line.correct).count();
    let plot = PathPlot {
        title: format!("Regularisation path on {}", dataset.title()),
        subtitle: format!("episode {number}: {right} of {} pseudo-labels are right", lines.len()),
        x: Axis::new("λ"),
        lambdas: path.lambda,
        lines,
        ..PathPlot::default()
    };
    Ok(plot.figure()?)
}
