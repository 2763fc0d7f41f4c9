//! Features of several networks side by side.

use super::frame::*;
use super::published::{BACKBONES, printed};

pub const TARGET: PaperTarget = PaperTarget {
    name: "backbones",
    about: "Several features files side by side",
    heading: "Backbones",
    paper: "ICI does not depend on the network: on the features of three other methods it is as good as they are or \
            better.",
    find,
};

const SHOTS: [usize; 2] = [1, 5];

fn find(lab: &Lab, finding: &mut Finding) -> Result<()> {
    let mut table = Columns::default()
        .names("Features", BACKBONES.map(|(features, ..)| features))
        .names("Backbone", BACKBONES.map(|(_, backbone, ..)| backbone));
    for (i, shot) in SHOTS.into_iter().enumerate() {
        table.numbers(format!("their method {shot}-shot"), BACKBONES.map(|(_, _, theirs, _)| printed(theirs[i])));
        table.numbers(format!("ICIR {shot}-shot"), BACKBONES.map(|(.., accuracy)| text(accuracy[i])));
    }
    finding.table(
        "The paper's rows on miniImageNet, transductive: the method that the features were learned for, and ICIR on the \
         same features.",
        table.table()?,
    );
    finding.text(
        "The features of CAN, E3BM and TAFSSL are not here; the target peers compares ICIR with other methods on the \
         features that are. To compare networks, extract the features of the same images with each of them and give them \
         all: trustpath paper backbones --dataset cifar-fs --features wrn=a.npy --features densenet=b.npy. The built-in \
         features are those of a ResNet-12.",
    );
    let titles = || lab.datasets.iter().map(|dataset| dataset.title());
    let mut columns = Columns::default().names("Features", titles());
    let (mut series, mut comparisons) = (Vec::new(), vec![Vec::new(); lab.datasets.len()]);
    for shot in SHOTS {
        let experiment = Experiment::new(shot, PoolKind::Transductive);
        let runs = lab.datasets.iter().map(|dataset| lab.run(dataset, &experiment)).collect::<Result<Vec<_>>>()?;
        let gains = runs.iter().map(|run| run.gain()).collect::<Result<Vec<_>>>()?;
        for (comparisons, gain) in comparisons.iter_mut().zip(&gains) {
            comparisons.push(Comparison::new(format!("ICIR − LR {shot}-shot"), *gain));
        }
        for (name, round) in [("LR", 0), ("ICIR", usize::MAX)] {
            let accuracies = estimates(runs.iter().map(|run| run.after(round)))?;
            columns.numbers(format!("{name} {shot}-shot"), accuracies.iter().map(MeanEstimate::percent));
        }
        columns.numbers(format!("gain {shot}-shot"), gains.iter().map(points));
        series.push((format!("{shot}-shot"), gains));
    }
    for (title, comparisons) in titles().zip(&comparisons) {
        finding.larger(&title, "ICI helps whatever the network", comparisons);
    }
    finding.table("Accuracy in % on each of the features here, transductive.", columns.table()?);
    let figure = gains_figure(
        "Gain of ICIR over logistic regression, by features",
        "transductive; paired differences with 95% intervals",
        titles().collect(),
        series,
    )?;
    finding.figure("backbones", figure);
    Ok(())
}
