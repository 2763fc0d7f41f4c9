//! What became true of what was said, over many draws of a case.

use std::fmt;

use trustpath::label::{Labelling, Verdict};
use trustpath::spec::LabelSpec;
use trustpath::{Features, label};
use trustpath_bench::{FeatureTable, Result};

use crate::cases::{Case, Draw};

const TARGETS: [f64; 2] = [0.9, 0.8];

/// One draw.
struct Outcome {
    accuracy: f64,
    /// For every target: share of wrong ones among the trusted (0 if nothing is trusted), and the share that is trusted.
    trusted: [(f64, f64); 2],
    /// Whether the interval of the estimate contains the precision, and the difference of the two; of the first target.
    interval: Option<(bool, f64)>,
    /// Area under the ROC curve of right against wrong labels, by probability and by credibility.
    auroc: (f64, f64),
    /// Squared error of the probability, and that of the mean accuracy as a constant.
    brier: (f64, f64),
    /// Share of instances that are flagged; false share among them; share of novel instances found.
    flagged: (f64, Option<f64>, Option<f64>),
    known: f64,
    labeller: &'static str,
    by_credibility: bool,
}

/// A row of the table.
pub struct Cell(Vec<Outcome>);

impl Cell {
    pub const HEAD: &str = "| features | case | accuracy | wrong at 0.9 (coverage) | wrong at 0.8 (coverage) | in interval | AUROC probability, credibility | Brier, constant | flagged | false | recall | known | rounds, by credibility |\n|---|---|---|---|---|---|---|---|---|---|---|---|---|";

    pub fn measure(table: &FeatureTable, case: &Case, draws: u64) -> Result<Option<Self>> {
        let mut outcomes = Vec::new();
        for seed in 0..draws {
            match case.draw(table, seed) {
                Some(draw) => outcomes.push(Outcome::of(&draw, table.dims(), seed)?),
                None => return Ok(None),
            }
        }
        Ok(Some(Self(outcomes)))
    }
}

impl Outcome {
    fn of(draw: &Draw, dims: usize, seed: u64) -> Result<Self> {
        let features = Features::new(&draw.values[..], draw.truth.len(), dims)?;
        let spec = LabelSpec { seed, precision: Some(TARGETS[0]), ..Default::default() };
        let pool = label(&features, &draw.given).classes(draw.classes).spec(&spec);
        let found = pool.run()?;
        let open: Vec<usize> = (0..draw.truth.len()).filter(|&i| draw.given[i].is_none()).collect();
        let right = |i: usize| found.labels[i] == Some(draw.truth[i]);
        let known: Vec<usize> = open.iter().copied().filter(|&i| found.labels[i].is_some()).collect();
        let labelled_class: Vec<usize> = open.iter().copied().filter(|&i| draw.truth[i] < draw.classes).collect();
        let accuracy = share(&labelled_class, |i| found.judged_as[i] == draw.truth[i]).unwrap_or(0.0);
        let second = second_target(&found, &known, open.len());
        let trusted = [found.trusted.rows.clone(), second].map(|rows| {
            let wrong = share(&rows, |i| !right(i)).unwrap_or(0.0);
            (wrong, rows.len() as f64 / open.len() as f64)
        });
        let interval = found.trusted.estimate.filter(|_| !found.trusted.rows.is_empty()).map(|e| {
            let precision = 1.0 - trusted[0].0;
            (e.interval.0 <= precision && precision <= e.interval.1, e.precision - precision)
        });
        let by = |score: &dyn Fn(usize) -> f64| auroc(&known, score, &right);
        let mean = share(&known, right).unwrap_or(0.0);
        let error = |p: &dyn Fn(usize) -> f64| {
            let square = |&i: &usize| (p(i) - f64::from(u8::from(right(i)))).powi(2);
            known.iter().map(square).sum::<f64>() / known.len().max(1) as f64
        };
        let flagged: Vec<usize> = open.iter().copied().filter(|&i| found.verdicts[i] == Verdict::NoneOfThese).collect();
        let novel: Vec<usize> = open.iter().copied().filter(|&i| draw.truth[i] >= draw.classes).collect();
        Ok(Self {
            accuracy,
            trusted,
            interval,
            auroc: (by(&|i| found.probability[i]), by(&|i| found.credibility[i])),
            brier: (error(&|i| found.probability[i]), error(&|_| mean)),
            flagged: (
                flagged.len() as f64 / open.len() as f64,
                share(&flagged, |i| draw.truth[i] < draw.classes),
                share(&novel, |i| found.verdicts[i] == Verdict::NoneOfThese),
            ),
            known: found.novelty.as_ref().map_or(1.0, |n| n.known),
            labeller: found.labeller,
            by_credibility: found.trusted.ranked_by.name() == "credibility",
        })
    }
}

/// The rows that would be trusted at the second target.
fn second_target(found: &Labelling, known: &[usize], open: usize) -> Vec<usize> {
    let most = found.trusted.calibration.trusted(open, TARGETS[1]).min(known.len());
    let mut order = known.to_vec();
    order.sort_by(|&a, &b| found.probability[b].total_cmp(&found.probability[a]));
    order.truncate(most);
    order
}

/// The share of rows of which something is true; `None` if there are none.
pub fn share(rows: &[usize], is: impl Fn(usize) -> bool) -> Option<f64> {
    let count = rows.iter().filter(|&&i| is(i)).count();
    (!rows.is_empty()).then(|| count as f64 / rows.len() as f64)
}

/// The mean in percent and its standard error; not a number without any.
pub fn mean_and_error(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = 100.0 * values.iter().sum::<f64>() / n;
    let spread = values.iter().map(|v| (100.0 * v - mean).powi(2)).sum::<f64>() / n;
    (mean, (spread / (n - 1.0).max(1.0)).sqrt())
}

fn auroc(rows: &[usize], score: &dyn Fn(usize) -> f64, right: &dyn Fn(usize) -> bool) -> f64 {
    let mut sorted: Vec<(f64, bool)> = rows.iter().map(|&i| (score(i), right(i))).collect();
    sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (mut wins, mut wrong_before) = (0.0, 0.0);
    for tied in sorted.chunk_by(|a, b| a.0 == b.0) {
        let right = tied.iter().filter(|(_, right)| *right).count() as f64;
        let wrong = tied.len() as f64 - right;
        wins += right * (wrong_before + 0.5 * wrong);
        wrong_before += wrong;
    }
    wins / (wrong_before * (sorted.len() as f64 - wrong_before))
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let with_error = |of: &dyn Fn(&Outcome) -> Option<f64>| {
            let values: Vec<f64> = self.0.iter().filter_map(of).filter(|v| !v.is_nan()).collect();
            mean_and_error(&values)
        };
        let mean = |of: &dyn Fn(&Outcome) -> Option<f64>| with_error(of).0;
        write!(f, "{:.1} |", mean(&|o| Some(o.accuracy)))?;
        for target in 0..2 {
            let (wrong, error) = with_error(&|o| Some(o.trusted[target].0));
            let coverage = mean(&|o| Some(o.trusted[target].1));
            write!(f, " {wrong:.1} ± {error:.1} ({coverage:.0}) |")?;
        }
        let inside = mean(&|o| o.interval.map(|i| f64::from(u8::from(i.0))));
        let bias = mean(&|o| o.interval.map(|i| i.1));
        write!(f, " {inside:.0} ({bias:+.1}) |")?;
        let (a, b) = (mean(&|o| Some(o.auroc.0)), mean(&|o| Some(o.auroc.1)));
        write!(f, " {a:.1}, {b:.1} |")?;
        write!(f, " {:.1}, {:.1} |", mean(&|o| Some(o.brier.0)), mean(&|o| Some(o.brier.1)))?;
        let (flagged, alarms) = (mean(&|o| Some(o.flagged.0)), mean(&|o| Some(o.flagged.1.unwrap_or(0.0))));
        write!(f, " {flagged:.1} | {alarms:.1} |")?;
        match mean(&|o| o.flagged.2) {
            recall if recall.is_nan() => write!(f, " – |")?,
            recall => write!(f, " {recall:.1} |")?,
        }
        write!(f, " {:.0} |", mean(&|o| Some(o.known)))?;
        let rounds = self.0.iter().filter(|o| o.labeller == "rounds").count();
        let credibility = self.0.iter().filter(|o| o.by_credibility).count();
        write!(f, " {rounds}, {credibility} of {} |", self.0.len())
    }
}
