//! The noise ε of the linear model: what a least-squares fit of the true labels leaves over.

use trustpath_episodes::stats;
use trustpath_report::{Axis, Column, Density, Histogram, Table};

use super::dataset::Dataset;
use super::error::Result;
use super::finding::Finding;
use super::lab::Lab;
use super::mixture::{Counts, Mixture};
use super::verdict::{Holds, Verdict};

/// Bins of the fit.
const BINS: usize = 800;
/// Bins of the figure.
const SHOWN: usize = 100;
/// A mean of the noise that rounding alone explains.
const ZERO: f64 = 1e-12;
/// A mixture counts as an approximation when no probability is off by more.
const CLOSE: f64 = 0.05;

/// Collects the noise of all episodes.
pub fn find(lab: &Lab) -> Result<Finding> {
    let mut finding = Finding::new(
        "The noise",
        "the noise is like a mixture of three Gaussians, and so sub-Gaussian; its mean is zero but for rounding \
         (10⁻¹⁹).",
    );
    let mut table = Table::new(vec![
        Column::left("Dataset"),
        Column::right("Entries"),
        Column::right("Mean"),
        Column::right("Deviation"),
        Column::right("Smallest"),
        Column::right("Largest"),
        Column::right("Off by, 1 Gaussian"),
        Column::right("Off by, 3 Gaussians"),
    ]);
    for dataset in &lab.datasets {
        let noise: Vec<f64> =
            lab.inspect(dataset)?.iter().flat_map(|episode| &episode.noise).copied().collect();
        let Some(counts) = Counts::of(&noise, BINS) else {
            finding.say(format!("{}: the noise is constant.", dataset.title()));
            continue;
        };
        let n = noise.len() as f64;
        let mean = stats::sum(noise.iter().copied()) / n;
        let deviation = (stats::sum(noise.iter().map(|e| (e - mean).powi(2))) / n).sqrt();
        let low = noise.iter().copied().fold(f64::INFINITY, f64::min);
        let high = noise.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let three = Mixture::fit(&counts, 3);
        let off = [Mixture::fit(&counts, 1).distance(&counts), three.distance(&counts)];
        table.push([
            dataset.title(),
            noise.len().to_string(),
            format!("{mean:.1e}"),
            format!("{deviation:.4}"),
            format!("{low:.3}"),
            format!("{high:.3}"),
            format!("{:.3}", off[0]),
            format!("{:.3}", off[1]),
        ])?;
        finding.figure(
            format!("errors-{}", dataset.name),
            figure(dataset, &noise, mean, &counts, &three)?,
        );
        finding.verdicts.extend(verdicts(dataset, mean, off, low.abs().max(high.abs())));
    }
    let caption = "Noise of all entries in all episodes of 5-way 1-shot. \"Off by\" is the largest difference between \
                   its distribution function and that of the fitted Gaussians.";
    finding
        .blocks
        .insert(0, trustpath_report::DocumentBlock::Table { caption: caption.into(), table });
    Ok(finding)
}

fn figure(
    dataset: &Dataset,
    noise: &[f64],
    mean: f64,
    counts: &Counts,
    three: &Mixture,
) -> Result<trustpath_report::Figure> {
    let bins = counts.coarser(SHOWN);
    // On the logarithmic axis nothing is shown where less than one entry is expected.
    let expected = |density: f64| density * noise.len() as f64 * bins.width;
    let points = counts.points().into_iter().map(|x| (x, three.density(x)));
    let points = points.filter(|(_, density)| expected(*density) >= 1.0).collect();
    let histogram = Histogram {
        title: format!("Noise on {}", dataset.title()),
        subtitle: format!("{} entries; their mean is {mean:.1e}", noise.len()),
        x: Axis::new("Noise ε"),
        y: Axis::new("Entries").log(),
        name: "Noise".into(),
        bins,
        density: Some(Density { name: "Three Gaussians".into(), points }),
    };
    Ok(histogram.figure()?)
}

fn verdicts(dataset: &Dataset, mean: f64, off: [f64; 2], bound: f64) -> Vec<Verdict> {
    let title = || dataset.title();
    vec![
        Verdict::new(
            title(),
            "the noise has zero mean",
            Holds::when(mean.abs() < ZERO),
            format!("its mean is {mean:.1e}, as it must be after a fit with an intercept"),
        ),
        Verdict::new(
            title(),
            "the noise is like a mixture of three Gaussians, and sub-Gaussian",
            Holds::when(off[1] < CLOSE && off[1] < off[0]),
            format!(
                "no probability is off by more than {:.3}, against {:.3} for one Gaussian; and no entry exceeds \
                 {bound:.2}, which alone makes it sub-Gaussian",
                off[1], off[0]
            ),
        ),
    ]
}
