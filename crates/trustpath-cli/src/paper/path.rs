//! The regularisation path of one episode, and over all episodes the accuracy of what the first round selects.

use trustpath::Matrix;
use trustpath::incidental::{IciRParams, Incidental, Keep};
use trustpath_report::{PathLine, PathPlot};

use super::frame::*;
use super::inspect::{ExampleEpisode, share_right};

pub const TARGET: PaperTarget = PaperTarget {
    name: "path",
    about: "Regularisation path of one episode",
    heading: "The regularisation path",
    paper: "most correctly predicted instances lie in the lower left, where γ vanishes at a small λ, so that those \
            selected are right more often than the others.",
    find,
};

fn find(lab: &Lab, finding: &mut Finding) -> Result<()> {
    finding.figure("path-toy", toy_figure()?);
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
        "The first figure is a toy example of ten samples, as in the paper. The others show the first episode (5-way 1-shot, transductive, first round) in which 20% to 40% of the \
         pseudo-labels are wrong. Lines that end in a dot are the five of each class that ICIR selects first.",
    );
    Ok(())
}

/// Ten samples of two classes on both sides of zero, of which two have the label of the other class.
fn toy() -> (Matrix, Vec<usize>, Vec<usize>) {
    let truth: Vec<usize> = (0..10).map(|i| i % 2).collect();
    let side = |i: usize| if truth[i] == 0 { 1.0 } else { -1.0 };
    let x = Matrix::from_fn(10, 1, |i, _| side(i) * (1.0 + 0.35 * ((4 * i + 2) as f64).sin()));
    let labels = (0..10).map(|i| if i == 3 || i == 6 { 1 - truth[i] } else { truth[i] }).collect();
    (x, labels, truth)
}

/// What is computed of a path: also the norms of its parameters.
const KEEP: Keep = Keep { gamma: true, beta: false, certificate: false };

/// The line of an instance.
fn line(norms: &Matrix, row: usize, correct: bool, accepted: bool) -> PathLine {
    PathLine { norms: (0..norms.rows()).map(|k| norms[(k, row)]).collect(), correct, accepted }
}

/// The path of [`toy`]. The sample whose parameter vanishes first is marked.
fn toy_figure() -> Result<Figure> {
    let (x, labels, truth) = toy();
    let path = IciRParams::default().check()?.path(&x, &labels, 2, KEEP)?;
    let first = (0..10).min_by(|&a, &b| path.vanish[a].total_cmp(&path.vanish[b]));
    let norms = path.gamma_norm.unwrap_or_default();
    let line = |i: usize| line(&norms, i, labels[i] == truth[i], Some(i) == first);
    let plot = PathPlot {
        title: "Regularisation path of ten samples".into(),
        subtitle: "the line with a dot reaches zero first: the most trustworthy sample".into(),
        x: Axis::new("λ"),
        y: Axis::new("‖γᵢ(λ)‖, one line per sample"),
        lambdas: path.lambda,
        lines: (0..10).map(line).collect(),
    };
    Ok(plot.figure()?)
}

fn figure(lab: &Lab, dataset: &PaperDataset) -> Result<Figure> {
    let example = ExampleEpisode::choose(lab, dataset)?;
    let ExampleEpisode { number, episode, instances, outcome, method } = &example;
    let labels = example.first_labels();
    let labelled = episode.support.len();
    let x = method.reduction()?.reduce(instances, instances.len())?.x;
    let path = method.incidental()?.path(&x, &labels, episode.classes.len(), KEEP)?;
    let selected = outcome.rounds.first().map_or(&[][..], |round| &round.selected);
    let norms = path.gamma_norm.unwrap_or_default();
    let correct = |row: usize| labels[row] == episode.query.labels[row - labelled];
    let line = |row: usize| line(&norms, row, correct(row), selected.contains(&row));
    let lines: Vec<PathLine> = (labelled..labels.len()).map(line).collect();
    let right = lines.iter().filter(|line| line.correct).count();
    let plot = PathPlot {
        title: format!("Regularisation path on {}", dataset.title()),
        subtitle: format!("episode {number}: {right} of {} pseudo-labels are right", lines.len()),
        x: Axis::new("λ"),
        y: Axis::new("‖γᵢ(λ)‖, one line per unlabeled instance"),
        lambdas: path.lambda,
        lines,
    };
    Ok(plot.figure()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wrong_labels_of_the_toy_example_vanish_last() {
        let (x, labels, truth) = toy();
        let path = IciRParams::default().check().unwrap().path(&x, &labels, 2, KEEP).unwrap();
        let norms = path.gamma_norm.unwrap();
        assert!(norms.row(norms.rows() - 1).iter().all(|norm| *norm > 0.0), "a line is missing");
        let mut order: Vec<usize> = (0..10).collect();
        order.sort_by(|&a, &b| path.vanish[a].total_cmp(&path.vanish[b]));
        assert!(order[..8].iter().all(|&i| labels[i] == truth[i]), "{order:?}");
    }
}
