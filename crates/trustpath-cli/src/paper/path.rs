//! The regularisation path of one episode, and over all episodes the accuracy of what the first round selects.

use trustpath::incidental::Keep;
use trustpath_report::{PathLine, PathPlot};

use super::frame::*;
use super::inspect::{ExampleEpisode, share_right};

pub const TARGET: Target = Target {
    name: "path",
    about: "Regularisation path of one episode",
    heading: "The regularisation path",
    paper: "most correctly predicted instances lie in the lower left, where γ vanishes at a small λ, so that those \
            selected are right more often than the others.",
    find,
};

fn find(lab: &Lab, finding: &mut Finding) -> Result<()> {
    for dataset in &lab.datasets {
        finding.figure(format!("path-{}", dataset.name), figure(lab, dataset)?);
        let episodes = lab.inspect(dataset)?;
        // An episode whose queries all have the same pseudo-label selects nothing; it cannot be compared.
        let begun = || episodes.iter().filter(|episode| !episode.rounds.is_empty());
        let selected: Vec<f64> = begun().map(|episode| share_right(episode.rounds[0])).collect();
        let all: Vec<f64> = begun().map(|episode| episode.initial).collect();
        let name = "share of right pseudo-labels, selected in the first round − all";
        let comparison = Comparison::between(name, &selected, &all)?;
        let claim = "instances selected along the path are right more often than all are";
        finding.larger(&dataset.title(), claim, &[comparison]);
    }
    finding.text(
        "The figure shows the first episode (5-way 1-shot, transductive, first round) in which 20% to 40% of the \
         pseudo-labels are wrong. Lines that end in a dot are the five of each class that ICIR selects first.",
    );
    Ok(())
}

fn figure(lab: &Lab, dataset: &Dataset) -> Result<Figure> {
    let example = ExampleEpisode::choose(lab, dataset)?;
    let ExampleEpisode { number, episode, instances, outcome, method } = &example;
    let labels = example.first_labels();
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
