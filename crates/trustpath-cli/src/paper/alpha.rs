//! ICI-C's α = λ₁/λ₂, the price of β relative to γ, chosen on the validation classes.

use trustpath_bench::IncidentalKind;

use super::frame::*;

pub const TARGET: PaperTarget = PaperTarget {
    name: "alpha",
    about: "ICI-C by α on the validation classes",
    heading: "α of ICI-C",
    paper: "accuracy on the validation classes is highest around α = 0.5, which is used everywhere.",
    find,
};

/// The paper's choice.
const CHOSEN: f64 = 0.5;
const GRID: [f64; 8] = [0.05, 0.1, 0.25, CHOSEN, 1.0, 2.0, 4.0, 8.0];
/// A loss that does not matter, in accuracy: half a point, the width of the paper's own intervals.
const SMALL: f64 = 0.005;

fn find(lab: &Lab, finding: &mut Finding) -> Result<()> {
    let mut columns = Columns::default().names("α", GRID.map(|alpha| alpha.to_string()));
    for dataset in &lab.datasets {
        let title = dataset.title();
        let experiment = Experiment { split: Split::Validation, ..Experiment::new(1, PoolKind::Transductive) };
        let runs = Runs::new(lab, dataset, &GRID, |alpha| {
            experiment.clone().with(|m| (m.model, m.alpha) = (IncidentalKind::IciC, alpha))
        })?;
        let accuracies = runs.accuracies()?;
        columns.accuracies(&title, &accuracies);
        let (mut differences, mut curve) = (Vec::new(), Vec::new());
        let mut best = (CHOSEN, runs.difference(CHOSEN, CHOSEN)?);
        for (alpha, accuracy) in GRID.into_iter().zip(&accuracies) {
            let better = runs.difference(alpha, CHOSEN)?;
            differences.push(if alpha == CHOSEN { "–".into() } else { points(&better) });
            let error = 100.0 * better.half_width;
            curve.push(CurvePoint { x: alpha, y: 100.0 * accuracy.mean, error });
            if better.mean > best.1.mean {
                best = (alpha, better);
            }
        }
        columns.numbers(format!("better than α = {CHOSEN} by"), differences);
        if !dataset.has_validation() {
            finding.text(format!(
                "{title} has no validation classes: α is tried on all of its classes, so that the best value looks \
                 better than it is."
            ));
        }
        let figure = accuracy_curves(
            format!("ICIC by α on the validation classes of {title}"),
            format!("5-way 1-shot transductive; bars: 95% interval of the difference to α = {CHOSEN}"),
            Axis::new("α = λ₁/λ₂").log(),
            vec![Curve { name: title.clone(), points: curve }],
            Interval::Bars,
        )?;
        finding.figure(format!("alpha-{}", dataset.name), figure);
        let (alpha, better) = best;
        let evidence = if alpha == CHOSEN {
            "it is the best of the grid".into()
        } else {
            format!("the best of the grid is α = {alpha}, better by {} points", points(&better))
        };
        let claim = format!("α = {CHOSEN} is as good as any (within half a point)");
        finding.verdict(&title, &claim, Holds::below(&better, SMALL), evidence);
    }
    let episodes = lab.episodes();
    finding.table(
        format!(
            "Accuracy in % of ICIC by α on the validation classes, 5-way 1-shot transductive, {episodes} episodes."
        ),
        columns.table()?,
    );
    Ok(())
}
