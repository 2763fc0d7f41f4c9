//! Features of several networks side by side.

use super::frame::*;
use super::published::BACKBONES;

pub const TARGET: Target = Target {
    name: "backbones",
    about: "Several features files side by side",
    heading: "Backbones",
    paper: "ICI does not depend on the network: on the features of three other methods it is as good as they are or \
            better.",
    find,
};

const SHOTS: [usize; 2] = [1, 5];

fn find(lab: &Lab, finding: &mut Finding) -> Result<()> {
    let mut printed = Columns::default()
        .names("Features", BACKBONES.map(|(features, ..)| features))
        .names("Backbone", BACKBONES.map(|(_, backbone, _)| backbone));
    for (i, shot) in SHOTS.into_iter().enumerate() {
        let accuracies = BACKBONES.map(|(.., accuracy)| text(accuracy[i]));
        printed.numbers(format!("ICIR {shot}-shot"), accuracies);
    }
    finding.table("The paper's rows on miniImageNet, transductive.", printed.table()?);
    let files: Vec<&Dataset> = lab.datasets.iter().filter(|dataset| dataset.is_file()).collect();
    if files.is_empty() {
        finding.text(
            "To compare networks, extract the features of the same images with each of them and run `trustpath paper \
             backbones --features resnet12=a.npy --features wrn=b.npy`.",
        );
        return Ok(());
    }
    let titles = || files.iter().map(|dataset| dataset.title());
    let mut columns = Columns::default().names("Features", titles());
    let (mut series, mut comparisons) = (Vec::new(), vec![Vec::new(); files.len()]);
    for shot in SHOTS {
        let experiment = Experiment::new(shot, PoolKind::Transductive);
        let run = |dataset: &&Dataset| lab.run(dataset, &experiment);
        let runs = files.iter().map(run).collect::<Result<Vec<_>>>()?;
        let gains = runs.iter().map(|run| run.gain()).collect::<Result<Vec<_>>>()?;
        for (comparisons, gain) in comparisons.iter_mut().zip(&gains) {
            comparisons.push(Comparison::new(format!("ICIR − LR {shot}-shot"), *gain));
        }
        let cells =
            |round| Result::Ok(percents(&estimates(runs.iter().map(|run| run.after(round)))?));
        columns.numbers(format!("LR {shot}-shot"), cells(0)?);
        columns.numbers(format!("ICIR {shot}-shot"), cells(usize::MAX)?);
        columns.numbers(format!("gain {shot}-shot"), gains.iter().map(points));
        series.push((format!("{shot}-shot"), gains));
    }
    for (title, comparisons) in titles().zip(&comparisons) {
        finding.larger(&title, "ICI helps whatever the network", comparisons);
    }
    finding.table("Accuracy in % on each file, transductive.", columns.table()?);
    let figure = gains_figure(
        "Gain of ICIR over logistic regression, by features",
        "transductive; paired differences with 95% intervals",
        titles().collect(),
        series,
    )?;
    finding.figure("backbones", figure);
    Ok(())
}
