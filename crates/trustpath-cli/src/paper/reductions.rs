//! Other reductions to five dimensions.

use trustpath_bench::reduce::ReductionKind;

use super::frame::*;
use super::published::REDUCTIONS;

pub const TARGET: PaperTarget = PaperTarget {
    name: "reductions",
    about: "Other reductions",
    heading: "Reductions",
    paper: "accuracy is comparable for most reductions, within 2.33 points of each other, except for MDS, which is worse.",
    find,
};

/// The methods of the paper, in its order; MDS is the paper's, from random starts.
const METHODS: [ReductionKind; 6] = [
    ReductionKind::Isomap,
    ReductionKind::Pca,
    ReductionKind::Ltsa,
    ReductionKind::MdsRandom,
    ReductionKind::Lle,
    ReductionKind::Spectral,
];
/// MDS as it is meant: from a fixed start, to the end.
const BETTER_MDS: ReductionKind = ReductionKind::Mds;
/// The spread of the paper's means without MDS, in points: from 70.10 (LTSA) to 72.43 (SE).
const SPREAD: f64 = 2.33;

fn find(lab: &Lab, finding: &mut Finding) -> Result<()> {
    let methods = [&METHODS[..], &[BETTER_MDS]].concat();
    let names = || methods.iter().map(|method| row_name(*method));
    let mut columns = Columns::default().names("Reduction", names());
    let printed = REDUCTIONS.iter().map(|(_, accuracy)| text(*accuracy));
    columns.best(PAPER, printed.chain(["–".to_owned()]));
    let mut series = Vec::new();
    for dataset in &lab.datasets {
        let title = dataset.title();
        let runs = Runs::new(lab, dataset, &methods, |method| {
            Experiment::new(1, PoolKind::Transductive).with(|m| m.reduction = method)
        })?;
        let accuracies = runs.accuracies()?;
        columns.accuracies(&title, &accuracies);
        verdicts(finding, &title, &runs, &accuracies)?;
        series.push((title, runs.gains()?));
    }
    finding.table(
        "Accuracy in % of ICIR by reduction to five dimensions, 5-way 1-shot transductive. MDS of the paper starts at \
         random and stops by the rule of scikit-learn up to 1.1; the last row starts at the principal components and runs \
         to the end.",
        columns.table()?,
    );
    let figure = gains_figure(
        "Gain of ICIR over the plain classifier, by reduction",
        "5-way 1-shot transductive; paired differences with 95% intervals",
        names().collect(),
        series,
    )?;
    finding.figure("reductions", figure);
    Ok(())
}

/// The name of a method in tables.
fn row_name(method: ReductionKind) -> String {
    match method {
        ReductionKind::MdsRandom => "MDS (random start)".into(),
        BETTER_MDS => "MDS (PCA start)".into(),
        other => other.name().to_uppercase(),
    }
}

fn verdicts(finding: &mut Finding, title: &str, runs: &Runs<ReductionKind>, accuracies: &[MeanEstimate]) -> Result<()> {
    // METHODS comes first, so that the better MDS is left out.
    let mut ranked: Vec<(f64, ReductionKind)> = accuracies.iter().map(|e| e.mean).zip(METHODS).collect();
    ranked.retain(|(_, method)| *method != ReductionKind::MdsRandom);
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
    for mds in [ReductionKind::MdsRandom, BETTER_MDS] {
        let mut comparisons = Vec::new();
        for &(_, method) in &ranked {
            comparisons.push(runs.compare(format!("{method} − {mds}"), method, mds)?);
        }
        let claim = format!("{} is worse than the other reductions", row_name(mds));
        finding.larger(title, &claim, &comparisons);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_in_the_order_of_the_paper() {
        let name = |method: ReductionKind| method.name().trim_end_matches("-random");
        assert_eq!(METHODS.map(name), REDUCTIONS.map(|(name, _)| name));
        let means = REDUCTIONS.iter().filter(|r| r.0 != "mds").map(|r| r.1.0);
        let spread = means.clone().fold(0.0, f64::max) - means.fold(100.0, f64::min);
        assert!((spread - SPREAD).abs() < 1e-9);
    }
}
