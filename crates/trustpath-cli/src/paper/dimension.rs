//! The reduced dimension d.

use trustpath::reduce::Reduction;

use super::frame::*;
use super::published::DIMENSION;

pub const TARGET: Target = Target {
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

/// The model has d · c unknowns, which makes large d slow: those run on fewer episodes.
fn experiment(d: usize) -> Experiment {
    let thinned = match d {
        NONE | 20 => 4,
        50 => 20,
        _ => 1,
    };
    Experiment::new(1, PoolKind::Transductive)
        .thin(thinned)
        .with(|m| if d == NONE { m.reduction = Reduction::Identity } else { m.dim = d })
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
        columns.best(&title, percents(&accuracies));
        columns.numbers(format!("d = {CHOSEN} better by"), differences);
        columns.numbers("episodes", episode_counts(&accuracies));
        finding.larger(&title, "d = 5 is the best dimension", &comparisons);
        let none = comparisons.last().into_iter().cloned().collect::<Vec<_>>();
        finding.larger(&title, "d = 5 is better than no reduction", &none);
    }
    finding.table(
        "Accuracy in % of ICIR by dimension, 5-way 1-shot transductive. Large d are slow and run on fewer episodes; \
         differences are paired on those.",
        columns.table()?,
    );
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
    finding.figure("dimension", curves.figure()?);
    Ok(())
}
