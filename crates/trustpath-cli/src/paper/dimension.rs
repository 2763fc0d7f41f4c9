//! The reduced dimension d.

use trustpath_bench::reduce::ReductionKind;

use super::frame::*;
use super::published::DIMENSION;

pub const TARGET: PaperTarget = PaperTarget {
    name: "dimension",
    about: "Reduced dimension",
    heading: "Reduced dimension",
    paper: "a dimension much smaller than the number of instances is best, d = 5, and no reduction at all is worst.",
    find,
};

/// The paper's default.
const CHOSEN: usize = 5;
/// Without a reduction.
const NONE: usize = 512;
const DIMENSIONS: [usize; 6] = [2, CHOSEN, 10, 20, 50, NONE];

fn experiment(d: usize) -> Experiment {
    Experiment::new(1, PoolKind::Transductive)
        .with(|m| if d == NONE { m.reduction = ReductionKind::Identity } else { m.dim = d })
}

fn find(lab: &Lab, finding: &mut Finding) -> Result<()> {
    let name = |d| if d == NONE { "none".into() } else { format!("{d}") };
    let mut columns = Columns::default().names("d", DIMENSIONS.map(name));
    columns.best(PAPER, DIMENSION.map(|(_, accuracy)| text(accuracy)));
    let points_of_paper = DIMENSION.map(|(d, (y, error))| CurvePoint { x: d as f64, y, error });
    let mut curves = vec![Curve { name: PAPER.into(), points: points_of_paper.to_vec() }];
    for dataset in &lab.datasets {
        let title = dataset.title();
        let runs = Runs::new(lab, dataset, &DIMENSIONS, experiment)?;
        let accuracies = runs.accuracies()?;
        let (mut differences, mut comparisons, mut curve) = (Vec::new(), Vec::new(), Vec::new());
        for (d, accuracy) in DIMENSIONS.into_iter().zip(&accuracies) {
            let x = if d == NONE { dataset.table(Split::Novel).dims() } else { d };
            curve.push(point(x as f64, accuracy));
            if d == CHOSEN {
                differences.push("–".into());
                continue;
            }
            let name = if d == NONE { "no reduction".into() } else { format!("d = {d}") };
            let compared = runs.compare(format!("d = {CHOSEN} − {name}"), CHOSEN, d)?;
            differences.push(points(&compared.difference));
            comparisons.push(compared);
        }
        curves.push(Curve { name: title.clone(), points: curve });
        columns.accuracies(&title, &accuracies);
        columns.numbers(format!("d = {CHOSEN} better by"), differences);
        finding.larger(&title, "d = 5 is the best dimension", &comparisons);
        let reduced = DIMENSIONS.into_iter().filter(|d| *d != NONE);
        let above_none =
            reduced.map(|d| runs.compare(format!("d = {d} − no reduction"), d, NONE)).collect::<Result<Vec<_>>>()?;
        finding.larger(&title, "no reduction is the worst choice", &above_none);
    }
    finding.table(
        "Accuracy in % of ICIR by dimension, 5-way 1-shot transductive. Without a reduction there are more coordinates than \
         instances, so that every label is fitted exactly, all instances are equally credible, and the first ones are \
         selected.",
        columns.table()?,
    );
    let figure = accuracy_curves(
        "Accuracy by reduced dimension",
        "5-way 1-shot transductive ICIR; the last point of each curve is without a reduction",
        Axis::new("Dimension d").log(),
        curves,
        Interval::Bars,
    )?;
    finding.figure("dimension", figure);
    Ok(())
}
