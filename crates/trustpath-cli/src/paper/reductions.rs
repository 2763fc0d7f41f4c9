//! Other reductions to five dimensions.

use trustpath::reduce::Reduction;

use super::frame::*;
use super::published::REDUCTIONS;

pub const TARGET: Target = Target {
    name: "reductions",
    about: "Other reductions",
    heading: "Reductions",
    paper: "accuracy is comparable for most reductions, within 2.33 points of each other, except for MDS, which is worse.",
    find,
};

const METHODS: [Reduction; 6] = [
    Reduction::Isomap,
    Reduction::Pca,
    Reduction::Ltsa,
    Reduction::Mds,
    Reduction::Lle,
    Reduction::Spectral,
];
/// The spread of the paper's means without MDS, in points: from 70.10 (LTSA) to 72.43 (SE).
const SPREAD: f64 = 2.33;

fn find(lab: &Lab, finding: &mut Finding) -> Result<()> {
    let names = || REDUCTIONS.map(|(name, _)| name.to_uppercase());
    let mut columns = Columns::default().names("Reduction", names());
    columns.best(PAPER, REDUCTIONS.map(|(_, accuracy)| text(accuracy)));
    let mut series = Vec::new();
    for dataset in &lab.datasets {
        let title = dataset.title();
        let runs = Runs::new(lab, dataset, &METHODS, |method| {
            // Multidimensional scaling is iterative and slow.
            let thinned = if method == Reduction::Mds { 4 } else { 1 };
            Experiment::new(1, PoolKind::Transductive).thin(thinned).with(|m| m.reduction = method)
        })?;
        let accuracies = runs.accuracies()?;
        columns.best(&title, percents(&accuracies));
        columns.numbers("episodes", episode_counts(&accuracies));
        let gains = runs.0.iter().map(|(_, scores)| scores.gain()).collect::<Result<_>>()?;
        series.push((title, gains));
        verdicts(finding, &dataset.title(), &runs, &accuracies)?;
    }
    finding.table(
        "Accuracy in % of ICIR by reduction to five dimensions, 5-way 1-shot transductive. MDS is slow and runs on \
         fewer episodes.",
        columns.table()?,
    );
    let figure = gains_figure(
        "Gain of ICIR over the plain classifier, by reduction",
        "5-way 1-shot transductive; paired differences with 95% intervals",
        names().to_vec(),
        series,
    )?;
    finding.figure("reductions", figure);
    Ok(())
}

fn verdicts(
    finding: &mut Finding,
    title: &str,
    runs: &Runs<Reduction>,
    accuracies: &[Estimate],
) -> Result<()> {
    let mut ranked: Vec<(f64, Reduction)> =
        accuracies.iter().map(|e| e.mean).zip(METHODS).collect();
    ranked.retain(|(_, method)| *method != Reduction::Mds);
    ranked.sort_by(|a, b| a.0.total_cmp(&b.0));
    if let [(_, worst), .., (_, best)] = ranked[..] {
        // Comparable: no further apart than in the paper, beyond the interval.
        let spread = runs.difference(best, worst)?;
        finding.verdict(
            title,
            &format!("all reductions except MDS are comparable (within {SPREAD} points)"),
            Holds::below(&spread, SPREAD / 100.0),
            format!("best − worst is {best} − {worst} = {} points", points(&spread)),
        );
    }
    let mut comparisons = Vec::new();
    for (_, method) in ranked {
        comparisons.push(runs.compare(format!("{method} − mds"), method, Reduction::Mds)?);
    }
    finding.larger(title, "MDS is worse than the other reductions", &comparisons);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_in_the_order_of_the_paper() {
        assert_eq!(METHODS.map(|method| method.name()), REDUCTIONS.map(|(name, _)| name));
        let means = REDUCTIONS.iter().filter(|r| r.0 != "mds").map(|r| r.1.0);
        let spread = means.clone().fold(0.0, f64::max) - means.fold(100.0, f64::min);
        assert!((spread - SPREAD).abs() < 1e-9);
    }
}
