//! The noise ε of the linear model: the residuals of a least-squares fit of the true labels.

use trustpath_bench::stats;
use trustpath_report::{Density, Histogram};

use super::frame::*;
use super::inspect::REGRESSIONS;
use super::mixture::{BinCounts, GaussianMixture};

pub const TARGET: PaperTarget = PaperTarget {
    name: "errors",
    about: "Histogram of the noise",
    heading: "The noise",
    paper: "the noise resembles a mixture of three Gaussians, so it is sub-Gaussian; its mean is zero up to rounding \
            (10⁻¹⁹).",
    find,
};

/// Bins of the fit.
const BINS: usize = 800;
/// Bins of the figure.
const SHOWN: usize = 100;
/// A mean of the noise that rounding alone explains.
const ZERO: f64 = 1e-12;
/// A mixture counts as an approximation when no probability is off by more.
const CLOSE: f64 = 0.05;

fn find(lab: &Lab, finding: &mut Finding) -> Result<()> {
    let numbers = ["Entries", "Mean", "Deviation", "Smallest", "Largest", "Error, 1 Gaussian", "Error, 3 Gaussians"];
    let mut table = table(["Dataset", "Regression"], numbers);
    let each = |dataset| REGRESSIONS.into_iter().enumerate().map(move |r| (dataset, r));
    for (dataset, (which, regression)) in lab.datasets.iter().flat_map(each) {
        let title = dataset.title();
        let episodes = lab.inspect(dataset)?;
        let noise: Vec<f64> = episodes.iter().flat_map(|e| &e.theorem[which].noise).copied().collect();
        let Some(counts) = BinCounts::of(&noise, BINS) else {
            finding.text(format!("{title}: the noise is constant."));
            continue;
        };
        let n = noise.len() as f64;
        let mean = stats::sum(noise.iter().copied()) / n;
        let deviation = (stats::sum(noise.iter().map(|e| (e - mean).powi(2))) / n).sqrt();
        let low = noise.iter().copied().fold(f64::INFINITY, f64::min);
        let high = noise.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let three = GaussianMixture::fit(&counts, 3);
        let [off_one, off_three] = [GaussianMixture::fit(&counts, 1).distance(&counts), three.distance(&counts)];
        table.push([
            title.clone(),
            regression.to_owned(),
            noise.len().to_string(),
            format!("{mean:.1e}"),
            format!("{deviation:.4}"),
            format!("{low:.3}"),
            format!("{high:.3}"),
            format!("{off_one:.3}"),
            format!("{off_three:.3}"),
        ])?;
        let bins = counts.coarser(SHOWN);
        // On the logarithmic axis nothing is shown where less than one entry is expected.
        let expected = |density: f64| density * n * bins.width;
        let density = counts.points().into_iter().map(|x| (x, three.density(x)));
        let density = density.filter(|(_, density)| expected(*density) >= 1.0).collect();
        let histogram = Histogram {
            title: format!("Noise on {title}, regression {regression}"),
            subtitle: format!("{} entries; their mean is {mean:.1e}", noise.len()),
            x: Axis::new("Noise ε"),
            y: Axis::new("Entries").log(),
            name: "Noise".into(),
            bins,
            density: Density { name: "Three Gaussians".into(), points: density },
        };
        let suffix = if which == 0 { "" } else { "-intercept" };
        finding.figure(format!("errors-{}{suffix}", dataset.name), histogram.figure()?);
        let (holds, evidence) = match which {
            0 => (Holds::when(mean.abs() < ZERO), format!("its mean is {mean:.4}")),
            _ => (Holds::ByConstruction, format!("its mean is {mean:.1e}, as every fit with an intercept leaves")),
        };
        finding.verdict(&title, &format!("the noise has zero mean, {regression}"), holds, evidence);
        let bound = low.abs().max(high.abs());
        finding.verdict(
            &title,
            &format!("the noise resembles a mixture of three Gaussians, {regression}"),
            Holds::when(off_three < CLOSE && off_three < off_one),
            format!(
                "no probability is off by more than {off_three:.3}, against {off_one:.3} for one Gaussian; that the \
                 noise is sub-Gaussian is no finding, since no entry can exceed a bound: the largest is {bound:.2}"
            ),
        );
    }
    finding.table_first(
        "Noise of all entries in all episodes of 5-way 1-shot: what least squares leaves of the true labels. \"Error\" is the largest difference between its \
         distribution function and that of the fitted Gaussians.",
        table,
    );
    Ok(())
}
