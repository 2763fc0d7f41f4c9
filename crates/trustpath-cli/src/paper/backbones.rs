//! Features of several networks side by side.

use trustpath_episodes::stats::Estimate;
use trustpath_report::{Axis, Bar, BarSeries, Bars, Column, Table};

use super::dataset::Dataset;
use super::error::Result;
use super::experiment::{Experiment, Pool};
use super::finding::Finding;
use super::lab::Lab;
use super::published::BACKBONES;
use super::verdict::{Comparison, Verdict, points};

/// Compares the files.
pub fn find(lab: &Lab) -> Result<Finding> {
    let mut finding = Finding::new(
        "Backbones",
        "ICI does not depend on the network: on the features of three other methods it is as good as they are or \
         better.",
    );
    let mut printed = Table::new(vec![
        Column::left("Features"),
        Column::left("Backbone"),
        Column::right("ICIR 1-shot"),
        Column::right("ICIR 5-shot"),
    ]);
    for (features, backbone, accuracy) in BACKBONES {
        let accuracy = accuracy.map(|published| published.text());
        printed.push([features.to_owned(), backbone.to_owned()].into_iter().chain(accuracy))?;
    }
    finding.table("The paper's rows on miniImageNet, transductive.", printed);
    let files: Vec<&Dataset> = lab.datasets.iter().filter(|dataset| dataset.is_file()).collect();
    if files.is_empty() {
        finding.say(
            "To compare networks, extract the features of the same images by each and give them as `trustpath paper \
             backbones --features resnet12=a.npy --features wrn=b.npy`.",
        );
        return Ok(finding);
    }
    let mut table = Table::new(
        std::iter::once(Column::left("Features"))
            .chain([1, 5].into_iter().flat_map(|shot| {
                ["LR", "ICIR", "gain"].map(|name| Column::right(format!("{name} {shot}-shot")))
            }))
            .collect(),
    );
    let mut series =
        [1, 5].map(|shot| BarSeries { name: format!("{shot}-shot"), bars: Vec::new() });
    for dataset in &files {
        let mut cells = vec![dataset.title()];
        let mut gains = Vec::new();
        for (series, shot) in series.iter_mut().zip([1, 5]) {
            let scores = lab.run(dataset, &Experiment::new(shot, Pool::Transductive))?;
            let gain = scores.gain()?;
            cells.push(Estimate::of(&scores.plain())?.percent());
            cells.push(Estimate::of(&scores.last())?.percent());
            cells.push(points(&gain));
            series.bars.push(Bar { value: 100.0 * gain.mean, error: 100.0 * gain.half_width });
            gains.push(Comparison::new(format!("ICIR − LR {shot}-shot"), gain));
        }
        table.push(cells)?;
        let claim = "ICI helps whatever the network";
        finding.verdicts.push(Verdict::all_larger(dataset.title(), claim, &gains));
    }
    finding.table("Accuracy in % on each file, transductive.", table);
    let bars = Bars {
        title: "What ICIR adds to logistic regression, by features".into(),
        subtitle: "transductive; paired differences with 95% intervals".into(),
        y: Axis::new("Gain in accuracy").unit("points"),
        groups: files.iter().map(|dataset| dataset.title()).collect(),
        series: series.into(),
        decimals: Some(1),
    };
    finding.figure("backbones", bars.figure()?);
    Ok(finding)
}
